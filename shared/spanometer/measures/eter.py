"""ETER, the entity tree error rate, and the slot error rate beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..alignment.matching import best_matching
from ..alignment.overlaps import overlaps
from ..arrays import ranges
from ..counts.counts import Column, Counts
from ..counts.ratios import divide
from ..errors import InputError, require_same_documents, setting
from ..options import option
from ..spans.arrow import require_same_lengths
from ..spans.entities import Entities
from .base import Key, Measure

_UNMATCHED = 2.0
"""What it costs to leave both ends of a pair without a partner: a deletion and an insertion."""

_LABEL_COST = 0.5
_BOUNDS_COST = 0.5
"""What a slot of the wrong label, and one of wrong bounds, costs in the slot error rate."""

_PARTS = ("types", "components")


@dataclass(frozen=True, eq=False)
class EntityAlignment:
    """Which reference entity meets which predicted one, see `Eter`; all others are deleted or inserted.

    Attributes:
        reference, prediction: numbers of the entities of both sides, in the order of `Entities`; the pairs are ordered
            by the reference's.
        root_error, component_error: of each pair.
        cost: of each pair, (1 - alpha) * root error + alpha * component error.
    """

    reference: np.ndarray
    prediction: np.ndarray
    root_error: np.ndarray
    component_error: np.ndarray
    cost: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Eter(Measure):
    """ETER, the entity tree error rate (Ben Jannet et al.), and SER, the slot error rate, with MUC's ERR.

    Reference and predicted entities that share a token are aligned one to one so that the errors cost least:

        ETER = (I + D + Σ E) / N_E,        E = (1 - alpha) · root + alpha · components,

    I and D the inserted and deleted entities, N_E the reference entities, the sum over the aligned pairs. Of equally
    cheap alignments that with the most pairs counts, then that with the fewest type, then subtype substitutions, then
    that in which the earlier reference entity has the earlier partner. No pair is kept that costs more than 2.

    The **root** error is that of the types plus `span_cost` if the bounds differ. Types are matched one to one: 0 if
    they are equal, `subtype_cost` if their first dotted parts are, else `type_cost`, which also an unmatched type
    costs; the sum is divided by the number of types of the side that has more. It is symmetric.

    The error in the **components** is

        (inserted + deleted + Σ (type_cost if the labels differ + span_cost if the bounds differ)) / max(1, components
        of the reference entity)

    over the cheapest one-to-one alignment of the components that share a token.

    **SER** takes slots: entities, and the components that are not entities themselves. Entities are aligned with
    entities and components with components, wherever in the document they stand; a substitution costs 0.5 for another
    label (another set of types) and 0.5 for other bounds. SER = (I + D + substitutions' cost) / slots of the reference.

    All rates are in [0, ∞), lower is better; the reference itself scores 0, an empty output 1. Where the reference
    has no entities (or slots) a rate is `zero_division`, whatever the prediction has: that is so for single labels of
    the prediction too, and `average="macro"` takes no notice of what is inserted there, while `micro` counts it.

    Attributes:
        alpha: the weight of the components, in [0, 1]: 0 ignores components, 1 ignores types and bounds.
        type_cost: what another type, or another label of a component, costs.
        subtype_cost: what a type costs that agrees in its first dotted part; not more than `type_cost`.
        span_cost: what other bounds cost.
        zero_division: the value of a rate where the reference is empty.

    Counts, at the first type of the reference entity, and for insertions of the predicted one: `references`,
    `insertions`, `deletions`, `matched`; the sums of the matched pairs' `root_error` and `component_error`;
    `type_substitutions` (pairs that have a type without a partner of its first part), `subtype_substitutions` (pairs
    whose types differ behind the first part only), `boundary_substitutions`; within matched pairs
    `component_insertions`, `component_deletions`, `component_label_substitutions`,
    `component_boundary_substitutions`; for SER, with `slot_types` for entities and `slot_components`: `_references`,
    `_correct`, `_insertions`, `_deletions`, `_substitutions` and `_cost`, the cost of the latter.

    Raises:
        InputError: for costs out of range, where the sides do not have the same documents, and for more pairs of
            entities, or of components, that share a token than `alignment.PAIR_LIMIT`.
    """

    alpha: float = option(
        0.5, help="weight of the components", kind=float, low=0, high=1, label="Weight of the components"
    )
    type_cost: float = option(
        0.5, help="cost of another type", kind=float, low=0, label="Cost of another type", span=(0, 2)
    )
    subtype_cost: float = option(
        0.25,
        help="cost of another subtype of the same type",
        kind=float,
        low=0,
        label="Cost of another subtype",
        span=(0, 2),
    )
    span_cost: float = option(
        0.25, help="cost of other bounds", kind=float, low=0, label="Cost of other bounds", span=(0, 2)
    )

    name: ClassVar[str] = "eter"
    place: ClassVar[int] = 90
    input: ClassVar[str] = "entities"
    results: ClassVar[Mapping[str, Key]] = {
        "eter": Key(
            "entity tree error rate",
            "(insertions + deletions + substitution_cost) / references, 1 for an empty output",
            "[0, ∞)",
            "lower",
        ),
        "insertions": Key("inserted entities", "predicted entities without a partner", "[0, ∞)", "lower", whole=True),
        "deletions": Key("deleted entities", "reference entities without a partner", "[0, ∞)", "lower", whole=True),
        "substitution_cost": Key(
            "cost of the pairs",
            "sum over pairs of (1 - alpha) times the root error plus alpha times the error in the components",
            "[0, ∞)",
            "lower",
        ),
        "references": Key("reference entities", "number of reference entities", "[0, ∞)", "", whole=True),
        "root_error": Key(
            "errors in types and bounds", "sum over pairs of the errors in types and bounds", "[0, ∞)", "lower"
        ),
        "component_error": Key("errors in components", "sum over pairs of the errors in components", "[0, ∞)", "lower"),
        "ser": Key("slot error rate", "slot error rate over entities and components", "[0, ∞)", "lower"),
        "ser_types": Key("slot error rate, entities", "slot error rate of the entities alone", "[0, ∞)", "lower"),
        "ser_components": Key(
            "slot error rate, components", "slot error rate of the components alone", "[0, ∞)", "lower"
        ),
    }
    detail_keys: ClassVar[tuple[str, ...]] = (*Measure.detail_keys, "counts_per_label", "muc_err")
    headline: ClassVar[str] = "eter"
    higher_is_better: ClassVar[bool] = False
    support: ClassVar[str] = "references"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.subtype_cost > self.type_cost:
            raise InputError(
                f"{setting('subtype_cost', self.subtype_cost)} is more than {setting('type_cost', self.type_cost)}.",
                "A type that agrees in its first part must not cost more than one that does not.",
                option="subtype_cost",
            )

    def counts(self, references: Entities, predictions: Entities) -> Counts:
        """Align the entities, their components and the slots, and count what is wrong with each."""
        return self._counts(self._errors(references, predictions))

    def counts_at(self, alphas: Iterable[float], references: Entities, predictions: Entities) -> Iterator[Counts]:
        """The counts at each of some weights of the components, in place of `alpha`.

        Only the entities are aligned anew for each; what does not depend on the weight is computed once.
        """
        measures = [replace(self, alpha=alpha) for alpha in alphas]
        errors = self._errors(references, predictions)
        return (measure._counts(errors) for measure in measures)

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The error rates, and the parts of ETER as sums: see the class."""
        root, components = quantities["root_error"], quantities["component_error"]
        substitution_cost = (1 - self.alpha) * root + self.alpha * components
        insertions, deletions, references = (
            np.asarray(quantities[name], dtype=float) for name in ("insertions", "deletions", "references")
        )
        errors = {part: _slot_errors(quantities, part) for part in _PARTS}
        slots = {part: np.asarray(quantities[f"slot_{part}_references"], dtype=float) for part in _PARTS}
        return {
            "eter": divide(insertions + deletions + substitution_cost, references, self.zero_division),
            "insertions": insertions,
            "deletions": deletions,
            "substitution_cost": substitution_cost,
            "references": references,
            "root_error": np.asarray(root, dtype=float),
            "component_error": np.asarray(components, dtype=float),
            "ser": divide(
                errors["types"] + errors["components"], slots["types"] + slots["components"], self.zero_division
            ),
            "ser_types": divide(errors["types"], slots["types"], self.zero_division),
            "ser_components": divide(errors["components"], slots["components"], self.zero_division),
        }

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute also all counts by type, and MUC's error rate."""
        sums = counts.per_label()
        by_type = {
            label: {name: values[code].item() for name, values in sums.items()}
            for code, label in enumerate(counts.labels)
        }
        return {**super().details(counts), "counts_per_label": by_type, "muc_err": self.muc_error(counts)}

    def muc_error(self, counts: Counts) -> float:
        """MUC's ERR over all slots and labels: (S + D + I) / (C + S + D + I), in [0, 1], lower is better."""
        total = counts.total()
        wrong, correct = (
            sum(total[f"slot_{part}_{name}"] for part in _PARTS for name in names)
            for names in (("substitutions", "deletions", "insertions"), ("correct",))
        )
        return float(divide(np.asarray(wrong), np.asarray(wrong + correct), self.zero_division))

    def align(self, references: Entities, predictions: Entities) -> EntityAlignment:
        """The alignment that `counts` counts.

        Raises:
            InputError: where the sides do not have the same documents.
        """
        pairs = _EntityPairs(_Both(references, predictions))
        root = pairs.root_error(self.type_cost, self.subtype_cost, self.span_cost)
        components = pairs.components(self.type_cost, self.span_cost)["component_error"]
        cost = (1 - self.alpha) * root + self.alpha * components
        matched = _matched(pairs, cost)
        matched = matched[np.argsort(pairs.reference[matched], kind="stable")]
        return EntityAlignment(
            pairs.reference[matched], pairs.prediction[matched], root[matched], components[matched], cost[matched]
        )

    def _errors(self, references: Entities, predictions: Entities) -> _Errors:
        """What is wrong with each pair of entities, and with the slots."""
        both = _Both(references, predictions)
        pairs = _EntityPairs(both)
        first, second = both.entities
        entities = _Slots(first, second, pairs.reference, pairs.prediction, pairs.types_differ, pairs.bounds_differ)
        slots = zip(_PARTS, (entities, _component_slots(both)), strict=True)
        return _Errors(
            both,
            pairs,
            pairs.root_error(self.type_cost, self.subtype_cost, self.span_cost),
            pairs.components(self.type_cost, self.span_cost),
            {f"slot_{part}_{name}": column for part, of_part in slots for name, column in of_part.columns().items()},
        )

    def _counts(self, errors: _Errors) -> Counts:
        """The counts of the cheapest alignment at the weight of this measure."""
        columns = {**self._tree_columns(errors), **errors.slots}
        return Counts(columns, errors.both.types, errors.both.documents, measure=self)

    def _tree_columns(self, errors: _Errors) -> dict[str, Column]:
        """The columns of ETER."""
        both, pairs, root, components = errors.both, errors.pairs, errors.root, errors.components
        cost = (1 - self.alpha) * root + self.alpha * components["component_error"]
        matched = _matched(pairs, cost)
        references, predictions = both.entities
        place = (column[pairs.reference[matched]] for column in (references.document, references.label))
        document, label = place
        deleted, inserted = (
            np.bincount(partners[matched], minlength=len(side)) == 0
            for side, partners in ((references, pairs.reference), (predictions, pairs.prediction))
        )
        values = {
            "root_error": root,
            **components,
            "type_substitutions": pairs.type_differs,
            "subtype_substitutions": pairs.subtype_differs,
            "boundary_substitutions": pairs.bounds_differ,
        }
        return {
            "references": Column(references.document, references.label),
            "insertions": Column(predictions.document[inserted], predictions.label[inserted]),
            "deletions": Column(references.document[deleted], references.label[deleted]),
            "matched": Column(document, label),
            **{name: Column(document, label, _number(value[matched])) for name, value in values.items()},
        }


def _matched(pairs: _EntityPairs, cost: np.ndarray) -> np.ndarray:
    """The pairs of the cheapest alignment, see `Eter`."""
    kept = np.flatnonzero(cost <= _UNMATCHED + 1e-9)
    ties = [pairs.type_differs[kept], pairs.subtype_differs[kept]]
    worth = np.maximum(_UNMATCHED - cost[kept], 0.0)
    return kept[best_matching(pairs.reference[kept], pairs.prediction[kept], worth, ties)]


@dataclass(frozen=True, eq=False)
class _Errors:
    """What two sides cost, whatever the weight of the components.

    Attributes:
        both, pairs: the sides, and the pairs of their entities that share a token.
        root: the root error of each pair.
        components: the error in the components of each pair, and its parts.
        slots: the columns of the slot error rate.
    """

    both: _Both
    pairs: _EntityPairs
    root: np.ndarray
    components: Mapping[str, np.ndarray]
    slots: Mapping[str, Column]


@dataclass(frozen=True, eq=False)
class _Side:
    """Things with bounds of one side, in reading order: entities or components.

    Attributes:
        document: of each.
        label: the code of the first type of the entity, or of the entity that the component belongs to.
        start, end: on a line that has all documents end to end.
    """

    document: np.ndarray
    label: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def __len__(self) -> int:
        return len(self.start)


class _Both:
    """Both sides on one line, with common codes for the names."""

    def __init__(self, references: Entities, predictions: Entities) -> None:
        require_same_documents(references.documents, predictions.documents)
        if references.lengths is not None and predictions.lengths is not None:
            require_same_lengths(references.lengths, predictions.lengths)
        elif references.lengths is not None:
            predictions = predictions.with_lengths(references.lengths)
        elif predictions.lengths is not None:
            references = references.with_lengths(predictions.lengths)
        self.sides = (references, predictions)
        self.documents = references.documents
        self.types = tuple(sorted({*references.types, *predictions.types}))
        extents = np.zeros(self.documents, dtype=np.int64)
        for side in self.sides:
            np.maximum.at(extents, side.document, side.end)
        self._offsets = np.concatenate(([0], np.cumsum(extents)))
        # codes for all names, as a component may be called as a type is
        names = tuple(sorted({*self.types, *references.component_labels, *predictions.component_labels}))
        number = {name: code for code, name in enumerate(names)}
        labels = {name: code for code, name in enumerate(self.types)}
        self.type = [_recoded(side.type, side.types, number) for side in self.sides]
        self.component_label = [_recoded(side.component_label, side.component_labels, number) for side in self.sides]
        # no array of strings: NumPy drops NULs at their end and makes all as wide as the widest
        parts: dict[str, int] = {}
        first_parts = [parts.setdefault(name.partition(".")[0], len(parts)) for name in names]
        self.first_part = np.array(first_parts, dtype=np.int64)
        self.names = len(names)
        self.entities = [
            _Side(
                side.document,
                _recoded(side.first_type, side.types, labels),
                self._offsets[side.document] + side.start,
                self._offsets[side.document] + side.end,
            )
            for side in self.sides
        ]

    @cached_property
    def components(self) -> list[_Side]:
        """The components of both sides, in the order of their entities."""
        found = []
        for side, entities in zip(self.sides, self.entities, strict=True):
            parent = side.component_entity
            base = self._offsets[side.document[parent]]
            bounds = base + side.component_start, base + side.component_end
            found.append(_Side(entities.document[parent], entities.label[parent], *bounds))
        return found

    @cached_property
    def component_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """All pairs of components that share a token."""
        references, predictions = self.components
        return _overlapping(references, predictions, "components")

    def components_that_are_entities(self, index: int) -> np.ndarray:
        """For each component of a side whether another entity than its own has its bounds and its label as a type."""
        side, entities, components = self.sides[index], self.entities[index], self.components[index]
        owner, parent = side.type_entity, side.component_entity
        type_, label = self.type[index], self.component_label[index]
        found = np.zeros(len(components), dtype=bool)
        # names that are types and labels are few: only these are looked at
        both = np.logical_and(*(np.bincount(codes, minlength=self.names) > 0 for codes in (type_, label)))
        types, named = np.flatnonzero(both[type_]), np.flatnonzero(both[label])
        owner, parent = owner[types], parent[named]
        rows = np.concatenate(
            [
                np.stack([entities.start[owner], entities.end[owner], type_[types]], axis=1),
                np.stack([components.start[named], components.end[named], label[named]], axis=1),
            ]
        )
        code = _row_numbers(rows)
        of_type, of_component = code[: len(owner)], code[len(owner) :]
        entities_of = np.bincount(of_type, minlength=int(code.max(initial=-1)) + 1)
        # its own entity is none other; it can only be that where it fills it
        fills = (components.start[named] == entities.start[parent]) & (components.end[named] == entities.end[parent])
        filled = np.bincount(parent[fills], minlength=len(side)) > 0
        width = len(entities_of) + 1
        own = np.zeros(len(named), dtype=bool)
        own[fills] = np.isin(
            parent[fills] * width + of_component[fills], owner[filled[owner]] * width + of_type[filled[owner]]
        )
        found[named] = entities_of[of_component] > own
        return found


class _EntityPairs:
    """The pairs of a reference and a predicted entity that share a token.

    Attributes:
        reference, prediction: the entities' numbers; pairs are ordered by them.
        type_differs: whether a type has no partner of its first part.
        subtype_differs: whether all have, and some of these are not equal.
        types_differ: either.
        bounds_differ: whether the bounds differ.
    """

    def __init__(self, both: _Both) -> None:
        self._both = both
        references, predictions = both.entities
        self.reference, self.prediction = _overlapping(references, predictions, "entities")
        first, second = self.reference, self.prediction
        self.bounds_differ = (references.start[first] != predictions.start[second]) | (
            references.end[first] != predictions.end[second]
        )
        sizes = [np.diff(side.type_offsets) for side in both.sides]
        self._most = np.maximum(sizes[0][first], sizes[1][second])
        self._equal = self._common(both.type)
        self._alike = self._common([both.first_part[codes] for codes in both.type])
        self.type_differs = self._alike < self._most
        self.types_differ = self._equal < self._most
        self.subtype_differs = self.types_differ & ~self.type_differs

    def root_error(self, type_cost: float, subtype_cost: float, span_cost: float) -> np.ndarray:
        """The root error of each pair."""
        # equal types are best matched with each other, then those of one first part
        types = (self._most - self._alike) * type_cost + (self._alike - self._equal) * subtype_cost
        return types / self._most + span_cost * self.bounds_differ

    def components(self, type_cost: float, span_cost: float) -> dict[str, np.ndarray]:
        """The error in the components of each pair, and its parts."""
        both = self._both
        references, predictions = both.components
        first, second = both.component_pairs
        parents = [side.component_entity for side in both.sides]
        width = len(both.entities[1])
        # components lie within their entities: where two of them meet, so do the entities
        pair = np.searchsorted(
            self.reference.astype(np.int64) * width + self.prediction, parents[0][first] * width + parents[1][second]
        )
        label_differs = both.component_label[0][first] != both.component_label[1][second]
        bounds_differ = _bounds_differ(references, predictions, first, second)
        cost = type_cost * label_differs + span_cost * bounds_differ
        kept = np.flatnonzero(cost <= _UNMATCHED + 1e-9)
        # a component takes part once in each pair of its entity
        rows = _numbered(first[kept].astype(np.int64), pair[kept], len(self.reference))
        columns = _numbered(second[kept].astype(np.int64), pair[kept], len(self.reference))
        worth = np.maximum(_UNMATCHED - cost[kept], 0.0)
        matched = kept[best_matching(rows, columns, worth, [label_differs[kept]])]
        pairs = len(self.reference)
        found = np.bincount(pair[matched], minlength=pairs)
        sizes = [np.diff(side.component_offsets) for side in both.sides]
        deletions, insertions = sizes[0][self.reference] - found, sizes[1][self.prediction] - found
        error = deletions + insertions + np.bincount(pair[matched], weights=cost[matched], minlength=pairs)
        return {
            "component_error": error / np.maximum(sizes[0][self.reference], 1),
            "component_insertions": insertions,
            "component_deletions": deletions,
            "component_label_substitutions": np.bincount(pair[matched[label_differs[matched]]], minlength=pairs),
            "component_boundary_substitutions": np.bincount(pair[matched[bounds_differ[matched]]], minlength=pairs),
        }

    def _common(self, codes: list[np.ndarray]) -> np.ndarray:
        """How many of the codes of the types of a pair are on both sides, with multiplicity."""
        sides = self._both.sides
        ends = (self.reference, self.prediction)
        first = [side.type_offsets[:-1][end] for side, end in zip(sides, ends, strict=True)]
        if len(self._most) == 0 or self._most.max() == 1:
            return (codes[0][first[0]] == codes[1][first[1]]).astype(np.int64)
        counted = []
        for code, side, begin, end in zip(codes, sides, first, ends, strict=True):
            sizes = np.diff(side.type_offsets)[end]
            pair = np.repeat(np.arange(len(end)), sizes)
            counted.append(np.unique(pair * self._both.names + code[ranges(begin, sizes)], return_counts=True))
        (keys, times), (other_keys, other_times) = counted
        _, left, right = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
        pair = keys[left] // self._both.names
        common = np.minimum(times[left], other_times[right])
        return np.bincount(pair, weights=common, minlength=len(self._most)).astype(np.int64)


class _Slots:
    """The cheapest alignment of slots of two sides.

    Args:
        references, predictions: the slots.
        first, second: the pairs of slots that share a token.
        label_differs, bounds_differ: of each pair.
    """

    def __init__(
        self,
        references: _Side,
        predictions: _Side,
        first: np.ndarray,
        second: np.ndarray,
        label_differs: np.ndarray,
        bounds_differ: np.ndarray,
    ) -> None:
        self._references, self._predictions = references, predictions
        cost = _LABEL_COST * label_differs + _BOUNDS_COST * bounds_differ
        matched = best_matching(first, second, _UNMATCHED - cost, [label_differs])
        self._first, self._second, self._cost = first[matched], second[matched], cost[matched]

    def columns(self) -> dict[str, Column]:
        """The counts of the slots."""
        references, predictions = self._references, self._predictions
        deleted, inserted = (
            np.bincount(partners, minlength=len(side)) == 0
            for side, partners in ((references, self._first), (predictions, self._second))
        )
        wrong = self._cost > 0
        correct, substituted = self._first[~wrong], self._first[wrong]
        return {
            "references": Column(references.document, references.label),
            "correct": Column(references.document[correct], references.label[correct]),
            "insertions": Column(predictions.document[inserted], predictions.label[inserted]),
            "deletions": Column(references.document[deleted], references.label[deleted]),
            "substitutions": Column(references.document[substituted], references.label[substituted]),
            "cost": Column(references.document[substituted], references.label[substituted], self._cost[wrong]),
        }


def _component_slots(both: _Both) -> _Slots:
    """The slots of the components that are not entities."""
    slots, numbers, ranks = [], [], []
    for index, components in enumerate(both.components):
        slot = np.flatnonzero(~both.components_that_are_entities(index))
        place = (both.component_label[index][slot], components.end[slot], components.start[slot])
        slot = slot[np.lexsort(place)]
        slots.append(_Side(*(getattr(components, name)[slot] for name in ("document", "label", "start", "end"))))
        rank = np.full(len(components), -1)
        rank[slot] = np.arange(len(slot))
        numbers.append(slot)
        ranks.append(rank)
    first, second = (rank[ends] for rank, ends in zip(ranks, both.component_pairs, strict=True))
    kept = (first >= 0) & (second >= 0)
    first, second = first[kept], second[kept]
    labels = [codes[slot] for codes, slot in zip(both.component_label, numbers, strict=True)]
    label_differs = labels[0][first] != labels[1][second]
    return _Slots(slots[0], slots[1], first, second, label_differs, _bounds_differ(slots[0], slots[1], first, second))


def _overlapping(references: _Side, predictions: _Side, noun: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs that share a token, ordered."""
    orders = [np.argsort(side.start, kind="stable") for side in (references, predictions)]
    bounds = (
        bound[order]
        for side, order in zip((references, predictions), orders, strict=True)
        for bound in (side.start, side.end)
    )
    try:
        pairs = overlaps(*bounds, noun=noun)
    except InputError as error:
        raise _said_of_the_worst_document(error, references, predictions) from None
    first, second = (order[found] for order, found in zip(orders, pairs, strict=True))
    order = np.lexsort((second, first))
    return first[order], second[order]


def _said_of_the_worst_document(error: InputError, references: _Side, predictions: _Side) -> InputError:
    """The error about too many pairs, said of the document that has the most of them."""
    # those that begin before one ends, without those that end before it begins
    met = np.searchsorted(np.sort(predictions.start), references.end, side="left")
    met -= np.searchsorted(np.sort(predictions.end), references.start, side="right")
    pairs = np.bincount(references.document, weights=met)
    worst = int(np.argmax(pairs))
    problem = f"{error.problem} No document has more of them than this, {pairs[worst]:.0f}."
    return InputError(problem, error.remedy, document=worst)


def _bounds_differ(references: _Side, predictions: _Side, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (references.start[first] != predictions.start[second]) | (references.end[first] != predictions.end[second])


def _recoded(codes: np.ndarray, names: tuple[str, ...], number: Mapping[str, int]) -> np.ndarray:
    """Codes of names counted in another table of names."""
    return np.array([number[name] for name in names], dtype=np.int64)[codes]


def _numbered(major: np.ndarray, minor: np.ndarray, minors: int) -> np.ndarray:
    """Numbers from 0 for pairs of numbers, in their order."""
    return np.unique(major * max(minors, 1) + minor, return_inverse=True)[1].ravel()


def _row_numbers(rows: np.ndarray) -> np.ndarray:
    """Numbers from 0 for rows, the same for equal ones."""
    order = np.lexsort(rows.T)
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[order][1:] != rows[order][:-1]).any(axis=1)
    numbers = np.empty(len(rows), dtype=np.int64)
    numbers[order] = np.cumsum(fresh) - 1
    return numbers


def _number(values: np.ndarray) -> np.ndarray:
    """Flags as integers, other values as they are."""
    return values.astype(np.int64) if values.dtype == bool else values


def _slot_errors(quantities: Mapping[str, np.ndarray], part: str) -> np.ndarray:
    return sum(
        (np.asarray(quantities[f"slot_{part}_{name}"], dtype=float) for name in ("insertions", "deletions", "cost")),
        start=np.zeros(()),
    )
