"""`spanometer consensus`: annotations in, one annotation out, in any format that can hold it."""

import csv
import json

import pytest

import spanometer

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-PER\n"
GOLD = "Ada\tB-PER\nLovelace\tI-PER\nslept\tO\n\nin\tO\nRome\tO\n\n"

TEXTS = ("Ada L. woke", "🎉 in Rome")
SIDES = {
    "ann": [[(0, 6, "PER")], [(5, 9, "LOC")]],
    "ben": [[(0, 3, "PER")], [(5, 9, "LOC")]],
    "cat": [[(0, 6, "PER"), (4, 6, "PER")], [(2, 9, "LOC")]],
}


def rows(spans, annotator=None):
    """JSON lines of documents with texts and spans."""
    found = []
    for number, (text, of_document) in enumerate(zip(TEXTS, spans, strict=True)):
        listed = [{"start": start, "end": end, "label": label} for start, end, label in of_document]
        by = {} if annotator is None else {"annotator": annotator}
        found.append(json.dumps({"id": f"d{number}", **by, "text": text, "spans": listed}))
    return "".join(f"{row}\n" for row in found)


@pytest.fixture
def tags(file):
    return [file(f"{name}.conll", content) for name, content in (("ann", ANN), ("ben", BEN), ("cat", CAT))]


@pytest.fixture
def exports(file):
    return [file(f"{name}.jsonl", rows(spans)) for name, spans in SIDES.items()]


@pytest.fixture
def target(tmp_path):
    """A file that does not exist yet."""
    return tmp_path / "gold"


def spans_in(path):
    return [
        [(span["start"], span["end"], span["label"]) for span in document]
        for document in spanometer.read(path).spans.to_dicts()
    ]


def test_columns_of_one_file(run, file, target):
    both = "".join(
        f"{one} {two.split()[1]}\n" if one else "\n"
        for one, two in zip(ANN.splitlines(), BEN.splitlines(), strict=True)
    )
    names = ("--column", "2,3", "--names", "ann, ben")
    status, output, _ = run("consensus", file("both", both), *names, "-o", target, "--rule", "half", "--to", "jsonl")
    assert status == 0
    # all four spans are ties; the longer ones and the first label go into no tags
    assert "4 spans with exactly half of the votes, in the consensus" in output
    assert spans_in(target) == [[(0, 1, "PER"), (0, 2, "PER")], [(0, 2, "LOC"), (1, 2, "LOC")]]


def test_what_a_format_cannot_hold_is_refused(complaint, run, exports, target):
    union = ("consensus", *exports, "--rule", "union", "-o", target)
    tags = ("--to", "IOB2", "--tokenizer", "blanks")
    assert "columns cannot hold everything: spans that overlap another span, left out: 3" in complaint(*union, *tags)
    assert not target.exists()
    status, _, errors = run(*union, *tags, "--lossy")
    assert status == 0
    assert errors.startswith("lost: spans that overlap another span")
    status, output, errors = run(*union, *tags, "--resolve", "overlaps", "--force")
    assert (status, errors) == (0, "")
    assert "3 spans with enough votes removed: a better span overlaps" in output
    assert target.read_text().count("B-") == 2


def test_votes_as_attributes_and_as_a_list(run, exports, target, tmp_path):
    listed = tmp_path / "votes.csv"
    assert run("consensus", *exports, "--with-votes", "-o", target, "--list-spans", listed)[0] == 0
    spans = [span for line in target.read_text().splitlines() for span in json.loads(line)["spans"]]
    assert [span["attributes"] for span in spans] == [
        {"votes": 2, "annotators": "ann, cat"},
        {"votes": 2, "annotators": "ann, ben"},
    ]
    with open(listed, newline="", encoding="utf-8") as stream:
        found = [(row["document"], row["text"], row["votes"], row["outcome"]) for row in csv.DictReader(stream)]
    assert found == [
        ("d0", "Ada", "1", "outvoted"),
        ("d0", "Ada L.", "2", "chosen"),
        ("d0", "L.", "1", "outvoted"),
        ("d1", "in Rome", "1", "outvoted"),
        ("d1", "Rome", "2", "chosen"),
    ]


def test_one_file_of_several_annotators(run, file, target):
    content = "".join(rows(spans, name) for name, spans in SIDES.items())
    status, output, _ = run("consensus", file("all.jsonl", content), "-o", target)
    assert status == 0
    assert spans_in(target) == [[(0, 6, "PER")], [(5, 9, "LOC")]]
    assert ["cat", "3", "1", "33.3%", "2"] in [line.split() for line in output.splitlines()]


def test_tokens_and_formats_mixed(run, file, exports, target):
    """One annotator has tags, the others characters: the first one's tokens are the unit."""
    words = file("dan.conll", "Ada B-PER\nL. I-PER\nwoke O\n\n🎉 O\nin B-LOC\nRome I-LOC\n")
    voting = ("--rule", "half", "--resolve", "overlaps")
    status, output, _ = run("consensus", words, *exports, *voting, "-o", target, "--to", "IOBES")
    assert (status, "size  2 documents, 6 tokens" in output) == (0, True)
    tags = [line.split()[1] if line else "" for line in target.read_text().splitlines() if not line.startswith("#")]
    assert tags == ["B-PER", "E-PER", "O", "", "O", "B-LOC", "E-LOC", ""]
