"""The report of disagreements: one file of HTML that needs no network, with every place where annotators differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import Disagreements, difference_table, kind_table
from ..analysis.agreement.leave_one_out import LeaveOneOut
from ..readers.writing import writing
from ..tables.table import Precision, Table
from .disagreement_data import disagreement_data
from .frame import framed, require_html, section

MOST_PLACES = 10_000
"""At most so many places are in a report: those that cost most."""


@dataclass(frozen=True, kw_only=True)
class DisagreementOptions:
    """What is in a report beside the places.

    Attributes:
        title: its heading; by default the annotators' names.
        heading: names and texts below it: the files and the size of the corpus.
        agreement: of the annotators, whose tables are then in the report.
        left_out: the same without each annotator.
        precision: how numbers are written.
        most: how many places are shown.
    """

    title: str = ""
    heading: Sequence[tuple[str, str]] = ()
    agreement: Agreement | None = None
    left_out: LeaveOneOut | None = None
    precision: Precision = field(default_factory=Precision)
    most: int = MOST_PLACES


def write_disagreement_report(found: Disagreements, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of disagreements that can be sent to others: one file, which needs no network.

    Args:
        found: the disagreements.
        path: the file, whose name ends in .html; one that is there is replaced.
        **options: see `DisagreementOptions`.

    Raises:
        InputError: for another name.
    """
    require_html(path)
    with writing(path, replace=True) as stream:
        stream.write(disagreement_report(found, DisagreementOptions(**options)).encode())


def disagreement_report(found: Disagreements, options: DisagreementOptions | None = None) -> str:
    """Return the report as HTML; nothing in the texts of the corpus is markup or a script there."""
    chosen = options or DisagreementOptions()
    signatures = [found.signature, *(chosen.agreement.signatures.values() if chosen.agreement is not None else ())]
    return framed(
        "disagreements",
        title=chosen.title or f"Where {_listed(found.names)} differ",
        facts=chosen.heading or [("size", found.size)],
        sections=list(_sections(found, chosen)),
        signature="\n".join(signatures),
        data=disagreement_data(found, most=chosen.most),
    )


def _sections(found: Disagreements, options: DisagreementOptions) -> Iterator[str]:
    """Yield the agreement, also without each annotator, the kinds of differences and a note on the costs."""
    precision = options.precision
    if options.agreement is not None:
        parts = [part for part in options.agreement.parts(per_pair=True) if isinstance(part, Table)]
        yield section("Agreement", parts, "", precision)
    if options.left_out is not None:
        yield section("Without each annotator", [options.left_out.table()], "", precision)
    tables = [kind_table(found), difference_table(found)]
    note = (
        f"Costs are parts of 1 - mean F1 of pairs, in {found.level}s: if all agreed at a place, the mean would rise by "
        "its cost. A place can have several kinds of differences."
    )
    yield section("Kinds of differences", tables, note, precision)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
