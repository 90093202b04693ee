"""Which measure suits a corpus: statistics by hand, and what follows from them."""

import doctest
import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from builders import spans
from experiments.properties import PROPERTIES
from random_corpora import as_spans, random_pair
from spanometer import Spans
from spanometer.analysis.advice import advise as advise_module
from spanometer.analysis.advice.advise import SIMPLEST_FIRST, advise, published_properties
from spanometer.analysis.advice.statistics import Statistics, Thresholds
from spanometer.measures import MEASURES


def test_measures_of_partly_right_spans_are_named():
    long, short = (advise(Spans.from_tags([tags])).notes for tags in (["B-A", "I-A", "O", "B-B"], ["B-A", "O", "B-B"]))
    assert any("fair_f, which counts a wrong label or wrong boundary as one error" in note for note in long)
    assert any("semeval_f and matched_f add little to span_f" in note for note in short)
    assert not set(long) & {note for note in short if "semeval_f" in note}


def test_statistics_by_hand():
    # lengths 2, 1, 6, 1, 5: mean 3, variance (1 + 4 + 9 + 4 + 4) / 5
    found = Statistics(spans("0-2:A 2-3:A 3-9:B", "", "0-1:B 2-7:B"))
    assert (found.documents, found.tokens, found.spans, found.labels) == (3, None, 5, 2)
    assert (found.mean_length, found.longest) == (3, 6)
    assert found.length_variance == pytest.approx(22 / 5)
    assert found.length_variation == pytest.approx(math.sqrt(22 / 5) / 3)
    assert (found.one_token_share, found.long_share) == (2 / 5, 2 / 5)
    # A touches A; A touches B, which does not count
    assert (found.adjacent, found.adjacent_share) == (1, 1 / 5)
    assert (found.overlapping, found.overlapping_within_label, found.discontinuous) == (0, 0, 0)
    assert (found.mean_information, found.information_variation, found.once_share) == (None, None, None)


@pytest.mark.parametrize(
    ("document", "overlapping", "within_label"),
    [
        ("0-2:A 2-4:A", 0, 0),
        ("0-2:A 1-4:A", 2, 2),
        ("0-2:A 0-2:B", 2, 0),
        # the long one reaches over both
        ("0-9:A 1-2:B 4-5:A", 3, 2),
        ("0-9:A 1-2:B 4-5:A 20-30:B", 3, 2),
        ("0-3:A 1-2:B 3-4:A", 2, 0),
    ],
)
def test_overlap_by_hand(document, overlapping, within_label):
    found = Statistics(spans(document, "0-1:A 5-6:B"))
    assert (found.overlapping, found.overlapping_within_label) == (overlapping, within_label)


def test_spans_of_other_documents_do_not_touch():
    found = Statistics(spans("0-3:A", "3-5:A", "2-4:A"))
    assert (found.adjacent, found.overlapping) == (0, 0)


def test_discontinuous_spans():
    document = [
        {"label": "A", "fragments": [[0, 1], [4, 6]]},
        {"label": "A", "fragments": [[1, 4]]},
        {"label": "B", "fragments": [[5, 9]]},
    ]
    found = Statistics(Spans.from_dicts([document]))
    assert found.discontinuous == 1
    # 3, 3 and 4 tokens, those of the first without its gap
    assert found.mean_length == pytest.approx(10 / 3)
    assert (found.overlapping, found.overlapping_within_label) == (2, 0)
    assert "fragments" in " ".join(advise(Spans.from_dicts([document])).notes)


def test_words_by_hand():
    # a is 4 of 8 words, 1 bit; b 2 of 8, 2 bits; c and d are 1 of 8, 3 bits
    words = [["a", "b", "a", "c"], ["a", "a", "d", "b"]]
    found = Statistics(spans("1-4:A", "2-3:A"), words)
    bits = [2, 1, 3, 3]
    mean = Fraction(sum(bits), 4)
    assert found.mean_information == float(mean)
    variance = sum((bit - mean) ** 2 for bit in bits) / 4
    assert found.information_variation == pytest.approx(math.sqrt(variance) / mean)
    assert found.once_share == 0.5
    one_word = Statistics(spans("0-2:A"), [["a", "a"]])
    assert (one_word.mean_information, one_word.information_variation, one_word.once_share) == (0, 0, 0)


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_statistics_are_those_of_sets(kind):
    seen = 0
    for seed in range(80):
        references, _, lengths = random_pair(seed, kind)
        listed = [(number, *span) for number, document in enumerate(references) for span in document]
        if not listed:
            continue
        seen += 1
        found = Statistics(as_spans(references, lengths))
        sizes = [len(tokens) for _, _, tokens in listed]
        assert found.tokens == sum(lengths)
        assert found.mean_length == pytest.approx(sum(sizes) / len(sizes))
        assert found.one_token_share == pytest.approx(sizes.count(1) / len(sizes))
        meeting = [
            [other for other in listed if other != one and other[0] == one[0] and other[2] & one[2]] for one in listed
        ]
        assert found.overlapping == sum(map(bool, meeting)), seed
        within = sum(any(two[1] == one[1] for two in met) for one, met in zip(listed, meeting, strict=True))
        assert found.overlapping_within_label == within, seed
        assert found.adjacent == sum(
            any(two[:2] == one[:2] and max(two[2]) + 1 == min(one[2]) for two in listed) for one in listed
        )
    assert seen > 40


ONE = "0-1:A 3-4:A 6-7:A 9-10:A"


@pytest.mark.parametrize(
    ("document", "properties", "call"),
    [
        (ONE, "", "span_f()"),
        ("0-2:A 3-5:A 6-7:A 9-10:A 12-15:A", "overlap noise", "token_f()"),
        ("0-3:A 3-6:A 8-11:A 12-15:A", "overlap noise homogeneity completeness", "token_f(format='IO*')"),
        # BIO tags the second token of two B, not I
        ("0-2:A 3-4:A 6-7:A 9-10:A 12-14:A", "overlap noise", "token_f()"),
        ("0-2:A 2-4:A 6-8:A 9-11:A", "overlap noise homogeneity completeness", "token_f(format='IO*')"),
        # one token each: borders alone
        ("0-1:A 1-2:A", "homogeneity completeness", "span_f()"),
        ("0-1:A 3-4:A 6-7:A 9-12:A", "overlap noise length_vs_captured length_vs_noisy", "intersection_f()"),
        (
            "0-1:A 1-2:A 6-7:A 9-12:A",
            "overlap noise homogeneity completeness length_vs_captured length_vs_noisy",
            "sl_icm()",
        ),
        ("0-5:A 6-11:A", "overlap noise overlap_increasing noise_increasing", "sl_icm()"),
        # overlapping: not token_f, and intersection_f with a cap where they are of one label
        ("0-2:A 1-3:A", "overlap noise", "bcubed()"),
        ("0-2:A 1-4:B", "overlap noise", "bcubed()"),
        ("0-1:A 0-1:B", "", "span_f()"),
        ("0-1:A 3-4:A 6-10:A 8-9:A", "overlap noise length_vs_captured length_vs_noisy", "intersection_f(cap=True)"),
        ("0-1:A 3-4:A 6-10:A 8-9:B", "overlap noise length_vs_captured length_vs_noisy", "intersection_f()"),
    ],
)
def test_advice(document, properties, call):
    found = advise(spans(document))
    assert set(found.properties) == set(properties.split())
    assert found.call == call
    assert found.measure in MEASURES
    MEASURES[found.measure](**found.options)
    printed = published_properties()
    for metric in SIMPLEST_FIRST:
        has_them = all(printed[metric][name] for name in found.properties)
        left_out = metric.startswith("token_f") and found.statistics.overlapping > 0
        assert (metric in found.fitting) == (has_them and not left_out)


def test_words_that_differ():
    document = spans("0-2:A 3-5:A")
    alike = advise(document, [["a", "b", "c", "d", "e"]])
    assert alike.measure == "token_f"
    words = [["a", "b", "a", "a", "a", "a", "a", "a"]]
    apart = advise(document, words)
    assert apart.call == "sl_icm(tokens=words)"
    assert "token_informativeness" in apart.properties
    assert any("SL-ICM can violate its other properties" in note for note in apart.notes)
    unknown = advise(document)
    # neither words nor lengths
    assert [answer.matters for answer in unknown.answers].count(None) == 2
    assert [answer.matters for answer in alike.answers].count(None) == 0


def test_chance_by_hand():
    # A: one span of one token in each of 4 and 20 tokens; B: two tokens of two
    corpus = spans("0-1:A", "3-4:A", "0-2:B", lengths=[4, 20, 2])
    found = advise(corpus)
    assert found.statistics.chance_per_label == pytest.approx({"A": (1 / 4 + 1 / 20) / 2, "B": 1})
    assert found.statistics.chance == pytest.approx((1 / 4 + 1 / 20 + 2) / 4)
    (note,) = (note for note in found.notes if "chance_kappa_f1" in note)
    assert "would score 0.57" in note
    assert "especially for B (1.00), A (0.15)." in note
    raised = advise(corpus, thresholds=Thresholds(chance=0.2))
    assert any("especially for B (1.00). You can ignore it in 1 other label." in note for note in raised.notes)
    assert [answer.matters for answer in raised.answers][-1] is True
    # documents that are long beside their spans
    long = advise(spans("0-1:A 5-7:A", lengths=[1000]))
    assert [answer.matters for answer in long.answers][-1] is False
    assert any(
        note.startswith("You can ignore chance: randomly placed spans of the same lengths would score at most 0.0")
        for note in long.notes
    )
    # without lengths nothing can be said; words tell them
    assert advise(spans("0-1:A")).statistics.chance is None
    assert advise(spans("0-1:A"), [["a", "b"]]).statistics.chance == pytest.approx(0.5)


def test_a_threshold_of_zero_does_not_count_what_is_not_there():
    zero = dict.fromkeys(("several_tokens", "adjacent", "length_variation", "long_share", "information_variation"), 0)
    assert advise(spans(ONE), [["a"] * 10], thresholds=Thresholds(**zero)).properties == ()


def test_why_names_what_decides():
    found = advise(spans("0-2:A 3-5:A 6-7:A 9-10:A 12-15:A"))
    assert "60.0% of spans have several tokens" in found.why
    assert "overlap, noise" in found.why
    assert "token_f_IO*, bcubed, link_f, intersection_f, sl_icm have them, too" in found.why
    assert "It is the only measure with all these properties." in advise(spans("0-5:A")).why
    assert "whole spans" in advise(spans(ONE)).why
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["measure"] == "token_f"
    assert {name for answer in written["answers"] for name in answer["properties"]} <= set(PROPERTIES)


def test_example():
    result = doctest.testmod(advise_module)
    assert result.attempted > 2
    assert result.failed == 0


@pytest.mark.parametrize(("tags", "named"), [(["B-A", "O", "B-A"], False), (["B-A", "I-A", "O", "B-A"], True)])
def test_matched_f_is_named_where_spans_can_be_nearly_right(tags, named):
    notes = advise(Spans.from_tags([tags])).notes
    assert any("report matched_f as well" in note for note in notes) == named


def layout(lengths, gap):
    """Spans of these lengths in one document, so many tokens apart."""
    starts = [sum(lengths[:number]) + gap * number for number in range(len(lengths))]
    return " ".join(f"{start}-{start + length}:A" for start, length in zip(starts, lengths, strict=True))


@pytest.mark.parametrize(
    ("lengths", "gap", "outcome", "ours"),
    [
        ([1] * 12, 3, "span_f()", "span_f()"),
        ([1, 2] * 6, 3, "span_f()", "token_f()"),
        ([4, 5, 6] * 4, 3, "token_f()", "sl_icm()"),
        ([2, 3, 4] * 4, 0, "token_f(format='BIO')", "token_f(format='IO*')"),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], 3, "intersection_f()", "sl_icm()"),
        ([1, 1, 4, 4] * 3, 3, "intersection_f()", "intersection_f()"),
        ([15, 22, 29, 36, 43, 50], 3, "sl_icm()", "sl_icm()"),
    ],
)
def test_the_flow_of_the_paper(lengths, gap, outcome, ours):
    advice = advise(spans(layout(lengths, gap)), flow="paper")
    assert (advice.flow.call, advice.call) == (outcome, ours)
    assert bool(advice.flow.differences) == (outcome != ours)
    assert advice.flow.steps[-1].outcome == outcome
    assert len(advice.flow.steps) == (1 if outcome == "span_f()" else 5)
    assert replace(advice, flow=None) == advise(spans(layout(lengths, gap)))


def test_a_later_answer_overrides_an_earlier_one():
    document = layout([2, 20] * 6, 0)
    words = [["a", "b"] * 66]
    outcomes = [step.outcome for step in advise(spans(document), words, flow="paper").flow.steps]
    assert outcomes == ["token_f()", "token_f(format='BIO')", "intersection_f()", "sl_icm()", "sl_icm()"]
    rare = [["a"] * 131 + ["b"]]
    assert advise(spans(document), rare, flow="paper").flow.call == "sl_icm(tokens=words)"
    limits = Thresholds(touching_share=1.1, length_variation=9, very_long_span=21)
    assert advise(spans(document), flow="paper", thresholds=limits).flow.call == "token_f()"


def test_every_difference_says_why():
    reasons = set()
    for seed in range(150):
        references, _, lengths = random_pair(seed, ("flat", "nested")[seed % 2])
        if any(references):
            for short in (0.5, 2):
                limits = Thresholds(short_share=short, very_long_span=4)
                advice = advise(as_spans(references, lengths), thresholds=limits, flow="paper")
                assert bool(advice.flow.differences) == (advice.flow.call != advice.call)
                reasons.update(reason.split()[1] for reason in advice.flow.differences)
    assert reasons == {"lacks", "flow", "has"}
