"""What people have instead of tags and spans: errors say how to pass it, and following them works."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import spanometer
from spanometer import InputError
from spanometer.tags.viterbi import decode

GOLD = [["B-PER", "O"], ["O", "B-PER"]]
LABELS = ["O", "B-PER"]
LOGITS = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 2.0]]])
SPANS = [[{"start": 0, "end": 5, "label": "PER"}]]
PIPELINE = [[{"entity_group": "PER", "score": 0.9, "word": "Ada L", "start": 0, "end": 5}]]
RENAMED = [[{**span, "label": span["entity_group"]} for span in document] for document in PIPELINE]


@pytest.mark.parametrize("right", [(GOLD, LOGITS.argmax(-1)), (GOLD, decode(LOGITS, LABELS)), (SPANS, RENAMED)])
def test_forms_that_errors_name(right):
    numbers = {} if isinstance(right[1], list) else {"id2label": LABELS}
    assert spanometer.score(*right, **numbers)["span_f"].f1 == 1


def test_files(tmp_path):
    path = Path(tmp_path / "gold.conll")
    path.write_text("Ada B-PER\n")
    calls = {
        spanometer.score: lambda file: (file, file),
        spanometer.compare: lambda file: (file, {"one": file, "two": file}),
        spanometer.errors: lambda file: (file, file),
        spanometer.agreement: lambda file: ({"ann": file, "ben": file},),
    }
    for function, arguments in calls.items():
        with pytest.raises(InputError, match=r"Read a file first: spanometer\.read\(path\)\."):
            function(*arguments(path))
        assert function(*arguments(spanometer.read(path))).documents == 1


def test_nothing_to_score():
    with pytest.warns(UserWarning, match="nothing was scored"):
        spanometer.score([["O"]], [["O"]])


def test_values_by_name():
    report = spanometer.score(GOLD, [["B-PER", "O"], ["O", "O"]], measures="span_f")
    assert (report.precision, report.recall, report.f1) == tuple(report["span_f"].scores.values()) == (1, 0.5, 2 / 3)
    with pytest.raises(AttributeError, match=r"has no attribute 'F1'\. Its values are precision, recall, f1"):
        _ = report.F1
    several = spanometer.score(GOLD, GOLD, measures="span_f,sl_icm")
    with pytest.raises(AttributeError, match=r"there are 2 measures. Choose one: report\['span_f'\].f1\."):
        _ = several.f1
    assert several["span_f"].f1 == 1
    # copies look for attributes before they have any
    for copied in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert copied.f1 == report.f1
