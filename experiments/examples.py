"""Worked examples and test cases of papers and programs: ETER, EDS-NLP, FairEval, nervaluate and MPP.

The spans of ETER (ambassadeur de la Turquie en France) and of EDS-NLP (the symptom 'fièvreux' and the diseases 'du
diabète' and 'cancer') are in `data/examples.json`, reference first; the others are in the files of printed values.

The outputs behind Tables 2 to 4 of ETER are not public. The counts in Table 3 are public, so its error rates can be
checked.

The results for two corpora are distributed with FairEval.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from spanometer.alignment.fair_errors import KINDS, FairErrors
from spanometer.alignment.overlaps import Alignment
from spanometer.exceptions import InputError
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.eter import Eter
from spanometer.measures.fair_f import BOUNDARY_ERRORS, COLUMNS, FairF
from spanometer.measures.matched_f import MatchedF
from spanometer.measures.semeval_f import SemevalF
from spanometer.measures.span_attribute import SpanAttribute
from spanometer.measures.span_f import SpanF
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities
from spanometer.spans.spans import Spans

from .inputs import DATA, Inputs, compared, counts_of, decimals, published_rows, spans_of
from .tables import Cell

SLOTS = {"types": 5954, "components": 8627}
"""The number of the reference's slots in ETER's Table 3."""

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
        errors = FairErrors(Alignment(*sides)).kind.tolist()
        kind = "TP" if not errors else KINDS[errors[0]] if len(errors) == 1 else "none"
        yield Cell(f"{row['gold']}, {row['predicted']}", row["kind"], True, kind == row["kind"])


def semeval(inputs: Inputs) -> Iterator[Cell]:
    """Count the cases of nervaluate's tests in each schema that the tests check."""
    for row in published_rows("semeval_cases"):
        sides = [spans_of(row[side]) for side in ("gold", "predicted")]
        for schema in ("strict", "exact", "partial", "ent_type"):
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


# the corpora that are distributed with FairEval

_WITHOUT_SPANS = ("NONE", "EMPTY")
_SCORES = {"Prec": "precision", "Rec": "recall", "F1": "f1"}
_MEASURES: dict[str, AlignedMeasure] = {
    "Traditional": SpanF(),
    "Fair": FairF(),
    "Weighted": FairF(weights="weighted"),
}


def faireval(corpus: str, table: str, inputs: Inputs) -> Iterator[Cell]:
    """Score a corpus of FairEval in one of its ways, or count its confusion matrix."""
    alignment = _alignment(inputs, corpus)
    values = _confusion(alignment) if table == "Confusion" else _values(alignment, _MEASURES[table])
    for row in published_rows("faireval_tables"):
        if (row["corpus"], row["table"]) == (corpus, table):
            printed, digits = row["published"], decimals(row["published"])
            published = float(printed) if digits else int(printed)
            yield Cell(row["row"], row["column"], published, values[row["row"], row["column"]], digits)


@lru_cache(maxsize=1)
def _alignment(inputs: Inputs, corpus: str) -> Alignment:
    return Alignment(*(read_faireval(inputs.path(f"faireval/{side}/{corpus}.csv")) for side in ("target", "system")))


def read_faireval(path: Path) -> Spans:
    """Read a file of FairEval. Each line is a span: label, first and last token from 1, all tokens.

    A blank line ends a text.

    Raises:
        InputError: if a line is not a contiguous span.
    """
    documents: list[list[dict[str, Any]]] = [[]]
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                documents.append([])
                continue
            try:
                label, first, last, tokens = line.rstrip("\n").split("\t")
                start, end = int(first) - 1, int(last)
                contiguous = [int(token) for token in tokens.split(",")] == list(range(start + 1, end + 1))
            except ValueError:
                contiguous = False
            if not contiguous:
                problem = f"line {number} is not a label, the first, the last and all tokens of a span."
                raise InputError(problem, "Take the files as FairEval has them.", source=str(path))
            if label not in _WITHOUT_SPANS:
                documents[-1].append({"start": start, "end": end, "label": label})
    # a blank line ends each text; both sides have equally many texts
    return Spans.from_dicts(documents[:-1] if not documents[-1] else documents)


def _values(alignment: Alignment, measure: AlignedMeasure) -> dict[tuple[str, str], float]:
    """Compute scores in % and numbers of events, by row (a label, or `overall`) and column."""
    counts = measure.count(alignment)
    scores = {"overall": measure.score(counts), **measure.score_per_label(counts)}
    sums = {"overall": counts.total(), **counts.by_label()}
    return {
        (row, column): value
        for row, numbers in sums.items()
        for column, value in {
            **{column: 100 * scores[row][key] for column, key in _SCORES.items()},
            **_events(numbers, fair=isinstance(measure, FairF)),
        }.items()
    }


def _events(sums: Mapping[str, float], *, fair: bool) -> dict[str, float]:
    if fair:
        events = {kind: sums[name] for kind, name in COLUMNS.items()}
        return {**events, "BE": sum(events[kind] for kind in BOUNDARY_ERRORS)}
    both = sums["both"]
    return {"TP": both, "FP": sums["predicted"] - both, "FN": sums["reference"] - both}


def _confusion(alignment: Alignment) -> dict[tuple[str, str], float]:
    """Count all errors by both labels (`_` for none); if the labels are equal, they are boundary errors."""
    errors = FairErrors(alignment)
    names = (*alignment.labels, "_")
    numbers = np.zeros((len(names), len(names)), dtype=np.int64)
    # -1, for none, is the last
    np.add.at(numbers, (errors.reference, errors.prediction), 1)
    return dict(zip(product(names, names), numbers.ravel().tolist(), strict=True))
