"""Results of measures: counts, block by block, and scores of the corpus, of labels and of documents."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import count, pairwise
from typing import Any, Self, TypeVar

import numpy as np

from ...alignment.overlaps import overlap_each_other
from ...arrays import offsets_by, plain
from ...counts.counts import Column, Counts
from ...counts.statistics import AVERAGES, FEW_DOCUMENTS, FEW_WITH_LABEL, Resampling
from ...documents.document_file import DocumentFile
from ...exceptions import InputError, counted, first_of, require_sides
from ...measures.aligned import counter
from ...measures.base import Measure
from ...spans.entities import Entities
from ...spans.spans import Spans
from ...tables.table import UNRELIABLE, Table, TableColumn, amounts

Part = TypeVar("Part")

Progress = Callable[[Sequence[Any]], Iterable[Any]]
"""A function that wraps a sequence, for a progress bar."""

_BLOCK = 1 << 17
"""The approximate number of spans, of all sides, that are aligned at a time."""

_LACKING = {
    "lengths": "the documents' lengths are not known",
    "contiguous": "some spans are discontinuous",
    "disjoint": "spans of one label overlap",
}
"""The reason why a measure is undefined, for each condition in `Measure.needs`."""


def condensed_sum(counts: Any, others: Any) -> Any:
    """Add the counts of two parts of a corpus, and condense the sum, see `Counts.condensed`."""
    return (counts + others).condensed()


def count_measures(
    references: Any, predictions: Any, measures: Sequence[Any], *, per_document: bool, progress: Progress = iter
) -> list[Counts]:
    """Compute the counts of both sides for each measure.

    Measures of spans use the same alignment of a block of documents.

    Integer counts are the same as `Measure.counts` gives; floats may differ by rounding. If counts of parts cannot be
    added for a measure, it counts the whole corpus at once.

    Args:
        references, predictions: spans, entity trees or attributes of both sides. Spans and entity trees are counted in
            blocks.
        measures: the measures.
        per_document: whether to keep the counts of each document if there are several blocks.
        progress: a function that wraps a sequence, for a progress bar.

    Raises:
        InputError: if the two sides do not annotate the same documents, or if a measure is undefined.
    """
    sides, split = [references, predictions], list[Any]()
    if isinstance(references, (Spans, Entities)):
        require_sides(type(references), *sides)
        split = list(filter(_comes_in_parts, measures)) if len(blocks_of(sides)) > 1 else []
    if not split:
        return list(map(counter(*sides), progress(measures)))
    sums = count_in_blocks(
        sides, lambda block: list(map(counter(*block), split)), per_document=per_document, progress=progress
    )
    places: list[Column] = []
    in_parts = {id(measure): counts.sharing(places) for measure, counts in zip(split, sums, strict=True)}
    # align the whole corpus only if a measure needs it
    whole = None if len(split) == len(measures) else counter(*sides)
    return [
        in_parts[id(measure)] if whole is None or id(measure) in in_parts else whole(measure) for measure in measures
    ]


def sum_of_parts(parts: Iterable[Part], add: Callable[[Part, Part], Part] = condensed_sum) -> Part:
    """Add up one or more parts of a corpus. Like a binary counter, always add two sums of equally many parts.

    So at most log n partial sums of n parts are in memory, and floats lose little precision. Rows and counts of
    documents are copied only log n times.
    """
    stack: list[tuple[int, Part]] = []
    for part in parts:
        size = 1
        while stack and stack[-1][0] == size:
            size, part = 2 * size, add(stack.pop()[1], part)
        stack.append((size, part))
    return reduce(lambda later, earlier: add(earlier, later), [part for _, part in reversed(stack)])


def blocks_of(sides: Sequence[Spans | Entities]) -> list[tuple[int, int]]:
    """Divide documents into blocks with a limited number of spans.

    Returns first and last document (exclusive) of each.
    """
    documents = sides[0].documents
    spans = np.sum([offsets_by(side.document, documents) for side in sides], axis=0)
    ends = np.unique(np.searchsorted(spans, np.arange(_BLOCK, spans[-1], _BLOCK)))
    return list(pairwise([0, *ends[ends < documents].tolist(), documents]))


def count_in_blocks(
    sides: Sequence[Any], count: Callable[[list[Any]], list[Counts]], *, per_document: bool, progress: Progress = iter
) -> list[Counts]:
    """Count all sides block by block, and add up the counts; errors give the document's number in the corpus.

    Args:
        sides: spans or entity trees of the same documents.
        count: a function that computes one or more counts of the sides of a block.
        per_document: whether to keep the counts of each document if there are several blocks.
        progress: a function that wraps the blocks, for a progress bar.
    """
    blocks = blocks_of(sides)
    shrink = operator.methodcaller("summed" if per_document else "condensed")
    add = operator.add if per_document else condensed_sum

    def of_block(block: tuple[int, int]) -> list[Counts]:
        try:
            counts = count([side.between(*block) for side in sides])
        except InputError as error:
            raise in_whole(error, block[0]) from None
        return counts if len(blocks) == 1 else list(map(shrink, counts))

    return sum_of_parts(map(of_block, progress(blocks)), lambda counts, others: list(map(add, counts, others)))


def documents_and_tokens(*sides: Any) -> dict[str, Any]:
    """Return the numbers of documents and of tokens (None if no side has lengths) of sides with the same documents."""
    lengths_of_sides = (getattr(side, "lengths", None) for side in sides)
    tokens = next((int(lengths.sum()) for lengths in lengths_of_sides if lengths is not None), None)
    return {"documents": sides[0].documents, "tokens": tokens}


def sizes_of(references: Any, predictions: Any) -> dict[str, Any]:
    """Return the numbers of documents and tokens, see `documents_and_tokens`, and of the spans of both sides."""
    spans = {"reference_spans": len(references), "predicted_spans": len(predictions)}
    return {**documents_and_tokens(references, predictions), **spans}


def in_whole(error: InputError, first: int) -> InputError:
    """Convert the document number in an error from the block to the corpus."""
    return error if error.document is None else error.placed(document=error.document + first)


def _comes_in_parts(measure: Measure) -> bool:
    try:
        measure.require_parts()
    except InputError:
        return False
    return True


def notes_of(measure: Measure, counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Collect the notes on several scores (see `Measure.notes`), each with the names of its scores."""
    owners: dict[str, list[str]] = {}
    for name, of_name in counts.items():
        for note in measure.notes(of_name):
            owners.setdefault(note, []).append(name)
    return tuple(f"{first_of(names)}: {note}" for note, names in owners.items())


class SuitingMeasures(tuple[Any, ...]):
    """All measures of a kind of input, from which those are chosen that are defined for the given spans."""

    def of(self, *sides: Spans) -> tuple[list[Any], list[str]]:
        """Return the measures that are defined for the spans, and a note for each reason to leave out others."""
        lacking = {
            "lengths": all(side.lengths is None for side in sides),
            "contiguous": any(side.fragments is not None for side in sides),
            "disjoint": any(overlap_each_other(side.between(*block)) for side in sides for block in blocks_of([side])),
        }
        left_out, kept = dict[str, list[str]](), []
        for measure in self:
            if reasons := [_LACKING[need] for need, lacks in lacking.items() if lacks and need in measure.needs]:
                left_out.setdefault(" and ".join(reasons), []).append(measure.name)
            else:
                kept.append(measure)
        return kept, [f"{', '.join(measures)} left out: {reason}." for reason, measures in left_out.items()]


class NamedDocuments:
    """The names and first lines of the documents of a file, in order.

    Attributes:
        names: the names of the documents; None if they have none, or without a file.
        lines: the first line of each document in the file; empty without a file.
    """

    def __init__(self, file: DocumentFile | None = None) -> None:
        self.names = None if file is None else file.documents.ids
        self.lines = np.zeros(0, dtype=np.int64) if file is None else file.document_lines

    def with_names(
        self, columns: Sequence[TableColumn], values: Sequence[Any]
    ) -> tuple[list[TableColumn], list[tuple[Any, ...]]]:
        """Add names and lines to the columns and values of a table of documents."""
        # if each document has its own file, all begin on line 1
        lines = self.lines if self.names is None or any(line != 1 for line in self.lines) else ()
        line = [lines] if len(lines) and values else []
        rows = zip(*line, *values, strict=True)
        names = map(str, count(1)) if self.names is None else self.names
        named = [(name, *row) for name, row in zip(names, rows, strict=False)]
        return [*amounts(*(["line"] if line else [])), *columns], named

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        lines = {"document_lines": plain(self.lines)} if len(self.lines) else {}
        return {**({} if self.names is None else {"document_names": list(self.names)}), **lines}


@dataclass(frozen=True)
class MeasureResult:
    """The result of one measure.

    Attributes:
        measure: the measure with its options.
        scores: its scores by key.
        counted: its counts, from which scores of labels and averages are computed when they are needed.
        signature: the measure, its options and the options of reading.
        intervals: lower and upper bounds of the scores; empty without resampling.
        notes: notes for readers of the scores, see `Measure.notes`.
        resampling: how intervals were computed; None if there are none.
        name: the name of the result.
    """

    measure: Measure
    scores: Mapping[str, Any]
    counted: Counts = field(repr=False, compare=False)
    signature: str
    intervals: Mapping[Any, tuple[float, float]]
    notes: Sequence[str]
    resampling: Resampling | None
    name: str

    def __getattr__(self, name: str) -> Any:
        """Return a score, as in `report["span_f"].f1`."""
        scores = self.__dict__.get("scores", {})
        if name not in scores:
            values = f" Its values are {', '.join(scores)}." if scores else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{values}")
        return scores[name]

    @classmethod
    def of(
        cls, measure: Measure, counts: Counts, reading: Mapping[str, Any], resampling: Resampling | None = None
    ) -> Self:
        """Compute the result from counts; `reading` (how the input was read) becomes part of the signature.

        Scores by attribute contain their intervals, see `Measure.with_intervals`.
        """
        scores: Mapping[str, Any] = measure.score(counts)
        intervals: Mapping[str, tuple[float, float]] = {}
        if resampling is not None and measure.input == "attributes":
            scores = measure.with_intervals(scores, counts, resampling)
        elif resampling is not None:
            intervals = measure.intervals(counts, resampling)
        signature = measure.signature(reading, resampling)
        notes = measure.notes(counts)
        return cls(measure, scores, counts, signature, intervals, notes, resampling, measure.name)

    @property
    def confidence(self) -> float | None:
        """The level of the intervals; None if there are none."""
        return None if self.resampling is None else self.resampling.confidence

    @cached_property
    def counts(self) -> dict[str, int | float]:
        """The counts, summed."""
        return self.counted.total()

    @cached_property
    def per_label(self) -> dict[str, dict[str, float | int]]:
        """The scores of each label, with its number of reference spans as `support`."""
        return self.measure.score_per_label(self.counted)

    @cached_property
    def label_counts(self) -> dict[str, dict[str, int | float]]:
        """The counts of each label, summed."""
        return self.counted.by_label(shared=True)

    @cached_property
    def label_intervals(self) -> Mapping[str, Mapping[str, tuple[float, float]]]:
        """The intervals of each label's scores; empty without resampling."""
        return {} if self.resampling is None else self.measure.label_intervals(self.counted, self.resampling)

    @cached_property
    def documents_by_label(self) -> dict[str, int]:
        """The number of documents with each label; empty without intervals."""
        return {} if self.resampling is None else self.counted.documents_by_label()

    @property
    def rare_labels(self) -> list[str]:
        """The labels with unreliable intervals."""
        return rare(self.documents_by_label)

    @cached_property
    def averages(self) -> dict[str, Self]:
        """The results of this measure with each average over labels; empty if its scores are by attribute."""
        if is_by_attribute(self.scores):
            return {}
        measures = [replace(self.measure, average=each) for each in dict.fromkeys([*AVERAGES, self.measure.average])]
        results = (self.of(measure, self.counted, {}, self.resampling) for measure in measures)
        return {each.measure.average: replace(each, name=self.name) for each in results}

    @cached_property
    def per_document(self) -> dict[str, np.ndarray]:
        """The scores of each document, shape (documents); NaN if neither side has a span there."""
        return self.measure.document_scores(self.counted)

    @property
    def rows(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, tuple[float, float]]]]:
        """The scores and their intervals by the name of the result; or by attribute, if there are scores of each."""
        if not is_by_attribute(self.scores):
            return {self.name: (self.scores, self.intervals)}
        keys = [key for key in self.measure.keys if self.resampling is not None and not self.measure.results[key].whole]
        return {
            name: (values, {key: (values[f"{key}_low"], values[f"{key}_high"]) for key in keys})
            for name, values in self.scores.items()
        }

    @property
    def has_undefined_interval(self) -> bool:
        """Whether an interval is NaN."""
        return any(math.isnan(low) for _, intervals in self.rows.values() for low, _ in intervals.values())

    def named_values(self, *, per_label: bool = False) -> Iterator[tuple[str, float]]:
        """Yield the name and the number of each score, see `Report.flat`."""
        for key, value in self.scores.items():
            if isinstance(value, Mapping):
                # `key` is an attribute here
                yield from ((f"{self.name}_{key}_{inner}", number) for inner, number in value.items())
            else:
                yield result_key(self.name, self.measure, key), value
        for key, (low, high) in self.intervals.items():
            yield f"{result_key(self.name, self.measure, key)}_low", low
            yield f"{result_key(self.name, self.measure, key)}_high", high
        # the values of attributes are in `scores`
        of_labels = self.per_label if per_label and self.measure.input != "attributes" else {}
        for label, values in of_labels.items():
            yield from ((label_key(self.name, self.measure, label, key), number) for key, number in values.items())

    def to_dict(self, *, per_label: bool = False, per_document: bool = False) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON, see `plain`."""
        entry: dict[str, Any] = {"scores": self.scores, "counts": self.counts, "signature": self.signature}
        entry |= {key: value for key, value in (("intervals", self.intervals), ("notes", self.notes)) if value}
        if per_label:
            entry["per_label"] = {label: self._of_label(label) for label in self.per_label}
            entry["averages"] = {
                name: {"scores": average.scores, **({"intervals": average.intervals} if average.intervals else {})}
                for name, average in self.averages.items()
            }
        if per_document:
            entry["per_document"] = self.per_document
        return dict(plain(entry))

    def _of_label(self, label: str) -> dict[str, Any]:
        values: dict[str, Any] = {**self.per_label[label], "counts": self.label_counts[label]}
        if intervals := self.label_intervals.get(label):
            values |= {"documents": self.documents_by_label[label], "intervals": intervals}
        return values


def interval_notes(documents: int) -> list[str]:
    """Warn that intervals over few documents are missing or too narrow; empty if there are enough documents."""
    size = counted(documents, "document")
    if documents < 2:
        return [f"Intervals need at least two documents, but the corpus has {size}."]
    if documents >= FEW_DOCUMENTS:
        return []
    return [
        f"Intervals over {size} are too narrow: in a simulation with 8 documents, 90 % of the 95 % intervals contained "
        "the true value."
    ]


def rare(documents: Mapping[str, int]) -> list[str]:
    """List the labels with unreliable intervals, given the number of documents with each label."""
    return [label for label, number in documents.items() if number < FEW_WITH_LABEL]


def rare_label_note(tables: Iterable[Table]) -> list[str]:
    """Return an explanation of the mark for unreliable intervals if a table has it."""
    if not any(table.unreliable for table in tables):
        return []
    return [
        f"{UNRELIABLE}: fewer than {FEW_WITH_LABEL} documents have the label, so the interval is unreliable. In a "
        "simulation, 95 % intervals contained the true value in 85 % of cases with 5 to 9 documents, and in 57 % with "
        "2 to 4."
    ]


def result_key(name: str, measure: Measure, key: str) -> str:
    """Name a score of a measure without repeating words: `span_f_f1`, `sl_icm_norm`.

    The name is measure and key; if the measure's name ends in the key, it is only the measure's name.
    """
    endings = [other for other in measure.keys if f"_{measure.name}".endswith(f"_{other}")]
    if key == max(endings, key=len, default=None):
        return name
    return name + (key.removeprefix(measure.name) if key.startswith(measure.name) else f"_{key}")


def label_key(name: str, measure: Measure, label: str, key: str) -> str:
    """Name a score of a label, see `result_key`: `span_f_PER_f1`, `sl_icm_PER_norm`."""
    return result_key(f"{name}_{label}", measure, key)


def is_by_attribute(scores: Mapping[str, Any]) -> bool:
    """Check whether a measure has scores for each attribute."""
    return any(isinstance(values, Mapping) for values in scores.values())
