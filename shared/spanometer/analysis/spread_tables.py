"""The tables of a spread: the score under each policy, and where the best and the worst policy differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..tables.table import Cell, Table, number

if TYPE_CHECKING:
    from .spread import MeasureSpread, PolicySpread

ANY = "any"
"""Stands for an action if every action gives the same score."""


def choices_of(measure: MeasureSpread, spread: PolicySpread, score: float) -> dict[str, str]:
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


def score_table(spread: PolicySpread) -> Table:
    """Return a row for each policy, the grid as a whole first."""
    measures = list(spread.measures.values())
    rows: list[list[Cell] | None] = [
        [("best", "bold"), *(number(measure.best, "bold") for measure in measures)],
        ["mean", *(number(measure.mean) for measure in measures)],
        [("worst", "bold"), *(number(measure.worst, "bold") for measure in measures)],
        None,
    ]
    rows += [[(name, "cyan"), *(number(measure.named[name]) for measure in measures)] for name in measures[0].named]
    if measures[0].from_logits:
        rows.append(None)
    for name in measures[0].from_logits:
        rows.append([(name, "cyan"), *(number(measure.from_logits[name]) for measure in measures)])
    heads = [f"{name}\n{measure.key}" for name, measure in spread.measures.items()]
    keys = [f"{name}_{measure.key}" for name, measure in spread.measures.items()]
    return Table("policy", heads, rows, kind="scores", keys=keys)


def choice_tables(spread: PolicySpread) -> list[Table]:
    """Return for each measure the actions of the best and the worst policy at each place."""
    return [
        _choice_table(name, measure, spread)
        for name, measure in spread.measures.items()
        if spread.illegal and not math.isnan(measure.best)
    ]


def _choice_table(name: str, measure: MeasureSpread, spread: PolicySpread) -> Table:
    choices = [choices_of(measure, spread, score) for score in (measure.best, measure.worst)]
    rows: list[list[Cell]] = []
    for place in spread.grid.places:
        actions = [of_policy[place.name] for of_policy in choices]
        rows.append([place.text, *((action, "dim" if action == ANY else "") for action in actions)])
    title = f"{name} {measure.key}: where"
    about = {"measure": name}
    return Table(title, ("best", "worst"), rows, left=3, kind="choices", names="where", about=about)
