"""Charts of chance, without background, for pages. They have no text from outside, so that they need no font for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .figure import BLUE, ORANGE, new_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 50
_DOTS = 160
_BAR_COLOR = "#5f6b76"
_SIDES = ((BLUE, "-"), (ORANGE, "--"))
"""Colours and lines of reference and prediction."""


def draw_chance_f1(drawn: np.ndarray, observed: float, expected: float) -> Figure:
    """Draw the histogram of F1 by chance, with what was observed and what is expected.

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
    """Draw how likely spans lie over each token of a document at random, and above it where they are.

    Args:
        coverage: for each side the probability that a span lies over a token, shape (tokens).
        spans: for each side the bounds of its spans in tokens, ends exclusive.
    """
    from matplotlib.ticker import MaxNLocator

    figure, axes = _chart(5.0, 2.9)
    above = axes.inset_axes((0.0, 1.03, 1.0, 0.18), sharex=axes, facecolor="none")
    for row, ((name, likely), (color, line)) in enumerate(zip(coverage.items(), _SIDES, strict=True)):
        axes.plot(np.arange(1, len(likely) + 1), likely, color=color, linestyle=line, linewidth=2, label=name)
        # a little shorter, so that adjacent spans are told apart
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
    """Name the lines below the axes, where no line runs."""
    figure.legend(frameon=False, loc="outside lower center", ncols=2, fontsize=9)
