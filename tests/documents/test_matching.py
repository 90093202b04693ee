"""Which documents of two sides are the same."""

import json
import warnings

import pytest

import spanometer
from spanometer import InputError
from spanometer.documents.matching import matched, shared_documents
from spanometer.documents.sides import by_annotator
from spanometer.readers.reading import read_documents

ADA, BOB, EVE = "Ada wrote.", "Bob read.", "Eve heard."


@pytest.fixture
def side(file):
    def write(name, *rows, **more):
        spans = [{"start": 0, "end": 3, "label": "PER"}]
        lines = [json.dumps({"text": text, "spans": spans, **({"id": id} if id else {}), **more}) for id, text in rows]
        return read_documents(file("\n".join(lines) + "\n", f"{name}.jsonl"))

    return write


def texts(files):
    return {name: file.documents.texts for name, file in files.items()}


def test_shared_by_name(side):
    files = {"a": side("a", ("1", ADA), ("2", BOB)), "b": side("b", ("3", EVE), ("2", BOB), ("1", ADA))}
    chosen, left_out = shared_documents(files)
    assert texts(chosen) == {"a": (ADA, BOB), "b": (ADA, BOB)}
    assert left_out == {"a": [], "b": ["1 document that others lack, left out: document '3'."]}


@pytest.mark.parametrize("names", [("7", "8"), (None, None)])
def test_shared_by_text_where_no_name_is(side, names):
    files = {"a": side("a", ("1", ADA), ("2", BOB)), "b": side("b", (names[0], EVE), (names[1], BOB))}
    chosen, left_out = shared_documents(files)
    assert texts(chosen) == {"a": (BOB,), "b": (BOB,)}
    assert left_out["a"] == ["1 document that others lack, left out: document '1'."]


def test_nothing_shared(side):
    with pytest.raises(InputError, match=r"a.jsonl and .*b.jsonl share no document"):
        shared_documents({"a": side("a", ("1", ADA)), "b": side("b", ("2", BOB))})
    with pytest.raises(InputError, match="2 documents are called '1'"):
        shared_documents({"a": side("a", ("1", ADA), ("1", BOB)), "b": side("b", ("1", ADA))})
    with pytest.raises(InputError, match="two documents have one text"):
        shared_documents({"a": side("a", (None, ADA), (None, ADA)), "b": side("b", (None, ADA))})


def test_scores_of_shared_documents(side):
    one, other = side("a", ("1", ADA), ("2", BOB)), side("b", ("2", BOB))
    with pytest.raises(
        InputError, match=r"2 documents here, 1 document in .*b.jsonl. Only here: '1'.\n.*shared_documents"
    ):
        spanometer.score(one, other)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = spanometer.score(one, other, shared_documents=True)
    assert (found.documents, found.measures["span_f"].scores["f1"]) == (1, 1.0)
    assert "|shared_documents:yes|" in found.measures["span_f"].signature
    assert any("left out: document '1'" in str(each.message) for each in caught)


def test_annotators_of_one_file_share_documents(file):
    spans = [{"start": 0, "end": 3, "label": "PER"}]
    rows = [("1", ADA, "x"), ("2", BOB, "x"), ("2", BOB, "y"), ("3", EVE, "y")]
    lines = [json.dumps({"id": id, "text": text, "spans": spans, "annotator": who}) for id, text, who in rows]
    sides = by_annotator(read_documents(file("\n".join(lines) + "\n")))
    assert texts(sides) == {"x": (BOB,), "y": (BOB,)}
    assert sides["x"].notes == ("1 document that others lack, left out: document '1'.",)


def test_other_names_without_texts_or_words(file):
    def read(name):
        rows = [{"id": f"{name}{n}", "unit": "token", "spans": [{"start": 0, "end": 1, "label": "A"}]} for n in (1, 2)]
        return read_documents(file("".join(json.dumps(row) + "\n" for row in rows), f"{name}.jsonl"))

    with pytest.raises(InputError, match="Only here: 'a1', 'a2'"):
        spanometer.score(read("a"), read("b"))


def test_two_projects_that_number_the_same_texts(side):
    one, other = side("a", ("1", ADA), ("2", BOB)), side("b", ("1", BOB), ("2", ADA))
    assert matched(one, other)[1].documents.texts == (ADA, BOB)
    # a text that differs is no other document
    kept = matched(one, side("c", ("1", ADA), ("2", EVE)))[1]
    assert kept.documents.texts == (ADA, EVE)


def test_one_document_a_side_whatever_it_is_called(file):
    files = [read_documents(file("T1\tPER 0 3\tAda\n", f"{name}.ann")) for name in ("gold", "system")]
    assert spanometer.score(*files).measures["span_f"].scores["f1"] == 1.0
