"""Base classes for measures that compare overlapping spans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, line_base
from ..arrays import offsets_by
from ..counts.counts import Column, Counts
from ..exceptions import InputError, require_sides, setting
from ..options import option
from ..spans.spans import Fragments, Spans
from .base import Measure
from .f_scores import PrecisionRecallF1


@dataclass(frozen=True, kw_only=True)
class AlignedMeasure(Measure):
    """A measure that compares reference and predicted spans by their overlaps.

    Attributes:
        match_labels: True: a span is compared only with spans of the same label. False: labels are ignored and only
            boundaries are compared. Tags are still decoded with their labels first. Spans of one side with the same
            tokens then count as one span, except in `SemevalF` with the schema `exact`, as in nervaluate. A measure
            that raises an error for overlapping spans of one label then raises it for all overlapping spans.
    """

    match_labels: bool = option(
        True,
        help="compare labels too; if not, only positions count, and several spans on the same tokens count as one",
        label="Labels must agree",
    )

    input: ClassVar[str] = "spans"

    def counts(self, references: Spans, predictions: Spans) -> Counts:
        """Align both sides and compute their counts, see `Measure.counts`."""
        require_sides(Spans, references, predictions)
        return self.count(Alignment(references, predictions))

    def count(self, alignment: Alignment) -> Counts:
        """Compute counts from an alignment. Several measures can use the same alignment."""
        return replace(self._count(self.compared(alignment)), measure=self)

    def compared(self, alignment: Alignment) -> Alignment:
        """Merge all labels into one if `match_labels` is False; otherwise return the alignment unchanged."""
        if self.match_labels:
            return alignment
        if alignment.unlabelled is None:
            sides = (_columns(alignment, side).unlabelled() for side in alignment.sides.values())
            alignment.unlabelled = Alignment(*sides)
            alignment.unlabelled.labels_ignored = True
        return alignment.unlabelled

    @abstractmethod
    def _count(self, alignment: Alignment) -> Counts:
        """Compute the counts of an alignment."""


def _columns(alignment: Alignment, side: SideSpans) -> Spans:
    """Convert one side of an alignment back to `Spans`."""
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
    """A measure of spans that computes precision, recall and F1, see `PrecisionRecallF1`.

    Attributes:
        label_groups: a separator, such as `/` in `NAME/PATIENT`. Labels with the same part before it form a group.
            Spans are compared with their full labels; counts are then summed, reported and averaged by group.
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

    def _count(self, alignment: Alignment) -> Counts:
        columns = self.columns(alignment)
        columns.setdefault(self.support, alignment.references.column())
        return Counts(columns, alignment.labels, alignment.documents)

    @abstractmethod
    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count an alignment, column by column; the reference spans are added as `support` if they are missing."""

    def count(self, alignment: Alignment) -> Counts:
        """Compute counts from an alignment; add document scores if `average` is a mean over documents."""
        counts = super().count(alignment)
        if self.label_groups:
            counts = counts.renamed([label.partition(self.label_groups)[0] for label in counts.labels])
        return self.with_document_scores(counts)


def counter(references: Any, predictions: Any) -> Callable[[Any], Counts]:
    """Return a function that computes the counts of any measure for these two sides, aligning spans only once."""
    if not isinstance(references, Spans):
        return lambda measure: measure.counts(references, predictions)
    alignment = Alignment(references, predictions)
    return lambda measure: measure.count(alignment)


def require_contiguous(alignment: Alignment, name: str, side: SideSpans, reason: str = "units are contiguous") -> None:
    """Raise an `InputError` if a side has a discontinuous span; `name` is the name of the side."""
    if side.discontinuous.any():
        error = alignment.refusal(name, side, int(np.argmax(side.discontinuous)), f"is discontinuous; {reason}.")
        raise error.placed(option="join_fragments")


def require_disjoint(alignment: Alignment, name: str, side: SideSpans, reason: str, remedy: str = "") -> None:
    """Raise an `InputError` if two spans of a side and label overlap."""
    if not side.flat:
        span = int(side.piece_span[side.overlapping[0]])
        raise alignment.refusal(name, side, span, f"overlaps another of its label{reason}", remedy)


def require_lengths(lengths: np.ndarray | None, subject: str) -> np.ndarray:
    """Return the document lengths; raise an `InputError` if they are unknown."""
    if lengths is None:
        raise InputError(
            f"{subject} needs the documents' lengths, which are not known.",
            f"Pass {setting('lengths')}.",
        )
    return lengths
