"""How commands show tables of numbers: their form, their digits, where they go; several systems at once."""

import argparse
import errno
import io
import json
import os
import subprocess
import sys
from importlib import import_module

import pytest

from spanometer.commands import COMMANDS
from spanometer.commands.options import READ, WRITTEN
from spanometer.readers import writing as output_module

REFERENCE = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
ONE = "Ada B-PER\nLovelace O\nslept O\n\nin O\nRome B-LOC\n"
TWO = "Ada B-PER\nLovelace I-PER\nslept O\n\nin B-LOC\nRome B-LOC\n"


@pytest.fixture
def paths(file):
    return file("gold.conll", REFERENCE), file("one.conll", ONE), file("two_2.conll", TWO)


@pytest.fixture
def output(run):
    def call(*arguments):
        status, printed, complaint = run(*arguments)
        assert (status, complaint) == (0, "")
        return printed

    return call


INPUTS = {"one.conll": ONE, "gold.conll": REFERENCE, "folder/a.conll": REFERENCE, "map.txt": "PER PERSON\n"}


@pytest.mark.parametrize(
    "arguments",
    [
        "convert gold.conll --to IOBES -o gold.conll",
        "convert one.conll --repair discard -o ./one.conll",
        "transform gold.conll --apply shift --as-spans -o gold.conll",
        "convert folder --to IOBES -o folder",
        "convert folder --to IOBES -o .",
        "convert folder/*.conll --to IOBES -o folder",
        "convert folder --to jsonl -o folder/a.conll",
        "convert gold.conll --to brat -o .",
        "score gold.conll one.conll --table text -o one.conll",
        "score gold.conll one.conll --label-map map.txt -o map.txt",
        "errors gold.conll one.conll --html link.html",
        "errors gold.conll one.conll --train link.html -o link.html",
        "agree gold.conll one.conll --plot link.svg",
        "consensus gold.conll one.conll -o gold.conll",
    ],
)
@pytest.mark.parametrize("force", [True, False])
def test_no_input_is_replaced(complaint, tmp_path, monkeypatch, arguments, force):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, content in INPUTS.items():
        (tmp_path / name).write_text(content)
    for link in ("link.html", "link.svg"):
        (tmp_path / link).symlink_to("gold.conll")
    said = complaint(*arguments.split(), *(["--force"] if force else []))
    assert "the output would overwrite an input file. Name another file with -" in said or not force
    assert {name: (tmp_path / name).read_text() for name in INPUTS} == INPUTS
    assert len(list(tmp_path.iterdir())) == 6


def test_every_argument_that_names_a_file_is_known():
    named = set()
    for command in COMMANDS.keys() - {"hub", "demo", "reproduce"}:
        parser = argparse.ArgumentParser()
        import_module(f"spanometer.commands.{command}").declare(parser)
        named |= {
            action.dest
            for action in parser._actions
            if action.nargs != 0 and (not action.option_strings or action.metavar in ("FILE", "OUT", "CSV", "HTML"))
        }
    assert named <= {*READ, *WRITTEN}
    assert named >= {*WRITTEN, "file", "files", "reference", "systems", "train"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("errors", "--html", "a.html"),
        ("errors", "--examples", "jsonl", "-o", "a.jsonl"),
        ("agree", "--disagreements", "-o", "a.html"),
        ("score", "-o", "a.csv"),
        ("score", "--json", "-o", "a.json"),
        ("consensus", "-o", "a.conll"),
        ("compare", "--plot", "a.svg"),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_everything(complaint, file, paths, tmp_path, monkeypatch, arguments, there):
    path = tmp_path / arguments[-1]
    if there:
        path.write_text("precious")
    files = sorted(tmp_path.iterdir())

    class Full(io.FileIO):
        def write(self, data):
            super().write(bytes(data)[:10])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(output_module, "open", Full, raising=False)
    force = ["--force"] if there else []
    said = complaint(*arguments[:1], *paths, *arguments[1:-1], path, *force)
    assert f"{path}: cannot be written: no space left on device." in said
    assert sorted(tmp_path.iterdir()) == files
    assert not there or path.read_text() == "precious"


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_standard_output_by_its_path(paths, tmp_path):
    """Where it is a file, that is open already, and what is printed afterwards follows."""
    printed = tmp_path / "printed"
    with open(printed, "w") as stream:
        command = [sys.executable, "-m", "spanometer", "convert", paths[0], "--to", "IOBES", "-o", "/dev/stdout"]
        assert subprocess.run(command, stdout=stream, check=False).returncode == 0
    assert printed.read_text().startswith("Ada B-PER\nLovelace E-PER\n")


@pytest.mark.parametrize(
    ("ending", "form"), [("csv", "csv"), ("md", "markdown"), ("tex", "latex"), ("html", "html"), ("HTM", "html")]
)
def test_the_ending_says_the_form(output, paths, tmp_path, ending, form):
    target = tmp_path / f"scores.{ending}"
    for command, kind in (("score", "scores"), ("compare", "pairs"), ("agree", "matrix"), ("errors", "kinds")):
        output(command, *paths, "-o", target, "--force", "--table-kind", kind)
        assert target.read_text() == output(command, *paths, "--table", form, "--table-kind", kind)
    output("score", *paths, "--table", "csv", "-o", target, "--force")
    assert target.read_text() == output("score", *paths, "--table", "csv")


def test_folded_signatures_are_measures(output, paths):
    """What a signature begins with and what all end in, joined, is read as the signature."""
    named = ["--measures", "span_f,link_f,token_f(format=BIO),semeval_f"]
    printed = output("score", *paths[:2], *named).partition("Each signature ends in ")[2]
    end, names, *begins = printed.partition("\n\n")[0].strip().splitlines()
    signatures = [f"{begin}{end}" for begin in (*names.split(", "), *begins)]
    whole, again = (
        [
            result["signature"]
            for result in json.loads(output("score", *paths[:2], "--json", *chosen))["measures"].values()
        ]
        for chosen in (named, ["--measures", ",".join(signatures)])
    )
    assert len(whole) == len(signatures) == 4
    assert sorted(again) == sorted(whole)


@pytest.mark.parametrize(("command", "flag", "name"), [("errors", "--html", "a.html"), ("agree", "--plot", "a.svg")])
def test_other_files_are_not_replaced(run, complaint, paths, tmp_path, command, flag, name):
    target = tmp_path / name
    given = [command, *paths[:2], flag, str(target)]
    assert run(*given)[0] == 0
    target.write_text("of before")
    assert complaint(*given) == f"spanometer: {target}: the file exists already. Choose another name, or add --force."
    assert target.read_text() == "of before"
    assert run(*given, "--force")[0] == 0
    assert target.read_text() != "of before"


def test_no_file_after_an_error(run, paths, file, tmp_path):
    target = tmp_path / "scores.txt"
    assert run("score", paths[0], file("bad.conll", "Ada B-PER\n"), "-o", target)[0] == 2
    assert not target.exists()
