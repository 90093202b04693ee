"""Prodigy's tasks."""

import json

from spanometer.readers.formats import detect, read_as

TASK = {
    "text": "💃 Ada slept",
    "_input_hash": 5,
    "_task_hash": -7,
    "tokens": [{"text": "💃", "start": 0, "end": 1, "id": 0}, {"text": "Ada", "start": 2, "end": 5, "id": 1}],
    "spans": [{"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "PER"}],
    "answer": "accept",
}


def read(file, *tasks):
    path = file("".join(json.dumps(task) + "\n" for task in tasks))
    assert detect(path).name == "prodigy"
    return read_as("spans", path, options={})


def test_a_task(file):
    found = read(file, TASK, {**TASK, "_input_hash": 6, "spans": []})
    assert found.spans.to_dicts() == [[{"start": 2, "end": 5, "label": "PER"}], []]
    assert (found.documents.ids, found.documents.tokens.lengths.tolist()) == (("5", "6"), [2, 2])


def test_answers(file):
    found = read(file, TASK, {**TASK, "_input_hash": 6, "answer": "reject"}, {**TASK, "answer": "ignore"})
    assert found.documents.size == 1
    assert found.left_out == ("line 2: a task with the answer 'reject'.", "line 3: a task with the answer 'ignore'.")


def test_annotators(file):
    found = read(file, {**TASK, "_annotator_id": "db-ada"}, {**TASK, "_annotator_id": "db-bob", "spans": []})
    assert found.names == ("db-ada", "db-bob")
    assert len(found.of("db-ada").spans) == 1 and len(found.of("db-bob").spans) == 0
