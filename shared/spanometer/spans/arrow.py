"""Arrow columns of lists of structs (spans, entities), converted from dictionaries and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa

from ..arrays import (
    arrow_array,
    as_column,
    as_lists,
    batches,
    code_type,
    first_flagged,
    integers,
    is_integer,
    is_list,
    is_ordered,
    is_utf8,
    list_chunks,
    list_offsets,
    null_flags,
    offsets_by,
    offsets_of,
    read_rows,
    sorted_codes,
    take_segments,
    typed_array,
)
from ..exceptions import InputError, counted, mention, require_kind, require_same_documents, setting, shown, with_type
from ..tags.schemes import name_problem

BOUNDS = [("start", pa.int64()), ("end", pa.int64())]
SPAN_TYPE = pa.struct([*BOUNDS, ("label", pa.string())])
FRAGMENTS_TYPE = pa.struct([("label", pa.string()), ("fragments", pa.list_(pa.list_(pa.int64())))])
_PAIRS_TYPE = pa.struct([("label", pa.string()), ("fragments", pa.list_(pa.list_(pa.int64(), 2)))])

LONGEST = int(np.iinfo(np.int32).max)
"""The maximum length of a document, because offsets are int32."""

LENGTHS_REMEDY = f"Pass the number of tokens of each document with {setting('lengths')}."
_FROM_0 = "Offsets count from 0, and ends are exclusive."
_IN_TOKENS = "Offsets count tokens from 0, and ends are exclusive."
SPAN_REMEDY = "Write a span as {'start': int, 'end': int, 'label': str}. " + _IN_TOKENS
FRAGMENTS_REMEDY = "Write a span as {'label': str, 'fragments': [[start, end], ...]}. " + _IN_TOKENS
_RENAME = " Write {**span, 'label': span['entity_group']}. The other side must have character offsets too."
REPLACE = "Remove or replace the unpaired surrogate."
_ONE_FORM = " Write all spans with 'fragments', or all spans without 'fragments'."


@dataclass(frozen=True, eq=False)
class Intervals:
    """Lists of intervals. List i has the intervals `offsets[i]` to `offsets[i + 1]`."""

    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """The number of intervals in each list, int64."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> np.ndarray:
        """The list of each interval, int64."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def take(self, lists: np.ndarray | slice) -> Self:
        """Select lists in the given order."""
        counts, taken = take_segments(self.offsets, lists)
        return type(self)(offsets_of(counts), self.start[taken], self.end[taken])


class DocumentColumns:
    """The base class for items of documents (spans, entities, mentions) as columns. Subclasses are frozen dataclasses.

    Attributes:
        document: the document of each item, ascending.
        start, end: the boundaries of each item; mentions have none.
        documents: the number of documents, with or without items.
        lengths: the documents' lengths in tokens, int64; None if unknown.
        flat: the names of the columns with one value for each item.
        nested: maps names of offset columns (item i has the values `offsets[i]` to `offsets[i + 1]`) to the names of
            their value columns.
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    documents: int
    lengths: np.ndarray | None
    flat: ClassVar[tuple[str, ...]] = ("document", "start", "end", "label")
    nested: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        """Make the columns read-only; raise an `InputError` unless they are one-dimensional arrays."""
        for name in (*self.flat, *chain.from_iterable(self.nested.values())):
            column = getattr(self, name)
            if not isinstance(column, np.ndarray) or column.ndim != 1:
                remedy = f"Pass arrays with one dimension. For other data, use a {type(self).__name__}.from_... method."
                raise InputError(f"`{name}` is {shown(column)}, not a one-dimensional NumPy array.", remedy)
            column.flags.writeable = False

    def __len__(self) -> int:
        """Count the items."""
        return len(self.document)

    def _with(self, **columns: Any) -> Self:
        instance: Any = self
        return replace(instance, **columns)  # type: ignore[no-any-return]

    def picked(self, items: np.ndarray | slice) -> Self:
        """Select items in the given order; the documents stay the same."""
        columns = {name: getattr(self, name)[items] for name in self.flat}
        for offsets, names in self.nested.items():
            counts, values = take_segments(getattr(self, offsets), items)
            columns |= {offsets: offsets_of(counts), **{name: getattr(self, name)[values] for name in names}}
        return self._with(**columns)

    def take(self, documents: np.ndarray) -> Self:
        """Select documents in the given order; a document may be selected several times."""
        counts, items = take_segments(offsets_by(self.document, self.documents), documents)
        document = np.repeat(np.arange(len(documents), dtype=np.int32), counts)
        return self.picked(items)._in_documents(document, documents, len(documents))

    def items(self, first: int, last: int) -> slice:
        """Return the slice of the items in documents `first` to `last` (exclusive)."""
        # another type would convert the whole column
        return slice(*np.searchsorted(self.document, np.array([first, last], dtype=self.document.dtype)).tolist())

    def between(self, first: int, last: int) -> Self:
        """Select documents `first` to `last` (exclusive) without copying."""
        part = self.picked(self.items(first, last))
        return part._in_documents(part.document - np.int32(first), slice(first, last), last - first)

    def _in_documents(self, document: np.ndarray, chosen: np.ndarray | slice, documents: int) -> Self:
        lengths = getattr(self, "lengths", None)
        of_lengths = {} if lengths is None else {"lengths": lengths[chosen]}
        return self._with(document=document, documents=documents, **of_lengths)

    def with_lengths(self, lengths: np.ndarray) -> Self:
        """Set the documents' lengths; raise an `InputError` if an item is past the end of its document."""
        sizes = read_lengths(lengths, self.documents)
        if (item := first_flagged(self.end > sizes[self.document])) is not None:
            document, size = int(self.document[item]), counted(int(sizes[self.document[item]]), "token")
            problem = f"{self._name(item)} ends at {self.end[item]}, but the document has {size}."
            remedy = "Ends are exclusive token offsets. Check the ends and the documents' lengths."
            raise InputError(problem, remedy, document=document, position=int(self.start[item]))
        return self._with(lengths=sizes)

    def _name(self, item: int) -> str:
        """Describe an item for errors."""
        raise NotImplementedError

    def to_arrow(self) -> pa.ListArray:
        """Convert the items to an Arrow array with a list for each document."""
        return as_lists(offsets_by(self.document, self.documents), self._structs())

    def _structs(self) -> pa.StructArray:
        """Convert the items to an Arrow array of structs."""
        raise NotImplementedError

    def to_dicts(self) -> list[list[dict[str, Any]]]:
        """Convert the items of each document to dictionaries, as `from_dicts` reads them."""
        return list(self.to_arrow().to_pylist())


@dataclass(frozen=True, eq=False)
class SpanColumns(DocumentColumns):
    """The first columns of all classes of spans with labels; see `Spans`."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    labels: tuple[str, ...]
    documents: int


Annotation = TypeVar("Annotation", bound=DocumentColumns)


def structs(type_: pa.StructType, *columns: pa.Array) -> pa.StructArray:
    """Build an Arrow array of structs from columns."""
    return pa.StructArray.from_arrays(columns, fields=list(type_))


@dataclass(frozen=True, eq=False)
class ItemKind:
    """A kind of items: how documents with such items become Arrow columns, and how these are read.

    Attributes:
        type: the Arrow type of an item.
        noun: what errors call an item, with its article.
        plural: what errors call several items.
        remedy: the remedy in errors.
        written: the Arrow type that dictionaries must fit, if it differs from `type`.
        prepare: a function that adds missing keys to a dictionary.
        nullable: keys that may be null in a column.
        encoded: whether `prepare` converts values, so that a column of `type` is not a column of the dictionaries.
    """

    type: pa.StructType
    noun: str
    plural: str
    remedy: str
    written: pa.StructType | None = None
    prepare: Callable[[Any], Any] = lambda item: item
    nullable: tuple[str, ...] = ()
    encoded: bool = False

    @property
    def keys(self) -> list[str]:
        """The names of the fields."""
        return [field.name for field in self.type]

    def arrays(self, documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
        """Convert lists of dictionaries to Arrow arrays of lists of structs, one array for each thousand documents.

        Args:
            documents: the dictionaries of each document, or an Arrow column of them unless they are `encoded`; other
                keys are ignored.
            first_document: the number of the first document, for errors.

        Raises:
            InputError: if a document is not a list, or if a dictionary does not fit the type.
        """
        column = None if self.encoded else as_column(documents)
        if column is not None:
            stored = pa.list_(self.type)
            if _fits(column.type, stored):
                return [chunk.cast(stored) for chunk in list_chunks(column)]
            documents = column.to_pylist()
        arrays = []
        remedy = f"{self.remedy} Give each document as a list of {self.plural}."
        for first, part in batches(read_rows(documents, first_document, remedy)):
            values = None
            # an item may be no mapping, or a mapping that fails
            with suppress(Exception):
                items = list(map(self.prepare, chain.from_iterable(part)))
                values = typed_array(items, self.written or self.type)
            if values is None:
                raise self._first_problem(part, first_document + first)
            arrays.append(pa.ListArray.from_arrays(list_offsets(part), values))
        return arrays

    def _first_problem(self, rows: Sequence[Any], first_document: int) -> InputError:
        for number, row in enumerate(rows, first_document):
            for index, item in enumerate(row):
                try:
                    text = item_problem(self.prepare(item), self.written or self.type, self.noun, item)
                except InputError as error:
                    return error.placed(document=number, span=index)
                except Exception as error:
                    text = f"{shown(item)} cannot be read: {shown(error)}."
                if text:
                    remedy = "" if text.endswith((_RENAME, REPLACE)) else self.remedy
                    return InputError(text, remedy, document=number, span=index)
        return InputError("the documents cannot be read.", self.remedy)

    def items(self, column: pa.Array | pa.ChunkedArray) -> ListItems:
        """Flatten a column of lists of such items; raise an `InputError` for other types and for nulls."""
        require_kind(column, (pa.Array, pa.ChunkedArray), "an Arrow column", self.remedy)
        if not is_list_of(column.type, self.keys):
            raise InputError(f"expected lists of {self.plural}, but got a column of type {column.type}.", self.remedy)
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        array = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks) if chunks else pa.array([], column.type)
        if (document := first_flagged(null_flags(array))) is not None:
            raise InputError(f"None is not a list of {self.plural}.", self.remedy, document=document)
        items = ListItems(array.flatten(), parents_of(array), self.noun, self.remedy)
        items.refuse_nulls(*(key for key in self.keys if key not in self.nullable))
        return items


SPANS = ItemKind(SPAN_TYPE, "a span", "spans", SPAN_REMEDY)
FRAGMENTS = ItemKind(FRAGMENTS_TYPE, "a span", "spans", FRAGMENTS_REMEDY, written=_PAIRS_TYPE)


def _fits(own: pa.DataType, wanted: pa.DataType) -> bool:
    """Check whether an Arrow type fits another, ignoring sizes of integers and extra fields."""
    kinds = (pa.types.is_integer, lambda type_: pa.types.is_string(type_) or pa.types.is_large_string(type_))
    if pa.types.is_struct(wanted):
        fields = {field.name: field.type for field in own} if pa.types.is_struct(own) else {}
        return all(field.name in fields and _fits(fields[field.name], field.type) for field in wanted)
    if pa.types.is_list(wanted):
        listed = pa.types.is_list(own) or pa.types.is_large_list(own)
        return listed and _fits(own.value_type, wanted.value_type)
    return own == wanted or any(kind(own) and kind(wanted) for kind in kinds)


def item_problem(item: Any, type_: pa.DataType, noun: str, given: Any = None) -> str:
    """Say what is wrong with a value that must fit an Arrow type; empty if nothing is.

    `noun` is what errors call the value, with its article; `given` is what they show as a dictionary that lacks a key.
    """
    called = f"{noun} is {with_type(item)}"
    if pa.types.is_struct(type_):
        if not isinstance(item, Mapping):
            return f"{shown(item)} is not {noun}."
        missing = [field.name for field in type_ if field.name not in item]
        if missing:
            hint = _RENAME if "entity_group" in item else _ONE_FORM if "fragments" in {*item, *missing} else ""
            return f"{shown(item if given is None else given)} has no {', no '.join(map(repr, missing))}.{hint}"
        problems = (item_problem(item[field.name], field.type, f"the {field.name}") for field in type_)
    elif pa.types.is_nested(type_):
        is_pair = pa.types.is_fixed_size_list(type_)
        if not is_list(item) or (is_pair and len(item) != 2):
            return f"{called}, not a pair." if is_pair else f"{noun} must be a list, not {with_type(item)}."
        single = f"a {noun.removeprefix('the ').removesuffix('s')}"
        of_dicts = pa.types.is_struct(type_.value_type)
        part = "a boundary" if is_pair else "a dictionary" if of_dicts else f"one of {noun}"
        problems = (item_problem(value, type_.value_type, part) for value in item)
        if of_dicts:
            problems = (text and f"{single[2:]} {index} is wrong: {text}" for index, text in enumerate(list(problems)))
    elif pa.types.is_string(type_):
        if not isinstance(item, str):
            return f"{called}, not a string."
        return "" if is_utf8(item) else f"{noun} is {shown(item)}, which is not valid Unicode. {REPLACE}"
    elif not is_integer(item):
        return f"{called}, not an integer."
    else:
        return "" if -(2**63) <= item < 2**63 else f"{noun} {shown(item)} is out of range (at most {LONGEST:,})."
    return next(filter(None, problems), "")


def bounds_arrays(start: np.ndarray, end: np.ndarray) -> list[pa.Array]:
    """Convert boundaries to the Arrow columns `start` and `end`."""
    return [arrow_array(bound.astype(np.int64)) for bound in (start, end)]


def is_list_of(type_: pa.DataType, names: Iterable[str]) -> bool:
    """Check whether an Arrow type is a list of structs with these fields."""
    listed = pa.types.is_list(type_) or pa.types.is_large_list(type_)
    if not listed or not pa.types.is_struct(type_.value_type):
        return False
    return set(names) <= {field.name for field in type_.value_type}


@dataclass(frozen=True, eq=False)
class ListItems:
    """The items of an Arrow column of lists, flattened, with their positions for errors.

    Attributes:
        values: the items as an Arrow array; None if they are given as columns.
        parent: the index of each item's list, ascending.
        noun: what errors call an item, with its article.
        remedy: the remedy in errors.
        owner: the items that contain these lists; None if each list is a document.
    """

    values: pa.Array
    parent: np.ndarray
    noun: str
    remedy: str
    owner: ListItems | None = None

    def children(self, lists: pa.Array, noun: str) -> ListItems:
        """Flatten the lists inside the items; null counts as an empty list."""
        return ListItems(lists.flatten(), parents_of(lists), noun, self.remedy, self)

    def place(self, item: int) -> tuple[int, int]:
        """Return the document of an item, and the item's index there; for nested items, the index of the owner."""
        of_list = int(self.parent[item])
        if self.owner is not None:
            return self.owner.place(of_list)
        return of_list, item - int(np.searchsorted(self.parent, of_list))

    def refuse(self, bad: np.ndarray, problem: str | Callable[[int], str], remedy: str = "") -> None:
        """Raise an `InputError` for the first flagged item, if there is one."""
        if (item := first_flagged(bad)) is not None:
            text = problem if isinstance(problem, str) else problem(item)
            document, index = self.place(item)
            raise InputError(text, remedy or self.remedy, document=document, span=index)

    def refuse_nulls(self, *names: str) -> None:
        """Raise an `InputError` for the first item that is null or has null in one of these fields."""
        self.refuse(null_flags(self.values), f"None is not {self.noun}.")
        for name in names:
            self.refuse(null_flags(self.values.field(name)), f"{name!r} is None.")

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Read the fields `start` and `end` as int64."""
        start, end = (integers(self.values.field(name).cast(pa.int64())) for name in ("start", "end"))
        return start, end

    def checked_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Read and check the fields `start` and `end` as int32."""
        start, end = self.bounds()
        self.refuse_bounds(start, end)
        return start.astype(np.int32, copy=False), end.astype(np.int32, copy=False)

    def refuse_bounds(self, start: np.ndarray, end: np.ndarray) -> None:
        """Raise an `InputError` for the first item whose start is negative, or whose end is not after its start.

        Ends that need more than 32 bits raise it too.
        """
        self.refuse(start < 0, lambda item: f"the start {start[item]} is negative.", _FROM_0)
        greater = f"Write an end that is greater than the start. {_FROM_0}"
        self.refuse(end <= start, lambda item: f"the end {end[item]} is not after the start {start[item]}.", greater)
        self.refuse(end > LONGEST, lambda item: f"the end {end[item]} is out of range (at most {LONGEST:,}).")

    def refuse_beyond(self, lengths: np.ndarray, end: np.ndarray) -> None:
        """Raise an `InputError` for the first item that ends past the end of its text; `lengths` are by item."""
        problem = "a span ends at {}, but the text has {}.".format
        self.refuse(end > lengths, lambda item: problem(end[item], counted(int(lengths[item]), "character")))

    def names(self, column: pa.Array, noun: str = "label", owner: str = "span") -> tuple[np.ndarray, tuple[str, ...]]:
        """Encode names as indices into the sorted distinct names; returns both.

        Args:
            column: the names.
            noun, owner: what errors call a name and the item that has it.
        """
        codes, names = string_codes(column)
        self.refuse_names(codes, names, noun, owner)
        return codes.astype(code_type(len(names))), names

    def refuse_names(self, codes: np.ndarray, names: Sequence[str], noun: str = "label", owner: str = "span") -> None:
        """Raise an `InputError` for the first name that is empty, has outer whitespace or has control characters."""
        for code, name in enumerate(names):
            if problem := name_problem(name, noun):
                if owner == "component" and (item := first_flagged(codes == code)) is not None:
                    problem = f"component {item - np.searchsorted(self.parent, self.parent[item])} is wrong: {problem}"
                self.refuse(codes == code, problem, f"Give every {owner} a {noun} such as 'PER'.")


def parents_of(lists: pa.Array) -> np.ndarray:
    """Return the index of each item's list (int32)."""
    # flattening skips lists that are None
    sizes = np.where(null_flags(lists), 0, integers(lists.value_lengths()))
    return np.repeat(np.arange(len(lists), dtype=np.int32), sizes)


def string_codes(column: pa.Array) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode strings without nulls as int32 indices into the sorted distinct strings; returns both."""
    encoded = column
    if not pa.types.is_dictionary(column.type) or column.dictionary.null_count:
        encoded = column.cast(pa.string()).dictionary_encode()
    return sorted_codes(integers(encoded.indices), encoded.dictionary.to_pylist())


def read_lengths(lengths: Any, documents: int) -> np.ndarray:
    """Check the documents' lengths and convert them to int64."""
    refusal = partial(InputError, remedy=LENGTHS_REMEDY, option="lengths")
    try:
        if not is_ordered(lengths):
            raise TypeError
        sizes = np.asarray(lengths if isinstance(lengths, np.ndarray) else list(lengths))
    except Exception:
        raise refusal(f"{setting('lengths', lengths)} is not a list of numbers.") from None
    if sizes.size == 0:
        sizes = sizes.astype(np.int64)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise refusal(f"{mention('lengths')} must be a list of integers from 0 up.")
    if (document := first_flagged(sizes > LONGEST)) is not None:
        problem = f"the document has {sizes[document]:,} tokens, more than the limit of {LONGEST:,}."
        raise refusal(problem, remedy="Check the lengths, or split the document.", document=document)
    if len(sizes) != documents:
        raise refusal(f"{mention('lengths')} has {counted(len(sizes), 'number')} for {counted(documents, 'document')}.")
    return sizes.astype(np.int64)


def require_same_lengths(references: np.ndarray, predictions: np.ndarray) -> None:
    """Raise an `InputError` unless both sides have the same number of documents, with the same lengths."""
    require_same_documents(len(references), len(predictions))
    if (document := first_flagged(references != predictions)) is not None:
        expected = counted(references[document], "reference tag")
        problem = f"got {counted(predictions[document], 'predicted tag')}, but {expected}."
        remedy = "Both sides must have the same tokens. Use the same tokenizer for both."
        raise InputError(problem, remedy, document=document)


def share_lengths(references: Annotation, predictions: Annotation) -> tuple[Annotation, Annotation]:
    """If only one side has document lengths, set them on the other side too.

    Raises:
        InputError: if the lengths of both sides differ, or if an item is past the end of its document.
    """
    if references.lengths is not None and predictions.lengths is not None:
        require_same_lengths(references.lengths, predictions.lengths)
    elif predictions.lengths is not None:
        references = references.with_lengths(predictions.lengths)
    elif references.lengths is not None:
        predictions = predictions.with_lengths(references.lengths)
    return references, predictions
