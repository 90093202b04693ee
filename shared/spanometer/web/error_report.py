"""The report of errors: one HTML file, which needs no network, with errors in their sentences."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ..alignment.matched_spans import KINDS, MARKS
from ..alignment.overlaps import order_of_line
from ..analysis.errors.errors import Errors, SystemErrors, label_table, legend, mark_table, share_table
from ..analysis.errors.examples import ErrorChoice, extent_of, first_of
from ..analysis.errors.kinds import ANSWER_KINDS
from ..analysis.scores.report import kind_of, score_columns
from ..arrays import offsets_of
from ..exceptions import printable
from ..spans.wording import coded_strings
from ..tables.table import Cell, Number, Precision, Table, defined_interval, styled
from .passages import Passages, separator_of, wrong_answers
from .templates import Section, render, write_page

MOST_ERRORS = 50_000
"""The maximum number of errors that a report shows in their sentences. If there are more, they are drawn at random."""

_MOST_SUSPICIOUS = 50
"""The maximum number of suspicious references in the list."""

_STYLES = ("✓ solid", "≠ dotted", "≈ dashed", "≉ thick dotted", "✗ double", "+ wavy")
"""The symbol and the underline of each kind of span, in the order of `KINDS`; colours are in marks.css."""

_CODES = 48
"""Integers in a column are written as characters, counted from this one, so that each takes one byte."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The two sides of a report, and the words for them.

    Attributes:
        reference: the name of the side with which others are compared.
        predicted: the name of the other sides.
        difference: the noun for an error.
        kinds: the title and the meaning of each kind of span.
        columns: in downloads, the column names for the system, for its label and for the reference label.
        beside: the label of the control that chooses between errors of two systems.
        changes: the names of its choices.
        sections: further sections.
        signatures: the signatures at the end; by default the signature of the errors.
        notes: the explanations below the tables; by default the legend of the errors.
        costs: positions in the concatenated documents, and the cost at each, by which sentences can be ordered.
    """

    reference: str = "reference"
    predicted: str = "prediction"
    difference: str = "error"
    kinds: Mapping[str, tuple[str, str]] = field(
        default_factory=lambda: {name: (name.replace("_", " "), text) for name, text in KINDS.items()}
    )
    columns: tuple[str, str, str] = ("system", "predicted_label", "reference_label")
    beside: str = "Changes from"
    changes: Mapping[str, str] = field(
        default_factory=lambda: {"fixed": "fixed", "new": "new", "both": "wrong in both"}
    )
    sections: Sequence[Section] = ()
    signatures: Sequence[str] = ()
    notes: Sequence[str] = ()
    costs: tuple[np.ndarray, np.ndarray] | None = None

    def worded(self, table: Table) -> Table:
        """Replace the names of columns and rows in a table of errors by the words for these sides."""
        titles = {name: title for name, (title, _) in self.kinds.items()}
        titles |= {"reference": self.reference, "predicted": self.predicted, "error": self.difference}
        titles |= {name.replace("_", " "): title for name, title in titles.items()}
        rows: list[Sequence[Cell] | None] = []
        for row in table.rows:
            name, style = styled(row[0]) if row and not isinstance(row[0], Number) else ("", "")
            rows.append(row and [(titles.get(name, name), style), *row[1:]])
        heads = [titles.get(key, head) for key, head in zip(table.keys or table.heads, table.heads, strict=True)]
        return replace(table, title=titles.get(table.title, table.title), heads=heads, rows=rows)


def write_error_report(errors: Errors, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a report of errors into one HTML file, which needs no network.

    Args:
        errors: the errors.
        path: the file, whose name ends in .html; an existing file is replaced.
        **options: see `error_report`.

    Raises:
        InputError: if the name does not end in .html.
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
    compared: Compared | None = None,
) -> str:
    """Return the report as HTML. Texts of the corpus are escaped.

    Args:
        errors: the errors.
        title: the title; by default the names of the systems.
        heading: names and texts below the title, such as the files and the size of the corpus.
        train: a training set, see `SystemErrors.buckets`.
        by: values by which spans are grouped, see `SystemErrors.buckets`.
        precision: how numbers are written.
        most: the maximum number of errors, of all systems together, that are shown in their sentences. If there are
            more, they are drawn at random. Counts always include all errors.
        seed: the seed of this draw.
        compared: the sides and the words for them; by default systems and a reference.
    """
    written, of_pairs, systems = precision or Precision(), compared or Compared(), errors.systems
    tables = [
        *of_pairs.sections,
        *(_sections(errors, train) if compared is None else _label_sections(errors, compared)),
    ]
    answers = {name: wrong_answers(system) for name, system in systems.items()}
    first = next(iter(systems.values()))
    return render(
        "report.html",
        title=title or f"Errors of {', '.join(systems)}",
        facts=heading or [("size", errors.size)],
        compared=of_pairs,
        head=_head(errors, written, of_pairs),
        sections=tables,
        wrong_answers={name: of_system for name, of_system in answers.items() if of_system},
        script="report.js",
        precision=written,
        signatures=of_pairs.signatures or [errors.signature],
        notes=of_pairs.notes or legend(first.measure, first.resampling, errors.documents),
        data=report_data(errors, train=train, by=by, precision=written, most=most, seed=seed, compared=of_pairs),
    )


def fragment(**choice: str) -> str:
    """Write a selection as the fragment of a URL; the script of the report reads it."""
    return "#" + urlencode(choice)


def _of_system(errors: Errors, name: str) -> dict[str, str]:
    return {"system": printable(name)} if len(errors.systems) > 1 else {}


def _head(errors: Errors, precision: Precision, compared: Compared) -> dict[str, Any]:
    """Return the head of a report: each system's score, and the number and the gain of each kind of error."""
    systems = errors.systems.values()
    costs = {name: {cost.kind: cost for cost in system.costs.kinds} for name, system in errors.systems.items()}
    highest = max((abs(cost.gain) for of_system in costs.values() for cost in of_system.values()), default=0) or 1
    first = next(iter(systems))
    kind = kind_of(first.measure, first.costs.key)
    rows = []
    for cost in first.costs.kinds:
        whole, _, part = cost.kind.partition("wrong_boundary_")
        chosen = {"kind": "wrong_boundary", "boundary": part} if part else {"kind": whole}
        cells = [
            {
                "count": of_system[cost.kind].count,
                "gain": precision.text(Number(of_system[cost.kind].gain, kind, signed=True)),
                "share": abs(of_system[cost.kind].gain) / highest,
                "link": fragment(**_of_system(errors, name), **chosen),
            }
            for name, of_system in costs.items()
        ]
        rows.append({"name": part or compared.kinds[cost.kind][0], "part": bool(part), "cells": cells})
    scores = [
        {
            "name": name,
            "score": precision.texts(
                Number(system.costs.score, kind, interval=defined_interval(system.costs.interval))
            ),
            "errors": system.errors,
            "link": fragment(**_of_system(errors, name)),
        }
        for name, system in errors.systems.items()
    ]
    return {"measure": f"{first.measure.name} {first.costs.key}", "systems": scores, "rows": rows}


def _sections(errors: Errors, train: Any) -> Iterator[Section]:
    """Yield the sections on changes, suspicious references, labels and answers."""
    pairs = list(combinations(errors.systems, 2))
    if pairs:
        tables = [errors.shared.table(), *(errors.difference(*pair).table() for pair in pairs)]
        links = [{}, *(_change_links(*pair, table) for pair, table in zip(pairs, tables[1:], strict=True))]
        yield Section("Changes between systems", tables, name="changes", links=links)
    suspicious = errors.suspicious(train)
    if len(suspicious):
        note = "Every system errs there. Evidence: systems that agree, and other labels of the same string."
        more = f" The first {_MOST_SUSPICIOUS} of {len(suspicious):,}." if len(suspicious) > _MOST_SUSPICIOUS else ""
        yield Section("Suspicious references", [suspicious.table(_MOST_SUSPICIOUS)], note + more, name="suspicious")
    yield from _label_sections(errors)


def _label_sections(errors: Errors, compared: Compared | None = None) -> Iterator[Section]:
    """Yield the sections on labels and marks of each system."""
    for name, system in errors.systems.items():
        of_system = _of_system(errors, name)
        title = f", {printable(name)}" if of_system else ""
        tables = [_score_table(system), label_table(system), share_table(system), mark_table(system)]
        links = [{}, _label_links(tables[1], of_system), {}, _mark_links(system, of_system)]
        worded = tables if compared is None else list(map(compared.worded, tables))
        yield Section(f"Labels and marks{title}", worded, name="labels", links=links)
        if system.answers is not None:
            note = " ".join(f"{kind}: {text}." for kind, text in ANSWER_KINDS.items())
            yield Section(f"Errors of answers{title}", [system.answers.table()], note, name="answers")


def _score_table(system: SystemErrors) -> Table:
    """Return a table of all scores of the measure, with their intervals."""
    measure = system.measure
    counts = measure.count(system.matched.alignment)
    intervals = {} if system.resampling is None else measure.intervals(counts, system.resampling)
    row = (measure.name, *((score, intervals.get(key)) for key, score in measure.score(counts).items()))
    return Table.of("measure", score_columns(measure, measure.keys), [row])


Links = Mapping[tuple[int, int], str]
"""The links of cells in a table, by row and column."""


def _change_links(before: str, after: str, table: Table) -> Links:
    """Link the numbers of changes between two systems to the errors that they count."""
    names = {"before": before, "fixed": after, "new": after, "after": after}
    links = {}
    for row, record in enumerate(table.records()):
        for column, key in enumerate(table.keys, 1):
            if key not in names or not record[key]:
                continue
            other = before if names[key] == after else after
            kind = record["kind"].replace(" ", "_")
            choice = {"system": printable(names[key]), "other": printable(other)}
            choice |= {} if kind == "all_errors" else {"kind": kind}
            links[row, column] = fragment(**choice, **({"change": key} if key in ("fixed", "new") else {}))
    return links


def _label_links(table: Table, of_system: Mapping[str, str]) -> Links:
    """Link the numbers of errors of each label to these errors."""
    links = {}
    for row, record in enumerate(table.records()):
        for column, kind in enumerate(table.keys, 1):
            if kind in KINDS and kind != "correct" and record[kind]:
                side = "predicted" if kind == "spurious" else "reference"
                last = row == len(table.rows) - 1
                label = {} if last else {side: printable(record["label"])}
                links[row, column] = fragment(**of_system, kind=kind, **label)
    return links


def _mark_links(system: SystemErrors, of_system: Mapping[str, str]) -> Links:
    """Link the numbers of errors with a mark to these errors."""
    return {
        (row, column): fragment(**of_system, kind=cost.kind, boundary=mark)
        for row, cost in enumerate(system.costs.kinds)
        for column, mark in enumerate(MARKS, 2)
        if not cost.part and getattr(cost, mark)
    }


def report_data(
    errors: Errors,
    *,
    train: Any = None,
    by: Mapping[str, Any] | None = None,
    precision: Precision | None = None,
    most: int = MOST_ERRORS,
    seed: int = 0,
    compared: Compared | None = None,
) -> dict[str, Any]:
    """Return the errors of all systems, and the passages around them, as columns of built-in types.

    See `error_report` for the arguments.
    """
    first, of_pairs = next(iter(errors.systems.values())), compared or Compared()
    context, offsets = first.context, first.matched.alignment.offsets
    rows = [ErrorChoice().rows(system.matched) for system in errors.systems.values()]
    parts = [
        np.stack([system.matched.document[of_system], *extent_of(system.matched, of_system)])
        for system, of_system in zip(errors.systems.values(), rows, strict=True)
    ]
    place = np.concatenate(parts, axis=1)
    shown = np.ones(place.shape[1], dtype=bool)
    if len(shown) > most:
        shown[:] = False
        shown[np.random.default_rng(seed).choice(len(shown), most, replace=False)] = True
    document, start, end = place[:, shown]
    passages, of_shown = Passages.around(document, start, end, np.diff(offsets), context)
    passage_of = np.full(len(shown), len(passages.document))
    passage_of[shown] = of_shown
    by_system = np.split(passage_of, np.cumsum([len(part) for part in rows])[:-1])
    texts = [system.texts(part) for system, part in zip(errors.systems.values(), rows, strict=True)]
    codes, strings = coded_strings(*texts) if context.wording is not None else (rows, [])
    who = errors.makers(rows)
    systems = []
    for number, (name, system) in enumerate(errors.systems.items()):
        order = np.argsort(by_system[number], kind="stable")
        columns = _columns(system, rows[number][order], by_system[number][order], passages)
        columns["string"] = None if context.wording is None else codes[number][order].tolist()
        columns["who"] = None if len(errors.systems) < 2 else who[number][order].tolist()
        buckets = _buckets(system, rows[number][order], train, by, precision or Precision())
        systems.append({"name": printable(name), **columns, "buckets": list(buckets)})
    kinds = [
        {
            "name": name,
            "title": title,
            "saved": name if compared is None else title,
            "symbol": style[0],
            "help": f"{style[2:]} line: {text}",
        }
        for (name, (title, text)), style in zip(of_pairs.kinds.items(), _STYLES, strict=True)
    ]
    span, begin, stop, passage = passages.pieces(first.references, offsets)
    marks = np.stack([begin, stop - begin, first.references.label[span]], axis=1)
    separator, reference = separator_of(context), printable(of_pairs.reference)
    return {
        "kinds": kinds,
        "own": {
            "name": "reference",
            "title": reference,
            "symbol": "▪",
            "help": f"solid line: a span on the side {reference}",
        },
        "reference": reference,
        "predicted": printable(of_pairs.predicted),
        "error": of_pairs.difference,
        "columns": list(map(printable, of_pairs.columns)),
        "changes": of_pairs.changes,
        "noun": "sentence" if separator else "passage",
        "words": bool(separator) and (context.wording is None or context.wording.characters is None),
        "labels": [printable(label) for label in first.matched.alignment.labels],
        "strings": list(map(printable, strings)),
        "systems": systems,
        "passages": passages.columns(context, offsets, of_pairs.costs),
        "marks": _in_passages(marks, passage, len(passages.document)),
    }


def _columns(system: SystemErrors, rows: np.ndarray, passage: np.ndarray, passages: Passages) -> dict[str, Any]:
    """Return the errors of a system as columns, ordered by passage, and the marks in each passage."""
    matched, offsets = system.matched, system.matched.alignment.offsets
    amounts = np.bincount(passage, minlength=len(passages.document) + 1)
    lines = system.context.lines(matched.document[rows], first_of(matched, rows), offsets)
    shape = matched.boundary[rows].astype(np.int64) + 1
    shape += sum(5 * 2**bit * getattr(matched, mark)[rows] for bit, mark in enumerate(MARKS))
    number = np.full(len(matched), -1)
    number[rows] = np.arange(len(rows))
    # the predicted spans, and the missed reference spans
    missing = matched.prediction < 0
    sides = ((system.predictions, matched.prediction, ~missing), (system.references, matched.reference, missing))
    pieces = []
    for spans, chosen, taken in sides:
        row_of = np.full(len(spans), -1)
        row_of[order_of_line(spans)[chosen[taken]]] = np.flatnonzero(taken)
        span, begin, stop, where = passages.pieces(spans, offsets)
        row = row_of[span]
        code = np.where(number[row] < 0, spans.label[span], -1 - number[row])
        pieces.append(np.stack([where, begin, stop - begin, code], axis=1)[row >= 0])
    marks = np.concatenate(pieces)
    marks = marks[np.lexsort((-marks[:, 2], marks[:, 1], marks[:, 0]))]
    return {
        "amounts": amounts[:-1].tolist(),
        "kind": _coded(matched.kind[rows]),
        "shape": _coded(shape),
        "reference": matched.reference_label[rows].tolist(),
        "predicted": matched.predicted_label[rows].tolist(),
        "line": None if lines is None else lines.tolist(),
        "marks": _in_passages(marks[:, 1:], marks[:, 0], len(passages.document)),
    }


def _coded(codes: np.ndarray) -> str:
    """Encode small integers, from -1, as a string with one character for each."""
    return (codes + _CODES).astype(np.uint8).tobytes().decode("ascii")


def _in_passages(marks: np.ndarray, passage: np.ndarray, passages: int) -> list[list[int]]:
    """Return the indices of the marks in each passage."""
    ends = offsets_of(np.bincount(passage, minlength=passages)).tolist()
    return [marks[low:high].ravel().tolist() for low, high in pairwise(ends)]


def _buckets(
    system: SystemErrors, rows: np.ndarray, train: Any, by: Mapping[str, Any] | None, precision: Precision
) -> Iterator[dict[str, Any]]:
    """Yield for each way of grouping: the names and scores of the groups, and the group of each error (-1 for none)."""
    buckets = system.bucketed(train=train, by=by)
    scores = iter(system.buckets(train=train, by=by).scores)
    for way in buckets:
        listed = [next(scores) for _ in way.names]
        key = "recall" if way.predictions is None else "f1"
        codes = np.full(len(rows), -1)
        for spans, chosen, of_spans in (
            (system.predictions, system.matched.prediction[rows], way.predictions),
            (system.references, system.matched.reference[rows], way.references),
        ):
            if of_spans is not None:
                codes[chosen >= 0] = of_spans[order_of_line(spans)[chosen[chosen >= 0]]]
        cells = []
        for row in listed:
            value, bounds = row.scores[key], defined_interval(row.intervals.get(key))
            text = None if math.isnan(value) else precision.text(Number(value, interval=bounds))
            low, high = bounds or (value, value)
            numbers = [None, None, None] if text is None else [round(float(each), 4) for each in (value, low, high)]
            cells.append([*numbers, row.sizes["reference"], text])
        names = list(map(printable, way.names))
        yield {"by": printable(way.name), "key": key, "names": names, "scores": cells, "codes": _coded(codes)}
