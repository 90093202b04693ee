"""The result of an error analysis: errors of systems, with tables."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, Self

import numpy as np

from ...alignment.matched_spans import KINDS, MARKS
from ...arrays import plain
from ...counts.statistics import Resampling
from ...exceptions import InputError, require_choice
from ...measures.aligned import AlignedMeasure
from ...options import options_of, require_known
from ...spans.spans import Spans
from ...spans.wording import Wording
from ...tables.result import Result, by_kind
from ...tables.table import Copyable, Part, Table, TableColumn, amounts
from ...tags.schemes import LabelChoice
from ..scores.measure_result import interval_notes
from ..scores.report import CorpusResult, kind_of
from .buckets import BucketReport, buckets_of, read_training
from .differences import Difference, SharedErrors, SuspiciousReferences
from .examples import SHOWN, Context, ErrorChoice, ErrorExamples, MatchedSides
from .kinds import PAIR_CHOICES, AnswerErrors, Confusion, Costs, KindCost, costs

_WIDEST = 12
"""Confusion matrices with more labels than this are not printed; the most frequent confusions are printed instead."""

_MOST = {"confused": (20, "pairs of labels"), "strings": (SHOWN, "wrong strings")}
"""The maximum number of rows of a kind of tables that are printed, and what the rows are."""

_LABELS = amounts(
    reference="ref.",
    predicted="pred.",
    **{kind: "wrong\nboth" if "_and_" in kind else kind.replace("_", "\n") for kind in KINDS},
)
_MARKS = amounts("spans", *MARKS)
_NUMBERS = amounts("reference", "predicted", "correct", "errors")


class SystemErrors(MatchedSides, Result):
    """The errors of one system.

    Its tables are `costs` and `marks`, a row for each kind of error; `answers`, errors that only answers of language
    models have; `kinds` and `shares`, the numbers and proportions of spans of each kind, a row for each label;
    `scores`, the score and the number of spans; `confusion`, the confusion matrices; `confused`, the most frequent
    confusions of labels; and `strings`, the strings with errors.

    Attributes:
        name: the name of the system; empty if there is only one.
        measure: the measure; costs are changes of its main score.
        resampling: how intervals of costs are computed; None computes no intervals.
        choice: which labels are scored, and how they are renamed; it also applies to training sets.
        answers: the errors of the answers from which the spans come; None for other input.
    """

    name: str
    measure: AlignedMeasure
    resampling: Resampling | None = None
    choice: LabelChoice = field(default_factory=LabelChoice)
    answers: AnswerErrors | None = None

    @property
    def about(self) -> dict[str, str]:
        """The columns that name the system in tables."""
        return {"system": self.name} if self.name else {}

    @cached_property
    def costs(self) -> Costs:
        """The score, and the cost of each kind of error; computed on first use."""
        return costs(self.measure, self.matched, self.resampling)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of pairs or unmatched spans of each kind, see `KINDS`."""
        return dict(zip(KINDS, np.bincount(self.matched.kind, minlength=len(KINDS)).tolist(), strict=True))

    @cached_property
    def per_label(self) -> dict[str, dict[str, int]]:
        """The numbers of each kind for each label, and its numbers of spans on both sides, `reference` and `predicted`.

        Spurious spans count for the predicted label, all other kinds for the reference label. So `reference` is the sum
        of all kinds except `spurious`.
        """
        matched, labels = self.matched, self.matched.alignment.labels
        label = np.where(matched.reference_label < 0, matched.predicted_label, matched.reference_label)
        kinds = np.bincount(label * len(KINDS) + matched.kind, minlength=len(labels) * len(KINDS))
        sides = (np.bincount(side.label, minlength=len(labels)) for side in (self.references, self.predictions))
        rows = np.column_stack([*sides, kinds.reshape(-1, len(KINDS))]).tolist()
        names = ("reference", "predicted", *KINDS)
        return {label: dict(zip(names, row, strict=True)) for label, row in zip(labels, rows, strict=True) if any(row)}

    @property
    def errors(self) -> int:
        """The number of errors: wrong pairs, missing spans and spurious spans."""
        return sum(self.counts.values()) - self.counts["correct"]

    def confusion(self, pairs: str = "overlap") -> Confusion:
        """Return the confusion matrix of labels.

        Args:
            pairs: `overlap` for all pairs of spans. `exact` for pairs with the same boundaries; spans of other pairs
                count as missing and spurious.
        """
        require_choice("pairs", pairs, PAIR_CHOICES)
        return Confusion.of(self.matched, pairs, self.about)

    def examples(self, **choice: Any) -> ErrorExamples:
        """List errors with their words in context; errors on the most frequent strings come first.

            result.only.examples(kind="wrong_label", reference_label="ORG", predicted_label="LOC").to_json_lines()

        Args:
            **choice: which errors to list, and how many, see `ErrorChoice`.
        """
        require_known(choice, list(options_of(ErrorChoice)), "examples")
        return ErrorExamples.of(self, ErrorChoice(**choice), self.about)

    def buckets(self, *, train: Any = None, by: Mapping[str, Any] | None = None) -> BucketReport:
        """Score groups of spans with `span_f` and intervals, see `buckets.buckets_of`.

        Args:
            train: a training set, read by `spanometer.read`, or its spans and their wording; it adds recall on seen and
                unseen mentions.
            by: your own values by name: one for each document, or a list with one for each token.
        """
        return BucketReport.of(buckets_of(self, self.training(train), by), self, self.resampling)

    def training(self, train: Any) -> tuple[Spans, Wording] | None:
        """Return the spans of a training set that have scored labels, and its wording."""
        training = read_training(train)
        return None if training is None else (self.choice.of(training[0], warn=False)[0], training[1])

    def parts(self) -> Iterator[Part]:
        """Yield the cost of each kind, the kinds by label, confusions of labels, and the legend."""
        yield from (*self.lines(), *self.legend)

    @property
    def legend(self) -> list[str]:
        """The explanation of the columns."""
        documents, resampling = self.references.documents, self.resampling
        confidence = None if resampling is None or documents < 2 else f"{100 * resampling.confidence:g}"
        intervals = "" if confidence is None else f" [ , ]: {confidence} % confidence intervals."
        return [
            f"if fixed: {self.measure.name} {self.measure.headline} with every error of this kind corrected. gain: the "
            f"improvement.{intervals}",
            "share: proportion of all errors. ref., pred.: reference and predicted spans. wrong both: wrong label and "
            'wrong boundary. The table "share of" has proportions of the label\'s reference spans; for spurious spans, '
            "of its predicted spans.",
            *([] if resampling is None else interval_notes(documents)),
            "; ".join(f"{mark}: {text}" for mark, text in MARKS.items()) + ".",
        ]

    def lines(self, *, matrices: bool = False) -> Iterator[Part]:
        """Yield the same parts without the legend.

        Args:
            matrices: whether to show whole tables, and confusion matrices of any size.
        """
        tables = by_kind(self.tables())
        wide = len(tables["confusion"][0].heads) > _WIDEST + 1
        confusions = ["confusion"] * (matrices or not wide) + ["confused"] * wide
        kinds = ("scores", "costs", "answers", "marks", "kinds", "shares", *confusions, "strings")
        for table in chain.from_iterable(tables.get(kind, []) for kind in kinds):
            most, noun = _MOST.get(table.kind, (len(table.rows), ""))
            if not matrices and len(table.rows) > most:
                yield f"The first {most:,} of {len(table.rows):,} {noun}; the CSV table {table.kind} has all."
            if table.kind != "strings" or table.rows:
                yield from (table if matrices else replace(table, rows=table.rows[:most]), "")

    def tables(self) -> list[Table]:
        """List all tables."""
        overlap = self.confusion()
        return [
            *kind_tables(self),
            *label_tables(self),
            score_table(self),
            overlap.table(),
            self.confusion("exact").table(),
            overlap.confused_table(),
            *([] if self.context.wording is None else [self.examples().string_table()]),
            *([] if self.answers is None else [self.answers.table(self.about)]),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "reference_spans": len(self.references),
            "predicted_spans": len(self.predictions),
            "kinds": self.counts,
            "per_label": self.per_label,
            "costs": plain(self.costs),
            **({} if self.answers is None else {"answers": self.answers.to_dict()}),
            "confusion": {pairs: self.confusion(pairs).to_dict() for pairs in PAIR_CHOICES},
        }


class Errors(CorpusResult):
    """The errors of one or more systems on the same documents.

    Its tables are the tables of each system, see `SystemErrors`. With several systems there are also `beside`, the
    numbers of each kind side by side; `shared`, the numbers of errors that all make and that only one makes; and
    `differences`, the changes between two systems.

    Attributes:
        systems: the errors of each system, by name; a single system has the name `prediction`.
        signature: the options of reading and matching.
    """

    systems: Mapping[str, SystemErrors]
    signature: str

    @property
    def only(self) -> SystemErrors:
        """The errors of the only system; raises an `InputError` if there are several."""
        if len(self.systems) > 1:
            names = ", ".join(map(repr, self.systems))
            raise InputError(f"there are {len(self.systems)} systems.", f"Choose one from `systems`: {names}.")
        return self.first

    @property
    def first(self) -> SystemErrors:
        """The errors of the first system."""
        return next(iter(self.systems.values()))

    @cached_property
    def shared(self) -> SharedErrors:
        """All spans with an error, and the outcome for each system."""
        return SharedErrors.of(self.systems)

    def costs(self) -> Iterator[list[KindCost]]:
        """Yield the costs of each kind of error for all systems, in the order of the first system's gains."""
        of_systems = [{cost.kind: cost for cost in system.costs.kinds} for system in self.systems.values()]
        for kind in of_systems[0]:
            yield [costs[kind] for costs in of_systems]

    def suspicious(self, train: Any = None) -> SuspiciousReferences:
        """List places where the reference may be wrong or lack a span, because every system makes an error there.

        The most evidence comes first.

        Args:
            train: a training set, see `SystemErrors.buckets`. The labels of the same strings in it are evidence, too.
        """
        return SuspiciousReferences.of(self.shared, self.first.training(train))

    def with_context(self, context: Context) -> Self:
        """Return a copy with the words and lines of the documents."""
        fitting = context.fitting(self.first.references)
        return replace(self, systems={name: replace(each, context=fitting) for name, each in self.systems.items()})

    def difference(self, before: str, after: str) -> Difference:
        """Compare the errors of two systems: fixed, new, moved, and the same.

        Args:
            before, after: the names of the systems; an error is fixed if only the first system makes it.
        """
        for name in (before, after):
            require_choice("system", name, self.systems)
        if before == after:
            raise InputError(f"both systems are {before!r}.", "Name two different systems.")
        return Difference.of({name: self.systems[name] for name in (before, after)})

    def lines(self, *, matrices: bool = False) -> Iterator[Part]:
        """Yield the tables of each system, the differences of several, and the legend; see `SystemErrors.lines`."""
        yield ""
        for system in self.systems.values():
            yield from system.lines(matrices=matrices)
        for table in self._compared():
            yield from (table, "")
        yield from (*self.first.legend, "")
        yield Copyable(self.signature)

    def tables(self) -> list[Table]:
        """List all tables."""
        return [*(table for system in self.systems.values() for table in system.tables()), *self._compared()]

    def _compared(self) -> list[Table]:
        """List the tables that compare several systems."""
        pairs = [self.difference(*pair).table() for pair in combinations(self.systems, 2)]
        return [beside_table(self), self.shared.table(), *pairs] if pairs else []

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        pairs = [self.difference(*pair).to_dict() for pair in combinations(self.systems, 2)]
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            "systems": {name: system.to_dict() for name, system in self.systems.items()},
            **({"shared": self.shared.to_dict(), "differences": pairs} if pairs else {}),
            "signature": self.signature,
        }


def score_table(output: SystemErrors) -> Table:
    """Return a table with the score of the output, and the numbers of spans and errors."""
    costs, name = output.costs, output.measure.name
    score = TableColumn(costs.key, kind=kind_of(output.measure, costs.key))
    numbers = (len(output.references), len(output.predictions), output.counts["correct"], output.errors)
    row = ((output.name or "prediction", "cyan"), (costs.score, costs.interval), *numbers)
    return Table.of(name, [score, *_NUMBERS], [row], kind="scores", names="system", about={"measure": name})


def kind_tables(system: SystemErrors) -> list[Table]:
    """Return two tables by kind of error, the highest cost first: number, proportion and cost; the number of marks."""
    key, kind = system.costs.key, kind_of(system.measure, system.costs.key)
    confidence = system.resampling.confidence if system.resampling and system.costs.interval else None
    columns = [
        *amounts("spans"),
        TableColumn("share", kind="share"),
        TableColumn(f"{key}_if_fixed", f"{key} if fixed", kind),
        TableColumn("gain", kind=kind, signed=True),
    ]
    costs, marks = [], []
    for cost in system.costs.kinds:
        share = cost.count / system.errors if system.errors else 0.0
        scores = (cost.fixed, cost.fixed_interval), (cost.gain, cost.gain_interval)
        costs.append((_name(cost), cost.count, share, *scores))
        marks.append((_name(cost), cost.count, *(getattr(cost, mark) for mark in MARKS)))
    return [
        Table.of("error", columns, costs, kind="costs", about=system.about, confidence=confidence),
        Table.of("error", _MARKS, marks, kind="marks", about=system.about),
    ]


def label_tables(system: SystemErrors) -> list[Table]:
    """Return two tables by label: its spans on both sides, and the number of each kind; and each kind as a proportion.

    Proportions are of the label's reference spans, for `spurious` of its predicted spans.
    """
    labels = system.per_label
    whole = {column.key: sum(counts[column.key] for counts in labels.values()) for column in _LABELS}
    numbers, shares = [], []
    for label, counts in [*labels.items(), ("all", whole)]:
        sizes = {kind: counts["predicted" if kind == "spurious" else "reference"] for kind in KINDS}
        numbers.append(((label, "cyan"), *counts.values()))
        shares.append(((label, "cyan"), *(counts[kind] / size if size else None for kind, size in sizes.items())))
    columns = [column._replace(kind="share") for column in _LABELS[2:]]
    return [
        Table.of("label", _LABELS, numbers, kind="kinds", about=system.about),
        Table.of("share of", columns, shares, kind="shares", names="label", about=system.about),
    ]


def beside_table(errors: Errors) -> Table:
    """Return a table by kind of error, with the numbers for all systems."""
    rows = [(_name(costs[0]), *(cost.count for cost in costs)) for costs in errors.costs()]
    rows.append((("all errors", "bold"), *(system.errors for system in errors.systems.values())))
    columns = [TableColumn(f"spans_{name}", name, "amount", named=True) for name in errors.systems]
    return Table.of("spans", columns, rows, kind="beside", names="error")


def _name(cost: KindCost) -> tuple[str, str]:
    """Return the name of a kind; parts of a kind are indented."""
    return (f"  {cost.boundary}", "dim") if cost.boundary else (cost.kind.replace("_", " "), "cyan")
