"""Read files of tags, in any format of these."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from ...documents.document_file import DocumentFile
from ...documents.tag_columns import Column
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

    Files are UTF-8, with or without byte order mark, plain or gzipped (told from the content); lines end in LF or CRLF.

    In **columns** files each line is a token and a blank line (nothing or only blanks) ends a document. Cells are
    separated by single tabs if the first row has a tab, otherwise by runs of blanks; quotes are plain characters. A
    file may have one column only, that of the tags. `-DOCSTART-` lines are skipped and end a document. A line that
    begins with `#` is a comment unless it reads like a row, one with as many cells as the others and a tag in the tag
    columns: the token `#` is data. Columns have names if a comment before the first row gives them
    (`# columns: token reference system`, or the bare names after `#`, as many as there are columns), or if the
    first row does (it is taken for names if it holds a wanted name, or begins with TOKEN, WORD or FORM and holds no
    tag).

    In **jsonl** files each line is a document: a list of tags, or an object that has one under the column's name.

    Args:
        path: the file, or an open binary stream; or a folder, or a pattern with wildcards, whose files are read one
            after the other.
        columns: the tag columns. A number counts from 1, as `cut` and `awk` do, or with a negative sign from the right
            (-1 is the last); digits in a string are a number. Any other string is a name. None is the last column, in
            JSON lines `tags`.
        words: whether to read the words too: True takes the column named token, word or form, or else the first if
            it is no tag column; in JSON lines `tokens` or `words`. A number or a name says which. The words are
            None if there are none.
        format: `columns`, `jsonl`, or `auto`: JSON lines if the first line is JSON.
        documents: what begins a document in a columns file instead of the blank line: the key of a comment
            (`document_id` for `# document_id = ...`), or `-DOCSTART-`.
        outside: a tag that is to be read as `O`, such as `_`; with `o` prefixes may be in small letters, too; with
            `nothing` every tag is a label as it stands.
        boundary: the first word of lines of a columns file that end a document as blank lines do; by default
            `-DOCSTART-`. With another word `-DOCSTART-` lines are tokens.
        numbers: a column of numbers to read too, such as the probabilities of tokens; `_` stands for none.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: `max_line` (16) and `max_size` (2000), the longest line and the largest file in megabytes, unpacked; and
            `encoding` (utf-8).

    Raises:
        InputError: names the file and, if it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for rows of different length, missing columns, empty cells, invalid JSON.
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
    """Read a file of columns in parts, so that memory does not grow with the file.

    The parts are runs of whole documents (a blank line ends a document) in the order of the file, about a megabyte
    each; together they have what `read` gives. Lines are numbered within the file. An error in a later part comes when
    that part is due. Arguments and errors are those of `read`; `max_size` limits a document, not the file.
    """
    from .columns import read_column_parts

    reading = ColumnReading(columns=columns, words=words, outside=outside)
    with Source.open(path, name, progress, **limits) as source:
        yield from read_column_parts(source, reading)
