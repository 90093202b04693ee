"""Remarks of `score` about sides that share no spans or labels."""

import json

import pytest

import spanometer
from spanometer.commands.main import main

GOLD = ("B-PLACE", "O", "B-PERSON", "O")


@pytest.fixture
def scored(tmp_path, capsys):
    def score(*sides, options=()):
        paths = []
        for number, tags in enumerate(sides):
            path = tmp_path / f"{number}.conll"
            path.write_text("".join(f"{word} {tag}\n" for word, tag in zip("abcdefgh", tags, strict=False)))
            paths.append(str(path))
        assert main(["score", *paths, "--measures", "span_f", *options]) == 0
        return capsys.readouterr().out.replace(str(tmp_path) + "/", "")

    return score


def notes(output):
    return [line.removeprefix("note").strip() for line in output.split("\n") if line.startswith("note")]


def test_a_label_of_another_name(scored):
    output = scored(GOLD, ("B-LOC", "O", "B-PERSON", "O"))
    assert notes(output) == [
        "only in the reference: PLACE; only in 1.conll: LOC (--label-map LOC=PLACE makes them one)"
    ]
    assert notes(scored(GOLD, ("B-LOC", "O", "B-PERSON", "O"), options=["--label-map", "LOC=PLACE"])) == []
    assert notes(scored(GOLD, ("B-LOC", "O", "B-PERSON", "O"), options=["--no-match-labels"])) == []


def test_no_label_in_common(scored):
    """Of more than three labels the number is told."""
    output = scored((*GOLD, "O"), ("B-A", "B-B", "B-C", "B-D", "B-E"))
    expected = (
        "only in the reference: PERSON, PLACE; only in 1.conll: A, B, C and 2 more (--label-map OLD=NEW renames labels)"
    )
    assert notes(output) == [expected]


def test_a_label_that_the_reference_lacks(scored):
    assert notes(scored(GOLD, ("B-PLACE", "B-DATE", "B-PERSON", "O"))) == ["only in 1.conll: DATE"]


@pytest.mark.parametrize("output", [GOLD, ("B-PLACE", "O", "O", "O"), ("O", "O", "O", "O")])
def test_labels_that_are_only_missed_are_no_remark(scored, output):
    assert notes(scored(GOLD, output)) == []


def test_no_spans_at_all(scored):
    empty = ("O", "O", "O", "O")
    assert notes(scored(empty, empty)) == ["no spans on either side"]
    # once for all systems
    assert notes(scored(empty, empty, empty)) == ["no spans on either side"]
    assert notes(scored(empty, GOLD)) == []


def test_in_json(scored):
    output = json.loads(scored(GOLD, ("B-LOC", "O", "B-PERSON", "O"), options=["--json"]))
    assert len(output["prediction"]["remarks"]) == 1
    assert "remarks" not in json.loads(scored(GOLD, GOLD, options=["--json"]))["prediction"]


def test_documents_with_spans(tmp_path, capsys):
    sides = []
    for label in ("PLACE", "LOC"):
        path = tmp_path / f"{label}.jsonl"
        path.write_text(json.dumps({"text": "Rome", "spans": [{"start": 0, "end": 4, "label": label}]}) + "\n")
        sides.append(str(path))
    assert main(["score", *sides, "--measures", "span_f"]) == 0
    output = capsys.readouterr().out
    assert (
        f"note        only in the reference: PLACE; only in {sides[1]}: LOC (--label-map LOC=PLACE makes them one)"
        in output
    )


def test_a_document_without_spans_scores():
    with pytest.warns(UserWarning, match="nothing was scored"):
        assert spanometer.score([[]], [[]]).measures["span_f"].scores["f1"] == 0
    with pytest.warns(UserWarning, match="nothing was scored"):
        assert spanometer.score([["O", "O"]], [["O", "O"]], zero_division=1, measures="span_f").documents == 1
