"""What is in the pictures, and the files that they are written to."""

import sys

import numpy as np
import pytest

import spanometer
from spanometer import InputError
from spanometer.analysis.policies.groundings import grounding_spread
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.analysis.scores.score import by_chance
from spanometer.counts.statistics import Resampling
from spanometer.measures import ChanceKappaF1, SlIcm, SpanF
from spanometer.measures.attribute_items import PrecisionRecallCurve
from spanometer.measures.placement import place
from spanometer.plots import (
    plot_agreement,
    plot_comparison,
    plot_confusion,
    plot_difficulty,
    plot_grounding_spread,
    plot_placement,
    plot_precision_recall,
    plot_spread,
)
from spanometer.plots.figure import require_format

pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plots)")

# of older matplotlib with newer pyparsing
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LABELS = ["O", "B-A", "I-A", "B-B", "I-B"]
GOLD = [["B-A", "I-A", "O"], ["O", "B-B"], ["B-A"]] * 4
SYSTEM = [["B-A", "O", "O"], ["O", "B-B"], ["I-A"]] * 4
POOR = [["O", "I-A", "O"], ["B-A", "I-B"], ["I-B"]] * 4


def curve(recall, precision, area):
    return PrecisionRecallCurve(np.zeros(len(recall)), np.array(precision), np.array(recall), area)


def spread_of_logits():
    return policy_spread(GOLD, logits=LOGITS, id2label=LABELS, measures=[SpanF(), SlIcm()])


def spread_of_answers():
    texts = ["Paris loves Paris", "Ann and Bob"]
    gold = [[{"start": start, "end": start + 5, "label": "LOC"} for start in (0, 12)], []]
    answers = {"_one$a$": ['[["LOC", "Paris"]]', "[]"], "two": ['[["LOC", "paris"]]', '[["PER", "Ann"], ["PER", "an']}
    return grounding_spread(texts, answers, gold, measures=["span_f", "link_f"])


def comparison_of_systems():
    systems = {"old$a$": SYSTEM, "_new": GOLD, "poor": POOR}
    return spanometer.compare(GOLD, systems, measures=("span_f", "sl_icm"), n_resamples=50, n_permutations=50)


def parts_by_chance():
    sides = map(spanometer.Spans.from_tags, (GOLD, SYSTEM))
    return by_chance(*sides, (0.4, 0.8, 0.999), [ChanceKappaF1()], resampling=Resampling(n_resamples=20))


LOGITS = [np.random.default_rng(0).normal(size=(len(row), 5)) for row in GOLD]
CURVES = {"other": curve([], [], np.nan), "micro": curve([0.5, 0.5], [1.0, 0.5], 0.5), "_neg": curve([1.0], [1.0], 1.0)}

PICTURES = {
    "spread": (plot_spread, spread_of_logits),
    "grounding": (plot_grounding_spread, spread_of_answers),
    "comparison": (plot_comparison, comparison_of_systems),
    "agreement": (plot_agreement, lambda: spanometer.agreement([GOLD, SYSTEM, POOR], names=["ann", "_ben", "cat$x$"])),
    "confusion": (plot_confusion, lambda: spanometer.errors(GOLD, SYSTEM).only.confusion()),
    "placement": (plot_placement, lambda: place(100, [1, 5, 5, 10, 15])),
    "difficulty": (plot_difficulty, parts_by_chance),
    "curves": (plot_precision_recall, lambda: CURVES),
}


@pytest.fixture
def drawn(tmp_path):
    """Draw a picture of a result."""
    return lambda plot, result: plot(result, str(tmp_path / "drawn.svg"))


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(tmp_path, name):
    plot, result = PICTURES[name]
    found = result()
    plot(found, str(tmp_path / "picture.svg"))
    assert (tmp_path / "picture.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(InputError, match=r"not the name of a picture.\nUse a name that ends in .png, .svg or .pdf."):
        plot(found, str(tmp_path / "picture.txt"))


@pytest.mark.parametrize(("ending", "begin"), [("png", b"\x89PNG"), ("SVG", b"<?xml"), ("pdf", b"%PDF")])
def test_formats(tmp_path, ending, begin):
    path = tmp_path / f"picture.{ending}"
    plot_precision_recall(CURVES, str(path))
    assert path.read_bytes().startswith(begin)


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (require_format, lambda path: plot_precision_recall(CURVES, path)):
        with pytest.raises(InputError, match="pictures need matplotlib, which is not installed"):
            draw(str(tmp_path / "a.png"))
    assert not (tmp_path / "a.png").exists()


def test_spread(drawn):
    spread = spread_of_logits()
    figure = drawn(plot_spread, spread)
    below, above, *_ = figure.axes
    assert sum(bar.get_height() for bar in below.patches) == len(spread.grid)
    assert below.get_xlabel() == "span_f f1"
    assert below.get_ylabel() == "policies"
    of_logits = ["Viterbi", "by score", "greedy", "greedy_from_starts"]
    rows = [label.get_text() for label in above.get_yticklabels()]
    assert sorted(rows) == sorted(
        [f"{name} of policies" for name in ("best", "mean", "worst")] + [*spread.measures["span_f"].named, *of_logits]
    )
    numbers = [float(text.get_text()) for text in above.texts]
    assert numbers == sorted(numbers, reverse=True)
    # no label lies over another one or beyond the edge
    figure.draw_without_rendering()
    for texts in (above.get_yticklabels(), above.texts, [figure._suptitle, *above.get_legend().get_texts()]):
        boxes = [text.get_window_extent() for text in texts]
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1 for box in boxes)


def test_grounding_spread(drawn):
    spread = spread_of_answers()
    figure = drawn(plot_grounding_spread, spread)
    # three for each measure and system, strings among the measures
    assert len(figure.axes) == 18
    assert figure.axes[-1].get_xlabel() == "strict-strings (orange), with another action at one place"
    assert sum(bar.get_height() for bar in figure.axes[-3].patches) == 128
    below, above, effects = figure.axes[:3]
    measure = spread.systems["_one$a$"].measures["span_f"]
    assert sum(bar.get_height() for bar in below.patches) == 9216
    assert below.get_xlabel() == r"_one\$a\$: span_f f1"
    names = {label.get_text(): above.texts[row].get_text() for row, label in enumerate(above.get_yticklabels())}
    assert {name: names[name] for name in measure.named} == {
        name: f"{score:.4f}" for name, score in measure.named.items()
    }
    assert effects.get_yticklabels()[0].get_text() == "repeat"
    assert [text.get_text() for text in effects.texts][:3] == ["prefer free 0.6667", "all 1.0000", "no effect"]
    # no label lies over another one or beyond the edge
    figure.draw_without_rendering()
    titles = [figure._suptitle, *above.get_legend().get_texts()]
    for texts in (above.get_yticklabels(), above.texts, effects.texts, titles):
        boxes = [text.get_window_extent() for text in texts]
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1 for box in boxes)


def test_comparison(drawn):
    found = comparison_of_systems()
    panels = drawn(plot_comparison, found).axes
    assert [axes.get_xlabel() for axes in panels] == ["span_f f1", "sl_icm_norm"]
    for axes, result in zip(panels, found.measures.values(), strict=True):
        labels = [label.get_text().replace("\\", "") for label in axes.get_yticklabels()]
        assert labels == ["1  _new", "2  old$a$", "3  poor"]
        headline = result.measure.headline
        best_first = [result.systems[name] for name in ("_new", "old$a$", "poor")]
        assert [text.get_text() for text in axes.texts] == [f"{each.scores[headline]:.4f}" for each in best_first]
        for line, each in zip(axes.lines[::2], best_first, strict=True):
            assert tuple(line.get_xdata()) == each.intervals[headline]


def test_heat_map(drawn):
    found = spanometer.agreement([GOLD, SYSTEM, POOR], names=["ann", "ben", "cat"])
    axes = drawn(plot_agreement, found).axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == [f"{found.kappa_f1[row, column]:.2f}" for row in range(3) for column in range(3) if row != column]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["ann", "ben", "cat"]


@pytest.mark.parametrize("labels", [4, 60])
def test_confusion(labels, drawn):
    names = [f"${number:02}" for number in range(labels)]
    gold = [[{"start": at, "end": at + 1, "label": name} for at, name in enumerate(names)]] * 12
    output = [[{**span, "label": names[0]} if span["start"] < 2 else span for span in gold[0][:-1]]] * 12
    figure = drawn(plot_confusion, spanometer.errors(gold, output, confidence=None).only.confusion())
    axes, bar = figure.axes
    cells = [(*map(int, text.get_position()), text.get_text()) for text in axes.texts]
    expected = [(0, 0), (0, 1), *((at, at) for at in range(2, labels - 1)), (labels, labels - 1)]
    assert cells == [(column, row, "12") for column, row in expected]
    shown = [label.get_text().replace("\\", "") for label in axes.get_xticklabels()]
    assert shown == [*names, "missing"]
    assert [label.get_text().replace("\\", "") for label in axes.get_yticklabels()] == [*names, "spurious"]
    assert bar.get_ylabel() == "share of the row"
    # every number and every name has room
    figure.draw_without_rendering()
    for texts in (axes.texts, axes.get_xticklabels() if labels > 16 else [], axes.get_yticklabels()):
        boxes = [text.get_window_extent() for text in texts]
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_difficulty(drawn):
    parts = parts_by_chance()
    above, below = drawn(plot_difficulty, parts).axes
    assert [int(bar.get_height()) for bar in below.patches] == [0, 8, 0, 4]
    names = [label.get_text() for label in below.get_xticklabels()]
    assert names == ["below 0.4", "from 0.4\nto below 0.8", "from 0.8\nto below 0.999", "0.999 or more"]
    scores = [part.results[0].scores["f1"] for part in parts.values()]
    line = above.lines[0].get_ydata()
    assert np.isnan(line[[0, 2]]).all()
    assert list(line[[1, 3]]) == [scores[1], scores[3]]
    with pytest.raises(InputError, match="the plot needs chance_kappa_f1"):
        drawn(plot_difficulty, by_chance(*map(spanometer.Spans.from_tags, (GOLD, SYSTEM)), (0.4,), [SpanF()]))


def test_placement(drawn):
    placed = place(100, [1, 5, 10, 15])
    axes = drawn(plot_placement, placed).axes[0]
    for line, starts in zip(axes.lines, placed.starts, strict=True):
        assert line.get_ydata() == pytest.approx(starts)
        assert line.get_xdata()[[0, -1]].tolist() == [1, len(starts)]


def test_precision_and_recall(drawn):
    axes = drawn(plot_precision_recall, CURVES).axes[0]
    texts = [text.get_text().strip() for text in axes.get_legend().get_texts()]
    assert texts == ["_neg: ap 1.0000", "micro: ap 0.5000", "other: ap nan"]
    line = axes.lines[1]
    assert line.get_xdata().tolist() == [0.0, 0.5, 0.5]
    assert line.get_ydata().tolist() == [1.0, 1.0, 0.5]
    assert line.get_drawstyle() == "steps-pre"


def test_scores_that_are_not_defined(drawn):
    empty = [["O"]] * 2
    spread = policy_spread(empty, empty, scheme="IOB2", measures=[SpanF(zero_division=float("nan"))])
    assert drawn(plot_spread, spread).axes[1].get_yticks().tolist() == []
    silent = grounding_spread(["a"], ["[]"], [[]], measures=SpanF(zero_division=float("nan")))
    assert drawn(plot_grounding_spread, silent).axes[1].get_yticks().tolist() == []
    nothing = spanometer.compare(
        empty, {"x$y$": empty, "_z": empty}, scheme="IOB2", measures=[SpanF(zero_division=float("nan"))]
    )
    assert list(drawn(plot_comparison, nothing).axes[0].texts) == []
