"""Metric modules over measures of spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..alignment.overlaps import Alignment
from ..counts.counts import Counts
from ..exceptions import on_both_sides, require_same_text
from ..measures.aligned import AlignedMeasure
from ..options import made
from ..spans.arrow import (
    FRAGMENTS_TYPE,
    SPAN_TYPE,
    TEXT_TYPE,
    fragments_arrays,
    spans_arrays,
    text_arrays,
)
from ..spans.spans import Spans, pair_from_tags
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from ..tags.tags import list_arrays
from .module import Card, Column, Configuration, DocumentLengths, MeasureModule, Options, Reading

__all__ = ["Card", "SpanModule"]

TAGS = Configuration("a list of tags", pa.list_(pa.string()), list_arrays)


class SpanModule(MeasureModule):
    """A metric module over a measure of spans, which come as tags, spans, fragments or texts with spans."""

    measure: ClassVar[type[AlignedMeasure]]
    configurations: ClassVar[Mapping[str, Configuration]] = {
        "tags": replace(TAGS, options=(LabelDecoding, LabelChoice)),
        "spans": Configuration(
            'a list of `{"start": int, "end": int, "label": str}`, with offsets in tokens, ends exclusive',
            pa.list_(SPAN_TYPE),
            spans_arrays,
            (LabelChoice, DocumentLengths),
        ),
        "fragments": Configuration(
            'a list of `{"label": str, "fragments": [[start, end], ...]}`',
            pa.list_(FRAGMENTS_TYPE),
            fragments_arrays,
            (LabelChoice, DocumentLengths),
        ),
        "text": Configuration(
            'a `{"text": str, "spans": [{"start": int, "end": int, "label": str}, ...]}`, with offsets in code '
            "points, ends exclusive; both sides' texts must be the same",
            TEXT_TYPE,
            text_arrays,
            (LabelChoice,),
        ),
    }
    before: ClassVar[tuple[type, ...]] = (LabelDecoding, LabelChoice)
    after: ClassVar[tuple[type, ...]] = (DocumentLengths,)

    def _count(
        self, measure: AlignedMeasure, references: Column, predictions: Column, options: Options
    ) -> tuple[Counts, Reading]:
        if self.configuration == "tags":
            decoding = made(LabelDecoding, options)
            reference, predicted, scheme = pair_from_tags(references, predictions, **vars(decoding))
            reading = decoding.reading(scheme)
        else:
            if self.configuration == "text":
                lengths: Any = np.fromiter(map(len, _texts(references)), np.int64, len(references))
                references, predictions = (
                    pa.chunked_array([chunk.field("spans") for chunk in side.chunks], pa.list_(SPAN_TYPE))
                    for side in (references, predictions)
                )
            else:
                lengths = made(DocumentLengths, options).of(len(references))
            reference, predicted = on_both_sides(Spans.from_arrow, references, predictions, lengths=lengths)
            unit = {"unit": "character"} if self.configuration == "text" else {}
            reading = {"input": self.configuration, **unit}
        choice = made(LabelChoice, options)
        alignment = Alignment(*choice.of(reference, predicted))
        # the alignment holds all that it needs from the columns
        del reference, predicted
        return measure.count(alignment), {**reading, **choice.signed()}

    def _require_fitting(self, table: pa.Table, first_document: int) -> None:
        super()._require_fitting(table, first_document)
        if self.configuration == "text":
            both = zip(*(_texts(table[side]) for side in ("references", "predictions")), strict=True)
            for document, (text, other) in enumerate(both, first_document):
                require_same_text(text, other, document, "Both sides must annotate the same text.")


def _texts(column: Column) -> Iterator[str]:
    """Yield the texts of documents."""
    for chunk in column.chunks:
        yield from chunk.field("text").to_pylist()
