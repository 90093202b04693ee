"""What words are worth to SL-ICM: lists of probabilities, mappings with gaps, and estimates from a corpus."""

import hashlib
import json
import math
import random

import numpy as np
import pyarrow as pa
import pytest

from random_corpora import as_spans, random_pair
from slow import measures as slow
from spanometer import InputError, Spans
from spanometer.measures import SlIcm, word_probabilities
from spanometer.measures.information import mapping_digest

GOLD, OUTPUT = (Spans.from_tags([tags, ["O"]]) for tags in (["B-A", "I-A", "O"], ["O", "B-A", "O"]))
LISTS = [[0.5, 0.125, 0.25], [1.0]]


def score(probabilities, gold=GOLD, output=OUTPUT, **options):
    return SlIcm(token_probabilities=probabilities, **options).counts(gold, output).score()


def test_lists_by_hand():
    # the reference carries 1 + 3 / 2 bits, its second token by itself 3
    assert score(LISTS) == {"sl_icm": 3.5, "sl_icm_norm": 1.2}
    words = {"tokens": [["the", "Nile", "is"], ["it"]]}
    assert score(LISTS) == score({"the": 0.5, "Nile": 0.125}, **words)


@pytest.mark.parametrize(
    "given",
    [
        (tuple(row) for row in LISTS),
        [np.array(row, dtype=np.float32) for row in LISTS],
        pa.array(LISTS),
        pa.chunked_array([LISTS[:1], LISTS[1:]]),
        [[0.5, 0.125, None], [None]],
        [[0.5, 0.125, math.nan], [0]],
        [np.array([0.5, 0.125, 0.0]), []],
    ],
    ids=["tuples", "float32", "arrow", "chunks", "None", "NaN and 0", "too short"],
)
def test_forms_of_lists(given):
    if isinstance(given, list) and len(given[1]) == 0:
        with pytest.raises(
            InputError, match="token_probabilities, document 1: the number of probabilities is 0, but there are"
        ):
            score(given)
        return
    assert score(given) == {"sl_icm": 3.5, "sl_icm_norm": 1.2}


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("matching", ["mutual", "optimal"])
def test_lists_against_the_slow_implementation(matching, kind):
    for seed in range(40):
        references, predictions, lengths = random_pair(seed, kind)
        generator = random.Random(seed)
        values = [[generator.choice((0.5, 0.25, 0.1, 0.9, 1.0)) for _ in range(length)] for length in lengths]
        covered = [
            {token for side in (one, other) for _, tokens in side for token in tokens}
            for one, other in zip(references, predictions, strict=True)
        ]
        # what lies in no span has none
        given = [
            [value if token in inside else generator.choice((None, 0.0, math.nan)) for token, value in enumerate(row)]
            for row, inside in zip(values, covered, strict=True)
        ]
        sides = as_spans(references, lengths), as_spans(predictions, lengths)
        ours = SlIcm(token_probabilities=given, matching=matching).counts(*sides).score()
        theirs = slow.sl_icm(
            references,
            predictions,
            information=lambda document, token, values=values: -math.log2(values[document][token]),
            matching=matching,
        )
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9), seed


def test_counts_of_shards_add_up():
    """Each part with its own lists, or its own words and a mapping."""
    references, predictions, lengths = random_pair(3, "flat")
    references, predictions, lengths = references * 3, predictions * 3, lengths * 3
    generator = random.Random(0)
    lists = [[generator.uniform(0.01, 1) for _ in range(length)] for length in lengths]
    words = [[generator.choice("abcd") for _ in range(length)] for length in lengths]
    mapping = word_probabilities(words[:2])

    def counts(part, **options):
        sides = (as_spans(side[part], lengths[part]) for side in (references, predictions))
        return SlIcm(**options).counts(*sides)

    everything = slice(None)
    parts = [slice(0, 1), slice(1, 4), slice(4, None)]
    for given in (lambda part: {"token_probabilities": lists[part]}, lambda part: {"tokens": words[part], **mapping}):
        whole = counts(everything, **given(everything))
        summed = sum(counts(part, **given(part)) for part in parts)
        assert summed.total() == pytest.approx(whole.total(), rel=1e-12)
        assert summed.score() == pytest.approx(whole.score(), rel=1e-12)
        assert summed.measure.options() == whole.measure.options()


def test_signatures_say_where_probabilities_come_from():
    assert "|token_probabilities:tokens|prior" in SlIcm(token_probabilities=LISTS).signature({})
    words = {"tokens": [["a"]], "token_probabilities": {"a": 0.5}}
    assert "unknown" not in SlIcm(**words).signature({})
    assert "|unknown:1e-07|" in SlIcm(**words, unknown=1e-7).signature({})


def test_words_that_the_mapping_lacks():
    words = {"tokens": [["the", "Nile", "is"], ["it"]]}
    known = {"the": 0.5}
    # none of these is in a span
    outside = Spans.from_tags([["B-A", "O", "O"], ["O"]])
    assert score(known, outside, outside, **words)["sl_icm"] == 1.0
    assert score(known, unknown=0.125, **words) == {"sl_icm": 3.5, "sl_icm_norm": 1.2}


def test_estimates_by_hand():
    corpus = [["a", "b", "a"], [], ["c"]]
    # 4 words, 3 of them different, and one unknown: 4 + 4 k below
    found = word_probabilities(corpus)
    assert found == {"token_probabilities": {"a": 3 / 8, "b": 2 / 8, "c": 2 / 8}, "unknown": 1 / 8}
    found = word_probabilities(corpus, smoothing=0.5)
    assert found == {"token_probabilities": {"a": 2.5 / 6, "b": 1.5 / 6, "c": 1.5 / 6}, "unknown": 0.5 / 6}
    found = word_probabilities(corpus, smoothing=0)
    assert found == {"token_probabilities": {"a": 0.5, "b": 0.25, "c": 0.25}, "unknown": None}
    assert word_probabilities({"a": 2, "b": 1, "c": 1}) == word_probabilities(corpus)
    # as the relative frequencies of the documents themselves
    words = [["a", "b", "a"], ["c"]]
    same = word_probabilities(words, smoothing=0)
    assert score(None, tokens=words) == score(probabilities=same["token_probabilities"], tokens=words)


def test_digest_of_a_mapping():
    """Against the hash of the JSON of all words, whatever their order."""
    given = {f"wörd {number * 7 % 10}": number / 11 + 0.05 for number in range(10)}
    written = json.dumps(sorted((word, value) for word, value in given.items()))
    expected = hashlib.sha256(written.encode()).hexdigest()[:8]
    assert mapping_digest(given) == mapping_digest(dict(sorted(given.items()))) == expected
    assert mapping_digest({}) == hashlib.sha256(b"[]").hexdigest()[:8]
