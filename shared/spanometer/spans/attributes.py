"""Attributes of spans (negated, carrier, ...) as frozen columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..arrays import (
    is_integer,
    is_list,
    is_number,
    is_utf8,
    listed,
    listed_items,
    name_codes,
    offsets_of,
    string_array,
    strings,
    take_segments,
)
from ..exceptions import InputError, counted, shown, with_type
from ..tags.schemes import name_problem
from .arrow import BOUNDS, REPLACE, ItemKind, SpanColumns, bounds_arrays, string_codes, structs

Value = bool | int | float | str

ATTRIBUTED_SPAN_TYPE = pa.struct([*BOUNDS, ("label", pa.string()), ("attributes", pa.string())])
"""A span; `attributes` is JSON, a list of `[name, value, score]`. Null means that there is no value or no score."""

ATTRIBUTES_REMEDY = (
    "Write a span as {'start': int, 'end': int, 'label': str, 'attributes': {name: value or list of values, ...}}. "
    "A span can also have 'scores': {name: number, ...}."
)
_VALUE_REMEDY = "Write a bool, int, float, str or None. Write several values as one list without inner lists."
_SCORE_REMEDY = (
    "For an attribute with one value, write 'scores': {'time': 0.9}. For an attribute with the values 'past' and "
    "'now', write 'scores': {'time': [0.9, 0.4]} or {'time': {'past': 0.9, 'now': 0.4}}."
)

_TYPES = (bool, int, float, str)
"""The types of values, in the order in which values of different types are sorted."""

_Item = tuple[str, Value | None, float | None]


@dataclass(frozen=True, eq=False)
class Attributes(SpanColumns):
    """One side's spans and their attribute values, in the original order.

    Two values are the same if they are equal and have the same type: True, 1, 1.0 and "1" are four values. An attribute
    of a span has one row for each value. Without a value (None, or an empty list) it has one row.

    Create objects with `from_dicts` or `from_arrow`; the constructor does not check the columns.

    Attributes:
        document, start, end: the document and boundaries of each span, int32; `end` is exclusive.
        label: the index of each span's label in `labels`.
        labels: the sorted label names.
        documents: the number of documents, with or without spans.
        rows: the offsets of rows: span i has the rows `rows[i]` to `rows[i + 1]`.
        name: the index of each row's attribute in `names`.
        names: the sorted names of attributes.
        value: the index of each row's value in `values`, int32; -1 if there is no value.
        values: the distinct values: bool, then int, float and str, each in ascending order.
        score: the score of each row's value, float64; NaN if there is no score.
    """

    rows: np.ndarray
    name: np.ndarray
    names: tuple[str, ...]
    value: np.ndarray
    values: tuple[Value, ...]
    score: np.ndarray

    nested: ClassVar[Mapping[str, tuple[str, ...]]] = {"rows": ("name", "value", "score")}

    @property
    def span(self) -> np.ndarray:
        """The span of each row, ascending."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.rows))

    def __repr__(self) -> str:
        """Show sizes instead of columns."""
        named = ", ".join(self.names) or "none"
        return f"Attributes({counted(len(self), 'span')}, {counted(self.documents, 'document')}, attributes {named})"

    @classmethod
    def from_dicts(cls, documents: Iterable[Iterable[Mapping[str, Any]]]) -> Attributes:
        """Read spans with attributes from dictionaries.

        Args:
            documents: the spans of each document: `{"start": int, "end": int, "label": str, "attributes": {...}}`.
                `attributes` maps each name to a value (bool, int, float or str; None means no value) or to a list of
                values, in which None is ignored. NumPy scalars become Python values. The optional key `scores` maps
                some of these names to scores: the score of a single value, a list with a score for each value in a
                list, or a dict from values to scores. Values in this dict that the attribute does not have are ignored.
                None means no score.

        Raises:
            InputError: if a span has another form or is empty, if a value is NaN or an integer past 64 bits, if
                `scores` has a name that `attributes` lacks, or if a dict of scores has a value of another type ("True"
                for True).
        """
        return cls.from_arrow(pa.chunked_array(ATTRIBUTED.arrays(documents)))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Attributes:
        """Read an Arrow column of lists of `ATTRIBUTED_SPAN_TYPE`, which `ATTRIBUTED.arrays` and `to_arrow` create.

        Raises:
            InputError: if the column has another type; see also `from_dicts`.
        """
        spans = ATTRIBUTED.items(column)
        start, end = spans.checked_bounds()
        label, labels = spans.names(spans.values.field("label"))
        try:
            codes, texts = string_codes(spans.values.field("attributes"))
        except pa.ArrowException:
            problem = f"the attributes must be JSON strings, but have the type {spans.values.field('attributes').type}."
            raise InputError(problem, ATTRIBUTES_REMEDY) from None
        items = []
        for code, text in enumerate(texts):
            try:
                items.append(_read_items(text))
            except (TypeError, ValueError):
                spans.refuse(codes == code, "the attributes are not in the JSON format of Attributes.to_arrow.")
        return cls.of(items, codes, spans.parent, start, end, label, labels, len(column))

    @classmethod
    def of(cls, items: Sequence[Sequence[_Item]], codes: np.ndarray, *spans: Any) -> Attributes:
        """Create it from distinct lists of items (see `items_of`), the index of each span's list, and the spans.

        `spans` are the columns `document`, `start`, `end`, `label`, `labels` and `documents`.
        """
        rows = list(chain.from_iterable(items))
        counts, taken = take_segments(offsets_of(list(map(len, items))), codes)
        keys = [None if value is None else (_TYPES.index(type(value)), value) for _, value, _ in rows]
        distinct = sorted({key for key in keys if key is not None})
        code: dict[Any, int] = {None: -1, **{key: number for number, key in enumerate(distinct)}}
        name, names = name_codes([name for name, _, _ in rows])
        value = np.array([code[key] for key in keys], dtype=np.int32)[taken]
        values = tuple(value for _, value in distinct)
        score = np.array([np.nan if score is None else score for _, _, score in rows], dtype=np.float64)[taken]
        columns: tuple[Any, ...] = (*spans, offsets_of(counts), name[taken], names, value, values, score)
        return cls(*columns)

    def to_dicts(self) -> list[list[dict[str, Any]]]:
        """Convert the spans of each document to dictionaries, as `from_dicts` reads them.

        A single value is written without a list; an empty list becomes None. The key `scores` is present if there are
        scores.
        """
        return [[_to_dict(span) for span in document] for document in self.to_arrow().to_pylist()]

    def _structs(self) -> pa.StructArray:
        values = [None if code < 0 else self.values[code] for code in self.value.tolist()]
        scores = [None if score != score else score for score in self.score.tolist()]
        rows = list(zip(map(self.names.__getitem__, self.name.tolist()), values, scores, strict=True))
        items = [json.dumps(rows[first:last]) for first, last in pairwise(self.rows.tolist())]
        bounds = bounds_arrays(self.start, self.end)
        return structs(ATTRIBUTED_SPAN_TYPE, *bounds, strings(self.label, self.labels), string_array(items))


def _to_dict(span: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, list[Value]] = {}
    scores: dict[str, list[float | None]] = {}
    for name, value, score in json.loads(span["attributes"]):
        values.setdefault(name, []).extend([] if value is None else [value])
        scores.setdefault(name, []).extend([] if value is None else [score])
    scored = {name: _one_or_list(row) for name, row in scores.items() if any(score is not None for score in row)}
    attributes = {name: _one_or_list(listed) for name, listed in values.items()}
    return {**span, "attributes": attributes, **({"scores": scored} if scored else {})}


def _with_json(span: Any) -> Any:
    """Replace the attributes and scores of a span by JSON, see `ATTRIBUTED_SPAN_TYPE`."""
    return {**span, "attributes": json.dumps(items_of(span))} if isinstance(span, Mapping) else span


ATTRIBUTED = ItemKind(
    ATTRIBUTED_SPAN_TYPE, "a span", "spans with attributes", ATTRIBUTES_REMEDY, prepare=_with_json, encoded=True
)


def _read_items(text: str) -> list[_Item]:
    """Read the items of a span from JSON, see `ATTRIBUTED_SPAN_TYPE`."""
    return [(_name(name), plain_value(value, name), _score(name, score)) for name, value, score in json.loads(text)]


def items_of(span: Mapping[str, Any]) -> list[_Item]:
    """List the name, value and score of each attribute value of a span."""
    if "attributes" not in span:
        raise InputError(f"{shown(dict(span))} has no 'attributes'.", ATTRIBUTES_REMEDY)
    attributes, scores = span["attributes"], span.get("scores")
    scores = {} if scores is None else scores
    for key, value, remedy in (("attributes", attributes, ATTRIBUTES_REMEDY), ("scores", scores, _SCORE_REMEDY)):
        if type(value) is not dict and not isinstance(value, Mapping):
            raise InputError(f"{key!r} is {shown(value)}, not a dict.", remedy)
    if type(attributes) is not dict:
        attributes = dict(listed_items(attributes, ATTRIBUTES_REMEDY))
    for name in scores:
        if name not in attributes:
            remedy = f"Give {shown(name)} a value in 'attributes', or remove it from 'scores'."
            raise InputError(f"'scores' has {shown(name)}, but 'attributes' does not.", remedy)
    items: list[_Item] = []
    for key, raw in attributes.items():
        name, several = _name(key), is_list(raw)
        values = [plain_value(value, name) for value in (listed(raw, ATTRIBUTES_REMEDY) if several else [raw])]
        score = scores.get(key)
        of_values = [None] * len(values) if score is None else _scores(name, values, several, score)
        stated = [(name, value, score) for value, score in zip(values, of_values, strict=True) if value is not None]
        items += stated or [(name, None, None)]
    return items


@lru_cache(1 << 12)
def _name(name: object) -> str:
    """Return the name of an attribute; raise an `InputError` if it is no valid name."""
    if not isinstance(name, str):
        raise InputError(f"the name of an attribute is {shown(name)}, not a string.", ATTRIBUTES_REMEDY)
    if not is_utf8(name):
        raise InputError(f"the attribute name {shown(name)} is not valid Unicode.", REPLACE)
    if problem := name_problem(name, "attribute name"):
        raise InputError(problem, "Give every attribute a plain name, such as 'negated'.")
    return str(name)


def plain_value(value: Any, name: str) -> Value | None:
    """Convert an attribute value to a Python bool, int, float, str or None.

    Raises:
        InputError: if the value has another type, is NaN or an integer past 64 bits, or is text that UTF-8 cannot
            store.
    """
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        if not is_utf8(value):
            raise InputError(f"the value {shown(value)} of the attribute {shown(name)} is not valid Unicode.", REPLACE)
        return str(value)
    if is_integer(value):
        number = int(value)
        if not -(2**63) <= number < 2**63:
            problem = f"the value {shown(number)} of the attribute {shown(name)} is out of range."
            raise InputError(problem, "Write the value as a string.")
        return number
    if isinstance(value, (float, np.floating)):
        if value != value:
            raise InputError(f"a value of the attribute {shown(name)} is NaN, which cannot be compared.", _VALUE_REMEDY)
        return float(value)
    raise InputError(f"{with_type(value)} is not a valid value of the attribute {shown(name)}.", _VALUE_REMEDY)


def _scores(name: str, values: Sequence[Value | None], several: bool, scores: Any) -> list[float | None]:
    """Return the score of each value; None if it has no score."""
    if isinstance(scores, Mapping):
        return _scores_by_value(name, values, scores)
    if is_list(scores):
        if not several or len(scores) != len(values):
            counts = f"{counted(len(values), 'value')}, but {counted(len(scores), 'score')}"
            problem = counts if several else "one value, but a list of scores"
            raise InputError(f"the attribute {shown(name)} has {problem}.", _SCORE_REMEDY)
        return [_score(name, score) for score in listed(scores, _SCORE_REMEDY)]
    if several and len(values) > 1:
        raise InputError(f"the attribute {shown(name)} has {len(values)} values, but only one score.", _SCORE_REMEDY)
    score = _score(name, scores)
    return [score] * len(values)


def _scores_by_value(name: str, values: Sequence[Value | None], scores: Mapping[Any, Any]) -> list[float | None]:
    scored = {}
    for key, score in listed_items(scores, _SCORE_REMEDY):
        value = plain_value(key, name)
        scored[type(value), value] = _score(name, score)
    for value in values:
        if value is None or (type(value), value) in scored:
            continue
        for _, other in scored:
            if other is not None and (other == value or str(other).lower() == str(value).lower()):
                said = shown if type(other) is type(value) else with_type
                problem = f"the attribute {shown(name)} is {said(value)}, but 'scores' has a score for {said(other)}."
                raise InputError(problem, f"Write only the score (0.9) or, in Python, {{{shown(value)}: 0.9}}.")
    return [scored.get((type(value), value)) for value in values]


def _score(name: str, score: Any) -> float | None:
    if score is None or (type(score) is float and score == score):
        return score
    with suppress(OverflowError):
        if is_number(score) and not math.isnan(score):
            return float(score)
    raise InputError(f"the score of attribute {shown(name)} is {with_type(score)}, not a valid number.", _SCORE_REMEDY)


def _one_or_list(items: Sequence[Any]) -> Any:
    """Return the list if it has several items, its only item, or None if it is empty."""
    return list(items) if len(items) > 1 else next(iter(items), None)
