"""`spanometer ground`: spans of answers, written."""

import pytest

import spanometer

TEXT = "Ann saw Bob in Rome."
ANSWER = '[["PER", "Ann"], ["PER", "Cid"], ["Place", "Rome"], ["PER", "Ann"]]'
SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]


@pytest.fixture
def texts(lines):
    return lines("texts.jsonl", {"id": "a", "text": TEXT}, {"id": "b", "text": "Oslo"})


@pytest.fixture
def answers(lines):
    return lines("answers.jsonl", {"id": "b", "answer": '[["LOC'}, {"id": "a", "answer": ANSWER})


def test_what_is_written_scores_as_the_answers_do_without_items_that_have_no_place(
    run, texts, answers, lines, tmp_path
):
    gold = lines("gold.jsonl", {"id": "a", "text": TEXT, "spans": SPANS}, {"id": "b", "text": "Oslo", "spans": []})
    out = tmp_path / "spans.jsonl"
    run("ground", texts, answers, "-o", out, "--aliases", "Place=LOC")
    read = [spanometer.read(path) for path in (gold, out, answers)]
    placed = spanometer.score(*read[:2], measures="span_f").measures["span_f"].scores
    whole = spanometer.score(read[0], read[2], aliases={"Place": "LOC"}, measures="span_f").measures["span_f"].scores
    assert (placed["precision"], whole["precision"]) == (1, 0.5)
    assert placed["recall"] == whole["recall"] == 1
