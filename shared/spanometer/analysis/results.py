"""Results of measures on one pair of annotations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self, TypeVar

import numpy as np

from ..arrays import plain
from ..counts.counts import Counts
from ..counts.statistics import AVERAGES, Resampling
from ..errors import InputError, counted
from ..measures.base import Measure
from ..readers.pairing import unit_of
from ..spans.attributes import Attributes
from ..spans.entities import Entities
from ..spans.mentions import Mentions
from ..spans.spans import Spans
from ..tables.result import Result
from ..tables.table import Copyable, Part, Table
from .counting import count_measures
from .report_tables import document_tables, is_by_attribute, label_tables, score_tables, system_tables

Kind = TypeVar("Kind", bound=Measure)


@dataclass(frozen=True)
class MeasureResult:
    """The result of one measure.

    Attributes:
        measure: the measure with its options.
        scores: its headline values.
        per_label: the same for each label, with `support`.
        counts: its counts, summed.
        signature: how the values were made.
        intervals: the bounds of confidence intervals of the headline values; empty if there is no resampling.
        confidence: the intervals' level.
        notes: what a reader of the scores must know, see `Measure.notes`.
        counted: its counts, from which the values by label and the averages are computed when they are asked for.
        resampling: how intervals were made, if there are any.
        name: what the result is called; by default as the measure is.
    """

    measure: Measure
    scores: Mapping[str, Any]
    per_label: Mapping[str, Mapping[str, float | int]]
    counts: Mapping[str, int | float]
    signature: str
    intervals: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    confidence: float | None = None
    notes: Sequence[str] = ()
    counted: Counts | None = field(default=None, repr=False, compare=False)
    resampling: Resampling | None = None
    name: str = ""

    def __post_init__(self) -> None:
        """Call the result as the measure is, unless it has a name."""
        object.__setattr__(self, "name", self.name or self.measure.name)

    @classmethod
    def of(
        cls, measure: Measure, counts: Counts, reading: Mapping[str, Any], resampling: Resampling | None = None
    ) -> Self:
        """Score counts; `reading` says how the input was read, for the signature.

        Scores by attribute have their intervals beside them, see `Measure.with_intervals`.
        """
        scores: Mapping[str, Any] = measure.score(counts)
        intervals = {} if resampling is None else measure.intervals(counts, resampling)
        if measure.input == "attributes":
            scores, intervals = measure.with_intervals(scores, intervals), {}
        return cls(
            measure,
            scores,
            measure.score_per_label(counts),
            counts.total(),
            measure.signature(reading, resampling),
            intervals,
            None if resampling is None else resampling.confidence,
            measure.notes(counts),
            counts,
            resampling,
        )

    @cached_property
    def label_counts(self) -> dict[str, dict[str, int | float]]:
        """The counts of each label, summed."""
        if self.counted is None:
            return {}
        sums = {column: values.tolist() for column, values in self.counted.per_label().items()}
        return {
            label: {column: values[code] for column, values in sums.items()}
            for code, label in enumerate(self.counted.labels)
        }

    @cached_property
    def label_intervals(self) -> Mapping[str, Mapping[str, tuple[float, float]]]:
        """The intervals of each label's values; empty if there is no resampling."""
        if self.counted is None or self.resampling is None:
            return {}
        return self.measure.label_intervals(self.counted, self.resampling)

    @cached_property
    def averages(self) -> dict[str, MeasureResult]:
        """The same measure with each way to average over labels, and its own; empty if its scores are by attribute."""
        if self.counted is None or is_by_attribute(self.scores):
            return {}
        averages = dict.fromkeys([*AVERAGES, self.measure.average])
        measures = {average: replace(self.measure, average=average) for average in averages}
        return {
            average: replace(
                self,
                measure=measure,
                scores=measure.score(self.counted),
                intervals={} if self.resampling is None else measure.intervals(self.counted, self.resampling),
            )
            for average, measure in measures.items()
        }

    @cached_property
    def per_document(self) -> dict[str, np.ndarray]:
        """The headline values of each document, shape (documents); NaN where neither side has anything."""
        return {} if self.counted is None else self.measure.document_scores(self.counted)

    def without_interval(self, documents: int) -> str:
        """Return why a value has an interval that is NaN; empty if none has."""
        by_attribute = self.scores.values() if is_by_attribute(self.scores) else ()
        lows = [low for low, _ in self.intervals.values()]
        lows += [value for values in by_attribute for key, value in values.items() if key.endswith("_low")]
        if not any(map(math.isnan, lows)):
            return ""
        if documents < 2:
            return f"intervals need two documents or more, and there is {counted(documents, 'document')}"
        return f"{self.name}: a value that is not a number has no interval"

    def named_values(self, *, per_label: bool = False) -> Iterator[tuple[str, float]]:
        """Yield each value under a name of its own, see `Report.flat`."""
        for key, value in self.scores.items():
            if isinstance(value, Mapping):
                # an attribute
                yield from ((f"{self.name}_{key}_{inner}", number) for inner, number in value.items())
            else:
                yield result_key(self.name, self.measure, key), value
        for key, (low, high) in self.intervals.items():
            yield f"{result_key(self.name, self.measure, key)}_low", low
            yield f"{result_key(self.name, self.measure, key)}_high", high
        # those of attributes are there already
        of_labels = self.per_label if per_label and self.measure.input != "attributes" else {}
        for label, values in of_labels.items():
            yield from ((label_key(self.name, self.measure, label, key), number) for key, number in values.items())

    def to_dict(self, *, per_label: bool = False, per_document: bool = False) -> dict[str, Any]:
        """Return built-in types only, ready for JSON, see `plain`."""
        entry: dict[str, Any] = {"scores": self.scores, "counts": self.counts, "signature": self.signature}
        if self.intervals:
            entry["intervals"] = self.intervals
        if self.notes:
            entry["notes"] = self.notes
        if per_label:
            entry["per_label"] = {label: self._of_label(label) for label in self.per_label}
            entry["averages"] = {
                name: {"scores": average.scores, **({"intervals": average.intervals} if average.intervals else {})}
                for name, average in self.averages.items()
            }
        if per_document:
            entry["per_document"] = self.per_document
        return {key: plain(value) for key, value in entry.items()}

    def _of_label(self, label: str) -> dict[str, Any]:
        intervals = self.label_intervals.get(label)
        found = {**self.per_label[label], "counts": self.label_counts.get(label, {})}
        return {**found, **({"intervals": intervals} if intervals else {})}


@dataclass(frozen=True, repr=False)
class Report(Result):
    """The results of several measures on one pair of annotations.

    Its tables are `scores`, a row for each measure, and `labels`, a row for each label and for each average.

    Attributes:
        documents, tokens: the size of the corpus; tokens is None if the documents' lengths are not known.
        reference_spans, predicted_spans: numbers of spans, or of what else is scored.
        results: one for each measure, in the order given.
        unit: what is scored, in the singular and the plural.
        documents_text: the number of documents in words, if they are called otherwise.
        document_lines: the line of the reference's file on which each document begins; empty if there is none.
        subsets: the reports on parts of the corpus, by their names.
    """

    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    results: tuple[MeasureResult, ...]
    unit: tuple[str, str] = ("span", "spans")
    documents_text: str = ""
    document_lines: Sequence[int] | np.ndarray = ()
    subsets: Mapping[str, Report] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        references: Spans | Entities | Attributes | Mentions,
        predictions: Spans | Entities | Attributes | Mentions,
        measures: Sequence[Kind],
        reading: Mapping[str, Any],
        progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
        resampling: Resampling | None = None,
        per_document: bool = True,
    ) -> Self:
        """Count and score each measure, see `counting.count_measures`.

        Args:
            references, predictions: the spans of both sides, their entity trees, or their spans with attributes.
            measures: measures of these, with their options.
            reading: how the input was read, for the signatures (`scheme` and `repair` for tags).
            progress: wraps sequences of parts and of measures, for progress bars.
            resampling: how to make confidence intervals; None makes none.
            per_document: whether the results have the values of single documents, which take memory.

        Raises:
            InputError: if the two sides do not annotate the same documents, or a measure is not defined.
        """
        kept = per_document or resampling is not None
        found = count_measures(references, predictions, measures, per_document=kept, progress=progress)
        results = tuple(
            MeasureResult.of(measure, counts, reading, resampling)
            for measure, counts in progress(list(zip(measures, found, strict=True)))
        )
        known = (getattr(side, "lengths", None) for side in (references, predictions))
        tokens = next((int(lengths.sum()) for lengths in known if lengths is not None), None)
        units = {Entities: ("entity", "entities"), Mentions: ("mention", "mentions")}
        unit = units.get(type(references), ("span", "spans"))
        return cls(references.documents, tokens, len(references), len(predictions), results, unit)

    @property
    def measures(self) -> dict[str, MeasureResult]:
        """The results by name."""
        return {result.name: result for result in self.results}

    @property
    def reference_size(self) -> str:
        """The size of the corpus and of the reference in words."""
        one, several = self.unit
        unit = unit_of(result.signature for result in self.results)
        return ", ".join(
            [
                self.documents_text or counted(self.documents, "document"),
                *([] if self.tokens is None else [counted(self.tokens, unit)]),
                counted(self.reference_spans, f"reference {one}", f"reference {several}"),
            ]
        )

    @property
    def size(self) -> str:
        """The size of the corpus and of both sides in words."""
        one, several = self.unit
        return f"{self.reference_size}, {counted(self.predicted_spans, f'predicted {one}', f'predicted {several}')}"

    @property
    def notes(self) -> list[str]:
        """Why there are intervals that are NaN."""
        found = (result.without_interval(self.documents) for result in self.results)
        return [note for note in dict.fromkeys(found) if note]

    def parts(self, *, per_label: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Return the size, the scores, what is to be noted, and the signatures; on request more scores.

        Args:
            per_label: also those by label.
            per_document: also those of each document.
        """
        yield from (self.size, "")
        yield from self.lines(per_label=per_label, per_document=per_document)

    def lines(self, *, per_label: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Return the same without the size."""
        for table in score_tables(self):
            yield from (table, "")
        for note in self.notes:
            yield from (f"nan–nan: {note}.", "")
        for result in self.results:
            yield Copyable(result.signature)
            yield from (f"{result.name}: {note}" for note in result.notes)
        if per_label:
            for table in label_tables(self):
                yield from ("", table)
        if per_document:
            for table in document_tables(self):
                yield from ("", table)
        yield from self._subset_lines()

    def _subset_lines(self) -> Iterator[Part]:
        """Return the size and the scores of each part of the corpus, and how much is in none."""
        for name, subset in self.subsets.items():
            yield ""
            yield [(name, "bold"), f"  {subset.size}"]
            # without documents there are no scores
            for table in score_tables(subset) if subset.documents else ():
                yield from ("", replace(table, about={"subset": name, **table.about}))
        left_out = self.documents - sum(subset.documents for subset in self.subsets.values())
        if self.subsets and left_out:
            yield from ("", f"Without reference spans, and so in none of these: {left_out:,}.")

    def tables(self) -> list[Table]:
        """Return the tables of scores and those by label."""
        return [*score_tables(self), *label_tables(self)]

    def flat(self, *, per_label: bool = False) -> dict[str, float]:
        """Return all values under one name each, for trackers of experiments that log numbers (W&B, MLflow).

            wandb.log(report.flat())
            mlflow.log_metrics(report.flat())

        Names are those of the Trainer's results, see `result_key`: `span_f_f1`, `sl_icm_norm`. The bounds of intervals
        end in `_low` and `_high`. Values of attributes are `span_attribute_negated_f`.

        Args:
            per_label: also the values of each label, `span_f_PER_f1`.

        Raises:
            InputError: if two values would have one name.
        """
        pairs = [pair for result in self.results for pair in result.named_values(per_label=per_label)]
        require_distinct([name for name, _ in pairs])
        return dict(pairs)

    def to_dict(self, *, per_label: bool = False, per_document: bool = False) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        results, more = self.results, {"per_label": per_label, "per_document": per_document}
        subsets = {name: subset.to_dict(per_label=per_label) for name, subset in self.subsets.items()}
        return {
            **({"notes": self.notes} if self.notes else {}),
            "documents": self.documents,
            "tokens": self.tokens,
            f"reference_{self.unit[1]}": self.reference_spans,
            f"predicted_{self.unit[1]}": self.predicted_spans,
            **({"document_lines": plain(self.document_lines)} if per_document else {}),
            "measures": {result.name: result.to_dict(**more) for result in results},
            **({"subsets": subsets} if subsets else {}),
        }


@dataclass(frozen=True, repr=False)
class SystemReports(Result):
    """The reports of several systems, of the same measures on the same reference.

    Its tables are `scores`, for each measure a row for each system, and `labels`.

    Attributes:
        reports: by the systems' names.
    """

    reports: Mapping[str, Report]

    def parts(self, *, per_label: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Return the scores of each measure, what is to be noted, and the signatures; on request more scores.

        Args:
            per_label: also those by label.
            per_document: also those of each document.
        """
        for table in system_tables(self.reports):
            yield from (table, "")
        for note in dict.fromkeys(note for report in self.reports.values() for note in report.notes):
            yield from (f"nan–nan: {note}.", "")
        for name, report in self.reports.items():
            for result in report.results:
                yield from (f"{name}, {result.name}: {note}" for note in result.notes)
        signatures = (result.signature for report in self.reports.values() for result in report.results)
        yield from map(Copyable, dict.fromkeys(signatures))
        of_documents = (document_tables(report, system=name) for name, report in self.reports.items())
        for table in chain(self._label_tables() if per_label else (), *(of_documents if per_document else ())):
            yield from ("", table)
        yield from self._subset_lines()

    def _subset_lines(self) -> Iterator[Part]:
        """Return the size and the scores of each part of the corpus, which are the same of each system."""
        for name, subset in next(iter(self.reports.values())).subsets.items():
            yield ""
            yield [(name, "bold"), f"  {subset.reference_size}"]
            parts = {system: report.subsets[name] for system, report in self.reports.items()}
            for table in system_tables(parts) if subset.documents else ():
                yield from ("", replace(table, about={"subset": name, **table.about}))

    def tables(self) -> list[Table]:
        """Return the tables of scores and those by label."""
        return [*system_tables(self.reports), *self._label_tables()]

    def _label_tables(self) -> Iterator[Table]:
        for name, report in self.reports.items():
            yield from label_tables(report, system=name)

    def to_dict(self, *, per_label: bool = False, per_document: bool = False) -> dict[str, Any]:
        """Return the dictionary of each report."""
        more = {"per_label": per_label, "per_document": per_document}
        return {name: report.to_dict(**more) for name, report in self.reports.items()}


def result_key(name: str, measure: Measure, key: str) -> str:
    """Name a value beside those of other measures, without saying anything twice: `span_f_f1`, `sl_icm_norm`.

    The key that the measure is named after is called as the measure, others have the key after it.
    """
    endings = [other for other in measure.keys if f"_{measure.name}".endswith(f"_{other}")]
    if key == max(endings, key=len, default=None):
        return name
    return name + (key.removeprefix(measure.name) if key.startswith(measure.name) else f"_{key}")


def label_key(name: str, measure: Measure, label: str, key: str) -> str:
    """Name a value of a label, see `result_key`: `span_f_PER_f1`, `sl_icm_PER_norm`."""
    return result_key(f"{name}_{label}", measure, key)


def require_distinct(keys: Sequence[str]) -> None:
    """Raise an `InputError` if two results have the same name."""
    twice = [key for key, times in Counter(keys).items() if times > 1]
    if twice:
        raise InputError(f"two results would be called {twice[0]!r}.", "Give the measures other names.")
