"""Completion in the shell by argcomplete, which runs the command with the line so far in its environment."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("argcomplete")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("spanometer sco", {"score"}),
        ("spanometer score --n-resam", {"--n-resamples"}),
        ("spanometer score gold.conll system.conll --repair conll", {"conlleval"}),
        ("spanometer nothing --", {"--version"}),
    ],
)
def test_what_the_shell_offers(line, offered, tmp_path):
    offers = tmp_path / "offers"
    settings = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(offers), "_ARGCOMPLETE_IFS": "\n"}
    settings |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    subprocess.run([sys.executable, "-m", "spanometer"], env={**os.environ, **settings}, cwd=tmp_path, check=True)
    assert {word.strip() for word in offers.read_text().split("\n") if word} >= offered
