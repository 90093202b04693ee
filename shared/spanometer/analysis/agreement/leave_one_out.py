"""Compute the agreement of a team without each annotator in turn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ...arrays import plain
from ...counts.counts import Counts
from ...counts.statistics import Estimate, Resampling
from ...exceptions import InputError
from ...measures.base import Measure
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.start_probabilities import kept_probabilities
from ...measures.unitizing_alpha import UnitizingAlpha
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts, defined_interval
from .agree import count_jointly
from .annotators import ANNOTATOR, count_pair, mean_over_pairs

COLUMNS = (
    TableColumn("with_others", "kappa with others"),
    TableColumn("kappa_f1", "kappa without"),
    TableColumn("kappa_change", "change", signed=True),
    TableColumn("alpha", "alpha without"),
    TableColumn("alpha_change", "alpha change", signed=True),
)
"""The columns of values of each annotator."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LeaveOneOut(Result):
    """The agreement of a team, and its agreement without each annotator.

    Its table is `annotators`, a row for each; the annotator who lowers the agreement most is first.

    Attributes:
        names: the annotators.
        spans: the number of spans of each annotator.
        mean_kappa_f1, alpha: the unweighted mean of `kappa_f1` over all pairs, and alpha of all annotators (NaN if left
            out).
        values: the values of each annotator, shape (annotators), by key: `with_others`, the mean of `kappa_f1` over the
            pairs with this annotator; `kappa_f1`, the mean over the other pairs; `kappa_change`, `kappa_f1` minus
            `mean_kappa_f1`; `alpha`, alpha of the other annotators; `alpha_change`, `alpha` minus alpha of all. If a
            change is above 0, the others agree better without this annotator. The changes of kappa sum to 0.
        intervals: lower and upper bounds by the same keys, shape (2, annotators), all from the same drawn corpora;
            empty without resampling.
        confidence: the level of the intervals; None if there are none.
        signatures: the measures with their options and the options of reading, by the measures' names.
    """

    names: tuple[str, ...]
    spans: np.ndarray
    mean_kappa_f1: float
    alpha: float
    values: Mapping[str, np.ndarray]
    intervals: Mapping[str, np.ndarray] = field(default_factory=dict)
    confidence: float | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)

    @property
    def order(self) -> list[int]:
        """The numbers of the annotators, ordered by kappa without them, the highest kappa first."""
        return [int(place) for place in np.argsort(-self.values["kappa_change"], kind="stable")]

    def parts(self) -> Iterator[Part]:
        """Yield the table and the signatures."""
        yield from (self.table(), "")
        yield Copyable(*self.signatures.values())

    def table(self) -> Table:
        """Show a row for the whole team, and a row for each annotator."""
        team = (("all", "bold"), self.spans.sum(), None, self.mean_kappa_f1, None, self.alpha, None)
        rows: list[Sequence[Any] | None] = [team, None]
        for place in self.order:
            bounds = {key: of_all[:, place] for key, of_all in self.intervals.items()}
            keys = (column.key for column in COLUMNS)
            values = ((self.values[key][place].item(), defined_interval(bounds.get(key))) for key in keys)
            rows.append(((self.names[place], "cyan"), self.spans[place], *values))
        columns = [*amounts("spans"), *COLUMNS]
        return Table.of("annotator", columns, rows, kind="annotators", confidence=self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        described = {
            "mean_kappa_f1": self.mean_kappa_f1,
            "alpha": self.alpha,
            "annotators": {
                name: {
                    "spans": self.spans[place],
                    **{column.key: self.values[column.key][place] for column in COLUMNS},
                    "intervals": {key: bounds[:, place] for key, bounds in self.intervals.items()},
                }
                for place, name in enumerate(self.names)
            },
            "signatures": dict(self.signatures),
        }
        return dict(plain(described))


def leave_one_out(
    annotated: Mapping[str, Spans],
    chance: ChanceKappaF1,
    alpha: UnitizingAlpha | None,
    resampling: Resampling | None,
    reading: Mapping[str, Any],
) -> LeaveOneOut:
    """Compute the agreement of a team without each annotator.

    Args:
        annotated: the annotators' spans, with common labels and known lengths, by their names in errors.
        chance: the measure of pairs.
        alpha: the joint measure; None leaves it out.
        resampling: how documents are drawn for intervals; None makes none.
        reading: how spans were read, for signatures.

    Raises:
        InputError: for fewer than three annotators, and if a measure is undefined on their spans.
    """
    count = len(annotated)
    if count < 3:
        raise InputError(
            f"leaving one annotator out needs at least three annotators, got {count}.",
            "Give the annotations of three or more annotators.",
        )
    kept = resampling is not None
    pairs = list(combinations(range(count), 2))
    with kept_probabilities():
        of_pairs = [count_pair(annotated, pair, chance, per_document=kept) for pair in pairs]
    there = np.array([[person in pair for pair in pairs] for person in range(count)])
    subsets = np.concatenate([np.ones((1, len(pairs)), dtype=bool), ~there, there])
    of_pairs_kappa = _headlines(chance, of_pairs, resampling)
    # pairs that are NaN in the corpus are in no mean
    defined = subsets & ~np.isnan(of_pairs_kappa.point)
    kappa = Estimate.combined(lambda drawn: mean_over_pairs(drawn[..., None, :], defined), of_pairs_kappa)
    whole, without, along = np.split(np.arange(len(subsets)), [1, 1 + count])
    values = {
        "with_others": kappa[along],
        "kappa_f1": kappa[without],
        "kappa_change": kappa[without] - kappa[whole],
    }
    team_alpha = math.nan
    if alpha is not None:
        teams = [annotated, *({name: spans for name, spans in annotated.items() if name != out} for out in annotated)]
        joint = _headlines(alpha, [count_jointly(team, alpha, per_document=kept) for team in teams], resampling)
        values |= {"alpha": joint[1:], "alpha_change": joint[1:] - joint[:1]}
        team_alpha = float(joint.point[0])
    confidence = None if resampling is None else resampling.confidence
    nothing = np.full(count, math.nan)
    return LeaveOneOut(
        names=tuple(name.removeprefix(ANNOTATOR) for name in annotated),
        spans=np.array([len(spans) for spans in annotated.values()]),
        mean_kappa_f1=float(kappa.point[0]),
        alpha=team_alpha,
        values={column.key: values[column.key].point if column.key in values else nothing for column in COLUMNS},
        intervals={} if confidence is None else {key: estimate.bounds(confidence) for key, estimate in values.items()},
        confidence=confidence,
        signatures={each.name: each.signature(reading, resampling) for each in (chance, alpha) if each is not None},
    )


def _headlines(measure: Measure, counts: Sequence[Counts], resampling: Resampling | None) -> Estimate:
    return measure.joint_estimates(counts, resampling)[measure.headline][-1]
