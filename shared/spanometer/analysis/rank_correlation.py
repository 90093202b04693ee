"""How alike two measures rank systems: Kendall's tau, and how far the corpus fixes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..counts.estimates import Estimate

FEWEST = 3
"""Of two systems there are two rankings only."""


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """How alike two measures rank the same systems.

    Attributes:
        measures: the names of their results.
        tau: Kendall's tau-b of the two rankings, in [-1, 1]: 1 for equal ones, -1 for opposite ones; NaN if one of
            them ranks all systems alike.
        interval: the lower and the upper bound of its bootstrap percentile interval over documents. It says how far
            other documents would change the rankings of these systems, nothing of other systems.
        same: the share of the drawn corpora in which the two rankings are equal.
        swapped: the pairs of systems that one of them ranks this way and the other that way.
    """

    measures: tuple[str, str]
    tau: float
    interval: tuple[float, float]
    same: float
    swapped: tuple[tuple[str, str], ...]


def kendall(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Compute Kendall's tau-b of pairs of rankings: tau = (C - D) / sqrt((C + D + T1) (C + D + T2)).

    C and D are the pairs of systems that both rank alike and differently, T1 and T2 those that only the other, or only
    the one, ranks equal.

    Args:
        one, other: ranks, shape (..., systems).

    Returns:
        float64 of shape (...), in [-1, 1]; NaN where one of the two ranks all systems equal.
    """
    first, second = _directions(one), _directions(other)
    agreement = (first * second).sum(axis=-1)
    scale = np.sqrt(np.abs(first).sum(axis=-1) * np.abs(second).sum(axis=-1))
    tau: np.ndarray = np.divide(agreement, scale, out=np.full(scale.shape, np.nan), where=scale > 0)
    return tau


def rank_correlations(
    ranked: Mapping[str, tuple[np.ndarray, np.ndarray]], systems: Sequence[str], confidence: float
) -> tuple[RankCorrelation, ...]:
    """Correlate the rankings of each two measures.

    Args:
        ranked: for each result the ranks of the systems, shape (systems), and those in drawn corpora, shape (corpora,
            systems); all of the same draws.
        systems: their names.
        confidence: the level of the intervals.
    """
    pairs = list(combinations(systems, 2))
    found = []
    for (name, (one, drawn)), (other_name, (other, other_drawn)) in combinations(ranked.items(), 2):
        tau = float(kendall(one, other))
        bounds = Estimate(np.array(tau), kendall(drawn, other_drawn)).interval(confidence)
        contrary = _directions(one) * _directions(other) < 0
        found.append(
            RankCorrelation(
                measures=(name, other_name),
                tau=tau,
                interval=bounds,
                same=math.nan if math.isnan(bounds[0]) else float((drawn == other_drawn).all(axis=1).mean()),
                swapped=tuple(pair for pair, apart in zip(pairs, contrary.tolist(), strict=True) if apart),
            )
        )
    return tuple(found)


def _directions(ranks: np.ndarray) -> np.ndarray:
    """Return for each pair of systems which has the lower rank: -1, 0 or 1, float64 of shape (..., pairs)."""
    one, other = np.triu_indices(ranks.shape[-1], 1)
    signs: np.ndarray = np.sign(ranks[..., one] - ranks[..., other]).astype(float)
    return signs
