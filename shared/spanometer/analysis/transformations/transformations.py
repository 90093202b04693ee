"""Transformations of an annotated corpus: outputs with one kind of error, and the number of errors.

    TRANSFORMATIONS["minimum_overlap"](spans)             # Transformed(spans, changed spans per document)
    Truncate(tokens=2, shortest=4, rate=0.5)(spans)       # a transformation with other parameters

This module has the transformations of spans. `mapping` has illegal tags, lists all transformations by name, and creates
functions for `Dataset.map`.

A transformation is a pure function of `Spans`, and its fields are its parameters. Spans stay in their documents unless
`beyond=True`, and do not overlap new spans unless `overlap=True`. A span that cannot be changed in this way stays
unchanged and is not counted. Random choices depend only on the seed, the document's number and the position, so batches
and shards give the same result as the whole corpus.
"""

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...alignment.overlaps import union
from ...arrays import as_array, code_type, is_integer, offsets_of
from ...exceptions import InputError, counted, mention, require_kind, shown
from ...options import CheckedOptions, option, options_of
from ...spans.arrow import LENGTHS_REMEDY
from ...spans.conversion import encode_like
from ...spans.spans import Spans, in_order
from ...tags.tags import Tags

SIDES = ("start", "end")

LARGEST = np.iinfo(np.int32).max
"""The maximum value of a parameter."""

Numbers = np.ndarray | None
"""The numbers of the documents in the whole corpus; by default 0, 1, 2 and so on."""

_BLOCK = 1 << 20
"""The number of tokens for which random numbers are drawn at a time."""


def amount(default: int | None, help: str, *, low: int = 1, optional: bool = False) -> Any:
    """Declare a whole-number parameter."""
    return option(default, help=help, kind=int, low=low, high=LARGEST, optional=optional or default is None)


class Transformed(NamedTuple):
    """A transformed corpus.

    Attributes:
        spans: its spans.
        per_document: the number of changed, removed or added spans in each document, int64.
    """

    spans: Spans
    per_document: np.ndarray

    @property
    def touched(self) -> int:
        """The number of changed, removed or added spans."""
        return int(self.per_document.sum())


class TransformedTags(NamedTuple):
    """Transformed tags.

    Attributes:
        tags: the tags.
        per_document: the number of changed, removed or added spans (`IllegalTags`: tags) in each document, int64.
    """

    tags: Tags
    per_document: np.ndarray

    @property
    def touched(self) -> int:
        """The number of changed, removed or added spans (`IllegalTags`: tags)."""
        return int(self.per_document.sum())


class Transformation(CheckedOptions, ABC):
    """A transformation; its parameters are its fields.

    Attributes:
        rate: the probability with which each possible change is made, in [0, 1].
        seed: the seed of random choices, 0 or greater.
        unit: what is changed, `span` or `tag`.
    """

    rate: float = option(1.0, help="the probability that a candidate is changed", kind=float, low=0, high=1)
    seed: int = amount(0, "the seed of random choices", low=0)

    unit: ClassVar[str] = "span"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        labels = getattr(self, "labels", ())
        if labels is not None and not (isinstance(labels, tuple) and all(isinstance(label, str) for label in labels)):
            self.refuse("labels", "Give a tuple of labels, such as ('LOC', 'PER').")
        for low, high in (("shortest", "longest"), ("tokens", "room")):
            least, most = getattr(self, low, None), getattr(self, high, None)
            if most is not None and most < least:
                self.refuse(high, f"Use {least} (the value of {mention(low)}) or more.")

    @abstractmethod
    def on_tags(self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: Numbers = None) -> TransformedTags:
        """Transform tags into tags of the same scheme.

        Args:
            tags: the tags of all documents.
            scheme: the scheme of the tags.
            repair: how to handle illegal tags, see `decoding.decode`; by default they raise an error.
            numbers: see `Numbers`.

        Raises:
            InputError: if tags cannot be read, or if the scheme cannot represent the result.
        """

    @property
    def looks_at_corpus(self) -> str | None:
        """The name of a parameter whose value depends on the whole corpus, so that a part would give another result.

        None if there is no such parameter.
        """
        if getattr(self, "first", None) is not None:
            return "first"
        return next((name for name in ("lengths", "labels") if getattr(self, name, ()) is None), None)

    @staticmethod
    def document_numbers(numbers: Any, documents: int) -> np.ndarray:
        """Check the numbers of the documents in the whole corpus (int64); None means 0, 1, 2 and so on."""
        if numbers is None:
            return np.arange(documents)
        remedy = "Give each document its index in the whole corpus, counted from 0."
        array = as_array(numbers, "a list of indices", remedy)
        if array.shape != (documents,):
            raise InputError(f"got {array.size} indices for {counted(documents, 'document')}.", remedy)
        if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= 2**63):
            raise InputError(f"{shown(numbers)} is not a list of documents' indices.", remedy)
        return array.astype(np.int64)

    def uniform(self, *keys: Any) -> np.ndarray:
        """Return random numbers in [0, 1) that depend only on the seed and the keys (integers, arrays that broadcast).

        Each key is mixed in by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
        """
        state: np.ndarray = _mixed(np.array([self.seed], dtype=np.uint64))
        for key in keys:
            state = _mixed(state ^ _mixed(np.asarray(key).astype(np.uint64)))
        return np.asarray((state >> np.uint64(11)) * 2.0**-53)

    def refuse(self, name: str, remedy: str) -> None:
        """Raise an `InputError` about the value of a parameter."""
        raise options_of(self)[name].refusal(getattr(self, name), remedy)


class SpanTransformation(Transformation):
    """A transformation of spans.

    Attributes:
        first: change only this many spans, the first in text order; None means no limit.
    """

    first: int | None = amount(None, "change only the first N candidates", low=0)

    def __call__(self, spans: Spans, *, numbers: Numbers = None) -> Transformed:
        """Transform spans.

        Args:
            spans: contiguous spans with known document lengths.
            numbers: see `Numbers`.

        Raises:
            InputError: if spans are discontinuous, or if document lengths are unknown.
        """
        require_kind(spans, Spans, "a Spans object", "Create Spans with Spans.from_tags or Spans.from_dicts.")
        if spans.fragments is not None:
            raise InputError("discontinuous spans cannot be transformed.", "Give contiguous spans.")
        lengths_of(spans)
        return self.transform(spans, self.document_numbers(numbers, spans.documents))

    @abstractmethod
    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Transform spans that have been checked."""

    def on_tags(self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: Numbers = None) -> TransformedTags:
        """Transform tags, see `Transformation.on_tags`."""
        transformed = self(Spans.from_tags(tags, scheme=scheme, repair=repair), numbers=numbers)
        return TransformedTags(encode_like(tags, transformed.spans, scheme), transformed.per_document)


class ChosenSpans(SpanTransformation):
    """A transformation of some of the spans of a corpus.

    Attributes:
        shortest, longest: change only spans with at least and at most this many tokens; None means no limit.
        alone: change only spans in documents without other spans.
    """

    shortest: int = amount(1, "change only spans with at least N tokens")
    longest: int | None = amount(None, "change only spans with at most N tokens")
    alone: bool = option(False, help="change only spans in documents without other spans", kind=bool)

    def choose(self, spans: Spans, numbers: np.ndarray, possible: np.ndarray | bool = True) -> np.ndarray:
        """Flag the spans to change: draw with probability `rate` among the spans that all parameters allow."""
        size, longest = spans.end - spans.start, LARGEST if self.longest is None else self.longest
        chosen: np.ndarray = possible & (size >= self.shortest) & (size <= longest)
        if self.alone:
            chosen &= np.bincount(spans.document, minlength=spans.documents)[spans.document] == 1
        if self.rate < 1:
            chosen &= self.uniform(numbers[spans.document], spans.start, spans.end) < self.rate
        if self.first is not None:
            chosen &= np.cumsum(chosen) <= self.first
        return chosen


class Split(ChosenSpans):
    """Split spans with at least two tokens in half; the first half gets the odd token."""

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Split spans, see `SpanTransformation.transform`."""
        first, last = _wide(spans)
        chosen = self.choose(spans, numbers, last - first >= 2)
        middle = (first + last + 1) // 2
        end = np.where(chosen, middle, spans.end)
        columns = (spans.document, spans.document), (spans.start, middle), (end, spans.end), (spans.label, spans.label)
        return changed(spans, spans.document[chosen], *(np.append(old, new[chosen]) for old, new in columns))


class Move(ChosenSpans):
    """A transformation that moves boundaries.

    Attributes:
        overlap: whether spans may overlap others.
        beyond: whether spans may pass the end of their document. If one does, the documents of the result have no
            lengths.
    """

    overlap: bool = option(False, help="let spans overlap others", kind=bool)
    beyond: bool = option(False, help="let spans pass the end of their document", kind=bool)

    def moved(self, spans: Spans, numbers: np.ndarray, by_start: Any, by_end: Any, possible: np.ndarray) -> Transformed:
        """Move the boundaries of chosen spans as far as this is possible."""
        first, last = _wide(spans)
        room = self.has_room(spans, first + by_start, last + by_end, beyond=self.beyond)
        chosen = self.choose(spans, numbers, possible & room)
        start, end = (np.where(chosen, bound + by, bound) for bound, by in ((first, by_start), (last, by_end)))
        passes = (end > lengths_of(spans)[spans.document]).any()
        spans = replace(spans, lengths=None) if passes else spans
        return changed(spans, spans.document[chosen], spans.document, start, end, spans.label)

    def has_room(self, spans: Spans, start: np.ndarray, end: np.ndarray, *, beyond: bool = False) -> np.ndarray:
        """Check whether spans with these boundaries are inside their documents and outside all other spans.

        All spans move in the same direction, so two spans that enter only free tokens cannot meet there.
        """
        within: np.ndarray = (start >= 0) & (end <= (LARGEST if beyond else lengths_of(spans)[spans.document]))
        if self.overlap:
            return within
        offsets = bases(spans)
        base = offsets[spans.document]

        def is_free(first: np.ndarray, last: np.ndarray) -> np.ndarray:
            # `within` excludes boundaries before the documents
            first, last = (np.clip(base + bound, 0, offsets[-1]) for bound in (first, last))
            return np.asarray(covered_before(spans, np.maximum(first, last)) == covered_before(spans, first))

        # positions after a document's end are free, and not tokens of the next document
        within &= is_free(start, spans.start) & is_free(spans.end, np.minimum(end, lengths_of(spans)[spans.document]))
        return within


class Shift(Move):
    """Move spans towards the end of the document; at least one token stays in common.

    Attributes:
        tokens: the number of tokens to move; None leaves one token in common. Spans with at most this many tokens are
            not changed.
    """

    tokens: int | None = amount(1, "the number of tokens to move", optional=True)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Move spans, see `SpanTransformation.transform`."""
        size = spans.end - spans.start
        by = size - 1 if self.tokens is None else self.tokens
        return self.moved(spans, numbers, by, by, (size > by) & (size > 1))


class Truncate(Move):
    """Remove tokens from spans that have more tokens.

    Attributes:
        tokens: the number of tokens to remove.
        side: the end that is changed.
    """

    tokens: int = amount(1, "the number of tokens to remove")
    side: str = option("end", help="the end to change", choices=SIDES)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Shorten spans, see `SpanTransformation.transform`."""
        by_start, by_end = (self.tokens, 0) if self.side == "start" else (0, -self.tokens)
        return self.moved(spans, numbers, by_start, by_end, spans.end - spans.start > self.tokens)


class Extend(Move):
    """Add neighbouring tokens to spans.

    Attributes:
        tokens: the number of tokens to add.
        side: the end that is changed.
        room: change only spans with this many free tokens beside them, so that different `tokens` change the same
            spans; None means `tokens`.
        otherwise: the number of tokens to add to spans that have fewer free tokens beside them.
    """

    tokens: int = amount(1, "the number of tokens to add")
    side: str = option("end", help="the end to change", choices=SIDES)
    room: int | None = amount(None, "change only spans with N free tokens beside them")
    otherwise: int = amount(0, "the number of tokens to add to spans with less room", low=0)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Extend spans, see `SpanTransformation.transform`."""
        first, last = _wide(spans)
        full = np.ones(len(spans), dtype=bool)
        if self.room is not None:
            moved = (first - self.room, last) if self.side == "start" else (first, last + self.room)
            full = self.has_room(spans, *moved)
        by = np.where(full, self.tokens, self.otherwise)
        by_start, by_end = (-by, 0) if self.side == "start" else (0, by)
        return self.moved(spans, numbers, by_start, by_end, by > 0)


class Relabel(ChosenSpans):
    """Give spans another label; all other labels are equally likely.

    Attributes:
        labels: the labels to draw from; None means the labels of the corpus. With fewer than two, nothing is changed.
    """

    labels: tuple[str, ...] | None = option(None, help="the labels to draw from", type="tuple of str, optional")

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Change the labels of spans, see `SpanTransformation.transform`."""
        spans, offered = _with_offered(spans, self.labels)
        is_offered = np.isin(spans.label, offered)
        others = len(offered) - is_offered
        chosen = self.choose(spans, numbers, others > 0)
        # draw by the label's name, because its code depends on the other labels in this part of the corpus
        names = np.array([zlib.crc32(label.encode()) for label in spans.labels], dtype=np.uint64)
        draw = self.uniform(numbers[spans.document], spans.start, spans.end, names[spans.label])
        pick = (draw * others).astype(np.int64)
        # skip the span's own label
        pick += is_offered & (pick >= np.searchsorted(offered, spans.label))
        label = spans.label.copy()
        label[chosen] = offered[pick[chosen]]
        return changed(spans, spans.document[chosen], spans.document, spans.start, spans.end, label)


class Drop(ChosenSpans):
    """Remove spans."""

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Remove spans, see `SpanTransformation.transform`."""
        chosen = self.choose(spans, numbers)
        columns = (column[~chosen] for column in (spans.document, spans.start, spans.end, spans.label))
        return changed(spans, spans.document[chosen], *columns)


class Invent(SpanTransformation):
    """Add spans in tokens outside all spans, with at least one token between them and any other span.

    At each token outside all spans, a span begins with the probability `rate`, with a random length and label. It is
    not added if it would pass the end of its document, or come too near to another span.

    Attributes:
        lengths: the lengths to draw from, all entries equally likely; None means the lengths of the corpus's spans.
        labels: the labels to draw from; None means the labels of the corpus.
    """

    rate: float = option(0.02, help="the probability that a free token begins a new span", kind=float, low=0, high=1)
    lengths: tuple[int, ...] | None = option(None, help="the lengths to draw from", type="tuple of int, optional")
    labels: tuple[str, ...] | None = option(None, help="the labels to draw from", type="tuple of str, optional")

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        lengths: Any = (1,) if self.lengths is None else self.lengths
        whole = isinstance(lengths, tuple) and all(is_integer(length) and length >= 1 for length in lengths)
        if not whole or not lengths:
            self.refuse("lengths", "Give a tuple of one or more lengths, each at least 1, such as (1, 2, 3).")

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Add spans, see `SpanTransformation.transform`."""
        spans, offered = _with_offered(spans, self.labels)
        lengths = np.sort(spans.end - spans.start) if self.lengths is None else np.array(self.lengths)
        if len(lengths) == 0 or len(offered) == 0:
            return Transformed(spans, np.zeros(spans.documents, dtype=np.int64))
        base = bases(spans)
        token = np.concatenate([np.zeros(0, dtype=np.int64), *self._drawn(base, numbers)])
        document = np.searchsorted(base, token, side="right") - 1
        position = token - base[document]
        by_length, by_label = (self.uniform(numbers[document], position, np.int64(turn)) for turn in (1, 2))
        end = position + lengths[(by_length * len(lengths)).astype(np.int64)]
        kept = self._stands_apart(spans, document, position, end)
        if self.first is not None:
            kept &= np.cumsum(kept) <= self.first
        document, position, end = document[kept], position[kept], end[kept]
        label = offered[(by_label[kept] * len(offered)).astype(np.int64)]
        columns = (spans.document, document), (spans.start, position), (spans.end, end), (spans.label, label)
        return changed(spans, document, *(np.append(*pair) for pair in columns))

    def _drawn(self, base: np.ndarray, numbers: np.ndarray) -> Iterator[np.ndarray]:
        """Draw tokens at which spans begin, from the concatenated documents, a block at a time."""
        for first in range(0, int(base[-1]), _BLOCK):
            token = np.arange(first, min(first + _BLOCK, int(base[-1])))
            document = np.searchsorted(base, token, side="right") - 1
            yield token[self.uniform(numbers[document], token - base[document]) < self.rate]

    def _stands_apart(self, spans: Spans, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Check whether new spans are inside their documents and at least a token away from all other spans."""
        base, length = bases(spans)[document], lengths_of(spans)[document]
        first = base + np.maximum(start - 1, 0)
        last = base + np.minimum(end + 1, length)
        free = (end <= length) & (covered_before(spans, first) == covered_before(spans, last))
        reach = np.maximum.accumulate(np.where(free, base + end, -1))
        # spans of two documents need no token between them
        free[1:] &= (reach[:-1] < base[1:] + start[1:]) | (reach[:-1] <= base[1:])
        return np.asarray(free)


def _with_offered(spans: Spans, labels: tuple[str, ...] | None) -> tuple[Spans, np.ndarray]:
    """Add more labels to the spans' list of labels; also returns the indices of these labels, ascending."""
    names = spans.labels if labels is None else labels
    spans = spans.with_labels(tuple(sorted({*spans.labels, *names})))
    codes = sorted(spans.labels.index(name) for name in set(names))
    return spans, np.array(codes, dtype=code_type(len(spans.labels)))


def _wide(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Convert starts and ends to int64, so that no parameter makes them overflow."""
    return spans.start.astype(np.int64), spans.end.astype(np.int64)


def changed(spans: Spans, touched: np.ndarray, document: Any, start: Any, end: Any, label: Any) -> Transformed:
    """Return the transformed corpus from columns of spans; `touched` has the document of each changed span."""
    document, start, end = (np.asarray(column).astype(np.int32) for column in (document, start, end))
    label = np.asarray(label, dtype=spans.label.dtype)
    ordered = in_order(replace(spans, document=document, start=start, end=end, label=label, copies=None))
    return Transformed(ordered, np.bincount(touched, minlength=spans.documents))


def lengths_of(spans: Spans) -> np.ndarray:
    """Return the document lengths; raise an `InputError` if they are unknown."""
    if spans.lengths is None:
        raise InputError("the documents' lengths are not known.", LENGTHS_REMEDY)
    return spans.lengths


def bases(spans: Spans) -> np.ndarray:
    """Compute the position of each document's first token in the corpus, and of the corpus's end."""
    return offsets_of(lengths_of(spans))


def covered_before(spans: Spans, tokens: np.ndarray) -> np.ndarray:
    """Count the tokens in spans before each of these tokens, which are numbered over all documents."""
    base = bases(spans)[spans.document]
    start, end, _ = union(base + spans.start, base + spans.end)
    begun = np.searchsorted(start, tokens, side="right")
    return np.asarray(offsets_of(end - start)[begun] - np.maximum(np.append(0, end)[begun] - tokens, 0))


def _mixed(numbers: np.ndarray) -> np.ndarray:
    state: np.ndarray = np.atleast_1d(numbers) + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state
