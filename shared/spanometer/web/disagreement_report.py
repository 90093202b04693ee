"""The report of disagreements: one file of HTML that needs no network, with every place where annotators differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import Disagreements, difference_table, kind_table
from ..analysis.agreement.leave_one_out import LeaveOneOut
from ..tables.table import Cell, Number, Precision, Table, amount
from .disagreement_data import disagreement_data
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
