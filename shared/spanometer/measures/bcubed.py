"""B-cubed over tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans
from ..alignment.pieces import Incidence
from ..arrays import offsets_of, ranges, run_bounds
from ..counts.counts import Column, Counts, join_columns
from .aligned import FMeasure
from .base import Key
from .f_scores import f_results

_BLOCK = 1 << 18
"""About this many pairs of a piece and a span over it are in a block."""

_PIECES = 1 << 16
"""At most this many pieces are in a block."""


@dataclass(frozen=True, kw_only=True)
class Bcubed(FMeasure):
    """B-cubed precision, recall and F1: how well the spans over each token agree.

    For a token t in a span ŝ of a label, precision(t) = |ŝ ∩ s(t)| / |ŝ|, with s(t) the reference span of that label
    over t; P is the mean over the tokens of predicted spans. R is the same with the sides swapped (the paper prints one
    sign for both denominators). If spans of a side overlap, the extended form is used (Amigó et al. 2009): with c(t, u)
    and l(t, u) the numbers of spans of the same and of the other side that contain both t and u, precision(t) is the
    mean of min(c, l) / c over the tokens u with c(t, u) > 0. Both forms are equal if nothing overlaps.

    Counts: `right` and `found`, the sums of the tokens' values; `predicted` and `reference`, in tokens;
    `reference_spans`.

    Time grows with the number of spans times their nesting depth. Overlapping discontinuous spans are split into
    pieces, see `pieces.PIECE_PAIR_LIMIT`.

    Raises:
        InputError: if overlapping discontinuous spans have more pairs of pieces than the limit.
    """

    name: ClassVar[str] = "bcubed"
    leading: ClassVar[bool] = True
    results: ClassVar[Mapping[str, Key]] = f_results(
        "mean over all tokens of predicted spans: the share of the span inside a reference span with the same token",
        "the same with the sides swapped",
    )
    place: ClassVar[int] = 40

    def _count(self, alignment: Alignment) -> Counts:
        """Sum the tokens' values in the cheapest way that the spans allow."""
        references = alignment.references
        columns = join_columns([_flat(part) if part.flat else _extended(part) for part in alignment.parts()])
        columns["reference_spans"] = references.column()
        return Counts(columns, alignment.labels, alignment.documents)


def _flat(alignment: Alignment) -> dict[str, Column]:
    """Count flat spans: each of the k common tokens of two spans is worth k / size."""
    references, predictions, pairs = alignment.references, alignment.predictions, alignment.pairs
    predicted, reference = predictions.size, references.size
    return {
        "right": references.column(pairs.reference, pairs.shared**2 / predicted[pairs.prediction]),
        "predicted": predictions.column(value=predicted),
        "found": references.column(pairs.reference, pairs.shared**2 / reference[pairs.reference]),
        "reference": references.column(value=reference),
    }


def _extended(alignment: Alignment) -> dict[str, Column]:
    incidence = Incidence(alignment)
    sides = alignment.references, alignment.predictions
    if alignment.contiguous:
        recall, precision = _by_depth(incidence, sides)
    else:
        recall, precision = _by_pieces(incidence, *sides), _by_pieces(incidence, *reversed(sides))
    place, size = incidence.place, incidence.size
    return {
        "right": Column(*place, precision[0] * size),
        "predicted": Column(*place, precision[1] * size),
        "found": Column(*place, recall[0] * size),
        "reference": Column(*place, recall[1] * size),
    }


def _by_depth(incidence: Incidence, sides: tuple[SideSpans, SideSpans]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Compute for each side the value of a token of each piece, and whether the piece is in a span of the side.

    Works in blocks of pieces, because all pairs of a piece and a span over it can take gigabytes.
    """
    first, counts = map(np.concatenate, zip(*map(incidence.covered, sides), strict=True))
    start, end = (np.concatenate([getattr(side, bound) for side in sides]) for bound in ("start", "end"))
    order = np.argsort(first, kind="stable")
    spans = _Spans(
        *(column[order] for column in (first, first + counts, start, end, np.arange(len(first)) < len(sides[0])))
    )
    pieces = len(incidence.start)
    depth = np.cumsum(np.bincount(spans.first, minlength=pieces) - np.bincount(spans.last, minlength=pieces + 1)[:-1])
    # the furthest piece that a span reaches, or one before it
    reach = np.maximum.accumulate(spans.last)
    common, reached = np.zeros((2, pieces)), np.zeros((2, pieces), dtype=np.int64)
    for begin, finish in zip(*run_bounds(offsets_of(depth)[:-1] // _BLOCK, np.arange(pieces) // _PIECES), strict=True):
        over = slice(np.searchsorted(reach, begin, side="right"), np.searchsorted(spans.first, finish))
        block = slice(begin, finish)
        common[:, block], reached[:, block] = _block(incidence, block, spans.take(over, block))
    return [
        (np.where(far > 0, sums / np.maximum(far, 1), 0.0), far > 0) for sums, far in zip(common, reached, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Spans:
    """Spans of both sides: first piece, end of the last piece, boundaries, and whether they are references."""

    first: np.ndarray
    last: np.ndarray
    start: np.ndarray
    end: np.ndarray
    is_reference: np.ndarray

    def take(self, chosen: slice, block: slice) -> _Spans:
        """Take the spans with pieces in a block, cut to the block and numbered from its first piece."""
        first = np.maximum(self.first[chosen], block.start) - block.start
        last = np.minimum(self.last[chosen], block.stop) - block.start
        kept = last > first
        columns = (column[chosen][kept] for column in (self.start, self.end, self.is_reference))
        return _Spans(first[kept], last[kept], *columns)


def _block(incidence: Incidence, block: slice, spans: _Spans) -> tuple[np.ndarray, np.ndarray]:
    """Sum min(c, l) / c for each side and piece of a block, over the tokens that share a span of the side with it.

    The numbers of spans that contain both the piece and a token u change only where a span over the piece begins or
    ends.

    Returns:
        The sums, and the numbers of tokens; shape (sides, pieces).
    """
    start, end = incidence.start[block], incidence.end[block]
    common, reached = np.zeros((2, len(start))), np.zeros((2, len(start)), dtype=np.int64)
    for far, near in ((spans.end, end), (-spans.start, -start)):
        order = np.argsort(far, kind="stable")
        counts = (spans.last - spans.first)[order]
        # 16 bits allow a radix sort: piece by piece, in each the span that ends next first
        piece = ranges(spans.first[order], counts).astype(np.uint16)
        by_piece = np.argsort(piece, kind="stable")
        piece, span = piece[by_piece], np.repeat(order, counts)[by_piece]
        first, last = run_bounds(piece)
        distance = far[span] - near[piece]
        stretch = np.diff(distance, prepend=0)
        stretch[first] = distance[first]
        # spans over the piece that reach at least this far
        passed = offsets_of(spans.is_reference[span])
        references = passed[last][piece] - passed[:-1]
        predictions = last[piece] - np.arange(len(piece)) - references
        shared = stretch * np.minimum(references, predictions)
        for side, left in enumerate((references, predictions)):
            common[side] += np.add.reduceat(shared / np.maximum(left, 1), first)
            reached[side] += np.add.reduceat(stretch * (left > 0), first)
    # all spans over the piece contain its tokens
    of_reference = spans.is_reference[span]
    depth = np.stack([np.bincount(piece[of_side], minlength=len(start)) for of_side in (of_reference, ~of_reference)])
    size = end - start
    return common + depth.min(axis=0) / np.maximum(depth, 1) * size, reached + (depth > 0) * size


def _by_pieces(incidence: Incidence, side: SideSpans, other: SideSpans) -> tuple[np.ndarray, np.ndarray]:
    """Compute `_by_depth` for one side with discontinuous spans, from all pairs of pieces in a span."""
    together, apart = incidence.linked(side), incidence.linked(other)
    shares = together.minimum(apart).multiply(together.astype(float).power(-1)).tocsr()
    reached = (together > 0).astype(np.int64) @ incidence.size
    return (shares @ incidence.size) / np.maximum(reached, 1), reached > 0
