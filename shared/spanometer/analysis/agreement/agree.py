"""Agreement of any number of annotators, pair by pair and jointly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import Any, Never, Unpack

import numpy as np

from ...alignment.overlaps import Alignment, lay_out
from ...counts.counts import Counts
from ...counts.statistics import Resampling
from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.sides import read_sides
from ...exceptions import InputError, require_choice, require_kind, require_no_more, setting
from ...measures.aligned import require_lengths
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.gamma import Gamma
from ...measures.unitizing_alpha import UnitizingAlpha
from ...spans.annotations import named_sides
from ...spans.spans import Spans
from ..scores.counting import blocks_of, count_measures, in_whole, notes_of
from ..scores.streams import push, together
from .agreement import KEYS, Agreement, AgreementValues, mean_of_pairs
from .annotators import ANNOTATOR, named_annotators
from .chance import Simulated, simulate
from .intervals import bounds_of

AVERAGES = ("micro", "macro")
"""Those that treat all annotators alike: `weighted` would weight the labels by one of them."""


@shares(SideArguments)
def agreement(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    names: Sequence[str] | None = None,
    level: str = "token",
    placement: str = "disjoint",
    method: str = "exact",
    uniform_threshold: float = 0.99,
    n_simulations: int = 0,
    variant: str | None = "2016",
    gamma: Gamma | None = None,
    labels: str = "match",
    average: str = "micro",
    zero_division: float = 0.0,
    per_document: bool = False,
    confidence: float | None = None,
    interval_method: str = "bca",
    n_resamples: int = 1000,
    seed: int = 0,
    **arguments: Unpack[SideArguments],
) -> Agreement:
    """Compute the agreement of two or more annotators of the same documents, as it is and beyond chance.

    F1, its chance level and F1 corrected for chance (`measures.ChanceKappaF1`) are those of pairs of annotators. There
    are two values of the team, of which the first is a mean over pairs:

        mean_kappa_f1 = the mean of (f1 - chance_f1) / (1 - chance_f1) over pairs
        team_kappa_f1 = (mean_f1 - mean_chance_f1) / (1 - mean_chance_f1)

    The paper of the chance level names more than two annotators as future work. If all annotators' spans are placed at
    random, the mean of F1 over pairs is expected to be `mean_chance_f1`, as the expectation of a sum is the sum of
    expectations though the pairs depend on each other; `team_kappa_f1` is what the team has beyond that. It is the mean
    of the pairs' kappa_f1 with the weights 1 - chance_f1, the room that chance leaves, and so the same as
    `mean_kappa_f1` if all pairs have one chance level. They differ if lengths do: in a document of 4 tokens two
    annotators have the span 0 to 3 and one the span 0 to 1. Chance is 5/6 for the first two and 3/8 for the other
    pairs, kappa_f1 is 1, 1/5 and 1/5, so that `mean_kappa_f1` is 7/15; `mean_f1` is 2/3, its chance level 19/36, and
    `team_kappa_f1` 5/17. The perfect pair, of which chance gives most, counts less.

    Alpha (`measures.UnitizingAlpha`) is joint: observed over all pairs, and expected from the units and gaps of all
    annotators together. So is gamma (`measures.Gamma`), if it is asked for.

        found = spanometer.agreement({"ann": tags_of_ann, "ben": tags_of_ben, "cat": tags_of_cat})
        found.kappa_f1[0, 2], found.mean_kappa_f1, found.alpha, found.per_label["PER"].alpha

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or what `spanometer.read` returns; a mapping gives their names too.
        names: the annotators' names, by default `1`, `2`, `3` ...
        level, placement, method, uniform_threshold: of the chance level, see `measures.ChanceKappaF1`.
        n_simulations: how often the spans of all annotators are placed at random together, for the distribution by
            chance and the p-value (1 + simulations that reach the observed value) / (1 + simulations) of every pair, of
            the means and of alpha (unless the placement is `independent`, which alpha is not defined for), over the
            corpus and in each label, and of each document's mean if these are asked for; see `simulated`. The p-value
            of a pair's f1 is that of its kappa_f1, and that of `mean_f1` that of `team_kappa_f1`. Gamma is held against
            its own random annotations, of which it has `samples`, if labels are not averaged. 0 makes none.
        variant: of alpha, `1995` or `2016`; None leaves alpha out, which is not defined if one annotator's spans of a
            label overlap.
        gamma: `measures.Gamma()` computes gamma and gamma-cat of all annotators jointly, with its options; `labels`,
            `average` and `zero_division` are those of the agreement. None leaves gamma out.
        labels: `match`, or `ignore` to compare extents alone, see `measures.AlignedMeasure`; all spans then have the
            label `_`.
        average: over labels, `micro` or `macro`. `weighted` would weight them by one of the annotators.
        zero_division: the value of a ratio whose denominator is 0.
        per_document: also compute the values of each document, chance level and corrected F1 among them.
        confidence: the level of intervals, of each pair, of the means of pairs, of alpha and of gamma (without the
            sampling error of its chance level), over the corpus and in each label: documents are drawn anew, the same
            ones for all annotators; None makes none.
        interval_method, n_resamples, seed: of intervals, see `statistics.Resampling`. The seed is also that of the
            simulations. One document has no intervals, as documents are what is drawn; it has p-values.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `pairing`, `label_map` and `ignore_labels`, see `arguments.SideArguments`.

    Raises:
        TypeError: for an argument that there is not.
        InputError: for fewer than two annotators, and for annotations that cannot be read or compared; it names
            the annotator.
    """
    require_no_more(more, "Pass all annotators together, as a list or by their names, {'ann': ..., 'ben': ...}.")
    require_choice("average", average, AVERAGES)
    resampling = Resampling.chosen(
        confidence=confidence, interval_method=interval_method, n_resamples=n_resamples, seed=seed
    )
    shared: dict[str, Any] = {"labels": labels, "average": average, "zero_division": zero_division}
    chance = ChanceKappaF1(
        level=level,
        placement=placement,
        method=method,
        uniform_threshold=uniform_threshold,
        n_simulations=n_simulations,
        seed=seed,
        **shared,
    )
    alpha = None if variant is None else UnitizingAlpha(variant=variant, **shared)
    if gamma is not None:
        require_kind(gamma, Gamma, "a measure", "Give measures.Gamma(), with its options.", option="gamma")
        gamma = replace(gamma, **shared)
    options = SideReading.of(agreement, arguments)
    given = named_annotators(annotations, names)
    read = read_sides(given, options)
    annotated, reading = read.with_common_labels(labels), read.reading
    first = next(iter(annotated.values()))
    known_lengths, label_names = require_lengths(first.lengths, "chance"), first.labels
    numbers = np.array([np.bincount(spans.label, minlength=len(label_names)) for spans in annotated.values()])
    of_documents: dict[str, list[np.ndarray]] | None = {key: [] for key in KEYS} if per_document else None
    of_pairs, pair_bounds, pair_counts = _pairs(
        annotated, numbers, replace(chance, n_simulations=0), of_documents, resampling
    )
    joint, joint_bounds, alpha_counts = _joint(annotated, alpha, UnitizingAlpha.keys, len(label_names), resampling)
    joint_gamma, gamma_bounds, gamma_counts = _joint(annotated, gamma, Gamma.keys, len(label_names), resampling)
    simulated: list[dict[str, Simulated]] = [{} for _ in range(len(label_names) + 1)]
    document_p_values = np.zeros(0)
    if n_simulations:
        points = {**of_pairs, "alpha": np.array([values["alpha"] for values in joint])}
        simulated, document_p_values = simulate(
            annotated, chance, alpha, pair_counts, points, per_document=per_document
        )
        if gamma is not None and gamma_counts is not None and average == "micro":
            point = np.array(joint_gamma[-1]["gamma"])
            simulated[-1]["gamma"] = Simulated(point, gamma.simulated(gamma_counts))
    spans_of = [*numbers.T, numbers.sum(axis=1)]
    values = [
        {
            **{key: array[place] for key, array in of_pairs.items()},
            **joint[place],
            **joint_gamma[place],
            "team_kappa_f1": float(
                chance.corrected(*(np.asarray(mean_of_pairs(of_pairs[key][place])) for key in ("f1", "chance_f1")))
            ),
            "spans": spans_of[place],
            "simulated": simulated[place],
            "intervals": {
                key: bounds[:, place] for key, bounds in {**pair_bounds, **joint_bounds, **gamma_bounds}.items()
            },
        }
        for place in range(len(label_names) + 1)
    ]
    called = tuple(name.removeprefix(ANNOTATOR) for name in annotated)
    pairs_by_name = dict(zip(map(" - ".join, combinations(called, 2)), pair_counts, strict=True))
    return Agreement(
        names=called,
        documents=len(known_lengths),
        tokens=int(known_lengths.sum()),
        **values.pop(),
        per_label={label: AgreementValues(**of_label) for label, of_label in zip(label_names, values, strict=True)},
        signatures={
            measure.name: measure.signature(reading, resampling)
            for measure in (chance, alpha, gamma)
            if measure is not None
        },
        per_document={key: np.stack(values) for key, values in (of_documents or {}).items()},
        confidence=confidence,
        document_p_values=document_p_values,
        n_simulations=n_simulations,
        notes=(
            *notes_of(chance, pairs_by_name),
            *(() if alpha is None or alpha_counts is None else notes_of(alpha, {"alpha": alpha_counts})),
        ),
    )


def _pairs(
    annotated: Mapping[str, Spans],
    numbers: np.ndarray,
    measure: ChanceKappaF1,
    of_documents: dict[str, list[np.ndarray]] | None,
    resampling: Resampling | None,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], list[Counts]]:
    """Return the values of all pairs, label by label and (last) overall.

    Args:
        annotated: the annotators' spans.
        numbers: how many spans each annotator has of each label.
        measure: what pairs are scored with.
        of_documents: takes the values of each document, pair by pair, by key.
        resampling: how intervals are made; None makes none.

    Returns:
        For each key an array of shape (labels + 1, annotators, annotators); and the bounds of intervals, those of pairs
        with 2 before that shape, those of means of shape (2, labels + 1); and the counts of pairs.
    """
    count, labels = numbers.shape
    values = {key: np.ones((labels + 1, count, count)) for key in KEYS}
    of_pairs: list[Counts] = []
    per_document = of_documents is not None or resampling is not None
    for (one, name), (other, second) in combinations_with_replacement(enumerate(annotated), 2):
        with named_sides({"references": name, "predictions": second}):
            sides = annotated[name], annotated[second]
            (counts,) = count_measures(*sides, [measure], per_document=per_document)
        if one != other:
            of_pairs.append(counts)
        if of_documents is not None and one != other:
            for key, values_of in measure.document_scores(counts).items():
                of_documents[key].append(values_of)
        found = [*measure.score_per_label(counts).values(), measure.score(counts)]
        absent = np.append(numbers[one] + numbers[other] == 0, False)
        for key in KEYS if one != other else ("chance_f1",):
            of_pair = np.where(absent, math.nan, [scores[key] for scores in found])
            values[key][:, one, other] = values[key][:, other, one] = of_pair
    if resampling is None:
        return values, {}, of_pairs
    upper = np.triu_indices(count, 1)
    points = {key: array[:, *upper] for key, array in values.items()}
    bounds = bounds_of(measure, of_pairs, points, resampling, mean=True)
    for key in KEYS:
        whole = np.full((2, labels + 1, count, count), math.nan)
        whole[:, :, *upper] = whole[:, :, *upper[::-1]] = bounds[key]
        bounds[key] = whole
    return values, bounds, of_pairs


def _joint(
    annotated: Mapping[str, Spans],
    measure: UnitizingAlpha | Gamma | None,
    keys: Sequence[str],
    labels: int,
    resampling: Resampling | None,
) -> tuple[list[dict[str, float]], dict[str, np.ndarray], Counts | None]:
    """Return the values of alpha or gamma over all annotators, of each label and (last) overall; intervals; the counts.

    Without the measure they are NaN.
    """
    if measure is None:
        return [dict.fromkeys(keys, math.nan)] * (labels + 1), {}, None
    counts = count_jointly(annotated, measure, per_document=resampling is not None)
    of_labels = measure.score_per_label(counts).values()
    found = [{key: values[key] for key in keys} for values in (*of_labels, measure.score(counts))]
    if resampling is None:
        return found, {}, counts
    points = {key: np.array([[values[key]] for values in found]) for key in keys}
    bounds = bounds_of(measure, [counts], points, resampling)
    return found, {key: each[..., 0] for key, each in bounds.items()}, counts


def count_jointly(annotated: Mapping[str, Spans], measure: UnitizingAlpha | Gamma, *, per_document: bool) -> Counts:
    """Count all annotators together, block by block of documents.

    Args:
        annotated: the annotators' spans, with common labels, by the names that errors use.
        measure: what is counted.
        per_document: whether counts of several blocks are kept document by document.

    Raises:
        InputError: if the measure is not defined on somebody's spans.
    """
    blocks = blocks_of(list(annotated.values()))
    stack: list[tuple[int, Counts]] = []
    for first, last in blocks:
        one, other, *more = (spans.between(first, last) for spans in annotated.values())
        alignment = Alignment(one, other)
        laid_out = (lay_out(part, alignment.labels, alignment.offsets) for part in more)
        sides = [alignment.references, alignment.predictions, *laid_out]
        for name, side in zip(annotated, sides, strict=True):
            try:
                measure.require_units(alignment, name, side)
            except InputError as error:
                remedy = "Leave gamma out."
                if isinstance(measure, UnitizingAlpha):
                    remedy = f"Set {setting('variant', None)} to leave alpha out."
                raise in_whole(replace(error, remedy=remedy), first) from None
        part = measure.count_sides(sides, alignment.labels, alignment.offsets)
        if len(blocks) > 1:
            part = part.summed() if per_document else part.condensed()
        push(stack, part, condense=not per_document)
    return together(stack, condense=not per_document)
