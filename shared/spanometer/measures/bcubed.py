"""B-cubed precision, recall and F1 over tokens."""

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans
from ..alignment.pieces import Incidence
from ..arrays import offsets_of, ranges, run_bounds
from ..counts.counts import Column, join_columns
from .aligned import FMeasure, f_results

_BLOCK = 1 << 18
"""The approximate maximum number of (piece, span) pairs in a block."""

_PIECES = 1 << 16
"""The maximum number of pieces in a block."""


class Bcubed(FMeasure):
    """Compute B-cubed precision, recall and F1: compare each token's predicted span with its reference span.

    Let ŝ be a predicted span that contains token t, and s(t) the reference span of the same label that contains t. Then
    precision(t) = |ŝ ∩ s(t)| / |ŝ|, and P is the mean over all tokens of predicted spans. R swaps the two sides. (The
    paper prints the same symbol in both denominators.)

    If spans of one side overlap, the extended form is used (Amigó et al. 2009). Let c(t, u) be the number of spans of
    the same side that contain both tokens t and u, and l(t, u) the number of such spans of the other side. Then
    precision(t) is the mean of min(c, l) / c over all tokens u with c(t, u) > 0. Without overlapping spans both forms
    are equal.

    Counts: `right` (sum of precision over tokens of predicted spans), `found` (sum of recall over tokens of reference
    spans), `predicted` and `reference` (numbers of these tokens), `reference_spans`.

    Time grows with the number of spans times their nesting depth. Overlapping discontinuous spans are split into
    pieces, see `pieces.PIECE_PAIR_LIMIT`.

    Raises:
        InputError: if overlapping discontinuous spans have more pairs of pieces than the limit.
    """

    name = "bcubed"
    leading = True
    results = f_results(
        "share of a token's predicted span that is in its reference span, averaged over all tokens in predicted spans",
        "share of a token's reference span that is in its predicted span, averaged over all tokens in reference spans",
    )
    place = 40

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Sum the tokens' values by the fastest method for these spans."""
        return join_columns([_flat(part) if part.flat else _extended(part) for part in alignment.parts()])


def _flat(alignment: Alignment) -> dict[str, Column]:
    """Count spans that do not overlap: each of the k common tokens of two spans has the value k / size."""
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
    """Compute for each side the value of one token of each piece, and whether the side has a span over the piece.

    Pieces are processed in blocks, because all (piece, span) pairs can take gigabytes of memory.
    """
    first, counts = map(np.concatenate, zip(*map(incidence.covered, sides), strict=True))
    start, end = (np.concatenate([getattr(side, bound) for side in sides]) for bound in ("start", "end"))
    is_reference = np.arange(len(first)) < len(sides[0])
    spans = np.stack([first, first + counts, start, end, is_reference])[:, np.argsort(first, kind="stable")]
    pieces = len(incidence.start)
    depth = np.cumsum(np.bincount(spans[0], minlength=pieces) - np.bincount(spans[1], minlength=pieces + 1)[:-1])
    # the furthest piece that this span or an earlier one reaches
    reach = np.maximum.accumulate(spans[1])
    common, reached = np.zeros((2, pieces)), np.zeros((2, pieces), dtype=np.int64)
    for begin, finish in zip(*run_bounds(offsets_of(depth)[:-1] // _BLOCK, np.arange(pieces) // _PIECES), strict=True):
        over = spans[:, np.searchsorted(reach, begin, side="right") : np.searchsorted(spans[0], finish)]
        # cut spans to the block, and number pieces from its start
        inside = np.clip(over[:2], begin, finish) - begin
        kept, block = inside[1] > inside[0], slice(begin, finish)
        common[:, block], reached[:, block] = _block(incidence, block, np.concatenate([inside, over[2:]])[:, kept])
    return [
        (np.where(far > 0, sums / np.maximum(far, 1), 0.0), far > 0) for sums, far in zip(common, reached, strict=True)
    ]


def _block(incidence: Incidence, block: slice, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum min(c, l) / c for each piece of a block and each side, over tokens u that share a span with the piece.

    c and l change only at tokens where a span over the piece starts or ends.

    Args:
        incidence: the pieces of the corpus.
        block: the pieces of the block.
        spans: for each span over the block, its first and last piece in the block (exclusive), its start and end, and
            1 for a reference span or 0 for a predicted span; shape (5, spans).

    Returns:
        The sums and the numbers of such tokens u, both of shape (sides, pieces).
    """
    first_piece, last_piece, span_start, span_end, is_reference = spans
    start, end = incidence.start[block], incidence.end[block]
    common, reached = np.zeros((2, len(start))), np.zeros((2, len(start)), dtype=np.int64)
    for far, near in ((span_end, end), (-span_start, -start)):
        order = np.argsort(far, kind="stable")
        counts = (last_piece - first_piece)[order]
        # 16 bits allow a radix sort: piece by piece, in each the span that ends next first
        piece = ranges(first_piece[order], counts).astype(np.uint16)
        by_piece = np.argsort(piece, kind="stable")
        piece, span = piece[by_piece], np.repeat(order, counts)[by_piece]
        first, last = run_bounds(piece)
        distance = far[span] - near[piece]
        stretch = np.diff(distance, prepend=0)
        stretch[first] = distance[first]
        # spans over the piece that reach at least this far
        passed = offsets_of(is_reference[span])
        references = passed[last][piece] - passed[:-1]
        predictions = last[piece] - np.arange(len(piece)) - references
        shared = stretch * np.minimum(references, predictions)
        for side, left in enumerate((references, predictions)):
            common[side] += np.add.reduceat(shared / np.maximum(left, 1), first)
            reached[side] += np.add.reduceat(stretch * (left > 0), first)
    # all spans over the piece contain its tokens
    of_reference = is_reference[span] == 1
    depth = np.stack([np.bincount(piece[of_side], minlength=len(start)) for of_side in (of_reference, ~of_reference)])
    size = end - start
    return common + depth.min(axis=0) / np.maximum(depth, 1) * size, reached + (depth > 0) * size


def _by_pieces(incidence: Incidence, side: SideSpans, other: SideSpans) -> tuple[np.ndarray, np.ndarray]:
    """Compute the result of `_by_depth` for one side with discontinuous spans."""
    together, apart = incidence.linked(side), incidence.linked(other)
    shares = together.minimum(apart).multiply(together.astype(float).power(-1)).tocsr()
    reached = (together > 0).astype(np.int64) @ incidence.size
    return (shares @ incidence.size) / np.maximum(reached, 1), reached > 0
