"""Several measures on one pair of annotations: computed over one alignment, shown as tables or as plain dicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NoReturn, Self

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..counts.resampling import Resampling
from ..errors import counted, printable
from ..measures import AlignedMeasure, Measure
from ..measures.signature import signature
from ..spans.entities import Entities
from ..spans.spans import Spans

DIGITS = 4
"""Decimals of a score in a table."""

_LABEL_WIDTH = 12
"""A column of labels is not made narrower than this; longer labels go over several lines where they must."""

_HEAD_WIDTH = 13
"""The head of a column of numbers goes over two lines where it is longer."""

_AMOUNTS = ("insertions", "deletions", "references")
"""Headline values that are numbers of things."""

_UNLIMITED = 1_000_000
"""The width of a page that is no terminal: nothing is wrapped or cut."""


@dataclass(frozen=True)
class MeasureResult:
    """What one measure says of a pair.

    Attributes:
        measure: the measure with its options.
        scores: its headline values.
        per_label: the same for each label, with `support`.
        counts: its counts, summed.
        signature: how the values were made.
        intervals: the bounds of confidence intervals of the headline values, where these were asked for.
        confidence: the intervals' level.
    """

    measure: Measure
    scores: Mapping[str, float]
    per_label: Mapping[str, Mapping[str, float | int]]
    counts: Mapping[str, int | float]
    signature: str
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    confidence: float | None = None

    @classmethod
    def of(
        cls, measure: Measure, counts: Counts, reading: Mapping[str, Any], resampling: Resampling | None = None
    ) -> Self:
        """Score counts; `reading` says how the input was read, for the signature."""
        scores, per_label = measure.score(counts), measure.score_per_label(counts)
        written = signature(measure, reading, resampling)
        if resampling is None:
            return cls(measure, scores, per_label, counts.total(), written)
        intervals = measure.intervals(counts, resampling)
        return cls(measure, scores, per_label, counts.total(), written, intervals, resampling.confidence)

    def to_dict(self, *, per_label: bool = False) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        entry: dict[str, Any] = {
            "scores": plain(self.scores),
            "counts": plain(self.counts),
            "signature": self.signature,
        }
        if self.intervals:
            entry["intervals"] = {
                key: [None if math.isnan(bound) else bound for bound in bounds]
                for key, bounds in self.intervals.items()
            }
        if per_label:
            entry["per_label"] = {label: plain(values) for label, values in self.per_label.items()}
        return entry


@dataclass(frozen=True)
class Report:
    """What several measures say of one pair of annotations.

    Attributes:
        documents, tokens: the size of the corpus; tokens is None where the documents' lengths are not known.
        reference_spans, predicted_spans: numbers of spans, or of what else is scored.
        results: one for each measure, in the order that was asked for.
        unit: what is scored, one and several of it.
    """

    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    results: tuple[MeasureResult, ...]
    unit: tuple[str, str] = ("span", "spans")

    @classmethod
    def of(
        cls,
        references: Spans,
        predictions: Spans,
        measures: Sequence[AlignedMeasure],
        reading: Mapping[str, Any],
        progress: Callable[[Sequence[AlignedMeasure]], Iterable[AlignedMeasure]] = iter,
        resampling: Resampling | None = None,
    ) -> Self:
        """Align both sides once, and count and score each measure over the alignment.

        Args:
            references, predictions: the spans of both sides.
            measures: measures with their options.
            reading: how the input was read, for the signatures (`scheme` and `repair` for tags).
            progress: wraps the sequence of measures, for a progress bar.
            resampling: how confidence intervals are made; None makes none.

        Raises:
            InputError: where the two sides do not annotate the same documents, or a measure is not defined.
        """
        alignment = Alignment(references, predictions)
        results = tuple(
            MeasureResult.of(measure, measure.count(alignment), reading, resampling) for measure in progress(measures)
        )
        tokens = None if alignment.lengths is None else int(alignment.lengths.sum())
        return cls(alignment.documents, tokens, len(references), len(predictions), results)

    @classmethod
    def of_entities(
        cls,
        references: Entities,
        predictions: Entities,
        measures: Sequence[Measure],
        reading: Mapping[str, Any],
        resampling: Resampling | None = None,
    ) -> Self:
        """The same of entity trees, with measures of these; see `of`."""
        results = tuple(
            MeasureResult.of(measure, measure.counts(references, predictions), reading, resampling)
            for measure in measures
        )
        lengths = predictions.lengths if references.lengths is None else references.lengths
        tokens = None if lengths is None else int(lengths.sum())
        sizes = len(references), len(predictions)
        return cls(references.documents, tokens, *sizes, results, ("entity", "entities"))

    @property
    def size(self) -> str:
        """The size of the corpus in words."""
        parts = [counted(self.documents, "document")]
        if self.tokens is not None:
            parts.append(counted(self.tokens, "token"))
        one, several = self.unit
        parts.append(counted(self.reference_spans, f"reference {one}", f"reference {several}"))
        parts.append(counted(self.predicted_spans, f"predicted {one}", f"predicted {several}"))
        return ", ".join(parts)

    def to_dict(self, *, per_label: bool = False) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            f"reference_{self.unit[1]}": self.reference_spans,
            f"predicted_{self.unit[1]}": self.predicted_spans,
            "measures": {result.measure.name: result.to_dict(per_label=per_label) for result in self.results},
        }

    def score_tables(self) -> list[Table]:
        """One row for each measure; measures that have the same keys share a table."""
        names = max((len(result.measure.name) for result in self.results), default=0)
        heads = [part for result in self.results for key in result.scores for part in head(key).split("\n")]
        numbers = max(map(len, heads), default=0)
        tables = []
        for keys, group in groupby(self.results, key=lambda result: tuple(result.scores)):
            table = empty_table("measure", map(head, keys), widths=(names, numbers))
            for result in group:
                name, main = result.measure.name, result.measure.headline
                table.add_row(Text(name, "cyan"), *score_cells(result.scores, keys, main))
                if result.confidence is not None:
                    table.add_row(*interval_cells(result, keys))
            tables.append(table)
        return tables

    def label_tables(self) -> list[Table]:
        """For each measure one row for each label."""
        tables = []
        for result in self.results:
            keys = result.measure.keys
            table = empty_table(result.measure.name, (*map(head, keys), "support"), labels=True)
            for label, values in result.per_label.items():
                table.add_row(
                    Text(printable(label)),
                    *score_cells(values, keys, result.measure.headline),
                    Text(f"{values['support']:,}"),
                )
            tables.append(table)
        return tables

    def signatures(self) -> list[Text]:
        """The signatures, each a line."""
        return [copyable(result.signature) for result in self.results]


def interval_cells(result: MeasureResult, keys: Iterable[str]) -> list[Text]:
    """A row for the intervals of a result's values, below that of the values."""
    bounds = [result.intervals.get(key) for key in keys]
    cells = ["" if pair is None else f"{number(pair[0])}–{number(pair[1])}" for pair in bounds]
    return [Text(f"  {100 * (result.confidence or 0):g} %", "dim"), *(Text(cell, "dim") for cell in cells)]


class _Page(Console):
    """A console that leaves it to its caller what follows when nobody reads on."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def page(*, color: bool = True) -> Console:
    """A console on standard output that marks up nothing by itself and never cuts what is not shown on a terminal."""
    console = _Page(highlight=False, markup=False, emoji=False, color_system="auto" if color else None)
    if not console.file.isatty():
        console.width = _UNLIMITED
    return console


def show(console: Console, *parts: RenderableType) -> None:
    """Print one part below the other.

    Numbers are never cut: where a table needs more than the terminal has, the terminal breaks its lines. It also breaks
    texts that are not to be wrapped (signatures, commands), so that they can be copied whole.
    """
    terminal = console.width
    for part in parts:
        if isinstance(part, Table):
            console.width = _fit(part, console)
            console.print(part, crop=False)
            console.width = terminal
        else:
            console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)


def _fit(table: Table, console: Console) -> int:
    """The width that the numbers of a table need; a column of labels gets what they leave."""
    unlimited = console.options.update(max_width=_UNLIMITED)
    labels = table.columns[0]
    if labels.overflow == "fold":
        labels.max_width = _LABEL_WIDTH
        numbers = Measurement.get(console, unlimited, table).minimum - _LABEL_WIDTH
        labels.max_width = max(_LABEL_WIDTH, console.width - numbers)
        return max(console.width, numbers + _LABEL_WIDTH)
    return max(console.width, Measurement.get(console, unlimited, table).minimum)


def empty_table(title: str, columns: Iterable[str], *, labels: bool = False, widths: tuple[int, int] = (0, 0)) -> Table:
    """A table without rows: names on the left, numbers on the right.

    Args:
        title: what the names are.
        columns: the heads of the numbers.
        labels: the names are labels, which may be long: they are folded before numbers are pushed out of sight.
        widths: the least widths of the column of names and of those of numbers.
    """
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
    if labels:
        table.add_column(title, overflow="fold")
    else:
        table.add_column(title, no_wrap=True, min_width=widths[0])
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True, min_width=widths[1])
    return table


def copyable(text: str) -> Text:
    """A quiet line that is not to be wrapped."""
    return Text(text, "dim", no_wrap=True)


def number(value: float) -> str:
    """A score as the tables show it."""
    return f"{value:.{DIGITS}f}"


def amount(value: float) -> str:
    """A sum of counts as the tables show it: whole, unless it is a mean over labels."""
    return f"{value:,.0f}" if float(value).is_integer() else number(value)


def head(key: str) -> str:
    """A key as the head of a column: a long one on two lines."""
    return "\n".join(key.rsplit("_", 1)) if len(key) > _HEAD_WIDTH else key


def score_cells(values: Mapping[str, float | int], keys: Sequence[str], main: str) -> list[Text]:
    """The values of the keys as cells of a table; one is that to look at."""
    return [Text((amount if key in _AMOUNTS else number)(values[key]), "bold" if key == main else "") for key in keys]


def plain(values: Mapping[str, float | int]) -> dict[str, float | int | None]:
    """The values ready for JSON: NaN, which it lacks, becomes None."""
    return {key: None if math.isnan(value) else value for key, value in values.items()}
