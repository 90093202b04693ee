"""Bases of the measures of spans: the alignment of both sides; precision, recall and F1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, Side
from ..arrays import offsets_by
from ..counts.counts import Counts
from ..counts.statistics import ALL_AVERAGES, DOCUMENTS, mean_over_documents, precision_recall_f1
from ..errors import InputError, require_sides, setting
from ..options import option, replaced_option
from ..spans.spans import Fragments, Spans
from .base import Key, Measure


def f_results(precision: str, recall: str) -> dict[str, Key]:
    """Return the keys of an F-measure, given what its precision and its recall are."""
    return {
        "precision": Key("precision", precision),
        "recall": Key("recall", recall),
        "f1": Key("F1", "harmonic mean of precision and recall"),
    }


@dataclass(frozen=True, kw_only=True)
class AlignedMeasure(Measure):
    """A measure of `Spans` that starts from which of them overlap.

    Attributes:
        labels: `match`: spans are compared with spans of their label. `ignore`: all spans count as of one label, so
            that only their extents are compared. Tags are decoded with their labels before; spans of a side that have
            the same tokens become one span. A measure that refuses spans of one label that overlap refuses them then
            whatever labels they had.
    """

    labels: str = option(
        "match",
        help="whether labels must agree",
        choices={
            "match": "a span is compared with those of its label",
            "ignore": "all spans count as of one label, so that only extents are compared",
        },
        label="Labels",
    )

    input: ClassVar[str] = "spans"

    def counts(self, references: Spans, predictions: Spans) -> Counts:
        """Count both sides, see `Measure.counts`."""
        require_sides(Spans, references, predictions)
        return self.count(Alignment(references, predictions))

    def count(self, alignment: Alignment) -> Counts:
        """Count two sides that are aligned already, so that several measures can share the alignment."""
        return replace(self._count(self.compared(alignment)), measure=self)

    def compared(self, alignment: Alignment) -> Alignment:
        """Return the alignment that is counted: without labels if `labels` ignores them."""
        if self.labels == "match":
            return alignment
        if alignment.unlabelled is None:
            sides = (_columns(alignment, side).unlabelled() for side in (alignment.references, alignment.predictions))
            alignment.unlabelled = Alignment(*sides)
            alignment.unlabelled.labels_ignored = True
        return alignment.unlabelled

    @abstractmethod
    def _count(self, alignment: Alignment) -> Counts:
        """Return the counts, which need not know their measure."""


def _columns(alignment: Alignment, side: Side) -> Spans:
    """Return one side as columns again, in the order of the line."""
    base = side.label.astype(np.int64) * alignment.stride + alignment.offsets[side.document]
    fragments = None
    if side.pieces is not None:
        # stable, so that within a span the order of the text stays
        order = np.argsort(side.pieces.span, kind="stable")
        span = side.pieces.span[order]
        bounds = (bound[order] - base[span] for bound in (side.pieces.start, side.pieces.end))
        fragments = Fragments(offsets_by(span, len(side)), *bounds)
    start, end = ((bound - base).astype(np.int32) for bound in (side.start, side.end))
    size = alignment.documents, alignment.lengths
    return Spans(side.document, start, end, side.label, alignment.labels, *size, fragments)


@dataclass(frozen=True, kw_only=True)
class FMeasure(AlignedMeasure):
    """A measure whose headline is precision, recall and F1.

    Its counts are `right` of `predicted`, and `found` of `reference`; if right and found are one number they are one
    column, `both`. All values are in [0, 1], higher is better.

    Attributes:
        average: also `documents`, the mean over documents of each document's precision, recall and F1 over all labels
            (Toxic Spans, Mu-SHROOM). A ratio of a document that has the denominator 0 is `zero_division`: so is F1 if
            neither side has a span. NaN leaves the document out. The values of labels stay those of summed counts.

    With `average="documents"` counts have besides, for each document, `documents` (1), and for each key its value
    (`f1_sum`) and whether there is one (`f1_documents`), so that the mean of a corpus is a ratio of sums too.
    """

    average: str = replaced_option(AlignedMeasure, "average", choices=ALL_AVERAGES)

    results: ClassVar[Mapping[str, Key]] = f_results(
        "share of what is predicted that is right", "share of the reference that is found"
    )
    headline: ClassVar[str] = "f1"
    bounded: ClassVar[tuple[tuple[str, str], ...]] = (
        ("both", "predicted"),
        ("both", "reference"),
        ("right", "predicted"),
        ("found", "reference"),
        *((f"{key}_sum", f"{key}_documents") for key in ("precision", "recall", "f1")),
        *((f"{key}_documents", "documents") for key in ("precision", "recall", "f1")),
    )

    def count(self, alignment: Alignment) -> Counts:
        """Count two sides that are aligned already; for a mean over documents also what they score."""
        counts = super().count(alignment)
        if self.average != DOCUMENTS:
            return counts
        shared = {"documents": np.ones(counts.documents, dtype=np.int64)}
        scored = replace(self, average="micro", zero_division=nan)
        for key, values in scored.score_per_document(counts).items():
            known = ~np.isnan(values)
            shared[f"{key}_documents"] = known.astype(np.int64)
            shared[f"{key}_sum"] = np.where(known, values, 0.0)
        return replace(counts, shared=shared)

    def score_totals(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Score totals by label, see `Measure.score_totals`."""
        scored = {DOCUMENTS, *(f"{key}_{what}" for key in self.keys for what in ("sum", "documents"))}
        of_labels = {name: values for name, values in totals.items() if name not in scored}
        if self.average != DOCUMENTS:
            return super().score_totals(of_labels)
        if DOCUMENTS not in totals:
            raise InputError(
                "these counts have no scores of documents, which a mean over documents needs.",
                f"Count with {setting('average', DOCUMENTS)}.",
            )
        if totals[DOCUMENTS].shape[-1] == 0:
            # without labels every document is empty
            return replace(self, average="micro").score_totals(of_labels)
        # the same for each label
        first = {name: totals[name][..., 0] for name in scored}
        return {
            key: mean_over_documents(
                first[f"{key}_sum"], first[f"{key}_documents"], first[DOCUMENTS], self.zero_division
            )
            for key in self.keys
        }

    def notes(self, counts: Counts) -> list[str]:
        """Say what documents without spans score in a mean over documents, unless it is what shared tasks give them."""
        if self.average != DOCUMENTS or isnan(self.zero_division) or self.zero_division == 1:
            return []
        documents, scored = (int(counts.shared[name].sum()) for name in (DOCUMENTS, f"{self.headline}_documents"))
        if scored == documents:
            return []
        return [
            f"documents with spans on neither side ({documents - scored:,} of {documents:,}) score "
            f"{self.zero_division:g} in the mean, which is zero_division; Toxic Spans and Mu-SHROOM give them 1."
        ]

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1, see `ratios.precision_recall_f1`."""
        right, found = (quantities["both"] if "both" in quantities else quantities[name] for name in ("right", "found"))
        return precision_recall_f1(right, quantities["predicted"], found, quantities["reference"], self.zero_division)


def counter(references: Any, predictions: Any) -> Callable[[Any], Counts]:
    """Return a function that counts measures on two sides; all measures of spans share one alignment."""
    if not isinstance(references, Spans):
        return lambda measure: measure.counts(references, predictions)
    alignment = Alignment(references, predictions)
    return lambda measure: measure.count(alignment)


def require_lengths(lengths: np.ndarray | None, subject: str) -> np.ndarray:
    """Return the documents' lengths, on which the subject depends; an `InputError` if they are not known."""
    if lengths is None:
        raise InputError(
            f"the documents' lengths are not known, and {subject} depends on them.",
            f"Give them with {setting('lengths')}.",
        )
    return lengths
