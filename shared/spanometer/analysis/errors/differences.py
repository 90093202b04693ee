"""Comparison of the errors of several systems: which systems make them, changes between two, suspicious references."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from ...alignment.matched_spans import CORRECT, KINDS, SPURIOUS
from ...arrays import arrow_array, strings
from ...readers.json.records import json_line
from ...spans.annotations import distinct_spans, with_common_labels
from ...spans.spans import Spans
from ...spans.wording import Wording, coded_strings
from ...tables.result import Result
from ...tables.table import Part, Table, amounts, arrow_table
from .buckets import LabelsOfStrings
from .examples import SHOWN, MatchedSides, error_lines, heading_of_first, span_in

ABSENT = -1
"""The value for a system that does not predict a spurious span of another system."""

CHANGES = ("fixed", "new", "moved", "same")
"""The ways in which an error changes from one system to another."""

_CHANGED = {"fixed": "fixed", "to_another": "to another", "from_another": "from another", "new": "new"}
"""The columns of changes by kind, and their headers."""

_SHARED = amounts(reference_spans="reference spans", spurious_spans="spurious spans")


class SharedErrors(Result, kw_only=False):
    """All spans with an error of at least one system, and the outcome for each system.

    These are reference spans and spurious spans. Spurious spans of several systems with the same tokens and label are
    one span. Its tables are `errors`, a row for each span, and `shared`, the numbers of errors that all systems make
    and that only one makes.

    Attributes:
        systems: the matched spans of each system, by name.
        spans: the spans in text order; with equal boundaries, reference spans come before spurious ones.
        reference: the index of each span in the reference; -1 for spurious spans.
        kinds: indices into `KINDS`, shape (spans, systems). For a reference span any kind except `spurious`; for a
            spurious span `spurious`, or -1 if the system does not predict it.
        answers: the index of the span that each system predicts there, -1 for none, shape (spans, systems).
    """

    systems: Mapping[str, MatchedSides]
    spans: Spans
    reference: np.ndarray
    kinds: np.ndarray
    answers: np.ndarray

    leading: ClassVar[str] = "document"
    """The first column of the list."""

    @classmethod
    def of(cls, systems: Mapping[str, MatchedSides]) -> Self:
        """Combine the errors of systems, which must have the same reference and the same list of labels."""
        references = next(iter(systems.values())).references
        shape = len(references), len(systems)
        outcomes, partners = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int64)
        spurious = []
        for column, system in enumerate(systems.values()):
            there = system.reference >= 0
            outcomes[system.reference[there], column] = system.matched.kind[there]
            partners[system.reference[there], column] = system.prediction[there]
            spurious.append(np.sort(system.prediction[~there]))
        wrong = np.flatnonzero((outcomes != CORRECT).any(axis=1))
        invented = [system.predictions.picked(rows) for system, rows in zip(systems.values(), spurious, strict=True)]
        spans, owners = distinct_spans([references.picked(wrong), *invented])
        in_reference, predicted = owners[:, 0], owners[:, 1:]
        reference = np.full(len(spans), -1)
        reference[in_reference] = wrong
        kinds = np.where(predicted, SPURIOUS, ABSENT).astype(np.int8)
        answers = np.full(kinds.shape, -1)
        for column, rows in enumerate(spurious):
            answers[predicted[:, column], column] = rows
        kinds[in_reference], answers[in_reference] = outcomes[wrong], partners[wrong]
        return cls(systems, spans, reference, kinds, answers)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.systems)

    @property
    def first(self) -> MatchedSides:
        """The matched spans of the first system."""
        return next(iter(self.systems.values()))

    def __len__(self) -> int:
        """Count the errors."""
        return len(self.reference)

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
        predictions = list(self.systems.values())[number].predictions
        return np.asarray(np.append(getattr(predictions, name), -1)[self.answers[:, number]])

    def differ(self, first: int, second: int) -> np.ndarray:
        """Flag the errors at which two systems predict different spans."""
        columns = ("start", "end", "label")
        return np.asarray(np.any([self.answer(first, name) != self.answer(second, name) for name in columns], axis=0))

    def makers(self) -> list[np.ndarray]:
        """Return the systems that make each error in the matched spans of each system, as bit masks.

        System n has the bit 2 ** n.
        """
        who = (self.kinds > CORRECT) @ (1 << np.arange(len(self.systems)))
        missed = np.zeros(len(self.first.references) + 1, dtype=np.int64)
        missed[self.reference] = who
        made = []
        for system, answers in zip(self.systems.values(), self.answers.T, strict=True):
            invented = np.zeros(len(system.predictions) + 1, dtype=np.int64)
            invented[answers] = who
            made.append(np.where(system.reference < 0, invented[system.prediction], missed[system.reference]))
        return made

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each span.

        Its columns are `document` (from 1), `name` (of the document) and `line` if known, `start`, `end` (exclusive),
        `label`, `text`, `side` (`reference` or `spurious`) and `made_by` (the number of systems with this error). For
        each system, `kind_<name>` is its kind of error (null if it does not predict a spurious span), and
        `start_<name>` and so on are its predicted span. `before` and `after` are the words around the span.
        """
        spans, context = self.spans, self.first.context
        wording, offsets = context.wording, self.first.matched.alignment.offsets
        start, end = spans.start.astype(np.int64), spans.end.astype(np.int64)
        columns = context.places(spans.document, start, offsets)
        columns |= {"start": pa.array(spans.start), "end": pa.array(spans.end)}
        columns["label"] = strings(spans.label, spans.labels)
        if wording is not None:
            columns["text"] = wording.of(spans)
        columns["side"] = strings((~self.in_reference).astype(np.int32), ("reference", "spurious"))
        columns["made_by"] = pa.array(self.made_by)
        for number, (name, system) in enumerate(self.systems.items()):
            columns[f"kind_{name}"] = strings(self.kinds[:, number], KINDS)
            none = self.answers[:, number] < 0
            for bound in ("start", "end"):
                columns[f"{bound}_{name}"] = arrow_array(self.answer(number, bound), none)
            columns[f"label_{name}"] = strings(self.answer(number, "label"), spans.labels)
            if wording is not None:
                predicted = wording.of(system.predictions.picked(self.answers[~none, number]))
                columns[f"text_{name}"] = predicted.take(arrow_array(np.cumsum(~none) - 1, none))
        around = context.texts(spans.document, start, end)
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

    def parts(self) -> Iterator[Part]:
        """Yield the table of numbers of errors."""
        yield self.table()

    def tables(self) -> list[Table]:
        """Return the table of all errors, and the table of numbers."""
        return [self.listed(), self.table()]

    def listed(self) -> Table:
        """Return a table with a row for each error, see `to_arrow`."""
        errors = self.to_arrow()
        errors = errors.select([self.leading, *(name for name in errors.column_names if name != self.leading)])
        return arrow_table(errors.set_column(0, self.leading, errors[0].cast(pa.string())), left=1, kind="errors")

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        table = self.table()
        return {row.pop(table.names).replace(" ", "_"): row for row in table.records()}


class Difference(SharedErrors, kw_only=False):
    """The errors that at least one of two systems makes: fixed, new, moved or the same.

    Its tables are `errors`, a row for each error with its words, and `differences`, a row for each kind.
    """

    leading: ClassVar[str] = "change"

    @property
    def change(self) -> np.ndarray:
        """The change of each error, as indices into `CHANGES`.

        An error has moved if both systems make an error and predict different spans.
        """
        # a system that does not predict a spurious span is right there
        before, after = np.maximum(self.kinds, CORRECT).T
        return np.where(after == CORRECT, 0, np.where(before == CORRECT, 1, np.where(self.differ(0, 1), 2, 3)))

    @property
    def changes(self) -> Self:
        """The errors that change, without the change `same`."""
        return self.taken(np.flatnonzero(self.change != CHANGES.index("same")))

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each error: the columns of `SharedErrors.to_arrow`, and `change`."""
        return super().to_arrow().drop_columns(["made_by"]).append_column("change", strings(self.change, CHANGES))

    def to_json_lines(self) -> str:
        """Write a line of JSON for each error: its place, and the spans of the reference and both systems."""
        return "".join(map(json_line, self.records()))

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
        yield from heading_of_first(most, len(self))
        for row in self.taken(np.arange(len(self))[:most]).records():
            kinds = " → ".join(kind.replace("_", " ") for kind in row["kinds"].values())
            spans = {"reference": row["reference"], **row["predictions"]}
            yield from error_lines(row, row["change"], kinds, "", spans, self.first.context.wording)

    def table(self) -> Table:
        """Return a table by kind: the numbers of errors of both systems, and the changes between them."""
        pairs = np.maximum(self.kinds, CORRECT) @ np.array([len(KINDS), 1])
        numbers = np.bincount(pairs, minlength=len(KINDS) ** 2).reshape(len(KINDS), -1)
        before, after, same = (sums[1:] for sums in (numbers.sum(axis=1), numbers.sum(axis=0), numbers.diagonal()))
        fixed, new = numbers[1:, CORRECT], numbers[CORRECT, 1:]
        values = np.stack([before, -fixed, fixed + same - before, after - same - new, new, after], axis=1)
        rows = [((kind.replace("_", " "), "cyan"), *row) for kind, row in zip(list(KINDS)[1:], values, strict=True)]
        # whichever its kind, an error is no other error
        rows.append((("all errors", "bold"), *(values.sum(axis=0) * [1, 1, 0, 0, 1, 1])))
        name, changed = self.names
        columns = amounts(before=f"in {name}", **_CHANGED, after=f"in {changed}")
        about = {"system": name, "other": changed}
        return Table.of(f"{name} to {changed}", columns, rows, kind="differences", names="kind", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return {"systems": list(self.names), "kinds": super().to_dict()}


class SuspiciousReferences(Result, kw_only=False):
    """Spans that may be wrong or missing in the reference, the most suspicious first. Its table is `suspicious`.

    These are the places where every system makes an error. The evidence is the sum of three numbers from 0 to 1. The
    first is the agreement of the systems: 1 if all predict the same span, 0.5 if none predicts a span, 0 otherwise and
    if there is only one system. The second is n / (n + m + 1), where n of the other mentions of the same string in the
    reference have another label and m have this one. The third is the same ratio in the training set.

    Attributes:
        places: the places where all systems make an error, sorted by `evidence`.
        evidence: the columns of the evidence at each place, see `to_arrow`.
    """

    places: SharedErrors
    evidence: pa.Table

    @classmethod
    def of(cls, shared: SharedErrors, train: tuple[Spans, Wording] | None = None) -> Self:
        """Collect the evidence from the errors of all systems, and the spans and the wording of a training set."""
        places = shared.taken(np.flatnonzero(shared.made_by == len(shared.names)))
        differ = np.any([places.differ(0, other) for other in range(len(places.names))], axis=0)
        same = np.where(places.answers[:, 0] < 0, 0.5, 1.0)
        agree = np.where(differ | (len(places.names) < 2), 0.0, same)
        evidence, columns = agree.copy(), {"agree": pa.array(agree)}
        wording = shared.first.context.wording
        if wording is not None:
            if train is not None:
                # strings joined from words and strings cut from texts could differ in spaces
                wording, train = wording.without_text(), (train[0], train[1].without_text())
            sources = {"": (shared.first.references, wording), **({} if train is None else {"train_": train})}
            spans, *annotations = with_common_labels([places.spans, *(spans for spans, _ in sources.values())])
            texts = (words.of(annotation) for annotation, words in sources.values())
            (string, *codes), _ = coded_strings(wording.of(places.spans), *texts)
            own = np.where(places.in_reference, spans.label.astype(np.int64), -1)
            for prefix, annotation, of_annotation in zip(sources, annotations, codes, strict=True):
                labels = LabelsOfStrings(annotation, of_annotation, (string, own))
                # the string itself is not elsewhere
                same = labels.own if prefix else labels.own - places.in_reference
                evidence += labels.other / (labels.other + same + 1)
                columns[f"{prefix}same_label"] = arrow_array(same)
                columns[f"{prefix}other_label"] = strings(labels.other_label, annotation.labels)
                columns[f"{prefix}other_times"] = arrow_array(labels.other)
        found = cls(places, pa.table({"evidence": pa.array(evidence), **columns}))
        return found.taken(np.argsort(-evidence, kind="stable"))

    def __len__(self) -> int:
        """Count the places."""
        return len(self.places)

    def taken(self, rows: np.ndarray) -> Self:
        """Select places in the given order."""
        return type(self)(self.places.taken(rows), self.evidence.take(arrow_array(rows)))

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table by place, with the columns of `SharedErrors.to_arrow` and the evidence.

        Its further columns are `evidence`, `agree`, `same_label` (how often the string has the reference's label
        elsewhere), `other_label` (its most frequent other label) and `other_times` (how often), and the same for the
        training set with the prefix `train_`.
        """
        whole = self.places.to_arrow().drop_columns(["made_by"])
        columns = [*whole.columns, *self.evidence.columns]
        return pa.table(columns, names=[*whole.column_names, *self.evidence.column_names])

    def parts(self) -> Iterator[Part]:
        """Yield the table."""
        yield self.table()

    def lines(self, most: int = SHOWN) -> Iterator[Part]:
        """Yield an explanation of the list and the first places."""
        more = f" These are the first {most:,} of {len(self):,}; --json and CSV have all." if most < len(self) else ""
        yield f"Suspicious places in the reference: every system errs there. The most evidence comes first.{more}"
        yield self.table(most)

    def table(self, most: int | None = None) -> Table:
        """Return a table of the places, at most the first `most`."""
        rows = self.taken(np.arange(len(self))[:most]).to_arrow().to_pylist()
        documents = [f"document {row.get('name', row['document'])}" for row in rows]
        known = self.evidence.column_names
        columns: dict[str, list[Any]] = {
            **({"string": [row["text"] for row in rows]} if "same_label" in known else {"document": documents}),
            "reference": [row["label"] if row["side"] == "reference" else "–" for row in rows],
            **{_called(name): [_answer(row, name) for row in rows] for name in self.places.names},
        }
        for head, prefix in (("elsewhere", ""), ("in training", "train_")):
            if f"{prefix}same_label" in known:
                columns[head] = [_elsewhere(row, prefix) for row in rows]
        left = len(columns)
        columns["evidence"] = [row["evidence"] for row in rows]
        columns["where"] = [
            f"line {row['line']}" if "line" in row else place for row, place in zip(rows, documents, strict=True)
        ]
        return arrow_table(pa.table(columns), left=left, kind="suspicious")

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert the places to built-in types, ready for JSON."""
        return list(self.to_arrow().to_pylist())


def _elsewhere(row: Mapping[str, Any], prefix: str) -> str:
    """Write the labels of the same string elsewhere, with their numbers."""
    counts = {row["label"] if row["side"] == "reference" else None: row[f"{prefix}same_label"]}
    counts[row[f"{prefix}other_label"]] = row[f"{prefix}other_times"]
    return ", ".join(f"{label} {times}" for label, times in counts.items() if label and times) or "–"


def _answer(row: Mapping[str, Any], system: str) -> str:
    """Write the span that a system predicts at a place."""
    label, text = row[f"label_{system}"], row.get(f"text_{system}")
    return "–" if label is None else label if text in (None, row.get("text")) else f"{label} {text}"


def _called(system: str) -> str:
    """Return the column name of a system, which must differ from the names of other columns."""
    own = ("string", "document", "reference", "elsewhere", "in training", "evidence", "where")
    return f"system {system}" if system in own else system
