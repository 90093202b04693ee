"""Errors of several systems: which all make, which only one, and what changed from one to another."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ...alignment.matched_spans import CORRECT, KINDS, MISSING, SPURIOUS, MatchedSpans
from ...alignment.overlaps import order_of_line
from ...arrays import arrow_array, strings
from ...exceptions import counted
from ...spans.annotations import distinct_spans
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Part, Table, amounts, arrow_table
from .contexts import Context
from .examples import SHOWN, marked_text, place_text

ABSENT = -1
"""What a system makes of a spurious span of another one that it does not predict."""

CHANGES = ("fixed", "new", "moved", "same")
"""How an error changes from one system to another."""

_SHARED = amounts(reference_spans="reference spans", spurious_spans="spurious spans")

_CHANGED = tuple(kind for kind in KINDS if kind != "correct")

_SPAN = ("start", "end", "label", "text")


class _ErrorList(Result):
    """Errors of several systems, as numbers and one by one."""

    first: ClassVar[str] = "document"
    """The column that comes first in the list."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each error."""

    @abstractmethod
    def table(self) -> Table:
        """Make the table of the numbers."""

    def parts(self) -> Iterator[Part]:
        """Yield the table of the numbers."""
        yield self.table()

    def tables(self) -> list[Table]:
        """List the errors one by one, and the numbers."""
        return [self.listed(), self.table()]

    def listed(self) -> Table:
        """List the errors one by one, see `to_arrow`."""
        errors = self.to_arrow()
        own = [self.first, *(name for name in errors.column_names if name != self.first)]
        errors = errors.select(own)
        return arrow_table(errors.set_column(0, own[0], errors[own[0]].cast(pa.string())), left=1, kind="errors")

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return _as_dict(self.table())


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SharedErrors(_ErrorList):
    """Every span at which some system errs, with what each makes of it.

    That are the reference spans that not all systems have right, and the spurious spans; those of the same tokens and
    label are one. Its tables are `errors`, one by one, and `shared`, the numbers of errors that all make and that only
    one makes.

    Attributes:
        names: the systems.
        spans: the spans, in the order of the text, those of the reference before spurious ones of the same bounds.
        in_reference: flags of those of the reference.
        kinds: codes of `KINDS`, shape (spans, systems): of a reference span any but `spurious`, of a spurious one
            `spurious`, or -1 for a system that does not predict it.
        answers: the span that each system predicts there, a number of its output, -1 for none; the same shape.
        outputs: the spans of each system.
        offsets: where documents begin if their tokens are concatenated.
        context: the words and lines of the documents.
    """

    names: tuple[str, ...]
    spans: Spans
    in_reference: np.ndarray
    kinds: np.ndarray
    answers: np.ndarray
    outputs: tuple[Spans, ...]
    offsets: np.ndarray
    context: Context = field(default_factory=Context)

    @classmethod
    def of(
        cls, references: Spans, systems: Mapping[str, tuple[MatchedSpans, Spans]], context: Context | None = None
    ) -> SharedErrors:
        """Bring together the errors of systems.

        Args:
            references: the reference.
            systems: for each its spans matched with those of the reference, and its output. All have the labels of all,
                so that a reference span has one number.
            context: the words and lines of the documents.
        """
        shape = len(references), len(systems)
        of_references, answers = np.full(shape, MISSING, dtype=np.int8), np.full(shape, -1)
        invented, sides = [], []
        for column, (matched, output) in enumerate(systems.values()):
            there = matched.reference >= 0
            of_references[matched.reference[there], column] = matched.kind[there]
            place = np.append(order_of_line(output), -1)
            answers[matched.reference[there], column] = place[matched.prediction[there]]
            sides.append(np.sort(place[matched.prediction[matched.kind == SPURIOUS]]))
            invented.append(output.picked(sides[-1]))
        wrong = np.flatnonzero((of_references != CORRECT).any(axis=1))
        place = order_of_line(references)[wrong]
        spans, owners = distinct_spans([references.picked(np.sort(place)), *invented])
        in_reference = owners[:, 0]
        kinds = np.where(owners[:, 1:], SPURIOUS, ABSENT).astype(np.int8)
        predicted = np.full(kinds.shape, -1)
        for column, side in enumerate(sides):
            predicted[owners[:, column + 1], column] = side
        row = wrong[np.argsort(place)]
        kinds[in_reference], predicted[in_reference] = of_references[row], answers[row]
        return cls(
            names=tuple(systems),
            spans=spans,
            in_reference=in_reference,
            kinds=kinds,
            answers=predicted,
            outputs=tuple(output for _, output in systems.values()),
            offsets=next(iter(systems.values()))[0].alignment.offsets,
            context=context or Context(),
        )

    @cached_property
    def made_by(self) -> np.ndarray:
        """The number of systems that make each error."""
        return np.asarray((self.kinds > CORRECT).sum(axis=1))

    def taken(self, rows: np.ndarray) -> SharedErrors:
        """Take some of the errors."""
        parts = {name: getattr(self, name)[rows] for name in ("in_reference", "kinds", "answers")}
        return replace(self, spans=self.spans.picked(rows), **parts)

    def answer(self, number: int, name: str) -> np.ndarray:
        """Look up a column of the spans that a system predicts, -1 for none."""
        return np.asarray(np.append(getattr(self.outputs[number], name), -1)[self.answers[:, number]])

    def differ(self, first: int, second: int) -> np.ndarray:
        """Flag the errors at which two systems predict different spans."""
        columns = ("start", "end", "label")
        return np.asarray(np.any([self.answer(first, name) != self.answer(second, name) for name in columns], axis=0))

    def difference(self, before: str, after: str) -> Difference:
        """Compare the errors of one system with those of another."""
        columns = [self.names.index(before), self.names.index(after)]
        kinds = np.maximum(self.kinds[:, columns], CORRECT)
        changed = np.flatnonzero((kinds > CORRECT).any(axis=1))
        return Difference(names=(before, after), shared=self, rows=changed, kinds=kinds[changed])

    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each span: where it is, who errs, and what each system makes of it.

        Its columns are `document` (from 1), `name` of the document and `line`, if they are known, `start`, `end`
        (exclusive), `label` and `text`, `side` (`reference` or `spurious`), `made_by`, the number of systems that err,
        for each system `kind_<name>`, null if a spurious span is not predicted by it, and the span that it predicts
        there, `start_<name>` and so on; then `before` and `after`, the words around the span.
        """
        spans, wording = self.spans, self.context.wording
        place = spans.document, spans.start.astype(np.int64), spans.end.astype(np.int64)
        around = self.context.surroundings(*place, self.offsets)
        columns = {"document": arrow_array(spans.document + 1)}
        columns |= {name: around[name] for name in ("name", "line") if name in around}
        columns |= {name: pa.array(getattr(spans, name)) for name in ("start", "end")}
        columns["label"] = strings(spans.label, spans.labels)
        if wording is not None:
            columns["text"] = wording.of(spans)
        columns["side"] = strings((~self.in_reference).astype(np.int32), ("reference", "spurious"))
        columns["made_by"] = pa.array(self.made_by)
        for number, name in enumerate(self.names):
            columns[f"kind_{name}"] = strings(self.kinds[:, number], KINDS)
            none = self.answers[:, number] < 0
            for bound in ("start", "end"):
                columns[f"{bound}_{name}"] = arrow_array(self.answer(number, bound), none)
            columns[f"label_{name}"] = strings(self.answer(number, "label"), spans.labels)
            if wording is not None:
                predicted = wording.of(self.outputs[number].picked(self.answers[~none, number]))
                columns[f"text_{name}"] = predicted.take(arrow_array(np.cumsum(~none) - 1, none))
        return pa.table(columns | {name: around[name] for name in ("before", "after") if name in around})

    def table(self) -> Table:
        """Show a row for the errors that all systems make, and for those that only one makes."""
        chosen = {"all systems": self.made_by == len(self.names)}
        for number, name in enumerate(self.names):
            chosen[f"{name} alone"] = (self.made_by == 1) & (self.kinds[:, number] > CORRECT)
        chosen["any system"] = self.made_by > 0
        sides = self.in_reference, ~self.in_reference
        rows = [((name, "cyan"), *((flags & side).sum() for side in sides)) for name, flags in chosen.items()]
        return Table.of("errors made by", _SHARED, rows, kind="shared", names="made_by")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Difference(_ErrorList):
    """What changes from one system to another: errors that are fixed, new, or moved to another answer.

    Its tables are `errors`, one by one with their words, and `differences`, a row for each kind.

    Attributes:
        names: the two systems.
        shared: the errors of all systems.
        rows: those that one of the two makes.
        kinds: what each makes of them, codes of `KINDS`, shape (rows, 2); a spurious span that a system does not
            predict counts as correct.
    """

    names: tuple[str, str]
    shared: SharedErrors
    rows: np.ndarray
    kinds: np.ndarray

    first: ClassVar[str] = "change"

    def __len__(self) -> int:
        """Count the errors."""
        return len(self.rows)

    @property
    def change(self) -> np.ndarray:
        """How each error changes: `fixed`, `new`, `moved` or `same`, as codes of `CHANGES`.

        An error has moved if both systems make it and predict different spans.
        """
        before, after = self.kinds.T
        moved = self.shared.differ(*map(self.shared.names.index, self.names))[self.rows]
        return np.where(after == CORRECT, 0, np.where(before == CORRECT, 1, np.where(moved, 2, 3)))

    @property
    def changes(self) -> Difference:
        """The errors that change: without those that stay the same."""
        kept = self.change != CHANGES.index("same")
        return replace(self, rows=self.rows[kept], kinds=self.kinds[kept])

    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each error, as `SharedErrors.to_arrow` does, and the change."""
        whole = self.shared.taken(self.rows).to_arrow()
        others = [name for name in self.shared.names if name not in self.names]
        left_out = {"made_by", *(f"{key}_{name}" for name in others for key in ("kind", *_SPAN))}
        kept = whole.select([name for name in whole.column_names if name not in left_out])
        return kept.append_column("change", strings(self.change, CHANGES))

    def to_json_lines(self) -> str:
        """Write a line of JSON for each error: its place, and the reference's and both systems' spans."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.records())

    def records(self) -> list[dict[str, Any]]:
        """List the same as built-in types."""
        return list(map(self._nested, self._rows()))

    def lines(self, most: int | None = SHOWN) -> Iterator[Part]:
        """List the numbers of changes, and the first errors with the spans of the reference and both systems."""
        numbers = np.bincount(self.change, minlength=len(CHANGES)).tolist()
        listed = ", ".join(f"{number:,} {name}" for name, number in zip(CHANGES, numbers, strict=True) if number)
        yield f"{self.names[0]} to {self.names[1]}: {listed or 'nothing changes'}."
        yield ""
        if most is not None and most < len(self):
            yield from (f"{counted(len(self), 'error')}, the first {most:,} of them here.", "")
        for row in self._rows(most):
            yield from self._lines(self._nested(row))
            yield ""

    def table(self) -> Table:
        """Show a row for each kind: its errors in both systems, and how the second number comes from the first."""
        first, second = self.kinds.T
        rows = []
        for kind in (*_CHANGED, None):
            codes = [list(KINDS).index(kind)] if kind is not None else list(range(1, len(KINDS)))
            before, after = np.isin(first, codes), np.isin(second, codes)
            numbers = [
                before.sum(),
                -(before & (second == CORRECT)).sum(),
                -(before & ~after & (second != CORRECT)).sum(),
                (after & ~before & (first != CORRECT)).sum(),
                (after & (first == CORRECT)).sum(),
                after.sum(),
            ]
            rows.append((("all errors", "bold") if kind is None else (kind.replace("_", " "), "cyan"), *numbers))
        name, changed = self.names
        columns = amounts(
            before=f"in {name}",
            fixed="fixed",
            to_another="to another",
            from_another="from another",
            new="new",
            after=f"in {changed}",
        )
        about = {"system": name, "other": changed}
        return Table.of(f"{name} to {changed}", columns, rows, kind="differences", names="kind", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return {"systems": list(self.names), "kinds": _as_dict(self.table())}

    def _rows(self, most: int | None = None) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (
            replace(self, rows=self.rows[:most], kinds=self.kinds[:most]).to_arrow().to_pylist()
        )
        return rows

    def _nested(self, row: dict[str, Any]) -> dict[str, Any]:
        """Write an error as JSON, its spans as objects, None for none."""
        spans = {
            name: {key: row[f"{key}_{name}"] for key in _SPAN if row.get(f"{key}_{name}") is not None} or None
            for name in self.names
        }
        own = {key: row[key] for key in _SPAN if key in row}
        kinds = {name: row[f"kind_{name}"] or "correct" for name in self.names}
        return {
            **{key: row[key] for key in ("change", "document", "name", "line") if key in row},
            "kinds": kinds,
            "reference": own if row["side"] == "reference" else None,
            "predictions": spans,
            **{key: row[key] for key in ("before", "after") if key in row},
        }

    def _lines(self, row: Mapping[str, Any]) -> Iterator[Part]:
        kinds = " → ".join(row["kinds"][name].replace("_", " ") for name in self.names)
        yield [(row["change"], "bold"), f"  {kinds}  ", (place_text(row), "dim")]
        sides = {"reference": row["reference"], **row["predictions"]}
        bounds = [bound for span in sides.values() if span for bound in (span["start"], span["end"])]
        width = max(map(len, sides))
        for name, span in sides.items():
            place = row["document"] - 1, min(bounds), max(bounds)
            yield [(f"  {name:<{width}}  ", "dim"), *marked_text(self.shared.context.wording, *place, span)]


def _as_dict(table: Table) -> dict[str, Any]:
    """Convert a table to a dictionary of its rows."""
    return {row.pop(table.names).replace(" ", "_"): row for row in table.records()}
