"""Intervals over few documents: labels that drawn corpora lack, marks of unreliable intervals, and notes."""

import numpy as np
import pytest

import spanometer
from spanometer import Spans
from spanometer.counts.statistics import Resampling
from spanometer.measures import SpanF

PER, RARE = {"start": 0, "end": 1, "label": "PER"}, {"start": 2, "end": 3, "label": "RARE"}


def sides(documents, rare, found):
    """Both sides of documents with PER. The first ones have RARE too, and the first of these are found."""
    references = [[PER, RARE] if number < rare else [PER] for number in range(documents)]
    predictions = [[PER, RARE] if number < found else [PER] for number in range(documents)]
    return references, predictions


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_draws_without_the_label_are_left_out(method):
    intervals = {}
    for found in (2, 1):
        report = spanometer.score(*sides(30, 2, found), measures=["span_f"], confidence=0.9, interval_method=method)
        intervals[found] = report["span_f"].label_intervals["RARE"]["f1"]
    # before, 0 of the corpora without it
    assert intervals[2] == (1.0, 1.0)
    assert intervals[1] == (0.0, 1.0)
    drawn = np.concatenate(list(Resampling().weights(30)))
    with_label = drawn[drawn[:, :2].any(axis=1), :2]
    recall = with_label[:, 0] / with_label.sum(axis=1)
    low, high = spanometer.score(*sides(30, 2, 1), measures=["span_f"], confidence=0.5, interval_method="percentile")[
        "span_f"
    ].label_intervals["RARE"]["recall"]
    assert (low, high) == tuple(np.quantile(recall, [0.25, 0.75]))


def test_mean_over_documents():
    """Sums for the mean over documents are of no label."""
    measure = SpanF(average="documents")
    counts = measure.counts(*(Spans.from_dicts(side, lengths=[3] * 30) for side in sides(30, 2, 2)))
    assert measure.label_intervals(counts, Resampling())["RARE"]["f1"] == (1.0, 1.0)


@pytest.mark.parametrize(("rare", "marked"), [(9, True), (10, False)])
def test_marks(rare, marked):
    references, predictions = sides(40, rare, rare - 1)
    report = spanometer.score(references, predictions, measures=["span_f"], confidence=0.95)
    agreed = spanometer.agreement([references, predictions], lengths=[3] * 40, confidence=0.95)
    compared = spanometer.compare(references, {"a": predictions, "b": references}, per_label=True)
    for text in (
        ("\n".join(map(str, map(_text, (report.parts(per_label=True), agreed.parts(per_label=True)))))),
        str(compared),
    ):
        assert ("?: fewer than 10 documents have the label" in text) == marked
    assert report.to_dict(per_label=True)["measures"]["span_f"]["per_label"]["RARE"]["documents"] == rare
    assert agreed.to_dict()["per_label"]["RARE"]["documents"] == rare
    assert compared.to_dict()["measures"]["span_f"]["per_label"]["RARE"]["documents"] == rare


def _text(parts):
    from spanometer.tables.screen import text_of

    return text_of(parts)


def test_agreement_over_draws_with_the_label():
    references, predictions = sides(30, 2, 2)
    of_label = spanometer.agreement([references, predictions], lengths=[3] * 30, confidence=0.9).per_label["RARE"]
    assert of_label.interval("mean_f1") == of_label.interval("alpha") == (1.0, 1.0)


@pytest.mark.parametrize(("documents", "noted"), [(19, True), (20, False)])
def test_notes(documents, noted):
    references, predictions = sides(documents, 12, 11)
    report = spanometer.score(references, predictions, measures=["span_f"], confidence=0.95)
    compared = spanometer.compare(references, {"a": predictions, "b": references})
    agreed = spanometer.agreement([references, predictions], lengths=[3] * documents, confidence=0.95)
    for text in (str(report), str(compared), str(agreed)):
        assert ("Intervals over 19 documents are too narrow" in text) == noted
    assert len(report.notes) == noted
    assert "notes" not in spanometer.score(references, predictions, measures=["span_f"]).to_dict()


def test_the_table_has_the_randomisation_test_alone():
    references, predictions = sides(12, 6, 3)
    compared = spanometer.compare(references, {"a": predictions, "b": references})
    assert "bootstrap" not in str(compared.tables()) + str(compared).partition("span_f|")[0]
    described = compared.to_dict()
    assert "p_bootstrap" in described["measures"]["span_f"]["pairs"][0]
    assert any(note.startswith("p_bootstrap is too small with few documents") for note in described["notes"])
