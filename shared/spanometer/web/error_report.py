"""The report of errors: one HTML file, which needs no network, with errors in their sentences."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ..alignment.matched_spans import KINDS, MARKS
from ..analysis.errors.errors import Errors, SystemErrors, label_table, legend, mark_table, share_table
from ..analysis.errors.examples import ErrorChoice
from ..analysis.errors.kinds import ANSWER_KINDS
from ..analysis.scores.report import kind_of, score_columns
from ..arrays import offsets_of
from ..exceptions import printable
from ..spans.wording import coded_strings
from ..tables.table import Cell, Number, Precision, Table, defined_interval, styled
from .passages import Passages, wrong_answers
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
    kinds: Mapping[str, tuple[str, str]]
    columns: tuple[str, str, str] = ("system", "predicted_label", "reference_label")
    beside: str = "Changes from"
    changes: Mapping[str, str]
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


_ERRORS = Compared(
    kinds={name: (name.replace("_", " "), text) for name, text in KINDS.items()},
    changes={"fixed": "fixed", "new": "new", "both": "wrong in both"},
)
"""The sides of a report of errors."""


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
    report = _ErrorReport(errors, compared or _ERRORS, precision or Precision(), {"train": train, "by": by})
    answers = {name: wrong_answers(system) for name, system in errors.systems.items()}
    return render(
        "report.html",
        title=title or f"Errors of {', '.join(errors.systems)}",
        facts=heading or [("size", errors.size)],
        compared=report.compared,
        head=report.head(),
        sections=[*report.compared.sections, *report.sections()],
        wrong_answers={name: of_system for name, of_system in answers.items() if of_system},
        script="report.js",
        precision=report.precision,
        signatures=report.compared.signatures or [errors.signature],
        notes=report.compared.notes or legend(errors.first.measure, errors.first.resampling, errors.documents),
        data=report.data(most, seed),
    )


Links = Mapping[tuple[int, int], str]
"""The links of cells in a table, by row and column."""


@dataclass(frozen=True, eq=False)
class _ErrorReport:
    """The parts of a report, see `error_report` for its attributes; `grouping` has `train` and `by`."""

    errors: Errors
    compared: Compared
    precision: Precision
    grouping: Mapping[str, Any]

    def fragment(self, system: str, **choice: str) -> str:
        """Write a selection of a system's errors as the fragment of a URL; the script of the report reads it."""
        of_system = {"system": printable(system)} if len(self.errors.systems) > 1 else {}
        return "#" + urlencode({**of_system, **choice})

    def head(self) -> dict[str, Any]:
        """Return the head: each system's score, and the number and the gain of each kind of error."""
        first, systems = self.errors.first, self.errors.systems
        costs = {name: {cost.kind: cost for cost in system.costs.kinds} for name, system in systems.items()}
        highest = max((abs(cost.gain) for of_system in costs.values() for cost in of_system.values()), default=0) or 1
        kind = kind_of(first.measure, first.costs.key)
        rows = []
        for cost in first.costs.kinds:
            part = cost.kind.removeprefix("wrong_boundary_") if cost.part else ""
            chosen = {"kind": "wrong_boundary", "boundary": part} if part else {"kind": cost.kind}
            cells = [
                {
                    "count": of_system[cost.kind].count,
                    "gain": self.precision.text(Number(of_system[cost.kind].gain, kind, signed=True)),
                    "share": abs(of_system[cost.kind].gain) / highest,
                    "link": self.fragment(name, **chosen),
                }
                for name, of_system in costs.items()
            ]
            rows.append({"name": part or self.compared.kinds[cost.kind][0], "part": bool(part), "cells": cells})
        scores = [
            {
                "name": name,
                "score": self.precision.texts(
                    Number(system.costs.score, kind, interval=defined_interval(system.costs.interval))
                ),
                "errors": system.errors,
                "link": self.fragment(name),
            }
            for name, system in systems.items()
        ]
        return {"measure": f"{first.measure.name} {first.costs.key}", "systems": scores, "rows": rows}

    def sections(self) -> Iterator[Section]:
        """Yield the sections on changes, suspicious references, labels and answers; without the first two for sides."""
        if self.compared is _ERRORS:
            yield from self._sections_of_all()
        for name, system in self.errors.systems.items():
            title = f", {printable(name)}" if len(self.errors.systems) > 1 else ""
            tables = [_score_table(system), label_table(system), share_table(system), mark_table(system)]
            links = [{}, self._label_links(name, tables[1]), {}, self._mark_links(name)]
            worded = tables if self.compared is _ERRORS else list(map(self.compared.worded, tables))
            yield Section(f"Labels and marks{title}", worded, name="labels", links=links)
            if system.answers is not None:
                note = " ".join(f"{kind}: {text}." for kind, text in ANSWER_KINDS.items())
                yield Section(f"Errors of answers{title}", [system.answers.table()], note, name="answers")

    def _sections_of_all(self) -> Iterator[Section]:
        pairs = list(combinations(self.errors.systems, 2))
        if pairs:
            tables = [self.errors.difference(*pair).table() for pair in pairs]
            links = [{}, *(self._change_links(*pair, table) for pair, table in zip(pairs, tables, strict=True))]
            shared = self.errors.shared.table()
            yield Section("Changes between systems", [shared, *tables], name="changes", links=links)
        suspicious = self.errors.suspicious(self.grouping["train"])
        if len(suspicious):
            note = "Every system errs there. Evidence: systems that agree, and other labels of the same string."
            if len(suspicious) > _MOST_SUSPICIOUS:
                note += f" The first {_MOST_SUSPICIOUS} of {len(suspicious):,}."
            yield Section("Suspicious references", [suspicious.table(_MOST_SUSPICIOUS)], note, name="suspicious")

    def _change_links(self, before: str, after: str, table: Table) -> Links:
        """Link the numbers of changes between two systems to the errors that they count."""
        sides = {"before": (before, after), **dict.fromkeys(("fixed", "new", "after"), (after, before))}
        links = {}
        for row, record in enumerate(table.records()):
            kind = record["kind"].replace(" ", "_")
            of_kind = {} if kind == "all_errors" else {"kind": kind}
            for column, key in enumerate(table.keys, 1):
                if key in sides and record[key]:
                    system, other = sides[key]
                    change = {"change": key} if key in ("fixed", "new") else {}
                    links[row, column] = self.fragment(system, other=printable(other), **of_kind, **change)
        return links

    def _label_links(self, system: str, table: Table) -> Links:
        """Link the numbers of errors of each label, and of all labels in the last row, to these errors."""
        links = {}
        for row, record in enumerate(table.records()):
            for column, kind in enumerate(table.keys, 1):
                if kind in KINDS and kind != "correct" and record[kind]:
                    side = "predicted" if kind == "spurious" else "reference"
                    label = {} if row == len(table.rows) - 1 else {side: printable(record["label"])}
                    links[row, column] = self.fragment(system, kind=kind, **label)
        return links

    def _mark_links(self, system: str) -> Links:
        """Link the numbers of errors with a mark to these errors."""
        return {
            (row, column): self.fragment(system, kind=cost.kind, boundary=mark)
            for row, cost in enumerate(self.errors.systems[system].costs.kinds)
            for column, mark in enumerate(MARKS, 2)
            if not cost.part and getattr(cost, mark)
        }

    def data(self, most: int, seed: int) -> dict[str, Any]:
        """Return the errors of all systems, and the passages around them, as columns of built-in types."""
        first, compared, systems = self.errors.first, self.compared, self.errors.systems
        context, offsets = first.context, first.matched.alignment.offsets
        rows = [ErrorChoice().rows(system.matched) for system in systems.values()]
        parts = list(zip(systems.values(), rows, strict=True))
        place = np.concatenate([system.extent[:, chosen] for system, chosen in parts], axis=1)
        shown = np.ones(place.shape[1], dtype=bool)
        if len(shown) > most:
            shown[:] = False
            shown[np.random.default_rng(seed).choice(len(shown), most, replace=False)] = True
        document, start, end = place[:, shown]
        passages, of_shown = Passages.around(document, start, end, np.diff(offsets), context)
        passage_of = np.full(len(shown), len(passages.document))
        passage_of[shown] = of_shown
        texts = (system.texts(chosen) for system, chosen in parts)
        codes, strings = coded_strings(*texts) if context.wording is not None else ([], [])
        who = self.errors.makers(rows) if len(systems) > 1 else []
        columns, begin = [], 0
        for number, (system, chosen) in enumerate(parts):
            passage = passage_of[begin : begin + len(chosen)]
            begin += len(chosen)
            order = np.argsort(passage, kind="stable")
            columns.append(
                {
                    "name": printable(list(systems)[number]),
                    **_columns(system, chosen[order], passage[order], passages),
                    "string": codes[number][order].tolist() if codes else None,
                    "who": who[number][order].tolist() if who else None,
                    "buckets": list(self._buckets(system, chosen[order])),
                }
            )
        kinds = [
            {
                "name": name,
                "title": title,
                "saved": title,
                "symbol": style[0],
                "help": f"{style[2:]} line: {text}",
            }
            for (name, (title, text)), style in zip(compared.kinds.items(), _STYLES, strict=True)
        ]
        separator, reference = context.separator, printable(compared.reference)
        own = {"title": reference, "symbol": "▪", "help": f"solid line: a span on the side {reference}"}
        span, start, stop, passage = passages.pieces(first.references, offsets)
        marks = np.stack([start, stop - start, first.references.label[span]], axis=1)
        return {
            "kinds": kinds,
            "own": {"name": "reference", **own},
            "reference": reference,
            "predicted": printable(compared.predicted),
            "error": compared.difference,
            "columns": list(map(printable, compared.columns)),
            "changes": compared.changes,
            "noun": "sentence" if separator else "passage",
            "words": bool(separator) and (context.wording is None or context.wording.characters is None),
            "labels": [printable(label) for label in first.matched.alignment.labels],
            "strings": list(map(printable, strings)),
            "systems": columns,
            "passages": passages.columns(offsets, compared.costs),
            "marks": _in_passages(marks, passage, len(passages.document)),
        }

    def _buckets(self, system: SystemErrors, rows: np.ndarray) -> Iterator[dict[str, Any]]:
        """Yield for each way of grouping: the names and scores of the groups, and the group of each error (or -1)."""
        buckets = system.bucketed(**self.grouping)
        scores = iter(system.buckets(**self.grouping).scores)
        for way in buckets:
            listed = [next(scores) for _ in way.names]
            key = "recall" if way.predictions is None else "f1"
            codes = np.full(len(rows), -1)
            for chosen, of_spans in (
                (system.prediction[rows], way.predictions),
                (system.reference[rows], way.references),
            ):
                if of_spans is not None:
                    codes[chosen >= 0] = of_spans[chosen[chosen >= 0]]
            cells = []
            for row in listed:
                value, bounds = row.scores[key], defined_interval(row.intervals.get(key))
                text = None if math.isnan(value) else self.precision.text(Number(value, interval=bounds))
                low, high = bounds or (value, value)
                numbers = [None, None, None] if text is None else [round(float(each), 4) for each in (value, low, high)]
                cells.append([*numbers, row.sizes["reference"], text])
            names = list(map(printable, way.names))
            yield {"by": printable(way.name), "key": key, "names": names, "scores": cells, "codes": _coded(codes)}


def _score_table(system: SystemErrors) -> Table:
    """Return a table of all scores of the measure, with their intervals."""
    measure = system.measure
    counts = measure.count(system.matched.alignment)
    intervals = {} if system.resampling is None else measure.intervals(counts, system.resampling)
    row = (measure.name, *((score, intervals.get(key)) for key, score in measure.score(counts).items()))
    return Table.of("measure", score_columns(measure, measure.keys), [row])


def _columns(system: SystemErrors, rows: np.ndarray, passage: np.ndarray, passages: Passages) -> dict[str, Any]:
    """Return the errors of a system as columns, ordered by passage, and the marks in each passage."""
    matched, offsets = system.matched, system.matched.alignment.offsets
    amounts = np.bincount(passage, minlength=len(passages.document) + 1)
    lines = system.context.lines(matched.document[rows], system.first[rows], offsets)
    shape = matched.boundary[rows].astype(np.int64) + 1
    shape += sum(5 * 2**bit * getattr(matched, mark)[rows] for bit, mark in enumerate(MARKS))
    number = np.full(len(matched), -1)
    number[rows] = np.arange(len(rows))
    # the predicted spans, and the missed reference spans
    missing = system.prediction < 0
    sides = ((system.predictions, system.prediction, ~missing), (system.references, system.reference, missing))
    pieces = []
    for spans, chosen, taken in sides:
        row_of = np.full(len(spans), -1)
        row_of[chosen[taken]] = np.flatnonzero(taken)
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
