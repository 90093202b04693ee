"""Spans and entities written shortly, for tests that are counted by hand."""

from spanometer import Spans


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
