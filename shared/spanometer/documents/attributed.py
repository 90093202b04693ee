"""Spans with attributes as readers of documents give them: a few numbers a span, and each distinct attributes once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, overload

import numpy as np

from ..arrays import offsets_by, offsets_of, take_segments
from ..spans.spans import Spans

_DISTINCT = 10_000
"""How many different attributes are known at a time; what has more has mostly values of its own."""


class SharedValues:
    """The attributes of spans, of which equal ones are one object."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, Any]] = {}

    def of(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the attributes, or the equal ones that came before."""
        if len(self._known) >= _DISTINCT:
            return values
        # true and 1 are equal, and not the same
        return self._known.setdefault(repr(values), values)


@dataclass(frozen=True, eq=False)
class AttributedSpans(Sequence[list[dict[str, Any]]]):
    """The spans of documents with their attributes: for each a list of dicts, made when it is asked for.

    Attributes:
        offsets: document d has the spans `offsets[d]` to `offsets[d + 1]`.
        start, end, label: int64, of each span; `label` indexes `labels`.
        labels: the names of the labels.
        values: the attributes of each span.
        scores: those of each span's attributes, None for none; empty if no span has any.
    """

    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    labels: Sequence[str]
    values: Sequence[Mapping[str, Any]]
    scores: Sequence[Any] = ()

    @classmethod
    def from_dicts(cls, documents: Iterable[Sequence[Mapping[str, Any]]]) -> AttributedSpans:
        """Take over the spans of documents, as `__getitem__` returns them."""
        rows = list(documents)
        flat = [span for row in rows for span in row]
        codes: dict[str, int] = {}
        label = [codes.setdefault(span["label"], len(codes)) for span in flat]
        start, end = ([span[bound] for span in flat] for bound in ("start", "end"))
        starts, ends, labels = (np.array(column, dtype=np.int64) for column in (start, end, label))
        values, scores = [span["attributes"] for span in flat], [span.get("scores") for span in flat]
        return cls(offsets_of(list(map(len, rows))), starts, ends, labels, list(codes), values, scores)

    @classmethod
    def without_any(cls, spans: Spans) -> AttributedSpans:
        """Return spans as such that have no attributes, discontinuous ones with their outermost bounds."""
        offsets = offsets_by(spans.document, spans.documents)
        return cls(offsets, spans.start, spans.end, spans.label, spans.labels, [{}] * len(spans))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, document: int) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, document: slice) -> list[list[dict[str, Any]]]: ...
    def __getitem__(self, document: int | slice) -> list[dict[str, Any]] | list[list[dict[str, Any]]]:
        """Return the spans of a document, or of several, as `Attributes.from_dicts` takes them."""
        chosen = range(len(self))[document]
        if isinstance(chosen, range):
            return [self[number] for number in chosen]
        here = slice(*self.offsets[chosen : chosen + 2].tolist())
        columns = (self.start[here].tolist(), self.end[here].tolist(), self.label[here].tolist(), self.values[here])
        spans = [
            {"start": start, "end": end, "label": self.labels[label], "attributes": values}
            for start, end, label, values in zip(*columns, strict=True)
        ]
        for span, scores in zip(spans, self.scores[here], strict=False):
            if scores is not None:
                span["scores"] = scores
        return spans

    def __eq__(self, other: object) -> bool:
        """Compare the spans of all documents, with lists too."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def of_documents(self, documents: np.ndarray) -> AttributedSpans:
        """Return the spans of some documents, in the order asked for."""
        counts, taken = take_segments(self.offsets, documents)
        columns = (self.start[taken], self.end[taken], self.label[taken])
        values, scores = ([of[span] for span in taken.tolist()] if of else () for of in (self.values, self.scores))
        return AttributedSpans(offsets_of(counts), *columns, self.labels, values, scores)
