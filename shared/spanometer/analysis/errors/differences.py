"""Comparison of the errors of several systems: errors that all make, that only one makes, and changes between two."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from ...alignment.matched_spans import CORRECT, KINDS, SPURIOUS
from ...arrays import arrow_array, strings
from ...exceptions import counted
from ...spans.annotations import distinct_spans
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Part, Table, amounts, arrow_table
from .examples import SHOWN, Context, MatchedSides, place_text, side_lines, span_in

ABSENT = -1
"""The value for a system that does not predict a spurious span of another system."""

CHANGES = ("fixed", "new", "moved", "same")
"""The ways in which an error changes from one system to another."""

_SHARED = amounts(reference_spans="reference spans", spurious_spans="spurious spans")


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
        table = self.table()
        return {row.pop(table.names).replace(" ", "_"): row for row in table.records()}


class SharedErrors(_ErrorList):
    """All spans with an error of at least one system, and the outcome for each system.

    These are reference spans and spurious spans. Spurious spans of several systems with the same tokens and label are
    one span. Its tables are `errors`, a row for each span, and `shared`, the numbers of errors that all systems make
    and that only one makes.

    Attributes:
        names: the systems.
        spans: the spans in text order; with equal boundaries, reference spans come before spurious ones.
        reference: the index of each span in the reference; -1 for spurious spans.
        kinds: indices into `KINDS`, shape (spans, systems). For a reference span any kind except `spurious`; for a
            spurious span `spurious`, or -1 if the system does not predict it.
        answers: the index of the span that each system predicts there, -1 for none, shape (spans, systems).
        outputs: the spans of each system.
        offsets: the position of each document's first token in the corpus.
        context: the words and lines of the documents.
    """

    names: tuple[str, ...]
    spans: Spans
    reference: np.ndarray
    kinds: np.ndarray
    answers: np.ndarray
    outputs: tuple[Spans, ...]
    offsets: np.ndarray
    context: Context

    @classmethod
    def of(cls, systems: Mapping[str, MatchedSides]) -> Self:
        """Combine the errors of systems, which must have the same reference and the same list of labels."""
        first = next(iter(systems.values()))
        shape = len(first.references), len(systems)
        outcomes, partners = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int64)
        spurious = []
        for column, system in enumerate(systems.values()):
            there = system.reference >= 0
            outcomes[system.reference[there], column] = system.matched.kind[there]
            partners[system.reference[there], column] = system.prediction[there]
            spurious.append(np.sort(system.prediction[~there]))
        wrong = np.flatnonzero((outcomes != CORRECT).any(axis=1))
        outputs = tuple(system.predictions for system in systems.values())
        invented = [output.picked(rows) for output, rows in zip(outputs, spurious, strict=True)]
        spans, owners = distinct_spans([first.references.picked(wrong), *invented])
        in_reference, predicted = owners[:, 0], owners[:, 1:]
        reference = np.full(len(spans), -1)
        reference[in_reference] = wrong
        kinds = np.where(predicted, SPURIOUS, ABSENT).astype(np.int8)
        answers = np.full(kinds.shape, -1)
        for column, rows in enumerate(spurious):
            answers[predicted[:, column], column] = rows
        kinds[in_reference], answers[in_reference] = outcomes[wrong], partners[wrong]
        return cls(
            names=tuple(systems),
            spans=spans,
            reference=reference,
            kinds=kinds,
            answers=answers,
            outputs=outputs,
            offsets=first.matched.alignment.offsets,
            context=first.context,
        )

    @property
    def in_reference(self) -> np.ndarray:
        """Whether each span is a reference span."""
        return self.reference >= 0

    @cached_property
    def made_by(self) -> np.ndarray:
        """The number of systems that make each error."""
        return np.asarray((self.kinds > CORRECT).sum(axis=1))

    def taken(self, rows: np.ndarray) -> Self:
        """Select errors in the given order."""
        parts = {name: getattr(self, name)[rows] for name in ("reference", "kinds", "answers")}
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
        pair = [self.names.index(before), self.names.index(after)]
        own = replace(
            self,
            names=(before, after),
            kinds=self.kinds[:, pair],
            answers=self.answers[:, pair],
            outputs=tuple(self.outputs[number] for number in pair),
        )
        return Difference(errors=own.taken(np.flatnonzero(own.made_by)))

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
        errors: the errors that at least one of the two systems makes.
    """

    errors: SharedErrors

    first: ClassVar[str] = "change"

    def __len__(self) -> int:
        """Count the errors."""
        return len(self.errors.reference)

    @property
    def names(self) -> tuple[str, ...]:
        """The two systems."""
        return self.errors.names

    @property
    def kinds(self) -> np.ndarray:
        """The kinds of errors, see `SharedErrors`, but `correct` if a system does not predict a spurious span."""
        return np.asarray(np.maximum(self.errors.kinds, CORRECT))

    @property
    def change(self) -> np.ndarray:
        """The change of each error, as indices into `CHANGES`.

        An error has moved if both systems make an error and predict different spans.
        """
        before, after = self.kinds.T
        moved = self.errors.differ(0, 1)
        return np.where(after == CORRECT, 0, np.where(before == CORRECT, 1, np.where(moved, 2, 3)))

    @property
    def changes(self) -> Self:
        """The errors that change, without the change `same`."""
        return replace(self, errors=self.errors.taken(np.flatnonzero(self.change != CHANGES.index("same"))))

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each error: the columns of `SharedErrors.to_arrow`, and `change`."""
        return self.errors.to_arrow().drop_columns(["made_by"]).append_column("change", strings(self.change, CHANGES))

    def to_json_lines(self) -> str:
        """Write a line of JSON for each error: its place, and the spans of the reference and both systems."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.records())

    def records(self) -> list[dict[str, Any]]:
        """Convert each error to built-in types, with spans as objects and None if there is no span."""
        return [
            {
                **{key: row[key] for key in ("change", "document", "name", "line") if key in row},
                "kinds": {name: row[f"kind_{name}"] or "correct" for name in self.names},
                "reference": span_in(row) if row["side"] == "reference" else None,
                "predictions": {name: span_in(row, after=f"_{name}") for name in self.names},
                **{key: row[key] for key in ("before", "after") if key in row},
            }
            for row in self.to_arrow().to_pylist()
        ]

    def lines(self, most: int | None = SHOWN) -> Iterator[Part]:
        """Yield the numbers of changes, and the first errors with the spans of the reference and both systems."""
        numbers = np.bincount(self.change, minlength=len(CHANGES)).tolist()
        listed = ", ".join(f"{number:,} {name}" for name, number in zip(CHANGES, numbers, strict=True) if number)
        yield f"{self.names[0]} to {self.names[1]}: {listed or 'nothing changes'}."
        yield ""
        if most is not None and most < len(self):
            yield from (f"The first {most:,} of {counted(len(self), 'error')}:", "")
        for row in replace(self, errors=self.errors.taken(np.arange(len(self))[:most])).records():
            kinds = " → ".join(kind.replace("_", " ") for kind in row["kinds"].values())
            yield [(row["change"], "bold"), f"  {kinds}  ", (place_text(row), "dim")]
            sides = {"reference": row["reference"], **row["predictions"]}
            yield from side_lines(self.errors.context.wording, row["document"] - 1, sides)
            yield ""

    def table(self) -> Table:
        """Return a table by kind: the numbers of errors of both systems, and the changes between them."""
        pairs = self.kinds @ np.array([len(KINDS), 1])
        numbers = np.bincount(pairs, minlength=len(KINDS) ** 2).reshape(len(KINDS), -1)
        before, after, same = numbers.sum(axis=1), numbers.sum(axis=0), numbers.diagonal()
        fixed, new = numbers[:, CORRECT], numbers[CORRECT]
        values = np.stack([before, -fixed, fixed + same - before, after - same - new, new, after], axis=1)[
            CORRECT + 1 :
        ]
        rows = [((kind.replace("_", " "), "cyan"), *row) for kind, row in zip(list(KINDS)[1:], values, strict=True)]
        # whichever its kind, an error is no other error
        rows.append((("all errors", "bold"), *(values.sum(axis=0) * [1, 1, 0, 0, 1, 1])))
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
        return {"systems": list(self.names), "kinds": super().to_dict()}
