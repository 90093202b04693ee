"""`spanometer ground`: spans of answers, written."""

import json

import pytest

import spanometer
from spanometer.commands.main import main

TEXT = "Ann saw Bob in Rome."
ANSWER = '[["PER", "Ann"], ["PER", "Cid"], ["Place", "Rome"], ["PER", "Ann"]]'
SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]


@pytest.fixture
def texts(lines):
    return lines("texts.jsonl", {"id": "a", "text": TEXT}, {"id": "b", "text": "Oslo"})


@pytest.fixture
def answers(lines):
    return lines("answers.jsonl", {"id": "b", "answer": '[["LOC'}, {"id": "a", "answer": ANSWER})


def test_two_files(run, texts, answers, tmp_path):
    out = tmp_path / "spans.jsonl"
    options = ("--grounding", "strict", "--asked-labels", "PER,LOC", "--aliases", "Place=LOC", "--list-lost")
    status, output, complaint = run("ground", texts, answers, "-o", out, *options)
    assert (status, complaint.splitlines()) == (
        0,
        [
            f"lost: {texts}, line 1, document 'a': 'Cid' of 'PER', absent, wrong",
            f"lost: {texts}, line 1, document 'a': 'Ann' of 'PER', surplus, wrong",
            f"broken: the answer to {texts}, line 2, document 'b'",
        ],
    )
    assert output == (
        f"{out}: 2 answers (1 read, 1 broken), 4 items (2 placed, 1 surplus, 1 absent), 4 predicted spans "
        "(grounding:strict); without a place, and wrong when scored: 2.\n"
    )
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"id": "a", "text": TEXT, "spans": SPANS},
        {"id": "b", "text": "Oslo", "spans": []},
    ]


def test_a_policy_by_its_actions(capsys, texts, answers):
    policy = "salvage,drop,case,whole,first,drop,drop,keep"
    assert main(["ground", texts, answers, "--grounding", policy, "--asked-labels", "PER,LOC", "--list-lost"]) == 0
    output, complaint = capsys.readouterr()
    assert json.loads(output.splitlines()[0])["spans"] == SPANS[:1]
    assert "'Rome' of 'Place', outside, left out" in complaint
    assert f"(grounding:{policy})" in complaint
    for named in ("first", "salvage,keep"):
        assert main(["ground", texts, answers, "--grounding", named]) == 2
        assert "unknown grounding policy" in capsys.readouterr().err


def test_offsets_and_formats_of_answers(run, lines):
    path = lines(
        "both.jsonl", {"text": "Ann, Ann", "said": "PER: Ann"}, {"text": "Ann, Ann", "said": '[["PER", "Ann", 5, 8]]'}
    )

    def starts(*options):
        _, output, _ = run("ground", path, "--answer-key", "said", *options)
        return [[span["start"] for span in json.loads(line)["spans"]] for line in output.splitlines()]

    assert starts() == [[0], [0]]
    assert starts("--offsets", "check") == [[0], [5]]
    assert starts("--answer-format", "json") == [[], [0]]


def test_other_formats(run, file, answers, lines, tmp_path):
    """Words of a file of tags are what is a token; the ending says what is written."""
    words = file("gold.conll", "Ann O\nsaw O\nBob O\nin O\nRome O\n. O\n\nOslo O\n")
    unnamed = lines("unnamed.jsonl", {"answer": ANSWER}, {"answer": "[]"})
    assert run("ground", words, unnamed, "-o", tmp_path / "out.conll", "--aliases", "Place=LOC")[0] == 0
    assert (tmp_path / "out.conll").read_text().split() == (
        ["Ann", "B-PER", "saw", "O", "Bob", "O", "in", "O", "Rome", "B-LOC", ".", "O", "Oslo", "O"]
    )
    assert run("ground", words, unnamed, "-o", tmp_path / "brat", "--to", "brat")[0] == 0
    assert sorted(path.suffix for path in (tmp_path / "brat").iterdir()) == [".ann", ".ann", ".txt", ".txt"]
    texts = lines("texts.jsonl", {"id": "a", "text": TEXT}, {"id": "b", "text": "Oslo"})
    assert run("ground", texts, answers, "--tokenizer", "words", "--to", "IOBES", "-o", tmp_path / "o.txt")[0] == 0
    assert "Ann\tS-PER" in (tmp_path / "o.txt").read_text()


def test_what_is_written_scores_as_the_answers_do_without_items_that_have_no_place(
    run, texts, answers, lines, tmp_path
):
    gold = lines("gold.jsonl", {"id": "a", "text": TEXT, "spans": SPANS}, {"id": "b", "text": "Oslo", "spans": []})
    out = tmp_path / "spans.jsonl"
    run("ground", texts, answers, "-o", out, "--aliases", "Place=LOC")
    read = [spanometer.read(path) for path in (gold, out, answers)]
    placed = spanometer.score(*read[:2], measures="span_f").measures["span_f"].scores
    whole = spanometer.score(read[0], read[2], aliases={"Place": "LOC"}, measures="span_f").measures["span_f"].scores
    assert (placed["precision"], whole["precision"]) == (1, 0.5)
    assert placed["recall"] == whole["recall"] == 1


def test_links_within_json_are_no_marked_texts(run, lines):
    path = lines("both.jsonl", {"text": TEXT, "by": {"m.1": "[Ann](PER) saw [Bob](PER) in [Rome](LOC)."}})
    status, output, complaint = run("ground", path, "--answer-key", "by.m.1")
    assert (status, complaint) == (0, "1 answer, 3 items (3 placed), 3 predicted spans (grounding:strict).\n")
    assert [span["start"] for span in json.loads(output)["spans"]] == [0, 8, 15]
