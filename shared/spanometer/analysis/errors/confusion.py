"""Confusion matrices of labels: which label the spans of each label get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...alignment.matched_spans import MatchedSpans
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts

PAIR_CHOICES = {
    "overlap": "all pairs that share tokens",
    "exact": "only pairs with the same boundaries; all other spans count as missing or spurious",
}
"""Which pairs a confusion matrix has, explained."""

MISSING, SPURIOUS = "missing", "spurious"
"""The last column, of reference spans that no predicted span stands for, and the last row, of the others."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Confusion(Result):
    """Which label the spans of each label get.

    Rows sum to the reference spans of a label, columns to the predicted ones.

    Attributes:
        labels: those that occur on either side.
        pairs: which pairs it has, see `PAIR_CHOICES`.
        counts: spans, int64, shape (labels + 1, labels + 1): the reference's labels and then the spurious spans in
            rows, the predicted labels and then the missing spans in columns.
        about: what tells the matrix from others in tables.
    """

    labels: tuple[str, ...]
    pairs: str
    counts: np.ndarray
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, matched: MatchedSpans, pairs: str, about: Mapping[str, str] | None = None) -> Confusion:
        """Count the pairs of labels."""
        names = matched.alignment.labels
        size = len(names) + 1
        row, column = matched.reference_label % size, matched.predicted_label % size
        apart = (matched.boundary > 0) & (pairs == "exact")
        cells = np.bincount(row * size + column, weights=~apart, minlength=size * size)
        cells += np.bincount(row[apart] * size + len(names), minlength=size * size)
        cells += np.bincount(len(names) * size + column[apart], minlength=size * size)
        counts = cells.astype(np.int64).reshape(size, size)
        there = np.flatnonzero((counts.sum(axis=0) + counts.sum(axis=1))[:-1] > 0)
        kept = np.append(there, len(names))
        return cls(
            labels=tuple(names[label] for label in there.tolist()),
            pairs=pairs,
            counts=counts[np.ix_(kept, kept)],
            about=about or {},
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows."""
        return (*map(_named, self.labels), SPURIOUS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (*map(_named, self.labels), MISSING)

    def confused(self) -> list[tuple[str, str, int]]:
        """List the labels that are taken for another, with the other and how often; the most frequent first."""
        wrong = self.counts[:-1, :-1].copy()
        np.fill_diagonal(wrong, 0)
        places = np.argwhere(wrong).tolist()
        listed = [(self.labels[row], self.labels[column], int(wrong[row, column])) for row, column in places]
        return sorted(listed, key=lambda pair: -pair[2])

    def parts(self) -> Iterator[Part]:
        """Yield the matrix."""
        yield self.table()

    def table(self) -> Table:
        """Show a row for each label of the reference, a column for each predicted one."""
        about = {**self.about, "pairs": self.pairs}
        title = f"{self.pairs}: reference"
        return matrix_table(title, self.rows, self.columns, self.counts, names="reference", about=about)

    def confused_table(self) -> Table:
        """Show a row for each confusion of two labels, the most frequent one first."""
        rows = [((reference, "cyan"), predicted, number) for reference, predicted, number in self.confused()]
        columns = amounts("predicted", "spans")
        about = {**self.about, "pairs": self.pairs}
        return Table.of("reference", columns, rows, left=2, kind="confused", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {"labels": list(self.labels), "pairs": self.pairs, "counts": self.counts.tolist()}


def matrix_table(title: str, rows: Sequence[str], columns: Sequence[str], counts: np.ndarray, **options: Any) -> Table:
    """Show a matrix of counts; its last cell, of spans that neither side has, is empty."""
    cells: list[list[Any]] = [[(name, "cyan"), *values] for name, values in zip(rows, counts.tolist(), strict=True)]
    cells[-1][-1] = None
    return Table.of(
        title, [TableColumn(name, name, "amount", named=True) for name in columns], cells, kind="confusion", **options
    )


def _named(label: str) -> str:
    """Name a label, in quotes if another row or column of the table has this name."""
    return repr(label) if label in (MISSING, SPURIOUS, "reference", "pairs", "system") else label
