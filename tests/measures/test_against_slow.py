"""Every measure against a slow, obvious second implementation, on random corpora."""

import math
import random
from dataclasses import replace
from functools import cache

import pytest

from random_corpora import as_spans, random_pair
from slow import measures as slow
from spanometer import InputError
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF

KINDS = ("flat", "nested", "flat discontinuous", "discontinuous")
CASES = 120

MEASURES = {
    "span_f": (SpanF(), slow.span_f, {}),
    **{
        f"token_f {format}": (TokenF(format=format), slow.token_f, {"format": format})
        for format in ("IO", "BIO", "BIOE", "BIOES", "IO*")
    },
    "link_f": (LinkF(), slow.link_f, {}),
    "bcubed": (Bcubed(), slow.bcubed, {}),
    "intersection_f": (IntersectionF(), slow.intersection_f, {}),
    "intersection_f cap": (IntersectionF(cap=True), slow.intersection_f, {"cap": True}),
    "sl_icm": (SlIcm(), slow.sl_icm, {}),
    "sl_icm tokens e": (SlIcm(prior="tokens", log_base=math.e), slow.sl_icm, {"prior": "tokens", "log_base": math.e}),
    **{
        f"sl_icm {weights}": (SlIcm(**weights), slow.sl_icm, weights)
        for weights in ({"alpha1": 0.25, "alpha2": 1.0, "beta": 0.5}, {"alpha1": 0.01, "alpha2": 2.0, "beta": 3.0})
    },
    "sl_icm optimal": (SlIcm(matching="optimal"), slow.sl_icm, {"matching": "optimal"}),
}


@cache
def corpus(seed, kind):
    """A random pair of annotations as sets, and as spans."""
    references, predictions, lengths = random_pair(seed, kind)
    return references, predictions, (as_spans(references, lengths), as_spans(predictions, lengths))


def same(ours, theirs):
    return ours.keys() == theirs.keys() and all(
        math.isclose(ours[key], theirs[key], rel_tol=1e-12, abs_tol=1e-12)
        or (math.isnan(ours[key]) and math.isnan(theirs[key]))
        for key in ours
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEASURES)
def test_same_scores(name, kind):
    measure, second, options = MEASURES[name]
    refused = 0
    for seed in range(CASES):
        references, predictions, fast = corpus(seed, kind)
        average = ("micro", "macro", "weighted")[seed % 3]
        zero_division = (0.0, 1.0, math.nan)[seed // 3 % 3]
        asked = replace(measure, average=average, zero_division=zero_division)
        try:
            theirs = second(references, predictions, average=average, zero_division=zero_division, **options)
        except ValueError:
            with pytest.raises(InputError, match="cap=True"):
                asked.counts(*fast)
            refused += 1
            continue
        counts = asked.counts(*fast)
        ours = asked.score(counts)
        assert same(ours, theirs), (seed, ours, theirs)
        per_label = slow.per_label(second, references, predictions, zero_division=zero_division, **options)
        ours_per_label = asked.score_per_label(counts)
        assert ours_per_label.keys() == per_label.keys(), seed
        for label, values in per_label.items():
            found = dict(ours_per_label[label])
            assert found.pop("support") == sum(span[0] == label for document in references for span in set(document))
            assert same(found, values), (seed, label, found, values)
    assert (refused > 0) == (name == "intersection_f" and kind in ("nested", "discontinuous"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matching", ["mutual", "optimal"])
def test_sl_icm_with_words(matching, kind):
    for seed in range(CASES // 2):
        references, predictions, lengths = random_pair(seed, kind)
        generator = random.Random(seed)
        words = [[generator.choice("aaabbcdefg") for _ in range(length)] for length in lengths]
        corpus = [word for document in words for word in document]
        mapping = {word: (position + 1) / 12 for position, word in enumerate("abcdefg")}
        for given in (None, mapping):
            probability = mapping if given else {word: corpus.count(word) / len(corpus) for word in corpus}

            def information(document, token, words=words, probability=probability):
                return -math.log2(probability[words[document][token]])

            measure = SlIcm(tokens=words, token_probabilities=given, matching=matching)
            ours = measure.score(measure.counts(as_spans(references, lengths), as_spans(predictions, lengths)))
            theirs = slow.sl_icm(references, predictions, information=information, matching=matching)
            assert all(math.isclose(ours[key], theirs[key], rel_tol=1e-9, abs_tol=1e-9) for key in ours), seed


def test_sl_icm_constant_probability():
    for seed in range(CASES):
        references, predictions, lengths = random_pair(seed, "nested")
        measure = SlIcm(token_probabilities=0.2, log_base=3)
        ours = measure.score(measure.counts(as_spans(references, lengths), as_spans(predictions, lengths)))
        theirs = slow.sl_icm(references, predictions, information=lambda *_: -math.log(0.2, 3), log_base=3)
        assert same(ours, theirs), seed


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_integers_where_they_count_things(kind):
    for seed in range(CASES):
        references, predictions, fast = corpus(seed, kind)
        for measure, second in (
            (SpanF(), slow.span_f_counts),
            (LinkF(), slow.link_f_counts),
            (TokenF(), slow.token_f_counts),
            (TokenF(format="BIOE"), lambda *sides: slow.token_f_counts(*sides, format="BIOE")),
        ):
            counts = measure.counts(*fast)
            expected = second(references, predictions)
            for column in ("both", "predicted", "reference"):
                sums = counts.per_label()[column]
                assert sums.dtype.kind == "i"
                assert dict(zip(counts.labels, sums.tolist(), strict=True)) == {
                    label: values[column] for label, values in expected.items()
                }, (seed, measure)
