"""Tables and lines as commands make them, without the library that draws them, see `screen`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import Any, NamedTuple

from ..analysis.results import MeasureResult, Report
from ..errors import printable

DIGITS = 4
"""Decimals of a score in a table."""

_HEAD_WIDTH = 13
"""The head of a column of numbers goes over two lines if it is longer."""

_AMOUNTS = ("insertions", "deletions", "references", "tp", "support", "positives")
"""Values that are numbers of things."""

Cell = str | tuple[str, str]
"""A text, or a text with its style."""


@dataclass(frozen=True)
class Table:
    """A table: names on the left, numbers on the right.

    Attributes:
        title: what the names are.
        heads: the heads of the numbers.
        rows: the cells of each row, the name first; None for a line between rows.
        widths: the least widths of the column of names and of those of numbers.
        left: the number of columns whose cells begin on the left.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell] | None]
    widths: tuple[int, int] = (0, 0)
    left: int = 1


class Copyable(NamedTuple):
    """A quiet line that is not wrapped, so that it can be copied whole."""

    text: str


Part = Cell | list[Cell] | Copyable | Table
"""A line, a line of several pieces, one to copy, or a table."""


def heading(lines: Iterable[tuple[str, str]]) -> list[Part]:
    """Return lines with a name each, the texts below each other."""
    pairs = [(printable(name), text) for name, text in lines]
    width = max(len(name) for name, _ in pairs)
    return [[(f"{name:<{width}}", "bold"), f"  {text}"] for name, text in pairs]


def folded(table: Table, width: int) -> list[Part]:
    """Return a table as lines for a terminal that is too narrow: each row's name, and a line for each of its cells."""
    heads = [printable(head.replace("\n", " ")) for head in table.heads]
    indent = max(map(len, heads), default=0) + 4
    lines: list[Part] = [(table.title, "bold")] if table.title else []
    for row in table.rows:
        if row is None:
            continue
        lines.append(row[0])
        for head, cell in zip(heads, row[1:], strict=False):
            text, style = cell if isinstance(cell, tuple) else (cell, "")
            wrapped = wrap(printable(text), max(width - indent, 1), break_long_words=False, break_on_hyphens=False)
            for place, part in enumerate(wrapped):
                lines.append([f"  {'' if place else head}".ljust(indent), (part, style)])
    return lines


def score_tables(report: Report) -> list[Table]:
    """Return tables with one row for each measure; measures with the same keys share a table.

    A measure whose scores are by attribute has a table of its own, with one row for each attribute.
    """
    plain = [result for result in report.results if not _nested(result)]
    names = max((len(result.measure.name) for result in plain), default=0)
    heads = [part for result in plain for key in result.scores for part in head(key).split("\n")]
    numbers = max(map(len, heads), default=0)
    tables = []
    for keys, group in groupby(plain, key=lambda result: tuple(result.scores)):
        rows: list[list[Cell]] = []
        for result in group:
            rows.append([(result.measure.name, "cyan"), *score_cells(result.scores, keys, result.measure.headline)])
            if result.confidence is not None:
                rows.append(interval_cells(result.intervals, keys, result.confidence))
        tables.append(Table("measure", list(map(head, keys)), rows, widths=(names, numbers)))
    return tables + [_attribute_table(result) for result in report.results if _nested(result)]


def _nested(result: MeasureResult) -> bool:
    return any(isinstance(values, Mapping) for values in result.scores.values())


def _attribute_table(result: MeasureResult) -> Table:
    keys = result.measure.keys
    rows: list[list[Cell]] = []
    for place, (name, values) in enumerate(result.scores.items()):
        rows.append([(name, "" if place else "cyan"), *score_cells(values, keys, result.measure.headline)])
        if result.confidence is not None:
            intervals = {key: (values[f"{key}_low"], values[f"{key}_high"]) for key in keys if f"{key}_low" in values}
            rows.append(interval_cells(intervals, keys, result.confidence))
    return Table(result.measure.name, keys, rows)


def label_tables(report: Report) -> list[Table]:
    """Return for each measure a table with one row for each label."""
    tables = []
    for result in report.results:
        keys = result.measure.keys
        rows = [
            [label, *score_cells(values, keys, result.measure.headline), f"{values['support']:,}"]
            for label, values in result.per_label.items()
        ]
        tables.append(Table(result.measure.name, [*map(head, keys), "support"], rows))
    return tables


def interval_cells(intervals: Mapping[Any, tuple[float, float]], keys: Iterable[str], confidence: float) -> list[Cell]:
    """Return the row of the intervals of values, which goes below that of the values."""
    bounds = [intervals.get(key) for key in keys]
    cells = ["" if pair is None else f"{number(pair[0])}–{number(pair[1])}" for pair in bounds]
    return [(cell, "dim") for cell in (f"  {100 * confidence:g} %", *cells)]


def score_cells(values: Mapping[str, float | int], keys: Iterable[str], main: str) -> list[Cell]:
    """Return the values of the keys as cells of a table, that of `main` in bold."""
    return [((amount if key in _AMOUNTS else number)(values[key]), "bold" if key == main else "") for key in keys]


def number(value: float) -> str:
    """Return a score as tables show it."""
    return f"{value:.{DIGITS}f}"


def amount(value: float) -> str:
    """Return a sum of counts as tables show it: whole, unless it is a mean over labels."""
    return f"{value:,.0f}" if float(value).is_integer() else number(value)


def head(key: str) -> str:
    """Return a key as the head of a column: a long one on two lines."""
    return "\n".join(key.rsplit("_", 1)) if len(key) > _HEAD_WIDTH else key
