"""Tables of spans: a row a span, with the columns document, start, end and label; CSV, tabs or Parquet."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import arrow_array, offsets_by, offsets_of, surely_distinct
from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import SpanColumns
from ...documents.stated import StatedColumn
from ...documents.words import Codes
from ...exceptions import InputError, counted, mention, require_kind, setting, shown
from ...options import option
from ...spans.arrow import LONGEST
from ..formats import Evidence, Format, Offsets, register
from ..json.parquet_rows import parquet_rows
from ..json.values import first_value
from ..source import PARQUET, Source
from .csv_table import csv_rows, header_of

_USUAL = {
    "document": ("document", "document_id", "doc_id", "doc", "id", "file"),
    "start": ("start", "begin", "start_offset", "start_char"),
    "end": ("end", "stop", "end_offset", "end_char"),
    "label": ("label", "type", "entity_type", "tag"),
    "text": ("text", "span_text", "mention"),
}
"""The usual names of the columns, in any case; `text` is what the span covers."""

_NEEDED = ("start", "end", "label")
_DIGITS = len(str(LONGEST))

_REMEDY = "Give every row a start, an end and a label; a row with the document alone is one without spans."


def _named_columns(text: str) -> dict[str, str]:
    """Return names of columns from a text such as `start=From,end=To`."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    return {key.strip(): name.strip() for key, _, name in pairs}


@dataclass(frozen=True, kw_only=True)
class SpanTableReading(Offsets):
    """The options of reading tables of spans."""

    column_names: Mapping[str, str] | None = option(
        None,
        help="of tables of spans: the names of the columns document, start, end, label and text, start=From,end=To",
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
                f"{mention('column_names')} names the columns {', '.join(_USUAL)}, and not {shown(wrong[0])}.",
                "Write the column's own name after the sign: start=From.",
                option="column_names",
            )


def read_span_table(source: Source, options: SpanTableReading) -> DocumentFile:
    """Read spans of characters, the end exclusive; rows of one document are together or apart.

    The documents' texts are those of the other side. A document without spans has a row with empty start, end and
    label. Without a column of documents, all spans are of one document.

    Raises:
        InputError: names the line (of Parquet the row), for a missing column, and for bounds that are no numbers.
    """
    return documents_of(source, _columns_of_spans(source, options.column_names or {}), units=options.units("codepoint"))


def _columns_of_spans(source: Source, names: Mapping[str, str]) -> SpanColumns:
    # a row is a few numbers, and the name of its document only where another document begins
    ids: list[str | None] = []
    lines, counts = array("q"), array("i")
    starts, ends, label_codes = array("i"), array("i"), array("i")
    labels, stated = Codes(), StatedColumn()
    columns: dict[str, str] = {}
    for line, row in _rows(source):
        columns = columns or _columns(source, row, names)
        given = row.get(columns.get("document", ""))
        name = "" if given is None else str(given)
        if not ids or name != ids[-1]:
            ids.append(name)
            lines.append(line)
            counts.append(0)
        start, end, label = (row.get(columns[key]) for key in _NEEDED)
        if start in (None, "") and end in (None, "") and label in (None, ""):
            continue
        if not isinstance(label, str) or not label:
            raise source.refuse("a span has no label.", _REMEDY, line)
        starts.append(_bound(source, start, line))
        ends.append(_bound(source, end, line))
        label_codes.append(labels[label])
        counts[-1] += 1
        covered = row.get(columns.get("text", ""))
        stated.append(covered if isinstance(covered, str) and covered else None)
    found = SpanColumns(
        ids=ids if "document" in columns else None,
        lines=lines,
        offsets=offsets_of(counts),
        start=np.asarray(starts),
        end=np.asarray(ends),
        label=np.asarray(label_codes),
        labels=labels,
        stated=stated.column(),
    )
    return found if surely_distinct(ids) else _joined(found, ids)


def _joined(columns: SpanColumns, names: Sequence[str | None]) -> SpanColumns:
    """Return the spans of each document together, where rows of one document were apart."""
    documents = Codes()
    owner = np.array([documents[str(name)] for name in names])
    _, first = np.unique(owner, return_index=True)
    of_span = np.repeat(owner, np.diff(columns.offsets))
    order = np.argsort(of_span, kind="stable")
    return replace(
        columns,
        ids=list(documents),
        lines=array("q", [columns.lines[row] for row in first]),
        offsets=offsets_by(of_span, len(documents)),
        start=columns.start[order],
        end=columns.end[order],
        label=columns.label[order],
        stated=columns.stated.take(arrow_array(order)),
    )


def _rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows as objects, with their numbers."""
    if source.binary == PARQUET:
        yield from parquet_rows(source)
        return
    rows = ((line, cells) for line, cells in csv_rows(source) if cells)
    _, header = next(rows)
    twice = next((name for place, name in enumerate(header) if name and name in header[:place]), None)
    if twice is not None:
        raise source.refuse(f"two columns are called {twice!r}.", "Give every column a name of its own.", 1)
    for line, cells in rows:
        if len(cells) != len(header):
            raise source.refuse(f"{counted(len(cells), 'cell')}, where the header has {len(header)}.", _REMEDY, line)
        yield line, dict(zip(header, cells, strict=True))


def _columns(source: Source, row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return what the file calls the columns that it has."""
    known = {name.lower(): name for name in row}
    found: dict[str, str] = {}
    for key, usual in _USUAL.items():
        if key in names and names[key] not in row:
            raise source.refuse(f"there is no column {names[key]!r} among {', '.join(map(repr, row))}.", "", 1)
        name = names.get(key) or next((known[name] for name in usual if name in known), None)
        if name is not None:
            found[key] = name
    for key in _NEEDED:
        if key not in found:
            named = setting("column_names", f"{key}=...")
            raise source.refuse(
                f"there is no column {key!r} among {', '.join(map(repr, row))}.", f"Name it: {named}.", 1
            )
    return found


def _bound(source: Source, value: Any, line: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # as pandas writes numbers of a column that has gaps
    text = value.removesuffix(".0") if isinstance(value, str) else ""
    if text.isdecimal() and len(text) <= _DIGITS:
        value = int(text)
    if type(value) is not int or abs(value) > LONGEST:
        raise source.refuse(f"{shown(value)} is not an offset.", _REMEDY, line)
    return value


def _evidence(source: Source) -> Evidence:
    header = header_of(source)
    if source.binary == PARQUET:
        row = first_value(source) or {}
        header = [name.lower() for name, value in row.items() if not isinstance(value, (list, dict))]
    found = all(any(name in header for name in _USUAL[key]) for key in _NEEDED)
    return Evidence.CERTAIN if found else Evidence.NONE


register(
    Format(
        name="span_table",
        content=DocumentFile,
        mark="a table of spans",
        evidence=_evidence,
        read=read_span_table,
        reading=SpanTableReading,
    )
)
