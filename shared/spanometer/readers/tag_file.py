"""What the readers hand over: tags with the lines that they stand on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..errors import InputError, counted
from ..spans.spans import Spans
from ..tags.tags import Tags

Column = int | str | None
"""A column by number (from 1, or negative from the right) or by name; None is the default one."""


@dataclass(frozen=True)
class Cells:
    """Where tags stand in the rows of a file of columns.

    Attributes:
        tabs: whether single tabs separate the cells, or runs of blanks.
        columns: indices of the tag columns.
        width: number of cells of a row.
    """

    tabs: bool
    columns: tuple[int, ...]
    width: int


@dataclass(frozen=True, eq=False)
class TagFile:
    """The tags of a file.

    Attributes:
        source: what errors call the file.
        columns: for each tag column that was asked for, what it is called: its name where the file gives one, or
            `column 3`.
        tags: the tags of these columns.
        words: the words, where they were asked for and the file has them.
        names: the names of all columns, where the file gives them.
        document_lines: int64, the number of the line, from 1, on which each document begins.
        token_lines: int64, the line of every token; None where a document stands on one line.
        cells: where the tags stand in files of columns; None in JSON lines.
        document_names: what the comments that begin documents (`# document_id = ...`) say, where documents are told by
            them; an empty string for rows before the first of them.
        comments: the comments of files of columns, each with the number of its line.
        docstart_lines: the numbers of the `-DOCSTART-` lines.
    """

    source: str
    columns: tuple[str, ...]
    tags: tuple[Tags, ...]
    words: Tags | None
    names: tuple[str, ...] | None
    document_lines: np.ndarray
    token_lines: np.ndarray | None
    cells: Cells | None = None
    document_names: tuple[str, ...] | None = None
    comments: tuple[tuple[int, str], ...] = ()
    docstart_lines: tuple[int, ...] = ()

    @property
    def lengths(self) -> np.ndarray:
        """The documents' lengths in tokens."""
        return self.tags[0].lengths

    def line(self, document: int, position: int | None = None) -> int:
        """The line of a document, or of a token of it."""
        if self.token_lines is None or position is None:
            return int(self.document_lines[document])
        return int(self.token_lines[int(self.tags[0].offsets[document]) + position])

    def select(self, column: int) -> TagFile:
        """The same file with one of its tag columns only."""
        one = slice(column, column + 1)
        cells = self.cells and replace(self.cells, columns=self.cells.columns[one])
        return replace(self, columns=self.columns[one], tags=self.tags[one], cells=cells)

    def locate(self, error: InputError) -> InputError:
        """An error about a document and token of these tags, said of the file and line."""
        if error.document is None:
            return error.in_file(self.source)
        line = self.line(error.document, error.position)
        return error.in_file(self.source, line, error.position if self.token_lines is None else None)


class Annotated(Protocol):
    """A file of annotated documents, whatever annotates them."""

    @property
    def source(self) -> str:
        """What errors call the file."""

    @property
    def document_lines(self) -> np.ndarray:
        """The line on which each document begins."""

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in tokens, where they are known."""

    def line(self, document: int, position: int | None = None) -> int:
        """The line of a document, or of a token of it."""


@dataclass(frozen=True, eq=False)
class SpanFile:
    """The spans of a file of JSON lines.

    Attributes:
        source: what errors call the file.
        spans: its spans; their documents' lengths are known where the file has words.
        words: the words of each document, or None unless every line has them.
        document_lines: int64, the number of the line, from 1, of each document.
    """

    source: str
    spans: Spans
    words: list[list[str]] | None
    document_lines: np.ndarray


class Codes(dict[str, int]):
    """Codes for names, given in the order of their first occurrence."""

    def __missing__(self, name: str) -> int:
        """The next code."""
        code = self[name] = len(self)
        return code


def tag_lists(tags: Tags) -> list[list[str]]:
    """Tags (or words) as a list of lists, as the `evaluate` modules take them."""
    names = np.array([*tags.names, ""], dtype=object)
    flat = names[tags.codes].tolist()
    bounds = tags.offsets.tolist()
    return [flat[start:end] for start, end in pairwise(bounds)]


def require_same_tokens(references: Annotated, predictions: Annotated) -> None:
    """Raise an `InputError` that names both files and lines unless both have the same documents and lengths.

    Lengths are compared where both files have them.
    """
    sizes = [len(file.document_lines) for file in (references, predictions)]
    common = min(sizes)
    first, second = references.lengths, predictions.lengths
    if first is not None and second is not None and (first[:common] != second[:common]).any():
        document = int(np.argmax(first[:common] != second[:common]))
        place, other = references.line(document), predictions.line(document)
        problem = (
            f"the reference document that begins here has {_tokens(first[document])}, the predicted one "
            f"({predictions.source}, line {other}) has {_tokens(second[document])}."
        )
        remedy = (
            "Both sides must annotate the same tokens; do the documents end at the same places?"
            if first.sum() == second.sum()
            else "Both sides must annotate the same tokens; was the text tokenised twice?"
        )
        raise InputError(problem, remedy, source=references.source, line=place)
    if sizes[0] != sizes[1]:
        longer, shorter = (references, predictions) if sizes[0] > sizes[1] else (predictions, references)
        raise InputError(
            f"{counted(sizes[1], 'predicted document')}, {counted(sizes[0], 'reference document')}: "
            f"{shorter.source} ends before the document that begins here.",
            "Both sides must annotate the same documents, in the same order.",
            source=longer.source,
            line=longer.line(common),
        )


def _tokens(count: int) -> str:
    return f"{count} token{'' if count == 1 else 's'}"
