"""B-cubed over tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, Side
from ..alignment.pieces import Incidence
from ..arrays import runs
from ..counts.counts import Column, Counts, join_columns
from .aligned import FMeasure
from .base import Key, f_results


@dataclass(frozen=True, kw_only=True)
class Bcubed(FMeasure):
    """B-cubed precision, recall and F1: how much the spans over each token share the same other tokens.

    For a token t in a span ŝ of a label, precision(t) = |ŝ ∩ s(t)| / |ŝ|, with s(t) the reference span of that label
    over t; P is the mean over the tokens of predicted spans, R the same with the sides swapped, over the tokens of
    reference spans (the paper prints one sign for both denominators). If spans of a side overlap, the extended form
    (Amigó et al. 2009): with c(t, u) and l(t, u) the numbers of own and of other spans that hold both t and u,
    precision(t) is the mean of min(c, l) / c over the tokens u with c(t, u) > 0. It is the plain form if nothing
    overlaps.

    Counts: `right` and `found`, the sums of the tokens' values; `predicted` and `reference`, in tokens;
    `reference_spans`.

    Time grows with the spans, times the depth of their nesting. Discontinuous spans that overlap are taken apart into
    pieces, see `pieces.PIECE_PAIR_LIMIT`.

    Raises:
        InputError: if overlapping discontinuous spans have more pairs of pieces than the limit.
    """

    name: ClassVar[str] = "bcubed"
    results: ClassVar[Mapping[str, Key]] = f_results(
        "mean share of a token's predicted span that belongs there, over the tokens of predicted spans",
        "same share with the sides swapped, over the tokens of reference spans",
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
    values = _by_depth if alignment.contiguous else _by_pieces
    references, predictions = alignment.references, alignment.predictions
    precision, covered_by_predictions = values(incidence, predictions, references)
    recall, covered_by_references = values(incidence, references, predictions)
    place = incidence.place
    return {
        "right": Column(*place, precision * incidence.size),
        "predicted": Column(*place, covered_by_predictions * incidence.size),
        "found": Column(*place, recall * incidence.size),
        "reference": Column(*place, covered_by_references * incidence.size),
    }


def _by_depth(incidence: Incidence, own: Side, other: Side) -> tuple[np.ndarray, np.ndarray]:
    """Return the value of a token of each piece, and whether the piece is in a span of the own side.

    To either side of a piece, the numbers of spans that hold a token u together with the piece change only where one of
    the spans over the piece begins or ends.
    """
    pieces = len(incidence.start)
    own_piece, own_span = incidence.covers(own)
    other_piece, other_span = incidence.covers(other)
    own_depth = np.bincount(own_piece, minlength=pieces)
    other_depth = np.bincount(other_piece, minlength=pieces)
    piece = np.concatenate([own_piece, other_piece])
    is_own = np.arange(len(piece)) < len(own_piece)
    to_the_right = np.concatenate([own.end[own_span], other.end[other_span]]) - incidence.end[piece]
    to_the_left = incidence.start[piece] - np.concatenate([own.start[own_span], other.start[other_span]])

    covered = own_depth > 0
    common = np.minimum(own_depth, other_depth) / np.maximum(own_depth, 1) * incidence.size
    reached = np.where(covered, incidence.size, 0)
    for distance in (to_the_right, to_the_left):
        order = np.lexsort((distance, piece))
        at, far, mine = piece[order], distance[order], is_own[order]
        first, last = runs(at)
        stretch = far - np.concatenate(([0], far))[: len(far)]
        stretch[first] = far[first]
        # spans of the piece that reach at least this far, on each side
        mine_passed = np.cumsum(mine, dtype=np.int64) - mine
        mine_left = own_depth[at] - (mine_passed - np.repeat(mine_passed[first], last - first))
        rank = np.arange(len(at)) - np.repeat(first, last - first)
        others_left = own_depth[at] + other_depth[at] - rank - mine_left
        shares = stretch * np.minimum(mine_left, others_left) / np.maximum(mine_left, 1)
        common += np.bincount(at, weights=shares, minlength=pieces)
        reached += np.bincount(at, weights=stretch * (mine_left > 0), minlength=pieces).astype(np.int64)
    return np.where(covered, common / np.maximum(reached, 1), 0.0), covered


def _by_pieces(incidence: Incidence, own: Side, other: Side) -> tuple[np.ndarray, np.ndarray]:
    """Return the same for discontinuous spans, over all pairs of pieces that share a span."""
    together, apart = incidence.linked(own), incidence.linked(other)
    shares = together.minimum(apart).multiply(together.astype(float).power(-1)).tocsr()
    reached = (together > 0).astype(np.int64) @ incidence.size
    return (shares @ incidence.size) / np.maximum(reached, 1), reached > 0
