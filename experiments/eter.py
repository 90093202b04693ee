"""The worked examples and Table 3 of 'ETER: a new metric for the evaluation of hierarchical named entity recognition'.

The outputs behind its Tables 2 to 4 are not public. Of Table 3 the counts are: its error rates must follow from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanometer.measures.eter import Eter
from spanometer.spans.entities import Entities

from .inputs import Inputs
from .published import counts_of, decimals, published_rows
from .tables import Cell, Experiment

SOURCE = "Ben Jannet et al., ETER"

SLOTS = {"types": 5954, "components": 8627}
"""The reference's slots in Table 3."""

_KEYS = {"types": "ser_types", "components": "ser_components", "both": "ser"}
_RATES = ("ser", "eter")


def _entity(start: int, end: int, type_: str, *components: tuple[int, int, str]) -> dict[str, Any]:
    parts = [{"start": first, "end": last, "label": label} for first, last, label in components]
    return {"start": start, "end": end, "types": [type_], "components": parts}


_FIGURE_5 = [_entity(0, 1, "loc", (0, 1, "kind")), _entity(1, 3, "func", (1, 2, "qualifier"), (2, 3, "kind"))]

EXAMPLES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "Figure 5, A": (_FIGURE_5, _FIGURE_5[:1]),
    "Figure 5, B": (_FIGURE_5, _FIGURE_5[1:]),
    # ambassadeur de la Turquie en France
    "Figures 3 and 4": (
        [
            _entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "loc.adm.nat"), (5, 6, "loc.adm.nat")),
            _entity(3, 4, "loc.adm.nat", (3, 4, "name")),
            _entity(5, 6, "loc.adm.nat", (5, 6, "name")),
        ],
        [_entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "name"), (5, 6, "name"))],
    ),
}
"""Reference and output of the worked examples."""


def _examples(inputs: Inputs) -> Iterator[Cell | str]:
    """Compute SER and ETER of the worked examples."""
    measure = Eter()
    scores = {
        name: measure.score(measure.counts(*(Entities.from_dicts([side]) for side in sides)))
        for name, sides in EXAMPLES.items()
    }
    for row in published_rows("eter_examples"):
        quantity, printed = row["quantity"], row["printed"]
        ours = scores[row["example"]][quantity]
        column = quantity.replace("_", " ")
        if quantity in _RATES:
            ours, column = 100 * ours, f"{quantity.upper()} in %"
        yield Cell(row["example"], column, float(printed), ours, digits=decimals(printed))


def _table3(inputs: Inputs) -> Iterator[Cell | str]:
    """Compute slot error rates of three systems from their printed counts."""
    rows = {(row["system"], row["slots"]): row for row in published_rows("eter_slots")}
    for (system, slots), row in rows.items():
        printed = row["ser"].rstrip("!")
        ours = 100 * _scores(rows, system)[_KEYS[slots]]
        yield Cell(f"{system}, {slots}", "SER in %", float(printed), ours, digits=decimals(printed))
    yield "Computed from the printed numbers of deleted, inserted and substituted slots; the outputs are not public."


def _scores(rows: Mapping[tuple[str, str], Mapping[str, str]], system: str) -> dict[str, float]:
    """Score the printed counts of types and components."""
    columns: dict[str, float] = dict.fromkeys(
        ("references", "insertions", "deletions", "root_error", "component_error"), 0
    )
    for part, slots in SLOTS.items():
        row = rows[system, part]
        deleted, inserted, substituted = (int(row[name]) for name in ("deleted", "inserted", "substituted"))
        values = {
            "references": slots,
            "correct": slots - deleted - substituted,
            "insertions": inserted,
            "deletions": deleted,
            "substitutions": substituted,
            # each substitution has one thing wrong
            "cost": 0.5 * substituted,
        }
        columns.update({f"slot_{part}_{name}": value for name, value in values.items()})
    return Eter().score(counts_of(columns))


TABLES = {
    "eter_examples": (Experiment("eter_examples", "Figures 3 to 5: worked examples", SOURCE, _examples),),
    "eter_table3": (Experiment("eter_table3", "Table 3: slot error rates from counts", SOURCE, _table3),),
}
