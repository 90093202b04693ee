"""Rows of spans without a header, as in shared tasks, and tables of spans with named columns (CSV, tabs or Parquet)."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...documents.layers import Named, Record
from ...exceptions import InputError, all_of, counted, mention, require_kind, setting, shown
from ...options import CheckedOptions, option
from ...spans.arrow import LONGEST
from ...tags.decoding import BARE_LABEL
from ..formats import files_of, register
from ..json.values import first_value, parquet_rows, require_distinct
from ..source import PARQUET, Source
from .columns import csv_rows, header_of
from .layout import looks_like_tag

_SPAN = r"(?P<start>\d{1,18})\t(?P<end>\d{1,18})"
_ROWS = (
    # SemEval-2020 task 11, without and with techniques
    rf"(?P<document>[^\t]+)\t{_SPAN}",
    rf"(?P<document>[^\t]+)\t(?P<label>[^\t]+)\t{_SPAN}",
    # neleval: the end is the last character
    rf"(?P<document>[^\t]+)\t{_SPAN}\t(?P<entity>[^\t]*)\t(?P<score>[^\t]*)\t(?P<label>[^\t]+)(?:\t.*)?",
    # ShARe
    r"(?P<document>[^|]+)\|\|(?P<label>[^|]+)\|\|[^|]*(?P<pieces>(?:\|\|\d{1,18}\|\|\d{1,18})+)",
    # SemEval-2021 task 5
    r"(?P<document>[^\t]+)\t\[(?P<offsets>(?:\d{1,18}(?:,\s*\d{1,18})*)?)\]",
)
_NUMBER = re.compile(r"\d+")
_SURE = 5
"""If a row begins with a document name of at least this many digits, its numbers are not tags of tokens."""

_LOOKED_AT = 20
_ARTICLE = re.compile(r"article(\d+)\.")
_PIPES = ".pipe"
_ROWS_REMEDY = (
    "Write one of these rows, separated by tabs: document, start, end; document, label, start, end; document, start, "
    "last, entity, score, type (neleval); document, [offset, ...]. Or write document||label||identifier||start||end."
)


def read_span_rows(source: Source) -> Iterator[Record]:
    """Read spans of characters with exclusive ends (neleval: inclusive ends); spans without a label get `_`.

    The rows of a document need not be adjacent. In a list of offsets, each run is a span. The texts come from the other
    side.

    Raises:
        InputError: if a row is malformed; the error names the line. See also `documents_of`.
    """
    for number, line in source.lines():
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            raise source.refuse("this row is not a span.", _ROWS_REMEDY, number)
        record = Record(id=row["document"], line=number)
        for pieces in _places(row):
            record.add(pieces[0][0], pieces[-1][1], row.get("label") or BARE_LABEL, pieces=pieces)
        yield record


def read_span_rows_folder(folder: Named, **limits: Any) -> Iterator[Record]:
    """Read all files of a folder, see `read_span_rows`; an empty file is a document without spans.

    The document of an empty file is named after the article number in the file's name, or after the text file beside
    it.

    Raises:
        InputError: see `read_span_rows`; the error names the file.
    """
    for name, file in (files_of(folder.name) or {}).items():
        place = os.path.relpath(file, folder.name)
        if not os.path.getsize(file):
            article = _ARTICLE.search(place)
            yield Record(id=article[1] if article else f"{name}.txt" if file.endswith(_PIPES) else name, place=place)
            continue
        with Source.open(file, **limits) as source:
            for record in read_span_rows(source):
                record.place = f"{place}, line {record.line}"
                yield record


def _row(line: str) -> dict[str, str] | None:
    row = next((row for pattern in _ROWS if (row := re.fullmatch(pattern, line))), None)
    return None if row is None else row.groupdict()


def _places(row: dict[str, str]) -> list[list[tuple[int, int]]]:
    """Return the boundaries of the fragments of each span in a row."""
    if "offsets" in row:
        offsets = set(map(int, _NUMBER.findall(row["offsets"])))
        starts = sorted(offset for offset in offsets if offset - 1 not in offsets)
        ends = sorted(offset + 1 for offset in offsets if offset + 1 not in offsets)
        return [[pair] for pair in zip(starts, ends, strict=True)]
    if "pieces" in row:
        bounds = list(map(int, _NUMBER.findall(row["pieces"])))
        return [sorted(zip(bounds[::2], bounds[1::2], strict=True))]
    return [[(int(row["start"]), int(row["end"]) + ("score" in row))]]


def _shows_rows(source: Source) -> bool:
    lines = source.head.decode(errors="replace").rstrip().split("\n")[:_LOOKED_AT]
    rows = [_row(line.rstrip("\r")) for line in lines]
    return len({None if row is None else tuple(row) for row in rows}) == 1 and all(map(_is_sure, rows))


def _is_sure(row: dict[str, str] | None) -> bool:
    """Check that a row contains spans; the row of a token can look similar if its tags are numbers."""
    if row is None or "start" not in row:
        return row is not None
    if "score" in row:
        scored = row["score"].replace(".", "", 1).isdecimal() and not looks_like_tag(row["label"])
        return scored and int(row["start"]) <= int(row["end"])
    named = row["document"].isdecimal() and len(row["document"]) >= _SURE and not row.get("label", "_").isdecimal()
    return named and int(row["start"]) < int(row["end"])


register(
    "span_rows",
    "a table with no header and one span per row",
    _shows_rows,
    read_span_rows,
    by_name=True,
    read_folder=read_span_rows_folder,
    may_be_empty=True,
    paths=rf"\.(labels|{_PIPES[1:]})$",
)


_USUAL = {
    "document": ("document", "document_id", "doc_id", "doc", "id", "file"),
    "start": ("start", "begin", "start_offset", "start_char"),
    "end": ("end", "stop", "end_offset", "end_char"),
    "label": ("label", "type", "entity_type", "tag"),
    "text": ("text", "span_text", "mention"),
}
"""The usual names of the columns, in any case; `text` is the text of the span."""

_NEEDED = ("start", "end", "label")
_AT_ONCE = 1 << 12
"""The maximum number of rows in a record."""

_TABLE_REMEDY = (
    "Give each span a start, an end and a label. In a row for a document without spans, leave all three empty."
)


def _named_columns(text: str) -> dict[str, str]:
    """Parse names of columns from text such as `start=From,end=To`."""
    return {key.strip(): name.strip() for key, _, name in [pair.partition("=") for pair in text.split(",")]}


class SpanTableReading(CheckedOptions):
    """Options for reading tables of spans.

    Attributes:
        column_names: names of columns in a span table, as in start=From,end=To. You can name the columns for document,
            start, end, label and text.
    """

    column_names: Mapping[str, str] | None = option(None, type="dict, optional", metavar="MAP", parse=_named_columns)

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        named = self.column_names or {}
        require_kind(named, Mapping, "a mapping of names", "Give a dict, {'start': 'From'}.", option="column_names")
        wrong = [key for key, name in named.items() if key not in _USUAL or not isinstance(name, str) or not name]
        if wrong:
            problem = f"{mention('column_names')} cannot contain {shown(f'{wrong[0]}={named[wrong[0]]}')}."
            remedy = f"Write NAME=COLUMN, such as start=From. NAME is one of {', '.join(map(repr, _USUAL))}."
            raise InputError(problem, remedy, option="column_names")


def read_span_table(source: Source, options: SpanTableReading) -> Iterator[Record]:
    """Read spans of characters with exclusive ends. The rows of a document need not be adjacent.

    The texts come from the other side. A document without spans has a row with empty start, end and label. Without a
    document column, all spans belong to one document.

    Raises:
        InputError: if a column is missing or if boundaries are not numbers. The error names the line (in Parquet, the
            row).
    """
    columns: dict[str, str] = {}
    record: Record | None = None
    for line, row in _rows(source):
        columns = columns or _columns(source, row, options.column_names or {})
        document, start, end, label, stated = (row.get(columns.get(key, "")) for key in _USUAL)
        name = None if "document" not in columns else "" if document is None else str(document)
        if record is None or record.id != name or len(record.spans) == _AT_ONCE:
            yield from [] if record is None else [record]
            record = Record(id=name, line=line)
        if all(value in (None, "") for value in (start, end, label)):
            continue
        if not isinstance(label, str) or not label:
            raise source.refuse("the span has no label.", _TABLE_REMEDY, line)
        stated = stated if isinstance(stated, str) and stated else None
        record.add(_bound(source, start, line), _bound(source, end, line), label, stated=stated)
    yield from [] if record is None else [record]


def _rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each row as an object, with its number."""
    if source.binary == PARQUET:
        for first, some in parquet_rows(source):
            yield from enumerate(some, first)
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
        name = names.get(key) or next((header[name] for name in usual if name in header), None)
        if name is not None and name in row:
            columns[key] = name
        elif name is not None or key in _NEEDED:
            problem = f"there is no column {name or key!r}; {all_of('column', row)}."
            change = f"Change the name in {setting('column_names')}."
            missing = f"Give the column: {setting('column_names', f'{key}=...')}."
            raise source.refuse(problem, change if name else missing, 1)
    return columns


def _bound(source: Source, value: Any, line: int) -> int:
    # pandas writes 1.0 if the column has gaps
    whole = re.fullmatch(r"(\d{1,18})(?:\.0)?", str(value))
    if whole is None or int(whole[1]) > LONGEST:
        raise source.refuse(f"{shown(value)} is not an offset.", _TABLE_REMEDY, line)
    return int(whole[1])


def _shows_table(source: Source) -> bool:
    header = header_of(source)
    if source.binary == PARQUET:
        row = first_value(source) or {}
        header = [name.lower() for name, value in row.items() if not isinstance(value, (list, dict))]
    return all(any(name in header for name in _USUAL[key]) for key in _NEEDED)


register("span_table", "a table with a header and one span per row", _shows_table, read_span_table, by_name=True)
