"""Metric modules for measures of spans, and the drop-in for the seqeval module of `evaluate`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..alignment.overlaps import Alignment
from ..arrays import as_column, integers, is_utf8, read_documents
from ..counts.counts import Counts
from ..exceptions import InputError, require_same_text, shown
from ..measures.aligned import AlignedMeasure
from ..options import made
from ..spans.arrow import FRAGMENTS, FRAGMENTS_TYPE, SPAN_TYPE, SPANS, ListItems, parents_of, require_same_lengths
from ..spans.spans import Spans, pair_from_tags
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from ..tags.tags import list_arrays
from .module import Card, Column, Configuration, DocumentLengths, MeasureModule, Options, Reading

__all__ = ["Card", "SeqevalModule", "SpanModule"]

_TEXT_TYPE = pa.struct([("text", pa.string()), ("spans", pa.list_(SPAN_TYPE))])
_TEXT_REMEDY = (
    "Write a document as {'text': str, 'spans': [{'start': int, 'end': int, 'label': str}, ...]}. Offsets count code "
    "points from 0, and ends are exclusive."
)


def _text_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.StructArray]:
    """Convert dictionaries with `text` and `spans` to Arrow arrays; raise an `InputError` for a span past the text."""
    column = as_column(documents)
    rows = read_documents(documents if column is None else column.to_pylist(), _TEXT_REMEDY)
    for number, row in enumerate(rows, first_document):
        document = row if isinstance(row, Mapping) else {}
        text = document.get("text")
        if not isinstance(text, str) or not is_utf8(text) or "spans" not in document:
            needs = "needs a string 'text' in valid Unicode." if "spans" in document else "is not a dict with 'spans'."
            raise InputError(f"{shown(row)} {needs}", _TEXT_REMEDY, document=number)
    arrays, first = [], 0
    for lists in replace(SPANS, remedy=_TEXT_REMEDY).arrays([row["spans"] for row in rows], first_document):
        texts = [row["text"] for row in rows[first : first + len(lists)]]
        parent, lengths = parents_of(lists), np.fromiter(map(len, texts), np.int64, len(texts))
        spans = ListItems(lists.flatten(), parent + first_document + first, "a span", _TEXT_REMEDY)
        spans.refuse_beyond(lengths[parent], integers(spans.values.field("end")))
        arrays.append(pa.StructArray.from_arrays([pa.array(texts, pa.string()), lists], fields=list(_TEXT_TYPE)))
        first += len(lists)
    return arrays


def _spans_of_texts(column: Column) -> Spans:
    """Read the spans of texts, with the lengths of the texts."""
    spans, texts = (
        pa.chunked_array([chunk.field(name) for chunk in column.chunks], _TEXT_TYPE.field(name).type)
        for name in ("spans", "text")
    )
    return Spans.from_arrow(spans, lengths=integers(pa.compute.utf8_length(texts).combine_chunks()).astype(np.int64))


def _require_same_texts(references: pa.Array, predictions: pa.Array) -> None:
    texts = (side.field("text").to_pylist() for side in (references, predictions))
    for document, (text, other) in enumerate(zip(*texts, strict=True)):
        require_same_text(text, other, document, "Both sides must annotate the same text.")


def _require_same_sizes(references: pa.Array, predictions: pa.Array) -> None:
    require_same_lengths(*(np.diff(integers(side.offsets)) for side in (references, predictions)))


TAGS = Configuration("a list of tags", pa.list_(pa.string()), list_arrays, require_fitting=_require_same_sizes)


class SpanModule(MeasureModule):
    """A metric module for a measure of spans. Inputs are tags, spans, fragments or texts with spans."""

    measure: ClassVar[type[AlignedMeasure]]
    configurations: ClassVar[Mapping[str, Configuration]] = {
        "tags": replace(TAGS, options=(LabelDecoding, LabelChoice)),
        "spans": Configuration(
            'a list of `{"start": int, "end": int, "label": str}`, with offsets in tokens and exclusive ends',
            pa.list_(SPAN_TYPE),
            SPANS.arrays,
            (LabelChoice, DocumentLengths),
            Spans.from_arrow,
        ),
        "fragments": Configuration(
            'a list of `{"label": str, "fragments": list}`. A fragment is `[start, end]`',
            pa.list_(FRAGMENTS_TYPE),
            FRAGMENTS.arrays,
            (LabelChoice, DocumentLengths),
            Spans.from_arrow,
        ),
        "text": Configuration(
            'a dict `{"text": str, "spans": list}`. The spans are as in `spans`, but with offsets in code points. '
            "Predictions and references must have the same texts",
            _TEXT_TYPE,
            _text_arrays,
            (LabelChoice,),
            _spans_of_texts,
            _require_same_texts,
        ),
    }

    def _read(self, references: Column, predictions: Column, options: Options) -> tuple[tuple[Any, Any], Reading]:
        if self.configuration == "tags":
            decoding = made(LabelDecoding, options)
            *sides, scheme = pair_from_tags(references, predictions, **vars(decoding))
            return (sides[0], sides[1]), decoding.reading(scheme)
        read, reading = super()._read(references, predictions, options)
        return read, {**reading, "unit": "character"} if self.configuration == "text" else reading

    def _count(
        self, measure: AlignedMeasure, references: Column, predictions: Column, options: Options
    ) -> tuple[Counts, Reading]:
        sides, reading = self._read(references, predictions, options)
        choice = made(LabelChoice, options)
        alignment = Alignment(*choice.of(*sides))
        # the alignment holds all that it needs from the columns
        del sides
        return measure.count(alignment), {**reading, **choice.signed()}


class SeqevalModule(MeasureModule):
    """A metric module with the inputs, options and results of seqeval."""

    configurations: ClassVar[Mapping[str, Configuration]] = {"tags": TAGS}

    def _count(self, measure: Any, references: Column, predictions: Column, options: Options) -> tuple[Counts, Reading]:
        counts_and_reading: tuple[Counts, Reading] = measure.read(references, predictions)
        return counts_and_reading
