"""Records of documents, one for each annotator, as readers yield them; or their spans as columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Protocol, overload

import numpy as np
import pyarrow as pa

from ..exceptions import InputError
from .stated import stated_strings
from .words import Codes

_AT_ONCE = 1 << 14

Span = tuple[int, int, str]


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


class GatheredSpans(Sequence[Span]):
    """Spans in the order that they were added: start, end (exclusive) and label of each.

    The last ones are kept as they came, so that the many short documents of a file cost no more than lists of spans.
    """

    def __init__(self) -> None:
        self._start, self._end, self._label = array("q"), array("q"), array("i")
        self._labels, self._names = Codes(), list[str]()
        self._last: list[Span] = []

    def append(self, span: Span) -> None:
        """Add a span, whose bounds fit 64 bits."""
        self._last.append(span)
        if len(self._last) >= _AT_ONCE:
            start, end, label = zip(*self._last, strict=True)
            self._start.extend(start)
            self._end.extend(end)
            self._label.extend(map(self._labels.__getitem__, label))
            self._names = list(self._labels)
            self._last = []

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self._label) + len(self._last)

    @overload
    def __getitem__(self, place: int) -> Span: ...
    @overload
    def __getitem__(self, place: slice) -> list[Span]: ...
    def __getitem__(self, place: int | slice) -> Span | list[Span]:
        """Return a span, or several."""
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        if place >= len(self._label):
            return self._last[place - len(self._label)]
        return self._start[place], self._end[place], self._names[self._label[place]]

    def __iter__(self) -> Iterator[Span]:
        """Yield each span; some of them are Python's objects at a time."""
        for first in range(0, len(self._label), _AT_ONCE):
            here = slice(first, first + _AT_ONCE)
            labels = map(self._names.__getitem__, self._label[here])
            yield from zip(self._start[here], self._end[here], labels, strict=True)
        yield from self._last

    def widen(self, place: int, start: int, end: int) -> None:
        """Make a span begin no later, and end no earlier, than these bounds."""
        known = place - len(self._label)
        if known >= 0:
            first, last, label = self._last[known]
            self._last[known] = min(first, start), max(last, end), label
        else:
            self._start[place] = min(self._start[place], start)
            self._end[place] = max(self._end[place], end)
