"""Bases of the measures of spans: the alignment of both sides; precision, recall and F1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, line_base
from ..arrays import offsets_by
from ..counts.counts import Counts
from ..exceptions import InputError, require_sides, setting
from ..options import option
from ..spans.spans import Fragments, Spans
from .base import Measure
from .f_scores import PrecisionRecallF1


@dataclass(frozen=True, kw_only=True)
class AlignedMeasure(Measure):
    """A measure of `Spans` that is counted on their overlaps.

    Attributes:
        match_labels: whether a span is compared only with spans of its label. If not, only boundaries are compared:
            tags are decoded with their labels, then all labels become one, and spans of a side with the same tokens
            become one span (`SemevalF` with the schema `exact` keeps them apart, as nervaluate does). A measure that
            refuses overlapping spans of one label then refuses all overlapping spans.
    """

    match_labels: bool = option(
        True,
        help="compare labels too; if not, only positions count, and several spans on the same tokens count as one",
        label="Labels must agree",
    )

    input: ClassVar[str] = "spans"

    def counts(self, references: Spans, predictions: Spans) -> Counts:
        """Count both sides, see `Measure.counts`."""
        require_sides(Spans, references, predictions)
        return self.count(Alignment(references, predictions))

    def count(self, alignment: Alignment) -> Counts:
        """Count two aligned sides; several measures can share an alignment."""
        return replace(self._count(self.compared(alignment)), measure=self)

    def compared(self, alignment: Alignment) -> Alignment:
        """Remove the labels of an alignment unless they must agree."""
        if self.match_labels:
            return alignment
        if alignment.unlabelled is None:
            sides = (_columns(alignment, side).unlabelled() for side in alignment.sides.values())
            alignment.unlabelled = Alignment(*sides)
            alignment.unlabelled.labels_ignored = True
        return alignment.unlabelled

    @abstractmethod
    def _count(self, alignment: Alignment) -> Counts:
        """Count an alignment; `count` adds the measure."""


def _columns(alignment: Alignment, side: SideSpans) -> Spans:
    """Convert a side back to columns, in the order of the line."""
    base = line_base(side.label, side.document, alignment.offsets)
    fragments = None
    if side.pieces is not None:
        # stable, so that within a span the order of the text stays
        order = np.argsort(side.pieces.span, kind="stable")
        span = side.pieces.span[order]
        bounds = (bound[order] - base[span] for bound in (side.pieces.start, side.pieces.end))
        fragments = Fragments(offsets_by(span, len(side)), *bounds)
    start, end = ((bound - base).astype(np.int32) for bound in (side.start, side.end))
    size = alignment.documents, alignment.lengths
    return Spans(side.document, start, end, side.label, alignment.labels, *size, fragments, side.copies)


@dataclass(frozen=True, kw_only=True)
class FMeasure(PrecisionRecallF1, AlignedMeasure):
    """A measure of `Spans` whose headline is precision, recall and F1, see `PrecisionRecallF1`.

    Attributes:
        label_groups: sum the counts of labels that have the same part before this text, `/` for `NAME/PATIENT`. Spans
            are compared with their whole labels; the values of labels, and averages over them, are those of the groups.
    """

    label_groups: str | None = option(
        None,
        help="sum the counts of labels with the same part before this text: with /, NAME/PATIENT and NAME/DOCTOR are "
        "the group NAME",
        kind=str,
        optional=True,
        metavar="TEXT",
    )

    unusual: ClassVar[tuple[str, ...]] = ("label_groups", *PrecisionRecallF1.unusual)

    def count(self, alignment: Alignment) -> Counts:
        """Count two aligned sides, and score their documents for a mean over documents."""
        counts = super().count(alignment)
        if self.label_groups:
            counts = counts.renamed([label.partition(self.label_groups)[0] for label in counts.labels])
        return self.with_document_scores(counts)


def counter(references: Any, predictions: Any) -> Callable[[Any], Counts]:
    """Return a function that counts a measure on two sides; measures of spans share one alignment."""
    if not isinstance(references, Spans):
        return lambda measure: measure.counts(references, predictions)
    alignment = Alignment(references, predictions)
    return lambda measure: measure.count(alignment)


def require_contiguous(alignment: Alignment, name: str, side: SideSpans, reason: str = "units are contiguous") -> None:
    """Raise an `InputError` for a discontinuous span of a side; `name` is the side's name."""
    if side.discontinuous.any():
        error = alignment.refusal(name, side, int(np.argmax(side.discontinuous)), f"is discontinuous; {reason}.")
        raise error.placed(option="join_fragments")


def require_disjoint(alignment: Alignment, name: str, side: SideSpans, reason: str, remedy: str = "") -> None:
    """Raise an `InputError` if two spans of a side and label overlap."""
    if not side.flat:
        span = int(side.piece_span[side.overlapping[0]])
        raise alignment.refusal(name, side, span, f"overlaps another of its label{reason}", remedy)


def require_lengths(lengths: np.ndarray | None, subject: str) -> np.ndarray:
    """Return the documents' lengths; raise an `InputError` if they are not known."""
    if lengths is None:
        raise InputError(
            f"{subject} needs the documents' lengths, which are not known.",
            f"Pass {setting('lengths')}.",
        )
    return lengths
