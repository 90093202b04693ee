"""Systems against several references: by hand, against a slow implementation, for every measure, errors."""

import json
import math

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_team
from slow import several_references as slow
from spanometer.measures import MEASURES, SpanF

WAYS = ("mean", "best")

# the system agrees with ann in the first document, with ben in the second
PEOPLE = {
    "ann": [["B-X", "O", "O"], ["B-X", "B-X"], ["O"]],
    "ben": [["O", "B-X", "B-X"], ["B-Y", "O"], ["O"]],
    "cat": [["O", "O", "B-X"], ["O", "O"], ["O"]],
}
SYSTEM = [["B-X", "O", "O"], ["B-Y", "O"], ["O"]]


def f1(scores):
    return {name: score.scores["f1"] for name, score in scores.items()}


def test_by_hand():
    found = spanometer.score_against(PEOPLE, {"tagger": SYSTEM})
    result = found.measures["span_f"]
    # 2·1/(2+3), 2·1/(2+3), 0
    assert f1(result.against["tagger"]) == {"ann": 0.4, "ben": 0.4, "cat": 0.0}
    together = f1(result.together["tagger"])
    assert together["mean"] == pytest.approx(0.8 / 3, abs=1e-15)
    assert (together["best"], result.best["tagger"]) == (0.4, "ann")
    # ann and ben share nothing, nor do ann and cat; ben and cat share one of 3 and 1
    assert f1(result.against["ann"]) == {"ben": 0.0, "cat": 0.0}
    assert f1(result.against["cat"]) == {"ann": 0.0, "ben": 0.5}
    assert result.ceiling["mean"].scores["f1"] == pytest.approx((0.0 + 0.25 + 0.25) / 3, abs=1e-15)
    assert result.ceiling["best"].scores["f1"] == pytest.approx((0.0 + 0.5 + 0.5) / 3, abs=1e-15)
    # without ann or ben 0.4 is the best, without cat too
    assert result.same_terms["tagger"]["best"].scores["f1"] == pytest.approx(0.4, abs=1e-15)
    assert result.differences["tagger"]["best"].scores["f1"] == pytest.approx(0.4 - 1 / 3, abs=1e-15)
    assert "|references:3|" in result.signature
    assert (found.documents, found.tokens, found.confidence) == (3, 6, None)


def corpus(seed, annotators, kind="flat", documents=6):
    sides, lengths = random_team(seed, kind, annotators + 2, documents)
    return sides[:annotators], sides[annotators:], lengths


@pytest.mark.parametrize("annotators", [2, 3, 5])
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_against_slow(annotators, kind):
    for seed in range(6):
        people, outputs, lengths = corpus(seed, annotators, kind)
        n_resamples, documents = 40, np.arange(len(lengths))
        found = spanometer.score_against(
            {f"p{place}": as_spans(side, lengths) for place, side in enumerate(people)},
            {"one": as_spans(outputs[0], lengths), "two": as_spans(outputs[1], lengths)},
            confidence=0.8,
            interval_method="percentile",
            n_resamples=n_resamples,
            seed=seed,
        ).measures["span_f"]
        drawn = slow.drawn_documents(len(lengths), n_resamples, seed)
        expected = {}
        for name, output in zip(("one", "two"), outputs, strict=True):
            for where in (documents, *drawn):
                values = slow.comparison(people, output, where)
                values["together"] = slow.together(people, output, where)
                for table, of_ways in values.items():
                    for way, scores in of_ways.items():
                        for key, value in scores.items():
                            expected.setdefault((name, table, way, key), []).append(value)
            for place, person in enumerate(people):
                scores = slow.scores(slow.sums(person, output))
                assert found.against[name][f"p{place}"].scores == pytest.approx(scores, abs=1e-12)
        for (name, table, way, key), (value, *resampled) in expected.items():
            of_table = getattr(found, table)
            score = (of_table if table == "ceiling" else of_table[name])[way]
            assert score.scores[key] == pytest.approx(value, abs=1e-12)
            assert score.intervals[key] == pytest.approx(np.quantile(resampled, [0.1, 0.9]), abs=1e-12)


@pytest.mark.parametrize("name", list(MEASURES))
def test_every_measure(name):
    people, outputs, lengths = corpus(3, 3, documents=12)
    sides = [as_spans(side, lengths) for side in people]
    output = as_spans(outputs[0], lengths)
    found = spanometer.score_against(sides, output, measures=name, confidence=0.9, n_resamples=30)
    result = found.measures[name]
    headline = result.measure.headline
    values = []
    for place, side in enumerate(sides, 1):
        alone = spanometer.score(side, output, measures=name).measures[name].scores
        assert result.against["system"][str(place)].scores == pytest.approx(alone, abs=1e-12, nan_ok=True)
        values.append(alone[headline])
    best = max if result.measure.results[headline].better == "higher" else min
    assert result.together["system"]["best"].scores[headline] == best(values)
    assert result.together["system"]["mean"].scores[headline] == pytest.approx(np.mean(values), abs=1e-12)
    for way in WAYS:
        low, high = result.differences["system"][way].intervals[headline]
        assert low <= high
    assert headline in str(found)
    assert len(found.tables()) == len(result.measure.keys)
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_reference_in_all_places():
    """If all references are one, all ways give its score, and it is its own ceiling."""
    people, outputs, lengths = corpus(1, 1)
    same = as_spans(people[0], lengths)
    found = spanometer.score_against([same, same, same], as_spans(outputs[0], lengths), measures=("span_f", "link_f"))
    for name, result in found.measures.items():
        alone = spanometer.score(same, as_spans(outputs[0], lengths), measures=name).measures[name].scores
        for way in WAYS:
            assert result.together["system"][way].scores == pytest.approx(alone, abs=1e-15)
            assert result.ceiling[way].scores["f1"] == 1.0


def test_averages_and_undefined_values():
    found = spanometer.score_against(PEOPLE, SYSTEM, measures=SpanF(average="macro", zero_division=math.nan))
    result = found.measures["span_f"]
    # cat has no Y: the system's precision in Y is 0, its recall is not defined
    assert result.against["system"]["cat"].scores["precision"] == 0.0
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_document_has_no_intervals():
    found = spanometer.score_against([[["B-X"]], [["O"]]], [["B-X"]], confidence=0.95)
    low, _ = found.measures["span_f"].together["system"]["mean"].intervals["f1"]
    assert math.isnan(low)
    assert "Intervals need at least two documents, but the corpus has 1 document" in str(found)


@pytest.mark.parametrize("name", ["agreement", "consensus", "disagreements", "score_against"])
def test_options_of_a_single_reference(name):
    options = {"reference_label_map": {"X": "Z"}, "reference_labels": True, "merge_overlaps": "references"}
    for option, value in options.items():
        with pytest.raises(spanometer.InputError, match=f"{option}=.* needs a single reference"):
            getattr(spanometer, name)(PEOPLE, *[SYSTEM] * (name == "score_against"), **{option: value})


def test_names_that_look_like_those_of_errors():
    found = spanometer.score_against(
        {"system x": [["B-A"]], "b": [["O"]]}, {"x": [["B-A"]]}, measures=["span_f"], confidence=None
    )
    assert (found.references, found.systems) == (("system x", "b"), ("x",))
    assert "system x" in str(found)
    with pytest.raises(spanometer.InputError, match="1 cannot be the name of a system"):
        spanometer.score_against([[["B-A"]], [["O"]]], {1: [["B-A"]]}, measures=["span_f"])
