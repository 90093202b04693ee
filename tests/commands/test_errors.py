"""`spanometer errors`."""

import csv
import io
import json
import re

import pytest

import spanometer
from spanometer.readers import read, tag_lists

GOLD = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis B-LOC\n"
OLD = "Ada B-PER\nLovelace O\nslept O\n\nin O\nRome B-PER\n\nin O\nParis O\n"
NEW = GOLD.replace("in O\nRome", "in B-LOC\nRome")

# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("gold", GOLD), ("old", OLD), ("new", NEW))]


def of_table(run, *arguments):
    """The rows of the main table as CSV, and the warning that there are others."""
    status, output, complaint = run("errors", *arguments, "--table", "csv")
    assert (status, "Add --table-kind scores, or write all tables with -o FOLDER/." in complaint) == (0, True)
    return list(csv.DictReader(io.StringIO(output)))


def test_json_is_what_python_gives(scores, files):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    options = {"n_resamples": 50, "seed": 3, "confidence": 0.9, "min_overlap": 0.6}
    found = scores(
        "errors", *files, "--n-resamples", 50, "--seed", 3, "--confidence", 0.9, "--min-overlap", 0.6, "--per-error"
    )
    expected = spanometer.errors(gold, {"old": old, "new": new}, **options)
    assert found["predictions"]["new"]["file"] == files[2]
    for key, value in json.loads(json.dumps(expected.to_dict())).items():
        assert found[key] == value
    rows = expected.difference("old", "new").to_arrow().to_pylist()
    assert [{key: row[key] for key in rows[0]} for row in found["errors"]] == rows
    assert [(row["text"], row["line"], row["change"]) for row in found["errors"]] == [
        *(
            ("Ada", 1, "fixed"),
            ("Ada Lovelace", 1, "fixed"),
            ("in", 5, "new"),
            ("Rome", 6, "fixed"),
            ("Paris", 9, "fixed"),
        )
    ]
    assert found["systems"]["old"]["kinds"]["missing"] == 2


@pytest.mark.parametrize(
    "name, kind",
    [
        ("shifted_spans", "shifted"),
        ("shortened_spans", "shorter"),
        ("lengthened_spans", "longer"),
        ("label_noise", "wrong label"),
        ("dropped_spans", "missing"),
        ("invented_spans", "spurious"),
    ],
)
def test_errors_of_transform_are_found_again(run, file, tmp_path, name, kind):
    sentence = "a B-PER\nb I-PER\nc O\nd O\ne B-LOC\nf I-LOC\ng I-LOC\nh O\ni O\nj O\nk O\n\n"
    gold, output = file("gold.conll", 30 * sentence), str(tmp_path / "output.conll")
    status, _, said = run("transform", gold, "--apply", name, "--rate", 0.3, "-o", output)
    assert status == 0
    touched = int(re.search(r"(\d+) spans touched", said)[1])
    assert touched > 3
    costs = of_table(run, gold, output)
    spans = {row["error"]: int(row["spans"]) for row in costs}
    parts = ("shorter", "longer", "shifted")
    assert {name: count for name, count in spans.items() if count and name != "wrong boundary"} == {kind: touched}
    assert spans["wrong boundary"] == (touched if kind in parts else 0)


@old_matplotlib
def test_the_picture(run, files, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plots)")
    path = tmp_path / "confusion.svg"
    assert run("errors", *files[:2], "--plot", path, "--pairs", "exact")[0] == 0
    assert b"<svg" in path.read_bytes()


def test_planted_changes_are_found_and_named(run, file, tmp_path):
    """Three sentences of each kind of change, whose systems differ in nothing else."""
    reference, wrong, other = (f"x O\nRome B-{label}\nwon O\n" for label in ("LOC", "ORG", "PER"))
    planted = [("fixed", wrong, reference), ("new", reference, wrong), ("moved", wrong, other), ("same", wrong, wrong)]
    sentences = [(change, before, after) for change, before, after in planted for _ in range(3)]
    paths = [file("gold.conll", "\n".join([reference] * 12))]
    paths += [file(f"{side}.conll", "\n".join(row[side] for row in sentences)) for side in (1, 2)]
    path = tmp_path / "changes.jsonl"
    assert run("errors", *paths, "--names", "old,new", "--changes", "-o", path)[0] == 0
    rows = list(map(json.loads, path.read_text().splitlines()))
    expected = [(change, 4 * number + 2) for number, (change, *_) in enumerate(sentences) if change != "same"]
    assert [(row["change"], row["line"]) for row in rows] == expected
    assert rows[6]["predictions"] == {
        name: {"start": 1, "end": 2, "label": label, "text": "Rome"} for name, label in (("old", "ORG"), ("new", "PER"))
    }
    assert json.loads(run("errors", *paths, "--names", "old,new", "--changes", "--json")[1])["changes"] == rows
    text = run("errors", *paths, "--changes")[1]
    assert "3 fixed, 3 new, 3 moved." in text and "[PER Rome] won" in text and "line 38, document 10" not in text
    table = run("errors", *paths, "--changes", "--table", "csv")[1]
    assert [row["change"] for row in csv.DictReader(io.StringIO(table))] == [row["change"] for row in rows]


@pytest.mark.parametrize("tool", ["label_studio", "prodigy", "doccano"])
def test_preannotations_are_read_back(run, files, tmp_path, tool):
    gold, old, new = files
    path = tmp_path / "fix.jsonl"
    assert run("errors", gold, old, new, "--to", tool, "--kind", "missing", "-o", path)[0] == 0
    read_back = spanometer.read(path, format=tool)
    texts = read_back.documents.texts
    labels = [read_back.spans.labels[code] for code in read_back.spans.label]
    covered = list(zip(read_back.spans.covered(texts), labels, strict=True))
    assert set(texts) == {"in Paris"}
    if tool == "doccano":
        assert covered == [("Paris", "LOC")]
    else:
        assert covered == [("Paris", "LOC")] * 2 and read_back.annotators == ("reference", "old", "new")
    assert run("errors", gold, old, "--to", tool, "-o", tmp_path / "all.jsonl")[0] == 0
    view = "#system=new&other=old&change=fixed&kind=wrong_boundary,missing&mention=Paris"
    assert run("errors", gold, old, new, "--to", tool, "--view", view, "-o", tmp_path / "view.jsonl")[0] == 0
    assert (tmp_path / "view.jsonl").read_bytes() == path.read_bytes()
    status, _, complaint = run("errors", gold, old, "--to", tool, "--view", "bucket=1")
    assert status == 2 and "the filters 'bucket' of the view work only in the report" in complaint
    every = spanometer.read(tmp_path / "all.jsonl", format=tool)
    labels = {every.spans.labels[code] for code in every.spans.label}
    assert labels == {"LOC", "PER"} | ({"PER (old)"} if tool == "doccano" else set())


def test_strings_and_cuts_are_said(run, file):
    gold = file("gold.conll", "\n".join(f"w{number} B-A\n" for number in range(30)))
    system = file("system.conll", "\n".join(f"w{number} O\n" for number in range(30)))
    text = run("errors", gold, system)[1]
    assert "The first 20 of 30 wrong strings" in text and "w19 " in text and "w20 " not in text
    rows = run("errors", gold, system, "--table", "csv", "--table-kind", "strings")[1].splitlines()
    assert (len(rows), rows[1]) == (31, "system,w0,A → missing,1")


def test_planted_errors_of_the_reference_come_first(run, file):
    """Two systems agree against the planted references; errors that only one makes, or that differ, come after."""
    rows = ["B-LOC"] * 12
    gold, one, two = rows.copy(), rows.copy(), rows.copy()
    gold[3] = gold[7] = "B-PER"
    one[1], two[1], one[5] = "B-ORG", "B-PER", "O"
    files = [
        file(f"{name}.conll", "\n".join(f"x O\nRome {tag}\n" for tag in tags))
        for name, tags in (("gold", gold), ("one", one), ("two", two))
    ]
    found = json.loads(run("errors", *files, "--suspicious", "--json")[1])["suspicious"]
    assert [row["document"] for row in found] == [4, 8, 2]
    assert [round(row["evidence"], 4) for row in found] == [
        1 + round(10 / 12, 4),
        1 + round(10 / 12, 4),
        round(2 / 12, 4),
    ]
