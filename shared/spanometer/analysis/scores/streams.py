"""Scores of corpora that come in parts: streams of batches, and the parts that a cluster's engine hands out.

    score_stream(batches, measures=("span_f", "link_f"), scheme="IOB2")

Each batch is counted by itself and its counts are summed up, so that memory does not grow with the corpus. For an
engine that maps functions over Arrow batches there are `partial_counts`, Arrow in and Arrow out, and `sum_counts`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Unpack

import pyarrow as pa

from ...arrays import is_integer, named_classes, ordered
from ...counts.counts import Counts
from ...documents.arguments import TagArguments, require_arguments, shares
from ...exceptions import InputError, require_choice, require_kind, shown
from ...measures.base import Measure
from ...measures.registry import read_counts
from .batches import Reading, Tally, require_columns
from .counting import condensed_sum, in_whole, sum_of_parts

COUNTS_SCHEMA = pa.schema([("measure", pa.string()), ("documents", pa.int64()), ("counts", pa.binary())])
"""The schema of `partial_counts`: a row for each measure."""

_BATCH = 1000
"""This many documents of a dataset are counted at a time."""


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
    """Score a stream: each measure's headline values, as if all batches were one corpus.

    Memory does not depend on the length of the stream, as counts are summed up batch by batch. One measure alone keeps
    rows: `unitizing_alpha` with `variant="1995"` pools the units of the whole corpus. Integer counts are those of the
    whole corpus to the last bit, and floats but for rounding.

    Args:
        batches: an iterable of batches of documents, or a `datasets.Dataset` or `IterableDataset`. A batch is a pair
            (references, predictions), or has these two as columns: a mapping, an Arrow table or record batch. A column
            has for each document a list of tags, of spans or of entities, as Python or Arrow lists, see
            `Spans.from_dicts` and `Entities.from_dicts`.
        measures: names of measures, or measures with options of their own (`SlIcm(matching="optimal")`), or both; or a
            mapping that names the results itself: `{"span_f": SpanF(), "span_f_macro": SpanF(average="macro")}`.
        references, predictions: the names of the columns.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities.
        batch_size: how many documents of a dataset are counted at a time.
        **arguments: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`, `label_map` and `ignore_labels`, see
            `arguments.TagArguments`. The scheme of tags must be stated unless `id2label` tells it or tags have no
            prefixes: prefixes that come later could change what the first ones suggest. `ClassLabel` columns of a
            dataset need no `id2label`.

    Returns:
        The scores by the names of the measures (or those of the mapping) and their keys, built-in floats.

    Raises:
        TypeError: for an argument that there is not.
        InputError: for documents that cannot be scored, numbered over all batches, if there are no batches, and for
            measures whose counts of parts do not add up.
    """
    require_arguments(score_stream, arguments)
    reading = Reading.of(measures, references, predictions, lengths, **arguments)
    return tally_stream(batches, reading, batch_size=batch_size).score()


def stream_counts(batches: Any, *, batch_size: int = _BATCH, **options: Any) -> dict[str, Counts]:
    """Count a stream: condensed counts by the names of the measures; the options are those of `score_stream`.

    `counts.score()` are the scores, `counts.measure.score_per_label(counts)` those of each label; counts of several
    streams add up.
    """
    return dict(tally_stream(batches, Reading.of(**options), batch_size=batch_size).counts)


def partial_counts(batch: Any, *, per_document: bool = False, **options: Any) -> pa.Table:
    """Count a batch as a table that `sum_counts` sums up: Arrow in, Arrow out, for any engine that maps.

    Args:
        batch: an Arrow record batch or table with the two columns.
        per_document: keep the counts of each document, for confidence intervals; they grow with the documents.
        **options: those of `score_stream`, but `batch_size`.

    Returns:
        A table of `COUNTS_SCHEMA`, whatever the batch: a row for each measure with its name (`measure`), the number of
        the batch's documents and its counts as bytes (`Counts.to_bytes`).

    Raises:
        InputError: as `score_stream`; documents are numbered within the batch.
    """
    require_choice("per_document", per_document, (True, False))
    tally = Reading.of(**options).tally(batch)
    counts = (tally if per_document else tally.condensed()).counts
    columns = [list(counts), [tally.documents] * len(counts), [of_measure.to_bytes() for of_measure in counts.values()]]
    return pa.table(columns, schema=COUNTS_SCHEMA)


def sum_counts(
    tables: pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch],
    *,
    measures: Mapping[str, Measure] | None = None,
    per_document: bool = False,
) -> dict[str, Counts]:
    """Sum what `partial_counts` gave of all parts, by the names of the measures.

    Args:
        tables: one table or record batch or several of them, in the order of the corpus if that matters (for counts
            of each document, and for `unitizing_alpha` with `variant="1995"`).
        measures: measures of one's own by name; those of this package are made from what is stored with their counts.
        per_document: keep the counts of each document, if the tables have them.

    Raises:
        InputError: for tables of another kind, and for counts that do not add up.
    """
    if isinstance(tables, (pa.Table, pa.RecordBatch)):
        tables = [tables]
    require_choice("per_document", per_document, (True, False))
    require_kind({} if measures is None else measures, Mapping, "a mapping of measures", "Give them by their names.")
    parts: dict[str, list[bytes]] = {}
    for table in ordered(tables, "a list of tables", "Give what partial_counts made."):
        _require_counts(table)
        for name, stored in zip(*(table[column].to_pylist() for column in ("measure", "counts")), strict=True):
            parts.setdefault(name, []).append(stored)
    add = operator.add if per_document else condensed_sum
    return {
        name: sum_of_parts((_restored(stored, (measures or {}).get(name), per_document) for stored in of_name), add)
        for name, of_name in parts.items()
    }


def _restored(stored: bytes, measure: Measure | None, per_document: bool) -> Counts:
    counts = read_counts(stored, measure=measure)
    return counts if per_document else counts.condensed()


def tally_stream(batches: Any, reading: Reading, *, batch_size: int = _BATCH) -> Tally:
    """Count a stream: the condensed tally, see `score_stream`."""
    return sum_of_parts(_tallies(batches, reading, batch_size))


def _tallies(source: Any, reading: Reading, batch_size: int) -> Iterator[Tally]:
    """Yield the condensed tally of each batch; documents are numbered over all batches."""
    first, number = 0, -1
    for number, batch in enumerate(_batches(source, reading, batch_size)):
        try:
            tally = reading.tally(batch)
        except InputError as error:
            if error.document is None:
                raise error.placed(source=f"batch {number}", document=None) from None
            raise in_whole(error, first) from None
        first += tally.documents
        yield tally.condensed()
    if number < 0:
        raise InputError("there is nothing to score.", "Give at least one batch of documents.")


def _require_counts(table: Any) -> None:
    if not isinstance(table, (pa.Table, pa.RecordBatch)):
        raise InputError(f"a {type(table).__name__} is not an Arrow table.", "Give what partial_counts made.")
    types = {field.name: field.type for field in table.schema}
    texts, data = (types.get(name, pa.null()) for name in ("measure", "counts"))
    alone = all(table.column_names.count(name) == 1 for name in types)
    if (
        not alone
        or not (pa.types.is_string(texts) or pa.types.is_large_string(texts))
        or not (pa.types.is_binary(data) or pa.types.is_large_binary(data))
    ):
        raise InputError(
            f"a table with the columns {', '.join(table.column_names) or 'none'} holds no counts.",
            "Give what partial_counts made.",
        )


def _batches(source: Any, reading: Reading, batch_size: int) -> Iterator[Any]:
    """Return the batches of an iterable, or of a dataset, which is known without an import of `datasets`."""
    if isinstance(source, (Mapping, str, bytes, pa.Table, pa.RecordBatch)) or not isinstance(source, Iterable):
        raise InputError(
            f"a {type(source).__name__} is not a stream of batches.", "Give an iterable: [batch], or a dataset's split."
        )
    if not all(hasattr(source, name) for name in ("iter", "with_format", "select_columns")):
        return iter(source)
    if not is_integer(batch_size) or batch_size < 1:
        raise InputError(f"batch_size={shown(batch_size)} is not a whole number from 1 up.", "Use 1, 2, 3, ...")
    dataset: Any = source
    if dataset.features is not None:
        # a dataset that does not know its columns cannot make Arrow tables of one type
        require_columns(reading.columns, list(dataset.features))
        dataset = dataset.select_columns(reading.columns).with_format("arrow")
    batches: Iterator[Any] = dataset.iter(batch_size=int(batch_size))
    return batches if dataset.features is None else (_named(batch, dataset.features) for batch in batches)


def _named(table: pa.Table, features: Mapping[str, Any]) -> pa.Table:
    """Return a table of a dataset with names for its `ClassLabel` numbers."""
    return pa.table({name: named_classes(table[name], features[name]) for name in table.column_names})
