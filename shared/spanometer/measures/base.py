"""The base class of all measures."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from math import isnan, nan
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from ..arrays import code_type
from ..counts.counts import Column, Counts, join_columns
from ..counts.statistics import (
    AVERAGES,
    DOCUMENTS,
    DOCUMENTS_BY_LABEL,
    FEW_GROUPS,
    GROUPS,
    Estimate,
    Resampling,
    average_over_labels,
    divide,
    estimates,
    jackknife_groups,
    joined_values,
)
from ..exceptions import InputError, setting
from ..options import CheckedOptions, escaped, option, options_of
from ..version import __version__

SHARED = ("match_labels", "average", "f_beta", "combination", "f1_average", "zero_division")
"""Options that many measures have. Signatures and documentation list them after a measure's own options."""


Kind = TypeVar("Kind", bound=Counts)

Scores = Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]]
"""A function that maps the summed counts of each label to scores by key."""

_BLOCK = 1 << 19
"""The approximate number of weights of documents in memory at a time."""

_PARTS = ("sum", "documents")
"""The two counts of each score from which its mean over documents is computed."""

COUNTS_PER_LABEL = "counts_per_label"
"""The key under which `details` returns the counts of each label."""


def zero_division_option(help: str = "") -> Any:
    """Declare the option `zero_division` of a measure with its help text."""
    return option(0.0, help=help, kind=float, choices=(0.0, 1.0, nan), label="Zero division")


@dataclass(frozen=True)
class Key:
    """Describe one value of a measure's result.

    Attributes:
        title: its name in tables and on pages.
        help: its meaning, a phrase in lower case without a full stop.
        range: the range of its values.
        better: `higher`, `lower`, or empty if neither is better.
        kind: the type of its values.
        whole: whether its values are whole numbers.
        share: whether its values are proportions, which can be shown as percentages.
    """

    title: str
    help: str
    range: str = "[0, 1]"
    better: str = "higher"
    kind: type = float
    whole: bool = False
    share: bool = True

    def describe(self) -> str:
        """Describe the key, its range and which direction is better in a sentence."""
        text = f"{self.help[0].upper()}{self.help[1:]}; range {self.range}"
        return f"{text}, {self.better} is better." if self.better else f"{text}."


def error_key(title: str, help: str, better: str = "lower", **details: Any) -> Key:
    """Describe a value that has no upper limit; a lower one is better."""
    return Key(title, help, "[0, ∞)", better, **details)


class Measure(CheckedOptions, ABC):
    """A measure: `counts` compares the two sides, `score` computes a result from counts. Its fields are its options.

    Attributes:
        average: `micro`: sum counts over labels, then score. `macro`: the plain mean of the labels' scores. `weighted`:
            the mean weighted by each label's number of reference spans (`micro` if there are no reference spans).
        zero_division: the value of a ratio with denominator 0: 0.0, 1.0 or nan. Means leave out NaN.
        name: the name of the measure and of its `evaluate` module.
        place: its rank in lists of measures, lowest first.
        input: the kind of its input: `spans`, `entities`, `attributes` or `mentions`.
        results: the keys of its result with their descriptions.
        returns: a phrase that documentation prints before these descriptions.
        detail_keys: the keys that `details` adds to the result.
        keys: the keys of `results`.
        leading: whether it is computed by default.
        quick: whether "all" includes it. Slow measures are left out.
        headline: the key of the main score, which comparisons and charts show.
        ranked: further keys by which comparisons rank systems.
        higher_is_better: whether a higher main score is better.
        support: the name of the count of reference spans.
        shared: the names of counts that are kept by document only, not by label.
        unusual: options that signatures omit if they have their default.
        counts_type: the class of its counts.
    """

    average: str = option("micro", help="how to compute overall scores", choices=AVERAGES, label="Average")
    zero_division: float = zero_division_option("value of a ratio if its denominator is zero")

    name: ClassVar[str]
    place: ClassVar[int] = 1000
    input: ClassVar[str]
    results: ClassVar[Mapping[str, Key]]
    returns: ClassVar[str] = ""
    detail_keys: ClassVar[tuple[str, ...]] = ("per_label", "counts", "signature")
    keys: ClassVar[tuple[str, ...]]
    leading: ClassVar[bool] = False
    quick: ClassVar[bool] = True
    headline: ClassVar[str]
    ranked: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    support: ClassVar[str] = "reference_spans"
    shared: ClassVar[tuple[str, ...]] = ()
    unusual: ClassVar[tuple[str, ...]] = ()
    counts_type: ClassVar[type[Counts]] = Counts

    def __init_subclass__(cls, **settings: Any) -> None:
        """Set `keys` from `results`."""
        super().__init_subclass__(**settings)
        if "results" in vars(cls):
            cls.keys = tuple(cls.results)

    @property
    def weight(self) -> str:
        """The count that weights labels with `average="weighted"`."""
        return self.support

    @abstractmethod
    def counts(self, references: Any, predictions: Any) -> Counts:
        """Compute the counts of both sides. Counts of several parts of a corpus can be added, see `counts.Counts`.

        Raises:
            InputError: if the sides have different documents, or if the measure is undefined for them.
        """

    @property
    def needs(self) -> frozenset[str]:
        """The conditions on spans: `lengths` (of documents are known), `contiguous`, `disjoint` (within each label)."""
        return frozenset()

    @property
    def needs_tokens(self) -> bool:
        """Whether the measure needs the words of the documents and does not have them."""
        return False

    def require_additive(self) -> None:
        """Raise an `InputError` if counts of parts of a corpus cannot be added."""

    def require_parts(self) -> None:
        """Raise an `InputError` if parts of a corpus cannot be counted separately and then added."""
        self.require_additive()

    def totals(self, counts: Counts, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Sum the counts over documents, shape (labels).

        With the number of copies of each document in several corpora, shape (corpora, documents), the sums have the
        shape (corpora, labels), see `Counts.weighted`.
        """
        return counts.per_label() if weights is None else counts.weighted(weights)

    @abstractmethod
    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores from summed quantities of any shape, element by element."""

    def quantities(self, totals: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Convert totals by label, shape (..., labels), to quantities that can be summed over labels."""
        return totals

    def pooled(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Sum quantities over labels, shape (...).

        If there is a quantity `all_<name>`, it replaces the sum of `<name>`.
        """
        sums = {name: values.sum(axis=-1) for name, values in quantities.items()}
        wholes = {name: quantities[f"all_{name}"] for name in sums if f"all_{name}" in quantities}
        return {**sums, **{name: values[..., 0] for name, values in wholes.items() if values.shape[-1]}}

    def label_scores(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores of each label from totals, shape (..., labels), or as means over documents."""
        if self.average == DOCUMENTS_BY_LABEL:
            return self._means_over_documents(totals, "_label")
        return self.formula(self.quantities(totals))

    def headline_values(self, counts: Counts) -> dict[str, float]:
        """Compute the scores of the corpus, averaged over labels as `average` says."""
        scores = self.score_totals(self.totals(counts))
        return {key: self.results[key].kind(value) for key, value in scores.items()}

    def score(self, counts: Counts) -> dict[str, float]:
        """Compute the result from counts. By default it consists of the scores of the corpus."""
        return self.headline_values(counts)

    def joint_estimates(
        self, counted: Sequence[Counts], resampling: Resampling | None, scores: Scores | None = None
    ) -> dict[str, Estimate]:
        """Compute scores and their resampled values for several systems, using the same resampled corpora for all.

        Only counts are resampled; nothing is decoded or aligned again. See `statistics.Resampling`.

        Args:
            counted: the counts of each system on the same documents.
            resampling: how corpora are resampled; None means no resampling.
            scores: a function that computes values from totals by label. By default it computes the scores of each
                label (NaN in a resampled corpus without the label), followed by the scores of the corpus.

        Returns:
            An estimate for each key, shape (..., systems); by default (labels + 1, systems).
        """
        of_totals = scores or self.where_present(self.scores_of_all)
        # caches are freed together with the copies
        copies = [replace(counts) for counts in counted]
        return estimates(
            _stacked(of_totals(self.totals(counts)) for counts in counted),
            lambda weights: _stacked(of_totals(self.totals(counts, weights)) for counts in copies),
            lambda: _stacked(self.left_out(counts, of_totals) for counts in counted),
            counted[0].documents,
            resampling,
        )

    def scores_of_all(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores of each label, followed by the scores of the corpus, shape (..., labels + 1)."""
        whole, of_labels = self.score_totals(totals), self.label_scores(totals)
        # simulated totals, and their scores, have more dimensions than others
        return {
            key: np.append(np.broadcast_to(each, (*whole[key].shape, each.shape[-1])), whole[key][..., None], axis=-1)
            for key, each in of_labels.items()
        }

    def present(self, totals: Mapping[str, np.ndarray]) -> np.ndarray:
        """Flag the labels with a nonzero total, shape (..., labels)."""
        # simulated totals have more dimensions than the observed ones beside them
        not_of_labels = {*self.shared, DOCUMENTS, *(f"{key}_{part}" for key in self.keys for part in _PARTS)}
        flags = reduce(np.logical_or, (values != 0 for name, values in totals.items() if name not in not_of_labels))
        return np.asarray(flags)

    def where_present(self, scores: Scores) -> Scores:
        """Wrap a scoring function so that labels without any nonzero total score NaN."""

        def of_totals(totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
            values, there = scores(totals), self.present(totals)
            # the last column can be the whole corpus
            there = np.append(there, np.ones((*there.shape[:-1], 1), dtype=bool), axis=-1)
            return {key: np.where(there[..., : each.shape[-1]], each, nan) for key, each in values.items()}

        return of_totals

    def intervals(self, counts: Counts, resampling: Resampling) -> dict[str, tuple[float, float]]:
        """Compute confidence intervals of all scores that are not whole numbers.

        Returns:
            The lower and upper bound for each key; NaN if there are fewer than two documents.
        """
        values = self.joint_estimates([counts], resampling, self.score_totals)
        return self.intervals_of({key: each[0] for key, each in values.items()}, resampling)

    def intervals_of(self, values: Mapping[str, Estimate], resampling: Resampling) -> dict[str, tuple[float, float]]:
        """Compute confidence intervals, as `intervals` does, from existing estimates."""
        return {key: values[key].interval(resampling.confidence) for key in self.keys if not self.results[key].whole}

    def label_intervals(
        self, counts: Counts, resampling: Resampling, whole: str | None = None
    ) -> dict[str, dict[str, tuple[float, float]]]:
        """Compute confidence intervals for each label, and for all labels together under the name `whole`, if given.

        Resampled corpora without the label are left out.
        """
        names = counts.labels if whole is None else (*counts.labels, whole)
        values = self.joint_estimates([counts], resampling)
        return {
            name: self.intervals_of({key: each[code, 0] for key, each in values.items()}, resampling)
            for code, name in enumerate(names)
        }

    def with_intervals(self, result: Mapping[str, Any], counts: Counts, resampling: Resampling) -> dict[str, Any]:
        """Add the bounds `<key>_low` and `<key>_high` to a result."""
        return with_bounds(result, self.intervals(counts, resampling))

    def left_out(self, counts: Counts, scores: Scores) -> dict[str, np.ndarray]:
        """Compute scores with each group of documents left out in turn (jackknife), shape (groups, ...).

        Args:
            counts: the counts of all documents.
            scores: a function that computes values from totals by label, such as `score_totals`.
        """
        # counts kept row by row have no sums to subtract from
        group = jackknife_groups(counts.documents, FEW_GROUPS if counts.rows else GROUPS)
        groups = int(group.max()) + 1
        if counts.rows:
            kept = (self.totals(counts, (group != out)[None]) for out in range(groups))
            return joined_values(map(scores, kept))
        whole = counts.per_label()
        return joined_values(
            scores({name: whole[name] - sums for name, sums in totals.items()})
            for totals in counts.grouped(group, groups).per_document()
        )

    def score_per_label(self, counts: Counts) -> dict[str, dict[str, float | int]]:
        """Compute the scores of each label, and its number of reference spans as `support`."""
        totals = self.totals(counts)
        columns = {key: map(self.results[key].kind, values) for key, values in self.label_scores(totals).items()}
        rows = zip(*columns.values(), map(int, totals[self.support]), strict=True)
        keys = *columns, "support"
        return {label: dict(zip(keys, row, strict=True)) for label, row in zip(counts.labels, rows, strict=True)}

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the values that `details` adds to a result, except the signature."""
        by_label = {COUNTS_PER_LABEL: counts.by_label()} if COUNTS_PER_LABEL in self.detail_keys else {}
        return {"per_label": self.score_per_label(counts), "counts": counts.total(), **by_label}

    def notes(self, counts: Counts) -> list[str]:
        """List warnings about these scores; the list is often empty."""
        return []

    def score_per_document(self, counts: Counts) -> dict[str, np.ndarray]:
        """Compute the scores of each document, shape (documents)."""
        nothing = dict.fromkeys(self.keys, np.zeros(0))
        return joined_values([nothing, *map(self.score_totals, self.totals_per_document(counts))])

    def totals_per_document(self, counts: Counts) -> Iterator[dict[str, np.ndarray]]:
        """Yield the totals of each document, some documents at a time, shape (documents, labels)."""
        if not counts.rows:
            return counts.per_document()
        # rows have no sums by document
        number = np.arange(counts.documents)
        parts = np.array_split(number[:, None], 1 + len(number) ** 2 // _BLOCK)
        return (self.totals(counts, (part == number).astype(float)) for part in parts if len(part))

    def document_scores(self, counts: Counts) -> dict[str, np.ndarray]:
        """Compute the scores of each document, with NaN for documents without spans on either side."""
        counted = counts.flagged()
        return {key: np.where(counted, values, nan) for key, values in self.score_per_document(counts).items()}

    def with_document_scores(self, counts: Kind) -> Kind:
        """Add the counts that are needed for a mean over documents, if `average` is such a mean.

        Each document gets `documents` (always 1) and, for each key, its score (`f1_sum`) and whether it is defined
        (`f1_documents`, 0 or 1). The mean over documents is then a ratio of two summed counts. `documents_by_label`
        also adds for each label and key the sum over documents (`f1_label_sum`) and the number of documents
        (`f1_label_documents`).
        """
        if not self.over_documents:
            return counts
        shared = {DOCUMENTS: np.ones(counts.documents, dtype=np.int64)}
        scored = replace(self, average="micro", zero_division=nan)
        for key, values in scored.score_per_document(counts).items():
            defined = ~np.isnan(values)
            shared[f"{key}_documents"] = defined.astype(np.int64)
            shared[f"{key}_sum"] = np.where(defined, values, 0.0)
        parts: list[dict[str, Column]] = []
        first = 0
        for totals in self.totals_per_document(counts) if self.average == DOCUMENTS_BY_LABEL else ():
            parts.append({})
            for key, values in scored.label_scores(totals).items():
                document, label = np.nonzero(~np.isnan(values))
                place = (document + first).astype(np.int32), label.astype(code_type(len(counts.labels)))
                parts[-1][f"{key}_label_sum"] = Column(*place, values[document, label])
                parts[-1][f"{key}_label_documents"] = Column(*place)
            first += len(values)
        columns = {**counts.columns, **join_columns(parts)}
        return replace(counts, columns=columns, shared={**counts.shared, **shared})

    @property
    def over_documents(self) -> bool:
        """Whether the scores of the corpus are means over documents."""
        return self.average in (DOCUMENTS, DOCUMENTS_BY_LABEL)

    def _means_over_documents(self, totals: Mapping[str, np.ndarray], part: str = "") -> dict[str, np.ndarray]:
        """Compute the mean of each score over documents, shape (..., labels): of the whole, or of each label."""
        if DOCUMENTS not in totals:
            problem = "a mean over documents needs the score of each document, but these counts have no such scores."
            raise InputError(problem, f"Compute the counts with {setting('average', DOCUMENTS)}.")
        documents, empty, means = totals[DOCUMENTS], self.zero_division, {}
        for key in self.keys:
            sums, defined = (totals[f"{key}{part}_{name}"] for name in _PARTS)
            # documents without a score count as `zero_division`; NaN leaves them out
            if not isnan(empty):
                sums, defined = sums + empty * (documents - defined), documents
            means[key] = divide(sums, defined, empty)
        return self.averaged(means)

    def score_totals(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute scores from totals of shape (..., labels); the scores have shape (...).

        Means over labels leave out labels whose totals are all 0.
        """
        if self.over_documents and (means := self._means_over_documents(totals))[self.headline].shape[-1]:
            # they are the same for each label
            return {key: values[..., 0] for key, values in means.items()}
        quantities = self.quantities(totals)
        pooled = self.formula(self.pooled(quantities))
        # without labels every document is empty
        if self.average == "micro" or self.over_documents:
            return pooled
        weights = totals[self.weight] if self.average == "weighted" else self.present(totals)
        return self.averaged(average_over_labels(self.formula(quantities), weights, pooled))

    def averaged(self, means: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores from means over labels or documents, which usually are the scores."""
        return means

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Create the measure from its `options()`."""
        return cls(**options)

    def options(self) -> dict[str, Any]:
        """Return the options that can change the scores, in the order of the signature."""
        omitted = {name for name, declared in options_of(self).items() if declared.disabled_by(self)}
        omitted |= {field.name for field in fields(self) if not field.compare}
        omitted |= {name for name in self.unusual if getattr(self, name) == options_of(self)[name].default}
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in omitted}
        shared = {name: own.pop(name) for name in SHARED if name in own}
        return {**own, **shared}

    def signature(self, reading: Mapping[str, Any], resampling: Resampling | None = None) -> str:
        """Write the signature: every option that can change the scores, in a fixed order, then the version.

        For example `link_f|scheme:IOB2|repair:conlleval|match_labels:yes|average:micro|zero_division:0|v:0.1.0`.

        Args:
            reading: how the input was read: `scheme` and `repair` for tags, `input` for spans and fragments.
            resampling: how intervals were computed; None if there are no intervals.
        """
        options, intervals = self.options(), {} if resampling is None else resampling.options()
        if "seed" in options and intervals.get("seed", options["seed"]) != options["seed"]:
            # the measure uses random numbers too, with another seed
            intervals["draws_seed"] = intervals.pop("seed")
        return signature_of(self.name, {**reading, **options, **intervals})


def signature_of(name: str, options: Mapping[str, object]) -> str:
    """Write a signature from a name and options, and add the version."""
    values = {**options, "v": __version__}
    return "|".join([name, *(f"{option}:{escaped(written(value), '|')}" for option, value in values.items())])


def written(value: object) -> str:
    """Write a value as signatures spell it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    # repr gives the shortest exact digits; adding 0 takes the sign from -0.0
    if isinstance(value, (float, np.floating)):
        return repr(float(value) + 0.0).removesuffix(".0")
    return str(value)


def with_bounds(values: Mapping[str, Any], intervals: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """Add the bounds `<key>_low` and `<key>_high` of each interval to the scores."""
    both = {key: {"low": low, "high": high} for key, (low, high) in intervals.items()}
    return {**values, **{f"{key}_{side}": bound for key, pair in both.items() for side, bound in pair.items()}}


def _stacked(parts: Iterable[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Stack the arrays of several mappings along a new last axis."""
    scores = list(parts)
    return {key: np.stack([values[key] for values in scores], axis=-1) for key in scores[0]}
