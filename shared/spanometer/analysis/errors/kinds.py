"""The kinds of errors: what each costs, which labels are confused, and the kinds that only generated answers have."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from ...alignment.matched_spans import BOUNDARIES, MARKS, MatchedSpans
from ...alignment.overlaps import Pieces, SideSpans
from ...counts.counts import Counts, join_columns
from ...counts.statistics import Estimate, Resampling
from ...exceptions import InputError, mention
from ...grounding.grounded import AnswerOutcomes, Grounded, outcomes_by_answer
from ...grounding.placing import Outcome
from ...grounding.policies import COUNTS
from ...measures.aligned import AlignedMeasure
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts, defined_interval

_PARTS = [f"wrong_boundary_{boundary}" for boundary in list(BOUNDARIES)[1:]]

ERRORS = ("wrong_label", "wrong_boundary", *_PARTS, "wrong_label_and_boundary", "missing", "spurious")
"""The kinds of errors that have costs."""


@dataclass(frozen=True, kw_only=True)
class KindCost:
    """The cost of a kind of error.

    Attributes:
        kind: one of `ERRORS`.
        count: the number of errors.
        split, merged, nested: the number of errors with these marks, see `MatchedSpans`.
        fixed: the score after all of these errors are corrected: wrong spans are replaced by their reference spans,
            missing spans are added, spurious spans are removed.
        gain: `fixed` minus the score of the output.
        fixed_interval, gain_interval: confidence intervals over documents; None without resampling.
    """

    kind: str
    count: int
    split: int
    merged: int
    nested: int
    fixed: float
    gain: float
    fixed_interval: tuple[float, float] | None = None
    gain_interval: tuple[float, float] | None = None

    @property
    def boundary(self) -> str:
        """The boundary if this kind is a part of `wrong_boundary`; otherwise empty."""
        return self.kind.partition("wrong_boundary_")[2]


@dataclass(frozen=True)
class Costs:
    """A system's score, and the cost of each kind of error.

    Attributes:
        key: the key of the main score.
        score: the main score of the output.
        interval: its confidence interval over documents; None without resampling.
        kinds: the kinds of errors, the largest gain first; parts of a kind come after it.
    """

    key: str
    score: float
    interval: tuple[float, float] | None
    kinds: tuple[KindCost, ...]


_NOW = ""
"""The key of the uncorrected output among the corrected outputs."""


def costs(measure: AlignedMeasure, matched: MatchedSpans, resampling: Resampling | None) -> Costs:
    """Compute the cost of each kind of error.

    The gains do not add up to 1 minus the score, because F1 is not a sum. All scores use the same resampled corpora. A
    correction changes only the documents that have such errors, so only these are counted again.

    Args:
        measure: the measure; costs are changes of its main score.
        matched: the spans of both sides.
        resampling: how intervals are computed; None computes no intervals. With a single document there are none
            either.

    Raises:
        InputError: if the measure is undefined for the output or a corrected output, or if its counts cannot be
            summed over documents.
    """
    now = measure.count(matched.alignment)
    if now.rows or measure.counts_type is not Counts:
        problem = f"costs of errors cannot be computed with {measure.name}: its counts cannot be summed over documents."
        remedy = f"Set {mention('measure')} to another measure, such as span_f with its default options."
        raise InputError(problem, remedy, option="measure")
    flags = {kind: matched.flags(kind) for kind in ERRORS}
    changes = {kind: _change(measure, matched, of_kind) for kind, of_kind in flags.items() if of_kind.any()}
    names, columns, shared = (*now.columns, *now.shared), dict(now.columns), dict(now.shared)
    for kind, change in changes.items():
        columns |= {f"{kind} {name}": column for name, column in change.columns.items()}
        shared |= {f"{kind} {name}": values for name, values in change.shared.items()}

    def scored(totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the main score of the output, and with each kind corrected."""
        outputs = {_NOW: {name: totals[name] for name in names}}
        for kind in changes:
            outputs[kind] = {name: totals[name] + totals[f"{kind} {name}"] for name in names}
        return {kind: measure.score_totals(sums)[measure.headline] for kind, sums in outputs.items()}

    def interval(estimate: Estimate) -> tuple[float, float] | None:
        return None if resampling is None else defined_interval(estimate.interval(resampling.confidence))

    # counted together, so that all scores come from the same resampled corpora
    together = replace(now, columns=columns, shared=shared)
    estimates = {kind: each[0] for kind, each in measure.joint_estimates([together], resampling, scored).items()}
    own = estimates[_NOW]
    kinds = []
    for kind, of_kind in flags.items():
        fixed = estimates.get(kind, own)
        kinds.append(
            KindCost(
                kind=kind,
                count=int(of_kind.sum()),
                **{mark: int(matched.flags(mark)[of_kind].sum()) for mark in MARKS},
                fixed=float(fixed.point),
                gain=float(fixed.point - own.point),
                fixed_interval=interval(fixed),
                gain_interval=interval(fixed - own),
            )
        )
    by_gain = sorted(kinds, key=lambda cost: (-cost.gain if measure.higher_is_better else cost.gain, -cost.count))
    parts = [cost for cost in by_gain if cost.boundary]
    whole = [cost for cost in by_gain if not cost.boundary]
    place = [cost.kind for cost in whole].index("wrong_boundary") + 1
    return Costs(measure.headline, float(own.point), interval(own), (*whole[:place], *parts, *whole[place:]))


def _change(measure: AlignedMeasure, matched: MatchedSpans, flags: np.ndarray) -> Counts:
    """Compute the counts to add if the errors in flagged rows are corrected."""
    alignment = matched.alignment
    there = np.zeros(alignment.documents, dtype=bool)
    there[matched.document[flags]] = True
    references, predictions = alignment.references, alignment.predictions
    of_references, of_predictions = there[references.document], there[predictions.document]
    kept, added = of_predictions.copy(), np.zeros(len(references), dtype=bool)
    kept[matched.prediction[flags & (matched.prediction >= 0)]] = False
    added[matched.reference[flags & (matched.reference >= 0)]] = True
    reference = references.take(of_references)
    fixed = united(predictions.take(kept), references.take(added))
    before = measure.count(alignment.of_sides(reference, predictions.take(of_predictions)))
    try:
        after = measure.count(alignment.of_sides(reference, fixed))
    except InputError as error:
        # the corrected spans are not in the user's input
        problem = f"after correcting the errors of one kind, {error.problem}"
        remedy = f"Set {mention('measure')} to a measure without this limit, such as span_f."
        raise replace(error, problem=problem, remedy=remedy, option="measure") from None
    # sum before joining, because most spans are equal in both
    summed = before.summed().columns
    # sums may be small unsigned integers
    removed = {name: replace(column, value=column.values * np.int64(-1)) for name, column in summed.items()}
    shared = {name: values - before.shared[name] for name, values in after.shared.items()}
    return replace(after, columns=join_columns([after.summed().columns, removed]), shared=shared).summed()


def united(side: SideSpans, other: SideSpans) -> SideSpans:
    """Merge the spans of two sides of the same corpus, with their copies, into one side, in order."""

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(side, name), getattr(other, name)])

    pieces = None
    if not (side.contiguous and other.contiguous):
        first, second = side.intervals, other.intervals
        columns = (first.span, len(side) + second.span), (first.start, second.start), (first.end, second.end)
        pieces = Pieces(*map(np.concatenate, columns))
    copies = None if side.copies is None and other.copies is None else joined("times")
    both = SideSpans(joined("document"), joined("label"), joined("start"), joined("end"), pieces, copies)
    # orders the pieces, too
    return both.take(np.lexsort((both.end, both.start))).moved(np.zeros(len(both), dtype=np.int64))


PAIR_CHOICES = {
    "overlap": "all pairs of spans that share tokens",
    "exact": "only pairs with the same boundaries; all other spans count as missing or spurious",
}
"""The choices of pairs for a confusion matrix, with explanations."""

MISSING, SPURIOUS = "missing", "spurious"
"""The names of the last column (unmatched reference spans) and of the last row (unmatched predicted spans)."""


class Confusion(Result, kw_only=False):
    """The number of spans with each reference label and each predicted label.

    Each row adds up to the reference spans of a label, each column to the predicted spans of a label.

    Attributes:
        labels: the labels that occur on either side.
        pairs: the choice of pairs, see `PAIR_CHOICES`.
        counts: int64, shape (labels + 1, labels + 1): a row for each reference label and one for spurious spans, and a
            column for each predicted label and one for missing spans.
        about: columns that name the system in tables.
    """

    labels: tuple[str, ...]
    pairs: str
    counts: np.ndarray
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, matched: MatchedSpans, pairs: str, about: Mapping[str, str] | None = None) -> Self:
        """Count the pairs of labels."""
        names = matched.alignment.labels
        size = len(names) + 1
        row, column = matched.reference_label % size, matched.predicted_label % size
        apart = (matched.boundary > 0) & (pairs == "exact")
        # of a pair apart, the reference span is missing and the predicted span is spurious
        cells = [row * size + np.where(apart, len(names), column), len(names) * size + column[apart]]
        counts = np.bincount(np.concatenate(cells), minlength=size * size).reshape(size, size)
        there = np.flatnonzero((counts.sum(axis=0) + counts.sum(axis=1))[:-1] > 0)
        kept = np.append(there, len(names))
        return cls(tuple(names[label] for label in there.tolist()), pairs, counts[np.ix_(kept, kept)], about or {})

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows."""
        return (*map(_named, self.labels), SPURIOUS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (*map(_named, self.labels), MISSING)

    def confused(self) -> list[tuple[str, str, int]]:
        """List each reference label with a different predicted label and their number, the most frequent first."""
        pairs = zip(*(each.tolist() for each in confused_pairs(self.counts)), strict=True)
        return [(self.labels[row], self.labels[column], number) for row, column, number in pairs]

    def parts(self) -> Iterator[Part]:
        """Yield the matrix."""
        yield self.table()

    def table(self) -> Table:
        """Return a table with a row for each reference label and a column for each predicted label."""
        title, about = f"{self.pairs}: reference", {**self.about, "pairs": self.pairs}
        return matrix_table(title, self.rows, self.columns, self.counts, names="reference", about=about)

    def confused_table(self) -> Table:
        """Return a table of confusions of two labels, the most frequent first."""
        rows = [((reference, "cyan"), predicted, number) for reference, predicted, number in self.confused()]
        about = {**self.about, "pairs": self.pairs}
        return Table.of("reference", amounts("predicted", "spans"), rows, left=2, kind="confused", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {"labels": list(self.labels), "pairs": self.pairs, "counts": self.counts.tolist()}


def confused_pairs(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List the pairs of different labels in a matrix, the most frequent first: rows, columns, and numbers of spans."""
    apart = counts[:-1, :-1] * (1 - np.eye(len(counts) - 1, dtype=np.int64))
    rows, columns = np.nonzero(apart)
    order = np.argsort(-apart[rows, columns], kind="stable")
    return rows[order], columns[order], apart[rows, columns][order]


def matrix_table(title: str, rows: Sequence[str], columns: Sequence[str], counts: np.ndarray, **options: Any) -> Table:
    """Return a table of a matrix of counts; the last cell (no span on either side) is empty."""
    cells: list[list[Any]] = [[(name, "cyan"), *values] for name, values in zip(rows, counts.tolist(), strict=True)]
    cells[-1][-1] = None
    return Table.of(
        title, [TableColumn(name, name, "amount", named=True) for name in columns], cells, kind="confusion", **options
    )


def _named(label: str) -> str:
    """Return the name of a label, in quotes if another row or column has this name."""
    return repr(label) if label in (MISSING, SPURIOUS, "reference", "pairs", "system") else label


ANSWER_KINDS = {kind: COUNTS[kind] for kind in ("absent", "surplus", "outside", "broken")}
"""The kinds of errors of generated answers, with explanations."""


class KindOfAnswer(NamedTuple):
    """The number of errors of one kind.

    Attributes:
        number: the number of items; for broken answers, the number of answers.
        predicted: the number of these items that count as predicted spans, whether or not they are in the text.
    """

    number: int
    predicted: int


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The errors of one system's answers, in addition to the errors of its spans.

    They depend only on texts and answers, not on the reference. An item with an unrequested label has the kind
    `outside`; it can also be absent or surplus. If the grounding policy drops an item, it is counted here but is no
    predicted span. If the policy keeps an item that is not in the text, this is a spurious span.

    Attributes:
        grounded: the grounded answers.
    """

    grounded: Grounded

    @cached_property
    def kinds(self) -> dict[str, KindOfAnswer]:
        """The number of errors of each kind, see `ANSWER_KINDS`."""
        numbers, predicted = Counter[str](), Counter[str]()
        for answer in outcomes_by_answer(self.grounded):
            broken = ["broken"] if answer.read.broken else []
            numbers.update(broken)
            for outcome in answer.outcomes:
                kinds = self.kinds_of(outcome)
                numbers.update(kinds)
                predicted.update([*broken, *kinds] if outcome.wrong or outcome.kind == "placed" else [])
        return {kind: KindOfAnswer(numbers[kind], predicted[kind]) for kind in ANSWER_KINDS}

    def kinds_of(self, outcome: Outcome) -> list[str]:
        """Return the kinds of errors of an item."""
        labels = self.grounded.source.asked_labels
        outside = labels is not None and outcome.item.label not in labels
        return [kind for kind in ("absent", "surplus") if kind == outcome.kind] + ["outside"] * outside

    def answers(self) -> Iterator[AnswerOutcomes]:
        """Yield the answers with errors."""
        for answer in outcomes_by_answer(self.grounded):
            if answer.read.broken or any(map(self.kinds_of, answer.outcomes)):
                yield answer

    def table(self, about: Mapping[str, str] | None = None) -> Table:
        """Return a table with a row for each kind; `about` has the columns that name the system."""
        rows = [((kind, "cyan"), *numbers) for kind, numbers in self.kinds.items()]
        columns = amounts("number", predicted="of these\npredicted")
        return Table.of("error of answers", columns, rows, kind="answers", names="error", about=about or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the counts of the answers, and the number of errors of each kind."""
        return {**self.grounded.total, "kinds": {kind: numbers._asdict() for kind, numbers in self.kinds.items()}}
