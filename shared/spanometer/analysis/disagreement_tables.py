"""The tables of disagreements: places, kinds of differences, and pairs of annotators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, overload

from ..errors import printable
from ..tables.table import Cell, Number, Part, Table, amount
from .annotator_pairs import DIFFERENCES

if TYPE_CHECKING:
    from .disagreements import Disagreements

_AT_ONCE = 1 << 10
"""How many places are Python's objects at a time."""

NOTHING = "–"
"""What an annotator says who has no span."""


def kind_table(found: Disagreements) -> Table:
    """Return for each kind how many places have it, how many differences between two people, and what they cost.

    A place can have several kinds, so that columns do not add up to the last row.
    """
    kinds, cost, total = found.kinds, found.cost, len(found)
    rows: list[list[Cell] | None] = []
    for code, name in enumerate(DIFFERENCES):
        there = kinds[:, code] > 0
        share = Number(there.sum() / max(total, 1), "share")
        numbers = (amount(int(there.sum())), share, amount(int(kinds[:, code].sum())), Number(float(cost[there].sum())))
        rows.append([(name, "cyan"), *numbers])
    every = (amount(total), Number(1.0 if total else 0.0, "share"), amount(int(kinds.sum())), Number(float(cost.sum())))
    rows += [None, ["all places", *every]]
    heads = ("places", "share", "differences", "cost")
    return Table("kind", heads, rows, kind="kinds")


def difference_table(found: Disagreements) -> Table:
    """Return at how many places each pair of annotators differs, the pair that differs most first."""
    places, total = found.differences.places, max(len(found), 1)
    pairs = sorted(combinations(range(len(found.names)), 2), key=lambda pair: -places[pair])
    rows: list[list[Cell]] = [
        [
            (found.names[one], "cyan"),
            found.names[other],
            amount(int(places[one, other])),
            _share(places[one, other], total),
        ]
        for one, other in pairs
    ]
    heads = ("other annotator", "places", "share")
    keys = ("other_annotator", "places", "share")
    return Table("annotator", heads, rows, left=2, kind="differing", keys=keys)


def place_table(found: Disagreements) -> Table:
    """Return a row for each place, the one that costs most first, with a column for what each annotator says."""
    rows = _PlaceRows(found)
    # an annotator may be called as another column is
    keys = [*rows.own[1:], *(f"annotator {name}" if name in rows.own else name for name in found.names)]
    return Table(rows.own[0], keys, rows, left=len(rows.own), kind="places", keys=keys)


class _PlaceRows(Sequence[list[Cell]]):
    """The rows of the table of places, made when they are asked for: Python's objects take many times the columns."""

    def __init__(self, found: Disagreements) -> None:
        self._found, self._table = found, found.to_arrow()
        self.own = [name for name in self._table.column_names if name != "readings"]

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, place: int) -> list[Cell]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[Cell]]: ...
    def __getitem__(self, place: int | slice) -> list[Cell] | list[list[Cell]]:
        chosen = range(len(self))[place]
        if isinstance(chosen, range):
            return [self[number] for number in chosen]
        return next(self._rows(chosen, 1))

    def __iter__(self) -> Iterator[list[Cell]]:
        for first in range(0, len(self), _AT_ONCE):
            yield from self._rows(first, _AT_ONCE)

    def _rows(self, first: int, size: int) -> Iterator[list[Cell]]:
        for row in self._table.slice(first, size).to_pylist():
            said = {name: reading_text(one) for one in row["readings"] for name in one["annotators"]}
            row["kinds"] = ", ".join(row["kinds"])
            yield [*(_cell(row[name]) for name in self.own), *(said[name] for name in self._found.names)]


def reading_text(reading: Mapping[str, Any]) -> str:
    """Return what annotators say at a place in one line, `ORG Acme Inc | LOC Rome`; bounds without words."""
    return " | ".join(f"{span['label']} {_covered(span)}" for span in reading["spans"]) or NOTHING


def shown_places(found: Disagreements, most: int) -> Iterator[Part]:
    """Yield the first places as lines: where, what the text is, and who says what."""
    wording = found.context.wording
    if most < len(found):
        yield from (f"the {most:,} places that cost most, of {len(found):,}:", "")
    for row in found.to_arrow().slice(0, most).to_pylist():
        text = row.get("text", f"{row['start']}–{row['end']}")
        where = [f"line {row['line']}"] if row.get("line") else []
        where += [f"document {row.get('name', row['document'])}", f"cost {row['cost']:.2g}"]
        yield [(printable(text), "bold"), f"  {', '.join(row['kinds'])}  ", (", ".join(where), "dim")]
        if wording is not None:
            around = (row["before"], row["text"], row["after"])
            yield [("  ", ""), printable(wording.separator.join(part for part in around if part))]
        for reading in row["readings"]:
            names = ", ".join(reading["annotators"])
            yield [(f"  {printable(names)}: ", "dim"), printable(reading_text(reading))]
        yield ""


def _covered(span: Mapping[str, Any]) -> str:
    """Return the text of a span, or its bounds."""
    if "text" in span:
        return str(span["text"])
    pieces = span.get("fragments") or [(span["start"], span["end"])]
    return " ".join(f"{start}–{end}" for start, end in pieces)


def _share(number: int, total: int) -> Number:
    return Number(number / total, "share")


def _cell(value: Any) -> Cell:
    if isinstance(value, float):
        return Number(value)
    if isinstance(value, int):
        return amount(value)
    return "" if value is None else printable(str(value))
