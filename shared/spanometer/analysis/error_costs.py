"""What each kind of error costs: the score of the output in which the errors of this kind are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..alignment.matched_spans import EXTENTS, KINDS, WRONG_EXTENT, MatchedSpans
from ..alignment.overlaps import Pieces, Side
from ..counts.counts import Column, Counts, join_columns
from ..counts.statistics import Resampling, interval
from ..errors import InputError, mention
from ..measures.aligned import AlignedMeasure
from ..measures.base import joined_values

WRONG_EXTENTS = tuple(f"wrong_extent_{extent}" for extent in EXTENTS[1:])
"""The ways in which an extent is wrong, as parts of `wrong_extent`."""

ERRORS = ("wrong_label", "wrong_extent", *WRONG_EXTENTS, "wrong_label_and_extent", "missing", "spurious")
"""The kinds of errors whose costs are told."""


@dataclass(frozen=True, kw_only=True)
class KindCost:
    """What a kind of error costs.

    Attributes:
        kind: one of `ERRORS`.
        count: how many there are.
        split, joined, nested: how many of them have these marks, see `MatchedSpans`.
        fixed: the score if all of them were right: the predicted span is replaced by the reference span, a missing one
            is predicted, a spurious one is not.
        gain: that score minus the score of the output.
        fixed_interval, gain_interval: their confidence intervals over documents; None without resampling.
    """

    kind: str
    count: int
    split: int
    joined: int
    nested: int
    fixed: float
    gain: float
    fixed_interval: tuple[float, float] | None = None
    gain_interval: tuple[float, float] | None = None

    @property
    def part(self) -> bool:
        """Whether it is a part of another kind."""
        return self.kind in WRONG_EXTENTS


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


def is_of_kind(matched: MatchedSpans, kind: str) -> np.ndarray:
    """Flag the rows that are errors of a kind, one of `ERRORS`."""
    if kind in WRONG_EXTENTS:
        extent = 1 + WRONG_EXTENTS.index(kind)
        return np.asarray((matched.kind == WRONG_EXTENT) & (matched.extent == extent))
    return np.asarray(matched.kind == KINDS.index(kind))


def costs(measure: AlignedMeasure, matched: MatchedSpans, resampling: Resampling | None) -> Costs:
    """Compute what each kind of error costs.

    Gains do not add up to what is lacking: F1 is no sum. All scores are of the same drawn corpora, so that the interval
    of a gain is that of the difference. Counts of the fixed outputs differ from those of the output in few places;
    only these are drawn for each kind.

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
    flags = {kind: is_of_kind(matched, kind) for kind in ERRORS}
    fixed = {kind: _counts_if_fixed(measure, matched, of_kind) for kind, of_kind in flags.items() if of_kind.any()}
    score = measure.score(now)[key]
    scores = {kind: measure.score(counts)[key] for kind, counts in fixed.items()}
    own, intervals = _intervals(measure, now, fixed, score, scores, resampling)
    found = [
        KindCost(
            kind=kind,
            count=int(of_kind.sum()),
            split=int(matched.split[of_kind].sum()),
            joined=int(matched.joined[of_kind].sum()),
            nested=int(matched.nested[of_kind].sum()),
            fixed=scores.get(kind, score),
            gain=scores.get(kind, score) - score,
            fixed_interval=intervals.get(kind, (own, None))[0],
            gain_interval=intervals.get(kind, (own, None if own is None else (0.0, 0.0)))[1],
        )
        for kind, of_kind in flags.items()
    ]
    return Costs(key=key, score=score, interval=own, kinds=_by_gain(found, higher=measure.higher_is_better))


def _by_gain(found: list[KindCost], *, higher: bool) -> tuple[KindCost, ...]:
    """Order kinds by gain, the more frequent of equal ones first; parts stay behind their whole."""

    def gained(cost: KindCost) -> tuple[float, int]:
        return -cost.gain if higher else cost.gain, -cost.count

    parts = sorted((cost for cost in found if cost.part), key=gained)
    whole = sorted((cost for cost in found if not cost.part), key=gained)
    return tuple(one for cost in whole for one in (cost, *(parts if cost.kind == "wrong_extent" else ())))


def _counts_if_fixed(measure: AlignedMeasure, matched: MatchedSpans, flags: np.ndarray) -> Counts:
    """Count the output in which the flagged rows are right."""
    alignment = matched.alignment
    kept = np.ones(len(alignment.predictions), dtype=bool)
    kept[matched.prediction[flags & (matched.prediction >= 0)]] = False
    added = np.zeros(len(alignment.references), dtype=bool)
    added[matched.reference[flags & (matched.reference >= 0)]] = True
    fixed = merged(alignment.predictions.take(kept), alignment.references.take(added))
    try:
        return measure.count(alignment.of_sides(alignment.references, fixed))
    except InputError as error:
        # the spans that are in the way are in no input
        raise replace(
            error,
            problem=f"with errors of one kind fixed, {error.problem}",
            remedy=f"Set {mention('measure')} to one that takes any spans, such as span_f.",
            option="measure",
        ) from None


def merged(one: Side, other: Side) -> Side:
    """Return the spans of two sides of the same corpus as one, in the order of the line."""
    start, end = np.concatenate([one.start, other.start]), np.concatenate([one.end, other.end])
    order = np.lexsort((end, start))
    document, label = np.concatenate([one.document, other.document]), np.concatenate([one.label, other.label])
    pieces = None
    if not (one.contiguous and other.contiguous):
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        span = place[np.concatenate([one.piece_span, len(one) + other.piece_span])]
        first = np.concatenate([one.piece_start, other.piece_start])
        last = np.concatenate([one.piece_end, other.piece_end])
        by_start = np.argsort(first, kind="stable")
        pieces = Pieces(span[by_start], first[by_start], last[by_start])
    return Side(document[order], label[order], start[order], end[order], pieces)


def _intervals(
    measure: AlignedMeasure,
    now: Counts,
    fixed: Mapping[str, Counts],
    score: float,
    scores: Mapping[str, float],
    resampling: Resampling | None,
) -> tuple[tuple[float, float] | None, dict[str, tuple[tuple[float, float], tuple[float, float]]]]:
    """Return the interval of the score, and for each kind those of the fixed score and of the gain."""
    if resampling is None or now.documents < 2:
        return None, {}
    key = measure.headline
    drawn_now, drawn = _drawn(measure, now, fixed, resampling)
    bca = resampling.interval_method == "bca"
    left_out = measure.left_out(now)[key] if bca else None
    found = {}
    for kind, counts in fixed.items():
        without = measure.left_out(counts)[key] if bca else None
        gained = None if without is None or left_out is None else without - left_out
        found[kind] = (
            interval(scores[kind], drawn[kind], resampling.confidence, without),
            interval(scores[kind] - score, drawn[kind] - drawn_now, resampling.confidence, gained),
        )
    return interval(score, drawn_now, resampling.confidence, left_out), found


def _drawn(
    measure: AlignedMeasure, now: Counts, fixed: Mapping[str, Counts], resampling: Resampling
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the score of the output and of each fixed one in drawn corpora."""
    changes = {kind: _change(now, counts) for kind, counts in fixed.items()}
    parts = []
    for weights in resampling.weights(now.documents):
        totals = measure.weighted_totals(now, weights)
        part = {"": measure.score_totals(totals)[measure.headline]}
        for kind, change in changes.items():
            changed = measure.weighted_totals(change, weights)
            part[kind] = measure.score_totals({name: values + changed[name] for name, values in totals.items()})[
                measure.headline
            ]
        parts.append(part)
    drawn = joined_values(parts)
    return drawn.pop(""), drawn


def _change(now: Counts, fixed: Counts) -> Counts:
    """Return the counts that turn those of the output into those of a fixed one: few, as most cancel."""
    minus = {
        name: Column(c.document, c.label, -np.ones(len(c.label), dtype=np.int64) if c.value is None else -c.value)
        for name, c in now.columns.items()
    }
    both = replace(now, columns=join_columns([fixed.columns, minus])).summed()
    columns = {
        name: Column(column.document[kept], column.label[kept], column.value[kept])
        for name, column in both.columns.items()
        if column.value is not None
        for kept in [column.value != 0]
    }
    shared = {name: fixed.shared[name] - values for name, values in now.shared.items()}
    return replace(both, columns=columns, shared=shared)
