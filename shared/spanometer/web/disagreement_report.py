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


def write_disagreement_report(found: Disagreements, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of disagreements that can be sent to others: one file, which needs no network.

    Args:
        found: the disagreements.
        path: the file, whose name ends in .html; an existing file is replaced.
        **options: see `disagreement_report`.

    Raises:
        InputError: for another name.
    """
    write_page(path, lambda: disagreement_report(found, **options))


def disagreement_report(
    found: Disagreements,
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
        found: the disagreements.
        title: its heading; by default the annotators' names.
        heading: names and texts below it: the files and the size of the corpus.
        agreement: of the annotators, whose tables are then in the report.
        left_out: the same without each annotator.
        precision: how numbers are written.
        most: how many places are shown.
    """
    return render(
        "disagreements.html",
        title=title or f"Where {', '.join(found.names[:-1])} and {found.names[-1]} differ",
        facts=heading or [("size", found.size)],
        sections=list(_sections(found, agreement, left_out)),
        precision=precision,
        signatures=[found.signature, *(() if agreement is None else agreement.signatures.values())],
        data=disagreement_data(found, most=most),
        script="disagreements.js",
    )


def _sections(found: Disagreements, agreement: Agreement | None, left_out: LeaveOneOut | None) -> Iterator[Section]:
    """Yield the agreement, also without each annotator, the kinds of differences and a note on the costs."""
    if agreement is not None:
        parts = agreement.parts(per_pair=True, per_label=True)
        yield Section("Agreement", [part for part in parts if isinstance(part, Table)])
    if left_out is not None:
        yield Section("Without each annotator", [left_out.table()])
    note = (
        f"Costs are parts of 1 - mean F1 of pairs, in {found.level}s: if all agreed at a place, the mean would rise by "
        "its cost. A place can have several kinds of differences."
    )
    yield Section("Kinds of differences", [kind_table(found), difference_table(found)], note)
    if agreement is not None and agreement.per_document:
        yield _documents(found, agreement)


def _documents(found: Disagreements, agreed: Agreement) -> Section:
    """List the documents with the least agreement; ties are in order of costs, highest first."""
    means = agreed.mean_per_document
    places = np.bincount(found.places.document, minlength=found.documents)
    costs = np.bincount(found.places.document, weights=found.cost, minlength=found.documents)
    scored = np.flatnonzero(~np.isnan(means["mean_f1"]))
    order = scored[np.lexsort((-costs[scored], means["mean_f1"][scored]))][:_MOST_DOCUMENTS].tolist()
    names = found.context.names
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
    empty = f" Without any span: {found.documents - len(scored):,}." if len(scored) < found.documents else ""
    return Section("Documents with the least agreement", [Table("document", heads, rows)], f"{note}{left_out}{empty}")


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
