"""The report of errors: one file of HTML that needs no network, with the errors in their sentences."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..alignment.matched_spans import KINDS, MatchedSpans
from ..alignment.overlaps import order_of_line, overlaps
from ..analysis.errors.answers import ANSWER_KINDS, AnswerErrors
from ..analysis.errors.buckets import bucket_tables
from ..analysis.errors.contexts import Context
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
from ..analysis.errors.examples import ErrorChoice, ErrorExamples, extent_of, mention_texts
from ..analysis.scores.report import score_cells
from ..arrays import integers, offsets_of
from ..exceptions import counted, printable
from ..grounding.grounded import AnswerOutcomes
from ..spans.spans import Spans
from ..tables.table import Precision, Table, head
from .passages import Passages, separator_of
from .templates import Section, render, write_page

MOST_ERRORS = 10_000
"""The greatest number of errors in a report; if there are more, a random choice is shown."""

_MOST_SUSPICIOUS = 50
"""How many suspicious references are listed."""

_STYLES = ("✓ solid", "≠ dotted", "≈ dashed", "≉ thick dotted", "✗ double", "+ wavy")
"""The symbol of each kind of span, in the order of `KINDS`, and the line below it; colours are in marks.css."""


def write_error_report(errors: Errors, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of errors that can be sent to others: one file, which needs no network.

    Args:
        errors: the errors.
        path: the file, whose name ends in .html; an existing file is replaced.
        **options: see `error_report`.

    Raises:
        InputError: for another name.
    """
    write_page(path, lambda: error_report(errors, **options))


def error_report(
    errors: Errors,
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
        errors: the errors.
        title: its heading; by default the systems' names.
        heading: names and texts below it: the files and the size of the corpus.
        train: a training set, see `SystemErrors.buckets`.
        by: values that tell spans apart, see `SystemErrors.buckets`.
        precision: how numbers are written.
        most: how many errors of all systems are shown in their sentences; if there are more, a random choice.
        seed: of the draw.
    """
    shown = max(most // len(errors.systems), 1)
    data = {
        name: report_data(
            system.matched, (system.references, system.predictions), system.context, most=shown, seed=seed
        )
        for name, system in errors.systems.items()
    }
    kinds = [
        {"name": name, "title": name.replace("_", " "), "symbol": style[0], "help": f"{style[2:]} line: {text}"}
        for (name, text), style in zip(KINDS.items(), _STYLES, strict=True)
    ]
    return render(
        "report.html",
        title=title or f"Errors of {', '.join(errors.systems)}",
        facts=heading or [("size", errors.size)],
        systems=[
            {
                "sections": list(_sections(system)),
                "answers": _wrong_answers(system),
                "buckets": list(_buckets(system, train, by)),
                "left_out": _left_out(data[name], seed),
            }
            for name, system in errors.systems.items()
        ],
        sections=list(_common_sections(errors, train)),
        precision=precision or Precision(),
        signatures=[errors.signature],
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


def _common_sections(errors: Errors, train: Any) -> Iterator[Section]:
    """Yield the parts about all systems together, and about the reference."""
    if len(errors.systems) > 1:
        yield Section("The systems beside each other", [beside_table(errors), errors.shared.table()])
    suspicious = errors.suspicious(train)
    if len(suspicious):
        note = "Every system errs there. Evidence: systems that agree, and other labels of the same string."
        more = f" The first {_MOST_SUSPICIOUS} of {len(suspicious):,}." if len(suspicious) > _MOST_SUSPICIOUS else ""
        yield Section("Suspicious references", [suspicious.table(_MOST_SUSPICIOUS)], note + more)


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
        "strings": [(text, number, printable(labels)) for text, number, labels in every.strings()[:_STRINGS]],
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


MOST_ANSWERS = 100
"""How many answers are shown at most."""

_LONGEST = 20_000
"""How many characters of a text or an answer are shown at most."""


@dataclass(frozen=True)
class Piece:
    """A piece of an answer.

    Attributes:
        text: of the piece, up to a limit.
        cut: whether the text is longer.
        kinds: of its errors; none if it is right.
        label: of the item.
    """

    text: str
    cut: bool = False
    kinds: Sequence[str] = ()
    label: str = ""


def _wrong_answers(system: SystemErrors) -> dict[str, Any] | None:
    """List the answers that have errors, for the macro `answers` of sections.html; None if there are none."""
    errors, names = system.answers, system.context.names
    if errors is None or not errors.total:
        return None
    answers = errors.answers()
    pairs = [
        _pair(errors, answer, f"document {answer.document + 1}" if names is None else names[answer.document])
        for answer in islice(answers, MOST_ANSWERS)
    ]
    more = sum(1 for _ in answers)
    return {"pairs": pairs, "more": counted(more, "answer") if more else ""}


def _pair(errors: AnswerErrors, answer: AnswerOutcomes, name: str) -> dict[str, Any]:
    items = [(outcome.item, errors.kinds_of(outcome)) for outcome in answer.outcomes]
    wrong = [Piece(*_cut(item.mention), kinds, item.label) for item, kinds in items if kinds]
    broken = [Piece("the answer", kinds=["broken"])] if answer.read.broken else []
    mentions = [(item.mention, kinds) for item, kinds in items]
    return {
        "name": name,
        "text": _cut(answer.text),
        "answer": list(_pieces(_written(answer.written), mentions)),
        "wrong": wrong + broken,
    }


def _written(answer: Any) -> str:
    """Write an answer as text."""
    if answer is None:
        return ""
    if isinstance(answer, (bytes, bytearray)):
        return bytes(answer).decode("utf-8", "replace")
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)


def _pieces(answer: str, mentions: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Piece]:
    """Yield an answer in pieces, each mention by itself; search each mention behind the mention before it."""
    place = 0
    for mention, kinds in mentions:
        start = answer.find(mention, place, _LONGEST)
        if start >= 0:
            yield Piece(answer[place:start])
            yield Piece(mention, kinds=kinds)
            place = start + len(mention)
    yield Piece(answer[place:_LONGEST], len(answer) > _LONGEST)


def _cut(text: str) -> tuple[str, bool]:
    return text[:_LONGEST], len(text) > _LONGEST
