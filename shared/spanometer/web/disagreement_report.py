"""The report of disagreements: one file of HTML that needs no network, with every place where annotators differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import Disagreements, difference_table, kind_table
from ..analysis.agreement.leave_one_out import LeaveOneOut
from ..analysis.agreement.pairs import DIFFERENCES
from ..arrays import offsets_by, offsets_of, take_segments
from ..exceptions import printable
from ..tables.table import Cell, Number, Precision, Table, amount
from .passages import Passages, separator_of
from .templates import Section, render, write_page

_MOST_DOCUMENTS = 50

MOST_PLACES = 10_000
"""The greatest number of places in a report; places with the highest costs are shown."""


def write_disagreement_report(result: Disagreements, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of disagreements that can be sent to others: one file, which needs no network.

    Args:
        result: the disagreements.
        path: the file, whose name ends in .html; an existing file is replaced.
        **options: see `disagreement_report`.

    Raises:
        InputError: for another name.
    """
    write_page(path, lambda: disagreement_report(result, **options))


def disagreement_report(
    result: Disagreements,
    *,
    title: str = "",
    heading: Sequence[tuple[str, str]] = (),
    agreement: Agreement | None = None,
    left_out: LeaveOneOut | None = None,
    precision: Precision | None = None,
    most: int = MOST_PLACES,
) -> str:
    """Write the report as HTML; nothing in the texts of the corpus is markup or a script there.

    Args:
        result: the disagreements.
        title: its heading; by default the annotators' names.
        heading: names and texts below it: the files and the size of the corpus.
        agreement: of the annotators, whose tables are then in the report.
        left_out: the same without each annotator.
        precision: how numbers are written.
        most: how many places are shown.
    """
    return render(
        "disagreements.html",
        title=title or f"Where {', '.join(result.names[:-1])} and {result.names[-1]} differ",
        facts=heading or [("size", result.size)],
        sections=list(_sections(result, agreement, left_out)),
        precision=precision,
        signatures=[result.signature, *(() if agreement is None else agreement.signatures.values())],
        data=disagreement_data(result, most=most),
        script="disagreements.js",
    )


def _sections(result: Disagreements, agreement: Agreement | None, left_out: LeaveOneOut | None) -> Iterator[Section]:
    """Yield the agreement, also without each annotator, the kinds of differences and a note on the costs."""
    if agreement is not None:
        parts = agreement.parts(per_pair=True, per_label=True)
        yield Section("Agreement", [part for part in parts if isinstance(part, Table)])
    if left_out is not None:
        yield Section("Without each annotator", [left_out.table()])
    note = (
        f"Costs are parts of 1 - mean F1 of pairs, in {result.level}s: if all agreed at a place, the mean rises by "
        "its cost. A place can have several kinds of differences."
    )
    yield Section("Kinds of differences", [kind_table(result), difference_table(result)], note)
    if agreement is not None and agreement.per_document:
        yield _documents(result, agreement)


def _documents(result: Disagreements, agreed: Agreement) -> Section:
    """List the documents with the least agreement; ties are in order of costs, highest first."""
    means = agreed.mean_per_document
    places = np.bincount(result.places.document, minlength=result.documents)
    costs = np.bincount(result.places.document, weights=result.cost, minlength=result.documents)
    scored = np.flatnonzero(~np.isnan(means["mean_f1"]))
    order = scored[np.lexsort((-costs[scored], means["mean_f1"][scored]))][:_MOST_DOCUMENTS].tolist()
    names = result.context.names
    rows: list[list[Cell]] = [
        [
            str(document + 1) if names is None else str(names[document]),
            *(Number(float(values[document])) for values in means.values()),
            amount(int(places[document])),
            Number(float(costs[document])),
        ]
        for document in order
    ]
    heads = ("mean f1", "mean chance", "mean kappa", "places", "cost")
    note = "F1 by chance is high in short texts full of spans: there agreement says less."
    left_out = f" Left out: {len(scored) - len(order):,} documents that agree more" if len(scored) > len(order) else ""
    empty = f" Without any span: {result.documents - len(scored):,}." if len(scored) < result.documents else ""
    return Section("Documents with the least agreement", [Table("document", heads, rows)], f"{note}{left_out}{empty}")


def disagreement_data(result: Disagreements, *, most: int) -> dict[str, Any]:
    """List the places and passages that the script shows, as built-in types.

    Args:
        result: the places.
        most: the greatest number of places; places with the highest costs are shown.
    """
    places, chosen = result.places, result.order[:most]
    place = places.document[chosen], places.start[chosen], places.end[chosen]
    passages, passage_of = Passages.around(*place, np.diff(places.offsets), result.context)
    kinds = (result.kinds[chosen] > 0) @ (1 << np.arange(len(DIFFERENCES)))
    columns = (passage_of, kinds, result.cost[chosen])
    cells = np.argwhere(np.triu(result.confusions.counts))
    rows = zip(*(column.tolist() for column in columns), _readings(result, chosen, passages, passage_of), strict=True)
    return {
        "annotators": [printable(name) for name in result.names],
        "labels": [printable(label) for label in result.confusions.labels],
        "kinds": [
            {"name": name, "help": help_, "count": int((result.kinds[:, code] > 0).sum())}
            for code, (name, help_) in enumerate(DIFFERENCES.items())
        ],
        "total": len(result),
        "noun": "sentence" if separator_of(result.context) else "passage",
        "matrix": [[row, column, int(result.confusions.counts[row, column])] for row, column in cells.tolist()],
        "places": [list(row) for row in rows],
        "passages": list(passages.described(result.context, places.offsets)),
    }


def _readings(
    result: Disagreements, chosen: np.ndarray, passages: Passages, passage_of: np.ndarray
) -> list[list[tuple[list[int], list[list[int]]]]]:
    """List the readings of each place: the annotators of each reading, and its marks in the passage.

    A mark is its bounds, its label and how many annotators have the span; a reading without spans has the place itself
    with the label -1.
    """
    places, readings, spans = result.places, result.places.readings, result.places.spans
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
