"""The one way into the readers: `read`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from ..errors import InputError, require_choice
from .columns import read_column_parts, read_columns
from .json_lines import SPANS_KEY, read_json_lines, read_span_lines
from .source import Source
from .tag_file import Column, SpanFile, TagFile

FORMATS = ("auto", "columns", "jsonl")


def read(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    format: str = "auto",
    documents: str | None = None,
    outside: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> TagFile:
    """Read one or more tag columns of a file, and its words, in one pass.

    Files are UTF-8, with or without byte order mark, plain or gzipped (told from the content); lines end in LF or CRLF.

    In **columns** files each line is a token and a blank line (nothing or only blanks) ends a document. Cells are
    separated by single tabs where the first row has a tab, otherwise by runs of blanks; quotes are plain characters. A
    file may have one column only, that of the tags. `-DOCSTART-` lines are skipped and end a document. A line that
    begins with `#` is a comment unless it reads like a row, one with as many cells as the others and a tag where tags
    are due: the token `#` is data. Columns have names where a comment before the first row gives them
    (`# columns: token reference system`, or the bare names behind `#`, as many as there are columns), or where the
    first row does (it is taken for names where it holds a wanted name, or begins with TOKEN, WORD or FORM and holds no
    tag).

    In **jsonl** files each line is a document: a list of tags, or an object that has one under the column's name.

    Args:
        path: the file, or an open binary stream.
        columns: the tag columns. A number counts from 1, as `cut` and `awk` do, or with a negative sign from the right
            (-1 is the last); digits in a string are a number. Any other string is a name. None is the last column, in
            JSON lines `tags`.
        words: whether to read the words too: True takes the column named token, word or form, or else the first if
            it is no tag column; in JSON lines `tokens` or `words`. A number or a name says which. `TagFile.words` is
            None where there are none.
        format: `columns`, `jsonl`, or `auto`: JSON lines where the name ends in `.jsonl` or the first line is JSON.
        documents: what begins a document in a columns file in place of the blank line: the key of a comment
            (`document_id` for `# document_id = ...`), or `-DOCSTART-`.
        outside: a tag that is to be read as `O`, such as `_`.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.

    Raises:
        InputError: names the file and, where it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for rows of different length, missing columns, empty cells, invalid JSON.
    """
    require_choice("format", format, FORMATS)
    with Source.open(path, name, progress) as source:
        if format == "jsonl" or (format == "auto" and is_json_lines(source)):
            _refuse_column_options(source, documents, outside)
            return read_json_lines(source, columns, words)
        return read_columns(source, columns, words, documents, outside)


def read_parts(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    outside: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[TagFile]:
    """Read a file of columns in parts, so that memory does not grow with the file.

    The parts are runs of whole documents (a blank line ends a document) in the order of the file, about a megabyte
    each; together they have what `read` gives. Lines are numbered within the file. An error in a later part comes when
    that part is due. Arguments and errors are those of `read`.
    """
    with Source.open(path, name, progress) as source:
        yield from read_column_parts(source, columns, words, outside)


def read_spans(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    key: str = SPANS_KEY,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> SpanFile:
    """Read JSON lines of spans, which may overlap and have gaps.

    Each line is a document: a list of spans as `Spans.from_dicts` takes them, or an object that has one under `key` and
    may have the document's words under `tokens` or `words`.

    Args:
        path: the file, plain or gzipped, or an open binary stream.
        key: of the list of spans.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.

    Raises:
        InputError: names the file and the line, as `read` does; also for a span past the end of its document.
    """
    with Source.open(path, name, progress) as source:
        return read_span_lines(source, key)


_LONG_LINE = 100_000


def is_json_lines(source: Source) -> bool:
    """Whether the name ends in `.jsonl` or `.ndjson`, or the first line is JSON."""
    if source.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return True
    line = source.first_line()
    if not line.startswith((b"[", b"{")):
        return False
    if len(line) >= _LONG_LINE:
        # it may go on behind the first block; no row of columns is that long
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_column_options(source: Source, documents: str | None, outside: str | None) -> None:
    for option, value in (("documents", documents), ("outside", outside)):
        if value is not None:
            raise InputError(
                f"{option}={value!r} is for files of columns; these are JSON lines.",
                f"Leave out {option}=...",
                source=source.name,
            )
