"""F1 over tagged tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..alignment import Alignment, Side, overlaps, union
from ..errors import require_choice
from ..statistics import Column, Counts
from .base import FMeasure

FORMATS = ("IO", "BIO", "BIOE", "BIOES", "IO*")


@dataclass(frozen=True, kw_only=True)
class TokenF(FMeasure):
    """Precision, recall and F1 over tagged tokens, P = |Û ∩ U| / |Û|, R = |Û ∩ U| / |U|.

    U and Û are sets of units, those of the reference and the predicted spans. A unit is a token with a label and, by
    `format`, its tag: `IO` none; `BIO` B for the first token of a span, I for the others; `BIOE` also E for the last
    token, a one-token span being B; `BIOES` the same with S for a one-token span. `IO*` (Esuli and Sebastiani 2010)
    has tokens and, beside them, the gaps between adjacent tokens of one span. First and last are those of the whole
    span where it is discontinuous; where spans overlap, a token can bear several tags.

    Counts: `both`, `predicted`, `reference`, in units; `reference_spans`.
    """

    format: str = "IO"

    name: ClassVar[str] = "token_f"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        require_choice("format", self.format, FORMATS)

    def count(self, alignment: Alignment) -> Counts:
        """Count common units as overlaps of intervals of like-tagged tokens."""
        references, predictions = alignment.references, alignment.predictions
        # a copy of the line for each kind of unit, so that one join sees them all
        line = alignment.stride * len(alignment.labels)
        reference, predicted = (self._units(side, line) for side in (references, predictions))
        left, right = overlaps(*reference, *predicted)
        start = np.maximum(reference[0][left], predicted[0][right])
        end = np.minimum(reference[1][left], predicted[1][right])

        def column(start: np.ndarray, end: np.ndarray) -> Column:
            return Column(*alignment.document_and_label(start % max(line, 1)), end - start)

        columns = {
            "both": column(start, end),
            "predicted": column(*predicted),
            "reference": column(*reference),
            "reference_spans": Column(references.document, references.label),
        }
        return Counts(columns, alignment.labels, alignment.documents)

    def _units(self, side: Side, line: int) -> tuple[np.ndarray, np.ndarray]:
        """One side's units as disjoint intervals, kind after kind, `line` apart."""
        kinds = [union(start, end) for start, end in self._kinds(side)]
        starts = [start + number * line for number, (start, _) in enumerate(kinds)]
        ends = [end + number * line for number, (_, end) in enumerate(kinds)]
        return np.concatenate(starts), np.concatenate(ends)

    def _kinds(self, side: Side) -> list[tuple[np.ndarray, np.ndarray]]:
        """The intervals of each kind of unit, ordered by start."""
        pieces = side.piece_start, side.piece_end
        if self.format == "IO":
            return [pieces]
        if self.format == "IO*":
            return [pieces, _ordered(side.piece_start, side.piece_end - 1)]
        single = side.size == 1
        marks_end = self.format in ("BIOE", "BIOES")
        begins = side.start[~single] if self.format == "BIOES" else side.start
        inner_start = side.piece_start + (side.piece_start == side.start[side.piece_span])
        inner_end = side.piece_end - (marks_end & (side.piece_end == side.end[side.piece_span]))
        kinds = [_ordered(begins, begins + 1), _ordered(inner_start, inner_end)]
        if marks_end:
            kinds.append(_ordered(side.end[~single] - 1, side.end[~single]))
        if self.format == "BIOES":
            kinds.append(_ordered(side.start[single], side.end[single]))
        return kinds


def _ordered(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The intervals that are not empty, ordered by start."""
    some = end > start
    start, end = start[some], end[some]
    if (start[1:] >= start[:-1]).all():
        return start, end
    order = np.argsort(start, kind="stable")
    return start[order], end[order]
