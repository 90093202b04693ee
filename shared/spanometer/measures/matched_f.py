"""F1 over spans that are matched one to one.

`mpp` maximises F = 2PR / (P + R). F is not a sum over pairs, so an assignment algorithm cannot maximise it directly.
However, for 0 <= s <= 1, F is at most 2(1 - s)² P + 2 s² R, with equality only at s = P / (P + R). If a matching
maximises this weighted sum, and s = P / (P + R) for its own P and R, it also maximises F. If no such matching is found,
matchings are compared: all of them in small groups of overlapping spans, and those within the bound in large groups.
"""

import numpy as np

from ..alignment.matching import Groups, connected, contested, lexicographic_matching
from ..alignment.overlaps import Alignment
from ..arrays import ranked, run_bounds
from ..counts.counts import Column
from ..counts.statistics import divide
from ..exceptions import InputError
from ..options import option
from .aligned import FMeasure, f_results

_THRESHOLDS = [step / 20 for step in range(10, 20)]
"""The thresholds of `iou_50_95`, as in detection benchmarks."""

_EQUAL = 1e-12
"""Values of F that differ by less than this are equal."""

_TRIED = 4096
"""The maximum number of combinations of groups that are compared at once."""

_ROUNDS = 24
"""The maximum number of weights s that are tried."""

_UNIT = 2.0**40
"""Credits and weights are multiplied by this and rounded to integers, so that comparisons are exact."""

_SLACK = 1e-9
"""The rounding error of a matching's weighted sum, in spans."""

MOST_COMPARED = 200_000
"""The maximum number of matchings in memory."""


class MatchedF(FMeasure):
    """Compute precision, recall and F1 over pairs of overlapping spans, matched one to one.

    P = (1 / |Ŝ|) Σ c(ŝ, s), R = (1 / |S|) Σ c(ŝ, s), summed over the matched pairs. S are the reference spans and Ŝ the
    predicted spans; each span is in at most one pair. With IoU = |ŝ ∩ s| / |ŝ ∪ s|, `credit` sets the credit c of a
    pair and the matching:

    - `iou_threshold`: c is 1 if IoU is at least `threshold`, otherwise 0; the matching has the most such pairs.
    - `iou_50_95`: the mean over the thresholds 0.5, 0.55 ... 0.95, each with its own matching. |Ŝ| and |S| are the same
      for all thresholds, so the mean of F1 is the F1 of the mean P and the mean R.
    - `iou`: c is IoU; the matching has the largest sum.
    - `overlap`: c is 1; the matching has the most pairs.
    - `mpp` (Perrella et al. 2026): c is |ŝ ∩ s| / |ŝ| in P and |ŝ ∩ s| / |s| in R. The matching has the largest F1 of
      the label in the document, then the largest P + R, then the largest P.

    All scores are in [0, 1], higher is better. Each label is matched separately, so the counts of labels add up to the
    total. Discontinuous spans are sets of tokens. With `iou_threshold`, the threshold 1 gives `span_f`; 0 gives
    `overlap`, because pairs always overlap.

    Attributes:
        credit: the credit of a pair, see above.
        threshold: minimum intersection over union, for credit=iou_threshold.

    Counts: `both`, the summed credits (with `mpp`: `right` and `found`); `predicted`, `reference`, in spans.

    Raises:
        InputError: if a threshold is set with another credit, or if too many spans of one label overlap each other, see
            `matching.LARGEST_GROUP` and `MOST_COMPARED`.
    """

    credit: str = option(
        "iou_threshold",
        help="credit of a matched pair",
        choices={
            "iou_threshold": "1 if the intersection over union (IoU) reaches the threshold, otherwise 0",
            "iou_50_95": "mean of iou_threshold for the thresholds 0.5, 0.55 ... 0.95",
            "iou": "the IoU",
            "overlap": "1, even if only one token is shared",
            "mpp": "for precision, shared tokens / predicted tokens; for recall, shared tokens / reference tokens",
        },
        label="Credit of a pair",
    )
    threshold: float = option(0.5, low=0, high=1, label="Threshold", only_with={"credit": ("iou_threshold",)})

    name = "matched_f"
    results = f_results(
        "total credit of the matched pairs / number of predicted spans",
        "total credit of the matched pairs / number of reference spans",
    )
    place = 56
    support = "reference"

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Match spans and sum the credits of the pairs."""
        credits = self._shares(alignment) if self.credit == "mpp" else {"both": self._pairs(alignment)}
        return {**credits, "predicted": alignment.predictions.column()}

    def _pairs(self, alignment: Alignment) -> Column:
        """Compute the credit of each matched pair."""
        pairs, references = alignment.pairs, alignment.references
        sizes = references.size[pairs.reference] + alignment.predictions.size[pairs.prediction]
        iou = pairs.shared / (sizes - pairs.shared)
        if self.credit == "iou":
            level = np.rint(iou * _UNIT).astype(np.int64)
            chosen = lexicographic_matching(pairs.reference, pairs.prediction, [level, np.ones_like(level)])
            return references.column(pairs.reference[chosen], iou[chosen])
        # pairs that reach a threshold also reach the lower ones
        kept, matched = np.arange(len(iou)), []
        for threshold in {"overlap": [0.0], "iou_threshold": [self.threshold]}.get(self.credit, _THRESHOLDS):
            kept = kept[iou[kept] >= threshold]
            # the matching with the most pairs
            levels = [np.ones(len(kept), dtype=np.int64)]
            chosen = lexicographic_matching(pairs.reference[kept], pairs.prediction[kept], levels)
            matched.append(pairs.reference[kept[chosen]])
        if len(matched) == 1:
            return references.column(matched[0])
        spans, times = np.unique(np.concatenate(matched), return_counts=True)
        return references.column(spans, times / len(_THRESHOLDS))

    def _shares(self, alignment: Alignment) -> dict[str, Column]:
        """Compute the covered proportion of each matched predicted and reference span."""
        pairs, sides = alignment.pairs, (alignment.predictions, alignment.references)
        of_sides = (pairs.prediction, pairs.reference)
        shares = [pairs.shared / side.size[spans] for side, spans in zip(sides, of_sides, strict=True)]
        # sides are ordered by label and document
        places = [side.places(alignment.documents) for side in sides]
        place = places[1][pairs.reference]
        sizes = [np.searchsorted(of_side, place, side="right") - np.searchsorted(of_side, place) for of_side in places]
        place, sums = harmonic_matching(
            pairs.reference, pairs.prediction, np.stack(shares, axis=1), place, np.stack(sizes, axis=1)
        )
        label, document = np.divmod(place, max(alignment.documents, 1))
        return {name: Column(document, label, sums[:, side]) for side, name in enumerate(("right", "found"))}


def harmonic_matching(
    rows: np.ndarray, columns: np.ndarray, credits: np.ndarray, place: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Match spans one to one so that F is largest for each document and label; sum the credits of the pairs.

    Ties (to 1e-12) go to the largest P + R, then to the largest P.

    Args:
        rows, columns: the two spans of each pair; no pair occurs twice.
        credits: the positive credits of each pair in P and in R, shape (pairs, 2).
        place: the place of each pair. Pairs with a common span are in the same place.
        sizes: the number of spans of each side in the pair's place, shape (pairs, 2).

    Returns:
        The places in ascending order, and their summed credits, shape (places, 2).

    Raises:
        InputError: if a group is too large, see `matching.LARGEST_GROUP` and `MOST_COMPARED`.
    """
    places, first, of_pair = np.unique(place, return_index=True, return_inverse=True)
    of_pair, sizes = of_pair.ravel(), sizes[first]
    pairs, group, row, column = contested(rows, columns)
    free = np.delete(np.arange(len(rows)), pairs)
    sums = _summed(of_pair[free], credits[free], len(places))
    groups = Groups(row, column, group, list(credits[pairs].T))
    of_group = of_pair[pairs[groups.first]]
    fronts: dict[int, list[np.ndarray]] = {}
    searched = np.bincount(of_group[~groups.small], minlength=len(places)) > 0
    hard = ~groups.small
    for choices, width, block in groups.enumerated():
        totals_of = np.stack(list(groups.sums(choices, width, block)), axis=-1)
        best = totals_of.max(axis=1)
        # one choice is best on both sides
        plain = (totals_of >= best[:, None] - _EQUAL).all(axis=-1).any(axis=1)
        sums += _summed(of_group[block[plain]], best[plain], len(places))
        hard[block[~plain]] = True
        for number, values in zip(of_group[block[~plain]].tolist(), totals_of[~plain], strict=True):
            fronts.setdefault(number, []).append(_front(values))
    for number, of_place in fronts.items():
        if np.prod([float(len(front)) for front in of_place]) > _TRIED:
            searched[number] = True
        elif not searched[number]:
            totals = sums[number][None]
            for front in of_place:
                totals = (totals[:, None] + front).reshape(-1, 2)
            sums[number] = _best(totals, sizes[number])
    open_ = pairs[np.repeat(hard, groups.last - groups.first) & searched[of_pair[pairs]]]
    if len(open_):
        own = np.flatnonzero(searched)
        of_open = np.searchsorted(own, of_pair[open_])
        sums[own] = _search(rows[open_], columns[open_], credits[open_], of_open, sums[own], sizes[own])
    return places, sums


def _summed(place: np.ndarray, credits: np.ndarray, places: int) -> np.ndarray:
    return np.stack([np.bincount(place, weights=side, minlength=places) for side in credits.T], axis=1).astype(float)


def _front(points: np.ndarray) -> np.ndarray:
    """Select the Pareto-optimal points."""
    points = points[np.lexsort((-points[:, 1], -points[:, 0]))]
    below = np.maximum.accumulate(points[:, 1])[:-1]
    return np.asarray(points[np.append(True, points[1:, 1] > below + _EQUAL)])


def _means(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Compute F from summed credits, shape (..., 2); 0 if there are no credits."""
    shares = sums / sizes
    return divide(2 * shares.prod(axis=-1), shares.sum(axis=-1), 0.0)


def _best(totals: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the best row of summed credits, shape (matchings, 2)."""
    for value_of in (_means, lambda sums, sizes: (sums / sizes).sum(axis=1), lambda sums, sizes: sums[:, 0]):
        value = value_of(totals, sizes)
        totals = totals[value >= value.max() - _EQUAL]
    return np.asarray(totals[0])


def _search(
    rows: np.ndarray, columns: np.ndarray, credits: np.ndarray, place: np.ndarray, fixed: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Compute the summed credits of the best matching in each place, added to the credits of fixed pairs.

    Bisect the weight s until the bound is lowest. If no matching reaches the bound, compare all matchings within it.
    """
    sums, share = fixed.copy(), np.full(len(sizes), 0.5)
    best = np.zeros(len(sizes))
    low, high = np.zeros(len(sizes)), np.ones(len(sizes))
    waiting = np.ones(len(sizes), dtype=bool)
    for turn in range(_ROUNDS):
        pairs = np.flatnonzero(waiting[place])
        of_pair = place[pairs]
        weights = _weights(share) * sizes.min(axis=1, keepdims=True) / sizes
        worth = np.rint((weights[of_pair] * credits[pairs]).sum(axis=1) * _UNIT).astype(int)
        chosen = pairs[lexicographic_matching(rows[pairs], columns[pairs], [worth])]
        totals = fixed + _summed(place[chosen], credits[chosen], len(sizes))
        better = waiting & (_means(totals, sizes) > best)
        sums[better], best[better] = totals[better], _means(totals, sizes)[better]
        bound = (_weights(share) * totals / sizes).sum(axis=1)
        waiting &= bound > best + _EQUAL
        if not waiting.any():
            return sums
        # P / (P + R), at which the bound equals F; 1/2 if there are no credits
        shares = totals / sizes
        lean = divide(shares[:, 0], shares.sum(axis=1), 0.5)
        low, high = np.where(lean > share, share, low), np.where(lean > share, high, share)
        # try the weights where the choice would be best and the middle in turn
        inside = (lean > low) & (lean < high) & (turn % 2 == 0)
        share = np.where(waiting, np.where(inside, lean, (low + high) / 2), share)
    for number in np.flatnonzero(waiting).tolist():
        own = place == number
        weights = _weights(share[number]) * sizes[number].min() / sizes[number]
        least = best[number] * sizes[number].min() - weights @ fixed[number]
        totals = _compared(rows[own], columns[own], credits[own], credits[own] @ weights, least)
        sums[number] = _best(fixed[number] + totals, sizes[number])
    return sums


def _compared(
    rows: np.ndarray, columns: np.ndarray, credits: np.ndarray, worth: np.ndarray, least: float
) -> np.ndarray:
    """Compute the summed credits of all matchings worth at least `least`, skipping some dominated ones.

    The search goes through the rows in order. Prices of rows and columns bound the remaining gain: the sum of a pair's
    two prices is never below its worth (the dual of the assignment problem).
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    row, height = ranked(rows)
    column, width = ranked(columns)
    pairs = np.arange(len(row))
    ends = (np.concatenate([row, column + height]), np.tile(pairs, 2))
    once = csr_array((np.ones(2 * len(pairs)), ends), shape=(height + width, len(pairs)))
    column_price = np.maximum(-linprog(-worth, A_ub=once, b_ub=np.ones(height + width)).ineqlin.marginals[height:], 0.0)
    row_price = np.zeros(height)
    np.maximum.at(row_price, row, worth - column_price[column])
    # the maximum loss of a matching by unmatched rows and columns, and by pairs worth less than their prices
    slack = row_price.sum() + column_price.sum() - least + _SLACK
    order = np.lexsort((column, row, connected(row, column + height, height + width)))
    last = np.zeros(width, dtype=int)
    last[column[order]] = np.arange(len(order))
    states = {frozenset[int](): np.zeros((1, 3))}
    begins, stops = run_bounds(row[order])
    for first, stop in zip(begins.tolist(), stops.tolist(), strict=True):
        following: dict[frozenset[int], list[np.ndarray]] = {}
        closed = {int(column[order[at]]) for at in range(first, stop) if last[column[order[at]]] == at}
        for used, points in states.items():
            choices: list[tuple[int | None, np.ndarray]] = [(None, np.array([0.0, 0.0, row_price[row[order[first]]]]))]
            for pair in order[first:stop].tolist():
                if column[pair] not in used:
                    loss = row_price[row[pair]] + column_price[column[pair]] - worth[pair]
                    choices.append((int(column[pair]), np.append(credits[pair], loss)))
            for own, gain in choices:
                after = used if own is None else used | {own}
                alone = sum(column_price[end] for end in closed - after)
                kept = points + gain + [0.0, 0.0, alone]
                following.setdefault(after - closed, []).append(kept[kept[:, 2] <= slack])
        states = {used: _front(np.concatenate(parts)) for used, parts in following.items() if any(map(len, parts))}
        if sum(map(len, states.values())) > MOST_COMPARED:
            problem = f"overlapping spans can be paired in more than {MOST_COMPARED:,} ways, too many to compare."
            raise InputError(problem, "Leave out this document, or choose another credit.")
    return np.concatenate(list(states.values()))[:, :2]


def _weights(share: np.ndarray) -> np.ndarray:
    """Compute the weights of P and R in the sum that bounds F, shape (..., 2)."""
    return np.stack([2 * (1 - share) ** 2, 2 * share**2], axis=-1)
