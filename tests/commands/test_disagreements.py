"""`spanometer agree --disagreements` and `--leave-one-out`: where annotators differ, and how each changes agreement."""

import csv
import json
from pathlib import Path

import pytest

import spanometer
from spanometer.readers import read, tag_lists

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada O\nLovelace B-PER\nslept O\n\nin O\nRome B-LOC\n"


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("ann", ANN), ("ben", BEN), ("cat", CAT))]


def expected(files, **options):
    words = [["Ada", "Lovelace", "slept"], ["in", "Rome"]]
    return spanometer.disagreements(
        {Path(path).stem: tag_lists(read(path).tags[0]) for path in files}, words=words, **options
    )


def test_the_ending_says_how(run, files, tmp_path):
    page, table, lines = (tmp_path / f"places.{ending}" for ending in ("html", "csv", "jsonl"))
    for path in (page, table, lines):
        assert run("agree", *files, "--disagreements", "-o", str(path)) == (0, "", "")
    found = expected(files)
    rows = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    # lines of the file beside what the words say
    assert [row.pop("line") for row in rows] == [1, 5]
    assert rows == found.to_dict()["places"]
    with table.open(encoding="utf-8", newline="") as stream:
        listed = list(csv.DictReader(stream))
    assert [(row["text"], row["ann"], row["ben"], row["cat"]) for row in listed] == [
        ("Ada Lovelace", "PER Ada Lovelace", "PER Ada", "PER Lovelace"),
        ("in Rome", "LOC Rome", "LOC in Rome", "LOC Rome"),
    ]
    html = page.read_text(encoding="utf-8")
    assert "Where ann, ben and cat differ" in html and "Without each annotator" in html
    assert f"{files[0]}, column 2, 2 spans" in html


def test_on_the_screen_they_follow_the_agreement(run, files):
    status, output, complaint = run("agree", *files, "--disagreements")
    assert (status, complaint) == (0, "")
    assert output.startswith(run("agree", *files)[1].rstrip("\n"))
    assert "2 places where 3 annotators differ" in output
    assert "  ann, cat: LOC Rome\n  ben: LOC in Rome\n" in output
    assert "kappa without" not in output


def test_json(run, files):
    output = run(
        "agree",
        *files,
        "--disagreements",
        "--leave-one-out",
        "--measures",
        "chance_kappa_f1(level=span),unitizing_alpha",
        "--json",
    )[1]
    found = expected(files, level="span")
    described = json.loads(output)
    assert described["disagreements"]["mean_f1"] == pytest.approx(described["mean_f1"])
    assert described["disagreements"]["signature"] == found.signature
    assert described["leave_one_out"] == json.loads(json.dumps(found.leave_one_out().to_dict()))


def test_all_places_are_in_a_table(run, files):
    output = run("agree", *files, "--disagreements", "--table", "csv", "--percent")[1]
    # columns without any text are left out
    assert "document,line,start,end,kinds,differences,cost,text,after,ann,ben,cat\n" in output
    assert '\n1,1,0,2,"other boundary, only one",4,' in output


def test_exports_of_tools_have_texts(run, file):
    def export(name, *entities):
        return file(
            f"{name}.jsonl", json.dumps({"id": 7, "text": "Ada saw Rome", "label": [list(one) for one in entities]})
        )

    paths = [export("ann", (0, 3, "PER"), (8, 12, "LOC")), export("ben", (0, 3, "PER"))]
    row = json.loads(run("agree", *paths, "--disagreements", "--json")[1])["disagreements"]["places"][0]
    assert (row["name"], row["before"], row["text"]) == ("7", "Ada saw ", "Rome")
    row = json.loads(run("agree", *paths, "--disagreements", "--tokenizer", "words", "--json")[1])
    assert row["disagreements"]["places"][0]["before"] == "Ada saw "
