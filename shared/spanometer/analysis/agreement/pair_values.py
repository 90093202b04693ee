"""Values of the pairs of annotators, and of their spans counted pair by pair."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...counts.counts import Counts
from ...counts.statistics import divide
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...spans.annotations import named_sides
from ...spans.spans import Spans
from ..scores.counting import count_measures


def count_pair(
    annotated: Mapping[str, Spans], pair: tuple[int, int], measure: ChanceKappaF1, *, per_document: bool
) -> Counts:
    """Count two annotators, given by their places; errors name them."""
    one, other = (list(annotated)[place] for place in pair)
    with named_sides({"references": one, "predictions": other}):
        (counts,) = count_measures(annotated[one], annotated[other], [measure], per_document=per_document)
    return counts


def mean_over_pairs(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Compute the mean over the last axis, that of pairs, of the flagged values; NaN if none is flagged."""
    return divide(np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1), np.nan)


def matrices_of(values: np.ndarray, annotators: int, diagonal: float) -> np.ndarray:
    """Arrange values of pairs, shape (..., pairs), in symmetric matrices, shape (..., annotators, annotators)."""
    matrices = np.full((*values.shape[:-1], annotators, annotators), diagonal)
    upper = np.triu_indices(annotators, 1)
    matrices[..., *upper] = matrices[..., *upper[::-1]] = values
    return matrices
