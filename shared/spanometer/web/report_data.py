"""The data of the report of errors: the errors, and the passages around them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..alignment.matched_spans import KINDS, MatchedSpans
from ..alignment.overlaps import order_of_line, overlaps
from ..analysis.errors.contexts import Context
from ..analysis.errors.examples import ErrorChoice, ErrorExamples, extent_of, mention_texts
from ..arrays import integers, offsets_of
from ..exceptions import printable
from ..spans.spans import Spans
from .passages import Passages, separator_of

_STRINGS = 20
"""How many strings are listed: the strings with the most errors."""

SIDES = ("reference", "prediction")


def report_data(
    matched: MatchedSpans, sides: Sequence[Spans], context: Context, *, most: int, seed: int = 0
) -> dict[str, Any]:
    """List the errors and passages of a system that the script shows, as built-in types.

    Args:
        matched: the spans of both sides, matched.
        sides: the spans that were matched.
        context: the words and lines of the documents.
        most: how many errors are shown in their passages at most; if there are more, a random choice.
        seed: of the draw.
    """
    every = ErrorExamples.of(matched, sides, context)
    rows = ErrorChoice(sample=most, sample_seed=seed).rows(matched)
    offsets = matched.alignment.offsets
    place = matched.document[rows], *extent_of(matched, rows)
    passages, passage_of = Passages.around(*place, np.diff(offsets), context)
    texts = pa.compute.coalesce(*mention_texts(matched, sides, context.wording, rows))
    string = integers(texts.dictionary_encode().indices) if context.wording else np.zeros(len(rows), dtype=np.int64)
    columns = (
        matched.kind[rows],
        matched.reference_label[rows],
        matched.predicted_label[rows],
        passage_of,
        np.bincount(string)[string] if len(rows) else string,
    )
    number = np.full(len(matched), -1)
    number[rows] = np.arange(len(rows))
    marks = [_marks(matched, name, spans, passages, number) for name, spans in zip(SIDES, sides, strict=True)]
    described = zip(passages.described(context, offsets), *marks, strict=True)
    return {
        "labels": [printable(label) for label in matched.alignment.labels],
        "counts": np.bincount(matched.kind[rows], minlength=len(KINDS)).tolist(),
        "total": len(every),
        "noun": "sentence" if separator_of(context) else "passage",
        "matrix": _matrix(matched),
        "strings": [(text, number, printable(labels)) for text, number, labels in every.strings(_STRINGS)],
        "errors": [list(error) for error in zip(*(column.tolist() for column in columns), strict=True)],
        "passages": [{**passage, "sides": of_sides} for passage, *of_sides in described],
    }


def _matrix(matched: MatchedSpans) -> list[list[int]]:
    """List the cells of the confusion matrix that are not empty: both labels, pairs with equal boundaries, others."""
    width = len(matched.alignment.labels) + 1
    place = (matched.reference_label + 1) * width + matched.predicted_label + 1
    same = matched.boundary == 0
    layers = [np.bincount(place[chosen], minlength=width * width) for chosen in (same, ~same)]
    there = np.flatnonzero(layers[0] + layers[1])
    row, column = np.divmod(there, width)
    cells: list[list[int]] = np.stack([row - 1, column - 1, layers[0][there], layers[1][there]], axis=1).tolist()
    return cells


def _marks(
    matched: MatchedSpans, side: str, spans: Spans, passages: Passages, number: np.ndarray
) -> list[list[list[int]]]:
    """List the spans of a side in each passage: bounds, label, kind, and the number of the error or -1."""
    offsets = matched.alignment.offsets
    chosen = matched.reference if side == "reference" else matched.prediction
    rows = np.flatnonzero(chosen >= 0)
    row_of = np.empty(len(spans), dtype=np.int64)
    row_of[order_of_line(spans)[chosen[rows]]] = rows
    span, start, end = spans.pieces()
    base = offsets[spans.document[span]]
    order = np.lexsort((-end, start + base))
    first = offsets[passages.document] + passages.first
    in_passage, piece = overlaps(
        first, offsets[passages.document] + passages.last, (start + base)[order], (end + base)[order], noun="spans"
    )
    piece = order[piece]
    size = (passages.last - passages.first)[in_passage]
    begin = np.maximum((start + base)[piece] - first[in_passage], 0)
    stop = np.minimum((end + base)[piece] - first[in_passage], size)
    row = row_of[span[piece]]
    labels = matched.reference_label if side == "reference" else matched.predicted_label
    columns = np.stack([begin, stop, labels[row], matched.kind[row], number[row]], axis=1).tolist()
    ends = offsets_of(np.bincount(in_passage, minlength=len(passages.document))).tolist()
    return [columns[low:high] for low, high in pairwise(ends)]
