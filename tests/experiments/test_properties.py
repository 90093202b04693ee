"""The formal properties: their definitions, and how measures are checked for them."""

import doctest
import math

import numpy as np
import pytest

from experiments import properties
from experiments.properties import PROPERTIES, check_properties
from experiments.sl_icm import TABLE1, property_checks
from slow import measures as slow
from spanometer import InputError, Spans
from spanometer.measures import ChanceKappaF1, Eter, LinkF, SlIcm, SpanF, TokenF, UnitizingAlpha


def ends(written):
    """Read spans that are written by their first and last token, from 1 on."""
    return tuple((int(first) - 1, int(last) - 1) for first, last in (span.split("-") for span in written.split()))


def spans(written):
    return Spans.from_dicts([[{"start": x, "end": y + 1, "label": "A"} for x, y in ends(written)]], lengths=[13])


@pytest.mark.parametrize(
    ("name", "gold", "better", "worse"),
    [
        ("correct_sequence", "6-7 18-18", "6-7 18-18", "6-7"),
        ("wrong_sequence", "6-7 18-18", "18-18", "18-18 9-10"),
        ("overlap", "6-8", "7-7", "8-7"),
        ("overlap", "6-9", "7-10", "9-10"),
        ("noise", "6-8", "5-9", "4-9"),
        ("noise", "6-8", "5-7", "3-7"),
        ("homogeneity", "6-7 8-10", "6-7 8-10", "6-10"),
        ("completeness", "6-9", "6-9", "6-7 8-9"),
        ("length_vs_captured", "6-8 19-20", "7-8 19-20", "6-8 20-20"),
        ("length_vs_noisy", "18-20 6-7", "17-20 6-7", "18-20 5-7"),
        ("overlap_increasing", "6-8 19-21", "6-7 19-20", "6-6 19-21"),
        ("noise_increasing", "6-6 17-17", "6-6 17-19", "6-7 17-18"),
        ("token_informativeness", "6-7 18-19", "6-7 18-18", "6-6 18-19"),
    ],
)
def test_cases_by_hand(name, gold, better, worse):
    assert tuple(map(ends, (gold, better, worse))) in {case[:3] for case in PROPERTIES[name]()}


@pytest.mark.parametrize("name", PROPERTIES)
def test_cases_have_spans_that_do_not_overlap(name):
    for case in PROPERTIES[name]():
        for side in case.with_right_span(2)[:3]:
            tokens = [token for first, last in side for token in range(first, last + 1)]
            assert len(tokens) == len(set(tokens))
            assert not tokens or 0 <= min(tokens) <= max(tokens) < case.with_right_span(2).tokens


@pytest.mark.parametrize(
    ("measure", "better", "worse"),
    # 2-2 is tagged B, which stands on an I: 2 * 4 / (7 + 5) against 2 * 4 / (7 + 4); in IO 2 * 5 / (7 + 5)
    [(TokenF(format="BIO"), 8 / 12, 8 / 11), (TokenF(), 10 / 12, 8 / 11), (SlIcm(), 0.7872, 0.5319)],
)
def test_why_bio_lacks_overlap(measure, better, worse):
    gold, more, less = map(spans, ("1-3 10-13", "2-2 10-13", "10-13"))
    scores = [measure.score(measure.counts(gold, side))[measure.headline] for side in (more, less)]
    assert scores == pytest.approx([better, worse], abs=5e-5)


def test_token_informativeness_needs_equal_lengths():
    """The last token of 10 has P = .01, the last of 2 has P = .1, all others .5; by hand T - 2 * what is lost."""
    measure = SlIcm(token_probabilities=[[0.5] * 9 + [0.01, 0.5, 0.5, 0.1]])
    gold, better, worse = (
        Spans.from_dicts(
            [[{"start": first, "end": last + 1, "label": "A"} for first, last in ends(side)]], lengths=[13]
        )
        for side in ("1-10 12-13", "1-10 12-12", "1-9 12-13")
    )
    scores = [measure.score(measure.counts(gold, side))["sl_icm"] for side in (better, worse)]
    total = sum(1 / rank for rank in range(1, 10)) + math.log2(100) / 10 + 1 + math.log2(10) / 2
    assert scores == pytest.approx([total - math.log2(10), total - math.log2(100) / 5])
    assert scores == pytest.approx([2.8324, 4.8255], abs=5e-5)


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("row", TABLE1)
def test_every_counterexample_is_one(row, as_printed):
    name, _, format = row.partition("token_f_")
    second = getattr(slow, "token_f" if format else "sl_icm" if row == "sl_icm_words" else name)
    for check in property_checks(row, as_printed).values():
        example, options = check.counterexample, {"format": format} if format else {}
        assert (example is None) == check.holds
        if example is None:
            continue
        gold, *outputs = ({("X", frozenset(range(x, y + 1))) for x, y in side} for side in example.case[:3])
        if example.probabilities is not None:
            options["information"] = lambda _, token, each=example.probabilities: -math.log2(each[token])
        scores = [second([gold], [output], **options) for output in outputs]
        key = "sl_icm_norm" if "sl_icm_norm" in scores[0] else "f1"
        ours = [example.better_score, example.worse_score]
        assert ours == pytest.approx([score[key] for score in scores], abs=1e-12)
        assert ours[0] <= ours[1] + 1e-9


def accuracy(references, predictions):
    """Compute the share of tokens that are in a span on both sides, or in none."""
    sides = np.zeros((2, int(references.lengths[0])), dtype=bool)
    for side, spans in zip(sides, (references, predictions), strict=True):
        for start, end in zip(spans.start, spans.end, strict=True):
            side[start:end] = True
    return float((sides[0] == sides[1]).mean())


def test_token_accuracy():
    checks = check_properties(accuracy)
    assert [name for name, check in checks.items() if check.holds] == list(PROPERTIES)[:4]


@pytest.mark.parametrize("value", [0.5, math.nan])
def test_a_constant_has_no_property(value):
    checks = check_properties(lambda references, predictions: value)
    assert list(checks) == list(PROPERTIES)
    assert all(check.failed == check.cases and not check.holds for check in checks.values())


def test_where_lower_is_better():
    class Distance(SpanF):
        higher_is_better = False

        def formula(self, quantities):
            return {key: 1 - value for key, value in super().formula(quantities).items()}

    for ours, other in zip(check_properties(Distance()).values(), check_properties(SpanF()).values(), strict=True):
        assert (ours.cases, ours.failed) == (other.cases, other.failed)


def test_functions_and_measures_agree():
    measure, names = LinkF(), ["correct_sequence", "length_vs_noisy"]

    def score(references, predictions):
        return measure.score(measure.counts(references, predictions))["f1"]

    assert check_properties(score, properties=names) == check_properties(measure, properties=names)


def test_measures_beyond_the_table():
    constant = check_properties(SlIcm(token_probabilities=0.25))
    assert [name for name, check in constant.items() if not check.holds] == ["token_informativeness"]
    # its counts do not add up over documents
    assert check_properties(UnitizingAlpha(), properties=["overlap"])["overlap"].holds
    assert not check_properties(ChanceKappaF1(), properties=["token_informativeness"])["token_informativeness"].holds


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        (LinkF(), {"properties": ["overlaps"]}, ": 'overlaps'"),
        (LinkF(), {"words": True}, "takes no words"),
        (accuracy, {"words": True}, "takes no words"),
        (LinkF, {}, "is not a measure of spans"),
        (Eter(), {}, "is not a measure of spans"),
        ("link_f", {}, "is not a measure of spans"),
        (SlIcm(tokens=[["a"]]), {}, "tokens of its own"),
    ],
)
def test_wrong_input(measure, options, message):
    with pytest.raises(InputError, match=message):
        check_properties(measure, **options)


def test_example():
    assert doctest.testmod(properties) == (0, 4)


@pytest.mark.parametrize(
    ("alpha1", "alpha2", "beta"), [(0.01, 0.01, 0.0), (0.5, 0.4, 0.0), (0.2, 2.7, 2.0), (2.9, 0.05, 2.0)]
)
def test_all_weights_of_the_range_have_all_properties(alpha1, alpha2, beta):
    checks = check_properties(SlIcm(alpha1=alpha1, alpha2=alpha2, beta=beta))
    assert all(check.holds for check in checks.values())
