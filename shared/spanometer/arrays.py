"""NumPy helpers for runs, ranges and integer codes, and conversion between Python lists, NumPy and Arrow."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pyarrow as pa

from .exceptions import InputError, mention, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_LARGEST = 2**62

_ROWS = 1000
"""The maximum number of documents in one array, the same as in `datasets`."""

_CHUNK = 1 << 16
"""The number of documents of a column that are processed at a time."""

_INTEGERS, _NO_INTEGERS = (int, np.integer), (bool, np.timedelta64)
"""The types of integers, and the types that Python and NumPy derive from them."""

LOGITS_REMEDY = (
    "If the numbers are logits, pass their argmax: logits.argmax(-1). Or pass the best legal tags: "
    f"spanometer.tags.viterbi.decode(logits, labels). Name the tags with {mention('id2label')}."
)


def ranges(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Concatenate the ranges `first[i]` ... `first[i] + counts[i] - 1` for all i; the dtype is that of `first`."""
    ends = np.cumsum(counts, dtype=first.dtype)
    numbers = np.arange(ends[-1] if len(ends) else 0, dtype=first.dtype)
    numbers += np.repeat(first - (ends - counts), counts)
    return numbers


def code_type(codes: int) -> type[np.signedinteger]:
    """Return the smallest dtype of at least 16 bits that holds integers from -1 to `codes` - 1."""
    return np.int16 if codes <= np.iinfo(np.int16).max else np.int32


def first_flagged(flags: np.ndarray) -> int | None:
    """Return the index of the first flag that is set, or None."""
    return int(np.argmax(flags)) if flags.any() else None


def name_codes(names: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode names as integers. Returns the index of each name in the sorted distinct names, and these names."""
    distinct = tuple(sorted(set(names)))
    code = {name: number for number, name in enumerate(distinct)}
    return np.fromiter(map(code.__getitem__, names), code_type(len(distinct)), len(names)), distinct


def begins_run(*keys: np.ndarray) -> np.ndarray:
    """Flag the first position, and each position where a key differs from the previous position."""
    flags = np.ones(len(keys[0]), dtype=bool)
    flags[1:] = keys[0][1:] != keys[0][:-1]
    for key in keys[1:]:
        flags[1:] |= key[1:] != key[:-1]
    return flags


def ascends(*keys: np.ndarray) -> bool:
    """Check whether rows of keys are strictly ascending; the first key is the most significant."""
    above = np.zeros(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in reversed(keys):
        above = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & above)
    return bool(above.all())


def inverse(order: np.ndarray) -> np.ndarray:
    """Compute the inverse of a permutation."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def run_bounds(*keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each run of equal keys begins and ends (exclusive)."""
    flags = begins_run(*keys)
    first = np.flatnonzero(flags)
    return first, np.append(first[1:], len(flags))[: len(first)]


def numbers_in_runs(codes: np.ndarray) -> np.ndarray:
    """Number the items of each code from 0, in order of occurrence."""
    order = np.argsort(codes, kind="stable")
    first, last = run_bounds(codes[order])
    return np.asarray(ranges(np.zeros(len(first), dtype=np.int64), last - first)[inverse(order)])


def items_by_turn(group: np.ndarray, owner: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the indices of the items of the lowest owner in each group, then of the second lowest, and so on.

    `group` and `owner` hold the group and the owner of each item.
    """
    order = np.lexsort((owner, group))
    first, last = run_bounds(group[order], owner[order])
    turn = np.repeat(numbers_in_runs(group[order][first]), last - first)[inverse(order)]
    by_turn = np.argsort(turn, kind="stable")
    for begin, end in zip(*run_bounds(turn[by_turn]), strict=True):
        yield by_turn[begin:end]


def row_codes(kind: np.ndarray, first: np.ndarray, last: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Number rows of values from 0; rows of the same kind with the same values in the same order get the same number.

    Row `i` has the kind `kind[i]` and the values `values[first[i]:last[i]]`.
    """
    length = last - first
    code, rank = _renumbered(ranked(kind)[0], length), ranked(values)[0]
    for position in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > position)
        # rows that have ended keep their codes, because their length distinguishes them
        code[longer] = _renumbered(code[longer], rank[first[longer] + position])
    return _renumbered(code, length)


def _renumbered(code: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Number pairs of a code and a value from 0; equal pairs get the same number."""
    return ranked(code.astype(np.int64) * (int(value.max(initial=0)) + 1) + value)[0]


def row_ranks(first: np.ndarray, last: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rank rows of values (see `row_codes`) from 0, compared as Python compares lists; equal rows get the same rank."""
    codes = row_codes(np.zeros(len(first), dtype=np.int64), first, last, values)
    _, example, code = np.unique(codes, return_index=True, return_inverse=True)
    rows = [values[begin:end].tolist() for begin, end in zip(first[example], last[example], strict=True)]
    order = np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.int64)
    return inverse(order)[code.ravel()]


def ordered_codes(*columns: np.ndarray) -> np.ndarray:
    """Encode rows of integer columns as int64, equal and ordered as the rows; if possible, without sorting."""
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    if len(code) == 0:
        return code
    for column in columns:
        low = int(column.min())
        values, width = column.astype(np.int64) - low, int(column.max()) - low + 1
        if size * width > _LARGEST:
            (code, size), (values, width) = ranked(code), ranked(values)
        code = code * width + values
        size *= width
    return code


def recoded(codes: np.ndarray, names: Iterable[str], number: Mapping[str, int]) -> np.ndarray:
    """Convert codes that index `names` to the integers (int64) that `number` gives for these names."""
    return np.asarray(np.array([number[name] for name in names], dtype=np.int64)[codes])


def ranked(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Rank values from 0, with the same rank for equal values; also returns the number of distinct values."""
    distinct, rank = np.unique(values, return_inverse=True)
    return rank.ravel(), len(distinct)


def sorted_codes(codes: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Convert codes to int32 indices into the sorted distinct names that occur.

    `names` may contain duplicates and names that do not occur.
    """
    distinct = tuple(sorted({names[code] for code in np.flatnonzero(np.bincount(codes)).tolist()}))
    place = {name: number for number, name in enumerate(distinct)}
    return np.array([place.get(name, 0) for name in names], dtype=np.int32)[codes], distinct


def offsets_of(counts: ArrayLike) -> np.ndarray:
    """Convert segment sizes to int64 offsets: the begin of each segment, and the end of the last one."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def offsets_by(owner: np.ndarray, owners: int) -> np.ndarray:
    """Compute the offsets of each owner's items, given the owner of each item in ascending order."""
    return offsets_of(np.bincount(owner, minlength=owners))


def take_segments(offsets: np.ndarray, chosen: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the chosen segments and the indices of their items; segment i begins at `offsets[i]`."""
    counts = np.diff(offsets)[chosen]
    return counts, ranges(offsets[:-1][chosen], counts)


def surely_distinct(texts: Sequence[str | None]) -> bool:
    """Check that all texts are distinct, by comparing hashes, which take less memory than a set.

    False can also mean that two different texts have the same hash.
    """
    hashes = np.fromiter(map(hash, texts), np.int64, len(texts))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()


def place_of(offsets: np.ndarray, token: int) -> tuple[int, int]:
    """Convert a token's index in the corpus to its document and position; document d begins at `offsets[d]`."""
    document = int(np.searchsorted(offsets, token, side="right")) - 1
    return document, token - int(offsets[document])


def integers(array: pa.Array) -> np.ndarray:
    """View an Arrow array of integers without nulls as a NumPy array.

    Unlike `to_numpy`, it never imports pandas.
    """
    values = array.buffers()[1]
    if values is None or len(array) == 0:
        return np.zeros(0, dtype=str(array.type))
    return np.frombuffer(values, dtype=str(array.type))[array.offset : array.offset + len(array)]


def arrow_array(values: np.ndarray, nulls: np.ndarray | None = None) -> pa.Array:
    """Convert numbers or flags to an Arrow array, with null where `nulls` is True.

    Unlike `pa.array`, it never imports pandas.
    """
    valid = None if nulls is None else null_bitmap(nulls)
    packed = np.packbits(values, bitorder="little") if values.dtype == bool else np.ascontiguousarray(values)
    buffers = [valid, pa.py_buffer(packed)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def null_bitmap(nulls: np.ndarray) -> pa.Buffer:
    """Convert flags to the validity bitmap of an Arrow array."""
    return pa.py_buffer(np.packbits(~nulls, bitorder="little"))


def null_flags(array: pa.Array) -> np.ndarray:
    """Flag the nulls of an Arrow array."""
    if pa.types.is_dictionary(array.type) and array.dictionary.null_count:
        array = array.cast(array.type.value_type)
    if not array.null_count:
        return np.zeros(len(array), dtype=bool)
    flags = array.is_null()
    bits = np.unpackbits(np.frombuffer(flags.buffers()[1], dtype=np.uint8), bitorder="little")
    return bits[flags.offset : flags.offset + len(flags)].astype(bool)


def strings(codes: np.ndarray, names: Collection[str]) -> pa.StringArray:
    """Convert indices into `names` to an Arrow array of names; -1 becomes null."""
    indices = arrow_array(codes.astype(np.int32), codes < 0)
    return pa.DictionaryArray.from_arrays(indices, string_array(names)).cast(pa.string())


def string_array(texts: Collection[str]) -> pa.StringArray:
    """Convert texts to an Arrow array, see `arrow_array`.

    Raises:
        TypeError: if a value is not a string.
        UnicodeError: if a string has a lone surrogate.
    """
    data = "".join(texts).encode()
    lengths = map(len, texts if data.isascii() else map(str.encode, texts))
    offsets = _short(offsets_of(np.fromiter(lengths, dtype=np.int64, count=len(texts))))
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(data))


def as_lists(offsets: np.ndarray, values: pa.Array) -> pa.ListArray:
    """Split values into lists: list i has the values from `offsets[i]` to `offsets[i + 1]`."""
    return pa.ListArray.from_arrays(arrow_array(_short(offsets)), values)


def as_column(values: Any) -> pa.Array | pa.ChunkedArray | None:
    """Return the Arrow column that an object is or contains, or None.

    Such objects are Arrow arrays and chunked arrays, columns of `datasets` (`ClassLabel` integers become names), pandas
    series of Arrow types, and two-dimensional NumPy arrays of numbers. None of these libraries is imported.
    """
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "iu":
        rows, width = values.shape
        return as_lists(np.arange(rows + 1) * width, pa.array(values.ravel()))
    if hasattr(getattr(values, "dtype", None), "pyarrow_dtype"):
        return values.array.__arrow_array__()
    return _dataset_column(values) if hasattr(values, "column_name") else None


def _dataset_column(column: Any) -> pa.ChunkedArray | None:
    """Return the Arrow column of a column of `datasets`, or None if its values are computed on access."""
    dataset: Any = getattr(column, "source", None)
    if not hasattr(dataset, "with_format") or dataset.format["type"] == "custom":
        return None
    array = dataset.select_columns([column.column_name]).with_format("arrow")[:][column.column_name]
    return named_classes(array, column.features)


def named_classes(array: pa.Array | pa.ChunkedArray, feature: Any) -> pa.Array | pa.ChunkedArray:
    """Replace the integers in a column of `ClassLabel` lists by their names; return other columns unchanged.

    Args:
        array: the column.
        feature: the feature that `datasets` declares for the column.
    """
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_type))
    names = getattr(getattr(feature, "feature", None), "names", None)
    if names is None or not pa.types.is_list(array.type) or array.null_count:
        return array
    chunks = [with_values(chunk, _class_names(chunk.flatten(), names)) for chunk in list_chunks(array)]
    return pa.chunked_array(chunks, pa.list_(pa.dictionary(pa.int64(), pa.string())))


def _class_names(numbers: pa.Array, names: Sequence[str]) -> pa.DictionaryArray:
    """Replace `ClassLabel` integers by their names; an integer without a name becomes its digits."""
    values = integers(numbers)
    outside = (values < 0) | (values >= len(names))
    unnamed = np.unique(values[outside])
    codes = np.where(outside, len(names) + np.searchsorted(unnamed, values), values)
    dictionary = string_array([*names, *map(str, unnamed.tolist())])
    return pa.DictionaryArray.from_arrays(arrow_array(codes, null_flags(numbers)), dictionary)


def list_chunks(column: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    """Split a column of lists into chunks of limited size."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [chunk.slice(first, _CHUNK) for chunk in chunks for first in range(0, max(len(chunk), 1), _CHUNK)]


def with_values(lists: pa.Array, values: pa.Array) -> pa.ListArray:
    """Replace the values of all lists; no list may be null."""
    offsets = integers(lists.offsets)
    return pa.ListArray.from_arrays(pa.array(offsets - offsets[0]).cast(pa.int32()), values)


def typed_array(values: Sequence[Any], type_: pa.DataType) -> pa.Array | None:
    """Convert Python values to an Arrow array of integers, strings, lists or structs; None if a value has another type.

    Arrow alone would accept True and 1.0 as 1, and bytes as strings.
    """
    if pa.types.is_struct(type_):
        names = [field.name for field in type_]
        try:
            columns = [[value[name] for value in values] for name in names]
        except (TypeError, LookupError, ValueError):
            return None
        arrays = [typed_array(column, field.type) for column, field in zip(columns, type_, strict=True)]
        return None if any(array is None for array in arrays) else pa.StructArray.from_arrays(arrays, names=names)
    if pa.types.is_nested(type_):
        if not all(map(is_list, values)):
            return None
        # a subclass of list may report a wrong length
        values = [value if type(value) in (list, tuple) else list(value) for value in values]
        if pa.types.is_fixed_size_list(type_) and set(map(len, values)) - {type_.list_size}:
            return None
        items = typed_array(list(chain.from_iterable(values)), type_.value_type)
        return None if items is None else pa.ListArray.from_arrays(list_offsets(values), items)
    try:
        if pa.types.is_string(type_):
            return string_array(values)
        if not all(issubclass(kind, _INTEGERS) and kind not in _NO_INTEGERS for kind in set(map(type, values))):
            return None
        return arrow_array(np.fromiter(values, dtype=np.int64, count=len(values))).cast(type_)
    except (TypeError, pa.ArrowInvalid, OverflowError, UnicodeError):
        return None


def list_offsets(rows: Sequence[Sequence[Any]]) -> pa.Int32Array:
    """Compute the Arrow list offsets of rows."""
    return arrow_array(_short(offsets_of(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))))


def _short(offsets: np.ndarray) -> np.ndarray:
    """Convert offsets to int32, the type in Arrow lists and strings; raise an `InputError` if they are too large."""
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError(f"too many items in one batch: {offsets[-1]}.", "Pass smaller batches with add_batch.")
    return offsets.astype(np.int32)


def batches(rows: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield batches of a thousand rows with the index of their first row; one empty batch if there are no rows."""
    for first in range(0, max(len(rows), 1), _ROWS):
        yield first, rows[first : first + _ROWS]


def read_documents(documents: Any, remedy: str) -> list[Any]:
    """Convert documents to a list; raise an `InputError` if they have no order, see `is_ordered`."""
    return ordered(documents, "a list of documents", remedy)


def ordered(values: Any, noun: str, remedy: str, **place: Any) -> list[Any]:
    """Convert an object to a list; raise an `InputError` ("not `noun`") if it has no order, see `is_ordered`."""
    if not is_ordered(values):
        raise InputError(f"{shown(values)} is not {noun}.", remedy, **place)
    return listed(values, remedy, **place)


def as_array(values: Any, noun: str, remedy: str, **place: Any) -> np.ndarray:
    """Convert an object to an array; raise an `InputError` ("not `noun`") if that fails."""
    try:
        return np.asarray(values)
    except Exception as error:
        raise InputError(f"{shown(values)} is not {noun}.", remedy, **place) from error


def listed(values: Iterable[Any], remedy: str = "", **place: Any) -> list[Any]:
    """Convert an iterable to a list; raise an `InputError` at `place` if iterating fails."""
    try:
        return list(values)
    except Exception as error:
        raise InputError(f"{shown(values)} cannot be read as a list: {shown(error)}.", remedy, **place) from error


def listed_items(mapping: Mapping[Any, Any], remedy: str = "", **place: Any) -> list[tuple[Any, Any]]:
    """Convert a mapping to a list of items; raise an `InputError` at `place` if iterating fails."""
    return list(each_item(mapping, remedy, **place))


def each_item(mapping: Mapping[Any, Any], remedy: str = "", **place: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the items of a mapping, which may be too many for a list; errors as in `listed_items`."""
    try:
        yield from mapping.items()
    except Exception as error:
        raise InputError(f"{shown(mapping)} cannot be read as a mapping: {shown(error)}.", remedy, **place) from error


def read_rows(documents: Iterable[Any], first_document: int, remedy: str) -> list[Any]:
    """Convert documents to a list of rows; raise an `InputError` if they, or one of them, have no order."""
    rows = read_documents(documents, remedy)
    if set(map(type, rows)) <= {list, tuple}:
        return rows
    for number, row in enumerate(rows):
        document = first_document + number
        if isinstance(row, np.ndarray) and row.ndim != 1:
            remedy = LOGITS_REMEDY if row.dtype.kind == "f" else remedy
            raise InputError(f"a document cannot be an array of shape {row.shape}.", remedy, document=document)
        plain = row.tolist() if isinstance(row, (np.ndarray, pa.Array)) else row
        rows[number] = ordered(plain, "a document", remedy, document=document)
    return rows


def is_list(value: Any) -> bool:
    """Check whether a value is a list, a tuple or an array (pandas stores arrays instead of lists)."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def is_integer(value: object) -> TypeGuard[int]:
    """Check whether a value is an integer, excluding booleans and NumPy's time spans."""
    return isinstance(value, _INTEGERS) and not isinstance(value, _NO_INTEGERS)


def is_number(value: object) -> TypeGuard[float]:
    """Check whether a value is an integer or a floating-point number."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def is_ordered(value: Any) -> bool:
    """Check whether a value is a sequence of items: not a string, set, mapping, table or zero-dimensional array."""
    if isinstance(value, (str, bytes, Set, Mapping)):
        return False
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) == 1


def is_utf8(text: str) -> bool:
    """Check whether a string can be stored as UTF-8, that is, has no lone surrogates."""
    return text.isascii() or text.encode(errors="ignore").decode() == text


def plain(value: Any) -> Any:
    """Convert a result to built-in types for JSON; objects become dicts of their fields, NaN becomes None."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value
