"""Known reasons why some of our values differ from the published ones, from `data/differences.tsv`."""

from __future__ import annotations

from functools import cache
from itertools import product

from .published import published_rows
from .tables import NEAR, Cell

ANY = "any"
"""Stands for any value of ours."""


@cache
def known_differences() -> dict[tuple[str, str, str], tuple[str, str]]:
    """Read the reasons by table, row and column (empty for any), each with the value of ours that it explains.

    The value has the printed precision. It is a number, `yes`, `no`, `ANY`, or `NEAR`, which means any value that
    differs by one unit of the last printed digit.
    """
    return {
        (row["table"], *place): (row["reason"], row["ours"])
        for row in published_rows("differences")
        for place in product(row["row"].split(" / "), row["column"].split(" / "))
    }


def reason_for(table: str, cell: Cell) -> str | None:
    """Return the most specific reason why a cell is not equal; None if it is equal, or if no reason is known."""
    places = ((cell.row, cell.column), (cell.row, ""), ("", cell.column), ("", ""))
    known = [known_differences().get((table, *place)) for place in places if cell.equal is False]
    return next((entry[0] for entry in known if entry is not None and _explains(entry[1], cell)), None)


def _explains(ours: str, cell: Cell) -> bool:
    if ours == NEAR:
        return cell.mark == NEAR
    if ours in (ANY, "yes", "no") or isinstance(cell.ours, bool):
        return ours in (ANY, cell.texts()[1])
    return abs(cell.ours - float(ours)) <= 0.5 * 10.0**-cell.digits + 1e-9
