"""Answers of language models in JSON lines, and what they are beside texts."""

import json

import pytest

import spanometer
from builders import pair
from spanometer.documents.pairing import Pairing
from spanometer.readers.formats import detect
from spanometer.readers.reading import read_documents

TEXT = "Ann saw Bob in Rome."
GOLD = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
ANSWER = '[["PER", "Ann"], ["PER", "Cid"], ["LOC", "Rome"]]'
ASSISTANT = {"role": "assistant", "content": ANSWER}
CHAT = [{"role": "user", "content": "Ann?"}, {"role": "assistant", "content": "Once more."}, ASSISTANT]

FORMS = {
    "a string": {"answer": ANSWER},
    "a value": {"answer": json.loads(ANSWER)},
    "an answer that is a chat": {"answer": CHAT},
    "messages": {"messages": CHAT},
    "parts of a message": {"messages": [{"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}]},
    "a chat completion": {"id": "a", "choices": [{"index": 0, "message": ASSISTANT}]},
    "a completion": {"choices": [{"text": ANSWER}]},
    "a batch": {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": ASSISTANT}]}}},
    "a response": {
        "output": [
            {"type": "reasoning", "summary": []},
            {"role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
        ]
    },
    "a message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    "a batch of messages": {"custom_id": "a", "result": {"type": "succeeded", "message": ASSISTANT}},
}


@pytest.fixture
def lines(file):
    """Write objects as JSON lines and give the path."""
    return lambda *rows, name="answers.jsonl": file("".join(json.dumps(row) + "\n" for row in rows), name)


@pytest.fixture
def gold(lines):
    return spanometer.read(lines({"id": "a", "text": TEXT, "spans": GOLD}, name="gold.jsonl"))


def bounds(spans):
    return [tuple(span.values()) for span in spans.to_dicts()[0]]


@pytest.mark.parametrize("row", FORMS.values(), ids=FORMS)
def test_forms_of_answers(lines, gold, row):
    path = lines(row)
    assert detect(path).name == "answers"
    found = pair(gold, read_documents(path))
    assert bounds(found.grounded["predictions"].spans) == [(0, 3, "PER"), (15, 19, "LOC")]
    # one that has no place is behind the end of the text
    assert bounds(found.predictions) == [(0, 3, "PER"), (15, 19, "LOC"), (20, 23, "PER")]
    assert found.references.lengths.tolist() == found.predictions.lengths.tolist() == [23]
    assert (found.size, found.choices) == (20, {"unit": "character", "grounding": "strict"})


def test_keys(lines):
    row = {"id": "a", "all": {"m.1": ANSWER, "m": {"2": None}}, "question": TEXT}
    one = read_documents(lines(row), format="answers", answer_key="all.m.1", text_key="question")
    assert (list(one.answers), one.documents.texts) == ([ANSWER], (TEXT,))
    assert list(read_documents(lines(row), format="answers", answer_key="all.m.2").answers) == [None]


def test_spans_under_another_key(lines):
    path = lines({"text": TEXT, "gold": GOLD, "answers": {"m": ANSWER}})
    gold = spanometer.read(path, spans_key="gold")
    found = spanometer.score(gold, spanometer.read(path, format="answers", answer_key="answers.m"))
    assert found.measures["span_f"].scores == {"precision": 2 / 3, "recall": 1.0, "f1": 0.8}
    assert "|grounding:strict|" in found.measures["span_f"].signature
    assert found.tokens == len(TEXT)


def test_decisions_of_annotators_are_no_answers(lines):
    row = {"text": TEXT, "_input_hash": 1, "_task_hash": 2, "spans": [], "answer": "accept"}
    assert detect(lines(row)).name == "prodigy"
    assert detect(lines({"text": TEXT, "answer": "reject"})) is None


def test_documents_are_matched_by_name(lines):
    both = [{"id": "a", "text": TEXT, "spans": GOLD}, {"id": "b", "text": "Oslo", "spans": []}]
    files = [lines(*both, name="gold.jsonl"), lines({"id": "b", "answer": "[]"}, {"id": "a", "answer": ANSWER})]
    found = pair(*map(spanometer.read, files))
    assert bounds(found.grounded["predictions"].spans) == [(0, 3, "PER"), (15, 19, "LOC")]


def test_answers_beside_words(lines, file):
    gold = spanometer.read(file("Ann B-PER\nsaw O\nBob O\nin O\nRome B-LOC\n. O\n", "gold.conll"))
    found = pair(gold, spanometer.read(lines({"answer": ANSWER})))
    # a token for the mention that is not there
    assert bounds(found.predictions) == [(0, 1, "PER"), (4, 5, "LOC"), (6, 7, "PER")]
    assert (found.choices["unit"], found.size, found.references.lengths.tolist()) == ("token", 6, [7])
    of_characters = pair(gold, spanometer.read(lines({"text": TEXT, "answer": ANSWER})), Pairing(unit="character"))
    assert bounds(of_characters.predictions)[-1] == (20, 23, "PER")


def test_texts_that_differ(lines, gold):
    other = spanometer.read(lines({"text": f"So: {TEXT}", "answer": ANSWER}))
    found = pair(gold, other, Pairing(texts="aligned"))
    assert bounds(found.predictions) == [(0, 3, "PER"), (15, 19, "LOC"), (20, 23, "PER")]


def test_choices_are_signed(lines, gold):
    answers = spanometer.read(lines({"answer": '{"Person": "ann", "LOC": "Oslo"}'}))
    pairing = Pairing(
        grounding="salvage,drop,case,whole,first,drop,drop,keep",
        asked_labels=["PER", "LOC"],
        aliases={"Person": "PER"},
        offsets="check",
        answer_format="json",
    )
    found = pair(gold, answers, pairing)
    assert bounds(found.predictions) == [(0, 3, "PER")]
    assert found.choices == {
        "unit": "character",
        "grounding": "salvage,drop,case,whole,first,drop,drop,keep,check",
        "asked_labels": "LOC,PER",
        "aliases": "Person=PER",
        "answer_format": "json",
    }
    assert found.grounded["predictions"].total["absent"] == 1
