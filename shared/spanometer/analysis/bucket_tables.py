"""The scores of buckets, with intervals, and their tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import plain
from ..counts.counts import Column, Counts
from ..counts.statistics import Resampling
from ..measures.span_f import SpanF
from ..spans.spans import Spans
from ..tables.result import Result
from ..tables.table import EMPTY, Cell, Number, Part, Table, amount
from .buckets import Buckets

_KEYS = ("precision", "recall", "f1")
_SIZES = {"reference": "reference", "predicted": "predicted", "both": "right"}


@dataclass(frozen=True)
class BucketScores:
    """The scores of one bucket.

    Attributes:
        by: what tells its buckets apart.
        bucket: its name.
        sizes: numbers of spans: `reference`, `predicted`, and `right`, those on both sides.
        scores: `precision`, `recall` and `f1`; NaN where nothing is divided by, or predictions are in no bucket.
        intervals: the bounds of their intervals; empty if there is no resampling.
    """

    by: str
    bucket: str
    sizes: Mapping[str, int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


def score_buckets(
    buckets: Sequence[Buckets],
    references: Spans,
    predictions: Spans,
    right: np.ndarray,
    resampling: Resampling | None = None,
) -> list[BucketScores]:
    """Score buckets as `span_f` does labels, all on the same drawn corpora.

    Args:
        buckets: of the spans, in one or more ways.
        references, predictions: the spans.
        right: flags of the reference spans that are predicted with their extent and label.
        resampling: how intervals are made; None makes none.
    """
    counts = _counts(buckets, references, predictions, right)
    measure = SpanF(zero_division=math.nan)
    values, totals = measure.score_per_label(counts), counts.per_label()
    intervals = {} if resampling is None else measure.label_intervals(counts, resampling)
    found = []
    for code, (label, scores) in enumerate(values.items()):
        number, _, name = label.partition(" ")
        one = buckets[int(number)]
        known = _KEYS if one.predictions is not None else ("recall",)
        sizes = {title: int(totals[key][code]) for key, title in _SIZES.items() if key != "predicted" or "f1" in known}
        bounds = intervals.get(label, {})
        found.append(
            BucketScores(
                one.name,
                name,
                sizes,
                {key: scores[key] if key in known else math.nan for key in _KEYS},
                {key: bounds[key] for key in known if key in bounds},
            )
        )
    return found


def _counts(buckets: Sequence[Buckets], references: Spans, predictions: Spans, right: np.ndarray) -> Counts:
    """Count spans by document and bucket as `SpanF` does by label; buckets of all ways have numbers of their own."""
    labels: list[str] = []
    bucket_of: dict[str, list[np.ndarray]] = {"both": [], "predicted": [], "reference": []}
    document_of: dict[str, list[np.ndarray]] = {name: [] for name in bucket_of}
    for number, one in enumerate(buckets):
        first = len(labels)
        labels += [f"{number} {name}" for name in one.names]
        parts = {"both": (references.document[right], one.references[right])}
        parts["reference"] = references.document, one.references
        if one.predictions is not None:
            parts["predicted"] = predictions.document, one.predictions
        for name, (document, bucket) in parts.items():
            document_of[name].append(document)
            bucket_of[name].append(bucket + np.int32(first))
    none = np.zeros(0, dtype=np.int32)
    columns = {
        name: Column(np.concatenate([none, *document_of[name]]), np.concatenate([none, *bucket_of[name]]))
        for name in bucket_of
    }
    return Counts(columns, tuple(labels), references.documents)


@dataclass(frozen=True, repr=False)
class BucketReport(Result):
    """The scores of buckets. Their tables are `buckets`, one for each way to tell spans apart.

    Attributes:
        scores: of each bucket.
    """

    scores: Sequence[BucketScores]

    def parts(self) -> Iterator[Part]:
        """Return the tables."""
        for table in bucket_tables(self.scores):
            yield from (table, "")

    def to_dict(self) -> list[dict[str, Any]]:
        """Return built-in types only, ready for JSON."""
        return [
            plain({"by": one.by, "bucket": one.bucket, **one.sizes, **one.scores, "intervals": one.intervals})
            for one in self.scores
        ]


def bucket_tables(scores: Sequence[BucketScores]) -> Iterator[Table]:
    """Yield a table for each way to tell buckets apart."""
    by: dict[str, list[BucketScores]] = {}
    for one in scores:
        by.setdefault(one.by, []).append(one)
    for name, rows in by.items():
        keys = [key for key in _KEYS if any(not math.isnan(row.scores[key]) for row in rows)]
        sizes = [size for size in _SIZES.values() if size in rows[0].sizes]
        cells: list[list[Cell]] = [
            [row.bucket, *(_cell(row, key) for key in keys), *(amount(row.sizes[size]) for size in sizes)]
            for row in rows
        ]
        yield Table(
            name, [*keys, *sizes], cells, kind="buckets", names="bucket", keys=[*keys, *sizes], about={"by": name}
        )


def _cell(row: BucketScores, key: str) -> Cell:
    value, bounds = row.scores[key], row.intervals.get(key)
    if math.isnan(value):
        return EMPTY
    return Number(value, interval=None if bounds is None or math.isnan(bounds[0]) else bounds)
