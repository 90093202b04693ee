"""`spanometer score` on spans with attributes."""

import gzip
import json

import pytest

from spanometer.readers import detect


def span(start, label, scores=None, **attributes):
    found = {"start": start, "end": start + 1, "label": label, "attributes": attributes}
    return found if scores is None else {**found, "scores": scores}


# the published example, in two documents
GOLD = [
    [span(4, "SYMP", neg=True), span(8, "DIS", neg=False, carrier="FATHER")],
    [],
    [span(12, "DIS", neg=False, carrier="PATIENT")],
]
SYSTEM = [
    [span(4, "SYMP", neg=True), span(8, "DIS", neg=False, carrier="PATIENT")],
    [],
    [span(12, "DIS", neg=True, carrier="PATIENT", scores={"neg": 0.5})],
]


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


@pytest.fixture
def pair(file):
    return file("gold.jsonl", lines(GOLD)), file("system.jsonl", lines(SYSTEM))


def scores_of(scores, *arguments):
    return scores("score", *arguments)["measures"]["span_attribute"]["scores"]


def test_forms_of_lines(scores, pair, file):
    expected = scores_of(scores, *pair)
    for key in ("spans", "entities"):
        content = "\n\n".join(json.dumps({"id": "x", key: document, "tokens": ["a"] * 13}) for document in GOLD)
        gold = file(f"{key}.jsonl.gz", gzip.compress(content.encode()))
        assert scores_of(scores, gold, pair[1]) == expected
        assert detect(gold).content == "attributes"
    # told by the content, and with nothing in the name
    assert scores_of(scores, file("gold", lines(GOLD)), file("system", lines(SYSTEM))) == expected
    assert scores_of(scores, *pair, "--format", "jsonl") == expected
    assert scores_of(scores, *pair, "--measures", "span_attribute") == expected


def test_plot(run, pair, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curves.svg"
    assert run("score", *pair, "--plot", picture)[0] == 0
    text = picture.read_text(encoding="utf-8")
    assert "<svg" in text


# errors


def brat_folder(tmp_path, documents):
    """A folder of brat's files: `home` and its attribute `neg`, if it is true, of each document."""
    folder = tmp_path / "brat"
    folder.mkdir()
    for name, negated in documents.items():
        (folder / f"{name}.txt").write_text("Ada went home")
        attribute = "A1\tneg T1\n" if negated else ""
        (folder / f"{name}.ann").write_text(f"T1\tLOC 9 13\thome\n{attribute}")
    return str(folder)


def scored_line(name, score, **more):
    spans = [{"start": 9, "end": 13, "label": "LOC", "attributes": {"neg": True}, "scores": {"neg": score}, **more}]
    return {"id": name, "text": "Ada went home", "spans": spans}


def test_scores_that_only_the_last_of_many_documents_has(scores, lines, tmp_path):
    """It is wrong, and the last of 1,200, as no score is 1.0; without its score it would share their rank."""
    names = [f"{number:04}" for number in range(1200)]
    gold = brat_folder(tmp_path, {name: name != names[-1] for name in names})
    rows = [scored_line(name, None) for name in names[:-1]]
    found = scores("score", gold, lines("system.jsonl", *rows, scored_line(names[-1], 0.5)))
    assert found["measures"]["span_attribute"]["scores"]["neg"]["ap"] == 1.0
