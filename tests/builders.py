"""Spans and entities written shortly, for tests that are counted by hand."""

from types import SimpleNamespace

from spanometer import Spans
from spanometer.documents.sides import files_together


def span_dicts(text):
    """The spans of a document written as `0-2:A 3-4:B`, or as `-` if it has none."""
    rows = []
    for span in text.split() if text.strip() != "-" else ():
        bounds, label = span.split(":")
        start, end = map(int, bounds.split("-"))
        rows.append({"start": start, "end": end, "label": label})
    return rows


def spans(*documents, lengths=None):
    """The spans of documents, each written as `0-2:A 3-4:B`."""
    return Spans.from_dicts([span_dicts(document) for document in documents], lengths=lengths)


def entity(start, end, types, *components):
    """An entity; its types in one string (`a b` or `a+b`), its components as (start, end, label)."""
    return {
        "start": start,
        "end": end,
        "types": types.replace("+", " ").split(),
        "components": [{"start": first, "end": last, "label": label} for first, last, label in components],
    }


def pair(references, predictions, pairing=None):
    """Two files after pairing, with the spans of each side as an attribute."""
    read = files_together({"references": references, "predictions": predictions}, pairing)
    choices = {name: value for name, value in read.reading.items() if name != "input"}
    return SimpleNamespace(**read._asdict(), **read.spans, choices=choices, size=read.answered_size)
