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


def test_a_comment_belongs_to_the_document_of_the_next_token(scores, file):
    path = file("a.conll", "# doc=1\nAnn B-P\n\n# genre=poem\nx B-P\n\n# doc=2\n# genre=news\nz B-P\n\n# genre=none\n")
    found = scores("errors", path, path, "--documents", "doc", "--by", "genre")["buckets"]["a"]
    assert {each["bucket"]: each["right"] for each in found if each["by"] == "genre"} == {"poem": 2, "news": 1}


def of_table(run, *arguments):
    """The rows of the main table as CSV, and the warning that there are others."""
    status, output, complaint = run("errors", *arguments, "--table", "csv")
    assert (status, "Add --table-kind scores, or write all tables with -o FOLDER/." in complaint) == (0, True)
    return list(csv.DictReader(io.StringIO(output)))


def test_json_is_what_python_gives(scores, files):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    options = {"n_resamples": 50, "seed": 3, "confidence": 0.9, "min_overlap": 0.6}
    flags = ["--n-resamples", 50, "--seed", 3, "--confidence", 0.9, "--min-overlap", 0.6, "--per-error"]
    found = scores("errors", *files, *flags)
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
    touched = int(re.search(r"(\d+) spans changed", said)[1])
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
