"""Statistics of counts: ratios, averages over labels, estimates from the corpus and from resampled corpora.

Counts are kept by document, so a resampled corpus is a row of weights, and its sums are a matrix product. This is
much faster than SciPy's `bootstrap`, which draws indices of documents; tests compare the results.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from ..exceptions import InputError, counted, setting
from ..options import CheckedOptions, made, option, options_of, reused_option

AVERAGES = {
    "micro": "sum the counts of all labels",
    "macro": "unweighted mean over labels",
    "weighted": "mean over labels, weighted by their number of reference spans",
}
"""The ways to average over labels."""

DOCUMENTS = "documents"
"""The average over documents."""

DOCUMENTS_BY_LABEL = "documents_by_label"
"""The average over documents, also for the score of each label."""

ALL_AVERAGES = {**AVERAGES, DOCUMENTS: "mean over documents; label scores are the same as with micro"}
"""All ways to average, over labels or documents."""

_BLOCK = 1 << 19
"""The maximum number of weights in memory."""

MOST_DRAWS = 1_000_000
"""The maximum number of resampled corpora, because all their values are stored."""

MOST_DOCUMENTS_DRAWN = 40_000_000_000
"""The maximum number of documents in all resampled corpora; they take about ten minutes for one measure."""

GROUPS = 1000
"""The maximum number of groups of documents for the jackknife."""

FEW_GROUPS = 100
"""The maximum number of groups for the jackknife if counts cannot be subtracted."""

FEW_DOCUMENTS = 20
"""With fewer documents, intervals are clearly too narrow, see docs/uncertainty.md."""

FEW_WITH_LABEL = 10
"""If a label is in fewer documents, its interval is unreliable."""


def require_bounded(option: str, draws: int, size: int, noun: str, most: int) -> None:
    """Raise an `InputError` if `draws * size` exceeds a limit, because it would take too long."""
    if draws * size > most:
        limit = f"The maximum is {most:,} {noun}s in all (about ten minutes)"
        problem = f"{draws:,} {option.removeprefix('n_')} of {counted(size, noun)} take too long. {limit}."
        raise InputError(problem, f"Set {setting(option, most // size)} or less.", option=option)


def divide(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> np.ndarray:
    """Divide element by element; if a denominator is 0, the result is `zero_division`."""
    numerator, denominator = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), float(zero_division))
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def precision_recall_f1(
    right: np.ndarray,
    predicted: np.ndarray,
    found: np.ndarray,
    reference: np.ndarray,
    zero_division: float,
    beta: float = 1.0,
) -> dict[str, np.ndarray]:
    """Compute precision `right / predicted`, recall `found / reference` and F-beta, element by element.

    Args:
        right: the part of the prediction that is right.
        predicted: the size of the prediction.
        found: the part of the reference that is found; for most measures the same as `right`.
        reference: the size of the reference.
        zero_division: the precision of an empty prediction, the recall of an empty reference, and F1 if both are empty.
        beta: recall weighs beta times as much as precision, see `f_of`; 1 gives the harmonic mean.

    Returns:
        `precision`, `recall` and `f1`, in [0, 1], higher is better. F1 is 0 if nothing is right, also if only one side
        is empty.
    """
    counts = right, predicted, found, reference
    right, predicted, found, reference = (np.asarray(count, dtype=float) for count in counts)
    # `f_of` without intermediate fractions: correctly rounded if right and found are the same integer
    share = beta**2
    f1 = divide((1 + share) * right * found, share * right * reference + found * predicted, 0.0)
    f1 = np.where(right == found, divide((1 + share) * right, predicted + share * reference, 0.0), f1)
    return {
        "precision": divide(right, predicted, zero_division),
        "recall": divide(found, reference, zero_division),
        "f1": np.where((predicted == 0) & (reference == 0), zero_division, f1),
    }


def f_of(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    """Compute F-beta, `(1 + beta²) P R / (beta² P + R)`, element by element; 0 if precision and recall are 0."""
    return divide((1 + beta**2) * precision * recall, beta**2 * precision + recall, 0.0)


def average_over_labels(
    scores: Mapping[Any, np.ndarray], weights: np.ndarray, pooled: Mapping[Any, np.ndarray]
) -> dict[Any, np.ndarray]:
    """Compute weighted means over labels (the last axis), leaving out NaN scores.

    Args:
        scores: the scores by key, shape (..., labels).
        weights: the weights of labels, shape (..., labels), 0 for absent labels.
        pooled: the scores of all labels together, used if all weights are 0.
    """
    averages = {}
    weight = weights.astype(float)
    unweighted = weight.sum(axis=-1) == 0
    for key, values in scores.items():
        kept = (weight * ~np.isnan(values)).sum(axis=-1)
        sums = np.nansum(values * weight, axis=-1)
        averages[key] = np.where(unweighted, pooled[key], divide(sums, kept, np.nan))
    return averages


class Resampling(CheckedOptions):
    """The bootstrap over documents: a resampled corpus has as many documents as the corpus, drawn with replacement.

    An interval with `bca` is bias-corrected and accelerated (Efron 1987); with `percentile`, it lies between quantiles
    of the resampled scores.

    Attributes:
        confidence: add bootstrap confidence intervals of this level, such as 0.95, by resampling documents.
        n_resamples: the number of resampled corpora.
        seed: the seed of the random generator. The same seed gives the same resampled corpora for all measures.
        interval_method: type of confidence interval.
    """

    confidence: float = option(
        0.95, low=0, high=1, exclusive=True, metavar="LEVEL", label="Confidence interval", common=True
    )
    interval_method: str = option(
        "bca", choices={"bca": "bias-corrected and accelerated", "percentile": "quantiles of the resampled scores"}
    )
    n_resamples: int = option(1000, help="number of bootstrap resamples", low=1, high=MOST_DRAWS, metavar="N")
    seed: int = option(0, help="random seed", low=0, metavar="N")

    @classmethod
    def chosen(cls, confidence: float | None, values: Mapping[str, Any]) -> Self | None:
        """Create a resampling from options; None if no level is set, but the other options are still checked."""
        resampling = made(cls, {**values, "confidence": cls.confidence if confidence is None else confidence})
        return None if confidence is None else resampling

    def weights(self, documents: int) -> Iterator[np.ndarray]:
        """Yield blocks with the number of copies of each document in resampled corpora, shape (corpora, documents)."""
        require_bounded("n_resamples", self.n_resamples, documents, "document", MOST_DOCUMENTS_DRAWN)
        generator = np.random.default_rng(self.seed)
        step = max(_BLOCK // max(documents, 1), 1)
        for first in range(0, self.n_resamples, step):
            size = min(step, self.n_resamples - first)
            # the memory order of the product
            weights = np.empty((size, documents), order="F")
            for row in range(size):
                drawn = generator.integers(documents, size=documents, dtype=np.int32)
                weights[row] = np.bincount(drawn, minlength=documents)
            yield weights

    def options(self) -> dict[str, object]:
        """Return the options for the signature."""
        return {name: getattr(self, name) for name in options_of(self)}


class Intervals(Resampling):
    """Options for intervals, which are computed only if their level is set."""

    confidence: Any = reused_option(Resampling, "confidence", default=None, optional=True)


def jackknife_groups(documents: int, groups: int = GROUPS) -> np.ndarray:
    """Assign document d to group d modulo `groups`; if there are at most `groups` documents, each is a group."""
    return np.arange(documents, dtype=np.int32) % max(min(documents, groups), 1)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values of a corpus and of resampled corpora.

    Attributes:
        point: the values of the corpus, shape (...).
        drawn: the values of resampled corpora, shape (corpora, ...). None without resampling; NaN if there are fewer
            than two documents.
        left_out: for BCa, the values with each group of documents left out in turn, shape (groups, ...); otherwise
            None.
    """

    point: np.ndarray
    drawn: np.ndarray | None = None
    left_out: np.ndarray | None = None

    @staticmethod
    def combined(change: Callable[..., np.ndarray], *estimates: "Estimate") -> "Estimate":
        """Apply a function to the values of several estimates, for the corpus and for each resampled corpus."""
        draws = [[estimate.drawn for estimate in estimates], [estimate.left_out for estimate in estimates]]
        drawn, left_out = (None if any(part is None for part in parts) else change(*parts) for parts in draws)
        return Estimate(change(*(estimate.point[None] for estimate in estimates))[0], drawn, left_out)

    def __getitem__(self, place: Any) -> "Estimate":
        """Select values."""
        return self.combined(lambda values: values[:, *(place if isinstance(place, tuple) else (place,))], self)

    def __sub__(self, other: "Estimate") -> "Estimate":
        """Compute the differences of two estimates that have the same resampled corpora."""
        return self.combined(np.subtract, self, other)

    def bounds(self, confidence: float) -> np.ndarray:
        """Compute confidence intervals by BCa (Efron 1987); by percentiles if `left_out` is None or BCa is undefined.

        NaN among the resampled values is ignored. BCa is undefined if all resampled values lie on one side of the
        point, or if all values in `left_out` are equal.

        Returns:
            The lower and upper bounds, shape (2, ...); NaN if the point or all resampled values are NaN.
        """
        result = np.full((2, *self.point.shape), np.nan)
        if self.drawn is None:
            return result
        for place, point in np.ndenumerate(self.point):
            drawn, tails = self.drawn[:, *place], np.array([(1 - confidence) / 2, (1 + confidence) / 2])
            drawn = drawn[~np.isnan(drawn)]
            if len(drawn) and not np.isnan(point):
                if self.left_out is not None:
                    left_out = self.left_out[:, *place]
                    tails = _bca_tails(float(point), drawn, tails, left_out[~np.isnan(left_out)])
                result[:, *place] = np.quantile(drawn, tails)
        return result

    def interval(self, confidence: float) -> tuple[float, float]:
        """Compute the confidence interval of a single value, see `bounds`."""
        low, high = self.bounds(confidence).tolist()
        return low, high


def estimates(
    points: Mapping[Any, Any],
    of_weights: Callable[[np.ndarray], Mapping[Any, np.ndarray]],
    left_out: Callable[[], Mapping[Any, np.ndarray]],
    documents: int,
    resampling: Resampling | None,
) -> dict[Any, Estimate]:
    """Compute values for the corpus and for resampled corpora.

    Args:
        points: the values of the corpus by key, shape (...).
        of_weights: a function that computes the values of corpora with weighted documents, shape (corpora, ...).
        left_out: a function that computes the values with each group of documents left out in turn, shape (groups,
            ...).
        documents: the number of documents.
        resampling: how corpora are resampled; None means no resampling.
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
    """Concatenate the values of several parts by key."""
    joined: dict[Any, list[np.ndarray]] = {}
    for part in parts:
        for key, values in part.items():
            joined.setdefault(key, []).append(np.atleast_1d(values))
    return {key: np.concatenate(values) for key, values in joined.items()}


def _bca_tails(point: float, drawn: np.ndarray, tails: np.ndarray, left_out: np.ndarray) -> np.ndarray:
    """Adjust the tail probabilities for bias and skewness of the bootstrap distribution (Efron 1987)."""
    # equal sums may differ in their last bits
    equal = np.isclose(drawn, point, rtol=1e-12, atol=1e-12)
    below = ((drawn < point) & ~equal).sum() + equal.sum() / 2
    spread = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    squares = (spread**2).sum()
    if not 0 < below < len(drawn) or squares < 1e-24:
        return tails
    normal = NormalDist()
    bias = normal.inv_cdf(below / len(drawn))
    acceleration = float((spread**3).sum() / (6 * squares**1.5))
    # at a level close to 1 the upper tail rounds to 1
    shifted = [bias + normal.inv_cdf(tail) for tail in np.minimum(tails, np.nextafter(1, 0)).tolist()]
    return np.array([normal.cdf(bias + tail / (1 - acceleration * tail)) for tail in shifted])
