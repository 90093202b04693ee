"""The registry: measures by name, without a list of them, and those that are registered at run time."""

import os
import subprocess
import sys
from typing import ClassVar

import pytest

import spanometer.measures
from spanometer import InputError, Spans
from spanometer.analysis.scores.report import Report
from spanometer.analysis.scores.streams import partial_counts, sum_counts
from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.link_f import LinkF
from spanometer.measures.registry import ALL_MEASURES, MEASURES, TREE_MEASURES, read_measures, register, unregister
from spanometer.measures.span_f import SpanF
from spanometer.options import option
from spanometer.space.forms import page_of

TAGS = [["B-A", "O"], ["B-B"]]


class ToyF(SpanF):
    """Span F1 of some labels."""

    only: str = option("A", help="the label that counts", kind=str, label="Label")

    name: ClassVar[str] = "toy_f"


@pytest.fixture
def toy():
    register(ToyF)
    yield ToyF
    unregister("toy_f")


def test_order():
    assert list(MEASURES)[:2] == ["span_f", "token_f"]
    assert list(TREE_MEASURES) == ["eter"]
    assert set(ALL_MEASURES) == {*MEASURES, "eter", "span_attribute"}
    places = [measure.place for measure in ALL_MEASURES.values()]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ALL_MEASURES)
def test_a_measure_is_a_module_of_its_name(name):
    measure = ALL_MEASURES[name]
    assert measure.__module__ == f"spanometer.measures.{name}"
    assert getattr(spanometer.measures, measure.__name__) is measure


def test_one_measure_does_not_import_the_others():
    code = (
        "import sys; from spanometer.measures import SpanF\n"
        "print(*sorted(name.rpartition('.')[2] for name in sys.modules if name.startswith('spanometer.measures.')))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["aligned", "base", "span_f"]


@pytest.mark.parametrize("name", ["Nothing", "nothing", "Base", "_private"])
def test_unknown_names(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(spanometer.measures, name)


def test_registered_measures_are_found(toy):
    assert list(MEASURES)[-1] == "toy_f"
    assert MEASURES["toy_f"] is toy
    assert "toy_f" not in TREE_MEASURES
    assert read_measures("toy_f", MEASURES) == {"toy_f": ToyF()}
    batch = {"references": TAGS, "predictions": TAGS}
    counted = sum_counts(partial_counts(batch, measures="toy_f", scheme="IOB2"))
    assert counted["toy_f"].measure == ToyF()


def test_registered_measures_and_their_options_are_everywhere(toy, run, file):
    # a report
    spans = Spans.from_tags(TAGS)
    report = Report.of(spans, spans, [ToyF(only="B")], {"input": "spans"})
    assert report.results[0].signature.startswith("toy_f|input:spans|only:B|match_labels:yes|average:micro|")
    # the command line
    path = file("a.conll", "Ada B-A\nwon O\n\nRome B-B\n")
    status, output, _ = run("score", path, path, "--measures", "toy_f(only=B)")
    assert (status, "toy_f|scheme:IOB2|repair:conlleval|only:B|" in output) == (0, True)
    # a page
    assert "Label" in [option.label for option in page_of("toy_f").options.values()]
    # a module

    class Toy(SpanModule):
        measure = ToyF
        card = Card("A toy.", "", "")

    result = Toy().compute(predictions=TAGS, references=TAGS, only="B", details=True)
    assert "|only:B|" in result["signature"]
    assert "only (str): The label that counts. Default 'A'." in Toy().inputs_description


def test_names_are_taken_once(toy):
    assert register(toy) is toy
    for name in ("toy_f", "span_f"):
        other = type("Other", (LinkF,), {"name": name})
        with pytest.raises(InputError, match=f"'{name}' already"):
            register(other)


def test_what_is_unregistered_is_gone(toy):
    unregister("toy_f")
    assert "toy_f" not in ALL_MEASURES
    register(toy)


INSTALLED = """
from spanometer.measures.span_f import SpanF

class OtherF(SpanF):
    name = "other_f"
"""


def test_measures_of_other_packages_are_found_by_their_entry_points(tmp_path):
    described = tmp_path / "other-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    entries = "[spanometer.measures]\nother_f = other_measures:OtherF\nmissing = other_measures:Missing\n"
    (described / "entry_points.txt").write_text(entries + "taken = spanometer.measures:SpanF\n")
    (tmp_path / "other_measures.py").write_text(INSTALLED)
    (tmp_path / "tags.conll").write_text("Ann B-PER\n")
    command = [sys.executable, "-m", "spanometer", "score", "tags.conll", "tags.conll", "--measures", "other_f"]
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths}
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (run.returncode, "other_f|scheme:IOB2|" in run.stdout) == (0, True)
    assert "the measure other_measures:Missing cannot be loaded" in run.stderr
    assert "the measure spanometer.measures:SpanF cannot be loaded (its name is taken" in run.stderr
