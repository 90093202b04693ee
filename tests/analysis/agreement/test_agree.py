"""Agreement of several annotators: pairs as the measures say, alpha jointly, errors by name."""

import json
import math
import random
from itertools import combinations

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_document
from spanometer import Spans
from spanometer.alignment.overlaps import lay_out
from spanometer.measures import ChanceKappaF1, Gamma, UnitizingAlpha

TAGS = {
    "ann": [["B-X", "I-X", "O", "O", "O", "O"], ["O", "B-Y", "O"]],
    "ben": [["O", "B-X", "I-X", "O", "O", "O"], ["O", "B-Y", "O"]],
    "cat": [["O", "O", "O", "O", "B-X", "I-X"], ["O", "O", "O"]],
}


def randomly(seed, annotators):
    """Annotations of the same random documents."""
    generator = random.Random(seed)
    lengths = [generator.choice((1, 4, 9, 15)) for _ in range(5)]
    sides = [[random_document(generator, length, "flat") for length in lengths] for _ in range(annotators)]
    return [as_spans(side, lengths) for side in sides]


def test_by_hand():
    found = spanometer.agreement(TAGS)
    assert found.names == ("ann", "ben", "cat")
    assert (found.documents, found.tokens, found.spans.tolist()) == (2, 9, [2, 2, 1])
    of_x = found.per_label["X"]
    # one shared token of 2 + 2, and none
    assert of_x.f1.tolist() == [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    # coverage 1/5, 2/5, 2/5, 2/5, 2/5, 1/5 on both sides: 0.72 shared tokens of two
    np.testing.assert_allclose(of_x.chance_f1, np.full((3, 3), 0.36), atol=1e-15)
    assert of_x.mean_f1 == pytest.approx(0.5 / 3)
    assert of_x.mean_kappa_f1 == pytest.approx(((0.5 - 0.36) - 0.36 - 0.36) / 0.64 / 3)
    # all three: 27 tokens, of which 6 annotated; of 9 tokens the pairs differ in 2, 4 and 4
    assert of_x.observed_disagreement == pytest.approx(10 / 27)
    assert of_x.expected_disagreement == pytest.approx(2 * 6 * 21 / (27**2 - 12 - 21))
    assert of_x.alpha == pytest.approx(1 - (10 / 27) / (252 / 696))
    assert of_x.spans.tolist() == [1, 1, 1]
    assert found.per_label["Y"].spans.tolist() == [1, 1, 0]
    assert found.f1[0, 1] == 2 * 2 / 6


@pytest.mark.parametrize("options", [{}, {"level": "span"}, {"average": "macro"}, {"variant": "1995"}])
@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_pairs_and_joint_are_what_the_measures_say(annotators, options):
    own = {key: value for key, value in options.items() if key != "variant"}
    chance = ChanceKappaF1(**own)
    alpha = UnitizingAlpha(variant=options.get("variant", "2016"), average=options.get("average", "micro"))
    for seed in range(4):
        sides = randomly(seed, annotators)
        found = spanometer.agreement(sides, **options)
        labels = tuple(sorted({label for side in sides for label in side.labels}))
        assert tuple(found.per_label) == labels
        for one, other in combinations(range(annotators), 2):
            counts = chance.counts(sides[one], sides[other])
            expected, per_label = chance.score(counts), chance.score_per_label(counts)
            for key in ("f1", "chance_f1", "kappa_f1"):
                matrix = getattr(found, key)
                assert matrix[one, other] == matrix[other, one] == pytest.approx(expected[key], abs=1e-12)
                for label in labels:
                    value = getattr(found.per_label[label], key)[one, other]
                    if label in per_label:
                        assert value == pytest.approx(per_label[label][key], abs=1e-12)
                    else:
                        assert math.isnan(value)
        pairs = [found.kappa_f1[one, other] for one, other in combinations(range(annotators), 2)]
        assert found.mean_kappa_f1 == pytest.approx(sum(pairs) / len(pairs))
        assert (np.diag(found.f1) == 1).all()
        assert (np.diag(found.kappa_f1) == 1).all()
        if annotators == 2:
            expected = alpha.score(alpha.counts(*sides))
            assert [found.alpha, found.observed_disagreement, found.expected_disagreement] == pytest.approx(
                [expected[key] for key in alpha.keys]
            )


def test_forms_of_input():
    expected = spanometer.agreement(TAGS).to_dict()
    assert spanometer.agreement(list(TAGS.values()), names=list(TAGS)).to_dict() == expected
    lengths = [6, 3]
    decoded = {name: Spans.from_tags(tags) for name, tags in TAGS.items()}
    bare = {name: Spans.from_dicts(side.to_dicts()) for name, side in decoded.items()}
    for given, options in (
        (decoded, {}),
        (bare, {"lengths": lengths}),
        ({**bare, "ann": decoded["ann"]}, {}),
        ({**bare, "cat": TAGS["cat"]}, {}),
    ):
        found = spanometer.agreement(given, **options).to_dict()
        assert {**found, "signatures": None} == {**expected, "signatures": None}


def test_scheme_is_told_from_all():
    one, other = [["S-A", "O"]], [["I-A", "O"]]
    found = spanometer.agreement([one, other, [["B-A", "E-A"]]])
    assert "|scheme:IOBES|" in found.signatures["chance_kappa_f1"]
    assert found.f1[0, 1] == 1.0


def test_nothing_annotated():
    found = spanometer.agreement([[["O", "O"]], [["O", "O"]]])
    assert (found.mean_f1, found.alpha, dict(found.per_label)) == (0.0, 0.0, {})
    none = spanometer.agreement([[], []], zero_division=1.0)
    assert (none.documents, none.mean_f1, none.alpha) == (0, 1.0, 1.0)


def nested():
    return Spans.from_dicts([[{"start": 0, "end": 3, "label": "A"}, {"start": 1, "end": 2, "label": "A"}]], lengths=[9])


def test_overlapping_spans():
    flat = Spans.from_dicts([[{"start": 0, "end": 3, "label": "A"}]], lengths=[9])
    found = spanometer.agreement([flat, nested()], placement="layers", variant=None)
    assert math.isnan(found.alpha)
    assert found.kappa_f1[0, 1] > 0


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("annotators", [2, 3])
def test_intervals_are_those_of_corpora_drawn_one_by_one(annotators, average):
    sides = randomly(annotators, annotators)
    options = {"average": average, "n_resamples": 25, "interval_method": "percentile", "seed": 3}
    found = spanometer.agreement(sides, confidence=0.9, match_labels=True, **options)
    generator = np.random.default_rng(3)
    drawn = []
    for _ in range(25):
        chosen = generator.integers(5, size=5, dtype=np.int32)
        drawn.append(spanometer.agreement([side.take(chosen) for side in sides], average=average))
    for key in ("mean_f1", "mean_chance_f1", "mean_kappa_f1", "alpha", "observed_disagreement"):
        values = [getattr(one, key) for one in drawn]
        np.testing.assert_allclose(found.intervals[key], np.quantile(values, [0.05, 0.95]), atol=1e-12)
    for key in ("f1", "chance_f1", "kappa_f1"):
        low, high = np.quantile([getattr(one, key)[0, 1] for one in drawn], [0.05, 0.95])
        np.testing.assert_allclose(found.interval(key, 0, 1), (low, high), atol=1e-12)
        assert found.interval(key, 1, 0) == found.interval(key, 0, 1)
        assert found.interval(key, 0, 0) is None
    for label, of_label in found.per_label.items():
        values = [one.per_label[label].alpha for one in drawn if label in one.per_label]
        # a drawn corpus without the label has no such entry
        if len(values) == len(drawn):
            np.testing.assert_allclose(of_label.intervals["alpha"], np.quantile(values, [0.05, 0.95]), atol=1e-12)


def test_values_without_an_interval():
    one = spanometer.agreement({name: tags[:1] for name, tags in TAGS.items()}, confidence=0.95)
    assert np.isnan(one.intervals["mean_f1"]).all()
    assert "Intervals need at least two documents, but the corpus has 1 document" in str(one)
    found = spanometer.agreement({**TAGS, "dan": TAGS["cat"]}, confidence=0.95, n_resamples=20)
    # cat and dan have no Y
    assert found.per_label["Y"].interval("f1", 0, 1) is not None
    assert found.per_label["Y"].interval("f1", 2, 3) is None
    assert spanometer.agreement(TAGS).intervals == {}
    assert json.loads(json.dumps(found.to_dict()))["confidence"] == 0.95


def test_intervals_of_blocks(monkeypatch):
    sides = randomly(5, 3)
    whole = spanometer.agreement(sides, confidence=0.9, n_resamples=30)
    monkeypatch.setattr("spanometer.analysis.scores.measure_result._BLOCK", 2)
    parts = spanometer.agreement(sides, confidence=0.9, n_resamples=30)
    for key, bounds in whole.intervals.items():
        np.testing.assert_allclose(parts.intervals[key], bounds, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("annotators", [2, 3])
def test_gamma_of_all(annotators):
    sides = randomly(3, annotators)
    measure = Gamma(samples=5, seed=3, sampler="statistical")
    found = spanometer.agreement(sides, gamma=measure)
    labels = ("A", "B", "C")
    offsets = np.concatenate(([0], np.cumsum(sides[0].lengths)))
    counts = measure.count_sides([lay_out(side, labels, offsets) for side in sides], labels, offsets)
    assert {key: getattr(found, key) for key in Gamma.keys} == measure.score(counts)
    for label, values in measure.score_per_label(counts).items():
        assert {key: getattr(found.per_label[label], key) for key in Gamma.keys} == {
            key: values[key] for key in Gamma.keys
        }
    assert found.to_dict()["gamma"] == found.gamma
    assert "|sampler:statistical|samples:5|seed:3|" in found.signatures["gamma"]
    if annotators == 2:
        counts = measure.counts(*sides)
        assert found.gamma == measure.score(counts)["gamma"]


def test_gamma_is_left_out():
    found = spanometer.agreement(TAGS)
    assert math.isnan(found.gamma)
    assert not {*Gamma.keys, "gamma"} & {*found.to_dict(), *found.signatures}


def test_gamma_of_nested_and_crossing_spans():
    one = Spans.from_dicts([[{"start": 0, "end": 6, "label": "A"}, {"start": 4, "end": 9, "label": "A"}]], lengths=[12])
    found = spanometer.agreement([one, one, one], variant=None, placement="independent", gamma=Gamma())
    assert (found.gamma, found.gamma_cat, found.observed_disorder) == (1.0, 1.0, 0.0)


def test_gamma_has_intervals():
    sides = randomly(5, 3)
    found = spanometer.agreement(sides, gamma=Gamma(samples=5), confidence=0.9, n_resamples=50)
    low, high = found.interval("gamma")
    assert low < found.gamma < high
    assert found.per_label["A"].interval("gamma") is not None
