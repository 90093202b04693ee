"""Confusion matrices: the predicted labels of the reference spans with each label."""

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
"""The choices of pairs for a confusion matrix, with explanations."""

MISSING, SPURIOUS = "missing", "spurious"
"""The names of the last column (unmatched reference spans) and of the last row (unmatched predicted spans)."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Confusion(Result):
    """The number of spans with each reference label and each predicted label.

    Each row adds up to the reference spans of a label, each column to the predicted spans of a label.

    Attributes:
        labels: the labels that occur on either side.
        pairs: the choice of pairs, see `PAIR_CHOICES`.
        counts: int64, shape (labels + 1, labels + 1): a row for each reference label and one for spurious spans, and a
            column for each predicted label and one for missing spans.
        about: columns that name the system in tables.
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
        """List each reference label with a different predicted label and their number, the most frequent first."""
        wrong = self.counts[:-1, :-1].copy()
        np.fill_diagonal(wrong, 0)
        places = np.argwhere(wrong).tolist()
        listed = [(self.labels[row], self.labels[column], int(wrong[row, column])) for row, column in places]
        return sorted(listed, key=lambda pair: -pair[2])

    def parts(self) -> Iterator[Part]:
        """Yield the matrix."""
        yield self.table()

    def table(self) -> Table:
        """Return a table with a row for each reference label and a column for each predicted label."""
        about = {**self.about, "pairs": self.pairs}
        title = f"{self.pairs}: reference"
        return matrix_table(title, self.rows, self.columns, self.counts, names="reference", about=about)

    def confused_table(self) -> Table:
        """Return a table of confusions of two labels, the most frequent first."""
        rows = [((reference, "cyan"), predicted, number) for reference, predicted, number in self.confused()]
        columns = amounts("predicted", "spans")
        about = {**self.about, "pairs": self.pairs}
        return Table.of("reference", columns, rows, left=2, kind="confused", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {"labels": list(self.labels), "pairs": self.pairs, "counts": self.counts.tolist()}


def matrix_table(title: str, rows: Sequence[str], columns: Sequence[str], counts: np.ndarray, **options: Any) -> Table:
    """Return a table of a matrix of counts; the last cell (no span on either side) is empty."""
    cells: list[list[Any]] = [[(name, "cyan"), *values] for name, values in zip(rows, counts.tolist(), strict=True)]
    cells[-1][-1] = None
    return Table.of(
        title, [TableColumn(name, name, "amount", named=True) for name in columns], cells, kind="confusion", **options
    )


def _named(label: str) -> str:
    """Return the name of a label, in quotes if another row or column has this name."""
    return repr(label) if label in (MISSING, SPURIOUS, "reference", "pairs", "system") else label
