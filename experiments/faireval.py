"""The results for two corpora that are distributed with FairEval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from spanometer.alignment.fair_errors import fair_errors
from spanometer.alignment.overlaps import Alignment
from spanometer.exceptions import InputError
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.fair_f import BOUNDARY_ERRORS, COLUMNS, FairF
from spanometer.measures.span_f import SpanF
from spanometer.spans.spans import Spans

from .inputs import Inputs
from .published import decimals, published_rows
from .tables import Cell

_WITHOUT_SPANS = ("NONE", "EMPTY")
_SCORES = {"Prec": "precision", "Rec": "recall", "F1": "f1"}
_MEASURES: dict[str, AlignedMeasure] = {
    "Traditional": SpanF(),
    "Fair": FairF(),
    "Weighted": FairF(weights="weighted"),
}


def cells(corpus: str, table: str, inputs: Inputs) -> Iterator[Cell]:
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
    errors = fair_errors(alignment)
    names = (*alignment.labels, "_")
    numbers = np.zeros((len(names), len(names)), dtype=np.int64)
    # -1, for none, is the last
    np.add.at(numbers, (errors.reference, errors.prediction), 1)
    return dict(zip(product(names, names), numbers.ravel().tolist(), strict=True))
