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


def test_tables(run, files):
    status, output, complaint = run("errors", *files[:2])
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference  {files[0]}, column 2"
    assert lines[2] == "size       3 sentences (no document boundaries found), 7 tokens"
    assert lines[6].split() == ["old", "0.0000", "[0.0000,", "0.0000]", "3", "2", "0", "3"]
    assert lines[10].split() == ["wrong", "label", "1", "33.3%", "0.4000", "+0.4000"]
    gold, old = (tag_lists(read(path).tags[0]) for path in files[:2])
    assert spanometer.errors(gold, {"old": old}).to_csv() in run("errors", *files[:2], "--table", "csv")[1]


def test_csv_has_all_kinds_and_labels(run, files):
    scores, costs, marks, kinds, shares, confusion = of_table(run, *files[:2])
    assert [(row["system"], row["f1"], row["errors"]) for row in scores] == [("old", "0.0", "3")]
    assert sum(int(row["split"]) for row in marks) == 0
    assert {row["error"]: int(row["spans"]) for row in costs if row["spans"] != "0"} == {
        "wrong label": 1,
        "wrong extent": 1,
        "shorter": 1,
        "missing": 1,
    }
    assert [row["label"] for row in kinds] == ["LOC", "PER", "all"]
    assert shares[0]["missing"] == "0.5"
    assert len(confusion) == 6
    assert confusion[0] == {
        "system": "old",
        "extents": "overlap",
        "reference": "LOC",
        "LOC": "0",
        "PER": "1",
        "missing": "1",
    }


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


def test_columns_of_one_file(answer, files, file):
    both = "\n".join(
        f"{one} {two.split()[1]}" if one else "" for one, two in zip(GOLD.split("\n"), OLD.split("\n"), strict=True)
    )
    found = answer(file("both.conll", both), "--columns", "2,3")
    assert found["systems"]["column 3"] == answer(*files[:2])["systems"]["old"]


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


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["gold"], "with one file, the columns of the reference and the systems must be named"),
        (["gold", "--columns", "2"], "there is no file with a system's tags"),
        (["gold", "old", "--measure", "span_f,link_f"], "costs are told in one measure, and 2 measures are named"),
        (["gold", "old", "--measure", "spanf"], "unknown measure 'spanf'"),
        (["gold", "old", "--measure", "chance_kappa_f1"], "chance_kappa_f1 keeps more than sums"),
        (["gold", "old", "--min-overlap", "2"], "invalid value for --min-overlap: 2.0"),
        (["gold", "old", "--extents", "all"], "invalid value for --extents: 'all'"),
        (["gold", "old", "--cap"], "--cap is an option of intersection_f"),
        (["gold", "old", "new", "--names", "one"], "1 name, 2 systems"),
        (["gold", "old", "new", "--plot", "a.png"], "--plot draws the confusion of one system"),
        (["gold", "old", "--plot", "a.txt"], "is not the name of a picture"),
        (["gold", "short"], "both sides must annotate|reference document|predicted document"),
        (["gold", "nothing"], "no such file"),
    ],
)
def test_what_cannot_be_done(complaint, files, file, tmp_path, arguments, message):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plots)")
    paths = dict(zip(("gold", "old", "new"), files, strict=True))
    paths |= {"short": file("short.conll", GOLD.rpartition("\n\n")[0] + "\n"), "nothing": str(tmp_path / "nothing")}
    line = complaint("errors", *(paths.get(argument, argument) for argument in arguments))
    assert any(part in line for part in message.split("|"))
