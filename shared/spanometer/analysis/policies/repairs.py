"""Scores of one output under many policies, and of tags under every policy for repairing illegal tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from ...arrays import code_type, offsets_of, ordered, plain, ranges
from ...counts.counts import Counts
from ...counts.statistics import divide, joined_values
from ...documents.arguments import LabelArguments, require_arguments, shares
from ...exceptions import InputError, counted, mention, on_side, require_kind, setting, without_option
from ...measures.aligned import AlignedMeasure, counter
from ...measures.registry import MEASURES, read_measures
from ...options import made
from ...spans.annotations import end_to_end, with_common_labels
from ...spans.arrow import require_same_lengths
from ...spans.spans import Spans, as_tags, common_scheme, in_order
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, heading
from ...tags.decoding import BARE_LABEL, illegal_pairs, read_roles
from ...tags.repairs import PolicyGrid, RepairGrid, read_all
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
        """The highest score of any policy; NaN if all are undefined."""
        return float(np.fmax.reduce(self.scores))

    @property
    def worst(self) -> float:
        """The lowest score of any policy."""
        return float(np.fmin.reduce(self.scores))

    @property
    def mean(self) -> float:
        """The plain mean over all policies."""
        return float(divide(np.nansum(self.scores), (~np.isnan(self.scores)).sum(), np.nan))

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
            problem = f"`{measure.name}` cannot be computed for parts of a corpus."
            raise InputError(problem, f"Remove {measure.name} from {mention('measures')}.")


def spreads_of(
    grid: PolicyGrid, measures: Mapping[str, AlignedMeasure], parts: Iterable[tuple[Spans, Spans, np.ndarray | None]]
) -> dict[str, MeasureSpread]:
    """Score a corpus under every policy, by each measure.

    Args:
        grid: the policies.
        measures: the measures by name.
        parts: parts of the corpus, with the same labels: the reference and the predictions, with a document for each
            different result; and the index of the result for each policy and document, shape (policies, documents).
            None if all policies have the same results.
    """
    totals: dict[str, dict[str, np.ndarray]] = {name: {} for name in measures}
    for references, predictions, of_policy in parts:
        count = counter(references, predictions)
        for name, measure in measures.items():
            sums = _totals(count(measure), of_policy)
            totals[name] = {key: values + totals[name].get(key, 0) for key, values in sums.items()}
    scores = {name: measure.score_totals(totals[name])[measure.headline] for name, measure in measures.items()}
    return {name: MeasureSpread(grid, measure.headline, scores[name]) for name, measure in measures.items()}


def _totals(counts: Counts, of_policy: np.ndarray | None) -> dict[str, np.ndarray]:
    """Sum counts of all different results over the documents, for each policy; shape (policies, labels)."""
    if of_policy is None:
        return counts.per_label()
    labels = len(counts.labels)
    results = joined_values(counts.per_document())
    step = max(1, _POLICIES_AT_ONCE // max(len(of_policy) * labels, 1))
    blocks = [of_policy[:, first : first + step] for first in range(0, of_policy.shape[1], step)]
    nothing = np.zeros((len(of_policy), labels), dtype=np.int64)
    return {name: sum((values[block].sum(axis=1) for block in blocks), nothing) for name, values in results.items()}


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
    ]
    for scores in ([spread.named for spread in spreads], [spread.from_logits for spread in spreads]):
        rows += [None] if scores[0] else []
        rows += [((name, "cyan"), *(of_spread[name] for of_spread in scores)) for name in scores[0]]
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
        size = heading([("illegal", illegal), ("policies", f"{len(self.grid):,} ({self.scheme})")])
        yield from (*size, "", *self.lines())

    def lines(self) -> Iterator[Part]:
        """Yield the same parts without the numbers of pairs and policies."""
        published = heading((policy, "; ".join(rules)) for policy, rules in self.grid.published.items())
        yield from (score_table(self.measures), "", *published)
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
            "measures": {name: each.to_dict(from_logits=each.from_logits) for name, each in self.measures.items()},
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
    """Score predictions under every repair policy of the scheme's grid (see `repairs`).

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
    choice, chosen = made(LabelChoice, arguments), read_measures(measures, MEASURES)
    read = None if logits is None and id2label is None else _Logits(logits, id2label, scheme)
    if predictions is None:
        if read is None:
            raise InputError("there are no predictions.", "Give predictions, or logits and id2label.")
        predictions = read.tags(read.scores.token.argmax(axis=1), read.legality.labels)
    columns = {"references": references, "predictions": predictions}
    sides = {side: on_side(side, as_tags, column) for side, column in columns.items()}
    tags = sides["predictions"]
    require_same_lengths(sides["references"].lengths, tags.lengths)
    common = common_scheme(scheme, sides)
    for side, column in sides.items():
        on_side(side, check_names, column, common)
    grid = RepairGrid.of(common)
    require_additive(chosen.values())
    pairs = illegal_pairs(tags, common)
    affected = np.unique(np.searchsorted(tags.offsets, pairs[:, 0], side="right") - 1)
    whole = np.arange(len(tags.lengths))
    rest = np.setdiff1d(whole, affected)
    document, reread, of_policy = _read_affected(tags, common, affected)
    alone = {"convert": Spans.from_tags(tags, scheme=common.name, repair="convert")}
    alone |= {} if read is None else read.decode(common.name, tags.lengths)
    reference, spans, *others = choice.of(
        Spans.from_tags(sides["references"], scheme=common.name).take(np.append(whole, affected[document])),
        # any policy will do here, because all read legal documents alike
        end_to_end([Spans.from_tags(tags, scheme=common.name), reread]),
        *alone.values(),
    )
    alone = dict(zip(alone, others, strict=True))
    # counts of parts can be added only if they have the same list of labels
    reference, spans = with_common_labels([reference, spans])
    of_parts = (rest, None), (np.arange(len(whole), spans.documents), of_policy)
    parts = [(reference.take(rows), spans.take(rows), policies) for rows, policies in of_parts]
    reference = reference.take(whole)
    spreads = spreads_of(grid, chosen, parts)
    for name, measure in chosen.items():
        values = {way: measure.score(measure.counts(reference, side))[measure.headline] for way, side in alone.items()}
        spreads[name] = replace(spreads[name], beside_grid={"convert": values.pop("convert")}, from_logits=values)
    return PolicySpread(common.name, grid, len(pairs), affected, spreads)


def _read_affected(tags: Tags, scheme: Scheme, affected: np.ndarray) -> tuple[np.ndarray, Spans, np.ndarray]:
    """Decode the affected documents under every policy of the scheme's grid.

    Returns the document of each reading, the spans with a document for each reading, and the reading of each document
    under each policy.
    """
    roles, labels, names = read_roles(tags, scheme)
    lengths = tags.lengths[affected]
    token = ranges(tags.offsets[affected], lengths)
    bounds = offsets_of(lengths), tags.of_documents(affected).sentence_offsets
    document, columns, of_policy = read_all(RepairGrid.of(scheme), roles[token], labels[token], *bounds)
    reading, start, end, label = columns
    spans = Spans(reading, start, end, label.astype(np.int32), names, len(document), lengths[document])
    return document, in_order(spans), of_policy


class _Logits:
    """Logits and their tags; raises an `InputError` if one of them is missing or wrong."""

    def __init__(self, logits: Any, id2label: Any, scheme: str | None) -> None:
        if logits is None:
            raise InputError("id2label applies only to logits.", "Give logits too, or leave out id2label.")
        if id2label is None:
            remedy = "Pass id2label=..., a list with the tag of each column of the logits."
            raise InputError("id2label is missing.", remedy)
        self.legality = Legality.of(read_id2label(id2label), scheme)
        arrays = ordered(logits, "a list of logits", "Give an array of shape (tokens, labels) for each document.")
        self.scores = Scores(arrays, len(self.legality.labels))

    def tags(self, path: np.ndarray, names: Sequence[str]) -> Tags:
        """Convert label indices to tags; several labels can have the same name."""
        used, codes = np.unique(np.array(names, dtype=object)[path], return_inverse=True)
        return Tags(codes.ravel().astype(code_type(len(used))), tuple(used.tolist()), self.scores.offsets)

    def decode(self, scheme: str, lengths: np.ndarray) -> dict[str, Spans]:
        """Decode the logits with each algorithm."""
        scores, legality = self.scores, self.legality
        if legality.scheme.name != scheme:
            problem = f"the labels of the logits have the scheme {legality.scheme.name}, but the tags have {scheme}."
            raise InputError(problem, f"Give the scheme with {setting('scheme')}")
        require_same_lengths(lengths, np.diff(scores.offsets))
        greedy, from_starts = (greedy_paths(scores, legality, from_starts=starts) for starts in (False, True))
        paths = {"viterbi": best_paths(scores, legality, None), "greedy": greedy, "greedy_from_starts": from_starts}
        decoded = {way: Spans.from_tags(self.tags(path, legality.labels), scheme=scheme) for way, path in paths.items()}
        return {**decoded, "by_score": self._by_score(scheme)}

    def _by_score(self, scheme: str) -> Spans:
        """Decode spans by prefixes alone as conlleval does; each gets the label with the highest total probability."""
        token, best = self.scores.token, self.scores.token.argmax(axis=1)
        prefixes, bare = zip(*(split_tag(name) for name in self.legality.labels), strict=True)
        spans = Spans.from_tags(self.tags(best, prefixes), scheme=scheme)
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
