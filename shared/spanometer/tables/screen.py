"""Tables and lines as text for the terminal, for files and for strings."""

import io
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions
from rich.table import Table as Grid
from rich.text import Text

from ..exceptions import printable
from .table import Copyable, NamedLine, Number, Part, Precision, Table, styled
from .table import Text as Cell

_UNLIMITED = 1_000_000
"""The page width if the output is not a terminal: nothing is wrapped or cut."""

_GAPS = (3, 2, 1)
"""The space between the columns of a table, on wide and on narrow pages."""


class _Page(Console):  # type: ignore[misc]
    """A console that lets its caller handle a closed pipe."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def page(*, color: bool = True, file: io.StringIO | None = None, terminal: bool | None = None) -> Console:
    """Create a console for standard output or a file, without automatic markup and truncation.

    Args:
        color: whether styles are shown.
        file: the file; None means standard output.
        terminal: whether lines have the width of the terminal; by default if the console writes to a terminal.
    """
    # in a notebook Rich would display the parts instead of writing them
    colors = "auto" if color and not os.environ.get("NO_COLOR") else None
    console = _Page(highlight=False, markup=False, emoji=False, color_system=colors, file=file, force_jupyter=False)
    # Rich reads the environment variable COLUMNS only when it is imported
    size = shutil.get_terminal_size()
    narrow = console.file.isatty() if terminal is None else terminal
    console.size = ConsoleDimensions(size.columns if narrow else _UNLIMITED, size.lines)
    return console


def text_of(parts: Iterable[Part], precision: Precision | None = None, *, terminal: bool = True) -> str:
    """Return parts as text without colours; if `terminal` is True, in the width of the terminal."""
    file = io.StringIO()
    on_terminal = terminal and sys.stdout is not None and sys.stdout.isatty()
    show(page(color=False, file=file, terminal=on_terminal), *parts, precision=precision)
    return file.getvalue()


def show(console: Console, *parts: Part, precision: Precision | None = None) -> None:
    """Print parts one below the other.

    Nothing is cut. If a table is wider than the terminal, its columns become narrower, see `_grids`. Copyable lines
    (signatures, commands) are wrapped only by the terminal, so that they can be copied whole.
    """
    written = precision or Precision()
    for part in parts:
        if isinstance(part, Table):
            for place, grid in enumerate(_grids(part, written, console.width)):
                console.print(*([""] if place else []), grid, sep="\n")
        elif isinstance(part, Copyable):
            console.print(Text("\n".join(map(printable, part.folded())), "dim"), soft_wrap=True)
        elif isinstance(part, NamedLine):
            line = Grid.grid(padding=(0, 2))
            line.add_column(no_wrap=True)
            line.add_column(overflow="fold")
            name, text = map(_text, part)
            line.add_row(name, text.plain.lstrip())
            console.print(line)
        else:
            console.print(Text.assemble(*map(_text, part if isinstance(part, list) else [part])))


def _grids(table: Table, precision: Precision, width: int) -> list[Grid]:
    """Lay out a table on a page of this width.

    If the table is too wide, these steps are tried in order: narrower gaps and headers on several lines; intervals only
    in the main column; short headers; texts on several lines; blocks of columns, one below the other.
    """
    names, numbers = table.widths
    sizes = [max(size, numbers if place else names) for place, size in enumerate(_sizes(table, precision))]
    if _total(sizes, _GAPS[0]) <= width:
        return [_grid(table, precision, sizes, _GAPS[0])]
    forms = [(narrow, _GAPS[1]) for narrow in table.narrower()]
    for narrow, gap in (*forms, (forms[-1][0], _GAPS[-1])):
        sizes = _sizes(narrow, precision, heads=True)
        if _total(sizes, gap) <= width:
            return [_grid(narrow, precision, sizes, gap)]
    least = _sizes(narrow, precision, heads=True, texts=True)
    blocks = [first := [*range(table.left)]]
    for place in range(table.left, len(least)):
        if blocks[-1] != first and _total([least[column] for column in (*blocks[-1], place)]) > width:
            blocks.append(first)
        blocks[-1] = [*blocks[-1], place]
    # texts get the remaining width
    wide = [size if place >= table.left and size == least[place] else None for place, size in enumerate(sizes)]
    return [_grid(narrow.columns(block), precision, [wide[place] for place in block]) for block in blocks]


def _sizes(table: Table, precision: Precision, *, heads: bool = False, texts: bool = False) -> list[int]:
    """Compute the width of each column; `heads` and `texts` say whether headers and texts can be on several lines."""
    rows = [row for row in table.written(precision) if row]
    cells = list(zip(*rows, strict=True)) or [()] * (1 + len(table.heads))
    numbers = {place for row in table.rows if row for place, cell in enumerate(row) if isinstance(cell, Number)}
    return [
        max(
            _longest(head, heads if place else texts),
            *(_longest(styled(cell)[0], texts and place not in numbers) for cell in column),
            # a table can have no rows
            0,
        )
        for place, (head, column) in enumerate(zip((table.title, *table.heads), cells, strict=True))
    ]


def _longest(text: str, apart: bool) -> int:
    """Return the width of the longest line of a text, or of its longest word if `apart` is True."""
    return max((cell_len(printable(line)) for line in (text.split() if apart else text.split("\n"))), default=0)


def _total(sizes: Sequence[int], gap: int = _GAPS[-1]) -> int:
    return sum(sizes) + gap * (len(sizes) - 1)


def _grid(table: Table, precision: Precision, sizes: Sequence[int | None], gap: int = _GAPS[-1]) -> Grid:
    padding = (0, int(gap > 1), 0, int(gap > 2))
    grid = Grid(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False, padding=padding)
    for place, (head, size) in enumerate(zip((table.title, *table.heads), sizes, strict=True)):
        text = Text("\n".join(map(printable, head.split("\n"))))
        grid.add_column(text, justify="left" if place < table.left else "right", width=size, overflow="fold")
    for row in table.written(precision):
        if row is None:
            grid.add_section()
        else:
            grid.add_row(*map(_text, row))
    return grid


def _text(cell: Cell) -> Text:
    text, style = styled(cell)
    return Text(printable(text), style)
