"""The command `transform`."""

import gzip
import json

import pytest

TEXT = b"# id 1\nAda B-PER\nLovelace I-PER\nslept O\n\nin O\r\nthe O\nNew B-LOC\nYork I-LOC\nCity I-LOC\nnow O\nand O\n"


@pytest.fixture
def written(capsysbinary):
    """What a run that goes well writes to standard output and to standard error, as bytes and as text."""
    from spanometer.commands.main import main

    def call(*arguments):
        assert main([str(argument) for argument in arguments]) == 0
        captured = capsysbinary.readouterr()
        return captured.out, captured.err.decode()

    return call


def test_rates_and_seeds(written, file):
    path = file("a", "x B-A\n\n" * 500 + "x B-B\n")
    none, said = written("transform", path, "--apply", "dropped_spans", "--rate", "0")
    assert (none, said) == (b"x B-A\n\n" * 500 + b"x B-B\n", "dropped_spans: 0 spans changed.\n")
    runs = [written("transform", path, "--apply", "dropped_spans", "--seed", seed)[0] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    # the second of two draws anew, of what the first has left
    _, said = written("transform", path, *["--apply", "dropped_spans"] * 2, "--rate", "0.5", "--rate", "1")
    first, second = (int(line.split()[1]) for line in said.splitlines())
    assert 200 < first < 300
    assert first + second == 501
    _, said = written("transform", path, *["--apply", "dropped_spans"] * 2, "--rate", "0.5")
    first, second = (int(line.split()[1]) for line in said.splitlines())
    assert abs(second - (501 - first) / 2) < 40


def test_illegal_tags(run, file, tmp_path):
    path, out = file("a", TEXT * 20), tmp_path / "out"
    status, output, said = run("transform", path, "--apply", "illegal_tags", "--rate", "0.2", "-o", out)
    assert status == 0
    touched = int(said.split()[1])
    assert said == f"illegal_tags: {touched} tags changed.\n"
    assert output == f"{out}: {touched} of 200 tags changed (illegal_tags).\n"
    assert run("validate", path, "--scheme", "IOB2")[0] == 0
    assert run("validate", out, "--scheme", "IOB2")[0] == 1


def test_json_lines_gzip_and_in_place(run, file):
    path = file("a.jsonl.gz", gzip.compress(b'{"id": 1, "tags": ["B-A", "I-A"]}\n["O"]\n'))
    status, output, said = run("transform", path, "--apply", "sequence_split", "--in-place")
    assert (status, said) == (0, "sequence_split: 1 span changed.\n")
    assert output == f"{path}: 1 of 3 tags changed (sequence_split).\n"
    with gzip.open(path) as lines:
        assert [json.loads(line) for line in lines] == [{"id": 1, "tags": ["B-A", "B-A"]}, ["O"]]


@pytest.mark.parametrize(("name", "touched"), [("long_truncation", 46), ("short_truncation", 46), ("+1", 307)])
def test_as_many_as_those_that_are_compared(run, data, tmp_path, name, touched):
    path = data / "multiconer_es_dev.conll"
    assert run("transform", path, "--apply", name, "--matched", "-o", tmp_path / "out")[2] == (
        f"{name}: {touched} spans changed.\n"
    )
