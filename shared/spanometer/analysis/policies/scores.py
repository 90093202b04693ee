"""Scores of one output under many policies, for repair and for grounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import plain
from ...counts.counts import Counts
from ...exceptions import InputError, require_kind
from ...measures.aligned import AlignedMeasure
from ...measures.information import TokenProbabilities
from ...measures.sl_icm import SlIcm
from ...tables.table import Part, Table, TableColumn
from ...tags.policy_grid import PolicyGrid

_POLICIES_AT_ONCE = 1 << 22
"""The approximate number of (policy, document) pairs that are summed at a time."""

ANY = "any"
"""Shown instead of an action if all actions give the same score."""


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

    def choices(self, score: float) -> dict[str, str]:
        """Return the actions, by place, of a policy with this score; `ANY` if all actions at a place give this score.

        If several policies have the score, a named one is chosen, otherwise the first.
        """
        grid, with_score = self.grid, self.scores == score
        named = [index for index in grid.named.values() if with_score[index]]
        policy = named[0] if named else int(np.argmax(with_score))
        choices = grid.describe(policy)
        for index, place in enumerate(grid.places):
            others = np.delete(grid.choices == grid.choices[policy], index, axis=1).all(axis=1)
            if with_score[others].all():
                choices[place.name] = ANY
        return choices

    def to_dict(self, **own: Any) -> dict[str, Any]:
        """Convert the scores, `own` values, and the actions of the best and the worst policy to built-in types."""
        values: dict[str, Any] = {end: getattr(self, end) for end in ("best", "mean", "worst")}
        for end in ("best", "worst"):
            own[f"{end}_choices"] = None if math.isnan(values[end]) else self.choices(values[end])
        return dict(plain({"key": self.key, **values, "named": self.named, **own}))

    def choice_table(self, title: str, about: Mapping[str, str]) -> Iterator[Part]:
        """Yield a table with the actions of the best and the worst policy at each place, if there are scores."""
        if not math.isnan(self.best):
            choices = [self.choices(score) for score in (self.best, self.worst)]
            rows = []
            for place in self.grid.places:
                actions = (of_policy[place.name] for of_policy in choices)
                rows.append((place.text, *((action, "dim" if action == ANY else "") for action in actions)))
            columns, title = [TableColumn("best"), TableColumn("worst")], f"{title} {self.key}: where"
            yield from ("", Table.of(title, columns, rows, left=3, kind="choices", names="where", about=about))


def require_additive(measures: Iterable[Any]) -> None:
    """Raise an `InputError` unless all are measures of spans whose counts can be added."""
    for measure in measures:
        require_kind(measure, AlignedMeasure, "a measure of spans", "Give measures such as SpanF().")
        if isinstance(measure, SlIcm) and (
            measure.tokens is not None or isinstance(measure.token_probabilities, TokenProbabilities)
        ):
            raise InputError(
                "sl_icm with tokens cannot be computed for parts of a corpus.",
                "Leave out tokens, or give one probability for all tokens.",
            )
        measure.require_additive()
        if measure.shared:
            raise InputError(f"{measure.name} cannot be computed for parts of a corpus.", "Choose other measures.")


def totals_of_policies(parts: Counts, of_policy: np.ndarray) -> dict[str, np.ndarray]:
    """Sum counts over the documents for each policy.

    Args:
        parts: the counts of all different results, with a document for each result.
        of_policy: the index of the result for each policy and document, shape (policies, documents).

    Returns:
        The sums by name, shape (policies, labels).
    """
    labels = len(parts.labels)
    sums = {name: column.per_document(parts.documents, labels) for name, column in parts.columns.items()}
    sums |= {name: np.repeat(values[:, None], labels, axis=1) for name, values in parts.shared.items()}
    return {name: _summed(values, of_policy) for name, values in sums.items()}


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
