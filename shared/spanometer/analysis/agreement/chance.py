"""Chance distributions of a team's agreement: the spans of all annotators are placed at random, many times."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...alignment.overlaps import Alignment, SideSpans
from ...arrays import offsets_of
from ...counts.counts import Counts
from ...counts.statistics import joined_values, require_bounded
from ...measures.chance_kappa_f1 import MOST_TOKENS_DRAWN, ChanceKappaF1, shared_of_spans
from ...measures.placement import Cases, sample
from ...measures.unitizing_alpha import UnitizingAlpha
from ...spans.spans import Spans
from .annotators import matrices_of, mean_over_pairs

QUANTILES = (0.025, 0.5, 0.975)
"""The quantiles of simulated values in tables and dictionaries."""

_DRAWN_AT_ONCE = 1 << 18
"""The approximate number of spans, or of values of documents and labels, that are simulated at a time."""

_MOST_KEPT = 1 << 27
"""The maximum number of simulated values that are stored; they take 1 GiB."""

_SAME = 1e-12
"""Values that differ by less than this are equal: simulated and observed values may differ in the last bits."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """An observed value, and the same value of random annotations.

    Attributes:
        observed: the value, shape (), or the values of pairs, shape (annotators, annotators).
        drawn: the values of each simulation, shape (simulations, ...); NaN where there is no value.
    """

    observed: np.ndarray
    drawn: np.ndarray

    def __getitem__(self, place: int) -> "Simulated":
        """Select the values of a label, or of all labels."""
        return Simulated(self.observed[place], self.drawn[:, place])

    @property
    def p_value(self) -> np.ndarray:
        """The one-sided p-value: (1 + simulations that reach the observed value) / (1 + simulations)."""
        reached = (self.drawn >= self.observed - _SAME).sum(axis=0)
        defined = ~np.isnan(self.drawn).any(axis=0)
        return np.where(defined, (1 + reached) / (1 + len(self.drawn)), math.nan)

    @property
    def mean(self) -> np.ndarray:
        """The mean of the simulations."""
        return np.asarray(self.drawn.mean(axis=0))

    @property
    def std(self) -> np.ndarray:
        """The standard deviation of the simulations."""
        return np.asarray(self.drawn.std(axis=0))

    def to_dict(self) -> dict[str, Any]:
        """Compute mean, standard deviation, quantiles and p-value."""
        quantiles = {f"{level:g}": np.quantile(self.drawn, level, axis=0) for level in QUANTILES}
        return {"mean": self.mean, "std": self.std, "quantiles": quantiles, "p_value": self.p_value}


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
        reached += (means >= mean_over_pairs(observed) - _SAME).sum(axis=0)
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
