"""Usual tasks of Label Studio are read as columns, others one by one, with the same result."""

import json
from copy import deepcopy

import pytest

import spanometer
from spanometer.exceptions import InputError


def region(start, end, label="A", **more):
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
    return {"from_name": "tag", "type": "labels", "value": value, **more}


TEXT = "Ann met Bob in Rome."
TASKS = [
    {
        "id": 7,
        "data": {"text": TEXT},
        "annotations": [{"completed_by": 3, "result": [region(0, 3), region(8, 11, "B")]}],
    },
    {"data": {"text": TEXT}, "annotations": [{"completed_by": 4, "result": []}]},
]


def outcome(path, tasks, **options):
    path.write_text(json.dumps(tasks), encoding="utf-8")
    try:
        file = spanometer.read(path, format="label_studio", **options)
    except InputError as error:
        return str(error)
    spans = file.spans
    rows = [spans.document.tolist(), spans.start.tolist(), spans.end.tolist(), spans.label.tolist(), spans.labels]
    documents = file.documents
    return [rows, list(documents.texts), documents.ids, file.annotators, file.places, file.notes, file.left_out]


@pytest.mark.parametrize(
    "change",
    [
        lambda tasks: None,
        lambda tasks: tasks[0].update(data={"other": TEXT}),
        lambda tasks: tasks[0]["annotations"][0].update(was_cancelled=True),
        lambda tasks: tasks[0]["annotations"][0].update(completed_by={"email": "a@b"}),
        lambda tasks: tasks[0]["annotations"].append(tasks[1]["annotations"][0]),
        lambda tasks: tasks[1].update(annotations=[]),
        lambda tasks: tasks[0]["annotations"][0]["result"][0].update(type="choices"),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(labels=["A", "B"]),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(labels="A"),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(start="/p[1]"),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(start=True),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(end=99),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].pop("text"),
        lambda tasks: tasks[0]["annotations"][0]["result"][0]["value"].update(text="Eve"),
    ],
)
def test_columns_and_single_records(tmp_path, change):
    tasks = deepcopy(TASKS)
    change(tasks)
    # with the option, tasks are read one by one
    assert outcome(tmp_path / "a.json", tasks) == outcome(tmp_path / "a.json", tasks, label_key="tag")
