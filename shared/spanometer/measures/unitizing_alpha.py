"""Krippendorff's alpha for unitizing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from ..alignment import Alignment, Side, overlaps
from ..errors import InputError, require_choice
from ..statistics import divide
from .base import AlignedMeasure

VARIANTS = ("1995", "2016")


@dataclass(frozen=True, eq=False)
class UnitizingCounts:
    """What alpha keeps of a corpus.

    Alpha is no function of sums over documents: its expectation pools the lengths of all units and gaps, and gaps melt
    over the seams between documents. So these counts cannot be added.

    Attributes:
        labels: label names.
        observed, expected: disagreement by label, float64, shape (labels).
        reference_spans: spans of the first annotator by label, int64.
        units: spans of all annotators by label, int64.
        tokens: tokens of all documents.
        annotators: how many annotators.
    """

    labels: tuple[str, ...]
    observed: np.ndarray
    expected: np.ndarray
    reference_spans: np.ndarray
    units: np.ndarray
    tokens: int
    annotators: int

    def per_label(self) -> dict[str, np.ndarray]:
        """Disagreement and numbers of spans by label, shape (labels)."""
        return {
            "observed": self.observed,
            "expected": self.expected,
            "units": self.units,
            "reference_spans": self.reference_spans,
        }

    def total(self) -> dict[str, int | float]:
        """Disagreement and numbers of spans, summed over labels."""
        return {name: values.sum().item() for name, values in self.per_label().items()}


@dataclass(frozen=True, kw_only=True)
class UnitizingAlpha(AlignedMeasure):
    """Krippendorff's alpha for unitizing: 1 - D_o / D_e, spans of a label (units) against the gaps between them.

    Documents are laid end to end, n tokens in all, and gaps melt over the seams. m annotators have N units in all.
    Disagreement is computed by label.

    `1995`: D_o = Σ δ² / (m (m - 1) n²) over ordered pairs of annotators. δ² of two units that share tokens is
    (difference of starts)² + (difference of ends)²; a unit that lies in the other's gap has δ² = length², in both
    directions. With l a unit's length and g a gap's,

        D_e = (2 / n) Σ_units [(N - 1) / 3 (2 l³ - 3 l² + l) + l² Σ_{gaps g >= l} (g - l + 1)]
              / (m n (m n - 1) - Σ l (l - 1)).

    `2016` (token coincidences): D_o is the share of tokens that one annotator of a pair annotates and the other does
    not, averaged over pairs; with l1 tokens annotated by all annotators together, l0 others and L = m n,

        D_e = 2 l1 l0 / (L² - Σ l² - l0).

    alpha is at most 1, which is perfect agreement; 0 is what chance gives. Higher is better. `micro` is
    1 - Σ D_o / Σ D_e over labels. Sources: Krippendorff 1995; Krippendorff et al. 2016.

    Attributes:
        variant: `1995` or `2016`.
        zero_division: alpha where D_e is 0.

    Raises:
        InputError: where the documents' lengths are not known, and where one annotator's spans of a label overlap or
            are discontinuous.
    """

    variant: str = "2016"

    name: ClassVar[str] = "unitizing_alpha"
    keys: ClassVar[tuple[str, ...]] = ("alpha", "observed_disagreement", "expected_disagreement")
    headline: ClassVar[str] = "alpha"
    additive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        require_choice("variant", self.variant, VARIANTS)

    def count(self, alignment: Alignment) -> UnitizingCounts:
        """Disagreement of two annotators: the reference and the prediction."""
        if alignment.lengths is None:
            raise InputError(
                "the documents' lengths are not known, and alpha depends on them.", "Give them with lengths=[...]."
            )
        for name, side in (("references", alignment.references), ("predictions", alignment.predictions)):
            require_units(alignment, name, side)
        return self.count_sides([alignment.references, alignment.predictions], alignment.labels, alignment.stride)

    def count_sides(self, sides: Sequence[Side], labels: tuple[str, ...], tokens: int) -> UnitizingCounts:
        """Disagreement of any number of annotators, laid out on one line of `tokens` tokens for each label."""
        disagreement = _interval_disagreement if self.variant == "1995" else _token_disagreement
        observed, expected = disagreement(sides, len(labels), tokens)
        numbers = [np.bincount(side.label, minlength=len(labels)) for side in sides]
        return UnitizingCounts(labels, observed, expected, numbers[0], np.sum(numbers, axis=0), tokens, len(sides))

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Alpha and the two disagreements."""
        observed, expected = (np.asarray(quantities[name], dtype=float) for name in ("observed", "expected"))
        alpha = np.where(expected == 0, self.zero_division, 1.0 - divide(observed, expected, 0.0))
        return {"alpha": alpha, "observed_disagreement": observed, "expected_disagreement": expected}


def _interval_disagreement(sides: Sequence[Side], labels: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Observed and expected disagreement of the 1995 variant, by label."""
    annotators = len(sides)
    squares = np.zeros(labels)
    for first, second in combinations(sides, 2):
        left, right = overlaps(first.start, first.end, second.start, second.end)
        apart = (first.start[left] - second.start[right]) ** 2 + (first.end[left] - second.end[right]) ** 2
        squares += np.bincount(first.label[left], weights=apart, minlength=labels)
        for side, met in ((first, left), (second, right)):
            lonely = np.ones(len(side), dtype=bool)
            lonely[met] = False
            squares += np.bincount(side.label[lonely], weights=side.size[lonely] ** 2.0, minlength=labels)
    observed = divide(2 * squares, np.full(labels, annotators * (annotators - 1) * float(tokens) ** 2), 0.0)

    length = np.concatenate([side.size for side in sides]).astype(float)
    label = np.concatenate([side.label for side in sides])
    gaps = [_gaps(side, labels, tokens) for side in sides]
    gap_label, gap = (np.concatenate(columns) for columns in zip(*gaps, strict=True))
    expected = np.zeros(labels)
    for code in range(labels):
        units, parted = length[label == code], np.sort(gap[gap_label == code]).astype(float)
        inner = (len(units) - 1) / 3 * (2 * units**3 - 3 * units**2 + units)
        shortest = np.searchsorted(parted, units)
        number = len(parted) - shortest
        longer = np.concatenate((np.cumsum(parted[::-1])[::-1], [0.0]))[shortest]
        outer = units**2 * (longer - number * (units - 1))
        pairs = float(annotators * tokens) * (annotators * tokens - 1) - (units * (units - 1)).sum()
        if len(units):
            expected[code] = 2 / tokens * (inner + outer).sum() / pairs
    return observed, expected


def _gaps(side: Side, labels: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """The label and the length of each gap between one annotator's units, and before the first and behind the last."""
    border = np.arange(labels) * tokens
    start = np.sort(np.concatenate([side.end, border]))
    end = np.sort(np.concatenate([side.start, border + tokens]))
    some = end > start
    return start[some] // max(tokens, 1), (end - start)[some]


def _token_disagreement(sides: Sequence[Side], labels: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Observed and expected disagreement of the 2016 variant, by label."""
    annotators = len(sides)
    covered = [np.bincount(side.label, weights=side.size, minlength=labels).astype(float) for side in sides]
    apart = np.zeros(labels)
    for (first, one), (second, other) in combinations(zip(sides, covered, strict=True), 2):
        left, right = overlaps(first.start, first.end, second.start, second.end)
        shared = np.minimum(first.end[left], second.end[right]) - np.maximum(first.start[left], second.start[right])
        apart += one + other - 2 * np.bincount(first.label[left], weights=shared, minlength=labels)
    observed = divide(apart, np.full(labels, annotators * (annotators - 1) / 2 * tokens), 0.0)
    inside = np.sum(covered, axis=0)
    outside = annotators * tokens - inside
    squares = np.sum([np.bincount(side.label, weights=side.size**2.0, minlength=labels) for side in sides], axis=0)
    return observed, divide(2 * inside * outside, float(annotators * tokens) ** 2 - squares - outside, 0.0)


def require_units(alignment: Alignment, name: str, side: Side) -> None:
    """Raise an `InputError` where one annotator's spans of a label overlap or are discontinuous."""
    if side.pieces is not None and len(side.pieces.span) > len(side):
        span = int(np.argmax(np.bincount(side.pieces.span) > 1))
        problem = "is discontinuous; units are contiguous."
    elif not side.flat:
        span = int(np.argmax(side.start[1:] < side.end[:-1])) + 1
        problem = "overlaps another of its label; one annotator's units do not."
    else:
        return
    raise alignment.refusal(
        name,
        side,
        span,
        side.start[span],
        f"a span of {alignment.labels[side.label[span]]!r} {problem}",
        "Leave it out, or score with another measure.",
    )
