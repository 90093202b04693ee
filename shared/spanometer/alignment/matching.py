"""Exact one-to-one matching of rows and columns by pairs.

Pairs with a common row or column, directly or through other pairs, form a group; groups are independent. Most groups
are small: many of them are solved at a time by trying all matchings. Larger groups are solved one by one with SciPy.

If levels are integers and spans of a side do not overlap, the pairs of a group form a staircase: in sorted order, each
pair has its row or its column in common with the next pair, and no two pairs cross. All staircases are solved together,
in a number of array operations that grows with the logarithm of the longest.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from math import prod

import numpy as np

from ..arrays import begins_run, items_by_turn, ordered_codes, ranges, ranked, run_bounds
from ..exceptions import InputError

_ENUMERATED = 5
"""Groups with at most this many rows and columns are solved by trying all matchings."""

_BLOCK = 1 << 22
"""The maximum number of sums in memory at a time."""

LARGEST_GROUP = 2000
"""Groups with at most this many rows and columns are solved by dense assignment, larger groups by the sparse solver."""

_LARGEST = 1 << 62

_EQUAL = 1e-9
"""Sums of weights that differ by less than this are equal."""

_NUDGES = (1e-7, 1e-9, 1e-11)
"""The factors of the second, third and fourth level in the weights of the sparse solver."""


def best_matching(
    rows: np.ndarray, columns: np.ndarray, weight: np.ndarray, ties: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Match rows and columns one to one so that the sum of weights is largest.

    Ties (to 1e-9) go to the most pairs, then to the smallest sum of `ties[0]`, then of `ties[1]`, then to the earliest
    column for the first row, for the second row, and so on. In groups with more than `LARGEST_GROUP` rows and columns,
    ties are broken by slight changes of the weights, and order is not used.

    Args:
        rows, columns: the row and column of each pair; no pair occurs twice.
        weight: the weight of each pair, at least 0.
        ties: at most two costs (0 or 1) of each pair.

    Returns:
        Whether each pair is chosen.
    """
    chosen = np.ones(len(rows), dtype=bool)
    pairs, group, row, column = contested(rows, columns)
    levels = [weight[pairs], np.ones(len(pairs)), *(-np.asarray(tie, dtype=float)[pairs] for tie in ties)]
    chosen[pairs] = False
    chosen[pairs[Groups(row, column, group, levels).solve()]] = True
    return chosen


def lexicographic_matching(
    rows: np.ndarray, columns: np.ndarray, levels: Sequence[np.ndarray], document: np.ndarray | None = None
) -> np.ndarray:
    """Match rows and columns one to one so that the sums of levels are lexicographically largest.

    Ties go to the earliest column for the first row, for the second row, and so on. Matchings that tie must have the
    same number of pairs.

    Args:
        rows, columns: the row and column of each pair; no pair occurs twice.
        levels: integers of each pair, the most important level first.
        document: the document of each pair, for errors.

    Returns:
        Whether each pair is chosen.

    Raises:
        InputError: if a group has more than `LARGEST_GROUP` rows and columns and is not a staircase.
    """
    chosen = np.ones(len(rows), dtype=bool)
    pairs, group, row, column = contested(rows, columns)
    chosen[pairs] = False
    # a staircase is a group in which each pair, in sorted order, follows the previous one to the right or down
    step = (row[1:] == row[:-1]) | (column[1:] == column[:-1])
    broken = ~(step & (column[1:] >= column[:-1])) & (group[1:] == group[:-1])
    on_stairs = np.bincount(group[1:][broken], minlength=len(pairs))[group] == 0
    stairs, others = pairs[on_stairs], pairs[~on_stairs]
    if len(stairs):
        of_stairs = [level[stairs] for level in levels]
        chosen[stairs[_on_stairs(group[on_stairs], row[on_stairs], column[on_stairs], of_stairs)]] = True
    if len(others):
        groups = Groups(row[~on_stairs], column[~on_stairs], group[~on_stairs], [level[others] for level in levels])
        size = groups.height + groups.width
        largest = int(size.argmax())
        if size[largest] > LARGEST_GROUP:
            raise InputError(
                f"{size[largest]} wrong spans form one chain of overlaps; the limit is {LARGEST_GROUP}.",
                "Leave out this document.",
                document=None if document is None else int(document[others[groups.first[largest]]]),
            )
        chosen[others[groups.solve()]] = True
    return chosen


def _on_stairs(group: np.ndarray, row: np.ndarray, column: np.ndarray, levels: list[np.ndarray]) -> np.ndarray:
    """Solve staircases; returns the indices of the chosen pairs.

    The only state is whether the previous pair has taken the row or column that it has in common with the current one.
    With all levels combined into one weight, `best[state]` is the largest gain from a pair to the end.
    """
    weight, low = _one_weight(group, levels)
    fresh = begins_run(group)
    along_row = np.append(row[1:] == row[:-1], False)
    # a pair is at a corner unless it shares the same end with both neighbours
    corner = fresh | np.append(True, along_row[1:] != along_row[:-1])
    last = np.append(fresh[1:], True)
    nothing = np.zeros_like(weight)
    best = _gains(group, weight, corner, low, nothing)
    after = [np.where(last, nothing, np.append(value[1:], nothing[:1])) for value in best]
    # the earlier pair wins a tie
    worth = weight + after[1] >= after[0]
    # a pair sets the state (if it is taken, or is passed at a corner), keeps it or inverts it
    turned = worth & corner
    settled = np.append(True, (worth != corner)[:-1]) | fresh
    value = np.append(False, (worth & ~corner)[:-1]) & ~fresh
    place = np.maximum.accumulate(np.where(settled, np.arange(len(group)), 0))
    turns = np.append(0, np.cumsum(turned)[:-1])
    taken_before = value[place] ^ ((turns - turns[place]) % 2 == 1)
    return np.flatnonzero(worth & ~taken_before)


def _gains(
    group: np.ndarray, weight: np.ndarray, corner: np.ndarray, low: int, nothing: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the largest gain from each pair to the end of its group, in both states.

    Steps are two-by-two matrices in the max-plus algebra. Products over 1, 2, 4 ... pairs reach the end of the longest
    group.
    """
    steps = {
        (0, 0): nothing,
        (0, 1): weight,
        (1, 0): np.where(corner, nothing, nothing + low),
        (1, 1): np.where(corner, nothing + low, nothing),
    }
    length = 1
    while True:
        inside = np.flatnonzero(group[length:] == group[:-length])
        if len(inside) == 0:
            return np.maximum(steps[0, 0], steps[0, 1]), np.maximum(steps[1, 0], steps[1, 1])
        product = {
            (first, last): np.maximum(
                steps[first, 0][inside] + steps[0, last][inside + length],
                steps[first, 1][inside] + steps[1, last][inside + length],
            )
            for first, last in steps
        }
        for states, values in product.items():
            steps[states] = steps[states].copy()
            steps[states][inside] = np.maximum(values, low)
        length *= 2


def _one_weight(group: np.ndarray, levels: list[np.ndarray]) -> tuple[np.ndarray, int]:
    """Combine the levels into one weight, with Python integers if 64 bits are too few.

    Also returns a number that is smaller than all sums.
    """
    reach = [int(np.bincount(group, weights=np.abs(level)).max()) for level in levels]
    choices = prod(2 * most + 1 for most in reach)
    exact = 8 * choices < _LARGEST
    weight = np.zeros(len(group), dtype=np.int64 if exact else object)
    for level, most in zip(levels, reach, strict=True):
        weight = weight * (2 * most + 1) + level
    return weight, -2 * choices


def contested(rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs that have a row or column in common with another pair.

    Returns:
        The indices of the pairs, ordered by connected group, row and column; their groups, and the ranks of their rows
            and columns.
    """
    pairs = np.flatnonzero((occurrences(rows) > 1) | (occurrences(columns) > 1))
    row, height = ranked(rows[pairs])
    column, width = ranked(columns[pairs])
    group = connected(row, column + height, height + width)
    order = np.lexsort((column, row, group))
    return pairs[order], group[order], row[order], column[order]


def greedy_matching(rows: np.ndarray, columns: np.ndarray, costs: Sequence[np.ndarray]) -> np.ndarray:
    """Match rows and columns one to one: column by column, each takes the cheapest free row.

    Args:
        rows, columns: the row and column of each pair; no pair occurs twice.
        costs: the costs of each pair, the most important first; ties go to the lowest row.

    Returns:
        Whether each pair is chosen.
    """
    chosen = np.zeros(len(rows), dtype=bool)
    height = int(rows.max(initial=-1)) + 1
    free = np.ones(height, dtype=bool)
    group = connected(rows, columns + height, height + int(columns.max(initial=-1)) + 1)
    for part in items_by_turn(group, columns):
        pairs = part[free[rows[part]]]
        order = np.lexsort((rows[pairs], *(cost[pairs] for cost in reversed(costs)), columns[pairs]))
        best = pairs[order[begins_run(columns[pairs][order])]]
        chosen[best] = True
        free[rows[best]] = False
    return chosen


def occurrences(numbers: np.ndarray) -> np.ndarray:
    """Compute for each item how often its number occurs."""
    return np.bincount(numbers)[numbers] if len(numbers) else numbers


class Groups:
    """Pairs in connected groups, with levels that are maximised one after another."""

    def __init__(self, row: np.ndarray, column: np.ndarray, group: np.ndarray, levels: list[np.ndarray]) -> None:
        self.levels = levels
        self.first, self.last = run_bounds(group)
        self.row, self.height = self._ranks(row)
        self.column, self.width = self._ranks(column)
        # small enough for trying all matchings
        self.small = (self.height <= _ENUMERATED) & (self.width <= _ENUMERATED)

    def _ranks(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rank numbers within groups (int32, for SciPy's graph routines); also returns how many each group has."""
        group = np.repeat(np.arange(len(self.first)), self.last - self.first)
        rank = ranked(ordered_codes(group, numbers))[0]
        low, high = (extreme.reduceat(rank, self.first) for extreme in (np.minimum, np.maximum))
        return (rank - low[group]).astype(np.int32), high - low + 1

    def solve(self) -> np.ndarray:
        """Solve all groups; returns the indices of the chosen pairs."""
        stars = ~self.small & ((self.height == 1) | (self.width == 1))
        solutions = [self._best_of(np.flatnonzero(stars))]
        solutions.extend(self._try_all(*block) for block in self.enumerated())
        solutions.extend(self.assign(group) for group in np.flatnonzero(~(self.small | stars)).tolist())
        return np.concatenate(solutions)

    def enumerated(self) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
        """Yield for each shape of small groups: all matchings, the width, and blocks of groups with this shape."""
        shape = np.where(self.small, self.height * (_ENUMERATED + 1) + self.width, -1)
        for code in np.unique(shape[self.small]).tolist():
            height, width = divmod(code, _ENUMERATED + 1)
            choices, groups = _matchings(height, width), np.flatnonzero(shape == code)
            step = max(_BLOCK // (len(choices) * len(self.levels)), 1)
            for at in range(0, len(groups), step):
                yield choices, width, groups[at : at + step]

    def sums(self, choices: np.ndarray, width: int, groups: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the sums of each level in all matchings, shape (groups, matchings); -inf if a pair does not exist."""
        pairs, place = self.pairs_of(groups)
        height = choices.shape[1]
        for level in self.levels:
            # the last column means unmatched
            value = np.full((len(groups), height, width + 1), -np.inf)
            value[place, self.row[pairs], self.column[pairs]] = level[pairs]
            value[:, :, width] = 0.0
            yield np.asarray(sum(value[:, row, choices[:, row]] for row in range(height)))

    def pairs_of(self, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of these groups, and the position of each pair's group in `groups`."""
        counts = (self.last - self.first)[groups]
        return ranges(self.first[groups], counts), np.repeat(np.arange(len(groups)), counts)

    def _best_of(self, groups: np.ndarray) -> np.ndarray:
        """Return the best pair of each group that has only one row or column; ties go to the earliest pair."""
        pairs, place = self.pairs_of(groups)
        weight = np.round(self.levels[0][pairs] / _EQUAL)
        keys = (self.column[pairs], self.row[pairs], *(-level[pairs] for level in self.levels[:0:-1]), -weight, place)
        order = np.lexsort(keys)
        return np.asarray(pairs[order[run_bounds(place[order])[0]]])

    def _try_all(self, choices: np.ndarray, width: int, groups: np.ndarray) -> np.ndarray:
        """Solve groups of the same shape by trying all matchings."""
        kept = np.ones((len(groups), len(choices)), dtype=bool)
        for sums in self.sums(choices, width, groups):
            sums = np.where(kept, sums, -np.inf)
            kept &= sums >= sums.max(axis=1, keepdims=True) - _EQUAL
        best = choices[kept.argmax(axis=1)]
        pairs, place = self.pairs_of(groups)
        pair = np.full((len(groups), choices.shape[1], width + 1), -1)
        pair[place, self.row[pairs], self.column[pairs]] = pairs
        chosen = np.take_along_axis(pair, best[:, :, None], axis=2).ravel()
        return np.asarray(chosen[chosen >= 0])

    def assign(self, group: int) -> np.ndarray:
        """Match the rows and columns of a group by linear assignment; ties go to the first matching.

        The levels of weights are solved one after another: each level allows only pairs that are in an optimal matching
        of the levels before it, that is, whose reduced cost is 0 at optimal prices of the columns. Dummy rows and
        columns stand for unmatched ones.
        """
        from scipy.optimize import linear_sum_assignment

        pairs = np.arange(self.first[group], self.last[group])
        row, column = self.row[pairs], self.column[pairs]
        height, width = int(self.height[group]), int(self.width[group])
        size = height + width
        if size > LARGEST_GROUP:
            nudges = zip(_NUDGES, self.levels[1:], strict=False)
            weight = sum((nudge * level[pairs] for nudge, level in nudges), self.levels[0][pairs])
            return np.asarray(pairs[heaviest_matching(row, column, weight)])
        open_ = np.zeros((size, size), dtype=bool)
        open_[row, column] = open_[:height, width:] = open_[height:] = True
        for level in self.levels:
            cost = np.where(open_, 0.0, np.inf)
            cost[row, column] -= level[pairs]
            solution = linear_sum_assignment(cost)[1]
            dearer = cost - cost[np.arange(size), solution][:, None]
            price = np.zeros(size)
            # otherwise rounding could lower prices by tiny amounts forever
            while ((lower := (price[solution][:, None] + dearer).min(axis=0)) < price - _EQUAL / 10).any():
                price = lower
            open_ &= price[solution][:, None] + dearer <= price + _EQUAL
        return np.asarray(pairs[_first_choice(open_, solution, height)[row] == column])


def heaviest_matching(row: np.ndarray, column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Match rows and columns one to one with the largest sum of weights; returns indices of pairs, ordered by row."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    height, width = int(row.max()) + 1, int(column.max()) + 1
    # every row may take its own column of weight 0 instead; the solver needs positive costs
    base, own = float(weight.max()) + 1.0, np.arange(height)
    cost = np.concatenate([base - weight, np.full(height, base)])
    ends = np.concatenate([row, own]), np.concatenate([column, width + own])
    costs = csr_array((cost, ends), shape=(height, width + height))
    matched_row, matched_column = min_weight_full_bipartite_matching(costs)
    partner = np.empty(height, dtype=np.int64)
    partner[matched_row] = matched_column
    chosen = np.flatnonzero(partner[row] == column)
    return chosen[np.argsort(row[chosen])]


def _first_choice(open_: np.ndarray, column: np.ndarray, rows: int) -> np.ndarray:
    """Find the complete matching of open pairs with the earliest column for the first row, the second row, and so on.

    A row can take the column of another row if that row can move to a third column, and so on, until a free column is
    reached.
    """
    owner = np.argsort(column)
    for row in range(rows):
        free = int(column[row])
        earlier = np.flatnonzero(open_[row, :free])
        if len(earlier):
            goal = _movable(open_, column, row)
            for wanted in earlier[goal[owner[earlier]] >= 0][:1].tolist():
                mover = row
                while wanted != free:
                    next_mover = int(owner[wanted])
                    column[mover], owner[wanted] = wanted, mover
                    mover, wanted = next_mover, int(goal[next_mover])
                column[mover], owner[wanted] = wanted, mover
        open_[row + 1 :, column[row]] = False
    return column


def _movable(open_: np.ndarray, column: np.ndarray, row: int) -> np.ndarray:
    """Return the column to which each later row can move if `row` gives up its column; -1 if it cannot move."""
    goal, columns = np.full(len(column), -1), column[[row]]
    later = np.arange(len(column)) > row
    while len(columns):
        links = open_[:, columns] & later[:, None]
        movers = np.flatnonzero(links.any(axis=1))
        goal[movers] = columns[links[movers].argmax(axis=1)]
        later[movers] = False
        columns = column[movers]
    return goal


@cache
def _matchings(height: int, width: int) -> np.ndarray:
    """List all matchings of a shape in order, shape (matchings, height): the column of each row.

    `width` means unmatched.
    """
    choices = [
        choice
        for choice in product(range(width + 1), repeat=height)
        if len({column for column in choice if column < width}) == sum(column < width for column in choice)
    ]
    return np.array(choices, dtype=np.intp)


def connected(first: np.ndarray, second: np.ndarray, nodes: int) -> np.ndarray:
    """Compute the connected group of each edge, an edge being a pair of nodes.

    Groups are ordered by their lowest nodes.

    Every node points to a lower node of its group. In each round every group joins a lower neighbour, so the number of
    rounds is logarithmic.
    """
    lowest = np.arange(nodes)
    while not np.array_equal(lowest[first], lowest[second]):
        low = np.minimum(lowest[first], lowest[second])
        for end in (lowest[first], lowest[second]):
            np.minimum.at(lowest, end, low)
        while not np.array_equal(lowest, further := lowest[lowest]):
            lowest = further
    return ranked(lowest[first])[0]
