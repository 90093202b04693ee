"""`spanometer validate`."""

import gzip
import json
import time

import pytest

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


def test_validate(run, file):
    path = file("a.conll", ILLEGAL)
    status, output, complaint = run("validate", path)
    assert (status, complaint) == (1, "")
    assert output.splitlines() == [
        f"{path}:6: I-LOC after O (conlleval, convert: LOC 6; discard: nothing)",
        f"{path}:8: I-PER after I-LOC (conlleval, convert: LOC 6 and PER 8; discard: nothing)",
        f"{path}, column 2: 2 illegal pairs in 1 of 2 sentences (IOB2, inferred from the prefixes). "
        "Spans: conlleval 3, discard 1, convert 3.",
    ]


def test_names_both_ends_of_a_document(run, file):
    path = file("a", "I-A\nO\nB-A\n\nO\n")
    _, output, _ = run("validate", path, "--scheme", "bilou")
    assert output.splitlines()[:-1] == [
        f"{path}:1: I-A at the beginning (conlleval, convert: A 1; discard, bes: nothing)",
        f"{path}:2: O after I-A (conlleval, convert: A 1; discard, bes: nothing)",
        f"{path}:3: B-A at the end (conlleval, bes, convert: A 3; discard: nothing)",
    ]
    assert output.splitlines()[-1].endswith("(BILOU). Spans: conlleval 2, discard 0, bes 1, convert 2.")


def test_legal(run, file):
    path = file("a.conll", LEGAL)
    assert run("validate", path) == (
        0,
        f"{path}, column 2: no illegal pairs in 2 sentences (IOB2, inferred from the prefixes).\n",
        "",
    )
    status, output, _ = run("validate", path, "--json")
    assert status == 0
    assert json.loads(output)["columns"][0]["illegal_pairs"] == []


def test_columns(run, file):
    path = file("a.conll", "x B-A I-A\ny I-A I-A\n")
    status, output, _ = run("validate", path, "--column", 2, "--column", 3, "--scheme", "IOB2")
    assert status == 1
    assert output.splitlines() == [
        f"{path}:1: column 3: I-A at the beginning (conlleval, convert: A 1-2; discard: nothing)",
        f"{path}, column 2: no illegal pairs in 1 sentence (IOB2).",
        f"{path}, column 3: 1 illegal pair in 1 of 1 sentence (IOB2). Spans: conlleval 1, discard 0, convert 1.",
    ]


def test_json_lines(run, file):
    path = file("a.jsonl", '["O"]\n\n{"tags": ["O", "I-A", "I-A"]}\n["B-A"]\n')
    status, output, _ = run("validate", path, "--scheme", "iob2")
    assert status == 1
    assert output.splitlines()[0] == (f"{path}:3: token 1: I-A after O (conlleval, convert: A 1-2; discard: nothing)")


def test_as_json(run, file):
    path = file("a.conll", ILLEGAL)
    status, output, _ = run("validate", path, "--json")
    assert status == 1
    report = json.loads(output)
    assert report["file"] == path
    (column,) = report["columns"]
    pairs = column.pop("illegal_pairs")
    assert column == {
        "column": "column 2",
        "scheme": "IOB2",
        "documents": 2,
        "tokens": 6,
        "affected_documents": 1,
        "spans": {"conlleval": 3, "discard": 1, "convert": 3},
    }
    location = {"label": "LOC", "start": 1, "end": 2}
    assert pairs[0] == {
        "line": 6,
        "document": 1,
        "token": 1,
        "previous": "O",
        "tag": "I-LOC",
        "policies": {"conlleval": [location], "discard": [], "convert": [location]},
    }
    ends = json.loads(run("validate", file("b", "I-A\nB-A\n"), "--scheme", "IOBES", "--json")[1])
    found = [(pair["previous"], pair["tag"]) for pair in ends["columns"][0]["illegal_pairs"]]
    assert found == [(None, "I-A"), ("I-A", "B-A"), ("B-A", None)]


def test_standard_input(run, standard_input):
    standard_input(ILLEGAL.encode())
    status, output, _ = run("validate", "-")
    assert status == 1
    assert output.startswith("standard input:6: I-LOC after O")


def test_gzip(run, file):
    path = file("a.gz", gzip.compress(ILLEGAL.encode()))
    assert run("validate", path)[1].startswith(f"{path}:6: ")


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (b"", [], "the file is empty."),
        (b"\xff\xff\n", [], "line 1: the byte 0xff is not UTF-8."),
        (b"O\nX-A\n", [], "line 2: 'X-A' has no prefix of any known scheme"),
        (
            b"O\nL-A\n",
            ["--scheme", "IOB2"],
            "line 2: 'L-A' has no prefix of IOB2 (I, B and O); L is a prefix of BILOU.",
        ),
        (
            b"O\nS-B\n",
            ["--scheme", "IOB2"],
            "line 2: 'S-B' has no prefix of IOB2 (I, B and O); S is a prefix of IOBES,",
        ),
        (b"a O\n", ["--column", "7"], "column 7 does not exist"),
        (b"a O\n", ["--column", "2", "--column", "-1"], "one column is named twice."),
        (b'{"a": ["O"]}\n', ["--column", "a", "--column", "a"], "one column is named twice."),
        (b"O\n", ["--scheme", "IOB9"], "invalid value for --scheme: 'IOB9'"),
    ],
)
def test_complaints(complaint, file, content, arguments, said):
    assert said in complaint("validate", file("bad", content), *arguments)


def test_is_quick(run, file):
    # a file of this size takes longer if every token costs a step of Python
    sentence = "w\tB-PER\n" + "w\tI-PER\n" * 2 + "w\tO\n" * 17 + "\n"
    path = file("a", sentence * 10_000 + "w\tI-LOC\n")
    run("validate", file("b", LEGAL))
    before = time.process_time()
    output = run("validate", path)[1]
    assert time.process_time() - before < 1.0
    assert "1 illegal pair in 1 of 10,001 sentences" in output
