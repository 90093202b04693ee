"""Agreement of a team by chance: by hand, every arrangement listed, a slow simulation, p-values that are right."""

import json
import math
import random
from itertools import combinations

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_document
from slow import team_chance as slow
from spanometer import Spans
from spanometer.alignment.overlaps import lay_out
from spanometer.analysis.agreement import agree
from spanometer.counts.statistics import Resampling
from spanometer.measures import ChanceKappaF1, Gamma, UnitizingAlpha


def of_spans(lengths, *annotators):
    """Spans of annotators, each a list of (document, label, start, end)."""
    return [
        Spans.from_dicts(
            [
                [{"start": start, "end": end, "label": label} for place, label, start, end in own if place == document]
                for document in range(len(lengths))
            ],
            lengths=lengths,
        )
        for own in annotators
    ]


BY_HAND = of_spans([4], [(0, "X", 0, 3)], [(0, "X", 0, 3)], [(0, "X", 0, 1)])


def test_team_kappa_by_hand():
    # f1 is 1, 1/2 and 1/2; by chance two spans of 3 share 3 or 2 tokens, and that of 1 lies in one of 3 in 3 of 4 cases
    found = spanometer.agreement(BY_HAND)
    assert found.mean_f1 == pytest.approx(2 / 3)
    assert found.mean_chance_f1 == pytest.approx((5 / 6 + 3 / 8 + 3 / 8) / 3)
    assert found.mean_kappa_f1 == pytest.approx((1 + 1 / 5 + 1 / 5) / 3)
    assert found.team_kappa_f1 == pytest.approx(5 / 17)
    assert found.per_label["X"].team_kappa_f1 == found.team_kappa_f1 == found.to_dict()["team_kappa_f1"]
    assert not found.simulated
    assert "simulated" not in found.to_dict()


def randomly(seed, annotators, lengths):
    generator = random.Random(seed)
    return [[random_document(generator, length, "flat", ("A", "B")) for length in lengths] for _ in range(annotators)]


def test_p_values_by_hand():
    # all three values are reached if the spans of 3 lie alike (1 of 2) and that of 1 inside (3 of 4)
    count = 20_000
    found = spanometer.agreement(BY_HAND, n_simulations=count)
    for key in ("mean_f1", "mean_kappa_f1", "alpha"):
        assert_near(found.simulated[key].p_value, 3 / 8, count)
    assert_near(found.simulated["f1"].p_value[0, 1], 1 / 2, count)
    assert_near(found.simulated["f1"].p_value[2, 0], 3 / 4, count)
    assert np.isnan(np.diag(found.simulated["f1"].p_value)).all()
    assert found.simulated["mean_f1"].drawn.mean() == pytest.approx(19 / 36, abs=4 * 0.131 / count**0.5)


def assert_near(p_value, share, count):
    """A p-value is that of a share of simulations within four standard errors."""
    assert abs(float(p_value) - share) < 4 * math.sqrt(max(share * (1 - share), 1 / count) / count) + 1 / count


SMALL = {
    "one document": ([5], [{(0, "A"): [2, 1]}, {(0, "A"): [2]}, {(0, "A"): [1]}]),
    "two labels": ([4], [{(0, "A"): [2], (0, "B"): [1]}, {(0, "A"): [1]}, {(0, "B"): [2], (0, "A"): [1]}]),
    "two documents": ([3, 4], [{(0, "A"): [1], (1, "A"): [2]}, {(0, "A"): [1], (1, "A"): [1]}, {(1, "A"): [3]}]),
    "four annotators": ([4], [{(0, "A"): [2]}, {(0, "A"): [1]}, {(0, "A"): [3]}, {(0, "A"): [1, 1]}]),
}


@pytest.mark.parametrize("level", ["token", "span"])
@pytest.mark.parametrize("name", SMALL)
def test_every_arrangement(monkeypatch, name, level):
    # several blocks of simulations
    monkeypatch.setattr(agree, "_DRAWN_AT_ONCE", 3_000)
    lengths, annotators = SMALL[name]
    every = list(slow.teams(lengths, annotators))
    means = np.array([slow.mean_f1(team, level) for team in every])
    count = 2_000
    for number in (0, len(every) // 3, len(every) - 1):
        sides = of_spans(lengths, *every[number])
        options = {"n_simulations": count, "seed": number, "level": level, "variant": None, "zero_division": 0.0}
        found = spanometer.agreement(sides, per_document=True, **options)
        # the mean of pairs is expected exactly, though pairs depend on each other
        assert found.mean_chance_f1 == pytest.approx(means.mean(), abs=1e-12)
        simulated = found.simulated["mean_f1"]
        assert float(simulated.observed) == pytest.approx(means[number], abs=1e-12)
        assert abs(float(simulated.drawn.mean()) - means.mean()) < 4 * means.std() / count**0.5 + 1e-12
        assert float(simulated.drawn.std()) == pytest.approx(means.std(), rel=0.15)
        assert_near(simulated.p_value, (means >= means[number] - 1e-12).mean(), count)
        for one, other in combinations(range(len(annotators)), 2):
            pairs = np.array([slow.f1(team[one], team[other], level) for team in every])
            assert_near(found.simulated["f1"].p_value[one, other], (pairs >= pairs[number] - 1e-12).mean(), count)
        for document in range(len(lengths)):
            of_one = np.array([slow.mean_f1(_only(team, document), level) for team in every])
            assert_near(found.document_p_values[document], (of_one >= of_one[number] - 1e-12).mean(), count)


def _only(team, document):
    return [[span for span in own if span[0] == document] for own in team]


@pytest.mark.parametrize("variant", ["1995", "2016"])
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_alpha_of_every_arrangement(variant, average):
    lengths, annotators = [4], [{(0, "A"): [2, 1]}, {(0, "A"): [2], (0, "B"): [3]}, {(0, "A"): [1]}]
    measure, count = UnitizingAlpha(variant=variant, average=average), 300
    every = list(slow.teams(lengths, annotators))
    values = np.array([_alpha(measure, of_spans(lengths, *team), ("A", "B")) for team in every])
    for number in (0, len(every) // 2):
        sides = of_spans(lengths, *every[number])
        found = spanometer.agreement(sides, n_simulations=count, variant=variant, average=average)
        simulated = found.simulated["alpha"]
        assert_near(simulated.p_value, (values >= values[number] - 1e-12).mean(), count)
        assert abs(float(simulated.drawn.mean()) - values.mean()) < 4 * values.std() / count**0.5


def _alpha(measure, sides, labels):
    offsets = np.concatenate(([0], np.cumsum(sides[0].lengths)))
    laid_out = [lay_out(side, labels, offsets) for side in sides]
    return measure.score(measure.count_sides(laid_out, labels, offsets))["alpha"]


@pytest.mark.parametrize(
    "options", [{}, {"level": "span"}, {"average": "macro"}, {"placement": "independent"}, {"placement": "layers"}]
)
def test_two_annotators_are_those_of_the_measure(options):
    lengths = [9, 15, 15]
    sides = [as_spans(one, lengths) for one in randomly(4, 2, lengths)]
    found = spanometer.agreement(sides, n_simulations=4_000, **options)
    measure = ChanceKappaF1(n_simulations=4_000, seed=9, **options)
    expected = measure.score(measure.counts(*sides))
    simulated = found.simulated["mean_f1"]
    assert float(simulated.drawn.std()) == pytest.approx(expected["chance_f1_std"], rel=0.1)
    assert abs(float(simulated.p_value) - expected["p_value"]) < 4 * math.sqrt(2 * 0.25 / 4_000)
    assert simulated.drawn.mean() == pytest.approx(found.mean_chance_f1, abs=5 * simulated.drawn.std() / 4_000**0.5)
    assert simulated.p_value == found.simulated["f1"].p_value[0, 1] == found.simulated["mean_kappa_f1"].p_value
    # alpha is not defined for spans that may lie over each other
    assert ("alpha" in found.simulated) == (options.get("placement") != "independent")
    assert "|n_simulations:4000|seed:0|" in found.signatures["chance_kappa_f1"]


def test_labels_and_documents():
    lengths = [9, 15, 4, 0]
    annotations = of_spans(
        lengths, [(0, "A", 0, 2), (1, "B", 3, 5)], [(0, "A", 0, 2), (1, "B", 9, 11)], [(0, "A", 1, 3)]
    )
    found = spanometer.agreement(annotations, n_simulations=999, per_document=True)
    # of one label the same as of it alone
    of_a = spanometer.agreement(annotations, n_simulations=999, ignore_labels=["B"])
    assert abs(float(found.per_label["A"].simulated["mean_f1"].p_value - of_a.simulated["mean_f1"].p_value)) < 0.07
    assert found.per_label["A"].simulated["mean_f1"].p_value < 0.15 < found.per_label["B"].simulated["mean_f1"].p_value
    assert np.isnan(found.document_p_values).tolist() == [False, False, True, True]
    described = json.loads(json.dumps(found.to_dict()))
    assert described["per_label"]["A"]["simulated"]["mean_f1"].keys() == {"mean", "std", "quantiles", "p_value"}
    assert described["per_document"]["p_value"][2:] == [None, None]
    assert described["n_simulations"] == 999


def test_one_document_has_p_values_and_no_intervals():
    found = spanometer.agreement(BY_HAND, n_simulations=99, confidence=0.95)
    assert found.interval("team_kappa_f1") is None
    assert 0.2 < found.simulated["mean_f1"].p_value < 0.6
    text = str(found)
    assert "Intervals need at least two documents, but the corpus has 1 document" in text
    assert "99 random annotations" in text


def test_intervals_of_the_team():
    lengths = [9, 15, 12, 9]
    sides = [as_spans(one, lengths) for one in randomly(2, 3, lengths)]
    options = {"confidence": 0.9, "n_resamples": 25, "interval_method": "percentile", "seed": 3}
    found = spanometer.agreement(sides, **options, variant=None)
    # the same corpora, document by document
    drawn = [row for block in Resampling(**options).weights(len(lengths)) for row in block]
    values = [
        spanometer.agreement([side.take(_documents(row)) for side in sides], variant=None).team_kappa_f1
        for row in drawn
    ]
    assert found.interval("team_kappa_f1") == pytest.approx(tuple(np.quantile(values, (0.05, 0.95))), abs=1e-9)


def _documents(row):
    return np.repeat(np.arange(len(row)), np.asarray(row, dtype=int))


def test_nothing_annotated():
    found = spanometer.agreement(of_spans([5, 5], [], []), n_simulations=9, per_document=True)
    assert found.simulated["mean_f1"].p_value == 1.0
    assert np.isnan(found.document_p_values).all()


def test_gamma_is_held_against_its_own_samples():
    sides = of_spans([30], [(0, "A", 0, 4), (0, "B", 10, 13)], [(0, "A", 1, 4), (0, "B", 10, 14)], [(0, "A", 0, 3)])
    measure = Gamma(samples=50)
    found = spanometer.agreement(sides, n_simulations=9, gamma=measure)
    simulated = found.simulated["gamma"]
    assert simulated.drawn.shape == (50,)
    assert float(simulated.drawn.mean()) == pytest.approx(0, abs=1e-12)
    assert float(simulated.p_value) == (1 + (simulated.drawn >= found.gamma - 1e-12).sum()) / 51
    assert simulated.p_value < 0.2
    assert "gamma" not in spanometer.agreement(sides, n_simulations=9, gamma=measure, average="macro").simulated
    assert "gamma" not in found.per_label["A"].simulated
