"""What FairEval and nervaluate come with: results on two corpora, worked examples and cases of their tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from spanometer.alignment.fair_errors import KINDS, fair_errors
from spanometer.alignment.overlaps import Alignment
from spanometer.exceptions import InputError
from spanometer.measures.fair_f import BOUNDARY_ERRORS, COLUMNS, FairF
from spanometer.measures.semeval_f import SemevalF
from spanometer.measures.span_f import SpanF
from spanometer.spans.spans import Spans

from .inputs import FAIREVAL, Inputs
from .published import counts_of, decimals, published_rows, spans_of
from .tables import Cell, Experiment

FAIR_SOURCE = "Ortmann, FairEval"
HUB_SOURCE = "hpi-dhc/FairEval, card"
SEMEVAL_SOURCE = "nervaluate, tests and README; SemEval-2013 task 9.1, scenarios"

TITLES = {"ner_spans": "German named entities", "chunk_spans": "German chunks"}
"""The corpora of FairEval, explained."""

SCHEMAS = ("strict", "exact", "partial", "ent_type")

RESPONSES = {"COR": "correct", "INC": "incorrect", "PAR": "partial", "MIS": "missing", "SPU": "spurious"}
"""The counts of `semeval_f` by their abbreviations."""

_NONE = "_"
_WITHOUT_SPANS = ("NONE", "EMPTY")
_SCORES = {"Prec": "precision", "Rec": "recall", "F1": "f1"}


def _faireval(corpus: str, name: str, inputs: Inputs) -> Iterator[Cell | str]:
    """Score a corpus that FairEval comes with, in one of its ways, or count its confusion matrix."""
    values = _faireval_values(inputs, corpus)
    for row in published_rows("faireval_tables"):
        if (row["corpus"], row["table"]) == (corpus, name):
            printed, ours = row["published"], values[name, row["row"], row["column"]]
            published = float(printed) if decimals(printed) else int(printed)
            yield Cell(row["row"], row["column"], published, ours, digits=decimals(printed))


def read_faireval(path: Path) -> Spans:
    """Read a file of FairEval: a span a line (label, first and last token from 1, all tokens), texts end with blanks.

    Raises:
        InputError: for a line that is no contiguous span.
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
    # a blank line ends each text, and the texts of both sides are as many
    return Spans.from_dicts(documents[:-1] if not documents[-1] else documents)


@lru_cache(maxsize=1)
def _faireval_values(inputs: Inputs, corpus: str) -> dict[tuple[str, str, str], float]:
    """Compute all values of a corpus by table, row and column."""
    alignment = Alignment(*(read_faireval(inputs.path(FAIREVAL[corpus, side])) for side in ("target", "system")))
    exact = SpanF()
    found = exact.count(alignment)
    traditional = _rows(exact.score(found), exact.score_per_label(found), found.by_label(), _traditional)
    values = {("Traditional", *place): value for place, value in traditional.items()}
    for table, measure in (("Fair", FairF()), ("Weighted", FairF(weights="weighted"))):
        counts = measure.count(alignment)
        rows = _rows(measure.score(counts), measure.score_per_label(counts), counts.by_label(), _fair)
        values.update({(table, *place): value for place, value in rows.items()})
    return {**values, **_confusion(alignment)}


def _rows(
    score: Mapping[str, float],
    per_label: Mapping[str, Mapping[str, float]],
    counts: Mapping[str, Mapping[str, float]],
    name: Any,
) -> dict[tuple[str, str], float]:
    """Return scores in % and counts by row (a label, or `overall`) and column."""
    whole: Counter[str] = Counter()
    for sums in counts.values():
        whole.update(sums)
    values = {}
    for row, scores, sums in [
        ("overall", score, whole),
        *((label, per_label[label], counts[label]) for label in counts),
    ]:
        values.update({(row, column): 100 * scores[key] for column, key in _SCORES.items()})
        values.update({(row, column): number for column, number in name(sums).items()})
    return values


def _traditional(sums: Mapping[str, float]) -> dict[str, float]:
    both = sums["both"]
    return {"TP": both, "FP": sums["predicted"] - both, "FN": sums["reference"] - both}


def _fair(sums: Mapping[str, float]) -> dict[str, float]:
    events = {kind: sums[name] for kind, name in COLUMNS.items()}
    return {**events, "BE": sum(events[kind] for kind in BOUNDARY_ERRORS)}


def _confusion(alignment: Alignment) -> dict[tuple[str, str, str], float]:
    """Count all errors by both labels; those of one label are boundary errors."""
    errors = fair_errors(alignment)
    names = (*alignment.labels, _NONE)
    found = np.zeros((len(names), len(names)), dtype=np.int64)
    # -1, for none, is the last
    np.add.at(found, (errors.reference, errors.prediction), 1)
    return {
        ("Confusion", row, column): int(found[first, second])
        for first, row in enumerate(names)
        for second, column in enumerate(names)
    }


def _hub_example(inputs: Inputs) -> Iterator[Cell | str]:
    """Score the numbers of events of an example."""
    measure = FairF()
    for row in published_rows("fair_hf"):
        events = {**dict.fromkeys(BOUNDARY_ERRORS, 0), **row, BOUNDARY_ERRORS[0]: row["BE"]}
        scores = measure.score(
            counts_of({**{name: int(events[kind]) for kind, name in COLUMNS.items()}, "reference": 1})
        )
        yield from (Cell(row["row"], key, float(row[key]), scores[key], digits=4) for key in _SCORES.values())
    yield "Computed from the printed numbers of events; the sentences are not part of this package."


def _overlap(inputs: Inputs) -> Iterator[Cell | str]:
    """Tell the kinds of overlap of spans of one label, whose ends are inclusive; `none` if they do not overlap."""
    for row in published_rows("fair_overlap"):
        sides = [spans_of(row[side], inclusive=True) for side in ("gold", "predicted")]
        errors = fair_errors(Alignment(*sides)).kind.tolist()
        kind = "TP" if not errors else KINDS[errors[0]] if len(errors) == 1 else "none"
        yield Cell(f"{row['gold']}, {row['predicted']}", row["kind"], True, kind == row["kind"])


def _semeval_cases(inputs: Inputs) -> Iterator[Cell | str]:
    """Count the cases of nervaluate's tests in every schema that they look at."""
    for row in published_rows("semeval_cases"):
        sides = [spans_of(row[side]) for side in ("gold", "predicted")]
        for schema in SCHEMAS:
            if row[f"{schema}_COR"]:
                counts = SemevalF(schema=schema, min_overlap=float(row["min_overlap"])).counts(*sides).total()
                for short, name in RESPONSES.items():
                    yield Cell(row["case"], f"{schema} {short}", int(row[f"{schema}_{short}"]), int(counts[name]))


TABLES = {
    "faireval": tuple(
        Experiment(
            f"faireval_{corpus.removesuffix('_spans')}_{name.lower()}",
            f"{title}: {name.lower()}",
            FAIR_SOURCE,
            partial(_faireval, corpus, name),
        )
        for corpus, title in TITLES.items()
        for name in ("Traditional", "Fair", "Weighted", "Confusion")
    ),
    "fair_examples": (
        Experiment("fair_hub_example", "Example: scores of numbers of events", HUB_SOURCE, _hub_example),
        Experiment("fair_overlap", "Kinds of overlap", FAIR_SOURCE, _overlap),
    ),
    "semeval_cases": (
        Experiment("semeval_cases", "Cases of tests: responses by schema", SEMEVAL_SOURCE, _semeval_cases),
    ),
}
