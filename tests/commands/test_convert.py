"""`spanometer convert`."""

import os
import subprocess
import sys

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


def test_convert(written, file):
    assert written("convert", file("a", LEGAL), "--to", "IOBES") == IOBES.encode()
    assert written("convert", file("b", IOBES), "--to", "IOB2") == LEGAL.encode()
    lines = file("a.jsonl", b'{"id": 1.0, "tags": ["B-A","I-A"]}\r\n')
    assert written("convert", lines, "--to", "BMES") == b'{"id": 1.0, "tags": ["B-A","E-A"]}\r\n'
    assert written("convert", file("c", "x B O\ny I O\n"), "--to", "IOBES", "--column", 2) == b"x B O\ny E O\n"


def test_outside(written, file):
    content = b"a\t_\nb\tB-A\n"
    assert written("convert", file("a", content), "--to", "IOBES", "--outside", "_") == b"a\t_\nb\tS-A\n"
    lines = file("a.jsonl", '{"tags": ["_", "B-A"], "id": "_"}\n')
    assert written("convert", lines, "--to", "IOBES", "--outside", "_") == b'{"tags": ["_", "S-A"], "id": "_"}\n'


def test_illegal_files_are_not_converted(complaint, file):
    path = file("a.conll", ILLEGAL)
    assert complaint("convert", path, "--to", "IOBES") == (
        f"spanometer: {path}, line 6: 'I-LOC' cannot follow 'O' in IOB2 (inferred from the prefixes), so the spans are "
        "not certain. Choose how to handle illegal tags with spanometer repair --policy ... --to IOBES, or name the "
        "scheme with --from"
    )
    lines = file("a.jsonl", '["O"]\n["O", "I-A"]\n')
    assert f"{lines}, line 2, token 1: 'I-A' cannot follow" in complaint(
        "convert", lines, "--to", "IO", "--from", "IOB2"
    )


def test_io_cannot_part_spans(complaint, file):
    path = file("a", "O\n\nB-A\nB-A\n")
    assert complaint("convert", path, "--to", "IO") == (
        f"spanometer: {path}, line 4: a span of 'A' would merge with the previous span in IO tags. Choose another "
        "scheme, or pass spans instead of tags."
    )
    assert "line 4" in complaint("repair", path, "--policy", "conlleval", "--to", "IO")


def test_round_trip_of_a_corpus(written, file, data):
    with open(data / "conll03_test_tags.tsv", "rb") as stream:
        content = stream.read()
    both = ["--column", "1", "--column", "2"]
    for scheme in ("IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES"):
        there = file("there", written("convert", file("here", content), *both, "--to", scheme, "--from", "IOB2"))
        assert written("convert", there, *both, "--to", "IOB2", "--from", scheme) == content


def test_processes_with_pipes(file):
    command = [sys.executable, "-m", "spanometer"]
    done = subprocess.run(
        [*command, "convert", "-", "--to", "IOBES"], input=LEGAL.encode(), capture_output=True, check=True
    )
    assert done.stdout == IOBES.encode()
    if os.name == "posix":
        done = subprocess.run(
            [*command, "convert", "/dev/stdin", "--to", "IOBES", "-o", "/dev/stdout"],
            input=LEGAL.encode(),
            capture_output=True,
            check=True,
        )
        assert done.stdout.startswith(IOBES.encode())
