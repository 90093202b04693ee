"""Comparison of the errors of several systems: errors that all make, that only one makes, and changes between two."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

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
from .examples import SHOWN, Context, place_text, side_lines

ABSENT = -1
"""The value for a system that does not predict a spurious span of another system."""

CHANGES = ("fixed", "new", "moved", "same")
"""The ways in which an error changes from one system to another."""

_SHARED = amounts(reference_spans="reference spans", spurious_spans="spurious spans")

_CHANGED = tuple(kind for kind in KINDS if kind != "correct")

_SPAN = ("start", "end", "label", "text")


class _ErrorList(Result):
    """A list of errors of several systems, with a table of their numbers."""

    first: ClassVar[str] = "document"
    """The first column of the list."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each error."""

    @abstractmethod
    def table(self) -> Table:
        """Return the table of numbers of errors."""

    def parts(self) -> Iterator[Part]:
        """Yield the table of numbers of errors."""
        yield self.table()

    def tables(self) -> list[Table]:
        """Return the table of all errors, and the table of numbers."""
        return [self.listed(), self.table()]

    def listed(self) -> Table:
        """Return a table with a row for each error, see `to_arrow`."""
        errors = self.to_arrow()
        own = [self.first, *(name for name in errors.column_names if name != self.first)]
        errors = errors.select(own)
        return arrow_table(errors.set_column(0, own[0], errors[own[0]].cast(pa.string())), left=1, kind="errors")

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return _as_dict(self.table())


class SharedErrors(_ErrorList):
    """All spans with an error of at least one system, and the outcome for each system.

    These are reference spans and spurious spans. Spurious spans of several systems with the same tokens and label are
    one span. Its tables are `errors`, a row for each span, and `shared`, the numbers of errors that all systems make
    and that only one makes.

    Attributes:
        names: the systems.
        spans: the spans in text order; with equal boundaries, reference spans come before spurious ones.
        in_reference: whether each span is a reference span.
        kinds: indices into `KINDS`, shape (spans, systems). For a reference span any kind except `spurious`; for a
            spurious span `spurious`, or -1 if the system does not predict it.
        answers: the index of the span that each system predicts there, -1 for none, shape (spans, systems).
        outputs: the spans of each system.
        offsets: the position of each document's first token in the corpus.
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
    ) -> Self:
        """Combine the errors of systems.

        Args:
            references: the reference.
            systems: for each system, its matched spans and its output. All must have the same list of labels.
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

    def taken(self, rows: np.ndarray) -> Self:
        """Select errors in the given order."""
        parts = {name: getattr(self, name)[rows] for name in ("in_reference", "kinds", "answers")}
        return replace(self, spans=self.spans.picked(rows), **parts)

    def answer(self, number: int, name: str) -> np.ndarray:
        """Return a column of a system's predicted spans; -1 where it predicts none."""
        return np.asarray(np.append(getattr(self.outputs[number], name), -1)[self.answers[:, number]])

    def differ(self, first: int, second: int) -> np.ndarray:
        """Flag the errors at which two systems predict different spans."""
        columns = ("start", "end", "label")
        return np.asarray(np.any([self.answer(first, name) != self.answer(second, name) for name in columns], axis=0))

    def difference(self, before: str, after: str) -> "Difference":
        """Compare the errors of two systems."""
        columns = [self.names.index(before), self.names.index(after)]
        kinds = np.maximum(self.kinds[:, columns], CORRECT)
        changed = np.flatnonzero((kinds > CORRECT).any(axis=1))
        return Difference(names=(before, after), shared=self, rows=changed, kinds=kinds[changed])

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each span.

        Its columns are `document` (from 1), `name` (of the document) and `line` if known, `start`, `end` (exclusive),
        `label`, `text`, `side` (`reference` or `spurious`) and `made_by` (the number of systems with this error). For
        each system, `kind_<name>` is its kind of error (null if it does not predict a spurious span), and
        `start_<name>` and so on are its predicted span. `before` and `after` are the words around the span.
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
        """Return a table with the numbers of errors of all systems, of each system alone, and of any system."""
        chosen = {"all systems": self.made_by == len(self.names)}
        for number, name in enumerate(self.names):
            chosen[f"{name} alone"] = (self.made_by == 1) & (self.kinds[:, number] > CORRECT)
        chosen["any system"] = self.made_by > 0
        sides = self.in_reference, ~self.in_reference
        rows = [((name, "cyan"), *((flags & side).sum() for side in sides)) for name, flags in chosen.items()]
        return Table.of("errors made by", _SHARED, rows, kind="shared", names="made_by")


class Difference(_ErrorList):
    """The changes from one system to another: errors that are fixed, new, moved or the same.

    Its tables are `errors`, a row for each error with its words, and `differences`, a row for each kind.

    Attributes:
        names: the two systems.
        shared: the errors of all systems.
        rows: the indices of the errors that at least one of the two systems makes.
        kinds: indices into `KINDS`, shape (rows, 2); `correct` if a system does not predict a spurious span.
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
        """The change of each error, as indices into `CHANGES`.

        An error has moved if both systems make an error and predict different spans.
        """
        before, after = self.kinds.T
        moved = self.shared.differ(*map(self.shared.names.index, self.names))[self.rows]
        return np.where(after == CORRECT, 0, np.where(before == CORRECT, 1, np.where(moved, 2, 3)))

    @property
    def changes(self) -> Self:
        """The errors that change, without the change `same`."""
        kept = self.change != CHANGES.index("same")
        return replace(self, rows=self.rows[kept], kinds=self.kinds[kept])

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each error: the columns of `SharedErrors.to_arrow`, and `change`."""
        whole = self.shared.taken(self.rows).to_arrow()
        others = [name for name in self.shared.names if name not in self.names]
        left_out = {"made_by", *(f"{key}_{name}" for name in others for key in ("kind", *_SPAN))}
        kept = whole.select([name for name in whole.column_names if name not in left_out])
        return kept.append_column("change", strings(self.change, CHANGES))

    def to_json_lines(self) -> str:
        """Write a line of JSON for each error: its place, and the spans of the reference and both systems."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.records())

    def records(self) -> list[dict[str, Any]]:
        """Convert each error to built-in types, see `to_json_lines`."""
        return list(map(self._nested, self._rows()))

    def lines(self, most: int | None = SHOWN) -> Iterator[Part]:
        """Yield the numbers of changes, and the first errors with the spans of the reference and both systems."""
        numbers = np.bincount(self.change, minlength=len(CHANGES)).tolist()
        listed = ", ".join(f"{number:,} {name}" for name, number in zip(CHANGES, numbers, strict=True) if number)
        yield f"{self.names[0]} to {self.names[1]}: {listed or 'nothing changes'}."
        yield ""
        if most is not None and most < len(self):
            yield from (f"The first {most:,} of {counted(len(self), 'error')}:", "")
        for row in self._rows(most):
            yield from self._lines(self._nested(row))
            yield ""

    def table(self) -> Table:
        """Return a table by kind: the numbers of errors of both systems, and the changes between them."""
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
        first = replace(self, rows=self.rows[:most], kinds=self.kinds[:most])
        return list(first.to_arrow().to_pylist())

    def _nested(self, row: dict[str, Any]) -> dict[str, Any]:
        """Convert an error to JSON types, with spans as objects and None if there is no span."""
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
        yield from side_lines(self.shared.context.wording, row["document"] - 1, sides)


def _as_dict(table: Table) -> dict[str, Any]:
    """Convert a table to a dictionary of its rows."""
    return {row.pop(table.names).replace(" ", "_"): row for row in table.records()}
