"""Comparison of systems on the same documents: which is better, by how much, and is it chance.

SciPy has both routines, `bootstrap` and `permutation_test(permutation_type="samples")`, but they call a statistic with
the documents of every drawn corpus: each draw gathers the counts of all documents, and they are summed from scratch.
Here a drawn corpus is a row of weights, and the counts of many of them are one product of matrices, of which documents
whose counts two systems share are one row. That is several times as fast (see benchmarks/results/resampling.md), and
all systems, measures and tests share the draws. The tests hold the values against those of SciPy's and sacreBLEU's
routines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..counts.ratios import json_number
from ..counts.resampling import Resampling, interval
from ..errors import InputError, on_side
from ..measures.base import AlignedMeasure, Measure
from ..measures.registry import MEASURES, TREE_MEASURES, read_measures
from ..options import option
from ..spans.annotations import named_sides, read_annotations
from ..spans.entities import Entities
from ..spans.spans import Spans

LEVELS = {"*": 0.05, "**": 0.01, "***": 0.001}
"""The marks of p-values below a level."""

_EQUAL = 1e-12
"""Sums of the same numbers in another order differ in their last bits; what differs by no more is equal."""

_BLOCK = 1 << 23
"""How many swaps are held at a time."""

REFERENCES = "the reference"
SYSTEM = "system "
"""What errors call the sides: the reference, and a system in front of its name."""

Drawn = Mapping[str, Mapping[str, np.ndarray]]
"""Headline values by system and key, an array with a value for each corpus."""


@dataclass(frozen=True, kw_only=True)
class PairedResampling(Resampling):
    """Draws for a comparison: the bootstrap over documents, and swaps of two systems' outputs.

    Attributes:
        n_permutations: how many times documents' outputs are swapped at random.
    """

    n_permutations: int = option(
        10_000,
        help="random swaps of documents' outputs for p-values",
        kind=int,
        low=1,
        flag="permutations",
        metavar="N",
    )

    def exact(self, documents: int) -> bool:
        """Whether all swaps of so many documents are tried out, as there are no more than are asked for."""
        return documents < 62 and 2**documents <= self.n_permutations

    def swaps(self, documents: int) -> Iterator[np.ndarray]:
        """Which documents' outputs are swapped, each with probability 1/2, shape (some swaps, documents), by blocks."""
        step = max(_BLOCK // max(documents, 1), 1)
        if self.exact(documents):
            numbers = np.arange(2**documents)
            for first in range(0, len(numbers), step):
                yield (numbers[first : first + step, None] >> np.arange(documents)) & 1
            return
        # other numbers than those of the bootstrap
        generator = np.random.default_rng([self.seed, 1])
        for first in range(0, self.n_permutations, step):
            size = min(step, self.n_permutations - first)
            # a row takes whole bytes, so that blocks make no difference
            bits = np.frombuffer(generator.bytes(size * -(-documents // 8)), dtype=np.uint8)
            yield np.unpackbits(bits.reshape(size, -1), axis=1, count=documents)

    def options(self) -> dict[str, object]:
        """What the signature says of the draws."""
        return {**super().options(), "n_permutations": self.n_permutations}


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """What a measure says of a system.

    Attributes:
        scores: the headline values.
        intervals: the lower and the upper bound of each.
        rank: by the measure's headline, 1 is the best; equal systems share the better rank.
        rank_shares: the share of the drawn corpora in which the system has rank 1, 2 ...; they sum to 1.
    """

    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rank: int
    rank_shares: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "scores": {key: json_number(value) for key, value in self.scores.items()},
            "intervals": {key: [json_number(bound) for bound in bounds] for key, bounds in self.intervals.items()},
            "rank": self.rank,
            "rank_shares": list(self.rank_shares),
        }


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """What a measure says of two systems.

    Attributes:
        systems: their names.
        difference: of the headline value, the first system's minus the second's.
        interval: of the difference, its lower and upper bound.
        p_randomisation: of paired approximate randomisation.
        p_bootstrap: of the paired bootstrap.
        p_randomisation_holm, p_bootstrap_holm: corrected over all pairs of the measure.
        exact: whether `p_randomisation` is of all swaps that there are, and not of random ones.
    """

    systems: tuple[str, str]
    difference: float
    interval: tuple[float, float]
    p_randomisation: float
    p_bootstrap: float
    p_randomisation_holm: float
    p_bootstrap_holm: float
    exact: bool

    @property
    def mark(self) -> str:
        """Stars for `p_randomisation_holm`, see `LEVELS`; none where it is 0.05 or more."""
        reached = [mark for mark, level in LEVELS.items() if self.p_randomisation_holm < level]
        return reached[-1] if reached else ""

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        values = ("p_randomisation", "p_randomisation_holm", "p_bootstrap", "p_bootstrap_holm")
        return {
            "systems": list(self.systems),
            "difference": json_number(self.difference),
            "interval": [json_number(bound) for bound in self.interval],
            **{name: json_number(getattr(self, name)) for name in values},
            "exact": self.exact,
        }


@dataclass(frozen=True, kw_only=True)
class MeasureComparison:
    """What a measure says of all systems.

    Attributes:
        measure: with its options.
        systems: the result of each, by name.
        pairs: the result of each pair.
        signature: how the values were made.
    """

    measure: Measure
    systems: Mapping[str, SystemResult]
    pairs: tuple[PairResult, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        return {
            "headline": self.measure.headline,
            "higher_is_better": self.measure.higher_is_better,
            "systems": {name: system.to_dict() for name, system in self.systems.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "signature": self.signature,
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What `compare` says.

    Attributes:
        names: the systems.
        documents, tokens: the size of the corpus; tokens is None where the documents' lengths are not known.
        measures: what each measure says, by the names of the results.
        resampling: how corpora were drawn, and outputs swapped.
    """

    names: tuple[str, ...]
    documents: int
    tokens: int | None
    measures: Mapping[str, MeasureComparison]
    resampling: PairedResampling

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            **self.resampling.options(),
            "measures": {name: found.to_dict() for name, found in self.measures.items()},
        }


def compare(
    references: Any,
    systems: Mapping[str, Any],
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    lengths: Any = None,
    confidence: float = 0.95,
    interval_method: str = "bca",
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare two or more systems on the same documents: scores, ranks and differences, and how sure they are.

        found = spanometer.compare(references, {"old": tags_of_old, "new": tags_of_new}, measures=("span_f", "link_f"))
        found.measures["span_f"].systems["new"].scores["f1"], found.measures["span_f"].pairs[0].p_randomisation_holm

    **Intervals** are those of the bootstrap over documents (see `resampling.Resampling`), of each score and of the
    difference of two systems in the same drawn corpora. A system's rank is as **stable** as the share of the drawn
    corpora in which it has it.

    **Paired approximate randomisation** (Noreen 1989) asks how often two systems that are alike would differ as much:
    the two outputs of each document are swapped with probability 1/2. Of n differences d* so made,
    p = (1 + #{|d*| >= |d|}) / (1 + n). Only documents in which the counts of the two differ make a difference; where
    these have no more than `n_permutations` swaps in all, all of them are tried and p = #{|d*| >= |d|} / n is exact.

    **The paired bootstrap** takes the differences d* in drawn corpora, moved to where they would be without a
    difference: p = (1 + #{|d* - mean of d*| >= |d|}) / (1 + n). It is two-sided, as the other one: for a clear
    difference sacreBLEU's, which subtracts the mean of |d*|, is about half of it. The first is the one to report: it is
    right for few documents too.

    Both are in (0, 1], and corrected over the pairs of a measure by Holm's method; not over measures, which would be
    to be corrected where one chooses the measure by the result. What is no number (under `zero_division=nan`) counts
    as a difference as large as the one observed.

    Args:
        references: a list of tag lists (or `Tags`, or an Arrow column of them), or `Spans`; or `Entities`.
        systems: each system's output by its name, in any of the first three forms; `Entities` for `Entities`.
        measures: the names of measures, or measures with options of their own, or several of both; or a mapping that
            names the results. For `Entities`: `Eter`, or `"eter"`.
        scheme: the scheme of the tags; None tells it from the prefixes of all sides together.
        repair: what becomes of illegal tags, see `decoding.decode`.
        lengths: the documents' lengths in tokens, for `Spans` and `Entities` that do not have them.
        confidence: the level of the intervals.
        interval_method: `bca` or `percentile`, see `resampling.Resampling`.
        n_resamples: how many corpora are drawn.
        n_permutations: how many times outputs are swapped. A p-value is at least 1 / (n + 1), corrected over k pairs
            k / (n + 1): with sacreBLEU's 10,000 the six pairs of four systems can still be below 0.001.
        seed: of the draws and swaps.

    Raises:
        InputError: for fewer than two systems, for no documents, for annotations that cannot be read or not be set
            against each other (it names the system), for wrong options, and where a measure is not defined.
    """
    resampling = PairedResampling(
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        interval_method=interval_method,
        n_permutations=n_permutations,
    )
    if isinstance(references, Entities):
        if scheme is not None or repair != "conlleval":
            raise InputError("scheme and repair are for tags, and these are entity trees.", "Leave them out.")
        return compare_entities(references, systems, measures, resampling, {"input": "entities"}, lengths)
    asked: Mapping[str, AlignedMeasure] = read_measures(measures, MEASURES)
    spans, reading = _read_spans({REFERENCES: references, **_named(systems)}, scheme, repair, lengths)
    return _compared(_count_spans(spans, asked), asked, reading, resampling, spans[REFERENCES].lengths)


def compare_entities(
    references: Entities,
    systems: Mapping[str, Entities],
    measures: Any,
    resampling: PairedResampling,
    reading: Mapping[str, str],
    lengths: Any = None,
) -> Comparison:
    """`compare` for entity trees.

    Args:
        references, systems, measures, lengths: as there.
        resampling: how corpora are drawn, and outputs swapped.
        reading: how the trees were read, for the signatures.
    """
    asked: Mapping[str, Measure] = read_measures(measures, TREE_MEASURES)
    trees = _with_lengths(references, _named(systems), lengths)
    return _compared(_count_entities(trees, asked), asked, reading, resampling, trees[REFERENCES].lengths)


def holm(p_values: np.ndarray) -> np.ndarray:
    """P-values of several tests corrected by Holm's method (1979), shape (tests); NaN stay, and count as tests.

    The smallest of k is multiplied by k, the next one by k - 1 and so on, none is made smaller than one before it, and
    none larger than 1.
    """
    order = np.argsort(p_values, kind="stable")
    factor = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factor), 1.0)
    return corrected


def _named(systems: Any) -> dict[str, Any]:
    """The outputs by what errors call their systems."""
    remedy = "Pass a mapping with the output of each system by its name, {'old': ..., 'new': ...}."
    if not isinstance(systems, Mapping):
        raise InputError(f"systems are a {type(systems).__name__}, which has no names.", remedy)
    if len(systems) < 2:
        raise InputError(f"{len(systems)} system{'' if len(systems) == 1 else 's'}: a comparison takes two.", remedy)
    for name in systems:
        if not isinstance(name, str):
            raise InputError(f"{name!r} is no name of a system.", remedy)
    return {f"{SYSTEM}{name}": output for name, output in systems.items()}


def _read_spans(
    given: Mapping[str, Any], scheme: str | None, repair: str, lengths: Any
) -> tuple[dict[str, Spans], dict[str, str]]:
    """The spans of all sides, and how they were read."""
    for name, output in given.items():
        if isinstance(output, Entities):
            raise InputError("these are entity trees, the reference's are spans.", "Give all alike.", side=name)
    return read_annotations(given, scheme=scheme, repair=repair, lengths=lengths)


def _count_spans(spans: Mapping[str, Spans], measures: Mapping[str, AlignedMeasure]) -> dict[str, dict[str, Counts]]:
    """The counts of each measure and system; all measures share an alignment."""
    counts: dict[str, dict[str, Counts]] = {name: {} for name in measures}
    references, *systems = spans
    for system in systems:
        with named_sides({"references": references, "predictions": system}):
            alignment = Alignment(spans[references], spans[system])
            for name, measure in measures.items():
                counts[name][system.removeprefix(SYSTEM)] = measure.count(alignment)
    return counts


def _with_lengths(references: Entities, systems: Mapping[str, Any], lengths: Any) -> dict[str, Entities]:
    """The entity trees of all sides, with the documents' lengths where these are given."""
    trees = {}
    for name, side in {REFERENCES: references, **systems}.items():
        if not isinstance(side, Entities):
            raise InputError("the reference's are entity trees, these are not.", "Give all as Entities.", side=name)
        trees[name] = side if lengths is None else on_side(name, side.with_lengths, lengths)
    return trees


def _count_entities(trees: Mapping[str, Entities], measures: Mapping[str, Measure]) -> dict[str, dict[str, Counts]]:
    """The counts of each measure and system."""
    counts: dict[str, dict[str, Counts]] = {name: {} for name in measures}
    references, *systems = trees
    for system in systems:
        for name, measure in measures.items():
            found = on_side(system, measure.counts, trees[references], trees[system])
            counts[name][system.removeprefix(SYSTEM)] = found
    return counts


def _compared(
    counts: Mapping[str, Mapping[str, Counts]],
    measures: Mapping[str, Measure],
    reading: Mapping[str, str],
    resampling: PairedResampling,
    lengths: np.ndarray | None,
) -> Comparison:
    """The comparison by the counts of each measure and system."""
    systems = next(iter(counts.values()))
    documents = next(iter(systems.values())).documents
    if documents == 0:
        raise InputError("there are no documents.", "Give at least one.")
    drawn = _draw(counts, measures, resampling, documents)
    return Comparison(
        names=tuple(systems),
        documents=documents,
        tokens=None if lengths is None else int(lengths.sum()),
        measures={
            name: _measured(measure, counts[name], drawn[name], resampling, measure.signature(reading, resampling))
            for name, measure in measures.items()
        },
        resampling=resampling,
    )


def _draw(
    counts: Mapping[str, Mapping[str, Counts]],
    measures: Mapping[str, Measure],
    resampling: Resampling,
    documents: int,
) -> dict[str, dict[str, dict[str, np.ndarray]]]:
    """The headline values of each measure and system in the same drawn corpora, by key."""
    parts: dict[tuple[str, str, str], list[np.ndarray]] = {}
    for weights in resampling.weights(documents):
        for name, measure in measures.items():
            for system, counted in counts[name].items():
                values = measure.score_weighted(counted, weights)
                for key in measure.keys:
                    parts.setdefault((name, system, key), []).append(np.atleast_1d(values[key]))
    return {
        name: {
            system: {key: np.concatenate(parts[name, system, key]) for key in measure.keys} for system in counts[name]
        }
        for name, measure in measures.items()
    }


def _measured(
    measure: Measure, counts: Mapping[str, Counts], drawn: Drawn, resampling: PairedResampling, signed: str
) -> MeasureComparison:
    """What a measure says of all systems, from their counts and what it says of the drawn corpora."""
    headline = measure.headline
    scores = {system: measure.score(counted) for system, counted in counts.items()}
    left_out: Drawn = {}
    if resampling.interval_method == "bca":
        left_out = {system: measure.left_out(counted) for system, counted in counts.items()}
    headlines = np.array([[scores[system][headline] for system in counts]])
    places = ranks(headlines, higher_is_better=measure.higher_is_better)[0].tolist()
    drawn_places = ranks(
        np.stack([drawn[system][headline] for system in counts], axis=1), higher_is_better=measure.higher_is_better
    )
    results = {}
    for column, system in enumerate(counts):
        intervals = {
            key: interval(scores[system][key], drawn[system][key], resampling.confidence, _of(left_out, system, key))
            for key in measure.keys
        }
        shares = np.bincount(drawn_places[:, column] - 1, minlength=len(counts)) / len(drawn_places)
        results[system] = SystemResult(
            scores=scores[system], intervals=intervals, rank=places[column], rank_shares=tuple(shares.tolist())
        )
    pairs = []
    for one, other in combinations(counts, 2):
        point = scores[one][headline] - scores[other][headline]
        differences = drawn[one][headline] - drawn[other][headline]
        without = None
        if left_out:
            without = left_out[one][headline] - left_out[other][headline]
        p_randomisation, exact = _randomisation(measure, counts[one], counts[other], point, resampling)
        pair = PairResult(
            systems=(one, other),
            difference=point,
            interval=interval(point, differences, resampling.confidence, without),
            p_randomisation=p_randomisation,
            p_bootstrap=_bootstrap(point, differences),
            p_randomisation_holm=math.nan,
            p_bootstrap_holm=math.nan,
            exact=exact,
        )
        pairs.append(pair)
    corrected = {
        f"{name}_holm": holm(np.array([getattr(pair, name) for pair in pairs])).tolist()
        for name in ("p_randomisation", "p_bootstrap")
    }
    whole = [
        replace(pair, **{name: values[number] for name, values in corrected.items()})
        for number, pair in enumerate(pairs)
    ]
    return MeasureComparison(measure=measure, systems=results, pairs=tuple(whole), signature=signed)


def _of(left_out: Drawn, system: str, key: str) -> np.ndarray | None:
    return left_out[system][key] if left_out else None


def _bootstrap(point: float, differences: np.ndarray) -> float:
    """The p-value of the paired bootstrap, from the differences in drawn corpora."""
    known = differences[~np.isnan(differences)]
    if len(known) == 0:
        return math.nan
    reached = _reached(differences - known.mean(), point)
    return math.nan if math.isnan(point) else (1 + reached) / (1 + len(differences))


def _randomisation(
    measure: Measure, one: Counts, other: Counts, point: float, resampling: PairedResampling
) -> tuple[float, bool]:
    """The p-value of paired approximate randomisation, and whether it is of all swaps."""
    both, documents = _side_by_side(one, other)
    exact = resampling.exact(documents)
    reached = number = 0
    for swaps in resampling.swaps(documents):
        weights = np.zeros((len(swaps), both.documents))
        # what stands behind the documents that differ is never swapped
        weights[:, 0::2] = 1
        weights[:, 0 : 2 * documents : 2] -= swaps
        weights[:, 1 : 2 * documents : 2] = swaps
        first, second = (
            np.atleast_1d(measure.score_weighted(both, side)[measure.headline]) for side in (weights, 1 - weights)
        )
        reached += _reached(first - second, point)
        number += len(swaps)
    if math.isnan(point):
        return math.nan, exact
    return (reached / number if exact else (1 + reached) / (1 + number)), exact


def _reached(differences: np.ndarray, point: float) -> int:
    """How many differences are at least as large as that of the systems, either way."""
    return int((~(np.abs(differences) < abs(point) - _EQUAL)).sum())


def _side_by_side(one: Counts, other: Counts) -> tuple[Counts, int]:
    """The counts of two systems, of each document those of the one and then those of the other.

    Of documents in which the two have the same counts, swapping changes nothing: they come last, as one document.
    Only where there is more than sums (counts row by row) all documents stand, in their order.

    Returns:
        The counts, and the number of documents that can be swapped.
    """
    documents = one.documents
    # both are of the same reference, so that they add up in any case
    pooled, added = (Counts(side.columns, side.labels, documents, side.shared, side.rows) for side in (one, other))
    pooled = pooled + added
    side, document = np.divmod(np.arange(2 * documents), max(documents, 1))
    if pooled.rows:
        return pooled.reordered(2 * document + side), documents
    differs = _differing(pooled, documents)
    swapped = int(differs.sum())
    place = np.where(differs, np.cumsum(differs) - 1, swapped)
    return pooled.grouped((2 * place[document] + side).astype(np.int32), 2 * swapped + 2), swapped


def _differing(pooled: Counts, documents: int) -> np.ndarray:
    """In which documents the first half of the counts differs from the second."""
    differs = np.zeros(documents, dtype=bool)
    labels = len(pooled.labels)
    for column in pooled.columns.values():
        value = np.ones(len(column.label)) if column.value is None else column.value.astype(float)
        place, found = np.unique((column.document % documents) * labels + column.label, return_inverse=True)
        sign = np.where(column.document < documents, 1.0, -1.0)
        sums = np.bincount(found.reshape(-1), weights=sign * value, minlength=len(place))
        differs[place[np.abs(sums) > _EQUAL] // max(labels, 1)] = True
    return differs


def ranks(values: np.ndarray, *, higher_is_better: bool) -> np.ndarray:
    """Ranks from 1, the best; equal values share the better rank, NaN are behind all numbers.

    Args:
        values: shape (corpora, systems).
        higher_is_better: whether the highest value is the best.

    Returns:
        The ranks within each row, int64.
    """
    worth = np.where(np.isnan(values), -np.inf, values if higher_is_better else -values)
    better = [(worth > worth[:, [system]] + _EQUAL).sum(axis=1) for system in range(worth.shape[1])]
    return 1 + np.stack(better, axis=1)
