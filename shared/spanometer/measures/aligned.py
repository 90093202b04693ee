"""Bases of the measures of spans: the alignment of both sides; precision, recall and F1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..counts.statistics import precision_recall_f1
from ..errors import InputError, require_sides, setting
from ..spans.spans import Spans
from .base import Key, Measure


def f_results(precision: str, recall: str) -> dict[str, Key]:
    """Return the keys of an F-measure, given what its precision and its recall are."""
    return {
        "precision": Key("precision", precision),
        "recall": Key("recall", recall),
        "f1": Key("F1", "harmonic mean of precision and recall"),
    }


@dataclass(frozen=True, kw_only=True)
class AlignedMeasure(Measure):
    """A measure of `Spans` that starts from which of them overlap."""

    input: ClassVar[str] = "spans"

    def counts(self, references: Spans, predictions: Spans) -> Counts:
        """Count both sides, see `Measure.counts`."""
        require_sides(Spans, references, predictions)
        return self.count(Alignment(references, predictions))

    def count(self, alignment: Alignment) -> Counts:
        """Count two sides that are aligned already, so that several measures can share the alignment."""
        return replace(self._count(alignment), measure=self)

    @abstractmethod
    def _count(self, alignment: Alignment) -> Counts:
        """Return the counts, which need not know their measure."""


@dataclass(frozen=True, kw_only=True)
class FMeasure(AlignedMeasure):
    """A measure whose headline is precision, recall and F1.

    Its counts are `right` of `predicted`, and `found` of `reference`; if right and found are one number they are one
    column, `both`. All values are in [0, 1], higher is better.
    """

    results: ClassVar[Mapping[str, Key]] = f_results(
        "share of what is predicted that is right", "share of the reference that is found"
    )
    headline: ClassVar[str] = "f1"
    bounded: ClassVar[tuple[tuple[str, str], ...]] = (
        ("both", "predicted"),
        ("both", "reference"),
        ("right", "predicted"),
        ("found", "reference"),
    )

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1, see `ratios.precision_recall_f1`."""
        right, found = (quantities["both"] if "both" in quantities else quantities[name] for name in ("right", "found"))
        return precision_recall_f1(right, quantities["predicted"], found, quantities["reference"], self.zero_division)


def counter(references: Any, predictions: Any) -> Callable[[Any], Counts]:
    """Return a function that counts measures on two sides; all measures of spans share one alignment."""
    if not isinstance(references, Spans):
        return lambda measure: measure.counts(references, predictions)
    alignment = Alignment(references, predictions)
    return lambda measure: measure.count(alignment)


def require_lengths(lengths: np.ndarray | None, subject: str) -> np.ndarray:
    """Return the documents' lengths, on which the subject depends; an `InputError` if they are not known."""
    if lengths is None:
        raise InputError(
            f"the documents' lengths are not known, and {subject} depends on them.",
            f"Give them with {setting('lengths')}.",
        )
    return lengths
