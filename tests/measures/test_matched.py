"""F1 over spans matched one to one: by hand, published, against every matching, and its identities."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from builders import spans
from random_corpora import as_spans, random_pair
from slow import matched as slow
from slow import measures
from spanometer import InputError
from spanometer.alignment import matching
from spanometer.measures import matched_f
from spanometer.measures.matched_f import MatchedF

KINDS = ("flat", "nested", "flat discontinuous", "discontinuous")
KEYS = ("precision", "recall", "f1")
CREDITS = {
    "0.5": {},
    "0.75": {"threshold": 0.75},
    "0.3": {"threshold": 0.3},
    "1": {"threshold": 1.0},
    **{credit: {"credit": credit} for credit in ("iou_50_95", "iou", "overlap", "mpp")},
}
every_kind = pytest.mark.parametrize("kind", KINDS)
every_credit = pytest.mark.parametrize("name", CREDITS)


def scored(measure, references, predictions):
    counts = measure.counts(references, predictions)
    return counts, measure.score(counts)


@pytest.mark.parametrize(
    ("options", "both", "f1"),
    [
        # the pairs have an IoU of 1/2 (either half), and of 3/4
        ({}, 2, 4 / 5),
        ({"threshold": 0.75}, 1, 2 / 5),
        ({"threshold": 0.76}, 0, 0.0),
        ({"threshold": 0}, 2, 4 / 5),
        # 1 of ten thresholds, and 6: 0.5 to 0.75
        ({"credit": "iou_50_95"}, 0.7, 1.4 / 5),
        ({"credit": "iou"}, 1.25, 2.5 / 5),
        ({"credit": "overlap"}, 2, 4 / 5),
    ],
)
def test_by_hand(options, both, f1):
    counts, score = scored(MatchedF(**options), spans("0-4:A 5-8:B"), spans("0-2:A 2-4:A 5-9:B"))
    assert counts.total() == {"both": pytest.approx(both, abs=1e-15), "predicted": 3, "reference": 2}
    assert score["f1"] == pytest.approx(f1, abs=1e-15)


def test_mpp_by_hand():
    # either half of A: 2/2 and 2/4; B: 3/4 and 3/3
    counts, score = scored(MatchedF(credit="mpp"), spans("0-4:A 5-8:B"), spans("0-2:A 2-4:A 5-9:B"))
    assert counts.total() == {"right": 1.75, "found": 1.5, "predicted": 3, "reference": 2}
    assert score == pytest.approx(
        {"precision": 1.75 / 3, "recall": 0.75, "f1": 2 * 1.75 / 3 * 0.75 / (1.75 / 3 + 0.75)}
    )


def test_mpp_is_not_the_assignment_of_the_largest_sum():
    references, predictions = spans("0-1:A 2-8:A 9-10:A 11-12:A"), spans("0-5:A")
    counts, _ = scored(MatchedF(credit="mpp"), references, predictions)
    # with 2-8, P = 3/5 and R = 1/2 / 4, F = 0.207; with 0-1, P = 1/5 and R = 1/4, F = 0.222, though P + R is less
    assert (counts.right, counts.found) == (pytest.approx(1 / 5), pytest.approx(1.0))


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [("8-13:A", "8-13:A", (1, 1, 1)), ("", "0-5:A", (0, 1, 0)), ("0-3:A 3-6:A", "0-1:A 1-5:A 6-7:A", (0.5, 0.5, 0.5))],
)
def test_published(gold, predicted, expected):
    measure = MatchedF(credit="mpp", match_labels=False, zero_division=1.0)
    _, score = scored(measure, spans(gold), spans(predicted))
    assert tuple(score[key] for key in KEYS) == expected


def same(ours, theirs):
    return all(
        math.isclose(ours[key], theirs[key], rel_tol=1e-12, abs_tol=1e-12)
        or (math.isnan(ours[key]) and math.isnan(theirs[key]))
        for key in KEYS
    )


def exactly(options):
    """The options with the threshold as the fraction that is meant."""
    return {name: Fraction(str(value)) if name == "threshold" else value for name, value in options.items()}


@every_kind
@every_credit
def test_against_every_matching(name, kind):
    options = CREDITS[name]
    for seed in range(80):
        references, predictions, lengths = random_pair(seed, kind)
        if seed % 10 == 0:
            # labels on one side only
            predictions = [{(f"{label}'", tokens) for label, tokens in document} for document in predictions]
        average, zero_division = ("micro", "macro", "weighted")[seed % 3], (0.0, 1.0, math.nan)[seed // 3 % 3]
        match_labels = seed % 2 == 0
        measure = MatchedF(**options, match_labels=match_labels, average=average, zero_division=zero_division)
        counts, ours = scored(measure, as_spans(references, lengths), as_spans(predictions, lengths))
        if not match_labels:
            references, predictions = (
                [{("", tokens) for _, tokens in part} for part in side] for side in (references, predictions)
            )
        given = {"average": average, "zero_division": zero_division, **exactly(options)}
        assert same(ours, slow.matched_f(references, predictions, **given)), seed
        if match_labels:
            by_label = measures.per_label(
                slow.matched_f, references, predictions, zero_division=zero_division, **exactly(options)
            )
            found = measure.score_per_label(counts)
            assert found.keys() == by_label.keys()
            assert all(same(found[label], values) for label, values in by_label.items()), seed


def crowded(generator, kind):
    """A document of many spans of one label that meet, on both sides."""
    sides = []
    for _ in range(2):
        if kind == "chains":
            cuts = sorted(generator.sample(range(16), generator.randrange(3, 8)))
            sides.append({("A", frozenset(range(*bounds))) for bounds in pairwise(cuts)})
        else:
            bounds = (sorted(generator.sample(range(13), 2)) for _ in range(generator.randrange(1, 7)))
            sides.append({("A", frozenset(range(*pair))) for pair in bounds})
    return sides


@pytest.mark.parametrize("kind", ["chains", "crossing"])
@pytest.mark.parametrize("ways", ["as it is", "searched", "compared"])
def test_mpp_of_crowded_documents(monkeypatch, ways, kind):
    """All ways to the best matching, each against every matching: groups of all sizes, searched together or not."""
    if ways != "as it is":
        monkeypatch.setattr(matching, "_ENUMERATED", 1)
        monkeypatch.setattr(matched_f, "_TRIED", 0)
    if ways == "compared":
        monkeypatch.setattr(matched_f, "_ROUNDS", 1)
    generator = random.Random(7)
    measure = MatchedF(credit="mpp")
    documents = [crowded(generator, kind) for _ in range(120)]
    references, predictions = ([document[side] for document in documents] for side in (0, 1))
    counts = measure.counts(as_spans(references), as_spans(predictions))
    sums = {name: np.zeros(len(documents)) for name in ("right", "found")}
    for name, column in sums.items():
        np.add.at(column, counts.columns[name].document, counts.columns[name].value)
    for number, (reference, predicted) in enumerate(documents):
        expected = slow.matched_counts([reference], [predicted], credit="mpp")
        ours = [sums[name][number] for name in sums]
        assert ours == pytest.approx([float(expected["right"]), float(expected["found"])], abs=1e-9), number


def test_options_and_signature():
    assert MatchedF().signature({}).startswith("matched_f|credit:iou_threshold|threshold:0.5|match_labels:yes|")
    assert MatchedF(credit="mpp").signature({}).startswith("matched_f|credit:mpp|match_labels:yes|")
    assert replace(MatchedF(credit="mpp"), average="documents").average == "documents"


def test_too_many_choices_are_refused(monkeypatch):
    monkeypatch.setattr(matched_f, "MOST_COMPARED", 3)
    monkeypatch.setattr(matched_f, "_TRIED", 0)
    monkeypatch.setattr(matched_f, "_ROUNDS", 1)
    monkeypatch.setattr(matching, "_ENUMERATED", 1)
    generator = random.Random(7)
    documents = [crowded(generator, "crossing") for _ in range(60)]
    sides = [as_spans([document[side] for document in documents]) for side in (0, 1)]
    with pytest.raises(InputError, match="more than 3 ways, too many"):
        MatchedF(credit="mpp").counts(*sides)
