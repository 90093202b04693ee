"""Answers as strings: the published examples, all 128 policies against their definition, wrong input."""

import random

import pytest

from spanometer.grounding import NAMED, NAMED_STRINGS, StringPolicy, ground_strings
from spanometer.measures import MentionF
from spanometer.spans.mentions import Mentions
from tests.slow import grounding as slow

LABELS = ("PER", "LOC")

EXAMPLES = {
    # text, answer, the mentions of the reference; both/predicted/reference of gollie and of universalner
    1: ("Paris loves Paris", ["Paris"], ["Paris", "Paris"], "1/1/2", "1/1/1"),
    2: ("Paris loves Paris", ["Paris", "Paris"], ["Paris", "Paris"], "2/2/2", "1/1/1"),
    3: ("Paris loves Paris", ["Paris", "Paris", "Paris"], ["Paris", "Paris"], "2/2/2", "1/1/1"),
    4: ("An apple for Apple", ["Apple"], ["Apple"], "1/1/1", "1/1/1"),
    5: ("Romania and Oman", ["Oman", "Romania"], ["Romania", "Oman"], "2/2/2", "2/2/2"),
    6: ("Paris Hilton in Paris", ["Paris Hilton", "Paris"], ["Paris Hilton", "Paris"], "2/2/2", "2/2/2"),
    7: ("IBM", ["IBM", "International Business Machines"], ["IBM"], "1/1/1", "1/2/1"),
    8: ("a plan of two - year terms", ["two-year"], ["two - year"], "0/0/1", "0/1/1"),
    9: ("Ann, Bob, Bob, Ann", ["Bob", "Ann", "Ann", "Bob"], ["Ann", "Bob", "Bob", "Ann"], "4/4/4", "2/2/2"),
    10: (
        "University of Oslo",
        [("ORG", "University of Oslo"), ("LOC", "Oslo"), ("CITY", "Oslo")],
        [("ORG", "University of Oslo"), ("LOC", "Oslo")],
        "2/2/2",
        "2/3/2",
    ),
}


def counted(grounded, gold, **options):
    measure = MentionF(**grounded.policy.compared, **options)
    return measure.counts(Mentions.from_pairs(gold), grounded.mentions).total()


@pytest.mark.parametrize("number", EXAMPLES)
@pytest.mark.parametrize(("policy", "column"), [("gollie", 3), ("universalner", 4)])
def test_the_published_examples(number, policy, column):
    example = EXAMPLES[number]
    answer, gold = ([item if isinstance(item, tuple) else ("X", item) for item in side] for side in example[1:3])
    labels = sorted({label for label, _ in gold})
    found = counted(ground_strings([example[0]], [answer], policy=policy, asked_labels=labels), [gold])
    assert "/".join(str(found[name]) for name in ("both", "predicted", "reference")) == example[column]


def test_counts_of_items():
    answer = [["PER", "Ann"], ["PER", "Ann"], ["LOC", "ann"], ["LOC", "Rome"], ["ODD", "Bob"]]
    texts, answers = ["Ann saw Bob. Ann left.", "Oslo"], [answer, '[["LOC", "Oslo"], ["LO']
    grounded = ground_strings(texts, answers, policy="salvage,keep,case,multiset,drop,wrong", asked_labels=LABELS)
    pairs = [[("PER", "Ann"), ("PER", "Ann"), ("LOC", "Rome"), ("ODD", "Bob")], [("LOC", "Oslo")]]
    assert grounded.mentions.to_dicts() == Mentions.from_pairs(pairs).to_dicts()
    found = {name: number for name, number in grounded.total.items() if number}
    assert found == {"items": 6, "placed": 4, "surplus": 1, "absent": 1, "outside": 1, "broken": 1}


PIECES = ["a", "A", "the ", "b", "B", "ab", " ", "-", "–", ".", "e\u0301", "é", "ﬁ", "fi", "İ", "1"]


def random_case(rng):
    text = "".join(rng.choices(PIECES, k=rng.randint(0, 10)))
    items = []
    for _ in range(rng.randint(0, 6)):
        mention = "".join(rng.choices(PIECES, k=rng.randint(1, 3)))
        if text and rng.random() < 0.6:
            start = rng.randrange(len(text))
            mention = text[start : start + rng.randint(1, 4)]
        if mention.strip():
            items.append((rng.choice([*LABELS, "ODD"]), mention))
    gold = [(rng.choice(LABELS), mention) for _, mention in rng.sample(items, k=len(items) // 2)]
    return text, items, gold


@pytest.mark.parametrize("seed", range(4))
def test_every_policy_against_the_slow_reading(seed):
    rng = random.Random(seed)
    policies = list(StringPolicy.grid())
    assert len({policy.actions for policy in policies}) == 128
    for policy in policies * 5:
        text, items, gold = random_case(rng)
        answer = list(map(list, items))
        if broken := rng.random() < 0.2:
            answer = repr(answer)[:-1] + ("," if items else "")
        grounded = ground_strings([text], [answer], policy=policy, asked_labels=LABELS)
        expected = slow.strings(text, items, gold, broken, policy.actions, LABELS)
        assert counted(grounded, [gold]) == expected, (text, items, gold, str(policy))


def test_named_policies():
    assert not set(NAMED) & set(NAMED_STRINGS)
    assert all(StringPolicy.of(name) == point.policy for name, point in NAMED_STRINGS.items())
    assert all(str(point.policy) == ("" if point.exact else "~") + name for name, point in NAMED_STRINGS.items())
    assert StringPolicy.of("empty, drop, case, multiset, drop, drop") == NAMED_STRINGS["gollie"].policy
    assert str(StringPolicy(absent="drop")) == "empty,keep,exact,multiset,wrong,drop"
