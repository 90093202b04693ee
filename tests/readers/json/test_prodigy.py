"""Prodigy's tasks."""

import json

import pytest

from spanometer.documents.document_file import DocumentFile
from spanometer.exceptions import InputError
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
    return read_as(DocumentFile, path, options={})


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


def test_the_binary_interface_is_no_annotation(file):
    with pytest.raises(InputError, match="line 2: this task is about the text of line 1, by the same annotator"):
        read(file, TASK, {**TASK, "_task_hash": 8})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"spans": [{"start": 2, "end": 5}]}, "a span has no 'start', 'end' and 'label'"),
        ({"spans": [{"start": 2, "end": "5", "label": "X"}]}, r"the end '5' \(of type str\) is not an integer"),
        ({"tokens": [{"start": 1}]}, "a token has no 'start' and 'end'"),
        ({"tokens": [{"start": 2, "end": 4}, {"start": 3, "end": 5}]}, "a token has the bounds 3 and 5"),
        ({"text": None}, "the task has no text"),
    ],
)
def test_refused(file, change, problem):
    with pytest.raises(InputError, match=problem) as caught:
        read(file, TASK, {**TASK, "_input_hash": 6, **change})
    assert caught.value.line == 2


@pytest.mark.parametrize("view", ["choice", "classification", "ner"])
def test_spans_that_were_given(file, view):
    span = {"start": 0, "end": 3, "label": "PER"}
    task = {"text": "Ada wrote", "_input_hash": 1, "spans": [span], "answer": "accept", "_view_id": view}
    with pytest.raises(
        InputError, match=f"line 1: the task was shown with the interface '{view}': its spans were given"
    ):
        read(file, task)
    read(file, {**task, "_view_id": "ner_manual"})
