"""F1 over the covered proportion of each span."""

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, coverage
from ..counts.counts import Column
from ..exceptions import setting
from ..options import option
from .aligned import FMeasure, f_results, require_disjoint


class IntersectionF(FMeasure):
    """Compute precision, recall and F1 with partial credit: if half of a span's tokens are right, the span counts half.

    P = (1 / |Ŝ|) Σ_ŝ Σ_s |ŝ ∩ s| / |ŝ|, R = (1 / |S|) Σ_s Σ_ŝ |ŝ ∩ s| / |s|. S are the reference spans and Ŝ the
    predicted spans; the sums run over pairs with the same label. Higher is better.

    The coverage of a span can exceed 1 if several spans of the other side overlap each other, unless `cap` is True.
    With `best`, each span of these sides is covered by only one span of the other side, the one that shares the most
    tokens (neleval's max).

    Attributes:
        cap: limit the coverage of each span to 100%. Overlapping spans with the same label are then allowed.
        best: the side whose spans are compared only with the one span that overlaps them most.

    Counts: `right` and `found`, the summed coverage of predicted and of reference spans; `predicted` and `reference`,
    in spans.

    Raises:
        InputError: if two spans of one label and side overlap, unless `cap` is True or `best` is `both`.
    """

    cap: bool = option(False, label="Cap coverage at 100%")

    best: str = option(
        "neither", choices={"neither": "", "references": "", "predictions": "", "both": ""}, label="Best span alone"
    )

    name = "intersection_f"
    results = f_results(
        "share of correct tokens in each predicted span, averaged over all predicted spans",
        "share of found tokens in each reference span, averaged over all reference spans",
    )
    place = 50
    support = "reference"
    unusual = ("best", *FMeasure.unusual)

    @property
    def needs(self) -> frozenset[str]:
        """The conditions on spans, see `Measure.needs`."""
        return frozenset(() if self.cap or self.best == "both" else ("disjoint",))

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Sum the covered proportion of each span."""
        references, predictions = alignment.references, alignment.predictions
        if self.needs:
            remedy = f"Use {setting('cap', True)} to limit the coverage of each span to 100%."
            for name, side in alignment.sides.items():
                require_disjoint(alignment, name, side, ", so shared tokens would count twice.", remedy)
        return {
            "right": self._covered(alignment, "predictions", predictions, references),
            "predicted": predictions.column(),
            "found": self._covered(alignment, "references", references, predictions),
        }

    def _covered(self, alignment: Alignment, name: str, side: SideSpans, other: SideSpans) -> Column:
        """Compute the covered proportion of each span of a side; `name` is the name of the side."""
        size = side.size
        if self.best in (name, "both"):
            covered = np.zeros(len(side), dtype=np.int64)
            np.maximum.at(covered, getattr(alignment.pairs, name.removesuffix("s")), alignment.pairs.shared)
        else:
            covered = coverage(side, other)
        return side.column(value=(np.minimum(covered, size) if self.cap else covered) / size)
