"""How far a score depends on the repair of illegal tags: every policy of the grid, scored."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import ranges
from ..counts.counts import Counts
from ..errors import InputError, on_side, setting
from ..measures.aligned import AlignedMeasure
from ..measures.sl_icm import SlIcm
from ..measures.span_f import SpanF
from ..spans.arrow import require_same_lengths
from ..spans.spans import Spans, as_tags, common_scheme
from ..tags.decoding import BARE_LABEL, illegal_pairs, read_roles
from ..tags.repair_grid import Grid, Readings, read_all
from ..tags.schemes import Scheme
from ..tags.tags import Tags, check_names, split_tag
from ..tags.viterbi import Legality, Scores, best_paths, greedy_paths

_POLICIES_AT_ONCE = 1 << 22
"""About how many (policy, document) places are summed at a time."""


@dataclass(frozen=True, eq=False)
class MeasureSpread:
    """One measure's scores under every policy.

    Attributes:
        key: which of the measure's values it is.
        scores: shape (policies), in the order of the grid.
        named: the named policies, `convert` too where the scheme has a B.
        from_logits: with logits: `viterbi` (the best legal path), `greedy` (left to right, Strubell et al. 2017) and
            `by_score` (conlleval's runs of tags, whatever their labels, each with the label of the highest summed
            probability, after Flair).
    """

    key: str
    scores: np.ndarray
    named: Mapping[str, float]
    from_logits: Mapping[str, float]

    @property
    def best(self) -> float:
        """The highest score of any policy."""
        return self._known(np.nanmax)

    @property
    def worst(self) -> float:
        """The lowest score of any policy."""
        return self._known(np.nanmin)

    @property
    def mean(self) -> float:
        """The mean over all policies, each weighing the same."""
        return self._known(np.nanmean)

    def _known(self, function: Callable[[np.ndarray], float]) -> float:
        """A function of the scores that are no NaN, which is NaN itself where there are none."""
        return math.nan if np.isnan(self.scores).all() else float(function(self.scores))


@dataclass(frozen=True, eq=False)
class PolicySpread:
    """What the repair of illegal tags is worth.

    Attributes:
        scheme: name of the tag scheme.
        grid: the policies.
        illegal: number of illegal pairs in the predictions.
        affected: the documents that have any, int64.
        measures: each measure's spread, by name.
    """

    scheme: str
    grid: Grid
    illegal: int
    affected: np.ndarray
    measures: Mapping[str, MeasureSpread]


def policy_spread(
    references: Any,
    predictions: Any = None,
    *,
    logits: Any = None,
    labels: Sequence[str] | None = None,
    scheme: str | None = None,
    measures: Sequence[AlignedMeasure] = (SpanF(),),
) -> PolicySpread:
    """Score predictions under every repair policy of the scheme's grid (see `policies`).

    Only the documents with illegal pairs are read again, each once for every way in which policies can differ over it;
    the counts of the others are added. The references are read as conlleval does.

    Args:
        references, predictions: lists of lists of tags (or `Tags`, or Arrow columns). Without predictions, the label
            with the highest logit at each token.
        logits: scores of the labels at each token: a list of arrays of shape (tokens, labels), one for each document.
        labels: the tags that the logits' last axis stands for.
        scheme: IOBES, BILOU, BMES or IOB2; inferred from the prefixes if it is None.
        measures: the measures to score with; their headline value is compared.

    Raises:
        InputError: for input that cannot be read, a scheme without a grid, logits that do not fit the tags, and for
            `SlIcm` with corpus probabilities and `UnitizingAlpha`, whose counts of parts do not add up.
    """
    scores, legality = _read_logits(logits, labels, scheme)
    if predictions is None:
        if scores is None or legality is None:
            raise InputError("there are no predictions.", "Give predictions, or logits and labels.")
        predictions = _as_lists(scores.token.argmax(axis=1), scores, legality.labels)
    sides = {
        side: on_side(side, as_tags, tags) for side, tags in (("references", references), ("predictions", predictions))
    }
    require_same_lengths(sides["references"].lengths, sides["predictions"].lengths)
    known = common_scheme(scheme, sides)
    for side, tags in sides.items():
        on_side(side, check_names, tags, known)
    grid = Grid.of(known)
    _require_additive(measures)
    tags = sides["predictions"]
    pairs = illegal_pairs(tags, known)
    affected = np.unique(np.searchsorted(tags.offsets, pairs[:, 0], side="right") - 1)
    reference = Spans.from_tags(sides["references"], scheme=known.name)
    # the named policies read legal documents alike, so that any will do for these
    plain = Spans.from_tags(tags, scheme=known.name)
    rest = np.setdiff1d(np.arange(len(tags.lengths)), affected)
    readings, read = _read_affected(grid, tags, known, affected)
    converted = Spans.from_tags(tags, scheme=known.name, repair="convert")
    decoded = {} if scores is None or legality is None else _decode_logits(scores, legality, known, tags)

    found = {}
    for name, measure in _named(measures).items():
        whole = _Totals(measure, reference.labels + read.labels)
        fixed = whole.of(reference.take(rest), plain.take(rest))
        parts = whole.per_document(reference.take(affected).take(readings.document), read)
        values = whole.score({column: fixed[column] + _summed(parts[column], readings) for column in fixed})

        def alone(spans: Spans, measure: AlignedMeasure = measure) -> float:
            return measure.score(measure.counts(reference, spans))[measure.headline]

        found[name] = MeasureSpread(
            measure.headline,
            values,
            {
                **{policy: float(values[index]) for policy, index in grid.named.items()},
                "convert": alone(converted),
            },
            {way: alone(spans) for way, spans in decoded.items()},
        )
    return PolicySpread(known.name, grid, len(pairs), affected, found)


def _named(measures: Sequence[AlignedMeasure]) -> dict[str, AlignedMeasure]:
    named = {measure.name: measure for measure in measures}
    if len(named) < len(measures):
        raise InputError("two measures have one name.", "Ask for each measure once.")
    return named


def _require_additive(measures: Sequence[AlignedMeasure]) -> None:
    for measure in measures:
        if isinstance(measure, SlIcm) and measure.tokens is not None:
            raise InputError(
                "sl_icm with tokens cannot be scored part by part.", "Leave tokens out, or give one probability."
            )
        if measure.shared:
            raise InputError(f"{measure.name} cannot be scored part by part.", "Ask for other measures.")


class _Totals:
    """A measure's counts in one set of labels, so that those of several parts can be added."""

    def __init__(self, measure: AlignedMeasure, labels: tuple[str, ...]) -> None:
        self._measure = measure
        self._number = {label: code for code, label in enumerate(sorted(set(labels)))}

    def of(self, references: Spans, predictions: Spans) -> dict[str, np.ndarray]:
        """The totals by label, shape (labels)."""
        counts = self._measure.counts(references, predictions)
        return {name: self._in_all_labels(sums, counts) for name, sums in counts.per_label().items()}

    def per_document(self, references: Spans, predictions: Spans) -> dict[str, np.ndarray]:
        """The totals by document and label, shape (documents, labels)."""
        counts = self._measure.counts(references, predictions)
        return {
            name: self._in_all_labels(column.per_document(counts.documents, len(counts.labels)), counts)
            for name, column in counts.columns.items()
        }

    def score(self, totals: Mapping[str, np.ndarray]) -> np.ndarray:
        """The last headline value of totals of shape (..., labels)."""
        return self._measure.score_totals(totals)[self._measure.headline]

    def _in_all_labels(self, sums: np.ndarray, counts: Counts) -> np.ndarray:
        spread = np.zeros((*sums.shape[:-1], len(self._number)), dtype=sums.dtype)
        spread[..., [self._number[label] for label in counts.labels]] = sums
        return spread


def _summed(parts: np.ndarray, readings: Readings) -> np.ndarray:
    """Counts of readings, shape (readings, labels), summed over the documents for each policy."""
    policies, documents = readings.of_policy.shape
    totals = np.zeros((policies, parts.shape[1]), dtype=parts.dtype)
    step = max(1, _POLICIES_AT_ONCE // max(policies * parts.shape[1], 1))
    for first in range(0, documents, step):
        totals += parts[readings.of_policy[:, first : first + step]].sum(axis=1)
    return totals


def _read_affected(grid: Grid, tags: Tags, scheme: Scheme, affected: np.ndarray) -> tuple[Readings, Spans]:
    """All readings of the affected documents, and their spans: a document for each reading."""
    roles, labels, names = read_roles(tags, scheme)
    lengths = tags.lengths[affected]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    inside = np.zeros(len(tags.codes), dtype=bool)
    if len(affected):
        token = np.repeat(tags.offsets[affected] - offsets[:-1], lengths) + np.arange(offsets[-1])
        inside[token] = True
    readings = read_all(grid, roles[inside], labels[inside], offsets)
    order = np.lexsort((readings.label, readings.end, readings.start, readings.reading))
    spans = Spans(
        readings.reading[order],
        readings.start[order],
        readings.end[order],
        readings.label[order].astype(np.int32),
        names,
        len(readings.document),
        lengths[readings.document],
    )
    return readings, spans


def _read_logits(
    logits: Any, labels: Sequence[str] | None, scheme: str | None
) -> tuple[Scores | None, Legality | None]:
    if logits is None:
        if labels is not None:
            raise InputError("there are labels and no logits.", "Give logits too, or leave out labels.")
        return None, None
    if labels is None:
        raise InputError("there are logits and no labels.", "Give labels, the tags that the logits stand for.")
    legality = Legality.of(labels, scheme)
    return Scores.read(list(logits), len(legality.labels)), legality


def _as_lists(paths: np.ndarray, scores: Scores, names: Sequence[str]) -> list[list[str]]:
    tags = np.array(names, dtype=object)[paths]
    return [path.tolist() for path in np.split(tags, scores.offsets[1:-1])] if len(scores.offsets) > 1 else []


def _decode_logits(scores: Scores, legality: Legality, scheme: Scheme, tags: Tags) -> dict[str, Spans]:
    """The spans that each way of decoding makes of logits."""
    if legality.scheme.name != scheme.name:
        raise InputError(
            f"the labels are of {legality.scheme.name}, the tags of {scheme.name}.",
            f"Name the scheme with {setting('scheme')}",
        )
    require_same_lengths(tags.lengths, np.diff(scores.offsets))
    ways = {"viterbi": best_paths(scores, legality, None), "greedy": greedy_paths(scores, legality)}
    decoded = {
        way: Spans.from_tags(_as_lists(paths, scores, legality.labels), scheme=scheme.name)
        for way, paths in ways.items()
    }
    return {**decoded, "by_score": _by_score(scores, legality)}


def _by_score(scores: Scores, legality: Legality) -> Spans:
    """Conlleval's runs of tags whatever their labels, each with the label of the highest summed probability."""
    best = scores.token.argmax(axis=1)
    prefixes, labels = zip(*(split_tag(name) for name in legality.labels), strict=True)
    spans = Spans.from_tags(_as_lists(best, scores, prefixes), scheme=legality.scheme.name)
    names = tuple(
        sorted({label or BARE_LABEL for label, prefix in zip(labels, prefixes, strict=True) if prefix != "O"})
    )
    if len(spans) == 0:
        return spans
    code = np.array(
        [
            names.index(label or BARE_LABEL) if prefix != "O" else 0
            for prefix, label in zip(prefixes, labels, strict=True)
        ]
    )
    shifted = scores.token - scores.token.max(axis=1, keepdims=True)
    probability = 1.0 / np.exp(shifted).sum(axis=1)
    size = spans.end - spans.start
    token = ranges(scores.offsets[spans.document] + spans.start, size)
    place = np.repeat(np.arange(len(spans)), size) * len(names) + code[best[token]]
    sums = np.bincount(place, weights=probability[token], minlength=len(spans) * len(names))
    return replace(spans, label=sums.reshape(-1, len(names)).argmax(axis=1).astype(np.int32), labels=names)
