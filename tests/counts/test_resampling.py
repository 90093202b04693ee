"""Confidence intervals: against SciPy's bootstrap, by simulation, deterministic, defined at the edges."""

import math

import numpy as np
import pytest
from scipy import stats

from spanometer import Spans
from spanometer.counts.statistics import Estimate, Resampling, jackknife_groups, joined_values
from spanometer.measures import ChanceKappaF1, Eter, SlIcm, SpanF, UnitizingAlpha
from spanometer.spans.entities import Entities


def random_corpus(generator, documents, *, right=0.7, spans=4):
    """Sentences of one-token spans, each found with a probability that differs from sentence to sentence."""
    references, predictions = [], []
    for _ in range(documents):
        share = generator.beta(5 * right, 5 * (1 - right))
        number = int(generator.integers(1, spans + 1))
        found = generator.random(number) < share
        noise = generator.random(number) < 0.2
        references.append([tag for _ in range(number) for tag in ("B-A", "O")])
        predictions.append(
            [
                tag
                for hit, extra in zip(found, noise, strict=True)
                for tag in ("B-A" if hit else "O", "B-A" if extra else "O")
            ]
        )
    return Spans.from_tags(references), Spans.from_tags(predictions)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_against_scipy(method):
    """The same draws of documents give the same bounds, but for the last digits of the quantiles."""
    generator = np.random.default_rng(1)
    for _ in range(3):
        measure = SpanF()
        counts = measure.counts(*random_corpus(generator, 60))
        numbers = {name: values.sum(axis=1) for name, values in joined_values(counts.per_document()).items()}

        def f1(documents, axis, numbers=numbers):
            sums = {name: values[documents].sum(axis=axis) for name, values in numbers.items()}
            return 2 * sums["both"] / (sums["predicted"] + sums["reference"])

        ours = measure.intervals(counts, Resampling(n_resamples=20_000, seed=3, interval_method=method))["f1"]
        theirs = stats.bootstrap(
            (np.arange(counts.documents),), f1, n_resamples=20_000, method=method, random_state=np.random.default_rng(4)
        ).confidence_interval
        assert ours == pytest.approx((theirs.low, theirs.high), abs=4e-3)


def test_bca_of_the_same_draws_is_scipys():
    generator = np.random.default_rng(2)
    sample = generator.exponential(size=40)
    drawn = generator.choice(sample, (3000, 40)).mean(axis=1)
    left_out = np.array([np.delete(sample, index).mean() for index in range(40)])
    ours = Estimate(sample.mean(), drawn, left_out).interval(0.9)

    # SciPy's own steps on a distribution that is given
    result = stats.bootstrap(
        (sample,), np.mean, n_resamples=0, method="BCa", confidence_level=0.9, bootstrap_result=_Given(drawn)
    )
    assert ours == pytest.approx(tuple(result.confidence_interval), abs=1e-9)


class _Given:
    """A bootstrap distribution as SciPy takes it to go on from."""

    def __init__(self, drawn):
        self.bootstrap_distribution = drawn


@pytest.fixture(scope="module")
def population():
    return random_corpus(np.random.default_rng(5), 20_000)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_coverage(population, method):
    """Intervals of 95 % hold the value of the population 93 to 97 % of the time."""
    generator = np.random.default_rng(5)
    measure = SpanF()
    expected = measure.counts(*population).score()["f1"]
    held = 0
    trials = 400
    for trial in range(trials):
        drawn = generator.integers(20_000, size=150)
        counts = measure.counts(*(side.take(drawn) for side in population))
        low, high = measure.intervals(counts, Resampling(n_resamples=300, seed=trial, interval_method=method))["f1"]
        held += low <= expected <= high
    assert 0.93 <= held / trials <= 0.97


def test_the_seed_says_it_all():
    counts = SpanF().counts(*random_corpus(np.random.default_rng(6), 50))
    first = SpanF().intervals(counts, Resampling(seed=1))
    assert SpanF().intervals(counts, Resampling(seed=1)) == first
    assert SpanF().intervals(counts, Resampling(seed=2)) != first
    assert all(low <= SpanF().score(counts)[key] <= high for key, (low, high) in first.items())
    wider = SpanF().intervals(counts, Resampling(seed=1, confidence=0.99))
    assert all(wider[key][0] <= low and high <= wider[key][1] for key, (low, high) in first.items())


def test_blocks_do_not_matter(monkeypatch):
    counts = SpanF(average="macro").counts(*random_corpus(np.random.default_rng(7), 30))
    for method in ("percentile", "bca"):
        resampling = Resampling(n_resamples=50, interval_method=method)
        whole = counts.measure.intervals(counts, resampling)
        with monkeypatch.context() as patch:
            patch.setattr("spanometer.counts.statistics._BLOCK", 100)
            assert counts.measure.intervals(counts, resampling) == whole


@pytest.mark.parametrize("measure", [SlIcm(), ChanceKappaF1(), UnitizingAlpha(), UnitizingAlpha(variant="1995")])
def test_negative_and_unbounded_scores(measure):
    generator = np.random.default_rng(8)
    references, predictions = random_corpus(generator, 40, right=0.15)
    counts = measure.counts(references, predictions)
    point = measure.score(counts)
    for method in ("percentile", "bca"):
        found = measure.intervals(counts, Resampling(n_resamples=100, interval_method=method))
        assert list(found) == list(measure.keys)
        for key, (low, high) in found.items():
            assert low < point[key] < high
    assert found[measure.headline][0] < 0


def test_alpha_of_drawn_documents_is_that_of_the_drawn_corpus():
    measure = UnitizingAlpha(variant="1995")
    references, predictions = random_corpus(np.random.default_rng(9), 12)
    counts = measure.counts(references, predictions)
    (weights,) = Resampling(n_resamples=3).weights(12)
    alphas = measure.score_totals(measure.totals(counts, weights))["alpha"]
    for row, alpha in zip(weights.astype(int), alphas, strict=True):
        drawn = np.repeat(np.arange(12), row)
        again = measure.counts(references.take(drawn), predictions.take(drawn))
        assert measure.score(again)["alpha"] == pytest.approx(alpha, abs=1e-12)


def test_groups_leave_every_document_out_once():
    assert jackknife_groups(7).tolist() == list(range(7))
    assert np.bincount(jackknife_groups(2500)).tolist() == [3] * 500 + [2] * 500
    assert np.bincount(jackknife_groups(250, 100)).tolist() == [3] * 50 + [2] * 50


@pytest.mark.parametrize("measure", [SpanF(average="macro"), SlIcm(), UnitizingAlpha(), UnitizingAlpha(variant="1995")])
def test_what_is_left_out(measure):
    references, predictions = random_corpus(np.random.default_rng(10), 9)
    counts = measure.counts(references, predictions)
    for number, found in enumerate(measure.left_out(counts, measure.score_totals)[measure.headline]):
        others = np.delete(np.arange(9), number)
        alone = measure.score(measure.counts(references.take(others), predictions.take(others)))
        assert alone[measure.headline] == pytest.approx(found, abs=1e-12)


def test_edges():
    nothing = Spans.from_tags([])
    found = SpanF().intervals(SpanF().counts(nothing, nothing), Resampling())
    assert all(math.isnan(bound) for bounds in found.values() for bound in bounds)
    perfect = Spans.from_tags([["B-A"], ["B-A", "O"]])
    assert SpanF().intervals(SpanF().counts(perfect, perfect), Resampling())["f1"] == (1.0, 1.0)
    one = Spans.from_tags([["B-A", "O"]])
    other = Spans.from_tags([["B-A", "B-B"]])
    # one document says nothing of how documents differ
    assert all(map(math.isnan, SpanF().intervals(SpanF().counts(one, other), Resampling())["precision"]))
    # a corpus drawn without spans scores zero_division, which may be no number
    sparse = Spans.from_tags([["B-A"], ["O"], ["O"]])
    low, high = SpanF(zero_division=math.nan).intervals(SpanF().counts(sparse, sparse), Resampling())["f1"]
    assert (low, high) == (1.0, 1.0)
    trees = Entities.from_dicts([[{"start": 0, "end": 1, "types": ["a"]}], []])
    assert Eter().intervals(Eter().counts(trees, trees), Resampling())["eter"] == (0.0, 0.0)
