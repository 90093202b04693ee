"""F1 over overlapping spans without one-to-one matching."""

from collections.abc import Iterator, Mapping

import numpy as np

from ..alignment.matching import greedy_matching
from ..alignment.overlaps import Alignment, coverage
from ..arrays import offsets_of, ranges
from ..counts.counts import Column
from ..options import option
from .aligned import FMeasure, f_results


class RelaxedF(FMeasure):
    """Compute lenient precision, recall and F1: a predicted span is right if it overlaps a reference span enough.

    P is the proportion of predicted spans that reach a reference span of the same label. R is the proportion of
    reference spans reached by a predicted span. Spans reach each other if they share a token and their `overlap` is at
    least `threshold`:

    - `any`: no threshold.
    - `iou`: |ŝ ∩ s| / |ŝ ∪ s|.
    - `dice`: 2 |ŝ ∩ s| / (|ŝ| + |s|).
    - `coverage`: |ŝ ∩ s| / |ŝ| in P, |ŝ ∩ s| / |s| in R.

    All scores are in [0, 1], higher is better.

    Attributes:
        overlap: the kind of overlap, see above.
        threshold: minimum overlap, only for iou, dice and coverage.
        credit: what a span that reaches another counts: 1, or its `best` overlap (Label Studio's agreement).
        matching: `many`: spans are not paired; a span may reach several spans and be reached by several. `first`: one
            to one; each reference span, in text order, takes the first free predicted span that it reaches. `fresh`: in
            text order, each predicted span that reaches a reference span counts in P and R, unless the reference span
            has been reached before; then it is left out (n2c2-2018). With `first` and `fresh`, both ratios of
            `coverage` must be at least the threshold.
        recall: `found`: as above. `right`: right predicted spans / (right predicted spans + missed reference spans)
            (SemEval-2014 task 7).
        duplicates: how to count repeated spans.

    Counts: `right` and `predicted`, in predicted spans; `found` and `reference`, in reference spans.

    Raises:
        InputError: if a threshold, credit or recall is set that has no effect.
    """

    overlap: str = option(
        "any",
        help="how overlap is measured",
        choices={
            "any": "one shared token is enough",
            "iou": "intersection over union",
            "dice": "twice the intersection, divided by the sum of sizes",
            "coverage": "for precision, shared tokens / predicted tokens; for recall, shared tokens / reference tokens",
        },
        label="Overlap",
    )
    threshold: float = option(0.5, low=0, high=1, label="Threshold", only_with={"overlap": ("iou", "dice", "coverage")})
    credit: str = option(
        "one",
        help="how much a span counts if it overlaps enough",
        choices={"one": "it counts 1", "best": "its largest overlap"},
        only_with={"overlap": ("iou", "dice", "coverage"), "matching": ("many",)},
    )
    matching: str = option(
        "many",
        help="which of several matches count",
        choices={
            "many": "all matches",
            "first": "each reference span takes the first unused predicted span that overlaps enough",
            "fresh": "if several predicted spans match a reference span, only the first counts; the others are ignored",
        },
        label="Matching",
    )
    recall: str = option(
        "found",
        help="definition of recall",
        choices={
            "found": "share of reference spans that are found",
            "right": "correct predicted spans / (correct predicted spans + missed reference spans)",
        },
        only_with={"matching": ("many",)},
    )
    duplicates: str = option("once", choices={"once": "", "each": "each copy counts"})

    name = "relaxed_f"
    results = f_results(
        "share of predicted spans that sufficiently overlap a reference span",
        "share of reference spans that sufficiently overlap a predicted span",
    )
    place = 57
    support = "reference"
    unusual = ("credit", "recall", "duplicates", *FMeasure.unusual)

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count the spans that reach a span of the other side."""
        references, predictions = alignment.references, alignment.predictions
        predicted, reference = (
            side.times if self.duplicates == "each" else np.ones(len(side), dtype=np.int64)
            for side in (predictions, references)
        )
        if self.matching == "many":
            of_predictions, of_references = self._reached(alignment)
            right = predictions.column(value=of_predictions * predicted)
            found = references.column(value=of_references * reference)
        else:
            values, predicted = self._paired(alignment, predicted, reference)
            # pairs are of one label and document
            right = found = predictions.column(value=values)
        return {
            "right": right,
            "predicted": predictions.column(value=predicted),
            "found": found,
            "reference": references.column(value=reference),
        }

    def _overlaps(self, alignment: Alignment) -> tuple[np.ndarray, np.ndarray]:
        """Compute the overlap of each pair of spans that share tokens, as it counts in P and in R."""
        pairs = alignment.pairs
        predicted, reference = alignment.predictions.size[pairs.prediction], alignment.references.size[pairs.reference]
        if self.overlap == "coverage":
            return pairs.shared / predicted, pairs.shared / reference
        sizes = predicted + reference
        overlap = 2 * pairs.shared / sizes if self.overlap == "dice" else pairs.shared / (sizes - pairs.shared)
        return overlap, overlap

    def _reached(self, alignment: Alignment) -> Iterator[np.ndarray]:
        """Yield the credit of each predicted span, then of each reference span."""
        sides = alignment.predictions, alignment.references
        if self.overlap == "any":
            yield from (coverage(side, other) > 0 for side, other in (sides, sides[::-1]))
            return
        of_sides = alignment.pairs.prediction, alignment.pairs.reference
        for side, spans, overlap in zip(sides, of_sides, self._overlaps(alignment), strict=True):
            best = np.zeros(len(side))
            np.maximum.at(best, spans, overlap)
            reached = (best >= self.threshold) & (best > 0)
            yield np.where(reached, best, 0.0) if self.credit == "best" else reached

    def _paired(
        self, alignment: Alignment, predicted: np.ndarray, reference: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute how often each predicted span counts as right, and how often it counts at all.

        Args:
            alignment: the alignment of both sides.
            predicted, reference: the number of copies of each span.
        """
        pairs = alignment.pairs
        threshold = 0.0 if self.overlap == "any" else self.threshold
        kept = np.logical_and(*(overlap >= threshold for overlap in self._overlaps(alignment)))
        # pair each copy of a span with each copy of the other
        rows, columns = pairs.reference[kept].astype(np.int64), pairs.prediction[kept].astype(np.int64)
        rows, columns = np.repeat(rows, predicted[columns]), ranges(offsets_of(predicted)[columns], predicted[columns])
        rows, columns = ranges(offsets_of(reference)[rows], reference[rows]), np.repeat(columns, reference[rows])
        owner = np.repeat(np.arange(len(predicted)), predicted)
        if self.matching == "first":
            chosen = greedy_matching(columns, rows, [])
            return np.bincount(owner[columns[chosen]], minlength=len(predicted)), predicted
        earliest = np.full(int(reference.sum()), len(owner))
        np.minimum.at(earliest, rows, columns)
        surplus, reaching = np.zeros((2, len(owner)), dtype=bool)
        surplus[columns[columns != earliest[rows]]] = True
        reaching[columns] = True
        right, counted = (owner[flags] for flags in (reaching & ~surplus, ~surplus))
        return np.bincount(right, minlength=len(predicted)), np.bincount(counted, minlength=len(predicted))

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1."""
        if self.recall == "found":
            return super().formula(quantities)
        right = quantities["right"]
        reference = right + quantities["reference"] - quantities["found"]
        return super().formula({"both": right, "predicted": quantities["predicted"], "reference": reference})
