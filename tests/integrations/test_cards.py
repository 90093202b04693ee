"""The metric modules' texts: examples run, cards are complete, tables of inputs say what the signatures say."""

import doctest
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from spanometer.integrations.attribute_module import AttributeModule
from spanometer.integrations.entity_module import EntityModule
from spanometer.integrations.mention_module import MentionModule
from spanometer.integrations.span_module import SeqevalModule, SpanModule
from spanometer.measures import MEASURES
from tools.hub.cards import module_class, with_tables

METRICS = Path(__file__).parents[2] / "metrics"
NAMES = sorted(script.stem for script in METRICS.glob("*/*.py") if script.stem == script.parent.name)

FRONT_MATTER = {
    **dict.fromkeys(("title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version"), str),
    **dict.fromkeys(("app_file", "license", "description"), str),
    "pinned": bool,
    "tags": list,
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
    kind = BASES[name]
    assert imports == [
        f"from {kind.__module__} import {', '.join(sorted(('Card', kind.__name__)))}",
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
def test_tables_of_the_card_are_those_of_the_module(name):
    """Write them with `python -m tools.hub cards`."""
    card = (METRICS / name / "README.md").read_text(encoding="utf-8")
    assert card.count(": python -m tools.hub cards -->") == 2
    assert with_tables(card, class_of(name)) == card


@each_module
def test_the_card_names_every_option(name):
    inputs = section_of(card_of(name)[1], "### Inputs")
    assert [option for option in signature_of(name) if option != "self" and f"`{option}`" not in inputs] == []
