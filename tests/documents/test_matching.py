"""Which documents of two sides are the same."""

import json
import random
import warnings

import pytest

import spanometer
from spanometer import InputError
from spanometer.documents.joining import matched, scored_documents
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
    chosen, left_out = scored_documents(files, "shared")
    assert texts(chosen) == {"a": (ADA, BOB), "b": (ADA, BOB)}
    assert left_out == {"a": [], "b": ["1 document left out: document '3'."]}


@pytest.mark.parametrize("names", [("7", "8"), (None, None)])
def test_shared_by_text_where_no_name_is(side, names):
    files = {"a": side("a", ("1", ADA), ("2", BOB)), "b": side("b", (names[0], EVE), (names[1], BOB))}
    chosen, left_out = scored_documents(files, "shared")
    assert texts(chosen) == {"a": (BOB,), "b": (BOB,)}
    assert left_out["a"] == ["1 document left out: document '1'."]


def test_scores_of_shared_documents(side):
    one, other = side("a", ("1", ADA), ("2", BOB)), side("b", ("2", BOB))
    with pytest.raises(
        InputError, match=r"2 documents, but .*b.jsonl' has 1 document. Documents only in .*: '1'.\n.*scored_documents"
    ):
        spanometer.score(one, other)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = spanometer.score(one, other, scored_documents="shared")
    assert (found.documents, found.measures["span_f"].scores["f1"]) == (1, 1.0)
    assert "|scored_documents:shared|" in found.measures["span_f"].signature
    assert any("left out: document '1'" in str(each.message) for each in caught)
    for policy in ("same", "all"):
        with pytest.raises(InputError, match=r"c.jsonl, line 2: the name '2' occurs twice, first in document 0"):
            spanometer.score(other, side("c", ("2", BOB), ("2", ADA)), scored_documents=policy)


def counts_by_policy(gold, output, policy):
    """Count right, predicted and reference spans and documents, given sets of spans by name: one document at a time."""
    kept = {
        "shared": gold.keys() & output.keys(),
        "reference": gold.keys(),
        "reference_with_spans": {name for name, spans in gold.items() if spans},
        "all": gold.keys() | output.keys(),
    }[policy]
    pairs = [(gold.get(name, set()), output.get(name, set())) for name in kept]
    sums = [sum(map(len, sizes)) for sizes in zip(*((g & o, o, g) for g, o in pairs), strict=True)] or [0, 0, 0]
    return (*sums, len(pairs))


@pytest.fixture
def sides(file):
    def write(**rows):
        sides = []
        for name, documents in rows.items():
            lines = [
                {"id": key, "text": "abcde", "spans": [{"start": n, "end": n + 1, "label": "AB"[n % 2]} for n in spans]}
                for key, spans in documents.items()
            ]
            sides.append(read_documents(file("".join(json.dumps(line) + "\n" for line in lines), f"{name}.jsonl")))
        return sides

    return write


def scored(sides, policy, **choice):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = spanometer.score(*sides, scored_documents=policy, measures="span_f", **choice)
    counts = report.measures["span_f"].counts
    return counts["both"], counts["predicted"], counts["reference"], report.documents


@pytest.mark.parametrize(
    ("policy", "counts"),
    [
        ("shared", (1, 2, 1, 2)),
        ("reference", (1, 2, 2, 3)),
        ("reference_with_spans", (1, 1, 2, 2)),
        ("all", (1, 3, 2, 4)),
    ],
)
def test_policies_by_hand(sides, policy, counts):
    # the system finds the span of 1, nothing in 2, wrong ones in 4, where there is none, and in 3, which is not there
    gold, output = {"1": {0}, "2": {2}, "4": set()}, {"1": {0}, "3": {2}, "4": {4}}
    files = sides(gold=gold, output=output)
    assert scored(files, policy) == counts == counts_by_policy(gold, output, policy)
    chosen, notes = scored_documents(dict(zip("ab", files, strict=True)), policy)
    assert chosen["a"].documents.ids == chosen["b"].documents.ids
    assert {"all": "1 document missing, counted as empty: '2'."}.get(policy, "1 document left out: document '3'.") in (
        notes["b"][0].replace("2 documents left out: document '3', document '4'", "1 document left out: document '3'"),
    )


@pytest.mark.parametrize("policy", ["shared", "reference", "reference_with_spans", "all"])
def test_policies_on_random_documents(sides, policy):
    draw = random.Random(policy)
    for _ in range(12):
        gold, output = (
            {
                "0": {0},
                **{str(n): {k for k in (0, 2, 4) if draw.random() < 0.4} for n in range(1, 6) if draw.random() < 0.7},
            }
            for _ in range(2)
        )
        assert scored(sides(gold=gold, output=output), policy) == counts_by_policy(gold, output, policy)


@pytest.mark.parametrize(
    ("choice", "counts"),
    [
        # A of document 2 counts as wrong unless only A is scored: the reference has no A there
        ({}, (1, 3, 2, 2)),
        ({"labels": ["A"]}, (1, 1, 1, 1)),
        ({"ignore_labels": ["B"]}, (1, 1, 1, 1)),
        ({"reference_label_map": {"B": ""}}, (1, 2, 1, 1)),
        ({"label_map": {"B": "A"}}, (1, 3, 2, 2)),
    ],
)
def test_documents_with_spans_of_the_scored_labels(sides, choice, counts):
    gold, output = {"1": {0}, "2": {1}, "3": set()}, {"1": {0, 1}, "2": {0}, "3": {0}}
    assert scored(sides(gold=gold, output=output), "reference_with_spans", **choice) == counts


def test_missing_answers_and_tokens(file):
    gold = [{"id": n, "text": "Ada wrote", "spans": [{"start": 0, "end": 3, "label": "PER"}]} for n in (1, 2)]
    words = [{"id": n, "tokens": ["Ada", "wrote"], "spans": []} for n in (1,)]
    answers = [{"id": 1, "answer": '[["PER", "Ada"]]'}]
    read = [
        read_documents(file("".join(json.dumps(row) + "\n" for row in rows), f"{name}.jsonl"))
        for name, rows in (("gold", gold), ("answers", answers), ("words", words))
    ]
    assert scored(read[:2], "reference") == (1, 1, 2, 2)
    assert scored(read[::2], "reference") == (0, 0, 2, 2)
    assert scored(read[::-2], "all") == (0, 2, 0, 2)


def test_two_projects_that_number_the_same_texts(side):
    one, other = side("a", ("1", ADA), ("2", BOB)), side("b", ("1", BOB), ("2", ADA))
    assert matched(one, other)[1].documents.texts == (ADA, BOB)
    # a text that differs is no other document
    kept = matched(one, side("c", ("1", ADA), ("2", EVE)))[1]
    assert kept.documents.texts == (ADA, EVE)


def test_one_document_a_side_whatever_it_is_called(file):
    files = [read_documents(file("T1\tPER 0 3\tAda\n", f"{name}.ann")) for name in ("gold", "system")]
    assert spanometer.score(*files).measures["span_f"].scores["f1"] == 1.0
