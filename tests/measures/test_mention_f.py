"""F1 over mention strings."""

import math
import random
from collections import Counter

import pytest

from spanometer.measures import MentionF, read_counts
from spanometer.spans.mentions import Mentions

ANN, BOB, OSLO = ("PER", "Ann"), ("PER", "Bob"), ("LOC", "Oslo")
REFERENCES = [[ANN, ANN, OSLO], [], [BOB]]
PREDICTIONS = [[ANN, ("PER", "ann"), ("PER", "Oslo")], [BOB], [BOB, BOB]]


def counts(references, predictions, **options):
    measure = MentionF(**options)
    return measure, measure.counts(Mentions.from_pairs(references), Mentions.from_pairs(predictions))


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        # Ann once and Bob once
        ({}, (2, 6, 4)),
        ({"copies": "set"}, (2, 5, 3)),
        # Ann twice
        ({"fold": "case"}, (3, 6, 4)),
        ({"fold": "case", "copies": "set"}, (2, 4, 3)),
        # Oslo too
        ({"match_labels": False}, (3, 6, 4)),
    ],
)
def test_counts_by_hand(options, numbers):
    measure, counted = counts(REFERENCES, PREDICTIONS, **options)
    assert tuple(counted.total()[name] for name in ("both", "predicted", "reference")) == numbers
    both, predicted, reference = numbers
    assert measure.score(counted) == {
        "precision": both / predicted,
        "recall": both / reference,
        "f1": pytest.approx(2 * both / (predicted + reference)),
    }


def test_scores_by_label_and_averages():
    measure, counted = counts(REFERENCES, PREDICTIONS)
    assert measure.score_per_label(counted) == {
        "LOC": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1},
        "PER": {"precision": 2 / 6, "recall": 2 / 3, "f1": 4 / 9, "support": 3},
    }
    assert MentionF(average="macro").score(counted)["f1"] == 2 / 9
    # 1 of 3 and 3; nothing of 1 and 0; 1 of 2 and 1
    measure, counted = counts(REFERENCES, PREDICTIONS, average="documents")
    assert measure.score(counted)["f1"] == pytest.approx((1 / 3 + 0 + 2 / 3) / 3)
    assert math.isnan(MentionF(zero_division=math.nan).score(counts([[]], [[]])[1])["f1"])


@pytest.mark.parametrize(
    ("fold", "same"),
    [
        ("exact", [("Ann", " Ann ")]),
        ("case", [("ANN", "ann")]),
        ("loose", [("“Two – Year”", "'two-year'"), ("ﬁn", "FIN")]),
        ("squad", [("The U.S. Army", "us army"), ("a", "the")]),
    ],
)
def test_normal_forms(fold, same):
    for one, other in same:
        assert counts([[("X", one)]], [[("X", other)]], fold=fold)[1].total()["both"] == 1
    assert counts([[("X", "Ann")]], [[("X", "Anne")]], fold=fold)[1].total()["both"] == 0


@pytest.mark.parametrize("copies", ["set", "multiset"])
def test_random_corpora_against_sets_and_counters(copies):
    rng = random.Random(0)
    kind = set if copies == "set" else Counter
    for _ in range(200):
        sides = [[rng.choices([ANN, BOB, OSLO], k=rng.randint(0, 5)) for _ in range(4)] for _ in range(2)]
        total = counts(*sides, copies=copies)[1].total()
        both = [kind(reference) & kind(predicted) for reference, predicted in zip(*sides, strict=True)]

        def size(parts):
            return sum(len(part) if copies == "set" else part.total() for part in parts)

        expected = [size(both), *(size(map(kind, side)) for side in reversed(sides))]
        assert [total[name] for name in ("both", "predicted", "reference")] == expected


def test_mentions_are_read_from_pairs_dicts_and_arrow():
    pairs = [[ANN, BOB], [], [OSLO]]
    dicts = [[{"label": label, "text": text, "start": 0} for label, text in row] for row in pairs]
    read = [Mentions.from_pairs(pairs), Mentions.from_pairs(dicts), Mentions.from_pairs(map(list, pairs))]
    read += [Mentions.from_arrow(read[0].to_arrow()), Mentions.from_pairs(read[0].to_arrow())]
    expected = [[{"label": label, "text": text} for label, text in row] for row in pairs]
    assert [one.to_dicts() for one in read] == [expected] * 5
    assert repr(read[0]) == "Mentions(3 mentions, 3 documents, labels LOC, PER)"


def test_stored_counts_come_back():
    measure, counted = counts(REFERENCES, PREDICTIONS, fold="case", copies="set", average="macro")
    again = read_counts(counted.to_bytes())
    assert again.measure == measure
    assert again.score() == counted.score()


def test_the_signature_names_what_changes_the_number():
    signed = MentionF(fold="case", copies="set").signature({"grounding": "gollie"})
    assert signed.startswith(
        "mention_f|grounding:gollie|fold:case|copies:set|match_labels:yes|average:micro|zero_division:0|"
    )
