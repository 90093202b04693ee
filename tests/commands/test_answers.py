"""Answers of language models on the command line."""

from pathlib import Path

import pytest

TEXT = "Ann saw Bob in Rome."
GOLD = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
GOOD = '[["PER", "Ann"], ["PER", "Cid"], ["LOC", "Rome"]]'
BAD = '[["PER", "Bob"], ["PLACE", "rome"]]'


@pytest.fixture
def gold(lines):
    return lines("gold.jsonl", {"id": 1, "text": TEXT, "spans": GOLD}, {"id": 2, "text": "Oslo", "spans": []})


@pytest.fixture
def answers(lines):
    return lines("good.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": GOOD})


@pytest.fixture
def others(lines):
    return lines("bad.jsonl", {"id": 2, "answer": '[["LOC'}, {"id": 1, "answer": BAD})


def test_lists_of_items_are_answers(scores, gold, lines):
    items = [{"kind": span["label"], "term": TEXT[span["start"] : span["end"]]} for span in GOLD]
    found = scores("score", gold, lines("items.jsonl", items, []), "--grounding", "strict", "--measures", "span_f")
    assert found["measures"]["span_f"]["scores"]["f1"] == 1


def test_a_policy_by_its_actions(scores, gold, others):
    policy = "salvage,drop,case,whole,first,drop,drop,keep"
    options = ("--grounding", policy, "--aliases", "PLACE=LOC", "--asked-labels", "PER,LOC", "--measures", "span_f")
    span_f = scores("score", gold, others, *options)["measures"]["span_f"]
    assert span_f["scores"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert f"|grounding:{policy}|asked_labels:LOC,PER|aliases:PLACE=LOC|" in span_f["signature"]


@pytest.mark.parametrize("policy", ["strict", "strict-strings"])
def test_keys_of_items(scores, gold, lines, policy):
    items = [
        {"text": "a guess", "name of it": span, "sort": label} for label, span in (("PER", "Ann"), ("LOC", "Rome"))
    ]
    path = lines("own.jsonl", {"id": 1, "answer": items}, {"id": 2, "answer": []})
    options = ("--grounding", policy, "--item-mention-key", "name of it", "--item-label-key", "sort")
    (result,) = scores("score", gold, path, *options, *(["--measures=span_f"] if policy == "strict" else []))[
        "measures"
    ].values()
    assert result["scores"]["f1"] == 1
    assert "|item_mention_key:name of it|item_label_key:sort|" in result["signature"]


@pytest.mark.parametrize("command", ["score", "compare", "errors", "agree"])
def test_several_keys_of_one_file(run, lines, command):
    rows = [{"text": TEXT, "gold": GOLD, "by": {"good": GOOD, "bad": BAD}, "third": "[]"}]
    path = lines("all.jsonl", *rows)
    keys = ["--answer-key", "by.good,by.bad,third"]
    options = keys if command == "agree" else ["--spans-key", "gold", *keys]
    status, output, complaint = run(command, path, *options)
    assert (status, complaint) == (0, "")
    for name in ("good", "bad", "third"):
        assert name in output
    assert "grounding:strict" in output


def test_compare(scores, gold, answers, others):
    options = ("--measures", "span_f,chance_kappa_f1", "--n-permutations", "100")
    found = scores("compare", gold, answers, others, *options)["measures"]
    assert found["span_f"]["systems"]["good"]["scores"]["f1"] == 0.8
    assert "|grounding:strict|" in found["span_f"]["signature"]
    # the chance level of a system is that which it has alone: the others' items do not make its documents longer
    for name, path in {"good": answers, "bad": others}.items():
        alone = scores("score", gold, path, "--measures", "chance_kappa_f1")["measures"]["chance_kappa_f1"]["scores"]
        assert found["chance_kappa_f1"]["systems"][name]["scores"] == alone


def test_agreement_of_models(scores, lines, others):
    """Items without a place of one model touch none of another, though both are behind the end of the text."""
    rows = [{"text": TEXT, "answer": '[["PER", "Ann"], ["PER", "Cid"]]'}]
    found = scores("agree", lines("a.jsonl", *rows), lines("b.jsonl", *rows))
    assert found["f1"] == [[1.0, 0.5], [0.5, 1.0]]


def test_answers_that_are_in_the_file_of_the_reference(scores, lines):
    path = lines("both.jsonl", {"text": TEXT, "spans": GOLD, "answer": GOOD})
    found = scores("score", path, "--answer-key", "answer", "--measures", "span_f")
    assert found["measures"]["span_f"]["scores"]["f1"] == 0.8


def test_piped(scores, gold, answers, standard_input):
    standard_input(Path(answers).read_bytes())
    assert scores("score", gold, "-", "--measures", "span_f")["measures"]["span_f"]["scores"]["f1"] == 0.8
    standard_input(Path(answers).read_bytes())
    found = scores("score", gold, "-", "--answer-key", "answer", "--measures", "span_f")
    assert found["measures"]["span_f"]["scores"]["f1"] == 0.8
