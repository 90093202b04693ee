"""Krippendorff's alpha for unitizing."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, intersections, line_base, overlaps
from ..arrays import offsets_by, offsets_of, take_segments
from ..counts.counts import Column, Counts
from ..counts.statistics import ALL_AVERAGES, divide
from ..options import option, reused_option
from .aligned import AlignedMeasure, require_contiguous, require_disjoint, require_lengths
from .base import Key, Measure, error_key, zero_division_option


@dataclass(frozen=True, eq=False)
class UnitizingCounts(Counts):
    """The counts of unitizing alpha and gamma.

    `2016` sums by document and label: `apart`, the number of tokens that only one annotator of a pair marks; `inside`,
    the tokens in units, summed over annotators; `squares`, the sum of the squared lengths of units. `1995` and gamma
    instead keep the units as rows (`annotator`, `start`, `end`), because gaps continue across documents. All of them
    count `units` and `reference_spans` (units of the first annotator) and, by document, `tokens` and `annotator_tokens`
    (tokens times annotators).
    """

    def condensed(self) -> Self:
        """Merge all documents into one, see `Counts.condensed`; units keep their positions."""
        total = super().condensed()
        if not self.rows:
            return total
        before = offsets_of(self.shared["tokens"])[self.rows["document"]]
        moved = {name: self.rows[name] + before for name in ("start", "end")}
        return replace(total, rows={**total.rows, **moved})


class UnitMeasure(AlignedMeasure):
    """A measure of the spans (units) of any number of annotators of concatenated documents."""

    shared: ClassVar[tuple[str, ...]] = ("tokens", "annotator_tokens")
    counts_type = UnitizingCounts

    def _count(self, alignment: Alignment) -> Counts:
        """Compute the counts of two annotators: the reference and the prediction."""
        for name, side in alignment.sides.items():
            self.require_units(alignment, name, side)
        return self.count_sides([*alignment.sides.values()], alignment.labels, alignment.offsets)

    @abstractmethod
    def require_units(self, alignment: Alignment, name: str, side: SideSpans) -> None:
        """Raise an `InputError` if the measure is undefined for the spans of a side."""

    @abstractmethod
    def count_sides(self, sides: Sequence[SideSpans], labels: tuple[str, ...], offsets: np.ndarray) -> Counts:
        """Compute the counts of any number of annotators.

        Args:
            sides: the spans of each annotator, as positions on one axis: label after label, and the documents within
                each.
            labels: the label names.
            offsets: the start of each document within a label, and the end of the last document.
        """


class UnitizingAlpha(UnitMeasure):
    """Compute Krippendorff's alpha for unitizing: agreement on spans (units) and on the gaps between spans.

    alpha is 1 - D_o / D_e, with the observed disagreement D_o and the expected disagreement D_e of each label.
    Documents are concatenated, so gaps continue across documents. n is the number of tokens, m the number of annotators
    and N the number of their units.

    `1995`: D_o = Σ δ² / (m (m - 1) n²), summed over ordered pairs of annotators. Two units that share tokens have δ² =
    (difference of starts)² + (difference of ends)². A unit within a gap of the other annotator has δ² = length², in
    both directions. With the lengths l of units and g of gaps,

        D_e = (2 / n) Σ_units [(N - 1) / 3 (2 l³ - 3 l² + l) + l² Σ_{gaps g >= l} (g - l + 1)]
              / (m n (m n - 1) - Σ l (l - 1)).

    `2016` (token coincidences): D_o is the proportion of tokens that only one annotator of a pair marks, averaged over
    pairs. With L = m n, l1 marked tokens summed over all annotators, and l0 = L - l1,

        D_e = 2 l1 l0 / (L² - Σ l² - l0).

    alpha is at most 1 (perfect agreement); 0 is the level of chance. Higher is better. `micro` is
    1 - Σ D_o / Σ D_e over labels. Sources: Krippendorff 1995; Krippendorff et al. 2016.

    Counts of parts of a corpus can be added, see `UnitizingCounts`. With `1995` the order of the documents matters,
    because gaps continue across them, and resampling is slower.

    Attributes:
        variant: `1995` or `2016`.
        average: also `documents`, the mean of each document's values (INCEpTION). A document with expected disagreement
            0 has alpha `zero_division`; NaN leaves it out.
        zero_division: alpha if D_e is 0.

    Raises:
        InputError: if document lengths are unknown, or if an annotator's spans of a label overlap or are discontinuous.
    """

    variant: str = option("2016", help="definition of alpha, by year", choices=("1995", "2016"), label="Variant")

    average: str = reused_option(Measure, "average", choices=ALL_AVERAGES)
    zero_division: float = zero_division_option("value of alpha if the expected disagreement is zero")

    name = "unitizing_alpha"
    place = 80
    results: ClassVar[Mapping[str, Key]] = {
        "alpha": Key("alpha", "agreement beyond chance; 0 at chance level", "(-∞, 1]"),
        "observed_disagreement": error_key(
            "observed disagreement", "disagreement of the annotators, summed over labels", share=False
        ),
        "expected_disagreement": error_key(
            "expected disagreement", "disagreement expected by chance, summed over labels", "", share=False
        ),
    }
    headline = "alpha"
    needs = frozenset(("lengths", "contiguous", "disjoint"))

    def require_units(self, alignment: Alignment, name: str, side: SideSpans) -> None:
        """Raise an `InputError` if lengths are unknown, or if spans of a side are discontinuous or overlap."""
        require_lengths(alignment.lengths, self.name)
        require_contiguous(alignment, name, side)
        require_disjoint(alignment, name, side, ". Krippendorff's alpha does not allow such overlaps.")

    def count_sides(self, sides: Sequence[SideSpans], labels: tuple[str, ...], offsets: np.ndarray) -> UnitizingCounts:
        """Compute the counts of any number of annotators, see `UnitMeasure.count_sides`."""
        document, label = (np.concatenate([getattr(side, name) for side in sides]) for name in ("document", "label"))
        columns = {"units": Column(document, label), "reference_spans": sides[0].column()}
        if self.variant == "2016":
            size = np.concatenate([side.size for side in sides])
            columns["apart"] = _apart(sides)
            columns["inside"] = Column(document, label, size)
            columns["squares"] = Column(document, label, size**2)
        tokens = np.diff(offsets)
        shared = {"tokens": tokens, "annotator_tokens": len(sides) * tokens}
        rows = {} if self.variant == "2016" else unit_rows(sides, offsets)
        return self.with_document_scores(UnitizingCounts(columns, labels, len(tokens), shared, rows, self))

    def totals(self, counts: Counts, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Sum counts by label; with `1995` also compute the disagreement of the concatenated documents.

        Copies of a document are adjacent.
        """
        totals = super().totals(counts, weights)
        if not counts.rows:
            return totals
        times = np.ones((1, counts.documents)) if weights is None else weights
        disagreements = np.array([_disagreement(counts, row.astype(np.int64)) for row in times])
        observed, expected = np.moveaxis(disagreements, 1, 0) if weights is not None else disagreements[0]
        return {**totals, "observed": observed, "expected": expected}

    def quantities(self, totals: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Compute observed and expected disagreement by label."""
        if self.variant == "1995":
            # without units there are no rows
            nothing = np.zeros(np.shape(totals["units"]))
            return {name: totals.get(name, nothing) for name in ("observed", "expected")}
        tokens, length = (np.asarray(totals[name], dtype=float) for name in ("tokens", "annotator_tokens"))
        annotators = divide(length, tokens, 2.0)
        inside, squares = (np.asarray(totals[name], dtype=float) for name in ("inside", "squares"))
        outside = length - inside
        return {
            "observed": divide(totals["apart"], annotators * (annotators - 1) / 2 * tokens, 0.0),
            "expected": divide(2 * inside * outside, length**2 - squares - outside, 0.0),
        }

    def notes(self, counts: Counts) -> list[str]:
        """List a warning if expected disagreement is 0, because alpha then has no scale."""
        totals = self.totals(counts)
        if not np.any(totals["units"]) or self.score_totals(totals)["expected_disagreement"]:
            return []
        return [
            "expected_disagreement is 0: randomly placed units never disagree, so alpha has the value of zero_division."
        ]

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute alpha, observed and expected disagreement."""
        observed, expected = (np.asarray(quantities[name], dtype=float) for name in ("observed", "expected"))
        alpha = np.where(expected == 0, self.zero_division, 1.0 - divide(observed, expected, 0.0))
        return {"alpha": alpha, "observed_disagreement": observed, "expected_disagreement": expected}


def unit_rows(sides: Sequence[SideSpans], offsets: np.ndarray) -> dict[str, np.ndarray]:
    """List the units of all annotators in int64 columns, with token positions within documents."""
    names = ("document", "label", "start", "end")
    document, label, start, end = (np.concatenate([getattr(side, name) for side in sides]) for name in names)
    base = line_base(label, document, offsets)
    annotator = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    columns = {"document": document, "label": label, "annotator": annotator, "start": start - base, "end": end - base}
    return {name: column.astype(np.int64) for name, column in columns.items()}


def _apart(sides: Sequence[SideSpans]) -> Column:
    """Count the tokens that only one annotator of a pair marks, summed over pairs."""
    document, label, value = [], [], []
    for first, second in combinations(sides, 2):
        left, right = overlaps(first, second)
        start, end = intersections(first, second, left, right)
        document += [first.document, second.document, first.document[left]]
        label += [first.label, second.label, first.label[left]]
        value += [first.size, second.size, -2 * (end - start)]
    return Column(*map(np.concatenate, (document, label, value)))


def _disagreement(counts: Counts, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute observed and expected disagreement (1995) of the concatenated documents with copies, by label."""
    rows, tokens, documents = counts.rows, counts.shared["tokens"], np.repeat(np.arange(counts.documents), times)
    annotators = int(divide(counts.shared["annotator_tokens"].sum(), tokens.sum(), 2.0))
    sizes, items = take_segments(offsets_by(rows["document"], counts.documents), documents)
    units = np.argsort(rows["document"], kind="stable")[items]
    offsets = offsets_of(tokens[documents])
    base = rows["label"][units] * offsets[-1] + np.repeat(offsets[:-1], sizes)
    start, end = (rows[bound][units] + base for bound in ("start", "end"))
    sides = []
    for annotator in range(annotators):
        own = np.flatnonzero(rows["annotator"][units] == annotator)
        own = own[np.argsort(start[own], kind="stable")]
        sides.append(SideSpans(rows["document"][units][own], rows["label"][units][own], start[own], end[own]))
    return _interval_disagreement(sides, len(counts.labels), int(offsets[-1]))


def _interval_disagreement(sides: Sequence[SideSpans], labels: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute observed and expected disagreement (1995) of units on one axis, by label."""
    annotators = len(sides)
    squares = np.zeros(labels)
    for first, second in combinations(sides, 2):
        left, right = overlaps(first, second)
        apart = (first.start[left] - second.start[right]) ** 2 + (first.end[left] - second.end[right]) ** 2
        squares += np.bincount(first.label[left], weights=apart, minlength=labels)
        for side, met in ((first, left), (second, right)):
            lonely = np.delete(np.arange(len(side)), met)
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


def _gaps(side: SideSpans, labels: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label and length of each gap before, between and after an annotator's units."""
    border = np.arange(labels) * tokens
    start = np.sort(np.concatenate([side.end, border]))
    end = np.sort(np.concatenate([side.start, border + tokens]))
    nonempty = end > start
    return start[nonempty] // max(tokens, 1), (end - start)[nonempty]
