"""Errors in their context, chosen by kind and label, those on frequent strings first."""

import csv
import io
import json
import random
from collections import Counter

import numpy as np
import pytest

from builders import spans
from random_corpora import as_spans, random_pair
from spanometer import errors
from spanometer.alignment.matched_spans import MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.errors.examples import Context
from spanometer.documents.layers import LineRuns
from spanometer.spans.wording import Wording
from spanometer.tables.screen import text_of

WORDS = [["Ada", "of", "Acme", "Inc", "saw", "Rome"], ["Rome", "fell"], ["Bob", "of", "Rome"]]
REFERENCE = ["0-1:PER 2-4:ORG 5-6:LOC", "0-1:LOC", ""]
PREDICTION = ["0-1:ORG 3-4:ORG", "0-1:LOC", "0-1:PER 2-3:LOC"]
SIDES = [spans(*side, lengths=list(map(len, WORDS))) for side in (REFERENCE, PREDICTION)]
LINES = np.array([1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13])


def examples(context=None, **chosen):
    known = Context(wording=Wording.of_words(WORDS), line_runs=LineRuns(np.arange(len(LINES)), LINES, len(LINES)))
    return examples_of(SIDES, known if context is None else context, **chosen)


def examples_of(sides, context, **chosen):
    return errors(*sides, confidence=None).with_context(context).only.examples(**chosen)


def in_words(found):
    return [
        f"{row['text']} {row['kind']} {row['reference_label']} {row['predicted_label']} {row['line']}"
        for row in found.rows.to_pylist()
    ]


def test_errors_by_hand_those_on_the_most_frequent_string_first():
    assert in_words(examples()) == [
        "Rome missing LOC None 6",
        "Rome spurious None LOC 13",
        "Ada wrong_label PER ORG 1",
        "Acme Inc wrong_boundary ORG ORG 3",
        "Bob spurious None PER 11",
    ]
    assert examples().strings() == [
        ("Rome", 2, "LOC → missing; spurious → LOC"),
        ("Ada", 1, "PER → ORG"),
        ("Acme Inc", 1, "ORG, wrong boundary"),
        ("Bob", 1, "spurious → PER"),
    ]


@pytest.mark.parametrize(
    "chosen, expected",
    [
        ({"kind": "missing"}, ["Rome missing LOC None 6"]),
        ({"kind": ("shorter", "wrong_label")}, ["Ada wrong_label PER ORG 1", "Acme Inc wrong_boundary ORG ORG 3"]),
        ({"kind": "False Negative"}, ["Rome missing LOC None 6"]),
        ({"kind": "wrong-boundary,fn"}, ["Acme Inc wrong_boundary ORG ORG 3", "Rome missing LOC None 6"]),
        ({"kind": "wrong_boundary_shorter"}, ["Acme Inc wrong_boundary ORG ORG 3"]),
        ({"reference_label": "LOC"}, ["Rome missing LOC None 6", "Rome spurious None LOC 13"]),
        ({"reference_label": "PER", "predicted_label": "ORG"}, ["Ada wrong_label PER ORG 1"]),
        ({"predicted_label": "LOC,PER"}, ["Rome spurious None LOC 13", "Bob spurious None PER 11"]),
        ({"reference_label": "LOC", "predicted_label": "PER"}, []),
    ],
)
def test_choices_by_hand(chosen, expected):
    assert sorted(in_words(examples(**chosen))) == sorted(expected)


def test_json_lines_have_both_spans():
    first, *_, last = map(json.loads, examples(kind="missing,wrong_boundary").to_json_lines().splitlines())
    assert first == {
        "document": 1,
        "line": 3,
        "kind": "wrong_boundary",
        "boundary": "shorter",
        "reference": {"start": 2, "end": 4, "label": "ORG", "text": "Acme Inc"},
        "prediction": {"start": 3, "end": 4, "label": "ORG", "text": "Inc"},
        "split": False,
        "merged": False,
        "nested": False,
        "before": "Ada of",
        "text": "Acme Inc",
        "after": "saw Rome",
        "times": 1,
    }
    assert (last["prediction"], last["before"], last["after"]) == (None, "Ada of Acme Inc saw", "")


def test_text_marks_the_span_of_each_side():
    shown = str(examples(kind="wrong_boundary"))
    assert "ORG → ORG  wrong boundary, shorter  line 3, document 1" in shown
    assert "reference   Ada of [ORG Acme Inc] saw Rome" in shown
    assert "prediction  Ada of Acme [ORG Inc] saw Rome" in shown
    assert "The first 2 of 5 errors:" in text_of(examples().parts(2))


def test_csv_has_a_row_for_each_error():
    rows = list(csv.DictReader(io.StringIO(examples().to_csv("examples"))))
    assert [row["text"] for row in rows] == ["Rome", "Rome", "Ada", "Acme Inc", "Bob"]
    assert rows[0] | {"document": "1", "line": "6", "predicted_label": "", "times": "2"} == rows[0]


def test_without_words_errors_are_in_the_order_of_the_text():
    found = examples(Context())
    kinds = [row["kind"] for row in found.rows.to_pylist()]
    assert kinds == ["wrong_label", "wrong_boundary", "missing", "spurious", "spurious"]
    assert "[PER 0–1]" in str(found)
    assert found.strings() == []
    assert "text" not in json.loads(found.to_json_lines().splitlines()[0])


def test_characters_and_names_of_documents():
    sides = [spans(span, lengths=[9]) for span in ("0-3:A", "0-2:A")]
    context = Context(wording=Wording.of_texts(["abc, defg"]), names=["first"], document_lines=np.array([7]))
    found = examples_of(sides, context)
    (row,) = map(json.loads, found.to_json_lines().splitlines())
    assert (row["name"], row["line"], row["text"], row["after"]) == ("first", 7, "abc", ", defg")
    assert "prediction  [A ab]c, defg" in str(found)


def test_a_sample_is_drawn_by_its_seed():
    drawn = [in_words(examples(sample=2, sample_seed=seed)) for seed in range(20)]
    assert drawn[0] == in_words(examples(sample=2))
    assert {len(names) for names in drawn} == {2}
    assert len({tuple(names) for names in drawn}) > 3
    assert in_words(examples(sample=99)) == in_words(examples())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_every_error_is_there_once(seed, kind):
    *given, lengths = random_pair(seed, kind)
    sides = [as_spans(side, lengths) for side in given]
    generator = random.Random(seed)
    words = [generator.choices("abc", k=length) for length in lengths]
    found = examples_of(sides, Context(wording=Wording.of_words(words)))
    matched = MatchedSpans(Alignment(*sides))
    expected = Counter(row["kind"] for row in matched.to_arrow().to_pylist() if row["kind"] != "correct")
    assert Counter(row["kind"] for row in found.rows.to_pylist()) == expected
    times = [row["times"] for row in found.rows.to_pylist()]
    assert times == sorted(times, reverse=True)
    for row in found.rows.to_pylist():
        for side in ("reference", "predicted"):
            if row[f"{side}_start"] is None:
                assert row[f"{side}_text"] is None
                continue
            bounds = row.get(f"{side}_fragments") or [[row[f"{side}_start"], row[f"{side}_end"]]]
            of_document = words[row["document"] - 1]
            assert row[f"{side}_text"] == " ".join(" ".join(of_document[start:end]) for start, end in bounds)
