"""Entity trees as frozen columns: entities with their types and components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..arrays import as_lists, ascends, begins_run, name_codes, null_flags, offsets_by, row_ranks, strings
from ..exceptions import InputError, counted
from .arrow import BOUNDS, SPAN_TYPE, SPANS, DocumentColumns, ItemKind, ListItems, bounds_arrays, is_list_of, structs
from .spans import Spans, in_order

ENTITY_TYPE = pa.struct([*BOUNDS, ("types", pa.list_(pa.string())), ("components", pa.list_(SPAN_TYPE))])

ENTITY_REMEDY = (
    "Write an entity as {'start': int, 'end': int, 'types': [str, ...], 'components': [{'start': int, 'end': int, "
    "'label': str}, ...]}. Offsets count tokens from 0, and ends are exclusive."
)

ENTITY_TYPES = ("pers", "func", "loc", "prod", "org", "time", "amount", "event")
"""The first dotted parts of QUAERO's entity types. A tag with another first part is a component."""

Entity = dict[str, Any]
"""`{"start": int, "end": int, "types": [str, ...], "components": [{"start": int, "end": int, "label": str}, ...]}`."""


@dataclass(frozen=True, eq=False)
class Entities(DocumentColumns):
    """One side's entities, ordered by document, start, end, types and components, without duplicates.

    Create objects with `from_dicts` or `from_arrow`; the constructor does not check the columns.

    Attributes:
        document, start, end: the document and boundaries of each entity in tokens, int32; `end` is exclusive.
        type_offsets: the offsets of types: entity i has the types `type_offsets[i]` to `type_offsets[i + 1]`.
        type: the index of each type in `types`. The order of an entity's types is kept.
        types: the sorted names of types.
        components: the components, as spans in tokens of the document; the `document` of a component is its entity,
            within which it lies.
        documents: the number of documents, with or without entities.
        lengths: the documents' lengths in tokens, int64; None if unknown.
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    type_offsets: np.ndarray
    type: np.ndarray
    types: tuple[str, ...]
    components: Spans
    documents: int
    lengths: np.ndarray | None = None

    flat: ClassVar[tuple[str, ...]] = ("document", "start", "end")
    nested: ClassVar[Mapping[str, tuple[str, ...]]] = {"type_offsets": ("type",)}

    def __repr__(self) -> str:
        """Show sizes instead of columns."""
        components = counted(len(self.components), "component")
        types = ", ".join(self.types) or "none"
        entities, documents = counted(len(self), "entity", "entities"), counted(self.documents, "document")
        return f"Entities({entities}, {components}, {documents}, types {types})"

    @property
    def first_type(self) -> np.ndarray:
        """The index of each entity's first type."""
        return np.asarray(self.type[self.type_offsets[:-1]])

    @property
    def component_entity(self) -> np.ndarray:
        """The entity of each component, int64."""
        return self.components.document.astype(np.int64)

    @property
    def type_entity(self) -> np.ndarray:
        """The entity of each type."""
        return np.repeat(np.arange(len(self)), np.diff(self.type_offsets))

    @classmethod
    def from_dicts(cls, documents: Iterable[Iterable[Mapping[str, Any]]], *, lengths: Any = None) -> Entities:
        """Read entities from dictionaries.

        Args:
            documents: the entities of each document, `{"start": int, "end": int, "types": [str, ...], "components":
                [{"start": int, "end": int, "label": str}, ...]}`. An entity without components can omit the key or have
                None.
            lengths: the documents' lengths in tokens; entities must not exceed them.

        Raises:
            InputError: if an entity has another form, is empty, has no type or is past the end of its document, or if a
                component does not lie within its entity.
        """
        return cls.from_arrow(pa.chunked_array(ENTITIES.arrays(documents)), lengths=lengths)

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray, *, lengths: Any = None) -> Entities:
        """Read an Arrow column of lists of `ENTITY_TYPE`, see `from_dicts`; components may be null."""
        rows = ENTITIES.items(column)
        start, end = rows.checked_bounds()
        types = _read_types(rows)
        components = _read_components(rows, start, end)
        entities = _in_order(cls(rows.parent, start, end, *types, components, len(column)))
        return entities if lengths is None else entities.with_lengths(lengths)

    def picked(self, items: np.ndarray | slice) -> Entities:
        """Select entities in the given order; the documents stay the same."""
        if isinstance(items, slice):
            first, last, _ = items.indices(len(self))
            return replace(super().picked(items), components=self.components.between(first, last))
        return replace(super().picked(items), components=self.components.take(np.arange(len(self))[items]))

    def _name(self, item: int) -> str:
        return f"an entity {self.types[self.first_type[item]]!r}"

    def coarse(self) -> Entities:
        """Keep only the first dotted parts of types and component labels: `loc.adm.town` becomes `loc`.

        Types, components and entities that become equal are merged.
        """
        code, types = name_codes([name.partition(".")[0] for name in self.types])
        offsets, codes = _distinct_types(self.type_entity, code[self.type], len(types), len(self))
        components = self.components.relabelled({name: name.partition(".")[0] for name in self.components.labels})
        components = replace(components, copies=None)
        return _in_order(replace(self, type_offsets=offsets, type=codes, types=types, components=components))

    def _structs(self) -> pa.StructArray:
        types = as_lists(self.type_offsets, strings(self.type, self.types))
        return structs(ENTITY_TYPE, *bounds_arrays(self.start, self.end), types, self.components.to_arrow())


_AT_ONCE = 300
"""The number of documents whose entities are converted to columns at a time."""


def entities_of(documents: Iterable[Sequence[Mapping[str, Any]]]) -> Entities:
    """Convert the entities of documents to columns; only a few documents are in memory at a time."""
    chunks: list[pa.Array] = []
    remaining = iter(documents)
    while some := list(islice(remaining, _AT_ONCE)):
        chunks += ENTITIES.arrays(some, _AT_ONCE * len(chunks))
    return Entities.from_arrow(pa.chunked_array(chunks or ENTITIES.arrays([])))


def _completed(entity: Any) -> Any:
    """Add an empty list of components to an entity without components (`datasets` fills in None)."""
    lacking = isinstance(entity, Mapping) and entity.get("components") is None
    return {**entity, "components": ()} if lacking else entity


ENTITIES = ItemKind(ENTITY_TYPE, "an entity", "entities", ENTITY_REMEDY, prepare=_completed, nullable=("components",))


def _read_components(entities: ListItems, start: np.ndarray, end: np.ndarray) -> Spans:
    """Read the components of entities with these boundaries. The `document` of a component is its entity."""
    lists = entities.values.field("components")
    if lists.type in (pa.null(), pa.list_(pa.null())):
        # no entity has components
        lists = lists.cast(ENTITY_TYPE.field("components").type)
    if not is_list_of(lists.type, SPANS.keys):
        raise InputError(f"'components' must be a list of components, but has the type {lists.type}.", ENTITY_REMEDY)
    components = entities.children(lists, "a component")
    components.refuse_nulls(*SPANS.keys)
    label, labels = components.names(components.values.field("label"), owner="component")
    node_start, node_end = components.checked_bounds()
    parent = components.parent
    outside = (node_start < start[parent]) | (node_end > end[parent])
    bounds = (node_start, node_end, start[parent], end[parent])
    problem = "a component from {} to {} is not inside its entity, which goes from {} to {}.".format
    remedy = "Give the component a start and an end inside its entity."
    components.refuse(outside, lambda node: problem(*(bound[node] for bound in bounds)), remedy)
    return replace(in_order(Spans(parent, node_start, node_end, label, labels, len(start))), copies=None)


def _read_types(entities: ListItems) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read the offsets, indices and names of the entities' types; repeated types of an entity count once."""
    types = entities.children(entities.values.field("types"), "a type")
    number = len(entities.values)
    lacking = np.bincount(types.parent, minlength=number) == 0
    entities.refuse(lacking, "the entity has no type.", "Give every entity at least one type.")
    types.refuse(null_flags(types.values), "a type is None.")
    codes, names = types.names(types.values, noun="type", owner="entity")
    return *_distinct_types(types.parent, codes, len(names), number), names


def _distinct_types(entity: np.ndarray, codes: np.ndarray, names: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the offsets and indices of the entities' types; repeated types of an entity count once."""
    if len(entity) > number:
        kept = np.sort(np.unique(entity.astype(np.int64) * names + codes, return_index=True)[1])
        entity, codes = entity[kept], codes[kept]
    return offsets_by(entity, number), codes


def _in_order(entities: Entities) -> Entities:
    """Sort the entities and remove duplicates; entities whose types differ only in order are duplicates."""
    place = (entities.document, entities.start, entities.end)
    if ascends(*place):
        return entities
    order = np.lexsort(place[::-1])
    shares = ~begins_run(*(key[order] for key in place))
    shares[:-1] |= shares[1:]
    # types and components matter only for entities with the same boundaries
    tied = order[shares]
    codes = np.zeros((2, len(entities)), dtype=np.int64)
    if len(tied):
        of_tied = entities.picked(tied)
        codes[:, tied] = _type_set_codes(of_tied), _component_codes(of_tied)
        order = np.lexsort((*codes[::-1], *place[::-1]))
    return entities.picked(order[begins_run(*(key[order] for key in (*place, *codes)))])


def _type_set_codes(entities: Entities) -> np.ndarray:
    """Number the entities' sets of types in the order of their sorted lists of names."""
    code = entities.type[np.lexsort((entities.type, entities.type_entity))].astype(np.int64)
    return row_ranks(entities.type_offsets[:-1], entities.type_offsets[1:], code)


def _component_codes(entities: Entities) -> np.ndarray:
    """Number the entities' lists of components in sorted order."""
    nodes = entities.components
    values = np.stack([column.astype(np.int64) for column in (nodes.start, nodes.end, nodes.label)], axis=1).ravel()
    offsets = 3 * offsets_by(nodes.document, len(entities))
    return row_ranks(offsets[:-1], offsets[1:], values)
