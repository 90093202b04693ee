"""Entities: trees of an entity, its types and its components, one side's annotation of a corpus, as frozen columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import ascends, begins_run, ranges, row_codes
from ..errors import InputError, counted
from ..tags.tags import integers, offsets_of, parts_of, rows_of
from .arrow import SPAN_TYPE, integer_array, span_problem, string_array
from .spans import Place, read_lengths, sorted_labels

ENTITY_TYPE = pa.struct(
    [
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("types", pa.list_(pa.string())),
        ("components", pa.list_(SPAN_TYPE)),
    ]
)

_BOUNDS = ("start", "end")
_KEYS = ("start", "end", "label")
_REMEDY = (
    "An entity is {'start': int, 'end': int, 'types': [str, ...], 'components': [{'start', 'end', 'label'}, ...]}: "
    "token offsets from 0, ends exclusive."
)


@dataclass(frozen=True, eq=False)
class Entities:
    """One side's entities, ordered by document, start, end, types and components, without duplicates.

    Make them with `from_dicts` or `from_arrow`; the constructor takes the columns as they are.

    Attributes:
        document, start, end: int32, of each entity; offsets in tokens of the document, `end` exclusive.
        type_offsets: entity i has the types `type_offsets[i]` to `type_offsets[i + 1]`.
        type: codes that index `types`, the first type of an entity first.
        types: the names of types, sorted.
        component_offsets: the same of components.
        component_start, component_end: int32; offsets in tokens of the document. Components lie within their entity and
            are ordered by start, end and label.
        component_label: codes that index `component_labels`.
        component_labels: the labels of components, sorted.
        documents: how many documents there are, with or without entities.
        lengths: the documents' lengths in tokens, int64, or None where they are not known.
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    type_offsets: np.ndarray
    type: np.ndarray
    types: tuple[str, ...]
    component_offsets: np.ndarray
    component_start: np.ndarray
    component_end: np.ndarray
    component_label: np.ndarray
    component_labels: tuple[str, ...]
    documents: int
    lengths: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Freeze the columns."""
        for column in (self.document, self.start, self.end, self.type, self.component_start, self.component_end):
            column.flags.writeable = False

    def __len__(self) -> int:
        """The number of entities."""
        return len(self.start)

    def __repr__(self) -> str:
        """The sizes, not the columns."""
        components = counted(len(self.component_start), "component")
        types = ", ".join(self.types) or "none"
        entities, documents = counted(len(self), "entity", "entities"), counted(self.documents, "document")
        return f"Entities({entities}, {components}, {documents}, types {types})"

    @property
    def first_type(self) -> np.ndarray:
        """The code of the first type of each entity."""
        return self.type[self.type_offsets[:-1]]

    @property
    def component_entity(self) -> np.ndarray:
        """The entity of each component."""
        return np.repeat(np.arange(len(self)), np.diff(self.component_offsets))

    @property
    def type_entity(self) -> np.ndarray:
        """The entity of each type."""
        return np.repeat(np.arange(len(self)), np.diff(self.type_offsets))

    @classmethod
    def from_dicts(cls, documents: Iterable[Iterable[Mapping[str, Any]]], *, lengths: Any = None) -> Entities:
        """From a list of lists of entities.

        Args:
            documents: for each document its entities, `{"start": int, "end": int, "types": [str, ...], "components":
                [{"start": int, "end": int, "label": str}, ...]}`; an entity without components may leave them out or
                have None there.
            lengths: the documents' lengths in tokens, checked against the entities.

        Raises:
            InputError: for an entity that is not of this form, is empty, has no type, or passes the end of its
                document; for a component that does not lie within its entity.
        """
        return cls.from_arrow(pa.chunked_array(entities_arrays(documents)), lengths=lengths)

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray, *, lengths: Any = None) -> Entities:
        """From an Arrow column of lists of `ENTITY_TYPE`, see `from_dicts`; None for components is none."""
        known = None if lengths is None else read_lengths(lengths, len(column))
        entities = _read(column)
        return entities if known is None else entities.with_lengths(known)

    def with_lengths(self, lengths: np.ndarray) -> Entities:
        """The same entities with the documents' lengths, checked."""
        known = read_lengths(lengths, self.documents)
        beyond = self.end > known[self.document]
        if beyond.any():
            index = int(np.argmax(beyond))
            document = int(self.document[index])
            raise InputError(
                f"an entity {self.types[self.first_type[index]]!r} ends at {self.end[index]}, "
                f"but the document has {counted(int(known[document]), 'token')}.",
                "Ends are exclusive token offsets; check them and the document's tokens.",
                document=document,
                position=int(self.start[index]),
            )
        return replace(self, lengths=known)

    def take(self, entities: np.ndarray) -> Entities:
        """Some of the entities, in the order asked for, in the same documents."""
        type_counts, component_counts = (
            np.diff(offsets)[entities] for offsets in (self.type_offsets, self.component_offsets)
        )
        types = ranges(self.type_offsets[entities], type_counts)
        components = ranges(self.component_offsets[entities], component_counts)
        return replace(
            self,
            document=self.document[entities],
            start=self.start[entities],
            end=self.end[entities],
            type_offsets=np.concatenate(([0], np.cumsum(type_counts))),
            type=self.type[types],
            component_offsets=np.concatenate(([0], np.cumsum(component_counts))),
            component_start=self.component_start[components],
            component_end=self.component_end[components],
            component_label=self.component_label[components],
        )

    def to_dicts(self) -> list[list[dict[str, Any]]]:
        """Lists of entities as `from_dicts` takes them."""
        return self.to_arrow().to_pylist()

    def to_arrow(self) -> pa.ListArray:
        """An Arrow array with the list of entities of each document, of `ENTITY_TYPE`."""
        types = pa.ListArray.from_arrays(_offsets(self.type_offsets), _names(self.type, self.types))
        columns = [pa.array(bound.astype(np.int64)) for bound in (self.component_start, self.component_end)]
        label = _names(self.component_label, self.component_labels)
        components = pa.ListArray.from_arrays(
            _offsets(self.component_offsets), pa.StructArray.from_arrays([*columns, label], fields=list(SPAN_TYPE))
        )
        bounds = [pa.array(bound.astype(np.int64)) for bound in (self.start, self.end)]
        values = pa.StructArray.from_arrays([*bounds, types, components], fields=list(ENTITY_TYPE))
        first = np.searchsorted(self.document, np.arange(self.documents + 1))
        return pa.ListArray.from_arrays(_offsets(first), values)


def entities_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
    """Arrow arrays of lists of `ENTITY_TYPE` from lists of entity dictionaries, see `Entities.from_dicts`.

    Args:
        documents: for each document its entities; keys other than the four are passed over.
        first_document: the number of the first document, for errors.

    Returns:
        One array for each thousand documents.

    Raises:
        InputError: for a document that is no list, an entity that is no such dictionary, and for values of other types.
    """
    rows = rows_of(documents, first_document, _REMEDY)
    return [_entities_array(part, first_document + first) for first, part in parts_of(rows)]


def _entities_array(rows: Sequence[Any], first_document: int) -> pa.ListArray:
    flat = list(chain.from_iterable(rows))
    try:
        starts, ends, types = ([entity[key] for entity in flat] for key in ("start", "end", "types"))
        components = [_components_of(entity) for entity in flat]
        lists = all(map(_is_list, chain(types, components)))
        nodes = list(chain.from_iterable(components)) if lists else []
        columns = [[node[key] for node in nodes] for key in _KEYS]
    except (TypeError, KeyError, IndexError, AttributeError):
        raise _bad_entity(rows, first_document) from None
    arrays = [integer_array(starts), integer_array(ends)]
    inner = [integer_array(columns[0]), integer_array(columns[1]), string_array(columns[2])]
    names = string_array(list(chain.from_iterable(types))) if lists else None
    if names is None or any(array is None for array in (*arrays, *inner)):
        raise _bad_entity(rows, first_document)
    arrays += [
        pa.ListArray.from_arrays(offsets_of(types), names),
        pa.ListArray.from_arrays(offsets_of(components), pa.StructArray.from_arrays(inner, fields=list(SPAN_TYPE))),
    ]
    return pa.ListArray.from_arrays(offsets_of(rows), pa.StructArray.from_arrays(arrays, fields=list(ENTITY_TYPE)))


def _components_of(entity: Mapping[str, Any]) -> Any:
    """The components; none where they are left out, or None, as `datasets` fills them in."""
    components = entity.get("components")
    return () if components is None else components


def _is_list(values: Any) -> bool:
    # pandas has arrays where there were lists
    return isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.ndim == 1)


def _bad_entity(rows: Sequence[Any], first_document: int) -> InputError:
    """The error for the first entity that is not of the form; called only where there is one."""
    for number, row in enumerate(rows):
        for index, entity in enumerate(row):
            problem = _entity_problem(entity)
            if problem:
                return InputError(problem, _REMEDY, document=first_document + number, span=index)
    return InputError("the entities cannot be read.", _REMEDY)


def _entity_problem(entity: Any) -> str:
    problem = span_problem(entity, _BOUNDS)
    if problem:
        return problem.replace("is not a span", "is not an entity")
    if "types" not in entity:
        return f"{dict(entity)!r} has no 'types'."
    types, components = entity["types"], _components_of(entity)
    if not _is_list(types):
        return f"the types {types!r} (of type {type(types).__name__}) are not a list of strings."
    if string_array(types) is None:
        return f"the types {types!r} are not all strings that can be stored as UTF-8."
    if not _is_list(components):
        return f"the components {components!r} (of type {type(components).__name__}) are not a list."
    for index, component in enumerate(components):
        problem = span_problem(component, _KEYS)
        if problem:
            return f"component {index}: {problem}".replace("is not a span", "is not a component")
    return ""


def _read(column: pa.Array | pa.ChunkedArray) -> Entities:
    """Entities from an Arrow column, checked and in order."""
    if not _is_list_of(column.type, ENTITY_TYPE):
        raise InputError(f"a column of type {column.type} does not hold lists of entities.", _REMEDY)
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    array = pa.concat_arrays(chunks) if chunks else pa.array([], column.type)
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
        raise InputError("None is not a list of entities.", _REMEDY, document=int(np.argmax(missing)))
    counts = np.diff(integers(array.offsets))
    document = np.repeat(np.arange(len(array)), counts)
    values = array.flatten()
    place = Place(document, np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts))
    _refuse_none(values, "an entity", place, (*_BOUNDS, "types"))
    start, end = (integers(values.field(name).cast(pa.int64())) for name in _BOUNDS)
    _refuse_bounds(start, end, place)
    type_counts, type_, types = _read_types(values.field("types"), place)
    components = _component_lists(values.field("components"))
    # flattening passes over what stands behind None
    component_counts = integers(pc.fill_null(pc.list_value_length(components), 0))
    nodes = components.flatten()
    parent = np.repeat(np.arange(len(values)), component_counts)
    of_node = Place(document[parent], place.index[parent])
    _refuse_none(nodes, "a component", of_node, _KEYS)
    label, labels = sorted_labels(nodes.field("label"), of_node, owner="component")
    node_start, node_end = (integers(nodes.field(name).cast(pa.int64())) for name in _BOUNDS)
    _refuse_bounds(node_start, node_end, of_node)
    outside = (node_start < start[parent]) | (node_end > end[parent])
    of_node.refuse(
        outside,
        lambda node: (
            f"a component from {node_start[node]} to {node_end[node]} does not lie within its entity, "
            f"{start[parent[node]]} to {end[parent[node]]}."
        ),
        "Give a component the bounds of tokens inside its entity.",
    )
    entities = Entities(
        document=document.astype(np.int32),
        start=start.astype(np.int32),
        end=end.astype(np.int32),
        type_offsets=np.concatenate(([0], np.cumsum(type_counts))),
        type=type_,
        types=types,
        component_offsets=np.concatenate(([0], np.cumsum(component_counts))),
        component_start=node_start.astype(np.int32),
        component_end=node_end.astype(np.int32),
        component_label=label,
        component_labels=labels,
        documents=len(array),
    )
    return _in_order(_with_distinct_nodes(entities))


def _component_lists(column: pa.Array) -> pa.Array:
    """A column of lists of components, checked; Arrow has other types where no entity of a column has any."""
    wanted = ENTITY_TYPE.field("components").type
    if column.type in (pa.null(), pa.list_(pa.null())):
        return column.cast(wanted)
    if not _is_list_of(column.type, SPAN_TYPE):
        raise InputError(f"components of type {column.type} are not lists of components.", _REMEDY)
    return column


def _is_list_of(type_: pa.DataType, struct: pa.StructType) -> bool:
    listed = pa.types.is_list(type_) or pa.types.is_large_list(type_)
    if not listed or not pa.types.is_struct(type_.value_type):
        return False
    return {field.name for field in struct} <= {field.name for field in type_.value_type}


def _refuse_none(values: pa.StructArray, noun: str, place: Place, names: tuple[str, ...]) -> None:
    """Raise an `InputError` for the first struct, or field of one, that is None."""
    for name in names:
        if values.null_count or values.field(name).null_count:
            place.refuse(values.is_null().to_numpy(zero_copy_only=False), f"None is not {noun}.", _REMEDY)
            missing = values.field(name).is_null().to_numpy(zero_copy_only=False)
            place.refuse(missing, f"the {name} of {noun} is None.", _REMEDY)


def _refuse_bounds(start: np.ndarray, end: np.ndarray, place: Place) -> None:
    place.refuse_bounds(start, end, _REMEDY)
    place.refuse(end > np.iinfo(np.int32).max, lambda item: f"the end {end[item]} is out of range.", _REMEDY)


def _read_types(column: pa.ListArray, place: Place) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """How many types each entity has, their codes and names; a type that an entity names twice counts once."""
    counts = np.diff(integers(column.offsets))
    place.refuse(counts == 0, "an entity has no type.", "Give every entity at least one type.")
    values = column.flatten()
    entity = np.repeat(np.arange(len(counts)), counts)
    of_type = Place(place.document[entity], place.index[entity])
    if values.null_count:
        of_type.refuse(values.is_null().to_numpy(zero_copy_only=False), "a type is None.", _REMEDY)
    codes, names = sorted_labels(values, of_type, noun="type", owner="entity")
    if (counts > 1).any():
        key = entity * max(len(names), 1) + codes
        kept = np.sort(np.unique(key, return_index=True)[1])
        entity, codes = entity[kept], codes[kept]
        counts = np.bincount(entity, minlength=len(counts))
    return counts, codes, names


def _with_distinct_nodes(entities: Entities) -> Entities:
    """The same entities with their components in order, without duplicates."""
    parent = entities.component_entity
    keys = (parent, entities.component_start, entities.component_end, entities.component_label)
    if ascends(*keys):
        return entities
    order = np.lexsort(keys[::-1])
    order = order[begins_run(*(key[order] for key in keys))]
    counts = np.bincount(parent[order], minlength=len(entities))
    return replace(
        entities,
        component_offsets=np.concatenate(([0], np.cumsum(counts))),
        component_start=entities.component_start[order],
        component_end=entities.component_end[order],
        component_label=entities.component_label[order],
    )


def _in_order(entities: Entities) -> Entities:
    """The same entities in order, without duplicates: the order of types alone makes no difference."""
    place = (entities.document, entities.start, entities.end)
    if ascends(*place):
        return entities
    order = np.lexsort(place[::-1])
    shares = ~begins_run(*(key[order] for key in place))
    shares[:-1] |= shares[1:]
    # only where several are at one place do types and components decide
    tied = order[shares]
    codes = np.zeros((2, len(entities)), dtype=np.int64)
    if len(tied):
        of_tied = entities.take(tied)
        codes[:, tied] = _type_set_codes(of_tied), _component_codes(of_tied)
        order = np.lexsort((*codes[::-1], *place[::-1]))
    return entities.take(order[begins_run(*(key[order] for key in (*place, *codes)))])


def _type_set_codes(entities: Entities) -> np.ndarray:
    """Codes of the entities' sets of types, ordered as the sorted lists of their names are."""
    code = entities.type[np.lexsort((entities.type, entities.type_entity))].astype(np.int64)
    first, last = entities.type_offsets[:-1], entities.type_offsets[1:]
    return _ranked(row_codes(np.zeros(len(entities), dtype=np.int64), first, last, code), first, last, code)


def _component_codes(entities: Entities) -> np.ndarray:
    """Codes of the entities' components, ordered as the lists of components are."""
    columns = (entities.component_start, entities.component_end, entities.component_label)
    values = np.stack([column.astype(np.int64) for column in columns], axis=1).ravel()
    first, last = 3 * entities.component_offsets[:-1], 3 * entities.component_offsets[1:]
    return _ranked(row_codes(np.zeros(len(entities), dtype=np.int64), first, last, values), first, last, values)


def _ranked(codes: np.ndarray, first: np.ndarray, last: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Codes of rows of values, renumbered in the order of the rows as lists."""
    distinct, example, code = np.unique(codes, return_index=True, return_inverse=True)
    rows = [tuple(values[begin:end].tolist()) for begin, end in zip(first[example], last[example], strict=True)]
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[sorted(range(len(rows)), key=rows.__getitem__)] = np.arange(len(rows))
    return rank[code.ravel()]


def _offsets(offsets: np.ndarray) -> pa.Array:
    return pa.array(offsets.astype(np.int32))


def _names(codes: np.ndarray, names: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names, pa.string())).cast(
        pa.string()
    )
