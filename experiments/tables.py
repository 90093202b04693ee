"""Published values and ours: cells that know whether both are equal, and tables of cells."""

from collections.abc import Iterator
from dataclasses import dataclass

from spanometer.exceptions import counted
from spanometer.tables.table import Part, Table

EQUAL, NEAR, DIFFERENT, NOT_PRINTED = "=", "±1", "≠", ""
"""Marks: equal after rounding, off by at most 1 in the last digit, different, nothing published."""

MARKS = {EQUAL: "equal", NEAR: "off by at most 1 in the last digit", DIFFERENT: "not equal"}
"""The marks of compared cells in words."""

Published = float | bool | tuple[float, float] | None
"""A published value: a number, a yes or no, a range, or nothing."""

LISTED = 15
"""If more cells than this have the same reason, only their number is shown."""

_EPSILON = 1e-9


@dataclass(frozen=True)
class Cell:
    """A published value and ours.

    Attributes:
        row, column: the row and column of the cell.
        published: the published value; a range if our value can only be expected to lie within it.
        ours: our value.
        digits: the number of printed decimals; 0 for a yes or no.
        reason: the recorded reason why ours is not equal, if there is one.
        counterexample: a counterexample to a printed statement that does not hold.
    """

    row: str
    column: str
    published: Published
    ours: float | bool
    digits: int = 0
    reason: str | None = None
    counterexample: str | None = None

    @property
    def difference(self) -> float | None:
        """Our value minus the published value; None if either is missing.

        If the published value is a range, the nearer end is subtracted; within the range the difference is 0.
        """
        if self.published is None or isinstance(self.published, bool):
            return None
        low, high = self.published if isinstance(self.published, tuple) else (self.published, self.published)
        return self.ours - min(max(self.ours, low), high)

    @property
    def mark(self) -> str:
        """One of `EQUAL`, `NEAR`, `DIFFERENT` and `NOT_PRINTED`."""
        if self.published is None:
            return NOT_PRINTED
        difference = self.difference
        if difference is None:
            return EQUAL if self.ours == self.published else DIFFERENT
        unit = 10.0**-self.digits
        # both ends of a range are exact; ours is not rounded to them
        half = 0 if isinstance(self.published, tuple) else unit / 2
        if abs(difference) <= half + _EPSILON:
            return EQUAL
        return NEAR if abs(difference) <= unit + _EPSILON else DIFFERENT

    @property
    def equal(self) -> bool | None:
        """Whether our value equals the published value at its printed precision; None if nothing is published."""
        return None if self.published is None else self.mark == EQUAL

    def texts(self) -> tuple[str, str, str]:
        """Return the published value, ours (with one more decimal if it is not whole), and the difference, as text."""
        if self.published is None:
            published = "not printed"
        elif isinstance(self.published, tuple):
            published = " to ".join(f"{bound:.{self.digits}f}" for bound in self.published)
        else:
            published = _written(self.published, f",.{self.digits}f", "")
        more = f".{self.digits + 1}f"
        difference = "" if self.difference is None else _written(self.difference, f"+{more}", "+")
        return published, _written(self.ours, more, ""), difference

    def record(self) -> list[str]:
        """Return the cell as a row of the table of all cells."""
        return [self.row, self.column, *self.texts(), MARKS.get(self.mark, ""), self.counterexample or ""]


def _written(value: float | bool, form: str, sign: str) -> str:
    """Write a yes or no, a whole number, or another number in this format."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:{sign},}" if isinstance(value, int) else f"{value:{form}}"


@dataclass(frozen=True)
class PublishedTable:
    """A published table with our values.

    Attributes:
        name: the name by which it (or its group of tables) is requested.
        title: what it shows.
        source: where it is published.
        cells: its cells, row by row.
        notes: notes on the table.
        missing: what is missing, and how to provide it; None if nothing is.
    """

    name: str
    title: str
    source: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    missing: str | None = None

    @property
    def compared(self) -> tuple[Cell, ...]:
        """The cells that have a published value."""
        return tuple(cell for cell in self.cells if cell.published is not None)

    @property
    def by_reason(self) -> dict[str | None, list[Cell]]:
        """The cells that are not equal, by reason, in the order in which reasons first occur."""
        groups: dict[str | None, list[Cell]] = {}
        for cell in self.cells:
            if cell.equal is False:
                groups.setdefault(cell.reason, []).append(cell)
        return groups

    @property
    def unexplained(self) -> list[Cell]:
        """The cells that are not equal and have no reason."""
        return self.by_reason.get(None, [])

    @property
    def counts(self) -> list[int]:
        """The number of compared cells, and of cells with each of `MARKS`."""
        return [len(self.compared), *(sum(cell.mark == mark for cell in self.cells) for mark in MARKS)]

    def parts(self) -> Iterator[Part]:
        """Yield what is missing, and the cells that are not equal by reason; nothing if all are equal."""
        if self.missing is None and not self.by_reason:
            return
        number, *counts = self.counts
        marked = ", ".join(f"{count} {name}" for count, name in zip(counts, MARKS.values(), strict=True) if count)
        yield from [f"{counted(number, 'value')}: {marked}."] if number else []
        yield from self.notes
        if self.missing is not None:
            yield f"Missing. {self.missing}"
        for reason, cells in self.by_reason.items():
            texts = [cell.texts() for cell in cells]
            differ = "1 value differs." if len(cells) == 1 else f"{len(cells)} values differ."
            yield f"{differ} {reason or 'No reason is on record.'}"
            if len(cells) <= LISTED:
                rows = [[cell.row, cell.column, *text, cell.mark] for text, cell in zip(texts, cells, strict=True)]
                yield Table("row", ["column", "published", "ours", "difference", ""], rows, left=2)
