"""ETER (entity tree error rate) and the slot error rate, from an alignment of entities, components and slots."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..alignment.matching import best_matching
from ..alignment.overlaps import SideSpans, least_lengths, overlaps
from ..arrays import offsets_of, ordered_codes, ranked, recoded, take_segments
from ..counts.counts import Column, Counts
from ..counts.statistics import divide
from ..exceptions import InputError, require_sides, setting
from ..options import option
from ..spans.arrow import share_lengths
from ..spans.entities import Entities
from .base import COUNTS_PER_LABEL, Key, Measure, error_key, zero_division_option

_SLOTS = ("slot_types", "slot_components")


def _cost(default: float, subject: str, title: str) -> Any:
    """Declare the option for the cost of an error."""
    return option(default, help=f"cost of {subject}", low=0, label=f"Cost of {title}", span=(0, 2))


class Eter(Measure):
    """Compute ETER, the entity tree error rate (Ben Jannet et al.), and SER, the slot error rate.

    Reference and predicted entities that share a token are aligned one to one at the lowest total cost:

        ETER = (insertion_cost · I + deletion_cost · D + Σ E) / N_E,        E = (1 - alpha) · root + alpha · components,

    where I and D are the numbers of inserted and deleted entities (each costs 1 in the paper), N_E is the number of
    reference entities, and the sum is over aligned pairs. Ties are broken in this order: most pairs, fewest type
    substitutions, fewest subtype substitutions, earliest partners. A pair that costs more than an insertion plus a
    deletion is not aligned.

    The **root** error is the type error, plus `span_cost` if the boundaries differ. An entity can have several types.
    They are matched one to one: equal types cost 0, types with the same first dotted part cost `subtype_cost`, and all
    other types cost `type_cost`. The sum is divided by the larger number of types.

    For the **components** error, components that share a token are aligned one to one, as cheaply as possible. Each
    inserted component costs `insertion_cost`, each deleted one `deletion_cost`. An aligned pair costs `type_cost` if
    the labels differ, plus `span_cost` if the boundaries differ. The sum is divided by the number of components of the
    reference entity, at least 1.

    **SER** compares slots: all entities, and all components that are not entities themselves. Entities are aligned with
    entities, and components with components, anywhere in the document. A substitution costs `ser_type_cost` if the
    label (or set of types) differs, plus `ser_span_cost` if the boundaries differ, but at most 1. Both costs are in
    [0, 1]. SER is (I + D + cost of substitutions) / reference slots. If both costs are 1, this is (S + D + I) / R
    (Makhoul et al. 1999).

    All rates are in [0, ∞), lower is better. The reference itself scores 0; an empty output scores 1 (ETER:
    `deletion_cost`). A rate is `zero_division` if the reference has no entities (or slots). For labels missing in the
    reference, `average="macro"` uses `zero_division`, `micro` counts their insertions, and their own rates are NaN.

    With `type_level="coarse"`, types, components and entities that become equal count once.

    Attributes:
        alpha: the weight of the components, in [0, 1]. 0 ignores components; 1 ignores types and boundaries.
        type_cost: the cost of a different type, or of a different label of a component.
        subtype_cost: the cost of a different type with the same first dotted part; at most `type_cost`.
        span_cost: the cost of different boundaries.
        insertion_cost, deletion_cost: the cost in ETER of an unmatched predicted or reference entity or component. In
            SER both cost 1.
        ser_type_cost: in the slot error rate, the cost of a wrong label.
        ser_span_cost: in the slot error rate, the cost of wrong boundaries.
        type_level: which part of each type and component label to compare.
        zero_division: the value of a rate if the reference is empty.

    Counts, kept under the first type of the reference entity (for insertions: of the predicted entity): `references`,
    `insertions`, `deletions`, `matched`; summed over matched pairs `root_error` and `component_error`; numbers of pairs
    `type_substitutions` (a type has no partner with the same first part), `subtype_substitutions` (types differ only
    after the first part), `boundary_substitutions`; in matched pairs `component_insertions`, `component_deletions`,
    `component_label_substitutions`, `component_boundary_substitutions`. For SER, with the prefixes `slot_types`
    (entities) and `slot_components`: `_references`, `_correct`, `_insertions`, `_deletions`, `_substitutions` and
    `_cost` (of the substitutions).

    Raises:
        InputError: if a cost is out of range, if the sides have different documents, or if more pairs of entities or
            components overlap than `overlaps.PAIR_LIMIT`.
    """

    alpha: float = option(0.5, help="weight of the components", low=0, high=1, label="Weight of the components")
    type_cost: float = _cost(0.5, "a wrong type", "a wrong type")
    subtype_cost: float = _cost(0.25, "a wrong subtype, if the type is right", "a wrong subtype")
    span_cost: float = _cost(0.25, "wrong boundaries", "wrong boundaries")
    insertion_cost: float = _cost(1.0, "an inserted entity or component", "an insertion")
    deletion_cost: float = _cost(1.0, "a deleted entity or component", "a deletion")
    ser_type_cost: float = option(0.5, low=0, high=1, label="SER: cost of a wrong label")
    ser_span_cost: float = option(0.5, low=0, high=1, label="SER: cost of wrong boundaries")
    type_level: str = option(
        "fine", choices={"fine": "the whole label", "coarse": "the part before the first dot"}, label="Types"
    )

    zero_division: float = zero_division_option("value of the error rates if the reference is empty")

    name = "eter"
    leading = True
    place = 90
    input = "entities"
    results: ClassVar[Mapping[str, Key]] = {
        "eter": error_key(
            "entity tree error rate",
            "cost of insertions, deletions and aligned pairs, divided by the number of reference entities; "
            "1 for an empty output",
        ),
        "insertions": error_key("inserted entities", "number of predicted entities without a partner", whole=True),
        "deletions": error_key("deleted entities", "number of reference entities without a partner", whole=True),
        "substitution_cost": error_key(
            "cost of the pairs", "(1 - alpha) × root_error + alpha × component_error", share=False
        ),
        "references": error_key("reference entities", "number of reference entities", "", whole=True),
        "root_error": error_key(
            "errors in types and boundaries",
            "errors in the types and boundaries of entities, summed over all aligned pairs",
            share=False,
        ),
        "component_error": error_key(
            "errors in components", "errors in components, summed over all aligned pairs", share=False
        ),
        "ser": error_key("slot error rate", "slot error rate of entities and components"),
        "ser_types": error_key("slot error rate, entities", "slot error rate of entities only"),
        "ser_components": error_key("slot error rate, components", "slot error rate of components only"),
    }
    detail_keys = (*Measure.detail_keys, COUNTS_PER_LABEL, "muc_err")
    headline = "eter"
    ranked = ("ser",)
    higher_is_better = False
    support = "references"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.subtype_cost > self.type_cost:
            raise InputError(
                f"{setting('subtype_cost', self.subtype_cost)} is more than {setting('type_cost', self.type_cost)}.",
                "An error in the subtype must not cost more than an error in the type.",
                option="subtype_cost",
            )

    def counts(self, references: Entities, predictions: Entities) -> Counts:
        """Align entities, components and slots, and count their errors."""
        trees, errors, matched = self._aligned(references, predictions)
        expected, predicted = trees.entities
        partners = trees.reference[matched]
        columns = {
            "references": expected.column(),
            "insertions": unmatched(predicted, trees.prediction[matched]),
            "deletions": unmatched(expected, partners),
            "matched": expected.column(partners),
            **{name: expected.column(partners, values[matched]) for name, values in errors.items()},
            **trees.slots(errors["type_substitutions"] + errors["subtype_substitutions"] > 0),
        }
        return Counts(columns, trees.types, trees.documents, measure=self)

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute both error rates and the parts of ETER."""
        sums = {name: np.asarray(values, dtype=float) for name, values in quantities.items()}
        cost = self._pair_cost(sums)
        unmatched_cost = self.insertion_cost * sums["insertions"] + self.deletion_cost * sums["deletions"]
        types, components = (
            sums[f"{slots}_insertions"] + sums[f"{slots}_deletions"] + sums[f"{slots}_cost"] for slots in _SLOTS
        )
        entities, components_only = (sums[f"{slots}_references"] for slots in _SLOTS)
        rates = {
            "eter": (unmatched_cost + cost, sums["references"]),
            "ser": (types + components, entities + components_only),
            "ser_types": (types, entities),
            "ser_components": (components, components_only),
        }
        scores = {key: divide(*rate, self.zero_division) for key, rate in rates.items()}
        return {key: {"substitution_cost": cost, **sums, **scores}[key] for key in self.keys}

    def label_scores(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores of each label. Rates are NaN for labels that are missing in the reference."""
        return replace(self, zero_division=math.nan).formula(totals)

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the details, including MUC's error rate."""
        return {**super().details(counts), "muc_err": self.muc_error(counts)}

    def muc_error(self, counts: Counts) -> float:
        """Compute MUC's ERR over all slots and labels: (S + D + I) / (C + S + D + I), in [0, 1], lower is better.

        C, S, D and I are the correct, substituted, deleted and inserted slots. A slot with a wrong label and wrong
        boundaries is one substitution. The paper on ETER prints the denominator as C + D + I.
        """
        total = counts.total()
        wrong, correct = (
            sum(total[f"{slots}_{name}"] for slots in _SLOTS for name in names)
            for names in (("substitutions", "deletions", "insertions"), ("correct",))
        )
        return float(divide(np.asarray(wrong), np.asarray(wrong + correct), self.zero_division))

    def align(self, references: Entities, predictions: Entities) -> dict[str, np.ndarray]:
        """Align the entities as `counts` does. If `type_level` is `coarse`, apply `Entities.coarse` first.

        Returns:
            For each aligned pair, ordered by `reference`: the indices of the two entities in `Entities` (`reference`,
            `prediction`), `root_error`, `component_error`, and `cost`, (1 - alpha) * root error + alpha * component
            error.

        Raises:
            InputError: if the sides have different documents.
        """
        trees, errors, matched = self._aligned(references, predictions)
        matched = matched[np.argsort(trees.reference[matched], kind="stable")]
        columns = {"reference": trees.reference, "prediction": trees.prediction, "cost": self._pair_cost(errors)}
        columns |= {name: errors[name] for name in ("root_error", "component_error")}
        return {name: column[matched] for name, column in columns.items()}

    def _aligned(
        self, references: Entities, predictions: Entities
    ) -> tuple["TreeAlignment", dict[str, np.ndarray], np.ndarray]:
        """Compute the errors of all pairs of entities, and select the pairs of the cheapest alignment."""
        trees = TreeAlignment(references, predictions, self)
        errors = trees.errors()
        ties = [errors["type_substitutions"], errors["subtype_substitutions"]]
        unmatched_cost = self.insertion_cost + self.deletion_cost
        cost = self._pair_cost(errors)
        return trees, errors, cheapest_matching(trees.reference, trees.prediction, cost, ties, unmatched_cost)

    def _pair_cost(self, errors: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.asarray((1 - self.alpha) * errors["root_error"] + self.alpha * errors["component_error"])


class TreeAlignment:
    """The entity trees of two sides, as positions in the concatenated documents and common integers for names.

    Attributes:
        entities, components: the entities and the components of both sides.
        reference, prediction: the pairs of entities that share a token, as indices, in order.

    Args:
        references, predictions: the two sides, with the same documents.
        costs: the measure with its costs; with `type_level="coarse"` only the first dotted parts of names are compared.

    Raises:
        InputError: if the numbers of documents or their known lengths differ.
    """

    def __init__(self, references: Entities, predictions: Entities, costs: Eter) -> None:
        require_sides(Entities, references, predictions)
        self.costs = costs
        if costs.type_level == "coarse":
            references, predictions = references.coarse(), predictions.coarse()
        self.sides = references, predictions = share_lengths(references, predictions)
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
        self.reference, self.prediction = _overlapping(self.entities, "entities")
        self._component_pairs = _overlapping(self.components, "components")

    def errors(self) -> dict[str, np.ndarray]:
        """Compute the errors of each pair of entities. They do not depend on alpha."""
        costs, ends = self.costs, (self.reference, self.prediction)
        of_types = [take_segments(side.type_offsets, end) for side, end in zip(self.sides, ends, strict=True)]
        first_parts = [self._first_part[codes] for codes in self._type]
        types = np.maximum(*(sizes for sizes, _ in of_types))
        equal, alike = (self._common(of_types, codes) for codes in (self._type, first_parts))
        bounds_differ = _bounds_differ(self.entities, *ends)
        # equal types match first, then types with the same first part
        cost = (types - alike) * costs.type_cost + (alike - equal) * costs.subtype_cost
        return {
            "root_error": cost / types + costs.span_cost * bounds_differ,
            **self._component_errors(),
            "type_substitutions": (alike < types).astype(np.int64),
            "subtype_substitutions": ((equal < types) & (alike == types)).astype(np.int64),
            "boundary_substitutions": bounds_differ.astype(np.int64),
        }

    def _common(self, of_types: list[tuple[np.ndarray, np.ndarray]], codes: list[np.ndarray]) -> np.ndarray:
        """Count the common types of each pair, with multiplicity."""
        pairs = len(self.reference)
        (keys, times), (other_keys, other_times) = (
            np.unique(np.repeat(np.arange(pairs), sizes) * self._names + code[items], return_counts=True)
            for (sizes, items), code in zip(of_types, codes, strict=True)
        )
        keys_of_both, left, right = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
        common = np.minimum(times[left], other_times[right])
        return np.bincount(keys_of_both // self._names, weights=common, minlength=pairs).astype(np.int64)

    def _component_errors(self) -> dict[str, np.ndarray]:
        """Compute the component error of each pair of entities, and its parts, see `measures.Eter`."""
        costs, reference, prediction = self.costs, self.reference, self.prediction
        first, second = self._component_pairs
        parents = [side.component_entity for side in self.sides]
        pairs, width = len(reference), len(self.sides[1])
        # components lie within their entities, so the entities of overlapping components overlap
        pair = np.searchsorted(
            reference.astype(np.int64) * width + prediction, parents[0][first] * width + parents[1][second]
        )
        label_differs = self._component_label[0][first] != self._component_label[1][second]
        bounds_differ = _bounds_differ(self.components, first, second)
        cost = costs.type_cost * label_differs + costs.span_cost * bounds_differ
        # a component occurs once in each pair of its entity
        rows, columns = (_numbers(end, pair) for end in (first, second))
        matched = cheapest_matching(rows, columns, cost, [label_differs], costs.insertion_cost + costs.deletion_cost)
        matches = np.bincount(pair[matched], minlength=pairs)
        sizes = [np.bincount(parent, minlength=len(side)) for parent, side in zip(parents, self.sides, strict=True)]
        deletions, insertions = sizes[0][reference] - matches, sizes[1][prediction] - matches
        matched_cost = np.bincount(pair[matched], weights=cost[matched], minlength=pairs)
        error = costs.insertion_cost * insertions + costs.deletion_cost * deletions + matched_cost
        return {
            "component_error": error / np.maximum(sizes[0][reference], 1),
            "component_insertions": insertions,
            "component_deletions": deletions,
            "component_label_substitutions": np.bincount(pair[matched[label_differs[matched]]], minlength=pairs),
            "component_boundary_substitutions": np.bincount(pair[matched[bounds_differ[matched]]], minlength=pairs),
        }

    def slots(self, types_differ: np.ndarray) -> dict[str, Column]:
        """Count the slots: entities, and components that are not entities themselves; see `measures.Eter`.

        `types_differ` flags the pairs of entities with different types.
        """
        of_types = self._slots("slot_types", self.entities, self.reference, self.prediction, types_differ)
        sides, labels, ranks = [], [], []
        for index, (components, label) in enumerate(zip(self.components, self._component_label, strict=True)):
            slot = self._components_only(index)
            slot = slot[np.lexsort((label[slot], components.end[slot], components.start[slot]))]
            rank = np.full(len(components), -1)
            rank[slot] = np.arange(len(slot))
            sides.append(components.take(slot))
            labels.append(label[slot])
            ranks.append(rank[self._component_pairs[index]])
        first, second = np.array(ranks)[:, np.min(ranks, axis=0) >= 0]
        differ = labels[0][first] != labels[1][second]
        return of_types | self._slots("slot_components", sides, first, second, differ)

    def _slots(
        self, kind: str, sides: list[SideSpans], first: np.ndarray, second: np.ndarray, label_differs: np.ndarray
    ) -> dict[str, Column]:
        """Align the slots of two sides by their overlapping pairs, and count them; `kind` begins the counts' names."""
        references, predictions = sides
        bounds_differ = _bounds_differ(sides, first, second)
        cost = np.minimum(self.costs.ser_type_cost * label_differs + self.costs.ser_span_cost * bounds_differ, 1.0)
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

    def _components_only(self, index: int) -> np.ndarray:
        """Return the components of a side without those that have the boundaries and label of another entity."""
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
        is_entity = np.bincount(of_type, minlength=width)[of_component] > own
        return np.delete(np.arange(len(components)), named[is_entity])


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


def _overlapping(sides: list[SideSpans], noun: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of spans that share a token, in order."""
    references, predictions = sides
    orders = [np.argsort(side.start, kind="stable") for side in sides]
    ordered = (side.take(order) for side, order in zip(sides, orders, strict=True))
    try:
        pairs = overlaps(*ordered, noun=noun)
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
