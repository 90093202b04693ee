"""Places where annotators of the same documents disagree: groups of overlapping spans that not all annotators have."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..arrays import offsets_by, row_codes, take_segments
from ..spans.annotations import union
from ..spans.spans import Spans
from .matching import connected
from .overlaps import Alignment, Pieces, order_of_line
from .overlaps import union as united


class Places:
    """The places where annotators of the same documents disagree, in text order.

    A span is disputed if not all annotators have it (with the same label and fragments). Disputed spans that share a
    token, directly or through other disputed spans and with any labels, form a place. So each place is within one
    document, places share no tokens, and all annotators agree outside of places. Spans that only touch are not
    connected.

    Attributes:
        annotators: the number of annotators.
        spans: the distinct spans of all annotators, in text order.
        held: whether each annotator has each span, shape (spans, annotators).
        place: the place of each span; -1 for spans that all annotators have.
        offsets: the start of each document if the tokens of all documents are concatenated.
        document, start, end: the document and the outer boundaries of each place, in tokens of the document.
        stretches: the contiguous intervals of tokens of each place, in concatenated tokens, ascending.

    Args:
        sides: the spans of two or more annotators, with the same documents.
    """

    def __init__(self, sides: Sequence[Spans]) -> None:
        self.annotators = len(sides)
        self.spans = spans = union(sides)
        alignments = [Alignment(spans, side) for side in sides]
        self.offsets = offsets = alignments[0].offsets
        self.held = np.zeros((len(spans), len(sides)), dtype=bool)
        for number, alignment in enumerate(alignments):
            self.held[order_of_line(spans), number] = alignment.equal[0]
        span, start, end = spans.pieces()
        disputed = (self.held.sum(axis=1) < len(sides))[span]
        base = offsets[spans.document[span]]
        order = np.argsort((start + base)[disputed], kind="stable")
        span, start, end = (column[disputed][order] for column in (span, start + base, end + base))
        first_token, last_token, first = united(start, end)
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(start))))
        if spans.fragments is not None:
            group = connected(span, len(spans) + group, len(spans) + len(first))
        self.place = np.full(len(spans), -1)
        self.place[span] = group
        self.stretches = Pieces(group[first], first_token, last_token)
        # stretches ascend: the first of a place has its start, the last one has its end
        begin = np.unique(group[first], return_index=True)[1]
        stop = len(first) - 1 - np.unique(group[first][::-1], return_index=True)[1]
        self.document = np.searchsorted(offsets, first_token[begin], side="right") - 1
        self.start = first_token[begin] - offsets[self.document]
        self.end = last_token[stop] - offsets[self.document]

    def __len__(self) -> int:
        """Count the places."""
        return len(self.document)

    @cached_property
    def readings(self) -> "Readings":
        """The readings of each place."""
        return Readings(self)


class Readings:
    """The readings of places. A reading is the set of spans that one or more annotators have at a place.

    Readings are ordered by place, then by the number of annotators (most first), then by the first annotator. The empty
    reading belongs to annotators without a disputed span at the place.

    Attributes:
        place: the place of each reading.
        annotators: whether each annotator has each reading, shape (readings, annotators). Each annotator has one
            reading at each place.
        offsets: the begin of each reading's spans in `span`, and the end of the last reading.
        span: indices into `Places.spans`.
    """

    def __init__(self, places: Places) -> None:
        annotators = places.annotators
        span, annotator = np.nonzero(places.held & (places.place >= 0)[:, None])
        cell = places.place[span] * annotators + annotator
        span = span[np.argsort(cell, kind="stable")]
        offsets = offsets_by(cell, len(places) * annotators)
        cells = np.arange(len(places) * annotators)
        code = row_codes(cells // annotators, offsets[:-1], offsets[1:], span)
        _, example, reading = np.unique(code, return_index=True, return_inverse=True)
        members = np.zeros((len(example), annotators), dtype=bool)
        members[reading.ravel(), cells % annotators] = True
        order = np.lexsort((members.argmax(axis=1), -members.sum(axis=1), example // annotators))
        counts, items = take_segments(offsets, example[order])
        self.place = example[order] // annotators
        self.annotators = members[order]
        self.offsets = np.append(0, np.cumsum(counts))
        self.span = span[items]

    def __len__(self) -> int:
        """Count the readings."""
        return len(self.place)
