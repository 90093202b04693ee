"""Help by layers: short first pages, every option on a page, and hints that work."""

import argparse
import ast
import json
import re
from itertools import chain
from pathlib import Path

import pytest

import spanometer
from spanometer.commands import COMMANDS
from spanometer.commands.main import FIRST_PAGE, _parser, topics
from spanometer.measures.registry import ALL_MEASURES, MEASURES
from spanometer.options import options_of

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z](?![a-z0-9-])")


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


def test_pages(run):
    assert run("help", "score") == run("score", "-h") == run("--help", "score")
    assert run("help", "errors", "output") == run("errors", "--help", "output")
    assert "--aliases" in run("help", "answers")[1]
    for name, measure in ALL_MEASURES.items():
        status, page, _ = run("help", name)
        assert status == 0 and page.startswith(f"{name}: ")
        assert all(f"\n  {word}" in page for word in (*measure.results, *options_of(measure)))
    assert run("help", "matched_f")[1].endswith('--measures "matched_f(credit=iou_50_95)"\n')
    commands = run("help")[1]
    assert commands.index("\nscore:") < commands.index("\nannotators:") < commands.index("\nfiles:")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "spread"])
def test_options_of_the_first_example_are_on_the_first_page(run, command):
    """Other examples, and the first of spread, show an option of a topic."""
    options, _, examples = run(command, "-h")[1].partition("\nExamples:\n")
    first = examples.partition("\n")[0]
    assert [flag for flag in FLAG.findall(first) if flag not in options] == []


WRONG = {
    # the wrong command, the words of its hint, and the command that follows it
    "scor G S": ("score", "score G S"),
    "evaluate G S": ("spanometer score", "score G S"),
    "score G S --metrics span_f": ("--measures", "score G S --measures span_f"),
    "score G S --metric span_f": ("--measures", "score G S --measures span_f"),
    "score G S --measure span_f": ("--measures", "score G S --measures span_f"),
    "score G S -m span_f": ("--measures", "score G S --measures span_f"),
    "score G S --macro": ("--average macro", "score G S --average macro"),
    "score G S --micro": ("micro", "score G S --average micro"),
    "score G S --csv": ("--table csv", "score G S --table csv"),
    "score G S --latex": ("--table latex", "score G S --table latex"),
    "score G S --by-length": ("spanometer errors --buckets", "errors G S --buckets"),
    "score G S --mode strict": ("--repair discard --scheme IOB2", "score G S --repair discard --scheme IOB2"),
    "score G S --strict": ("--repair discard --scheme IOB2", "score G S --repair discard --scheme IOB2"),
    "score G S --quiet": ("--score-only --measures span_f", "score G S --score-only --measures span_f"),
    "score G S --f1": ("--score-only --measures span_f", "score G S --score-only --measures span_f"),
    "score G S --precision 2": ("--digits", "score G S --digits 2"),
    "score G S --bio": ("--scheme IOB2", "score G S --scheme IOB2"),
    "score G S --verbose": ("--per-label", "score G S --per-label"),
    "score G S --ci": ("--confidence 0.95", "score G S --confidence 0.95"),
    "score G S --bootstrap": ("--confidence 0.95", "score G S --confidence 0.95"),
    "score G S --significance": ("spanometer compare", "compare G S S"),
    "score G S --only PER": ("--labels", "score G S --labels PER"),
    "score G S --label PER": ("--labels", "score G S --labels PER"),
    "score G S --keep-types PER": ("--labels", "score G S --labels PER"),
    "score G S --exclude LOC": ("--ignore-labels", "score G S --ignore-labels LOC"),
    "score --help-all": ("--help all", "score --help all"),
    "score --version": ("spanometer --version", "--version"),
}
WORKING = ["score G S --labels PER,LOC", "score G S --output O.csv", "validate G S G", "score G S --measures span_f"]


@pytest.mark.parametrize("line", [*WRONG, *WORKING])
def test_commands_of_newcomers(run, complaint, file, tmp_path, line):
    """Each works, or ends in a hint that works when it is followed."""
    paths = {name: file(name, "Ada B-PER\nLovelace I-PER\n\nRome B-LOC\n") for name in ("G", "S")}
    paths["O.csv"] = str(tmp_path / "O.csv")

    def words(text):
        return [paths.get(word, word) for word in text.split()]

    hint, right = WRONG.get(line, ("", line))
    if hint:
        said = complaint(*words(line))
        assert all(word in said for word in hint.split()), said
    assert run(*words(right))[0] == 0


def test_options_in_errors_exist(parsers):
    """What refusals and the source name with dashes is an option of the command, or of one that the text names."""
    flags = {name: set(parser._option_string_actions) for name, parser in parsers.items()}
    union = {"--version", *chain.from_iterable(flags.values())}
    lost = []
    lines = (Path(__file__).parents[1] / "snapshots" / "refused_command_lines.jsonl").read_text().splitlines()
    for case in map(json.loads, lines):
        commands = {*case["arguments"][:1], *re.findall(r"spanometer (\w+)", case["error"])} & set(parsers)
        known = set().union(*(flags[name] for name in commands)) if commands else union
        known = {*known, *case["arguments"]}
        lost += [(case["error"], flag) for flag in FLAG.findall(case["error"]) if flag not in known]
    for path in Path(spanometer.__file__).parent.rglob("*.py"):
        texts = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
        named = {flag for text in texts if isinstance(text, str) for flag in FLAG.findall(text)}
        lost += [(path.name, flag) for flag in named - union]
    assert lost == []


def test_defaults_are_the_same_both_ways(run, file):
    path = file("a.conll", "Ada B-PER\nLovelace I-PER\n\nRome B-LOC\n")
    tags = [["B-PER", "I-PER"], ["B-LOC"]]
    spans = [[{"start": 0, "end": 2, "label": "PER"}]]
    for arguments, options in (([], {}), (["--measures", "all"], {"measures": "all"})):
        output = json.loads(run("score", path, path, *arguments, "--json")[1])
        assert list(output["measures"]) == list(spanometer.score(tags, tags, **options).measures)
    assert list(spanometer.score(spans, spans).measures) == ["span_f", "link_f", "bcubed"]
    with pytest.warns(UserWarning, match="unitizing_alpha left out: the documents' lengths are not known"):
        measures = spanometer.score(spans, spans, measures=["all"]).measures
    without_lengths = {name for name, kind in MEASURES.items() if kind.quick} - {"unitizing_alpha", "chance_kappa_f1"}
    assert set(measures) == without_lengths
