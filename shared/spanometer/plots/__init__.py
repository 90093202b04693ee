"""Pictures of results, drawn by matplotlib, which is imported when a picture is drawn.

`plot_...` functions write a picture to a file, and return its figure; `draw_...` functions only return it.
"""

from .figure import plot_agreement, plot_confusion, plot_difficulty, plot_placement, plot_precision_recall
from .scores import plot_comparison, plot_grounding_spread, plot_spread

__all__ = [
    "plot_agreement",
    "plot_comparison",
    "plot_confusion",
    "plot_difficulty",
    "plot_grounding_spread",
    "plot_placement",
    "plot_precision_recall",
    "plot_spread",
]
