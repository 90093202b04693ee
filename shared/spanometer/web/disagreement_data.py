"""The data of the report of disagreements: places, their readings, and the passages around them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..analysis.agreement.disagreements import Disagreements
from ..analysis.agreement.pairs import DIFFERENCES
from ..arrays import offsets_by, offsets_of, take_segments
from ..exceptions import printable
from .passages import Passages, separator_of


def disagreement_data(found: Disagreements, *, most: int) -> dict[str, Any]:
    """List the places and passages that the script shows, as built-in types.

    Args:
        found: the places.
        most: the greatest number of places; places with the highest costs are shown.
    """
    places, chosen = found.places, found.order[:most]
    place = places.document[chosen], places.start[chosen], places.end[chosen]
    passages, passage_of = Passages.around(*place, np.diff(places.offsets), found.context)
    kinds = (found.kinds[chosen] > 0) @ (1 << np.arange(len(DIFFERENCES)))
    columns = (passage_of, kinds, found.cost[chosen])
    cells = np.argwhere(np.triu(found.confusions.counts))
    rows = zip(*(column.tolist() for column in columns), _readings(found, chosen, passages, passage_of), strict=True)
    return {
        "annotators": [printable(name) for name in found.names],
        "labels": [printable(label) for label in found.confusions.labels],
        "kinds": [
            {"name": name, "help": help_, "count": int((found.kinds[:, code] > 0).sum())}
            for code, (name, help_) in enumerate(DIFFERENCES.items())
        ],
        "total": len(found),
        "noun": "sentence" if separator_of(found.context) else "passage",
        "matrix": [[row, column, int(found.confusions.counts[row, column])] for row, column in cells.tolist()],
        "places": [list(row) for row in rows],
        "passages": list(passages.described(found.context, places.offsets)),
    }


def _readings(
    found: Disagreements, chosen: np.ndarray, passages: Passages, passage_of: np.ndarray
) -> list[list[tuple[list[int], list[list[int]]]]]:
    """List the readings of each place: the annotators of each reading, and its marks in the passage.

    A mark is its bounds, its label and how many annotators have the span; a reading without spans has the place itself
    with the label -1.
    """
    places, readings, spans = found.places, found.places.readings, found.places.spans
    counts, taken = take_segments(offsets_by(readings.place, len(places)), chosen)
    place = np.repeat(np.arange(len(chosen)), counts)
    sizes, items = take_segments(readings.offsets, taken)
    span, reading = readings.span[items], np.repeat(np.arange(len(taken)), sizes)
    start, end = spans.start[span].astype(np.int64), spans.end[span].astype(np.int64)
    if spans.fragments is not None:
        pieces = spans.fragments.take(span)
        owner = np.repeat(np.arange(len(span)), np.diff(pieces.offsets))
        span, reading, start, end = span[owner], reading[owner], pieces.start, pieces.end
    nothing = np.flatnonzero(sizes == 0)
    empty = chosen[place[nothing]]
    columns = [
        np.concatenate([reading, nothing]),
        np.concatenate([start, places.start[empty]]),
        np.concatenate([end, places.end[empty]]),
        np.concatenate([spans.label[span].astype(np.int64), np.full(len(nothing), -1)]),
        np.concatenate([places.held[span].sum(axis=1), readings.annotators[taken[nothing]].sum(axis=1)]),
    ]
    passage = passage_of[place[columns[0]]]
    columns[1] = np.maximum(columns[1] - passages.first[passage], 0)
    columns[2] = np.minimum(columns[2], passages.last[passage]) - passages.first[passage]
    order = np.lexsort((-columns[2], columns[1], columns[0]))
    order = order[(columns[1] < columns[2])[order]]
    of_reading = offsets_by(columns[0][order], len(taken)).tolist()
    marks = np.stack([column[order] for column in columns[1:]], axis=1).tolist()
    row, annotator = np.nonzero(readings.annotators[taken])
    of_names, names = offsets_by(row, len(taken)).tolist(), annotator.tolist()
    listed = [
        (names[low:high], marks[first:last])
        for (low, high), (first, last) in zip(pairwise(of_names), pairwise(of_reading), strict=True)
    ]
    return [listed[low:high] for low, high in pairwise(offsets_of(counts).tolist())]
