"""Curves: chance of positions, chance by document, and precision by recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import InputError, counted, mention
from .figure import BLUE, GREY, LINES, ORANGE, hide, literal, new_figure, new_plot, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..analysis.scores.measure_result import MeasureResult
    from ..analysis.scores.report import Report
    from ..measures.attribute_ranking import PrecisionRecallCurve
    from ..measures.placement import Placement

_MEASURE = "chance_kappa_f1"
_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "f1": ("observed F1", {"marker": "o", "color": BLUE, "linestyle": "-"}),
    "kappa_f1": ("F1 corrected for chance", {"marker": "D", "color": ORANGE, "linestyle": "--"}),
    "chance_f1": ("F1 by chance", {"marker": "x", "color": "#000000", "linestyle": ":"}),
}
_SHIFT = 0.08
"""The horizontal distance of the lines, so that their intervals do not overlap."""
_BINS = 50
_DOTS = 160
_BAR_COLOR = "#5f6b76"
_SIDES = ((BLUE, "-"), (ORANGE, "--"))
"""The colours and line styles of reference and prediction."""


def plot_placement(placed: Placement, path: str) -> None:
    """Write a picture of the start probabilities of spans of each length, as in Figure 1 of the paper.

    See `figure.save` for formats and errors.
    """
    save(draw_placement, placed, path)


def plot_precision_recall(curves: Mapping[str, PrecisionRecallCurve], path: str) -> None:
    """Write a picture of precision-recall curves, such as `SpanAttribute.curves` returns, the highest ap first.

    Each precision is drawn over the recall that its step gains, so the area under a curve is its average precision
    (except with `edsnlp-0.20`, which leaves out the first step). See `figure.save` for formats and errors.
    """
    save(draw_precision_recall, curves, path)


def draw_placement(placed: Placement) -> Figure:
    """Draw the picture of `plot_placement`."""
    spans = list(zip(placed.lengths, placed.counts, strict=True))
    lengths = ", ".join(str(length) if count == 1 else f"{count} × {length}" for length, count in spans)
    figure, axes = new_plot(7.0, 4.0, f"Spans of {lengths} tokens, placed at random in {placed.tokens:,}")
    names = [counted(length, "token") for length in placed.lengths]
    _draw_curves(axes, [(name, np.arange(1, len(y) + 1), y) for name, y in zip(names, placed.starts, strict=True)])
    axes.set(xlabel="first token of the span", ylabel="probability", xlim=(1, max(placed.tokens, 2)), ylim=(0, None))
    axes.legend(frameon=False, title="span of", alignment="left", loc="lower left")
    return figure


def draw_precision_recall(curves: Mapping[str, PrecisionRecallCurve]) -> Figure:
    """Draw the picture of `plot_precision_recall`."""
    figure, axes = new_plot(6.4, 4.6, "Precision and recall of predicted items, highest score first")
    ordered = sorted(curves.items(), key=lambda pair: -np.nan_to_num(pair[1].average_precision))
    steps = []
    for name, curve in ordered:
        # a step reaches from the recall before it, at first 0, to its own
        recall, precision = (
            np.append(0 * curve.recall[:1], curve.recall),
            np.append(curve.precision[:1], curve.precision),
        )
        steps.append((f"{name}: ap {curve.average_precision:.4f}", recall, precision))
    _draw_curves(axes, steps, drawstyle="steps-pre")
    # a little more, so that lines at the edges can be seen
    axes.set(xlabel="recall", ylabel="precision", xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    axes.legend(frameon=False, fontsize=9)
    return figure


def _draw_curves(axes: Axes, curves: Iterable[tuple[str, Any, Any]], **style: Any) -> None:
    """Draw a line for each name, x and y."""
    for number, (name, x, y) in enumerate(curves):
        line, color = LINES[number % len(LINES)]
        axes.plot(x, y, color=color, linestyle=line, linewidth=1.6, **style)
        # an underscore in front would leave the line out of the legend
        axes.lines[-1].set_label(f" {literal(name)}" if name.startswith("_") else literal(name))


def plot_difficulty(parts: Mapping[str, Report], path: str) -> None:
    """Write a picture of observed, corrected and chance F1 by chance level, with the number of documents.

    Args:
        parts: reports with `chance_kappa_f1`, as `analysis.difficulty.by_chance` returns them.
        path: the file, see `figure.save`.

    Raises:
        InputError: if there is no `chance_kappa_f1`; see also `figure.save`.
    """
    save(draw_difficulty, parts, path)


def draw_difficulty(parts: Mapping[str, Report]) -> Figure:
    """Draw the picture of `plot_difficulty`."""
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
            f"the plot needs {_MEASURE}, which is not among the measures.", f"Add {_MEASURE} to {mention('measure')}."
        )
    return chance


def draw_chance_f1(drawn: np.ndarray, observed: float, expected: float) -> Figure:
    """Draw the histogram of F1 by chance, with the observed and the expected F1.

    Args:
        drawn: F1 of each random pair of annotations.
        observed: F1 of the two sides.
        expected: F1 by chance.
    """
    figure, axes = _chart(5.0, 2.9)
    heights, edges = np.histogram(drawn, bins=_BINS, range=(0.0, 1.0))
    axes.stairs(heights, edges, fill=True, color=_BAR_COLOR)
    for value, name, line in ((expected, "expected", "--"), (observed, "observed", "-")):
        axes.axvline(value, color="black", linestyle=line, label=f"{name} {value:.4f}")
    axes.set_xlim(-0.01, 1.01)
    axes.set_xlabel("F1 of a random annotation")
    axes.set_ylabel("number of annotations")
    _add_legend(figure)
    return figure


def draw_coverage(coverage: Mapping[str, np.ndarray], spans: Mapping[str, Sequence[tuple[int, int]]]) -> Figure:
    """Draw the probability that random spans cover each token of a document, and above it the observed spans.

    Args:
        coverage: for each side, the probability that a span covers a token, shape (tokens).
        spans: for each side, the boundaries of its spans in tokens, ends exclusive.
    """
    from matplotlib.ticker import MaxNLocator

    figure, axes = _chart(5.0, 2.9)
    above = axes.inset_axes((0.0, 1.03, 1.0, 0.18), sharex=axes, facecolor="none")
    for row, ((name, likely), (color, line)) in enumerate(zip(coverage.items(), _SIDES, strict=True)):
        axes.plot(np.arange(1, len(likely) + 1), likely, color=color, linestyle=line, linewidth=2, label=name)
        # a little shorter, so that adjacent spans do not touch
        bars = [(start + 0.55, end - start - 0.1) for start, end in spans[name]]
        above.broken_barh(bars, (row - 0.35, 0.7), facecolor=color)
    above.set_yticks(range(len(spans)), list(spans))
    above.set_ylim(len(spans) - 0.4, -0.6)
    above.tick_params(length=0, labelbottom=False)
    above.spines[:].set_visible(False)
    axes.set_xlim(0.5, len(likely) + 0.5)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("token of the sentence, from 1")
    axes.set_ylabel("probability of a span")
    _add_legend(figure)
    return figure


def _chart(width: float, height: float) -> tuple[Figure, Axes]:
    figure, axes = new_plot(width, height)
    figure.set(dpi=_DOTS, facecolor="none")
    axes.set_facecolor("none")
    return figure, axes


def _add_legend(figure: Figure) -> None:
    """Add a legend below the axes, where it covers no line."""
    figure.legend(frameon=False, loc="outside lower center", ncols=2, fontsize=9)
