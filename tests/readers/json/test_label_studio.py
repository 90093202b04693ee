"""Label Studio's exports."""

import json

import pytest

from spanometer.readers.formats import detect, read_as


def region(start, end, text, *labels, **more):
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value, **more}


def task(*annotations, text="Ada slept", key="annotations", **more):
    return {"id": 12, "data": {"text": text}, key: list(annotations), **more}


def annotation(*results, by=1, **more):
    return {"id": 3, "completed_by": by, "result": list(results), **more}


def read(file, *tasks, **options):
    path = file(json.dumps(list(tasks), indent=1))
    assert detect(path).name == "label_studio"
    return read_as("spans", path, options={"offset_unit": None, "text_key": None, "label_key": None, **options})


def test_annotators_are_documents(file):
    one = annotation(region(0, 3, "Ada", "PER", "HERO"), by={"id": 4, "email": "a@b.c"})
    found = read(file, task(one, annotation(by=7)))
    assert found.names == ("a@b.c", "7")
    assert [span["label"] for span in found.spans.to_dicts()[0]] == ["HERO", "PER"]
    assert found.documents.ids == ("12", "12")


def test_what_is_not_read(file):
    other = {"type": "relation", "from_id": "a", "to_id": "b"}
    choice = {"type": "choices", "from_name": "kind", "value": {"choices": ["x"]}}
    cancelled = annotation(region(0, 3, "Ada", "PER"), was_cancelled=True)
    found = read(
        file, task(annotation(other, choice, region(0, 3, "Ada"))), task(cancelled), task(), {"id": 1, "data": {}}
    )
    assert (found.documents.size, len(found.spans)) == (1, 0)
    assert found.left_out == (
        "task 12: a span without a label at 0.",
        "task 12: a task without annotations.",
        "task 12: a task without annotations.",
        "task 1: a task without annotations.",
    )


def test_predictions_of_tasks_without_annotations(file):
    guess = {"model_version": "v1", "score": 0.5, "result": [region(0, 3, "Ada", "PER")]}
    found = read(file, task(predictions=[guess, 7]), task(predictions=[{**guess, "result": []}]), task())
    assert (found.names, found.documents.size, len(found.spans)) == (("v1",), 2, 1)
    assert found.notes == ("No task has an annotation: the predictions of models were read.",)
    assert found.left_out == ("task 12: a task without annotations.",)
    # beside annotations they are suggestions
    beside = read(file, task(predictions=[guess]), task(annotation(by=7), predictions=[guess]))
    assert (beside.names, len(beside.spans), beside.notes) == (("7",), 0, ())


def test_completions(file):
    assert len(read(file, task(annotation(region(0, 3, "Ada", "PER")), key="completions")).spans) == 1


@pytest.mark.parametrize("start", [2, 3])
def test_both_units(file, start):
    found = read(file, task(annotation(region(start, start + 3, "Ada", "PER")), text="💩 Ada slept"))
    assert found.spans.start.tolist() == [2]


def test_minimal_export(file):
    row = {"text": "Ada slept", "id": 4, "annotator": 2, "annotation_id": 9, "lead_time": 1.5}
    row["ner"] = [{"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}]
    found = read(file, row, {**row, "annotator": 5, "ner": []})
    assert (found.names, found.spans.to_dicts()[0][0]["label"], found.documents.size) == (("2", "5"), "PER", 2)


def test_the_text(file):
    one = task(annotation(region(0, 3, "Ada", "PER")))
    one["data"] = {"title": "On sleep", "body": "Ada slept"}
    assert read(file, one).documents.texts == ("Ada slept",)
    one["data"]["copy"] = "Ada woke"
    assert read(file, one, text_key="copy").documents.texts == ("Ada woke",)


def test_several_tags(file):
    both = annotation(region(0, 3, "Ada", "PER"), region(4, 9, "slept", "VERB", from_name="pos"))
    assert [span["label"] for span in read(file, task(both), label_key="pos").spans.to_dicts()[0]] == ["VERB"]
