"""Every published table, ours beside it: `python -m experiments`.

    found = reproduce(folder="data")
    print(found.to_markdown())

A table's values are made from what comes with the package, or from corpora that do not. Each value that is not the
published one at its printed precision is marked, with the reason if it is known (`differences`). A table that lacks a
corpus is said to be missing, and the others are made.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanometer.exceptions import InputError, counted

from . import chance, decoding, eter, monotonicity, mpp, partial_match, sl_icm, span_attribute
from .differences import explained
from .inputs import Inputs
from .tables import DIFFERENT, EQUAL, NEAR, Cell, Experiment, Grid, Table, markdown_table, plain_markdown

TABLES: dict[str, tuple[Experiment, ...]] = {
    **sl_icm.TABLES,
    **chance.TABLES,
    **eter.TABLES,
    **span_attribute.TABLES,
    **partial_match.TABLES,
    **mpp.TABLES,
    **decoding.TABLES,
    **monotonicity.TABLES,
}
"""What can be reproduced, by name; one name may give several tables."""

SUMMARY = ("table", "", "published", "equal", "within one unit", "not equal")
"""The columns of the summary."""

_DIFFERENCES = ["not equal", "published", "ours", "difference", ""]
"""The columns of cells that are not equal."""

FIGURE = "chance_figure1"
"""The table that has a picture."""

LISTED = 20
"""If more cells than this have one reason, only their number is given, unless all cells are asked for."""

_INTRODUCTION = (
    "Published tables beside the values that this package gives: ours / published. A value is equal where it rounds to "
    "the printed one; `±1` is within one unit of the last printed digit, `≠` is neither."
    " Made by `python -m experiments`; its help says what it needs."
)


@dataclass(frozen=True)
class Reproduction:
    """Published tables and ours.

    Attributes:
        tables: in the order of `TABLES`.
    """

    tables: tuple[Table, ...]

    @property
    def unexplained(self) -> tuple[tuple[Table, Cell], ...]:
        """Return all cells that are not equal and have no reason, each with its table."""
        return tuple((table, cell) for table in self.tables for cell in table.unexplained)

    def summary(self) -> list[tuple[str, ...]]:
        """Return a row of `SUMMARY` for each table."""
        return [_summary(table) for table in self.tables]

    @property
    def verdict(self) -> str:
        """Say whether anything differs that is not on record."""
        number = len(self.unexplained)
        if number == 0:
            return "Nothing differs that is not on record."
        return f"{number:,} cell{' differs' if number == 1 else 's differ'} without a reason on record."

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {
            "tables": [table.to_dict() for table in self.tables],
            "unexplained": [
                {"table": table.name, "row": cell.row, "column": cell.column} for table, cell in self.unexplained
            ],
        }

    def to_markdown(self, *, all_cells: bool = False) -> str:
        """Write the summary, and of each table the cells that are not equal, or all; the same at every run."""
        lines = ["# Every published table", "", _INTRODUCTION, "", *markdown_table(SUMMARY, self.summary(), left=2)]
        lines += ["", self.verdict]
        for table in self.tables:
            parts = list(table_parts(table, all_cells=all_cells))
            if all_cells or parts:
                lines += ["", f"## {table.name}", "", f"{table.title} ({table.source})."]
            for part in parts:
                lines += ["", *(markdown_table(*part) if isinstance(part, tuple) else map(plain_markdown, part))]
        return "\n".join(lines)


def reproduce(
    names: Sequence[str] = (), *, folder: str | os.PathLike[str] | None = None, hub: bool = False
) -> Reproduction:
    """Make the tables.

    Args:
        names: of `TABLES`; all by default. The decoding experiment is run if it is named, else a stored run is shown,
            as it takes half a minute.
        folder: the folder of the corpora, with the file names of `inputs`. Without it, or if it lacks one, the tables
            that need it are missing.
        hub: fetch MultiCoNER from the Hub if the folder does not have it.

    Raises:
        InputError: for an unknown table, a folder that does not exist, and a corpus that is not what it should be.
    """
    for name in names:
        if name not in TABLES:
            close = difflib.get_close_matches(name, TABLES, n=1, cutoff=0.4)
            remedy = f"Did you mean {close[0]!r}? " if close else ""
            raise InputError(f"unknown table {name!r}.", f"{remedy}The tables are {', '.join(TABLES)}.")
    path = None if folder is None else Path(folder)
    if path is not None and not path.is_dir():
        raise InputError(f"{str(path)!r} is not a folder.", "Name the folder of the corpora.")
    inputs = Inputs(path, hub, tuple(names))
    chosen = [name for name in TABLES if not names or name in names]
    return Reproduction(tuple(explained(each.table(inputs)) for name in chosen for each in TABLES[name]))


def draw(found: Reproduction, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the figures of the tables as PNG into a folder, and return their paths.

    Raises:
        InputError: if matplotlib is missing.
    """
    from spanometer.plots import plot_placement

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / f"{table.name}.png" for table in found.tables if table.name == FIGURE]
    for path in paths:
        plot_placement(chance.figure1_placement(), str(path))
    return paths


def _summary(table: Table) -> tuple[str, ...]:
    numbers = len(table.compared), *map(table.count, (EQUAL, NEAR, DIFFERENT))
    whole = "" if table.missing is None else " (in part)" if table.cells else " (missing)"
    return table.name, f"{table.title}{whole}", *map(str, numbers)


def table_parts(table: Table, *, all_cells: bool) -> Iterator[list[str] | Grid]:
    """Yield what is shown of a table: lines of text, and grids of its cells."""
    if table.missing is not None:
        yield [f"Missing. {table.missing}"]
    if all_cells and table.cells:
        columns, rows = table.matrix()
        yield ["", *columns], rows
    if all_cells and table.notes:
        yield [f"- {note}" for note in table.notes]
    for reason, cells in table.by_reason.items():
        yield [f"{counted(len(cells), 'cell')} not equal. {reason or 'No reason is on record.'}"]
        if all_cells or len(cells) <= LISTED:
            yield (
                _DIFFERENCES,
                [
                    [
                        f"{cell.row}: {cell.column}",
                        cell.shown_published,
                        cell.shown_ours,
                        cell.shown_difference,
                        cell.mark,
                    ]
                    for cell in cells
                ],
            )
