"""Tables on terminals."""

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spanometer.analysis.scores.report import Report, label_tables, score_tables
from spanometer.commands.main import main
from spanometer.measures import MEASURES
from spanometer.spans.spans import Spans
from spanometer.tables.screen import page, show
from spanometer.tables.table import Copyable

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("width", [20, 44, 80, 120])
def test_numbers_are_whole_on_narrow_terminals(width, monkeypatch):
    label = "label-" * 20
    spans = Spans.from_tags([[f"B-{label}", "O", "B-X"]])
    report = Report.of(spans, spans, [kind() for kind in MEASURES.values()], {"scheme": "IOB2"})
    console = page()
    console.file = io.StringIO()
    console.width = width
    signatures = (Copyable(result.signature) for result in report.results)
    show(console, *score_tables(report), *label_tables(report), *signatures)
    output = console.file.getvalue()
    assert "…" not in output
    assert output.count("1.0000") >= 5 * 3 * 3
    assert label in output.replace("\n", "")
    assert max(map(len, (line for line in output.splitlines() if "|" not in line))) <= max(width, 29)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def on_terminal(monkeypatch, width, *arguments):
    """Run a command on a terminal, and return what it prints; nothing is cut, and no line but a signature too long."""
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*arguments, "--no-color"]) == 0
    found = re.sub(r"\x1b\[[0-9;]*m", "", sys.stdout.getvalue()).splitlines()
    signature = re.compile(r"\||^spanometer")
    assert [line for line in found if len(line) > width and not signature.search(line)] == []
    assert not any("…" in line for line in found)
    return "\n".join(found)


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_name_is_lost(file, monkeypatch, tmp_path, width):
    """Names and cells of `compare`, `advise` and `agree` on terminals of several widths."""
    rows = ["a B-PER", "b O", "", "c B-LOC", "d I-LOC", "", "e O"]
    names = ["gold", "bert-base-multilingual-cased-finetuned", "bert-large-multilingual-cased-finetuned"]
    # a path is never broken, and those of temporary folders are long
    paths = [os.path.basename(file(f"{name}.conll", "\n".join(rows))) for name in names]
    monkeypatch.chdir(tmp_path)

    def lines(*arguments):
        return on_terminal(monkeypatch, width, *arguments)

    compared = lines("compare", *paths)
    for name in names[1:]:
        assert len(re.findall(rf"^{name}( |$)", compared, re.MULTILINE)) >= 2
    assert " - ".join(names[1:]) in " ".join(compared.split())
    assert {"rank", "stability", "precision", "corrected"} <= set(re.findall(r"\w+", compared))
    assert len(re.findall(r" 1\.0000 \[\d\.\d{4}, \d\.\d{4}\]", compared)) == 6
    assert len(re.findall(r"\b(yes|no|unknown)\b", lines("advise", paths[0]))) >= 7
    agreed = lines("agree", *paths)
    assert all(re.search(rf"^{name}( |$)", agreed, re.MULTILINE) for name in names)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_name_is_lost_in_the_examples(monkeypatch, tmp_path, width):
    """Names of people, systems, labels, errors and policies, in the tables of the other commands."""
    monkeypatch.chdir(tmp_path)

    def named(folder, *names):
        paths = [f"{Path(name).stem}-of-the-second-round-of-annotation{Path(name).suffix}" for name in names]
        for name, path in zip(names, paths, strict=True):
            shutil.copy(EXAMPLES / folder / name, path)
        return paths

    def require(words, *arguments):
        found = on_terminal(monkeypatch, width, *arguments)
        rows = [re.sub(" {2,}.*", "", line.strip()) for line in found.splitlines()]
        assert set(words) <= set(rows), arguments

    team = named("doccano", "ann.jsonl", "ben.jsonl", "cat.jsonl")
    people = [Path(path).stem for path in team]
    gold, *systems = named("shared_task", "gold.conll", "greedy.conll", "hasty.conll", "careful.conll")
    labels = ["EVENT", "ORGANISATION", "PERSON", "PLACE", "WORK"]
    kinds = ["wrong extent", "wrong label", "missing", "spurious", "wrong label and extent"]
    texts = [str(EXAMPLES / "text" / name) for name in ("gold.jsonl", "answers.jsonl")]
    utf = ("--offset-unit", "utf-16")
    require([Path(path).stem for path in systems], "score", gold, *systems, "--measure", "span_f")
    require([*kinds, *labels], "errors", gold, *systems[:2])
    simulated = ["mean f1 of pairs", "mean kappa of pairs", "alpha"]
    require([*people, *simulated], "agree", *team, *utf, "--simulations", "5")
    require(["label", "extent", "split", "missing", "all places"], "agree", *team, *utf, "--disagreements")
    require(people, "agree", *team, *utf, "--leave-one-out")
    require([*people, "annotators"], "score", *team[:2], team[2], *utf, "--references", "2", "--measure", "span_f")
    require([*people, "1 of 3"], "consensus", *team, *utf, "-o", f"all-{width}.jsonl")
    require(["conlleval", "discard", "convert", "best", "worst"], "spread", gold, systems[0])
    require(["strict", "spacy-llm-first", "lettucedetect", "overlap"], "spread", "--answers", *texts)


def test_no_color(file):
    # in a process of its own: Rich looks at more of its surroundings than these variables
    path = file("gold.conll", "Ada B-PER\n")
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TTY_COMPATIBLE")}
    environment = {**kept, "FORCE_COLOR": "1", "TERM": "xterm-256color"}

    def written(*options):
        command = [sys.executable, "-m", "spanometer", "score", path, path, *options]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    assert "\x1b[" in written()
    assert "\x1b[" not in written("--no-color")


def test_closed_standard_output(file):
    path = file("gold.conll", "Ada B-PER\n")
    command = [sys.executable, "-m", "spanometer", "score", path, path]
    closed = subprocess.run(command, preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE, text=True, timeout=60)
    assert (closed.returncode, closed.stderr.count("\n")) == (2, 1)
    assert "standard output is closed" in closed.stderr
    with open(os.devnull) as unwritable:
        refused = subprocess.run(command, stdout=unwritable, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "bad file descriptor" in refused.stderr
