"""The figures of the documentation about answers of language models, made by its commands."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "grounding.md").read_text("utf-8").replace("\\\n", "")
COMMANDS = {
    name: next(line for line in DOCS.splitlines() if line.startswith("spanometer score") and file in line)
    for name, file in {"museum": "museo_egizio", "memoirs": "dses_french", "doping": "nerre_doping"}.items()
}


def columns_of(text, head):
    """The figures of a table by its first column, and the heads of the others."""
    rows = text[text.index(head) :].split("\n\n")[0].splitlines()
    names, _, *cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return {(row[0], name): row[place] for row in cells for place, name in enumerate(names) if name in COMMANDS}


SPANS = columns_of(DOCS, "| policy | museum | memoirs |\n")
STRINGS = columns_of(DOCS, "| policy | museum | memoirs | doping |")


@pytest.mark.parametrize(("row", "name"), [*SPANS, *STRINGS], ids=str)
def test_tables(data, scores, row, name):
    _, command, file, *options = shlex.split(COMMANDS[name])
    (policy,) = re.findall("`([^`]+)`", row)
    options[options.index("--grounding") + 1] = policy
    options += ["--offsets", "trust"] if "trusted" in row else []
    if (row, name) in STRINGS:
        options = [option for option in options if option not in ("--measures", "span_f")]
    (result,) = scores(command, data / "generated" / file, *options)["measures"].values()
    assert f"{result['scores']['f1']:.3f}" == {**SPANS, **STRINGS}[row, name]


def test_the_card_has_the_same_figures():
    card = (ROOT / "metrics" / "mention_f" / "README.md").read_text("utf-8")
    policies = {"GoLLIE": "gollie", "UniversalNER": "universalner", "lm-eval": "lm-eval", "InstructUIE": "instructuie"}
    for (rules, name), figure in columns_of(card, "| rules | `fold`").items():
        assert figure == STRINGS[f"`{policies.get(rules, rules.lower())}`", name]
