"""Expressions over the attributes of spans that choose documents, such as `carrier == "FATHER" and not negated`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..errors import InputError

Span = Mapping[str, Any]
Test = Callable[[Span], Any]

_BOUNDS = ("label", "start", "end")
_CONSTANTS = {"true": True, "false": False, "null": None}
_QUANTIFIERS: dict[str, Callable[..., bool]] = {"any": any, "all": all}
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_LISTS = (ast.List, ast.Tuple, ast.Set)
_LONGEST = 10_000
_REMEDY = (
    "Write names of attributes (or label, start, end), ==, !=, <, <=, >, >=, in, not in, and, or, not, values and "
    "lists of values, any(...) and all(...): carrier == 'FATHER' and not negated."
)


class DocumentFilter:
    """An expression that tells which documents are scored.

    It is read as data and never run as Python. A name is an attribute of a span, or its `label`, `start` or `end`; the
    document is scored if one of its spans fulfils the expression (`any(...)`, which need not be written), or all do
    (`all(...)`). An attribute that a span lacks is None. Of several values one must fulfil a comparison; `!=` and
    `not in` are the contrary of `==` and `in`.

    Attributes:
        names: of the attributes that the expression names.

    Raises:
        InputError: for an expression that cannot be read, has anything else in it, or names no attribute.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        names: set[str] = set()
        try:
            if len(text) > _LONGEST:
                raise self._refuse(f"it has {len(text)} characters")
            tree = ast.parse(text.strip(), mode="eval").body
            self._holds = self._of_document(tree, names)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise self._refuse("it cannot be read") from None
        if not names:
            raise self._refuse("it names no attribute")
        self.names = frozenset(names - set(_BOUNDS))

    def __call__(self, spans: Sequence[Span]) -> bool:
        """Return whether a document with these spans is scored."""
        return bool(self._holds(spans))

    def _of_document(self, node: ast.expr, names: set[str]) -> Callable[[Sequence[Span]], bool]:
        calls = any(isinstance(part, ast.Call) for part in ast.walk(node))
        if isinstance(node, ast.Call):
            function = node.func.id if isinstance(node.func, ast.Name) else ""
            if function not in _QUANTIFIERS or len(node.args) != 1 or node.keywords:
                raise self._refuse(f"{ast.unparse(node)!r} is neither any(...) nor all(...)")
            quantifier, test = _QUANTIFIERS[function], self._of_span(node.args[0], names)
            return lambda spans: quantifier(_truth(test(span)) for span in spans)
        if calls and isinstance(node, ast.BoolOp):
            parts = [self._of_document(value, names) for value in node.values]
            combine = all if isinstance(node.op, ast.And) else any
            return lambda spans: combine(part(spans) for part in parts)
        if calls and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            part = self._of_document(node.operand, names)
            return lambda spans: not part(spans)
        test_one = self._of_span(node, names)
        return lambda spans: any(_truth(test_one(span)) for span in spans)

    def _of_span(self, node: ast.expr, names: set[str]) -> Test:
        """Return the function of a span that a part of the expression is: a truth value, or a list of values."""
        if isinstance(node, ast.BoolOp):
            parts = [self._of_span(value, names) for value in node.values]
            combine = all if isinstance(node.op, ast.And) else any
            return lambda span: combine(_truth(part(span)) for part in parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            part = self._of_span(node.operand, names)
            return lambda span: not _truth(part(span))
        if isinstance(node, ast.Compare):
            sides = [self._of_values(side, names) for side in (node.left, *node.comparators)]
            for one, side in zip(node.ops, node.comparators, strict=True):
                several, member = isinstance(side, _LISTS), isinstance(one, (ast.In, ast.NotIn))
                if several != member and not (member and isinstance(side, ast.Name)):
                    raise self._refuse("lists stand behind 'in' and 'not in', and nothing but lists and names there")
            tests = [self._comparison(one) for one in node.ops]
            return lambda span: all(
                test(left(span), right(span)) for test, left, right in zip(tests, sides, sides[1:], strict=False)
            )
        return self._of_values(node, names)

    def _of_values(self, node: ast.expr, names: set[str]) -> Test:
        if isinstance(node, ast.Name) and node.id not in _CONSTANTS:
            name = node.id
            names.add(name)
            return lambda span: [span[name]] if name in _BOUNDS else _values(span["attributes"].get(name))
        listed = node.elts if isinstance(node, _LISTS) else [node]
        values = [self._constant(part) for part in listed]
        return lambda span: values

    def _constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name) and node.id in _CONSTANTS:
            return _CONSTANTS[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._constant(node.operand)
            if type(value) in (int, float):
                return -value
        elif isinstance(node, ast.Constant) and (node.value is None or type(node.value) in (bool, int, float, str)):
            return node.value
        raise self._refuse(f"{ast.unparse(node)!r} is not allowed in it")

    def _comparison(self, kind: ast.cmpop) -> Callable[[list[Any], list[Any]], bool]:
        if isinstance(kind, (ast.Eq, ast.In)):
            return _meet
        if isinstance(kind, (ast.NotEq, ast.NotIn)):
            return lambda left, right: not _meet(left, right)
        order = _ORDERS.get(type(kind))
        if order is None:
            raise self._refuse("'is' is not allowed in it")
        return lambda left, right: any(
            order(one, other)
            for one in left
            for other in right
            if None not in (one, other) and self._ordered(one, other)
        )

    def _ordered(self, one: Any, other: Any) -> bool:
        if _kind(one) is not _kind(other) or _kind(one) is bool:
            raise InputError(
                f"filter compares {one!r} with {other!r}, which have no order.", "Compare values of one type."
            )
        return True

    def _refuse(self, problem: str) -> InputError:
        shown = self._text if len(self._text) <= 100 else f"{self._text[:100]}..."
        return InputError(f"invalid value for filter: {shown!r}: {problem}.", _REMEDY, option="filter")


@lru_cache(maxsize=16)
def read_filter(text: str) -> DocumentFilter:
    """Return the filter that an expression is; see `DocumentFilter`."""
    return DocumentFilter(text)


def _values(value: Any) -> list[Any]:
    return (value or [None]) if isinstance(value, list) else [value]


def _truth(value: Any) -> bool:
    return any(map(bool, value)) if isinstance(value, list) else bool(value)


def _meet(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Return whether two lists have a value in common; numbers are equal as numbers, but no number is a truth value."""
    return any(_kind(one) is _kind(other) and one == other for one in left for other in right)


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)
