"""ETER (entity tree error rate) and the slot error rate."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..counts.counts import Counts
from ..counts.statistics import divide
from ..exceptions import InputError, setting
from ..options import option
from ..spans.entities import Entities
from .base import COUNTS_PER_LABEL, Key, Measure, zero_division_option
from .tree_alignment import TreeAlignment, cheapest_matching, unmatched

_SLOTS = ("slot_types", "slot_components")


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
    label (or set of types) differs, plus `ser_span_cost` if the boundaries differ, but at most 1. SER is (I + D + cost
    of substitutions) / reference slots. If both costs are 1, this is (S + D + I) / R (Makhoul et al. 1999).

    All rates are in [0, ∞), lower is better. The reference itself scores 0; an empty output scores 1 (ETER:
    `deletion_cost`). A rate is `zero_division` if the reference has no entities (or slots). For labels missing in the
    reference, `average="macro"` uses `zero_division`, `micro` counts their insertions, and their own rates are NaN.

    Attributes:
        alpha: the weight of the components, in [0, 1]. 0 ignores components; 1 ignores types and boundaries.
        type_cost: the cost of a different type, or of a different label of a component.
        subtype_cost: the cost of a different type with the same first dotted part; at most `type_cost`.
        span_cost: the cost of different boundaries.
        insertion_cost, deletion_cost: the cost in ETER of an unmatched predicted or reference entity or component. In
            SER both cost 1.
        ser_type_cost, ser_span_cost: the cost in SER of a different label or of different boundaries, in [0, 1].
        type_level: `coarse` keeps only the first dotted part of types and component labels. Types, components and
            entities that become equal count once.
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
    type_cost: float = option(0.5, help="cost of a wrong type", low=0, label="Cost of a wrong type", span=(0, 2))
    subtype_cost: float = option(
        0.25, help="cost of a wrong subtype of the right type", low=0, label="Cost of a wrong subtype", span=(0, 2)
    )
    span_cost: float = option(
        0.25, help="cost of wrong boundaries", low=0, label="Cost of wrong boundaries", span=(0, 2)
    )
    insertion_cost: float = option(
        1.0, help="cost of an inserted entity or component", low=0, label="Cost of an insertion", span=(0, 2)
    )
    deletion_cost: float = option(
        1.0, help="cost of a deleted entity or component", low=0, label="Cost of a deletion", span=(0, 2)
    )
    ser_type_cost: float = option(
        0.5, help="cost of a wrong label in the slot error rate", low=0, high=1, label="SER: cost of a wrong label"
    )
    ser_span_cost: float = option(
        0.5,
        help="cost of wrong boundaries in the slot error rate",
        low=0,
        high=1,
        label="SER: cost of wrong boundaries",
    )
    type_level: str = option(
        "fine",
        help="which part of types and component labels to compare",
        choices={"fine": "the whole label", "coarse": "the part before the first dot"},
        label="Types",
    )

    zero_division: float = zero_division_option("value of the error rates if the reference is empty")

    name = "eter"
    leading = True
    place = 90
    input = "entities"
    results: ClassVar[Mapping[str, Key]] = {
        "eter": Key(
            "entity tree error rate",
            "cost of insertions, deletions and pairs, divided by references; 1 for an empty output",
            "[0, ∞)",
            "lower",
        ),
        "insertions": Key("inserted entities", "predicted entities without a partner", "[0, ∞)", "lower", whole=True),
        "deletions": Key("deleted entities", "reference entities without a partner", "[0, ∞)", "lower", whole=True),
        "substitution_cost": Key(
            "cost of the pairs",
            "sum of (1 - alpha) × root error + alpha × component error, over all pairs of entities",
            "[0, ∞)",
            "lower",
            share=False,
        ),
        "references": Key("reference entities", "number of reference entities", "[0, ∞)", "", whole=True),
        "root_error": Key(
            "errors in types and boundaries",
            "sum of the errors in types and boundaries, over all pairs of entities",
            "[0, ∞)",
            "lower",
            share=False,
        ),
        "component_error": Key(
            "errors in components",
            "sum of the errors in components, over all pairs of entities",
            "[0, ∞)",
            "lower",
            share=False,
        ),
        "ser": Key("slot error rate", "slot error rate over entities and components", "[0, ∞)", "lower"),
        "ser_types": Key("slot error rate, entities", "slot error rate of entities only", "[0, ∞)", "lower"),
        "ser_components": Key("slot error rate, components", "slot error rate of components only", "[0, ∞)", "lower"),
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
        partners = trees.pairs.reference[matched]
        columns = {
            "references": expected.column(),
            "insertions": unmatched(predicted, trees.pairs.prediction[matched]),
            "deletions": unmatched(expected, partners),
            "matched": expected.column(partners),
            **{name: expected.column(partners, values[matched]) for name, values in errors.items()},
            **trees.slots(self.ser_type_cost, self.ser_span_cost),
        }
        return Counts(columns, trees.types, trees.documents, measure=self)

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute both error rates and the parts of ETER."""
        sums = {name: np.asarray(values, dtype=float) for name, values in quantities.items()}
        cost = self._cost(sums)
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
        pairs, matched = trees.pairs, matched[np.argsort(trees.pairs.reference[matched], kind="stable")]
        columns = {"reference": pairs.reference, "prediction": pairs.prediction, "cost": self._cost(errors), **errors}
        names = ("reference", "prediction", "cost", "root_error", "component_error")
        return {name: columns[name][matched] for name in names}

    def _aligned(
        self, references: Entities, predictions: Entities
    ) -> tuple[TreeAlignment, dict[str, np.ndarray], np.ndarray]:
        """Compute the errors of all pairs of entities, and select the pairs of the cheapest alignment."""
        trees = TreeAlignment(references, predictions, coarse=self.type_level == "coarse")
        errors, pairs = self._errors(trees), trees.pairs
        ties = [errors["type_substitutions"], errors["subtype_substitutions"]]
        unmatched_cost = self.insertion_cost + self.deletion_cost
        matched = cheapest_matching(pairs.reference, pairs.prediction, self._cost(errors), ties, unmatched_cost)
        return trees, errors, matched

    def _errors(self, trees: TreeAlignment) -> dict[str, np.ndarray]:
        """Compute the errors of each pair of entities. They do not depend on alpha."""
        pairs = trees.pairs
        types_differ, first_parts_differ = pairs.types_differ, pairs.alike < pairs.types
        # equal types match first, then types with the same first part
        types = (pairs.types - pairs.alike) * self.type_cost + (pairs.alike - pairs.equal) * self.subtype_cost
        return {
            "root_error": types / pairs.types + self.span_cost * pairs.bounds_differ,
            **trees.component_errors(self.type_cost, self.span_cost, self.insertion_cost, self.deletion_cost),
            "type_substitutions": first_parts_differ.astype(np.int64),
            "subtype_substitutions": (types_differ & ~first_parts_differ).astype(np.int64),
            "boundary_substitutions": pairs.bounds_differ.astype(np.int64),
        }

    def _cost(self, errors: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.asarray((1 - self.alpha) * errors["root_error"] + self.alpha * errors["component_error"])
