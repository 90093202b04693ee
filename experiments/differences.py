"""Reasons why some of our values are not the published ones: all that is known, from `data/differences.tsv`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from .published import published_rows
from .tables import NEAR, Cell, Table

ANY = "any"
"""The value of ours, if a reason explains all of them."""


@dataclass(frozen=True)
class KnownDifference:
    """Why a cell is not as published.

    Attributes:
        reason: in words.
        ours: the value of ours that this explains, at the printed precision: a number, `yes`, `no`, `ANY`, or `NEAR`,
            any that is one unit of the last printed digit away.
    """

    reason: str
    ours: str = ANY

    def explains(self, cell: Cell) -> bool:
        """Return whether it is about such a value."""
        if self.ours == NEAR:
            return cell.mark == NEAR
        if self.ours in (ANY, "yes", "no") or isinstance(cell.ours, bool):
            return self.ours in (ANY, cell.shown_ours)
        return abs(cell.ours - float(self.ours)) <= 0.5 * 10.0**-cell.digits + 1e-9


@lru_cache(maxsize=1)
def known_differences() -> dict[tuple[str, str, str], KnownDifference]:
    """Read the known differences by table, row and column; an empty row or column stands for any."""
    return {
        (row["table"], *place): KnownDifference(row["reason"], row["ours"])
        for row in published_rows("differences")
        for place in product(row["row"].split(" / "), row["column"].split(" / "))
    }


def explained(table: Table) -> Table:
    """Return the table, each cell that is not equal and has no reason yet with the most specific one that is known."""
    cells = (
        replace(cell, reason=_reason(table.name, cell)) if cell.equal is False and cell.reason is None else cell
        for cell in table.cells
    )
    return replace(table, cells=tuple(cells))


def _reason(table: str, cell: Cell) -> str | None:
    places = ((cell.row, cell.column), (cell.row, ""), ("", cell.column), ("", ""))
    known = (known_differences().get((table, row, column)) for row, column in places)
    return next((found.reason for found in known if found is not None and found.explains(cell)), None)
