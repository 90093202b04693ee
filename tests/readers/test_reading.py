"""Files of any format, read with the options of their formats."""

import io
import json

import pytest

import spanometer

TASKS = [{"id": 1, "data": {"a": "Ada", "b": "Bob"}, "annotations": [{"result": []}]}]


def test_options_of_formats(file):
    tasks = file(json.dumps(TASKS), "tasks.json")
    assert spanometer.read(tasks, text_key="b").documents.texts == ("Bob",)
    tags = file("Ada\tU-PER\nx\t_\n", "tags.conll")
    found = spanometer.read(tags, outside="_", scheme="BILOU", offset_unit=None)
    assert found.spans.to_dicts() == [[{"start": 0, "end": 1, "label": "PER"}]]


@pytest.mark.parametrize("size", [1, 40_000])
@pytest.mark.parametrize("content", [b"Ada\tB-PER\n\n", b'{"text": "Ada", "label": [[0, 3, "PER"]]}\n'])
def test_streams(content, size):
    """Ends of streams, and what comes after the beginning that shows the format."""
    found = spanometer.read(io.BytesIO(content * size))
    assert (found.source, len(found.spans)) == ("input", size)


def test_an_annotator_of_a_folder_of_tags(tmp_path):
    (tmp_path / "a.conll").write_text("Ada B-PER\n")
    with pytest.raises(spanometer.InputError, match="unknown annotator 'z'"):
        spanometer.read(tmp_path, annotator="z")
