"""Tables on terminals."""

import io
import os
import re
import subprocess
import sys

import pytest

from spanometer.analysis.scores.report import Report, label_tables, score_tables
from spanometer.commands.main import main
from spanometer.measures import MEASURES
from spanometer.spans.spans import Spans
from spanometer.tables.screen import page, show
from spanometer.tables.table import Copyable, heading


@pytest.mark.parametrize("width", [20, 44, 80, 120])
def test_numbers_are_whole_on_narrow_terminals(width, monkeypatch):
    label = "label-" * 20
    spans = Spans.from_tags([[f"B-{label}", "O", "B-X"]])
    report = Report.of(spans, spans, [kind() for kind in MEASURES.values()], {"scheme": "IOB2"})
    console = page()
    console.file = io.StringIO()
    console.width = width
    show(console, *score_tables(report), *label_tables(report), Copyable(*(each.signature for each in report.results)))
    output = console.file.getvalue()
    assert "…" not in output
    assert output.count("1.0000") >= 5 * 3 * 3
    assert output.count("X") >= 3 and label[:5] in output
    assert max(map(len, (line for line in output.splitlines() if "|" not in line))) <= max(width, 29)


def test_headings_wrap_below_themselves():
    console = page(file=io.StringIO())
    console.width = 30
    show(console, *heading([("system", "a.conll, 12 spans of tokens, 3 left out"), ("size", "2")]))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines == ["system  a.conll, 12 spans of", "        tokens, 3 left out", "size    2"]


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
    assert re.search(rf"{names[1]} -\s.*{names[2]}", compared, re.DOTALL)
    assert all(
        re.search(rf"\b({head})(\W|$)", compared) for head in ("rank", "stab(ility)?", "P|precision", "corr(ected)?")
    )
    # the intervals of precision and recall go first
    assert len(re.findall(r" 1\.0000 \[\d\.\d{4}, \d\.\d{4}\]", compared)) == (6 if width == 200 else 2)
    assert len(re.findall(r"\b(yes|no|unknown)\b", lines("advise", paths[0]))) >= 7
    agreed = lines("agree", *paths)
    assert all(re.search(rf"^{name}( |$)", agreed, re.MULTILINE) for name in names)


@pytest.mark.parametrize("width", [60, 80])
def test_tables_stay_side_by_side(monkeypatch, width):
    folder = "examples/shared_task"
    paths = [f"{folder}/{name}.conll" for name in ("gold", "greedy", "hasty")]
    draws = ["--n-resamples", "50", "--n-permutations", "50"]
    compared = on_terminal(monkeypatch, width, "compare", *paths, *draws)
    number = r" +\d\.\d{4}"
    assert re.search(rf"^greedy{number}{number}{number} \[0\.\d+, 0\.\d+\] +2 +\d+\.\d%$", compared, re.MULTILINE)
    assert len(re.findall(r"^(?:greedy -|greedy - hasty) +[+-].*\]", compared, re.MULTILINE)) == 1
    errors = on_terminal(monkeypatch, width, "errors", *paths, *draws[:2])
    assert len(re.findall(r"^wrong boundary +15 .*\d$", errors, re.MULTILINE)) == 4
    assert not re.search(r"^  spans ", errors, re.MULTILINE)


def test_no_color(file):
    # in a process of its own: Rich looks at more of its surroundings than these variables
    path = file("gold.conll", "Ada B-PER\n")
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TTY_COMPATIBLE")}
    environment = {**kept, "FORCE_COLOR": "1", "TERM": "xterm-256color"}

    def written(*options, **variables):
        command = [sys.executable, "-m", "spanometer", "score", path, path, *options]
        return subprocess.run(command, capture_output=True, text=True, env=environment | variables, check=True).stdout

    assert "\x1b[" in written()
    assert "\x1b[" not in written("--no-color") + written(NO_COLOR="1")
    # an empty value is none, see no-color.org
    assert "\x1b[" in written(NO_COLOR="")


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
