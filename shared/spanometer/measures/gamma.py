"""Gamma, gamma-cat and gamma-k: agreement on units and their labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans
from ..alignment.unitary import Dissimilarity, Units, best_alignment
from ..arrays import is_number, listed_items
from ..counts.counts import Column, Counts
from ..counts.statistics import divide, joined_values
from ..options import option, options_of
from .aligned import AlignedMeasure, require_contiguous, require_lengths
from .base import Key, error_key, zero_division_option
from .gamma_chance import MOST_SAMPLES, AlignedPairs, Chance
from .unitizing_alpha import UnitizingCounts, unit_rows

_NOTHING = 1e-12
"""Sums of at most this size are 0: rounding leaves them when all parts of a sum are subtracted."""

_APART = {"mean": 1.0, "half": 0.5}

_UNIT = ("start", "end", "label")


class Gamma(AlignedMeasure):
    """Compute gamma (Mathet, Widlöcher and Métivier 2015) and gamma-cat (2017): agreement on spans (units) and labels.

    gamma = 1 - observed disorder / expected disorder. The dissimilarity of two units is d = α d_pos + β d_cat, with

        d_pos = Δ ((|Δstart| + |Δend|) / (sum of both lengths))²,    d_cat = Δ if the labels differ, else 0.

    A unitary alignment contains at most one unit of each of the n annotators. Its disorder is the mean of d over all
    pairs of annotators, where a pair with a missing unit has d = Δ. An alignment is a set of unitary alignments that
    contains every unit once. Its disorder is the sum of the unitary disorders, divided by the mean number of units per
    annotator.

    Observed disorder is the exact minimum over all alignments of units within documents. Expected disorder is the mean
    of the observed disorders of random annotations of the concatenated documents, see `gamma_chance.Chance`. Spans may
    nest and cross.

    gamma-cat compares only labels. Each pair of units in a unitary alignment of k units has the weight w = max(0, 1 -
    d_pos) / (k - 1), and disorder is the weighted mean of d_cat / Δ; gamma-cat is 1 - observed / expected. Units
    aligned with no other unit do not count. The gamma-cat of one label is gamma-k, over pairs with a unit of that
    label. If several alignments have minimal disorder, gamma-cat can depend on the choice; gamma cannot.

    gamma and gamma-cat are at most 1 (perfect agreement); 0 is the level of chance. Higher is better. For gamma by
    label, the units of a unitary alignment share its disorder equally. For gamma by document, expected disorder is
    computed for the document's units from chance in the whole corpus. Intervals and paired tests treat expected
    disorder as known; it is not computed again for resampled corpora and swapped outputs.

    Attributes:
        alpha, beta: the weights of positions and of labels.
        delta_empty: Δ, the dissimilarity of a unit and a missing unit.
        distances: symmetric distances of labels from 0 to 1, such as `{"PER": {"ORG": 0.5}}`; all other labels are 1
            apart. As text: 'PER/ORG=0.5', or JSON.
        sampler: how to create random annotations: `shift` as in the paper, `statistical` as in pygamma-agreement.
        min_shift: the minimum distance between the shifts of two annotators with the sampler `shift`: the `mean` length
            of a unit (the paper) or `half` of it (the paper's program and pygamma-agreement).
        samples: the number of random annotations.
        precision: the relative error of expected disorder, at 95%; as many random annotations are created as it needs.
        seed: the seed of the random annotations.
        processes: the number of processes; it does not change the result.
        zero_division: gamma if expected disorder is 0 and observed disorder is not, or if there are no units; also
            gamma-cat in these cases.

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
    delta_empty: float = option(
        1.0, help="dissimilarity between a unit and an empty unit", low=0, high=1000, exclusive=True
    )
    distances: str | Mapping[str, Mapping[str, float]] | None = option(
        None,
        help='distances between labels from 0 to 1, as in {"PER": {"ORG": 0.5}} or "PER/ORG=0.5"; the default '
        "distance is 1",
        type="str or dict, optional",
        parse=str,
        label="Distances of labels",
    )
    sampler: str = option(
        "shift",
        help="how to make random annotations",
        choices={
            "shift": "shift real annotations in a circle, as in the paper",
            "statistical": "draw numbers, lengths and gaps of units from normal distributions, as in pygamma-agreement",
        },
        label="Sampler",
    )
    min_shift: str = option(
        "mean",
        help="with sampler=shift: minimum distance between the shifts of two annotators",
        choices={
            "mean": "the mean length of a unit, as in the paper",
            "half": "half of the mean length, as in the authors' program",
        },
        only_with={"sampler": ("shift",)},
    )
    samples: int = option(
        30, help="number of random annotations", low=1, high=MOST_SAMPLES, label="Random annotations", span=(1, 300)
    )
    precision: float | None = option(
        None,
        help="draw random annotations until the relative error of the expected disorder is at most this value, with "
        "95% confidence",
        kind=float,
        low=0,
        high=1,
        exclusive=True,
    )
    seed: int = option(0, help="random seed of random annotations and intervals", low=0)
    processes: int = option(1, help="number of processes for random annotations", low=1, high=1024, compare=False)

    zero_division: float = zero_division_option(
        "value of gamma if the expected disorder is 0 and the observed disorder is not"
    )

    name = "gamma"
    place = 85
    results: ClassVar[Mapping[str, Key]] = {
        "gamma": Key("gamma", "agreement on units and labels, corrected for chance; 0 at chance level", "(-∞, 1]"),
        "gamma_cat": Key(
            "gamma-cat",
            "agreement on the labels of aligned units, corrected for chance; called gamma-k for a single label",
            "(-∞, 1]",
        ),
        "observed_disorder": error_key("observed disorder", "disorder of the best alignment of all units", share=False),
        "expected_disorder": error_key(
            "expected disorder", "mean disorder of the best alignments of random annotations", "", share=False
        ),
    }
    quick = False
    headline = "gamma"
    unusual = ("distances", "precision")
    # a pair of two labels counts for both, so the corpus's sums are not sums over labels
    shared = ("tokens", "annotator_tokens", *("all_weight", "all_categorical", "all_expected_categorical"))
    counts_type = UnitizingCounts

    def __post_init__(self) -> None:
        """Check the options, and normalise the distances."""
        super().__post_init__()
        if self.distances is not None:
            object.__setattr__(self, "distances", _text(_read(self.distances)))

    def _count(self, alignment: Alignment) -> Counts:
        """Compute the counts of two annotators: the reference and the prediction."""
        if alignment.documents > 1:
            require_lengths(alignment.lengths, "gamma of several documents")
        for name, side in alignment.sides.items():
            self.require_units(alignment, name, side)
        return self.count_sides([*alignment.sides.values()], alignment.labels, alignment.offsets)

    require_units = staticmethod(require_contiguous)

    def count_sides(self, sides: Sequence[SideSpans], labels: tuple[str, ...], offsets: np.ndarray) -> Counts:
        """Compute the counts of any number of annotators.

        Args:
            sides: the spans of each annotator, as positions on one axis: label after label, and the documents within
                each.
            labels: the label names.
            offsets: the start of each document within a label, and the end of the last document.
        """
        count, documents = len(sides), len(offsets) - 1
        rows = unit_rows(sides, offsets)
        document, label = rows["document"], rows["label"]
        units = Units(count, rows["annotator"], document, rows["start"], rows["end"], label)
        dissimilarity = Dissimilarity(self.alpha, self.beta, self._matrix(labels))
        best = best_alignment(units, dissimilarity)
        pairs = AlignedPairs.of(units, best, dissimilarity, self.delta_empty)
        observed = (best.disorder / best.sizes)[best.of_units(len(label))]
        unit, weight, apart = pairs.by_label(units)
        columns = {
            "observed": Column(document, label, self.delta_empty * observed),
            "mean_units": Column(document, label, np.full(len(label), 1 / count)),
            "units": Column(document, label),
            "reference_spans": sides[0].column(),
            "weight": Column(document[unit], label[unit], weight),
            "categorical": Column(document[unit], label[unit], apart),
        }
        tokens = np.diff(offsets)
        shared = {
            "tokens": tokens,
            "annotator_tokens": count * tokens,
            **{
                name: np.bincount(document[pairs.first], weights=values, minlength=documents)
                for name, values in (("all_weight", pairs.weight), ("all_categorical", pairs.apart))
            },
        }
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
        annotator, start, end, label = _in_order(annotators, *(rows[name] for name in ("annotator", *_UNIT)))
        units = Units(annotators, annotator, np.zeros_like(label), start, end, label)
        dissimilarity = Dissimilarity(self.alpha, self.beta, self._matrix(counts.labels))
        chance = Chance(units, labels, dissimilarity, self.sampler, _APART[self.min_shift], self.delta_empty, self.seed)
        per_label, categorical = chance.disorders(self.samples, self.precision, self.processes)
        shares = self.delta_empty * per_label.mean(axis=0) * number / annotators
        of_unit = divide(shares, np.bincount(label, minlength=labels), 0.0)
        of_pairs = divide(np.nansum(categorical, axis=0), (~np.isnan(categorical)).sum(axis=0), 0.0)
        return of_unit, of_pairs, per_label.sum(axis=1)

    def _matrix(self, labels: tuple[str, ...]) -> np.ndarray | None:
        """Return the matrix of label distances."""
        if self.distances is None:
            return None
        code = {label: number for number, label in enumerate(labels)}
        matrix = 1.0 - np.eye(len(labels))
        for (first, second), distance in _read(self.distances).items():
            if first in code and second in code:
                matrix[code[first], code[second]] = matrix[code[second], code[first]] = distance
        return matrix

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


def _in_order(annotators: int, annotator: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
    """Order the units by annotator and position, so that the order of the input does not matter."""
    order = np.lexsort((*reversed(columns), annotator))
    own = np.split(order, np.searchsorted(annotator[order], np.arange(1, annotators)))
    own.sort(key=lambda units: [column[units].tobytes() for column in columns])
    number = np.repeat(np.arange(annotators), list(map(len, own)))
    return [number, *(column[np.concatenate(own)] for column in columns)]


_REMEDY = (
    'For each pair of labels, give one number from 0 to 1, as in {"PER": {"ORG": 0.5}}, or the text "PER/ORG=0.5".'
)


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
                raise refusal
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
