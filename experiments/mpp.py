"""The examples of MPP, one-to-one F1 with partial credit (Perrella et al. 2026)."""

from __future__ import annotations

from spanometer.measures.matched_f import MatchedF
from spanometer.spans.spans import Spans

from .inputs import Inputs
from .published import published_rows
from .tables import Cell, Table

SOURCE = "Perrella et al., span-mt-metrics-eval"

_DIGITS = 4


def table(inputs: Inputs) -> tuple[Table, ...]:
    """Score each example that has the optimal matching."""
    measure = MatchedF(credit="mpp", labels="ignore", zero_division=1.0)
    cells = []
    for row in published_rows("mpp"):
        if "greedy" not in row["measure"]:
            ours = measure.score(measure.counts(_spans(row["gold"]), _spans(row["predicted"])))
            cells += [Cell(row["example"], key, float(row[key]), value, digits=_DIGITS) for key, value in ours.items()]
    notes = (
        "An empty side scores 1 there, which is zero_division=1.0. The last example has 0.1667, 0.3333 and 0.2222 with "
        "greedy matching, which is not offered here.",
    )
    return (Table("mpp", "Examples of MPP", SOURCE, tuple(cells), notes),)


def _spans(text: str) -> Spans:
    """Return the spans of one document, written as `0-3 3-6`."""
    bounds = [span.split("-") for span in text.split() if span != "-"]
    return Spans.from_dicts([[{"start": int(start), "end": int(end), "label": "X"} for start, end in bounds]])
