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
DOCCANO = (
    '{"id": 1, "text": "Ada Lovelace slept", "label": [[0, 12, "PER"]]}\n'
    '{"id": 2, "text": "in Rome", "label": [[3, 7, "LOC"]]}\n'
    '{"id": 3, "text": "in Paris", "label": []}\n'
)

# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("gold", GOLD), ("old", OLD), ("new", NEW))]


@pytest.fixture
def answer(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run("errors", *arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call


def of_table(run, *arguments):
    """The rows of CSV, the tables one after the other."""
    status, output, complaint = run("errors", *arguments, "--table", "csv")
    assert (status, complaint) == (0, "")
    return [list(csv.DictReader(io.StringIO(table))) for table in output.split("\n\n")]


def test_json_is_what_python_gives(answer, files):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    options = {"n_resamples": 50, "seed": 3, "confidence": 0.9, "min_overlap": 0.6}
    found = answer(*files, "--resamples", 50, "--seed", 3, "--confidence", 0.9, "--min-overlap", 0.6, "--per-error")
    expected = spanometer.errors(gold, {"old": old, "new": new}, **options)
    assert found["predictions"]["new"]["file"] == files[2]
    for key, value in json.loads(json.dumps(expected.to_dict())).items():
        assert found[key] == value
    assert found["errors"] == expected.difference("old", "new").to_arrow().to_pylist()
    assert found["systems"]["old"]["kinds"]["missing"] == 2


def test_several_systems(run, files):
    status, output, _ = run("errors", *files, "--names", "first,second")
    assert status == 0
    for text in ("errors made by", "first to second", "second alone", "all errors"):
        assert text in output
    (rows,) = of_table(run, *files, "--per-error")
    assert [(row["document"], row["start"], row["kind_old"], row["kind_new"], row["change"]) for row in rows] == [
        ("0", "0", "wrong_extent", "correct", "fixed"),
        ("1", "0", "", "spurious", "new"),
        ("1", "1", "wrong_label", "correct", "fixed"),
        ("2", "1", "missing", "correct", "fixed"),
    ]
    (rows,) = of_table(run, *files, files[1], "--names", "one,two,three", "--per-error")
    assert [(row["made_by"], row["kind_three"]) for row in rows] == [
        ("2", "wrong_extent"),
        ("1", ""),
        ("2", "wrong_label"),
        ("2", "missing"),
    ]


def test_any_format_on_either_side(answer, files, file):
    exported = file("export.jsonl", DOCCANO)
    found = answer(files[0], exported, "--to-tokens", "overlap")
    assert found["systems"]["export"]["kinds"]["missing"] == 1
    assert found["systems"]["export"]["kinds"]["correct"] == 2
    found = answer(exported, files[1])
    assert found["systems"]["old"]["kinds"] == {
        "correct": 0,
        "wrong_label": 1,
        "wrong_extent": 1,
        "wrong_label_and_extent": 0,
        "missing": 0,
        "spurious": 0,
    }
    lines = file("tags.jsonl", '["B-PER", "I-PER", "O"]\n["O", "B-LOC"]\n["O", "O"]\n')
    assert answer(files[0], lines, "--ignore-words")["systems"]["tags"]["kinds"]["missing"] == 1


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
    costs = of_table(run, gold, output)[1]
    spans = {row["error"]: int(row["spans"]) for row in costs}
    parts = ("shorter", "longer", "shifted")
    assert {name: count for name, count in spans.items() if count and name != "wrong extent"} == {kind: touched}
    assert spans["wrong extent"] == (touched if kind in parts else 0)


@old_matplotlib
def test_the_picture(run, files, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plots)")
    path = tmp_path / "confusion.svg"
    assert run("errors", *files[:2], "--plot", path, "--extents", "exact")[0] == 0
    assert b"<svg" in path.read_bytes()
