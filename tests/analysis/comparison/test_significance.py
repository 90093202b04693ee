"""Kendall's tau of the rankings that measures give: by hand, against SciPy, with intervals over documents."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from spanometer.analysis.comparison.compare import compare
from spanometer.analysis.comparison.significance import PairedResampling, kendall, rank_correlations
from spanometer.measures import LinkF, SpanF, TokenF
from spanometer.spans.entities import Entities
from spanometer.spans.spans import pair_from_tags

GOLD = [["B-A", "I-A", "O", "B-B"]] * 6
# exact spans: 2, 1, 1 of 2; tokens: 3, 1, 2 of 3
SYSTEMS = {
    "all": [["B-A", "I-A", "O", "B-B"]] * 6,
    "one": [["O", "O", "O", "B-B"]] * 6,
    "half": [["B-A", "I-A", "O", "O"]] * 6,
    "near": [["B-A", "O", "O", "B-B"]] * 6,
}


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        # of the three pairs two alike and one not
        ([1, 2, 3], [1, 3, 2], 1 / 3),
        # two are tied in the one: two pairs alike of 2 and 3
        ([1, 2, 2], [1, 2, 3], 2 / math.sqrt(2 * 3)),
        ([1, 1, 1], [1, 2, 3], math.nan),
    ],
)
def test_by_hand(one, other, tau):
    assert float(kendall(np.array(one), np.array(other))) == pytest.approx(tau, nan_ok=True)


def test_against_scipy():
    generator = np.random.default_rng(0)
    for systems in (3, 5, 9):
        one, other = generator.integers(1, systems + 1, size=(2, 200, systems))
        expected = [stats.kendalltau(*pair).statistic for pair in zip(one, other, strict=True)]
        assert kendall(one, other) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_systems_that_are_ranked_differently():
    measures = {"exact": SpanF(), "tokens": TokenF()}
    found = compare(GOLD, SYSTEMS, measures=measures, n_permutations=10, rank_correlation=True)
    (pair,) = found.rank_correlations
    assert pair.measures == ("exact", "tokens")
    # exact: all 1, one 2/3, half 2/3, near 1/2; tokens: all 1, one 1/2, half 4/5, near 4/5
    assert pair.tau == pytest.approx(stats.kendalltau([1, 2, 2, 4], [1, 4, 2, 2]).statistic)
    assert pair.swapped == (("one", "near"),)
    # all documents are alike, and so are all draws
    assert pair.interval == pytest.approx((pair.tau, pair.tau))
    assert pair.same == 0
    assert found.to_dict()["rank_correlations"] == [
        {
            "measures": ["exact", "tokens"],
            "tau": pair.tau,
            "interval": list(pair.interval),
            "same": 0.0,
            "swapped": [["one", "near"]],
        }
    ]
    assert "rank_correlations" not in compare(GOLD, SYSTEMS, measures=measures, n_permutations=10).to_dict()


def test_the_interval_is_of_drawn_corpora():
    generator = np.random.default_rng(3)
    flip = {"B-A": 0.7, "I-A": 0.6, "B-B": 0.5}
    systems = {
        name: [[tag if generator.random() < share + flip.get(tag, 0) / 3 else "O" for tag in row] for row in GOLD * 5]
        for name, share in (("a", 0.5), ("b", 0.55), ("c", 0.4))
    }
    measures = {"exact": SpanF(), "links": LinkF(), "tokens": TokenF()}
    found = compare(GOLD * 5, systems, measures=measures, n_resamples=200, n_permutations=1, rank_correlation=True)
    weights = np.concatenate(list(PairedResampling(n_resamples=200, n_permutations=1).weights(30)))
    scores = {}
    for name, measure in measures.items():
        counts = [measure.counts(*pair_from_tags(GOLD * 5, output)[:2]) for output in systems.values()]
        drawn = np.stack([measure.score_totals(measure.totals(each, weights))["f1"] for each in counts], axis=1)
        # sums in another order differ in their last bits
        scores[name] = drawn.round(10)
    for pair, (one, other) in zip(found.rank_correlations, combinations(measures, 2), strict=True):
        assert pair.measures == (one, other)
        drawn = [stats.kendalltau(*draw).statistic for draw in zip(scores[one], scores[other], strict=True)]
        expected = np.nanquantile(drawn, [0.025, 0.975])
        assert pair.interval == pytest.approx(tuple(expected), abs=1e-9)
        assert pair.interval[0] < pair.interval[1]
        assert pair.same == pytest.approx(np.mean(np.array(drawn) > 1 - 1e-12), abs=1e-12)


def test_same_counts_ties():
    ranked = {"a": (np.array([1, 1, 3]), np.array([[1, 1, 3], [1, 2, 3]])), "b": (np.array([1, 1, 3]),) * 2}
    ranked["b"] = (ranked["b"][0], np.array([[1, 1, 3], [1, 1, 3]]))
    (pair,) = rank_correlations(ranked, ("x", "y", "z"), 0.95)
    assert (pair.tau, pair.same, pair.swapped) == (1, 0.5, ())


def test_trees_are_ranked_by_two_rates():
    def corpus(*types):
        return Entities.from_dicts([[{"start": 0, "end": 1, "types": [name], "components": []}] for name in types])

    systems = {"good": corpus("a", "b"), "half": corpus("a", "c"), "bad": corpus("c", "d")}
    found = compare(corpus("a", "b"), systems, measures="eter", n_permutations=4, rank_correlation=True)
    (pair,) = found.rank_correlations
    assert pair.measures == ("eter", "ser")
    assert pair.tau == 1
