"""Overlaps: which reference and predicted spans share tokens, and how many.

All labels and documents are concatenated on one axis, the line: label after label, and within each label document after
document. One join of intervals on the line finds the overlaps of the whole corpus. Its cost grows with the number of
spans and overlaps, not with the number of tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import begins_run, offsets_by, offsets_of, ranges, row_codes, run_bounds
from ..counts.counts import Column
from ..exceptions import InputError, require_same_documents
from ..spans.arrow import share_lengths
from ..spans.spans import Fragments, Spans

if TYPE_CHECKING:
    from ..spans.entities import Entities

PAIR_LIMIT = 1 << 26
"""The maximum number of pairs of overlapping spans."""

_PAIRS_PER_SPAN = 32
"""The maximum number of pairs for each span of both sides, because a pair can take 250 bytes."""

_FEW_PAIRS = 1_500_000
"""The number of pairs that is always allowed."""

_LONGEST_LINE = 2.0**60


@dataclass(frozen=True, eq=False)
class Pieces:
    """Contiguous intervals of the line, with the span (or pair of spans) of each."""

    span: np.ndarray
    start: np.ndarray
    end: np.ndarray


@dataclass(frozen=True, eq=False)
class SideSpans:
    """The spans of one side in the order of the line.

    Attributes:
        document, label: the document and label of each span.
        start, end: the outer boundaries of each span on the line.
        pieces: the contiguous pieces of all spans, ordered by start; None if every span is contiguous.
        copies: the number of copies of each span; None if there are no duplicates.
    """

    document: np.ndarray
    label: np.ndarray
    start: np.ndarray
    end: np.ndarray
    pieces: Pieces | None = None
    copies: np.ndarray | None = None

    def __len__(self) -> int:
        """Count the spans."""
        return len(self.start)

    def column(self, chosen: np.ndarray | slice = slice(None), value: np.ndarray | None = None) -> Column:
        """Create a count of spans by document and label, each with its value (default 1).

        By default all spans are counted.
        """
        return Column(self.document[chosen], self.label[chosen], value)

    @property
    def times(self) -> np.ndarray:
        """The number of copies of each span."""
        return np.ones(len(self), dtype=np.int64) if self.copies is None else self.copies

    def places(self, documents: int) -> np.ndarray:
        """Number the (label, document) place of each span, ascending."""
        return np.asarray(self.label.astype(np.int64) * documents + self.document)

    @property
    def contiguous(self) -> bool:
        """Whether every span is contiguous."""
        return self.pieces is None

    @property
    def size(self) -> np.ndarray:
        """The number of tokens of each span."""
        if self.pieces is None:
            return np.asarray(self.end - self.start)
        lengths = self.pieces.end - self.pieces.start
        return np.bincount(self.pieces.span, weights=lengths, minlength=len(self)).astype(np.int64, copy=False)

    @cached_property
    def intervals(self) -> Pieces:
        """The contiguous pieces of all spans, ordered by start, also if every span is contiguous."""
        return Pieces(np.arange(len(self)), self.start, self.end) if self.pieces is None else self.pieces

    @property
    def pieces_by_span(self) -> Pieces:
        """The pieces of each span after those of the span before it, in text order."""
        pieces = self.intervals
        order = np.argsort(pieces.span, kind="stable")
        return Pieces(pieces.span[order], pieces.start[order], pieces.end[order])

    @property
    def discontinuous(self) -> np.ndarray:
        """Whether each span has several pieces."""
        if self.pieces is None:
            return np.zeros(len(self), dtype=bool)
        return np.asarray(np.bincount(self.pieces.span, minlength=len(self)) > 1)

    @cached_property
    def overlapping(self) -> np.ndarray:
        """The indices of pieces that start before the previous piece ends, ascending."""
        return np.flatnonzero(self.intervals.start[1:] < self.intervals.end[:-1]) + 1

    @property
    def flat(self) -> bool:
        """Whether no two spans of the same label and document share a token."""
        return len(self.overlapping) == 0

    def take(self, chosen: np.ndarray) -> SideSpans:
        """Select spans, given as flags or indices."""
        document, label, start, end = (column[chosen] for column in (self.document, self.label, self.start, self.end))
        copies = None if self.copies is None else self.copies[chosen]
        if self.pieces is None or not self.discontinuous[chosen].any():
            return SideSpans(document, label, start, end, None, copies)
        place = np.full(len(self), -1)
        place[chosen] = np.arange(len(document))
        span = place[self.pieces.span]
        pieces = Pieces(span[span >= 0], self.pieces.start[span >= 0], self.pieces.end[span >= 0])
        return SideSpans(document, label, start, end, pieces, copies)

    def moved(self, base: np.ndarray) -> SideSpans:
        """Move each span along the line by its `base`."""
        pieces = self.pieces
        if pieces is not None:
            start, end = pieces.start + base[pieces.span], pieces.end + base[pieces.span]
            order = np.argsort(start, kind="stable")
            pieces = Pieces(pieces.span[order], start[order], end[order])
        return replace(self, start=base + self.start, end=np.add(base, self.end, out=base), pieces=pieces)


Intervals = Pieces | SideSpans


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of a reference and a predicted span that have the same label and share tokens.

    Attributes:
        reference, prediction: the indices of the two spans; pairs are ordered by them.
        shared: the number of shared tokens.
        pieces: the contiguous pieces of the intersections, ordered by pair and start; None if all spans are contiguous.
    """

    reference: np.ndarray
    prediction: np.ndarray
    shared: np.ndarray
    pieces: Pieces | None = None


class Alignment:
    """The references and predictions of a corpus on a common line, with their overlaps, for all measures.

    Args:
        references, predictions: both sides, with the same documents.

    Raises:
        InputError: if the numbers of documents or their known lengths differ.
    """

    labels_ignored = False
    """Whether this alignment ignores labels."""

    def __init__(self, references: Spans, predictions: Spans) -> None:
        require_same_documents(references.documents, predictions.documents)
        references, predictions = share_lengths(references, predictions)
        self.documents = references.documents
        self.lengths = references.lengths
        self.labels = tuple(sorted({*references.labels, *predictions.labels}))
        ends = least_lengths(references, predictions) if self.lengths is None else self.lengths
        self.offsets = offsets_of(ends)
        if float(self.offsets[-1]) * (len(self.labels) + 1) >= _LONGEST_LINE:
            problem = f"{len(self.labels)} labels on {self.offsets[-1]} tokens are too many."
            raise InputError(problem, "Check the offsets, or score parts of the corpus.")
        self.references = lay_out(references, self.labels, self.offsets)
        self.predictions = lay_out(predictions, self.labels, self.offsets)

    @cached_property
    def unlabelled(self) -> Alignment:
        """The alignment of the same spans without labels."""
        alignment = Alignment(*(self._spans_of(side).unlabelled() for side in self.sides.values()))
        alignment.labels_ignored = True
        return alignment

    def _spans_of(self, side: SideSpans) -> Spans:
        """Convert a side back to spans; it may have been selected from others."""
        base = line_base(side.label, side.document, self.offsets)
        fragments = None
        if side.pieces is not None:
            pieces = side.pieces_by_span
            bounds = (bound - base[pieces.span] for bound in (pieces.start, pieces.end))
            fragments = Fragments(offsets_by(pieces.span, len(side)), *bounds)
        start, end = ((bound - base).astype(np.int32) for bound in (side.start, side.end))
        size = self.documents, self.lengths
        return Spans(side.document, start, end, side.label, self.labels, *size, fragments, side.copies)

    @property
    def sides(self) -> dict[str, SideSpans]:
        """Both sides by their names in errors."""
        return {"references": self.references, "predictions": self.predictions}

    @property
    def stride(self) -> int:
        """The number of tokens on the line for each label."""
        return int(self.offsets[-1])

    @property
    def contiguous(self) -> bool:
        """Whether all spans of both sides are contiguous."""
        return self.references.contiguous and self.predictions.contiguous

    @property
    def flat(self) -> bool:
        """Whether no two spans of the same side and label share a token."""
        return self.references.flat and self.predictions.flat

    def refusal(self, name: str, side: SideSpans, span: int, problem: str, remedy: str = "") -> InputError:
        """Create an error about a span of a side."""
        document = int(side.document[span])
        token = int(self.token(side.start[span]) - self.offsets[document])
        label = "" if self.labels_ignored else f" labelled {self.labels[side.label[span]]!r}"
        problem = f"a span{label} {problem}"
        remedy = remedy or "Leave this span out, or use another measure."
        return InputError(problem, remedy, side=name, document=document, position=token)

    def parts(self) -> list[Alignment]:
        """Split the corpus, by document and label, into at most three parts.

        The first part has no overlaps within a side. The second has overlapping spans, but all are contiguous. The
        third has discontinuous spans.
        """
        if self.contiguous or self.flat:
            return [self]
        sides = self.references, self.predictions
        places = [side.places(self.documents) for side in sides]
        pairs = list(zip(sides, places, strict=True))
        overlap = np.concatenate([place[side.intervals.span[side.overlapping]] for side, place in pairs])
        gaps = np.concatenate([place[side.discontinuous] for side, place in pairs])
        kinds = [np.isin(place, overlap) * (1 + np.isin(place, gaps)) for place in places]
        return [
            self.of_sides(*(side.take(of_side == kind) for side, of_side in zip(sides, kinds, strict=True)))
            for kind in np.unique(np.concatenate(kinds)).tolist()
        ]

    def of_sides(self, references: SideSpans, predictions: SideSpans) -> Alignment:
        """Align other spans of the same corpus."""
        part = object.__new__(Alignment)
        vars(part).update({name: getattr(self, name) for name in ("documents", "lengths", "labels", "offsets")})
        part.references, part.predictions = references, predictions
        return part

    def document_and_label(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the documents and labels of positions on the line."""
        document = np.searchsorted(self.offsets, position % max(self.stride, 1), side="right") - 1
        return document, position // max(self.stride, 1)

    def token(self, position: np.ndarray) -> np.ndarray:
        """Convert positions on the line to indices of tokens, counted over all documents."""
        return np.asarray(position % max(self.stride, 1))

    @cached_property
    def equal(self) -> tuple[np.ndarray, np.ndarray]:
        """Whether each reference span, and each predicted span, has the tokens and label of a span of the other side.

        Equal spans of both sides are in the same order.
        """
        references, predictions = self.references, self.predictions
        if not (self.contiguous and self.flat and len(predictions)):
            codes, other_codes = np.split(token_codes(references, predictions), [len(references)])
            return np.isin(codes, other_codes), np.isin(other_codes, codes)
        flags = np.zeros(len(predictions), dtype=bool)
        nearest = np.searchsorted(predictions.start, references.start)
        nearest[nearest == len(predictions)] = 0
        equal = (predictions.start[nearest] == references.start) & (predictions.end[nearest] == references.end)
        flags[nearest[equal]] = True
        return equal, flags

    @cached_property
    def matched(self) -> dict[float, tuple[np.ndarray, ...]]:
        """Cached columns of `MatchedSpans`, by minimum overlap."""
        return {}

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of spans that have the same label and share tokens."""
        first, second = self.references.intervals, self.predictions.intervals
        left, right = overlaps(first, second, noun="spans" if self.labels_ignored else "spans of one label")
        start, end = intersections(first, second, left, right)
        if self.contiguous:
            return Pairs(left, right, np.subtract(end, start, out=end))
        reference, prediction = first.span[left], second.span[right]
        order = np.lexsort((start, prediction, reference))
        reference, prediction, start, end = reference[order], prediction[order], start[order], end[order]
        fresh = begins_run(reference, prediction)
        pair = np.cumsum(fresh) - 1
        shared = np.bincount(pair, weights=end - start).astype(np.int64)
        return Pairs(reference[fresh], prediction[fresh], shared, Pieces(pair, start, end))

    @property
    def intersections(self) -> Pieces:
        """The contiguous pieces of the pairs' intersections, ordered by pair and start."""
        pairs = self.pairs
        if pairs.pieces is not None:
            return pairs.pieces
        sides = self.references.intervals, self.predictions.intervals
        return Pieces(np.arange(len(pairs.shared)), *intersections(*sides, pairs.reference, pairs.prediction))


def across_labels(alignment: Alignment, *, wrong: bool = False) -> tuple[Alignment, np.ndarray, np.ndarray]:
    """Align spans without regard to labels, in text order (start, end, label): all, or only those that are not `equal`.

    Spans keep their labels; positions are the result of `Alignment.token`.

    Returns:
        The alignment, and for both sides the index of each of its spans in the original alignment.
    """
    sides, numbers = [], []
    flags = alignment.equal if wrong else (np.zeros(len(side), dtype=bool) for side in alignment.sides.values())
    for side, left_out in zip(alignment.sides.values(), flags, strict=True):
        chosen = side.take(~left_out)
        chosen = chosen.moved(-chosen.label.astype(np.int64) * alignment.stride)
        # stable, so that spans that differ only in their fragments stay in order
        order = np.lexsort((chosen.label, chosen.end, chosen.start))
        numbers.append(np.flatnonzero(~left_out)[order])
        sides.append(chosen.take(order))
    unlabelled = alignment.of_sides(*sides)
    unlabelled.labels_ignored = True
    return unlabelled, numbers[0], numbers[1]


def order_of_line(spans: Spans) -> np.ndarray:
    """Return the indices that sort spans in the order of the line, label after label."""
    return np.argsort(spans.label, kind="stable")


def line_base(label: np.ndarray, document: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the start on the line of these documents for these labels."""
    return np.asarray(label.astype(np.int64) * int(offsets[-1]) + offsets[document])


def lay_out(spans: Spans, labels: tuple[str, ...], offsets: np.ndarray) -> SideSpans:
    """Place spans on the line, label after label and document after document; documents begin at `offsets`."""
    spans = spans.with_labels(labels)
    # stable, so that labels keep the order of the text; a radix sort if the codes fit
    codes = spans.label.astype(np.uint16) if len(labels) < 2**16 else spans.label
    order = np.argsort(codes, kind="stable")
    pieces = None if spans.fragments is None else Pieces(*spans.pieces())
    side = SideSpans(spans.document, spans.label, spans.start, spans.end, pieces, spans.copies).take(order)
    return side.moved(line_base(side.label, side.document, offsets))


def intersections(
    first: Intervals, second: Intervals, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the start and end of the intersection of each pair of intervals, given as indices into both sets."""
    start, end = first.start[left], first.end[left]
    np.maximum(start, second.start[right], out=start)
    np.minimum(end, second.end[right], out=end)
    return start, end


def least_lengths(*sides: Spans | Entities) -> np.ndarray:
    """Return the minimum possible length of each document."""
    ends = np.zeros(sides[0].documents, dtype=np.int64)
    for spans in sides:
        np.maximum.at(ends, spans.document, spans.end)
    return ends


def overlap_each_other(spans: Spans) -> bool:
    """Check whether two spans of the same label and document share a token."""
    return not lay_out(spans, spans.labels, offsets_of(least_lengths(spans))).flat


def overlaps(first: Intervals, second: Intervals, *, noun: str = "spans of one label") -> tuple[np.ndarray, np.ndarray]:
    """Find all pairs of overlapping intervals, one from each set.

    Both sets are ordered by start; intervals may nest. Time grows with the number of intervals (times its logarithm)
    and the number of pairs.

    Args:
        first, second: both sets.
        noun: what errors call the intervals.

    Returns:
        Indices into the first and the second set, int32, ordered.

    Raises:
        InputError: if there are too many pairs.
    """
    numbers = np.arange(len(first.start), dtype=np.int32), np.arange(len(second.start), dtype=np.int32)
    spans = sum(map(len, numbers))
    if (second.end[1:] >= second.end[:-1]).all():
        # without nesting, the intervals that overlap an interval are consecutive
        nearest = np.searchsorted(second.end, first.start, side="right").astype(np.int32)
        met = np.searchsorted(second.start, first.end, side="left").astype(np.int32) - nearest
        _require_few_pairs(noun, spans, met)
        return np.repeat(numbers[0], met), ranges(nearest, met)
    # either the second starts inside the first, or the first starts inside the second and after its start
    lowest = np.searchsorted(second.start, first.start, side="left")
    counts = np.searchsorted(second.start, first.end, side="left") - lowest
    after = np.searchsorted(first.start, second.start, side="right")
    after_counts = np.searchsorted(first.start, second.end, side="left") - after
    _require_few_pairs(noun, spans, counts, after_counts)
    left = np.concatenate([np.repeat(numbers[0], counts), ranges(after, after_counts)])
    right = np.concatenate([ranges(lowest, counts), np.repeat(numbers[1], after_counts)])
    order = np.lexsort((right, left))
    return left[order].astype(np.int32), right[order].astype(np.int32)


def _require_few_pairs(noun: str, spans: int, *counts: np.ndarray) -> None:
    total = sum(int(count.sum(dtype=np.int64)) for count in counts)
    limit = min(PAIR_LIMIT, max(_FEW_PAIRS, _PAIRS_PER_SPAN * spans))
    require_few(total, limit, f"there are {total} pairs of overlapping {noun}", noun.partition(" ")[0])


def require_few(number: int, limit: int, problem: str, noun: str = "spans") -> None:
    """Raise an `InputError` if a number of overlaps is above its limit; `noun` says what overlaps."""
    if number > limit:
        raise InputError(f"{problem}; the limit is {limit}.", f"Score fewer nested or crossing {noun} at once.")


def token_codes(first: SideSpans, second: SideSpans) -> np.ndarray:
    """Number the spans of two sides; spans with the same tokens get the same number."""
    sides = first, second
    if first.contiguous and second.contiguous:
        start, end = (np.concatenate([getattr(side, bound) for side in sides]) for bound in ("start", "end"))
        # ranks of the starts, so that start and size fit in one number
        size = end - start
        return np.asarray(np.unique(start, return_inverse=True)[1].ravel() * (int(size.max(initial=0)) + 1) + size)
    pieces = [side.pieces_by_span for side in sides]
    bounds = np.concatenate([np.stack([part.start, part.end], axis=1).ravel() for part in pieces])
    begins, ends = run_bounds(np.concatenate([pieces[0].span, pieces[1].span + len(first)]))
    return row_codes(np.zeros(len(begins), dtype=np.int64), 2 * begins, 2 * ends, bounds)


def coverage(side: SideSpans, other: SideSpans) -> np.ndarray:
    """Sum for each span the tokens that it shares with each span of the other side with the same label.

    It uses sums over sorted boundaries, so time grows with the number of spans, not of overlaps.
    """
    starts, ends = np.sort(other.intervals.start), np.sort(other.intervals.end)
    begun, ended = (offsets_of(bounds) for bounds in (starts, ends))

    def before(position: np.ndarray) -> np.ndarray:
        # tokens of the other side's pieces before a position; differences are right even if sums wrap around
        first, last = np.searchsorted(starts, position), np.searchsorted(ends, position)
        return np.asarray(position * (first - last) - (begun[first] - ended[last]))

    shared = before(side.intervals.end) - before(side.intervals.start)
    if side.pieces is None:
        return np.asarray(shared)
    return np.bincount(side.pieces.span, weights=shared, minlength=len(side)).astype(np.int64, copy=False)


def union(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge overlapping intervals, ordered by start; intervals that only touch are not merged.

    Returns:
        The start, end and first original interval of each merged interval.
    """
    if len(start) == 0 or (start[1:] >= end[:-1]).all():
        return start, end, np.arange(len(start))
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] >= reach[:-1])))
    return start[first], reach[np.append(first[1:], len(start)) - 1], first
