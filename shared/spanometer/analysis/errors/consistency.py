"""Suspicious references: spans that contradict the systems and other mentions of the same string."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
        queries, own = (string, annotation.label) if queried is None else queried

        def at(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
            place = np.searchsorted(keys, wanted)
            return np.where(np.append(keys, -1)[place] == wanted, place, -1)

        run = at(owner[order][first], queries)
        following = np.where(last - first > 1, np.append(order, -1)[first + 1], -1)
        best, second = (np.append(places, -1)[run] for places in (order[first], following))
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
        evidence: the columns of the evidence at each place, see `to_arrow`.
    """

    places: SharedErrors
    evidence: pa.Table

    @classmethod
    def of(cls, shared: SharedErrors, references: Spans, train: tuple[Spans, Wording] | None = None) -> Self:
        """Collect the evidence.

        Args:
            shared: the errors of all systems.
            references: the reference, with the labels of the systems.
            train: the spans and the wording of a training set.
        """
        places = shared.taken(np.flatnonzero(shared.made_by == len(shared.names)))
        differ = np.any([places.differ(0, other) for other in range(len(places.names))], axis=0)
        same = np.where(places.answers[:, 0] < 0, 0.5, 1.0)
        agree = np.where(differ | (len(places.names) < 2), 0.0, same)
        columns: dict[str, Any] = {"evidence": agree.copy(), "agree": pa.array(agree)}
        wording, sources = places.context.wording, {}
        if wording is not None:
            sources[""] = references, wording
            if train is not None:
                # strings joined from words and strings cut from texts could differ in spaces
                wording = wording.without_text()
                sources = {"": (references, wording), "train_": (train[0], train[1].without_text())}
            spans, *annotations = with_common_labels(
                [places.spans, *(annotation for annotation, _ in sources.values())]
            )
            texts = (words.of(annotation) for annotation, words in sources.values())
            (string, *codes), _ = coded_strings(wording.of(places.spans), *texts)
            own = np.where(places.in_reference, spans.label.astype(np.int64), -1)
            for prefix, annotation, of_annotation in zip(sources, annotations, codes, strict=True):
                labels = LabelsOfStrings.of(annotation, of_annotation, (string, own))
                # the string itself is not elsewhere
                same = labels.own if prefix else labels.own - places.in_reference
                columns["evidence"] += labels.other / (labels.other + same + 1)
                columns[f"{prefix}same_label"] = arrow_array(same)
                columns[f"{prefix}other_label"] = strings(labels.other_label, annotation.labels)
                columns[f"{prefix}other_times"] = arrow_array(labels.other)
        order = np.argsort(-columns["evidence"], kind="stable")
        columns["evidence"] = pa.array(columns["evidence"])
        return cls(places, pa.table(columns)).taken(order)

    def __len__(self) -> int:
        """Count the places."""
        return int(self.evidence.num_rows)

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
        yield f"Suspicious reference spans: every system errs there. Spans with the most evidence come first.{more}"
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
            **({"elsewhere": [_elsewhere(row, "") for row in rows]} if "same_label" in known else {}),
            **({"in training": [_elsewhere(row, "train_") for row in rows]} if "train_same_label" in known else {}),
        }
        texts = {name: pa.array(values, pa.string()) for name, values in columns.items()}
        numbers = {"evidence": pa.array([row["evidence"] for row in rows], pa.float64())}
        lines = [f"line {row['line']}" if "line" in row else place for row, place in zip(rows, documents, strict=True)]
        where = {"where": pa.array(lines, pa.string())}
        return arrow_table(pa.table({**texts, **numbers, **where}), left=len(texts), kind="suspicious")

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
