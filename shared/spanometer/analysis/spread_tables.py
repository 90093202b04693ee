"""The tables of a spread: the score under each policy, and where the best and the worst policy differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ..tables.table import Cell, Table, number
from .policy_scores import MeasureSpread, PolicyGrid

ANY = "any"
"""Stands for an action if every action gives the same score."""


class _OverGrid(Protocol):
    @property
    def grid(self) -> PolicyGrid:
        """The policies."""


def choices_of(measure: MeasureSpread, spread: _OverGrid, score: float) -> dict[str, str]:
    """Return the action of a policy with this score at each place; `ANY` if all actions there have the same score.

    Of several policies with one score it is one that has a name, or else the first.
    """
    grid = spread.grid
    with_score = measure.scores == score
    named = [index for index in grid.named.values() if with_score[index]]
    policy = named[0] if named else int(np.argmax(with_score))
    choices = grid.describe(policy)
    for index, place in enumerate(grid.places):
        others = np.delete(grid.choices == grid.choices[policy], index, axis=1).all(axis=1)
        if with_score[others].all():
            choices[place.name] = ANY
    return choices


def values_of(measure: MeasureSpread, spread: _OverGrid, **own: Any) -> dict[str, Any]:
    """Return a measure's best, mean, worst and named scores for JSON, `own` values, and the best and worst policies."""
    choices = {
        f"{end}_choices": None if math.isnan(score) else choices_of(measure, spread, score)
        for end, score in (("best", measure.best), ("worst", measure.worst))
    }
    return {
        "key": measure.key,
        "best": measure.best,
        "mean": measure.mean,
        "worst": measure.worst,
        "named": measure.named,
        **own,
        **choices,
    }


def score_table(columns: Mapping[str, MeasureSpread], about: Mapping[str, str] | None = None) -> Table:
    """Return a row for each policy, the grid as a whole first.

    Args:
        columns: the measures by name; or, of one measure, the systems.
        about: what all columns have in common: the measure, if they are systems.
    """
    spreads = list(columns.values())
    rows: list[list[Cell] | None] = [
        [("best", "bold"), *(number(spread.best, "bold") for spread in spreads)],
        ["mean", *(number(spread.mean) for spread in spreads)],
        [("worst", "bold"), *(number(spread.worst, "bold") for spread in spreads)],
        None,
    ]
    rows += [[(name, "cyan"), *(number(spread.named[name]) for spread in spreads)] for name in spreads[0].named]
    if spreads[0].from_logits:
        rows.append(None)
    for name in spreads[0].from_logits:
        rows.append([(name, "cyan"), *(number(spread.from_logits[name]) for spread in spreads)])
    heads, keys = heads_and_keys(columns, about)
    title = " ".join(["policy", *(f"({name} {spreads[0].key})" for name in (about or {}).values())])
    return Table(title, heads, rows, kind="scores", names="policy", keys=keys, about=about or {})


def heads_and_keys(
    columns: Mapping[str, MeasureSpread], about: Mapping[str, str] | None
) -> tuple[list[str], list[str]]:
    """Return what columns are called in tables and in exports; measures with their key, systems without."""
    if about:
        return list(columns), list(columns)
    named = columns.items()
    return [f"{name}\n{spread.key}" for name, spread in named], [f"{name}_{spread.key}" for name, spread in named]


def choice_table(title: str, measure: MeasureSpread, spread: _OverGrid, about: Mapping[str, str]) -> Table:
    """Return the actions of the best and the worst policy of a measure at each place."""
    choices = [choices_of(measure, spread, score) for score in (measure.best, measure.worst)]
    rows: list[list[Cell]] = []
    for place in spread.grid.places:
        actions = [of_policy[place.name] for of_policy in choices]
        rows.append([place.text, *((action, "dim" if action == ANY else "") for action in actions)])
    return Table(f"{title}: where", ("best", "worst"), rows, left=3, kind="choices", names="where", about=about)
