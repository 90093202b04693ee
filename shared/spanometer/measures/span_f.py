"""Exact-match F1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from .aligned import FMeasure
from .base import Key, f_results


@dataclass(frozen=True, kw_only=True)
class SpanF(FMeasure):
    """Precision, recall and F1 over whole spans: a span is right if its label and boundaries are (CoNLL evaluation).

    P = |Ŝ ∩ S| / |Ŝ|, R = |Ŝ ∩ S| / |S|, with S the reference spans and Ŝ the predicted ones. Awasthy's span
    similarity is the same number. Discontinuous spans are equal if all their tokens are.

    Counts: `both`, `predicted`, `reference`, in spans.
    """

    name: ClassVar[str] = "span_f"
    leading: ClassVar[bool] = True
    results: ClassVar[Mapping[str, Key]] = f_results(
        "share of predicted spans that are right", "share of reference spans that are found"
    )
    place: ClassVar[int] = 10
    support: ClassVar[str] = "reference"

    def _count(self, alignment: Alignment) -> Counts:
        """Count equal spans."""
        references, predictions, equal = alignment.references, alignment.predictions, alignment.equal
        columns = {
            "both": references.column(equal),
            "predicted": predictions.column(),
            "reference": references.column(),
        }
        return Counts(columns, alignment.labels, alignment.documents)
