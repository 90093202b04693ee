"""The example of EDS-NLP's documentation of span attribute metrics."""

from __future__ import annotations

from spanometer.measures.span_attribute import SpanAttribute
from spanometer.spans.attributes import Attributes

from .inputs import Inputs
from .published import published_rows
from .tables import Cell, Table

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


def table(inputs: Inputs) -> tuple[Table, ...]:
    """Score the example under each average precision."""
    sides = [Attributes.from_dicts([side]) for side in (REFERENCE, PREDICTED)]
    results = {}
    for column, option in AVERAGE_PRECISIONS.items():
        measure = SpanAttribute(
            attributes={"neg": True, "carrier": ["DIS"]}, default_values={"neg": False}, average_precision=option
        )
        results[column] = measure.score(measure.counts(*sides))
    first = next(iter(results.values()))
    cells = []
    for row in published_rows("span_attribute"):
        name = row["attribute"]
        cells += [Cell(name, key, float(row[key]), first[name][key], digits=2) for key in _SHARES]
        cells += [Cell(name, key, int(row[key]), first[name][key]) for key in _NUMBERS]
        cells += [
            Cell(
                name,
                f"ap, {option}",
                float(row[column]),
                results[column][name]["ap"],
                digits=3 if option == "ties" else 2,
            )
            for column, option in AVERAGE_PRECISIONS.items()
        ]
    notes = (
        "Printed are the values of releases 0.17.2 to 0.20.0, edsnlp-0.20 here. The column edsnlp has what releases "
        "from 0.21.0 on give on the same input; ties has scikit-learn's average precision.",
    )
    title = "Example of attribute metrics"
    return (Table("span_attribute", title, SOURCE, tuple(cells), notes),)
