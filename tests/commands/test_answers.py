"""Answers of language models on the command line."""

from pathlib import Path

import pytest

TEXT = "Ann saw Bob in Rome."
GOLD = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
GOOD = '[["PER", "Ann"], ["PER", "Cid"], ["LOC", "Rome"]]'


@pytest.fixture
def gold(lines):
    return lines("gold.jsonl", {"id": 1, "text": TEXT, "spans": GOLD}, {"id": 2, "text": "Oslo", "spans": []})


@pytest.fixture
def answers(lines):
    return lines("good.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": GOOD})


def test_piped(scores, gold, answers, standard_input):
    standard_input(Path(answers).read_bytes())
    assert scores("score", gold, "-", "--measures", "span_f")["measures"]["span_f"]["scores"]["f1"] == 0.8
    standard_input(Path(answers).read_bytes())
    found = scores("score", gold, "-", "--answer-key", "answer", "--measures", "span_f")
    assert found["measures"]["span_f"]["scores"]["f1"] == 0.8
