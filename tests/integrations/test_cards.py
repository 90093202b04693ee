"""The metric modules' texts: examples run, cards are complete, tables of inputs say what the signatures say."""

import ast
import doctest
import inspect
import re
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import yaml

from spanometer.integrations.attribute_module import AttributeModule
from spanometer.integrations.entity_module import EntityModule
from spanometer.integrations.mention_module import MentionModule
from spanometer.integrations.seqeval_module import SeqevalModule
from spanometer.integrations.span_module import SpanModule
from spanometer.measures import MEASURES
from tools.hub.cards import module_class, with_tables

METRICS = Path(__file__).parents[2] / "metrics"
NAMES = sorted(script.stem for script in METRICS.glob("*/*.py") if script.stem == script.parent.name)

FRONT_MATTER = {
    "title": str,
    "emoji": str,
    "colorFrom": str,
    "colorTo": str,
    "sdk": str,
    "sdk_version": str,
    "python_version": str,
    "app_file": str,
    "pinned": bool,
    "license": str,
    "tags": list,
    "description": str,
}
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
HEADINGS = [
    "## What it measures",
    "## How to use",
    "### Inputs",
    "### Outputs",
    "### Published values",
    "### Examples",
    "## Limits",
    "## Citation",
]
BASES = {
    **dict.fromkeys(MEASURES, SpanModule),
    "eter": EntityModule,
    "span_attribute": AttributeModule,
    "mention_f": MentionModule,
    "seqeval": SeqevalModule,
}
DATA = ("predictions", "references")

each_module = pytest.mark.parametrize("name", NAMES)


@cache
def class_of(name):
    return module_class(name)


def card_of(name):
    """Front matter and text of the card."""
    _, front, text = (METRICS / name / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), text


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def section_of(text, heading):
    """The text between a heading and the next one."""
    _, _, after = text.partition(f"\n{heading}\n")
    return re.split(r"^#+ ", after, maxsplit=1, flags=re.MULTILINE)[0]


def rows_of(text, heading):
    """The rows of the table in a section, without its head: lists of cells."""
    lines = [line for line in section_of(text, heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def inputs_of(text):
    """The options that the table of inputs names, in its order, with their defaults as it writes them."""
    return {
        name: default.strip("`")
        for names, _, default, _ in rows_of(text, "### Inputs")
        for name in re.findall(r"`(\w+)`", names)
    }


def signature_of(name):
    return inspect.signature(class_of(name)._compute).parameters


def run_examples(test):
    assert test.examples
    # the output of the run is the message of a failure
    report = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


def test_there_are_modules():
    assert set(BASES) == set(NAMES)


@each_module
def test_examples_of_the_script(name):
    text = class_of(name).__doc__
    assert class_of(name)(config_name="default").inputs_description in text
    run_examples(doctest.DocTestParser().get_doctest(text, {}, name, f"{name}.py", 0))


@each_module
def test_examples_of_the_card(name):
    path = METRICS / name / "README.md"
    text = path.read_text(encoding="utf-8")
    run_examples(doctest.DocTestParser().get_doctest(text, {}, f"{name}/README.md", str(path), 0))


@each_module
def test_python_blocks_end_with_an_empty_line(name):
    for block in re.findall(r"^```python\n(.*?)^```$", card_of(name)[1], flags=re.MULTILINE | re.DOTALL):
        assert ">>> " in block
        assert block.endswith("\n\n")


@each_module
def test_front_matter(name):
    front, _ = card_of(name)
    assert {field: type(value) for field, value in front.items()} == FRONT_MATTER
    assert all(front[field] for field in FRONT_MATTER if field != "pinned")
    assert {front["colorFrom"], front["colorTo"]} <= COLORS
    assert (front["sdk"], front["app_file"], front["license"]) == ("gradio", "app.py", "apache-2.0")
    assert {"evaluate", "metric"} <= set(front["tags"])


@each_module
def test_headings(name):
    front, text = card_of(name)
    headings = re.findall(r"^#+ .*$", without_code(text), flags=re.MULTILINE)
    assert headings == [f"# Metric card: {front['title']}", *HEADINGS]
    assert "**When to choose it.**" in section_of(text, "## What it measures")
    for heading in HEADINGS:
        if heading != "## How to use":
            assert section_of(text, heading).strip()


@each_module
def test_examples_name_their_kind(name):
    examples = section_of(card_of(name)[1], "### Examples")
    for kind in ("maximal", "minimal", "partial"):
        assert kind in examples


@each_module
def test_class_is_named_after_the_folder(name):
    module = class_of(name)
    assert re.sub(r"(?<!^)(?=[A-Z])", "_", module.__name__).lower() == name
    assert issubclass(module, BASES[name])
    assert not inspect.isabstract(module)
    assert module.measure.name == name


@each_module
def test_script_is_short_and_imports_its_own_measure(name):
    lines = (METRICS / name / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 120
    imports = [line for line in lines if re.match(r"(import|from)\s", line)]
    kind = BASES[name].__name__
    assert imports == [
        f"from spanometer.integrations.{kind.removesuffix('Module').lower()}_module import "
        f"{', '.join(sorted(('Card', kind)))}",
        f"from spanometer.measures.{name} import {class_of(name).__name__} as Measure",
    ]


@each_module
def test_texts_reach_the_framework(name):
    module = class_of(name)(config_name="default")
    assert all(text.strip() for text in (module.description, module.inputs_description, module.citation))
    # a card has room for lines of their own
    citation = section_of(card_of(name)[1], "## Citation").strip()
    assert "".join(citation.split()) == "".join(f"```bibtex{module.citation}```".split())


@each_module
def test_options_are_keyword_only(name):
    kinds = {option: parameter.kind for option, parameter in signature_of(name).items() if option != "self"}
    assert [option for option, kind in kinds.items() if kind == inspect.Parameter.POSITIONAL_OR_KEYWORD] == list(DATA)
    assert {kind for option, kind in kinds.items() if option not in DATA} == {inspect.Parameter.KEYWORD_ONLY}


@each_module
def test_inputs_are_those_of_the_signature(name):
    expected = {
        option: "required" if parameter.default is inspect.Parameter.empty else parameter.default
        for option, parameter in signature_of(name).items()
        if option != "self"
    }
    for given in inputs_of(card_of(name)[1]), arguments_of(name):
        assert list(given) == list(expected)
    read = {
        option: cell if option in DATA else ast.literal_eval(cell)
        for option, cell in inputs_of(card_of(name)[1]).items()
    }
    assert {option: (type(value), value) for option, value in read.items()} == {
        option: (type(value), value) for option, value in expected.items()
    }


def arguments_of(name, heading="Args:"):
    """The entries under a heading of the documentation of `compute`, with their texts."""
    part = re.search(rf"^{heading}.*?$(.*?)^\S", class_of(name).__doc__, flags=re.MULTILINE | re.DOTALL)[1]
    entries = re.findall(r"^    (\w+) \(.*?\): (.*?)(?=^    \S|\Z)", part, flags=re.MULTILINE | re.DOTALL)
    return {entry: " ".join(text.split()) for entry, text in entries}


@each_module
def test_annotations(name):
    for option, parameter in signature_of(name).items():
        if option not in ("self", *DATA):
            assert parameter.annotation is not inspect.Parameter.empty
            assert not isinstance(parameter.annotation, str)


@each_module
def test_tables_of_the_card_are_those_of_the_module(name):
    """Write them with `python -m tools.hub cards`."""
    card = (METRICS / name / "README.md").read_text(encoding="utf-8")
    assert card.count(": python -m tools.hub cards -->") == 2
    assert with_tables(card, class_of(name)) == card


@each_module
def test_outputs_are_the_headline_keys(name):
    keys = list(class_of(name).measure.keys)
    rows = rows_of(card_of(name)[1], "### Outputs")
    assert [key for row in rows for key in re.findall(r"`(\w+)`", row[0])] == keys
    assert list(arguments_of(name, "Returns")) == keys


@each_module
def test_texts_say_which_direction_is_better(name):
    """The headline's row of the card's table, and the documentation."""
    measure = class_of(name).measure
    better = "higher" if measure.higher_is_better else "lower"
    (row,) = (row for row in rows_of(card_of(name)[1], "### Outputs") if row[0] == f"`{measure.headline}`")
    assert row[-1] == better
    assert arguments_of(name, "Returns")[measure.headline].endswith(f"{better} is better.")


@each_module
def test_options_reach_the_measure(name):
    """The defaults of the module's signature are those of the measure."""
    options = signature_of(name)
    measure = class_of(name).measure()
    own = {field.name: getattr(measure, field.name) for field in fields(measure) if field.init}
    assert set(own) <= set(options)
    assert own == {field: options[field].default for field in own}
