"""What the script of the report of errors shows: the errors, and the passages that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..alignment.matched_spans import KINDS, MatchedSpans
from ..alignment.overlaps import order_of_line, overlaps
from ..analysis.contexts import Context
from ..analysis.error_examples import ErrorChoice, ErrorExamples, MentionTexts, extent_of
from ..arrays import integers, offsets_of, ordered_codes
from ..errors import printable
from ..spans.spans import Spans

_WHOLE = {" ": 80, "": 500}
"""Documents of at most so many words, or characters, are shown whole, by what stands between two."""

_AROUND = {" ": 30, "": 200}
"""How many words, or characters, of a longer document are shown on both sides of an error."""

_STRINGS = 20
"""How many of the strings that are most often wrong are listed."""

SIDES = ("reference", "prediction")


def report_data(
    matched: MatchedSpans, sides: Sequence[Spans], context: Context, *, most: int, seed: int = 0
) -> dict[str, Any]:
    """Return what the script shows of a system, as built-in types.

    Args:
        matched: the spans of both sides, matched.
        sides: the spans that were matched.
        context: the words and lines of the documents.
        most: how many errors are shown in their passages at most; of more, so many are drawn at random.
        seed: of the draw.
    """
    every = ErrorExamples.of(matched, sides, context)
    rows = ErrorChoice(sample=most, sample_seed=seed).rows(matched)
    passages, passage_of = _passages(matched, rows, context)
    texts = MentionTexts.of(matched, sides, context.wording).take(rows).text
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
    separator = " " if context.wording is None else context.wording.separator
    return {
        "labels": [printable(label) for label in matched.alignment.labels],
        "counts": np.bincount(matched.kind[rows], minlength=len(KINDS)).tolist(),
        "total": len(every),
        "noun": "sentence" if separator else "passage",
        "matrix": _matrix(matched),
        "strings": every.strings(_STRINGS),
        "errors": [list(error) for error in zip(*(column.tolist() for column in columns), strict=True)],
        "passages": list(_described(passages, marks, matched, context)),
    }


def _matrix(matched: MatchedSpans) -> list[list[int]]:
    """Return the cells of the confusion matrix that are not empty: both labels, pairs of one extent, and others."""
    width = len(matched.alignment.labels) + 1
    place = (matched.reference_label + 1) * width + matched.predicted_label + 1
    same = matched.extent == 0
    layers = [np.bincount(place[chosen], minlength=width * width) for chosen in (same, ~same)]
    there = np.flatnonzero(layers[0] + layers[1])
    row, column = np.divmod(there, width)
    cells: list[list[int]] = np.stack([row - 1, column - 1, layers[0][there], layers[1][there]], axis=1).tolist()
    return cells


@dataclass(frozen=True, eq=False)
class _Passages:
    """Parts of documents, in the order of the text: a document, and the first and last (exclusive) of its units."""

    document: np.ndarray
    first: np.ndarray
    last: np.ndarray
    length: np.ndarray


def _passages(matched: MatchedSpans, rows: np.ndarray, context: Context) -> tuple[_Passages, np.ndarray]:
    """Return the passages that errors stand in, and which one each stands in: short documents whole."""
    separator = " " if context.wording is None else context.wording.separator
    whole, around = _WHOLE[separator], _AROUND[separator]
    document = matched.document[rows]
    length = np.diff(matched.alignment.offsets)[document]
    start, end = extent_of(matched, rows)
    long = length > whole
    first = np.where(long, np.maximum(start - around, 0), 0)
    # not even a span of a thousand words is shown whole
    last = np.where(long, np.minimum(np.minimum(end, start + whole) + around, length), length)
    _, example, passage = np.unique(ordered_codes(document, first, last), return_index=True, return_inverse=True)
    return _Passages(document[example], first[example], last[example], length[example]), passage.ravel()


def _marks(
    matched: MatchedSpans, side: str, spans: Spans, passages: _Passages, number: np.ndarray
) -> list[list[list[int]]]:
    """Return for each passage the spans of a side in it: bounds, label, kind, and the number of the error or -1."""
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


def _described(
    passages: _Passages, marks: Iterable[list[list[list[int]]]], matched: MatchedSpans, context: Context
) -> Iterable[dict[str, Any]]:
    lines = context.lines(passages.document, passages.first, matched.alignment.offsets)
    columns = (passages.document, passages.first, passages.last, passages.length)
    places = zip(*(column.tolist() for column in columns), *marks, strict=True)
    for place, (document, first, last, length, *of_sides) in enumerate(places):
        yield {
            "document": document,
            "name": None if context.names is None else printable(context.names[document]),
            "line": None if lines is None else int(lines[place]),
            "cut": [first > 0, last < length],
            "units": _units(context, document, first, last),
            "sides": of_sides,
        }


def _units(context: Context, document: int, first: int, last: int) -> list[str] | str:
    """Return the words of a passage, or its characters as one string; numbers of tokens without words."""
    wording = context.wording
    if wording is None:
        return [str(number) for number in range(first + 1, last + 1)]
    if wording.separator:
        return wording.listed(document, first, last)
    return wording.text(document, first, last)
