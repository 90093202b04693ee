"""Mu-SHROOM's JSON lines."""

import pytest

from spanometer import read
from spanometer.readers import detect

LINES = """{"id": "a", "model_output_text": "Yes, no.", "hard_labels": [[5, 7]], "soft_labels": []}
{"id": "b", "model_output_text": "Yes!", "hard_labels": [], "soft_labels": [{"start": 0, "end": 3, "prob": 0.9}]}
"""
SOFT = '{"id": "a", "soft_labels": [{"start": 3, "end": 5, "prob": 0.6}, {"start": 0, "end": 3, "prob": 0.9}, \
{"start": 5, "end": 6, "prob": 0.5}]}\n'


@pytest.mark.parametrize(("content", "expected"), [(LINES, [[(5, 7)], []]), (SOFT, [[(0, 5)]])])
def test_hard_labels_and_soft_ones(file, content, expected):
    path = file(content)
    assert detect(path).name == "mushroom"
    found = read(path)
    assert [[(span["start"], span["end"]) for span in row] for row in found.spans.to_dicts()] == expected
