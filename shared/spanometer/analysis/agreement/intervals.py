"""Intervals of agreement: documents are drawn anew, the same ones for all annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...counts.counts import Counts
from ...counts.statistics import Estimate, Resampling, divide
from ...measures.base import Measure
from ...measures.chance_kappa_f1 import ChanceKappaF1

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
    bounds, means = {}, {}
    for key, estimate in measure.joint_estimates(counted, resampling).items():
        if key not in points:
            continue
        known = replace(estimate, point=points[key])
        bounds[key] = known.bounds(resampling.confidence)
        if mean:
            means[key] = _mean(known)
            bounds[f"mean_{key}"] = means[key].bounds(resampling.confidence)
    if isinstance(measure, ChanceKappaF1) and mean:
        team = Estimate.combined(measure.corrected, means["f1"], means["chance_f1"])
        bounds["team_kappa_f1"] = team.bounds(resampling.confidence)
    return bounds


def _mean(values: Estimate) -> Estimate:
    """Compute the means over the counts that have a value in the corpus, shape (labels + 1)."""
    known = ~np.isnan(values.point)
    number = known.sum(axis=-1)
    return Estimate.combined(lambda drawn: divide(np.where(known, drawn, 0.0).sum(axis=-1), number, np.nan), values)
