"""The tables of a comparison of systems, and the lines that explain them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import counted
from ..tables.table import Cell, Number, Table, amount, head, with_best, with_best_in_row
from .report_tables import higher_is_better, kind_of
from .significance import LEVELS

if TYPE_CHECKING:
    from .comparison import Comparison, MeasureComparison
    from .rank_correlation import RankCorrelation

_SHOWN = {"eter": ("eter", "ser", "ser_types", "ser_components")}
"""The values in tables of measures that have too many for their intervals; JSON has all."""


def system_table(name: str, result: MeasureComparison) -> Table:
    """Return a row for each system: values with their intervals, the rank, and in how many corpora it has it."""
    measure = result.measure
    keys = (result.key,) if result.key != measure.headline else _SHOWN.get(measure.name, measure.keys)
    rows: list[list[Cell]] = []
    for system, values in result.systems.items():
        cells = [Number(values.scores[key], kind_of(measure, key), "", values.intervals.get(key)) for key in keys]
        stability = Number(values.rank_shares[values.rank - 1], "share")
        rows.append([(system, "cyan"), *cells, Number(values.rank, "amount"), stability])
    return Table(
        name,
        [*map(head, keys), "rank", "stability"],
        with_best(rows, [higher_is_better(measure, key) for key in keys]),
        kind="systems",
        names="system",
        keys=[*keys, "rank", "stability"],
        about={"measure": name},
    )


def pair_table(name: str, result: MeasureComparison) -> Table:
    """Return a row for each pair: the difference with its interval, and the p-values."""
    return Table(
        result.title(name),
        _PAIR_HEADS,
        _pair_rows(result),
        kind="pairs",
        names="pair",
        keys=_PAIR_KEYS,
        about={"measure": name},
    )


def label_table(name: str, result: MeasureComparison) -> Table:
    """Return a row for each label: the value of each system with its interval."""
    kind, key, better = kind_of(result.measure, result.key), result.key, result.higher_is_better
    rows: list[list[Cell]] = []
    for label, found in result.per_label.items():
        cells = [Number(values.scores[key], kind, "", values.intervals.get(key)) for values in found.systems.values()]
        rows.append([label, *with_best_in_row(cells, higher=better)])
    names = list(result.systems)
    return Table(
        f"{result.title(name)}: label", names, rows, kind="labels", names="label", keys=names, about={"measure": name}
    )


def label_pair_table(name: str, result: MeasureComparison) -> Table:
    """Return a row for each label and pair: the difference with its interval, and the p-values."""
    rows: list[list[Cell]] = [[label, *row] for label, found in result.per_label.items() for row in _pair_rows(found)]
    return Table(
        f"{result.title(name)}: label",
        ("pair", *_PAIR_HEADS),
        rows,
        left=2,
        kind="label_pairs",
        names="label",
        keys=("pair", *_PAIR_KEYS),
        about={"measure": name},
    )


_PAIR_HEADS = ("difference", "randomisation\np", "corrected", "", "bootstrap\np", "corrected")
_PAIR_KEYS = ("difference", "p_randomisation", "p_randomisation_holm", "", "p_bootstrap", "p_bootstrap_holm")


def _pair_rows(result: MeasureComparison) -> list[list[Cell]]:
    kind = kind_of(result.measure, result.key)
    return [
        [
            (" - ".join(pair.systems), "cyan"),
            Number(pair.difference, kind, "", pair.interval, signed=True),
            Number(pair.p_randomisation, "p"),
            Number(pair.p_randomisation_holm, "p"),
            f"{pair.mark:<3}",
            Number(pair.p_bootstrap, "p"),
            Number(pair.p_bootstrap_holm, "p"),
        ]
        for pair in result.pairs
    ]


def correlation_table(found: Sequence[RankCorrelation]) -> Table:
    """Return a row for each two measures: tau with its interval, and how many systems they rank this way and that."""
    rows: list[list[Cell]] = [
        [
            (" - ".join(pair.measures), "cyan"),
            Number(pair.tau, "plain", "", pair.interval),
            Number(pair.same, "share"),
            amount(len(pair.swapped)),
        ]
        for pair in found
    ]
    heads = ("Kendall's tau", "same ranking", "pairs swapped")
    keys = ("tau", "same", "swapped")
    return Table("rank correlation", heads, rows, kind="correlations", names="measures", keys=keys)


def legend(found: Comparison) -> list[str]:
    """Return the meaning of the columns and the marks."""
    confidence = f"{100 * found.resampling.confidence:g}"
    marks = ", ".join(f"{mark} p < {f'{level:g}'.lstrip('0')}" for mark, level in LEVELS.items())
    directions = dict.fromkeys(
        f"{result.key}, {'higher' if result.higher_is_better else 'lower'} is better"
        for result in found.measures.values()
    )
    correlations = (
        "Kendall's tau-b of the rankings by two measures: 1 for equal ones, -1 for opposite ones. Its interval is over "
        "documents, for these systems. same ranking: the share of resampled corpora in which both rank all alike; "
        "pairs swapped: of systems, those that one ranks this way and the other that way (--json names them)."
    )
    bounds = [
        low
        for result in found.measures.values()
        for system in result.systems.values()
        for low, _ in system.intervals.values()
    ]
    without = "a value that is not a number has no interval"
    if found.documents < 2:
        without = f"intervals need two documents or more, and there is {counted(found.documents, 'document')}"
    return [
        *([f"[nan, nan]: {without}."] if any(map(math.isnan, bounds)) else []),
        f"[ , ]: {confidence} % confidence intervals. Ranks are by {'; '.join(directions)}.",
        "stability: the share of resampled corpora in which the system has this rank.",
        f"{marks}: p of paired approximate randomisation, corrected over a measure's pairs (Holm).",
        *([correlations] if found.rank_correlations else []),
    ]
