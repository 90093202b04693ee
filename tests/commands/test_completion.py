"""Completion in the shell by argcomplete, which runs the command with the line so far in its environment."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("argcomplete")

ACTIONS = ("allow", "whole", "expand", "contract", "set", "multiset")
"""What a policy can do in the fourth case, for spans or for strings."""


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("spanometer sco", {"score"}),
        ("spanometer score --n-resam", {"--n-resamples"}),
        ("spanometer score gold.conll system.conll --repair conll", {"conlleval", "conlleval.pl"}),
        ("spanometer score gold.conll system.conll --repair close,op", {"close,open"}),
        ("spanometer score gold.conll system.conll --repair open,rel", {"open,relabel"}),
        ("spanometer score --scheme IOB2,", set()),
        ("spanometer score --measures sp", {"span_f", "span_attribute"}),
        ("spanometer score --measures span_f,tok", {"span_f,token_f"}),
        ('spanometer score --measures "span_f,token_f(format=BIO),sl', {"span_f,token_f(format=BIO),sl_icm"}),
        ('spanometer score --measures "semeval_f(schema=strict,to', set()),
        (
            'spanometer score --measures "semeval_f(schema=strict,min_overlap=0.1),to',
            {"semeval_f(schema=strict,min_overlap=0.1),token_f"},
        ),
        ("spanometer agree --measures ", {"chance_kappa_f1", "unitizing_alpha", "gamma"}),
        ("spanometer score --protocol hi", {"hipe2020", "hipe2022"}),
        ("spanometer score --protocol hipe2020,", set()),
        ("spanometer score --grounding st", {"strict", "strict-strings"}),
        ("spanometer score --grounding empty,keep,exact,", {f"empty,keep,exact,{action}" for action in ACTIONS}),
        ("spanometer nothing --", {"--version"}),
    ],
)
def test_what_the_shell_offers(line, offered, tmp_path):
    offers = tmp_path / "offers"
    settings = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(offers), "_ARGCOMPLETE_IFS": "\n"}
    settings |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    subprocess.run([sys.executable, "-m", "spanometer"], env={**os.environ, **settings}, cwd=tmp_path, check=True)
    words = {word.strip() for word in offers.read_text().split("\n") if word}
    assert words >= offered if line.endswith("--") else words == offered
