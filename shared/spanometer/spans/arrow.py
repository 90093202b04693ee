"""Lists of span dictionaries as Arrow arrays, with the types of their values checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import InputError
from ..tags.tags import offsets_of, parts_of, rows_of

SPAN_TYPE = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())])
FRAGMENTS_TYPE = pa.struct([("label", pa.string()), ("fragments", pa.list_(pa.list_(pa.int64())))])

SPAN_REMEDY = "A span is {'start': int, 'end': int, 'label': str}: token offsets from 0, the end exclusive."
FRAGMENTS_REMEDY = "A span is {'label': str, 'fragments': [[start, end], ...]}: token offsets from 0, ends exclusive."


def spans_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
    """Arrow arrays of lists of `SPAN_TYPE` from lists of `{"start": int, "end": int, "label": str}`.

    Args:
        documents: for each document its spans; keys other than these three are passed over.
        first_document: the number of the first document, for errors.

    Returns:
        One array for each thousand documents.

    Raises:
        InputError: for a document that is no list, a span that is no such dictionary, and for values of other types.
    """
    rows = rows_of(documents, first_document, SPAN_REMEDY)
    return [_spans_array(part, first_document + first) for first, part in parts_of(rows)]


def _spans_array(rows: Sequence[Any], first_document: int) -> pa.ListArray:
    flat = list(chain.from_iterable(rows))
    try:
        starts, ends, labels = ([span[key] for span in flat] for key in ("start", "end", "label"))
    except (TypeError, KeyError, IndexError):
        raise _bad_span(rows, first_document, ("start", "end", "label"), SPAN_REMEDY) from None
    arrays = [integer_array(starts), integer_array(ends), string_array(labels)]
    if any(array is None for array in arrays):
        raise _bad_span(rows, first_document, ("start", "end", "label"), SPAN_REMEDY)
    return pa.ListArray.from_arrays(offsets_of(rows), pa.StructArray.from_arrays(arrays, fields=list(SPAN_TYPE)))


def fragments_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
    """Arrow arrays of lists of `FRAGMENTS_TYPE` from lists of `{"label": str, "fragments": [[start, end], ...]}`.

    As `spans_arrays`.
    """
    rows = rows_of(documents, first_document, FRAGMENTS_REMEDY)
    return [_fragments_array(part, first_document + first) for first, part in parts_of(rows)]


def _fragments_array(rows: Sequence[Any], first_document: int) -> pa.ListArray:
    flat = list(chain.from_iterable(rows))
    try:
        labels, lists = ([span[key] for span in flat] for key in ("label", "fragments"))
        pairs = [tuple(pair) for pair in chain.from_iterable(lists)]
        bounds = list(chain.from_iterable(pairs))
    except (TypeError, KeyError, IndexError):
        raise _bad_span(rows, first_document, ("label", "fragments"), FRAGMENTS_REMEDY) from None
    integers, strings = integer_array(bounds), string_array(labels)
    if integers is None or strings is None or set(map(len, pairs)) - {2}:
        raise _bad_span(rows, first_document, ("label", "fragments"), FRAGMENTS_REMEDY)
    inner = pa.ListArray.from_arrays(pa.array(np.arange(0, len(bounds) + 1, 2, dtype=np.int32)), integers)
    fragments = pa.ListArray.from_arrays(offsets_of(lists), inner)
    values = pa.StructArray.from_arrays([strings, fragments], fields=list(FRAGMENTS_TYPE))
    return pa.ListArray.from_arrays(offsets_of(rows), values)


def is_integer(value: object) -> bool:
    """Whether a value is an integer, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def integer_array(values: Sequence[Any]) -> pa.Array | None:
    """The values as int64; None where one is no integer or out of range."""
    kinds = set(map(type, values))
    if kinds - {int} and not all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        return None
    try:
        return pa.array(values, type=pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def string_array(values: Sequence[Any]) -> pa.Array | None:
    """The values as strings; None where one is none or cannot be stored as UTF-8."""
    if not all(issubclass(kind, str) for kind in set(map(type, values))):
        return None
    try:
        return pa.array(values, type=pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError):
        return None


def _bad_span(rows: Sequence[Any], first_document: int, keys: tuple[str, ...], remedy: str) -> InputError:
    """The error for the first span that is not of the form; called only where there is one."""
    for number, row in enumerate(rows):
        for index, span in enumerate(row):
            problem = span_problem(span, keys)
            if problem:
                return InputError(problem, remedy, document=first_document + number, span=index)
    return InputError("the spans cannot be read.", remedy)


def span_problem(span: Any, keys: tuple[str, ...]) -> str:
    """What is wrong with a span dictionary that has these keys, or an empty string."""
    if not isinstance(span, Mapping):
        return f"{span!r} is not a span."
    missing = [key for key in keys if key not in span]
    if missing:
        return f"{dict(span)!r} has no {' and no '.join(repr(key) for key in missing)}."
    for key in keys:
        problem = _value_problem(key, span[key])
        if problem:
            return problem
    return ""


def _value_problem(key: str, value: Any) -> str:
    if key == "label":
        if not isinstance(value, str):
            return f"the label {value!r} (of type {type(value).__name__}) is not a string."
        try:
            value.encode()
        except UnicodeEncodeError:
            return f"the label {value!r} cannot be stored as UTF-8 text."
        return ""
    if key == "fragments":
        pairs = value if isinstance(value, (list, tuple, np.ndarray)) else None
        if pairs is None:
            return f"the fragments {value!r} are not a list of pairs."
        for pair in pairs:
            if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2:
                return f"the fragment {pair!r} is not a pair [start, end]."
            if not all(is_integer(bound) for bound in pair):
                return f"the fragment {pair!r} has a bound that is not an integer."
        return "" if all(-(2**63) <= bound < 2**63 for pair in pairs for bound in pair) else "a bound is out of range."
    if not is_integer(value):
        return f"the {key} {value!r} (of type {type(value).__name__}) is not an integer."
    return "" if -(2**63) <= value < 2**63 else f"the {key} {value!r} is out of range."
