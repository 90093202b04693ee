"""The tables of a report: a row for each measure, attribute or label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..measures.base import Measure
from ..tables.table import Cell, Number, Table, amount, head

if TYPE_CHECKING:
    from .results import MeasureResult, Report

_P_VALUE = "p_value"

Bounds = Mapping[Any, tuple[float, float]]


def score_tables(report: Report) -> list[Table]:
    """Return tables with one row for each measure; measures with the same keys share a table.

    A measure whose scores are by attribute has a table of its own, with one row for each attribute.
    """
    plain = [result for result in report.results if not nested(result)]
    names = max((len(result.measure.name) for result in plain), default=0)
    heads = [part for result in plain for key in result.scores for part in head(key).split("\n")]
    numbers = max(map(len, heads), default=0)
    tables = []
    for keys, group in groupby(plain, key=lambda result: tuple(result.scores)):
        rows: list[list[Cell]] = []
        confidence = None
        for result in group:
            cells = score_cells(result.measure, result.scores, keys, result.intervals)
            rows.append([(result.measure.name, "cyan"), *cells])
            confidence = result.confidence
        table = Table("measure", list(map(head, keys)), rows, (names, numbers), 1, "scores", keys=keys)
        tables.append(with_confidence(table, confidence))
    return tables + [_attribute_table(result) for result in report.results if nested(result)]


def nested(result: MeasureResult) -> bool:
    """Return whether the scores of a measure are by attribute."""
    return any(isinstance(values, Mapping) for values in result.scores.values())


def _attribute_table(result: MeasureResult) -> Table:
    keys = result.measure.keys
    rows: list[list[Cell]] = []
    for place, (name, values) in enumerate(result.scores.items()):
        intervals = {key: (values[f"{key}_low"], values[f"{key}_high"]) for key in keys if f"{key}_low" in values}
        rows.append([(name, "" if place else "cyan"), *score_cells(result.measure, values, keys, intervals)])
    table = Table(
        result.measure.name,
        keys,
        rows,
        kind="scores",
        names="attribute",
        keys=keys,
        about={"measure": result.measure.name},
    )
    return with_confidence(table, result.confidence)


def label_tables(report: Report) -> list[Table]:
    """Return for each measure a table with one row for each label."""
    tables = []
    for result in report.results:
        keys = result.measure.keys
        rows = [
            [label, *score_cells(result.measure, values, keys), amount(values["support"])]
            for label, values in result.per_label.items()
        ]
        tables.append(
            Table(
                result.measure.name,
                [*map(head, keys), "support"],
                rows,
                kind="labels",
                names="label",
                keys=[*keys, "support"],
                about={"measure": result.measure.name},
            )
        )
    return tables


def with_confidence(table: Table, confidence: float | None) -> Table:
    """Return a table whose intervals of this level stand in rows of their own."""
    return table if confidence is None else replace(table, confidence=confidence)


def score_cells(
    measure: Measure,
    values: Mapping[str, float | int],
    keys: Iterable[str],
    intervals: Bounds | None = None,
    headline: str | None = None,
) -> list[Cell]:
    """Return the values of the keys as cells of a table, the headline in bold."""
    bold = measure.headline if headline is None else headline
    return [
        Number(values[key], kind_of(measure, key), "bold" if key == bold else "", (intervals or {}).get(key))
        for key in keys
    ]


def kind_of(measure: Measure, key: str) -> str:
    """Return the kind of number that a key of a measure has, see `Number`."""
    described = measure.results.get(key)
    if described is None:
        return "p" if key == _P_VALUE else "score"
    return "amount" if described.whole else "score" if described.share else "plain"
