"""The texts that files say their spans cover: kept as columns, and compared with what the spans do cover."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
import pyarrow as pa

from ..arrays import arrow_array, null_bitmap, null_flags, offsets_of, ordered_codes, runs, take_segments
from ..exceptions import InputError, shown

_DOUBTFUL = 0.5
"""The share of stated texts that may differ from the text before a file is refused."""

_BLANKS = re.compile(r"(?:\s|\\n)+")
_AT_ONCE = 1 << 12
"""How many texts are Python's strings at a time: these take several times the memory."""

_TYPE = pa.large_binary()
"""Bytes, since a text may have half of a surrogate pair."""


class StatedColumn:
    """What spans are said to cover, None where nothing is said, gathered from one end to the other."""

    def __init__(self) -> None:
        self._some: list[str | None] = []
        self._chunks: list[pa.Array] = []
        self._size = 0

    def __len__(self) -> int:
        """Return the number of spans."""
        return self._size + len(self._some)

    def append(self, said: str | None) -> None:
        """Add what the next span is said to cover."""
        self.extend((said,))

    def extend(self, said: Iterable[str | None]) -> None:
        """Add what the next spans are said to cover."""
        each = iter(said)
        while some := list(islice(each, _AT_ONCE)):
            self._some += some
            if len(self._some) >= _AT_ONCE:
                self._store()

    def column(self) -> pa.ChunkedArray:
        """Return the column of all spans; nothing can be added later."""
        self._store()
        return pa.chunked_array(self._chunks, _TYPE)

    def _store(self) -> None:
        texts = [b"" if said is None else str(said).encode("utf-8", "surrogatepass") for said in self._some]
        missing = np.fromiter((said is None for said in self._some), bool, len(texts))
        ends = offsets_of(list(map(len, texts)))
        buffers = [null_bitmap(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
        self._chunks.append(pa.Array.from_buffers(_TYPE, len(texts), buffers))
        self._size += len(texts)
        self._some = []


def stated_strings(column: pa.ChunkedArray) -> Iterator[str | None]:
    """Yield what each span is said to cover."""
    for first in range(0, len(column), _AT_ONCE):
        for said in column.slice(first, _AT_ONCE).to_pylist():
            yield None if said is None else said.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class StatedTexts:
    """Contiguous spans of documents, and the text that a file says each of them covers.

    Attributes:
        offsets: document d has the spans `offsets[d]` to `offsets[d + 1]`.
        start, end: of each span.
        said: the text of each span, or null.
    """

    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray
    said: pa.ChunkedArray

    @classmethod
    def end_to_end(cls, parts: Sequence[StatedTexts | None], documents: Sequence[int]) -> StatedTexts | None:
        """Return those of several files as one, or None if no file has any; `documents` are the files' sizes."""
        known = [part for part in parts if part is not None]
        if not known:
            return None
        counts = [
            np.zeros(size, dtype=np.int64) if part is None else np.diff(part.offsets)
            for part, size in zip(parts, documents, strict=True)
        ]
        start, end = (np.concatenate([getattr(part, bound) for part in known]) for bound in ("start", "end"))
        chunks = chain.from_iterable(part.said.chunks for part in known)
        return cls(offsets_of(np.concatenate(counts)), start, end, pa.chunked_array(chunks, _TYPE))

    def of_documents(self, documents: np.ndarray) -> StatedTexts:
        """Return the spans of some documents, in the order asked for."""
        counts, taken = take_segments(self.offsets, documents)
        return StatedTexts(offsets_of(counts), self.start[taken], self.end[taken], self.said.take(arrow_array(taken)))

    def known(self, texts: Sequence[str | None], contiguous: np.ndarray | bool) -> StatedTexts | None:
        """Return those of contiguous spans, of documents that have no text; None if there are none."""
        lacking = np.fromiter((text is None for text in texts), bool, len(texts))
        kept = contiguous & np.repeat(lacking, np.diff(self.offsets))
        kept &= ~np.concatenate([null_flags(chunk) for chunk in self.said.chunks])
        if not kept.any():
            return None
        if kept.all():
            return self
        said = self.said.filter(arrow_array(kept))
        return StatedTexts(offsets_of(kept)[self.offsets], self.start[kept], self.end[kept], said)

    def beside(self, texts: Sequence[str | None]) -> Iterator[tuple[int, str, str]]:
        """Yield the document, the stated text and the covered one of each span that has both."""
        each = stated_strings(self.said)
        owner = np.repeat(np.arange(len(texts), dtype=np.int32), np.diff(self.offsets))
        for first in range(0, len(owner), _AT_ONCE):
            here = slice(first, first + _AT_ONCE)
            # the strings go last: zip takes no more of them than there are bounds
            columns = (column[here].tolist() for column in (owner, self.start, self.end))
            for number, start, end, said in zip(*columns, each, strict=False):
                if said is not None and (text := texts[number]) is not None:
                    yield number, said, text[start:end]

    def beside_stated(self, other: StatedTexts) -> Iterator[tuple[int, str, str]]:
        """Yield the document and both stated texts of each pair of bounds that both sides have."""
        for first, last in zip(*runs(self.offsets[:-1] // _AT_ONCE), strict=True):
            owners, starts, ends, texts = zip(*(side._between(first, last) for side in (self, other)), strict=True)
            codes = ordered_codes(*map(np.concatenate, (owners, starts, ends)))
            of_one, of_other = np.split(codes, [len(owners[0])])
            _, here, there = np.intersect1d(of_one, of_other, return_indices=True)
            said, found = (
                stated_strings(text.take(arrow_array(taken))) for text, taken in zip(texts, (here, there), strict=True)
            )
            for document, one, two in zip(owners[0][here].tolist(), said, found, strict=True):
                if one is not None and two is not None:
                    yield document, one, two

    def _between(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, pa.ChunkedArray]:
        """Return the documents, bounds and texts of the spans of some documents, one after the other."""
        here = slice(*self.offsets[[first, last]].tolist())
        owner = np.repeat(np.arange(first, last), np.diff(self.offsets[first : last + 1]))
        return owner, self.start[here], self.end[here], self.said[here]


def alike(said: str | None, covered: str) -> bool:
    """Return whether a text is stated, but for blanks: some tools write one for many, or the sign of a newline."""
    return said == covered or (said is not None and _BLANKS.sub(" ", said) == _BLANKS.sub(" ", covered))


def compared(
    stated: Iterable[tuple[int, str, str]],
    place: Callable[[int], str],
    differ: str = "differ from the text at their offsets",
) -> list[str]:
    """Compare texts that spans are said to cover with those that they do cover.

    Args:
        stated: the document, the stated text and the covered one of each span.
        place: returns what to call the place of a document.
        differ: what is wrong with those that differ.

    Returns:
        A sentence if some differ.

    Raises:
        InputError: if most differ.
    """
    known = differing = 0
    first = ""
    for document, said, covered in stated:
        known += 1
        if not alike(said, covered):
            differing += 1
            first = first or f"{place(document)}: {shown(said)} is stated, {shown(covered)} is there"
    if not differing:
        return []
    how_many = f"{differing:,} of {known:,} stated texts of spans {differ} ({first})."
    if differing > known * _DOUBTFUL:
        raise InputError(how_many, "Check that text and offsets belong together, and the unit of the offsets.")
    return [how_many]
