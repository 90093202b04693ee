"""Files of tags as they are read: columns of tags, words, and the lines that they stand on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import offsets_of
from ..exceptions import InputError, printable, shown
from ..spans.spans import Spans
from ..tags.tags import Tags
from .places_in_files import AnnotatedFile
from .words import Codes

Column = int | str | None
"""A column by number (from 1, or negative from the right) or by name; None is the default one."""

_NO_NUMBER = ("_", "O")
"""Cells of columns of numbers that hold none."""


@dataclass(frozen=True)
class Layout:
    """The layout of the rows of a file.

    Attributes:
        tabs: whether single tabs separate the cells, or runs of blanks.
        width: number of cells of a row.
        model: the number of the line that says so.
        header: the number of the line that holds the columns' names and is no data, or 0.
        names: the columns' names, if they are given.
        columns: indices of the tag columns.
        words: index of the words' column, or None.
        words_named: whether it was named, and not found.
        documents: index of the column whose values tell documents apart, or None.
    """

    tabs: bool
    width: int
    model: int
    header: int
    names: tuple[str, ...] | None
    columns: tuple[int, ...]
    words: int | None
    words_named: bool
    documents: int | None = None

    def called(self, index: int) -> str:
        """Return what errors call a column."""
        return self.names[index] if self.names else f"column {index + 1}"


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
