"""Agreement of any number of annotators: of each pair and of all jointly, observed, by chance and in simulations."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Never, Unpack

import numpy as np

from ...alignment.overlaps import Alignment, SideSpans, lay_out
from ...arrays import offsets_of
from ...counts.counts import Column, Counts
from ...counts.statistics import Estimate, Resampling, joined_values, require_bounded
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.joining import naming_documents
from ...documents.sides import ANNOTATOR, read_sides
from ...exceptions import InputError, require_choice, require_kind, require_no_more, setting
from ...measures.aligned import require_lengths
from ...measures.base import SHARED
from ...measures.chance_kappa_f1 import MOST_TOKENS_DRAWN, ChanceKappaF1, shared_of_spans
from ...measures.gamma import Gamma
from ...measures.placement import Cases, sample
from ...measures.start_probabilities import kept_probabilities
from ...measures.unitizing_alpha import UnitizingAlpha
from ...options import made
from ...spans.spans import Spans
from ..scores.measure_result import NamedDocuments, count_in_blocks, notes_of
from .agreement import KEYS, SAME, Agreement, AgreementValues, Simulated
from .annotators import count_pair, matrices_of, mean_over_pairs, named_annotators

_DRAWN_AT_ONCE = 1 << 18
"""The approximate number of spans, or of values of documents and labels, that are simulated at a time."""

_MOST_KEPT = 1 << 27
"""The maximum number of simulated values that are stored; they take 1 GiB."""

AVERAGES = ("micro", "macro")
"""The averages over labels that treat annotators alike; `weighted` uses the weights of one annotator."""


class AgreementArguments(DrawnSideArguments, total=False):
    """Arguments for reading, for resampling and for the measures of agreement.

    Attributes:
        level, placement, method, uniform_threshold: the options of the chance level, see `measures.ChanceKappaF1`.
        n_simulations: the number of random annotations, in which the spans of all annotators are placed at random; 0
            means none. They give the chance distribution and a p-value for every pair, for the means of pairs and for
            alpha, over the corpus and for each label; see `simulated`. With `per_document` also for the mean of each
            document. The p-value is (1 + simulations that reach the observed value) / (1 + simulations). The p-value of
            a pair's f1 is also the p-value of its kappa_f1, and the p-value of `mean_f1` is also the p-value of
            `team_kappa_f1`. With the placement `independent` alpha is undefined and has no p-value. Gamma uses its own
            random annotations (`samples`), unless `average` is `macro`.
        match_labels: False compares only boundaries, see `measures.AlignedMeasure`; all spans then have the label `_`.
        average: the average over labels, `micro` or `macro`.
        zero_division: the value of a ratio with denominator 0.
    """

    level: str
    placement: str
    method: str
    uniform_threshold: float
    n_simulations: int
    match_labels: bool
    average: str
    zero_division: float


@shares(AgreementArguments, ChanceKappaF1)
def agreement(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    names: Sequence[str] | None = None,
    variant: str | None = "2016",
    gamma: Gamma | None = None,
    per_document: bool = False,
    confidence: float | None = None,
    **arguments: Unpack[AgreementArguments],
) -> Agreement:
    """Compute the agreement of two or more annotators of the same documents, observed and corrected for chance.

    F1, chance F1 and F1 corrected for chance (`measures.ChanceKappaF1`) are computed for each pair of annotators. There
    are two values for the whole team:

        mean_kappa_f1 = the mean of (f1 - chance_f1) / (1 - chance_f1) over pairs
        team_kappa_f1 = (mean_f1 - mean_chance_f1) / (1 - mean_chance_f1)

    (The paper on the chance level considers only two annotators.) `mean_chance_f1` is the expected mean F1 of all pairs
    if all spans are placed at random; `team_kappa_f1` corrects the mean F1 for it. `team_kappa_f1` is also the mean of
    the pairs' kappa_f1 weighted by 1 - chance_f1, so both values are equal if all pairs have the same chance level. An
    example in which they differ: in a document of 4 tokens, two annotators have the span 0 to 3 and one has the span 0
    to 1. The first pair has chance F1 5/6 and kappa_f1 1; the other two pairs have 3/8 and 1/5. `mean_kappa_f1` is
    7/15. `mean_f1` is 2/3 and `mean_chance_f1` 19/36, so `team_kappa_f1` is 5/17: the perfect pair counts less, because
    its chance level is high.

    Alpha (`measures.UnitizingAlpha`) is a joint value: it compares the disagreement of all pairs with the disagreement
    expected from the units and gaps of all annotators together. Gamma (`measures.Gamma`) is joint, too.

        result = spanometer.agreement({"ann": tags_of_ann, "ben": tags_of_ben, "cat": tags_of_cat})
        result.kappa_f1[0, 2], result.mean_kappa_f1, result.alpha, result.per_label["PER"].alpha

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or a file read by `spanometer.read`; a mapping also gives their names.
        names: the annotators' names, by default `1`, `2`, `3` ...
        variant: the variant of alpha, `1995` or `2016`. None leaves out alpha, which is undefined if an annotator's
            spans of a label overlap.
        gamma: `measures.Gamma()`, with its options, computes gamma and gamma-cat of all annotators jointly. It uses
            `match_labels`, `average` and `zero_division` of the agreement. None leaves out gamma.
        per_document: whether to compute the values of each document too.
        confidence: the confidence level of intervals; None computes no intervals. Intervals come from resampled
            documents, the same for all annotators. Each pair, the means of pairs, alpha and gamma (whose chance level
            counts as known) have intervals, over the corpus and for each label. With a single document there are no
            intervals, but there are p-values.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            how corpora are resampled for intervals: `interval_method`, `n_resamples` and `seed` (also the seed of
            simulations), see `arguments.DrawArguments`; and the options of the measures: `level`, `placement`,
            `method`, `uniform_threshold`, `n_simulations`, `match_labels`, `average` and `zero_division`, see
            `AgreementArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, or if annotations cannot be read or compared; the error
            names the annotator.
    """
    require_no_more(more, "Pass all annotators as one list, or as one mapping such as {'ann': ..., 'ben': ...}.")
    resampling = Resampling.chosen(confidence, arguments)
    chance, alpha = pair_and_joint_measure({**arguments, "variant": variant})
    if gamma is not None:
        require_kind(gamma, Gamma, "a measure", "Pass an object such as measures.Gamma(alpha=2).", option="gamma")
        gamma = replace(gamma, **{name: value for name, value in chance.options().items() if name in SHARED})
    of_team = [measure for measure in (alpha, gamma) if measure is not None]
    read = read_sides(named_annotators(annotations, names), SideReading.of(agreement, arguments).for_annotators())
    annotated, reading = read.with_common_labels(match=chance.match_labels), read.reading
    called, size = tuple(name.removeprefix(ANNOTATOR) for name in annotated), len(annotated)
    first = next(iter(annotated.values()))
    lengths, labels = require_lengths(first.lengths, "the F1 expected by chance"), first.labels
    exact, drawn = replace(chance, n_simulations=0), resampling is not None
    pairs = list(combinations(range(size), 2))
    with kept_probabilities(), naming_documents(read.file):
        counts = [count_pair(annotated, pair, [exact], per_document=per_document or drawn)[0] for pair in pairs]
        alone = [count_pair(annotated, (place, place), [exact], per_document=False)[0] for place in range(size)]
        joint = {measure.name: count_jointly(annotated, measure, per_document=drawn) for measure in of_team}
    of_pairs, estimates = exact.joint_estimates(counts, resampling), dict[str, Estimate]()
    for key in KEYS:
        estimates |= {key: of_pairs[key], f"mean_{key}": Estimate.combined(mean_over_pairs, of_pairs[key])}
    estimates["team_kappa_f1"] = Estimate.combined(exact.corrected, estimates["mean_f1"], estimates["mean_chance_f1"])
    for measure in of_team:
        of_all = measure.joint_estimates([joint[measure.name]], resampling)
        estimates |= {key: each[..., 0] for key, each in of_all.items()}
    points = {key: each.point for key, each in estimates.items()}
    matrices = {key: matrices_of(points[key], size, 1.0) for key in KEYS}
    matrices["chance_f1"][:, range(size), range(size)] = exact.joint_estimates(alone, None)["chance_f1"].point
    bounds = {} if resampling is None else {key: each.bounds(resampling.confidence) for key, each in estimates.items()}
    bounds |= {key: matrices_of(bounds[key], size, math.nan) for key in KEYS if bounds}
    simulated, p_values = dict[str, Simulated](), np.zeros(0)
    if chance.n_simulations:
        simulated, p_values = simulate(annotated, chance, alpha, counts, points, per_document=per_document)
    of_documents = [exact.document_scores(of_pair) for of_pair in counts] if per_document else []
    columns = {name: Column(side.document, side.label) for name, side in annotated.items()}
    spans = np.array([np.bincount(side.label, minlength=len(labels)) for side in annotated.values()])
    places = range(len(labels) + 1)
    of_places: dict[str, Any] = {
        **{key: values.tolist() for key, values in points.items()},
        **matrices,
        "spans": [*spans.T, spans.sum(axis=1)],
        "documents": [*Counts(columns, labels, len(lengths)).documents_by_label().values(), len(lengths)],
        "simulated": [{key: each[place] for key, each in simulated.items()} for place in places],
        "intervals": [{key: each[:, place] for key, each in bounds.items()} for place in places],
    }
    if simulated and gamma is not None and chance.average == "micro":
        of_places["simulated"][-1]["gamma"] = Simulated(points["gamma"][-1], gamma.simulated(joint[gamma.name]))
    values = [dict(zip(of_places, row, strict=True)) for row in zip(*of_places.values(), strict=True)]
    noted = {" - ".join(pair): of_pair for pair, of_pair in zip(combinations(called, 2), counts, strict=True)}
    return Agreement(
        names=called,
        named_documents=NamedDocuments(read.file),
        tokens=int(lengths.sum()),
        **values.pop(),
        per_label={label: AgreementValues(**of_label) for label, of_label in zip(labels, values, strict=True)},
        signatures={measure.name: measure.signature(reading, resampling) for measure in (chance, *of_team)},
        per_document={key: np.stack([scores[key] for scores in of_documents]) for key in KEYS if of_documents},
        confidence=confidence,
        document_p_values=p_values,
        n_simulations=chance.n_simulations,
        notes=(*notes_of(chance, noted), *(() if alpha is None else notes_of(alpha, {"alpha": joint[alpha.name]}))),
    )


def pair_and_joint_measure(values: Mapping[str, Any]) -> tuple[ChanceKappaF1, UnitizingAlpha | None]:
    """Create the measure of pairs, and the joint measure of all annotators, each from the options that it has.

    If the value of `variant` is None, alpha is left out.
    """
    chance = made(ChanceKappaF1, values)
    require_choice("average", chance.average, AVERAGES)
    return chance, None if values["variant"] is None else made(UnitizingAlpha, values)


def count_jointly(annotated: Mapping[str, Spans], measure: UnitizingAlpha | Gamma, *, per_document: bool) -> Counts:
    """Compute the counts of all annotators together, block by block of documents.

    Args:
        annotated: the annotators' spans, with common labels, by the names that errors use.
        measure: the measure.
        per_document: whether to keep the counts of each document if there are several blocks.

    Raises:
        InputError: if the measure is undefined for an annotator's spans; it names the annotator.
    """

    def count(spans: Sequence[Spans]) -> list[Counts]:
        alignment = Alignment(*spans[:2])
        laid_out = (lay_out(part, alignment.labels, alignment.offsets) for part in spans[2:])
        sides = [alignment.references, alignment.predictions, *laid_out]
        for name, side in zip(annotated, sides, strict=True):
            try:
                measure.require_units(alignment, name, side)
            except InputError as error:
                alpha = isinstance(measure, UnitizingAlpha)
                remedy = f"Set {setting('variant', None)} to leave alpha out." if alpha else "Leave gamma out."
                raise replace(error, remedy=remedy) from None
        return [measure.count_sides(sides, alignment.labels, alignment.offsets)]

    (counts,) = count_in_blocks(list(annotated.values()), count, per_document=per_document)
    return counts


def simulate(
    annotated: Mapping[str, Spans],
    chance: ChanceKappaF1,
    alpha: UnitizingAlpha | None,
    counts: Sequence[Counts],
    points: Mapping[str, np.ndarray],
    *,
    per_document: bool,
) -> tuple[dict[str, Simulated], np.ndarray]:
    """Place the spans of all annotators at random, `chance.n_simulations` times, and score each random annotation.

    In each document, each annotator keeps the number and lengths of spans of each label, see `ChanceKappaF1`. All pairs
    and alpha use the same simulations, so their values are related as they would be by chance. Alpha is left out if
    simulated spans of a label can overlap.

    Args:
        annotated: the annotators' spans, with common labels and known lengths.
        chance: the measure of pairs; it also says how and how often spans are placed.
        alpha: the joint measure; None leaves it out.
        counts: the counts of each pair.
        points: the observed values: `f1` and `kappa_f1`, shape (labels + 1, pairs), and `alpha`, shape (labels + 1).
        per_document: whether to compare each document with chance, too.

    Returns:
        `f1` of pairs, `mean_f1`, `mean_kappa_f1` and `alpha`, each for all labels and, last, over all labels. And the
            p-value of the mean F1 of pairs in each document, shape (documents), NaN if no pair has spans there; empty
            unless requested.

    Raises:
        InputError: if there are so many simulations that they would take more than about ten minutes.
    """
    first = next(iter(annotated.values()))
    offsets = offsets_of(np.asarray(first.lengths))
    labels, count = len(first.labels), chance.n_simulations
    team = [chance.cases(Alignment(spans, spans)) for spans in annotated.values()]
    # each document counts once for each of its labels
    tokens = sum(int(cases.tokens[cases.of_both[:, 0]].sum()) for cases in team)
    require_bounded("n_simulations", count, tokens, "token", MOST_TOKENS_DRAWN)
    require_bounded("n_simulations", count, (labels + 1) * len(team) ** 2, "value", _MOST_KEPT)
    alpha = None if chance.placement == "independent" else alpha
    per_document = per_document and first.documents > 0
    # by document and label, of each pair; one document for the whole corpus unless documents are compared
    parts = [of_pair if per_document else of_pair.condensed() for of_pair in counts]
    by_document = [joined_values(of_pair.per_document()) for of_pair in parts]
    observed = np.stack([chance.document_scores(of_pair)["f1"] for of_pair in parts], axis=-1)
    has_spans, documents = ~np.isnan(observed), len(observed)
    reached = np.zeros(documents, dtype=np.int64)
    size = max(1, *map(len, annotated.values()), documents * labels if per_document else 0)
    step = max(1, _DRAWN_AT_ONCE // size)
    generator = np.random.default_rng(chance.seed)
    totals = [chance.totals(of_pair) for of_pair in counts]
    upper = np.triu_indices(len(team), 1)
    blocks: list[dict[str, np.ndarray]] = []
    for done in range(0, count, step):
        number = min(step, count - done)
        sides = [_drawn(cases, chance, labels, offsets, number, generator) for cases in team]
        drawn, of_documents = [], []
        for pair, (left, right, of_pair) in enumerate(zip(*upper, totals, strict=True)):
            shared = shared_of_spans(chance.level, sides[left], sides[right])
            simulation, label = np.divmod(sides[left].label, labels)
            document = simulation * documents + (sides[left].document if per_document else 0)
            both = np.bincount(document * labels + label, shared, number * documents * labels)
            both = both.reshape(number, documents, labels)
            drawn.append(chance.scores_of_all({**of_pair, "both": both.sum(axis=1)}))
            of_documents.append(chance.score_totals({**by_document[pair], "both": both})["f1"])
        block = {key: np.stack([each[key] for each in drawn], axis=-1) for key in ("f1", "kappa_f1")}
        means = mean_over_pairs(np.stack(of_documents, axis=-1), has_spans)
        reached += (means >= mean_over_pairs(observed) - SAME).sum(axis=0)
        if alpha is not None:
            block["alpha"] = _alpha(alpha, sides, labels, offsets, number)
        blocks.append(block)
    values = joined_values(blocks)
    defined = ~np.isnan(points["f1"])
    f1, drawn_f1 = points["f1"], np.where(defined, values["f1"], math.nan)
    simulated = {"f1": Simulated(matrices_of(f1, len(team), 1.0), matrices_of(drawn_f1, len(team), math.nan))}
    for key in ("f1", "kappa_f1"):
        observed_mean, drawn_mean = (mean_over_pairs(of_pairs, defined) for of_pairs in (points[key], values[key]))
        simulated[f"mean_{key}"] = Simulated(observed_mean, drawn_mean)
    if alpha is not None:
        simulated["alpha"] = Simulated(points["alpha"], values["alpha"])
    p_values = np.where(has_spans.any(axis=-1), (1 + reached) / (1 + count), math.nan)
    return simulated, p_values if per_document else p_values[:0]


def _drawn(
    cases: Cases, chance: ChanceKappaF1, labels: int, offsets: np.ndarray, number: int, generator: np.random.Generator
) -> SideSpans:
    """Place the spans of one annotator at random `number` times; the simulations are concatenated on one axis.

    Args:
        cases: the (document, label) places with spans.
        chance: the measure that says how spans are placed.
        labels: the number of labels.
        offsets: the positions where documents begin.
        number: the number of simulations.
        generator: the source of random numbers.
    """
    stride, code = int(offsets[-1]), cases.of_both[:, 0]
    order = np.argsort(code, kind="stable")
    simulation = np.arange(number)[:, None, None] * labels * stride
    bounds = [np.zeros((2, 0), dtype=np.int64)]
    for members in np.split(order, np.flatnonzero(np.diff(code[order])) + 1) if len(order) else []:
        tokens, layers = cases.describe(int(code[members[0]]))
        options: dict[str, Any] = {"placement": chance.of_layer, "generator": generator}
        placed = np.concatenate([sample(tokens, layer, number * len(members), **options) for layer in layers], axis=1)
        base = cases.label[members].astype(np.int64) * stride + offsets[cases.document[members]]
        start = placed.reshape(number, len(members), -1) + base[:, None] + simulation
        end = start + np.concatenate(layers)
        bounds.append(np.stack([start.ravel(), end.ravel()]))
    start, end = np.concatenate(bounds, axis=1)
    by_start = np.argsort(start, kind="stable")
    start, end = start[by_start], end[by_start]
    document = np.searchsorted(offsets, start % max(stride, 1), side="right") - 1
    return SideSpans(document, start // max(stride, 1), start, end)


def _alpha(alpha: UnitizingAlpha, sides: list[SideSpans], labels: int, offsets: np.ndarray, number: int) -> np.ndarray:
    """Compute alpha of simulations, shape (simulations, labels + 1)."""
    # the cost of variant 1995 grows faster than the number of labels
    together = number if alpha.variant == "2016" else 1
    alphas = []
    for first in range(0, number, together):
        parts = [_of_simulations(side, first, first + together, labels, int(offsets[-1])) for side in sides]
        names = tuple(map(str, range(together * labels)))
        totals = alpha.totals(alpha.count_sides(parts, names, offsets))
        by_simulation = {key: values.reshape(together, labels) for key, values in totals.items()}
        alphas.append(alpha.scores_of_all(by_simulation)["alpha"])
    return np.concatenate(alphas)


def _of_simulations(side: SideSpans, first: int, last: int, labels: int, stride: int) -> SideSpans:
    """Select some simulations, and move them to the beginning of the axis."""
    before, moved = first * labels, first * labels * stride
    part = slice(*np.searchsorted(side.label, (before, last * labels)))
    return SideSpans(side.document[part], side.label[part] - before, side.start[part] - moved, side.end[part] - moved)
