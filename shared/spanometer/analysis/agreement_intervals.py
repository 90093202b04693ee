"""Intervals of agreement: documents are drawn anew, the same ones for all annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..counts.counts import Counts
from ..counts.statistics import Resampling, intervals
from ..measures.base import Measure, joined_values
from ..measures.chance_kappa_f1 import ChanceKappaF1

Values = Mapping[str, np.ndarray]


def bounds_of(
    measure: Measure, counted: Sequence[Counts], points: Values, resampling: Resampling, *, mean: bool = False
) -> dict[str, np.ndarray]:
    """Compute confidence intervals of the values of some counts of the same documents, and of their means.

    A value that is NaN, as that of two annotators who both lack a label, has no interval and is in no mean.

    Args:
        measure: what is scored.
        counted: the counts, of each pair of annotators, say.
        points: the values themselves by key, shape (labels + 1, counts), the whole corpus last.
        resampling: how documents are drawn.
        mean: whether to compute the intervals of the means over counts, as `mean_<key>`, too; and of their corrected
            F1, as `team_kappa_f1`.

    Returns:
        For each key the lower and the upper bounds, shape (2, labels + 1, counts), of means (2, labels + 1); NaN if
        there are fewer than two documents.
    """
    drawn, left_out = _drawn(measure, counted, resampling)
    found = {}
    means: dict[str, list[np.ndarray]] = {}
    for key, point in points.items():
        whole = [point[None], drawn[key], *([] if left_out is None else [left_out[key]])]
        found[key] = _bounds(whole, resampling.confidence)
        if mean:
            means[key] = [_mean(values, ~np.isnan(point)) for values in whole]
            found[f"mean_{key}"] = _bounds(means[key], resampling.confidence)[..., 0]
    if isinstance(measure, ChanceKappaF1) and mean:
        team = [measure.corrected(f1, by_chance) for f1, by_chance in zip(means["f1"], means["chance_f1"], strict=True)]
        found["team_kappa_f1"] = _bounds(team, resampling.confidence)[..., 0]
    return found


def _drawn(measure: Measure, counted: Sequence[Counts], resampling: Resampling) -> tuple[Values, Values | None]:
    """Return the values of drawn corpora, shape (corpora, labels + 1, counts), and without each group of documents."""
    if counted[0].documents < 2:
        # one document does not show how documents differ
        return dict.fromkeys(measure.keys, np.full((1, len(counted[0].labels) + 1, len(counted)), np.nan)), None
    drawn = joined_values(
        _together(
            (measure.formula(measure.quantities(totals)), measure.score_totals(totals))
            for totals in (measure.weighted_totals(counts, weights) for counts in counted)
        )
        for weights in resampling.weights(counted[0].documents)
    )
    if resampling.interval_method != "bca":
        return drawn, None
    return drawn, _together((measure.labels_left_out(counts), measure.left_out(counts)) for counts in counted)


def _together(parts: Any) -> dict[str, np.ndarray]:
    """Join the values of labels and of the whole, counts by counts."""
    known = list(parts)
    return {
        key: np.stack([np.append(of_labels[key], whole[key][:, None], axis=1) for of_labels, whole in known], axis=-1)
        for key in known[0][1]
    }


def _mean(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the means over some of the counts, shape (corpora, labels + 1, 1)."""
    number = known.sum(axis=-1, keepdims=True)
    sums = np.where(known, values, 0.0).sum(axis=-1, keepdims=True)
    return np.where(number == 0, np.nan, sums / np.maximum(number, 1))


def _bounds(values: Sequence[np.ndarray], confidence: float) -> np.ndarray:
    """Return the bounds of each value: given are the values, those of drawn corpora, and perhaps those left out."""
    point, drawn, *left_out = (value.reshape(len(value), -1) for value in values)
    return intervals(point[0], drawn, confidence, *left_out).reshape(2, *values[0].shape[1:])
