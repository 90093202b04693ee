"""Paired tests of the difference between two systems on the same documents, and rank correlations.

SciPy's `bootstrap` and `permutation_test(permutation_type="samples")` call a statistic with the documents of every
resampled corpus, so the counts of all documents are summed again each time. Here a resampled corpus is a row of
weights, and one matrix product sums the counts of many resampled corpora. Documents in which two systems have equal
counts have a row in common. This is several times as fast (see benchmarks/results/resampling.md), and all systems,
measures and tests use the same resampled corpora. Our tests compare the results with SciPy and sacreBLEU.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from typing import Any

import numpy as np

from ...counts.counts import Counts
from ...counts.statistics import MOST_DOCUMENTS_DRAWN, MOST_DRAWS, Estimate, Resampling, divide, require_bounded
from ...documents.arguments import DrawArguments
from ...measures.base import Measure, Scores
from ...options import option

LEVELS = {"*": 0.05, "**": 0.01, "***": 0.001}
"""The marks of p-values below each level."""

_EQUAL = 1e-12
"""Values that differ by at most this are equal, because summing in another order changes the last bits."""

_BLOCK = 1 << 21
"""The approximate number of swaps in memory at a time."""

FEWEST = 3
"""The minimum number of systems for a rank correlation; two systems have only two rankings."""


class PairedResampling(Resampling):
    """Resampling for comparisons: the bootstrap over documents, and swaps of two systems' outputs.

    Attributes:
        n_permutations: number of random permutations for p-values.
    """

    n_permutations: int = option(10_000, kind=int, low=1, high=MOST_DRAWS, metavar="N")

    def exact(self, documents: int) -> bool:
        """Check whether all possible swaps of these documents are tried: at most `n_permutations`."""
        return documents < 62 and 2**documents <= self.n_permutations

    def swaps(self, documents: int) -> Iterator[np.ndarray]:
        """Yield blocks of random swaps, shape (swaps, documents); True means swapped, with probability 1/2."""
        step = max(_BLOCK // max(documents, 1), 1)
        if self.exact(documents):
            numbers = np.arange(2**documents)
            for first in range(0, len(numbers), step):
                yield (numbers[first : first + step, None] >> np.arange(documents)) & 1
            return
        require_bounded("n_permutations", self.n_permutations, documents, "document", MOST_DOCUMENTS_DRAWN)
        # independent of the bootstrap's random numbers
        generator = np.random.default_rng([self.seed, 1])
        for first in range(0, self.n_permutations, step):
            size = min(step, self.n_permutations - first)
            # rows of whole bytes make the result independent of the block size
            bits = np.frombuffer(generator.bytes(size * -(-documents // 8)), dtype=np.uint8)
            yield np.unpackbits(bits.reshape(size, -1), axis=1, count=documents)


class PairedArguments(DrawArguments, total=False):
    """Arguments for resampling documents and swapping the systems' outputs, see `PairedResampling`.

    Attributes:
        confidence: the confidence level of the intervals.
        n_permutations: the number of random swaps n. A p-value is at least 1 / (n + 1), or k / (n + 1) after correction
            over k pairs. With 10,000 swaps, as in sacreBLEU, the six pairs of four systems can be below 0.001.
    """

    confidence: float
    n_permutations: int


def bootstrap_test(difference: float, drawn: np.ndarray) -> float:
    """Compute the p-value of the paired bootstrap: p = (1 + #{|d* - mean of d*| >= |d|}) / (1 + n).

    Args:
        difference: d, the difference of the two systems.
        drawn: d*, the differences in resampled corpora, shape (n).
    """
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or math.isnan(difference):
        return math.nan
    return float((1 + _reached(drawn - defined.mean(), difference)) / (1 + len(drawn)))


def randomisation_test(
    measure: Measure,
    counts: Counts,
    others: Counts,
    differences: Mapping[str, Any],
    resampling: PairedResampling,
    scores: Scores | None = None,
) -> tuple[dict[str, Any], bool]:
    """Compute the p-values of paired approximate randomisation, and whether they are exact.

    With n random swaps, p = (1 + #{|d*| >= |d|}) / (1 + n). If there are at most n possible swaps, all are tried, and p
    is #{|d*| >= |d|} divided by their number.

    Args:
        measure: the measure.
        counts, others: the counts of the two systems.
        differences: d, the difference of each compared score by key, of any shape.
        resampling: how to swap.
        scores: a function that computes these scores from totals by label; by default the scores of the corpus.
    """
    of_totals = scores or measure.score_totals
    both, documents = _side_by_side(counts, others)
    exact = resampling.exact(documents)
    # beside random swaps, the outputs as they are count as one more
    number = 2**documents if exact else 1 + resampling.n_permutations
    reached = dict[str, Any].fromkeys(differences, 0 if exact else 1)
    for swaps in resampling.swaps(documents):
        weights = np.zeros((len(swaps), both.documents))
        # equal documents come last and are never swapped
        weights[:, 0::2] = 1
        weights[:, 0 : 2 * documents : 2] -= swaps
        weights[:, 1 : 2 * documents : 2] = swaps
        first, second = (of_totals(measure.totals(both, side)) for side in (weights, 1 - weights))
        for key, difference in differences.items():
            reached[key] += _reached(first[key] - second[key], difference)
    p_values = {key: np.where(np.isnan(point), math.nan, reached[key] / number) for key, point in differences.items()}
    return p_values, exact


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """The result of a measure for two systems.

    Attributes:
        systems: their names.
        difference: the compared score of the first system minus that score of the second system.
        interval: the lower and upper bound of the difference.
        p_randomisation: the p-value of paired approximate randomisation.
        p_bootstrap: the p-value of the paired bootstrap; too small with few documents, see docs/uncertainty.md.
        p_randomisation_holm, p_bootstrap_holm: the p-values, corrected over all pairs of the measure.
        exact: whether `p_randomisation` uses all possible swaps instead of random ones.
    """

    systems: tuple[str, str]
    difference: float
    interval: tuple[float, float]
    p_randomisation: float
    p_randomisation_holm: float
    p_bootstrap: float
    p_bootstrap_holm: float
    exact: bool

    @property
    def mark(self) -> str:
        """Stars for `p_randomisation_holm`, see `LEVELS`; empty if it is 0.05 or more."""
        return max((mark for mark, level in LEVELS.items() if self.p_randomisation_holm < level), key=len, default="")


def compared_pairs(
    measure: Measure, counts: Mapping[str, Counts], scores: Scores, resampling: PairedResampling
) -> tuple[dict[str, Estimate], dict[str, list[tuple[PairResult, ...]]]]:
    """Estimate the scores of all systems, and compare all pairs by the scores that rank, in each part of the counts.

    Args:
        measure: the measure.
        counts: the counts of the systems by name, with common labels.
        scores: the function that computes the scores of all parts from totals by label.
        resampling: how to resample and to swap; its level is the level of the intervals.

    Returns:
        The scores by key, shape (parts, systems); and, for each key by which the measure ranks, the pairs of each part.
    """
    estimates = measure.joint_estimates(list(counts.values()), resampling, scores)
    pairs, (first, second) = list(combinations(counts, 2)), np.triu_indices(len(counts), 1)
    ranking = {key: estimates[key] for key in (measure.headline, *measure.ranked)}
    differences = {key: each[:, first] - each[:, second] for key, each in ranking.items()}
    swapped = []
    for number, (system, other) in enumerate(pairs):
        points = {key: each.point[:, number] for key, each in differences.items()}
        swapped.append(randomisation_test(measure, counts[system], counts[other], points, resampling, scores))
    results: dict[str, list[tuple[PairResult, ...]]] = {key: [] for key in differences}
    for key, difference in differences.items():
        bounds, drawn = difference.bounds(resampling.confidence), np.asarray(difference.drawn)
        for part, points_of_part in enumerate(difference.point.tolist()):
            columns: dict[str, Sequence[Any]] = {
                "systems": pairs,
                "difference": points_of_part,
                "interval": list(map(tuple, bounds[:, part].T.tolist())),
                "p_randomisation": [float(p_value[key][part]) for p_value, _ in swapped],
                "p_bootstrap": list(map(bootstrap_test, points_of_part, drawn[:, part].T)),
                "exact": [exact for _, exact in swapped],
            }
            for name in ("p_randomisation", "p_bootstrap"):
                columns[f"{name}_holm"] = holm(np.array(columns[name])).tolist()
            rows = zip(*columns.values(), strict=True)
            results[key].append(tuple(PairResult(**dict(zip(columns, row, strict=True))) for row in rows))
    return estimates, results


def holm(p_values: np.ndarray) -> np.ndarray:
    """Correct the p-values of several tests by Holm's method (1979), shape (tests). NaN is kept and counts as a test.

    The smallest of k p-values is multiplied by k, the next one by k - 1 and so on. No corrected p-value is smaller than
    an earlier one, or larger than 1.
    """
    order = np.argsort(p_values, kind="stable")
    factor = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factor), 1.0)
    return corrected


def ranks(values: np.ndarray, *, higher_is_better: bool) -> np.ndarray:
    """Rank values from 1 (the best). Equal values have the same, better rank; NaN comes last.

    Args:
        values: the values, shape (..., systems).
        higher_is_better: whether the highest value is the best.

    Returns:
        The ranks of the systems, int64 of the same shape.
    """
    worth = np.where(np.isnan(values), -np.inf, values if higher_is_better else -values)
    return np.asarray(1 + (worth[..., None, :] > worth[..., :, None] + _EQUAL).sum(axis=-1))


def _reached(differences: np.ndarray, point: Any) -> Any:
    """Count the differences, shape (n, ...), with an absolute value at least as large as the observed one."""
    return (~(np.abs(differences) < np.abs(point) - _EQUAL)).sum(axis=0)


def _side_by_side(counts: Counts, others: Counts) -> tuple[Counts, int]:
    """Interleave the counts of two systems: for each document, first one system's counts and then the other's.

    Swapping cannot change documents with equal counts: they are merged into one document at the end. If the counts
    keep rows and not only sums, all documents are kept.

    Returns:
        The counts, and the number of documents that can be swapped.
    """
    documents = counts.documents
    # plain counts, since both share a reference and need no check
    pooled = replace(counts, measure=None, seen={}) + replace(others, measure=None, seen={})
    side, document = np.divmod(np.arange(2 * documents), max(documents, 1))
    if pooled.rows:
        return pooled.grouped(2 * document + side, 2 * documents), documents
    differs = np.zeros(documents, dtype=bool)
    for matrix in pooled.matrices.values():
        difference = (matrix[:, :documents] - matrix[:, documents:]).tocoo()
        differs[difference.col[np.abs(difference.data) > _EQUAL]] = True
    swapped = int(differs.sum())
    place = np.where(differs, np.cumsum(differs) - 1, swapped)
    # int32 is enough: there are fewer than 2^30 documents
    return pooled.grouped((2 * place[document] + side).astype(np.int32), 2 * swapped + 2), swapped


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """The rank correlation of two measures over the same systems.

    Attributes:
        measures: the names of their results.
        tau: Kendall's tau-b of the two rankings, in [-1, 1]: 1 if they are equal, -1 if they are opposite; NaN if one
            measure ranks all systems equal.
        interval: the lower and upper bound of the bootstrap percentile interval over documents. It says what other
            documents would give, not what other systems would give.
        same: the proportion of resampled corpora in which the two rankings are equal.
        swapped: the pairs of systems that the two measures rank differently.
    """

    measures: tuple[str, str]
    tau: float
    interval: tuple[float, float]
    same: float
    swapped: tuple[tuple[str, str], ...]


def kendall(ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Compute Kendall's tau-b of pairs of rankings: tau = (C - D) / sqrt((C + D + T1) (C + D + T2)).

    C is the number of pairs of systems that both rankings have in the same order, D the number in opposite order. T1 is
    the number of pairs that only the second ranking ranks equal, T2 the number that only the first ranks equal.

    Args:
        ranks, others: the ranks, shape (..., systems).

    Returns:
        float64 of shape (...), in [-1, 1]; NaN if a ranking ranks all systems equal.
    """
    first, second = _directions(ranks), _directions(others)
    agreement = (first * second).sum(axis=-1)
    scale = np.sqrt(np.abs(first).sum(axis=-1) * np.abs(second).sum(axis=-1))
    return divide(agreement, scale, math.nan)


def rank_correlations(
    ranked: Mapping[str, tuple[np.ndarray, np.ndarray]], systems: Sequence[str], confidence: float
) -> tuple[RankCorrelation, ...]:
    """Correlate the rankings of each pair of measures.

    Args:
        ranked: for each result, the ranks of the systems, shape (systems), and the ranks in resampled corpora, shape
            (corpora, systems). All results have the same resampled corpora.
        systems: the names of the systems.
        confidence: the confidence level of the intervals.
    """
    correlations, pairs = [], list(combinations(systems, 2))
    for (name, (ranks, drawn)), (other, (other_ranks, other_drawn)) in combinations(ranked.items(), 2):
        tau = kendall(ranks, other_ranks)
        low, high = Estimate(tau, kendall(drawn, other_drawn)).interval(confidence)
        same = math.nan if math.isnan(low) else float((drawn == other_drawn).all(axis=1).mean())
        swapped = tuple(compress(pairs, _directions(ranks) * _directions(other_ranks) < 0))
        own: dict[str, Any] = {"measures": (name, other), "tau": float(tau), "interval": (low, high)}
        correlations.append(RankCorrelation(**own, same=same, swapped=swapped))
    return tuple(correlations)


def _directions(ranks: np.ndarray) -> np.ndarray:
    """Compute the sign of the rank difference of each pair of systems, float64 of shape (..., pairs)."""
    first, second = np.triu_indices(ranks.shape[-1], 1)
    return np.asarray(np.sign(ranks[..., first] - ranks[..., second]), dtype=float)
