"""Published values and ours side by side: cells that know whether they are equal, and tables of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spanometer.arrays import plain
from spanometer.tables import exports

from .inputs import Inputs, MissingCorpus

EQUAL, NEAR, DIFFERENT, NOT_PRINTED = "=", "±1", "≠", ""
"""Marks: rounds to the published value, within one unit of its last digit, neither, nothing is published."""

Published = float | bool | tuple[float, float] | None
"""A number, a yes or no, a range from and to, or nothing."""

Grid = tuple[list[str], list[list[str]]]
"""The heads of columns, and rows of cells as text."""

_EPSILON = 1e-9


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        row, column: where it stands.
        published: the published value; a range if ours can only be asked to lie in it.
        ours: our value.
        digits: how many decimals of a number are printed; 0 for a yes or no.
        reason: why ours is not equal, if it is not and that is known.
    """

    row: str
    column: str
    published: Published
    ours: float | bool
    digits: int = 0
    reason: str | None = None

    @property
    def difference(self) -> float | None:
        """Subtract the published number, or the nearer end of the range (0 within it); None if there is none."""
        if self.published is None or isinstance(self.published, bool):
            return None
        low, high = self.published if isinstance(self.published, tuple) else (self.published, self.published)
        return self.ours - min(max(self.ours, low), high)

    @property
    def mark(self) -> str:
        """Return `EQUAL`, `NEAR`, `DIFFERENT` or `NOT_PRINTED`."""
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
        """Return whether ours is the published value at its printed precision; None if nothing is published."""
        return None if self.published is None else self.mark == EQUAL

    @property
    def shown_published(self) -> str:
        """Write the published value."""
        if isinstance(self.published, tuple):
            return " to ".join(f"{bound:.{self.digits}f}" for bound in self.published)
        if self.published is None:
            return "not printed"
        return _yes_no(self.published) if isinstance(self.published, bool) else f"{self.published:,.{self.digits}f}"

    @property
    def shown_ours(self) -> str:
        """Write ours, a number that is not whole with one decimal more than is printed."""
        if isinstance(self.ours, bool):
            return _yes_no(self.ours)
        return f"{self.ours:,}" if isinstance(self.ours, int) else f"{self.ours:.{self.digits + 1}f}"

    @property
    def shown_difference(self) -> str:
        """Write the difference; nothing for a yes or no."""
        difference = self.difference
        if difference is None:
            return ""
        return f"{difference:+,}" if isinstance(difference, int) else f"{difference:+.{self.digits + 1}f}"

    def __str__(self) -> str:
        """Write `ours / published`, and the mark unless both are equal."""
        if self.published is None:
            return self.shown_ours
        mark = "" if self.mark == EQUAL else f" {self.mark}"
        return f"{self.shown_ours} / {self.shown_published}{mark}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN becomes None."""
        names = ("row", "column", "published", "ours", "digits", "difference", "mark", "equal", "reason")
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Table:
    """A published table, ours beside it.

    Attributes:
        name: its name, by which it (or what it belongs to) is asked for.
        title: what it shows.
        source: where it is published.
        cells: its cells, row by row.
        notes: what else is to be known of it.
        missing: what it lacks and how to give it; None if it is whole.
        seconds: how long it took.
    """

    name: str
    title: str
    source: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    missing: str | None = None
    seconds: float = 0.0

    @property
    def compared(self) -> tuple[Cell, ...]:
        """Return the cells that have a published value."""
        return tuple(cell for cell in self.cells if cell.published is not None)

    @property
    def unequal(self) -> tuple[Cell, ...]:
        """Return the cells that are not equal at the printed precision."""
        return tuple(cell for cell in self.compared if not cell.equal)

    @property
    def unexplained(self) -> tuple[Cell, ...]:
        """Return the cells that are not equal and have no reason."""
        return tuple(cell for cell in self.unequal if cell.reason is None)

    @cached_property
    def by_reason(self) -> dict[str | None, tuple[Cell, ...]]:
        """Group the cells that are not equal by reason, in the order in which reasons first occur."""
        reasons = dict.fromkeys(cell.reason for cell in self.unequal)
        return {reason: tuple(cell for cell in self.unequal if cell.reason == reason) for reason in reasons}

    def count(self, mark: str) -> int:
        """Count the cells that have a mark."""
        return sum(cell.mark == mark for cell in self.cells)

    def matrix(self) -> Grid:
        """Return the columns, and for each row its name and its cells as text, empty if there is none."""
        columns = list(dict.fromkeys(cell.column for cell in self.cells))
        rows: dict[str, dict[str, str]] = {}
        for cell in self.cells:
            rows.setdefault(cell.row, {})[cell.column] = str(cell)
        return columns, [[name, *(texts.get(column, "") for column in columns)] for name, texts in rows.items()]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "compared": len(self.compared),
            "equal": self.count(EQUAL),
            "within_one_unit": self.count(NEAR),
            "not_equal": self.count(DIFFERENT),
            "missing": self.missing,
            "notes": list(self.notes),
            "seconds": self.seconds,
            "cells": [cell.to_dict() for cell in self.cells],
        }


@dataclass(frozen=True)
class Experiment:
    """A table that can be made.

    Attributes:
        name, title, source: as of the table.
        make: yields its cells and notes; if it lacks a corpus, what was yielded before is shown.
    """

    name: str
    title: str
    source: str
    make: Callable[[Inputs], Iterable[Cell | str]]

    def table(self, inputs: Inputs) -> Table:
        """Make the table."""
        began, parts, missing = time.perf_counter(), list[Cell | str](), None
        try:
            parts.extend(self.make(inputs))
        except MissingCorpus as error:
            missing = str(error)
        cells = tuple(part for part in parts if isinstance(part, Cell))
        notes = tuple(part for part in parts if isinstance(part, str))
        return Table(self.name, self.title, self.source, cells, notes, missing, time.perf_counter() - began)


def markdown_table(columns: Iterable[str], rows: Iterable[Iterable[str]], *, left: int = 1) -> list[str]:
    """Write a table as lines of Markdown; all columns after the first, or the first few, are set to the right."""
    return exports.markdown_table(map(plain_markdown, columns), (map(plain_markdown, row) for row in rows), left=left)


def plain_markdown(text: str) -> str:
    """Escape the asterisks and bars of a text for Markdown."""
    return text.replace("*", "\\*").replace("|", "\\|")


def _yes_no(value: object) -> str:
    return "yes" if value else "no"
