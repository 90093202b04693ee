"""Scoring of corpora that come in parts: streams of batches, and the partitions of a cluster.

    score_stream(batches, measures=("span_f", "link_f"), scheme="IOB2")

Each batch is counted separately and the counts are summed, so memory does not grow with the corpus. On a cluster, map
`partial_counts` over Arrow batches and sum the results with `sum_counts`.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, Unpack

import numpy as np
import pyarrow as pa

from ...arrays import is_integer, named_classes, ordered
from ...counts.counts import Counts
from ...documents.arguments import SideReading, TagArguments, require_arguments, shares
from ...exceptions import InputError, all_of, mention, on_side, require_choice, require_kind, setting, shown
from ...measures.aligned import AlignedMeasure, counter
from ...measures.base import Measure
from ...measures.registry import ALL_MEASURES, read_counts, read_measures
from ...spans.annotations import FORMS, common_form, documents_in, form_of, read_pair
from ...spans.spans import encoded_tags
from ...tags.decoding import LabelDecoding, read_prefix, scheme_of
from ...tags.schemes import LabelChoice
from ...tags.tags import LABELS_REMEDY, Tags, readable, split_tag
from .measure_result import condensed_sum, in_whole, sizes_of, sum_of_parts

_INPUTS = {"spans": "spans", "entities": "entity trees", "attributes": "attributes of spans"}
"""What messages call the inputs of measures, see `Measure.input`."""


@dataclass(frozen=True)
class Tally:
    """The counts of a part of a corpus. Tallies of two parts can be added.

    Attributes:
        counts: the counts of each measure, by the names of the results.
        sizes: the numbers of `documents`, `tokens` (None if document lengths are unknown), `reference_spans` and
            `predicted_spans`.
        form: `tags`, `spans` or `entities`; None if undetermined.
        labelled: whether the tags of each side have labels; sides that have only `O` are omitted.
    """

    counts: Mapping[str, Counts]
    sizes: Mapping[str, Any]
    form: str | None = None
    labelled: Mapping[str, bool] = field(default_factory=dict)

    def __add__(self, other: Self) -> Self:
        """Add two parts; raise an `InputError` if their forms differ, or if only one of them has tags with labels."""
        if None not in (self.form, other.form) and self.form != other.form:
            forms = ", other documents hold ".join(FORMS[form] for form in (self.form, other.form) if form is not None)
            raise InputError(f"some documents hold {forms}.", "Give all documents in the same form.")
        for side, labelled in self.labelled.items():
            if other.labelled.get(side, labelled) != labelled:
                problem = "some documents have tags with labels, other documents have tags without labels."
                raise InputError(problem, LABELS_REMEDY, side=side)
        counts = {name: counts + other.counts[name] for name, counts in self.counts.items()}
        pairs = {name: (size, other.sizes[name]) for name, size in self.sizes.items()}
        sizes = {name: None if None in pair else sum(pair) for name, pair in pairs.items()}
        return type(self)(counts, sizes, self.form or other.form, {**self.labelled, **other.labelled})

    def condensed(self) -> Self:
        """Condense the counts so that their size does not grow with the documents, see `Counts.condensed`."""
        return replace(self, counts={name: counts.condensed() for name, counts in self.counts.items()})

    def score(self) -> dict[str, dict[str, float]]:
        """Compute the scores of each measure."""
        return {name: counts.score() for name, counts in self.counts.items()}


@dataclass(frozen=True)
class Reading:
    """The options for reading batches, and the measures that count them.

    Attributes:
        measures: the measures by the names of their results.
        decoding: how tags are decoded; it has no scheme if there are no tags.
        references, predictions: the names of the two columns.
        lengths: the name of the column with the documents' lengths in tokens, for spans and entities; None if there is
            none.
        choice: which labels of tags and spans are scored, and how they are renamed.
    """

    measures: Mapping[str, Measure]
    decoding: LabelDecoding = field(default_factory=LabelDecoding)
    references: str = "references"
    predictions: str = "predictions"
    lengths: str | None = None
    choice: LabelChoice = field(default_factory=LabelChoice)

    @classmethod
    @shares(TagArguments)
    def of(
        cls,
        measures: Any = ("span_f",),
        references: str = "references",
        predictions: str = "predictions",
        lengths: str | None = None,
        **arguments: Unpack[TagArguments],
    ) -> Self:
        """Create it from the arguments of `streams.score_stream`.

        Raises:
            TypeError: if an argument is unknown.
            InputError: if options are wrong, or if a measure needs the whole corpus at once.
        """
        options = SideReading.of(cls.of, arguments)
        if options.choice.reference_labels:
            problem = f"{mention('reference_labels')} needs all labels of the reference, but a batch has only some."
            raise InputError(problem, f"Remove {mention('reference_labels')}.", option="reference_labels")
        columns = {"references": references, "predictions": predictions}
        for option, column in (columns if lengths is None else {**columns, "lengths": lengths}).items():
            require_kind(column, str, "the name of a column", f"Set {setting(option)} to a column name.", option=option)
        decoding = options.decoding
        named = read_prefix(decoding.scheme, prefix=decoding.prefix)
        if named is None and (vocabulary := readable(decoding.id2label or ())):
            named = scheme_of(None, *vocabulary).name
        chosen = read_measures(measures, ALL_MEASURES)
        for measure in chosen.values():
            measure.require_parts()
        if references == predictions:
            problem = f"the references and the predictions are the same column, {shown(references)}."
            raise InputError(problem, f"Set {setting('references')} and {setting('predictions')} to different columns.")
        return cls(chosen, replace(decoding, scheme=named), references, predictions, lengths, options.choice)

    @property
    def columns(self) -> list[str]:
        """The names of the columns to read."""
        return [name for name in (self.references, self.predictions, self.lengths) if name is not None]

    def tally(self, batch: Any) -> Tally:
        """Compute the counts of a batch, see `score_stream` for its forms.

        Errors give the document's number in the batch.
        """
        columns, lengths = self._columns(batch)
        sides = {side: on_side(side, documents_in, column) for side, column in columns.items()}
        forms = {side: on_side(side, form_of, column) for side, column in sides.items()}
        trees = not any(isinstance(measure, AlignedMeasure) for measure in self.measures.values())
        form = common_form(forms, "entities" if trees else "spans" if self.decoding.scheme is None else "tags")
        require_form(self.measures, form)
        labelled: dict[str, bool] = {}
        if form == "tags":
            if self.decoding.scheme is None:
                raise InputError(
                    "the scheme is missing. A stream needs the scheme, because later batches may have other prefixes.",
                    f"Set the scheme of the tags, such as {setting('scheme', 'IOB2')}.",
                )
            if self.decoding.id2label is None:
                sides = {side: on_side(side, encoded_tags, column) for side, column in sides.items()}
                labelled = _labelled(sides) if self.decoding.prefix else {}
        # other batches may have the labels that this one lacks
        *pair, _ = read_pair(sides, form, self.decoding, self.choice, lengths, warn=False)
        count = counter(*pair)
        counts = {name: count(measure) for name, measure in self.measures.items()}
        return Tally(counts, sizes_of(*pair), form if any(forms.values()) else None, labelled)

    def _columns(self, batch: Any) -> tuple[dict[str, Any], Any]:
        """Return the two sides of a batch, and the documents' lengths or None."""
        if isinstance(batch, (tuple, list)) and len(batch) == 2:
            if self.lengths is not None:
                problem = f"{setting('lengths', self.lengths)} is a column name, but this batch has no columns."
                raise InputError(problem, f"Leave out {setting('lengths')}, or pass batches with columns.")
            return {"references": batch[0], "predictions": batch[1]}, None
        remedy = "Pass a pair (references, predictions), or a mapping or an Arrow table with a column for each side."
        require_kind(batch, (pa.RecordBatch, pa.Table, Mapping), "a pair, a mapping or an Arrow table", remedy)
        require_columns(self.columns, list(batch) if isinstance(batch, Mapping) else batch.column_names)
        lengths = None if self.lengths is None else batch[self.lengths]
        if isinstance(lengths, (pa.Array, pa.ChunkedArray)):
            lengths = np.asarray(lengths)
        return {"references": batch[self.references], "predictions": batch[self.predictions]}, lengths


def _labelled(sides: Mapping[str, Tags]) -> dict[str, bool]:
    """Return whether the tags of each side have labels; sides that have only `O` are omitted."""
    tagged = {side: [name for name in tags.names if name != "O"] for side, tags in sides.items()}
    return {side: any(split_tag(name)[1] is not None for name in names) for side, names in tagged.items() if names}


def require_columns(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Raise an `InputError` for the first column that is missing or occurs more than once."""
    for name in wanted:
        if names.count(name) > 1:
            raise InputError(f"two columns have the name {name!r}.", "Give each column a different name.")
        if name not in names:
            problem = f"there is no column {name!r}. {all_of('column', names, 'The')}."
            remedy = f"Set {setting('references')} and {setting('predictions')} to the names of columns."
            raise InputError(problem, remedy)


def require_form(measures: Mapping[str, Measure], form: str) -> None:
    """Raise an `InputError` for the first measure that cannot score a form."""
    for name, measure in measures.items():
        if isinstance(measure, AlignedMeasure) == (form == "entities"):
            problem = f"`{name}` scores {_INPUTS[measure.input]}, but the documents hold {FORMS[form]}."
            raise InputError(problem, f"Remove `{name}` from {mention('measures')}.")


COUNTS_SCHEMA = pa.schema([("measure", pa.string()), ("documents", pa.int64()), ("counts", pa.binary())])
"""The schema of `partial_counts`: a row for each measure."""

_COUNTS_REMEDY = "Give the tables that partial_counts returns."

_BATCH = 1000
"""The number of documents of a dataset that are counted at a time."""


@shares(TagArguments)
def score_stream(
    batches: Any,
    *,
    measures: Any = ("span_f",),
    references: str = "references",
    predictions: str = "predictions",
    lengths: str | None = None,
    batch_size: int = _BATCH,
    **arguments: Unpack[TagArguments],
) -> dict[str, dict[str, float]]:
    """Score a stream of batches as one corpus.

    Counts are summed batch by batch, so memory does not grow with the stream. The exception is `unitizing_alpha` with
    `variant="1995"`, which keeps the units of the whole corpus. Integer counts are the same as for the whole corpus;
    floats may differ by rounding.

    Args:
        batches: an iterable of batches of documents, or a `datasets.Dataset` or `IterableDataset`. A batch is a pair
            (references, predictions), or a mapping, an Arrow table or a record batch with these two columns. A column
            has a list of tags, spans or entities for each document, as Python or Arrow lists, see `Spans.from_dicts`
            and `Entities.from_dicts`.
        measures: names of measures, or measures with options (`SlIcm(matching="optimal")`), or both; or a mapping that
            names the results: `{"span_f": SpanF(), "span_f_macro": SpanF(average="macro")}`.
        references, predictions: the names of the columns.
        lengths: the name of a column with the documents' lengths in tokens, for spans and entities.
        batch_size: the number of documents of a dataset to count at a time.
        **arguments: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`, `label_map`, `labels` and
            `ignore_labels`, see `arguments.TagArguments`. Tags need `scheme`, unless `id2label` determines it or the
            tags have no prefixes. `ClassLabel` columns of a dataset need no `id2label`.

    Returns:
        The scores as floats, by the name of the result and the key.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are no batches, if a document cannot be scored (the error has its number in the stream), or
            if counts of parts cannot be added for a measure.
    """
    require_arguments(score_stream, arguments)
    reading = Reading.of(measures, references, predictions, lengths, **arguments)
    return sum_of_parts(_tallies(batches, reading, batch_size)).score()


def stream_counts(batches: Any, *, batch_size: int = _BATCH, **options: Any) -> dict[str, Counts]:
    """Compute the counts of a stream, with the options of `score_stream`.

    The result has condensed counts by the names of the results. `counts.score()` computes the scores, and
    `counts.measure.score_per_label(counts)` the scores of each label. Counts of several streams can be added.
    """
    return dict(sum_of_parts(_tallies(batches, Reading.of(**options), batch_size)).counts)


def partial_counts(batch: Any, *, per_document: bool = False, **options: Any) -> pa.Table:
    """Compute the counts of an Arrow batch, on any engine that maps functions; sum the tables with `sum_counts`.

    Args:
        batch: an Arrow record batch or table with the two columns.
        per_document: keep the counts of each document, for confidence intervals; they grow with the documents.
        **options: the options of `score_stream`, except `batch_size`.

    Returns:
        A table with the schema `COUNTS_SCHEMA`. A row for each measure has its name (`measure`), the number of
        documents in the batch, and its counts as bytes (`Counts.to_bytes`).

    Raises:
        InputError: see `score_stream`; the error has the document's number in the batch.
    """
    require_choice("per_document", per_document, (True, False))
    tally = Reading.of(**options).tally(batch)
    counts = (tally if per_document else tally.condensed()).counts
    documents, stored = [tally.sizes["documents"]] * len(counts), [of_each.to_bytes() for of_each in counts.values()]
    return pa.table([list(counts), documents, stored], schema=COUNTS_SCHEMA)


def sum_counts(
    tables: pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch],
    *,
    measures: Mapping[str, Measure] | None = None,
    per_document: bool = False,
) -> dict[str, Counts]:
    """Sum the tables of `partial_counts`; returns the counts by the names of the results.

    Args:
        tables: one or more tables or record batches. Pass them in the order of the corpus if you keep the counts of
            each document, or compute `unitizing_alpha` with `variant="1995"`.
        measures: your own measures by name; measures of this package need not be given.
        per_document: keep the counts of each document if the tables have them.

    Raises:
        InputError: if a table has other content, or if counts cannot be added.
    """
    if isinstance(tables, (pa.Table, pa.RecordBatch)):
        tables = [tables]
    require_choice("per_document", per_document, (True, False))
    own: Any = {} if measures is None else measures
    require_kind(own, Mapping, "a mapping of measures", "Give the measures by their names.")
    parts: dict[str, list[bytes]] = {}
    for table in ordered(tables, "a list of tables", _COUNTS_REMEDY):
        _require_counts(table)
        for name, stored in zip(*(table[column].to_pylist() for column in ("measure", "counts")), strict=True):
            parts.setdefault(name, []).append(stored)
    add = operator.add if per_document else condensed_sum
    sums = {}
    for name, of_name in parts.items():
        restored = (read_counts(stored, measure=own.get(name)) for stored in of_name)
        sums[name] = sum_of_parts(restored if per_document else (counts.condensed() for counts in restored), add)
    return sums


def _tallies(source: Any, reading: Reading, batch_size: int) -> Iterator[Tally]:
    """Yield the condensed tally of each batch; errors give the document's number in the stream."""
    first, number = 0, -1
    for number, batch in enumerate(_batches(source, reading, batch_size)):
        try:
            tally = reading.tally(batch)
        except InputError as error:
            if error.document is None:
                raise error.placed(source=f"batch {number}", document=None) from None
            raise in_whole(error, first) from None
        first += tally.sizes["documents"]
        yield tally.condensed()
    if number < 0:
        raise InputError("the stream has no batches.", "Give at least one batch of documents.")


def _require_counts(table: Any) -> None:
    require_kind(table, (pa.Table, pa.RecordBatch), "an Arrow table", _COUNTS_REMEDY)
    types = {field.name: field.type for field in table.schema}
    texts, data = (types.get(name, pa.null()) for name in ("measure", "counts"))
    fitting = texts in (pa.string(), pa.large_string()) and data in (pa.binary(), pa.large_binary())
    if len(types) < table.num_columns or not fitting:
        columns = all_of("column", table.column_names)
        raise InputError(f"the table does not contain counts: {columns}.", _COUNTS_REMEDY)


def _batches(source: Any, reading: Reading, batch_size: int) -> Iterator[Any]:
    """Yield the batches of an iterable, or of a dataset (recognised without importing `datasets`)."""
    if isinstance(source, (Mapping, str, bytes, pa.Table, pa.RecordBatch)) or not isinstance(source, Iterable):
        problem = f"an object of type {type(source).__name__} is not a stream of batches."
        raise InputError(problem, "Give an iterable of batches, such as [batch], or a split of a dataset.")
    if not all(hasattr(source, name) for name in ("iter", "with_format", "select_columns")):
        return iter(source)
    if not is_integer(batch_size) or batch_size < 1:
        raise InputError(f"batch_size={shown(batch_size)} is not a positive whole number.", "Use 1, 2, 3, ...")
    dataset: Any = source
    if dataset.features is not None:
        # a dataset that does not know its columns cannot make Arrow tables of one type
        require_columns(reading.columns, list(dataset.features))
        dataset = dataset.select_columns(reading.columns).with_format("arrow")
    batches: Iterator[Any] = dataset.iter(batch_size=int(batch_size))
    return batches if dataset.features is None else (_named(batch, dataset.features) for batch in batches)


def _named(table: pa.Table, features: Mapping[str, Any]) -> pa.Table:
    """Replace the `ClassLabel` integers in a table of a dataset by names."""
    return pa.table({name: named_classes(table[name], features[name]) for name in table.column_names})
