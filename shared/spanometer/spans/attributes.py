"""Attributes of spans (negated, carrier, ...) as frozen columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..arrays import (
    as_lists,
    batches,
    is_integer,
    is_list,
    is_number,
    is_utf8,
    list_offsets,
    listed,
    listed_items,
    null_flags,
    offsets_by,
    read_rows,
    strings,
)
from ..exceptions import InputError, counted, shown
from .arrow import (
    DocumentColumns,
    ListItems,
    bounds_arrays,
    is_list_of,
    name_problem,
    spans_arrays,
    string_codes,
    structs,
)

Value = bool | int | float | str

ITEM_TYPE = pa.struct(
    [
        ("name", pa.string()),
        ("boolean", pa.bool_()),
        ("integer", pa.int64()),
        ("number", pa.float64()),
        ("text", pa.string()),
        ("score", pa.float64()),
    ]
)
"""One value of an attribute, stored in the field of its type. If all four fields are null, there is no value."""

ATTRIBUTED_SPAN_TYPE = pa.struct(
    [("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("attributes", pa.list_(ITEM_TYPE))]
)

ATTRIBUTES_REMEDY = (
    "A span is {'start': int, 'end': int, 'label': str, 'attributes': {name: value or list of values, ...}}, "
    "and may have 'scores': {name: number, ...}."
)
_VALUE_REMEDY = "Values are bool, int, float, str or None, and lists of them."
_SCORE_REMEDY = (
    "Write scores as {name: number} or {name: {value: number, ...}}. For a list of values, write {name: [number, "
    "...]} with a number for each value."
)

_TYPES: dict[str, type] = {"boolean": bool, "integer": int, "number": float, "text": str}
"""The fields of `ITEM_TYPE`, in the order in which values of different types are sorted."""


@dataclass(frozen=True, eq=False)
class Attributes(DocumentColumns):
    """One side's spans and their attribute values, in the original order.

    Two values are the same if they are equal and have the same type: True, 1, 1.0 and "1" are four values. An attribute
    of a span has one row for each value. Without a value (None, or an empty list) it has one row.

    Create objects with `from_dicts` or `from_arrow`; the constructor does not check the columns.

    Attributes:
        document, start, end: the document and boundaries of each span, int32; `end` is exclusive.
        label: the index of each span's label in `labels`.
        labels: the sorted label names.
        rows: the offsets of rows: span i has the rows `rows[i]` to `rows[i + 1]`.
        name: the index of each row's attribute in `names`.
        names: the sorted names of attributes.
        value: the index of each row's value in `values`, int32; -1 if there is no value.
        values: the distinct values: bool, then int, float and str, each in ascending order.
        score: the score of each row's value, float64; NaN if there is no score.
        documents: the number of documents, with or without spans.
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    labels: tuple[str, ...]
    rows: np.ndarray
    name: np.ndarray
    names: tuple[str, ...]
    value: np.ndarray
    values: tuple[Value, ...]
    score: np.ndarray
    documents: int

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
        return cls.from_arrow(pa.chunked_array(attributes_arrays(documents)))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Attributes:
        """Read an Arrow column of lists of `ATTRIBUTED_SPAN_TYPE`, which `attributes_arrays` and `to_arrow` create.

        Raises:
            InputError: if the column has another type; see also `from_dicts`.
        """
        spans = ListItems.read(
            column, (field.name for field in ATTRIBUTED_SPAN_TYPE), "a span", "spans with attributes", ATTRIBUTES_REMEDY
        )
        spans.refuse_nulls("start", "end", "label", "attributes")
        start, end = spans.checked_bounds()
        label, labels = spans.names(spans.values.field("label"))
        lists = spans.values.field("attributes")
        if not is_list_of(lists.type, (field.name for field in ITEM_TYPE)):
            raise InputError(f"attributes of type {lists.type} are not lists of values.", ATTRIBUTES_REMEDY)
        rows = spans.children(lists, "an attribute")
        rows.refuse_nulls("name")
        name, names = rows.names(rows.values.field("name"), noun="name", owner="attribute")
        value, values = _value_codes(rows)
        score = _numbers(rows.values.field("score").cast(pa.float64()))
        rows.refuse(np.isnan(score) & ~null_flags(rows.values.field("score")), "a score is NaN.", _SCORE_REMEDY)
        return cls(
            document=spans.parent.astype(np.int32),
            start=start,
            end=end,
            label=label,
            labels=labels,
            rows=offsets_by(rows.parent, len(start)),
            name=name,
            names=names,
            value=value,
            values=values,
            score=score,
            documents=len(column),
        )

    def to_dicts(self) -> list[list[dict[str, Any]]]:
        """Convert the spans of each document to dictionaries, as `from_dicts` reads them.

        A single value is written without a list; an empty list becomes None. The key `scores` is present if there are
        scores.
        """
        return [[_to_dict(span) for span in document] for document in self.to_arrow().to_pylist()]

    def _structs(self) -> pa.StructArray:
        columns = [strings(self.name, self.names)]
        for kind in _TYPES.values():
            # codes of one type are neighbours
            codes = [code for code, value in enumerate(self.values) if type(value) is kind]
            first, last = (codes[0], codes[-1] + 1) if codes else (0, 0)
            members = (self.value >= first) & (self.value < last)
            taken = pa.array(np.where(members, self.value - first, 0), mask=~members)
            values = pa.array(self.values[first:last], ITEM_TYPE.field(len(columns)).type)
            columns.append(values.take(taken))
        columns.append(pa.array(self.score, mask=np.isnan(self.score)))
        attributes = as_lists(self.rows, structs(ITEM_TYPE, *columns))
        label = strings(self.label, self.labels)
        return structs(ATTRIBUTED_SPAN_TYPE, *bounds_arrays(self.start, self.end), label, attributes)


def _to_dict(span: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, list[Value]] = {}
    scores: dict[str, list[float | None]] = {}
    for item in span["attributes"]:
        value = next((item[column] for column in _TYPES if item[column] is not None), None)
        values.setdefault(item["name"], []).extend([] if value is None else [value])
        scores.setdefault(item["name"], []).extend([] if value is None else [item["score"]])
    scored = {name: _one_or_list(row) for name, row in scores.items() if any(score is not None for score in row)}
    attributes = {name: _one_or_list(listed) for name, listed in values.items()}
    return {**span, "attributes": attributes, **({"scores": scored} if scored else {})}


def attributes_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
    """Convert lists of spans to Arrow lists of `ATTRIBUTED_SPAN_TYPE`, one array for each thousand documents.

    Args:
        documents: the spans of each document, see `Attributes.from_dicts`; other keys are ignored.
        first_document: the number of the first document, for errors.

    Raises:
        InputError: see `Attributes.from_dicts`. Boundaries and labels are not checked here, only when they are read.
    """
    rows = read_rows(documents, first_document, ATTRIBUTES_REMEDY)
    return [_attributes_array(part, first_document + first) for first, part in batches(rows)]


def _attributes_array(rows: Sequence[Any], first_document: int) -> pa.ListArray:
    (bounds,) = spans_arrays(rows, first_document)
    lists: list[list[_Item]] = []
    names: set[str] = set()
    for number, row in enumerate(rows):
        for index, span in enumerate(row):
            try:
                lists.append(_items(span, names))
            except InputError as error:
                raise error.placed(document=first_document + number, span=index) from None
    items = list(chain.from_iterable(lists))
    columns = [pa.array([name for name, _, _ in items], pa.string())]
    for kind in _TYPES.values():
        typed = [value if type(value) is kind else None for _, value, _ in items]
        columns.append(pa.array(typed, ITEM_TYPE.field(len(columns)).type))
    columns.append(pa.array([score for _, _, score in items], pa.float64()))
    attributes = pa.ListArray.from_arrays(list_offsets(lists), structs(ITEM_TYPE, *columns))
    values = structs(ATTRIBUTED_SPAN_TYPE, *bounds.flatten().flatten(), attributes)
    return pa.ListArray.from_arrays(list_offsets(rows), values)


_Item = tuple[str, Value | None, float | None]


def _items(span: Mapping[str, Any], names: set[str]) -> list[_Item]:
    """List the name, value and score of each attribute value of a span. Names in `names` are known to be valid."""
    if "attributes" not in span:
        raise InputError(f"{shown(dict(span))} has no 'attributes'.", ATTRIBUTES_REMEDY)
    attributes, scores = span["attributes"], span.get("scores")
    if type(attributes) is not dict and not isinstance(attributes, Mapping):
        raise InputError(f"the attributes {shown(attributes)} are not a dict.", ATTRIBUTES_REMEDY)
    if type(attributes) is not dict:
        attributes = dict(listed_items(attributes, ATTRIBUTES_REMEDY))
    if scores is None:
        scores = {}
    elif type(scores) is not dict and not isinstance(scores, Mapping):
        raise InputError(f"the scores {shown(scores)} are not a dict.", _SCORE_REMEDY)
    for name in scores:
        if name not in attributes:
            raise InputError(f"there are scores of {shown(name)}, but no such attribute.", _SCORE_REMEDY)
    items: list[_Item] = []
    for name, raw in attributes.items():
        if name not in names:
            _require_name(name)
            names.add(str(name))
        several = is_list(raw)
        if several and type(raw) not in (list, tuple):
            raw = listed(raw, ATTRIBUTES_REMEDY)
        values = [plain_value(value, name) for value in raw] if several else [plain_value(raw, name)]
        score = scores.get(name)
        of_values = [None] * len(values) if score is None else _scores(name, values, several, score)
        stated = [
            (str(name), value, score) for value, score in zip(values, of_values, strict=True) if value is not None
        ]
        items += stated or [(str(name), None, None)]
    return items


def _require_name(name: object) -> None:
    if not isinstance(name, str):
        raise InputError(
            f"the attribute {shown(name)} (of type {type(name).__name__}) is not a string.", ATTRIBUTES_REMEDY
        )
    if not is_utf8(name):
        raise InputError(f"the attribute {shown(name)} cannot be stored as UTF-8 text.", ATTRIBUTES_REMEDY)
    if problem := name_problem(name, "name"):
        raise InputError(problem, "Give every attribute a name without blanks at its ends.")


def plain_value(value: Any, name: str) -> Value | None:
    """Convert an attribute value to a Python bool, int, float, str or None.

    Raises:
        InputError: if the value has another type, is NaN or an integer past 64 bits, or is text that UTF-8 cannot
            store.
    """
    if value is None or type(value) is bool:
        return value
    if isinstance(value, str):
        if not is_utf8(value):
            raise InputError(
                f"the value {shown(value)} of {shown(name)} cannot be stored as UTF-8 text.", _VALUE_REMEDY
            )
        return str(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if is_integer(value):
        number = int(value)
        if not -(2**63) <= number < 2**63:
            raise InputError(f"the value {shown(number)} of {shown(name)} is out of range.", "Write it as a string.")
        return number
    if isinstance(value, (float, np.floating)):
        if value != value:
            raise InputError(f"the value of {shown(name)} is NaN, which cannot be compared.", _VALUE_REMEDY)
        return float(value)
    raise InputError(
        f"{shown(value)} (of type {type(value).__name__}) cannot be a value of {shown(name)}.", _VALUE_REMEDY
    )


def _scores(name: str, values: Sequence[Value | None], several: bool, scores: Any) -> list[float | None]:
    """Return the score of each value; None if it has no score."""
    if type(scores) is float and len(values) == 1:
        return [_score(name, scores)]
    if isinstance(scores, Mapping):
        return _scores_by_value(name, values, scores)
    if is_list(scores):
        if not several or len(scores) != len(values):
            count = counted(len(values), "value") if several else "one value, not a list"
            raise InputError(
                f"{shown(name)} has a list of {counted(len(scores), 'score')}, but {count}.", _SCORE_REMEDY
            )
        return [_score(name, score) for score in listed(scores, _SCORE_REMEDY)]
    if several and len(values) > 1:
        raise InputError(f"{shown(name)} has {len(values)} values, but one score.", _SCORE_REMEDY)
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
                kinds = type(other).__name__, type(value).__name__
                types = "" if kinds[0] == kinds[1] else " ({}, not {})".format(*kinds)
                raise InputError(
                    f"{shown(name)} has the value {shown(value)}, but a score for the value {shown(other)}{types}.",
                    _SCORE_REMEDY,
                )
    return [scored.get((type(value), value)) for value in values]


def _score(name: str, score: Any) -> float | None:
    if score is None or (type(score) is float and score == score):
        return score
    if is_number(score):
        try:
            number = float(score)
        except OverflowError:
            number = np.nan
        if number == number:
            return number
    kind = type(score).__name__
    raise InputError(f"the score {shown(score)} (of type {kind}) of {shown(name)} is not a number.", _SCORE_REMEDY)


def _one_or_list(items: Sequence[Any]) -> Any:
    """Return the list if it has several items, its only item, or None if it is empty."""
    return list(items) if len(items) > 1 else next(iter(items), None)


def _numbers(column: pa.Array) -> np.ndarray:
    """Convert floating-point numbers to NumPy, with NaN for null."""
    return np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _value_codes(rows: ListItems) -> tuple[np.ndarray, tuple[Value, ...]]:
    """Encode the values in the four fields as indices into a list of distinct values, -1 for no value; returns both."""
    stated = {column: ~null_flags(rows.values.field(column)) for column in _TYPES}
    rows.refuse(np.sum(list(stated.values()), axis=0) > 1, "an attribute has values of two types.")
    codes = np.full(len(rows.values), -1, dtype=np.int32)
    values: list[Value] = []
    for column, there in stated.items():
        if not there.any():
            continue
        dense = rows.values.field(column).drop_null()
        if column == "text":
            code, distinct = string_codes(dense)
        else:
            numbers = dense.cast(ITEM_TYPE.field(column).type).to_numpy(zero_copy_only=False)
            unique, code = np.unique(numbers, return_inverse=True)
            distinct = unique.tolist()
            if distinct[-1] != distinct[-1]:
                bad = there.copy()
                bad[there] = np.isnan(numbers)
                rows.refuse(bad, "the value of an attribute is NaN.", _VALUE_REMEDY)
        codes[there] = code.ravel() + len(values)
        values += distinct
    return codes, tuple(values)
