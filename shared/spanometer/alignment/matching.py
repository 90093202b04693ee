"""One-to-one matching among pairs: the best choice, exactly, one connected group after another.

Only some pairs of spans may be matched. Pairs that share an end, directly or through other pairs, form a group, and
groups are independent of each other. Nearly all are small: these are solved many at a time, by trying all matchings of
their shape; larger ones go to SciPy's solvers one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

from ..arrays import begins_run, offsets_of, ranges, ranked, rounds, runs

_ENUMERATED = 5
"""Groups of at most so many rows and columns are solved by trying all their matchings."""

_BLOCK = 1 << 22
"""How many sums of weights are held at a time while matchings are tried."""

_DENSE_LIMIT = 1_000_000
"""The largest matrix of a connected group that is solved densely; larger groups go to the sparse solver."""

_EQUAL = 1e-9
"""Sums of weights that differ by less are equal: they are sums of the same numbers in another order."""

_NUDGES = (1e-7, 1e-9, 1e-11)
"""The weights, in SciPy's solvers, of a pair and of its cost in the first and the second tie-break."""

_NUDGED_EQUAL = 1e-12

_ORDERED = 1 << 20
"""The largest product of pairs and matrix of a group in which the first of equal solutions is found."""


def best_matching(
    rows: np.ndarray, columns: np.ndarray, weight: np.ndarray, ties: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Choose pairs one to one such that the sum of their weights is largest, exactly.

    Of choices of equal sums (to 1e-9) the one with the most pairs is taken, then the one with the smallest sum of
    `ties[0]`, then of `ties[1]`; of those that are still equal the one in which the first row has the earliest column,
    then the second row, and so on. In connected groups of more than 5 rows or columns the tie-breaks are tiny changes
    of the weights: choices whose weights differ by 1e-7 or more are distinguished there. In very large groups, of some
    hundred pairs, the order does not decide which of equals is taken.

    Args:
        rows, columns: the two ends of each pair; a pair occurs once.
        weight: the weight of each pair, not negative.
        ties: the cost of each pair in the tie-breaks, 0 or 1; at most two.

    Returns:
        Flags of the chosen pairs.
    """
    chosen = np.ones(len(rows), dtype=bool)
    pairs, group, row, column = contested(rows, columns)
    if len(pairs):
        chosen[pairs] = False
        levels = [weight[pairs], np.ones(len(pairs)), *(-np.asarray(tie, dtype=float)[pairs] for tie in ties)]
        chosen[pairs[Groups(row, column, *runs(group), levels).solve()]] = True
    return chosen


def contested(rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Find the pairs that share an end with another pair, ordered by connected group, row and column.

    Returns:
        The indices of the pairs, their groups, and the ranks of their rows and columns.
    """
    pairs = np.flatnonzero((occurrences(rows) > 1) | (occurrences(columns) > 1))
    row, height = ranked(rows[pairs])
    column, width = ranked(columns[pairs])
    group = connected(row, column + height, height + width)
    order = np.lexsort((column, row, group))
    return pairs[order], group[order], row[order], column[order]


def greedy_matching(rows: np.ndarray, columns: np.ndarray, costs: Sequence[np.ndarray]) -> np.ndarray:
    """Choose pairs one to one: one column after the other takes the row of least cost that is still free.

    Args:
        rows, columns: the two ends of each pair; a pair occurs once.
        costs: of each pair; the first decides, then the second, and at last the number of the row.

    Returns:
        Flags of the chosen pairs.
    """
    chosen = np.zeros(len(rows), dtype=bool)
    height = int(rows.max(initial=-1)) + 1
    free = np.ones(height, dtype=bool)
    group = connected(rows, columns + height, height + int(columns.max(initial=-1)) + 1)
    for part in rounds(group, columns):
        pairs = part[free[rows[part]]]
        order = np.lexsort((rows[pairs], *(cost[pairs] for cost in reversed(costs)), columns[pairs]))
        best = pairs[order[begins_run(columns[pairs][order])]]
        chosen[best] = True
        free[rows[best]] = False
    return chosen


def occurrences(numbers: np.ndarray) -> np.ndarray:
    """Count how often each number occurs."""
    return np.bincount(numbers)[numbers] if len(numbers) else numbers


class Groups:
    """Pairs in connected groups, one after the other, with the levels of each pair, maximised one after the other."""

    def __init__(
        self, row: np.ndarray, column: np.ndarray, first: np.ndarray, last: np.ndarray, levels: list[np.ndarray]
    ) -> None:
        self.first, self.last, self.levels = first, last, levels
        of_pair = np.repeat(np.arange(len(first)), last - first)
        self.row, self.height = _within(of_pair, row, len(first))
        self.column, self.width = _within(of_pair, column, len(first))

    def solve(self) -> np.ndarray:
        """Return the indices of the chosen pairs."""
        stars = ~self.small & ((self.height == 1) | (self.width == 1))
        solutions = [self._best_of(np.flatnonzero(stars))]
        solutions.extend(self._try_all(*block) for block in self.enumerated())
        solutions.extend(self.assign(group) for group in np.flatnonzero(~(self.small | stars)).tolist())
        return np.concatenate(solutions)

    @property
    def small(self) -> np.ndarray:
        """The flags of the groups all of whose matchings can be tried."""
        return np.asarray((self.height <= _ENUMERATED) & (self.width <= _ENUMERATED))

    def enumerated(self) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
        """Yield all matchings of a shape, its width, and small groups of this shape, block by block."""
        shape = np.where(self.small, self.height * (_ENUMERATED + 1) + self.width, -1)
        for code in np.unique(shape[self.small]).tolist():
            height, width = divmod(code, _ENUMERATED + 1)
            choices, groups = _matchings(height, width), np.flatnonzero(shape == code)
            step = max(_BLOCK // (len(choices) * len(self.levels)), 1)
            for at in range(0, len(groups), step):
                yield choices, width, groups[at : at + step]

    def sums(self, choices: np.ndarray, width: int, groups: np.ndarray) -> Iterator[np.ndarray]:
        """Yield for each level its sums in all matchings of groups of one shape, shape (groups, matchings).

        They are -inf if a group lacks one of the pairs.
        """
        pairs, place = self.pairs_of(groups)
        height = choices.shape[1]
        for level in self.levels:
            # the last column stands for none
            value = np.full((len(groups), height, width + 1), -np.inf)
            value[place, self.row[pairs], self.column[pairs]] = level[pairs]
            value[:, :, width] = 0.0
            yield np.asarray(sum(value[:, row, choices[:, row]] for row in range(height)))

    def pairs_of(self, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of some groups, and for each the place of its group among them."""
        counts = (self.last - self.first)[groups]
        return ranges(self.first[groups], counts), np.repeat(np.arange(len(groups)), counts)

    def _best_of(self, groups: np.ndarray) -> np.ndarray:
        """Return the best pair of each group, the earliest of equals: the solution if all share a row or a column."""
        pairs, place = self.pairs_of(groups)
        weight = np.round(self.levels[0][pairs] / _EQUAL)
        keys = (self.column[pairs], self.row[pairs], *(-level[pairs] for level in self.levels[:0:-1]), -weight, place)
        order = np.lexsort(keys)
        return np.asarray(pairs[order[runs(place[order])[0]]])

    def _try_all(self, choices: np.ndarray, width: int, groups: np.ndarray) -> np.ndarray:
        """Return the chosen pairs of groups of one shape, by trying all its matchings."""
        kept = np.ones((len(groups), len(choices)), dtype=bool)
        for sums in self.sums(choices, width, groups):
            sums = np.where(kept, sums, -np.inf)
            kept &= sums >= sums.max(axis=1, keepdims=True) - _EQUAL
        best = choices[kept.argmax(axis=1)]
        pairs, place = self.pairs_of(groups)
        pair = np.full((len(groups), choices.shape[1], width + 1), -1)
        pair[place, self.row[pairs], self.column[pairs]] = pairs
        taken = np.take_along_axis(pair, best[:, :, None], axis=2).ravel()
        return np.asarray(taken[taken >= 0])

    def assign(self, group: int) -> np.ndarray:
        """Return the chosen pairs of one group, by SciPy."""
        pairs = np.arange(self.first[group], self.last[group])
        row, column = self.row[pairs], self.column[pairs]
        height, width = int(self.height[group]), int(self.width[group])
        weight = self.levels[0][pairs].copy()
        for level, nudge in zip(self.levels[1:], _NUDGES, strict=False):
            weight += nudge * level[pairs]
        if height * width > _DENSE_LIMIT:
            return np.asarray(pairs[heaviest_matching(row, column, weight)])
        gain = np.zeros((height, width))
        gain[row, column] = weight
        pair = np.full((height, width), -1)
        pair[row, column] = pairs
        from scipy.optimize import linear_sum_assignment

        solution = linear_sum_assignment(gain, maximize=True)
        if len(pairs) * height * width <= _ORDERED:
            solution = _first_of_equals(gain, *solution)
        matched = pair[solution]
        return np.asarray(matched[matched >= 0])


def heaviest_matching(row: np.ndarray, column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Choose pairs one to one such that the sum of their weights is largest; return their indices, ordered by row."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    height, width = int(row.max()) + 1, int(column.max()) + 1
    # every row may instead take a column of its own of weight 0; the solver needs costs above 0
    base, own = float(weight.max()) + 1.0, np.arange(height)
    cost = np.concatenate([base - weight, np.full(height, base)])
    ends = np.concatenate([row, own]), np.concatenate([column, width + own])
    matched_row, matched_column = min_weight_full_bipartite_matching(
        csr_array((cost, ends), shape=(height, width + height))
    )
    partner = np.empty(height, dtype=np.int64)
    partner[matched_row] = matched_column
    chosen = np.flatnonzero(partner[row] == column)
    return chosen[np.argsort(row[chosen])]


def _first_of_equals(gain: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the solution of the largest gain in which the first row has the earliest column, then the second row.

    Row by row every earlier column is tried, which takes at most one more call for each pair.
    """
    from scipy.optimize import linear_sum_assignment

    best = gain[rows, columns].sum()
    gain = gain.copy()
    for row in range(len(gain)):
        own = columns[rows == row]
        taken = int(own[0]) if len(own) and gain[row, own[0]] > 0 else gain.shape[1]
        for column in np.flatnonzero(gain[row, :taken] > 0).tolist():
            tried = _only(gain, row, column)
            solution = linear_sum_assignment(tried, maximize=True)
            if tried[solution].sum() >= best - _NUDGED_EQUAL:
                rows, columns = solution
                taken = column
                break
        gain = _only(gain, row, taken)
    return rows, columns


def _only(gain: np.ndarray, row: int, column: int) -> np.ndarray:
    """Return the gain if a row may be matched with one column only, or none (past the last), and it with no other."""
    only = gain.copy()
    only[row] = 0.0
    if column < gain.shape[1]:
        only[:, column] = 0.0
        only[row, column] = gain[row, column]
    return only


@cache
def _matchings(height: int, width: int) -> np.ndarray:
    """List all matchings of a shape, shape (matchings, height): the column of each row, `width` for none.

    They are ordered by the column of the first row, then of the second row, and so on.
    """
    choices = [
        choice
        for choice in product(range(width + 1), repeat=height)
        if len({column for column in choice if column < width}) == sum(column < width for column in choice)
    ]
    return np.array(choices, dtype=np.intp)


def connected(first: np.ndarray, second: np.ndarray, nodes: int) -> np.ndarray:
    """Return the connected group of each pair of nodes, numbered in the order of the groups' lowest nodes.

    Every node points to a lower one of its group. In each round every group that touches a lower one joins it, so that
    at most half as many remain; rounds are logarithmic in the pairs.
    """
    lowest = np.arange(nodes)
    while not np.array_equal(lowest[first], lowest[second]):
        low = np.minimum(lowest[first], lowest[second])
        for end in (lowest[first], lowest[second]):
            np.minimum.at(lowest, end, low)
        while not np.array_equal(lowest, further := lowest[lowest]):
            lowest = further
    return ranked(lowest[first])[0]


def _within(group: np.ndarray, numbers: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of numbers within their groups (int32, for SciPy's graph routines) and the groups' sizes."""
    order = np.lexsort((numbers, group))
    fresh = begins_run(group[order], numbers[order])
    of_group = np.bincount(group[order][fresh], minlength=groups)
    within = np.empty(len(order), dtype=np.int32)
    within[order] = np.cumsum(fresh) - 1 - offsets_of(of_group)[group[order]]
    return within, of_group
