"""The report of errors: one file of HTML that needs no network, with the errors in their sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..alignment.matched_spans import KINDS
from ..analysis.errors.answers import ANSWER_KINDS
from ..analysis.errors.buckets import bucket_tables
from ..analysis.errors.errors import (
    Errors,
    SystemErrors,
    beside_table,
    cost_table,
    label_table,
    legend,
    mark_table,
    share_table,
)
from ..analysis.scores.report import score_cells
from ..tables.table import Precision, Table, head
from .answers import wrong_answers
from .report_data import SIDES, report_data
from .templates import Section, render, write_page

MOST_ERRORS = 10_000
"""The greatest number of errors in a report; if there are more, a random choice is shown."""

_MOST_INCONSISTENT = 30
"""How many strings with several labels in the reference are listed."""

_STYLES = ("✓ solid", "≠ dotted", "≈ dashed", "≉ thick dotted", "✗ double", "+ wavy")
"""The symbol of each kind of span, in the order of `KINDS`, and the line below it; colours are in marks.css."""


def write_error_report(found: Errors, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of errors that can be sent to others: one file, which needs no network.

    Args:
        found: the errors.
        path: the file, whose name ends in .html; an existing file is replaced.
        **options: see `error_report`.

    Raises:
        InputError: for another name.
    """
    write_page(path, lambda: error_report(found, **options))


def error_report(
    found: Errors,
    *,
    title: str = "",
    heading: Sequence[tuple[str, str]] = (),
    train: Any = None,
    by: Mapping[str, Any] | None = None,
    precision: Precision | None = None,
    most: int = MOST_ERRORS,
    seed: int = 0,
) -> str:
    """Write the report as HTML; nothing in the texts of the corpus is markup or a script there.

    Args:
        found: the errors.
        title: its heading; by default the systems' names.
        heading: names and texts below it: the files and the size of the corpus.
        train: a training set, see `SystemErrors.buckets`.
        by: values that tell spans apart, see `SystemErrors.buckets`.
        precision: how numbers are written.
        most: how many errors of all systems are shown in their sentences; if there are more, a random choice.
        seed: of the draw.
    """
    shown = max(most // len(found.systems), 1)
    data = {
        name: report_data(
            system.matched, (system.references, system.predictions), system.context, most=shown, seed=seed
        )
        for name, system in found.systems.items()
    }
    kinds = [
        {"name": name, "title": name.replace("_", " "), "symbol": style[0], "help": f"{style[2:]} line: {text}"}
        for (name, text), style in zip(KINDS.items(), _STYLES, strict=True)
    ]
    return render(
        "report.html",
        title=title or f"Errors of {', '.join(found.systems)}",
        facts=heading or [("size", found.size)],
        systems=[
            {
                "sections": list(_sections(system)),
                "answers": _wrong_answers(system),
                "buckets": list(_buckets(system, train, by)),
                "left_out": _left_out(data[name], seed),
            }
            for name, system in found.systems.items()
        ],
        sections=list(_common_sections(found)),
        precision=precision or Precision(),
        signatures=[found.signature],
        data={"kinds": kinds, "sides": SIDES, "systems": [{"name": name, **of} for name, of in data.items()]},
        script="report.js",
    )


def _sections(system: SystemErrors) -> Iterator[Section]:
    """Yield the scores of a system, its kinds of errors, and the errors of answers."""
    measure = system.measure
    counts = measure.count(system.matched.alignment)
    intervals = {} if system.resampling is None else measure.intervals(counts, system.resampling)
    keys = list(measure.keys)
    cells = score_cells(measure, measure.score(counts), keys, intervals)
    sizes = f"{len(system.references):,} reference and {len(system.predictions):,} predicted spans, "
    line = f"{sizes}{system.counts['correct']:,} correct, {system.errors:,} errors."
    yield Section("Scores", [Table("measure", list(map(head, keys)), [[measure.name, *cells]])], line)
    tables = [cost_table(system), mark_table(system), label_table(system), share_table(system)]
    notes = legend(measure, system.resampling, system.references.documents)
    yield Section("Kinds of errors", tables, " ".join(notes))
    if system.answers is not None:
        note = " ".join(f"{kind}: {text}." for kind, text in ANSWER_KINDS.items())
        yield Section("What the answers get wrong", [system.answers.table()], note)


def _wrong_answers(system: SystemErrors) -> Mapping[str, Any] | None:
    errors = system.answers
    return wrong_answers(errors, system.context.names) if errors is not None and errors.found else None


def _common_sections(errors: Errors) -> Iterator[Section]:
    """Yield the parts about all systems together, and about the reference."""
    if len(errors.systems) > 1:
        yield Section("The systems beside each other", [beside_table(errors), errors.shared.table()])
    listed = errors.inconsistencies.found
    if listed:
        note = "Strings that the reference mostly gives one label, and at times another: the rare labels may be errors."
        more = f" The first {_MOST_INCONSISTENT} of {len(listed):,}." if len(listed) > _MOST_INCONSISTENT else ""
        table = errors.inconsistencies.table(_MOST_INCONSISTENT)
        yield Section("Probable errors of the reference", [table], note + more)


def _left_out(data: Mapping[str, Any], seed: int) -> str:
    """Write a note on the errors that a report leaves out; empty if it has all errors."""
    shown, total = len(data["errors"]), data["total"]
    if shown == total:
        return ""
    return (
        f"Left out: the sentences of {total - shown:,} errors. {shown:,} of {total:,} were drawn at random "
        f"(seed {seed}); the tables count all of them."
    )


def _buckets(system: SystemErrors, train: Any, by: Mapping[str, Any] | None) -> Iterator[Table]:
    """Yield the tables of buckets with two columns: F1 or recall, and the spans of the reference."""
    for table in bucket_tables(system.buckets(train=train, by=by).scores):
        keys = list(table.keys)
        kept = ["f1" if "f1" in keys else "recall", "reference"]
        places = [0, *(keys.index(key) + 1 for key in kept)]
        rows = [[row[place] for place in places] for row in table.rows if row is not None]
        yield replace(table, heads=["", "", *kept], rows=rows)
