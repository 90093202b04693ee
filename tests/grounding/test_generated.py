"""Grounding of real answers: what is published about them, and what was computed with a slow implementation."""

import json

import pytest

from spanometer.grounding import GroundingPolicy, ground, read_answer
from spanometer.measures.span_f import SpanF
from spanometer.spans.spans import Spans


def rows_of(data, name):
    return [json.loads(line) for line in (data / "generated" / f"{name}.jsonl").read_text("utf-8").splitlines()]


def f1(rows, grounded):
    gold = [[{key: span[key] for key in ("start", "end", "label")} for span in row["gold"]] for row in rows]
    return SpanF().score(SpanF().counts(*grounded.sides(Spans.from_dicts(gold))))["f1"]


def test_museum_records(data):
    rows = rows_of(data, "museo_egizio_gpt4omini")
    grounded = ground(
        [row["text"] for row in rows],
        [row["answers"]["gpt-4o-mini"] for row in rows],
        policy=GroundingPolicy(offsets="check"),
        asked_labels=["PERSON", "LOCATION"],
        aliases={"PLACE": "LOCATION"},
        tokens=[row["tokens"] for row in rows],
    )
    assert round(f1(rows, grounded), 3) == 0.713
    assert (grounded.total["items"], grounded.total["rewritten"]) == (304, 37)


def test_memoirs_are_read_as_they_were(data):
    labels = {"persName": "PER", "placeName": "LOC"}
    for row in rows_of(data, "dses_french_claude_1"):
        read = read_answer(row["answers"]["claude"], asked_labels=[*labels, *labels.values()])
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
            asked_labels=["PER", "LOC"],
            aliases={"persName": "PER", "placeName": "LOC"},
        )
        scores[repeat] = round(f1(rows, grounded), 4)
    assert scores["first"] < scores["next"] < scores["prefer free"] == scores["chain"] == scores["next free"]


DOPING = ("basemats", "dopants")


@pytest.mark.parametrize(("label", "f1"), [("basemats", 0.8876), ("dopants", 0.7453)])
def test_the_published_figures_of_the_doping_sentences(data, label, f1):
    """By the rule of the project, which is no point of the space: words of a label that the other side has too."""
    right = missed = extra = 0
    for row in rows_of(data, "nerre_doping_gpt3"):
        read = read_answer(row["answers"]["gpt3 json"], asked_labels=DOPING, text=row["text"])
        items = [] if read.broken else [item.mention for item in read.items if item.label == label]
        given = [mention["text"] for mention in row["gold"] if mention["label"] == label]
        predicted, expected = ([word for word in " ".join(side).split(" ") if word] for side in (items, given))
        right += sum(word in predicted for word in expected)
        missed += sum(word not in predicted for word in expected)
        extra += sum(word not in expected for word in predicted)
    assert round(right / (right + (missed + extra) / 2), 4) == f1
