"""The tables of a spread over groundings: what each action is worth, and how often each system is first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..tables.table import Cell, Number, Table, amount, number
from .policy_scores import MeasureSpread
from .spread_tables import heads_and_keys

if TYPE_CHECKING:
    from .grounding_spread import GroundingSpread


def effect_table(
    columns: Mapping[str, MeasureSpread],
    effects: Mapping[str, Mapping[str, Mapping[str, float]]],
    about: Mapping[str, str],
    default: str,
) -> Table:
    """Return a row for each action at each place, with the score of the default policy with this action.

    Args:
        columns: the measures by name; or, of one measure, the systems.
        effects: of each column the scores, by place and action.
        about: what all columns have in common: the measure, if they are systems.
        default: the name of the default policy.
    """
    heads, keys = heads_and_keys(columns, about)
    places = {place: actions for found in effects.values() for place, actions in found.items()}
    rows: list[list[Cell] | None] = []
    for place, actions in places.items():
        rows += [None] if rows else []
        for action in actions:
            cells = [number(found[place][action]) if place in found else "" for found in effects.values()]
            rows.append([place, action, *cells])
    title = " ".join([f"{default}, but for", *(f"({name})" for name in about.values())])
    return Table(
        title, ("action", *heads), rows, left=2, kind="effects", names="place", keys=("action", *keys), about=about
    )


def rank_table(spread: GroundingSpread) -> Table:
    """Return a row for each measure and system: in what share of the policies it is first, and under which named ones.

    Systems that are equal are both first.
    """
    several = len(next(iter(spread.systems.values())).measures) > 1
    rows: list[list[Cell]] = []
    for measure in next(iter(spread.systems.values())).measures:
        places = spread.ranks(measure)
        for system, column in zip(spread.systems, places.T, strict=True):
            first = [name for name, policy in spread.grid.named.items() if column[policy] == 1]
            name = f"{system}, {measure}" if several else system
            rows.append([(name, "cyan"), Number(float((column == 1).mean()), "share"), amount(len(first))])
    heads = ("first, of all\npolicies", f"first, of the\n{len(spread.grid.named)} named")
    return Table("system", heads, rows, kind="ranks", keys=("first", "first_named"))
