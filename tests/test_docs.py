"""The documentation: its commands and its Python do what the pages show."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from spanometer.commands.main import main

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "annotation_leads.md": "doccano",
    "tutorials/shared_task.md": "shared_task",
    "tutorials/attributes.md": "attributes",
    "tutorials/text.md": "text",
}
"""The folder of examples in which a page's commands and its Python run, of pages that have one."""

PAGES = {str(path.relative_to(ROOT / "docs")): path.read_text(encoding="utf-8") for path in ROOT.glob("docs/**/*.md")}
COMMANDS = [
    pytest.param(page, *found.groups(), id=f"{page} {place}")
    for page, text in PAGES.items()
    for place, found in enumerate(
        re.finditer(r"^```console\n\$ spanometer ([^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    )
]
EXAMPLES = [page for page, text in PAGES.items() if ">>> " in text]


@pytest.mark.parametrize(("page", "command", "screen"), COMMANDS)
def test_commands(page, command, screen, monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "examples" / FOLDERS[page])
    main(shlex.split(command))
    output, error = capsys.readouterr()
    found, expected = ("\n".join(map(str.rstrip, text.splitlines())) + "\n" for text in (output + error, screen))
    assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), found


@pytest.mark.parametrize("page", EXAMPLES)
def test_python(page, monkeypatch):
    monkeypatch.chdir(ROOT / "examples" / FOLDERS.get(page, ""))
    result = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert result.failed == 0


def test_pages_with_commands_have_a_folder():
    assert {command.values[0] for command in COMMANDS} == set(FOLDERS)
