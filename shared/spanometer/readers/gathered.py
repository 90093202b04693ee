"""The spans of a document, gathered as numbers: in Python's objects those of a long one take many times the file."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from .words import Codes

_AT_ONCE = 1 << 14

Span = tuple[int, int, str]


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
