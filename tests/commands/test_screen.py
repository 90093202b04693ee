"""Tables on terminals."""

import io
import re

import pytest

from spanometer.analysis.results import Report
from spanometer.commands.screen import page, show
from spanometer.commands.tables import Copyable, label_tables, score_tables
from spanometer.measures import MEASURES
from spanometer.spans.spans import Spans


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
    assert output.count(label) == 0 or width > 120
    folded = re.sub(r"\s|─", "", "".join(line[: max(12, width - 50)] for line in output.splitlines()))
    assert "label-label-" in folded
    assert max(map(len, (line for line in output.splitlines() if "|" not in line))) <= max(width, 64)


def test_no_color(run, file, monkeypatch):
    path = file("gold.conll", "Ada B-PER\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in run("score", path, path)[1]
    assert "\x1b[" not in run("score", path, path, "--no-color")[1]
