"""The result of a measure: scores, their intervals, counts, and the signature."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..counts.counts import Counts
from ..counts.resampling import Resampling
from .base import Measure


@dataclass(frozen=True)
class MeasureResult:
    """The result of one measure on one pair of annotations.

    Attributes:
        measure: the measure with its options.
        scores: its headline values.
        intervals: the bounds of their confidence intervals; empty if there is no resampling.
        confidence: the intervals' level.
        per_label: the headline values of each label, with `support`.
        counts: its counts, summed.
        signature: how the values were made.
    """

    measure: Measure
    scores: Mapping[str, Any]
    intervals: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    confidence: float | None = None
    per_label: Mapping[str, Mapping[str, float | int]] = field(default_factory=dict)
    counts: Mapping[str, int | float] = field(default_factory=dict)
    signature: str = ""

    @classmethod
    def of(
        cls,
        measure: Measure,
        counts: Counts,
        reading: Mapping[str, Any],
        resampling: Resampling | None = None,
        *,
        details: bool = True,
    ) -> Self:
        """Score counts.

        Args:
            measure: what the counts are of.
            counts: the counts of the corpus.
            reading: how the input was read, for the signature.
            resampling: how to make confidence intervals; None makes none.
            details: also compute `per_label`, `counts` and `signature`.
        """
        intervals = {} if resampling is None else measure.intervals(counts, resampling)
        found = cls(measure, measure.score(counts), intervals, None if resampling is None else resampling.confidence)
        if not details:
            return found
        written = measure.signature(reading, resampling)
        per_label = measure.score_per_label(counts)
        return cls(measure, found.scores, intervals, found.confidence, per_label, counts.total(), written)

    def to_dict(self, *, per_label: bool = False) -> dict[str, Any]:
        """Return built-in types only, ready for JSON, see `plain`."""
        entry: dict[str, Any] = {"scores": self.scores, "counts": self.counts, "signature": self.signature}
        if self.intervals:
            entry["intervals"] = self.intervals
        if per_label:
            entry["per_label"] = self.per_label
        return {key: plain(value) for key, value in entry.items()}


def plain(value: Any) -> Any:
    """Return a result as built-in types, ready for JSON: NaN, which JSON lacks, becomes None."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
