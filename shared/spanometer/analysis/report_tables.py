"""The tables of reports: a row for each measure, system, attribute or label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..measures.base import Measure, PrecisionRecallF1
from ..tables.table import Cell, Number, Table, amount, head, with_best

if TYPE_CHECKING:
    from .results import MeasureResult, Report

_P_VALUE = "p_value"

_TITLES = {"both": "tp", "right": "right", "found": "found", "predicted": "predicted", "reference": "reference"}
"""The counts of F measures that stand beside the scores of labels, and what they are called there."""

Bounds = Mapping[Any, tuple[float, float]]


def score_tables(report: Report) -> list[Table]:
    """Return tables with one row for each measure; measures with the same keys share a table.

    A measure whose scores are by attribute has a table of its own, with one row for each attribute.
    """
    plain = [result for result in report.results if not is_by_attribute(result.scores)]
    names = max((len(result.name) for result in plain), default=0)
    heads = [part for result in plain for key in result.scores for part in head(key).split("\n")]
    numbers = max(map(len, heads), default=0)
    tables = []
    for keys, group in groupby(plain, key=lambda result: tuple(result.scores)):
        results = list(group)
        rows = [[(result.name, "cyan"), *_cells(result, keys)] for result in results]
        tables.append(
            Table(
                "measure",
                list(map(head, keys)),
                rows,
                widths=(names, numbers),
                kind="scores",
                keys=keys,
                confidence=results[0].confidence,
            )
        )
    return tables + [_attribute_table(result) for result in report.results if is_by_attribute(result.scores)]


def system_tables(reports: Mapping[str, Report]) -> list[Table]:
    """Return for each measure a table with one row for each system, the best of each column in bold."""
    tables = []
    for results in zip(*(report.results for report in reports.values()), strict=True):
        first = results[0]
        measure = first.measure
        if is_by_attribute(first.scores):
            tables += [_attribute_table(result, name) for name, result in zip(reports, results, strict=True)]
            continue
        keys = tuple(first.scores)
        rows: list[list[Cell]] = [
            [(name, "cyan"), *_cells(result, keys, headline="")] for name, result in zip(reports, results, strict=True)
        ]
        tables.append(
            Table(
                first.name,
                list(map(head, keys)),
                with_best(rows, [higher_is_better(measure, key) for key in keys]),
                kind="scores",
                names="system",
                keys=keys,
                about={"measure": first.name},
                confidence=first.confidence,
            )
        )
    return tables


def is_by_attribute(scores: Mapping[str, Any]) -> bool:
    """Return whether the scores of a measure are by attribute."""
    return any(isinstance(values, Mapping) for values in scores.values())


def _attribute_table(result: MeasureResult, system: str | None = None) -> Table:
    measure, keys = result.measure, result.measure.keys
    rows: list[list[Cell]] = []
    for place, (name, values) in enumerate(result.scores.items()):
        intervals = {key: (values[f"{key}_low"], values[f"{key}_high"]) for key in keys if f"{key}_low" in values}
        rows.append([(name, "" if place else "cyan"), *score_cells(measure, values, keys, intervals)])
    return Table(
        result.name if system is None else f"{system}, {result.name}",
        list(map(head, keys)),
        rows,
        kind="scores",
        names="attribute",
        keys=keys,
        about={"measure": result.name, **({} if system is None else {"system": system})},
        confidence=result.confidence,
    )


def label_tables(report: Report, *, system: str | None = None) -> list[Table]:
    """Return for each measure a table with one row for each label, and then one for each average over labels.

    Beside the scores stand the numbers that they are made of. `system` is named in the tables of several systems.
    """
    return [_label_table(result, system) for result in report.results if not is_by_attribute(result.scores)]


def _label_table(result: MeasureResult, system: str | None) -> Table:
    measure = result.measure
    keys = measure.keys
    counted = [name for name in _TITLES if name in result.counts and name != measure.support]
    counted = counted if isinstance(measure, PrecisionRecallF1) else []
    rows: list[list[Cell] | None] = []
    for label, values in result.per_label.items():
        counts = result.label_counts.get(label, {})
        amounts = [*(amount(counts[name]) for name in counted if name in counts), amount(values["support"])]
        rows.append([label, *score_cells(measure, values, keys, result.label_intervals.get(label)), *amounts])
    if rows and result.averages:
        rows.append(None)
    for name, average in result.averages.items() if rows else ():
        amounts = [amount(result.counts[count]) for count in (*counted, measure.support)]
        rows.append([(f"{name} avg", "cyan"), *_cells(average, keys), *amounts])
    title = result.name if system is None else f"{system}, {result.name}"
    amounts_keys = [*(_TITLES[name] for name in counted), "support"]
    return Table(
        title,
        [*map(head, keys), *amounts_keys],
        rows,
        kind="labels",
        names="label",
        keys=[*keys, *amounts_keys],
        about={"measure": result.name, **({} if system is None else {"system": system})},
        confidence=result.confidence,
    )


def document_tables(report: Report, *, system: str | None = None) -> list[Table]:
    """Return for each measure of spans or trees a table with one row for each document.

    `system` is named in the tables of several systems.
    """
    tables = []
    lines = [amount(int(line)) for line in report.document_lines]
    for result in report.results:
        if is_by_attribute(result.scores):
            continue
        measure, columns = result.measure, {key: values.tolist() for key, values in result.per_document.items()}
        rows: list[list[Cell]] = []
        for place in range(report.documents):
            values = {key: of_key[place] for key, of_key in columns.items()}
            rows.append([str(place + 1), *lines[place : place + 1], *score_cells(measure, values, values)])
        heads = [*(["line"] if lines else []), *columns]
        about = {"measure": result.name, **({} if system is None else {"system": system})}
        title = f"{result.name}: document" if system is None else f"{system}, {result.name}: document"
        tables.append(
            Table(title, list(map(head, heads)), rows, kind="documents", names="document", keys=heads, about=about)
        )
    return tables


def _cells(result: MeasureResult, keys: Iterable[str], headline: str | None = None) -> list[Cell]:
    return score_cells(result.measure, result.scores, keys, result.intervals, headline)


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


def higher_is_better(measure: Measure, key: str) -> bool | None:
    """Return whether the highest value of a key is the best; None if none is better than another."""
    better = measure.results[key].better if key in measure.results else ""
    return {"higher": True, "lower": False}.get(better)
