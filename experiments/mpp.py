"""The examples of MPP, one-to-one F1 with partial credit (Perrella et al. 2026)."""

from __future__ import annotations

from collections.abc import Iterator

from spanometer.measures.matched_f import MatchedF

from .inputs import Inputs
from .published import published_rows, spans_of
from .tables import Cell, Experiment

SOURCE = "Perrella et al., span-mt-metrics-eval"

_DIGITS = 4


def _cells(inputs: Inputs) -> Iterator[Cell | str]:
    """Score each example that has the optimal matching."""
    measure = MatchedF(credit="mpp", labels="ignore", zero_division=1.0)
    for row in published_rows("mpp"):
        if "greedy" not in row["measure"]:
            ours = measure.score(measure.counts(spans_of(row["gold"]), spans_of(row["predicted"])))
            for key, value in ours.items():
                yield Cell(row["example"], key, float(row[key]), value, digits=_DIGITS)
    yield (
        "An empty side scores 1 there, which is zero_division=1.0. The last example has 0.1667, 0.3333 and 0.2222 with "
        "greedy matching, which is not offered here."
    )


TABLES = {"mpp": (Experiment("mpp", "Examples of MPP", SOURCE, _cells),)}
