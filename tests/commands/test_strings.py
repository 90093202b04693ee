"""Answers of language models as strings, under policies for these, on the command line."""

import pytest

TEXT = "Ann saw Bob in Rome. Ann left."
SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
MENTIONS = [{"label": "PER", "text": "Ann"}, {"label": "LOC", "text": "Rome"}]
GOOD = '[["PER", "ann"], ["PER", "Cid"], ["LOC", "Rome"]]'
BAD = '[["PER", "Bob"], ["PLACE", "Rome"]'


@pytest.fixture
def gold(lines):
    return lines("gold.jsonl", {"id": 1, "text": TEXT, "spans": SPANS}, {"id": 2, "text": "Oslo", "spans": []})


@pytest.fixture
def good(lines):
    return lines("good.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": GOOD})


@pytest.fixture
def bad(lines):
    return lines("bad.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": BAD})


def test_a_policy_by_its_actions(scores, gold, bad):
    policy = "salvage,drop,exact,set,drop,drop"
    options = ("--grounding", policy, "--aliases", "PLACE=LOC", "--asked-labels", "PER,LOC", "--confidence", "0.9")
    found = scores("score", gold, bad, *options)["measures"]["mention_f"]
    assert found["scores"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert f"|grounding:{policy}|" in found["signature"]
    assert "|confidence:0.9|" in found["signature"]


def test_mentions_without_offsets(scores, lines):
    rows = [{"id": 1, "text": TEXT, "gold": MENTIONS, "by": {"a": GOOD, "b": BAD}}]
    path = lines("all.jsonl", *rows)
    options = ("--mentions-key", "gold", "--answer-key", "by.a,by.b", "--grounding", "lm-eval")
    found = scores("score", path, *options)
    assert found["reference"] == {"file": path, "mentions": 2, "notes": [], "left_out": []}
    assert found["systems"]["a"]["measures"]["mention_f"]["scores"]["f1"] == 0.8


def test_fragments_are_joined_by_blanks(scores, lines):
    spans = [{"fragments": [[0, 3], [8, 11]], "label": "PER"}, {"start": 7, "end": 8, "label": "PER"}]
    gold = lines("g.jsonl", {"text": TEXT, "spans": spans})
    answers = lines("a.jsonl", {"answer": '[["PER", "Ann Bob"]]'})
    # the blank alone is no mention
    found = scores("score", gold, answers, "--grounding", "strict-strings")["measures"]["mention_f"]["scores"]
    assert found == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
