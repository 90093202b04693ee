"""Comparison of systems on the same documents: which is better, by how much, and is it chance."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, Unpack

import numpy as np

from ...counts.counts import Counts
from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.matching import naming_documents
from ...documents.sides import read_columns, read_sides
from ...exceptions import InputError, counted, mention, on_side, require_choice, require_no_more, setting
from ...measures.base import Measure
from ...measures.information import with_words
from ...measures.registry import ALL_MEASURES, MEASURES, TREE_MEASURES, read_measures
from ...options import made
from ...readers.objects import beside_files
from ...spans.annotations import named_sides
from ...spans.attributes import Attributes
from ...spans.entities import Entities
from ...spans.mentions import Mentions
from ...spans.spans import Spans
from ..scores.counting import count_measures, notes_of
from ..scores.difficulty import chance_measure, parts_by_chance
from ..scores.report import corpus_size
from .comparison import (
    NAMED,
    REFERENCES,
    SYSTEM,
    ChanceRank,
    Comparison,
    MeasureComparison,
    MeasuredSystems,
    MeasurePart,
    joint_estimates,
    named_systems,
)
from .significance import FEWEST, PairedArguments, PairedResampling, rank_correlations, ranks

_CALLED = {
    Spans: "spans",
    Entities: "entity trees",
    Attributes: "spans with attributes",
    Mentions: "mentions",
}
"""What errors call the kinds of sides."""


class ComparisonArguments(SideArguments, PairedArguments, total=False):
    """How the sides of a comparison are read, how corpora are drawn, and outputs swapped."""


@shares(ComparisonArguments, PairedResampling)
def compare(
    references: Any,
    systems: Mapping[str, Any],
    *more: Never,
    measures: Any = ("span_f",),
    rank_correlation: bool = False,
    per_label: bool = False,
    by_chance: Sequence[float] | None = None,
    **arguments: Unpack[ComparisonArguments],
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
    right for few documents too, where the bootstrap's p is too small: only JSON has it.

    Both are in (0, 1], and corrected over the pairs of a measure by Holm's method; not over measures, which must be
    corrected too if one chooses the measure by the result. NaN (under `zero_division=nan`) counts as a difference as
    large as the one observed.

    Args:
        references: a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of either, or a file that
            `spanometer.read` gives; or `Entities`, or a list of lists of entities.
        systems: each system's output by its name, in one of these forms, or, beside a reference with texts, raw answers
            and what pipelines return, as `score` takes them; entities for entities.
        measures: the names of measures, or measures with options of their own, or several of both; or a mapping that
            names the results. For `Entities`: `Eter`, or `"eter"`.
        rank_correlation: also correlate the rankings that the measures give (Kendall's tau-b, with intervals from the
            same drawn corpora), see `rank_correlation.RankCorrelation`. That takes three systems and two measures.
        per_label: also compare the systems by label of the reference.
        by_chance: also rank the systems before and after correction for chance (`ChanceKappaF1`), over all documents
            and in the parts below, between and above these bounds of the chance level, see `difficulty.by_chance`.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            and how corpora are drawn and outputs swapped: `confidence`, `interval_method`, `n_resamples`,
            `n_permutations` and `seed`, see `significance.PairedArguments`.

    Raises:
        TypeError: for an argument that there is not.
        InputError: for fewer than two systems, for no documents, for annotations that cannot be read or compared
            (it names the system), for wrong options, and if a measure is not defined.
    """
    require_no_more(more, "Pass the systems together by their names, {'old': ..., 'new': ...}.")
    resampling = made(PairedResampling, arguments)
    choices: dict[str, Any] = {"rank_correlation": rank_correlation, "per_label": per_label, "by_chance": by_chance}
    options = SideReading.of(compare, arguments)
    sides_of_all = {REFERENCES: references, **named_outputs(systems)}
    sides_read = read_columns(beside_files(sides_of_all, answers="grounding" in arguments))
    reference = sides_read[REFERENCES]
    if isinstance(reference, (Entities, Attributes)):
        options.require_none(f"these are {_CALLED[type(reference)]}")
        if isinstance(reference, Attributes):
            return compare_sides(sides_read, read_measures(measures, ALL_MEASURES), resampling, {}, **choices)
        trees = read_measures(measures, TREE_MEASURES)
        _require_alike(sides_read)
        if options.lengths is not None:
            sides_read = {name: on_side(name, side.with_lengths, options.lengths) for name, side in sides_read.items()}
        return compare_sides(sides_read, trees, resampling, {"input": "entities"}, **choices)
    chosen = read_measures(measures, MEASURES)
    read = read_sides(sides_read, options, apart=False)
    chosen = dict(zip(chosen, with_words(chosen.values(), lambda: read.words), strict=True))
    with naming_documents(read.file):
        return compare_sides(read.spans, chosen, resampling, read.reading, answered=read.grounded.keys(), **choices)


def compare_sides(
    sides: Mapping[str, Any],
    measures: Mapping[str, Measure],
    resampling: PairedResampling,
    reading: Mapping[str, object],
    *,
    rank_correlation: bool = False,
    per_label: bool = False,
    by_chance: Sequence[float] | None = None,
    answered: Collection[str] = (),
) -> Comparison:
    """Compare systems that have been read: all as spans, entity trees, spans with attributes or mentions.

    Of attributes all are compared together, and each as a label.

    Args:
        sides: the reference and the systems, by the names that errors call them, see `comparison.named_systems`.
        measures: of what the sides are, by the names of the results.
        resampling: how corpora are drawn, and outputs swapped.
        reading: how the sides were read, for the signatures.
        rank_correlation, per_label, by_chance: as in `compare`.
        answered: the sides that language models have answered.
    """
    for option, value in {"rank_correlation": rank_correlation, "per_label": per_label}.items():
        require_choice(option, value, (True, False))
    _require_alike(sides)
    reference = sides[REFERENCES]
    if reference.documents == 0:
        raise InputError("there are no documents.", "Give at least one.")
    systems = {name.removeprefix(SYSTEM): side for name, side in sides.items() if name != REFERENCES}
    results = {
        (name, result): key for name, measure in measures.items() for result, key in _results_of(name, measure).items()
    }
    if isinstance(reference, Attributes):
        # attributes have no values but those of parts: all of them together, and each
        rank_correlation, per_label = False, True
    if rank_correlation and (len(systems) < FEWEST or len(results) < 2):
        raise InputError(
            f"{counted(len(systems), 'system')} by {counted(len(results), 'measure')}: a correlation of rankings takes "
            f"{FEWEST} systems and two measures.",
            f"Give more, or leave out {setting('rank_correlation', True)}.",
        )
    if by_chance is not None and not isinstance(reference, Spans):
        raise InputError("the chance level is of spans.", f"Leave out {mention('by_chance')}.", option="by_chance")
    counts: dict[str, dict[str, Counts]] = {name: {} for name in measures}
    for system, output in systems.items():
        side = f"{SYSTEM}{system}"
        called = {"references": REFERENCES, "predictions": side}
        if isinstance(reference, Entities):
            # an error that names neither side is about both
            called[""] = side
        with named_sides(called):
            # items without a place make documents longer, and those of another system are none of this one's
            longer = reference.with_lengths(output.lengths) if side in answered else reference
            of_system = count_measures(longer, output, list(measures.values()), per_document=True)
        for name, of_measure in zip(measures, of_system, strict=True):
            counts[name][system] = of_measure
    measured = _measured(measures, counts, resampling, whole=not isinstance(reference, Attributes), per_label=per_label)
    documents = {
        name: [of_system.documents_by_label() for of_system in by_system.values()] if per_label else []
        for name, by_system in counts.items()
    }

    def compared(part: tuple[str, str | None], key: str) -> MeasureComparison:
        name, label = part
        return MeasureComparison(
            measure=measures[name],
            key=key,
            systems=measured[part].results(key),
            pairs=measured[part].pair_results[key],
            signature=measures[name].signature(reading, resampling),
            documents=0 if label is None else max(of_system[label] for of_system in documents[name]),
        )

    return Comparison(
        names=tuple(systems),
        **corpus_size(reference, reading),
        measures={
            result: replace(
                compared((name, None), key),
                notes=notes_of(measures[name], counts[name]),
                per_label={
                    part[1]: compared(part, key) for part in measured if part[0] == name and part[1] is not None
                },
            )
            for (name, result), key in results.items()
        },
        resampling=resampling,
        rank_correlations=rank_correlations(
            {result: measured[name, None].places(key) for (name, result), key in results.items()},
            tuple(systems),
            resampling.confidence,
        )
        if rank_correlation
        else (),
        chance_ranks=() if by_chance is None else tuple(_chance_ranks(reference, systems, by_chance, measures)),
    )


def _chance_ranks(
    reference: Spans, systems: Mapping[str, Spans], bounds: Sequence[float], measures: Mapping[str, Measure]
) -> Iterator[ChanceRank]:
    """Score the systems before and after correction for chance, over all documents and in each part."""
    measure = replace(chance_measure(measures), n_simulations=0)
    whole = "all", np.arange(reference.documents)
    for part, documents in (whole, *parts_by_chance(reference, bounds, measure).values()):
        counts = (measure.counts(reference.take(documents), side.take(documents)) for side in systems.values())
        values = np.array([[scores["f1"], scores["kappa_f1"]] for scores in map(measure.score, counts)])
        places = ranks(values.T, higher_is_better=True).T
        for system, (f1, kappa), (rank, kappa_rank) in zip(systems, values.tolist(), places.tolist(), strict=True):
            yield ChanceRank(part, len(documents), system, f1, rank, kappa, kappa_rank)


def _require_alike(sides: Mapping[str, Any]) -> None:
    """Raise an `InputError` unless all sides are of the kind of the reference."""
    kind = type(sides[REFERENCES])
    for name, side in sides.items():
        if not isinstance(side, kind):
            raise InputError(f"the reference's are {_CALLED[kind]}, these are not.", "Give all alike.", side=name)


def named_outputs(systems: Any) -> dict[str, Any]:
    """Collect the outputs of two systems or more by the names that errors call them."""
    if not isinstance(systems, Mapping):
        raise InputError(f"systems are a {type(systems).__name__}, which has no names.", NAMED)
    if len(systems) < 2:
        raise InputError(f"{counted(len(systems), 'system')}: a comparison takes two.", NAMED)
    return named_systems(systems)


def _measured(
    measures: Mapping[str, Measure],
    counts: Mapping[str, Mapping[str, Counts]],
    resampling: PairedResampling,
    *,
    whole: bool,
    per_label: bool,
) -> dict[tuple[str, str | None], MeasuredSystems]:
    """Measure all systems in the same drawn corpora: by each measure as a whole, and in each label of the reference."""
    parts: dict[tuple[str, str | None], Any] = {}
    for name, measure in measures.items():
        parts[name, None] = measure if whole else MeasurePart(measure, None)
        of_labels = measure.score_per_label(next(iter(counts[name].values()))) if per_label else {}
        parts |= {
            (name, label): MeasurePart(measure, label) for label, values in of_labels.items() if values["support"]
        }
    counted_parts = {
        (part, system): (measure, of_system)
        for part, measure in parts.items()
        for system, of_system in counts[part[0]].items()
    }
    estimates = joint_estimates(counted_parts, resampling)
    return {
        part: MeasuredSystems(
            measure=measure,
            counts=counts[part[0]],
            estimates={system: estimates[part, system] for system in counts[part[0]]},
            resampling=resampling,
        )
        for part, measure in parts.items()
    }


def _results_of(name: str, measure: Measure) -> dict[str, str]:
    """Choose the values that a measure is ranked by, by the names of the results."""
    others = {key if name == measure.name else f"{name} {key}": key for key in measure.ranked}
    return {name: measure.headline, **others}
