"""The options of measures on the command line: they follow from the measures, also from one that is registered here."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from spanometer.measures.registry import register, unregister
from spanometer.measures.span_f import SpanF
from spanometer.options import option

TAGS = "Ada B-PER\nLovelace I-PER\n\nRome B-LOC\n"


@dataclass(frozen=True, kw_only=True)
class Toy(SpanF):
    """Span F1 with an option that does nothing."""

    its_option: int = option(2, help="how often to look", kind=int, low=1, high=9, metavar="TIMES")

    name: ClassVar[str] = "toy"


@pytest.fixture
def toy():
    register(Toy)
    yield Toy
    unregister("toy")


def test_a_measure_that_is_registered(run, complaint, file, toy):
    path = file("a.conll", TAGS)
    status, output, _ = run("score", path, path, "--measure", "toy", "--its-option", "3")
    assert status == 0
    assert "toy|scheme:IOB2|repair:conlleval|its_option:3|" in output
    assert "its_option:2|" in run("score", path, path)[1]
    assert "its_option how often to look (default: 2)" in " ".join(run("help", "toy")[1].split())
    assert complaint("score", path, path, "--its-option", "0").endswith(
        "invalid value for --its-option: 0. Use a whole number from 1 to 9."
    )
    assert "invalid value for --its-option: 'x'." in complaint("score", path, path, "--its-option", "x")
    assert "--its-option is an option of toy, which is not computed. Add toy to --measure." in complaint(
        "score", path, path, "--measure", "span_f", "--its-option", "3"
    )


def test_options_of_partly_right_spans(run, file):
    gold, system = (file(name, f"a B-PER\nb {tag}\nc B-LOC\n") for name, tag in (("gold", "I-PER"), ("system", "O")))
    options = ("--fair-weights", "BE=1/0/0", "--fair-focus", "system", "--semeval-schema", "strict")
    paired = ("--semeval-alignment", "nervaluate", "--min-overlap", "0.01")
    status, output, _ = run("score", gold, system, "--measure", "fair_f,semeval_f", *options, *paired)
    assert status == 0
    rows = dict(line.split(maxsplit=1) for line in output.splitlines() if line.startswith(("fair_f ", "semeval_f ")))
    assert rows["fair_f"].split() == ["1.0000"] * 3
    assert rows["semeval_f"].split() == ["0.5000"] * 3
    assert "|weights:BES=1/0/0,BEL=1/0/0,BEO=1/0/0|focus:system|" in output
    assert "|schema:strict|alignment:nervaluate|min_overlap:0.01|" in output
    status, _, complaint = run("score", gold, system, "--measure", "fair_f", "--fair-weights", "LE=1")
    assert status == 2
    assert "invalid value for --fair-weights: 'LE=1'. Use 'fair', 'weighted', or kinds of errors" in complaint
