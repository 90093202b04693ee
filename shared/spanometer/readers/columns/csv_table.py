"""Tables of tokens with a header, separated by commas or semicolons (CSV), as spreadsheets export them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

from ...documents.document_file import DocumentFile
from ..formats import ColumnReading, Format, register
from ..source import BLOCK_SIZE, Source
from .columns import read_columns
from .layout import HEADER_WORDS, looks_like_tag

_DELIMITERS = ",;"
_DOCUMENTS = ("document", "document_id", "doc_id", "doc", "sentence", "sentence_id", "sentence #")
"""The usual names, in any case, of the column that identifies documents. The first that occurs in the file is used."""

_NAMES = HEADER_WORDS | {"label", "labels", "ner", "ner_tag", "ner_tags", "tag", "tags"}
"""If a header has one of these names, the file is a table of tokens."""

_LOOKED_AT = 20


def read_csv(source: Source, options: ColumnReading) -> DocumentFile:
    """Read tag columns from a table of tokens, like `read_columns`.

    Cells may be in double quotes. A row of empty cells ends a document, like a blank line. If there is a column such as
    `document` or `sentence`, a document also ends where its value changes.

    Raises:
        InputError: if a cell has a tab or a line end; see also `read_columns`.
    """
    table = source.with_text(_lines(source))
    header = [cell.strip() for cell in table.first_line().decode(errors="replace").split("\t")]
    names = {name.lower(): name for name in header if not any(map(looks_like_tag, header))}
    documents = options.documents or next((names[name] for name in _DOCUMENTS if name in names), None)
    file = read_columns(table, replace(options, documents=documents))
    return replace(file, format="a table with commas")


def _lines(source: Source) -> Iterator[bytes]:
    """Yield the rows in blocks, as lines with tabs between cells."""
    block = bytearray()
    for line, (number, cells) in enumerate(csv_rows(source), 1):
        # a row over several lines is an error, so that lines keep their numbers; cells are already stripped here
        over = number > line
        if over or any("\t" in cell or "\n" in cell for cell in cells):
            problem, remedy = "a cell has a tab or a line end.", "Remove these from the words."
            raise source.refuse(problem, remedy, line - 1 if over else line)
        block += ("\t".join(cells) if any(cells) else "").encode() + b"\n"
        if len(block) >= BLOCK_SIZE:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)


def csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row's first line, and the cells of the row; a blank line has no cells."""
    delimiter = delimiter_of(source) or ","
    reader = csv.reader((f"{line}\n" for _, line in source.lines()), delimiter=delimiter, strict=True)
    begun = 1
    try:
        for cells in reader:
            yield begun, [cell.strip() for cell in cells]
            begun = reader.line_num + 1
    except csv.Error as error:
        raise source.refuse(f"this row is not valid CSV ({error}).", "Check the quotes.", begun) from None


def delimiter_of(source: Source) -> str | None:
    """Return the separator of the cells in the first rows: a tab, a comma or a semicolon; None if it is unclear."""
    *lines, _ = [line.rstrip("\r") for line in source.head.decode(errors="replace").split("\n")][: _LOOKED_AT + 1]
    lines = [line for line in lines if line.strip(f" {_DELIMITERS}\t")]
    for delimiter in _DELIMITERS if not any("\t" in line for line in lines) else "\t":
        try:
            widths = {len(cells) for cells in csv.reader(lines, delimiter=delimiter, strict=True)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    return None


def header_of(source: Source) -> list[str]:
    """Return the cells of the first row in lower case; an empty list if a cell is empty."""
    delimiter = None if source.binary else delimiter_of(source)
    if delimiter is None:
        return []
    cells = next(csv.reader([source.first_line().decode(errors="replace")], delimiter=delimiter), [])
    return [cell.strip().lower() for cell in cells] if all(cell.strip() for cell in cells) else []


def _shows(source: Source) -> bool:
    header = set(header_of(source))
    return bool(_NAMES & header) and not {"start", "end"} <= header and delimiter_of(source) != "\t"


register(Format("csv", "a table with commas", _shows, read_csv, content="tags"))
