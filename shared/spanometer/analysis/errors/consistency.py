"""Suspicious references: spans that contradict the systems and other mentions of the same string."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ...arrays import arrow_array, run_bounds, strings
from ...spans.annotations import with_common_labels
from ...spans.spans import Spans
from ...spans.wording import Wording, coded_strings
from ...tables.result import Result
from ...tables.table import Part, Table, arrow_table
from .differences import SharedErrors
from .examples import SHOWN


@dataclass(frozen=True, eq=False)
class LabelsOfStrings:
    """The labels that the same strings have elsewhere in an annotation.

    Attributes:
        own: how often each string has the label of its span.
        other: how often it has its most frequent other label; 0 if it has no other label.
        other_label: the most frequent other label, an index of the annotation's labels; -1 if there is none.
    """

    own: np.ndarray
    other: np.ndarray
    other_label: np.ndarray

    def taken(self, rows: np.ndarray) -> Self:
        """Select strings."""
        return type(self)(self.own[rows], self.other[rows], self.other_label[rows])

    @classmethod
    def of(cls, annotation: Spans, string: np.ndarray, queried: tuple[np.ndarray, np.ndarray] | None = None) -> Self:
        """Count the labels of strings.

        Args:
            annotation: the spans.
            string: the index of each span's string.
            queried: the strings and labels to look up, as indices (-1 if not in the annotation); by default the strings
                and labels of the spans.
        """
        width = len(annotation.labels) + 1
        pair, times = np.unique(string.astype(np.int64) * width + annotation.label, return_counts=True)
        owner, label = np.divmod(pair, width)
        # each string's labels, the most frequent first: the other label of a span is the first that is not its own
        order = np.lexsort((label, -times, owner))
        first, last = run_bounds(owner[order])
        strings_there = owner[order][first] if len(order) else owner
        queries, own = (string, annotation.label) if queried is None else queried

        def at(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
            place = np.searchsorted(keys, wanted)
            return np.where(np.append(keys, -1)[np.minimum(place, len(keys))] == wanted, place, -1)

        run = at(strings_there, queries)
        best = np.append(order[first], -1)[run]
        second = np.append(np.where(last - first > 1, order[np.minimum(first + 1, max(len(order) - 1, 0))], -1), -1)[
            run
        ]
        labels, counts = np.append(label, -1), np.append(times, 0)
        other = np.where((best >= 0) & (labels[best] == own), second, best)
        return cls(counts[at(pair, queries.astype(np.int64) * width + own)], counts[other], labels[other])


class SuspiciousReferences(Result, kw_only=False):
    """Spans that may be wrong or missing in the reference, the most suspicious first. Its table is `suspicious`.

    These are the places where every system makes an error. The evidence is the sum of three numbers from 0 to 1. The
    first is the agreement of the systems: 1 if all predict the same span, 0.5 if none predicts a span, 0 otherwise and
    if there is only one system. The second is n / (n + m + 1), where n of the other mentions of the same string in the
    reference have another label and m have this one. The third is the same ratio in the training set.

    Attributes:
        places: the places where all systems make an error, sorted by `evidence`.
        agree: the agreement of the systems: 1 for the same span, 0.5 for no span, 0 for different spans.
        here: the labels of the same strings elsewhere in the reference (without the string itself); None without
            words.
        train: the labels of the same strings in the training set; None without a training set.
        labels: the names of all labels, including labels of the training set.
    """

    places: SharedErrors
    agree: np.ndarray
    here: LabelsOfStrings | None
    train: LabelsOfStrings | None
    labels: tuple[str, ...]

    @classmethod
    def of(cls, shared: SharedErrors, references: Spans, train: tuple[Spans, Wording] | None = None) -> Self:
        """Collect the evidence.

        Args:
            shared: the errors of all systems.
            references: the reference, with the labels of the systems.
            train: the spans and the wording of a training set.
        """
        places = shared.taken(np.flatnonzero(shared.made_by == len(shared.names)))
        systems = range(1, len(places.names))
        same = np.all(
            [np.ones(len(places.spans), dtype=bool), *(~places.differ(0, other) for other in systems)], axis=0
        )
        agree = np.where(same & (len(places.names) > 1), np.where(places.answers[:, 0] < 0, 0.5, 1.0), 0.0)
        wording, here, trained, labels = places.context.wording, None, None, references.labels
        if wording is not None and train is not None:
            # strings joined from words and strings cut from texts could differ in spaces
            wording, train = wording.without_text(), (train[0], train[1].without_text())
        if wording is not None:
            sides = [wording.of(references), wording.of(places.spans)]
            codes, _ = coded_strings(*sides, *([] if train is None else [train[1].of(train[0])]))
            own = np.where(places.in_reference, places.spans.label.astype(np.int64), -1)
            here = LabelsOfStrings.of(references, codes[0], (codes[1], own))
            # the string itself is not elsewhere
            here = replace(here, own=here.own - places.in_reference)
            if train is not None:
                _, spans = with_common_labels([references, train[0]])
                labels = spans.labels
                own = np.where(own < 0, -1, np.append([labels.index(name) for name in references.labels], -1)[own])
                trained = LabelsOfStrings.of(spans, codes[2], (codes[1], own))
        result = cls(places, agree, here, trained, labels)
        return result.taken(np.argsort(-result.evidence, kind="stable"))

    def __len__(self) -> int:
        """Count the places."""
        return len(self.agree)

    @cached_property
    def evidence(self) -> np.ndarray:
        """The evidence against the reference at each place."""
        known = (of_strings for of_strings in (self.here, self.train) if of_strings is not None)
        shares = [of_strings.other / (of_strings.other + of_strings.own + 1) for of_strings in known]
        return np.asarray(np.sum([self.agree, *shares], axis=0))

    def taken(self, rows: np.ndarray) -> Self:
        """Select places in the given order."""
        here, train = (part and part.taken(rows) for part in (self.here, self.train))
        return type(self)(self.places.taken(rows), self.agree[rows], here, train, self.labels)

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table by place, with the columns of `SharedErrors.to_arrow` and the evidence.

        Its further columns are `evidence`, `agree`, `same_label` (how often the string has the reference's label
        elsewhere), `other_label` (its most frequent other label) and `other_times` (how often), and the same for the
        training set with the prefix `train_`.
        """
        columns = {"evidence": pa.array(self.evidence), "agree": pa.array(self.agree)}
        sources = (("", self.here, self.places.spans.labels), ("train_", self.train, self.labels))
        for prefix, of_strings, names in sources:
            if of_strings is not None:
                columns[f"{prefix}same_label"] = arrow_array(of_strings.own)
                columns[f"{prefix}other_label"] = strings(of_strings.other_label, names)
                columns[f"{prefix}other_times"] = arrow_array(of_strings.other)
        whole = self.places.to_arrow().drop_columns(["made_by"])
        for name, values in columns.items():
            whole = whole.append_column(name, values)
        return whole

    def parts(self) -> Iterator[Part]:
        """Yield the table."""
        yield self.table()

    def lines(self, most: int = SHOWN) -> Iterator[Part]:
        """Yield an explanation of the list and the first places."""
        more = f" These are the first {most:,} of {len(self):,}; --json and CSV have all." if most < len(self) else ""
        yield f"Suspicious reference spans: every system errs there. Spans with the most evidence come first.{more}"
        yield self.table(most)

    def table(self, most: int | None = None) -> Table:
        """Return a table of the places, at most the first `most`."""
        rows = self.taken(np.arange(len(self))[:most]).to_arrow().to_pylist()
        documents = [f"document {row.get('name', row['document'])}" for row in rows]
        lines = [f"line {row['line']}" if "line" in row else None for row in rows]
        columns: dict[str, list[Any]] = {
            **({"string": [row["text"] for row in rows]} if self.here else {"document": documents}),
            "reference": [row["label"] if row["side"] == "reference" else "–" for row in rows],
            **{_called(name): [_answer(row, name) for row in rows] for name in self.places.names},
            **({"elsewhere": [_elsewhere(row, "") for row in rows]} if self.here else {}),
            **({"in training": [_elsewhere(row, "train_") for row in rows]} if self.train else {}),
        }
        texts = {name: pa.array(values, pa.string()) for name, values in columns.items()}
        numbers = {"evidence": pa.array([row["evidence"] for row in rows], pa.float64())}
        where = pa.array([line or document for line, document in zip(lines, documents, strict=True)], pa.string())
        return arrow_table(pa.table({**texts, **numbers, "where": where}), left=len(texts), kind="suspicious")

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert the places to built-in types, ready for JSON."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows


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
