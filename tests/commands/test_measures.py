"""The options of measures on the command line: they follow from the measures, also from one that is registered here."""

from typing import ClassVar

import pytest

from spanometer.measures.registry import register, unregister
from spanometer.measures.span_f import SpanF
from spanometer.options import option

TAGS = "Ada B-PER\nLovelace I-PER\n\nRome B-LOC\n"


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
        assert "toy: invalid value for `its_option`: " in said and "Use a whole number from 1 to 9." in said
    said = complaint("score", path, path, "--measures", "span_f(its_option=3)")
    assert "span_f has no option 'its_option'." in said


def test_options_that_all_measures_share(run, file):
    path = file("a.conll", TAGS)
    output = run("score", path, path, "--measures", "span_f,link_f(average=micro)", "--average", "macro")[1]
    assert "\nspan_f|average:macro\nlink_f|average:micro\n" in output
