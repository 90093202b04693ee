"""The result of an agreement study: its values and tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ...arrays import plain
from ...exceptions import counted
from ...measures.gamma import Gamma
from ...measures.unitizing_alpha import UnitizingAlpha
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts, defined_interval
from ..scores.measure_result import NamedDocuments, interval_notes, rare, rare_label_note
from .annotators import mean_over_pairs

QUANTILES = (0.025, 0.5, 0.975)
"""The quantiles of simulated values in tables and dictionaries."""

SAME = 1e-12
"""Values that differ by less than this are equal: simulated and observed values may differ in the last bits."""

_OF_CHANCE = {
    "mean_f1": "mean f1 of pairs",
    "mean_kappa_f1": "mean kappa of pairs",
    "alpha": "alpha",
    "gamma": "gamma, own samples",
}
"""The values that are compared with chance, with their names in the table."""

KEYS = ("f1", "chance_f1", "kappa_f1")
"""The values of pairs."""

_MEANS = [TableColumn(f"mean_{key}", f"mean {key.removesuffix('_f1')}") for key in KEYS]
_CHANCE = [
    TableColumn("observed"),
    TableColumn("mean", "by chance"),
    TableColumn("std", "deviation"),
    *(TableColumn(f"quantile_{level:g}", f"{100 * level:g} %") for level in QUANTILES),
    TableColumn("p_value", "p-value", "p"),
]


@dataclass(frozen=True, eq=False)
class Simulated:
    """An observed value, and the same value of random annotations.

    Attributes:
        observed: the value, shape (), or the values of pairs, shape (annotators, annotators).
        drawn: the values of each simulation, shape (simulations, ...); NaN where there is no value.
    """

    observed: np.ndarray
    drawn: np.ndarray

    def __getitem__(self, place: int) -> "Simulated":
        """Select the values of a label, or of all labels."""
        return Simulated(self.observed[place], self.drawn[:, place])

    @property
    def p_value(self) -> np.ndarray:
        """The one-sided p-value: (1 + simulations that reach the observed value) / (1 + simulations)."""
        reached = (self.drawn >= self.observed - SAME).sum(axis=0)
        defined = ~np.isnan(self.drawn).any(axis=0)
        return np.where(defined, (1 + reached) / (1 + len(self.drawn)), math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Compute mean, standard deviation, quantiles and p-value."""
        quantiles = {f"{level:g}": np.quantile(self.drawn, level, axis=0) for level in QUANTILES}
        values = {"mean": self.drawn.mean(axis=0), "std": self.drawn.std(axis=0)}
        return {**values, "quantiles": quantiles, "p_value": self.p_value}


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementValues:
    """Agreement over the whole corpus, or for one label.

    Values of pairs are symmetric matrices of shape (annotators, annotators). For one label they are NaN if neither
    annotator has a span of it.

    Attributes:
        f1: observed F1; 1 on the diagonal.
        chance_f1: the expected F1 of randomly placed spans. On the diagonal: the expected F1 of two annotators whose
            spans both have the numbers and lengths of this annotator's spans.
        kappa_f1: F1 corrected for chance; 1 on the diagonal.
        mean_f1, mean_chance_f1, mean_kappa_f1: the plain means over the pairs of annotators; NaN is left out.
        team_kappa_f1: `mean_f1` corrected for `mean_chance_f1`, see `agreement`.
        alpha: unitizing alpha of all annotators jointly; NaN if left out.
        observed_disagreement, expected_disagreement: the two parts of alpha.
        spans: the number of spans of each annotator, shape (annotators).
        documents: the number of documents; for one label, the number of documents in which an annotator has a span of
            it.
        gamma, gamma_cat: gamma of all annotators jointly, see `measures.Gamma`; for one label gamma_cat is gamma-k; NaN
            if left out.
        observed_disorder, expected_disorder: the two parts of gamma.
        intervals: lower and upper bounds by the names of the values, shape (2); for pairs (2, annotators,
            annotators), NaN on the diagonal. Empty unless requested.
        simulated: the values of random annotations for `f1` of pairs, `mean_f1`, `mean_kappa_f1`, `alpha` and `gamma`,
            with p-values; empty unless requested.
    """

    f1: np.ndarray
    chance_f1: np.ndarray
    kappa_f1: np.ndarray
    mean_f1: float
    mean_chance_f1: float
    mean_kappa_f1: float
    team_kappa_f1: float
    spans: np.ndarray
    documents: int
    alpha: float = math.nan
    observed_disagreement: float = math.nan
    expected_disagreement: float = math.nan
    gamma: float = math.nan
    gamma_cat: float = math.nan
    observed_disorder: float = math.nan
    expected_disorder: float = math.nan
    intervals: Mapping[str, np.ndarray] = field(default_factory=dict)
    simulated: Mapping[str, Simulated] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        joint = (*UnitizingAlpha.keys, *(() if math.isnan(self.expected_disorder) else Gamma.keys))
        names = ("documents", *(f"mean_{key}" for key in KEYS), "team_kappa_f1", *joint, *KEYS, "spans")
        values = {name: plain(getattr(self, name)) for name in names}
        simulated = {key: plain(value.to_dict()) for key, value in self.simulated.items()}
        more = {"intervals": plain(dict(self.intervals)), "simulated": simulated}
        return {**values, **{key: parts for key, parts in more.items() if parts}}

    def interval(self, key: str, *pair: int) -> tuple[float, float] | None:
        """Return the interval of a value, or of a value of a pair of annotators; None if there is none."""
        return defined_interval([bound[pair] for bound in self.intervals[key]] if key in self.intervals else None)

    def value(self, key: str, *pair: int) -> tuple[float, tuple[float, float] | None]:
        """Return a value, or a value of a pair of annotators, with its interval."""
        return float(np.asarray(getattr(self, key))[pair]), self.interval(key, *pair)


class Agreement(Result, AgreementValues):
    """The result of `agreement`: the values of the whole corpus, and of each label.

    Its tables are `matrix`, the corrected F1 of each pair; `pairs`, all values of pairs; `labels`; and `documents`.

    Attributes:
        names: the annotators, in the order of rows and columns.
        tokens: the number of tokens in the corpus.
        per_label: the values of each label.
        signatures: the measures with their options and the options of reading, by the measures' names.
        per_document: the values of each pair (in the order of `itertools.combinations`) in each document, shape (pairs,
            documents); NaN if neither annotator has a span there. Empty unless requested.
        confidence: the confidence level of the intervals; None if there are none.
        document_p_values: the p-value of `mean_f1` in each document, shape (documents); NaN if no pair has a value
            there. Empty unless both simulations and values of documents are requested.
        n_simulations: the number of random annotations.
        notes: notes for readers of the values, see `Measure.notes`.
        named_documents: the names and lines of the documents.
    """

    names: tuple[str, ...]
    tokens: int
    per_label: Mapping[str, AgreementValues]
    signatures: Mapping[str, str]
    per_document: Mapping[str, np.ndarray] = field(default_factory=dict)
    confidence: float | None = None
    document_p_values: np.ndarray = field(default_factory=lambda: np.zeros(0))
    n_simulations: int = 0
    notes: Sequence[str] = ()
    named_documents: NamedDocuments = field(default_factory=NamedDocuments)

    @property
    def mean_per_document(self) -> dict[str, np.ndarray]:
        """The mean of `per_document` over the pairs, shape (documents); NaN is left out, unless all values are NaN."""
        return {f"mean_{key}": mean_over_pairs(values.T) for key, values in self.per_document.items()}

    def parts(self, *, per_label: bool = False, per_pair: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Yield corrected F1, alpha and the signatures, and further values if requested.

        Args:
            per_label: whether to add the values of each label.
            per_pair: whether to add the values of each pair.
            per_document: whether to add the values of each document.
        """
        yield from (("F1 corrected for chance", "bold"), "", matrix(self), "", pair_table(self, per_pair=per_pair), "")
        if self.simulated:
            yield from (chance_table(self, per_pair=per_pair, per_label=per_label), "")
        if self.confidence is not None:
            yield from interval_notes(self.documents)
        yield Copyable(*self.signatures.values())
        yield from self.notes
        if per_label:
            table = label_table(self)
            yield from ("", table)
            yield from rare_label_note([table])
        if per_document:
            yield from ("", document_table(self))

    def tables(self) -> list[Table]:
        """List the tables: the matrix, all pairs, all labels and all documents."""
        parts = self.parts(per_label=True, per_pair=True, per_document=True)
        return [part for part in parts if isinstance(part, Table)]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        p_values = {"p_value": self.document_p_values} if len(self.document_p_values) else {}
        of_documents = {**self.mean_per_document, **p_values, **self.per_document}
        return {
            "annotators": list(self.names),
            "tokens": self.tokens,
            **super().to_dict(),
            "per_label": {label: values.to_dict() for label, values in self.per_label.items()},
            "signatures": dict(self.signatures),
            **({"notes": list(self.notes)} if self.notes else {}),
            **({} if self.confidence is None else {"confidence": self.confidence}),
            **({"n_simulations": self.n_simulations} if self.simulated else {}),
            **(self.named_documents.to_dict() if self.per_document else {}),
            **({"per_document": plain(of_documents)} if self.per_document else {}),
        }


def matrix(agreement: Agreement) -> Table:
    """Return a matrix with the corrected F1 of each pair; the diagonal is empty."""
    places = range(len(agreement.names))
    rows = [
        ((name, "cyan"), *(None if column == row else agreement.value("kappa_f1", row, column) for column in places))
        for row, name in enumerate(agreement.names)
    ]
    columns = [TableColumn(name, name, named=True) for name in agreement.names]
    return Table.of("", columns, rows, widths=(0, 6), kind="matrix", names="annotator", confidence=agreement.confidence)


def pair_table(agreement: Agreement, *, per_pair: bool) -> Table:
    """Return a table with all pairs (or only the best and the worst), their mean, alpha, and gamma if computed."""
    joint = _joint_columns(agreement)
    columns = [*(TableColumn(key, key) for key in KEYS), *joint]
    pairs = sorted(combinations(range(len(agreement.names)), 2), key=lambda pair: -agreement.kappa_f1[pair])
    shown = [(", ".join(agreement.names[annotator] for annotator in pair), pair) for pair in pairs]
    if not per_pair:
        ends = {"highest pair": shown[0], "lowest pair": shown[-1]} if len(pairs) > 1 else {}
        shown = [(f"{place}: {name}", pair) for place, (name, pair) in ends.items()]
    values = list[tuple[Any, dict[str, Any]]]()
    values += [(name, {key: agreement.value(key, *pair) for key in KEYS}) for name, pair in shown]
    means = {key: agreement.value(f"mean_{key}") for key in KEYS}
    values.append((("mean of pairs", "cyan"), {**means, KEYS[-1]: TableColumn("", style="bold").cell(means[KEYS[-1]])}))
    if len(pairs) > 1:
        values.append((("as a team", "cyan"), {KEYS[-1]: agreement.value("team_kappa_f1")}))
    if joint:
        values.append((("all jointly", "cyan"), {column.key: agreement.value(column.key) for column in joint}))
    rows = [(name, *(row.get(column.key) for column in columns)) for name, row in values]
    return Table.of("", columns, rows, widths=(0, 6), kind="pairs", names="pair", confidence=agreement.confidence)


def _joint_columns(agreement: Agreement, style: str = "bold") -> list[TableColumn]:
    """Return the columns for the joint values of all annotators."""
    columns = {UnitizingAlpha.name: ("alpha",), Gamma.name: ("gamma", "gamma_cat")}
    keys = [key for name, keys in columns.items() if name in agreement.signatures for key in keys]
    return [TableColumn(key, key, style=style) for key in keys]


def label_table(agreement: Agreement) -> Table:
    """Return a table by label: means of pairs, joint values, and the fewest and most spans of an annotator."""
    scores = [*_MEANS, *_joint_columns(agreement, "")]
    rows = [
        (label, *(values.value(column.key) for column in scores), values.spans.min(), values.spans.max())
        for label, values in agreement.per_label.items()
    ]
    columns = [*scores, *amounts(fewest_spans="fewest spans", most_spans="most spans")]
    documents = {label: values.documents for label, values in agreement.per_label.items()}
    unreliable = () if agreement.confidence is None else rare(documents)
    return Table.of("label", columns, rows, kind="labels", confidence=agreement.confidence, unreliable=unreliable)


def chance_table(agreement: Agreement, *, per_pair: bool, per_label: bool) -> Table:
    """Return a table of observed values beside the values of random annotations, with p-values.

    Over all labels, it has the means over pairs, alpha, gamma and, if requested, `f1` of each pair. If requested, it
    also has the mean F1 and alpha of each label.
    """
    names, simulated = agreement.names, agreement.simulated
    pairs = combinations(range(len(names)), 2) if per_pair else ()
    shown: list[tuple[Any, Simulated, tuple[int, ...]]] = [
        (f"f1 of {', '.join(names[place] for place in pair)}", simulated["f1"], pair) for pair in pairs
    ]
    shown += [((name, "cyan"), simulated[key], ()) for key, name in _OF_CHANCE.items() if key in simulated]
    for label, values in agreement.per_label.items() if per_label else ():
        own = [key for key in ("mean_f1", "alpha") if key in values.simulated]
        shown += [(f"{label}: {_OF_CHANCE[key]}", values.simulated[key], ()) for key in own]
    rows = []
    for name, value, pair in shown:
        drawn = value.to_dict()
        columns = (value.observed, drawn["mean"], drawn["std"], *drawn["quantiles"].values(), drawn["p_value"])
        rows.append((name, *(float(column[pair]) for column in columns)))
    title = counted(agreement.n_simulations, "random annotation")
    return Table.of(title, _CHANCE, rows, kind="chance", names="value")


def document_table(agreement: Agreement) -> Table:
    """Return a table by document with the means of the pairs."""
    p_value = [TableColumn("p_value", "p-value", "p")] if len(agreement.document_p_values) else []
    values = [*agreement.mean_per_document.values(), *([agreement.document_p_values] if p_value else [])]
    columns, rows = agreement.named_documents.with_names([*_MEANS, *p_value], values)
    return Table.of("document", columns, rows, kind="documents")
