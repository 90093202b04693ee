"""Charts of chance: the F1 of random annotations, and where spans lie at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..counts.counts import Counts
from ..exceptions import InputError, counted
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.placement import place
from ..plots.curves import draw_chance_f1, draw_coverage
from ..spans.spans import Spans
from ..web.templates import number, shortened
from .templates import excerpt

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = ("F1 by chance", "Random places of spans")
"""The names of the charts of a page."""


@dataclass(frozen=True)
class Chart:
    """A chart, the same in words, and the sentence that it is about; no figure if there is nothing to draw."""

    figure: Figure | None
    description: str
    quotation: str = ""


def charts(
    measure: ChanceKappaF1,
    counts: Counts,
    scores: Mapping[str, float],
    spans: Sequence[Spans],
    words: Sequence[Sequence[str]],
) -> tuple[Chart, Chart]:
    """Draw the charts of a page, in the order of `TITLES`."""
    drawn = _f1_chart(simulated_f1(measure, counts), scores["f1"], scores["chance_f1"])
    return drawn, _coverage_chart(measure, spans, words)


def simulated_f1(measure: ChanceKappaF1, counts: Counts) -> np.ndarray:
    """Compute the F1 of each simulated pair of annotations, shape (simulations); empty without simulations."""
    simulated = getattr(counts, "simulated", None)
    if simulated is None:
        return np.zeros(0)
    return np.atleast_1d(measure.score_totals({**counts.per_label(), "both": simulated})["f1"])


def _f1_chart(drawn: np.ndarray, observed: float, expected: float) -> Chart:
    """Draw the histogram of F1 by chance, with the observed and the expected F1."""
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) == 0 or np.isnan(observed) or np.isnan(expected):
        return Chart(None, "Set a number of simulated annotations to see the distribution of F1 by chance.")
    return Chart(
        draw_chance_f1(drawn, observed, expected),
        f"Histogram of F1 of {counted(len(drawn), 'random annotation')}, from {number(float(drawn.min()))} to "
        f"{number(float(drawn.max()))}. Expected by chance: {number(expected)}. Observed: {number(observed)}.",
    )


def _coverage_chart(measure: ChanceKappaF1, annotated: Sequence[Spans], words: Sequence[Sequence[str]]) -> Chart:
    """Draw where the spans of one sentence and label would lie at random, and where they are.

    The chart shows the sentence and label with the most spans among those where both sides have spans.
    """
    nothing = Chart(None, "")
    sides = dict(zip(("reference", "prediction"), annotated, strict=True))
    per_place = [
        Counter(zip((side.labels[code] for code in side.label.tolist()), side.document.tolist(), strict=True))
        for side in sides.values()
    ]
    common = per_place[0].keys() & per_place[1].keys()
    if not common:
        return nothing
    label, document = min(common, key=lambda at: (-per_place[0][at] - per_place[1][at], at))
    spans = {name: _bounds(side, document, label) for name, side in sides.items()}
    try:
        coverage = {
            name: place(
                len(words[document]),
                [end - start for start, end in bounds],
                placement="independent" if measure.placement == "independent" else "disjoint",
                method=measure.method,
                uniform_threshold=measure.uniform_threshold,
            ).coverage
            for name, bounds in spans.items()
        }
    except InputError:
        return nothing
    return Chart(
        draw_coverage(coverage, spans),
        f"Sentence {document + 1}, label {shortened(label)}: the probability that a random span covers each "
        "token, for the reference (solid line) and the prediction (dashed line). The bars above show the spans.",
        excerpt(words[document]),
    )


def _bounds(side: Spans, document: int, label: str) -> list[tuple[int, int]]:
    chosen = np.flatnonzero((side.document == document) & (side.label == side.labels.index(label)))
    return list(zip(side.start[chosen].tolist(), side.end[chosen].tolist(), strict=True))
