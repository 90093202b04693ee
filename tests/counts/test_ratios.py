"""Counts and ratios."""

import math

import numpy as np
import pytest

from spanometer import Spans
from spanometer.counts.statistics import precision_recall_f1
from spanometer.measures import IntersectionF, LinkF, SlIcm, SpanF, TokenF


def spans(*bounds):
    return Spans.from_dicts([[{"start": start, "end": end, "label": "A"} for start, end in bounds]])


def test_links_by_hand():
    counts = LinkF().counts(spans((1, 4)), spans((2, 5)))  # 3 + 3 tokens, two of them shared
    assert (counts.both, counts.predicted, counts.reference) == (3, 6, 6)
    assert LinkF().score(counts) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    with pytest.raises(AttributeError, match="missing"):
        counts.missing  # noqa: B018


def test_token_units_by_hand():
    references, predictions = spans((0, 3), (4, 5)), spans((0, 2), (4, 5))
    for format, expected in (("IO", (3, 3, 4)), ("BIO", (3, 3, 4)), ("BIOE", (2, 3, 4)), ("BIOES", (2, 3, 4))):
        counts = TokenF(format=format).counts(references, predictions)
        assert (counts.both, counts.predicted, counts.reference) == expected
    counts = TokenF(format="IO*").counts(references, predictions)  # 3 tokens and 1 gap of 4 tokens and 2 gaps
    assert (counts.both, counts.predicted, counts.reference) == (4, 4, 6)


def test_intersections_by_hand():
    counts = IntersectionF().counts(spans((0, 4), (6, 8)), spans((0, 2), (2, 5)))
    # 2/2 + 2/3 of two predicted spans, 4/4 + 0 of two reference spans
    assert math.isclose(counts.right, 5 / 3)
    assert (counts.found, counts.predicted, counts.reference) == (1.0, 2, 2)


def test_information_by_hand():
    score = SlIcm().score(SlIcm().counts(spans((0, 2), (4, 5)), spans((0, 1))))
    # one label: no information in it; 1 + 1/2 and 1 bits against 1 bit
    assert math.isclose(score["sl_icm"], 3 * 1 - 1 - 2.5)
    assert math.isclose(score["sl_icm_norm"], (3 * 1 - 1) / 5)


def test_f1_of_integers_is_correctly_rounded():
    both, predicted, reference = 10457, 11364, 11296
    result = precision_recall_f1(both, predicted, both, reference, 0.0)
    assert result["f1"] == 2 * both / (predicted + reference)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_zero_division(zero_division):
    def values(right, predicted, found, reference):
        result = precision_recall_f1(right, predicted, found, reference, zero_division)
        return [float(result[key]) for key in ("precision", "recall", "f1")]

    np.testing.assert_equal(values(0, 0, 0, 0), [zero_division] * 3)
    np.testing.assert_equal(values(0, 3, 0, 0), [0.0, zero_division, 0.0])
    np.testing.assert_equal(values(0, 0, 0, 3), [zero_division, 0.0, 0.0])
    np.testing.assert_equal(values(0, 2, 0, 3), [0.0, 0.0, 0.0])


def test_averages_by_hand():
    references = Spans.from_dicts([[{"start": n, "end": n + 1, "label": label} for n, label in enumerate("AAAB")]])
    predictions = Spans.from_dicts([[{"start": n, "end": n + 1, "label": label} for n, label in enumerate("AAC")]])
    expected = {  # A: 2 of 2 of 3, B: 0 of 0 of 1, C: 0 of 1 of 0
        "micro": (2 / 3, 2 / 4, 4 / 7),
        "macro": (1 / 3, 2 / 9, 0.8 / 3),
        "weighted": (3 / 4, 2 / 4, 3 * 0.8 / 4),
    }
    for average, values in expected.items():
        measure = SpanF(average=average)
        assert list(measure.score(measure.counts(references, predictions)).values()) == pytest.approx(values)
    measure = SpanF(average="macro", zero_division=math.nan)
    found = measure.score(measure.counts(references, predictions))
    assert list(found.values()) == pytest.approx((1 / 2, 1 / 3, 0.8 / 3))


def test_weighted_without_references_is_micro():
    nothing, something = Spans.from_tags([["O"]]), Spans.from_tags([["B-A"]])
    measure = SpanF(average="weighted", zero_division=1.0)
    # as seqeval has it: what was predicted is wrong, and nothing was there to be found
    assert measure.score(measure.counts(nothing, something)) == {"precision": 0.0, "recall": 1.0, "f1": 0.0}
    contrast = SlIcm(average="weighted", zero_division=1.0)
    assert contrast.score(contrast.counts(nothing, something)) == {"sl_icm": -1.0, "sl_icm_norm": 1.0}


def test_averages_are_those_of_scikit_learn():
    from sklearn.metrics import precision_recall_fscore_support

    generator = np.random.default_rng(5)
    for _ in range(40):
        # one-token spans: each token is a decision between labels
        true, guessed = generator.integers(0, 4, (2, 12))
        sides = [
            Spans.from_dicts([[{"start": n, "end": n + 1, "label": "ABCD"[code]} for n, code in enumerate(codes)]])
            for codes in (true, guessed)
        ]
        for average in ("micro", "macro", "weighted"):
            for zero_division in (0.0, 1.0, np.nan):
                measure = SpanF(average=average, zero_division=zero_division)
                ours = list(measure.score(measure.counts(*sides)).values())
                theirs = precision_recall_fscore_support(true, guessed, average=average, zero_division=zero_division)
                np.testing.assert_allclose(ours[:2], theirs[:2], atol=1e-12)
                np.testing.assert_allclose(ours[2], theirs[2], atol=1e-12)


def test_words_give_the_lengths_that_spans_leave_open():
    references = Spans.from_dicts([[{"start": 0, "end": 1, "label": "A"}], []])
    words = [["a", "b", "b", "b"], ["a"]]
    counts = SlIcm(tokens=words).counts(references, references)
    assert math.isclose(counts.reference_information, -math.log2(2 / 5))


def test_certain_words_carry_nothing():
    tags = Spans.from_tags([["B-A", "I-A"]])
    measure = SlIcm(tokens=[["a", "a"]], zero_division=1.0)
    assert measure.score(measure.counts(tags, tags)) == {"sl_icm": 0.0, "sl_icm_norm": 1.0}


def test_intersection_refuses_overlap_within_a_side():
    flat, nested = spans((0, 3)), Spans.from_dicts([[], [{"start": s, "end": 4, "label": "A"} for s in (1, 2)]])
    assert IntersectionF(cap=True).counts(nested, nested).right == 2.0
    assert IntersectionF().counts(flat, flat).right == 1.0


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (SpanF(), "span_f|scheme:IOB2|match_labels:yes|average:micro|zero_division:0"),
        (
            LinkF(average="macro", zero_division=math.nan),
            "link_f|scheme:IOB2|match_labels:yes|average:macro|zero_division:nan",
        ),
        (TokenF(format="IO*"), "token_f|scheme:IOB2|format:IO*|match_labels:yes|average:micro|zero_division:0"),
        (IntersectionF(cap=True), "intersection_f|scheme:IOB2|cap:yes|match_labels:yes|average:micro|zero_division:0"),
        (
            SlIcm(),
            "sl_icm|scheme:IOB2|token_probabilities:unit|prior:spans|log_base:2|matching:mutual"
            "|alpha1:1|alpha2:1|beta:2|match_labels:yes|average:micro|zero_division:0",
        ),
        (
            SlIcm(tokens=[["a"]], log_base=math.e, prior="tokens", matching="optimal"),
            "sl_icm|scheme:IOB2|token_probabilities:corpus|prior:tokens|log_base:2.718281828459045|matching:optimal"
            "|alpha1:1|alpha2:1|beta:2|match_labels:yes|average:micro|zero_division:0",
        ),
        (
            SlIcm(token_probabilities=0.125),
            "sl_icm|scheme:IOB2|token_probabilities:0.125|prior:spans|log_base:2|matching:mutual"
            "|alpha1:1|alpha2:1|beta:2|match_labels:yes|average:micro|zero_division:0",
        ),
    ],
)
def test_signatures(measure, expected):
    assert measure.signature({"scheme": "IOB2"}) == f"{expected}|v:0.1.0"
