"""The report of errors: one HTML file, which needs no network, with errors in their sentences."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ..alignment.matched_spans import KINDS, MARKS
from ..analysis.errors.errors import Errors, SystemErrors, kind_tables, label_tables
from ..analysis.errors.examples import ErrorChoice
from ..analysis.errors.kinds import ANSWER_KINDS, KindCost
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import kind_of, score_table
from ..arrays import offsets_of
from ..exceptions import printable
from ..readers.writing import writing
from ..spans.wording import coded_strings
from ..tables.table import Number, Precision, Table, defined_interval
from .passages import Passages, wrong_answers
from .templates import Section, render, require_html

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
        """Replace the names of columns in a table of errors, and of its rows if these are kinds, by the words here."""
        titles = {name: title for name, (title, _) in self.kinds.items()}
        titles |= {"reference": self.reference, "predicted": self.predicted, "error": self.difference}
        heads = [titles.get(key, head) for key, head in zip(table.keys, table.heads, strict=True)]
        rows = table.rows
        if table.title == "error":
            named = zip((record["error"] for record in table.records()), filter(None, rows), strict=True)
            rows = [[titles.get(name.replace(" ", "_"), name), *row[1:]] for name, row in named]
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
    require_html(path)
    with writing(path, replace=True) as stream:
        stream.write(error_report(errors, **options).encode())


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
    compared, precision = compared or _ERRORS, precision or Precision()
    report = _ErrorReport(errors, compared, precision, {"train": train, "by": by})
    answers = {name: wrong_answers(system) for name, system in errors.systems.items()}
    return render(
        "report.html",
        title=title or f"Errors of {', '.join(errors.systems)}",
        facts=heading or [("size", errors.size)],
        compared=compared,
        errors=errors,
        head=report.head(),
        fragment=report.fragment,
        sections=[*compared.sections, *report.sections()],
        wrong_answers={name: of_system for name, of_system in answers.items() if of_system},
        script="report.js",
        precision=precision,
        signatures=compared.signatures or [errors.signature],
        notes=compared.notes or errors.first.legend,
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
        """Return the written scores of the systems, and a row for each kind of error with its cost for each system."""
        first, systems, costs = self.errors.first, self.errors.systems, list(self.errors.costs())
        kind = kind_of(first.measure, first.costs.key)
        highest = max(abs(cost.gain) for of_systems in costs for cost in of_systems) or 1

        def cell(system: str, cost: KindCost) -> dict[str, Any]:
            part = {"kind": "wrong_boundary", "boundary": cost.boundary}
            link = self.fragment(system, **(part if cost.boundary else {"kind": cost.kind}))
            gain = self.precision.text(Number(cost.gain, kind, signed=True))
            return {"cost": cost, "gain": gain, "share": abs(cost.gain) / highest, "link": link}

        scores = [Number(system.costs.score, kind, interval=system.costs.interval) for system in systems.values()]
        rows = [list(map(cell, systems, of_systems)) for of_systems in costs]
        return {"scores": list(map(self.precision.texts, scores)), "rows": rows}

    def sections(self) -> Iterator[Section]:
        """Yield the sections on changes and suspicious references (only of systems), and on labels and answers."""
        names = list(self.errors.systems)
        pairs = list(combinations(names, 2)) if self.compared is _ERRORS else []
        if pairs:
            tables = [self.errors.shared.table(), *(self.errors.difference(*pair).table() for pair in pairs)]
            yield Section("Changes between systems", tables, name="changes", links=list(map(self.links, tables)))
        if self.compared is _ERRORS and len(suspicious := self.errors.suspicious(self.grouping["train"])):
            note = "Every system errs there. Evidence: systems that agree, and other labels of the same string."
            if len(suspicious) > _MOST_SUSPICIOUS:
                note += f" The first {_MOST_SUSPICIOUS} of {len(suspicious):,}."
            yield Section("Suspicious references", [suspicious.table(_MOST_SUSPICIOUS)], note, name="suspicious")
        for name, system in self.errors.systems.items():
            title = f", {printable(name)}" if len(names) > 1 else ""
            counts = system.measure.count(system.matched.alignment)
            scores = MeasureResult.of(system.measure, counts, {}, system.resampling)
            tables = [score_table("measure", {scores.name: scores}), *label_tables(system), kind_tables(system)[1]]
            links = list(map(self.links, tables))
            # the legend explains the short heads of errors
            tables = tables if self.compared is _ERRORS else list(map(self.compared.worded, tables))
            yield Section(f"Labels and marks{title}", tables, name="labels", links=links)
            if system.answers is not None:
                note = " ".join(f"{kind}: {text}." for kind, text in ANSWER_KINDS.items())
                yield Section(f"Errors of answers{title}", [system.answers.table()], note, name="answers")

    def links(self, table: Table) -> Links:
        """Link the numbers in a table, except 0, to the errors that they count."""
        links = {}
        for row, record in enumerate(table.records()):
            for column, key in enumerate(table.keys, 1):
                filters = _filters(table, record, key, last=row == len(table.rows) - 1)
                if record[key] and filters:
                    links[row, column] = self.fragment(**filters)
        return links

    def data(self, most: int, seed: int) -> dict[str, Any]:
        """Return the errors of all systems, and the passages around them, as columns of built-in types."""
        first, compared, systems = self.errors.first, self.compared, self.errors.systems
        context, offsets = first.context, first.matched.alignment.offsets
        rows = [ErrorChoice().rows(system.matched) for system in systems.values()]
        parts = list(zip(systems.values(), rows, strict=True))
        place = np.concatenate([system.extent[:, chosen] for system, chosen in parts], axis=1)
        errors = place.shape[1]
        shown = np.zeros(errors, dtype=bool)
        shown[np.random.default_rng(seed).choice(errors, min(errors, most), replace=False)] = True
        document, start, end = place[:, shown]
        passages = Passages(document, start, end, np.diff(offsets), context)
        passage_of = np.full(errors, len(passages.document))
        passage_of[shown] = passages.of_part
        texts = (system.texts(chosen) for system, chosen in parts)
        codes, strings = coded_strings(*texts) if context.wording is not None else ([], [])
        who = self.errors.shared.makers() if len(systems) > 1 else []
        columns = []
        of_systems = np.split(passage_of, np.cumsum(list(map(len, rows)))[:-1])
        for number, (name, passage) in enumerate(zip(systems, of_systems, strict=True)):
            system, order = systems[name], np.argsort(passage, kind="stable")
            chosen = rows[number][order]
            columns.append(
                {
                    "name": printable(name),
                    **_columns(system, chosen, passage[order], passages),
                    "string": codes[number][order].tolist() if codes else None,
                    "who": who[number][chosen].tolist() if who else None,
                    "buckets": list(self._buckets(system, chosen)),
                }
            )
        kinds = [
            {"name": name, "title": title, "symbol": style[0], "help": f"{style[2:]} line: {text}"}
            for (name, (title, text)), style in zip(compared.kinds.items(), _STYLES, strict=True)
        ]
        separator, reference = context.separator, printable(compared.reference)
        own = {"symbol": "▪", "help": f"solid line: a span on the side {reference}"}
        span, start, stop, passage = passages.pieces(first.references, offsets)
        marks = np.stack([start, stop - start, first.references.label[span]], axis=1)
        return {
            "kinds": kinds,
            "own": {"name": "reference", "title": reference, **own},
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
        report = system.buckets(**self.grouping)
        scores = iter(report.scores)
        for way in report.buckets:
            key = "recall" if way.predictions is None else "f1"
            codes = np.append(way.references, -1)[system.reference[rows]]
            if way.predictions is not None:
                codes = np.where(codes < 0, np.append(way.predictions, -1)[system.prediction[rows]], codes)
            cells: list[list[Any]] = []
            for row in islice(scores, len(way.names)):
                value, bounds = row.scores[key], defined_interval(row.intervals.get(key))
                text = None if math.isnan(value) else self.precision.text(Number(value, interval=bounds))
                numbers = [None if text is None else round(each, 4) for each in (value, *(bounds or (value, value)))]
                cells.append([*numbers, row.sizes["reference"], text])
            names = list(map(printable, way.names))
            yield {"by": printable(way.name), "key": key, "names": names, "scores": cells, "codes": _coded(codes)}


def _filters(table: Table, record: Mapping[str, Any], key: str, *, last: bool) -> dict[str, str]:
    """Return the filters for the errors that a number in a table counts; empty if it counts no errors.

    The last rows of the tables of labels and changes count all errors.
    """
    system = table.about.get("system", "")
    if table.kind == "kinds" and key in KINDS and key != "correct":
        side = "predicted" if key == "spurious" else "reference"
        return {"system": system, "kind": key, **({} if last else {side: printable(record["label"])})}
    if table.kind == "marks" and key in MARKS:
        kind = record["error"].replace(" ", "_")
        return {"system": system, "kind": kind, "boundary": key} if kind in KINDS else {}
    if table.kind == "differences" and key in ("before", "fixed", "new", "after"):
        before, after = table.about.values()
        system, other = (before, after) if key == "before" else (after, before)
        of_kind = {} if last else {"kind": record["kind"].replace(" ", "_")}
        change = {"change": key} if key in ("fixed", "new") else {}
        return {"system": system, "other": printable(other), **of_kind, **change}
    return {}


def _columns(system: SystemErrors, rows: np.ndarray, passage: np.ndarray, passages: Passages) -> dict[str, Any]:
    """Return the errors of a system as columns, ordered by passage, and the marks in each passage."""
    matched, offsets = system.matched, system.matched.alignment.offsets
    amounts = np.bincount(passage, minlength=len(passages.document) + 1)
    lines = system.context.lines(matched.document[rows], system.first[rows], offsets)
    shape = matched.boundary[rows].astype(np.int64) + 1
    shape += sum(5 * 2**bit * getattr(matched, mark)[rows] for bit, mark in enumerate(MARKS))
    reference, prediction = system.reference[rows], system.prediction[rows]
    pieces = []
    for spans, of_row, own in (
        (system.predictions, prediction, prediction >= 0),
        (system.references, reference, prediction < 0),
    ):
        number = np.full(len(spans), -1)
        number[of_row[own]] = np.flatnonzero(own)
        span, begin, stop, where = passages.pieces(spans, offsets)
        code = np.where(number[span] < 0, spans.label[span], -1 - number[span])
        pieces.append(np.stack([where, begin, stop - begin, code], axis=1))
    # the predicted spans, and the missed reference spans
    marks = np.concatenate([pieces[0], pieces[1][pieces[1][:, 3] < 0]])
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
