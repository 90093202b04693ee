"""The formal properties: what their cases promise, and how measures are checked for them."""

import doctest
import math
import sys
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from experiments import properties
from experiments.properties import PROPERTIES, check_properties
from experiments.property_cases import Span
from experiments.published import published_rows
from experiments.sl_icm import TABLE1, property_checks
from slow import measures as slow
from spanometer import InputError, Spans
from spanometer.measures import ChanceKappaF1, Eter, LinkF, SlIcm, SpanF, UnitizingAlpha

NEED_ALPHA1 = {"wrong_sequence", "noise", "length_vs_noisy", "noise_increasing"}
"""The properties that say what noise costs."""

every_property = pytest.mark.parametrize("name", PROPERTIES)


# The definitions once more, over sets of tokens and without the package's code.


def as_sets(side):
    return {(span.label, frozenset(range(span.start, span.end))) for span in side}


def keeps(name, words, gold, better, worse):
    """Whether sets of (label, tokens) keep the side conditions of a property."""
    common, of_better, of_worse = better & worse, better - worse, worse - better
    labels = {label for label, _ in of_better | of_worse}
    taken = {token for _, tokens in gold for token in tokens}
    free = {token for _, tokens in common for token in tokens}
    if len(labels) != 1:
        return False
    own = [tokens for _, tokens in of_better]
    other = [tokens for _, tokens in of_worse]
    targets = [tokens for label, tokens in gold if {label} == labels]

    def target(tokens):
        """The only gold span, of any label, that shares tokens with these; or nothing."""
        met = [(label, span) for label, span in gold if span & tokens]
        return met[0][1] if len(met) == 1 and {met[0][0]} == labels else frozenset()

    if name == "correct_sequence":
        return not other and len(own) == 1 and own[0] in targets
    if name == "wrong_sequence":
        return not own and len(other) == 1 and not other[0] & taken
    if name == "overlap":
        whole = target(own[0])
        return len(own) == len(other) == 1 and set() < other[0] < own[0] < whole and not whole & free
    if name == "noise":
        whole = target(other[0])
        return (
            len(own) == len(other) == 1 and set() < whole < own[0] < other[0] and (other[0] - whole).isdisjoint(taken)
        )
    if name == "homogeneity":
        return len(other) == 1 and len(own) > 1 and set(own) <= set(targets) and frozenset().union(*own) == other[0]
    if name == "completeness":
        return len(own) == 1 and len(other) > 1 and own[0] in targets and frozenset().union(*other) == own[0]
    if not len(own) == len(other) == 2:
        return False
    pairs = [(one, next((two for two in other if one & two), frozenset())) for one in own]
    wholes = [target(one | two) for one, two in pairs]
    if not all(wholes) or wholes[0] == wholes[1] or any(whole & free for whole in wholes):
        return False
    if name == "token_informativeness":
        short, full = sorted(zip(pairs, wholes, strict=True), key=lambda item: len(item[0][0]) - len(item[1]))
        (found, kept), lost_whole = short
        (kept_full, cut), whole = full
        if not (kept == lost_whole and kept_full == whole and len(lost_whole) == len(whole)):
            return False
        (lost,), (lost_in_worse,) = lost_whole - found, whole - cut
        bits = [int(words[token][1:]) for token in (lost, lost_in_worse)]
        same = [words[token] for token in sorted(found)] == [words[token] for token in sorted(cut)]
        at_one_end = (lost == min(lost_whole)) == (lost_in_worse == min(whole)) and lost in (
            min(lost_whole),
            max(lost_whole),
        )
        return bits[0] < bits[1] and same and at_one_end
    if name.startswith("length"):
        (long_better, long_worse), (short_better, short_worse) = (
            pair for _, pair in sorted(zip(map(len, wholes), pairs, strict=True), key=lambda item: -item[0])
        )
        long, short = sorted(wholes, key=len, reverse=True)
        exact = long_worse == long and short_better == short and len(long) > len(short)
        if name == "length_vs_captured":
            changed = set() < long_better < long and set() < short_worse < short
        else:
            changed = long < long_better and short < short_worse
        return exact and changed and len(long_better ^ long) == len(short_worse ^ short)
    if len(wholes[0]) != len(wholes[1]) or not all(one < two or two < one for one, two in pairs):
        return False
    sizes = [
        sorted(len(side & whole) for side, whole in zip(sides, wholes, strict=True))
        for sides in zip(*pairs, strict=True)
    ]
    noise = [
        sorted(len(side - whole) for side, whole in zip(sides, wholes, strict=True))
        for sides in zip(*pairs, strict=True)
    ]
    if name == "overlap_increasing":
        inside = all(one | two <= whole for (one, two), whole in zip(pairs, wholes, strict=True))
        return inside and sum(sizes[0]) == sum(sizes[1]) and sizes[1][0] < sizes[0][0] <= sizes[0][1] < sizes[1][1]
    outside = all(whole < one & two for (one, two), whole in zip(pairs, wholes, strict=True))
    return outside and sum(noise[0]) == sum(noise[1]) and noise[0][0] < noise[1][0] <= noise[1][1] < noise[0][1]


def case_of(counterexample):
    """Tags as sets, read one by one."""
    sides = []
    for tags in (counterexample.gold, counterexample.better, counterexample.worse):
        spans = []
        for position, tag in enumerate(tags):
            if tag.startswith("B-"):
                spans.append((tag[2:], [position]))
            elif tag != "O":
                assert spans[-1][0] == tag[2:]
                assert spans[-1][1][-1] == position - 1
                spans[-1][1].append(position)
        sides.append({(label, frozenset(tokens)) for label, tokens in spans})
    return sides


def sides_of(case):
    return [as_sets(side) for side in (case.gold, case.better, case.worse)]


@pytest.mark.parametrize(
    ("name", "positive"), [*((name, True) for name in PROPERTIES), ("wrong_sequence", False), ("noise", False)]
)
def test_cases_keep_their_side_conditions(name, positive):
    from_zero = 0
    for case in islice(PROPERTIES[name].cases(seed=7, positive=positive), 600):
        sides = gold, better, worse = sides_of(case)
        assert gold
        for side, spans in zip(sides, (case.gold, case.better, case.worse), strict=True):
            tokens = [token for _, tokens in side for token in tokens]
            assert len(tokens) == len(set(tokens))
            assert all(0 <= token < len(case.words) for token in tokens)
            assert len(side) == len(spans)
        assert keeps(name, case.words, gold, better, worse), case
        assert not keeps(name, case.words, gold, worse, better), case
        assert not keeps(name, case.words, gold, better, better), case
        from_zero += not gold & better & worse
    assert (from_zero == 0) == (positive and PROPERTIES[name].needs_positive)


@every_property
def test_cases_vary(name):
    cases = list(islice(PROPERTIES[name].cases(), 500))
    assert len(set(cases)) > 350
    assert len({len(case.words) for case in cases}) > 10
    assert {span.label for case in cases for span in case.worse} == {"A", "B"}
    both = [(gold, better & worse) for gold, better, worse in map(sides_of, cases)]
    assert any(common - gold for gold, common in both)
    assert any(tokens & taken for gold, common in both for _, tokens in gold for _, taken in common)


def test_the_published_examples_are_cases():
    rows = published_rows("sl_icm_table3")
    assert len(rows) == 10
    for row in rows:
        name = row["property"].removesuffix("_monotonicity").removeprefix("sequence_").removesuffix("_words")
        sides = [
            as_sets(
                Span(int(first), int(last) + 1, "A") for first, last in (part.split("-") for part in row[side].split())
            )
            for side in ("gold", "A", "B")
        ]
        assert keeps(name, ("w1",) * 40, *sides), row


def test_side_conditions_by_hand():
    def accepts(name, gold, better, worse, words="w1 w1 w1 w1 w1 w1 w1 w1 w1 w1"):
        sides = (
            as_sets(Span(int(span[0]), int(span[1]), span[2:] or "A") for span in side.split())
            for side in (gold, better, worse)
        )
        return keeps(name, words.split(), *sides)

    assert accepts("correct_sequence", "02 35", "02 35", "02")
    assert not accepts("correct_sequence", "02 35", "02 34", "02")
    assert not accepts("correct_sequence", "02 35", "02 35B", "02")
    assert accepts("wrong_sequence", "02", "", "35")
    assert not accepts("wrong_sequence", "02 46", "02", "02 35")
    assert not accepts("overlap", "04", "04", "03")
    assert not accepts("overlap", "04", "03 34", "02 34")
    assert not accepts("overlap", "04", "03", "02B")
    assert not accepts("noise", "13 45 67", "67 14", "67 15")
    assert not accepts("homogeneity", "02 35", "02 35", "05")
    assert not accepts("completeness", "05", "05", "02 35")
    assert not accepts("length_vs_captured", "03 47", "02 47", "03 46")
    assert not accepts("length_vs_captured", "03 47B", "03 46B", "02 47B")
    assert accepts("token_informativeness", "02 35", "02 34", "01 35", "w1 w9 w3 w1 w2")
    assert not accepts("token_informativeness", "02 35", "02 34", "01 35", "w1 w2 w3 w1 w2")
    assert not accepts("token_informativeness", "02 35", "02 34", "01 35", "w2 w9 w3 w1 w2")


# Counterexamples of the measures of the published table.


SLOW = {
    "span_f": (slow.span_f, {}),
    "token_f_IO": (slow.token_f, {}),
    "token_f_BIO": (slow.token_f, {"format": "BIO"}),
    "token_f_BIOE": (slow.token_f, {"format": "BIOE"}),
    "token_f_IO*": (slow.token_f, {"format": "IO*"}),
    "link_f": (slow.link_f, {}),
    "bcubed": (slow.bcubed, {}),
    "intersection_f": (slow.intersection_f, {}),
    "sl_icm": (slow.sl_icm, {}),
    "sl_icm_words": (slow.sl_icm, {}),
}


def test_every_counterexample_is_one():
    checked = 0
    for (metric, name, _), check in property_checks().items():
        found = check.counterexample
        if found is None:
            continue
        gold, better, worse = case_of(found)
        assert keeps(name, found.words or ("w1",) * len(found.gold), gold, better, worse) or (
            # the words of this one are part of the case, though not all measures are given them
            name == "token_informativeness" and found.words is None
        )
        second, options = SLOW[metric]
        if found.words is not None:
            options = {**options, "information": lambda _, token, words=found.words: int(words[token][1:])}
        scores = [second([gold], [output], **options) for output in (better, worse)]
        key = "sl_icm_norm" if "sl_icm_norm" in scores[0] else "f1"
        assert scores[0][key] == pytest.approx(found.better_score, abs=1e-12)
        assert scores[1][key] == pytest.approx(found.worse_score, abs=1e-12)
        assert scores[0][key] <= scores[1][key] + 1e-12
        checked += 1
    assert checked > 60


def tags(written):
    return tuple({"A": "B-A", "a": "I-A", ".": "O"}[letter] for letter in written)


@pytest.mark.parametrize(
    ("metric", "name", "gold", "better", "worse", "scores"),
    [
        # two gold spans melt: all tokens are right
        ("token_f_IO", "homogeneity", "AA", "AA", "Aa", (1, 1)),
        ("intersection_f", "homogeneity", "AA", "AA", "Aa", (1, 1)),
        # P = 2/2, R = 2/3 in BIO; in BIOE the better's E stands on an I: 2 * 1 / (2 + 3) against 2 * 1 / (1 + 3)
        ("token_f_BIOE", "overlap", "Aaa", "Aa.", "A..", (Fraction(2, 5), Fraction(1, 2))),
        ("span_f", "overlap", "Aaa", "Aa.", "A..", (0, 0)),
        # links of 3 + 2 tokens: 6 + 3 in gold; better has 3 + 3 of them, worse 6 + 1
        ("link_f", "length_vs_captured", "AaAaa", "AaAa.", ".AAaa", (Fraction(12, 15), Fraction(14, 16))),
        # B-cubed there: P = 1; R = (2 + 2 * 2/3) / 5 and (3 + 1/2) / 5
        ("bcubed", "length_vs_captured", "AaAaa", "AaAa.", ".AAaa", (Fraction(4, 5), Fraction(14, 17))),
        # two of three tokens in both, or one and all three: as many in all
        ("intersection_f", "overlap_increasing", "AaaAaa", "Aa..Aa", "Aaa..A", (Fraction(4, 5), Fraction(4, 5))),
    ],
)
def test_counterexamples_by_hand(metric, name, gold, better, worse, scores):
    found = property_checks()[metric, name, True].counterexample
    by_hand = [tags(side) for side in (gold, better, worse)]
    # the smallest counterexample has no more tokens and spans than the one worked out on paper
    assert len(found.gold) <= len(gold)
    measure = TABLE1[metric][1]
    reference, *outputs = (Spans.from_tags([side]) for side in by_hand)
    ours = [measure.score(measure.counts(reference, output))["f1"] for output in outputs]
    assert ours == pytest.approx([float(score) for score in scores], abs=1e-12)
    assert found.worse_score >= found.better_score - 1e-9


# Any measure.


def accuracy(references, predictions):
    """Share of tokens that are in a span of the same label on both sides, or in none."""
    sides = [np.full(int(references.lengths[0]), -1) for _ in range(2)]
    for side, spans in zip(sides, (references, predictions), strict=True):
        for start, end, label in zip(spans.start, spans.end, spans.label, strict=True):
            side[start:end] = ord(spans.labels[label])
    return float((sides[0] == sides[1]).mean())


def test_token_accuracy():
    found = check_properties(accuracy, cases=40)
    assert {name for name, check in found.items() if check.holds} == {
        "correct_sequence",
        "wrong_sequence",
        "overlap",
        "noise",
    }
    melted = found["homogeneity"].counterexample
    assert (melted.gold, melted.worse) == (("B-A", "B-A"), ("B-A", "I-A"))
    assert (melted.better_score, melted.worse_score) == (1, 1)


@pytest.mark.parametrize("value", [0.5, math.nan])
def test_a_constant_has_no_property(value):
    found = check_properties(lambda references, predictions: value, cases=5)
    assert list(found) == list(PROPERTIES)
    tokens = [1, 2, 3, 4, 2, 2, 5, 5, 6, 7, 4]
    for check, length in zip(found.values(), tokens, strict=True):
        assert not check.holds
        assert check.failed == check.cases == 5
        assert len(check.counterexample.gold) == length, check


def test_counterexamples_without_hypothesis(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    check = check_properties(lambda references, predictions: 0.0, cases=5, properties=["overlap"])["overlap"]
    assert not check.holds
    with pytest.raises(InputError, match="hypothesis, which is not installed"):
        _ = check.counterexample


def test_where_lower_is_better():
    class Distance(SpanF):
        higher_is_better = False

        def formula(self, quantities):
            return {key: 1 - value for key, value in super().formula(quantities).items()}

    names = ["correct_sequence", "overlap", "completeness"]
    ours, other = (check_properties(measure, cases=50, properties=names) for measure in (Distance(), SpanF()))
    assert [check.holds for check in ours.values()] == [True, False, True]
    for name in names:
        assert ours[name].holds == other[name].holds
        if not ours[name].holds:
            assert ours[name].counterexample.better_score == pytest.approx(1 - other[name].counterexample.better_score)


def test_functions_and_measures_agree():
    measure, names = LinkF(), ["correct_sequence", "length_vs_noisy"]
    by_function = check_properties(
        lambda references, predictions: measure.score(measure.counts(references, predictions))["f1"],
        cases=10,
        properties=names,
    )
    assert by_function == check_properties(measure, cases=10, properties=names)
    assert not by_function["length_vs_noisy"].holds


def test_functions_that_take_words():
    def information(references, predictions, tokens=None, token_probabilities=None):
        measure = SlIcm(tokens=tokens, token_probabilities=token_probabilities)
        return measure.score(measure.counts(references, predictions))["sl_icm_norm"]

    names = ["correct_sequence", "token_informativeness"]
    assert all(check.holds for check in check_properties(information, cases=10, properties=names).values())
    with_words = check_properties(information, cases=20, properties=["homogeneity"], words=True)
    assert not with_words["homogeneity"].holds
    assert with_words == check_properties(SlIcm(), cases=20, properties=["homogeneity"], words=True)


def test_measures_beyond_the_table():
    constant = check_properties(SlIcm(token_probabilities=0.25), cases=200)
    assert [name for name, check in constant.items() if not check.holds] == ["token_informativeness"]
    # its counts do not add up over documents
    alpha = check_properties(UnitizingAlpha(), cases=20, properties=["overlap"])
    assert alpha["overlap"].holds
    kappa = check_properties(ChanceKappaF1(), cases=50, properties=["homogeneity", "token_informativeness"])
    assert not kappa["token_informativeness"].holds


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        (LinkF(), {"properties": ["overlaps"]}, ": 'overlaps'"),
        (LinkF(), {"cases": 0}, "cases=0 is not a number of cases"),
        (LinkF(), {"cases": True}, "cases=True is not a number of cases"),
        (LinkF(), {"words": True}, "takes no words"),
        (accuracy, {"words": True}, "takes no words"),
        (LinkF, {}, "is not a measure of spans"),
        (Eter(), {}, "is not a measure of spans"),
        ("link_f", {}, "is not a measure of spans"),
        (SlIcm(tokens=[["a"]]), {}, "tokens of its own"),
    ],
)
def test_wrong_input(measure, options, said):
    with pytest.raises(InputError, match=said):
        check_properties(measure, **options)


def test_example():
    result = doctest.testmod(properties)
    assert result.attempted == 4
    assert result.failed == 0


@pytest.mark.parametrize("alpha2", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(("alpha1", "beta"), [(0.0, 2.0), (0.01, 0.0), (0.9, 0.0), (1.0, 0.5), (2.9, 2.0), (0.5, 9.0)])
def test_what_the_weights_of_the_information_contrast_change(alpha1, beta, alpha2):
    """All properties hold at all weights, but those about noise only if noise costs anything."""
    found = check_properties(SlIcm(alpha1=alpha1, alpha2=alpha2, beta=beta), cases=100)
    assert {name for name, check in found.items() if not check.holds} == (NEED_ALPHA1 if alpha1 == 0 else set())
