"""Figures: how they are created, styled and written."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

from ..exceptions import InputError
from ..readers.writing import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# colours of Okabe and Ito
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#b8c4ce"
LINES = list(product(("-", "--", ":"), (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")))
"""The styles and colours of lines, in order of use."""

DOT: dict[str, Any] = {"marker": "o", "color": BLUE, "markersize": 8}


def require_format(path: str) -> None:
    """Raise an `InputError` if matplotlib is missing or if it cannot write this kind of file."""
    if os.path.splitext(path)[1].lower() not in FORMATS:
        raise InputError(f"{path!r} is not the name of a picture.", f"End it in {', '.join(FORMATS)}.")
    new_figure(1.0, 1.0)


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Create an empty figure; width and height are in inches. Raise an `InputError` if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise InputError(
            "pictures need matplotlib, which is not installed.",
            "Install it: pip install 'matplotlib>=3.8' (the extra plots).",
        ) from None
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(h_pad=0.04, hspace=0.0))
    figure.suptitle(title, fontsize=11)
    return figure


def new_plot(width: float, height: float, title: str = "") -> tuple[Figure, Axes]:
    """Create a figure with one plot, which has no frame at the top and right, see `new_figure`."""
    figure = new_figure(width, height, title)
    axes = figure.add_subplot()
    hide(axes, "top", "right")
    return figure, axes


def save(draw: Callable[[Any], Figure], result: Any, path: str) -> None:
    """Draw a picture of a result and write it to a file. If drawing fails, an existing file is not changed.

    Raises:
        InputError: if matplotlib is missing, or if the file's name does not end like a picture's.
    """
    require_format(path)
    buffer = io.BytesIO()
    draw(result).savefig(buffer, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    with writing(path, replace=True) as stream:
        stream.write(buffer.getvalue())


def literal(name: str) -> str:
    """Escape a name for matplotlib, in which a dollar sign begins a formula."""
    return name.replace("$", r"\$")


def hide(axes: Axes, *sides: str) -> None:
    """Hide the frame of a plot on these sides."""
    axes.spines[list(sides)].set_visible(False)
