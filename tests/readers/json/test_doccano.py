"""Doccano's exports."""

import json

import pytest

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
