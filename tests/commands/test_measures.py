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
    status, output, _ = run("score", path, path, "--measures", "toy(its_option=3),toy")
    assert status == 0
    assert "\ntoy|its_option:3\ntoy|its_option:2\n" in output and "\ntoy(its_option=2) " in output
    assert "\ntoy|its_option:2\n" in run("score", path, path)[1]
    assert "its_option how often to look (default: 2)" in " ".join(run("help", "toy")[1].split())
    for value in ("0", "x"):
        said = complaint("score", path, path, "--measures", f"toy(its_option={value})")
        assert "toy: invalid value for its_option: " in said and "Use a whole number from 1 to 9." in said
    said = complaint("score", path, path, "--measures", "span_f(its_option=3)")
    assert "span_f has no option 'its_option'." in said


def test_options_of_partly_right_spans(run, file):
    gold, system = (file(name, f"a B-PER\nb {tag}\nc B-LOC\n") for name, tag in (("gold", "I-PER"), ("system", "O")))
    measures = "fair_f(weights=BE=1/0/0, focus=system), semeval_f(schema=strict,alignment=nervaluate,min_overlap=0.01)"
    status, output, _ = run("score", gold, system, "--measures", measures)
    assert status == 0
    rows = dict(line.split(maxsplit=1) for line in output.splitlines() if line.startswith(("fair_f ", "semeval_f ")))
    assert rows["fair_f"].split() == ["1.0000"] * 3
    assert rows["semeval_f"].split() == ["0.5000"] * 3
    assert "|weights:BES=1/0/0,BEL=1/0/0,BEO=1/0/0|focus:system\n" in output
    assert "|schema:strict|alignment:nervaluate|min_overlap:0.01\n" in output
    status, _, complaint = run("score", gold, system, "--measures", "fair_f(weights=LE=1)")
    assert status == 2
    assert "fair_f: invalid value for weights: 'LE=1'. Use 'fair', 'weighted', or the true positives" in complaint


def test_options_that_all_measures_share(run, complaint, file):
    path = file("a.conll", TAGS)
    output = run("score", path, path, "--measures", "span_f,link_f(average=micro)", "--average", "macro")[1]
    assert "\nspan_f|average:macro\nlink_f|average:micro\n" in output
    assert "invalid value for --average: 'most'." in complaint("score", path, path, "--average", "most")
