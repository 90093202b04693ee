"""The reference's own consistency: strings that it gives several labels, of which the rare ones are probable errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import plain, run_bounds
from ...exceptions import printable
from ...spans.spans import Spans
from ...spans.wording import coded_strings
from ...tables.result import Result
from ...tables.table import Part, Table, amounts
from .contexts import Context

_PLACES = 5
"""How many places of a string are named."""


@dataclass(frozen=True, eq=False)
class LabelsOfStrings:
    """The labels that the reference gives to the string of each of its spans.

    Attributes:
        own: how often the string has the span's label.
        other: how often it has the most frequent other label; 0 if it has none.
        other_label: that label, a code of the reference's labels.
    """

    own: np.ndarray
    other: np.ndarray
    other_label: np.ndarray

    @classmethod
    def of(cls, references: Spans, string: np.ndarray) -> LabelsOfStrings:
        """Count the labels of each string, given the code of the string that each span covers."""
        width = max(len(references.labels), 1)
        pair, of_span, times = np.unique(
            string.astype(np.int64) * width + references.label, return_inverse=True, return_counts=True
        )
        owner, label = np.divmod(pair, width)
        # each string's labels, the most frequent first: the other label of a span is the first that is not its own
        order = np.lexsort((label, -times, owner))
        first, _ = run_bounds(owner[order])
        size = np.diff(np.append(first, len(order)))
        rank = np.repeat(np.arange(len(first)), size)
        best = order[first][rank]
        second = np.where(size > 1, order[np.minimum(first + 1, max(len(order) - 1, 0))], -1)[rank]
        other = np.empty(len(order), dtype=np.int64)
        other[order] = np.where(best == order, second, best)
        there = other >= 0
        of_span = of_span.ravel()
        return cls(
            times[of_span],
            np.where(there, times[other], 0)[of_span],
            np.where(there, label[other], -1)[of_span],
        )


@dataclass(frozen=True, eq=False)
class Inconsistency:
    """A string that the reference mostly gives one label, and at times another one.

    Attributes:
        text: the string.
        label: the rare label.
        times: how often the string has it.
        usual: the most frequent label of the string.
        usual_times: how often the string has that one.
        documents: the document of each span with the rare label.
        lines: the line of each; None if there is no file.
    """

    text: str
    label: str
    times: int
    usual: str
    usual_times: int
    documents: list[int]
    lines: list[int] | None


def inconsistencies(references: Spans, context: Context) -> list[Inconsistency]:
    """List the rare labels of strings that mostly have another one, the most probable errors first.

    First are those with the smallest share of the rare label, then the most frequent strings. Empty if the words are
    not known.
    """
    if context.wording is None:
        return []
    (string,), texts = coded_strings(context.wording.of(references))
    labels = LabelsOfStrings.of(references, string)
    rare = np.flatnonzero(labels.own < labels.other)
    order = rare[
        np.lexsort(
            (
                rare,
                references.label[rare],
                string[rare],
                -labels.other[rare],
                (labels.own / (labels.own + labels.other))[rare],
            )
        )
    ]
    first, last = run_bounds(string[order], references.label[order])

    offsets = context.wording.units.offsets
    lines = context.lines(references.document[order], references.start[order].astype(np.int64), offsets)
    return [
        Inconsistency(
            texts[string[span]],
            references.labels[references.label[span]],
            int(labels.own[span]),
            references.labels[labels.other_label[span]],
            int(labels.other[span]),
            references.document[order[begin:end]].tolist(),
            None if lines is None else lines[begin:end].tolist(),
        )
        for begin, end, span in zip(first.tolist(), last.tolist(), order[first].tolist(), strict=True)
    ]


@dataclass(frozen=True, repr=False)
class Inconsistencies(Result):
    """Strings with several labels in the reference. Their table is `inconsistencies`.

    Attributes:
        rare_labels: the rare labels, the most probable errors first.
    """

    rare_labels: Sequence[Inconsistency]

    def parts(self) -> Iterator[Part]:
        """Make the table."""
        yield self.table()

    def table(self, most: int | None = None) -> Table:
        """Show a row for each rare label of a string, the first ones if there are more than `most`."""
        rows = [
            (printable(row.text), row.label, row.times, row.usual, row.usual_times, _places(row))
            for row in self.rare_labels[:most]
        ]
        columns = amounts("label", "times", "mostly", mostly_times="times", places="places")
        return Table.of("string", columns, rows, kind="inconsistencies", names="text")

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert to built-in types, ready for JSON."""
        return list(plain(self.rare_labels))


def _places(row: Inconsistency) -> str:
    name, numbers = ("document", row.documents) if row.lines is None else ("line", row.lines)
    shown = ", ".join(map(str, numbers[:_PLACES]))
    more = f" and {len(numbers) - _PLACES} more" if len(numbers) > _PLACES else ""
    return f"{name}{'s' if len(numbers) > 1 else ''} {shown}{more}"
