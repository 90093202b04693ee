"""Help by layers: short first pages, every option on a page, and hints that work."""

import argparse

import pytest

from spanometer.commands import COMMANDS
from spanometer.commands.help import FIRST_PAGE, topics
from spanometer.commands.main import _parser


@pytest.fixture(scope="module")
def parsers():
    choices = _parser()._subparsers._group_actions[0].choices
    for parser in choices.values():
        parser.load()
    return choices


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_a_page(run, parsers, command):
    first, whole = (run(command, *words)[1].splitlines() for words in (["-h"], ["--help", "all"]))
    assert len(first) <= FIRST_PAGE
    assert max(map(len, first + whole)) <= 80
    pages = "".join([*first, *(run(command, "--help", topic)[1] for topic in topics(parsers[command]))])
    shown = [action for action in parsers[command]._actions if action.help != argparse.SUPPRESS]
    flags = {flag for action in shown for flag in action.option_strings}
    assert {flag for flag in flags if flag not in pages or flag not in "".join(whole)} == set()
