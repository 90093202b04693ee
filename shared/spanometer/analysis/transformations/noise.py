"""Random transformations: change labels, remove spans, add spans, make tags illegal."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ...arrays import code_type, is_integer
from ...exceptions import InputError, require_kind
from ...options import option
from ...spans.spans import Spans
from ...tags.schemes import OUTSIDE, ROLES, Scheme, get_scheme
from ...tags.tags import Tags, check_names, split_tag
from .transformations import (
    ChosenSpans,
    Numbers,
    SpanTransformation,
    Transformation,
    Transformed,
    TransformedTags,
    bases,
    changed,
    covered_before,
    document_numbers,
    lengths_of,
    uniform,
)

_BLOCK = 1 << 20
"""The number of tokens for which random numbers are drawn at a time."""


class Relabel(ChosenSpans):
    """Give spans another label; all other labels are equally likely.

    Attributes:
        labels: the labels to draw from; None means the labels of the corpus. With fewer than two, nothing is changed.
    """

    labels: tuple[str, ...] | None = option(None, help="the labels to draw from", type="tuple of str, optional")

    from_corpus: ClassVar[tuple[str, ...]] = ("labels",)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self, self.labels)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Change the labels of spans, see `SpanTransformation.transform`."""
        spans, offered = _with_offered(spans, self.labels)
        is_offered = np.isin(spans.label, offered)
        others = len(offered) - is_offered
        chosen = self.choose(spans, numbers, others > 0)
        # draw by the label's name, because its code depends on the other labels in this part of the corpus
        names = np.array([zlib.crc32(label.encode()) for label in spans.labels], dtype=np.uint64)
        draw = uniform(self.seed, numbers[spans.document], spans.start, spans.end, names[spans.label])
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

    from_corpus: ClassVar[tuple[str, ...]] = ("lengths", "labels")

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self, self.labels)
        if self.lengths is not None and not (isinstance(self.lengths, tuple) and self.lengths):
            self.refuse("lengths", "Give a tuple of lengths, such as (1, 2, 3).")
        for length in self.lengths or ():
            if not is_integer(length) or length < 1:
                self.refuse("lengths", "Give lengths of at least 1.")

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
        by_length, by_label = (uniform(self.seed, numbers[document], position, np.int64(turn)) for turn in (1, 2))
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
            yield token[uniform(self.seed, numbers[document], token - base[document]) < self.rate]

    def _stands_apart(self, spans: Spans, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Check whether new spans are inside their documents and at least a token away from all other spans."""
        base, length = bases(spans)[document], lengths_of(spans)[document]
        first = base + np.maximum(start - 1, 0)
        last = base + np.minimum(end + 1, length)
        free = (end <= length) & (covered_before(spans, first) == covered_before(spans, last))
        reach = np.maximum.accumulate(np.where(free, base + end, -1))
        within = np.ones(len(start), dtype=bool)
        # spans of two documents need no token between them
        within[1:] = (reach[:-1] < base[1:] + start[1:]) | (reach[:-1] <= base[1:])
        within &= free
        return within


class IllegalTags(Transformation):
    """Make tags illegal: each changed tag forms an illegal pair with a neighbour or with an end of its document.

    A tag can be changed if the scheme has such an illegal tag with one of the labels. If two neighbours are drawn, only
    the first is changed.
    """

    rate: float = option(0.05, help="the probability that a tag is changed", kind=float, low=0, high=1)

    unit: ClassVar[str] = "tag"

    def on_tags(self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: Numbers = None) -> TransformedTags:
        """Change tags, see `Transformation.on_tags`. The input may have illegal tags, so `repair` is not used.

        New tags have the labels of `tags.names`; if there are none, nothing is changed.
        """
        require_kind(tags, Tags, "an object of Tags", "Make one with Tags.from_lists.")
        tag_scheme = get_scheme(scheme)
        roles = [OUTSIDE, *(ROLES.index(role) for role in tag_scheme.roles)]
        if tag_scheme.legal()[np.ix_(roles, roles)].all():
            raise InputError(f"all tags are legal in {tag_scheme.name}.", "Choose a scheme with illegal pairs.")
        check_names(tags, tag_scheme)
        names, code, illegal = _vocabulary(tags, tag_scheme)
        codes = code[tags.codes]
        document = np.repeat(np.arange(len(tags.lengths)), tags.lengths)
        number = document_numbers(numbers, len(tags.lengths))[document]
        position = np.arange(len(codes)) - tags.offsets[document]
        drawn = uniform(self.seed, number, position) < self.rate
        drawn[1:] &= ~(drawn[:-1] & (position[1:] > 0))
        token = np.flatnonzero(drawn)
        # both ends of a document act like the outside tag, which has the code 0
        previous = np.where(position[token] > 0, codes[token - 1], 0)
        last = position[token] == tags.lengths[document[token]] - 1
        following = np.where(last, 0, codes[np.minimum(token + 1, len(codes) - 1)])
        wrong = illegal[previous] | illegal[:, following].T
        wrong[np.arange(len(token)), codes[token]] = False
        candidate = np.arange(len(names))
        preference = uniform(self.seed, number[token][:, None], position[token][:, None], candidate[None, :])
        chosen = np.where(wrong, preference, -1.0).argmax(axis=1)
        possible = wrong.any(axis=1)
        new = codes.copy()
        new[token[possible]] = chosen[possible]
        touched = np.bincount(document[token[possible]], minlength=len(tags.lengths))
        return TransformedTags(Tags(new, names, tags.offsets), touched)


def _vocabulary(tags: Tags, scheme: Scheme) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Return all tags of a scheme with these tags' labels (O first), the index of each tag name, and illegal pairs."""
    split = [split_tag(name) for name in tags.names]
    suffixes = sorted({"" if label is None else f"-{label}" for prefix, label in split if prefix != "O"})
    names = ("O", *(prefix + suffix for prefix in scheme.prefixes for suffix in suffixes))
    codes = np.array([names.index(name) for name in tags.names], dtype=np.int64)
    role = np.array([OUTSIDE, *(ROLES.index(kind) for kind in scheme.prefixes.values() for _ in suffixes)])
    # prefixes without a label share one label
    label = np.array([-1, *(code for _ in scheme.prefixes for code in range(len(suffixes)))])
    same = (label[:, None] == label[None, :]).astype(np.int64)
    return names, codes, ~scheme.legal()[role[:, None], role[None, :], same]


def _with_offered(spans: Spans, labels: tuple[str, ...] | None) -> tuple[Spans, np.ndarray]:
    """Add more labels to the spans' list of labels; also returns the indices of these labels, ascending."""
    names = spans.labels if labels is None else labels
    spans = spans.with_labels(tuple(sorted({*spans.labels, *names})))
    codes = sorted(spans.labels.index(name) for name in set(names))
    return spans, np.array(codes, dtype=code_type(len(spans.labels)))


def _require_labels(owner: Transformation, labels: Any) -> None:
    if labels is not None and not (isinstance(labels, tuple) and all(isinstance(label, str) for label in labels)):
        owner.refuse("labels", "Give a tuple of labels, such as ('LOC', 'PER').")
