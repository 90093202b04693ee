"""The example of EDS-NLP's documentation of span attribute metrics."""

from __future__ import annotations

from collections.abc import Iterator

from spanometer.measures.span_attribute import SpanAttribute
from spanometer.spans.attributes import Attributes

from .inputs import Inputs
from .published import published_rows
from .tables import Cell, Experiment

SOURCE = "EDS-NLP, documentation"

PREDICTED = [
    {"start": 0, "end": 1, "label": "SYMP", "attributes": {"neg": True}},
    {"start": 1, "end": 3, "label": "DIS", "attributes": {"neg": False, "carrier": "PATIENT"}},
    {"start": 3, "end": 4, "label": "DIS", "attributes": {"neg": True, "carrier": "PATIENT"}},
]
REFERENCE = [
    {"start": 0, "end": 1, "label": "SYMP", "attributes": {"neg": True}},
    {"start": 1, "end": 3, "label": "DIS", "attributes": {"neg": False, "carrier": "FATHER"}},
    {"start": 3, "end": 4, "label": "DIS", "attributes": {"neg": False, "carrier": "PATIENT"}},
]
"""The symptom 'fièvreux' and the diseases 'du diabète' and 'cancer'."""

AVERAGE_PRECISIONS = {"ap_0.20": "edsnlp-0.20", "ap_0.21": "edsnlp", "ap_ties": "ties"}
"""The three columns of average precision, and the option that gives each."""

_SHARES = ("f", "p", "r")
_NUMBERS = ("tp", "support", "positives")


def _cells(inputs: Inputs) -> Iterator[Cell | str]:
    """Score the example under each average precision."""
    sides = [Attributes.from_dicts([side]) for side in (REFERENCE, PREDICTED)]
    results = {}
    for column, option in AVERAGE_PRECISIONS.items():
        measure = SpanAttribute(
            attributes={"neg": True, "carrier": ["DIS"]}, default_values={"neg": False}, average_precision=option
        )
        results[column] = measure.score(measure.counts(*sides))
    first = next(iter(results.values()))
    for row in published_rows("span_attribute"):
        name = row["attribute"]
        yield from (Cell(name, key, float(row[key]), first[name][key], digits=2) for key in _SHARES)
        yield from (Cell(name, key, int(row[key]), first[name][key]) for key in _NUMBERS)
        for column, option in AVERAGE_PRECISIONS.items():
            digits = 3 if option == "ties" else 2
            yield Cell(name, f"ap, {option}", float(row[column]), results[column][name]["ap"], digits=digits)
    yield (
        "Printed are the values of releases 0.17.2 to 0.20.0, edsnlp-0.20 here. The column edsnlp has what releases "
        "from 0.21.0 on give on the same input; ties has scikit-learn's average precision."
    )


TABLES = {"span_attribute": (Experiment("span_attribute", "Example of attribute metrics", SOURCE, _cells),)}
