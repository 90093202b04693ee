"""Comparison of systems on the same documents: which is better, by how much, and is it chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ..arrays import plain
from ..counts.counts import Counts
from ..counts.statistics import interval
from ..errors import InputError, counted, on_side, setting, shown
from ..measures.base import Measure, joined_values
from ..measures.registry import MEASURES, TREE_MEASURES, read_measures
from ..readers.document_file import DocumentFile
from ..readers.pairing import Pairing, files_together
from ..spans.annotations import named_sides, read_annotations, require_no_choice, require_no_reading
from ..spans.entities import Entities
from ..tables.shown import Shown
from ..tables.table import Copyable, Part
from ..tags.schemes import LabelChoice
from .comparison_tables import correlation_table, legend, pair_table, system_table
from .counting import count_measures
from .rank_correlation import FEWEST, RankCorrelation, rank_correlations
from .significance import LEVELS, PairedResampling, bootstrap_test, holm, randomisation_test, ranks

REFERENCES = "the reference"
SYSTEM = "system "
"""The names of the sides in errors: the reference, and a system in front of its name."""


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """The result of a measure for one system.

    Attributes:
        scores: the headline values.
        intervals: the lower and the upper bound of each that is not a number of things.
        rank: by the value that is compared, 1 is the best; equal systems share the better rank.
        rank_shares: the share of the drawn corpora in which the system has rank 1, 2 ...; they sum to 1.
    """

    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rank: int
    rank_shares: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """The result of a measure for two systems.

    Attributes:
        systems: their names.
        difference: of the value that is compared, the first system's minus the second's.
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
    p_randomisation_holm: float
    p_bootstrap: float
    p_bootstrap_holm: float
    exact: bool

    @property
    def mark(self) -> str:
        """Stars for `p_randomisation_holm`, see `LEVELS`; none if it is 0.05 or more."""
        reached = [mark for mark, level in LEVELS.items() if self.p_randomisation_holm < level]
        return reached[-1] if reached else ""


@dataclass(frozen=True, kw_only=True)
class MeasureComparison:
    """The result of a measure for all systems.

    Attributes:
        measure: with its options.
        key: the value that is compared: the measure's headline, or another that it is ranked by.
        systems: the result of each, by name.
        pairs: the result of each pair.
        signature: how the values were made.
    """

    measure: Measure
    key: str
    systems: Mapping[str, SystemResult]
    pairs: tuple[PairResult, ...]
    signature: str

    @property
    def higher_is_better(self) -> bool:
        """Whether the better system has the higher value."""
        return self.measure.results[self.key].better == "higher"

    def title(self, name: str) -> str:
        """Return what the value is called in tables and pictures, given the name of the result."""
        if self.key.startswith(name):
            return self.key
        return name if name.endswith(f" {self.key}") else f"{name} {self.key}"

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "headline": self.key,
            "higher_is_better": self.higher_is_better,
            "systems": {name: plain(asdict(system)) for name, system in self.systems.items()},
            "pairs": [plain(asdict(pair)) for pair in self.pairs],
            "signature": self.signature,
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Shown):
    """The result of `compare`.

    Its tables are `systems`, a row for each measure and system, `pairs`, a row for each measure and pair, and
    `correlations`, a row for each two measures.

    Attributes:
        names: the systems.
        documents, tokens: the size of the corpus; tokens is None if the documents' lengths are not known.
        measures: the result of each measure, by the names of the results; what a measure is ranked by beside its
            headline, as the slot error rate of `Eter`, has a result of its own, by its key.
        resampling: how corpora were drawn, and outputs swapped.
        rank_correlations: how alike each two results rank the systems; empty unless asked for.
    """

    names: tuple[str, ...]
    documents: int
    tokens: int | None
    measures: Mapping[str, MeasureComparison]
    resampling: PairedResampling
    rank_correlations: tuple[RankCorrelation, ...] = ()

    def parts(self) -> Iterator[Part]:
        """Return the systems and pairs of each measure, what the columns mean, and the signatures."""
        size = counted(self.documents, "document")
        yield size if self.tokens is None else f"{size}, {counted(self.tokens, 'token')}"
        yield from self.lines()

    def lines(self) -> Iterator[Part]:
        """Return the same without the size."""
        for name, result in self.measures.items():
            yield from ("", system_table(name, result), "", pair_table(name, result))
        if self.rank_correlations:
            yield from ("", correlation_table(self.rank_correlations))
        yield from ("", *legend(self), "")
        for result in self.measures.values():
            yield Copyable(result.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            **self.resampling.options(),
            "measures": {name: found.to_dict() for name, found in self.measures.items()},
            **(
                {"rank_correlations": [plain(asdict(pair)) for pair in found]}
                if (found := self.rank_correlations)
                else {}
            ),
        }


def compare(
    references: Any,
    systems: Mapping[str, Any],
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    prefix: bool = True,
    lengths: Any = None,
    pairing: Pairing | None = None,
    label_map: Mapping[str, str] | None = None,
    ignore_labels: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval_method: str = "bca",
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    rank_correlation: bool = False,
) -> Comparison:
    """Compare two or more systems on the same documents: scores, ranks and differences, and how sure they are.

        found = spanometer.compare(references, {"old": tags_of_old, "new": tags_of_new}, measures=("span_f", "link_f"))
        found.measures["span_f"].systems["new"].scores["f1"], found.measures["span_f"].pairs[0].p_randomisation_holm

    **Intervals** are those of the bootstrap over documents (see `statistics.Resampling`), of each score and of the
    difference of two systems in the same drawn corpora. A system's rank is as **stable** as the share of the drawn
    corpora in which it has it.

    **Paired approximate randomisation** (Noreen 1989) asks how often two systems that are alike would differ as much:
    the two outputs of each document are swapped with probability 1/2. Of n differences d* so made,
    p = (1 + #{|d*| >= |d|}) / (1 + n). Only documents in which the counts of the two differ make a difference; if
    these have no more than `n_permutations` swaps in all, all of them are tried and p = #{|d*| >= |d|} / n is exact.

    **The paired bootstrap** takes the differences d* in drawn corpora, moved to where they would be without a
    difference: p = (1 + #{|d* - mean of d*| >= |d|}) / (1 + n). It is two-sided, as the other one: for a clear
    difference sacreBLEU's, which subtracts the mean of |d*|, is about half of it. The first is the one to report: it is
    right for few documents too.

    Both are in (0, 1], and corrected over the pairs of a measure by Holm's method; not over measures, which must be
    corrected too if one chooses the measure by the result. NaN (under `zero_division=nan`) counts as a difference as
    large as the one observed.

    Args:
        references: a list of tag lists (or `Tags`, or an Arrow column of them), or `Spans`; or `Entities`.
        systems: each system's output by its name, in any of the first three forms; `Entities` for `Entities`.
        measures: the names of measures, or measures with options of their own, or several of both; or a mapping that
            names the results. For `Entities`: `Eter`, or `"eter"`.
        scheme: the scheme of the tags; None tells it from the prefixes of all sides together.
        repair: how to handle illegal tags, see `decoding.decode`.
        prefix: whether tags have prefixes, see `Spans.from_tags`.
        lengths: the documents' lengths in tokens, for `Spans` and `Entities` that do not have them.
        pairing: of files, as `spanometer.read` gives them, how they are brought into one unit.
        label_map, ignore_labels: which labels are scored, and as what, see `schemes.LabelChoice`; for tags and spans.
        confidence: the level of the intervals.
        interval_method: `bca` or `percentile`, see `statistics.Resampling`.
        n_resamples: how many corpora are drawn.
        n_permutations: how many times outputs are swapped. A p-value is at least 1 / (n + 1), corrected over k pairs
            k / (n + 1): with sacreBLEU's 10,000 the six pairs of four systems can still be below 0.001.
        seed: of the draws and swaps.
        rank_correlation: also correlate the rankings that the measures give (Kendall's tau-b, with intervals from the
            same drawn corpora), see `rank_correlation.RankCorrelation`. That takes three systems and two measures.

    Raises:
        InputError: for fewer than two systems, for no documents, for annotations that cannot be read or compared
            (it names the system), for wrong options, and if a measure is not defined.
    """
    resampling = PairedResampling(
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        interval_method=interval_method,
        n_permutations=n_permutations,
    )
    choice = LabelChoice(label_map=label_map, ignore_labels=ignore_labels)
    if isinstance(references, Entities):
        require_no_reading("these are entity trees", scheme=scheme, repair=repair, prefix=prefix)
        require_no_choice("these are entity trees", label_map=label_map, ignore_labels=ignore_labels)
        trees = {"input": "entities"}
        return compare_entities(
            references, systems, measures, resampling, trees, lengths, rank_correlation=rank_correlation
        )
    asked = read_measures(measures, MEASURES)
    given = {REFERENCES: references, **_named(systems)}
    for name, output in given.items():
        if isinstance(output, Entities):
            raise InputError("these are entity trees, the reference's are spans.", "Give all alike.", side=name)
    reading: Mapping[str, object]
    if any(isinstance(side, DocumentFile) for side in given.values()):
        known = files_together(given, pairing)
        sides, reading = dict(known.spans), {"input": "spans", **known.choices}
    else:
        sides, reading = read_annotations(given, scheme=scheme, repair=repair, prefix=prefix, lengths=lengths)
    sides, reading = choice.of_sides(sides), {**reading, **choice.signed()}
    return _compared(sides, asked, resampling, reading, rank_correlation=rank_correlation)


def compare_entities(
    references: Entities,
    systems: Mapping[str, Entities],
    measures: Any,
    resampling: PairedResampling,
    reading: Mapping[str, object],
    lengths: Any = None,
    *,
    rank_correlation: bool = False,
) -> Comparison:
    """Compare systems that find entity trees, see `compare`.

    Args:
        references, systems, measures, lengths, rank_correlation: as there.
        resampling: how corpora are drawn, and outputs swapped.
        reading: how the trees were read, for the signatures.
    """
    asked = read_measures(measures, TREE_MEASURES)
    sides = {}
    for name, side in {REFERENCES: references, **_named(systems)}.items():
        if not isinstance(side, Entities):
            raise InputError("the reference's are entity trees, these are not.", "Give all as Entities.", side=name)
        sides[name] = side if lengths is None else on_side(name, side.with_lengths, lengths)
    return _compared(sides, asked, resampling, reading, rank_correlation=rank_correlation)


def _named(systems: Any) -> dict[str, Any]:
    """Return the outputs by the names of their systems in errors."""
    remedy = "Pass a mapping with the output of each system by its name, {'old': ..., 'new': ...}."
    if not isinstance(systems, Mapping):
        raise InputError(f"systems are a {type(systems).__name__}, which has no names.", remedy)
    if len(systems) < 2:
        raise InputError(f"{len(systems)} system{'' if len(systems) == 1 else 's'}: a comparison takes two.", remedy)
    for name in systems:
        if not isinstance(name, str):
            raise InputError(f"{shown(name)} is not the name of a system.", remedy)
    return {f"{SYSTEM}{name}": output for name, output in systems.items()}


def _compared(
    sides: dict[str, Any],
    measures: Mapping[str, Measure],
    resampling: PairedResampling,
    reading: Mapping[str, object],
    *,
    rank_correlation: bool,
) -> Comparison:
    """Count all systems, draw corpora, and compare by each measure."""
    reference = sides[REFERENCES]
    if reference.documents == 0:
        raise InputError("there are no documents.", "Give at least one.")
    names = tuple(name.removeprefix(SYSTEM) for name in sides if name != REFERENCES)
    systems = {name: _MeasuredSystems(measure, resampling) for name, measure in measures.items()}
    results = {
        (name, found_name): key
        for name, measure in measures.items()
        for found_name, key in _results_of(name, measure).items()
    }
    if rank_correlation and (len(names) < FEWEST or len(results) < 2):
        raise InputError(
            f"{counted(len(names), 'system')} by {counted(len(results), 'measure')}: a correlation of rankings takes "
            f"{FEWEST} systems and two measures.",
            f"Give more, or leave out {setting('rank_correlation', True)}.",
        )
    for system in names:
        side = f"{SYSTEM}{system}"
        called = {"references": REFERENCES, "predictions": side}
        if isinstance(reference, Entities):
            # an error that names neither side is about both
            called[""] = side
        with named_sides(called):
            measured_by = [measured.measure for measured in systems.values()]
            counts = count_measures(reference, sides[side], measured_by, per_document=True)
        for measured, of_system in zip(systems.values(), counts, strict=True):
            measured.counts[system] = of_system
    documents, lengths = reference.documents, reference.lengths
    # counts are all that is needed from here on
    sides.clear()
    del reference
    _draw(list(systems.values()), resampling, documents)
    return Comparison(
        names=names,
        documents=documents,
        tokens=None if lengths is None else int(lengths.sum()),
        measures={
            found_name: MeasureComparison(
                measure=systems[name].measure,
                key=key,
                systems=systems[name].results(key),
                pairs=systems[name].pair_results[key],
                signature=systems[name].measure.signature(reading, resampling),
            )
            for (name, found_name), key in results.items()
        },
        resampling=resampling,
        rank_correlations=rank_correlations(
            {found_name: systems[name].places(key) for (name, found_name), key in results.items()},
            names,
            resampling.confidence,
        )
        if rank_correlation
        else (),
    )


def _results_of(name: str, measure: Measure) -> dict[str, str]:
    """Return what a measure is ranked by, by the names of the results."""
    others = {key if name == measure.name else f"{name} {key}": key for key in measure.ranked}
    return {name: measure.headline, **others}


def _draw(systems: Sequence[_MeasuredSystems], resampling: PairedResampling, documents: int) -> None:
    """Score drawn corpora of so many documents, the same for all measures."""
    # what is made of the counts for this goes with their copies
    copies = [{system: replace(counts) for system, counts in measured.counts.items()} for measured in systems]
    for weights in resampling.weights(documents):
        for measured, counts in zip(systems, copies, strict=True):
            measured.draw(counts, weights)


@dataclass(frozen=True, eq=False)
class _Estimate:
    """A value of the corpus, those of drawn corpora and, for BCa, those without each group of documents."""

    point: float
    drawn: np.ndarray
    left_out: np.ndarray | None

    def __sub__(self, other: _Estimate) -> _Estimate:
        left_out = None if self.left_out is None or other.left_out is None else self.left_out - other.left_out
        return _Estimate(self.point - other.point, self.drawn - other.drawn, left_out)

    def interval(self, resampling: PairedResampling) -> tuple[float, float]:
        """Return the confidence interval."""
        return interval(self.point, self.drawn, resampling.confidence, self.left_out)


class _MeasuredSystems:
    """The counts of all systems by one measure, and its values of drawn corpora."""

    def __init__(self, measure: Measure, resampling: PairedResampling) -> None:
        self.measure = measure
        self.counts: dict[str, Counts] = {}
        self._resampling = resampling
        self._drawn: dict[str, list[Mapping[str, np.ndarray]]] = {}

    def draw(self, counts: Mapping[str, Counts], weights: np.ndarray) -> None:
        """Score the systems' counts in corpora given by document weights."""
        for system, of_system in counts.items():
            self._drawn.setdefault(system, []).append(self.measure.score_weighted(of_system, weights))

    @cached_property
    def _estimates(self) -> dict[str, dict[str, _Estimate]]:
        """The headline values of each system."""
        found = {}
        for system, counts in self.counts.items():
            scores, drawn = self.measure.score(counts), joined_values(self._drawn[system])
            left_out = self.measure.left_out(counts) if self._resampling.interval_method == "bca" else {}
            found[system] = {key: _Estimate(scores[key], drawn[key], left_out.get(key)) for key in self.measure.keys}
        return found

    def places(self, key: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the systems' ranks by one of the values, and those in drawn corpora, shape (corpora, systems)."""
        compared = [values[key] for values in self._estimates.values()]
        higher = self.measure.results[key].better == "higher"
        places = ranks(np.array([[value.point for value in compared]]), higher_is_better=higher)[0]
        return places, ranks(np.stack([value.drawn for value in compared], axis=1), higher_is_better=higher)

    def results(self, key: str) -> dict[str, SystemResult]:
        """Return the result of each system, ranked by one of the values."""
        places, drawn_places = self.places(key)
        shares = (drawn_places[:, :, None] == np.arange(1, len(places) + 1)).mean(axis=0)
        return {
            system: SystemResult(
                scores=self.measure.score(self.counts[system]),
                intervals={
                    key: estimate.interval(self._resampling)
                    for key, estimate in values.items()
                    if not self.measure.results[key].whole
                },
                rank=int(places[column]),
                rank_shares=tuple(shares[column].tolist()),
            )
            for column, (system, values) in enumerate(self._estimates.items())
        }

    @cached_property
    def pair_results(self) -> dict[str, tuple[PairResult, ...]]:
        """The result of each pair of systems, by each value that the measure is ranked by."""
        keys = (self.measure.headline, *self.measure.ranked)
        estimates = self._estimates
        pairs = {
            (one, other): {key: estimates[one][key] - estimates[other][key] for key in keys}
            for one, other in combinations(estimates, 2)
        }
        swapped = [
            randomisation_test(
                self.measure,
                self.counts[one],
                self.counts[other],
                {key: difference.point for key, difference in differences.items()},
                self._resampling,
            )
            for (one, other), differences in pairs.items()
        ]
        return {
            key: self._pairs(
                {systems: differences[key] for systems, differences in pairs.items()},
                np.array([p_values[key] for p_values, _ in swapped]),
                [exact for _, exact in swapped],
            )
            for key in keys
        }

    def _pairs(
        self, differences: Mapping[tuple[str, str], _Estimate], p_randomisation: np.ndarray, exact: list[bool]
    ) -> tuple[PairResult, ...]:
        """Return the results of the pairs by one value."""
        p_bootstrap = np.array([bootstrap_test(pair.point, pair.drawn) for pair in differences.values()])
        p_values = {"p_randomisation": p_randomisation, "p_bootstrap": p_bootstrap}
        p_values.update({f"{name}_holm": holm(values) for name, values in p_values.items()})
        return tuple(
            PairResult(
                systems=systems,
                difference=difference.point,
                interval=difference.interval(self._resampling),
                **{name: values[number].item() for name, values in p_values.items()},
                exact=exact[number],
            )
            for number, (systems, difference) in enumerate(differences.items())
        )
