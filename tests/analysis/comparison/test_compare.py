"""Comparison of systems: by hand, against SciPy and sacreBLEU, by simulation, at the edges."""

import math

import numpy as np
import pytest
from scipy import stats

import spanometer
from slow import comparison as slow
from spanometer import Spans
from spanometer.analysis.comparison.compare import compare
from spanometer.analysis.comparison.significance import holm, ranks
from spanometer.counts.statistics import Estimate, Resampling
from spanometer.measures import MEASURES, ChanceKappaF1, Eter, LinkF, SlIcm, SpanF, UnitizingAlpha
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities
from spanometer.tags.tags import Tags

REFERENCE = [["B-A", "O"], ["B-A", "O"], ["B-A", "O"], ["B-B", "O"]]
NONE = [["O", "O"]] * 4


def random_tags(generator, documents, *systems):
    """References, and outputs that find each span with a given probability, which differs from sentence to sentence."""
    references, outputs = [], [[] for _ in systems]
    for _ in range(documents):
        number = int(generator.integers(1, 4))
        ease = generator.normal()
        references.append([tag for _ in range(number) for tag in ("B-A", "O")])
        for output, right in zip(outputs, systems, strict=True):
            share = 1 / (1 + math.exp(-(ease + right)))
            found = generator.random((number, 2)) < (share, 0.15)
            output.append([tag for hit, extra in found for tag in ("B-A" if hit else "O", "B-A" if extra else "O")])
    return references, *outputs


def of_documents(references, output):
    """(right, predicted, reference) of each document, of one-token spans of one label."""
    return [
        (
            sum(one == other == "B-A" for one, other in zip(reference, predicted, strict=True)),
            predicted.count("B-A"),
            reference.count("B-A"),
        )
        for reference, predicted in zip(references, output, strict=True)
    ]


def pair(references, one, other, **options):
    """What span_f says of two systems."""
    return compare(references, {"one": one, "other": other}, **options).measures["span_f"].pairs[0]


# by hand


def test_by_hand():
    """The one finds all four spans, the other none: of the 16 swaps two give as large a difference as 1 - 0."""
    found = compare(REFERENCE, {"all": REFERENCE, "none": NONE})
    assert (found.names, found.documents, found.tokens) == (("all", "none"), 4, 8)
    result = found.measures["span_f"]
    assert result.systems["all"].scores == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert result.systems["all"].intervals["f1"] == (1.0, 1.0)
    assert [result.systems[name].rank for name in found.names] == [1, 2]
    assert result.systems["none"].rank_shares == (0.0, 1.0)
    (of_pair,) = result.pairs
    assert of_pair.systems == ("all", "none")
    assert of_pair.difference == 1.0
    assert of_pair.interval == (1.0, 1.0)
    assert (of_pair.p_randomisation, of_pair.exact) == (2 / 16, True)
    # all differences in drawn corpora are 1, their mean: none is 1 away from it
    assert of_pair.p_bootstrap == 1 / 1001
    assert of_pair.mark == ""


def test_identical_systems():
    references, output = random_tags(np.random.default_rng(0), 30, 1.0)
    for method in ("bca", "percentile"):
        found = pair(references, output, output, interval_method=method)
        assert (found.difference, found.interval) == (0.0, (0.0, 0.0))
        assert found.p_randomisation == found.p_bootstrap == 1.0
        assert found.p_randomisation_holm == found.p_bootstrap_holm == 1.0


def test_blocks_do_not_matter(monkeypatch):
    references, one, other = random_tags(np.random.default_rng(4), 25, 1.0, 0.7)
    for permutations in (500, 10**6):
        if permutations == 10**6:
            references, one, other = references[:9], one[:9], other[:9]
        options = {"n_permutations": permutations, "n_resamples": 50}
        whole = pair(references, one, other, **options)
        with monkeypatch.context() as patch:
            patch.setattr("spanometer.counts.statistics._BLOCK", 100)
            patch.setattr("spanometer.analysis.comparison.significance._BLOCK", 100)
            assert pair(references, one, other, **options) == whole


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_scores_and_intervals_are_those_of_the_measure(method):
    references, one, other = random_tags(np.random.default_rng(5), 30, 1.0, 0.7)
    measures = [measure() for measure in MEASURES.values()]
    options = {"n_resamples": 100, "interval_method": method, "n_permutations": 20}
    found = compare(references, {"one": one, "other": other}, measures=measures, **options)
    spans = Spans.from_tags(references)
    for name, result in found.measures.items():
        for system, output in (("one", one), ("other", other)):
            counts = result.measure.counts(spans, Spans.from_tags(output))
            assert result.systems[system].scores == result.measure.score(counts)
            expected = result.measure.intervals(counts, Resampling(n_resamples=100, interval_method=method))
            assert result.systems[system].intervals == expected
        assert result.signature.startswith(f"{name}|scheme:IOB2|repair:conlleval|")
        # gamma has a seed of its own before
        seed = "" if name == "gamma" else "|seed:0"
        drawn = f"|confidence:0.95|interval_method:{method}|n_resamples:100{seed}|n_permutations:20|"
        assert drawn in result.signature
        assert "|seed:0|" in result.signature


def test_the_interval_of_a_difference():
    """From differences in the corpora that the same draws give, scored anew, and with each document left out."""
    generator = np.random.default_rng(6)
    references, one, other = (np.array(side, dtype=object) for side in random_tags(generator, 12, 1.0, 0.3))

    def difference(documents):
        return slow.f1(of_documents(references[documents], one[documents])) - slow.f1(
            of_documents(references[documents], other[documents])
        )

    everything = np.arange(12)
    drawn = [
        difference(np.repeat(everything, row.astype(int)))
        for weights in Resampling(n_resamples=200, seed=3).weights(12)
        for row in weights
    ]
    left_out = np.array([difference(np.delete(everything, document)) for document in everything])
    for method, without in (("percentile", None), ("bca", left_out)):
        found = pair(list(references), list(one), list(other), n_resamples=200, seed=3, interval_method=method)
        expected = Estimate(np.array(difference(everything)), np.array(drawn), without).interval(0.95)
        assert found.interval == pytest.approx(expected, abs=1e-12)
    centred = np.abs(np.array(drawn) - np.mean(drawn))
    assert found.p_bootstrap == (1 + (centred >= abs(difference(everything)) - 1e-12).sum()) / 201


# against other implementations


def test_exact_randomisation_against_all_swaps():
    generator = np.random.default_rng(7)
    for _ in range(20):
        references, one, other = random_tags(generator, 8, 1.0, 0.0)
        found = pair(references, one, other)
        assert found.exact
        expected = slow.p_of_all_swaps(of_documents(references, one), of_documents(references, other))
        assert found.p_randomisation == pytest.approx(expected, abs=1e-12)


def scipy_permutation_test(references, one, other, n_resamples):
    """SciPy's p-value: documents of both systems are numbered through, and exchanged in pairs."""
    counts = np.array(of_documents(references, one) + of_documents(references, other))
    documents = len(references)

    def difference(first, second, axis):
        right, predicted, reference = np.moveaxis(counts[first.astype(int)].sum(axis=axis), -1, 0)
        other_right, other_predicted, other_reference = np.moveaxis(counts[second.astype(int)].sum(axis=axis), -1, 0)
        return 2 * right / (predicted + reference) - 2 * other_right / (other_predicted + other_reference)

    numbers = np.arange(documents), np.arange(documents, 2 * documents)
    return stats.permutation_test(
        numbers,
        lambda first, second, axis: difference(first, second, axis % first.ndim),
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        random_state=np.random.default_rng(0),
    ).pvalue


def test_randomisation_against_scipy():
    generator = np.random.default_rng(8)
    for documents, resamples in ((10, 2000), (60, 20_000)):
        for _ in range(4):
            references, one, other = random_tags(generator, documents, 1.0, 0.6)
            expected = scipy_permutation_test(references, one, other, resamples)
            found = pair(references, one, other, n_permutations=resamples)
            if documents == 10:
                assert found.exact
                assert found.p_randomisation == pytest.approx(expected, abs=1e-12)
            else:
                # five standard errors of the difference of two shares
                error = 5 * math.sqrt(2 * expected * (1 - expected) / resamples)
                assert not found.exact
                assert found.p_randomisation == pytest.approx(expected, abs=error)


def test_against_sacrebleu():
    """sacreBLEU's own functions, with F1 of the documents' counts in place of BLEU."""
    significance = pytest.importorskip("sacrebleu.significance", reason="sacreBLEU is not installed")
    from sacrebleu.metrics.base import Score

    class F1:
        """As much of a metric as the tests ask for."""

        def _extract_corpus_statistics(self, hypotheses, references):
            return of_documents(references, hypotheses)

        def _aggregate_and_compute(self, numbers):
            return self._compute_score_from_stats(np.asarray(numbers).sum(axis=0))

        def _compute_score_from_stats(self, numbers):
            return Score("F1", 2 * numbers[0] / (numbers[1] + numbers[2]))

    generator = np.random.default_rng(9)
    draws = 10_000
    spans = Spans.from_tags
    for right in (1.0, 0.6, 0.5):
        references, one, other = random_tags(generator, 80, 1.0, right)
        metric = F1()
        numbers = np.array(of_documents(references, one))
        baseline = {"F1": (numbers, metric._aggregate_and_compute(numbers))}
        arguments = (baseline, "other", other, references, {"F1": metric}, draws)
        found = pair(references, one, other, n_permutations=draws)
        theirs = significance._paired_ar_test(*arguments, seed=1)[1]["F1"].p_value
        assert found.p_randomisation == pytest.approx(theirs, abs=5 * math.sqrt(2 * theirs * (1 - theirs) / draws))

        # their bootstrap subtracts the mean of |d*|, so that it is one-sided for clear differences: on our draws
        counts = [SpanF().counts(spans(references), spans(side)) for side in (one, other)]
        parts = [
            [SpanF().score_totals(SpanF().totals(side, weights))["f1"] for side in counts]
            for weights in Resampling(n_resamples=draws).weights(80)
        ]
        first, second = np.concatenate(parts, axis=1)
        apart = np.abs(first - second)
        ours = significance._compute_p_value(apart - apart.mean(), abs(found.difference))
        theirs = significance._paired_bs_test(*arguments, seed=1)[1]["F1"].p_value
        assert 0.001 < theirs < 0.5
        assert ours == pytest.approx(theirs, abs=5 * math.sqrt(2 * theirs * (1 - theirs) / draws))


def test_holm():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    generator = np.random.default_rng(10)
    for _ in range(50):
        p_values = np.round(generator.random(int(generator.integers(1, 9))) ** 3, 2)
        assert holm(p_values) == pytest.approx(slow.holm(p_values.tolist()), abs=1e-15)
    assert holm(np.array([0.5])) == [0.5]
    assert holm(np.array([math.nan, 0.01])).tolist()[1] == 0.02


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_ranks(higher_is_better):
    generator = np.random.default_rng(11)
    values = np.round(generator.random((100, 4)), 1)
    # sums in another order
    values[:50] += generator.random((50, 4)) * 1e-14
    expected = [slow.ranks(row.tolist(), higher_is_better) for row in values]
    assert ranks(values, higher_is_better=higher_is_better).tolist() == expected
    assert ranks(np.array([[math.nan, 0.0, math.nan]]), higher_is_better=higher_is_better).tolist() == [[2, 1, 2]]


def test_rank_shares():
    references, one, other, third = random_tags(np.random.default_rng(12), 40, 1.0, 0.9, 0.2)
    found = compare(references, {"one": one, "other": other, "third": third}, n_resamples=300)
    systems = found.measures["span_f"].systems
    values = [
        [
            slow.f1(np.repeat(of_documents(references, output), row.astype(int), axis=0))
            for output in (one, other, third)
        ]
        for weights in Resampling(n_resamples=300).weights(40)
        for row in weights
    ]
    places = np.array([slow.ranks(row, True) for row in values])
    for column, system in enumerate(systems.values()):
        assert system.rank_shares == tuple((places[:, column] == rank).mean() for rank in (1, 2, 3))
        assert sum(system.rank_shares) == pytest.approx(1.0)


# by simulation


@pytest.fixture(scope="module")
def null():
    """P-values of pairs of systems that are alike."""
    generator = np.random.default_rng(13)
    found = []
    for trial in range(300):
        references, one, other = random_tags(generator, 60, 1.0, 1.0)
        found.append(pair(references, one, other, n_resamples=200, n_permutations=400, seed=trial,
                          interval_method="percentile"))  # fmt: skip
    return found


@pytest.mark.parametrize("test", ["p_randomisation", "p_bootstrap"])
def test_p_values_are_uniform_under_the_null(null, test):
    p_values = np.array([getattr(found, test) for found in null])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    # 300 trials: 3 standard errors
    assert abs((p_values < 0.05).mean() - 0.05) < 0.038


def test_intervals_of_differences_hold_zero_under_the_null(null):
    held = np.mean([found.interval[0] <= 0 <= found.interval[1] for found in null])
    assert 0.92 <= held <= 0.98


# measures of every kind


def test_all_measures_score_swapped_outputs():
    """For each measure the exact p-value of few documents is that of outputs swapped for real."""
    references, one, other = random_tags(np.random.default_rng(15), 6, 1.5, 0.0)
    words = [[f"w{position}" for position in range(len(tags))] for tags in references]
    measures = {
        # gamma takes its chance level as known when outputs are swapped
        **{name: measure() for name, measure in MEASURES.items() if name != "gamma"},
        "1995": UnitizingAlpha(variant="1995"),
        "macro": SpanF(average="macro"),
        "weighted": LinkF(average="weighted"),
        "words": SlIcm(tokens=words),
        "simulated": ChanceKappaF1(n_simulations=10),
    }
    found = compare(references, {"one": one, "other": other}, measures=measures, n_resamples=20, n_permutations=64)
    sides = Spans.from_tags(references)
    for name, measure in measures.items():

        def value(tags, measure=measure):
            return measure.score(measure.counts(sides, Spans.from_tags(tags, scheme="IOB2")))[measure.headline]

        (result,) = found.measures[name].pairs
        assert result.difference == pytest.approx(value(one) - value(other), abs=1e-12)
        reached = 0
        for swaps in np.ndindex(*[2] * 6):
            first = [other[document] if swap else one[document] for document, swap in enumerate(swaps)]
            second = [one[document] if swap else other[document] for document, swap in enumerate(swaps)]
            reached += abs(value(first) - value(second)) >= abs(result.difference) - 1e-12
        assert result.exact
        assert result.p_randomisation == reached / 64


def test_forms_of_input():
    references, one, other = random_tags(np.random.default_rng(16), 20, 1.0, 0.5)
    expected = pair(references, one, other)
    spans = [Spans.from_tags(side) for side in (references, one, other)]
    assert pair(*spans) == expected
    assert pair(references, spans[1], Tags.from_lists(other)) == expected
    assert pair(*(Spans.from_dicts(side.to_dicts(), lengths=side.lengths) for side in spans)) == expected
    mixed = compare(spans[0], {"a": one, "b": spans[2]}, scheme="IOB2")
    assert mixed.measures["span_f"].signature.startswith("span_f|scheme:IOB2|repair:conlleval|")
    only_spans = compare(spans[0], {"a": spans[1], "b": spans[2]})
    assert only_spans.measures["span_f"].signature.startswith("span_f|input:spans|")
    assert spanometer.compare is compare


def test_one_document():
    found = pair([["B-A", "O"]], [["B-A", "O"]], [["O", "O"]])
    assert (found.difference, found.p_randomisation) == (1.0, 1.0)
    # it tells nothing of other documents
    assert np.isnan([*found.interval, found.p_bootstrap, found.p_bootstrap_holm]).all()


def test_entity_trees_are_ranked_by_both_rates():
    """Figure 5 of the paper of ETER: SER ranks B (40 %) before A (60 %), ETER (50 % both) does not, as in Table 2."""
    kind = {"start": 0, "end": 1, "label": "kind"}
    first = {"start": 0, "end": 1, "types": ["loc"], "components": [kind]}
    parts = [{"start": 1, "end": 2, "label": "qualifier"}, {"start": 2, "end": 3, "label": "kind"}]
    second = {"start": 1, "end": 3, "types": ["func"], "components": parts}
    references = Entities.from_dicts([[first, second]] * 6)
    systems = {"A": Entities.from_dicts([[first]] * 6), "B": Entities.from_dicts([[second]] * 6)}
    found = compare(references, systems, measures="eter", n_resamples=20)
    assert list(found.measures) == ["eter", "ser"]
    ranked = {
        name: [(system.rank, system.scores[name]) for system in result.systems.values()]
        for name, result in found.measures.items()
    }
    assert ranked == {"eter": [(1, 0.5), (1, 0.5)], "ser": [(2, 0.6), (1, 0.4)]}
    pairs = {name: result.pairs[0] for name, result in found.measures.items()}
    # all 64 swaps: no difference is reached by any, and 0.2 only by all documents one way or the other
    assert (pairs["eter"].difference, pairs["eter"].p_randomisation) == (0.0, 1.0)
    assert pairs["ser"].difference == pytest.approx(0.2)
    assert (pairs["ser"].p_randomisation, pairs["ser"].exact) == (2 / 64, True)
    described = found.to_dict()["measures"]["ser"]
    assert (described["headline"], described["higher_is_better"]) == ("ser", False)
    named = compare(references, systems, measures={"x": Eter(), "y": Eter(alpha=0.25)}, n_resamples=20)
    assert list(named.measures) == ["x", "x ser", "y", "y ser"]
    assert [result.title(name) for name, result in named.measures.items()] == ["x eter", "x ser", "y eter", "y ser"]


def test_labels_are_compared_as_if_they_were_alone():
    """In each label the values are those of the corpus without the other labels."""
    rng = np.random.default_rng(5)

    def side():
        return [[["O", "B-A", "B-B"][kind] for kind in rng.integers(3, size=6)] for _ in range(12)]

    references, systems = side(), {"x": side(), "y": side()}
    options = {"n_resamples": 200, "n_permutations": 300, "measures": ("span_f", "link_f", "bcubed")}
    found = spanometer.compare(references, systems, per_label=True, **options)
    for label, other in (("A", "B"), ("B", "A")):
        alone = spanometer.compare(references, systems, ignore_labels=[other], **options)
        for name, result in found.measures.items():
            of_label, expected = result.per_label[label], alone.measures[name]
            for system, values in expected.systems.items():
                assert of_label.systems[system].scores == pytest.approx(values.scores)
                assert of_label.systems[system].intervals["f1"] == pytest.approx(values.intervals["f1"])
                assert of_label.systems[system].rank_shares == values.rank_shares
            assert of_label.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
            assert of_label.pairs[0].p_bootstrap == expected.pairs[0].p_bootstrap


def test_labels_of_measures_that_look_at_all_of_them():
    """SL-ICM weighs a label by its share among all: its values in a label are those of `score_per_label`."""
    references = [["B-A", "O", "B-B"], ["B-A", "I-A", "O"], ["O", "B-B", "O"]]
    systems = {"x": references, "y": [["B-A", "O", "O"], ["B-A", "O", "O"], ["B-B", "O", "O"]]}
    found = spanometer.compare(references, systems, measures="sl_icm", per_label=True, n_resamples=50)
    measure = SlIcm()
    for name, tags in systems.items():
        counts = measure.counts(Spans.from_tags(references), Spans.from_tags(tags))
        for label, values in measure.score_per_label(counts).items():
            of_label = found.measures["sl_icm"].per_label[label].systems[name].scores
            assert of_label == {key: values[key] for key in measure.keys}
    assert list(found.to_dict()["measures"]["sl_icm"]["per_label"]) == ["A", "B"]


def test_attributes():
    def spans(*negated):
        return Attributes.from_dicts(
            [[{"start": 0, "end": 1, "label": "S", "attributes": {"negated": value, "kind": "k"}}] for value in negated]
        )

    references = spans(True, True, False, True)
    systems = {"right": references, "wrong": spans(False, True, True, True)}
    found = spanometer.compare(references, systems, measures="span_attribute", n_resamples=50, n_permutations=16)
    result = found.measures["span_attribute"]
    # of four kinds and three negations, all kinds and two negations are found, and one negation is too much
    assert result.systems["wrong"].scores["f"] == pytest.approx(2 * 6 / (7 + 7))
    assert result.per_label["negated"].systems["wrong"].scores["f"] == pytest.approx(2 * 2 / (3 + 3))
    assert result.per_label["kind"].pairs[0].difference == 0.0
    # all sixteen swaps: the two documents that differ, swapped together or not at all, make the whole difference
    assert (result.pairs[0].exact, result.pairs[0].p_randomisation) == (True, 0.5)
    low, high = result.per_label["negated"].systems["wrong"].intervals["f"]
    assert low <= 2 / 3 <= high
