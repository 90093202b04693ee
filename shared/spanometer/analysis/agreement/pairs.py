"""What is different between two annotators: kinds of differences at places, and labels that are confused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...alignment.matched_spans import CORRECT, MatchedSpans
from ...alignment.overlaps import Alignment, order_of_line
from ...alignment.places import Places
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts
from ..errors.confusion import matrix_table

DIFFERENCES = {
    "label": "two people give overlapping spans different labels",
    "extent": "their spans overlap and have different tokens",
    "split": "one has several spans where the other has one: split or joined",
    "missing": "one has a span and the other has none for it",
}
"""How two annotators differ, explained."""

_MISSING = "nothing"
"""The last row and column of a matrix of labels: the other annotator has no span for it."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelConfusion(Result):
    """Which labels are confused with which, between people: neither of two annotators is the reference.

    Attributes:
        labels: those that anybody has.
        counts: int64, shape (labels + 1, labels + 1), symmetric: pairs of spans that stand for each other, of which one
            has the label of the row and the other that of the column, over all pairs of annotators; on the diagonal
            both. In the last row and column spans of one annotator for which the other has none.
    """

    labels: tuple[str, ...]
    counts: np.ndarray

    def confused(self) -> list[tuple[str, str, int, float]]:
        """Return the pairs of labels that are confused, the most frequent first: both, how often, and the share.

        The share is that of pairs of spans with both labels among those that have one of the two labels each.
        """
        inner = self.counts[:-1, :-1]
        rows, columns = np.nonzero(np.triu(inner, 1))
        times = inner[rows, columns]
        shares = times / (times + inner[rows, rows] + inner[columns, columns])
        found = zip(rows.tolist(), columns.tolist(), times.tolist(), shares.tolist(), strict=True)
        listed = [(self.labels[row], self.labels[column], number, share) for row, column, number, share in found]
        return sorted(listed, key=lambda pair: -pair[2])

    def parts(self) -> Iterator[Part]:
        """Return the pairs of labels that are confused."""
        yield self.table()

    def tables(self) -> list[Table]:
        """Return these and the matrix."""
        return [self.table(), self.matrix()]

    def table(self, most: int | None = None) -> Table:
        """Show a row for each pair of labels that are confused, the most frequent first."""
        rows = [((one, "cyan"), *values) for one, *values in self.confused()[:most]]
        columns = [*amounts(other_label="other label", times="times"), TableColumn("share", kind="share")]
        return Table.of("label", columns, rows, left=2, kind="confused")

    def matrix(self) -> Table:
        """Return the counts, a row and a column for each label."""
        # a label may be called as another column is
        names = [*(repr(name) if name in ("label", _MISSING) else name for name in self.labels), _MISSING]
        return matrix_table("label", names, names, self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        counts = self.counts.tolist()
        return {"labels": list(self.labels), "counts": counts, "confused": self.table().records()}


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """How the annotators differ, two by two.

    Attributes:
        kinds: int64, shape (places, kinds): differences of each kind at each place, see `DIFFERENCES`, over all pairs
            of annotators. A difference is a pair of overlapping spans that are not equal, or a span without a partner,
            as `MatchedSpans` matches two annotators; one can be of the kinds `label` and `extent` (or `split`) at once.
        places: int64, shape (annotators, annotators), symmetric: places at which the two differ; 0 on the diagonal.
        confusion: which labels are confused.
    """

    kinds: np.ndarray
    places: np.ndarray
    confusion: LabelConfusion

    @classmethod
    def of(cls, places: Places, sides: Sequence[Spans]) -> PairDifferences:
        """Match the spans of each pair of annotators.

        Args:
            places: where they differ.
            sides: the spans of each, with common labels.

        Raises:
            InputError: see `MatchedSpans.of`.
        """
        labels = sides[0].labels
        size = len(labels) + 1
        kinds = np.zeros((len(places), len(DIFFERENCES)), dtype=np.int64)
        counts = np.zeros((size, size), dtype=np.int64)
        differing = np.zeros((len(sides), len(sides)), dtype=np.int64)
        numbers = [np.flatnonzero(held)[order_of_line(side)] for held, side in zip(places.held.T, sides, strict=True)]
        for one, other in combinations(range(len(sides)), 2):
            matched = MatchedSpans.of(Alignment(sides[one], sides[other]))
            cells = (matched.reference_label % size) * size + matched.predicted_label % size
            counts += np.bincount(cells, minlength=size * size).reshape(size, size)
            wrong = np.flatnonzero(matched.kind != CORRECT)
            reference, prediction = matched.reference[wrong], matched.prediction[wrong]
            span = np.where(reference >= 0, _at(numbers[one], reference), _at(numbers[other], prediction))
            place = places.place[span]
            for code, flags in enumerate(_kinds(matched, wrong)):
                kinds[:, code] += np.bincount(place[flags], minlength=len(places))
            differing[one, other] = differing[other, one] = len(np.unique(place))
        both = counts + counts.T
        np.fill_diagonal(both, np.diag(counts))
        return cls(kinds, differing, LabelConfusion(labels, both))


def _kinds(matched: MatchedSpans, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Flag rows that are not correct by kind, in the order of `DIFFERENCES`.

    Split is what `MatchedSpans` marks as split or joined, but for pairs of the same extent, and for spans without a
    partner within another of their annotator: these are nested, and no part of what was split.
    """
    alone = (matched.reference[rows] < 0) | (matched.prediction[rows] < 0)
    same = matched.extent[rows] == 0
    split = (matched.split | matched.joined)[rows] & np.where(alone, ~matched.nested[rows], ~same)
    label = ~alone & (matched.reference_label != matched.predicted_label)[rows]
    return label, ~alone & ~same & ~split, split, alone & ~split


def _at(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return chosen values, any one where none is chosen."""
    return values[np.maximum(chosen, 0)] if len(values) else np.zeros(len(chosen), dtype=np.int64)
