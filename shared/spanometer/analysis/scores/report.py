"""Reports: the results of several measures, and their tables."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import Any, Self, TypeVar

from ...counts.statistics import Resampling
from ...documents.pairing import unit_of
from ...exceptions import InputError, counted, require_choice
from ...measures.aligned import PrecisionRecallF1
from ...measures.base import Measure
from ...measures.notation import named_apart
from ...protocols.protocol import OfficialScores, official_lines
from ...spans.attributes import Attributes
from ...spans.entities import Entities
from ...spans.mentions import Mentions
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts, head
from .measure_result import (
    MeasureResult,
    NamedDocuments,
    Progress,
    count_measures,
    documents_and_tokens,
    interval_notes,
    is_by_attribute,
    rare_label_note,
    sizes_of,
)

Kind = TypeVar("Kind", bound=Measure)

_P_VALUE = "p_value"

_BETTER = {"higher": True, "lower": False}

_TITLES = {"both": "tp", "right": "right", "found": "found", "predicted": "predicted", "reference": "reference"}
"""The counts that tables of labels show for F-measures, and their names there."""


class CorpusResult(Result):
    """A result that prints the size of its corpus above its tables.

    Attributes:
        documents: the number of documents.
        tokens: the number of tokens; None if document lengths are unknown.
        unit: `token`, or `character` if offsets count characters.
    """

    documents: int
    tokens: int | None
    unit: str = "token"

    @property
    def size(self) -> str:
        """The size of the corpus in words."""
        size = counted(self.documents, "document")
        return size if self.tokens is None else f"{size}, {counted(self.tokens, self.unit)}"

    @abstractmethod
    def lines(self) -> Iterator[Part]:
        """Yield the parts that are printed below the size."""

    def parts(self) -> Iterator[Part]:
        """Yield the size and the parts below it."""
        yield self.size
        yield from self.lines()


def corpus_size(side: Any, reading: Mapping[str, object]) -> dict[str, Any]:
    """Compute the fields of `CorpusResult` from one side and the options of reading."""
    return {**documents_and_tokens(side), "unit": str(reading.get("unit", "token"))}


class Report(Result, eq=True, kw_only=False):
    """The results of several measures for one pair of annotations.

    Its tables are `scores`, a row for each measure, and `labels`, a row for each label and for each average.

    Attributes:
        documents: the number of documents.
        tokens: the number of tokens; None if document lengths are unknown.
        reference_spans, predicted_spans: the numbers of spans, entities or mentions.
        results: the result of each measure, in the given order.
        unit: singular and plural of the noun: span, entity or mention.
        documents_text: the number of documents in words, if the usual words do not fit.
        named_documents: the names and lines of the documents.
        subsets: reports on parts of the corpus, by their names.
        official: the scores of a protocol, if one was named.
        tag_accuracy: the proportion of tags that are equal on both sides before decoding; None if unknown.
    """

    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    results: tuple[MeasureResult, ...]
    unit: tuple[str, str] = ("span", "spans")
    documents_text: str = ""
    named_documents: NamedDocuments = field(default_factory=NamedDocuments)
    subsets: "Mapping[str, Report]" = field(default_factory=dict)
    official: OfficialScores | None = None
    tag_accuracy: float | None = None

    @classmethod
    def of(
        cls,
        references: Spans | Entities | Attributes | Mentions,
        predictions: Spans | Entities | Attributes | Mentions,
        measures: Sequence[Kind] | Mapping[str, Kind],
        reading: Mapping[str, Any],
        progress: Progress = iter,
        resampling: Resampling | None = None,
        per_document: bool = True,
    ) -> Self:
        """Compute the counts and scores of each measure, see `measure_result.count_measures`.

        Args:
            references, predictions: spans, entity trees, spans with attributes, or mentions of both sides.
            measures: measures with their options; a mapping names the results.
            reading: how the input was read, for the signatures (`scheme` and `repair` for tags).
            progress: a function that wraps sequences of blocks and of measures, for progress bars.
            resampling: how confidence intervals are computed; None computes no intervals.
            per_document: whether to keep the counts of each document, which takes memory.

        Raises:
            InputError: if the two sides do not annotate the same documents, or if a measure is undefined.
        """
        kept = per_document or resampling is not None
        named = measures if isinstance(measures, Mapping) else dict(zip(named_apart(measures), measures, strict=True))
        chosen = list(named.values())
        of_measures = count_measures(references, predictions, chosen, per_document=kept, progress=progress)
        results = tuple(
            replace(MeasureResult.of(measure, counts, reading, resampling), name=name)
            for name, measure, counts in progress(list(zip(named, chosen, of_measures, strict=True)))
        )
        units = {Entities: ("entity", "entities"), Mentions: ("mention", "mentions")}
        unit = units.get(type(references), ("span", "spans"))
        return cls(**sizes_of(references, predictions), results=results, unit=unit)

    @property
    def measures(self) -> dict[str, MeasureResult]:
        """The results by name."""
        return {result.name: result for result in self.results}

    def __getitem__(self, name: str) -> MeasureResult:
        """Return the result of a measure, as in `report["span_f"]`."""
        require_choice("measure", name, self.measures)
        return self.measures[name]

    def __getattr__(self, name: str) -> Any:
        """Return a score of the only measure, as in `report.f1`."""
        results = self.__dict__.get("results", ())
        owners = [f"report[{result.name!r}].{name}" for result in results if name in result.scores]
        if len(results) > 1 and owners:
            raise AttributeError(f"there are {len(results)} measures. Choose one: {', '.join(owners)}.")
        if len(results) == 1:
            return getattr(results[0], name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")

    @property
    def reference_size(self) -> str:
        """The numbers of documents, tokens and reference spans in words."""
        singular, plural = self.unit
        documents = self.documents_text or counted(self.documents, "document")
        unit = unit_of(result.signature for result in self.results)
        tokens = "" if self.tokens is None else f", {counted(self.tokens, unit)}"
        return f"{documents}{tokens}, {counted(self.reference_spans, f'reference {singular}', f'reference {plural}')}"

    @property
    def size(self) -> str:
        """The numbers of documents, tokens, reference and predicted spans in words."""
        singular, plural = self.unit
        return f"{self.reference_size}, {counted(self.predicted_spans, f'predicted {singular}', f'predicted {plural}')}"

    @property
    def notes(self) -> list[str]:
        """The reasons why intervals are NaN or too narrow."""
        undefined = [result.name for result in self.results if self.documents > 1 and result.has_undefined_interval]
        few = interval_notes(self.documents) if any(result.resampling for result in self.results) else []
        return [*(f"nan–nan: {name}: an undefined value has no interval." for name in undefined), *few]

    def parts(self, *, per_label: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Yield the size, the scores, notes and signatures, and further scores if requested.

        Args:
            per_label: whether to add the scores of each label.
            per_document: whether to add the scores of each document.
        """
        yield from (self.size, "")
        yield from self.lines(per_label=per_label, per_document=per_document)

    def lines(self, *, per_label: bool = False, per_document: bool = False) -> Iterator[Part]:
        """Yield what `parts` yields, but leave out the size of the corpus."""
        return system_parts({"": self}, per_label=per_label, per_document=per_document)

    def tables(self) -> list[Table]:
        """List the tables of scores, of labels, and of official scores."""
        official = official_lines({"": self}, per_label=True)
        return [*score_tables(self), *label_tables(self), *(part for part in official if isinstance(part, Table))]

    def flat(self, *, per_label: bool = False) -> dict[str, float]:
        """Return all scores in one flat dictionary, for experiment trackers (W&B, MLflow).

            wandb.log(report.flat())
            mlflow.log_metrics(report.flat())

        The names are the same as in the Trainer's results, see `result_key`: `span_f_f1`, `sl_icm_norm`. Bounds of
        intervals end in `_low` and `_high`. Scores of attributes have names such as `span_attribute_negated_f`.

        Args:
            per_label: whether to add the scores of each label, such as `span_f_PER_f1`.

        Raises:
            InputError: if two scores would have the same name.
        """
        pairs = [pair for result in self.results for pair in result.named_values(per_label=per_label)]
        require_distinct([name for name, _ in pairs])
        return dict(pairs)

    def to_dict(self, *, per_label: bool = False, per_document: bool = False) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        results, more = self.results, {"per_label": per_label, "per_document": per_document}
        subsets = {name: subset.to_dict(per_label=per_label) for name, subset in self.subsets.items()}
        return {
            **({} if self.official is None else {"official": self.official.to_dict()}),
            **({"notes": self.notes} if self.notes else {}),
            "documents": self.documents,
            "tokens": self.tokens,
            f"reference_{self.unit[1]}": self.reference_spans,
            f"predicted_{self.unit[1]}": self.predicted_spans,
            **(self.named_documents.to_dict() if per_document else {}),
            "measures": {result.name: result.to_dict(**more) for result in results},
            **({"subsets": subsets} if subsets else {}),
        }


def system_parts(
    reports: Mapping[str, Report], *, per_label: bool = False, per_document: bool = False
) -> Iterator[Part]:
    """Yield the scores of one or more systems, notes and signatures, and further scores if requested.

    Args:
        reports: reports with the same measures on the same reference, by the systems' names.
        per_label: whether to add the scores of each label.
        per_document: whether to add the scores of each document.
    """
    first, several = next(iter(reports.values())), len(reports) > 1
    tables_of = system_tables if several else lambda parts: score_tables(next(iter(parts.values())))
    yield from official_lines(reports if several else {"": first}, per_label=per_label)
    for table in tables_of(reports):
        yield from (table, "")
    for note in dict.fromkeys(note for report in reports.values() for note in report.notes):
        yield from (note, "")
    results = [(name, result) for name, report in reports.items() for result in report.results]
    notes = [
        f"{f'{name}, ' if several else ''}{result.name}: {note}" for name, result in results for note in result.notes
    ]
    signatures = Copyable(*(result.signature for _, result in results))
    ending: list[Part] = [*notes, signatures] if several else [signatures, *notes]
    yield from ending
    for wanted, own_tables in ((per_label, label_tables), (per_document, document_tables)):
        of_systems = reports.items() if wanted else ()
        own = [table for name, report in of_systems for table in own_tables(report, system=name if several else None)]
        for table in own:
            yield from ("", table)
        yield from rare_label_note(own)
    # all systems have the same subsets
    for name, subset in first.subsets.items():
        yield ""
        yield [(name, "bold"), f"  {subset.reference_size if several else subset.size}"]
        # without documents there are no scores
        parts = {system: report.subsets[name] for system, report in reports.items()} if subset.documents else {}
        for table in tables_of(parts) if parts else ():
            yield from ("", replace(table, about={"subset": name, **table.about}))
    left_out = first.documents - sum(subset.documents for subset in first.subsets.values())
    if first.subsets and left_out and not several:
        yield from ("", f"Documents in no group, because they have no reference spans: {left_out:,}.")


def signature_lines(results: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the signatures and the notes of results, given by name."""
    yield Copyable(*(result.signature for result in results.values()))
    yield from (f"{name}: {note}" for name, result in results.items() for note in result.notes)


def require_distinct(keys: Sequence[str]) -> None:
    """Raise an `InputError` if two results have the same name."""
    twice = [key for key, times in Counter(keys).items() if times > 1]
    if twice:
        raise InputError(f"two results have the name {twice[0]!r}.", "Give each measure a different name.")


def score_tables(report: Report) -> list[Table]:
    """Return tables with one row for each measure; measures with the same keys are in the same table.

    A measure with scores by attribute has its own table, with one row for each attribute.
    """
    plain = [result for result in report.results if not is_by_attribute(result.scores)]
    names = max((len(result.name) for result in plain), default=0)
    heads = [part for result in plain for key in result.scores for part in head(key).split("\n")]
    widths = (names, max(map(len, heads), default=0))
    groups = [list(group) for _, group in groupby(plain, key=lambda result: tuple(result.scores))]
    tables = [score_table("measure", {result.name: result for result in group}, widths=widths) for group in groups]
    return tables + [_attribute_table(result) for result in report.results if is_by_attribute(result.scores)]


def system_tables(reports: Mapping[str, Report]) -> list[Table]:
    """Return a table for each measure, with one row for each system and the best score of each column in bold."""
    tables = []
    for results in zip(*(report.results for report in reports.values()), strict=True):
        first, of_systems = results[0], dict(zip(reports, results, strict=True))
        if is_by_attribute(first.scores):
            tables += [_attribute_table(result, name) for name, result in of_systems.items()]
        else:
            about = {"measure": first.name}
            tables.append(score_table(first.name, of_systems, best=True, names="system", about=about))
    return tables


def score_table(title: str, results: Mapping[str, MeasureResult], *, best: bool = False, **options: Any) -> Table:
    """Return a table with a row for each result; either the best score of each column or the main score is bold."""
    first = next(iter(results.values()))
    columns = score_columns(first.measure, first.scores, best=best)
    rows = [((name, "cyan"), *_values(result, first.scores)) for name, result in results.items()]
    options |= {"confidence": first.confidence, "main": first.measure.headline}
    return Table.of(title, columns, rows, kind="scores", **options)


def _attribute_table(result: MeasureResult, system: str | None = None) -> Table:
    measure, rows = result.measure, []
    for place, (name, (scores, intervals)) in enumerate(result.rows.items()):
        rows.append(((name, "" if place else "cyan"), *((scores[key], intervals.get(key)) for key in measure.keys)))
    title, own = _owner(result, system)
    return Table.of(title, score_columns(measure, measure.keys), rows, kind="scores", names="attribute", **own)


def _owner(result: MeasureResult, system: str | None) -> tuple[str, dict[str, Any]]:
    """Return the title of a table of one measure, and its attributes; with several systems, they name the system."""
    about = {"measure": result.name, **({} if system is None else {"system": system})}
    title = result.name if system is None else f"{system}, {result.name}"
    return title, {"about": about, "confidence": result.confidence, "main": result.measure.headline}


def label_tables(report: Report, *, system: str | None = None) -> list[Table]:
    """Return a table for each measure, with one row for each label and one for each average over labels.

    The tables show scores and counts. With several systems, `system` is the name of the system.
    """
    return [_label_table(result, system) for result in report.results if not is_by_attribute(result.scores)]


def _label_table(result: MeasureResult, system: str | None) -> Table:
    measure, keys = result.measure, result.measure.keys
    counts = [name for name in _TITLES if name in result.counts and name != measure.support]
    counts = counts if isinstance(measure, PrecisionRecallF1) else []
    rows: list[Sequence[Any] | None] = []
    for label, values in result.per_label.items():
        intervals, own = result.label_intervals.get(label, {}), result.label_counts[label]
        scores = ((values[key], intervals.get(key)) for key in keys)
        rows.append((label, *scores, *(own[name] for name in counts), values["support"]))
    if rows and result.averages:
        sums = [result.counts[count] for count in (*counts, measure.support)]
        averages = result.averages.items()
        rows += [None, *(((f"{name} avg", "cyan"), *_values(average, keys), *sums) for name, average in averages)]
    columns = [*score_columns(measure, keys), *amounts(*(_TITLES[name] for name in counts), "support")]
    title, own = _owner(result, system)
    return Table.of(title, columns, rows, kind="labels", names="label", unreliable=result.rare_labels, **own)


def document_tables(report: Report, *, system: str | None = None) -> list[Table]:
    """Return a table for each measure of spans or trees, with one row for each document.

    With several systems, `system` is the name of the system.
    """
    tables = []
    for result in report.results:
        if not is_by_attribute(result.scores):
            columns = score_columns(result.measure, result.per_document)
            columns, rows = report.named_documents.with_names(columns, list(result.per_document.values()))
            title, own = _owner(result, system)
            tables.append(Table.of(f"{title}: document", columns, rows, kind="documents", names="document", **own))
    return tables


def _values(result: MeasureResult, keys: Iterable[str]) -> list[Any]:
    """Return the scores of some keys with their intervals."""
    return [(result.scores[key], result.intervals.get(key)) for key in keys]


def score_columns(measure: Measure, keys: Iterable[str], *, best: bool = False) -> list[TableColumn]:
    """Declare columns of scores; either the main score or the best of each column is bold."""
    return [
        TableColumn(
            key,
            kind=kind_of(measure, key),
            style="bold" if key == measure.headline and not best else "",
            higher=_BETTER.get(measure.results[key].better) if best and key in measure.results else None,
        )
        for key in keys
    ]


def kind_of(measure: Measure, key: str) -> str:
    """Return the kind of number of a measure's key, see `Number`."""
    described = measure.results.get(key)
    if described is None:
        return "p" if key == _P_VALUE else "score"
    return "amount" if described.whole else "score" if described.share else "plain"
