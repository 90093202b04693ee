"""Estimates: the values of a corpus and of corpora drawn from it, for intervals and differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from .statistics import Resampling


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values of a corpus, and of the corpora drawn from it.

    Attributes:
        point: the values of the corpus, shape (...).
        drawn: the values of drawn corpora, shape (corpora, ...); None without resampling; NaN for fewer than two
            documents, which do not show how documents differ.
        left_out: the values without one group of documents after the other, shape (groups, ...), for BCa; else None.
    """

    point: np.ndarray
    drawn: np.ndarray | None = None
    left_out: np.ndarray | None = None

    @staticmethod
    def combined(change: Callable[..., np.ndarray], *estimates: Estimate) -> Estimate:
        """Apply a function to the values of several estimates, corpus by corpus, along their first axis."""
        draws = [[each.drawn for each in estimates], [each.left_out for each in estimates]]
        drawn, left_out = (None if any(part is None for part in parts) else change(*parts) for parts in draws)
        return Estimate(change(*(each.point[None] for each in estimates))[0], drawn, left_out)

    def __getitem__(self, place: Any) -> Estimate:
        """Return some of the values."""
        return self.combined(lambda values: values[:, *(place if isinstance(place, tuple) else (place,))], self)

    def __sub__(self, other: Estimate) -> Estimate:
        """Compute the differences, those of drawn corpora pair by pair."""
        return self.combined(np.subtract, self, other)

    def bounds(self, confidence: float) -> np.ndarray:
        """Compute confidence intervals: BCa (Efron 1987), or percentiles without `left_out` or if BCa is undefined.

        NaN among the drawn values are ignored. BCa is undefined if all drawn values lie on one side of the point, or
        all values that are left out are equal.

        Returns:
            The lower and the upper bounds, shape (2, ...); NaN for a point that is NaN, and if no drawn value is a
            number.
        """
        result = np.full((2, self.point.size), np.nan)
        if self.drawn is not None:
            drawn = self.drawn.reshape(len(self.drawn), -1)
            left_out = None if self.left_out is None else self.left_out.reshape(len(self.left_out), -1)
            for place, point in enumerate(self.point.reshape(-1).tolist()):
                without = None if left_out is None else left_out[:, place]
                result[:, place] = _bounds(point, drawn[:, place], confidence, without)
        return result.reshape(2, *self.point.shape)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the bounds of one value, see `bounds`."""
        low, high = self.bounds(confidence).tolist()
        return low, high


def estimates(
    points: Mapping[Any, Any],
    of_weights: Callable[[np.ndarray], Mapping[Any, np.ndarray]],
    left_out: Callable[[], Mapping[Any, np.ndarray]],
    documents: int,
    resampling: Resampling | None,
) -> dict[Any, Estimate]:
    """Draw corpora, and estimate values from their scores.

    Args:
        points: the values of the corpus by key, shape (...).
        of_weights: computes them for corpora given by document weights, shape (corpora, ...).
        left_out: computes them without one group of documents after the other, shape (groups, ...).
        documents: how many documents there are.
        resampling: how corpora are drawn; None draws none.
    """
    values = {key: np.asarray(point, dtype=float) for key, point in points.items()}
    if resampling is None:
        return {key: Estimate(point) for key, point in values.items()}
    if documents < 2:
        return {key: Estimate(point, np.full((1, *point.shape), np.nan)) for key, point in values.items()}
    drawn = joined_values(map(of_weights, resampling.weights(documents)))
    without = left_out() if resampling.interval_method == "bca" else {}
    return {key: Estimate(point, drawn[key], without.get(key)) for key, point in values.items()}


def joined_values(parts: Iterable[Mapping[Any, np.ndarray]]) -> dict[Any, np.ndarray]:
    """Join the values of several parts by key."""
    joined: dict[Any, list[np.ndarray]] = {}
    for part in parts:
        for key, values in part.items():
            joined.setdefault(key, []).append(np.atleast_1d(values))
    return {key: np.concatenate(values) for key, values in joined.items()}


def _bounds(point: float, drawn: np.ndarray, confidence: float, left_out: np.ndarray | None) -> np.ndarray:
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) == 0 or np.isnan(point):
        return np.full(2, np.nan)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if left_out is not None:
        tails = _bca_tails(point, drawn, tails, left_out[~np.isnan(left_out)])
    return np.asarray(np.quantile(drawn, tails))


def _bca_tails(point: float, drawn: np.ndarray, tails: np.ndarray, left_out: np.ndarray) -> np.ndarray:
    """Shift the tails for bias and skewness of the bootstrap distribution (Efron 1987)."""
    # sums of the same numbers in another order differ in their last bits
    equal = np.isclose(drawn, point, rtol=1e-12, atol=1e-12)
    below = ((drawn < point) & ~equal).sum() + equal.sum() / 2
    spread = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    squares = (spread**2).sum()
    if not 0 < below < len(drawn) or squares < 1e-24:
        return tails
    normal = NormalDist()
    bias = normal.inv_cdf(below / len(drawn))
    acceleration = float((spread**3).sum() / (6 * squares**1.5))
    # at a level next to 1 the upper tail is 1 itself
    shifted = [bias + normal.inv_cdf(tail) for tail in np.minimum(tails, np.nextafter(1, 0)).tolist()]
    return np.array([normal.cdf(bias + tail / (1 - acceleration * tail)) for tail in shifted])
