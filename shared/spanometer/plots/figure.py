"""Figures: how they are created, styled and written; curves and heat maps."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import InputError, counted, mention
from ..readers.writing import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..analysis.agreement.agreement import Agreement
    from ..analysis.errors.kinds import Confusion
    from ..analysis.scores.report import Report
    from ..measures.attribute_items import PrecisionRecallCurve
    from ..measures.placement import Placement


FORMATS = (".png", ".svg", ".pdf")

# colours of Okabe and Ito
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#b8c4ce"
LINES = list(product(("-", "--", ":"), (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")))
"""The styles and colours of lines, in order of use."""

DOT: dict[str, Any] = {"marker": "o", "color": BLUE, "markersize": 8}


def require_format(path: str) -> str:
    """Return the path; raise an `InputError` if matplotlib is missing or if it cannot write this kind of file."""
    if os.path.splitext(path)[1].lower() not in FORMATS:
        remedy = f"Use a name that ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        raise InputError(f"{path!r} is not the name of a picture.", remedy)
    new_figure(1.0, 1.0)
    return path


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Create an empty figure; width and height are in inches. Raise an `InputError` if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        remedy = "Install it: pip install 'matplotlib>=3.8' (the extra plots)."
        raise InputError("pictures need matplotlib, which is not installed.", remedy) from None
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(h_pad=0.04, hspace=0.0))
    figure.suptitle(title, fontsize=11)
    return figure


def new_plot(width: float, height: float, title: str = "") -> tuple[Figure, Axes]:
    """Create a figure with one plot, which has no frame at the top and right, see `new_figure`."""
    figure = new_figure(width, height, title)
    axes = figure.add_subplot()
    hide(axes, "top", "right")
    return figure, axes


def save(figure: Figure, path: str) -> Figure:
    """Write a picture to a file, and return its figure. If this fails, an existing file is not changed.

    Raises:
        InputError: if the file's name does not end like a picture's.
    """
    require_format(path)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    with writing(path, replace=True) as stream:
        stream.write(buffer.getvalue())
    return figure


def literal(name: str) -> str:
    """Escape a name for matplotlib, in which a dollar sign begins a formula."""
    return name.replace("$", r"\$")


def hide(axes: Axes, *sides: str) -> None:
    """Hide the frame of a plot on these sides."""
    axes.spines[list(sides)].set_visible(False)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write names at the left of the rows, the first one on top."""
    axes.set_yticks(range(len(names)), list(map(literal, names)))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


_MEASURE = "chance_kappa_f1"
_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "f1": ("observed F1", {"marker": "o", "color": BLUE, "linestyle": "-"}),
    "kappa_f1": ("F1 corrected for chance", {"marker": "D", "color": ORANGE, "linestyle": "--"}),
    "chance_f1": ("F1 by chance", {"marker": "x", "color": "#000000", "linestyle": ":"}),
}
_SHIFT = 0.08
"""The horizontal distance of the lines, so that their intervals do not overlap."""
_BINS = 50
_BAR_COLOR = "#5f6b76"
_SIDES = ((BLUE, "-"), (ORANGE, "--"))
"""The colours and line styles of reference and prediction."""


def plot_placement(placed: Placement, path: str) -> Figure:
    """Write a picture of the start probabilities of spans of each length, as in Figure 1 of the paper.

    See `figure.save` for formats and errors.
    """
    spans = list(zip(placed.lengths, placed.counts, strict=True))
    lengths = ", ".join(str(length) if count == 1 else f"{count} × {length}" for length, count in spans)
    figure, axes = new_plot(7.0, 4.0, f"Spans of {lengths} tokens, placed at random in {placed.tokens:,}")
    names = [counted(length, "token") for length in placed.lengths]
    _draw_curves(axes, [(name, np.arange(1, len(y) + 1), y) for name, y in zip(names, placed.starts, strict=True)])
    axes.set(xlabel="first token of the span", ylabel="probability", xlim=(1, max(placed.tokens, 2)), ylim=(0, None))
    axes.legend(frameon=False, title="span of", alignment="left", loc="lower left")
    return save(figure, path)


def plot_precision_recall(curves: Mapping[str, PrecisionRecallCurve], path: str) -> Figure:
    """Write a picture of precision-recall curves, such as `SpanAttribute.curves` returns, the highest ap first.

    Each precision is drawn over the recall that its step gains, so the area under a curve is its average precision
    (except with `edsnlp-0.20`, which leaves out the first step). See `figure.save` for formats and errors.
    """
    figure, axes = new_plot(6.4, 4.6, "Precision and recall of predicted items, highest score first")
    ordered = sorted(curves.items(), key=lambda pair: -np.nan_to_num(pair[1].average_precision))
    steps = []
    for name, curve in ordered:
        # a step is drawn from the previous recall (first 0) to its own
        recall = np.append(0 * curve.recall[:1], curve.recall)
        precision = np.append(curve.precision[:1], curve.precision)
        steps.append((f"{name}: ap {curve.average_precision:.4f}", recall, precision))
    _draw_curves(axes, steps, drawstyle="steps-pre")
    # slightly larger limits, so that lines at the edges are visible
    axes.set(xlabel="recall", ylabel="precision", xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    axes.legend(frameon=False, fontsize=9)
    return save(figure, path)


def _draw_curves(axes: Axes, curves: Iterable[tuple[str, Any, Any]], **style: Any) -> None:
    """Draw a line for each name, x and y."""
    for number, (name, x, y) in enumerate(curves):
        line, color = LINES[number % len(LINES)]
        axes.plot(x, y, color=color, linestyle=line, linewidth=1.6, **style)
        # matplotlib omits lines whose names begin with an underscore from the legend
        axes.lines[-1].set_label(f" {literal(name)}" if name.startswith("_") else literal(name))


def plot_difficulty(parts: Mapping[str, Report], path: str) -> Figure:
    """Write a picture of observed, corrected and chance F1 by chance level, with the number of documents.

    Args:
        parts: reports with `chance_kappa_f1`, as `analysis.difficulty.by_chance` returns them.
        path: the file, see `figure.save`.

    Raises:
        InputError: if there is no `chance_kappa_f1`; see also `figure.save`.
    """
    results = [result for report in parts.values() for result in report.results if result.measure.name == _MEASURE]
    if len(results) < len(parts):
        problem = f"the plot needs {_MEASURE}, which is not among the measures."
        raise InputError(problem, f"Add {_MEASURE} to {mention('measure')}.")
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
    above.grid(axis="y", color=GREY, linewidth=0.5)
    above.set(ylim=(min(0.0, above.get_ylim()[0]), 1.02), axisbelow=True, ylabel="F1")
    bars = below.bar(place, documents, width=0.6, color=GREY)
    below.bar_label(bars, [f"{number:,}" for number in documents], padding=2, fontsize=9)
    below.set_xticks(place, [name.removeprefix("chance ").replace(" to ", "\nto ") for name in parts])
    below.set(ylim=(0, 1.25 * max([*documents, 1])), ylabel="documents")
    below.set(xlabel="chance level, reference against itself")
    figure.legend(frameon=False, loc="outside upper center", ncols=3, fontsize=9)
    for axes in (above, below):
        hide(axes, "top", "right")
    return save(figure, path)


def draw_chance_f1(drawn: np.ndarray, observed: float, expected: float) -> Figure:
    """Draw the histogram of F1 by chance, with the observed and the expected F1.

    Args:
        drawn: F1 of each random pair of annotations.
        observed: F1 of the two sides.
        expected: F1 by chance.
    """
    figure, axes = _chart()
    heights, edges = np.histogram(drawn, bins=_BINS, range=(0.0, 1.0))
    axes.stairs(heights, edges, fill=True, color=_BAR_COLOR)
    for value, name, line in ((expected, "expected", "--"), (observed, "observed", "-")):
        axes.axvline(value, color="black", linestyle=line, label=f"{name} {value:.4f}")
    axes.set(xlim=(-0.01, 1.01), xlabel="F1 of a random annotation", ylabel="number of annotations")
    _add_legend(figure)
    return figure


def draw_coverage(coverage: Mapping[str, np.ndarray], spans: Mapping[str, Sequence[tuple[int, int]]]) -> Figure:
    """Draw the probability that random spans cover each token of a document, and above it the observed spans.

    Args:
        coverage: for each side, the probability that a span covers a token, shape (tokens).
        spans: for each side, the boundaries of its spans in tokens, ends exclusive.
    """
    from matplotlib.ticker import MaxNLocator

    figure, axes = _chart()
    above = axes.inset_axes((0.0, 1.03, 1.0, 0.18), sharex=axes, facecolor="none")
    for row, ((name, likely), (color, line)) in enumerate(zip(coverage.items(), _SIDES, strict=True)):
        axes.plot(np.arange(1, len(likely) + 1), likely, color=color, linestyle=line, linewidth=2, label=name)
        # a little shorter, so that adjacent spans do not touch
        bars = [(start + 0.55, end - start - 0.1) for start, end in spans[name]]
        above.broken_barh(bars, (row - 0.35, 0.7), facecolor=color)
    name_rows(above, list(spans))
    above.tick_params(length=0, labelbottom=False)
    above.spines[:].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlim=(0.5, len(likely) + 0.5), ylim=(0, None))
    axes.set(xlabel="token of the sentence, from 1", ylabel="probability of a span")
    _add_legend(figure)
    return figure


def _chart() -> tuple[Figure, Axes]:
    """Create a figure for a page, without a background."""
    figure, axes = new_plot(5.0, 2.9)
    figure.set(dpi=160, facecolor="none")
    axes.set_facecolor("none")
    return figure, axes


def _add_legend(figure: Figure) -> None:
    """Add a legend below the axes, where it covers no line."""
    figure.legend(frameon=False, loc="outside lower center", ncols=2, fontsize=9)


_MANY = 16
"""Matrices with more rows than this have smaller cells."""

_LONG = 10_000
"""In small cells, numbers from this one on are written in thousands."""

_DARK = 0.3
"""Cells with a larger share than this have white numbers."""

_SHARES = (0.01, 0.1, 0.25, 0.5, 1.0)


def plot_agreement(agreement: Agreement, path: str) -> Figure:
    """Write a heat map of the corrected F1 of all pairs of annotators; see `figure.save`."""
    joint = "" if np.isnan(agreement.alpha) else f"; alpha of all jointly {agreement.alpha:.4f}"
    title = f"Agreement beyond chance\nmean of pairs {agreement.mean_kappa_f1:.4f}{joint}"
    side = max(2.6, 0.62 * len(agreement.names) + 0.8)
    figure, axes = new_plot(side + 2.2, side + 1.0, title)
    shown = np.array(agreement.kappa_f1)
    np.fill_diagonal(shown, np.nan)
    # always the whole scale from chance to perfect, so that pictures can be compared
    low = min(0.0, float(np.nan_to_num(shown).min()))
    image = axes.imshow(np.ma.masked_invalid(shown), cmap="cividis", vmin=low, vmax=1.0)
    for row, column in np.argwhere(~np.isnan(shown)).tolist():
        value = shown[row, column]
        _write_cell(axes, row, column, f"{value:.2f}", white=(value - low) / (1.0 - low) < 0.55)
    _name(axes, agreement.names, agreement.names, rotation=30)
    figure.colorbar(image, ax=axes, label="F1 corrected for chance", shrink=0.9)
    return save(figure, path)


def plot_confusion(confusion: Confusion, path: str) -> Figure:
    """Write a heat map of the predicted labels of the spans with each label; see `figure.save`."""
    size = len(confusion.rows)
    large = size > _MANY
    cell, font = (0.3, 7.0) if large else (0.62, 9.0)
    side = max(2.6, cell * size)
    pairs = {"overlap": "all pairs", "exact": "pairs with the same boundaries"}[confusion.pairs]
    figure, axes = new_plot(side + 2.6, side + 1.4, f"Labels of reference and predicted spans: {pairs}")
    share = confusion.counts / np.maximum(confusion.counts.sum(axis=1, keepdims=True), 1)
    # the square root makes rare confusions visible beside correct spans
    image = axes.imshow(np.ma.masked_equal(np.sqrt(share), 0), cmap="Blues", vmin=0.0, vmax=1.0)
    for row, column in np.argwhere(confusion.counts).tolist():
        number = confusion.counts[row, column]
        text = f"{number:,}" if number < _LONG or not large else f"{number / 1000:,.0f}k"
        _write_cell(axes, row, column, text, white=share[row, column] > _DARK, font=font)
    # a line separates spans of only one side
    for line in (axes.axhline, axes.axvline):
        line(size - 1.5, color="black", linewidth=0.8)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(np.arange(size - 1) + 0.5, minor=True)
    axes.grid(which="minor", color=GREY, linewidth=0.3)
    _name(axes, confusion.rows, confusion.columns, rotation=90 if large else 30, fontsize=font)
    axes.tick_params(which="minor", length=0)
    axes.set(xlabel="predicted", ylabel="reference")
    bar = figure.colorbar(image, ax=axes, label="share of the row", shrink=0.5 if large else 0.9)
    bar.set_ticks([value**0.5 for value in _SHARES], labels=[f"{value:.0%}" for value in _SHARES])
    return save(figure, path)


def _write_cell(axes: Axes, row: int, column: int, text: str, *, white: bool, font: float = 9.0) -> None:
    axes.text(column, row, text, ha="center", va="center", fontsize=font, color="white" if white else "black")


def _name(axes: Axes, rows: Sequence[str], columns: Sequence[str], **style: Any) -> None:
    """Write the names of rows and columns of a heat map, and remove its frame."""
    axes.set_xticks(range(len(columns)), map(literal, columns), ha="right", rotation_mode="anchor", **style)
    axes.set_yticks(range(len(rows)), map(literal, rows), fontsize=style.get("fontsize"))
    axes.tick_params(length=0)
    hide(axes, "bottom", "left")
