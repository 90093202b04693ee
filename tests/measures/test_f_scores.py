"""F-beta, F1 of averages and weights by tokens: by hand, and with fractions, document by document."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from builders import spans
from random_corpora import as_spans
from spanometer.measures.fair_f import FairF
from spanometer.measures.link_f import LinkF
from spanometer.measures.matched_f import MatchedF
from spanometer.measures.relaxed_f import RelaxedF
from spanometer.measures.semeval_f import SemevalF
from spanometer.measures.span_f import SpanF
from spanometer.measures.token_f import TokenF

GOLD, OUTPUT = spans("0-1:A 1-2:A 2-3:A", "0-1:B", "-"), spans("0-1:A 5-6:A", "-", "0-1:B")
"""P and R are 1/2 and 1/3, undefined and 0, 0 and undefined; A alone has right spans."""


@pytest.mark.parametrize(
    ("options", "f1"),
    [
        ({"f_beta": 2.0}, 5 * 1 / (3 + 4 * 4)),
        ({"f_beta": 0.0}, 1 / 3),
        ({"combination": "jaccard"}, 1 / (4 + 3 - 1)),
        ({"combination": "lower"}, 1 / 4),
        ({"combination": "perfect"}, 0.0),
        ({"average": "documents", "combination": "lower", "zero_division": 1.0}, (1 / 3) / 3),
        ({"average": "documents", "combination": "jaccard", "zero_division": 1.0}, (1 / 4) / 3),
        ({"average": "macro"}, (2 / 5 + 0) / 2),
        ({"average": "macro", "f1_average": "of_means"}, 2 * (1 / 4) * (1 / 6) / (1 / 4 + 1 / 6)),
        ({"average": "documents"}, (2 / 5) / 3),
        ({"average": "documents", "f1_average": "of_means"}, 2 * (1 / 6) * (1 / 9) / (1 / 6 + 1 / 9)),
        ({"average": "documents", "zero_division": math.nan}, (2 / 5 + 0 + 0) / 3),
        ({"average": "documents", "zero_division": math.nan, "f1_average": "defined"}, 2 / 5),
        ({"average": "documents", "zero_division": math.nan, "f1_average": "of_means"}, 2 * (1 / 4) * (1 / 6) * 12 / 5),
    ],
)
def test_by_hand(options, f1):
    measure = SpanF(**options)
    assert measure.counts(GOLD, OUTPUT).score()["f1"] == pytest.approx(f1, abs=1e-15)
    assert {name for name in ("f_beta", "combination", "f1_average") if name in measure.options()} == options.keys() - {
        "average",
        "zero_division",
    }


@pytest.mark.parametrize(("zero_division", "share"), [(1.0, 2 / 4), (math.nan, 1 / 3)])
def test_documents_without_an_error(zero_division, share):
    """The first document is right, the second has nothing, the others have an error each."""
    measure = SpanF(average="documents", combination="perfect", zero_division=zero_division)
    counts = measure.counts(spans("0-1:A", "-", "0-1:A", "-"), spans("0-1:A", "-", "0-1:A 2-3:A", "0-1:A"))
    assert counts.score()["f1"] == pytest.approx(share)


def mean(values):
    kept = [value for value in values if value is not None]
    return sum(kept, Fraction(0)) / len(kept) if kept else None


def slow_f1(sides, beta, f1_average):
    """Average over documents with fractions, undefined ratios left out."""
    scores = []
    for gold, output in zip(*sides, strict=True):
        right = len(gold & output)
        precision = Fraction(right, len(output)) if output else None
        recall = Fraction(right, len(gold)) if gold else None
        f1 = (1 + beta**2) * right / (beta**2 * len(gold) + len(output)) if gold or output else None
        scores.append((precision, recall, None if f1_average == "defined" and not (gold and output) else f1))
    precision, recall, f1 = map(mean, zip(*scores, strict=True))
    if f1_average != "of_means":
        return f1
    if precision is None or recall is None:
        return None
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else Fraction(0)


@pytest.mark.parametrize("f1_average", ["mean", "of_means", "defined"])
@pytest.mark.parametrize("beta", [Fraction(1), Fraction(2), Fraction(1, 2)])
def test_against_fractions(beta, f1_average):
    draw = random.Random(f"{beta} {f1_average}")
    measure = SpanF(average="documents", zero_division=math.nan, f_beta=float(beta), f1_average=f1_average)
    for _ in range(150):
        sides = [
            [{("A", frozenset({draw.randrange(3)})) for _ in range(draw.randrange(3))} for _ in range(4)]
            for _ in range(2)
        ]
        expected = slow_f1(sides, beta, f1_average)
        score = measure.counts(*map(as_spans, sides)).score()["f1"]
        assert score == pytest.approx(math.nan if expected is None else float(expected), nan_ok=True, abs=1e-14)


@pytest.mark.parametrize(("weight_by", "f1"), [("spans", (2 * 1.0 + 1 * 0.0) / 3), ("tokens", (2 * 1.0 + 6 * 0.0) / 8)])
def test_weights_by_tokens(weight_by, f1):
    # two spans of A with a token each are right, and a span of B with six tokens is missing
    counts = TokenF(average="weighted", weight_by=weight_by).counts(spans("0-1:A 2-3:A 4-10:B"), spans("0-1:A 2-3:A"))
    assert counts.score()["f1"] == pytest.approx(f1)


def slow_label_means(references, predictions, label, zero_division):
    """Average precision, recall and F1 of a label over documents, with fractions."""
    values = {"precision": [], "recall": [], "f1": []}
    for gold, output in zip(references, predictions, strict=True):
        sides = [{span for span in side if span[0] == label} for side in (gold, output)]
        right, sizes = len(sides[0] & sides[1]), [len(side) for side in sides]
        values["precision"].append(Fraction(right, sizes[1]) if sizes[1] else zero_division)
        values["recall"].append(Fraction(right, sizes[0]) if sizes[0] else zero_division)
        values["f1"].append(Fraction(2 * right, sum(sizes)) if sum(sizes) else zero_division)
    return {key: mean(each) for key, each in values.items()}


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_means_of_labels_over_documents(zero_division):
    draw = random.Random(f"{zero_division}")
    measure = SpanF(average="documents_by_label", zero_division=zero_division)
    as_before = SpanF(average="documents", zero_division=zero_division)
    for _ in range(60):
        sides = [
            [{(draw.choice("AB"), frozenset({draw.randrange(3)})) for _ in range(draw.randrange(3))} for _ in range(4)]
            for _ in range(2)
        ]
        counts = measure.counts(*map(as_spans, sides))
        assert counts.score() == pytest.approx(as_before.counts(*map(as_spans, sides)).score(), nan_ok=True)
        for label, values in measure.score_per_label(counts).items():
            empty = None if math.isnan(zero_division) else Fraction(zero_division)
            expected = slow_label_means(*sides, label, empty)
            assert {key: values[key] for key in expected} == pytest.approx(
                {key: math.nan if each is None else float(each) for key, each in expected.items()}, nan_ok=True
            )


def test_means_of_a_label_by_hand():
    """Label A is in the first document alone, label B is a prediction of one and a reference of another."""
    measure = SpanF(average="documents_by_label", zero_division=math.nan, f1_average="defined")
    counts = measure.counts(GOLD, OUTPUT)
    of_label = measure.score_per_label(counts)["A"]
    assert (of_label["precision"], of_label["recall"]) == pytest.approx((1 / 2, 1 / 3))
    assert of_label["f1"] == pytest.approx(2 / 5)
    of_other = measure.score_per_label(counts)["B"]
    assert (of_other["precision"], of_other["recall"]) == (0, 0) and math.isnan(of_other["f1"])
    parts = [[side.take(np.array(part)) for side in (GOLD, OUTPUT)] for part in ([0], [1, 2])]
    joined = measure.counts(*parts[0]) + measure.counts(*parts[1])
    assert measure.score_per_label(joined)["A"] == of_label


def test_groups_of_labels_by_hand():
    """NAME/A is right, NAME/B found as NAME/A, and DATE has no group: of NAME 1 is right of 2 predicted and 2."""
    gold, output = spans("0-1:NAME/A 1-2:NAME/B 2-3:DATE"), spans("0-1:NAME/A 1-2:NAME/A 2-3:DATE")
    counts = SpanF(label_groups="/").counts(gold, output)
    one = {"both": 1, "predicted": 1, "reference": 1}
    assert counts.by_label() == {"DATE": one, "NAME": {"both": 1, "predicted": 2, "reference": 2}}
    assert "|label_groups:/|" in SpanF(label_groups="/").signature({})
    assert SpanF(label_groups="/", average="macro").counts(gold, output).score()["f1"] == pytest.approx((1 + 1 / 2) / 2)


@pytest.mark.parametrize("measure", [SpanF, LinkF, TokenF, MatchedF, RelaxedF, SemevalF, FairF])
def test_groups_of_labels_are_sums(measure):
    draw = random.Random(measure.name)
    labels = ["A/1", "A/2", "B/1", "B/1/2", "C"]
    sides = [
        [
            [(draw.choice(labels), frozenset({at, at + 1})) for at in range(0, 12, 3) if draw.random() < 0.7]
            for _ in "ab"
        ]
        for _ in range(2)
    ]
    plain, grouped = (measure(label_groups=text).counts(*map(as_spans, sides)) for text in (None, "/"))
    for group, numbers in grouped.by_label().items():
        members = [each for label, each in plain.by_label().items() if label.split("/")[0] == group]
        assert numbers == pytest.approx({name: sum(each[name] for each in members) for name in numbers})
    assert grouped.score() == pytest.approx(plain.score())
