"""Document filters, which compare attributes of spans: `carrier == "FATHER" and negated == false`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ..exceptions import InputError, shown

_BOUNDS = ("label", "start", "end")
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COMPARISON = re.compile(
    r"""\s*(?P<name>[^\s=!<>"']+)\s*(?P<order>==|!=|<=|>=|<|>)\s*(?P<value>"[^"]*"|'[^']*'|[^\s=!<>"']+)\s*(?:\band\b|$)"""
)
_REMEDY = (
    "Compare attributes (or label, start, end) with values by ==, !=, <, <=, > or >=, joined by 'and': "
    "carrier == 'FATHER' and negated == false. In Python, pass a function of a document's reference spans."
)


class DocumentFilter:
    """A document filter: it selects documents with at least one span that fulfils all comparisons.

    A comparison has a name, an operator and a value. The name is an attribute of the span, or `label`, `start` or
    `end`. The value is a number, `true`, `false`, `null` or text; quote text that contains spaces. A missing attribute
    is null. If an attribute has several values, `==` holds if one of them is equal, and `!=` holds if none is.

    Attributes:
        names: the names of the compared attributes.

    Raises:
        InputError: if the filter cannot be parsed.
    """

    def __init__(self, text: str) -> None:
        self._comparisons: list[tuple[str, str, Any]] = []
        place = 0
        while place < len(text) or not place:
            match = _COMPARISON.match(text, place)
            if match is None or (match.end() == len(text) and match[0].endswith("and")):
                raise InputError(f"invalid value for filter: {shown(text)}.", _REMEDY, option="filter")
            self._comparisons.append((match["name"], match["order"], _value(match["value"])))
            place = match.end()
        self.names = frozenset(name for name, *_ in self._comparisons) - set(_BOUNDS)

    def __call__(self, spans: Sequence[Mapping[str, Any]]) -> bool:
        """Check whether a document with these spans passes the filter."""
        return any(all(_holds(span, *comparison) for comparison in self._comparisons) for span in spans)


@lru_cache(maxsize=16)
def read_filter(text: str) -> DocumentFilter:
    """Parse a filter, see `DocumentFilter`."""
    return DocumentFilter(text)


def _value(text: str) -> Any:
    """Parse a value: a number, `true`, `false`, `null`, or text with or without quotes."""
    if text[0] in "\"'":
        return text[1:-1]
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _holds(span: Mapping[str, Any], name: str, order: str, value: Any) -> bool:
    """Check whether a span fulfils a comparison."""
    content = span[name] if name in _BOUNDS else span["attributes"].get(name)
    values = (content or [None]) if isinstance(content, list) else [content]
    if order in ("==", "!="):
        # 1 equals 1.0, but not true
        return any(_kind(own) is _kind(value) and own == value for own in values) is (order == "==")
    present = [own for own in values if own is not None]
    for own in present:
        if _kind(own) is not _kind(value) or _kind(own) is bool:
            raise InputError(f"filter cannot order {own!r} and {value!r}.", "Compare values of the same type.")
    return any(_ORDERS[order](own, value) for own in present)


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)
