"""Worked examples and test cases of papers and programs: ETER, EDS-NLP, FairEval, nervaluate and MPP.

The spans of ETER (ambassadeur de la Turquie en France) and of EDS-NLP (the symptom 'fièvreux' and the diseases 'du
diabète' and 'cancer') are in `data/examples.json`, reference first; the others are in the files of printed values.

The outputs behind Tables 2 to 4 of ETER are not public. The counts in Table 3 are public, so its error rates can be
checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from spanometer.alignment.fair_errors import KINDS, fair_errors
from spanometer.alignment.overlaps import Alignment
from spanometer.measures.eter import Eter
from spanometer.measures.fair_f import BOUNDARY_ERRORS, COLUMNS, FairF
from spanometer.measures.matched_f import MatchedF
from spanometer.measures.semeval_f import SemevalF
from spanometer.measures.span_attribute import SpanAttribute
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities

from .inputs import Inputs
from .published import DATA, compared, counts_of, decimals, published_rows, spans_of
from .tables import Cell

SLOTS = {"types": 5954, "components": 8627}
"""The number of the reference's slots in ETER's Table 3."""

SCHEMAS = ("strict", "exact", "partial", "ent_type")

RESPONSES = {"COR": "correct", "INC": "incorrect", "PAR": "partial", "MIS": "missing", "SPU": "spurious"}
"""The counts of `semeval_f` by their abbreviations."""

AVERAGE_PRECISIONS = {"ap_0.20": "edsnlp-0.20", "ap_0.21": "edsnlp", "ap_ties": "ties"}
"""The three columns of EDS-NLP's average precision, and the option for each."""


def _example(name: str) -> Any:
    return json.loads(DATA.joinpath("examples.json").read_text(encoding="utf-8"))[name]


def eter(inputs: Inputs) -> Iterator[Cell]:
    """Compute SER and ETER of the worked examples."""
    measure = Eter()
    scores = {
        name: measure.score(measure.counts(*(Entities.from_dicts([side]) for side in sides)))
        for name, sides in _example("eter").items()
    }
    for row in published_rows("eter_examples"):
        quantity, printed = row["quantity"], row["printed"]
        ours, column = scores[row["example"]][quantity], quantity.replace("_", " ")
        if quantity in ("ser", "eter"):
            ours, column = 100 * ours, f"{quantity.upper()} in %"
        yield Cell(row["example"], column, float(printed), ours, decimals(printed))


def eter_slots(inputs: Inputs) -> Iterator[Cell]:
    """Compute slot error rates of three systems from their printed counts."""
    rows = {(row["system"], row["slots"]): row for row in published_rows("eter_slots")}
    keys = {"types": "ser_types", "components": "ser_components", "both": "ser"}
    for (system, slots), row in rows.items():
        ours = 100 * _slot_scores({part: rows[system, part] for part in SLOTS})[keys[slots]]
        printed = row["ser"].rstrip("!")
        yield Cell(f"{system}, {slots}", "SER in %", float(printed), ours, decimals(printed))


def _slot_scores(rows: Mapping[str, Mapping[str, str]]) -> dict[str, float]:
    """Compute scores from the printed counts of types and components."""
    columns: dict[str, float] = dict.fromkeys(
        ("references", "insertions", "deletions", "root_error", "component_error"), 0
    )
    for part, row in rows.items():
        deleted, inserted, substituted = (int(row[name]) for name in ("deleted", "inserted", "substituted"))
        values = {
            "references": SLOTS[part],
            "correct": SLOTS[part] - deleted - substituted,
            "insertions": inserted,
            "deletions": deleted,
            "substitutions": substituted,
            # each substitution has one error
            "cost": 0.5 * substituted,
        }
        columns.update({f"slot_{part}_{name}": value for name, value in values.items()})
    return Eter().score(counts_of(columns))


def span_attribute(inputs: Inputs) -> Iterator[Cell]:
    """Score the example in EDS-NLP's documentation with each kind of average precision."""
    sides = [Attributes.from_dicts([side]) for side in _example("span_attribute")]
    results = {}
    for column, option in AVERAGE_PRECISIONS.items():
        measure = SpanAttribute(
            attributes={"neg": True, "carrier": ["DIS"]}, default_values={"neg": False}, average_precision=option
        )
        results[column] = measure.score(measure.counts(*sides))
    for row in published_rows("span_attribute"):
        name = row["attribute"]
        scores = results["ap_0.20"][name]
        yield from compared(row, name, {key: scores[key] for key in ("f", "p", "r")}, digits=2)
        yield from compared(row, name, {key: scores[key] for key in ("tp", "support", "positives")})
        for column, option in AVERAGE_PRECISIONS.items():
            digits = 3 if option == "ties" else 2
            yield Cell(name, f"ap, {option}", float(row[column]), results[column][name]["ap"], digits)


def fair_scores(inputs: Inputs) -> Iterator[Cell]:
    """Compute scores from the numbers of events in an example of FairEval's card."""
    measure = FairF()
    for row in published_rows("fair_hf"):
        events = {**dict.fromkeys(BOUNDARY_ERRORS, 0), **row, BOUNDARY_ERRORS[0]: row["BE"]}
        numbers = {name: int(events[kind]) for kind, name in COLUMNS.items()}
        scores = measure.score(counts_of({**numbers, "reference": 1}))
        yield from compared(row, row["row"], {key: scores[key] for key in ("precision", "recall", "f1")}, digits=4)


def fair_overlap(inputs: Inputs) -> Iterator[Cell]:
    """Classify the overlap of two spans of one label, with inclusive ends; `none` if they do not overlap."""
    for row in published_rows("fair_overlap"):
        sides = [spans_of(row[side], inclusive=True) for side in ("gold", "predicted")]
        errors = fair_errors(Alignment(*sides)).kind.tolist()
        kind = "TP" if not errors else KINDS[errors[0]] if len(errors) == 1 else "none"
        yield Cell(f"{row['gold']}, {row['predicted']}", row["kind"], True, kind == row["kind"])


def semeval(inputs: Inputs) -> Iterator[Cell]:
    """Count the cases of nervaluate's tests in each schema that the tests check."""
    for row in published_rows("semeval_cases"):
        sides = [spans_of(row[side]) for side in ("gold", "predicted")]
        for schema in SCHEMAS:
            if row[f"{schema}_COR"]:
                counts = SemevalF(schema=schema, min_overlap=float(row["min_overlap"])).counts(*sides).total()
                for short, name in RESPONSES.items():
                    yield Cell(row["case"], f"{schema} {short}", int(row[f"{schema}_{short}"]), int(counts[name]))


def mpp(inputs: Inputs) -> Iterator[Cell]:
    """Score each example of MPP (Perrella et al. 2026) that has the optimal matching."""
    measure = MatchedF(credit="mpp", match_labels=False, zero_division=1.0)
    for row in published_rows("mpp"):
        if "greedy" not in row["measure"]:
            scores = measure.score(measure.counts(spans_of(row["gold"]), spans_of(row["predicted"])))
            yield from compared(row, row["example"], scores, digits=4)
