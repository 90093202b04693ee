"""Scores of parts of the spans: by size, document, label, string, training set, and what a user gives."""

import itertools
import math
import random

import numpy as np
import pytest

from builders import spans
from random_corpora import as_dicts, random_pair
from slow import buckets as slow
from spanometer import InputError, Spans, errors
from spanometer.alignment.matched_spans import MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.errors.buckets import BucketReport, buckets_of, by_name, by_number
from spanometer.analysis.errors.examples import Context, MatchedSides
from spanometer.counts.statistics import Resampling
from spanometer.measures.span_f import SpanF
from spanometer.spans.wording import Wording
from spanometer.tags.tags import Tags

WORDS = [["Rome", "and", "New", "York"], ["Rome", "won"], ["York", "lost", "Rome"]]
LENGTHS = [4, 2, 3]
REFERENCE = ["0-1:LOC 2-4:LOC", "0-1:ORG", "0-1:ORG 2-3:LOC"]
PREDICTION = ["0-1:LOC 3-4:LOC", "0-1:LOC", "0-1:ORG 2-3:LOC"]
SIDES = [spans(*side, lengths=LENGTHS) for side in (REFERENCE, PREDICTION)]


def matched(references, predictions, wording=None):
    found = MatchedSpans(Alignment(references, predictions))
    context = Context(wording=wording)
    return MatchedSides(references=references, predictions=predictions, matched=found, context=context)


def scores(references, predictions, wording, *given, resampling=None):
    sides = matched(references, predictions, wording)
    found = BucketReport.of(buckets_of(sides, *given), sides, resampling)
    by = {}
    for one in found.scores:
        by.setdefault(one.by, {})[one.bucket] = tuple(map(one.sizes.get, ("reference", "predicted", "right")))
    return by


def test_buckets_by_hand():
    train = spans("0-1:LOC 2-3:LOC", lengths=[3]), Wording.of_words([["Rome", "won", "York"]])
    given = {
        "paper": ["a", "b", "b"],
        "year": [1, 2, 3],
        "tag": Tags.from_lists([["P", "C", "P", "P"], ["N", "V"], ["P", "V", "P"]]),
    }
    assert scores(*SIDES, Wording.of_words(WORDS), train, given) == {
        "span length in tokens": {"1": (4, 5, 3), "2": (1, 0, 0)},
        "document length in tokens": {"2": (1, 1, 0), "3": (2, 2, 2), "4": (2, 2, 1)},
        "entity density": {"0.5 or more": (5, 5, 3)},
        "place in the document": {"below 0.2": (3, 3, 2), "0.4 to 0.6": (1, 0, 0), "0.6 to 0.8": (1, 2, 1)},
        "frequency of the label": {"1 or more": (5, 5, 3)},
        "capital letters": {"each word capitalised": (5, 5, 3)},
        "span length in characters": {"4": (4, 5, 3), "8": (1, 0, 0)},
        "times in training": {"0": (1, 0, 0), "1": (4, 5, 3)},
        # Rome is known as LOC alone, New York not at all, though York is
        "mentions in training": {"seen": (2, 4, 2), "seen with another label": (2, 1, 1), "unseen": (1, 0, 0)},
        "labels of the same string": {
            "occurs once": (2, None, 1),
            "mostly this label": (2, None, 2),
            "mostly another label": (1, None, 0),
        },
        "paper": {"b": (3, 3, 2), "a": (2, 2, 1)},
        "year": {"1": (2, 2, 1), "2": (1, 1, 0), "3": (2, 2, 2)},
        "tag": {"P": (4, 4, 3), "N": (1, 1, 0)},
    }


def test_the_mean_of_the_tokens_of_a_discontinuous_span():
    side = Spans.from_dicts([[{"label": "X", "fragments": [[0, 1], [3, 5]]}]], lengths=[5])
    found = scores(side, side, None, None, {"number": [[1, 9, 9, 2, 3]], "text": [list("abcde")], "whole": [7]})
    assert [found[name] for name in ("number", "text", "whole")] == [{each: (1, 1, 1)} for each in ("2", "a", "7")]


def test_scores_and_intervals_are_those_of_span_f():
    references, predictions = (spans(*side * 9, lengths=LENGTHS * 9) for side in (REFERENCE, PREDICTION))
    (whole,) = BucketReport.of(
        [by_name("all", ["x"] * len(references), ["x"] * len(predictions))],
        matched(references, predictions),
        Resampling(n_resamples=200),
    ).scores
    counts = SpanF().counts(references, predictions)
    assert dict(whole.scores) == SpanF().score(counts)
    assert dict(whole.intervals) == SpanF().intervals(counts, Resampling(n_resamples=200))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_random_corpora_against_the_slow_implementation(seed, kind):
    generator = random.Random(seed)
    *sides, lengths = random_pair(seed, kind)
    *others, train_lengths = random_pair(seed + 1000, kind)
    words = [generator.choices("abc", k=length) for length in lengths]
    train_words = [generator.choices("abcd", k=length) for length in train_lengths]
    references, predictions = (as_dicts(side, fragmented=kind == "discontinuous") for side in sides)
    train = as_dicts(others[0], fragmented=kind == "discontinuous")
    both = [Spans.from_dicts(side, lengths=lengths) for side in (references, predictions)]
    given = (Spans.from_dicts(train, lengths=train_lengths), Wording.of_words(train_words))
    found = scores(*both, Wording.of_words(words), given)

    def sizes(bucket, *, predicted=True):
        counts = slow.scored(references, predictions, bucket)
        names = ("reference", "predicted", "right")
        counts = {
            name: tuple(count[size] if size != "predicted" or predicted else None for size in names)
            for name, count in counts.items()
        }
        return {name: count for name, count in counts.items() if predicted or count[0]}

    assert found.get("mentions in training", {}) == sizes(
        lambda span, document: slow.seen(span, words[document], train, train_words)
    )
    expected = slow.scored(
        references,
        [[span for span in row if span in references[number]] for number, row in enumerate(predictions)],
        lambda span, document: slow.consistent(span, words[document], references, words),
    )
    assert found.get("labels of the same string", {}) == {
        name: (count["reference"], None, count["right"]) for name, count in expected.items()
    }
    edges = (0.05, 0.1, 0.2, 0.3, 0.5)
    names = ("below 0.05", *(f"{low} to {high}" for low, high in itertools.pairwise(edges)), "0.5 or more")

    def dense(span, document):
        share = slow.density(references[document], lengths[document])
        return names[sum(share >= edge for edge in edges)] if share else "none"

    assert found.get("entity density", {}) == sizes(dense)


@pytest.mark.parametrize(
    "values, edges, expected",
    [
        ([1, 1, 2, 9], None, ["1", "1", "2", "9"]),
        (range(1, 11), None, ["1", *["2–3"] * 2, *["4–5"] * 2, *["6–7"] * 2, *["8 or more"] * 3]),
        ([0.1, 0.25, 0.5, math.nan], [0.0, 0.2, 0.5], ["below 0.2", "0.2 to 0.5", "0.5 or more", "none"]),
        ([1, 3, 5, 12], (1, 3, 5), ["1–2", "3–4", "5 or more", "5 or more"]),
        ([0, 1, 2], (1, 2), ["1 or less", "1 or less", "2"]),
        ([], None, []),
    ],
)
def test_names_of_ranges(values, edges, expected):
    found = by_number("n", np.array(values, dtype=float), np.zeros(0), edges=edges)
    assert [found.names[code] for code in found.references] == expected


def test_of_many_names_the_rare_are_one_bucket():
    names = [f"n{number}" for number in range(30) for _ in range(30 - number)]
    found = by_name("word", names, [])
    assert len(found.names) == 20
    assert found.names[-1] == "11 others"
    assert np.bincount(found.references).tolist() == [*range(30, 11, -1), sum(range(1, 12))]


def test_scores_without_a_denominator_are_no_zeros():
    references, predictions = (spans(first, "0-1:A", "", lengths=LENGTHS) for first in ("", "0-1:A"))
    sides = matched(references, predictions)
    found = BucketReport.of(buckets_of(sides), sides)
    row = next(one for one in found.scores if (one.by, one.bucket) == ("document length in tokens", "2"))
    other = next(one for one in found.to_dict() if (one["by"], one["bucket"]) == ("document length in tokens", "4"))
    assert row.scores["f1"] == 1
    assert other["recall"] is None and other["precision"] == 0
    (table, *_) = [table for table in found.tables() if table.title == "document length in tokens"]
    assert table.rows[1][2] == "·"


@pytest.mark.parametrize("given", [{"train": "train.conll"}, {"train": 3}, {"by": [1, 2, 3]}, {"by": "year"}])
def test_other_objects_are_refused(given):
    found = errors(*SIDES, words=WORDS, confidence=None)
    with pytest.raises(InputError, match=r"is not (a|the)"):
        found.only.buckets(**given)
