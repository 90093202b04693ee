"""Pictures of chance: the F1 of random annotations, and where spans lie at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..alignment.overlaps import Alignment, Side
from ..counts.counts import Counts
from ..errors import InputError
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.placement import place
from .html import escape, number, shortened

_WIDTH, _HEIGHT = 640, 262
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 58, 44
_BINS = 50


def simulated_f1(measure: ChanceKappaF1, counts: Counts) -> np.ndarray:
    """F1 of each random pair of annotations, shape (simulations); empty without any."""
    simulated = getattr(counts, "simulated", None)
    if simulated is None:
        return np.zeros(0)
    return np.atleast_1d(measure.score_totals({**counts.per_label(), "both": simulated})["f1"])


def chance_plot(drawn: np.ndarray, observed: float, expected: float) -> str:
    """The histogram of F1 by chance, with what was observed and what is expected."""
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) == 0 or np.isnan(observed) or np.isnan(expected):
        return '<p class="sm-muted">Set a number of simulated annotations to see how F1 by chance is distributed.</p>'
    heights, edges = np.histogram(drawn, bins=_BINS, range=(0.0, 1.0))
    most = int(heights.max())
    width = (_WIDTH - _LEFT - _RIGHT) / _BINS
    bars = [
        f'<rect x="{_x(left) + 0.5:.1f}" y="{_y(height / most):.1f}" width="{width - 1:.1f}" '
        f'height="{_y(0) - _y(height / most):.1f}" fill="currentColor" fill-opacity="0.45"/>'
        for left, height in zip(edges[:-1].tolist(), heights.tolist(), strict=True)
        if height
    ]
    marks = [
        _mark(expected, f"expected {number(expected)}", "6 4", _TOP - 26),
        _mark(observed, f"observed {number(observed)}", "", _TOP - 8),
    ]
    said = (
        f"Histogram of F1 of {len(drawn)} random annotations, from {number(float(drawn.min()))} to "
        f"{number(float(drawn.max()))}. Expected by chance: {number(expected)}. Observed: {number(observed)}."
    )
    ticks = [(value, f"{value:.1f}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    return _picture(said, [*bars, *marks], ticks, "F1", f"of {len(drawn)} draws", (0, most))


def placement_plot(measure: ChanceKappaF1, alignment: Alignment, words: Sequence[Sequence[str]]) -> str:
    """Where the spans of one sentence and label would lie at random, and where they are.

    The sentence and label that have the most spans where both sides have some; nothing where there are none.
    """
    found = _fullest(alignment)
    if found is None:
        return ""
    document, label = found
    tokens = int(alignment.offsets[document + 1] - alignment.offsets[document])
    curves, bars, tops = [], [], []
    for index, (short, dashes, side) in enumerate(
        (("ref.", "", alignment.references), ("pred.", "6 4", alignment.predictions))
    ):
        chosen = np.flatnonzero((side.document == document) & (side.label == label))
        start = alignment.token(side.start[chosen]) - alignment.offsets[document]
        lengths = (side.end - side.start)[chosen]
        kind = "independent" if measure.placement == "independent" else "disjoint"
        try:
            coverage = place(
                tokens,
                lengths.tolist(),
                placement=kind,
                method=measure.method,
                uniform_threshold=measure.uniform_threshold,
            ).coverage
        except InputError:
            return ""
        curves.append((dashes, coverage))
        tops.append(float(coverage.max()))
        row = 8 + 18 * index
        bars += [
            f'<rect x="{_x(begin / tokens):.1f}" y="{row}" width="{_x(size / tokens) - _x(0):.1f}" height="10" '
            f'fill="currentColor" fill-opacity="{0.9 if index == 0 else 0.4}" stroke="currentColor"/>'
            for begin, size in zip(start.tolist(), lengths.tolist(), strict=True)
        ]
        bars.append(f'<text x="{_LEFT - 6}" y="{row + 10}" text-anchor="end">{short}</text>')
    top = max(*tops, 1e-9)
    lines = []
    for dashes, coverage in curves:
        at = np.linspace(0, tokens - 1, min(tokens, 600)).astype(int)
        points = " ".join(f"{_x((token + 0.5) / tokens):.1f},{_y(coverage[token] / top):.1f}" for token in at.tolist())
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2" '
            f'stroke-dasharray="{dashes}"/>'
        )
    name = escape(shortened(alignment.labels[label]))
    said = (
        f"Sentence {document + 1}, label {name}: how likely a span lies over each of {tokens} tokens at random, for "
        f"the reference (solid line) and the prediction (dashed line). The bars above are the spans themselves."
    )
    ticks = [
        ((token + 0.5) / tokens, str(token + 1)) for token in np.linspace(0, tokens - 1, min(tokens, 8)).astype(int)
    ]
    text = " ".join(escape(shortened(word)) for word in words[document][:60])
    shown = f'<p class="sm-muted">“{text}{" …" if tokens > 60 else ""}”</p>'
    return shown + _picture(said, [*bars, *lines], ticks, "token", "probability", (0, top))


def _fullest(alignment: Alignment) -> tuple[int, int] | None:
    counts = []
    for side in (alignment.references, alignment.predictions):
        places, number_of = np.unique(_place_code(alignment, side), return_counts=True)
        counts.append(dict(zip(places.tolist(), number_of.tolist(), strict=True)))
    common = counts[0].keys() & counts[1].keys()
    if not common:
        return None
    best = min(common, key=lambda code: (-counts[0][code] - counts[1][code], code))
    return best % max(alignment.documents, 1), best // max(alignment.documents, 1)


def _place_code(alignment: Alignment, side: Side) -> np.ndarray:
    return side.label.astype(np.int64) * max(alignment.documents, 1) + side.document


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _mark(value: float, text: str, dashes: str, row: float) -> str:
    at = _x(min(max(value, 0.0), 1.0))
    anchor, shift = ("end", -6) if value > 0.5 else ("start", 6)
    return (
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{row - 10}" y2="{_y(0):.1f}" stroke="currentColor" stroke-width="2.5" '
        f'stroke-dasharray="{dashes}"/><text x="{at + shift:.1f}" y="{row}" text-anchor="{anchor}" '
        f'font-weight="600">{text}</text>'
    )


def _picture(
    said: str,
    parts: Sequence[str],
    ticks: Sequence[tuple[float, str]],
    horizontal: str,
    vertical: str,
    levels: tuple[float, float],
) -> str:
    """A picture with axes; its description stands below it too."""
    bottom = _y(0)
    axis = [
        f'<line x1="{_x(0):.1f}" x2="{_x(1):.1f}" y1="{bottom:.1f}" y2="{bottom:.1f}" stroke="currentColor"/>',
        f'<text x="{_x(1):.1f}" y="{_HEIGHT - 6}" text-anchor="end">{horizontal}</text>',
        f'<text x="{_x(0):.1f}" y="{_HEIGHT - 6}">{vertical}</text>',
        f'<text x="{_LEFT - 6}" y="{_y(1) + 5:.1f}" text-anchor="end">{levels[1]:.3g}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom + 4:.1f}" text-anchor="end">{levels[0]:.3g}</text>',
    ]
    axis += [f'<text x="{_x(at):.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{name}</text>' for at, name in ticks]
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{said}">{"".join(axis)}{"".join(parts)}'
        f'</svg><figcaption class="sm-muted">{said}</figcaption></figure>'
    )
