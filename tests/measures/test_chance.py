"""Chance-corrected F1 and unitizing alpha: published values, slow second implementations, properties."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from experiments.inputs import published_rows
from random_corpora import as_spans, random_pair
from slow import placement as slow
from spanometer import Spans
from spanometer.alignment.overlaps import lay_out
from spanometer.measures import SlIcm, SpanF
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1
from spanometer.measures.unitizing_alpha import UnitizingAlpha


def units(written):
    """Spans of the runs of 1."""
    edges = [0, *(position for position, pair in enumerate(pairwise(written), start=1) if pair[0] != pair[1])]
    bounds = pairwise([*edges, len(written)])
    return [{"start": first, "end": last, "label": "X"} for first, last in bounds if written[first] == "1"]


def annotation(written):
    return Spans.from_dicts([units(written)], lengths=[len(written)])


PRINTED = {
    "obs_f1": (ChanceKappaF1(), "f1"),
    "chance_f1": (ChanceKappaF1(), "chance_f1"),
    "corr_f1": (ChanceKappaF1(), "kappa_f1"),
    "obs_d": (UnitizingAlpha(variant="1995"), "observed_disagreement"),
    "exp_d": (UnitizingAlpha(variant="1995"), "expected_disagreement"),
    "alpha": (UnitizingAlpha(variant="1995"), "alpha"),
    "obs_mu_d": (UnitizingAlpha(), "observed_disagreement"),
    "exp_mu_d": (UnitizingAlpha(), "expected_disagreement"),
    "mu_alpha": (UnitizingAlpha(), "alpha"),
}
# come out of the definition, and of the printed value's reading: a gap of its own for the ten appended zeros
MARKED = {("1B", "exp_d"): ("0.0411", "0.0366!"), ("1B", "alpha"): ("0.9189", "0.9090!")}
TRUNCATED = {("4-annotator2", "obs_f1"), ("4-annotator2", "corr_f1")}


@pytest.mark.parametrize("column", PRINTED)
@pytest.mark.parametrize("row", published_rows("chance_simulations"), ids=lambda row: row["case"])
def test_simulations(row, column):
    measure, key = PRINTED[column]
    value = measure.score(measure.counts(annotation(row["annotator1"]), annotation(row["annotator2"])))[key]
    printed = row[column]
    if (row["case"], column) in MARKED:
        ours, theirs = MARKED[row["case"], column]
        assert printed == theirs
        printed = ours
    decimals = len(printed.partition(".")[2])
    if (row["case"], column) in TRUNCATED:
        assert math.floor(value * 10**decimals) / 10**decimals == float(printed)
    else:
        assert abs(value - float(printed)) <= 0.5 * 10**-decimals + 1e-12


def by_label(document, label):
    return sorted((min(tokens), max(tokens) + 1) for name, tokens in document if name == label)


@pytest.mark.parametrize("level", ["token", "span"])
def test_same_as_enumeration(level):
    agreement = slow.shared if level == "token" else slow.equal
    checked = 0
    for seed in range(160):
        references, predictions, lengths = random_pair(seed, "flat")
        if max(lengths) > 6:
            continue
        checked += 1
        both, chance, sizes = Fraction(0), Fraction(0), 0
        for reference, predicted, tokens in zip(references, predictions, lengths, strict=True):
            for label in "ABCD":
                one, other = by_label(reference, label), by_label(predicted, label)
                sizes += sum(end - start if level == "token" else 1 for start, end in one + other)
                if one and other:
                    both += sum(agreement(s, e - s, t, f - t) for s, e in one for t, f in other)
                    chance += slow.expected_agreement(
                        tokens, [end - start for start, end in one], [end - start for start, end in other], agreement
                    )
        measure = ChanceKappaF1(level=level)
        found = measure.score(measure.counts(as_spans(references, lengths), as_spans(predictions, lengths)))
        expected = {"f1": 2 * both / sizes, "chance_f1": 2 * chance / sizes} if sizes else {"f1": 0, "chance_f1": 0}
        assert abs(found["f1"] - float(expected["f1"])) < 1e-12
        assert abs(found["chance_f1"] - float(expected["chance_f1"])) < 1e-12
        if sizes and expected["chance_f1"] < 1:
            kappa = (expected["f1"] - expected["chance_f1"]) / (1 - expected["chance_f1"])
            assert abs(found["kappa_f1"] - float(kappa)) < 1e-10
        else:
            assert found["kappa_f1"] == 0.0
    assert checked > 25


@pytest.mark.parametrize("variant", ["1995", "2016"])
def test_alpha_is_that_of_the_formula(variant):
    disagreement = slow.disagreement_1995 if variant == "1995" else slow.disagreement_2016
    for seed in range(100):
        references, predictions, lengths = random_pair(seed, "flat")
        tokens = sum(lengths)
        if tokens == 0:
            continue
        measure = UnitizingAlpha(variant=variant)
        counts = measure.counts(as_spans(references, lengths), as_spans(predictions, lengths))
        observed = expected = Fraction(0)
        for label in counts.labels:
            sides, shift = ([], []), 0
            for reference, predicted, length in zip(references, predictions, lengths, strict=True):
                for side, document in zip(sides, (reference, predicted), strict=True):
                    side += [(start + shift, end + shift) for start, end in by_label(document, label)]
                shift += length
            one, other = disagreement(sides, tokens)
            observed, expected = observed + one, expected + other
        found = measure.score(counts)
        assert abs(found["observed_disagreement"] - float(observed)) < 1e-12
        assert abs(found["expected_disagreement"] - float(expected)) < 1e-12
        assert abs(found["alpha"] - (float(1 - observed / expected) if expected else 0.0)) < 1e-9


@pytest.mark.parametrize("variant", ["1995", "2016"])
def test_alpha_of_many_annotators(variant):
    disagreement = slow.disagreement_1995 if variant == "1995" else slow.disagreement_2016
    written = ["0011100110", "0111100100", "0011100000", "1111000110"]
    offsets = np.array([0, 10])
    sides = [lay_out(annotation(one), ("X",), offsets) for one in written]
    measure = UnitizingAlpha(variant=variant)
    found = measure.score(measure.count_sides(sides, ("X",), np.array([0, 10])))
    observed, expected = disagreement([[(u["start"], u["end"]) for u in units(one)] for one in written], 10)
    assert abs(found["alpha"] - float(1 - observed / expected)) < 1e-12


def score(references, predictions, lengths, **options):
    measure = ChanceKappaF1(**options)
    return measure.score(measure.counts(as_spans(references, lengths), as_spans(predictions, lengths)))


def test_layers_and_independent():
    nested = [{("A", frozenset(range(6))), ("A", frozenset({1, 2})), ("A", frozenset({4}))}]
    flat = [{("A", frozenset({1, 2, 3}))}]
    layered = score(nested, flat, [10], placement="layers")
    tokens = 10
    inner = slow.expected_agreement(tokens, [2, 1], [3], slow.shared)
    outer = slow.expected_agreement(tokens, [6], [3], slow.shared)
    # sizes are agreement with itself: 6 + 2 + 1 tokens and twice the 2 + 1 that two spans share; 3
    assert abs(layered["chance_f1"] - float(2 * (inner + outer) / 18)) < 1e-12
    assert abs(layered["f1"] - 2 * (3 + 2) / 18) < 1e-12
    for placement in ("layers", "independent"):
        assert score(nested, nested, [10], placement=placement)["kappa_f1"] == 1.0
    alone = score(nested, flat, [10], placement="independent")
    every = sum((slow.expected_agreement(tokens, [size], [3], slow.shared) for size in (6, 2, 1)), Fraction(0))
    assert abs(alone["chance_f1"] - float(2 * every / 18)) < 1e-12


def test_certain_agreement_follows_zero_division():
    full = [{("A", frozenset(range(4)))}]
    assert score(full, full, [4]) == {"f1": 1.0, "chance_f1": 1.0, "kappa_f1": 0.0}
    assert score(full, full, [4], zero_division=1.0)["kappa_f1"] == 1.0
    assert math.isnan(score(full, full, [4], zero_division=math.nan)["kappa_f1"])


@pytest.mark.parametrize("level", ["token", "span"])
@pytest.mark.parametrize("placement", ["disjoint", "independent"])
def test_simulations_agree_with_the_expectation(level, placement):
    references = [{("A", frozenset({0, 1})), ("A", frozenset({5})), ("B", frozenset({3, 4}))}, {("A", frozenset({2}))}]
    predictions = [{("A", frozenset({1, 2})), ("B", frozenset({3, 4}))}, {("A", frozenset({2})), ("A", frozenset({4}))}]
    lengths = [8, 6]
    options = {"level": level, "placement": placement, "n_simulations": 4000}
    measure = ChanceKappaF1(**options)
    counts = measure.counts(as_spans(references, lengths), as_spans(predictions, lengths))
    found = measure.score(counts)
    drawn = measure.score_totals({**counts.per_label(), "both": counts.simulated})["f1"]
    error = drawn.std() / math.sqrt(len(drawn))
    assert abs(drawn.mean() - found["chance_f1"]) < 4 * error + 1e-12
    assert math.isclose(found["chance_f1_std"], drawn.std())
    assert found["p_value"] == (1 + (drawn >= found["f1"] - 1e-12).sum()) / 4001
    assert score(references, predictions, lengths, **options) == found
    assert score(references, predictions, lengths, **options, seed=1) != found


def test_p_value_by_hand():
    # one token of each side among four: equal once in four
    one = [{("A", frozenset({2}))}]
    found = score(one, one, [4], n_simulations=20_000)
    assert abs(found["p_value"] - 1 / 4) < 0.015
    assert abs(found["chance_f1_std"] - math.sqrt(3) / 4) < 0.01


def test_signatures():
    plain = ChanceKappaF1().signature({"scheme": "IOB2"})
    assert plain.startswith(
        "chance_kappa_f1|scheme:IOB2|level:token|placement:disjoint|method:exact|match_labels:yes|average:micro|zero_division:0|v:"
    )
    simulated = ChanceKappaF1(method="auto", uniform_threshold=0.9, n_simulations=10, seed=3).signature({})
    assert "|method:auto|uniform_threshold:0.9|n_simulations:10|seed:3|" in simulated
    assert UnitizingAlpha().signature({}).startswith("unitizing_alpha|variant:2016|match_labels:yes|average:micro|")


def test_per_document():
    for measure in (ChanceKappaF1(), ChanceKappaF1(average="macro"), SpanF(average="weighted"), SlIcm()):
        for seed in range(40):
            references, predictions, lengths = random_pair(seed, "flat")
            counts = measure.counts(as_spans(references, lengths), as_spans(predictions, lengths))
            found = measure.score_per_document(counts)
            for number, (reference, predicted, length) in enumerate(zip(references, predictions, lengths, strict=True)):
                alone = measure.counts(as_spans([reference], [length]), as_spans([predicted], [length]))
                expected = measure.score(alone)
                assert all(math.isclose(found[key][number], expected[key], abs_tol=1e-12) for key in measure.keys), seed


def test_per_document_in_parts(monkeypatch):
    references, predictions, lengths = random_pair(7, "flat")
    references, predictions, lengths = references * 50, predictions * 50, lengths * 50
    measure = ChanceKappaF1()
    counts = measure.counts(as_spans(references, lengths), as_spans(predictions, lengths))
    whole = measure.score_per_document(counts)
    monkeypatch.setattr("spanometer.counts.counts._BLOCK", 9)
    for key, values in measure.score_per_document(counts).items():
        np.testing.assert_array_equal(values, whole[key])
        assert len(values) == len(lengths)


def spans(*bounds, tokens=9):
    return Spans.from_dicts([[{"start": start, "end": end, "label": "A"} for start, end in bounds]], lengths=[tokens])


@pytest.mark.parametrize("options", [{"method": "uniform"}, {"placement": "independent"}])
def test_chance_above_one_leaves_equal_annotations_their_agreement(options):
    measure = ChanceKappaF1(**options)
    reference, other = spans((0, 2), (2, 7), (7, 9)), spans((0, 2), (2, 6), (7, 9))
    counts = measure.counts(reference, reference)
    found = measure.score(counts)
    assert found == {"f1": 1.0, "chance_f1": pytest.approx(1.1194444444444445, abs=1e-15), "kappa_f1": 1.0}
    assert "chance_f1 is 1.119, above 1" in measure.notes(counts)[0]
    assert measure.score(measure.counts(reference, other))["kappa_f1"] == 0.0
    undefined = replace(measure, zero_division=math.nan)
    assert math.isnan(undefined.score(undefined.counts(reference, other))["kappa_f1"])


def test_chance_of_one_is_noted():
    measure = ChanceKappaF1()
    counts = measure.counts(spans((0, 9)), spans((0, 9)))
    assert measure.score(counts)["kappa_f1"] == 0.0
    assert "chance_f1 is 1" in measure.notes(counts)[0]
    assert measure.notes(measure.counts(spans((0, 4)), spans((0, 9)))) == []
