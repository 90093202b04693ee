"""Curves: chance of places, ETER over alpha, precision over recall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import counted
from .figure import GREY, LINES, literal, new_plot, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..measures.attribute_ranking import PrecisionRecallCurve
    from ..measures.eter import AlphaSweep
    from ..measures.placement import Placement


def plot_placement(placed: Placement, path: str) -> None:
    """Write a picture of where spans of each length begin at random, as in Figure 1 of the paper; see `figure.save`."""
    save(draw_placement, placed, path)


def plot_sweep(sweep: AlphaSweep, path: str) -> None:
    """Write a picture of each system's ETER over the weight of the components, as in Figure 6 of the paper.

    See `figure.save`.
    """
    save(draw_sweep, sweep, path)


def plot_precision_recall(curves: Mapping[str, PrecisionRecallCurve], path: str) -> None:
    """Write a picture of precision-recall curves, such as those of `SpanAttribute.curves`, the highest ap first.

    Precision holds over the recall that its step gains, so the area under a curve is its average precision (but with
    `edsnlp-0.20`, which leaves out the first step's). See `figure.save`.
    """
    save(draw_precision_recall, curves, path)


def draw_placement(placed: Placement) -> Figure:
    """Draw what `plot_placement` writes."""
    spans = list(zip(placed.lengths, placed.counts, strict=True))
    lengths = ", ".join(str(length) if count == 1 else f"{count} × {length}" for length, count in spans)
    figure, axes = new_plot(7.0, 4.0, f"Spans of {lengths} tokens, placed at random in {placed.tokens:,}")
    names = [counted(length, "token") for length in placed.lengths]
    _draw_curves(axes, [(name, np.arange(1, len(y) + 1), y) for name, y in zip(names, placed.starts, strict=True)])
    axes.set(xlabel="first token of the span", ylabel="probability", xlim=(1, max(placed.tokens, 2)), ylim=(0, None))
    axes.legend(frameon=False, title="span of", alignment="left", loc="lower left")
    return figure


def draw_sweep(sweep: AlphaSweep) -> Figure:
    """Draw what `plot_sweep` writes."""
    figure, axes = new_plot(7.0, 4.4, "Entity tree error rate over the weight of the components: lower is better")
    curves = [(name, sweep.alphas, rates) for name, rates in sweep.rates.items()]
    _draw_curves(axes, curves, marker="o", markersize=4)
    axes.set(xlabel="alpha: 0 for types and bounds alone, 1 for components alone", ylabel="ETER")
    axes.ticklabel_format(useOffset=False)
    axes.margins(y=0.12)
    axes.grid(axis="y", color=GREY, linewidth=0.5)
    # below, where no line runs
    figure.legend(frameon=False, loc="outside lower center", ncols=min(len(curves), 3), fontsize=9)
    return figure


def draw_precision_recall(curves: Mapping[str, PrecisionRecallCurve]) -> Figure:
    """Draw what `plot_precision_recall` writes."""
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
