"""One-to-one matching that is best in several integer levels, one after the other, exactly.

Pairs fall into connected groups, as in `matching`. Where spans of a side do not overlap, the pairs of a group form a
staircase: sorted by their two ends, each shares one with the next, and no two cross. The best choice on all stairs at
once takes a number of array operations that grows with the logarithm of the longest. Other small groups are solved many
at a time by trying all matchings of their shape, larger ones one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..arrays import begins_run, runs
from ..exceptions import InputError
from .matching import Groups, contested

LARGEST_GROUP = 2000
"""At most this many spans, both sides together, of a group that is not a staircase."""

_LARGEST = 1 << 62


def lexicographic_matching(
    rows: np.ndarray, columns: np.ndarray, levels: Sequence[np.ndarray], document: np.ndarray | None = None
) -> np.ndarray:
    """Choose pairs one to one such that the sums of the levels are lexicographically greatest.

    Of choices that are equal in all levels, which must then have equally many pairs, the one is taken in which the
    first row has the earliest column, then the second row, and so on: the smallest sorted list of pairs.

    Args:
        rows, columns: the two ends of each pair; a pair occurs once.
        levels: integers of each pair, the most important level first.
        document: of each pair, for errors.

    Returns:
        Flags of the chosen pairs.

    Raises:
        InputError: for a group of more than `LARGEST_GROUP` rows and columns that is not a staircase.
    """
    chosen = np.ones(len(rows), dtype=bool)
    pairs, group, row, column = contested(rows, columns)
    if len(pairs) == 0:
        return chosen
    chosen[pairs] = False
    stairs = _is_staircase(group, row, column)[group]
    for flags, solve in ((stairs, _on_stairs), (~stairs, _in_groups)):
        if flags.any():
            of_shape = pairs[flags]
            of_pairs = [np.asarray(level)[of_shape] for level in levels]
            of_document = None if document is None else document[of_shape]
            chosen[of_shape[solve(group[flags], row[flags], column[flags], of_pairs, of_document)]] = True
    return chosen


def _is_staircase(group: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Flag each group whose sorted pairs go to the right or down, one end changing at a time."""
    step = (row[1:] == row[:-1]) | (column[1:] == column[:-1])
    broken = ~(step & (column[1:] >= column[:-1])) & (group[1:] == group[:-1])
    return np.asarray(np.bincount(group[1:][broken], minlength=int(group[-1]) + 1) == 0)


def _on_stairs(
    group: np.ndarray, row: np.ndarray, column: np.ndarray, levels: list[np.ndarray], _: np.ndarray | None
) -> np.ndarray:
    """Return the indices of the chosen pairs of staircases.

    Along the stairs the only state is whether the row or column that a pair shares with the one before it is taken.
    With one weight for all levels, `best[state]` is what can be gained from a pair on.
    """
    weight, low = _one_weight(group, levels)
    fresh = begins_run(group)
    along_row = np.append(row[1:] == row[:-1], False)
    # a pair is at a corner unless it shares the same row, or column, with both neighbours
    corner = fresh | np.append(True, along_row[1:] != along_row[:-1])
    last = np.append(fresh[1:], True)
    nothing = np.zeros_like(weight)
    best = _gains(group, weight, corner, low, nothing)
    after = [np.where(last, nothing, np.append(value[1:], nothing[:1])) for value in best]
    # of equals the earlier pair is taken
    worth = weight + after[1] >= after[0]
    # from one pair to the next the state is set (a pair that is free and taken, or passed at a corner), kept or turned
    turned = worth & corner
    known = np.append(True, (worth != corner)[:-1]) | fresh
    value = np.append(False, (worth & ~corner)[:-1]) & ~fresh
    place = np.maximum.accumulate(np.where(known, np.arange(len(group)), 0))
    turns = np.append(0, np.cumsum(turned)[:-1])
    taken_before = value[place] ^ ((turns - turns[place]) % 2 == 1)
    return np.flatnonzero(worth & ~taken_before)


def _gains(
    group: np.ndarray, weight: np.ndarray, corner: np.ndarray, low: int, nothing: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the greatest gain from each pair on to the end of its group, for a free and for a taken state.

    Steps are matrices of two states in the algebra of sums and greatest values; products over 1, 2, 4 ... pairs reach
    the end of the longest group.
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
    """Return one weight that orders choices as the levels do, and a number that is lower than any sum of weights.

    Python's integers are used where 64 bits may not hold it.
    """
    reach = [int(np.bincount(group, weights=np.abs(level)).max()) for level in levels]
    choices = prod(2 * most + 1 for most in reach)
    exact = 8 * choices < _LARGEST
    weight = np.zeros(len(group), dtype=np.int64 if exact else object)
    for level, most in zip(levels, reach, strict=True):
        weight = weight * (2 * most + 1) + level
    return weight, -2 * choices


def _in_groups(
    group: np.ndarray, row: np.ndarray, column: np.ndarray, levels: list[np.ndarray], document: np.ndarray | None
) -> np.ndarray:
    """Return the indices of the chosen pairs of groups of any shape."""
    groups = _ExactGroups(row, column, *runs(group), levels)
    size = groups.height + groups.width
    largest = int(size.argmax())
    if size[largest] > LARGEST_GROUP:
        raise InputError(
            f"{size[largest]} spans of both sides overlap each other, directly or through others, and differ; at most "
            f"{LARGEST_GROUP} of one group can be paired.",
            "Leave out the document, in which spans nest or cross so deeply.",
            document=None if document is None else int(document[groups.first[largest]]),
        )
    return groups.solve()


class _ExactGroups(Groups):
    """Groups of which also the large ones are solved level by level."""

    def assign(self, group: int) -> np.ndarray:
        """Return the chosen pairs of a group: for each level the choices that are best, then the first of them.

        Rows and columns that stay alone are matched with others that stand for nothing. A pair is in a best choice if
        it costs nothing at prices of the columns that make no pair of the choice too dear.
        """
        pairs = np.arange(self.first[group], self.last[group])
        row, column = self.row[pairs], self.column[pairs]
        height, width = int(self.height[group]), int(self.width[group])
        size = height + width
        from scipy.optimize import linear_sum_assignment

        open_ = np.zeros((size, size), dtype=bool)
        open_[row, column] = open_[:height, width:] = open_[height:] = True
        for level in self.levels:
            cost = np.where(open_, 0.0, np.inf)
            cost[row, column] -= level[pairs]
            taken = linear_sum_assignment(cost)[1]
            dearer = cost - cost[np.arange(size), taken][:, None]
            price = np.zeros(size)
            while not np.array_equal(lower := (price[taken][:, None] + dearer).min(axis=0), price):
                price = lower
            open_ &= price[taken][:, None] + dearer == price
        first = _first_choice(open_, taken, height)
        return np.asarray(pairs[first[row] == column])


def _first_choice(open_: np.ndarray, taken: np.ndarray, rows: int) -> np.ndarray:
    """Return the column of each row in the full matching of open pairs whose first row has the earliest column.

    Then the second row, and so on. A row may take another's column if that one can move on to a third, until one takes
    the column that became free.
    """
    owner = np.argsort(taken)
    for row in range(rows):
        free = int(taken[row])
        open_[row:, taken[:row]] = False
        goal = _movable(open_, taken, owner, row) if open_[row, :free].any() else {}
        for column in np.flatnonzero(open_[row, :free]).tolist():
            if int(owner[column]) in goal:
                mover, wanted = row, column
                while wanted != free:
                    next_mover = int(owner[wanted])
                    taken[mover], owner[wanted] = wanted, mover
                    mover, wanted = next_mover, goal[next_mover]
                taken[mover], owner[wanted] = wanted, mover
                break
    return taken


def _movable(open_: np.ndarray, taken: np.ndarray, owner: np.ndarray, row: int) -> dict[int, int]:
    """Return each later row that can give up its column if `row` gives up its own, with the column it moves to."""
    goal: dict[int, int] = {}
    waiting = [int(taken[row])]
    while waiting:
        column = waiting.pop()
        for mover in (np.flatnonzero(open_[row + 1 :, column]) + row + 1).tolist():
            if mover not in goal and taken[mover] != column:
                goal[mover] = column
                waiting.append(int(taken[mover]))
    return goal
