"""Pictures of scores in rows: of policies for repair and grounding, and of systems with intervals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import counted
from .figure import BLUE, DOT, GREY, ORANGE, hide, literal, name_rows, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

    from ..analysis.comparison.comparison import Comparison, MeasureComparison
    from ..analysis.policies.groundings import GroundingSpread
    from ..analysis.policies.repairs import MeasureSpread, PolicySpread
    from ..grounding.outcomes import GroundingGrid

Mark = tuple[str, float, Mapping[str, Any]]
"""The name of a score, the score, and its style."""

_BARS = 41
_WHOLE = ("best", "mean", "worst")
_NAMES = {"viterbi": "Viterbi", "by_score": "by score"}
# shapes repeat the information in colours
_GRID: dict[str, Any] = {"marker": "|", "color": "#000000", "markersize": 13, "markeredgewidth": 2.5}
_LOGITS: dict[str, Any] = {"marker": "D", "color": ORANGE, "markersize": 7.5}
_NEAREST: dict[str, Any] = {**DOT, "markerfacecolor": "white"}
_KINDS = {
    "all policies": _GRID,
    "named policies": DOT,
    "policies nearest to a project's rule": _NEAREST,
    "decoded from logits": _LOGITS,
}
_ACTION: dict[str, Any] = {"marker": "o", "color": BLUE, "markersize": 5}
_STRICT: dict[str, Any] = {"marker": "|", "color": ORANGE, "markersize": 12, "markeredgewidth": 2.5}
_NONE = 1e-9
"""Scores that differ by less than this are equal."""


def plot_spread(spread: PolicySpread, path: str) -> Figure:
    """Write a picture of the scores under all policies, with named policies and decodings of logits marked.

    For each measure, it shows a row for each marked score, the highest first, above a histogram of all policies'
    scores. See `figure.save` for formats and errors.
    """
    marked = {name: _marked(measure) for name, measure in spread.measures.items()}
    heights = [height for marks in marked.values() for height in (0.32 * len(marks) + 0.3, 2.3)]
    pairs = counted(spread.illegal, f"illegal {spread.scheme} pair")
    documents = counted(len(spread.affected), "document")
    title = f"One output, {len(spread.grid):,} ways to repair its tags: {pairs} in {documents}"
    figure = new_figure(8.0, sum(heights) + 0.75 * len(marked) + 1.0, title)
    grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    for index, (name, measure) in enumerate(spread.measures.items()):
        _draw_policies(figure, grid, 2 * index, measure, marked[name], name)
    return save(figure, path)


def plot_grounding_spread(spread: GroundingSpread, path: str) -> Figure:
    """Write a picture of the scores under all groundings of answers, for each measure and system; strings come last.

    It shows a row for each named policy, the highest score first, above a histogram of all policies' scores. Below, it
    shows the effect of each place: the scores of its actions, with the default actions at all other places. See
    `figure.save` for formats and errors.
    """
    panels = [
        (of, name, system, measure, _marked(measure, of.grid.nearest))
        for of in (spread, *([] if spread.strings is None else [spread.strings]))
        for system, answers in of.systems.items()
        for name, measure in answers.measures.items()
    ]
    heights = [
        height for of, *_, marks in panels for height in (0.32 * len(marks) + 0.3, 1.9, 0.3 * len(of.grid.places) + 0.3)
    ]
    size = counted(sum(answers.strict.total["items"] for answers in spread.systems.values()), "item")
    size = f"{size}, {counted(spread.documents, 'document')}"
    title = f"The same answers, {len(spread.grid):,} ways to ground them: {size}"
    figure = new_figure(8.0, sum(heights) + 1.1 * len(panels) + 1.0, title)
    grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    for index, (of, name, system, measure, marks) in enumerate(panels):
        label = name if len(spread.systems) == 1 else f"{system}: {name}"
        _draw_policies(figure, grid, 3 * index, measure, marks, label)
        # `offsets` is not in the grid, but may have the largest effect
        effects = {place: scores for place, scores in of.effects(system, name).items() if place != "offsets"}
        _draw_effects(figure.add_subplot(grid[3 * index + 2]), effects, measure, of.grid)
    return save(figure, path)


def _draw_effects(
    axes: Axes, effects: Mapping[str, Mapping[str, float]], measure: MeasureSpread, grid: GroundingGrid
) -> None:
    """Draw a row for each place, the largest effect on top, with the scores of its actions.

    The extremes are labelled.
    """
    strict, own = measure.named[grid.default], grid.describe(grid.named[grid.default])
    ordered = sorted(effects, key=lambda place: min(effects[place].values()) - max(effects[place].values()))
    for row, place in enumerate(ordered):
        actions = effects[place]
        # if actions have the same score, the default action comes first
        listed = [own[place], *(action for action in actions if action != own[place])]
        low, high = (end(listed, key=actions.__getitem__) for end in (min, max))
        axes.plot([actions[low], actions[high]], [row, row], color=GREY, linewidth=2.0, zorder=1)
        axes.plot(list(actions.values()), [row] * len(actions), linestyle="none", **_ACTION)
        axes.plot([strict], [row], linestyle="none", **_STRICT)
        if np.isnan(strict):
            continue
        if actions[high] - actions[low] < _NONE:
            _write(axes, "no effect", strict, row)
            continue
        _write(axes, f"{low} {actions[low]:.4f}", actions[low], row, left=True)
        _write(axes, f"{high} {actions[high]:.4f}", actions[high], row)
    _finish(axes, ordered, 0.4, 0.4)
    axes.set_xlabel(f"{grid.default} (orange), with another action at one place")


def _draw_policies(
    figure: Figure, grid: GridSpec, row: int, measure: MeasureSpread, marks: list[Mark], name: str
) -> None:
    """Draw the histogram of all policies' scores, and above it a row for each marked score; the first has a legend.

    A mark has its score beside it, and a line down into the histogram.
    """
    from matplotlib.ticker import MaxNLocator

    below = figure.add_subplot(grid[row + 1])
    above = figure.add_subplot(grid[row], sharex=below)
    defined = measure.scores[~np.isnan(measure.scores)]
    low, high = (float(defined.min()), float(defined.max())) if len(defined) else (0.0, 0.0)
    if high - low < _NONE:
        # one bar in the middle
        low, high = low - 0.01, high + 0.01
    below.hist(defined, bins=_BARS, range=(low, high), color=GREY, edgecolor="white", linewidth=0.5)
    below.ticklabel_format(axis="x", useOffset=False)
    below.yaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    scores = [score for _, score, _ in marks]
    low, high = min([*below.get_xlim(), *scores]), max([*below.get_xlim(), *scores])
    label = measure.key if measure.key.startswith(name) else f"{literal(name)} {measure.key}"
    # space for the numbers beside the marks
    below.set(xlim=(low - 0.04 * (high - low), high + 0.13 * (high - low)), xlabel=label, ylabel="policies")
    hide(below, "top", "right")
    for place, (_, score, style) in enumerate(marks):
        line = {"color": style["color"], "linewidth": 0.7, "alpha": 0.45}
        above.plot([score], [place], linestyle="none", **style)
        _write(above, f"{score:.4f}", score, place)
        above.plot([score, score], [place, len(marks)], zorder=1, **line)
        below.axvline(score, **line)
    name_rows(above, [name for name, _, _ in marks])
    above.tick_params(axis="x", bottom=False, labelbottom=False)
    hide(above, "top", "right", "bottom", "left")
    if row == 0:
        _add_legend(above, marks)


def _marked(measure: MeasureSpread, nearest: Collection[str] = ()) -> list[Mark]:
    """Return the scores that have names, the highest first; names in `nearest` are marked as approximations."""
    marks: list[Mark] = [(f"{name} of policies", getattr(measure, name), _GRID) for name in _WHOLE]
    marks += [(name, score, _NEAREST if name in nearest else DOT) for name, score in measure.named.items()]
    marks += [(name, score, _LOGITS) for name, score in measure.from_logits.items()]
    defined = [(_NAMES.get(name, name), score, style) for name, score, style in marks if not np.isnan(score)]
    return sorted(defined, key=lambda mark: -round(mark[1], 9))


def _add_legend(axes: Axes, marks: list[Mark]) -> None:
    """Draw the legend above the marks."""
    used = [kind for kind, style in _KINDS.items() if any(mark[2] is style for mark in marks)]
    handles = [axes.plot([], [], linestyle="none", label=kind, **_KINDS[kind])[0] for kind in used]
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "handletextpad": 0.3}
    axes.legend(handles=handles, ncols=len(used), frameon=False, fontsize=9, **place)


def plot_comparison(comparison: Comparison, path: str) -> Figure:
    """Write a picture of each system's main score with its interval, with a panel for each measure.

    See `figure.save` for formats and errors.
    """
    size = f"{counted(len(comparison.names), 'system')} on {counted(comparison.documents, 'document')}"
    confidence = f"{100 * comparison.resampling.confidence:g} % confidence intervals"
    height = 0.36 * len(comparison.names) + 0.75
    figure = new_figure(7.5, height * len(comparison.measures) + 0.7, f"{size}, {confidence}")
    for row, (name, result) in enumerate(comparison.measures.items(), 1):
        _draw_intervals(figure.add_subplot(len(comparison.measures), 1, row), name, result)
    return save(figure, path)


def _draw_intervals(axes: Axes, name: str, result: MeasureComparison) -> None:
    """Draw a row for each system, the best on top, with its score beside it."""
    ordered = sorted(result.systems.items(), key=lambda item: item[1].rank)
    for row, (_, values) in enumerate(ordered):
        score, bounds = values.scores[result.key], values.intervals[result.key]
        axes.plot(bounds, [row, row], color=BLUE, linewidth=2.0, marker="|", markersize=9)
        axes.plot([score], [row], linestyle="none", **DOT)
        if not np.isnan(score):
            _write(axes, f"{score:.4f}", np.nanmax([score, *bounds]), row)
    _finish(axes, [f"{values.rank}  {system}" for system, values in ordered], 0.0, 0.12)
    axes.grid(axis="x", color=GREY, linewidth=0.5)
    label = literal(result.title(name))
    axes.set(axisbelow=True, xlabel=label if result.higher_is_better else f"{label}, lower is better")


def _finish(axes: Axes, names: Sequence[str], left: float, right: float) -> None:
    """Name the rows, and add space for the texts beside the marks, as shares of the width."""
    name_rows(axes, names)
    low, high = axes.get_xlim()
    axes.set_xlim(low - left * (high - low), high + right * (high - low))
    axes.ticklabel_format(axis="x", useOffset=False)
    hide(axes, "top", "right", "left")


def _write(axes: Axes, text: str, x: float, row: int, *, left: bool = False) -> None:
    """Write a text beside a position, on top of the lines there."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    side = {"xytext": (-9, 0), "ha": "right"} if left else {"xytext": (9, 0), "ha": "left"}
    axes.annotate(text, (x, row), textcoords="offset points", va="center", fontsize=9, bbox=box, **side)
