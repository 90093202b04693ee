"""docs/annotation_leads.md: its commands and its Python do what the page shows."""

import doctest
import re
from pathlib import Path

import pytest

from spanometer.commands.main import main

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "annotation_leads.md"
EXAMPLES = ROOT / "examples" / "doccano"
BLOCKS = re.findall(r"```console\n\$ spanometer ([^\n]*)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("command", "screen"), BLOCKS, ids=[f"command {place}" for place in range(len(BLOCKS))])
def test_commands(command, screen, monkeypatch, capsys):
    monkeypatch.chdir(EXAMPLES)
    main(command.split())
    output, error = capsys.readouterr()
    found, expected = ("\n".join(map(str.rstrip, text.splitlines())) + "\n" for text in (output + error, screen))
    assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), found


def test_there_are_commands():
    assert len(BLOCKS) >= 5


def test_python(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 4
    assert result.failed == 0
