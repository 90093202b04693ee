"""The report of errors: one file of HTML that needs no network, with the errors in their sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from ..alignment.matched_spans import KINDS, MatchedSpans
from ..alignment.overlaps import overlaps
from ..analysis.bucket_tables import BucketScores, bucket_tables
from ..analysis.error_examples import Context, ErrorChoice, ErrorExamples, MentionTexts, extent_of, order_of_line
from ..arrays import integers, offsets_of, ordered_codes
from ..errors import printable
from ..spans.spans import Spans
from ..tables.exports import to_html
from ..tables.table import Number, Part, Precision, Table
from ..version import __version__
from .files import read_file

MOST_ERRORS = 10_000
"""At most so many errors are in a report; of more, so many are drawn at random."""

_WHOLE = {" ": 80, "": 500}
"""Documents of at most so many words, or characters, are shown whole, by what stands between two."""

_AROUND = {" ": 30, "": 200}
"""How many words, or characters, of a longer document are shown on both sides of an error."""

_STRINGS = 20
"""How many of the strings that are most often wrong are listed."""

_SIDES = ("reference", "prediction")

_STYLES = {
    "correct": ("✓", "solid line"),
    "wrong_label": ("≠", "dotted line"),
    "wrong_extent": ("≈", "dashed line"),
    "wrong_label_and_extent": ("≉", "thick dotted line"),
    "missing": ("✗", "double line"),
    "spurious": ("+", "wavy line"),
}
"""The symbol of each kind of span, and the line below it; colours are in marks.css."""


@dataclass(frozen=True)
class Section:
    """A part of the report above the matrix.

    Attributes:
        title: its heading.
        parts: its lines and tables.
        note: a line below the heading.
    """

    title: str
    parts: Sequence[Part]
    note: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportedSystem:
    """What a report has of a system.

    Attributes:
        name: of the system.
        sections: what stands above the matrix: scores, kinds of errors and the like.
        buckets: the scores of buckets.
        matched: the spans of both sides, matched.
        sides: the spans that were matched, of both sides.
    """

    name: str
    sections: Sequence[Section] = ()
    buckets: Sequence[BucketScores] = ()
    matched: MatchedSpans
    sides: tuple[Spans, Spans]


def error_report(
    title: str,
    heading: Sequence[tuple[str, str]],
    systems: Sequence[ReportedSystem],
    context: Context,
    *,
    precision: Precision | None = None,
    signatures: Sequence[str] = (),
    most: int = MOST_ERRORS,
    seed: int = 0,
) -> str:
    """Return the report as a page of HTML; nothing in the texts of the corpus is markup or a script there.

    Args:
        title: what is compared with what.
        heading: names and texts: the files, the size of the corpus.
        systems: the errors of each system; the page shows one at a time.
        context: the words and lines of the documents.
        precision: how numbers are written.
        signatures: how the scores were made.
        most: how many errors of all systems are shown in their sentences; of more, so many are drawn at random.
        seed: of the draw.
    """
    known = precision or Precision()
    blocks, described = [], []
    for system in systems:
        data = report_data(system, context, most=max(most // len(systems), 1), seed=seed)
        described.append(data)
        parts = [_section(section, known) for section in system.sections]
        parts += [_buckets(system.buckets, known)] if system.buckets else []
        parts += _left_out(data, seed)
        blocks.append(f'<div class="er-system">{"".join(parts)}</div>')
    facts = "".join(f"<dt>{_shown(name)}</dt><dd>{_shown(text)}</dd>" for name, text in heading)
    lines = "".join(f'<p class="er-signature">{_shown(line)}</p>' for line in signatures)
    kinds = [
        {"name": name, "title": name.replace("_", " "), "symbol": symbol, "line": line}
        for name, (symbol, line) in _STYLES.items()
    ]
    filled = {
        "TITLE": _shown(title),
        "STYLE": read_file("report.css") + read_file("marks.css"),
        "HEADING": f'<dl class="er-facts">{facts}</dl>',
        "SECTIONS": "\n".join(blocks),
        "FOOTER": f"{lines}<p>Spanometer {__version__}</p>",
        "DATA": _json({"kinds": kinds, "sides": _SIDES, "systems": described}),
        "SCRIPT": read_file("report.js"),
    }
    # in one pass, so that nothing is filled into what was filled in
    return re.sub("%([A-Z]+)%", lambda place: filled[place[1]], read_file("report.html"))


def _left_out(data: Mapping[str, Any], seed: int) -> list[str]:
    """Return what a report says of errors that are not in it; nothing if all are."""
    shown, total = len(data["errors"]), data["total"]
    if shown == total:
        return []
    return [
        f'<p class="sm-note">Left out: the sentences of {total - shown:,} errors. {shown:,} of {total:,} were drawn '
        f"at random (seed {seed}); the tables count all of them.</p>"
    ]


def _shown(text: str) -> str:
    return escape(printable(text))


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON in which nothing ends a script or begins a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _section(section: Section, precision: Precision) -> str:
    note = f'<p class="sm-muted">{_shown(section.note)}</p>' if section.note else ""
    body = f'<div class="sm-scroll" tabindex="0" role="region">{to_html(section.parts, precision)}</div>'
    return f"<section><h2>{_shown(section.title)}</h2>{note}{body}</section>"


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
        texts = [_number(cell, precision) if isinstance(cell, Number) else _shown(str(cell)) for cell in cells]
        score = cells[0]
        line = _line(score) if isinstance(score, Number) else ""
        name = (row or ("",))[0]
        rows.append(
            f"<tr><th scope=row>{_shown(str(name))}</th><td class=er-line>{line}</td>"
            + "".join(f"<td>{text}</td>" for text in texts)
            + "</tr>"
        )
    heads = "".join(f"<th scope=col>{_shown(head)}</th>" for head in ("", "", *kept))
    return (
        f'<div class="sm-scroll" tabindex="0" role="region" aria-label="{_shown(table.title)}">'
        f"<h3>{_shown(table.title)}</h3>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _number(cell: Number, precision: Precision) -> str:
    point, *bounds = map(escape, precision.texts(cell))
    return f'{point} <span class="er-bounds">[{", ".join(bounds)}]</span>' if bounds else point


def _line(score: Number) -> str:
    low, high = score.interval or (score.value, score.value)
    bounds = f"--low:{low:.4f};--high:{high:.4f};--value:{score.value:.4f}"
    return f'<span class="er-range" style="{bounds}" aria-hidden="true"><i></i><b></b></span>'


def report_data(system: ReportedSystem, context: Context, *, most: int = MOST_ERRORS, seed: int = 0) -> dict[str, Any]:
    """Return what the script of the report shows of a system, as built-in types, see `error_report`."""
    matched, sides = system.matched, system.sides
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
    marks = [_marks(matched, name, spans, passages, number) for name, spans in zip(_SIDES, sides, strict=True)]
    separator = " " if context.wording is None else context.wording.separator
    return {
        "name": system.name,
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
