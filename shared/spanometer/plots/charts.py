"""Pictures. They need matplotlib, which is imported when one is drawn."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..analysis.agreement import Agreement
    from ..analysis.comparison import Comparison, MeasureComparison
    from ..analysis.spread import MeasureSpread, PolicySpread
    from ..analysis.sweep import AlphaSweep
    from ..measures.placement import Placement
    from ..measures.span_attribute import PrecisionRecallCurve

FORMATS = (".png", ".svg", ".pdf")

_BARS = 41
_NAMES = {
    "best": "best of the grid",
    "mean": "mean of the grid",
    "worst": "worst of the grid",
    "viterbi": "Viterbi",
    "by_score": "by score",
}
# colours of Okabe and Ito; the shape says the same
_GRID: dict[str, Any] = {"marker": "|", "color": "#000000", "markersize": 13, "markeredgewidth": 2.5}
_POLICY: dict[str, Any] = {"marker": "o", "color": "#0072B2", "markersize": 8}
_LOGITS: dict[str, Any] = {"marker": "D", "color": "#D55E00", "markersize": 7.5}
_KINDS = {"the grid as a whole": _GRID, "named policies": _POLICY, "decoded from logits": _LOGITS}
_BAR_COLOR = "#b8c4ce"
_LINES = [
    (color, line)
    for line in ("-", "--", ":")
    for color in ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
]


def require_format(path: str) -> None:
    """Raise an `InputError` unless a picture can be written under that name, and drawn at all."""
    if os.path.splitext(path)[1].lower() not in FORMATS:
        raise InputError(f"{path!r} is no name of a picture.", f"End it in {', '.join(FORMATS)}.")
    _new_figure(1.0, 1.0)


def plot_spread(spread: PolicySpread, path: str) -> None:
    """Write a picture of the scores under all policies, the named ones and those decoded from logits marked.

    For each measure a row for each marked score, highest first, above the histogram of all policies' scores.

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_spread(spread), path)


def plot_agreement(found: Agreement, path: str) -> None:
    """Write a heat map of the corrected F1 of all pairs of annotators.

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_agreement(found), path)


def plot_placement(placed: Placement, path: str) -> None:
    """Write a picture of where spans of each length begin at random, as in Figure 1 of the paper.

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_placement(placed), path)


def plot_sweep(sweep: AlphaSweep, path: str) -> None:
    """Write a picture of each system's ETER over the weight of the components, as in Figure 6 of the paper.

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_sweep(sweep), path)


def plot_precision_recall(curves: Mapping[str, PrecisionRecallCurve], path: str) -> None:
    """Write a picture of precision-recall curves, such as those of `SpanAttribute.curves`, the highest ap first.

    Precision holds over the recall that its step gains, so the area under a curve is its average precision (but with
    `edsnlp-0.20`, which leaves out the first step's).

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_precision_recall(curves), path)


def plot_comparison(found: Comparison, path: str) -> None:
    """Write a picture of each system's headline values with their intervals, a panel for each measure.

    Raises:
        InputError: where matplotlib is missing, or the path names no picture.
    """
    require_format(path)
    _write(draw_comparison(found), path)


def _write(figure: Figure, path: str) -> None:
    # drawn in whole before the file is touched
    buffer = io.BytesIO()
    figure.savefig(buffer, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    with open(path, "wb") as stream:
        stream.write(buffer.getvalue())


def draw_spread(spread: PolicySpread) -> Figure:
    """The picture that `plot_spread` writes."""
    marked = {name: _marked(measure) for name, measure in spread.measures.items()}
    rows = [0.32 * len(marks) + 0.3 for marks in marked.values()]
    heights = [height for row in rows for height in (row, 2.3)]
    figure = _new_figure(8.0, sum(heights) + 0.75 * len(rows) + 1.0)
    grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    for index, (name, measure) in enumerate(spread.measures.items()):
        below = figure.add_subplot(grid[2 * index + 1])
        above = figure.add_subplot(grid[2 * index], sharex=below)
        _draw_histogram(below, measure.scores)
        below.set_xlabel(measure.key if measure.key.startswith(name) else f"{name} {measure.key}")
        _draw_marks(above, below, marked[name])
        if index == 0:
            _add_legend(above, marked[name])
    figure.suptitle(_title(spread), fontsize=11)
    return figure


def _new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise InputError(
            "pictures need matplotlib, which is not installed.",
            "Install it: pip install 'matplotlib>=3.8' (the extra plots).",
        ) from None
    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(h_pad=0.04, hspace=0.0))


def _title(spread: PolicySpread) -> str:
    policies, illegal, affected = len(spread.grid), spread.illegal, len(spread.affected)
    return (
        f"One output, {policies:,} ways to repair its tags: {illegal:,} illegal {spread.scheme} "
        f"pair{'' if illegal == 1 else 's'} in {affected:,} document{'' if affected == 1 else 's'}"
    )


def _marked(measure: MeasureSpread) -> list[tuple[str, float, Mapping[str, Any]]]:
    """The scores that have names, highest first: name, score, how it is marked."""
    found = [(name, getattr(measure, name), _GRID) for name in ("best", "mean", "worst")]
    found += [(name, score, _POLICY) for name, score in measure.named.items()]
    found += [(name, score, _LOGITS) for name, score in measure.from_logits.items()]
    known = [(_NAMES.get(name, name), score, style) for name, score, style in found if not np.isnan(score)]
    return sorted(known, key=lambda mark: -round(mark[1], 9))


def _draw_histogram(axes: Axes, scores: np.ndarray) -> None:
    from matplotlib.ticker import MaxNLocator

    known = scores[~np.isnan(scores)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    if high - low < 1e-9:
        # one bar in the middle
        low, high = low - 0.01, high + 0.01
    axes.hist(known, bins=_BARS, range=(low, high), color=_BAR_COLOR, edgecolor="white", linewidth=0.5)
    axes.set_ylabel("policies")
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def _draw_marks(above: Axes, below: Axes, marks: list[tuple[str, float, Mapping[str, Any]]]) -> None:
    """A row for each mark, its name at the left, its score beside it, and a line down into the histogram."""
    low, high = below.get_xlim()
    scores = [score for _, score, _ in marks]
    low, high = min([low, *scores]), max([high, *scores])
    # room for the numbers beside the marks
    below.set_xlim(low - 0.04 * (high - low), high + 0.13 * (high - low))
    for row, (_, score, style) in enumerate(marks):
        above.plot([score], [row], linestyle="none", **style)
        above.annotate(
            f"{score:.4f}",
            (score, row),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            # over the lines of the rows above
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
        above.plot([score, score], [row, len(marks)], color=style["color"], linewidth=0.7, alpha=0.45, zorder=1)
        below.axvline(score, color=style["color"], linewidth=0.7, alpha=0.45)
    above.set_yticks(range(len(marks)), [name for name, _, _ in marks])
    above.set_ylim(len(marks) - 0.4, -0.6)
    above.tick_params(axis="x", bottom=False, labelbottom=False)
    above.tick_params(axis="y", length=0)
    above.spines[["top", "right", "bottom", "left"]].set_visible(False)


def _add_legend(axes: Axes, marks: list[tuple[str, float, Mapping[str, Any]]]) -> None:
    """What the marks stand for, above them."""
    used = [kind for kind, style in _KINDS.items() if any(mark[2] is style for mark in marks)]
    handles = [axes.plot([], [], linestyle="none", label=kind, **_KINDS[kind])[0] for kind in used]
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(used),
        frameon=False,
        fontsize=9,
        borderaxespad=0.2,
        handletextpad=0.3,
    )


def draw_agreement(found: Agreement) -> Figure:
    """The picture that `plot_agreement` writes."""
    count = len(found.names)
    side = max(2.6, 0.62 * count + 0.8)
    figure = _new_figure(side + 2.2, side + 1.0)
    axes = figure.add_subplot()
    values = np.array(found.kappa_f1)
    np.fill_diagonal(values, np.nan)
    # the whole scale from chance to perfect, so that pictures can be compared
    low = min(0.0, float(np.nan_to_num(values).min()))
    image = axes.imshow(np.ma.masked_invalid(values), cmap="cividis", vmin=low, vmax=1.0)
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        color = "white" if (values[row, column] - low) / (1.0 - low) < 0.55 else "black"
        text = f"{values[row, column]:.2f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=9, color=color)
    axes.set_xticks(range(count), found.names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(count), found.names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="F1 corrected for chance", shrink=0.9)
    joint = "" if np.isnan(found.alpha) else f"; alpha of all jointly {found.alpha:.4f}"
    figure.suptitle(f"Agreement beyond chance\nmean of pairs {found.mean_kappa_f1:.4f}{joint}", fontsize=10)
    return figure


def draw_placement(placed: Placement) -> Figure:
    """The picture that `plot_placement` writes."""
    figure = _new_figure(7.0, 4.0)
    axes = figure.add_subplot()
    for number, (length, starts) in enumerate(zip(placed.lengths, placed.starts, strict=True)):
        color, line = _LINES[number % len(_LINES)]
        name = f"{length} token{'' if length == 1 else 's'}"
        axes.plot(np.arange(1, len(starts) + 1), starts, color=color, linestyle=line, linewidth=1.6, label=name)
    axes.set_xlabel("first token of the span")
    axes.set_ylabel("probability")
    axes.set_xlim(1, max(placed.tokens, 2))
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, title="span of", alignment="left", loc="lower left")
    lengths = ", ".join(
        str(length) if count == 1 else f"{count} × {length}"
        for length, count in zip(placed.lengths, placed.counts, strict=True)
    )
    figure.suptitle(f"Spans of {lengths} tokens, placed at random in {placed.tokens:,}", fontsize=11)
    return figure


def draw_sweep(sweep: AlphaSweep) -> Figure:
    """The picture that `plot_sweep` writes."""
    figure = _new_figure(7.0, 4.4)
    axes = figure.add_subplot()
    for number, (name, rates) in enumerate(sweep.rates.items()):
        color, line = _LINES[number % len(_LINES)]
        # a dollar would begin a formula, and an underscore in front leave the line out of the legend
        label = name.replace("$", r"\$")
        axes.plot(sweep.alphas, rates, color=color, linestyle=line, linewidth=1.6, marker="o", markersize=4)
        axes.lines[-1].set_label(f" {label}" if label.startswith("_") else label)
    axes.set_xlabel("alpha: 0 for types and bounds alone, 1 for components alone")
    axes.set_ylabel("ETER")
    axes.ticklabel_format(useOffset=False)
    axes.margins(y=0.12)
    axes.grid(axis="y", color=_BAR_COLOR, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    # below, where no line runs
    figure.legend(frameon=False, loc="outside lower center", ncols=min(len(sweep.rates), 3), fontsize=9)
    figure.suptitle("Entity tree error rate over the weight of the components: lower is better", fontsize=11)
    return figure


def draw_precision_recall(curves: Mapping[str, PrecisionRecallCurve]) -> Figure:
    """The picture that `plot_precision_recall` writes."""
    figure = _new_figure(6.4, 4.6)
    axes = figure.add_subplot()
    by_area = sorted(curves.items(), key=lambda pair: -np.nan_to_num(pair[1].average_precision))
    for number, (name, curve) in enumerate(by_area):
        color, line = _LINES[number % len(_LINES)]
        # a step reaches from the recall before it to its own
        recall = np.concatenate(([0.0], curve.recall)) if len(curve.recall) else curve.recall
        precision = np.concatenate((curve.precision[:1], curve.precision))
        label = f"{name}: ap {curve.average_precision:.4f}"
        axes.plot(recall, precision, color=color, linestyle=line, linewidth=1.6, drawstyle="steps-pre", label=label)
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    # a little more, so that lines at the edges can be seen
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.02)
    axes.spines[["top", "right"]].set_visible(False)
    # names that begin with an underscore are shown, too
    axes.legend(handles=axes.lines, labels=[line.get_label() for line in axes.lines], frameon=False, fontsize=9)
    figure.suptitle("Precision and recall of predicted items, highest score first", fontsize=11)
    return figure


def draw_comparison(found: Comparison) -> Figure:
    """The picture that `plot_comparison` writes."""
    measures = list(found.measures.items())
    height = 0.36 * len(found.names) + 0.75
    figure = _new_figure(7.5, height * len(measures) + 0.7)
    for row, (name, result) in enumerate(measures):
        _draw_intervals(figure.add_subplot(len(measures), 1, row + 1), name, result)
    size = f"{found.documents:,} document{'' if found.documents == 1 else 's'}"
    confidence = f"{100 * found.resampling.confidence:g}"
    figure.suptitle(f"{len(found.names)} systems on {size}, {confidence} % confidence intervals", fontsize=11)
    return figure


def _draw_intervals(axes: Axes, name: str, result: MeasureComparison) -> None:
    """A row for each system, the best on top, with its value beside it."""
    measure = result.measure
    ordered = sorted(result.systems.items(), key=lambda item: item[1].rank)
    for row, (_, values) in enumerate(ordered):
        score, bounds = values.scores[measure.headline], values.intervals[measure.headline]
        axes.plot(bounds, [row, row], color=_POLICY["color"], linewidth=2.0, marker="|", markersize=9)
        axes.plot([score], [row], linestyle="none", **_POLICY)
        if np.isnan(score):
            continue
        place = (np.nanmax([score, *bounds]), row)
        axes.annotate(
            f"{score:.4f}",
            place,
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            # over the lines of the grid
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    # a dollar would begin a formula
    names = [f"{values.rank}  {system}".replace("$", r"\$") for system, values in ordered]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    # room for the numbers
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.12 * (high - low))
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.grid(axis="x", color=_BAR_COLOR, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    label = measure.headline if measure.headline.startswith(name) else f"{name} {measure.headline}"
    label = label.replace("$", r"\$")
    axes.set_xlabel(label if measure.higher_is_better else f"{label}, lower is better")
