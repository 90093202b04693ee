"""Reports: the results of several measures."""

import json

from spanometer.analysis.scores.report import Report
from spanometer.measures import SpanF
from spanometer.spans.spans import Spans


def test_report_without_lengths():
    spans = Spans.from_dicts([[{"start": 0, "end": 2, "label": "X"}]])
    report = Report.of(spans, spans, [SpanF()], {"input": "spans"})
    assert report.tokens is None
    assert report.size == "1 document, 1 reference span, 1 predicted span"
    json.dumps(report.to_dict(per_label=True), allow_nan=False)
