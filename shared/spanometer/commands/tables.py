"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NoReturn

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..analysis.results import Report
from ..errors import printable
from ..measures.result import MeasureResult

DIGITS = 4
"""Decimals of a score in a table."""

_LABEL_WIDTH = 12
"""The least width of a column of labels; longer labels are folded if they must."""

_HEAD_WIDTH = 13
"""The head of a column of numbers goes over two lines if it is longer."""

_AMOUNTS = ("insertions", "deletions", "references")
"""Headline values that are numbers of things."""

_UNLIMITED = 1_000_000
"""The width of a page that is no terminal: nothing is wrapped or cut."""


def score_tables(report: Report) -> list[Table]:
    """Return tables with one row for each measure; measures with the same keys share a table."""
    names = max((len(result.measure.name) for result in report.results), default=0)
    heads = [part for result in report.results for key in result.scores for part in head(key).split("\n")]
    numbers = max(map(len, heads), default=0)
    tables = []
    for keys, group in groupby(report.results, key=lambda result: tuple(result.scores)):
        table = empty_table("measure", map(head, keys), widths=(names, numbers))
        for result in group:
            name, main = result.measure.name, result.measure.headline
            table.add_row(Text(name, "cyan"), *score_cells(result.scores, keys, main))
            if result.confidence is not None:
                table.add_row(*interval_cells(result, keys))
        tables.append(table)
    return tables


def label_tables(report: Report) -> list[Table]:
    """Return for each measure a table with one row for each label."""
    tables = []
    for result in report.results:
        keys = result.measure.keys
        table = empty_table(result.measure.name, (*map(head, keys), "support"), labels=True)
        for label, values in result.per_label.items():
            cells = score_cells(values, keys, result.measure.headline)
            table.add_row(Text(printable(label)), *cells, Text(f"{values['support']:,}"))
        tables.append(table)
    return tables


def interval_cells(result: MeasureResult, keys: Iterable[str]) -> list[Text]:
    """Return the row of the intervals of a result's values, which goes below that of the values."""
    bounds = [result.intervals.get(key) for key in keys]
    cells = ["" if pair is None else f"{number(pair[0])}–{number(pair[1])}" for pair in bounds]
    return [Text(f"  {100 * (result.confidence or 0):g} %", "dim"), *(Text(cell, "dim") for cell in cells)]


class _Page(Console):
    """A console that leaves a closed pipe to its caller."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def page(*, color: bool = True) -> Console:
    """Return a console on standard output that marks up nothing by itself and cuts nothing off the terminal."""
    console = _Page(highlight=False, markup=False, emoji=False, color_system="auto" if color else None)
    if not console.file.isatty():
        console.width = _UNLIMITED
    return console


def show(console: Console, *parts: RenderableType) -> None:
    """Print one part below the other.

    Numbers are never cut: if a table needs more than the terminal has, the terminal breaks its lines. It also breaks
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
    """Return the width that the numbers of a table need; a column of labels gets what they leave."""
    unlimited = console.options.update(max_width=_UNLIMITED)
    labels = table.columns[0]
    if labels.overflow == "fold":
        labels.max_width = _LABEL_WIDTH
        numbers = Measurement.get(console, unlimited, table).minimum - _LABEL_WIDTH
        labels.max_width = max(_LABEL_WIDTH, console.width - numbers)
        return max(console.width, numbers + _LABEL_WIDTH)
    return max(console.width, Measurement.get(console, unlimited, table).minimum)


def empty_table(title: str, columns: Iterable[str], *, labels: bool = False, widths: tuple[int, int] = (0, 0)) -> Table:
    """Return a table without rows: names on the left, numbers on the right.

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
    """Return a quiet line that is not wrapped."""
    return Text(text, "dim", no_wrap=True)


def number(value: float) -> str:
    """Return a score as tables show it."""
    return f"{value:.{DIGITS}f}"


def amount(value: float) -> str:
    """Return a sum of counts as tables show it: whole, unless it is a mean over labels."""
    return f"{value:,.0f}" if float(value).is_integer() else number(value)


def head(key: str) -> str:
    """Return a key as the head of a column: a long one on two lines."""
    return "\n".join(key.rsplit("_", 1)) if len(key) > _HEAD_WIDTH else key


def score_cells(values: Mapping[str, float | int], keys: Sequence[str], main: str) -> list[Text]:
    """Return the values of the keys as cells of a table, that of `main` in bold."""
    return [Text((amount if key in _AMOUNTS else number)(values[key]), "bold" if key == main else "") for key in keys]
