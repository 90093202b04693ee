"""The report of errors: one file of HTML that needs no network, with the errors in their sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ..analysis.errors.buckets import BucketScores, bucket_tables
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
from ..readers.writing import writing
from ..tables.table import Number, Precision, Table, head
from .answer_section import answer_sections
from .frame import framed, require_html, section, shown
from .report_data import SIDES, report_data

MOST_ERRORS = 10_000
"""At most so many errors are in a report; of more, so many are drawn at random."""

_MOST_INCONSISTENT = 30
"""How many strings with several labels in the reference are listed."""

_STYLES = {
    "correct": ("✓", "solid line"),
    "wrong_label": ("≠", "dotted line"),
    "wrong_extent": ("≈", "dashed line"),
    "wrong_label_and_extent": ("≉", "thick dotted line"),
    "missing": ("✗", "double line"),
    "spurious": ("+", "wavy line"),
}
"""The symbol of each kind of span, and the line below it; colours are in marks.css."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is in a report beside the errors.

    Attributes:
        title: its heading; by default the systems' names.
        heading: names and texts below it: the files and the size of the corpus.
        train: a training set, see `SystemErrors.buckets`.
        by: values that tell spans apart, see `SystemErrors.buckets`.
        precision: how numbers are written.
        most: how many errors of all systems are shown in their sentences; of more, so many are drawn at random.
        seed: of the draw.
    """

    title: str = ""
    heading: Sequence[tuple[str, str]] = ()
    train: Any = None
    by: Mapping[str, Any] | None = None
    precision: Precision = field(default_factory=Precision)
    most: int = MOST_ERRORS
    seed: int = 0


def write_error_report(found: Errors, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of errors that can be sent to others: one file, which needs no network.

    Args:
        found: the errors.
        path: the file, whose name ends in .html; one that is there is replaced.
        **options: see `ReportOptions`.

    Raises:
        InputError: for another name.
    """
    require_html(path)
    with writing(path, replace=True) as stream:
        stream.write(error_report(found, ReportOptions(**options)).encode())


def error_report(found: Errors, options: ReportOptions | None = None) -> str:
    """Return the report as HTML; nothing in the texts of the corpus is markup or a script there."""
    chosen = options or ReportOptions()
    names = list(found.systems)
    title = chosen.title or f"Errors of {', '.join(names)}"
    blocks, described = [], []
    for name, system in found.systems.items():
        most = max(chosen.most // len(names), 1)
        sides = system.references, system.predictions
        data = report_data(system.matched, sides, system.context, most=most, seed=chosen.seed)
        described.append({"name": name, **data})
        parts = [*_system_sections(system, chosen), *_left_out(data, chosen.seed)]
        blocks.append(f'<div class="er-system">{"".join(parts)}</div>')
    kinds = [
        {"name": name, "title": name.replace("_", " "), "symbol": symbol, "line": line}
        for name, (symbol, line) in _STYLES.items()
    ]
    return framed(
        "report",
        title=title,
        facts=chosen.heading or [("size", found.size)],
        sections=[*blocks, *_common_sections(found, chosen)],
        signature=found.signature,
        data={"kinds": kinds, "sides": SIDES, "systems": described},
    )


def _system_sections(system: SystemErrors, options: ReportOptions) -> Iterator[str]:
    """Yield the scores of a system, its kinds of errors and its buckets."""
    measure, precision = system.measure, options.precision
    counts = measure.count(system.matched.alignment)
    intervals = {} if system.resampling is None else measure.intervals(counts, system.resampling)
    keys = list(measure.keys)
    cells = score_cells(measure, measure.score(counts), keys, intervals)
    sizes = f"{len(system.references):,} reference and {len(system.predictions):,} predicted spans, "
    line = f"{sizes}{system.counts['correct']:,} correct, {system.errors:,} errors."
    yield section("Scores", [Table("measure", list(map(head, keys)), [[measure.name, *cells]])], line, precision)
    tables = [cost_table(system), mark_table(system), label_table(system), share_table(system)]
    notes = legend(measure, system.resampling, system.references.documents)
    yield section("Kinds of errors", tables, " ".join(notes), precision)
    if system.answers is not None:
        yield from answer_sections(system.answers, system.context.names, precision)
    yield _buckets(system.buckets(train=options.train, by=options.by).scores, precision)


def _common_sections(found: Errors, options: ReportOptions) -> Iterator[str]:
    """Yield the parts about all systems together, and about the reference."""
    if len(found.systems) > 1:
        tables = [beside_table(found), found.shared.table()]
        yield section("The systems beside each other", tables, "", options.precision)
    listed = found.inconsistencies.found
    if listed:
        note = "Strings that the reference mostly gives one label, and at times another: the rare labels may be errors."
        more = f" The first {_MOST_INCONSISTENT} of {len(listed):,}." if len(listed) > _MOST_INCONSISTENT else ""
        table = found.inconsistencies.table(_MOST_INCONSISTENT)
        yield section("Probable errors of the reference", [table], note + more, options.precision)


def _left_out(data: Mapping[str, Any], seed: int) -> list[str]:
    """Return what a report says of errors that are not in it; nothing if all are."""
    shown, total = len(data["errors"]), data["total"]
    if shown == total:
        return []
    return [
        f'<p class="sm-note">Left out: the sentences of {total - shown:,} errors. {shown:,} of {total:,} were drawn '
        f"at random (seed {seed}); the tables count all of them.</p>"
    ]


def _buckets(buckets: Sequence[BucketScores], precision: Precision) -> str:
    """Return the tables of buckets, with a line for the interval of the last score."""
    tables = "".join(_bucket_table(table, precision) for table in bucket_tables(buckets))
    note = "The dot is F1, or recall where the reference alone tells spans apart; the line is its interval."
    return f'<section><h2>Buckets</h2><p class="sm-muted">{note}</p><div class="er-buckets">{tables}</div></section>'


def _bucket_table(table: Table, precision: Precision) -> str:
    keys = list(table.keys)
    kept = ["f1" if "f1" in keys else "recall", "reference"]
    places = [keys.index(key) + 1 for key in kept]
    rows = []
    for row in table.rows:
        cells = [(row or ())[place] for place in places]
        texts = [_number(cell, precision) if isinstance(cell, Number) else shown(str(cell)) for cell in cells]
        score = cells[0]
        line = _line(score) if isinstance(score, Number) else ""
        name = (row or ("",))[0]
        rows.append(
            f"<tr><th scope=row>{shown(str(name))}</th><td class=er-line>{line}</td>"
            + "".join(f"<td>{text}</td>" for text in texts)
            + "</tr>"
        )
    heads = "".join(f"<th scope=col>{shown(head)}</th>" for head in ("", "", *kept))
    return (
        f'<div class="sm-scroll" tabindex="0" role="region" aria-label="{shown(table.title)}">'
        f"<h3>{shown(table.title)}</h3>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _number(cell: Number, precision: Precision) -> str:
    point, *bounds = map(escape, precision.texts(cell))
    return f'{point} <span class="er-bounds">[{", ".join(bounds)}]</span>' if bounds else point


def _line(score: Number) -> str:
    low, high = score.interval or (score.value, score.value)
    bounds = f"--low:{low:.4f};--high:{high:.4f};--value:{score.value:.4f}"
    return f'<span class="er-range" style="{bounds}" aria-hidden="true"><i></i><b></b></span>'
