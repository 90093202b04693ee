"""Exact-match F1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..options import option
from .aligned import FMeasure
from .base import Key
from .f_scores import f_results


@dataclass(frozen=True, kw_only=True)
class SpanF(FMeasure):
    """Precision, recall and F1 over whole spans: a span is right if its label and boundaries are (CoNLL evaluation).

    P = |Ŝ ∩ S| / |Ŝ|, R = |Ŝ ∩ S| / |S|, with S the reference spans and Ŝ the predicted ones. Awasthy's span
    similarity is the same number. Discontinuous spans are equal if all their tokens are.

    Attributes:
        duplicates: how often a span counts that a side has k times, and the other side k' times. `once`: once, so that
            sides are sets. `each`: k times, and min(k, k') times as right: sides are multisets. `wrong`: once if it is
            right, k times if it is wrong (n2c2-2018).

    Counts: `both`, `predicted`, `reference`, in spans.
    """

    duplicates: str = option(
        "once",
        help="how often a span counts that a side has several times",
        choices={
            "once": "once",
            "each": "each time, right as often as the other side has it",
            "wrong": "once if it is right, each time if it is wrong",
        },
    )

    name: ClassVar[str] = "span_f"
    leading: ClassVar[bool] = True
    results: ClassVar[Mapping[str, Key]] = f_results(
        "share of predicted spans that are right", "share of reference spans that are found"
    )
    place: ClassVar[int] = 10
    support: ClassVar[str] = "reference"
    unusual: ClassVar[tuple[str, ...]] = ("duplicates", *FMeasure.unusual)

    def _count(self, alignment: Alignment) -> Counts:
        """Count equal spans."""
        references, predictions, equal = alignment.references, alignment.predictions, alignment.equal
        copies = {} if self.duplicates == "once" else self._copies(alignment)
        columns = {
            "both": references.column(equal, copies.get("both")),
            "predicted": predictions.column(value=copies.get("predicted")),
            "reference": references.column(value=copies.get("reference")),
        }
        return Counts(columns, alignment.labels, alignment.documents)

    def _copies(self, alignment: Alignment) -> dict[str, np.ndarray]:
        """Count how often each span counts, by the names of columns."""
        equal, equal_predictions = alignment.equal, alignment.equal_predictions
        reference, predicted = alignment.references.times, alignment.predictions.times
        if self.duplicates == "wrong":
            reference, predicted = np.where(equal, 1, reference), np.where(equal_predictions, 1, predicted)
        # equal spans of both sides are in the same order
        both = np.minimum(reference[equal], predicted[equal_predictions])
        return {"both": both, "predicted": predicted, "reference": reference}
