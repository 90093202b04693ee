"""The alignment of entity trees: pairs that share tokens, their differences, and slots."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..alignment.matching import best_matching
from ..alignment.overlaps import SideSpans, least_lengths, overlaps
from ..arrays import offsets_of, ordered_codes, ranges, ranked, recoded
from ..counts.counts import Column
from ..exceptions import InputError, require_sides
from ..spans.arrow import share_lengths
from ..spans.entities import Entities


@dataclass(frozen=True, eq=False)
class EntityPairs:
    """The pairs of a reference and a predicted entity that share a token.

    Attributes:
        reference, prediction: the indices of the two entities; pairs are ordered by them.
        types: the larger number of types of the two entities.
        equal: the number of common types, with multiplicity.
        alike: the number of common first dotted parts of types, with multiplicity.
        bounds_differ: whether the boundaries differ.
    """

    reference: np.ndarray
    prediction: np.ndarray
    types: np.ndarray
    equal: np.ndarray
    alike: np.ndarray
    bounds_differ: np.ndarray

    @cached_property
    def types_differ(self) -> np.ndarray:
        """Whether the types of both entities differ."""
        return np.asarray(self.equal < self.types)


class TreeAlignment:
    """The entity trees of two sides, as positions in the concatenated documents and common integers for names.

    Args:
        references, predictions: the two sides, with the same documents.
        coarse: whether only the first dotted parts of names are compared.

    Raises:
        InputError: if the numbers of documents or their known lengths differ.
    """

    def __init__(self, references: Entities, predictions: Entities, *, coarse: bool) -> None:
        require_sides(Entities, references, predictions)
        if coarse:
            references, predictions = references.coarse(), predictions.coarse()
        references, predictions = share_lengths(references, predictions)
        self.sides = (references, predictions)
        self.documents = references.documents
        self.types = tuple(sorted({*references.types, *predictions.types}))
        offsets = offsets_of(least_lengths(*self.sides))
        # one code for a name, because a component and a type may share it
        names = tuple(sorted({*self.types, *references.components.labels, *predictions.components.labels}))
        number = {name: code for code, name in enumerate(names)}
        self._names = len(names)
        self._type = [recoded(side.type, side.types, number) for side in self.sides]
        self._component_label = [recoded(side.components.label, side.components.labels, number) for side in self.sides]
        # not an array of strings: NumPy drops trailing NULs and makes all as wide as the widest
        parts: dict[str, int] = {}
        self._first_part = np.array([parts.setdefault(name.partition(".")[0], len(parts)) for name in names], dtype=int)
        labels = {name: code for code, name in enumerate(self.types)}
        self.entities, self.components = [], []
        for side in self.sides:
            document, label, owner = side.document, recoded(side.first_type, side.types, labels), side.component_entity
            base = offsets[document]
            self.entities.append(SideSpans(document, label, base + side.start, base + side.end))
            bounds = (base[owner] + bound for bound in (side.components.start, side.components.end))
            # in the order of their entities and with the labels of their entities
            self.components.append(SideSpans(document[owner], label[owner], *bounds))

    @cached_property
    def pairs(self) -> EntityPairs:
        """The pairs of entities that share a token."""
        first, second = ends = _overlapping(self.entities, "entities")
        sizes = [np.diff(side.type_offsets)[end] for side, end in zip(self.sides, ends, strict=True)]
        begins = [side.type_offsets[:-1][end] for side, end in zip(self.sides, ends, strict=True)]
        first_parts = [self._first_part[codes] for codes in self._type]
        equal, alike = (self._common(begins, sizes, codes) for codes in (self._type, first_parts))
        differ = _bounds_differ(self.entities, first, second)
        return EntityPairs(first, second, np.maximum(*sizes), equal, alike, differ)

    def _common(self, begins: list[np.ndarray], sizes: list[np.ndarray], codes: list[np.ndarray]) -> np.ndarray:
        """Count the common types of each pair, with multiplicity."""
        pairs = len(sizes[0])
        if all(size.max(initial=1) == 1 for size in sizes):
            return np.asarray(codes[0][begins[0]] == codes[1][begins[1]], dtype=np.int64)
        (keys, times), (other_keys, other_times) = (
            np.unique(np.repeat(np.arange(pairs), size) * self._names + code[ranges(begin, size)], return_counts=True)
            for size, code, begin in zip(sizes, codes, begins, strict=True)
        )
        keys_of_both, left, right = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
        common = np.minimum(times[left], other_times[right])
        return np.bincount(keys_of_both // self._names, weights=common, minlength=pairs).astype(np.int64)

    @cached_property
    def _component_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of components that share a token."""
        return _overlapping(self.components, "components")

    def component_errors(
        self, label_cost: float, bounds_cost: float, insertion_cost: float, deletion_cost: float
    ) -> dict[str, np.ndarray]:
        """Compute the component error of each pair of entities, and its parts, see `measures.Eter`."""
        reference, prediction = self.pairs.reference, self.pairs.prediction
        first, second = self._component_pairs
        parents = [side.component_entity for side in self.sides]
        pairs, width = len(reference), len(self.sides[1])
        # components lie within their entities, so the entities of overlapping components overlap
        pair = np.searchsorted(
            reference.astype(np.int64) * width + prediction, parents[0][first] * width + parents[1][second]
        )
        label_differs = self._component_label[0][first] != self._component_label[1][second]
        bounds_differ = _bounds_differ(self.components, first, second)
        cost = label_cost * label_differs + bounds_cost * bounds_differ
        # a component occurs once in each pair of its entity
        rows, columns = (_numbers(end, pair) for end in (first, second))
        matched = cheapest_matching(rows, columns, cost, [label_differs], insertion_cost + deletion_cost)
        matches = np.bincount(pair[matched], minlength=pairs)
        sizes = [np.bincount(parent, minlength=len(side)) for parent, side in zip(parents, self.sides, strict=True)]
        deletions, insertions = sizes[0][reference] - matches, sizes[1][prediction] - matches
        matched_cost = np.bincount(pair[matched], weights=cost[matched], minlength=pairs)
        error = insertion_cost * insertions + deletion_cost * deletions + matched_cost
        return {
            "component_error": error / np.maximum(sizes[0][reference], 1),
            "component_insertions": insertions,
            "component_deletions": deletions,
            "component_label_substitutions": np.bincount(pair[matched[label_differs[matched]]], minlength=pairs),
            "component_boundary_substitutions": np.bincount(pair[matched[bounds_differ[matched]]], minlength=pairs),
        }

    def slots(self, label_cost: float, bounds_cost: float) -> dict[str, Column]:
        """Count the slots: entities, and components that are not entities themselves; see `measures.Eter`."""
        ends, costs = (self.pairs.reference, self.pairs.prediction), (label_cost, bounds_cost)
        of_types = _slot_columns("slot_types", self.entities, *ends, self.pairs.types_differ, costs)
        sides, labels, ranks = [], [], []
        for index, (components, label) in enumerate(zip(self.components, self._component_label, strict=True)):
            slot = np.flatnonzero(~self._entities_among_components(index))
            slot = slot[np.lexsort((label[slot], components.end[slot], components.start[slot]))]
            rank = np.full(len(components), -1)
            rank[slot] = np.arange(len(slot))
            sides.append(components.take(slot))
            labels.append(label[slot])
            ranks.append(rank[self._component_pairs[index]])
        first, second = np.array(ranks)[:, np.min(ranks, axis=0) >= 0]
        differ = labels[0][first] != labels[1][second]
        return of_types | _slot_columns("slot_components", sides, first, second, differ, costs)

    def _entities_among_components(self, index: int) -> np.ndarray:
        """Flag the components of a side that have the boundaries and label of an entity other than their own."""
        side, entities, components = self.sides[index], self.entities[index], self.components[index]
        types, labels = self._type[index], self._component_label[index]
        # few names are both types and labels
        typed, named = np.flatnonzero(np.isin(types, labels)), np.flatnonzero(np.isin(labels, types))
        owner, parent = side.type_entity[typed], side.component_entity[named]
        code = _numbers(
            np.concatenate([entities.start[owner], components.start[named]]),
            np.concatenate([entities.end[owner], components.end[named]]),
            np.concatenate([types[typed], labels[named]]),
        )
        of_type, of_component = np.split(code, [len(owner)])
        width = int(code.max(initial=0)) + 1
        own = np.isin(parent * width + of_component, owner * width + of_type)
        flags = np.zeros(len(components), dtype=bool)
        flags[named] = np.bincount(of_type, minlength=width)[of_component] > own
        return flags


def unmatched(side: SideSpans, partners: np.ndarray) -> Column:
    """Count the entities or slots without a partner."""
    return side.column(np.bincount(partners, minlength=len(side)) == 0)


def cheapest_matching(
    rows: np.ndarray, columns: np.ndarray, cost: np.ndarray, ties: list[np.ndarray], unmatched_cost: float
) -> np.ndarray:
    """Return the indices of the pairs in the cheapest one-to-one alignment, see `matching.best_matching`.

    `unmatched_cost` is the cost of an insertion plus a deletion.
    """
    kept = np.flatnonzero(cost <= unmatched_cost + 1e-9)
    worth = np.maximum(unmatched_cost - cost[kept], 0.0)
    return np.asarray(kept[best_matching(rows[kept], columns[kept], worth, [tie[kept] for tie in ties])])


def _slot_columns(
    kind: str,
    sides: list[SideSpans],
    first: np.ndarray,
    second: np.ndarray,
    label_differs: np.ndarray,
    costs: tuple[float, float],
) -> dict[str, Column]:
    """Align the slots of two sides by their overlapping pairs, and count them; `kind` begins the counts' names."""
    references, predictions = sides
    bounds_differ = _bounds_differ(sides, first, second)
    cost = np.minimum(costs[0] * label_differs + costs[1] * bounds_differ, 1.0)
    matched = cheapest_matching(first, second, cost, [label_differs], 2.0)
    differs = (label_differs | bounds_differ)[matched]
    wrong = matched[differs]
    return {
        f"{kind}_references": references.column(),
        f"{kind}_correct": references.column(first[matched[~differs]]),
        f"{kind}_insertions": unmatched(predictions, second[matched]),
        f"{kind}_deletions": unmatched(references, first[matched]),
        f"{kind}_substitutions": references.column(first[wrong]),
        f"{kind}_cost": references.column(first[wrong], cost[wrong]),
    }


def _overlapping(sides: list[SideSpans], noun: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of spans that share a token, in order."""
    references, predictions = sides
    orders = [np.argsort(side.start, kind="stable") for side in sides]
    bounds = (bound[order] for side, order in zip(sides, orders, strict=True) for bound in (side.start, side.end))
    try:
        pairs = overlaps(*bounds, noun=noun)
    except InputError as error:
        # pieces that begin before an interval ends, minus pieces that end before it begins
        met = np.searchsorted(np.sort(predictions.start), references.end, side="left")
        met -= np.searchsorted(np.sort(predictions.end), references.start, side="right")
        of_document = np.bincount(references.document, weights=met)
        worst = int(np.argmax(of_document))
        problem = f"{error.problem} This document has the most, {of_document[worst]:.0f}."
        raise InputError(problem, error.remedy, document=worst) from None
    first, second = (order[ends] for order, ends in zip(orders, pairs, strict=True))
    order = np.lexsort((second, first))
    return first[order], second[order]


def _bounds_differ(sides: list[SideSpans], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    references, predictions = sides
    starts_differ = references.start[first] != predictions.start[second]
    return np.asarray(starts_differ | (references.end[first] != predictions.end[second]))


def _numbers(*columns: np.ndarray) -> np.ndarray:
    """Number the rows of several integer columns from 0, in sorted order; equal rows get the same number."""
    return ranked(ordered_codes(*columns))[0]
