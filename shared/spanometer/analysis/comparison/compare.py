"""Comparison of systems on the same documents: scores, differences, and their significance."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, Unpack

import numpy as np

from ...counts.counts import Counts
from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.joining import naming_documents
from ...documents.sides import read_columns, read_sides
from ...exceptions import InputError, counted, mention, on_side, require_choice, require_kind, require_no_more, setting
from ...grounding.reading import GroundedStrings
from ...measures.aligned import with_words
from ...measures.base import Measure
from ...measures.registry import ALL_MEASURES, MEASURES, TREE_MEASURES, read_measures
from ...options import made
from ...readers.reading import beside_files
from ...spans.annotations import named_sides
from ...spans.attributes import Attributes
from ...spans.entities import Entities
from ...spans.mentions import Mentions
from ...spans.spans import Spans
from ..scores.measure_result import count_measures, notes_of
from ..scores.report import corpus_size
from ..scores.score import chance_measure, parts_by_chance, string_measure
from .comparison import REFERENCES, SYSTEM, ChanceRank, Comparison, MeasureComparison, SystemResult, named_outputs
from .significance import FEWEST, PairedArguments, PairedResampling, compared_pairs, rank_correlations, ranks

_CALLED = {Spans: "spans", Entities: "entity trees", Attributes: "spans with attributes", Mentions: "mentions"}
"""What errors call the kinds of sides."""


class ComparisonArguments(SideArguments, PairedArguments, total=False):
    """Arguments for reading, for resampling and for swapping outputs."""


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
    """Compare two or more systems on the same documents: scores, ranks, differences, and their uncertainty.

        comparison = spanometer.compare(references, {"old": old, "new": new}, measures=("span_f", "link_f"))
        result = comparison.measures["span_f"]
        result.systems["new"].scores["f1"], result.pairs[0].p_randomisation_holm

    **Intervals** of scores and differences come from the bootstrap over documents (see `statistics.Resampling`). All
    systems are scored on the same resampled corpora. The **stability** of a rank is the proportion of resampled corpora
    in which the system has this rank.

    **Paired approximate randomisation** (Noreen 1989) tests whether two systems are equally good. It swaps the two
    outputs of each document with probability 1/2, n times, and computes the difference d* each time:
    p = (1 + #{|d*| >= |d|}) / (1 + n). Only documents with different counts matter. If these documents have at most
    `n_permutations` possible swaps, all of them are tried, and p = #{|d*| >= |d|} / n is exact.

    **The paired bootstrap** centres the differences d* in resampled corpora: p = (1 + #{|d* - mean of d*| >= |d|}) / (1
    + n). Both tests are two-sided. sacreBLEU instead subtracts the mean of |d*|, so its p-value for a clear difference
    is about half as large. With few documents the p-value of the bootstrap is too small, so report the first test. The
    p-value of the bootstrap is only in JSON.

    Both p-values are in (0, 1] and corrected over the pairs of a measure by Holm's method. They are not corrected over
    measures: if you choose a measure by its result, correct for that too. NaN (with `zero_division=nan`) counts as a
    difference as large as the observed one.

    Args:
        references: a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of either, or a file read
            by `spanometer.read`; or `Entities`, or a list of lists of entities.
        systems: each system's output by its name, in one of these forms. If the reference has texts, also raw answers
            and the outputs of pipelines, see `score`.
        measures: names of measures, or measures with options, or both; or a mapping that names the results. For
            `Entities`: `Eter`, or `"eter"`.
        rank_correlation: also correlate the rankings by each two measures (Kendall's tau-b, with intervals from the
            same resampled corpora), see `significance.RankCorrelation`. This needs three systems and two measures.
        per_label: also compare the systems for each label of the reference.
        by_chance: bounds of chance levels. Also rank the systems before and after correction for chance
            (`ChanceKappaF1`), over all documents and in the groups between these bounds, see `difficulty.by_chance`.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            and how corpora are resampled and outputs are swapped: `confidence`, `interval_method`, `n_resamples`,
            `n_permutations` and `seed`, see `significance.PairedArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two systems or no documents, if annotations cannot be read or compared (the
            error names the system), if options are wrong, or if a measure is undefined.
    """
    require_no_more(more, "Pass all systems as one mapping, such as {'old': ..., 'new': ...}.")
    resampling = made(PairedResampling, arguments)
    choices: dict[str, Any] = {"rank_correlation": rank_correlation, "per_label": per_label, "by_chance": by_chance}
    options = SideReading.of(compare, arguments)
    sides_of_all = {REFERENCES: references, **named_outputs(systems)}
    sides_read = read_columns(beside_files(sides_of_all, answers="grounding" in arguments))
    reference = sides_read[REFERENCES]
    if isinstance(reference, (Entities, Attributes)):
        options.require_none(f"you passed {_CALLED[type(reference)]}")
        trees = isinstance(reference, Entities)
        chosen = read_measures(measures, TREE_MEASURES if trees else ALL_MEASURES)
        for name, side in sides_read.items():
            if not isinstance(side, type(reference)):
                problem = f"the reference has {_CALLED[type(reference)]}, but this system does not."
                remedy = "Give the reference and all systems in the same form: tags, spans or entity trees."
                raise InputError(problem, remedy, side=name)
        if trees and options.lengths is not None:
            sides_read = {name: on_side(name, side.with_lengths, options.lengths) for name, side in sides_read.items()}
        return compare_sides(sides_read, chosen, resampling, {"input": "entities"} if trees else {}, **choices)
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
    """Compare systems whose outputs are all spans, entity trees, spans with attributes, or mentions.

    Attributes are compared all together, and each one separately, like a label.

    Args:
        sides: the reference and the systems, by the names that errors use, see `comparison.named_systems`.
        measures: measures of such sides, by the names of the results.
        resampling: how corpora are resampled and outputs are swapped.
        reading: how the sides were read, for the signatures.
        rank_correlation, per_label, by_chance: see `compare`.
        answered: the sides that are answers of language models.
    """
    for option, value in {"rank_correlation": rank_correlation, "per_label": per_label}.items():
        require_choice(option, value, (True, False))
    reference = sides[REFERENCES]
    if reference.documents == 0:
        raise InputError("there are no documents.", "Give at least one document.")
    systems = {name.removeprefix(SYSTEM): side for name, side in sides.items() if name != REFERENCES}
    results = sum(1 + len(measure.ranked) for measure in measures.values())
    if isinstance(reference, Attributes):
        # attributes have values only together, and each one alone
        rank_correlation, per_label = False, True
    if rank_correlation and (len(systems) < FEWEST or results < 2):
        sizes = f"{counted(len(systems), 'system')} and {counted(results, 'measure')}"
        problem = f"{setting('rank_correlation', True)} needs at least {FEWEST} systems and 2 measures, got {sizes}."
        raise InputError(problem, f"Add systems or measures, or leave out {setting('rank_correlation', True)}.")
    if by_chance is not None and not isinstance(reference, Spans):
        remedy = f"Leave out {mention('by_chance')}."
        raise InputError(f"{mention('by_chance')} works only with spans.", remedy, option="by_chance")
    counts: dict[str, list[Counts]] = {}
    for system, output in systems.items():
        side = f"{SYSTEM}{system}"
        # an error about trees without a side concerns both
        both = {"": side} if isinstance(reference, Entities) else {}
        with named_sides({"references": REFERENCES, "predictions": side, **both}):
            # items that are not in the text make documents longer, but only for their own system
            longer = reference.with_lengths(output.lengths) if side in answered else reference
            counts[system] = count_measures(longer, output, list(measures.values()), per_document=True)
    compared, ranked = {}, {}
    for place, (name, measure) in enumerate(measures.items()):
        of_measure = {system: of_system[place] for system, of_system in counts.items()}
        signature = measure.signature(reading, resampling)
        for result, places in _compared(measure, of_measure, resampling, signature, per_label=per_label):
            key = result.key
            named = name if key == measure.headline else key if name == measure.name else f"{name} {key}"
            compared[named], ranked[named] = result, places
    return Comparison(
        names=tuple(systems),
        **corpus_size(reference, reading),
        measures=compared,
        resampling=resampling,
        rank_correlations=rank_correlations(ranked, tuple(systems), resampling.confidence) if rank_correlation else (),
        chance_ranks=() if by_chance is None else tuple(_chance_ranks(reference, systems, by_chance, measures)),
    )


def _chance_ranks(
    reference: Spans, systems: Mapping[str, Spans], bounds: Sequence[float], measures: Mapping[str, Measure]
) -> Iterator[ChanceRank]:
    """Score and rank the systems before and after correction for chance, over all documents and in each group."""
    measure = replace(chance_measure(measures), n_simulations=0)
    whole = "all", np.arange(reference.documents)
    for part, documents in (whole, *parts_by_chance(reference, bounds, measure).values()):
        counts = (measure.counts(reference.take(documents), side.take(documents)) for side in systems.values())
        values = np.array([[scores["f1"], scores["kappa_f1"]] for scores in map(measure.score, counts)])
        places = ranks(values.T, higher_is_better=True).T
        for system, (f1, kappa), (rank, kappa_rank) in zip(systems, values.tolist(), places.tolist(), strict=True):
            yield ChanceRank(part, len(documents), system, f1, rank, kappa, kappa_rank)


def _compared(
    measure: Measure, counts: Mapping[str, Counts], resampling: PairedResampling, signature: str, *, per_label: bool
) -> Iterator[tuple[MeasureComparison, tuple[np.ndarray, np.ndarray]]]:
    """Compare systems by one measure; yields the result for each key by which it ranks, and the systems' ranks."""
    first, names = next(iter(counts.values())), {name for each in counts.values() for name in each.labels}
    labels = first.labels if len(first.labels) == len(names) else tuple(sorted(names))
    alike = {system: each.renamed(each.labels, labels) for system, each in counts.items()}
    by_label = measure.score_per_label(first) if per_label else {}
    parts = [label for label, values in by_label.items() if values["support"]]
    chosen = [*map(labels.index, parts), -1]

    def scores(totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores of the chosen labels and, last, of the corpus, shape (..., parts)."""
        if not parts:
            return {key: values[..., None] for key, values in measure.score_totals(totals).items()}
        of_all = measure.where_present(measure.scores_of_all)(totals)
        return {key: values[..., chosen] for key, values in of_all.items()}

    estimates, pairs = compared_pairs(measure, alike, scores, resampling)
    whole = measure.headline_values if measure.input == "attributes" else measure.score
    of_labels = [each.documents_by_label() for each in counts.values()] if parts else []
    documents = [*(max(of_system[label] for of_system in of_labels) for label in parts), 0]
    for key in pairs:
        values, higher = estimates[key], measure.results[key].better == "higher"
        places, drawn = (ranks(np.asarray(each), higher_is_better=higher) for each in (values.point, values.drawn))
        stability = (drawn[..., None] == np.arange(1, len(counts) + 1)).mean(axis=0)
        if first.documents < 2:
            stability = np.full_like(stability, np.nan)
        results = []
        for part in range(len(chosen)):
            systems = {}
            for column, (system, of_system) in enumerate(counts.items()):
                own = {name: each[part, column] for name, each in estimates.items()}
                of_label = {name: measure.results[name].kind(own[name].point) for name in measure.keys}
                systems[system] = SystemResult(
                    scores=of_label if part < len(parts) else whole(of_system),
                    intervals=measure.intervals_of(own, resampling),
                    rank=int(places[part, column]),
                    rank_shares=tuple(stability[part, column].tolist()),
                )
            of_part: dict[str, Any] = {"measure": measure, "key": key, "systems": systems, "pairs": pairs[key][part]}
            results.append(MeasureComparison(**of_part, signature=signature, documents=documents[part]))
        per_part = dict(zip(parts, results, strict=False))
        yield replace(results[-1], notes=notes_of(measure, counts), per_label=per_part), (places[-1], drawn[:, -1])


@shares(PairedArguments, PairedResampling)
def compare_strings(
    references: Any, systems: Mapping[str, GroundedStrings], *, per_label: bool = False, **options: Any
) -> Comparison:
    """Compare the answers of several systems as strings, see `compare`.

    Args:
        references: `Mentions`, or a list of (label, text) pairs for each document, see `Mentions.from_pairs`.
        systems: the answers of each system by its name, all grounded with the same options.
        per_label: see `compare`.
        **options: how corpora are resampled and outputs are swapped, see `significance.PairedResampling`, and the
            options of `mention_f` `average`, `zero_division` and `match_labels`.

    Raises:
        InputError: if there are fewer than two systems, if they are grounded with different options, if options are
            wrong, or if the numbers of documents differ.
    """
    resampling = made(PairedResampling, options)
    outputs = named_outputs(systems)
    for name, system in outputs.items():
        remedy = "Give the result of grounding.ground_strings."
        require_kind(system, GroundedStrings, "grounded strings", remedy, side=name)
    first, *others = outputs.values()
    if any(system.choices != first.choices for system in others):
        problem = "the answers of the systems were read with different options."
        raise InputError(problem, "Use the same policy, labels and aliases for all systems.")
    measure = string_measure(first, {name: value for name, value in options.items() if name != "n_permutations"})
    mentions = references if isinstance(references, Mentions) else Mentions.from_pairs(references)
    sides = {REFERENCES: mentions, **{name: system.mentions for name, system in outputs.items()}}
    return compare_sides(sides, {measure.name: measure}, resampling, first.choices, per_label=per_label)
