"""Tables and lines as plain data, which commands print and results export."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..exceptions import printable
from ..options import CheckedOptions, option

DIGITS = 4
"""The default number of decimals of a score."""

_HEAD_WIDTH = 13
"""Headers of number columns that are longer than this are written on two lines."""

_AT_ONCE = 1 << 10
"""The number of rows of an Arrow table that are Python objects at a time."""

EMPTY = "·"
"""The text of a cell with an undefined number."""

UNRELIABLE = "?"
"""The mark after an interval from too few documents."""

_SHORT = {
    "precision": "P",
    "recall": "R",
    "stability": "stab.",
    "difference": "diff.",
    "randomisation": "rand.",
    "corrected": "corr.",
    "reference": "ref.",
    "predicted": "pred.",
    "boundary": "bound.",
    "missing": "miss.",
    "spurious": "spur.",
}
"""Words in headers, and their short forms on narrow pages."""


class Precision(CheckedOptions):
    """How numbers are written.

    Attributes:
        digits: the number of decimals of scores; None means 4, or 2 in percent.
        percent: whether proportions are written as percentages.
    """

    digits: int | None = option(
        None,
        help="number of decimals of scores; by default 4, or 2 with --percent",
        kind=int,
        low=0,
        high=15,
        metavar="N",
    )
    percent: bool = option(False, help="show proportions as percentages", kind=bool)

    def scaled(self, number: Number) -> list[float]:
        """Return a number and the bounds of its interval, if it has one.

        Proportions in percent are multiplied by 100.
        """
        bounds = [] if number.interval is None else [*number.interval]
        factor = 100.0 if self.percent and number.kind == "score" else 1.0
        return [value if factor == 1.0 else value * factor for value in (number.value, *bounds)]

    def texts(self, number: Number) -> list[str]:
        """Write a number and the bounds of its interval, if it has one, as separate texts."""
        return [self._text(value, number) for value in self.scaled(number)]

    def text(self, number: Number) -> str:
        """Write a number with its interval: `0.9303 [0.9231, 0.9371]`."""
        point, *bounds = self.texts(number)
        return f"{point} [{', '.join(bounds)}]" if bounds else point

    def _text(self, value: float, number: Number) -> str:
        if number.kind == "amount" and float(value).is_integer():
            return f"{value:,.0f}"
        if number.kind == "p":
            return "<0.0001" if value < 0.00005 else f"{value:.4f}"
        if number.kind == "share":
            return f"{value:.1%}"
        decimals = self.digits if self.digits is not None else DIGITS - 2 if self.percent else DIGITS
        return f"{value:{'+' if number.signed else ''}.{decimals}f}"


@dataclass(frozen=True)
class Number:
    """A number in a table.

    Attributes:
        value: the number.
        kind: `score`, a proportion that can be written as a percentage; `share`, a proportion that is always written as
            a percentage; `amount`, a count (or a mean of counts); `p`, a p-value; `plain`, any other number.
        style: its style on a terminal.
        interval: the bounds of its interval.
        signed: whether a plus sign is written.
        best: whether it is the best of its column.
    """

    value: float
    kind: str = "score"
    style: str = ""
    interval: tuple[float, float] | None = None
    signed: bool = False
    best: bool = False


Cell = str | tuple[str, str] | Number
"""A text, a text with a style, or a number."""

Text = str | tuple[str, str]
"""The written form of a cell."""


class TableColumn(NamedTuple):
    """Declare a column of a result once; its text, JSON and other formats follow from this declaration.

    Attributes:
        key: its name in CSV, data frames and JSON; empty for a column that is only printed.
        head: its header in printed tables; by default the key.
        kind: the kind of its numbers, see `Number`.
        signed: whether plus signs are written.
        style: the style of its numbers on a terminal.
        higher: True marks the highest number as the best, False the lowest, None marks none.
        named: whether the header is the name of a label or system; narrow pages do not shorten it.
    """

    key: str
    head: str | None = None
    kind: str = "score"
    signed: bool = False
    style: str = ""
    higher: bool | None = None
    named: bool = False

    def cell(self, value: Any) -> Cell:
        """Convert a number, or a number and its interval, to a cell.

        None becomes an empty cell, cells are returned unchanged.

        An interval with NaN bounds is kept: the legend explains it.
        """
        if value is None:
            return EMPTY
        if isinstance(value, (str, Number)) or (isinstance(value, tuple) and isinstance(value[0], str)):
            return value
        value, interval = value if isinstance(value, tuple) else (value, None)
        return Number(value.item() if hasattr(value, "item") else value, self.kind, self.style, interval, self.signed)


def defined_interval(bounds: Iterable[float] | None) -> tuple[float, float] | None:
    """Convert the bounds of an interval to floats; None if there are none or they are NaN."""
    low, high = (math.nan, math.nan) if bounds is None else map(float, bounds)
    return None if math.isnan(low) else (low, high)


def amounts(*keys: str, **heads: str) -> list[TableColumn]:
    """Declare columns of counts, given by their keys or, as keyword arguments, by keys and headers."""
    return [TableColumn(key, heads.get(key), "amount") for key in (*keys, *heads)]


@dataclass(frozen=True)
class Table:
    """A table with names in the first column and numbers in the others.

    Attributes:
        title: the header of the names.
        heads: the headers of the numbers.
        rows: the cells of each row, the name first; None means a line between rows.
        widths: the minimum width of the column of names, and of the columns of numbers.
        left: the number of left-aligned columns.
        kind: the subject of the table; tables of the same kind are joined in CSV and data frames.
        names: the header of the names in CSV and data frames; by default the title.
        keys: the names of the other columns there; by default their headers. Columns without a name are omitted.
        about: further columns there, which come first and have the same value in all rows.
        confidence: the confidence level of intervals that are printed in rows of their own; None prints them beside
            their numbers.
        main: the key of the column that keeps its intervals on a narrow page; empty if all columns do.
        short_heads: the headers on a narrow page; by default the same.
        unreliable: the names of rows whose intervals are marked as unreliable.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell] | None]
    widths: tuple[int, int] = (0, 0)
    left: int = 1
    kind: str = ""
    names: str = ""
    keys: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None
    main: str = ""
    short_heads: Sequence[str] = ()
    unreliable: Collection[str] = ()

    @classmethod
    def of(
        cls, title: str, columns: Sequence[TableColumn], rows: Iterable[Sequence[Any] | None], **options: Any
    ) -> Table:
        """Create a table from values: each row has a name and a value for each column, see `TableColumn.cell`.

        Args:
            title: the header of the names.
            columns: the columns of values.
            rows: the name and the values of each row; None means a line between rows.
            **options: the other attributes of a table.
        """
        cells: list[list[Any] | None] = []
        for row in rows:
            values = zip(columns, () if row is None else row[1:], strict=row is not None)
            cells.append(None if row is None else [row[0], *(column.cell(value) for column, value in values)])
        for place, column in enumerate(columns, 1):
            if column.higher is not None:
                named = [row for row in cells if row]
                marked = mark_best([row[place] for row in named], higher=column.higher)
                for row, cell in zip(named, marked, strict=True):
                    row[place] = cell
        heads = [head(column.key) if column.head is None else column.head for column in columns]
        short = [name if column.named else _shortened(name) for name, column in zip(heads, columns, strict=True)]
        return cls(title, heads, cells, keys=[column.key for column in columns], short_heads=short, **options)

    def narrower(self) -> Iterator[Table]:
        """Yield the table, then with intervals only in the main column, then also with short headers."""
        yield self
        table = self
        if self.main:
            kept = 1 + list(self.keys).index(self.main)
            rows = [row and [_point(cell, place == kept) for place, cell in enumerate(row)] for row in self.rows]
            yield (table := replace(self, rows=rows))
        yield replace(table, heads=self.short_heads or self.heads)

    def columns(self, places: Sequence[int]) -> Table:
        """Select columns for printing by their indices; the column of names has index 0."""
        rows = [row and [row[place] for place in places] for row in self.rows]
        return replace(self, heads=[self.heads[place - 1] for place in places[1:]], rows=rows)

    def records(self) -> list[dict[str, Any]]:
        """Convert the rows to dictionaries of built-in types for JSON; NaN becomes None."""
        keys = (self.names or self.title, *self.keys)
        return [dict(zip(keys, map(_value, row), strict=True)) for row in self.rows if row is not None]

    def written(self, precision: Precision) -> list[list[Text] | None]:
        """Write the rows as text; if `confidence` is set, a row with intervals follows each row that has intervals."""
        rows: list[list[Text] | None] = []
        for row in self.rows:
            if row is None:
                rows.append(None)
                continue
            mark = UNRELIABLE if not isinstance(row[0], Number) and styled(row[0])[0] in self.unreliable else ""
            written, bounds = list[Text](), list[str]()
            for cell in row:
                point, *interval = precision.texts(cell) if isinstance(cell, Number) else [""]
                if isinstance(cell, Number):
                    beside = "" if self.confidence is not None or not interval else f" [{', '.join(interval)}]{mark}"
                    written.append((point + beside, "bold" if cell.best else cell.style))
                else:
                    written.append(cell)
                bounds.append("–".join(interval) + mark if interval else "")
            rows.append(written)
            if self.confidence is not None and any(bounds):
                rows.append([(text, "dim") for text in (f"  {100 * self.confidence:g} %", *bounds[1:])])
        return rows


def _value(cell: Cell) -> Any:
    """Convert a cell to a built-in number or text; None for NaN."""
    if isinstance(cell, Number):
        return None if cell.value != cell.value else cell.value
    return styled(cell)[0]


def _point(cell: Cell, whole: bool) -> Cell:
    return cell if whole or not isinstance(cell, Number) else replace(cell, interval=None)


def _shortened(head: str) -> str:
    return re.sub(r"\w+", lambda word: _SHORT.get(word[0], word[0]), head)


def styled(text: Text) -> tuple[str, str]:
    """Split a text from its style; the style can be empty."""
    return text if isinstance(text, tuple) else (text, "")


@dataclass(frozen=True, init=False)
class Copyable:
    """Lines that are not wrapped, so that they can be copied whole: a command, or signatures.

    Attributes:
        texts: the distinct lines.
    """

    texts: tuple[str, ...]

    def __init__(self, *texts: str) -> None:
        """Store the distinct lines."""
        object.__setattr__(self, "texts", tuple(dict.fromkeys(texts)))

    def folded(self) -> list[str]:
        """Return the lines; several signatures are shortened to their beginnings and their common end."""
        of_each = [text.split("|") for text in self.texts]
        shared = [part for part in of_each[0][1:] if all(part in parts for parts in of_each)] if of_each[1:] else []
        if not shared:
            return list(self.texts)
        begins = ["|".join(part for part in parts if part not in shared) for parts in of_each]
        names = ", ".join(begin for begin in begins if "|" not in begin)
        own = [begin for begin in begins if "|" in begin]
        return [f"Each signature ends in |{'|'.join(shared)}", *([names] if names else []), *own]


class NamedLine(list[Text]):
    """A line that begins with a name. On a narrow page, the text after the name is wrapped and indented."""


Part = Text | list[Text] | Copyable | Table
"""A line, a line of several pieces, copyable lines, or a table."""


def heading(lines: Iterable[tuple[str, str]]) -> list[Part]:
    """Return lines that begin with a name, with their texts aligned below each other."""
    pairs = [(printable(name), text) for name, text in lines]
    width = max(len(name) for name, _ in pairs)
    return [NamedLine([(f"{name:<{width}}", "bold"), f"  {text}"]) for name, text in pairs]


def cell_of(value: Any) -> Cell:
    """Convert a built-in value to a cell: integers become counts, other numbers scores, None an empty cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return Number(value, "amount" if isinstance(value, int) else "score")
    return "" if value is None else printable(str(value))


class _ArrowRows(Sequence[list[Cell]]):
    """The rows of an Arrow table, converted when needed, because Python objects take much more memory."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return int(self._rows.num_rows)

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place]

    def __iter__(self) -> Iterator[list[Cell]]:
        for batch in self._rows.to_batches(max_chunksize=_AT_ONCE):
            yield from (list(map(cell_of, row)) for row in zip(*batch.to_pydict().values(), strict=True))


def arrow_table(rows: Any, **options: Any) -> Table:
    """Convert an Arrow table to a table with the names in its first column; `options` are attributes of the table."""
    first, *heads = rows.column_names
    return Table(first, heads, _ArrowRows(rows), keys=heads, **options)


def amount(value: float) -> Number:
    """Create a cell with a count."""
    return Number(value, "amount")


def head(key: str) -> str:
    """Return a key as the header of a column; long keys are split into two lines."""
    return "\n".join(key.rsplit("_", 1)) if len(key) > _HEAD_WIDTH else key


def mark_best(cells: Sequence[Cell], *, higher: bool) -> list[Cell]:
    """Mark the highest (or lowest) of the numbers in a column or row as the best, unless all are equal."""
    values = {cell.value for cell in cells if isinstance(cell, Number) and not math.isnan(cell.value)}
    best = (max if higher else min)(values) if len(values) > 1 else None
    return [replace(cell, best=True) if isinstance(cell, Number) and cell.value == best else cell for cell in cells]
