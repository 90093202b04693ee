"""fair_f: cases counted by hand, the published kinds of overlap, and a second implementation."""

import math
from collections import Counter

import pytest

from builders import spans
from experiments.properties import check_properties
from random_corpora import as_spans, random_pair
from slow import fair as slow
from spanometer.measures import FairF
from spanometer.measures.fair_f import COLUMNS, NAMED

CASES = 500


def events(gold, predicted, **options):
    """The events of a document that there are, by FairEval's names."""
    total = FairF(**options).counts(spans(gold), spans(predicted)).total()
    return {kind: total[name] for kind, name in COLUMNS.items() if total[name]}


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("0-4:A 5-8:B", "0-4:A 5-8:B", {"TP": 2}),
        ("0-4:A", "0-4:B", {"LE": 1}),
        ("0-4:A", "0-3:B", {"LBE": 1}),
        ("0-4:A", "5-6:A", {"FN": 1, "FP": 1}),
        # split in two, merged: a span is in two events
        ("0-4:A", "0-2:A 2-4:A", {"BES": 2}),
        ("0-2:A 2-4:A", "0-4:A", {"BEL": 2}),
        # the second part shares no token that is left
        ("0-4:A", "0-3:A 1-2:A", {"BES": 1, "FP": 1}),
        ("0-2:A 2-4:C", "1-3:A", {"BEO": 1, "LBE": 1}),
        # the example of published/partial_match.md, section C
        ("0-4:A 5-8:B", "0-2:A 2-4:A 5-9:B", {"BES": 2, "BEL": 1}),
    ],
)
def test_events_by_hand(gold, predicted, expected):
    assert events(gold, predicted) == expected


# FairEval README, overlap_type; its ends are inclusive
OVERLAPS = {
    "3-7": "TP",
    "4-8": "BEO",
    "2-6": "BEO",
    "4-6": "BES",
    "3-5": "BES",
    "2-8": "BEL",
    "2-7": "BEL",
    "1-2": None,
}


@pytest.mark.parametrize("predicted", OVERLAPS)
def test_published_kinds_of_overlap(predicted):
    start, end = map(int, predicted.split("-"))
    kind = OVERLAPS[predicted]
    assert events("3-8:A", f"{start}-{end + 1}:A") == ({kind: 1} if kind else {"FN": 1, "FP": 1})


def test_one_example_scored():
    sides = spans("0-4:A 5-8:B"), spans("0-2:A 2-4:A 5-9:B")
    scores = {weights: FairF(weights=weights).score(FairF().counts(*sides))["f1"] for weights in NAMED}
    # 3 half true positives, 2 half false negatives, 1 half false positive
    assert scores == {"fair": 0.0, "weighted": 3 / (3 + 1 / 2 + 2 / 2)}


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous", "flat discontinuous"])
@pytest.mark.parametrize("focus", ["target", "system"])
def test_same_events(kind, focus):
    corpora = [random_pair(seed, kind) for seed in range(CASES)]
    sides = zip(*corpora, strict=True)
    references, predictions, lengths = ([document for part in side for document in part] for side in sides)
    counts = FairF(focus=focus).counts(as_spans(references, lengths), as_spans(predictions, lengths))
    found = [Counter() for _ in lengths]
    for row in counts.to_arrow().to_pylist():
        events = {(row["label"], kind): row[name] for kind, name in COLUMNS.items() if row[name]}
        found[row["document"]].update(events)
    for document, pair in enumerate(zip(references, predictions, strict=True)):
        assert found[document] == slow.counts(*([side] for side in pair), focus=focus), (document, pair)


def test_same_scores():
    for seed in range(100):
        references, predictions, lengths = random_pair(seed, "nested")
        counts = FairF().counts(as_spans(references, lengths), as_spans(predictions, lengths))
        total = Counter()
        for (_, kind), number in slow.counts(references, predictions).items():
            total[kind] += number
        for weights, numbers in NAMED.items():
            for zero_division in (0.0, 1.0):
                ours = FairF(weights=weights, zero_division=zero_division).score(counts)
                theirs = slow.score(total, numbers, zero_division)
                assert all(math.isclose(ours[key], theirs[key], rel_tol=1e-12) for key in ours), (seed, weights)


def test_long_chains_are_taken_in_turn():
    # every predicted span crosses two reference spans: as many turns as there are spans
    size = 300
    references = [{("AB"[at % 2], frozenset(range(3 * at, 3 * at + 3))) for at in range(size)}]
    predictions = [{("AB"[at // 2 % 2], frozenset(range(3 * at + 1, 3 * at + 5))) for at in range(size - 1)}]
    counts = FairF().counts(as_spans(references), as_spans(predictions))
    expected = Counter()
    for (_, kind), number in slow.counts(references, predictions).items():
        expected[kind] += number
    assert {kind: getattr(counts, name) for kind, name in COLUMNS.items()} == {kind: expected[kind] for kind in COLUMNS}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"BE": {"TP": 0.5, "FP": 0.25, "FN": 0.25}}, "BES=0.5/0.25/0.25,BEL=0.5/0.25/0.25,BEO=0.5/0.25/0.25"),
        ({"LE": {"FP": 1}}, "LE=0/1/0"),
        ("LE=0/1/0", "LE=0/1/0"),
        ("BES=0.5/0/0.5, BEL=0.5/0.5/0, BE=0.5/0.25/0.25", "weighted"),
        ({"LBE": {"FP": 0.5, "FN": 0.5}}, "fair"),
    ],
)
def test_weights_are_written_in_one_way(given, expected):
    measure = FairF(weights=given)
    assert measure.weights == expected
    assert f"|weights:{expected}|" in measure.signature({})
    assert FairF.from_options(measure.options()) == measure


def test_weights_of_one_kind():
    sides = spans("0-4:A 5-6:A"), spans("0-4:B 5-6:A")
    # TP 1, LE 1 as a false positive alone
    assert FairF(weights={"LE": {"FP": 1}}).score(FairF().counts(*sides)) == {
        "precision": 0.5,
        "recall": 1.0,
        "f1": 2 / 3,
    }


def test_formal_properties():
    """Those of span_f; if boundary errors are half right, cutting a span in many pieces can pay."""
    expected = {"correct_sequence", "wrong_sequence", "homogeneity", "completeness"}
    for measure in (FairF(), FairF(weights="weighted")):
        assert {name for name, check in check_properties(measure).items() if check.holds} == expected
    reference, whole, cut = "0-6:A 7-8:B 9-10:C", "0-6:A", "0-1:A 1-2:A 2-3:A 3-4:A 4-5:A 5-6:A"
    measure = FairF(weights="weighted")
    scores = [measure.score(measure.counts(spans(reference), spans(system)))["f1"] for system in (whole, cut)]
    # TP 1, FN 2; tp 6/2, fn 6/2 + 2
    assert scores == [2 / (2 + 2), 6 / (6 + 5)]
