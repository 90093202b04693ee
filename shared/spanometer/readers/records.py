"""Records of documents, one for each annotator, as readers yield them; or their spans as columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..errors import InputError
from .stated_texts import stated_strings
from .words import Codes


@dataclass(slots=True, kw_only=True)
class Record:
    """One annotator's spans of a document, as a file has them.

    Attributes:
        spans: start, end (exclusive) and label of each; for a discontinuous span the outermost bounds.
        fragments: bounds of the fragments of discontinuous spans, by their place in `spans`.
        stated: the text that the file says each span covers, None where it says nothing; empty if it never does.
        text: of the document, if the file has it.
        words: of the document, if the file has them.
        tokens: bounds of the tokens in characters, if the file has them, as a list or (for all documents) an array.
        id: the document's name, if it has one.
        annotator: whose spans they are, if the file says so.
        attributes: values by name of each span, if the file has any.
        scores: of the attributes of each span, None for none; empty if no span has any.
        line: on which the document begins.
        place: what else to call the place, as `task 12`.
        lost: the line of each span that could not be read, and what is wrong with the span.
    """

    spans: Sequence[tuple[int, int, str]]
    fragments: Mapping[int, Sequence[tuple[int, int]]] | None = None
    stated: Sequence[str | None] = ()
    text: str | None = None
    words: Sequence[str] | None = None
    tokens: Sequence[tuple[int, int]] | np.ndarray | None = None
    id: str | None = None
    annotator: str | None = None
    attributes: Sequence[Mapping[str, Any]] | None = None
    scores: Sequence[Any] = ()
    line: int = 1
    place: str = ""
    lost: Sequence[tuple[int, str]] = ()

    def lost_spans(self) -> Iterator[str]:
        """Yield what could not be read and where, a text for each span."""
        for line, problem in self.lost:
            where = [self.place] if self.place else []
            if not where or line != self.line:
                where.append(f"line {line}")
            yield f"{', '.join(where)}: {problem}"


class Named(Protocol):
    """A file, or a folder, that records are read from."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Return an error about it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SpanColumns:
    """Documents without texts, and their spans end to end, as tables of spans have them.

    Attributes:
        ids: the documents' names; None if they have none.
        lines: on which each document begins.
        offsets: document d has the spans `offsets[d]` to `offsets[d + 1]`.
        start, end: int32, of each span.
        label: int32, indexes `labels`.
        labels: the names of the labels.
        stated: what each span is said to cover, see `StatedColumn`.
    """

    ids: list[str | None] | None
    lines: array[int]
    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    labels: Codes
    stated: pa.ChunkedArray

    def __iter__(self) -> Iterator[Record]:
        """Yield each document as a record."""
        names = list(self.labels)
        said = stated_strings(self.stated)
        for number, (line, (first, last)) in enumerate(zip(self.lines, pairwise(self.offsets.tolist()), strict=True)):
            columns = (self.start, self.end, self.label)
            bounds = zip(*(column[first:last].tolist() for column in columns), strict=True)
            yield Record(
                spans=[(start, end, names[label]) for start, end, label in bounds],
                stated=list(islice(said, last - first)),
                id=None if self.ids is None else self.ids[number],
                line=line,
            )
