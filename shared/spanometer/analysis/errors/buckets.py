"""Groups of spans (buckets) by a property or position, and the scores of each bucket.

Equal spans have the same boundaries, string, label and document, so they are always in the same bucket, and each bucket
has its own precision, recall and F1. Buckets that are defined only for reference spans have no precision.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any, Self

import numpy as np

from ...alignment.matched_spans import CORRECT
from ...arrays import inverse, is_list, listed, listed_items, offsets_of, ordered, plain, run_bounds
from ...counts.counts import Column, Counts
from ...counts.statistics import Resampling
from ...documents.document_file import DocumentFile
from ...exceptions import InputError, counted, require_kind, shown
from ...measures.span_f import SpanF
from ...spans.annotations import with_common_labels
from ...spans.spans import Fragments, Spans
from ...spans.wording import Wording, coded_strings
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts, defined_interval
from ...tags.tags import Tags
from .examples import MatchedSides, context_of_documents

_PARTS = 5
"""The number of buckets for a numeric property; each has about equally many reference spans."""

_MOST_NAMES = 20
"""The maximum number of buckets for a text property; the last one has all other values."""

_LENGTHS = (1, 2, 3, 4, 5)
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_PLACES = (0.0, 0.2, 0.4, 0.6, 0.8)
_TIMES = (0, 1, 2, 5, 10, 100)
"""The lower bounds of buckets for span lengths in words, entity density, positions in documents, and counts in
training.
"""

SEEN = ("seen", "seen with another label", "unseen")
"""The buckets of mentions by a training set (SEEN, UNSEEN-TYPE and UNSEEN-ANY of Tu and Lignos 2021)."""

CONSISTENT = (
    "occurs once",
    "always this label",
    "mostly this label",
    "another label equally often",
    "mostly another label",
)
"""The buckets of reference spans by the labels of the same string in the reference."""

CASES = ("lower case", "each word capitalised", "all capitals", "otherwise", "no case")
"""The buckets of strings by capital letters."""

_KEYS = ("precision", "recall", "f1")
_SIZES = {"reference": "reference", "predicted": "predicted", "right": "both"}
"""The names of the numbers of spans, and their counts."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """The buckets of the spans of both sides.

    Attributes:
        name: the property that defines the buckets, in words.
        names: the names of the buckets, in order.
        references, predictions: the bucket of each span, an index into `names`; `predictions` is None if the property
            is defined only for reference spans.
    """

    name: str
    names: tuple[str, ...]
    references: np.ndarray
    predictions: np.ndarray | None


class LabelsOfStrings:
    """The labels that the same strings have elsewhere in an annotation.

    Attributes:
        own: how often each string has the label of its span.
        other: how often it has its most frequent other label; 0 if it has no other label.
        other_label: the most frequent other label, an index of the annotation's labels; -1 if there is none.

    Args:
        annotation: the spans.
        string: the index of each span's string.
        queried: the strings and labels to look up, as indices (-1 if not in the annotation); by default the strings and
            labels of the spans.
    """

    def __init__(
        self, annotation: Spans, string: np.ndarray, queried: tuple[np.ndarray, np.ndarray] | None = None
    ) -> None:
        width = len(annotation.labels) + 1
        pair, times = np.unique(string.astype(np.int64) * width + annotation.label, return_counts=True)
        owner, label = np.divmod(pair, width)
        # each string's labels, the most frequent first: the other label of a span is the first that is not its own
        order = np.lexsort((label, -times, owner))
        first, last = run_bounds(owner[order])
        queries, own = (string, annotation.label) if queried is None else queried

        def at(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
            place = np.searchsorted(keys, wanted)
            return np.where(np.append(keys, -1)[place] == wanted, place, -1)

        run = at(owner[order][first], queries)
        following = np.where(last - first > 1, np.append(order, -1)[first + 1], -1)
        best, second = (np.append(places, -1)[run] for places in (order[first], following))
        labels, counts = np.append(label, -1), np.append(times, 0)
        other = np.where((best >= 0) & (labels[best] == own), second, best)
        self.own = counts[at(pair, queries.astype(np.int64) * width + own)]
        self.other, self.other_label = counts[other], labels[other]


def by_name(name: str, references: Sequence[str] | np.ndarray, predictions: Sequence[str] | np.ndarray) -> Buckets:
    """Create a bucket for each name, the most frequent in the reference first, and one for all rare names."""
    both = np.concatenate([np.asarray(references, dtype=object), np.asarray(predictions, dtype=object)]).astype(str)
    names, code = np.unique(both, return_inverse=True)
    sizes = [-np.bincount(part, minlength=len(names)) for part in np.split(code.ravel(), [len(references)])]
    order = np.lexsort(sizes[::-1])
    place = inverse(order).astype(np.int32)
    shown_names = names[order].tolist()
    if len(order) > _MOST_NAMES:
        place = np.minimum(place, _MOST_NAMES - 1)
        shown_names[_MOST_NAMES - 1 :] = [f"{len(order) - _MOST_NAMES + 1:,} others"]
    return _named(name, shown_names, np.split(place[code.ravel()], [len(references)]))


def by_number(
    name: str, references: np.ndarray, predictions: np.ndarray, *, edges: Sequence[float] | None = None
) -> Buckets:
    """Create buckets by a number for each span, the lowest first.

    Args:
        name: the name of the property.
        references, predictions: the number of each span; NaN if it has none.
        edges: the lower bounds of the buckets, ascending. By default quantiles of the reference spans' numbers, or all
            distinct numbers if there are few.
    """
    both = np.concatenate([references, predictions]).astype(float)
    defined, distinct = both[~np.isnan(both)], np.unique(both[~np.isnan(both)])
    shown = np.append(distinct, () if edges is None else edges)
    whole = bool((shown == np.floor(shown)).all())
    exact = edges is None and len(distinct) <= _PARTS
    if edges is None:
        of_reference = references[~np.isnan(references)]
        edges = distinct.tolist() if exact else _quantiles(of_reference if len(of_reference) else defined, whole=whole)
    code = np.searchsorted(edges[1:], both, side="right").astype(np.int32)
    code[np.isnan(both)] = len(edges)
    names = [*([f"{edge:,g}" for edge in edges] if exact else _ranges(edges, defined, whole=whole)), "none"]
    return _named(name, names, np.split(code, [len(references)]))


def _quantiles(values: np.ndarray, *, whole: bool) -> list[float]:
    """Compute the lowest value and the quantiles; if values are not whole numbers, quantiles are rounded."""
    cuts = np.quantile(values, np.arange(1, _PARTS) / _PARTS, method="inverted_cdf")
    inner = {float(cut) if whole else float(f"{cut:.2g}") for cut in cuts.tolist()}
    lowest = float(values.min())
    return [lowest, *sorted(cut for cut in inner if cut > lowest)]


def _ranges(edges: Sequence[float], defined: np.ndarray, *, whole: bool) -> Iterator[str]:
    """Yield the name of the bucket that begins at each edge."""
    low, high = float(defined.min(initial=math.inf)), float(defined.max(initial=-math.inf))
    for place, edge in enumerate(edges):
        last = place == len(edges) - 1
        after = math.inf if last else edges[place + 1]
        if place == 0 and (low < edge or (last and high > edge and not whole)):
            yield "all" if last else f"{after - 1:,g} or less" if whole else f"below {after:g}"
        elif last:
            yield f"{edge:,g}" if whole and high <= edge else f"{edge:,g} or more"
        elif not whole:
            yield f"below {after:g}" if place == 0 else f"{edge:g} to {after:g}"
        else:
            yield f"{edge:,g}" if after - 1 == edge else f"{edge:,g}–{after - 1:,g}"


def buckets_of(matched: MatchedSides, train: tuple[Spans, Wording] | None = None, by: Any = None) -> list[Buckets]:
    """Create buckets by all properties that the input allows.

    The properties are: length of the span and of the document, position in the document, frequency of the label in the
    reference, and entity density (the proportion of a document's words or characters that reference spans cover). With
    words also: capital letters, number of characters, and the labels of the same string in the reference. With a
    training set also: whether and how often it has the string. Finally, your own values (`by`).

    Args:
        matched: both sides, with the words or characters of the documents if known.
        train: the spans and the wording of a training set.
        by: your own values by name, numbers or texts: one for each document, or a list with one for each token; or
            `Tags`, a column of a file. A span gets the mean of its tokens' numbers, or the text of its first token.

    Raises:
        InputError: if values do not fit the documents.
    """
    columns = {} if by is None else by
    require_kind(columns, Mapping, "a mapping of values by name", "Give by={'year': [...]}.")
    references, wording = matched.references, matched.context.wording
    sides, lengths = (references, matched.predictions), references.lengths
    unit = "token" if wording is None or wording.separator else "character"
    edges = _LENGTHS if unit == "token" else None
    buckets = [by_number(f"span length in {unit}s", *(side.sizes for side in sides), edges=edges)]
    if lengths is not None:
        density, places = _density(references), (side.start / np.maximum(lengths[side.document], 1) for side in sides)
        buckets += [
            by_number(f"document length in {unit}s", *(lengths[side.document] for side in sides)),
            by_number("place in the document", *places, edges=_PLACES),
            by_number("entity density", *(density[side.document] for side in sides), edges=_SHARES),
        ]
    buckets.append(_by_frequency(sides))
    if wording is not None:
        if train is not None and (train[1].characters is None) != (wording.characters is None):
            # strings joined from words and strings cut from texts could differ in spaces
            wording, train = wording.without_text(), (train[0], train[1].without_text())
        texts = [wording.of(side) for side in sides] + ([] if train is None else [train[1].of(train[0])])
        codes, strings = coded_strings(*texts)
        of_reference, of_prediction, *of_training = codes
        cases, sizes = (np.array([size(text) for text in strings], dtype=np.int64) for size in (_case, len))
        buckets.append(_named("capital letters", CASES, [cases[of_reference], cases[of_prediction]]))
        if unit == "token":
            buckets.append(by_number("span length in characters", sizes[of_reference], sizes[of_prediction]))
        if train is not None:
            times = np.bincount(of_training[0], minlength=len(strings))
            buckets.append(_by_training((*sides, train[0]), codes, times))
            buckets.append(by_number("times in training", times[of_reference], times[of_prediction], edges=_TIMES))
        buckets.append(_by_consistency(references, of_reference))
    return buckets + [_by_given(name, values, sides) for name, values in listed_items(columns)]


def read_training(train: Any) -> tuple[Spans, Wording] | None:
    """Read the spans and the wording of a training set from a file; a tuple of both is returned unchanged."""
    if train is None or isinstance(train, tuple):
        return train
    require_kind(train, DocumentFile, "the result of spanometer.read", "Read the file with spanometer.read.")
    wording = context_of_documents(train).wording
    if wording is None:
        remedy = "Give a file with words or texts."
        raise InputError("the training set has no words.", remedy, source=train.source, option="train")
    return train.spans, wording


def _density(references: Spans) -> np.ndarray:
    """Compute the proportion of each document that reference spans cover; NaN if the document has none."""
    span, start, end = references.pieces()
    merged = Fragments.merged(references.document[span], start, end, references.documents)
    covered = np.bincount(merged.owner, weights=merged.end - merged.start, minlength=references.documents)
    return np.where(covered > 0, covered / np.maximum(np.asarray(references.lengths), 1), np.nan)


def _by_frequency(sides: Sequence[Spans]) -> Buckets:
    """Create buckets by the number of reference spans with the same label, in powers of ten."""
    references, predictions = with_common_labels(sides)
    frequency = np.bincount(references.label, minlength=len(references.labels))
    highest = int(frequency.max(initial=1))
    edges = [0.0, *(10.0**power for power in range(len(str(highest))))]
    return by_number("frequency of the label", frequency[references.label], frequency[predictions.label], edges=edges)


def _by_consistency(references: Spans, string: np.ndarray) -> Buckets:
    labels = LabelsOfStrings(references, string)
    own, other = labels.own, labels.other
    bucket = np.select([own + other == 1, other == 0, own > other, own == other], [0, 1, 2, 3], 4)
    return _named("labels of the same string", CONSISTENT, [bucket])


def _by_training(sides: Sequence[Spans], strings: Sequence[np.ndarray], times: np.ndarray) -> Buckets:
    """Create buckets by a training set, the last of the sides; `times` has the number of its spans of each string."""
    same = with_common_labels(sides)
    width = max(len(same[0].labels), 1)
    *mentions, trained = (code * width + side.label for code, side in zip(strings, same, strict=True))
    seen = [np.isin(mention, trained) for mention in mentions]
    others = (np.where(times[string] > 0, 1, 2) for string in strings)
    buckets = [np.where(same_label, 0, other) for same_label, other in zip(seen, others, strict=False)]
    return _named("mentions in training", SEEN, buckets)


def _case(text: str) -> int:
    """Return the index of a string's case in `CASES`."""
    words = [word for word in text.split() if word.lower() != word.upper()]
    cases = [text == text.lower(), all(word[:1].isupper() for word in words), text == text.upper()]
    if not words:
        return 4
    return 0 if cases[0] else 2 if cases[2] else 1 if cases[1] else 3


def _named(name: str, names: Sequence[str], buckets: Sequence[np.ndarray]) -> Buckets:
    """Create buckets with these names for both sides, or only for the reference; empty buckets are left out."""
    there, rank = np.unique(np.concatenate(buckets), return_inverse=True)
    codes = np.split(rank.ravel().astype(np.int32), [len(buckets[0])])
    kept = tuple(names[bucket] for bucket in there.tolist())
    return Buckets(name, kept, codes[0], codes[1] if len(buckets) > 1 else None)


def _by_given(name: str, values: Any, sides: Sequence[Spans]) -> Buckets:
    """Create buckets by a user's values, see `buckets_of`."""
    documents, lengths = sides[0].documents, sides[0].lengths
    remedy = "For two documents, write [1, 2] (one value each) or [[1, 2, 3], [4, 5]] (a value for each token)."
    if isinstance(values, Tags):
        of_tokens, column, sizes = True, np.array(values.names, dtype=object)[values.codes], values.lengths.tolist()
    else:
        rows = ordered(values, "a list of values", remedy)
        of_tokens = any(map(is_list, rows))
        if of_tokens and not all(map(is_list, rows)):
            raise InputError(f"{name!r} has lists for some documents, but single values for others.", remedy)
        parts = [listed(row, remedy) if of_tokens else [row] for row in rows]
        sizes, column = list(map(len, parts)), np.fromiter(chain.from_iterable(parts), dtype=object)
        odd = next((value for value in column if not _is_value(value)), None)
        if odd is not None:
            raise InputError(f"{name!r} has {shown(odd)}, which is neither a number nor a text.", remedy)
    if len(sizes) != documents:
        raise InputError(f"{name!r} has {counted(len(sizes), 'value')} for {counted(documents, 'document')}.", remedy)
    expected = lengths.tolist() if of_tokens and lengths is not None else sizes
    for document, (size, length) in enumerate(zip(sizes, expected, strict=True)):
        if size != length:
            problem = f"{name!r} lists {counted(size, 'value')}, but the document has {counted(length, 'token')}."
            raise InputError(problem, remedy, document=document)
    offsets, numbers = offsets_of(sizes), _numbers(column)
    if max(sizes, default=0) == 1:
        # each document has one value, as if it were one token
        sides = [replace(side, start=side.start * 0, end=side.start * 0 + 1, fragments=None) for side in sides]
    if numbers is None:
        return by_name(name, *(column[offsets[side.document] + side.start].astype(str) for side in sides))
    sums, means = np.concatenate(([0.0], np.cumsum(numbers))), []
    for side in sides:
        span, start, end = side.pieces()
        base = offsets[side.document[span]]
        means.append(np.bincount(span, sums[base + end] - sums[base + start], len(side)) / side.sizes)
    return by_number(name, *means)


def _is_value(value: Any) -> bool:
    plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufU" else value
    if isinstance(plain, (int, float)):
        # a number beyond the range of floats has no mean, and may be too long to print
        return not abs(plain) > sys.float_info.max
    return plain is None or isinstance(plain, str)


def _numbers(column: np.ndarray) -> np.ndarray | None:
    """Convert a column of numbers, or of texts that are numbers; None if it has other texts or NaN."""
    try:
        numbers = column.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None
    # one NaN would make all later cumulative sums NaN
    return numbers if np.isfinite(numbers).all() else None


@dataclass(frozen=True)
class BucketScores:
    """The scores of one bucket.

    Attributes:
        by: the property that defines the bucket.
        bucket: the name of the bucket.
        sizes: the numbers of spans: `reference`, `predicted`, and `right` (equal on both sides).
        scores: `precision`, `recall` and `f1`; NaN if undefined.
        intervals: lower and upper bounds of the scores; empty without resampling.
    """

    by: str
    bucket: str
    sizes: Mapping[str, int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]

    def value(self, key: str) -> tuple[float, tuple[float, float] | None] | None:
        """Return a score with its interval; None if it is undefined."""
        value = self.scores[key]
        return None if math.isnan(value) else (value, defined_interval(self.intervals.get(key)))


class BucketReport(Result, kw_only=False):
    """The scores of buckets. It has one table for each property, named `buckets`.

    Attributes:
        buckets: the buckets of the spans, by one or more properties.
        scores: the scores of each bucket.
    """

    buckets: Sequence[Buckets]
    scores: Sequence[BucketScores]

    @classmethod
    def of(cls, buckets: Sequence[Buckets], sides: MatchedSides, resampling: Resampling | None = None) -> Self:
        """Compute the scores of each bucket. All buckets use the same resampled corpora.

        Args:
            buckets: the buckets of the spans.
            sides: the matched spans.
            resampling: how intervals are computed; None computes no intervals.
        """
        references, predictions, matched = sides.references, sides.predictions, sides.matched
        right = np.sort(sides.reference[matched.kind == CORRECT])
        first = offsets_of([len(way.names) for way in buckets]).tolist()

        def column(document: np.ndarray, codes: Sequence[np.ndarray | None]) -> Column:
            # number the buckets of all properties consecutively
            bucket = [code + start for code, start in zip(codes, first, strict=False) if code is not None]
            return Column(np.tile(document, len(bucket)), np.concatenate([np.zeros(0, dtype=np.int64), *bucket]))

        columns = {
            "both": column(references.document[right], [way.references[right] for way in buckets]),
            "predicted": column(predictions.document, [way.predictions for way in buckets]),
            "reference": column(references.document, [way.references for way in buckets]),
        }
        counts = Counts(columns, tuple(map(str, range(first[-1]))), references.documents)
        measure = SpanF(zero_division=math.nan)
        per_label, totals = measure.score_per_label(counts), counts.by_label()
        intervals = {} if resampling is None else measure.label_intervals(counts, resampling)
        scores = []
        named = ((way, name) for way in buckets for name in way.names)
        for label, (way, name) in zip(counts.labels, named, strict=True):
            # without predicted spans only recall is defined
            undefined = ("predicted", "precision", "f1") if way.predictions is None else ()
            scores.append(
                BucketScores(
                    by=way.name,
                    bucket=name,
                    sizes={size: int(totals[label][count]) for size, count in _SIZES.items() if size not in undefined},
                    scores={key: math.nan if key in undefined else per_label[label][key] for key in _KEYS},
                    intervals={key: each for key, each in intervals.get(label, {}).items() if key not in undefined},
                )
            )
        return cls(buckets, scores)

    def parts(self) -> Iterator[Part]:
        """Yield the tables."""
        for table in self.tables():
            yield from (table, "")

    def tables(self) -> list[Table]:
        """Return a table for each property."""
        tables = []
        for name, group in groupby(self.scores, lambda bucket: bucket.by):
            rows = list(group)
            keys = [key for key in _KEYS if any(not math.isnan(row.scores[key]) for row in rows)]
            columns = [*map(TableColumn, keys), *amounts(*rows[0].sizes)]
            cells = [(row.bucket, *(row.value(key) for key in keys), *row.sizes.values()) for row in rows]
            tables.append(Table.of(name, columns, cells, kind="buckets", names="bucket", about={"by": name}))
        return tables

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert to built-in types, ready for JSON."""
        return [
            plain({"by": row.by, "bucket": row.bucket, **row.sizes, **row.scores, "intervals": row.intervals})
            for row in self.scores
        ]


def beside_tables(systems: Mapping[str, BucketReport]) -> Iterator[Table]:
    """Yield a table for each property, with the F1 of several systems side by side.

    If only reference spans have the property, the table shows recall.
    """
    scores = [{(row.by, row.bucket): row for row in report.scores} for report in systems.values()]
    there = dict.fromkeys(chain.from_iterable(scores))
    for by in dict.fromkeys(name for name, _ in there):
        rows = {name: [of_system.get((by, name)) for of_system in scores] for way, name in there if way == by}
        key = "f1" if any(row and not math.isnan(row.scores["f1"]) for row in chain(*rows.values())) else "recall"
        columns = [TableColumn(f"{key}_{name}", name, higher=True, named=True) for name in systems]
        cells = [
            (name, *(row and row.value(key) for row in of_systems), next(filter(None, of_systems)).sizes["reference"])
            for name, of_systems in rows.items()
        ]
        columns += amounts("reference")
        yield Table.of(f"{by}, {key}", columns, cells, kind="buckets", names="bucket", about={"by": by})
