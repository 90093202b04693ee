"""Heat maps: the agreement of each pair of annotators, the confusion of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .figure import GREY, hide, literal, new_plot, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..analysis.agreement.agreement import Agreement
    from ..analysis.errors.confusion import Confusion


_MANY = 16
"""Draw a line for each (name, x, y)."""

_LONG = 10_000
"""Matrices with more rows than this have smaller cells."""

_DARK = 0.3
"""In small cells, numbers from this one on are written in thousands."""

_SHARES = (0.01, 0.1, 0.25, 0.5, 1.0)


def plot_agreement(agreement: Agreement, path: str) -> None:
    """Write a heat map of the corrected F1 of all pairs of annotators; see `figure.save`."""
    save(draw_agreement, agreement, path)


def draw_agreement(agreement: Agreement) -> Figure:
    """Draw the picture of `plot_agreement`."""
    joint = "" if np.isnan(agreement.alpha) else f"; alpha of all jointly {agreement.alpha:.4f}"
    title = f"Agreement beyond chance\nmean of pairs {agreement.mean_kappa_f1:.4f}{joint}"
    return _heat_map(agreement.kappa_f1, agreement.names, title, "F1 corrected for chance")


def plot_confusion(confusion: Confusion, path: str) -> None:
    """Write a heat map of the predicted labels of the spans with each label; see `figure.save`."""
    save(draw_confusion, confusion, path)


def draw_confusion(confusion: Confusion) -> Figure:
    """Draw the picture of `plot_confusion`: numbers of spans, coloured by their proportion of the row."""
    size = len(confusion.rows)
    large = size > _MANY
    cell, font = (0.3, 7.0) if large else (0.62, 9.0)
    side = max(2.6, cell * size)
    pairs = {"overlap": "all pairs", "exact": "pairs with the same boundaries"}[confusion.pairs]
    figure, axes = new_plot(side + 2.6, side + 1.4, f"Labels of reference and predicted spans: {pairs}")
    totals = confusion.counts.sum(axis=1, keepdims=True)
    share = confusion.counts / np.maximum(totals, 1)
    # a root, so that rare confusions can be seen beside correct spans
    image = axes.imshow(np.ma.masked_equal(np.sqrt(share), 0), cmap="Blues", vmin=0.0, vmax=1.0)
    for row, column in np.argwhere(confusion.counts).tolist():
        number = confusion.counts[row, column]
        text = f"{number:,}" if number < _LONG or not large else f"{number / 1000:,.0f}k"
        color = "white" if share[row, column] > _DARK else "black"
        axes.text(column, row, text, ha="center", va="center", fontsize=font, color=color)
    # spans of a single side are set apart
    for line in (axes.axhline, axes.axvline):
        line(size - 1.5, color="black", linewidth=0.8)
    axes.set_xticks(np.arange(size - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(size - 1) + 0.5, minor=True)
    axes.grid(which="minor", color=GREY, linewidth=0.3)
    _name(axes, confusion.rows, confusion.columns, rotation=90 if large else 30, fontsize=font)
    axes.tick_params(which="minor", length=0)
    axes.set(xlabel="predicted", ylabel="reference")
    bar = figure.colorbar(image, ax=axes, label="share of the row", shrink=0.5 if large else 0.9)
    bar.set_ticks([value**0.5 for value in _SHARES], labels=[f"{value:.0%}" for value in _SHARES])
    return figure


def _heat_map(values: np.ndarray, names: Sequence[str], title: str, label: str) -> Figure:
    """Draw values up to 1 for all pairs of names, shape (names, names), without the diagonal."""
    side = max(2.6, 0.62 * len(names) + 0.8)
    figure, axes = new_plot(side + 2.2, side + 1.0, title)
    shown = np.array(values)
    np.fill_diagonal(shown, np.nan)
    # the whole scale from chance to perfect, so that pictures can be compared
    low = min(0.0, float(np.nan_to_num(shown).min()))
    image = axes.imshow(np.ma.masked_invalid(shown), cmap="cividis", vmin=low, vmax=1.0)
    for row, column in np.argwhere(~np.isnan(shown)).tolist():
        color = "white" if (shown[row, column] - low) / (1.0 - low) < 0.55 else "black"
        axes.text(column, row, f"{shown[row, column]:.2f}", ha="center", va="center", fontsize=9, color=color)
    _name(axes, names, names, rotation=30)
    figure.colorbar(image, ax=axes, label=label, shrink=0.9)
    return figure


def _name(axes: Axes, rows: Sequence[str], columns: Sequence[str], **style: Any) -> None:
    """Write the names of rows and columns of a heat map, and remove its frame."""
    axes.set_xticks(range(len(columns)), map(literal, columns), ha="right", rotation_mode="anchor", **style)
    axes.set_yticks(range(len(rows)), map(literal, rows), fontsize=style.get("fontsize"))
    axes.tick_params(length=0)
    hide(axes, "bottom", "left")
