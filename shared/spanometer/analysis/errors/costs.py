"""What each kind of error costs: the score of the output in which the errors of this kind are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...alignment.matched_spans import BOUNDARIES, MatchedSpans
from ...alignment.overlaps import Pieces, SideSpans
from ...arrays import inverse
from ...counts.counts import Column, Counts, join_columns
from ...counts.statistics import Estimate, Resampling, estimates, jackknife_groups, joined_values
from ...exceptions import InputError, mention
from ...measures.aligned import AlignedMeasure

WRONG_BOUNDARIES = tuple(f"wrong_boundary_{boundary}" for boundary in list(BOUNDARIES)[1:])
"""The parts of `wrong_boundary`."""

ERRORS = ("wrong_label", "wrong_boundary", *WRONG_BOUNDARIES, "wrong_label_and_boundary", "missing", "spurious")
"""The kinds of errors whose costs are told."""


@dataclass(frozen=True, kw_only=True)
class KindCost:
    """What a kind of error costs.

    Attributes:
        kind: one of `ERRORS`.
        count: how many there are.
        split, merged, nested: how many of them have these marks, see `MatchedSpans`.
        fixed: the score if all of them were right: the predicted span is replaced by the reference span, a missing one
            is predicted, a spurious one is not.
        gain: that score minus the score of the output.
        fixed_interval, gain_interval: their confidence intervals over documents; None without resampling.
    """

    kind: str
    count: int
    split: int
    merged: int
    nested: int
    fixed: float
    gain: float
    fixed_interval: tuple[float, float] | None = None
    gain_interval: tuple[float, float] | None = None

    @property
    def part(self) -> bool:
        """Whether it is a part of another kind."""
        return self.kind in WRONG_BOUNDARIES


@dataclass(frozen=True, kw_only=True)
class Costs:
    """A system's score, and what it would be.

    Attributes:
        key: the value of the measure that is told, its headline.
        score: of the output.
        interval: its confidence interval over documents; None without resampling.
        kinds: the kinds of errors, those that gain most first; parts behind the kind that they are parts of.
    """

    key: str
    score: float
    interval: tuple[float, float] | None
    kinds: tuple[KindCost, ...]


_NOW = ""
"""The name of the output itself among those without errors of a kind."""

Totals = Mapping[str, np.ndarray]
"""Totals by label, by the names of the counts; shape (..., labels)."""


def costs(measure: AlignedMeasure, matched: MatchedSpans, resampling: Resampling | None) -> Costs:
    """Compute what each kind of error costs.

    Gains do not add up to the distance from 1: F1 is not a sum. All scores are of the same drawn corpora, so that
    the interval of a gain is that of the difference. The counts of a fixed output differ from those of the output in
    the documents with such errors; only these are counted and drawn for each kind.

    Args:
        measure: the measure, whose headline is told.
        matched: the spans of both sides.
        resampling: how intervals are made; None makes none, as does a single document.

    Raises:
        InputError: if the measure is not defined on an output or a fixed one, or its counts are no sums.
    """
    if measure.counts_type is not Counts:
        raise InputError(
            f"{measure.name} keeps more than sums, and costs of errors are computed from sums.",
            f"Set {mention('measure')} to another, such as span_f.",
            option="measure",
        )
    key = measure.headline
    now = measure.count(matched.alignment)
    flags = {kind: matched.flags(kind) for kind in ERRORS}
    changes = {kind: _Change.of(measure, matched, of_kind) for kind, of_kind in flags.items() if of_kind.any()}
    totals = measure.totals(now)
    score = float(measure.score_totals(totals)[key])
    scores = {kind: float(_changed(measure, totals, change.counts.per_label())) for kind, change in changes.items()}
    fixed = _estimates(measure, now, changes, {_NOW: score, **scores}, resampling)
    own = _interval(fixed[_NOW], resampling)
    kinds = [
        KindCost(
            kind=kind,
            count=int(of_kind.sum()),
            split=int(matched.split[of_kind].sum()),
            merged=int(matched.merged[of_kind].sum()),
            nested=int(matched.nested[of_kind].sum()),
            fixed=scores.get(kind, score),
            gain=scores.get(kind, score) - score,
            fixed_interval=_interval(fixed.get(kind, fixed[_NOW]), resampling),
            gain_interval=_interval(fixed.get(kind, fixed[_NOW]) - fixed[_NOW], resampling),
        )
        for kind, of_kind in flags.items()
    ]
    return Costs(key=key, score=score, interval=own, kinds=_by_gain(kinds, higher=measure.higher_is_better))


def _by_gain(kinds: list[KindCost], *, higher: bool) -> tuple[KindCost, ...]:
    """Order kinds by gain, the more frequent of equal ones first; parts stay behind their whole."""

    def gained(cost: KindCost) -> tuple[float, int]:
        return -cost.gain if higher else cost.gain, -cost.count

    parts = sorted((cost for cost in kinds if cost.part), key=gained)
    whole = sorted((cost for cost in kinds if not cost.part), key=gained)
    return tuple(each for cost in whole for each in (cost, *(parts if cost.kind == "wrong_boundary" else ())))


@dataclass(frozen=True, eq=False)
class _Change:
    """What turns the counts of an output into those of the output without errors of a kind.

    Attributes:
        documents: those with such errors, ascending.
        counts: what is added, with a document for each of these.
    """

    documents: np.ndarray
    counts: Counts

    @classmethod
    def of(cls, measure: AlignedMeasure, matched: MatchedSpans, flags: np.ndarray) -> _Change:
        """Count the documents in which the flagged rows are, as they are and with these rows right."""
        alignment = matched.alignment
        there = np.zeros(alignment.documents, dtype=bool)
        there[matched.document[flags]] = True
        references, predictions = alignment.references, alignment.predictions
        of_references, of_predictions = there[references.document], there[predictions.document]
        kept, added = of_predictions.copy(), np.zeros(len(references), dtype=bool)
        kept[matched.prediction[flags & (matched.prediction >= 0)]] = False
        added[matched.reference[flags & (matched.reference >= 0)]] = True
        reference = references.take(of_references)
        fixed = united(predictions.take(kept), references.take(added))
        before = measure.count(alignment.of_sides(reference, predictions.take(of_predictions)))
        try:
            after = measure.count(alignment.of_sides(reference, fixed))
        except InputError as error:
            # the spans that are in the way are in no input
            raise replace(
                error,
                problem=f"with errors of one kind fixed, {error.problem}",
                remedy=f"Set {mention('measure')} to one that takes any spans, such as span_f.",
                option="measure",
            ) from None
        documents = np.flatnonzero(there)
        # summed first: most spans are the same in both
        removed = {name: _negative(column) for name, column in before.summed().columns.items()}
        columns = join_columns([after.summed().columns, removed])
        for name, column in columns.items():
            inside = there[column.document]
            place = np.searchsorted(documents, column.document[inside])
            columns[name] = Column(place, column.label[inside], np.asarray(column.value)[inside])
        shared = {name: values[documents] - before.shared[name][documents] for name, values in after.shared.items()}
        return cls(documents, replace(after, columns=columns, documents=len(documents), shared=shared).summed())


def _negative(column: Column) -> Column:
    value = np.asarray(column.value)
    # small integers of sums have no sign
    return replace(column, value=-value if value.dtype.kind == "f" else -value.astype(np.int64))


def _changed(measure: AlignedMeasure, totals: Totals, change: Totals) -> np.ndarray:
    """Compute the headline of totals with what is added to them."""
    return measure.score_totals({name: values + change[name] for name, values in totals.items()})[measure.headline]


def united(side: SideSpans, other: SideSpans) -> SideSpans:
    """Join the spans of two sides of the same corpus as one, in the order of the line."""
    start, end = np.concatenate([side.start, other.start]), np.concatenate([side.end, other.end])
    order = np.lexsort((end, start))
    document, label = np.concatenate([side.document, other.document]), np.concatenate([side.label, other.label])
    pieces = None
    if not (side.contiguous and other.contiguous):
        span = inverse(order)[np.concatenate([side.piece_span, len(side) + other.piece_span])]
        first = np.concatenate([side.piece_start, other.piece_start])
        last = np.concatenate([side.piece_end, other.piece_end])
        by_start = np.argsort(first, kind="stable")
        pieces = Pieces(span[by_start], first[by_start], last[by_start])
    return SideSpans(document[order], label[order], start[order], end[order], pieces)


def _estimates(
    measure: AlignedMeasure,
    now: Counts,
    changes: Mapping[str, _Change],
    scores: Mapping[str, float],
    resampling: Resampling | None,
) -> dict[str, Estimate]:
    """Estimate the score, and for each kind the score with its errors fixed."""

    def of_weights(weights: np.ndarray) -> dict[str, np.ndarray]:
        added = {kind: change.counts.weighted(weights[:, change.documents]) for kind, change in changes.items()}
        return _values(measure, measure.weighted_totals(now, weights), added)

    return estimates(scores, of_weights, lambda: _left_out(measure, now, changes), now.documents, resampling)


def _interval(estimate: Estimate, resampling: Resampling | None) -> tuple[float, float] | None:
    if resampling is None or estimate.drawn is None or np.isnan(estimate.drawn).all():
        return None
    return estimate.interval(resampling.confidence)


def _values(measure: AlignedMeasure, totals: Totals, changes: Mapping[str, Totals]) -> dict[str, np.ndarray]:
    """Compute the headline of the output, and of that without each kind of error."""
    fixed = {kind: _changed(measure, totals, change) for kind, change in changes.items()}
    return {_NOW: measure.score_totals(totals)[measure.headline], **fixed}


def _left_out(measure: AlignedMeasure, now: Counts, changes: Mapping[str, _Change]) -> dict[str, np.ndarray]:
    """Compute the same values of the corpus without one group of documents after the other, see `Measure.left_out`."""
    group = jackknife_groups(now.documents)
    groups = int(group.max()) + 1

    def without(counts: Counts, of_documents: np.ndarray) -> Totals:
        whole = counts.per_label()
        sums = joined_values(counts.grouped(of_documents, groups).per_document())
        return {name: values - sums[name] for name, values in whole.items()}

    of_changes = {kind: without(change.counts, group[change.documents]) for kind, change in changes.items()}
    return _values(measure, without(now, group), of_changes)
