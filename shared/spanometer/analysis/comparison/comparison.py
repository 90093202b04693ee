"""Compared systems as a result: its tables, and its values as built-in types."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...arrays import plain
from ...exceptions import counted
from ...measures.base import Measure
from ...tables.table import Copyable, Part, Table, TableColumn, mark_best
from ..scores.report import CorpusResult, higher_is_better, kind_of
from .significance import LEVELS, PairedResampling, RankCorrelation
from .systems import PairResult, SystemResult

_SHOWN = {"eter": ("eter", "ser", "ser_types", "ser_components")}
"""The values in tables of measures that have too many for their intervals; JSON has all."""

_P_VALUES = (
    TableColumn("p_randomisation", "randomisation\np", "p"),
    TableColumn("p_randomisation_holm", "corrected", "p"),
    TableColumn("", ""),
    TableColumn("p_bootstrap", "bootstrap\np", "p"),
    TableColumn("p_bootstrap_holm", "corrected", "p"),
)
_CORRELATIONS = (
    TableColumn("tau", "Kendall's tau", "plain"),
    TableColumn("same", "same ranking", "share"),
    TableColumn("swapped", "pairs swapped", "amount"),
)


@dataclass(frozen=True, kw_only=True)
class MeasureComparison:
    """The result of a measure for all systems.

    Attributes:
        measure: with its options.
        key: the value that is compared: the measure's headline, or another that it is ranked by.
        systems: the result of each, by name.
        pairs: the result of each pair.
        signature: how the values were made.
        per_label: the same for each label of the reference, or each attribute; p-values are not corrected over them.
        notes: what a reader of the scores must know, see `Measure.notes`.
    """

    measure: Measure
    key: str
    systems: Mapping[str, SystemResult]
    pairs: tuple[PairResult, ...]
    signature: str
    per_label: Mapping[str, MeasureComparison] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def higher_is_better(self) -> bool:
        """Whether the better system has the higher value."""
        return self.measure.results[self.key].better == "higher"

    def title(self, name: str) -> str:
        """Return what the value is called in tables and pictures, given the name of the result."""
        if self.key.startswith(name):
            return self.key
        return name if name.endswith(f" {self.key}") else f"{name} {self.key}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        of_labels = {label: result._results() for label, result in self.per_label.items()}
        return {
            "headline": self.key,
            "higher_is_better": self.higher_is_better,
            **self._results(),
            "signature": self.signature,
            **({"notes": list(self.notes)} if self.notes else {}),
            **({"per_label": of_labels} if of_labels else {}),
        }

    def _results(self) -> dict[str, Any]:
        return {"systems": plain(self.systems), "pairs": plain(self.pairs)}


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(CorpusResult):
    """The result of `compare`.

    Its tables are `systems`, a row for each measure and system, `pairs`, a row for each measure and pair, and
    `correlations`, a row for each two measures.

    Attributes:
        names: the systems.
        measures: the result of each measure, by the names of the results; what a measure is ranked by beside its
            headline, as the slot error rate of `Eter`, has a result of its own, by its key.
        resampling: how corpora were drawn, and outputs swapped.
        rank_correlations: how alike each two results rank the systems; empty unless asked for.
    """

    names: tuple[str, ...]
    measures: Mapping[str, MeasureComparison]
    resampling: PairedResampling
    rank_correlations: tuple[RankCorrelation, ...] = ()

    def lines(self) -> Iterator[Part]:
        """Return the systems and pairs of each measure, what the columns mean, and the signatures."""
        for name, result in self.measures.items():
            yield from ("", system_table(name, result), "", pair_table(name, result))
            if result.per_label:
                yield from ("", label_table(name, result), "", label_pair_table(name, result))
        if self.rank_correlations:
            yield from ("", correlation_table(self.rank_correlations))
        yield from ("", *legend(self), "")
        for name, result in self.measures.items():
            yield Copyable(result.signature)
            yield from (f"{name}: {note}" for note in result.notes)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            **self.resampling.options(),
            "measures": {name: found.to_dict() for name, found in self.measures.items()},
            **({"rank_correlations": plain(self.rank_correlations)} if self.rank_correlations else {}),
        }


def system_table(name: str, result: MeasureComparison) -> Table:
    """Show a row for each system: values with their intervals, the rank, and in how many corpora it has it."""
    measure = result.measure
    keys = (result.key,) if result.key != measure.headline else _SHOWN.get(measure.name, measure.keys)
    scores = [TableColumn(key, kind=kind_of(measure, key), higher=higher_is_better(measure, key)) for key in keys]
    columns = [*scores, TableColumn("rank", kind="amount"), TableColumn("stability", kind="share")]
    rows = [
        ((system, "cyan"), *map(values.value, keys), values.rank, values.rank_shares[values.rank - 1])
        for system, values in result.systems.items()
    ]
    return Table.of(name, columns, rows, kind="systems", names="system", about={"measure": name})


def pair_table(name: str, result: MeasureComparison) -> Table:
    """Show a row for each pair: the difference with its interval, and the p-values."""
    columns, rows = _pair_columns(result), _pair_rows(result)
    return Table.of(result.title(name), columns, rows, kind="pairs", names="pair", about={"measure": name})


def label_table(name: str, result: MeasureComparison) -> Table:
    """Show a row for each label: the value of each system with its interval."""
    column = TableColumn(result.key, kind=kind_of(result.measure, result.key))
    rows: list[Sequence[Any]] = []
    for label, of_label in result.per_label.items():
        cells = [column.cell(values.value(result.key)) for values in of_label.systems.values()]
        rows.append((label, *mark_best(cells, higher=result.higher_is_better)))
    columns, title = [TableColumn(name, name) for name in result.systems], f"{result.title(name)}: label"
    return Table.of(title, columns, rows, kind="labels", names="label", about={"measure": name})


def label_pair_table(name: str, result: MeasureComparison) -> Table:
    """Show a row for each label and pair: the difference with its interval, and the p-values."""
    rows = ((label, *row) for label, of_label in result.per_label.items() for row in _pair_rows(of_label))
    columns, title = [TableColumn("pair"), *_pair_columns(result)], f"{result.title(name)}: label"
    return Table.of(title, columns, rows, left=2, kind="label_pairs", names="label", about={"measure": name})


def _pair_columns(result: MeasureComparison) -> list[TableColumn]:
    return [TableColumn("difference", kind=kind_of(result.measure, result.key), signed=True), *_P_VALUES]


def _pair_rows(result: MeasureComparison) -> Iterator[tuple[Any, ...]]:
    for pair in result.pairs:
        p_values = (getattr(pair, column.key) if column.key else f"{pair.mark:<3}" for column in _P_VALUES)
        yield (" - ".join(pair.systems), "cyan"), (pair.difference, pair.interval), *p_values


def correlation_table(pairs: Sequence[RankCorrelation]) -> Table:
    """Show for each two measures tau with its interval, and how many systems they rank this way and that."""
    rows = (
        ((" - ".join(pair.measures), "cyan"), (pair.tau, pair.interval), pair.same, len(pair.swapped)) for pair in pairs
    )
    return Table.of("rank correlation", _CORRELATIONS, rows, kind="correlations", names="measures")


def legend(comparison: Comparison) -> list[str]:
    """Explain the columns and the marks."""
    confidence = f"{100 * comparison.resampling.confidence:g}"
    marks = ", ".join(f"{mark} p < {f'{level:g}'.lstrip('0')}" for mark, level in LEVELS.items())
    directions = dict.fromkeys(
        f"{result.key}, {'higher' if result.higher_is_better else 'lower'} is better"
        for result in comparison.measures.values()
    )
    correlations = (
        "Kendall's tau-b of the rankings by two measures: 1 for equal ones, -1 for opposite ones. Its interval is over "
        "documents, for these systems. same ranking: the share of resampled corpora in which both rank all alike; "
        "pairs swapped: of systems, those that one ranks this way and the other that way (--json names them)."
    )
    bounds = [
        low
        for result in comparison.measures.values()
        for system in result.systems.values()
        for low, _ in system.intervals.values()
    ]
    without = "a value that is not a number has no interval"
    if comparison.documents < 2:
        without = f"intervals need two documents or more, and there is {counted(comparison.documents, 'document')}"
    return [
        *([f"[nan, nan]: {without}."] if any(map(math.isnan, bounds)) else []),
        f"[ , ]: {confidence} % confidence intervals. Ranks are by {'; '.join(directions)}.",
        "stability: the share of resampled corpora in which the system has this rank.",
        f"{marks}: p of paired approximate randomisation, corrected over a measure's pairs (Holm).",
        *([correlations] if comparison.rank_correlations else []),
    ]
