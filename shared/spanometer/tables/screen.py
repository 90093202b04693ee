"""Tables and lines as text: on the terminal, in files and in strings."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterable
from typing import NoReturn

from rich import box
from rich.console import Console, ConsoleDimensions
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from ..exceptions import printable
from .table import Copyable, Part, Precision, Table, folded, styled
from .table import Text as Cell

_UNLIMITED = 1_000_000
"""The width of a page that is no terminal: nothing is wrapped or cut."""


class _Page(Console):  # type: ignore[misc]
    """A console that leaves a closed pipe to its caller."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def page(*, color: bool = True, file: io.StringIO | None = None) -> Console:
    """Make a console on standard output, or in a file, that marks up nothing by itself and cuts nothing off."""
    # in a notebook Rich would display the parts instead of writing them
    console = _Page(
        highlight=False,
        markup=False,
        emoji=False,
        color_system="auto" if color else None,
        file=file,
        force_jupyter=False,
    )
    # Rich itself takes COLUMNS from the environment as it was when Rich was imported
    size = shutil.get_terminal_size()
    console.size = ConsoleDimensions(size.columns if console.file.isatty() else _UNLIMITED, size.lines)
    return console


def text_of(parts: Iterable[Part], precision: Precision | None = None, *, terminal: bool = True) -> str:
    """Write parts as text without colours; with `terminal`, in the width of the terminal on standard output, if any."""
    console = page(color=False, file=io.StringIO())
    if terminal and sys.stdout is not None and sys.stdout.isatty():
        console.width = shutil.get_terminal_size().columns
    show(console, *parts, precision=precision)
    return str(console.file.getvalue())


def show(console: Console, *parts: Part, precision: Precision | None = None) -> None:
    """Print one part below the other.

    Nothing is cut: a table that is wider than the terminal is folded into lines. The terminal itself wraps lines to be
    copied (signatures, commands), so that they stay whole.
    """
    written = precision or Precision()
    for part in parts:
        if isinstance(part, Table):
            grid = _grid(part, written)
            if _width(grid, console) <= console.width:
                console.print(grid)
            else:
                show(console, *folded(part, console.width, written))
        elif isinstance(part, Copyable):
            console.print(Text(printable(part.text), "dim"), soft_wrap=True)
        else:
            console.print(Text.assemble(*map(_text, part if isinstance(part, list) else [part])))


def _grid(table: Table, precision: Precision) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
    names, numbers = table.widths
    grid.add_column(_text(table.title), no_wrap=True, min_width=names)
    for place, head in enumerate(table.heads, 1):
        justify = "left" if place < table.left else "right"
        grid.add_column(
            Text("\n".join(map(printable, head.split("\n")))), justify=justify, no_wrap=True, min_width=numbers
        )
    for row in table.written(precision):
        if row is None:
            grid.add_section()
        else:
            grid.add_row(*map(_text, row))
    return grid


def _text(cell: Cell) -> Text:
    text, style = styled(cell)
    return Text(printable(text), style)


def _width(grid: Grid, console: Console) -> int:
    """Compute the width that a table needs."""
    return int(Measurement.get(console, console.options.update(max_width=_UNLIMITED), grid).maximum)
