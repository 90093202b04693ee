"""The result of a comparison: scores, ranks and differences of systems, with tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...arrays import plain
from ...exceptions import InputError, shown
from ...measures.base import Measure
from ...tables.table import Part, Table, TableColumn, defined_interval, mark_best
from ..scores.measure_result import interval_notes, rare, rare_label_note
from ..scores.report import CorpusResult, kind_of, score_columns, signature_lines
from .significance import LEVELS, PairedResampling, PairResult, RankCorrelation

REFERENCES = "the reference"
SYSTEM = "system "
"""What errors call the sides: the name of the reference, and the prefix of a system's name."""


NAMED = "Pass a mapping from the name of each system to its output, such as {'old': ..., 'new': ...}."


def named_systems(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return outputs by the names that errors use for their systems; raise an `InputError` if a name is invalid."""
    if not outputs:
        raise InputError("there are no systems.", NAMED)
    for name in outputs:
        if not isinstance(name, str) or not name:
            raise InputError(f"{shown(name)} cannot be the name of a system.", NAMED)
    return {f"{SYSTEM}{name}": output for name, output in outputs.items()}


def named_outputs(systems: Any) -> dict[str, Any]:
    """Return the outputs of at least two systems by the names that errors use."""
    if not isinstance(systems, Mapping):
        raise InputError(f"the systems have no names: got an object of type {type(systems).__name__}.", NAMED)
    if len(systems) < 2:
        raise InputError(f"a comparison needs at least two systems, got {len(systems)}.", NAMED)
    return named_systems(systems)


@dataclass(frozen=True, kw_only=True)
class EstimatedScores:
    """The scores of a measure with their intervals.

    Attributes:
        scores: the scores by key.
        intervals: the lower and upper bound of each score that is not a count; NaN if there are fewer than two
            documents, empty without resampling.
    """

    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]

    def value(self, key: str) -> tuple[float, tuple[float, float] | None]:
        """Return a score and its interval, if it has one."""
        return self.scores[key], self.intervals.get(key)

    def defined(self, key: str) -> tuple[float, tuple[float, float] | None]:
        """Return a score and its interval, or None in place of an interval that is NaN."""
        return self.scores[key], defined_interval(self.intervals.get(key))


@dataclass(frozen=True, kw_only=True)
class SystemResult(EstimatedScores):
    """The result of a measure for one system.

    Attributes:
        rank: the rank by the compared score, 1 is best; equal systems have the same, better rank.
        rank_shares: the proportions of resampled corpora in which the system has rank 1, 2 and so on; they add up to 1.
    """

    rank: int
    rank_shares: tuple[float, ...]


_SHOWN = {"eter": ("eter", "ser", "ser_types", "ser_components")}
"""The scores in tables, for measures that have too many to show all with intervals; JSON has all."""

_P_VALUES = (
    TableColumn("p_randomisation", "randomisation\np", "p"),
    TableColumn("p_randomisation_holm", "corrected", "p"),
    TableColumn("", ""),
)
_OF_BOOTSTRAP = (
    "p_bootstrap is too small with few documents: in a simulation of equal systems, it was below .05 in 13 % of "
    "corpora of 8 documents, and in 6 % of corpora of 20. Report p_randomisation."
)
"""A note about the p-values of the bootstrap."""

_CHANCE = (
    *(TableColumn("documents", kind="amount"), TableColumn("system"), TableColumn("f1")),
    *(TableColumn("rank", kind="amount"), TableColumn("kappa_f1"), TableColumn("kappa_rank", "rank", "amount")),
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
        measure: the measure with its options.
        key: the key of the compared score: the main score, or another key by which the measure ranks.
        systems: the result of each system, by name.
        pairs: the result of each pair.
        signature: the measure, its options and the options of reading and resampling.
        per_label: the result for each label of the reference, or each attribute; p-values are not corrected over them.
        notes: notes for readers of the scores, see `Measure.notes`.
        documents: in the result for a label, the number of documents with the label.
    """

    measure: Measure
    key: str
    systems: Mapping[str, SystemResult]
    pairs: tuple[PairResult, ...]
    signature: str
    per_label: "Mapping[str, MeasureComparison]" = field(default_factory=dict)
    notes: Sequence[str] = ()
    documents: int = 0

    @property
    def rare_labels(self) -> list[str]:
        """The labels with unreliable intervals."""
        return rare({label: result.documents for label, result in self.per_label.items()})

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better."""
        return self.measure.results[self.key].better == "higher"

    def title(self, name: str) -> str:
        """Return the name of the compared score for tables and plots, given the name of the result."""
        if self.key.startswith(name):
            return self.key
        return name if name.endswith(f" {self.key}") else f"{name} {self.key}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        of_labels = {label: {"documents": part.documents, **part._results()} for label, part in self.per_label.items()}
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


class ChanceRank(NamedTuple):
    """F1 and rank of a system before and after correction for chance, in a part of the corpus."""

    part: str
    documents: int
    system: str
    f1: float
    rank: int
    kappa_f1: float
    kappa_rank: int


class Comparison(CorpusResult, eq=True):
    """The result of `compare`.

    Its tables are `systems`, a row for each measure and system; `pairs`, a row for each measure and pair;
    `correlations`, a row for each two measures; and `chance`, a row for each group of documents and system.

    Attributes:
        names: the systems.
        measures: the result of each measure, by name. If a measure ranks by a second key, such as the slot error rate
            of `Eter`, this key has its own result.
        resampling: how corpora were resampled and outputs were swapped.
        rank_correlations: the rank correlation of each two results; empty unless requested.
        chance_ranks: the ranks before and after correction for chance; empty unless requested.
    """

    names: tuple[str, ...]
    measures: Mapping[str, MeasureComparison]
    resampling: PairedResampling
    rank_correlations: tuple[RankCorrelation, ...] = ()
    chance_ranks: tuple[ChanceRank, ...] = ()

    def lines(self) -> Iterator[Part]:
        """Yield the tables of each measure, the legend and the signatures."""
        for name, result in self.measures.items():
            yield from ("", system_table(name, result), "", pair_table(name, result))
            if result.per_label:
                of_labels = label_table(name, result)
                yield from ("", of_labels, "", pair_table(name, result, per_label=True))
                yield from rare_label_note([of_labels])
        if self.rank_correlations:
            correlations = [
                ((" - ".join(pair.measures), "cyan"), (pair.tau, pair.interval), pair.same, len(pair.swapped))
                for pair in self.rank_correlations
            ]
            table = Table.of("rank correlation", _CORRELATIONS, correlations, kind="correlations", names="measures")
            yield from ("", table)
        if self.chance_ranks:
            yield from ("", Table.of("part", _CHANCE, self.chance_ranks, left=3, kind="chance", names="part"))
        yield from ("", *legend(self), "", *signature_lines(self.measures))

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            **self.resampling.options(),
            "notes": [*interval_notes(self.documents), _OF_BOOTSTRAP],
            "measures": {name: result.to_dict() for name, result in self.measures.items()},
            **({"rank_correlations": plain(self.rank_correlations)} if self.rank_correlations else {}),
            **({"chance_ranks": [row._asdict() for row in self.chance_ranks]} if self.chance_ranks else {}),
        }


def system_table(name: str, result: MeasureComparison) -> Table:
    """Return a table by system: scores with intervals, the rank, and its stability."""
    measure = result.measure
    keys = (result.key,) if result.key != measure.headline else _SHOWN.get(measure.name, measure.keys)
    scores = score_columns(measure, keys, best=True)
    columns = [*scores, TableColumn("rank", kind="amount"), TableColumn("stability", kind="share")]
    rows = [
        ((system, "cyan"), *map(values.value, keys), values.rank, values.rank_shares[values.rank - 1])
        for system, values in result.systems.items()
    ]
    return Table.of(name, columns, rows, kind="systems", names="system", about={"measure": name}, main=result.key)


def pair_table(name: str, result: MeasureComparison, *, per_label: bool = False) -> Table:
    """Return a table by pair (or by label and pair): the difference with its interval, and the p-values."""
    columns = [TableColumn("difference", kind=kind_of(result.measure, result.key), signed=True), *_P_VALUES]
    title, about, rows = result.title(name), {"measure": name}, list(_pair_rows(result))
    if not per_label:
        return Table.of(title, columns, rows, kind="pairs", names="pair", about=about)
    rows = [(label, *row) for label, of_label in result.per_label.items() for row in _pair_rows(of_label)]
    options: dict[str, Any] = {"names": "label", "about": about, "unreliable": result.rare_labels}
    return Table.of(f"{title}: label", [TableColumn("pair"), *columns], rows, left=2, kind="label_pairs", **options)


def label_table(name: str, result: MeasureComparison) -> Table:
    """Return a table by label: the score of each system with its interval."""
    column = TableColumn(result.key, kind=kind_of(result.measure, result.key))
    rows: list[Sequence[Any]] = []
    for label, of_label in result.per_label.items():
        cells = [column.cell(values.value(result.key)) for values in of_label.systems.values()]
        rows.append((label, *mark_best(cells, higher=result.higher_is_better)))
    columns, title = [TableColumn(name, name, named=True) for name in result.systems], f"{result.title(name)}: label"
    about = {"measure": name}
    return Table.of(title, columns, rows, kind="labels", names="label", about=about, unreliable=result.rare_labels)


def _pair_rows(result: MeasureComparison) -> Iterator[tuple[Any, ...]]:
    for pair in result.pairs:
        p_values = (getattr(pair, column.key) if column.key else f"{pair.mark:<3}" for column in _P_VALUES)
        yield (" - ".join(pair.systems), "cyan"), (pair.difference, pair.interval), *p_values


def legend(comparison: Comparison) -> list[str]:
    """Explain the columns and the marks."""
    confidence = f"{100 * comparison.resampling.confidence:g}"
    marks = ", ".join(f"{mark} p < {f'{level:g}'.lstrip('0')}" for mark, level in LEVELS.items())
    results = comparison.measures.values()
    better = {True: "higher is better", False: "lower is better"}
    directions = dict.fromkeys(f"{result.key}, {better[result.higher_is_better]}" for result in results)
    correlations = (
        "Kendall's tau-b compares the rankings of two measures: 1 if they are equal, -1 if they are opposite. Its "
        "interval is over documents, for these systems. same ranking: the share of resampled corpora in which both "
        "rankings are equal. pairs swapped: the number of pairs of systems that the two measures rank differently "
        "(--json names them)."
    )
    intervals = (system.intervals.values() for result in results for system in result.systems.values())
    undefined = comparison.documents > 1 and any(math.isnan(low) for of_system in intervals for low, _ in of_system)
    return [
        *(["[nan, nan]: an undefined value has no interval."] if undefined else []),
        f"[ , ]: {confidence} % confidence intervals. Ranks are by {'; '.join(directions)}.",
        *interval_notes(comparison.documents),
        "stability: the share of resampled corpora in which the system has this rank.",
        f"{marks}: p-value of paired approximate randomisation, corrected for the pairs of a measure (Holm).",
        *([correlations] if comparison.rank_correlations else []),
        *(["kappa_f1: token F1 corrected for chance, and the rank by it."] if comparison.chance_ranks else []),
    ]
