"""Pieces of overlapping spans: spans are cut so that all tokens of a piece are in the same spans."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import ranges
from ..exceptions import InputError
from .overlaps import Alignment, SideSpans, require_few

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PIECE_PAIR_LIMIT = 50_000_000
"""The maximum number of pairs of pieces within the same span."""


class Incidence:
    """The pieces of a corpus and the spans that contain them.

    Attributes:
        start, end: the boundaries of the pieces on the line, in order; every piece is in at least one span.
        size: the number of tokens of each piece.
    """

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        sides = alignment.references.intervals, alignment.predictions.intervals
        bounds = np.unique(np.concatenate([bound for side in sides for bound in (side.start, side.end)]))
        covered = np.zeros(len(bounds) + 1, dtype=np.int64)
        for side in sides:
            np.add.at(covered, np.searchsorted(bounds, side.start), 1)
            np.add.at(covered, np.searchsorted(bounds, side.end), -1)
        inside = np.flatnonzero(np.cumsum(covered) > 0)
        self.start, self.end = bounds[inside], bounds[inside + 1]
        self.size = self.end - self.start

    @cached_property
    def place(self) -> tuple[np.ndarray, np.ndarray]:
        """The document and the label of each piece."""
        return self._alignment.document_and_label(self.start)

    def covered(self, side: SideSpans) -> tuple[np.ndarray, np.ndarray]:
        """Return the first piece and the number of pieces of each contiguous part of the side's spans.

        Raises:
            InputError: if there are more pieces than `PIECE_PAIR_LIMIT`.
        """
        first = np.searchsorted(self.start, side.intervals.start)
        counts = np.searchsorted(self.start, side.intervals.end) - first
        total = int(counts.sum())
        require_few(total, PIECE_PAIR_LIMIT, f"spans of one label overlap in {total} pieces")
        return first, counts

    def linked(self, side: SideSpans) -> csr_array:
        """Count the spans of the side that contain both pieces, for all pairs of pieces, int64, shape (pieces, pieces).

        Raises:
            InputError: if there are more pairs than `PIECE_PAIR_LIMIT`.
        """
        from scipy.sparse import csr_array

        first, counts = self.covered(side)
        piece, span = ranges(first, counts), np.repeat(side.intervals.span, counts)
        per_span = np.bincount(span, minlength=len(side))
        if int((per_span**2).sum()) > PIECE_PAIR_LIMIT:
            worst = int(np.argmax(per_span))
            raise InputError(
                f"overlapping discontinuous spans have more than {PIECE_PAIR_LIMIT} pairs of pieces "
                f"(one span has {per_span[worst]} pieces).",
                "Score fewer overlapping spans at once, or make them contiguous.",
                document=int(side.document[worst]),
            )
        over = csr_array((np.ones(len(piece), dtype=np.int64), (piece, span)), shape=(len(self.start), len(side)))
        return (over @ over.T).tocsr()
