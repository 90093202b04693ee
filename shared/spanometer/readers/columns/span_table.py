"""Tables with one span on each row and the columns document, start, end and label: CSV, tabs or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from ...documents.record import Record
from ...exceptions import InputError, counted, mention, require_kind, setting, shown
from ...options import option
from ...spans.arrow import LONGEST
from ..formats import Format, Offsets, register
from ..json.values import first_value, parquet_rows, require_distinct
from ..source import PARQUET, Source
from .csv_table import csv_rows, header_of

_USUAL = {
    "document": ("document", "document_id", "doc_id", "doc", "id", "file"),
    "start": ("start", "begin", "start_offset", "start_char"),
    "end": ("end", "stop", "end_offset", "end_char"),
    "label": ("label", "type", "entity_type", "tag"),
    "text": ("text", "span_text", "mention"),
}
"""The usual names of the columns, in any case; `text` is the text of the span."""

_NEEDED = ("start", "end", "label")
_DIGITS = len(str(LONGEST))
_AT_ONCE = 1 << 12
"""The maximum number of rows in a record."""

_Row = tuple[str | None, int, tuple[int, int, str] | None, str | None]
"""The document, the line, the span and its text."""

_REMEDY = "Give every row a start, an end and a label. For a document without spans, give only the document."


def _named_columns(text: str) -> dict[str, str]:
    """Parse names of columns from text such as `start=From,end=To`."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    return {key.strip(): name.strip() for key, _, name in pairs}


@dataclass(frozen=True, kw_only=True)
class SpanTableReading(Offsets):
    """Options for reading tables of spans."""

    column_names: Mapping[str, str] | None = option(
        None,
        help="span tables: names of the columns document, start, end, label and text, as in start=From,end=To",
        type="dict, optional",
        metavar="MAP",
        parse=_named_columns,
    )

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        named = self.column_names or {}
        require_kind(named, Mapping, "a mapping of names", "Give a dict, {'start': 'From'}.", option="column_names")
        wrong = [key for key, name in named.items() if key not in _USUAL or not isinstance(name, str) or not name]
        if wrong:
            raise InputError(
                f"{mention('column_names')} names the columns {', '.join(_USUAL)}, not {shown(wrong[0])}.",
                "Write one of these, '=', and the name in the file: start=From.",
                option="column_names",
            )


def read_span_table(source: Source, options: SpanTableReading) -> Iterator[Record]:
    """Read spans of characters with exclusive ends. The rows of a document need not be adjacent.

    The texts come from the other side. A document without spans has a row with empty start, end and label. Without a
    document column, all spans belong to one document.

    Raises:
        InputError: if a column is missing or if boundaries are not numbers. The error names the line (in Parquet, the
            row).
    """
    for name, rows in groupby(_spans(source, options.column_names or {}), key=itemgetter(0)):
        while some := list(islice(rows, _AT_ONCE)):
            spans = [span for _, _, span, _ in some if span is not None]
            stated = [text for _, _, span, text in some if span is not None]
            yield Record(id=name, line=some[0][1], spans=spans, stated=stated)


def _spans(source: Source, names: Mapping[str, str]) -> Iterator[_Row]:
    """Yield the document, the line, the span and its text for each row."""
    columns: dict[str, str] = {}
    for line, row in _rows(source):
        columns = columns or _columns(source, row, names)
        cell = row.get(columns.get("document", ""))
        name = None if "document" not in columns else "" if cell is None else str(cell)
        start, end, label = (row.get(columns[key]) for key in _NEEDED)
        if start in (None, "") and end in (None, "") and label in (None, ""):
            yield name, line, None, None
            continue
        if not isinstance(label, str) or not label:
            raise source.refuse("the span has no label.", _REMEDY, line)
        span = _bound(source, start, line), _bound(source, end, line), label
        covered = row.get(columns.get("text", ""))
        yield name, line, span, covered if isinstance(covered, str) and covered else None


def _rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each row as an object, with its number."""
    if source.binary == PARQUET:
        yield from parquet_rows(source)
        return
    rows = ((line, cells) for line, cells in csv_rows(source) if cells)
    _, header = next(rows)
    require_distinct(source, header, 1)
    for line, cells in rows:
        if len(cells) != len(header):
            problem = f"the row has {counted(len(cells), 'cell')}, but the header has {len(header)}."
            raise source.refuse(problem, "Give every row as many cells as the header.", line)
        yield line, dict(zip(header, cells, strict=True))


def _columns(source: Source, row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Map the usual names of columns to their names in the file."""
    header = {name.lower(): name for name in row}
    columns: dict[str, str] = {}
    for key, usual in _USUAL.items():
        if key in names and names[key] not in row:
            problem = f"there is no column {names[key]!r}; the columns are {', '.join(map(repr, row))}."
            raise source.refuse(problem, f"Change the name in {setting('column_names')}.", 1)
        name = names.get(key) or next((header[name] for name in usual if name in header), None)
        if name is not None:
            columns[key] = name
    for key in _NEEDED:
        if key not in columns:
            problem = f"there is no column {key!r}; the columns are {', '.join(map(repr, row))}."
            raise source.refuse(problem, f"Name the column: {setting('column_names', f'{key}=...')}.", 1)
    return columns


def _bound(source: Source, value: Any, line: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # pandas writes whole numbers so if the column has gaps
    text = value.removesuffix(".0") if isinstance(value, str) else ""
    if text.isdecimal() and len(text) <= _DIGITS:
        value = int(text)
    if type(value) is not int or abs(value) > LONGEST:
        raise source.refuse(f"{shown(value)} is not an offset.", _REMEDY, line)
    return value


def _shows(source: Source) -> bool:
    header = header_of(source)
    if source.binary == PARQUET:
        row = first_value(source) or {}
        header = [name.lower() for name, value in row.items() if not isinstance(value, (list, dict))]
    return all(any(name in header for name in _USUAL[key]) for key in _NEEDED)


register(Format("span_table", "a table of spans", _shows, read_span_table, by_name=True))
