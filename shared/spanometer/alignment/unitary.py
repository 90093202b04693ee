"""Best alignments of the units of two or more annotators (Mathet, Widlöcher and Métivier 2015, sections 4.1 to 4.4).

A unitary alignment has at most one unit of each annotator, and at least one unit. An alignment is a set of unitary
alignments that contains every unit once. The best alignment has the smallest sum of disorders. It can only contain
unitary alignments that cost less than any split into parts. These are listed, and the best set of them is found
exactly, by linear assignment (two annotators) or linear programming.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import offsets_by, ranges, ranked, run_bounds
from ..counts.counts import require_scipy
from ..exceptions import InputError
from .matching import connected, heaviest_matching
from .overlaps import Pieces, overlaps

_EQUAL = 1e-12
"""A unitary alignment must be cheaper than its parts by more than this."""

_SCALE = 1e4
"""A factor for costs in HiGHS, whose absolute tolerances are about 1e-6."""

_BLOCK = 1000
"""The approximate number of independent pairs that are assigned at a time."""

_LIMIT = 20_000_000
"""The maximum number of unitary alignments in the list."""


@dataclass(frozen=True, eq=False)
class Dissimilarity:
    """The dissimilarity of two units, in units of Δ: α d_pos + β d_cat.

    d_pos = ((|Δstart| + |Δend|) / (sum of both durations))²; d_cat is the distance of the labels.

    Attributes:
        alpha, beta: the weights of positions and of labels.
        distances: the distances of labels, from 0 to 1, shape (labels, labels); None means 1 for different labels.
    """

    alpha: float = 3.0
    beta: float = 1.0
    distances: np.ndarray | None = None

    def positional(self, units: Units, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Compute d_pos of pairs of units."""
        starts, ends = (np.abs(bound[first] - bound[second]) for bound in (units.start, units.end))
        share = (starts + ends) / (units.duration[first] + units.duration[second])
        return np.asarray(share * share)

    def categorical(self, units: Units, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Compute d_cat of pairs of units."""
        left, right = units.label[first], units.label[second]
        return np.asarray(left != right, dtype=float) if self.distances is None else self.distances[left, right]

    def of(self, units: Units, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Compute the dissimilarity of pairs of units."""
        total = self.alpha * self.positional(units, first, second)
        return total + self.beta * self.categorical(units, first, second) if self.beta else total


@dataclass(frozen=True, eq=False)
class Units:
    """The units of several annotators as columns.

    Attributes:
        annotators: the number of annotators.
        annotator: the annotator of each unit, from 0.
        group: the group of each unit, from 0; only units of the same group are aligned.
        start, end: the boundaries of each unit.
        label: the label index of each unit.
    """

    annotators: int
    annotator: np.ndarray
    group: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray

    @property
    def duration(self) -> np.ndarray:
        """The durations of the units."""
        return np.asarray(self.end - self.start)

    @property
    def pairs(self) -> int:
        """The number of pairs of annotators."""
        return self.annotators * (self.annotators - 1) // 2


def best_alignment(units: Units, dissimilarity: Dissimilarity) -> tuple[np.ndarray, np.ndarray]:
    """Find the best alignment of the units in each group.

    If a unitary alignment ties with its parts, the parts are taken.

    Returns:
        For each unitary alignment: the unit of each annotator, -1 for none, shape (alignments, annotators); and the
            disorder, the mean dissimilarity over pairs of annotators in units of Δ, where a pair with a missing unit
            counts 1.

    Raises:
        InputError: if there are too many possible unitary alignments, or if SciPy is missing.
    """
    require_scipy("gamma")
    members, saved = _listed(units, dissimilarity)
    chosen = _matched(units, members, saved) if units.annotators == 2 else _packed(units, members, saved)
    members, saved = members[chosen], saved[chosen]
    lone = np.delete(np.arange(len(units.start)), members[members >= 0])
    singles = np.full((len(lone), units.annotators), -1, dtype=members.dtype)
    singles[np.arange(len(lone)), units.annotator[lone]] = lone
    disorder = np.concatenate([(members >= 0).sum(axis=1) - saved, np.ones(len(lone))])
    return np.concatenate([members, singles]), disorder


def _listed(units: Units, dissimilarity: Dissimilarity) -> tuple[np.ndarray, np.ndarray]:
    """List the unitary alignments with two or more units that are cheaper than their parts, and how much they save.

    With C pairs of annotators, a unitary alignment T costs [Σ d + (C - |pairs|)] / C. It is cheaper than its parts A
    and B if Σ (d - 1), over pairs of a unit in A and a unit in B, is less than C. A unit that is added later lowers
    this sum by at most one for each unit of the other part. So with r annotators left, T and all its extensions can be
    pruned if the sum minus r times the size of the smaller part is at least C.
    """
    count, pairs = units.annotators, units.pairs
    members = np.full((0, count), -1, dtype=np.int64)
    excess = np.zeros((0, pairs))
    column = {pair: number for number, pair in enumerate(combinations(range(count), 2))}
    near = _neighbours(units, dissimilarity)
    for own in range(count):
        mine = np.flatnonzero(units.annotator == own)
        lone = np.full((len(mine), count), -1, dtype=np.int64)
        lone[:, own] = mine
        grown, grown_excess = members[:0], excess[:0]
        if own and len(members):
            # neighbours of the last annotator's unit can join
            last = own - 1 - np.argmax(members[:, own - 1 :: -1] >= 0, axis=1)
            pivot = members[np.arange(len(members)), last]
            first, number, neighbours = near[own]
            joining = number[pivot]
            _require_few(int(joining.sum()))
            row = np.repeat(np.arange(len(members)), joining)
            unit = neighbours[ranges(first[pivot], joining)]
            grown, grown_excess = members[row], excess[row]
            grown[:, own] = unit
            kept = np.ones(len(unit), dtype=bool)
            for earlier in range(own):
                rows = np.flatnonzero(grown[:, earlier] >= 0)
                distance = dissimilarity.of(units, grown[rows, earlier], unit[rows])
                grown_excess[rows, column[earlier, own]] = distance - 1
                # only units of one group are aligned
                kept[rows] &= units.group[grown[rows, earlier]] == units.group[unit[rows]]
            kept &= ~_dominated(grown, grown_excess, column, own)
            grown, grown_excess = grown[kept], grown_excess[kept]
        members = np.concatenate([members, grown, lone])
        excess = np.concatenate([excess, grown_excess, np.zeros((len(lone), pairs))])
        _require_few(len(members))
    several = (members >= 0).sum(axis=1) > 1
    members, excess = members[several], excess[several]
    return members, (members >= 0).sum(axis=1) - 1 - excess.sum(axis=1) / pairs


def _dominated(members: np.ndarray, excess: np.ndarray, column: dict[tuple[int, int], int], own: int) -> np.ndarray:
    """Flag the unitary alignments of annotators up to `own` that are not cheaper than two of their parts."""
    count, pairs = members.shape[1], excess.shape[1]
    present = members >= 0
    size = present.sum(axis=1)
    flags = np.zeros(len(members), dtype=bool)
    for code in range(1, 2**own):
        # the annotators of one part; the other part contains `own`
        part = [annotator for annotator in range(own) if code >> annotator & 1]
        outside = [annotator for annotator in range(own + 1) if annotator not in part]
        across = [column[min(inner, outer), max(inner, outer)] for inner in part for outer in outside]
        inside = present[:, part].sum(axis=1)
        smaller = np.minimum(inside, size - inside)
        least = excess[:, across].sum(axis=1) - (count - 1 - own) * smaller
        flags |= (least >= pairs - _EQUAL) & (smaller > 0)
    return flags


def _neighbours(units: Units, dissimilarity: Dissimilarity) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Find the pairs of units of two annotators that can be in the same unitary alignment.

    Their dissimilarity is below C + n - 1, see `_listed`. Because |Δstart| + |Δend| is at least twice the distance of
    the midpoints, intervals around their midpoints overlap.

    Returns:
        For each annotator: the first neighbour and the number of neighbours of each earlier unit, and all neighbours.
    """
    most = units.pairs + units.annotators - 1
    low, high = float(units.start.min(initial=0)), float(units.end.max(initial=1))
    middle = (units.start + units.end) / 2
    reach = np.full(len(middle), high - low + 1)
    if dissimilarity.alpha > 0:
        reach = np.minimum(reach, units.duration / 2 * (most / dissimilarity.alpha) ** 0.5 * (1 + 1e-9))
    base = units.group * (high - low + 4)
    first, last = (np.clip(middle + side * reach, low - 1, high + 1) + base for side in (-1, 1))
    order = np.argsort(first, kind="stable")
    own_units = [order[units.annotator[order] == own] for own in range(units.annotators)]
    surroundings = [Pieces(own, first[own], last[own]) for own in own_units]
    neighbours = []
    for number, mine in enumerate(surroundings):
        pairs = [np.zeros((2, 0), dtype=np.int64)]
        for theirs in surroundings[:number]:
            left, right = overlaps(theirs, mine, noun="spans and their surroundings")
            earlier, later = theirs.span[left], mine.span[right]
            close = dissimilarity.of(units, earlier, later) < most - _EQUAL
            pairs.append(np.stack([earlier[close], later[close]]))
        earlier, later = np.concatenate(pairs, axis=1)
        offsets = offsets_by(earlier, len(middle))
        neighbours.append((offsets[:-1], np.diff(offsets), later[np.argsort(earlier, kind="stable")]))
    return neighbours


def _matched(units: Units, members: np.ndarray, saved: np.ndarray) -> np.ndarray:
    """Find the best alignments of two annotators by linear assignment; returns indices of pairs."""
    group = connected(members[:, 0], members[:, 1], len(units.start))
    order = np.argsort(group, kind="stable")
    # blocks of connected groups, because the solver's time grows faster than the pairs
    block = np.flatnonzero(np.diff(group[order])) + 1
    block = block[np.diff(block // _BLOCK, prepend=0) > 0]
    chosen = [order[:0]]
    for part in filter(len, np.split(order, block)):
        row, column = (ranked(ends)[0] for ends in members[part].T)
        chosen.append(part[heaviest_matching(row, column, saved[part])])
    return np.concatenate(chosen)


def _packed(units: Units, members: np.ndarray, saved: np.ndarray) -> np.ndarray:
    """Find the best alignments of three or more annotators; returns indices of unitary alignments.

    The linear program of each group is solved. If its solution is integer, it is optimal; connected parts with
    fractions are solved again as integer programs.
    """
    of_group = units.group[members.max(axis=1)]
    order = np.argsort(of_group, kind="stable")
    parts = (order[begin:end] for begin, end in zip(*run_bounds(of_group[order]), strict=True))
    return np.concatenate([order[:0], *(part[_chosen(members[part], saved[part])] for part in parts)])


def _chosen(members: np.ndarray, saved: np.ndarray) -> np.ndarray:
    """Flag the unitary alignments that together save the most and have no unit in common."""
    row, column = np.nonzero(members >= 0)
    unit, count = ranked(members[row, column])
    share = _program(row, unit, saved, count, integral=False)
    chosen = share > 0.5
    open_ = np.abs(share - np.round(share)) > 1e-6
    if open_.any():
        # tuples are connected through common units
        group = connected(row, unit + len(saved), len(saved) + count)
        of_tuple = np.zeros(len(saved), dtype=group.dtype)
        of_tuple[row] = group
        for part in np.unique(of_tuple[open_]):
            inside = np.flatnonzero(of_tuple == part)
            in_part = group == part
            own_unit, own_count = ranked(unit[in_part])
            own_row = np.searchsorted(inside, row[in_part])
            chosen[inside] = _program(own_row, own_unit, saved[inside], own_count, integral=True) > 0.5
    return np.asarray(chosen)


def _program(row: np.ndarray, unit: np.ndarray, saved: np.ndarray, units: int, *, integral: bool) -> np.ndarray:
    """Maximise the savings in a linear program with each unit at most once.

    Returns the weight of each unitary alignment.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    incidence = csc_array((np.ones(len(row)), (unit, row)), shape=(units, len(saved)))
    solution = milp(
        -_SCALE * saved,
        integrality=np.full(len(saved), int(integral)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(incidence, -np.inf, 1.0),
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None:
        raise InputError(f"HiGHS found no best alignment: {solution.message}", "Please report this with the spans.")
    return np.asarray(solution.x)


def _require_few(number: int) -> None:
    if number > _LIMIT:
        problem = f"there are {number} possible unitary alignments; the limit is {_LIMIT}."
        raise InputError(problem, "Score parts of the corpus, or fewer annotators.")
