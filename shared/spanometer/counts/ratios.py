"""Ratios of summed counts, and averages over labels."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

AVERAGES = {
    "micro": "counts summed over labels",
    "macro": "unweighted mean over labels",
    "weighted": "labels weighted by reference spans",
}
"""The averages over labels, explained."""


def divide(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> np.ndarray:
    """Divide element by element; the result is `zero_division` where the denominator is 0."""
    numerator, denominator = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), float(zero_division))
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def precision_recall_f1(
    right: np.ndarray, predicted: np.ndarray, found: np.ndarray, reference: np.ndarray, zero_division: float
) -> dict[str, np.ndarray]:
    """Compute precision `right / predicted`, recall `found / reference` and their harmonic mean, element by element.

    Args:
        right: the right part of the prediction.
        predicted: the size of the prediction.
        found: the found part of the reference (the same as `right` for most measures).
        reference: the size of the reference.
        zero_division: the precision of an empty prediction, the recall of an empty reference, and F1 if both are empty.

    Returns:
        `precision`, `recall` and `f1`, in [0, 1], higher is better. F1 is 0 if nothing is right or found, and if only
        one side is empty.
    """
    right, predicted, found, reference = (
        np.asarray(count, dtype=float) for count in (right, predicted, found, reference)
    )
    # 2pr/(p + r), with both fractions cleared: correctly rounded if right and found are one integer
    f1 = divide(2 * right * found, right * reference + found * predicted, 0.0)
    f1 = np.where(right == found, divide(2 * right, predicted + reference, 0.0), f1)
    return {
        "precision": divide(right, predicted, zero_division),
        "recall": divide(found, reference, zero_division),
        "f1": np.where((predicted == 0) & (reference == 0), zero_division, f1),
    }


def average_over_labels(
    scores: Mapping[str, np.ndarray], weights: np.ndarray, pooled: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Compute weighted means over the last axis, that of labels; NaN scores are left out.

    Args:
        scores: shape (..., labels).
        weights: shape (..., labels), 0 if a label is not there.
        pooled: the scores of all labels together, the result if all weights are 0.
    """
    averages = {}
    weight = weights.astype(float)
    unweighted = weight.sum(axis=-1) == 0
    for key, values in scores.items():
        known = ~np.isnan(values)
        kept = np.where(known, weight, 0.0).sum(axis=-1)
        sums = (np.where(known, values, 0.0) * weight).sum(axis=-1)
        averages[key] = np.where(unweighted, pooled[key], divide(sums, kept, np.nan))
    return averages


def json_number(value: float) -> float | None:
    """Return a number for JSON, in which NaN becomes None."""
    return None if math.isnan(value) else float(value)
