"""Comparison of systems on the same documents: which is better, by how much, and is it chance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Never, Unpack

from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.sides import read_columns, read_sides
from ...exceptions import InputError, counted, on_side, require_choice, require_no_more, setting
from ...measures.base import Measure
from ...measures.mention_f import MentionF
from ...measures.registry import ALL_MEASURES, MEASURES, TREE_MEASURES, read_measures
from ...spans.annotations import named_sides
from ...spans.attributes import Attributes
from ...spans.entities import Entities
from ...spans.mentions import Mentions
from ..scores.counting import count_measures, notes_of
from .comparison import Comparison, MeasureComparison
from .significance import FEWEST, PairedResampling, rank_correlations
from .systems import NAMED, REFERENCES, SYSTEM, MeasuredSystems, MeasurePart, estimate, named_systems


@shares(SideArguments)
def compare(
    references: Any,
    systems: Mapping[str, Any],
    *more: Never,
    measures: Any = ("span_f",),
    confidence: float = 0.95,
    interval_method: str = "bca",
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    rank_correlation: bool = False,
    per_label: bool = False,
    **arguments: Unpack[SideArguments],
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
        references: a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of either, or a file that
            `spanometer.read` gives; or `Entities`, or a list of lists of entities.
        systems: each system's output by its name, in one of these forms; entities for entities.
        measures: the names of measures, or measures with options of their own, or several of both; or a mapping that
            names the results. For `Entities`: `Eter`, or `"eter"`.
        confidence: the level of the intervals.
        interval_method: `bca` or `percentile`, see `statistics.Resampling`.
        n_resamples: how many corpora are drawn.
        n_permutations: how many times outputs are swapped. A p-value is at least 1 / (n + 1), corrected over k pairs
            k / (n + 1): with sacreBLEU's 10,000 the six pairs of four systems can still be below 0.001.
        seed: of the draws and swaps.
        rank_correlation: also correlate the rankings that the measures give (Kendall's tau-b, with intervals from the
            same drawn corpora), see `rank_correlation.RankCorrelation`. That takes three systems and two measures.
        per_label: also compare the systems in each label of the reference.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `pairing`, `label_map` and `ignore_labels`, see `arguments.SideArguments`.

    Raises:
        TypeError: for an argument that there is not.
        InputError: for fewer than two systems, for no documents, for annotations that cannot be read or compared
            (it names the system), for wrong options, and if a measure is not defined.
    """
    require_no_more(more, "Pass the systems together by their names, {'old': ..., 'new': ...}.")
    resampling = PairedResampling(
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        interval_method=interval_method,
        n_permutations=n_permutations,
    )
    options = SideReading.of(compare, arguments)
    given = read_columns({REFERENCES: references, **_named(systems)})
    references, *outputs = given.values()
    systems = dict(zip(systems, outputs, strict=True))
    if isinstance(references, Entities):
        options.require_none("these are entity trees")
        trees = {"input": "entities"}
        return compare_entities(
            references,
            systems,
            measures,
            resampling,
            trees,
            options.lengths,
            rank_correlation=rank_correlation,
            per_label=per_label,
        )
    if isinstance(references, Attributes):
        options.require_none("these are spans with attributes")
        return compare_attributes(references, systems, measures, resampling)
    asked = read_measures(measures, MEASURES)
    sides, reading, _, grounded = read_sides(given, options, apart=False)
    return _compared(
        sides,
        asked,
        resampling,
        reading,
        rank_correlation=rank_correlation,
        per_label=per_label,
        answered=grounded.keys(),
    )


def compare_entities(
    references: Entities,
    systems: Mapping[str, Entities],
    measures: Any,
    resampling: PairedResampling,
    reading: Mapping[str, object],
    lengths: Any = None,
    *,
    rank_correlation: bool = False,
    per_label: bool = False,
) -> Comparison:
    """Compare systems that find entity trees, see `compare`.

    Args:
        references, systems, measures, lengths, rank_correlation, per_label: as there.
        resampling: how corpora are drawn, and outputs swapped.
        reading: how the trees were read, for the signatures.
    """
    asked = read_measures(measures, TREE_MEASURES)
    sides = _alike(references, systems, Entities, "entity trees")
    if lengths is not None:
        sides = {name: on_side(name, side.with_lengths, lengths) for name, side in sides.items()}
    return _compared(sides, asked, resampling, reading, rank_correlation=rank_correlation, per_label=per_label)


def compare_attributes(
    references: Attributes, systems: Mapping[str, Attributes], measures: Any, resampling: PairedResampling
) -> Comparison:
    """Compare systems that find attributes of given spans: all attributes together, and each as a label.

    Args:
        references, systems, measures: as in `compare`.
        resampling: how corpora are drawn, and outputs swapped.
    """
    asked: dict[str, Measure] = read_measures(measures, ALL_MEASURES)
    sides = _alike(references, systems, Attributes, "spans with attributes")
    return _compared(sides, asked, resampling, {}, rank_correlation=False, per_label=True)


def compare_mentions(
    references: Mentions,
    systems: Mapping[str, Mentions],
    measure: MentionF,
    resampling: PairedResampling,
    reading: Mapping[str, object],
    *,
    per_label: bool = False,
) -> Comparison:
    """Compare systems whose mentions have no places, see `string_answers.compare_strings`.

    Args:
        references, systems, per_label: as in `compare`.
        measure: with its options.
        resampling: how corpora are drawn, and outputs swapped.
        reading: how the mentions were read, for the signatures.
    """
    sides = {REFERENCES: references, **_named(systems)}
    return _compared(sides, {measure.name: measure}, resampling, reading, rank_correlation=False, per_label=per_label)


def _alike(references: Any, systems: Any, kind: type, called: str) -> dict[str, Any]:
    """Return all sides by the names that errors call them; an `InputError` for one of another kind."""
    sides = {REFERENCES: references, **_named(systems)}
    for name, side in sides.items():
        if not isinstance(side, kind):
            raise InputError(f"the reference's are {called}, these are not.", "Give all alike.", side=name)
    return sides


def _named(systems: Any) -> dict[str, Any]:
    """Return the outputs of two systems or more by the names that errors call them."""
    if not isinstance(systems, Mapping):
        raise InputError(f"systems are a {type(systems).__name__}, which has no names.", NAMED)
    if len(systems) < 2:
        raise InputError(f"{counted(len(systems), 'system')}: a comparison takes two.", NAMED)
    return named_systems(systems)


def _compared(
    sides: dict[str, Any],
    measures: Mapping[str, Measure],
    resampling: PairedResampling,
    reading: Mapping[str, object],
    *,
    rank_correlation: bool,
    per_label: bool,
    answered: Collection[str] = (),
) -> Comparison:
    """Count all systems, draw corpora, and compare by each measure."""
    for option, value in {"rank_correlation": rank_correlation, "per_label": per_label}.items():
        require_choice(option, value, (True, False))
    reference = sides[REFERENCES]
    if reference.documents == 0:
        raise InputError("there are no documents.", "Give at least one.")
    names = tuple(name.removeprefix(SYSTEM) for name in sides if name != REFERENCES)
    # attributes have no values but those of parts: all of them together, and each
    by_attribute = isinstance(reference, Attributes)
    systems = {
        name: MeasuredSystems(MeasurePart(measure, None) if by_attribute else measure, resampling)
        for name, measure in measures.items()
    }
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
            # items without a place make documents longer, and those of another system are none of this one's
            longer = reference.with_lengths(sides[side].lengths) if side in answered else reference
            counts = count_measures(longer, sides[side], list(measures.values()), per_document=True)
        for measured, of_system in zip(systems.values(), counts, strict=True):
            measured.counts[system] = of_system
    documents, lengths = reference.documents, getattr(reference, "lengths", None)
    # counts are all that is needed from here on
    sides.clear()
    del reference
    of_labels = {name: _of_labels(measured, measures[name], resampling) for name, measured in systems.items()}
    of_labels = of_labels if per_label else {}
    parts = [part for labels in of_labels.values() for part in labels.values()]
    estimate([*systems.values(), *parts], resampling, documents)

    def compared(name: str, measured: MeasuredSystems, key: str) -> MeasureComparison:
        return MeasureComparison(
            measure=measures[name],
            key=key,
            systems=measured.results(key),
            pairs=measured.pair_results[key],
            signature=measures[name].signature(reading, resampling),
        )

    return Comparison(
        names=names,
        documents=documents,
        tokens=None if lengths is None else int(lengths.sum()),
        unit=str(reading.get("unit", "token")),
        measures={
            found_name: replace(
                compared(name, systems[name], key),
                notes=notes_of(measures[name], systems[name].counts),
                per_label={label: compared(name, part, key) for label, part in of_labels.get(name, {}).items()},
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


def _of_labels(measured: MeasuredSystems, measure: Measure, resampling: PairedResampling) -> dict[str, MeasuredSystems]:
    """Return the systems as they are measured in each label of the reference."""
    first = next(iter(measured.counts.values()))
    found = {}
    for label, values in measure.score_per_label(first).items():
        if values["support"]:
            found[label] = MeasuredSystems(MeasurePart(measure, label), resampling)
            found[label].counts = measured.counts
    return found


def _results_of(name: str, measure: Measure) -> dict[str, str]:
    """Return what a measure is ranked by, by the names of the results."""
    others = {key if name == measure.name else f"{name} {key}": key for key in measure.ranked}
    return {name: measure.headline, **others}
