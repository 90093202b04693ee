"""Disorder of random annotations, for gamma (Mathet, Widlöcher and Métivier 2015, section 5.2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Self

import numpy as np

from ..alignment.unitary import Dissimilarity, UnitaryAlignments, Units, best_alignment
from ..counts.statistics import divide
from ..exceptions import InputError, setting

MOST_SAMPLES = 100_000

_CONFIDENCE = 1.96
"""The normal quantile for 95%."""

_PART = 5
"""The number of samples in one task of a process."""


@dataclass(frozen=True, eq=False)
class AlignedPairs:
    """The pairs of aligned units, each with the weight max(0, 1 - d_pos) / (k - 1), see `Gamma`."""

    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray
    apart: np.ndarray

    @classmethod
    def of(cls, units: Units, best: UnitaryAlignments, dissimilarity: Dissimilarity, delta: float) -> Self:
        """Compute the weight and label distance of each pair of aligned units."""
        row, first, second = best.unit_pairs()
        close = np.maximum(0.0, 1 - delta * dissimilarity.positional(units, first, second))
        weight = close / (best.sizes[row] - 1)
        return cls(first, second, weight, weight * dissimilarity.categorical(units, first, second))

    def by_label(self, units: Units) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """List a unit, the weight and the weighted distance of each pair; a pair with two labels is listed twice."""
        differ = units.label[self.first] != units.label[self.second]
        unit = np.append(self.first, self.second[differ])
        return unit, np.append(self.weight, self.weight[differ]), np.append(self.apart, self.apart[differ])


@dataclass(frozen=True, eq=False)
class Chance:
    """Random annotations, created from the units of all annotators on concatenated documents.

    `shift`: draw annotators with replacement, and shift all units of each by a random number of tokens. Positions form
    a circle from the first start to the last end; a unit that passes the end continues at the start without being cut.
    Any two shifts differ by at least `apart` mean unit lengths; if the circle is too short for that, shifts are in
    equal steps. All such shifts are equally likely.

    `statistical`: draw the number of units of each annotator, their lengths and the gaps between them from normal
    distributions with the observed means and standard deviations, and draw labels by their frequencies. Negative
    numbers of units become 0; of negative lengths the absolute value is taken.

    Attributes:
        units: the observed units; their groups are ignored.
        labels: the number of labels.
        sampler: `shift` or `statistical`.
        apart: the minimum distance of two shifts, in mean unit lengths.
        delta: Δ.
        seed: the seed. Each sample has its own random generator, so samples can be created in any order.
    """

    units: Units
    labels: int
    dissimilarity: Dissimilarity
    sampler: str = "shift"
    apart: float = 1.0
    delta: float = 1.0
    seed: int = 0

    def disorders(self, samples: int, precision: float | None, processes: int) -> tuple[np.ndarray, np.ndarray]:
        """Compute the disorder of random annotations (samples), see `of`.

        Args:
            samples: the minimum number of samples.
            precision: the relative error of the mean disorder, at 95%. The first samples show how many more are needed.
            processes: the number of processes; inside a worker process only one is used.

        Raises:
            InputError: if more than `MOST_SAMPLES` are needed.
        """
        disorders = self._in_processes(0, samples, processes)
        if precision is None:
            return disorders
        whole = disorders[0].sum(axis=1)
        mean, deviation = whole.mean(), whole.std(ddof=1) if samples > 1 else 0.0
        needed = ceil((_CONFIDENCE * deviation / mean / precision) ** 2) if mean else 0
        if needed <= samples:
            return disorders
        if needed > MOST_SAMPLES:
            raise InputError(
                f"a relative error of {precision:g} needs about {needed:,} random annotations; the limit is "
                f"{MOST_SAMPLES:,}.",
                f"Set {setting('precision', float(f'{1.01 * precision * sqrt(needed / MOST_SAMPLES):.1g}'))} or more.",
                option="precision",
            )
        return _joined([disorders, self._in_processes(samples, needed, processes)])

    def _in_processes(self, first: int, last: int, processes: int) -> tuple[np.ndarray, np.ndarray]:
        parts = [range(start, min(start + _PART, last)) for start in range(first, last, _PART)]
        from multiprocessing import current_process, get_context

        # workers of a pool cannot start processes
        if processes == 1 or len(parts) == 1 or current_process().daemon:
            return _joined(map(self.of, parts))
        from concurrent.futures import ProcessPoolExecutor

        # spawn, because threads such as Arrow's do not survive a fork
        with ProcessPoolExecutor(min(processes, len(parts)), mp_context=get_context("spawn")) as pool:
            return _joined(pool.map(self.of, parts))

    def of(self, numbers: range) -> tuple[np.ndarray, np.ndarray]:
        """Compute the disorder of the samples with these numbers, in units of Δ.

        Returns:
            The disorder of each sample's best alignment by label, shape (samples, labels); the units of a unitary
            alignment share its disorder equally. And the weighted mean label distance of aligned pairs with each label
            and, in the last column, of all pairs; NaN if there are no pairs. Shape (samples, labels + 1).
        """
        units = self.sampled(numbers)
        best = best_alignment(units, self.dissimilarity)
        mean_units = np.bincount(units.group, minlength=len(numbers)) / units.annotators
        of_unit = (best.disorder / best.sizes)[best.of_units(len(units.start))]
        shares = np.zeros((len(numbers), self.labels))
        np.add.at(shares, (units.group, units.label), of_unit)
        pairs = AlignedPairs.of(units, best, self.dissimilarity, self.delta)
        unit, *values = pairs.by_label(units)
        sums = np.zeros((2, len(numbers), self.labels + 1))
        for total, of_labels, of_all in zip(sums, values, (pairs.weight, pairs.apart), strict=True):
            np.add.at(total, (units.group[unit], units.label[unit]), of_labels)
            np.add.at(total, (units.group[pairs.first], self.labels), of_all)
        weight, apart = sums
        return shares / mean_units[:, None], divide(apart, weight, np.nan)

    def sampled(self, numbers: range) -> Units:
        """Create the samples with these numbers; each is a group of units."""
        make = self._shifted if self.sampler == "shift" else self._drawn
        samples = [make(np.random.default_rng([self.seed, number])) for number in numbers]
        group = np.repeat(np.arange(len(samples)), [len(annotator) for annotator, *_ in samples])
        annotator, start, end, label = (np.concatenate(column) for column in zip(*samples, strict=True))
        return Units(self.units.annotators, annotator, group, start, end, label)

    def _shifted(self, generator: np.random.Generator) -> tuple[np.ndarray, ...]:
        units, count = self.units, self.units.annotators
        numbers = np.bincount(units.annotator, minlength=count)
        drawn = generator.integers(count, size=count)
        while not numbers[drawn].any():
            drawn = generator.integers(count, size=count)
        first, last = int(units.start.min()), int(units.end.max())
        moves = np.floor(self._moves(generator, last - first)).astype(np.int64)
        of_new = [np.flatnonzero(units.annotator == real) for real in drawn]
        unit = np.concatenate(of_new)
        annotator = np.repeat(np.arange(count), numbers[drawn])
        start = first + (units.start[unit] - first + moves[annotator]) % (last - first)
        return annotator, start, start + units.duration[unit], units.label[unit]

    def _moves(self, generator: np.random.Generator, circle: float) -> np.ndarray:
        """Draw a shift for each annotator, uniformly among all shifts that are far enough apart."""
        count = self.units.annotators
        least = min(self.apart * float(self.units.duration.mean()), circle / count)
        free = np.sort(generator.uniform(0, circle - count * least, count - 1))
        places = np.concatenate(([0.0], free)) + least * np.arange(count)
        return (generator.permutation(places) + generator.uniform(0, circle)) % circle

    def _drawn(self, generator: np.random.Generator) -> tuple[np.ndarray, ...]:
        units, count = self.units, self.units.annotators
        real = np.bincount(units.annotator, minlength=count)
        numbers = np.maximum(np.rint(generator.normal(real.mean(), real.std(), count)), 0).astype(np.int64)
        numbers[0] += not numbers.any()
        order = np.lexsort((units.end, units.start, units.annotator))
        same_annotator = np.diff(units.annotator[order]) == 0
        gaps = (units.start[order][1:] - units.end[order][:-1])[same_annotator] if same_annotator.any() else np.zeros(1)
        annotator = np.repeat(np.arange(count), numbers)
        gap = generator.normal(gaps.mean(), gaps.std(), len(annotator))
        length = np.abs(generator.normal(units.duration.mean(), units.duration.std(), len(annotator)))
        length = np.maximum(length, 1e-6)
        first = np.cumsum(numbers) - numbers
        gap[first[numbers > 0]] = 0
        end = np.cumsum(gap + length)
        before = np.concatenate(([0.0], end))[first]
        end = end - np.repeat(before, numbers)
        frequency = np.bincount(units.label, minlength=self.labels) / len(units.label)
        return annotator, end - length, end, generator.choice(self.labels, len(annotator), p=frequency)


def _joined(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    per_label, categorical = zip(*parts, strict=True)
    return np.concatenate(per_label), np.concatenate(categorical)
