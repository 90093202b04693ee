"""Scores by the chance level of documents, above how many documents there are of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import InputError, mention
from .figure import BLUE, GREY, ORANGE, hide, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis.scores.measure_result import MeasureResult
    from ..analysis.scores.report import Report

_MEASURE = "chance_kappa_f1"
_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "f1": ("observed F1", {"marker": "o", "color": BLUE, "linestyle": "-"}),
    "kappa_f1": ("F1 corrected for chance", {"marker": "D", "color": ORANGE, "linestyle": "--"}),
    "chance_f1": ("F1 by chance", {"marker": "x", "color": "#000000", "linestyle": ":"}),
}
_SHIFT = 0.08
"""The lines stand a little beside each other, so that their intervals are told apart."""


def plot_difficulty(parts: Mapping[str, Report], path: str) -> None:
    """Write a picture of observed, corrected and chance F1 by chance level, with the number of documents.

    Args:
        parts: reports with `chance_kappa_f1`, as `analysis.difficulty.by_chance` makes them.
        path: the picture, see `figure.save`.

    Raises:
        InputError: if there is no `chance_kappa_f1`, and as `figure.save`.
    """
    save(draw_difficulty, parts, path)


def draw_difficulty(parts: Mapping[str, Report]) -> Figure:
    """Draw what `plot_difficulty` writes."""
    results = [_chance_result(report) for report in parts.values()]
    figure = new_figure(max(6.0, 1.3 * len(parts) + 1.5), 5.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    place = np.arange(len(parts), dtype=float)
    documents = [report.documents for report in parts.values()]
    for number, (key, (name, style)) in enumerate(_SHOWN.items()):
        # a part without documents has no scores
        values = np.where(documents, [result.scores[key] for result in results], math.nan)
        x = place + (number - 1) * _SHIFT
        above.plot(x, values, label=name, markersize=6, linewidth=1.2, **style)
        for at, result in zip(x, results, strict=True):
            if key in result.intervals:
                above.plot([at, at], result.intervals[key], color=style["color"], linewidth=1.6)
    above.set_ylim(min(0.0, above.get_ylim()[0]), 1.02)
    above.grid(axis="y", color=GREY, linewidth=0.5)
    above.set_axisbelow(True)
    above.set_ylabel("F1")
    bars = below.bar(place, documents, width=0.6, color=GREY)
    below.bar_label(bars, [f"{number:,}" for number in documents], padding=2, fontsize=9)
    below.set_ylim(0, 1.25 * max([*documents, 1]))
    below.set_ylabel("documents")
    below.set_xticks(place, [name.removeprefix("chance ").replace(" to ", "\nto ") for name in parts])
    below.set_xlabel("chance level, reference against itself")
    figure.legend(frameon=False, loc="outside upper center", ncols=3, fontsize=9)
    for axes in (above, below):
        hide(axes, "top", "right")
    return figure


def _chance_result(report: Report) -> MeasureResult:
    chance = next((result for result in report.results if result.measure.name == _MEASURE), None)
    if chance is None:
        raise InputError(
            f"the picture shows {_MEASURE}, which is not computed.", f"Add {_MEASURE} to {mention('measure')}."
        )
    return chance
