"""Places where annotators of the same documents differ: groups of overlapping spans that not all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import offsets_by, row_codes, take_segments
from ..spans.annotations import union
from ..spans.spans import Spans
from .matching import connected
from .overlaps import Alignment, Pieces, order_of_line
from .overlaps import union as united


@dataclass(frozen=True, eq=False)
class Readings:
    """The annotators' readings of places: a reading is a set of spans, and belongs to all annotators who have just it.

    Readings are ordered by place; in a place, readings of more annotators come first, then the first annotator's.
    A reading without spans belongs to annotators who have no disputed span there.

    Attributes:
        place: of each reading.
        annotators: flags, shape (readings, annotators): whose it is. Each annotator has one reading at each place.
        offsets: where the spans of each reading begin in `span`, and where the last ones end.
        span: numbers of distinct spans, see `Places.spans`.
    """

    place: np.ndarray
    annotators: np.ndarray
    offsets: np.ndarray
    span: np.ndarray

    def __len__(self) -> int:
        """Count the readings."""
        return len(self.place)


@dataclass(frozen=True, eq=False)
class Places:
    """The places where annotators of the same documents differ, in the order of the text.

    Two spans are one if they have the same document, label and tokens (all fragments). A span that all annotators have
    is in no place. Each other span is in exactly one: two of them that share a token, whatever their labels and
    whoever has them, are in the same place, and so are spans that are linked through others; a place is a connected
    component. So a place is within one document, no two places share a token, at each place not all annotators have
    the same spans, and outside of places all have the same. Spans that only touch are not linked, and there are no
    spans without tokens. A long span that not all have takes all that is disputed within it into its place; one that
    all have does not.

    Attributes:
        spans: every distinct span of anybody, in the order of the text.
        held: flags, shape (spans, annotators): who has it.
        place: of each span; -1 for spans that all have.
        offsets: where the documents begin if their tokens are laid end to end.
        document, start, end: of each place; bounds in tokens of its document, the outer ones of all of its spans.
        stretches: the contiguous stretches of tokens that each place covers, on that line, ascending.
    """

    spans: Spans
    held: np.ndarray
    place: np.ndarray
    offsets: np.ndarray
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    stretches: Pieces

    def __len__(self) -> int:
        """Count the places."""
        return len(self.document)

    @classmethod
    def of(cls, sides: Sequence[Spans]) -> Places:
        """Find the places; the time grows with the spans times the annotators, plus sorting.

        Args:
            sides: the spans of each annotator, two or more, of the same documents with the same lengths.
        """
        spans = union(sides)
        alignments = [Alignment(spans, side) for side in sides]
        offsets = alignments[0].offsets
        held = np.zeros((len(spans), len(sides)), dtype=bool)
        for number, alignment in enumerate(alignments):
            held[order_of_line(spans), number] = alignment.equal
        span, start, end = spans.pieces()
        disputed = (held.sum(axis=1) < len(sides))[span]
        base = offsets[spans.document[span]]
        order = np.argsort((start + base)[disputed], kind="stable")
        span, start, end = (column[disputed][order] for column in (span, start + base, end + base))
        first_token, last_token, first = united(start, end)
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(start))))
        if spans.fragments is not None:
            group = connected(span, len(spans) + group, len(spans) + len(first))
        place = np.full(len(spans), -1)
        place[span] = group
        placed = np.flatnonzero(place >= 0)
        count = int(group.max(initial=-1)) + 1
        document = np.zeros(count, dtype=np.int64)
        low, high = np.full(count, np.iinfo(np.int64).max), np.zeros(count, dtype=np.int64)
        document[place[placed]] = spans.document[placed]
        np.minimum.at(low, place[placed], spans.start[placed])
        np.maximum.at(high, place[placed], spans.end[placed])
        return cls(spans, held, place, offsets, document, low, high, Pieces(group[first], first_token, last_token))

    @property
    def annotators(self) -> int:
        """The number of annotators."""
        return int(self.held.shape[1])

    @cached_property
    def readings(self) -> Readings:
        """The annotators' readings of each place."""
        annotators = self.annotators
        span, annotator = np.nonzero(self.held & (self.place >= 0)[:, None])
        cell = self.place[span] * annotators + annotator
        span = span[np.argsort(cell, kind="stable")]
        offsets = offsets_by(cell, len(self) * annotators)
        cells = np.arange(len(self) * annotators)
        code = row_codes(cells // annotators, offsets[:-1], offsets[1:], span)
        _, example, reading = np.unique(code, return_index=True, return_inverse=True)
        members = np.zeros((len(example), annotators), dtype=bool)
        members[reading.ravel(), cells % annotators] = True
        order = np.lexsort((members.argmax(axis=1), -members.sum(axis=1), example // annotators))
        counts, items = take_segments(offsets, example[order])
        return Readings(
            place=example[order] // annotators,
            annotators=members[order],
            offsets=np.append(0, np.cumsum(counts)),
            span=span[items],
        )
