"""docs/coming_from.md: what it calls ours is there, and what the other tools have is named."""

import inspect
import re
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest
import seqeval.metrics
import sklearn.metrics

import spanometer
from spanometer.analysis.scores.score import score
from spanometer.commands import COMMANDS
from spanometer.measures.registry import ALL_MEASURES
from spanometer.options import _COUNTERPARTS, options_of

PAGE = (Path(__file__).parents[1] / "docs" / "coming_from.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
    for line in PAGE.splitlines()
    if line.startswith("| ")
]
CODES = [code for row in ROWS for cell in row[1:] for code in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(scope="module")
def flags():
    """The options of all commands."""
    from spanometer.commands.main import _parser

    parser = _parser()
    found = set()
    for name in COMMANDS:
        command = parser._subparsers._group_actions[0].choices[name]
        with suppress(SystemExit):
            command.parse_known_args([])
        found |= {flag for action in command._actions for flag in action.option_strings}
    return found


def test_options_of_the_command_line_are_there(flags, capsys):
    named = {flag for code in CODES for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)}
    assert len(named) > 15
    assert named <= flags


def test_options_in_python_are_there():
    named = {name for code in CODES for name in re.findall(r"\b([a-z_0-9]+)=(?!=)", code)}
    known = {*inspect.signature(score).parameters, "details", "average"}
    known |= {name for measure in ALL_MEASURES.values() for name in options_of(measure)}
    assert {"scheme", "repair", "zero_division", "match_labels"} <= named
    assert named <= known


def test_commands_and_measures_are_there():
    assert {word for code in CODES for word in re.findall(r"\bspanometer (\w+)", code)} <= set(COMMANDS)
    words = {code for code in CODES if re.fullmatch(r"[a-z]+(_[a-z0-9]+)*_f1?", code)}
    assert {"span_f", "token_f", "intersection_f", "chance_kappa_f1"} <= words
    assert words <= set(ALL_MEASURES)


@pytest.mark.parametrize("module", [seqeval.metrics, sklearn.metrics])
def test_every_option_of_the_functions_is_named(module):
    names = ["f1_score", "classification_report", "accuracy_score", "precision_score"]
    names += ["precision_recall_fscore_support"] if module is sklearn.metrics else ["performance_measure"]
    options = chain.from_iterable(inspect.signature(getattr(module, name)).parameters for name in names)
    missing = {name for name in options if not re.search(rf"`[^`]*\b{name}\b[^`]*`", PAGE)}
    assert not missing


def test_every_option_that_errors_know_is_named():
    for name in _COUNTERPARTS:
        assert re.search(rf"\b{name}\b|--{name.replace('_', '-')}\b", PAGE), name


def test_errors_know_the_options():
    tags = [["B-A"]]
    for name in ("mode", "suffix", "sample_weight", "y_true", "loader"):
        for call in (
            lambda option: spanometer.score(tags, tags, **option),
            lambda option: spanometer.load("span_f").compute(references=tags, predictions=tags, **option),
        ):
            with pytest.raises(spanometer.InputError, match=f"(span_f|score) has no option '{name}'") as caught:
                call({name: 1})
            assert "Did you mean" not in str(caught.value)
            assert "Its options are" not in str(caught.value)


def test_averages_that_are_named_alike_are_alike():
    true, predicted = [["B-A", "I-A", "B-B", "O"]], [["B-A", "O", "B-B", "B-C"]]
    for average in ("micro", "macro", "weighted"):
        found = spanometer.score(true, predicted, average=average).measures["span_f"].scores["f1"]
        assert found == seqeval.metrics.f1_score(true, predicted, average=average, zero_division=0)
