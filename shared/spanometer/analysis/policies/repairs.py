"""Scores of one output under many policies, and of tags under every policy for repairing illegal tags."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from ...arrays import code_type, ordered, plain, ranges
from ...counts.counts import Counts
from ...counts.statistics import joined_values
from ...documents.arguments import LabelArguments, require_arguments, shares
from ...exceptions import InputError, counted, mention, on_side, require_kind, setting, without_option
from ...measures.aligned import AlignedMeasure
from ...measures.registry import MEASURES, read_measures
from ...options import made
from ...spans.arrow import require_same_lengths
from ...spans.spans import Spans, as_tags, common_scheme
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, heading
from ...tags.decoding import BARE_LABEL, illegal_pairs, read_roles
from ...tags.policy_grid import GridReadings, PolicyGrid, RepairGrid, read_all
from ...tags.schemes import LabelChoice, Scheme
from ...tags.tags import Tags, check_names, read_id2label, split_tag
from ...tags.viterbi import Legality, Scores, best_paths, greedy_paths

_POLICIES_AT_ONCE = 1 << 22
"""The approximate number of (policy, document) pairs that are summed at a time."""


@dataclass(frozen=True, eq=False)
class MeasureSpread:
    """One measure's scores under every policy.

    Attributes:
        grid: the policies.
        key: the key of the main score.
        scores: the main score under each policy, shape (policies), in the order of the grid.
        beside_grid: the scores of named policies that are not in the grid: for repairs, of `convert`.
        from_logits: the scores of decoded logits, if logits are given: `viterbi` (the best legal path), `greedy` (left
            to right), `greedy_from_starts` (greedy, but a span begins only where a token's best tag begins one,
            Strubell et al. 2017) and `by_score` (spans by prefixes alone, each with the label of the highest total
            probability, as in Flair).
    """

    grid: PolicyGrid
    key: str
    scores: np.ndarray
    beside_grid: Mapping[str, float] = field(default_factory=dict)
    from_logits: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def named(self) -> dict[str, float]:
        """The scores of named policies."""
        return {name: float(self.scores[index]) for name, index in self.grid.named.items()} | dict(self.beside_grid)

    @property
    def best(self) -> float:
        """The highest score of any policy."""
        return self._of_scores(np.nanmax)

    @property
    def worst(self) -> float:
        """The lowest score of any policy."""
        return self._of_scores(np.nanmin)

    @property
    def mean(self) -> float:
        """The plain mean over all policies."""
        return self._of_scores(np.nanmean)

    def _of_scores(self, function: Callable[[np.ndarray], float]) -> float:
        """Apply a function that ignores NaN; return NaN if all scores are NaN."""
        return math.nan if np.isnan(self.scores).all() else float(function(self.scores))

    def to_dict(self, **own: Any) -> dict[str, Any]:
        """Convert the scores and `own` values to built-in types."""
        values = {end: getattr(self, end) for end in ("best", "mean", "worst")}
        return dict(plain({"key": self.key, **values, "named": self.named, **own}))


def require_additive(measures: Iterable[Any]) -> None:
    """Raise an `InputError` unless all are measures of spans whose counts can be added."""
    for measure in measures:
        require_kind(measure, AlignedMeasure, "a measure of spans", "Give measures such as SpanF().")
        measure.require_parts()
        if measure.shared:
            problem = f"{measure.name} cannot be computed for parts of a corpus."
            raise InputError(problem, f"Remove {measure.name} from {mention('measures')}.")


def totals_of_policies(parts: Counts, of_policy: np.ndarray) -> dict[str, np.ndarray]:
    """Sum counts over the documents for each policy.

    Args:
        parts: the counts of all different results, with a document for each result.
        of_policy: the index of the result for each policy and document, shape (policies, documents).

    Returns:
        The sums by name, shape (policies, labels).
    """
    return {name: _summed(values, of_policy) for name, values in joined_values(parts.per_document()).items()}


def _summed(parts: np.ndarray, of_policy: np.ndarray) -> np.ndarray:
    policies, documents = of_policy.shape
    totals = np.zeros((policies, parts.shape[1]), dtype=parts.dtype)
    step = max(1, _POLICIES_AT_ONCE // max(policies * parts.shape[1], 1))
    for first in range(0, documents, step):
        totals += parts[of_policy[:, first : first + step]].sum(axis=1)
    return totals


def score_table(columns: Mapping[str, MeasureSpread], about: Mapping[str, str] | None = None) -> Table:
    """Return a table with the best, mean and worst score over all policies, and a row for each named policy.

    Args:
        columns: the measures by name, or the systems by name for one measure.
        about: the measure, if the columns are systems; otherwise empty.
    """
    spreads = list(columns.values())
    bold = TableColumn("", style="bold")
    rows: list[Sequence[Any] | None] = [
        (("best", "bold"), *(bold.cell(spread.best) for spread in spreads)),
        ("mean", *(spread.mean for spread in spreads)),
        (("worst", "bold"), *(bold.cell(spread.worst) for spread in spreads)),
        None,
        *(((name, "cyan"), *(spread.named[name] for spread in spreads)) for name in spreads[0].named),
    ]
    if spreads[0].from_logits:
        rows.append(None)
    for name in spreads[0].from_logits:
        rows.append(((name, "cyan"), *(spread.from_logits[name] for spread in spreads)))
    title = " ".join(["policy", *(f"({name} {spreads[0].key})" for name in (about or {}).values())])
    return Table.of(title, spread_columns(columns, about), rows, kind="scores", names="policy", about=about or {})


def spread_columns(spreads: Mapping[str, MeasureSpread], about: Mapping[str, str] | None) -> list[TableColumn]:
    """Return a column for each measure and its key, or for each system."""
    if about:
        return [TableColumn(name, name) for name in spreads]
    return [TableColumn(f"{name}_{spread.key}", f"{name}\n{spread.key}") for name, spread in spreads.items()]


class PolicySpread(Result, kw_only=False):
    """The scores of tags under every repair policy.

    Its table is `scores`, a row for each named policy.

    Attributes:
        scheme: the name of the tag scheme.
        grid: the policies.
        illegal: the number of illegal pairs in the predictions.
        affected: the documents with illegal pairs, int64.
        measures: each measure's scores, by name.
    """

    scheme: str
    grid: RepairGrid
    illegal: int
    affected: np.ndarray
    measures: Mapping[str, MeasureSpread]

    def parts(self) -> Iterator[Part]:
        """Yield the numbers of illegal pairs and policies, and the scores."""
        illegal = f"{counted(self.illegal, 'pair')} in {counted(len(self.affected), 'document')}"
        yield from heading([("illegal", illegal), ("policies", f"{len(self.grid):,} ({self.scheme})")])
        yield ""
        yield from self.lines()

    def lines(self) -> Iterator[Part]:
        """Yield the same parts without the numbers of pairs and policies."""
        yield score_table(self.measures)
        yield ""
        yield from heading((policy, "; ".join(rules)) for policy, rules in self.grid.published.items())
        if self.illegal == 0:
            yield from ("", "No tag is illegal, so all policies give the same spans.")

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "scheme": self.scheme,
            "policies": len(self.grid),
            "published": {policy: list(rules) for policy, rules in self.grid.published.items()},
            "illegal_pairs": self.illegal,
            "affected_documents": len(self.affected),
            "measures": {
                name: measure.to_dict(from_logits=measure.from_logits) for name, measure in self.measures.items()
            },
        }


@without_option("prefix", "id2label")
@shares(LabelArguments)
def policy_spread(
    references: Any,
    predictions: Any = None,
    *,
    logits: Any = None,
    id2label: Any = None,
    scheme: str | None = None,
    measures: Any = ("span_f",),
    **arguments: Unpack[LabelArguments],
) -> PolicySpread:
    """Score predictions under every repair policy of the scheme's grid (see `policy_grid`).

    Only documents with illegal pairs are decoded again, once for each different result; the counts of all other
    documents are added. The references are repaired as in conlleval.

    Args:
        references, predictions: lists of lists of tags (or `Tags`, or Arrow columns). Without predictions, the label
            with the highest logit at each token is used.
        logits: the logits of the labels at each token: an array of shape (tokens, labels) for each document.
        id2label: the tag of each index on the last axis of the logits.
        scheme: IOBES, BILOU, BMES or IOB2; None infers it from the prefixes.
        measures: the measures to score with, see `score`; their main scores are compared.
        **arguments: which labels are scored, and how they are renamed: `label_map`, `reference_label_map`, `labels`,
            `ignore_labels`, `label_case` and `reference_labels`, see `arguments.LabelArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if input cannot be read, if the scheme has no grid, if logits do not fit the tags, or if counts of
            parts cannot be added for a measure (`SlIcm` with corpus probabilities, `UnitizingAlpha`).
    """
    require_arguments(policy_spread, arguments)
    choice = made(LabelChoice, arguments)
    read = _Logits.read(logits, id2label, scheme)
    if predictions is None:
        if read is None:
            raise InputError("there are no predictions.", "Give predictions, or logits and id2label.")
        predictions = read.tags(read.scores.token.argmax(axis=1), read.legality.labels)
    chosen = read_measures(measures, MEASURES)
    sides = {
        side: on_side(side, as_tags, tags) for side, tags in (("references", references), ("predictions", predictions))
    }
    tags = sides["predictions"]
    require_same_lengths(sides["references"].lengths, tags.lengths)
    common = common_scheme(scheme, sides)
    for side, column in sides.items():
        on_side(side, check_names, column, common)
    grid = RepairGrid.of(common)
    require_additive(chosen.values())
    pairs = illegal_pairs(tags, common)
    affected = np.unique(np.searchsorted(tags.offsets, pairs[:, 0], side="right") - 1)
    rest = np.setdiff1d(np.arange(len(tags.lengths)), affected)
    reference = Spans.from_tags(sides["references"], scheme=common.name)
    # any policy will do here, because all read legal documents alike
    legal = Spans.from_tags(tags, scheme=common.name).take(rest)
    readings, reread = _read_affected(grid, tags, common, affected)
    converted = Spans.from_tags(tags, scheme=common.name, repair="convert")
    decoded = {} if read is None else read.decode(common, tags.lengths)
    sides_read = choice.of(reference, legal, reread, converted, *decoded.values())
    reference, legal, reread, converted = sides_read[:4]
    decoded = dict(zip(decoded, sides_read[4:], strict=True))
    # counts of parts can be added only if they have the same list of labels
    names = tuple(sorted({*reference.labels, *reread.labels}))
    reference, legal, reread = (side.with_labels(names) for side in (reference, legal, reread))
    spreads = {}
    for name, measure in chosen.items():
        fixed = measure.counts(reference.take(rest), legal).per_label()
        parts = measure.counts(reference.take(affected).take(readings.document), reread)
        summed = totals_of_policies(parts, readings.of_policy)
        totals = {name: sums + summed[name] for name, sums in fixed.items()}
        values = measure.score_totals(totals)[measure.headline]
        alone = {
            way: measure.score(measure.counts(reference, spans))[measure.headline]
            for way, spans in {"convert": converted, **decoded}.items()
        }
        spreads[name] = MeasureSpread(grid, measure.headline, values, {"convert": alone.pop("convert")}, alone)
    return PolicySpread(common.name, grid, len(pairs), affected, spreads)


def _read_affected(grid: RepairGrid, tags: Tags, scheme: Scheme, affected: np.ndarray) -> tuple[GridReadings, Spans]:
    """Decode the affected documents in every way.

    Returns all readings, and their spans with a document for each reading.
    """
    roles, labels, names = read_roles(tags, scheme)
    lengths = tags.lengths[affected]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    token = ranges(tags.offsets[affected], lengths)
    readings = read_all(grid, roles[token], labels[token], offsets)
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


@dataclass(frozen=True, eq=False)
class _Logits:
    """Logits and their tags."""

    scores: Scores
    legality: Legality

    @classmethod
    def read(cls, logits: Any, id2label: Any, scheme: str | None) -> _Logits | None:
        """Check logits and their tags; None if there are no logits."""
        if logits is None:
            if id2label is not None:
                raise InputError("id2label applies only to logits.", "Give logits too, or leave out id2label.")
            return None
        if id2label is None:
            raise InputError(
                "id2label is missing.", "Pass id2label=..., a list with the tag of each column of the logits."
            )
        legality = Legality.of(read_id2label(id2label), scheme)
        arrays = ordered(logits, "a list of logits", "Give an array of shape (tokens, labels) for each document.")
        return cls(Scores.read(arrays, len(legality.labels)), legality)

    def tags(self, path: np.ndarray, names: Sequence[str]) -> Tags:
        """Convert label indices to tags; several labels can have the same name."""
        used, codes = np.unique(np.array(names, dtype=object)[path], return_inverse=True)
        return Tags(codes.ravel().astype(code_type(len(used))), tuple(used.tolist()), self.scores.offsets)

    def decode(self, scheme: Scheme, lengths: np.ndarray) -> dict[str, Spans]:
        """Decode the logits with each algorithm."""
        scores, legality = self.scores, self.legality
        if legality.scheme.name != scheme.name:
            raise InputError(
                f"the labels of the logits have the scheme {legality.scheme.name}, but the tags have {scheme.name}.",
                f"Name the scheme with {setting('scheme')}",
            )
        require_same_lengths(lengths, np.diff(scores.offsets))
        paths = {
            "viterbi": best_paths(scores, legality, None),
            "greedy": greedy_paths(scores, legality),
            "greedy_from_starts": greedy_paths(scores, legality, from_starts=True),
        }
        decoded = {
            way: Spans.from_tags(self.tags(path, legality.labels), scheme=scheme.name) for way, path in paths.items()
        }
        return {**decoded, "by_score": self._by_score(scheme)}

    def _by_score(self, scheme: Scheme) -> Spans:
        """Decode spans by prefixes alone as conlleval does; each gets the label with the highest total probability."""
        token, best = self.scores.token, self.scores.token.argmax(axis=1)
        prefixes, bare = zip(*(split_tag(name) for name in self.legality.labels), strict=True)
        spans = Spans.from_tags(self.tags(best, prefixes), scheme=scheme.name)
        if len(spans) == 0:
            return spans
        labels = [None if prefix == "O" else label or BARE_LABEL for prefix, label in zip(prefixes, bare, strict=True)]
        names = sorted({label for label in labels if label is not None})
        code = np.array([0 if label is None else names.index(label) for label in labels])
        probability = 1.0 / np.exp(token - token.max(axis=1, keepdims=True)).sum(axis=1)
        size = spans.end - spans.start
        inside = ranges(self.scores.offsets[spans.document] + spans.start, size)
        place = np.repeat(np.arange(len(spans)), size) * len(names) + code[best[inside]]
        sums = np.bincount(place, weights=probability[inside], minlength=len(spans) * len(names))
        best_label = sums.reshape(-1, len(names)).argmax(axis=1).astype(np.int32)
        return replace(spans, label=best_label, labels=tuple(names))
