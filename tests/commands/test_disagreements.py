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
