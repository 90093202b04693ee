"""Reading of tag files in any format: `read` and `read_parts`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from ...documents.document_file import DocumentFile
from ...documents.layers import Column
from ..formats import ColumnReading, read_as
from ..source import Source


def read(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    format: str = "auto",
    documents: str | None = None,
    outside: str | None = None,
    boundary: str | None = None,
    numbers: Column = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> DocumentFile:
    """Read one or more tag columns of a file, and its words, in one pass.

    Files are UTF-8, with or without byte order mark, plain or gzipped; lines end in LF or CRLF.

    In **columns** files each line is a token, and a blank line ends a document. If the first row has a tab, single tabs
    separate the cells, otherwise runs of spaces do. Quotes have no special meaning. The tags may be the only column.
    `-DOCSTART-` lines are skipped and end a document. A line that begins with `#` is a comment, unless it has as many
    cells as the other rows and a tag in each tag column; then `#` is a token. A comment before the first row may name
    the columns: `# columns: token reference system`, or `#` and as many names as columns. So may the first row, if it
    contains a wanted name, or if it begins with TOKEN, WORD or FORM and has no tag.

    In **jsonl** files each line is a document: a list of tags, or an object that has such a list under the column's
    name.

    Args:
        path: the file, or an open binary stream; or a folder or a pattern with wildcards, whose files are read in
            order.
        columns: the tag columns, by number or name. Numbers count from 1, or backwards from -1, the last column; a
            string of digits is a number. None is the last column; in JSON lines, `tags`.
        words: whether to read the words too. True finds the column: the one named token, word or form, otherwise the
            first column if it is not a tag column; in JSON lines, `tokens` or `words`. You can also pass the number or
            name of the column. If the file has no words, the result has None.
        format: `columns`, `jsonl`, or `auto`: JSON lines if the first line is JSON, otherwise columns.
        documents: the line that begins a document in a columns file, instead of a blank line: the key of a comment
            (`document_id` for `# document_id = ...`), or `-DOCSTART-`.
        outside: a tag to read as `O`, such as `_`. `o` also allows lower-case prefixes. `nothing` reads every tag as a
            label, including `O`.
        boundary: the first word of lines that end a document in a columns file, like blank lines; by default
            `-DOCSTART-`. If you set another word, `-DOCSTART-` lines are tokens.
        numbers: a column of numbers to read too, such as the probabilities of tokens; `_` means no number.
        name: what errors call the file; by default its path.
        progress: a function called with the number of bytes read since the last call.
        limits: `max_line` (16) and `max_size` (2000), the maximum length of a line and size of the unpacked file, in
            megabytes; and `encoding` (utf-8).

    Raises:
        InputError: if the file cannot be opened, is empty, is binary or is not UTF-8, if rows have different lengths,
            if columns are missing, if cells are empty, or if JSON is invalid. The error names the file and, if
            possible, the line.
    """
    options = {"columns": columns, "words": words, "documents": documents, "outside": outside, "numbers": numbers}
    options |= {} if boundary is None else {"boundary": boundary}
    return read_as("tags", path, format=format, name=name, progress=progress, limits=limits, options=options)


def read_parts(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    outside: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> Iterator[DocumentFile]:
    """Read a file of columns in parts, in constant memory.

    Each part has whole documents, in total about a megabyte; a blank line ends a document. All parts together have the
    same documents as the result of `read`. Lines are numbered within the file. An error in a later part is raised when
    that part is read. See `read` for arguments and errors, but here `max_size` limits a document instead of the file.
    """
    from .columns import read_column_parts

    reading = ColumnReading(columns=columns, words=words, outside=outside)
    with Source.open(path, name, progress, **limits) as source:
        yield from read_column_parts(source, reading)
