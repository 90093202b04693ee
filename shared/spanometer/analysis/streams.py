"""Scores of corpora that come in parts: streams of batches, and the parts that a cluster's engine hands out.

    score_stream(batches, measures=("span_f", "link_f"), scheme="IOB2")

Each batch is counted by itself and its counts are summed up, so that memory does not grow with the corpus. For an
engine that maps functions over Arrow batches there are `partial_counts`, Arrow in and Arrow out, and `sum_counts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..errors import InputError
from ..measures import ALL_MEASURES, AlignedMeasure, Measure, SpanAttribute, read_counts
from ..measures.named import read_measures
from ..spans.arrow import SPAN_TYPE
from ..spans.entities import ENTITY_TYPE, Entities
from ..spans.spans import Spans, on_side, pair_from_tags, read_lengths, require_same_documents
from ..tags.decoding import get_repair
from ..tags.schemes import get_scheme
from ..tags.tags import Tags, is_tags, split_tag

COUNTS_SCHEMA = pa.schema([("measure", pa.string()), ("documents", pa.int64()), ("counts", pa.binary())])
"""What `partial_counts` gives: a row for each measure."""

Part = TypeVar("Part", bound="Counts | Tally")

_BATCH = 1000
"""How many documents of a dataset are counted at a time."""

_FORMS = {"tags": "tags", "spans": "spans", "entities": "entity trees"}
"""What a column can hold, and what messages call it."""


@dataclass(frozen=True)
class Tally:
    """What is kept of a part of a corpus. Tallies of two parts add up to that of both.

    Attributes:
        counts: the counts of each measure, by the names of the results.
        documents: number of documents.
        tokens: number of tokens, None where the documents' lengths are not known.
        reference_spans, predicted_spans: numbers of spans, or of entities.
        form: `tags`, `spans` or `entities`; None where nothing in the documents could tell.
        labelled: for each side whose tags are not all `O`, whether they have labels.
    """

    counts: Mapping[str, Counts]
    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    form: str | None = None
    labelled: Mapping[str, bool] = field(default_factory=dict)

    def __add__(self, other: Self) -> Self:
        """Both parts together; an `InputError` where they are of two kinds, or only the tags of one have labels."""
        if None not in (self.form, other.form) and self.form != other.form:
            said = " and others ".join(_FORMS[form] for form in (self.form, other.form) if form is not None)
            raise InputError(f"some documents hold {said}.", "Give all documents alike.")
        for side, labelled in self.labelled.items():
            if other.labelled.get(side, labelled) != labelled:
                raise InputError(
                    "the tags of some documents have labels, those of others have none.",
                    "Write every tag as prefix-label, or none.",
                    side=side,
                )
        return replace(
            self,
            counts={name: counts + other.counts[name] for name, counts in self.counts.items()},
            documents=self.documents + other.documents,
            tokens=None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
            reference_spans=self.reference_spans + other.reference_spans,
            predicted_spans=self.predicted_spans + other.predicted_spans,
            form=self.form or other.form,
            labelled={**self.labelled, **other.labelled},
        )

    def condensed(self) -> Self:
        """The same with counts whose size does not depend on the documents, see `Counts.condensed`."""
        return replace(self, counts={name: counts.condensed() for name, counts in self.counts.items()})

    def score(self) -> dict[str, dict[str, float]]:
        """The headline values of each measure."""
        return {name: counts.score() for name, counts in self.counts.items()}


@dataclass(frozen=True)
class Reading:
    """How parts of a corpus are read, and what they are measured by.

    Attributes:
        measures: the measures by the names of their results.
        scheme, repair: how tags are decoded; None where there are no tags.
        references, predictions: the names of the two columns.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities; None where there
            is none.
    """

    measures: Mapping[str, Measure]
    scheme: str | None = None
    repair: str = "conlleval"
    references: str = "references"
    predictions: str = "predictions"
    lengths: str | None = None

    @classmethod
    def of(cls, measures: Any, scheme: str | None, repair: str, *columns: Any) -> Self:
        """Read the options; an `InputError` for those that no part of a corpus can be counted with."""
        known = None if scheme is None else get_scheme(scheme)
        get_repair(repair, known)
        named = read_measures(measures, Measure, ALL_MEASURES)
        for measure in named.values():
            _require_parts(measure)
        reading = cls(named, scheme if known is None else known.name, repair, *columns)
        if reading.references == reading.predictions:
            raise InputError(
                f"the references and the predictions are one column, {reading.references!r}.", "Name two columns."
            )
        return reading

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return [name for name in (self.references, self.predictions, self.lengths) if name is not None]

    def tally(self, batch: Any) -> Tally:
        """Count a batch, see `score_stream` for its forms; documents are numbered within it in errors."""
        references, predictions, lengths = self._sides(batch)
        given = {"references": references, "predictions": predictions}
        sides = {side: on_side(side, _column, documents) for side, documents in given.items()}
        found = {side: on_side(side, _form_of, column) for side, column in sides.items()}
        form = self._form(found)
        labelled: dict[str, bool] = {}
        pair: list[Any]
        if form == "tags":
            self._require_scheme(lengths)
            tags = {side: on_side(side, _as_tags, column) for side, column in sides.items()}
            labelled = {
                side: known for side, known in ((s, _labelled(t)) for s, t in tags.items()) if known is not None
            }
            pair = list(pair_from_tags(*tags.values(), scheme=self.scheme, repair=self.repair)[:2])
        else:
            pair = [on_side(side, _read[form], column) for side, column in sides.items()]
            require_same_documents(*(side.documents for side in pair))
            if lengths is not None:
                known = read_lengths(lengths, pair[0].documents)
                pair = [on_side(name, side.with_lengths, known) for name, side in zip(sides, pair, strict=True)]
        told = form if any(found.values()) else None
        return replace(self._counted(pair), form=told, labelled=labelled)

    def _sides(self, batch: Any) -> tuple[Any, Any, Any]:
        """The references, the predictions and the lengths (or None) of a batch."""
        if isinstance(batch, (pa.RecordBatch, pa.Table)):
            names: Sequence[str] = batch.column_names
        elif isinstance(batch, Mapping):
            names = list(batch)
        elif isinstance(batch, (tuple, list)) and len(batch) == 2:
            if self.lengths is not None:
                raise InputError(f"a pair has no column {self.lengths!r}.", "Leave out lengths=..., or give columns.")
            return batch[0], batch[1], None
        else:
            raise InputError(
                f"a {type(batch).__name__} is not a batch.",
                "A batch is a pair (references, predictions), a mapping with these columns or an Arrow table.",
            )
        require_columns(self.columns, names)
        found = [batch[name] for name in self.columns]
        lengths = found[2] if self.lengths is not None else None
        if isinstance(lengths, (pa.Array, pa.ChunkedArray)):
            lengths = lengths.to_numpy(**({} if isinstance(lengths, pa.ChunkedArray) else {"zero_copy_only": False}))
        return found[0], found[1], lengths

    def _form(self, found: Mapping[str, str | None]) -> str:
        """What both sides hold; a side with nothing in it holds what the other one does."""
        forms = [form for form in found.values() if form is not None]
        if len(set(forms)) > 1:
            said = " and ".join(f"the {side} hold {_FORMS[form]}" for side, form in found.items() if form is not None)
            raise InputError(f"{said}.", "Give both sides alike.")
        trees = not any(isinstance(measure, AlignedMeasure) for measure in self.measures.values())
        form = forms[0] if forms else "entities" if trees else "spans" if self.scheme is None else "tags"
        for name, measure in self.measures.items():
            if isinstance(measure, AlignedMeasure) == (form == "entities"):
                of_what = "spans" if isinstance(measure, AlignedMeasure) else "entity trees"
                raise InputError(
                    f"{name} scores {of_what}, and the documents hold {_FORMS[form]}.", "Choose other measures."
                )
        return form

    def _require_scheme(self, lengths: Any) -> None:
        if self.scheme is None:
            raise InputError(
                "the scheme of tags that come in parts must be stated: nobody has seen all of their prefixes yet.",
                "Name it, for example scheme='IOB2'.",
            )
        if lengths is not None:
            raise InputError("tags give the documents' lengths themselves.", "Leave out lengths=...")

    def _counted(self, pair: list[Any]) -> Tally:
        references, predictions = pair
        if isinstance(references, Entities):
            counts = {name: measure.counts(references, predictions) for name, measure in self.measures.items()}
        else:
            alignment = Alignment(references, predictions)
            counts = {name: measure.count(alignment) for name, measure in self._aligned().items()}
        tokens = None if references.lengths is None else int(references.lengths.sum())
        return Tally(counts, references.documents, tokens, len(references), len(predictions))

    def _aligned(self) -> dict[str, AlignedMeasure]:
        return {name: measure for name, measure in self.measures.items() if isinstance(measure, AlignedMeasure)}


def score_stream(
    batches: Any,
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    references: str = "references",
    predictions: str = "predictions",
    lengths: str | None = None,
    batch_size: int = _BATCH,
) -> dict[str, dict[str, float]]:
    """Score a stream: each measure's headline values, as if all batches were one corpus.

    Memory does not depend on the length of the stream, as counts are summed up batch by batch. One measure alone keeps
    rows: `unitizing_alpha` with `variant="1995"` pools the units of the whole corpus. Integer counts are those of the
    whole corpus to the last bit, and floats but for rounding.

    Args:
        batches: an iterable of batches of documents, or a `datasets.Dataset` or `IterableDataset`. A batch is a pair
            (references, predictions), or has these two as columns: a mapping, an Arrow table or record batch. What a
            column has for each document is a list of tags, of spans or of entities, as Python or Arrow lists, see
            `Spans.from_dicts` and `Entities.from_dicts`.
        measures: names of measures, or measures with options of their own (`SlIcm(matching="optimal")`), or both; or a
            mapping that names the results itself: `{"span_f": SpanF(), "span_f_macro": SpanF(average="macro")}`.
        scheme: name of the tag scheme, which must be stated for tags: prefixes that have not come yet could change what
            would be told from the first ones. None for spans and entities.
        repair: what becomes of illegal pairs of tags, see `decoding.decode`.
        references, predictions: the names of the columns.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities.
        batch_size: how many documents of a dataset are counted at a time.

    Returns:
        The scores by the names of the measures (or those of the mapping) and their keys, built-in floats.

    Raises:
        InputError: for documents that cannot be scored, numbered over all batches, where there are no batches, and for
            measures whose counts of parts do not add up.
    """
    reading = Reading.of(measures, scheme, repair, references, predictions, lengths)
    return tally_stream(batches, reading, batch_size=batch_size).score()


def stream_counts(
    batches: Any,
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    references: str = "references",
    predictions: str = "predictions",
    lengths: str | None = None,
    batch_size: int = _BATCH,
) -> dict[str, Counts]:
    """The counts of a stream by the names of the measures, condensed: see `score_stream`.

    `counts.score()` are the scores, `counts.measure.score_per_label(counts)` those of each label; counts of several
    streams add up.
    """
    reading = Reading.of(measures, scheme, repair, references, predictions, lengths)
    return dict(tally_stream(batches, reading, batch_size=batch_size).counts)


def partial_counts(
    batch: Any,
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    references: str = "references",
    predictions: str = "predictions",
    lengths: str | None = None,
    per_document: bool = False,
) -> pa.Table:
    """The counts of a batch as a table that `sum_counts` sums up: Arrow in, Arrow out, for any engine that maps.

    Args:
        batch: an Arrow record batch or table with the two columns; see `score_stream` also for the options.
        measures, scheme, repair, references, predictions, lengths: as there.
        per_document: keep the counts of each document, for confidence intervals; they grow with the documents.

    Returns:
        A table of `COUNTS_SCHEMA`, whatever the batch: a row for each measure with its name (`measure`), the number of
        the batch's documents and its counts as bytes (`Counts.to_bytes`).

    Raises:
        InputError: as `score_stream`; documents are numbered within the batch.
    """
    tally = Reading.of(measures, scheme, repair, references, predictions, lengths).tally(batch)
    kept = tally if per_document else tally.condensed()
    columns = [
        list(kept.counts),
        [tally.documents] * len(kept.counts),
        [counts.to_bytes() for counts in kept.counts.values()],
    ]
    return pa.table(columns, schema=COUNTS_SCHEMA)


def sum_counts(
    tables: pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch],
    *,
    measures: Mapping[str, Measure] | None = None,
    per_document: bool = False,
) -> dict[str, Counts]:
    """The sums of what `partial_counts` gave of all parts, by the names of the measures.

    Args:
        tables: one table or record batch or several of them, in the order of the corpus where that matters (for counts
            of each document, and for `unitizing_alpha` with `variant="1995"`).
        measures: measures of one's own by name; those of this package are made from what is stored with their counts.
        per_document: keep the counts of each document, where the tables have them.

    Raises:
        InputError: for tables of another kind, and for counts that do not add up.
    """
    if isinstance(tables, (pa.Table, pa.RecordBatch)):
        tables = [tables]
    parts: dict[str, list[tuple[int, Counts]]] = {}
    for table in tables:
        _require_counts(table)
        for name, stored in zip(*(table[column].to_pylist() for column in ("measure", "counts")), strict=True):
            known = None if measures is None else measures.get(name)
            part = read_counts(stored, measure=known)
            push(parts.setdefault(name, []), part if per_document else part.condensed(), condense=not per_document)
    return {name: together(stack, condense=not per_document) for name, stack in parts.items()}


def tally_stream(batches: Any, reading: Reading, *, batch_size: int = _BATCH) -> Tally:
    """The condensed tally of a stream, see `score_stream`."""
    stack: list[tuple[int, Tally]] = []
    first = 0
    for number, batch in enumerate(_batches(batches, reading, batch_size)):
        tally = located(reading, batch, number, first)
        first += tally.documents
        push(stack, tally.condensed())
    if not stack:
        raise InputError("there is nothing to score.", "Give at least one batch of documents.")
    return together(stack)


def located(reading: Reading, batch: Any, number: int, first: int) -> Tally:
    """The tally of a batch; errors count documents over all batches, or at least name the batch."""
    try:
        return reading.tally(batch)
    except InputError as error:
        raise moved(error, first) if error.document is not None else error.of(f"batch {number}") from None


def push(stack: list[tuple[int, Part]], part: Part, *, condense: bool = True) -> None:
    """Add a part to those summed so far, pair by pair of one size as a binary counter does.

    So a sum of n parts holds log n of them, floating point loses little, and what grows with the parts (rows, counts
    of each document) is not copied with each of them.
    """
    stack.append((1, part))
    while len(stack) > 1 and stack[-2][0] == stack[-1][0]:
        _join(stack, condense)


def together(stack: list[tuple[int, Part]], *, condense: bool = True) -> Part:
    """The sum of all parts that were pushed, at least one."""
    while len(stack) > 1:
        _join(stack, condense)
    return stack[0][1]


def _join(stack: list[tuple[int, Part]], condense: bool) -> None:
    (one, first), (other, second) = stack[-2:]
    total: Any = first + second  # type: ignore[operator]
    stack[-2:] = [(one + other, total.condensed() if condense else total)]


def require_columns(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Raise an `InputError` for the first column that is missing."""
    for name in wanted:
        if name not in names:
            raise InputError(
                f"there is no column {name!r} among {', '.join(map(repr, names)) or 'none'}.",
                "Name the columns with references=... and predictions=...",
            )


def _require_parts(measure: Measure) -> None:
    """Raise an `InputError` for a measure that needs the whole corpus at once."""
    if isinstance(measure, SpanAttribute):
        raise InputError(
            f"{measure.name} is not counted in streams: its spans have dicts of their own.",
            "Count parts with SpanAttribute(...).counts(references, predictions), and add these up.",
        )
    measure.require_additive()
    if getattr(measure, "n_simulations", 0):
        raise InputError("simulations of parts of a corpus do not add up.", "Count with n_simulations=0.")
    if getattr(measure, "tokens", None) is not None:
        raise InputError(
            f"{measure.name} was given the tokens of a whole corpus, which comes in parts here.", "Leave out tokens=..."
        )


def _require_counts(table: Any) -> None:
    if not isinstance(table, (pa.Table, pa.RecordBatch)):
        raise InputError(f"a {type(table).__name__} is no Arrow table.", "Give what partial_counts made.")
    if not {"measure", "counts"} <= set(table.column_names):
        raise InputError(
            f"a table with the columns {', '.join(table.column_names) or 'none'} holds no counts.",
            "Give what partial_counts made.",
        )


def _batches(source: Any, reading: Reading, batch_size: int) -> Iterator[Any]:
    """The batches of an iterable, or of a dataset, which need not be imported to be known."""
    if isinstance(source, (Mapping, str, bytes, pa.Table, pa.RecordBatch)) or not isinstance(source, Iterable):
        raise InputError(
            f"a {type(source).__name__} is not a stream of batches.", "Give an iterable: [batch], or a dataset's split."
        )
    if not all(hasattr(source, name) for name in ("iter", "with_format", "select_columns")):
        return iter(source)
    if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
        raise InputError(f"batch_size={batch_size!r} is not a whole number from 1 up.", "Use 1, 2, 3, ...")
    dataset: Any = source
    if dataset.features is None:
        # what does not know its columns cannot make Arrow tables of one type
        return dataset.iter(batch_size=int(batch_size))
    require_columns(reading.columns, list(dataset.features))
    return dataset.select_columns(reading.columns).with_format("arrow").iter(batch_size=int(batch_size))


def _column(documents: Any) -> Any:
    """One side of a batch as it is, or as a list."""
    if isinstance(documents, (pa.Array, pa.ChunkedArray, Tags, Spans, Entities)):
        return documents
    if isinstance(documents, (str, bytes, Mapping)) or not isinstance(documents, Iterable):
        raise InputError(
            f"a {type(documents).__name__} is not a list of documents.", "Give one list for each document."
        )
    return list(documents)


def _form_of(column: Any) -> str | None:
    """What a column holds; None where there is nothing in it that could tell."""
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return form_of_type(column.type)
    for kind, form in ((Tags, "tags"), (Spans, "spans"), (Entities, "entities")):
        if isinstance(column, kind):
            return form
    rows = [row for row in column if isinstance(row, (list, tuple, np.ndarray))]
    first: Any = next(chain.from_iterable(rows), None)
    if isinstance(first, Mapping):
        return "entities" if "types" in first else "spans"
    # what is neither is refused when it is read as tags
    return "tags" if len(rows) < len(column) or any(map(len, rows)) else None


def form_of_type(type_: pa.DataType) -> str | None:
    """What a column of an Arrow type holds: `tags`, `spans` or `entities`; None for lists of nothing."""
    if is_tags(type_):
        return None if pa.types.is_null(type_.value_type) else "tags"
    if (pa.types.is_list(type_) or pa.types.is_large_list(type_)) and pa.types.is_struct(type_.value_type):
        return "entities" if "types" in {item.name for item in type_.value_type} else "spans"
    raise InputError(
        f"a column of type {type_} does not hold lists of tags, spans or entities.",
        "Tags are strings such as 'B-PER'; turn label numbers into names first.",
    )


def _as_tags(column: Any) -> Tags:
    if isinstance(column, Tags):
        return column
    return Tags.from_arrow(column) if isinstance(column, (pa.Array, pa.ChunkedArray)) else Tags.from_lists(column)


def _labelled(tags: Tags) -> bool | None:
    """Whether tags have labels; None where all are `O`."""
    tagged = [name for name in tags.names if name != "O"]
    return any(split_tag(name)[1] is not None for name in tagged) if tagged else None


def _read_spans(column: Any) -> Spans:
    if isinstance(column, Spans):
        return column
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        return Spans.from_dicts(column)
    return Spans.from_arrow(_typed(column, SPAN_TYPE))


def _read_entities(column: Any) -> Entities:
    if isinstance(column, Entities):
        return column
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        return Entities.from_dicts(column)
    return Entities.from_arrow(_typed(column, ENTITY_TYPE))


_read: dict[str, Callable[[Any], Any]] = {"spans": _read_spans, "entities": _read_entities}


def _typed(column: Any, type_: pa.DataType) -> Any:
    """The column; lists of nothing as lists of no structs."""
    return column if pa.types.is_struct(column.type.value_type) else column.cast(pa.list_(type_))


def moved(error: InputError, first: int) -> InputError:
    """The same error, said of a document that is so many further on."""
    document = None if error.document is None else error.document + first
    return error.of(error.source, document)
