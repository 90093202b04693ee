"""Gamma, gamma-cat and gamma-k: agreement on units and their labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans
from ..alignment.unitary import Dissimilarity, Units, best_alignment
from ..arrays import is_number, listed_items
from ..counts.counts import Column, Counts
from ..counts.statistics import divide, joined_values
from ..exceptions import InputError, mention, setting, shown
from ..options import option, options_of
from .aligned import require_contiguous, require_lengths
from .base import Key, error_key, zero_division_option
from .unitizing_alpha import UnitizingCounts, UnitMeasure, unit_rows

_NOTHING = 1e-12
"""Sums of at most this size are 0: rounding leaves them when all parts of a sum are subtracted."""

_APART = {"mean": 1.0, "half": 0.5}
"""The values of `min_shift`, in mean lengths of units."""

MOST_SAMPLES = 100_000

_CONFIDENCE = 1.96
"""The normal quantile for 95%."""

_PART = 5
"""The number of samples in one task of a process."""


class Gamma(UnitMeasure):
    """Compute gamma (Mathet, Widlöcher and Métivier 2015) and gamma-cat (2017): agreement on spans (units) and labels.

    gamma = 1 - observed disorder / expected disorder. The dissimilarity of two units is d = α d_pos + β d_cat, with

        d_pos = Δ ((|Δstart| + |Δend|) / (sum of both lengths))²,    d_cat = Δ if the labels differ, else 0.

    A unitary alignment contains at most one unit of each of the n annotators. Its disorder is the mean of d over all
    pairs of annotators, where a pair with a missing unit has d = Δ. An alignment is a set of unitary alignments that
    contains every unit once. Its disorder is the sum of the unitary disorders, divided by the mean number of units per
    annotator.

    Observed disorder is the exact minimum over all alignments of units within documents. Expected disorder is the mean
    of the observed disorders of random annotations of the concatenated documents, see `Chance`. Spans may
    nest and cross.

    gamma-cat compares only labels. Each pair of units in a unitary alignment of k units has the weight w = max(0, 1 -
    d_pos) / (k - 1), and disorder is the weighted mean of d_cat / Δ; gamma-cat is 1 - observed / expected. Units
    aligned with no other unit do not count. The gamma-cat of one label is gamma-k, over pairs with a unit of that
    label. If several alignments have minimal disorder, gamma-cat can depend on the choice; gamma cannot.

    gamma and gamma-cat are at most 1 (perfect agreement); 0 is the level of chance. Higher is better. For gamma by
    label, the units of a unitary alignment share its disorder equally. For gamma by document, expected disorder is
    computed for the document's units from chance in the whole corpus. Intervals and paired tests treat expected
    disorder as known; it is not computed again for resampled corpora and swapped outputs.

    Δ is `delta_empty`. `distances` are symmetric, and their text can be JSON. If there are no units, gamma is
    `zero_division`, as with an expected disorder of 0; so is gamma-cat in both cases.

    Attributes:
        alpha, beta: the weights of positions and of labels.
        delta_empty: cost of a missing unit in an alignment.
        distances: label distances from 0 to 1, as in {"PER": {"ORG": 0.5}} or "PER/ORG=0.5"; the default distance is
            1.
        sampler: how to create random annotations: `shift` as in the paper, `statistical` as in pygamma-agreement.
        min_shift: the minimum difference between the shifts of two annotators with the sampler `shift`: the `mean`
            length of a unit (the paper) or `half` of it (the paper's program and pygamma-agreement).
        samples: number of random annotations.
        precision: maximum relative error of the expected disorder, such as 0.02 (2%), with 95% confidence. If the error
            is larger, more random annotations are drawn.
        seed: the seed of the random annotations.
        processes: the number of processes; it does not change the result.
        zero_division: value of undefined scores.

    Counts: `observed`, the disorder before division by `mean_units`, the mean number of units per annotator; `weight`
    and `categorical`, the sums for gamma-cat by label and, as `all_...`, by document; `units`; `reference_spans` of the
    first annotator; `tokens`, and `annotator_tokens`, summed over annotators. The units are also kept as rows, because
    chance depends on the whole corpus.

    Raises:
        InputError: if spans are discontinuous, if there are several documents of unknown length, or if distances are
            not numbers from 0 to 1.
    """

    alpha: float = option(3.0, help="weight of positions", low=0, high=1000, label="Weight of positions", span=(0, 10))
    beta: float = option(1.0, help="weight of labels", low=0, high=1000, label="Weight of labels", span=(0, 10))
    delta_empty: float = option(1.0, low=0, high=1000, exclusive=True)
    distances: str | Mapping[str, Mapping[str, float]] | None = option(
        None,
        type="str or dict, optional",
        convert=lambda distances: _text(_read(distances)),
        parse=str,
        label="Distances of labels",
    )
    sampler: str = option(
        "shift",
        help="how random annotations are made",
        choices={
            "shift": "real annotations are shifted; units past the end re-enter at the start, as in the paper",
            "statistical": "number, lengths and gaps of units are sampled from normal distributions, as in "
            "pygamma-agreement",
        },
        label="Sampler",
    )
    min_shift: str = option(
        "mean",
        help="with sampler=shift, minimum difference between the shifts of two annotators",
        choices={
            "mean": "the mean length of a unit, as in the paper",
            "half": "half of the mean length of a unit, as in the authors' program",
        },
        only_with={"sampler": ("shift",)},
    )
    samples: int = option(30, low=1, high=MOST_SAMPLES, label="Random annotations", span=(1, 300))
    precision: float | None = option(None, kind=float, low=0, high=1, exclusive=True)
    seed: int = option(0, help="seed for random annotations and confidence intervals", low=0)
    processes: int = option(1, help="how many processes draw random annotations", low=1, high=1024, compare=False)

    zero_division: float = zero_division_option()

    name = "gamma"
    place = 85
    results: ClassVar[Mapping[str, Key]] = {
        "gamma": Key("gamma", "agreement on units and labels, corrected for chance (chance level: 0)", "(-∞, 1]"),
        "gamma_cat": Key(
            "gamma-cat",
            "agreement on the labels of aligned units, corrected for chance; for a single label, it is called gamma-k",
            "(-∞, 1]",
        ),
        "observed_disorder": error_key("observed disorder", "disorder of the best alignment of all units", share=False),
        "expected_disorder": error_key("expected disorder", "mean disorder of random annotations", "", share=False),
    }
    quick = False
    headline = "gamma"
    unusual = ("distances", "precision")
    # a pair of two labels counts for both, so the corpus's sums are not sums over labels
    shared = (*UnitMeasure.shared, "all_weight", "all_categorical", "all_expected_categorical")

    def require_units(self, alignment: Alignment, name: str, side: SideSpans) -> None:
        """Raise an `InputError` if several documents have unknown lengths, or if a side has discontinuous spans."""
        if alignment.documents > 1:
            require_lengths(alignment.lengths, "gamma of several documents")
        require_contiguous(alignment, name, side)

    def count_sides(self, sides: Sequence[SideSpans], labels: tuple[str, ...], offsets: np.ndarray) -> Counts:
        """Compute the counts of any number of annotators, see `UnitMeasure.count_sides`."""
        count, documents = len(sides), len(offsets) - 1
        rows = unit_rows(sides, offsets)
        document, label = rows["document"], rows["label"]
        units = Units(count, rows["annotator"], document, rows["start"], rows["end"], label)
        aligned = AlignedUnits(units, self._dissimilarity(labels), self.delta_empty)
        unit, weight, apart = aligned.by_label()
        columns = {
            "observed": Column(document, label, self.delta_empty * aligned.disorder),
            "mean_units": Column(document, label, np.full(len(label), 1 / count)),
            "units": Column(document, label),
            "reference_spans": sides[0].column(),
            "weight": Column(document[unit], label[unit], weight),
            "categorical": Column(document[unit], label[unit], apart),
        }
        tokens = np.diff(offsets)
        shared = {"tokens": tokens, "annotator_tokens": count * tokens}
        for name, values in (("all_weight", aligned.weight), ("all_categorical", aligned.apart)):
            shared[name] = np.bincount(document[aligned.first], weights=values, minlength=documents)
        return UnitizingCounts(columns, labels, documents, shared, rows, self)

    def totals(self, counts: Counts, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Sum counts by label, and add the expected disorder of the corpus without weights."""
        return self._with_chance(counts, super().totals(counts, weights))

    def score_per_document(self, counts: Counts) -> dict[str, np.ndarray]:
        """Compute the scores of each document, with chance from the whole corpus."""
        return joined_values(self.score_totals(self._with_chance(counts, part)) for part in counts.per_document())

    def _with_chance(self, counts: Counts, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Add to totals the expected disorder for their numbers of units and pairs."""
        of_unit, categorical, _ = self._chance(counts)
        return {
            **totals,
            "expected": totals["units"] * of_unit,
            "expected_categorical": totals["weight"] * categorical[:-1],
            "all_expected_categorical": totals["all_weight"] * categorical[-1],
        }

    def simulated(self, counts: Counts) -> np.ndarray:
        """Compute gamma of each random annotation; their mean is 0."""
        disorder = self._chance(counts)[2]
        return 1 - divide(disorder, np.full(len(disorder), disorder.mean()), 1.0)

    def _chance(self, counts: Counts) -> tuple[np.ndarray, ...]:
        """Compute the expected disorder by chance.

        Returns the disorder per unit by label, the disorder of gamma-cat by label and overall, and each sample's
        disorder. They are cached in the counts.
        """
        kept: dict[Any, tuple[np.ndarray, ...]] = counts.__dict__.setdefault("chance", {})
        # these two do not change it
        key = replace(self, average="micro", zero_division=0.0)
        if key not in kept:
            kept[key] = self._expected(counts)
        return kept[key]

    def _expected(self, counts: Counts) -> tuple[np.ndarray, ...]:
        rows, labels = counts.condensed().rows, len(counts.labels)
        number = len(rows["label"]) if rows else 0
        if number == 0:
            return np.zeros(labels), np.zeros(labels + 1), np.zeros(self.samples)
        annotators = int(counts.shared["annotator_tokens"].sum() // counts.shared["tokens"].sum())
        units = _in_order(annotators, rows)
        chance = Chance(units, labels, self._dissimilarity(counts.labels), self)
        per_label, categorical = chance.disorders(self.samples, self.precision, self.processes).values()
        shares = self.delta_empty * per_label.mean(axis=0) * number / annotators
        of_unit = divide(shares, np.bincount(units.label, minlength=labels), 0.0)
        of_pairs = divide(np.nansum(categorical, axis=0), (~np.isnan(categorical)).sum(axis=0), 0.0)
        return of_unit, of_pairs, per_label.sum(axis=1)

    def _dissimilarity(self, labels: tuple[str, ...]) -> Dissimilarity:
        """Return the dissimilarity of units, with the matrix of label distances."""
        if self.distances is None:
            return Dissimilarity(self.alpha, self.beta)
        code = {label: number for number, label in enumerate(labels)}
        matrix = 1.0 - np.eye(len(labels))
        for (first, second), distance in _read(self.distances).items():
            if first in code and second in code:
                matrix[code[first], code[second]] = matrix[code[second], code[first]] = distance
        return Dissimilarity(self.alpha, self.beta, matrix)

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute gamma, gamma-cat, and observed and expected disorder."""
        observed, expected, units = (quantities[name] for name in ("observed", "expected", "mean_units"))
        categorical = (quantities[name] for name in ("categorical", "expected_categorical", "weight"))
        return {
            "gamma": self._beyond(observed, expected, units),
            "gamma_cat": self._beyond(*categorical),
            "observed_disorder": divide(observed, units, 0.0),
            "expected_disorder": divide(expected, units, 0.0),
        }

    def _beyond(self, observed: np.ndarray, expected: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Compute 1 - observed / expected; 1 if there are units and observed disorder is 0."""
        chance = np.where(expected > _NOTHING, expected, 0.0)
        value = np.where(chance == 0, self.zero_division, 1 - divide(observed, chance, 0.0))
        return np.where((observed <= _NOTHING) & (size > _NOTHING), 1.0, value)


def _in_order(annotators: int, rows: Mapping[str, np.ndarray]) -> Units:
    """Order the units by annotator and position, so that the order of the input does not matter; all are one group."""
    annotator, *columns = (rows[name] for name in ("annotator", "start", "end", "label"))
    order = np.lexsort((*reversed(columns), annotator))
    own = np.split(order, np.searchsorted(annotator[order], np.arange(1, annotators)))
    own.sort(key=lambda units: [column[units].tobytes() for column in columns])
    number = np.repeat(np.arange(annotators), list(map(len, own)))
    return Units(annotators, number, np.zeros_like(number), *(column[np.concatenate(own)] for column in columns))


_REMEDY = 'Give each pair of labels one number from 0 to 1, as in {"PER": {"ORG": 0.5}} or "PER/ORG=0.5".'


def _read(option: Any) -> dict[tuple[str, str], float]:
    """Read the distances of label pairs; the two names of a pair are sorted."""
    refusal = options_of(Gamma)["distances"].refusal(option, _REMEDY)
    distances: dict[tuple[str, str], float] = {}
    try:
        for first, second, distance in _entries(option):
            names = isinstance(first, str) and isinstance(second, str) and not set("/=,") & set(first + second)
            if not names or not is_number(distance) or not 0 <= distance <= float(first != second):
                raise refusal
            if distances.setdefault((min(first, second), max(first, second)), float(distance)) != distance:
                problem = f"{mention('distances')} has two numbers for the pair {shown(first)} and {shown(second)}."
                raise (refusal := refusal.placed(problem=problem))
    except (ValueError, TypeError, RecursionError):
        raise refusal from None
    return distances


def _entries(option: Any) -> Iterator[tuple[Any, ...]]:
    """Yield each pair of labels with its distance; raise a TypeError or ValueError if the option cannot be read."""
    if isinstance(option, str) and not option.lstrip().startswith("{"):
        for names, _, number in (entry.partition("=") for entry in option.split(",")):
            first, second = map(str.strip, names.split("/", 1))
            yield first, second, float(number)
        return
    # lists of pairs, because a dictionary would lose a repeated label
    if isinstance(option, str):
        labels = json.loads(option, object_pairs_hook=list)
    else:
        labels = [(label, listed_items(distances)) for label, distances in listed_items(option)]
    for label, distances in labels:
        yield from ((label, *pair) for pair in distances)


def _text(distances: Mapping[tuple[str, str], float]) -> str | None:
    """Write distances as text for the option."""
    pairs = sorted(distances.items())
    return ",".join(f"{first}/{second}={number!r}".removesuffix(".0") for (first, second), number in pairs) or None


class AlignedUnits:
    """The best alignment of units: the disorder of each unit, and the pairs of aligned units.

    Attributes:
        disorder: the disorder of each unit, in units of Δ; a unitary alignment shares its disorder equally.
        first, second: the units of each pair.
        weight: the weight of each pair, max(0, 1 - d_pos) / (k - 1), see `Gamma`.
        apart: the weighted label distance of each pair.
    """

    def __init__(self, units: Units, dissimilarity: Dissimilarity, delta: float) -> None:
        self._units = units
        members, disorder = best_alignment(units, dissimilarity)
        present = members >= 0
        sizes = present.sum(axis=1)
        row, annotator = np.nonzero(present)
        self.disorder = np.empty(len(row))
        self.disorder[members[row, annotator]] = (disorder / sizes)[row]
        annotator, partner = np.triu_indices(units.annotators, 1)
        pair, row = np.nonzero(present.T[annotator] & present.T[partner])
        self.first, self.second = members[row, annotator[pair]], members[row, partner[pair]]
        close = np.maximum(0.0, 1 - delta * dissimilarity.positional(units, self.first, self.second))
        self.weight = close / (sizes[row] - 1)
        self.apart = self.weight * dissimilarity.categorical(units, self.first, self.second)

    def by_label(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """List a unit, the weight and the weighted distance of each pair; a pair with two labels is listed twice."""
        differ = self._units.label[self.first] != self._units.label[self.second]
        unit = np.append(self.first, self.second[differ])
        return unit, np.append(self.weight, self.weight[differ]), np.append(self.apart, self.apart[differ])


@dataclass(frozen=True, eq=False)
class Chance:
    """Random annotations, created from the units of all annotators on concatenated documents.

    `shift`: draw annotators with replacement, and shift all units of each by a random number of tokens. Positions form
    a circle from the first start to the last end; a unit that passes the end continues at the start without being cut.
    Any two shifts differ by at least `min_shift`; if the circle is too short for that, shifts are in
    equal steps. All such shifts are equally likely.

    `statistical`: draw the number of units of each annotator, their lengths and the gaps between them from normal
    distributions with the observed means and standard deviations, and draw labels by their frequencies. Negative
    numbers of units become 0; of negative lengths the absolute value is taken.

    Attributes:
        units: the observed units; their groups are ignored.
        labels: the number of labels.
        measure: the measure with its options. Each sample has its own random generator, so samples can be created in
            any order.
    """

    units: Units
    labels: int
    dissimilarity: Dissimilarity
    measure: Gamma

    def disorders(self, samples: int, precision: float | None, processes: int) -> dict[str, np.ndarray]:
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
        whole = disorders["disorder"].sum(axis=1)
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
        return joined_values([disorders, self._in_processes(samples, needed, processes)])

    def _in_processes(self, first: int, last: int, processes: int) -> dict[str, np.ndarray]:
        parts = [range(start, min(start + _PART, last)) for start in range(first, last, _PART)]
        from multiprocessing import current_process, get_context

        # workers of a pool cannot start processes
        if processes == 1 or len(parts) == 1 or current_process().daemon:
            return joined_values(map(self.of, parts))
        from concurrent.futures import ProcessPoolExecutor

        # spawn, because threads such as Arrow's do not survive a fork
        with ProcessPoolExecutor(min(processes, len(parts)), mp_context=get_context("spawn")) as pool:
            return joined_values(pool.map(self.of, parts))

    def of(self, numbers: range) -> dict[str, np.ndarray]:
        """Compute the disorder of the samples with these numbers, in units of Δ.

        Returns:
            `disorder` of each sample's best alignment by label, shape (samples, labels); the units of a unitary
            alignment share its disorder equally. And `categorical`, the weighted mean label distance of aligned pairs
            with each label and, in the last column, of all pairs; NaN if there are no pairs. Shape (samples, labels +
            1).
        """
        units = self.sampled(numbers)
        aligned = AlignedUnits(units, self.dissimilarity, self.measure.delta_empty)
        mean_units = np.bincount(units.group, minlength=len(numbers)) / units.annotators
        shares = np.zeros((len(numbers), self.labels))
        np.add.at(shares, (units.group, units.label), aligned.disorder)
        unit, *values = aligned.by_label()
        weight, apart = sums = np.zeros((2, len(numbers), self.labels + 1))
        for total, of_labels, of_all in zip(sums, values, (aligned.weight, aligned.apart), strict=True):
            np.add.at(total, (units.group[unit], units.label[unit]), of_labels)
            np.add.at(total, (units.group[aligned.first], self.labels), of_all)
        return {"disorder": shares / mean_units[:, None], "categorical": divide(apart, weight, np.nan)}

    def sampled(self, numbers: range) -> Units:
        """Create the samples with these numbers; each is a group of units."""
        make = self._shifted if self.measure.sampler == "shift" else self._drawn
        samples = [make(np.random.default_rng([self.measure.seed, number])) for number in numbers]
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
        unit = np.concatenate([np.flatnonzero(units.annotator == real) for real in drawn])
        annotator = np.repeat(np.arange(count), numbers[drawn])
        start = first + (units.start[unit] - first + moves[annotator]) % (last - first)
        return annotator, start, start + units.duration[unit], units.label[unit]

    def _moves(self, generator: np.random.Generator, circle: float) -> np.ndarray:
        """Draw a shift for each annotator, uniformly among all shifts that are far enough apart."""
        count = self.units.annotators
        least = min(_APART[self.measure.min_shift] * float(self.units.duration.mean()), circle / count)
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
