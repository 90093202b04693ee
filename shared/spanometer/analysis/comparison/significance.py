"""Paired tests: whether the difference between two systems on the same documents is chance.

SciPy has both routines, `bootstrap` and `permutation_test(permutation_type="samples")`, but they call a statistic with
the documents of every drawn corpus: each draw gathers the counts of all documents, and they are summed from scratch.
Here a drawn corpus is a row of weights, and the counts of many of them are one product of matrices, of which documents
whose counts two systems share are one row. That is several times as fast (see benchmarks/results/resampling.md), and
all systems, measures and tests share the draws. The tests hold the values against those of SciPy's and sacreBLEU's
routines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...counts.counts import Counts
from ...counts.statistics import MOST_DOCUMENTS_DRAWN, MOST_DRAWS, Estimate, Resampling, require_bounded
from ...documents.arguments import DrawArguments
from ...measures.base import Measure
from ...options import option

LEVELS = {"*": 0.05, "**": 0.01, "***": 0.001}
"""The marks of p-values below a level."""

_EQUAL = 1e-12
"""Sums of the same numbers in another order differ in their last bits; what differs by no more is equal."""

_BLOCK = 1 << 21
"""At most about this many swaps are held at a time."""

FEWEST = 3
"""Of two systems there are two rankings only."""


@dataclass(frozen=True, kw_only=True)
class PairedResampling(Resampling):
    """Draws for a comparison: the bootstrap over documents, and swaps of two systems' outputs.

    Attributes:
        n_permutations: how many times documents' outputs are swapped at random.
    """

    n_permutations: int = option(
        10_000, help="number of random swaps for p-values", kind=int, low=1, high=MOST_DRAWS, metavar="N"
    )

    def exact(self, documents: int) -> bool:
        """Check whether all swaps of this many documents are tried: there are no more than the draws asked for."""
        return documents < 62 and 2**documents <= self.n_permutations

    def swaps(self, documents: int) -> Iterator[np.ndarray]:
        """Yield which documents' outputs are swapped, each with probability 1/2: blocks of shape (swaps, documents)."""
        step = max(_BLOCK // max(documents, 1), 1)
        if self.exact(documents):
            numbers = np.arange(2**documents)
            for first in range(0, len(numbers), step):
                yield (numbers[first : first + step, None] >> np.arange(documents)) & 1
            return
        require_bounded("n_permutations", self.n_permutations, documents, "document", MOST_DOCUMENTS_DRAWN)
        # other numbers than those of the bootstrap
        generator = np.random.default_rng([self.seed, 1])
        for first in range(0, self.n_permutations, step):
            size = min(step, self.n_permutations - first)
            # a row takes whole bytes, so that blocks make no difference
            bits = np.frombuffer(generator.bytes(size * -(-documents // 8)), dtype=np.uint8)
            yield np.unpackbits(bits.reshape(size, -1), axis=1, count=documents)


class PairedArguments(DrawArguments, total=False):
    """How corpora are drawn, and outputs swapped, see `PairedResampling`.

    Attributes:
        confidence: the level of the intervals.
        n_permutations: how many times outputs are swapped. A p-value is at least 1 / (n + 1), corrected over k pairs
            k / (n + 1): with sacreBLEU's 10,000 the six pairs of four systems can still be below 0.001.
    """

    confidence: float
    n_permutations: int


def bootstrap_test(difference: float, drawn: np.ndarray) -> float:
    """Compute the p-value of the paired bootstrap: p = (1 + #{|d* - mean of d*| >= |d|}) / (1 + n).

    Args:
        difference: d, that of the two systems.
        drawn: d*, the differences in drawn corpora, shape (n).
    """
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or math.isnan(difference):
        return math.nan
    return (1 + _reached(drawn - defined.mean(), difference)) / (1 + len(drawn))


def randomisation_test(
    measure: Measure, counts: Counts, others: Counts, differences: Mapping[str, float], resampling: PairedResampling
) -> tuple[dict[str, float], bool]:
    """Compute the p-values of paired approximate randomisation, and whether they are exact.

    p = (1 + #{|d*| >= |d|}) / (1 + n) over n random swaps; #{|d*| >= |d|} / n if there are no more than n at all.

    Args:
        measure: what scores the swapped outputs.
        counts, others: the counts of the two systems.
        differences: d, that of their values, by the keys that are compared.
        resampling: how to swap.
    """
    both, documents = _side_by_side(counts, others)
    exact = resampling.exact(documents)
    reached, number = dict.fromkeys(differences, 0), 0
    for swaps in resampling.swaps(documents):
        weights = np.zeros((len(swaps), both.documents))
        # what stands behind the documents that differ is never swapped
        weights[:, 0::2] = 1
        weights[:, 0 : 2 * documents : 2] -= swaps
        weights[:, 1 : 2 * documents : 2] = swaps
        first, second = (measure.score_weighted(both, side) for side in (weights, 1 - weights))
        for key, difference in differences.items():
            reached[key] += _reached(np.atleast_1d(first[key] - second[key]), difference)
        number += len(swaps)
    more = 0 if exact else 1
    p_values = {
        key: math.nan if math.isnan(difference) else (more + reached[key]) / (more + number)
        for key, difference in differences.items()
    }
    return p_values, exact


def holm(p_values: np.ndarray) -> np.ndarray:
    """Correct the p-values of several tests by Holm's method (1979), shape (tests); NaN stay, and count as tests.

    The smallest of k is multiplied by k, the next one by k - 1 and so on, none is made smaller than one before it, and
    none larger than 1.
    """
    order = np.argsort(p_values, kind="stable")
    factor = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factor), 1.0)
    return corrected


def ranks(values: np.ndarray, *, higher_is_better: bool) -> np.ndarray:
    """Rank values from 1, the best; equal values share the better rank, NaN come after all numbers.

    Args:
        values: shape (corpora, systems).
        higher_is_better: whether the highest value is the best.

    Returns:
        The ranks within each row, int64.
    """
    worth = np.where(np.isnan(values), -np.inf, values if higher_is_better else -values)
    better: np.ndarray = (worth[:, None, :] > worth[:, :, None] + _EQUAL).sum(axis=2)
    return 1 + better


def _reached(differences: np.ndarray, point: float) -> int:
    """Count the differences that are at least as large as that of the systems, either way."""
    return int((~(np.abs(differences) < abs(point) - _EQUAL)).sum())


def _side_by_side(counts: Counts, others: Counts) -> tuple[Counts, int]:
    """Join the counts of two systems, of each document those of the one and then those of the other.

    Of documents in which the two have the same counts, swapping changes nothing: they come last, as one document.
    Only if there is more than sums (counts row by row) all documents stand, in their order.

    Returns:
        The counts, and the number of documents that can be swapped.
    """
    documents = counts.documents
    # both are of the same reference, so that they add up in any case
    pooled, added = (
        type(part)(part.columns, part.labels, documents, part.shared, part.rows) for part in (counts, others)
    )
    pooled = pooled + added
    side, document = np.divmod(np.arange(2 * documents), max(documents, 1))
    if pooled.rows:
        return pooled.reordered(2 * document + side), documents
    differs = _differing(pooled, documents)
    swapped = int(differs.sum())
    place = np.where(differs, np.cumsum(differs) - 1, swapped)
    # small: documents are fewer than 2^30
    return pooled.grouped((2 * place[document] + side).astype(np.int32), 2 * swapped + 2), swapped


def _differing(pooled: Counts, documents: int) -> np.ndarray:
    """Flag the documents whose counts in the first half differ from those in the second."""
    differs = np.zeros(documents, dtype=bool)
    for matrix in pooled.matrices.values():
        difference = (matrix[:documents] - matrix[documents:]).tocoo()
        differs[difference.row[np.abs(difference.data) > _EQUAL]] = True
    return differs


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


def kendall(ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Compute Kendall's tau-b of pairs of rankings: tau = (C - D) / sqrt((C + D + T1) (C + D + T2)).

    C and D are the pairs of systems that both rank alike and differently, T1 and T2 those that only the other, or only
    the one, ranks equal.

    Args:
        ranks, others: ranks, shape (..., systems).

    Returns:
        float64 of shape (...), in [-1, 1]; NaN where one of the two ranks all systems equal.
    """
    first, second = _directions(ranks), _directions(others)
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
    correlations = []
    for (name, (ranks, drawn)), (other_name, (other_ranks, other_drawn)) in combinations(ranked.items(), 2):
        tau = float(kendall(ranks, other_ranks))
        bounds = Estimate(np.array(tau), kendall(drawn, other_drawn)).interval(confidence)
        contrary = _directions(ranks) * _directions(other_ranks) < 0
        correlations.append(
            RankCorrelation(
                measures=(name, other_name),
                tau=tau,
                interval=bounds,
                same=math.nan if math.isnan(bounds[0]) else float((drawn == other_drawn).all(axis=1).mean()),
                swapped=tuple(pair for pair, apart in zip(pairs, contrary.tolist(), strict=True) if apart),
            )
        )
    return tuple(correlations)


def _directions(ranks: np.ndarray) -> np.ndarray:
    """Find for each pair of systems which has the lower rank: -1, 0 or 1, float64 of shape (..., pairs)."""
    first, second = np.triu_indices(ranks.shape[-1], 1)
    signs: np.ndarray = np.sign(ranks[..., first] - ranks[..., second]).astype(float)
    return signs
