"""Heat maps: the agreement of each pair of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .figure import hide, literal, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis.agreement import Agreement


def plot_agreement(found: Agreement, path: str) -> None:
    """Write a heat map of the corrected F1 of all pairs of annotators; see `figure.save`."""
    save(draw_agreement, found, path)


def draw_agreement(found: Agreement) -> Figure:
    """Draw what `plot_agreement` writes."""
    joint = "" if np.isnan(found.alpha) else f"; alpha of all jointly {found.alpha:.4f}"
    title = f"Agreement beyond chance\nmean of pairs {found.mean_kappa_f1:.4f}{joint}"
    return _heat_map(found.kappa_f1, found.names, title, "F1 corrected for chance")


def _heat_map(values: np.ndarray, names: Sequence[str], title: str, label: str) -> Figure:
    """Draw values up to 1 of all pairs of names, shape (names, names), but those on the diagonal."""
    side = max(2.6, 0.62 * len(names) + 0.8)
    figure = new_figure(side + 2.2, side + 1.0, title)
    axes = figure.add_subplot()
    shown = np.array(values)
    np.fill_diagonal(shown, np.nan)
    # the whole scale from chance to perfect, so that pictures can be compared
    low = min(0.0, float(np.nan_to_num(shown).min()))
    image = axes.imshow(np.ma.masked_invalid(shown), cmap="cividis", vmin=low, vmax=1.0)
    for row, column in np.argwhere(~np.isnan(shown)).tolist():
        color = "white" if (shown[row, column] - low) / (1.0 - low) < 0.55 else "black"
        axes.text(column, row, f"{shown[row, column]:.2f}", ha="center", va="center", fontsize=9, color=color)
    axes.set_xticks(range(len(names)), map(literal, names), rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), map(literal, names))
    axes.tick_params(length=0)
    hide(axes, "top", "right", "bottom", "left")
    figure.colorbar(image, ax=axes, label=label, shrink=0.9)
    return figure
