"""Files of tags: `read`, and what it returns."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from types import NoneType
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..arrays import is_integer, offsets_of, ordered
from ..errors import InputError, mention, printable, require_kind, setting, shown
from ..spans.spans import Spans
from ..tags.tags import Tags
from .annotated_file import AnnotatedFile
from .formats import read_as
from .source import Source
from .words import Codes

if TYPE_CHECKING:
    from .column_layout import Layout

Column = int | str | None
"""A column by number (from 1, or negative from the right) or by name; None is the default one."""

_NO_NUMBER = ("_", "O")
"""Cells of columns of numbers that hold none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TagFile(AnnotatedFile):
    """The tags of a file.

    Attributes:
        columns: for each tag column that was asked for, what it is called: its name if the file gives one, or
            `column 3`.
        tags: the tags of these columns.
        numbers: the column of numbers that was asked for, float64, those of all documents laid end to end.
        layout: how rows of columns are built; None for JSON lines.
        document_names: what the comments that begin documents (`# document_id = ...`) say, if documents are told by
            them; an empty string for rows before the first of them.
        comments: the comments of files of columns, each with the number of its line, made when they are asked for from
            `comment_lines` and `comment_text`.
        docstart_lines: the numbers of the `-DOCSTART-` lines.
        sentences: whether the documents are sentences, as in files of columns in which nothing but blank lines (and
            `-DOCSTART-` lines) is asked to end them.
        form: what the file is, if it is neither columns nor JSON lines, and so cannot be written again with other tags.
    """

    columns: tuple[str, ...]
    tags: tuple[Tags, ...]
    numbers: np.ndarray | None = None
    layout: Layout | None = None
    document_names: tuple[str, ...] | None = None
    comment_lines: Sequence[int] = ()
    comment_text: bytes | bytearray = b""
    docstart_lines: tuple[int, ...] = ()
    sentences: bool = False
    form: str = ""

    @property
    def comments(self) -> tuple[tuple[int, str], ...]:
        """The comments, each with the number of its line."""
        return tuple(zip(self.comment_lines, self.comment_text.decode().split("\n"), strict=False))

    @property
    def lengths(self) -> np.ndarray:
        """The documents' lengths in tokens."""
        return self.tags[0].lengths

    def spans(self, **reading: Any) -> Spans:
        """Read the spans of the first tag column, see `Spans.from_tags`; an `InputError` names file and line."""
        try:
            return Spans.from_tags(self.tags[0], **reading)
        except InputError as error:
            raise self.locate(error) from None

    def select(self, column: int) -> TagFile:
        """Return the same file with one of its tag columns only."""
        one = slice(column, column + 1)
        layout = self.layout and replace(self.layout, columns=self.layout.columns[one])
        return replace(self, columns=self.columns[one], tags=self.tags[one], layout=layout)

    def written_as(self, form: str) -> TagFile:
        """Return the same file with what it is, see `form`."""
        return replace(self, form=form)

    def with_numbers(self) -> TagFile:
        """Return the same file with its last tag column as numbers: NaN for `_`, and for what is read as `O`.

        Raises:
            InputError: for a cell that is no number; it names the line.
        """
        *kept, last = range(len(self.columns))
        column = self.tags[last]
        values = np.array([self._number(name, column, code) for code, name in enumerate(column.names)], dtype=float)
        layout = self.layout and replace(self.layout, columns=self.layout.columns[:last])
        found = replace(self, columns=self.columns[:last], tags=tuple(self.tags[at] for at in kept), layout=layout)
        return replace(found, numbers=values[column.codes])

    def _number(self, cell: str, column: Tags, code: int) -> float:
        with suppress(ValueError):
            return math.nan if cell in _NO_NUMBER else float(cell)
        document, position = column.first(code)
        problem = f"{printable(self.columns[-1])}: {shown(cell)} is not a number."
        raise self.locate(InputError(problem, "Name a column of numbers.", document=document, position=position))


def read(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    format: str = "auto",
    documents: str | None = None,
    outside: str | None = None,
    numbers: Column = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> TagFile:
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
            it is no tag column; in JSON lines `tokens` or `words`. A number or a name says which. `TagFile.words` is
            None if there are none.
        format: `columns`, `jsonl`, or `auto`: JSON lines if the first line is JSON.
        documents: what begins a document in a columns file instead of the blank line: the key of a comment
            (`document_id` for `# document_id = ...`), or `-DOCSTART-`.
        outside: a tag that is to be read as `O`, such as `_`.
        numbers: a column of numbers to read too, such as the probabilities of tokens; `_` stands for none.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: `max_line` (16) and `max_size` (2000), the longest line and the largest file in megabytes, unpacked; and
            `encoding` (utf-8).

    Raises:
        InputError: names the file and, if it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for rows of different length, missing columns, empty cells, invalid JSON.
    """
    columns = _checked(columns, words, documents, outside)
    options = {"columns": columns, "words": words, "documents": documents, "outside": outside, "numbers": numbers}
    return read_as(TagFile, path, format=format, name=name, progress=progress, limits=limits, options=options)


def read_parts(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    outside: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> Iterator[TagFile]:
    """Read a file of columns in parts, so that memory does not grow with the file.

    The parts are runs of whole documents (a blank line ends a document) in the order of the file, about a megabyte
    each; together they have what `read` gives. Lines are numbered within the file. An error in a later part comes when
    that part is due. Arguments and errors are those of `read`; `max_size` limits a document, not the file.
    """
    from .columns import read_column_parts

    columns = _checked(columns, words, None, outside)
    with Source.open(path, name, progress, **limits) as source:
        yield from read_column_parts(source, columns, words, outside)


def _checked(columns: Any, words: Any, documents: Any, outside: Any) -> tuple[Column, ...]:
    """Return the columns to read; an `InputError` for what names none."""
    remedy = "Give the numbers or names of columns, columns=[-1]."
    known = tuple(ordered(columns, "a list of columns", remedy, option="columns"))
    for column in known:
        if not isinstance(column, (str, NoneType)) and not is_integer(column):
            raise InputError(f"{shown(column)} is neither the number nor the name of a column.", remedy)
    known = tuple(column if isinstance(column, (str, NoneType)) else int(column) for column in known)
    if not isinstance(words, (str, int)):
        raise InputError(f"{setting('words', words)} is neither the number nor the name of a column.", "Use True.")
    for name, value in (("documents", documents), ("outside", outside)):
        require_kind(value, (str, NoneType), "a string", f"Give {mention(name)} as text, or leave it out.")
    return known


def joined_tags(parts: Sequence[Tags]) -> Tags:
    """Return the tags of several files, their documents end to end."""
    names = Codes()
    codes = [np.array([names[name] for name in part.names], dtype=np.int32)[part.codes] for part in parts]
    offsets = offsets_of(np.concatenate([part.lengths for part in parts]))
    return Tags(np.concatenate(codes), tuple(names), offsets)


def tag_lists(tags: Tags) -> list[list[str]]:
    """Return tags (or words) as a list of lists, as the `evaluate` modules take them."""
    names = np.array([*tags.names, ""], dtype=object)
    flat = names[tags.codes].tolist()
    return [flat[start:end] for start, end in pairwise(tags.offsets.tolist())]
