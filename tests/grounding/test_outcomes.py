"""The outcome of each item: by hand, and against the counts and spans of `ground` under every kind of policy."""

import random

import pytest

from spanometer.grounding import COUNTS, NAMED, GroundingPolicy, ground, outcomes_of, read_answer, text_indices

TEXT = "Paris Hilton lives in Paris."


def told(answer, policy, labels=None, aliases=None, text=TEXT):
    (index,) = text_indices([text])
    found = outcomes_of(
        read_answer(answer, asked_labels=[*(labels or ()), *(aliases or {})]), index, policy, labels, aliases
    )
    return [(one.item.mention, one.kind, one.spans, one.wrong) for one in found]


def test_by_hand():
    answer = '[["PER", "Paris Hilton"], ["LOC", "Paris"], ["LOC", "Paris"], ["CITY", "Rome"], ["LOC", "Paris"]]'
    assert told(answer, "strict") == [
        ("Paris Hilton", "placed", ((0, 12),), False),
        ("Paris", "placed", ((22, 27),), False),
        ("Paris", "placed", ((0, 5),), False),
        ("Rome", "absent", (), True),
        ("Paris", "surplus", (), True),
    ]
    assert told(answer, "spacy-llm-v3", ["PER", "LOC"]) == [
        ("Paris Hilton", "placed", ((0, 12),), False),
        ("Paris", "placed", ((22, 27),), False),
        ("Paris", "surplus", (), False),
        ("Rome", "outside", (), False),
        ("Paris", "surplus", (), False),
    ]


def test_an_item_that_loses_to_a_longer_one():
    found = told('[["LOC", "Paris"], ["PER", "Paris Hilton"]]', "spacy-llm-first")
    assert [kind for _, kind, _, _ in found] == ["overlapping", "placed"]


def test_a_broken_answer():
    answer = '[["PER", "Paris Hilton"], ["LOC", "Par'
    assert told(answer, "strict") == [("Paris Hilton", "broken", (), False)]
    assert told(answer, "uie", ["PER", "LOC"]) == [("Paris Hilton", "placed", ((0, 12),), False)]


def test_aliases_come_first():
    (found,) = told('[["PLACE", "Paris"]]', "uie", ["LOC"], {"PLACE": "LOC"})
    assert found[1] == "placed"


@pytest.mark.parametrize("seed", range(60))
def test_they_add_up_to_what_ground_counts(seed):
    draw = random.Random(seed)
    words = ["Ann", "ann", "Bob", "Annie", "Bo", "b-b", "X"]
    text = " ".join(draw.choices(words, k=12))
    items = [[draw.choice("PQ"), " ".join(draw.choices(words, k=draw.choice((1, 1, 2))))] for _ in range(8)]
    answer = str(items)[: None if draw.random() < 0.7 else -5]
    grid = list(GroundingPolicy.grid())
    (index,) = text_indices([text])
    for policy in [*(named.policy for named in NAMED.values()), *draw.sample(grid, 20)]:
        whole = ground([text], [answer], policy=policy, asked_labels=["P", "R"])
        found = outcomes_of(read_answer(answer, asked_labels=["P", "R"]), index, policy, ["P", "R"])
        total = dict(zip(COUNTS, whole.counts[0].tolist(), strict=True))
        for name in ("placed", "surplus", "absent", "overlapping"):
            assert sum(one.kind == name for one in found) == total[name]
        assert {(*span, one.item.label) for one in found for span in one.spans} == {
            (span["start"], span["end"], span["label"]) for span in whole.spans.to_dicts()[0]
        }
        assert [one.item.mention for one in found if one.wrong] == list(whole.wrong_mention)
