"""Modules over texts with spans of characters: `evaluate.load(folder, "text")`."""

import datasets
import evaluate
import numpy as np
import pyarrow as pa
import pytest

import spanometer
from spanometer import InputError
from spanometer.measures.registry import MEASURES

TEXT = "Ada 💃 wrote Cafe\u0301."
GOLD = [
    {"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}, {"start": 12, "end": 17, "label": "LOC"}]},
    {"text": "", "spans": []},
]
SYSTEM = [{"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}]}, {"text": "", "spans": []}]


def load(name="span_f", **settings):
    return evaluate.load(spanometer.path(name), "text", **settings)


def test_by_hand():
    result = load().compute(predictions=SYSTEM, references=GOLD, details=True)
    assert (result["precision"], result["recall"]) == (1.0, 0.5)
    assert result["signature"].startswith("span_f|input:text|unit:character|match_labels:yes|")


@pytest.mark.parametrize("name", MEASURES)
def test_as_spans_with_the_lengths_of_the_texts(name):
    spans = [[row["spans"] for row in side] for side in (SYSTEM, GOLD)]
    lengths = [len(row["text"]) for row in GOLD]
    expected = spanometer.load(name, "spans").compute(predictions=spans[0], references=spans[1], lengths=lengths)
    assert load(name).compute(predictions=SYSTEM, references=GOLD) == expected


def test_labels_are_chosen():
    result = load().compute(predictions=SYSTEM, references=GOLD, ignore_labels=["LOC"])
    assert result["recall"] == 1.0


def test_batches_and_single_documents():
    module = load()
    module.add_batch(predictions=SYSTEM[:1], references=GOLD[:1])
    module.add(prediction=SYSTEM[1], reference=GOLD[1])
    assert module.compute()["recall"] == 0.5


def test_other_texts_name_the_document_and_show_both():
    module = load()
    module.add_batch(predictions=SYSTEM, references=GOLD)
    other = [{"text": TEXT.replace("wrote", "wr0te"), "spans": []}]
    with pytest.raises(InputError) as caught:
        module.add_batch(predictions=other, references=GOLD[:1])
    assert caught.value.document == 2
    assert caught.value.problem == (
        "the texts differ at character 8: 'Ada 💃 wrote Cafe\u0301.' in the reference, "
        "'Ada 💃 wr0te Cafe\u0301.' in the prediction."
    )
    # nothing of the batch is stored
    assert module.compute()["recall"] == 0.5


def test_the_first_span_past_the_end_is_named():
    spans = [{"start": 0, "end": 1, "label": "A"}, {"start": 0, "end": 9, "label": "A"}]
    rows = [{"text": "abcdefghi", "spans": spans}] * 1500 + [{"text": "abc", "spans": spans}]
    with pytest.raises(InputError, match="document 1500, span 1: a span ends at 9, but the text has 3 characters"):
        load().compute(predictions=rows, references=rows)


@pytest.mark.parametrize("form", ["objects", "array", "chunked", "dataset"])
def test_columns(form):
    span = pa.struct({"start": pa.int32(), "end": pa.int32(), "label": pa.large_string()})
    kind = pa.struct({"text": pa.string(), "spans": pa.list_(span)})
    make = {
        "objects": lambda rows: np.array(rows, dtype=object),
        "array": lambda rows: pa.array(rows, kind),
        "chunked": lambda rows: pa.chunked_array([pa.array(rows[:1], kind), pa.array(rows[1:], kind)]),
        "dataset": lambda rows: datasets.Dataset.from_dict({"document": rows})["document"],
    }[form]
    assert load().compute(predictions=make(SYSTEM), references=make(GOLD))["recall"] == 0.5
