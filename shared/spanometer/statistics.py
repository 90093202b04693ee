"""Counts that add up, and what is computed from their sums: ratios, averages over labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .errors import InputError, require_choice

AVERAGES = ("micro", "macro", "weighted")

_BLOCK = 1 << 16
"""How many values are summed at a time."""

_LARGEST = 2.0**62


@dataclass(frozen=True, eq=False)
class Column:
    """One kind of count: values at (document, label). Rows may repeat a place; what counts is their sum.

    Attributes:
        document, label: where each value belongs.
        value: int64 or float64; None stands for 1 everywhere.
    """

    document: np.ndarray
    label: np.ndarray
    value: np.ndarray | None = None

    def per_label(self, labels: int) -> np.ndarray:
        """The sum of each label's values, shape (labels), int64 or float64; integers are summed exactly."""
        return _sums(self.label, self.value, labels)

    def per_document(self, documents: int, labels: int) -> np.ndarray:
        """The sums of each document and label, shape (documents, labels): for few of either only, as it is dense."""
        place = self.document.astype(np.int64) * labels + self.label
        return _sums(place, self.value, documents * labels).reshape(documents, labels)


def joined(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """The columns of several parts of a corpus as those of the whole."""
    if len(parts) == 1:
        return dict(parts[0])
    whole = {}
    for name in parts[0] if parts else ():
        columns = [part[name] for part in parts]
        values = [np.ones(len(c.label), dtype=np.int64) if c.value is None else c.value for c in columns]
        whole[name] = Column(
            np.concatenate([column.document for column in columns]),
            np.concatenate([column.label for column in columns]),
            np.concatenate(values),
        )
    return whole


def _sums(group: np.ndarray, value: np.ndarray | None, groups: int) -> np.ndarray:
    """The sum of the values of each group; None stands for 1 everywhere."""
    exact = value is None or value.dtype.kind != "f"
    if value is not None and exact and len(value) and float(value.max()) * len(value) >= _LARGEST:
        raise InputError("counts pass the range of 64-bit integers.", "Score fewer or shorter spans at once.")
    sums = np.zeros(groups, dtype=np.int64 if exact else np.float64)
    # bincount converts what it is given: part by part that takes no memory to speak of
    step = max(_BLOCK, groups)
    for start in range(0, len(group), step):
        part = slice(start, start + step)
        sums += _sums_at_once(group[part], None if value is None else value[part], groups)
    return sums


def _sums_at_once(group: np.ndarray, value: np.ndarray | None, groups: int) -> np.ndarray:
    if value is None:
        return np.bincount(group, minlength=groups)
    if value.dtype.kind == "f":
        return np.bincount(group, weights=value, minlength=groups)
    # bincount sums in floating point, which is exact for each half of the bits
    high, low = value >> 26, value & (2**26 - 1)
    sums = (np.bincount(group, weights=half, minlength=groups).astype(np.int64) for half in (high, low))
    return (next(sums) << 26) + next(sums)


class LabelTotals(Protocol):
    """What a measure can be scored from: sums of several kinds by label."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Label names."""

    def per_label(self) -> dict[str, np.ndarray]:
        """Sums by label, shape (labels)."""

    def total(self) -> dict[str, int | float]:
        """Sums over labels."""


@dataclass(frozen=True, eq=False)
class Counts:
    """What a measure keeps of a corpus: columns of numbers at (document, label) whose sums give every score.

    A column's total over the whole corpus can be read as an attribute: `counts.both`.

    Attributes:
        columns: the counts by name.
        labels: label names; the columns' label codes index them.
        documents: number of documents.
    """

    columns: Mapping[str, Column]
    labels: tuple[str, ...]
    documents: int

    def per_label(self) -> dict[str, np.ndarray]:
        """Each column's sums by label, shape (labels)."""
        return {name: column.per_label(len(self.labels)) for name, column in self.columns.items()}

    def per_document(self) -> Iterator[dict[str, np.ndarray]]:
        """Each column's sums by document and label, shape (some documents, labels), for one part of them after another.

        A part is small enough that memory does not grow with documents times labels.
        """
        labels = max(len(self.labels), 1)
        step = max(_BLOCK // labels, 1)
        order = {name: np.argsort(column.document, kind="stable") for name, column in self.columns.items()}
        for first in range(0, self.documents, step):
            size = min(step, self.documents - first)
            sums = {}
            for name, column in self.columns.items():
                document = column.document[order[name]]
                rows = order[name][slice(*np.searchsorted(document, [first, first + size]))]
                value = None if column.value is None else column.value[rows]
                part = Column(column.document[rows] - first, column.label[rows], value)
                sums[name] = part.per_document(size, len(self.labels))
            yield sums

    def total(self) -> dict[str, int | float]:
        """Each column's sum over documents and labels."""
        return {name: sums.sum().item() for name, sums in self.per_label().items()}

    def __getattr__(self, name: str) -> int | float:
        """The total of a column."""
        columns = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(name)
        return columns[name].per_label(len(self.labels)).sum().item()


def require_zero_division(value: object) -> None:
    """Raise an `InputError` unless the value is one that `zero_division` can take."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not (value in (0.0, 1.0) or value != value):
        raise InputError(f"zero_division={value!r} is not a value that zero_division can take.", "Use 0.0, 1.0 or nan.")


def divide(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> np.ndarray:
    """Element by element `numerator / denominator`, and `zero_division` where the denominator is 0."""
    numerator, denominator = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), float(zero_division))
    return np.divide(numerator, denominator, out=result, where=denominator != 0)


def precision_recall_f1(
    right: np.ndarray, predicted: np.ndarray, found: np.ndarray, reference: np.ndarray, zero_division: float
) -> dict[str, np.ndarray]:
    """Precision `right / predicted`, recall `found / reference` and their harmonic mean, element by element.

    Args:
        right: how much of what was predicted is right.
        predicted: how much was predicted.
        found: how much of the reference was found (the same as `right` for most measures).
        reference: how much there is in the reference.
        zero_division: precision where nothing was predicted, recall where the reference has nothing, F1 where both.

    Returns:
        `precision`, `recall` and `f1`, in [0, 1], higher is better. F1 is 0 where nothing is right or found, and where
        only one side is empty.
    """
    right, predicted, found, reference = (
        np.asarray(count, dtype=float) for count in (right, predicted, found, reference)
    )
    # 2pr/(p + r), with both fractions cleared: correctly rounded where right and found are one integer
    f1 = divide(2 * right * found, right * reference + found * predicted, 0.0)
    f1 = np.where(right == found, divide(2 * right, predicted + reference, 0.0), f1)
    return {
        "precision": divide(right, predicted, zero_division),
        "recall": divide(found, reference, zero_division),
        "f1": np.where((predicted == 0) & (reference == 0), zero_division, f1),
    }


def average_over_labels(
    scores: Mapping[str, np.ndarray], weights: np.ndarray, pooled: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Weighted means over the last axis, which is that of labels; NaN scores are left out.

    Args:
        scores: shape (..., labels).
        weights: shape (..., labels), 0 where a label is not there.
        pooled: the scores of all labels together, which stand where all weights are 0.
    """
    averages = {}
    weight = weights.astype(float)
    unweighted = weight.sum(axis=-1) == 0
    for key, values in scores.items():
        known = ~np.isnan(values)
        kept = np.where(known, weight, 0.0).sum(axis=-1)
        sums = (np.where(known, values, 0.0) * weight).sum(axis=-1)
        averages[key] = np.where(unweighted, pooled[key], divide(sums, kept, np.nan))
    return averages


def require_average(value: object) -> None:
    """Raise an `InputError` unless the value is one that `average` can take."""
    require_choice("average", value, AVERAGES)
