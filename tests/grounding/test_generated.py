"""Grounding of real answers: what is published about them, and what was computed with a slow implementation."""

import json

import pytest

from spanometer.grounding import GroundingPolicy, ground, read_answer
from spanometer.measures.span_f import SpanF
from spanometer.spans.spans import Spans

MUSEUM = {
    "strict": 0.713,
    "spacy-llm-v2": 0.736,
    "langextract": 0.702,
    "empty,keep,exact,whole,prefer free,wrong,wrong,keep,check": 0.713,
    # 0.511 without the one item whose offsets are past the end of its text, which is grounded as if it had none here
    "empty,keep,exact,whole,prefer free,wrong,wrong,keep,trust": 0.51,
}


def rows_of(data, name):
    return [json.loads(line) for line in (data / "generated" / f"{name}.jsonl").read_text("utf-8").splitlines()]


def f1(rows, grounded):
    gold = [[{key: span[key] for key in ("start", "end", "label")} for span in row["gold"]] for row in rows]
    return SpanF().score(SpanF().counts(*grounded.sides(Spans.from_dicts(gold))))["f1"]


@pytest.mark.parametrize(("policy", "expected"), MUSEUM.items())
def test_museum_records(data, policy, expected):
    rows = rows_of(data, "museo_egizio_gpt4omini")
    grounded = ground(
        [row["text"] for row in rows],
        [row["answers"]["gpt-4o-mini"] for row in rows],
        policy=policy,
        labels=["PERSON", "LOCATION"],
        aliases={"PLACE": "LOCATION"},
        tokens=[row["tokens"] for row in rows],
    )
    assert round(f1(rows, grounded), 3) == expected
    assert (grounded.total["items"], grounded.total["rewritten"]) == (304, 37)


def test_memoirs_are_read_as_they_were(data):
    labels = {"persName": "PER", "placeName": "LOC"}
    for row in rows_of(data, "dses_french_claude_1"):
        read = read_answer(row["answers"]["claude"], labels=[*labels, *labels.values()])
        expected = [(item["label"], item["text"]) for item in row["read"]["claude"]["items"]]
        assert [(labels.get(item.label, item.label), item.mention) for item in read.items] == expected


def test_which_occurrence_is_meant_matters_in_memoirs(data):
    rows = rows_of(data, "dses_french_claude_1")
    scores = {}
    for repeat in ("first", "order", "next", "next free", "prefer free", "chain"):
        grounded = ground(
            [row["text"] for row in rows],
            [row["answers"]["claude"] for row in rows],
            policy=GroundingPolicy(repeat=repeat),
            labels=["PER", "LOC"],
            aliases={"persName": "PER", "placeName": "LOC"},
        )
        scores[repeat] = round(f1(rows, grounded), 4)
    assert scores["first"] < scores["next"] < scores["prefer free"] == scores["chain"] == scores["next free"]
