"""Errors of systems: of which kind, at which labels, and what each kind costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Never, Self

import numpy as np

from ..alignment.matched_spans import MatchedSpans
from ..alignment.overlaps import Alignment, order_of_line
from ..arrays import plain
from ..counts.statistics import Resampling
from ..errors import InputError, counted, on_side, require_choice, require_no_more, shown
from ..measures.registry import MEASURES, read_measures
from ..options import check_options, option, require_known
from ..readers.pairing import Pairing
from ..readers.sides import read_sides
from ..spans.spans import Spans
from ..tables.result import Result
from ..tables.table import Copyable, Part, Table
from ..tags.schemes import LabelChoice
from .answer_errors import AnswerErrors
from .bucket_tables import BucketReport, score_buckets
from .buckets import buckets_of, read_training
from .comparison import REFERENCES, SYSTEM
from .confusion import EXTENT_CHOICES
from .consistency import Inconsistencies, inconsistencies
from .contexts import Context, context_of_documents, context_of_words
from .error_differences import Difference, SharedErrors
from .error_examples import ErrorChoice, ErrorExamples
from .error_kinds import ErrorKinds
from .error_tables import beside_table, cost_table, label_table, legend, mark_table, score_table, share_table

_WIDEST = 12
"""Confusion matrices of more labels are not printed, but for the labels that are taken for another most often."""

_MOST_CONFUSED = 20


@dataclass(frozen=True, kw_only=True)
class Matching:
    """How spans are matched for errors."""

    min_overlap: float = option(
        0.0,
        help="the least share of a reference span that a predicted span must cover to be matched with it; by default "
        "one token is enough",
        kind=float,
        low=0,
        high=1,
        metavar="SHARE",
    )

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SystemErrors(ErrorKinds, Result):
    """The errors of one system.

    Its tables are `costs` and `marks`, a row for each kind of error; `answers`, what only answers of language models
    get wrong; `kinds`, a row for each label with the spans of each kind, and `shares` with their shares; `scores`, the
    score and the number of spans; `confusion`, and `confused`, the labels that are taken for another.

    Attributes:
        references, predictions: the spans of both sides, with common labels.
        context: the words and lines of the documents, as far as they are known.
        choice: which labels are scored, and as what; for training sets.
        answers: what is wrong with the answers that the spans were made of; None for spans.
    """

    references: Spans
    predictions: Spans
    context: Context = field(default_factory=Context)
    choice: LabelChoice = field(default_factory=LabelChoice)
    answers: AnswerErrors | None = None

    def examples(self, **choice: Any) -> ErrorExamples:
        """Return the errors with their words in context, those on the most frequent strings first.

            found.only.examples(kind="wrong_label", label="ORG", predicted="LOC").to_json_lines()

        Args:
            **choice: which errors, and how many, see `ErrorChoice`.
        """
        known = [field.name for field in fields(ErrorChoice)]
        require_known(choice, known, "examples")
        sides = self.references, self.predictions
        return ErrorExamples.of(self.matched, sides, self.context, ErrorChoice(**choice), system=self.name)

    def buckets(self, *, train: Any = None, by: Mapping[str, Any] | None = None) -> BucketReport:
        """Return the scores of parts of the spans, by `span_f`, with intervals, see `buckets.buckets_of`.

        Args:
            train: a training set, as `spanometer.read` gives it, or its spans and their wording: recall on mentions
                that were in it and on others.
            by: values by name: one for each document, or a list of one for each token.
        """
        right = np.empty(len(self.references), dtype=bool)
        right[order_of_line(self.references)] = self.matched.alignment.equal
        sides = self.references, self.predictions
        known = read_training(train)
        if known is not None:
            (chosen,) = self.choice.of(known[0], warn=False)
            known = chosen, known[1]
        buckets = buckets_of(*sides, self.context.wording, known, by)
        return BucketReport(score_buckets(buckets, *sides, right, self.resampling))

    def parts(self) -> Iterator[Part]:
        """Return what each kind costs, the kinds by label, the labels that are taken for another, and the legend."""
        yield from self.lines()
        yield from ("", *legend(self.measure, self.resampling, self.references.documents))

    def lines(self, *, matrices: bool = False) -> Iterator[Part]:
        """Return the same without the legend.

        Args:
            matrices: whether the confusion matrices are there however many labels there are.
        """
        yield score_table(self)
        answered = [] if self.answers is None else [self.answers.table(self.name)]
        for table in (cost_table(self), *answered, mark_table(self), label_table(self), share_table(self)):
            yield from ("", table)
        overlap = self.confusion()
        if matrices or len(overlap.labels) <= _WIDEST:
            yield from ("", overlap.table(), "", self.confusion("exact").table())
        else:
            yield from ("", overlap.confused_table(_MOST_CONFUSED))

    def tables(self) -> list[Table]:
        """Return all tables."""
        overlap = self.confusion()
        matrices = [overlap.table(), self.confusion("exact").table()]
        return [
            cost_table(self),
            mark_table(self),
            label_table(self),
            share_table(self),
            score_table(self),
            *matrices,
            overlap.confused_table(_MOST_CONFUSED),
            *([] if self.answers is None else [self.answers.table(self.name)]),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        found: dict[str, Any] = plain(asdict(self.costs))
        return {
            "reference_spans": len(self.references),
            "predicted_spans": len(self.predictions),
            "kinds": self.counts,
            "per_label": self.per_label,
            "costs": found,
            **({} if self.answers is None else {"answers": self.answers.to_dict()}),
            "confusion": {extents: self.confusion(extents).to_dict() for extents in EXTENT_CHOICES},
        }


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Errors(Result):
    """The errors of one or more systems on the same documents.

    Its tables are those of each system, see `SystemErrors`; of several also `beside`, the numbers of each kind beside
    each other, `shared`, the errors that all make and those that only one makes, and `differences` of two.

    Attributes:
        documents, tokens: the size of the corpus; tokens is None if the documents' lengths are not known.
        systems: the errors of each, by name; the only one is called `prediction`.
        signature: how the spans were read and matched.
        unit: what tokens are: `token`, or `character` if spans are counted in these.
    """

    documents: int
    tokens: int | None
    systems: Mapping[str, SystemErrors]
    signature: str
    unit: str = "token"

    @property
    def only(self) -> SystemErrors:
        """The errors of the only system; an `InputError` if there are several."""
        if len(self.systems) > 1:
            names = ", ".join(map(repr, self.systems))
            raise InputError(f"there are {len(self.systems)} systems.", f"Choose one of systems: {names}.")
        return next(iter(self.systems.values()))

    @cached_property
    def shared(self) -> SharedErrors:
        """Every error with what each system makes of its span: which all make, which only one."""
        found = {name: (system.matched, system.predictions) for name, system in self.systems.items()}
        return SharedErrors.of(next(iter(self.systems.values())).references, found)

    @cached_property
    def inconsistencies(self) -> Inconsistencies:
        """Strings to which the reference gives several labels, of which the rare ones are probable errors."""
        first = next(iter(self.systems.values()))
        return Inconsistencies(inconsistencies(first.references, first.context))

    def with_context(self, context: Context) -> Self:
        """Return the same errors with the words and lines of their documents."""
        systems = {
            name: replace(found, context=context.fitting(found.references)) for name, found in self.systems.items()
        }
        return replace(self, systems=systems)

    def difference(self, one: str, other: str) -> Difference:
        """Return the difference between two systems, error by error: fixed, new, and of another kind.

        Args:
            one, other: the names of the systems; an error is fixed if only the first makes it.
        """
        for name in (one, other):
            require_choice("system", name, self.systems)
        return self.shared.difference(one, other)

    def parts(self) -> Iterator[Part]:
        """Return the size, the tables of each system, of several how they differ, and the legend."""
        yield self.size
        yield from self.lines()

    @property
    def size(self) -> str:
        """The size of the corpus in words."""
        size = counted(self.documents, "document")
        return size if self.tokens is None else f"{size}, {counted(self.tokens, self.unit)}"

    def lines(self, *, matrices: bool = False) -> Iterator[Part]:
        """Return the same without the size, see `SystemErrors.lines`."""
        several = len(self.systems) > 1
        for found in self.systems.values():
            yield ""
            yield from found.lines(matrices=matrices)
        if several:
            yield from ("", beside_table(self), "", self.shared.table())
            for one, other in combinations(self.systems, 2):
                yield from ("", self.difference(one, other).table())
        first = next(iter(self.systems.values()))
        yield from ("", *legend(first.measure, first.resampling, self.documents), "")
        yield Copyable(self.signature)

    def tables(self) -> list[Table]:
        """Return all tables."""
        found = [table for system in self.systems.values() for table in system.tables()]
        if len(self.systems) == 1:
            return found
        pairs = [self.difference(*pair).table() for pair in combinations(self.systems, 2)]
        return [*found, beside_table(self), self.shared.table(), *pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        several = {}
        if len(self.systems) > 1:
            pairs = [self.difference(*pair).to_dict() for pair in combinations(self.systems, 2)]
            several = {"shared": self.shared.to_dict(), "differences": pairs}
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            "systems": {name: found.to_dict() for name, found in self.systems.items()},
            **several,
            "signature": self.signature,
        }


ONLY = "prediction"
"""What the only system is called."""


def errors(
    references: Any,
    predictions: Any,
    *more: Never,
    measure: Any = "span_f",
    min_overlap: float = 0.0,
    scheme: str | None = None,
    repair: str = "conlleval",
    prefix: bool = True,
    id2label: Any = None,
    ignore_index: int | None = -100,
    lengths: Any = None,
    words: Any = None,
    pairing: Pairing | None = None,
    label_map: Mapping[str, str] | None = None,
    ignore_labels: Sequence[str] | None = None,
    confidence: float | None = 0.95,
    interval_method: str = "bca",
    n_resamples: int = 1000,
    seed: int = 0,
) -> Errors:
    """Find what is wrong with predicted spans: of which kind, at which labels, and what each kind costs.

        found = spanometer.errors(references, predictions)
        found.only.counts["missing"], found.only.per_label["ORG"]["wrong_label"], found.only.costs.kinds[0].gain
        found.only.confusion("exact").to_csv(), found.only.matched.to_frame()

        found = spanometer.errors(references, {"old": old, "new": new})
        found.shared.to_frame(), found.difference("old", "new")

    Reference and predicted spans are matched one to one, see `MatchedSpans`: a pair is `correct`, or has the
    `wrong_label`, the `wrong_extent` (`shorter`, `longer`, `shifted`) or both; a span without a partner is `missing` or
    `spurious`. Every span is in one pair or alone, so that the kinds sum to the spans of each side.

    Args:
        references: a list of tag lists (or `Tags`, or an Arrow column of them), of lists of spans, `Spans`, or a file
            that `spanometer.read` gives.
        predictions: a system's output in one of these forms; or a mapping with those of several systems by name.
        measure: what errors cost is told in the headline of this measure, by name or with options of its own
            (`SpanF(average="macro")`).
        min_overlap: the least share of a reference span that a predicted span must cover to be matched with it.
        scheme, repair, prefix, id2label, ignore_index, lengths: of tags and spans, see `compare`.
        words: the words of each document, for examples and buckets by string; files bring their own.
        pairing: of files, how they are brought into one unit.
        label_map, ignore_labels: which labels are scored, and as what, see `schemes.LabelChoice`.
        confidence: the level of the intervals of costs, over documents; None makes none.
        interval_method, n_resamples, seed: of the intervals, see `statistics.Resampling`.

    Raises:
        InputError: for wrong options, for no systems, and for annotations that cannot be read or matched.
    """
    require_no_more(more, "Pass several systems together by their names, {'old': ..., 'new': ...}.")
    chosen = Matching(min_overlap=min_overlap)
    resampling = Resampling.chosen(
        confidence=confidence, interval_method=interval_method, n_resamples=n_resamples, seed=seed
    )
    choice = LabelChoice(label_map=label_map, ignore_labels=ignore_labels)
    asked = list(read_measures(measure, MEASURES).values())
    if len(asked) != 1:
        raise InputError("costs are told in one measure.", "Name one.", option="measure")
    read = read_sides(
        _sides(references, predictions),
        pairing,
        choice,
        scheme=scheme,
        repair=repair,
        prefix=prefix,
        lengths=lengths,
        id2label=id2label,
        ignore_index=ignore_index,
    )
    spans, reading = read.with_common_labels(), read.reading
    reference = spans.pop(REFERENCES)
    several = isinstance(predictions, Mapping)
    systems = {}
    for name, side in spans.items():
        bare = name.removeprefix(SYSTEM)
        systems[bare] = SystemErrors(
            name=bare if several else "",
            references=reference,
            predictions=side,
            matched=on_side(name, MatchedSpans.of, Alignment(reference, side), min_overlap=chosen.min_overlap),
            measure=asked[0],
            resampling=resampling,
            choice=choice,
            answers=AnswerErrors(read.grounded[name]) if name in read.grounded else None,
        )
    known = reference.lengths
    found = Errors(
        documents=reference.documents,
        tokens=None if known is None else int(known.sum()),
        systems=systems,
        unit=str(reading.get("unit", "token")),
        signature=asked[0].signature({**reading, "min_overlap": chosen.min_overlap}, resampling),
    )
    if read.file is None:
        return found.with_context(context_of_words(words))
    # as it was paired: without documents that others lack, with the tokens that were made
    return found.with_context(context_of_documents(read.file, reading, read.mentions_behind()))


def _sides(references: Any, predictions: Any) -> dict[str, Any]:
    """Return the reference and the systems by the names that errors call them."""
    systems = {ONLY: predictions}
    if isinstance(predictions, Mapping):
        systems = {f"{SYSTEM}{name}": output for name, output in predictions.items()}
        unnamed = [name for name in predictions if not isinstance(name, str) or not name]
        if unnamed or not systems:
            problem = f"{shown(unnamed[0])} is not the name of a system." if unnamed else "there are no systems."
            raise InputError(problem, "Pass the output of each system by its name, {'old': ..., 'new': ...}.")
    return {REFERENCES: references, **systems}
