"""Results of measures on one pair of annotations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np

from ..counts.counts import Counts
from ..counts.statistics import Resampling
from ..errors import counted
from ..measures.aligned import counter
from ..measures.base import Measure
from ..spans.entities import Entities
from ..spans.spans import Spans

Kind = TypeVar("Kind", bound=Measure)


@dataclass(frozen=True)
class MeasureResult:
    """The result of one measure.

    Attributes:
        measure: the measure with its options.
        scores: its headline values.
        per_label: the same for each label, with `support`.
        counts: its counts, summed.
        signature: how the values were made.
        intervals: the bounds of confidence intervals of the headline values; empty if there is no resampling.
        confidence: the intervals' level.
        notes: what a reader of the scores must know, see `Measure.notes`.
    """

    measure: Measure
    scores: Mapping[str, Any]
    per_label: Mapping[str, Mapping[str, float | int]]
    counts: Mapping[str, int | float]
    signature: str
    intervals: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    confidence: float | None = None
    notes: Sequence[str] = ()

    @classmethod
    def of(
        cls, measure: Measure, counts: Counts, reading: Mapping[str, Any], resampling: Resampling | None = None
    ) -> Self:
        """Score counts; `reading` says how the input was read, for the signature."""
        return cls(
            measure,
            measure.score(counts),
            measure.score_per_label(counts),
            counts.total(),
            measure.signature(reading, resampling),
            {} if resampling is None else measure.intervals(counts, resampling),
            None if resampling is None else resampling.confidence,
            measure.notes(counts),
        )

    def without_interval(self, documents: int) -> str:
        """Return why a value has an interval that is NaN; empty if none has."""
        by_attribute = (values for values in self.scores.values() if isinstance(values, Mapping))
        lows = [low for low, _ in self.intervals.values()]
        lows += [value for values in by_attribute for key, value in values.items() if key.endswith("_low")]
        if not any(map(math.isnan, lows)):
            return ""
        if documents < 2:
            return f"intervals need two documents or more, and there is {counted(documents, 'document')}"
        return f"{self.measure.name}: a value that is not a number has no interval"

    def to_dict(self, *, per_label: bool = False) -> dict[str, Any]:
        """Return built-in types only, ready for JSON, see `plain`."""
        entry: dict[str, Any] = {"scores": self.scores, "counts": self.counts, "signature": self.signature}
        if self.intervals:
            entry["intervals"] = self.intervals
        if self.notes:
            entry["notes"] = self.notes
        if per_label:
            entry["per_label"] = self.per_label
        return {key: plain(value) for key, value in entry.items()}


@dataclass(frozen=True)
class Report:
    """The results of several measures on one pair of annotations.

    Attributes:
        documents, tokens: the size of the corpus; tokens is None if the documents' lengths are not known.
        reference_spans, predicted_spans: numbers of spans, or of what else is scored.
        results: one for each measure, in the order given.
        unit: what is scored, in the singular and the plural.
        documents_text: the number of documents in words, if they are called otherwise.
    """

    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    results: tuple[MeasureResult, ...]
    unit: tuple[str, str] = ("span", "spans")
    documents_text: str = ""

    @classmethod
    def of(
        cls,
        references: Spans | Entities,
        predictions: Spans | Entities,
        measures: Sequence[Kind],
        reading: Mapping[str, Any],
        progress: Callable[[Sequence[Kind]], Iterable[Kind]] = iter,
        resampling: Resampling | None = None,
    ) -> Self:
        """Count and score each measure; all measures of spans share one alignment.

        Args:
            references, predictions: the spans of both sides, or their entity trees.
            measures: measures of these, with their options.
            reading: how the input was read, for the signatures (`scheme` and `repair` for tags).
            progress: wraps the sequence of measures, for a progress bar.
            resampling: how to make confidence intervals; None makes none.

        Raises:
            InputError: if the two sides do not annotate the same documents, or a measure is not defined.
        """
        count = counter(references, predictions)
        results = tuple(
            MeasureResult.of(measure, count(measure), reading, resampling) for measure in progress(measures)
        )
        lengths = predictions.lengths if references.lengths is None else references.lengths
        tokens = None if lengths is None else int(lengths.sum())
        unit = ("entity", "entities") if isinstance(references, Entities) else ("span", "spans")
        return cls(references.documents, tokens, len(references), len(predictions), results, unit)

    @property
    def size(self) -> str:
        """The size of the corpus in words."""
        one, several = self.unit
        return ", ".join(
            [
                self.documents_text or counted(self.documents, "document"),
                *([] if self.tokens is None else [counted(self.tokens, "token")]),
                counted(self.reference_spans, f"reference {one}", f"reference {several}"),
                counted(self.predicted_spans, f"predicted {one}", f"predicted {several}"),
            ]
        )

    @property
    def notes(self) -> list[str]:
        """Why there are intervals that are NaN."""
        found = (result.without_interval(self.documents) for result in self.results)
        return [note for note in dict.fromkeys(found) if note]

    def to_dict(self, *, per_label: bool = False) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            **({"notes": self.notes} if self.notes else {}),
            "documents": self.documents,
            "tokens": self.tokens,
            f"reference_{self.unit[1]}": self.reference_spans,
            f"predicted_{self.unit[1]}": self.predicted_spans,
            "measures": {result.measure.name: result.to_dict(per_label=per_label) for result in self.results},
        }


def plain(value: Any) -> Any:
    """Return a result as built-in types, ready for JSON: NaN, which JSON lacks, becomes None."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
