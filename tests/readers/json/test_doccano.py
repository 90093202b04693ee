"""Doccano's exports."""

import json

import pytest

from spanometer.exceptions import InputError
from spanometer.readers.formats import detect, read_as


def read(path, **options):
    return read_as("spans", path, options={"offset_unit": None, **options})


NEW = {"id": 7, "text": "Ada slept", "label": [[0, 3, "PER"]], "Comments": []}
RELATIONS = {"text": "Ada slept", "entities": [{"id": 0, "start_offset": 0, "end_offset": 3, "label": "PER"}]}
OLD = {
    "id": 7,
    "text": "Ada slept",
    "annotations": [
        {"label": 12, "start_offset": 0, "end_offset": 3, "user": 1},
        {"label": 12, "start_offset": 4, "end_offset": 9, "user": 2},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("row", [NEW, RELATIONS])
def test_generations(file, row, indent):
    path = file(json.dumps(row, indent=indent) + "\n", "export.jsonl")
    assert detect(path).name == "doccano"
    found = read(path)
    assert found.spans.to_dicts() == [[{"start": 0, "end": 3, "label": "PER"}]]
    assert (found.documents.texts, found.documents.ids) == (("Ada slept",), ("7",) if row is NEW else None)


def test_users_are_annotators(file):
    found = read(file(json.dumps(OLD)))
    assert found.names == ("1", "2")
    assert found.of("2").spans.to_dicts() == [[{"start": 4, "end": 9, "label": "12"}]]


def test_the_unit(file):
    path = file(json.dumps({**NEW, "text": "💃 Ada", "label": [[3, 6, "PER"]]}))
    assert read(path).spans.start.tolist() == [2]
    path = file(json.dumps({**NEW, "text": "💃 Ada slept", "label": [[3, 6, "PER"]]}))
    assert read(path, offset_unit="utf-16").spans.start.tolist() == [2]
    assert read(path, offset_unit="codepoint").spans.start.tolist() == [3]


def test_generations_in_one_file(file):
    rows = [{**NEW, "id": number} for number in range(2500)]
    rows[1200] = {**RELATIONS, "id": 1200}
    rows[1300] = {"label": [], "id": 1300}
    found = read(file("".join(f"{json.dumps(row)}\n" for row in rows)))
    assert found.documents.ids == tuple(str(number) for number in range(2500) if number != 1300)
    assert (len(found.spans), found.left_out) == (2499, ("line 1301: a document without text.",))
    assert found.document_lines.tolist() == [number for number in range(1, 2501) if number != 1301]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"text": "Ada", "label": [[0, 3]]}', "an item in the list of labels is not [start, end, label]"),
        ('{"text": "Ada", "label": [[0, 3, "A"], [0, 3]]}', "[0, 3] is not a span"),
        ('{"text": "Ada", "label": [[0, 3, 1]]}', "label"),
        ('{"text": "Ada", "label": 3}', "has no list of labels"),
        ('{"text": "Ada", "label": [], "label": []}', "an object repeats the key 'label'"),
        ('["text", "label"]', "has no list of labels"),
    ],
)
def test_line_of_the_first_problem_among_many(file, row, problem):
    rows = [json.dumps(NEW)] * 1700
    rows[1500], rows[1600] = row, "{"
    with pytest.raises(InputError) as caught:
        read(file("\n".join(rows), "a.jsonl"))
    assert problem in caught.value.problem
    assert caught.value.line == 1501
