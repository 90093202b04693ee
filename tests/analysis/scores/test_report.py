"""Reports: the results of several measures."""

import json
import math

import pytest

from spanometer.analysis.scores.report import Report
from spanometer.measures import SlIcm, SpanF, aligned
from spanometer.spans.spans import Spans


@pytest.fixture
def scores(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run("score", *arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call


def test_report_counts_over_one_alignment(monkeypatch):
    spans = Spans.from_tags([["B-X", "O"]])
    built = []
    original = aligned.Alignment

    def alignment(*sides):
        built.append(sides)
        return original(*sides)

    monkeypatch.setattr(aligned, "Alignment", alignment)
    report = Report.of(spans, spans, [SpanF(), SlIcm()], {"scheme": "IOB2", "repair": "discard"})
    assert len(built) == 1
    assert report.size == "1 document, 2 tokens, 1 reference span, 1 predicted span"
    assert report.results[0].signature.startswith("span_f|scheme:IOB2|repair:discard|")
    assert math.isclose(report.results[1].scores["sl_icm_norm"], 1.0)


def test_report_without_lengths():
    spans = Spans.from_dicts([[{"start": 0, "end": 2, "label": "X"}]])
    report = Report.of(spans, spans, [SpanF()], {"input": "spans"})
    assert report.tokens is None
    assert report.size == "1 document, 1 reference span, 1 predicted span"
    json.dumps(report.to_dict(per_label=True), allow_nan=False)
