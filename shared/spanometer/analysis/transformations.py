"""Transformations of an annotated corpus: what an output looks like that errs in one way, and how often.

    TRANSFORMATIONS["minimum_overlap"](spans)             # Transformed(spans, how many were touched)
    Truncate(tokens=2, shortest=4, rate=0.5)(spans)       # the same with parameters

For `Dataset.map` see `mapping`.

A transformation is a pure function of `Spans`; its parameters are its fields. It never leaves a document and, unless
`overlap=True`, makes no two spans overlap that did not: a span that cannot be changed so is left alone and not counted.
What is random depends on the seed, the document's number and the place alone, so that it comes out the same whole, in
batches and in shards.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from ..arrays import code_type
from ..errors import InputError, mention, require_choice, setting
from ..spans.conversion import encode_like
from ..spans.spans import Spans, in_order
from ..tags.schemes import OUTSIDE, ROLES, Scheme, get_scheme
from ..tags.tags import Tags, check_names, split_tag

SIDES = ("start", "end")


@dataclass(frozen=True, eq=False)
class Transformed:
    """A transformed corpus.

    Attributes:
        spans: its spans.
        per_document: how many spans of each document were touched (changed, dropped or invented), int64.
    """

    spans: Spans
    per_document: np.ndarray

    @property
    def touched(self) -> int:
        """How many spans were touched."""
        return int(self.per_document.sum())


@dataclass(frozen=True, eq=False)
class TransformedTags:
    """The same for tags.

    Attributes:
        tags: the tags.
        per_document: how many spans (of `IllegalTags`: tags) of each document were touched, int64.
    """

    tags: Tags
    per_document: np.ndarray

    @property
    def touched(self) -> int:
        """How many spans (of `IllegalTags`: tags) were touched."""
        return int(self.per_document.sum())


@dataclass(frozen=True, kw_only=True)
class Transformation(ABC):
    """A transformation; its parameters are its fields.

    Attributes:
        rate: the probability of each candidate to be touched, in [0, 1].
        seed: of what is random, 0 or greater.
        unit: what is touched.
    """

    rate: float = 1.0
    seed: int = 0

    unit: ClassVar[str] = "span"

    def __post_init__(self) -> None:
        """Check the parameters."""
        number = isinstance(self.rate, (int, float, np.integer, np.floating)) and not isinstance(self.rate, bool)
        if not number or not 0 <= self.rate <= 1:
            raise InputError(
                f"{setting('rate', self.rate)} is not a probability.", "Use a number from 0 to 1.", option="rate"
            )
        _require_whole("seed", self.seed, 0)

    @abstractmethod
    def on_tags(
        self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: np.ndarray | None = None
    ) -> TransformedTags:
        """Transform tags into tags of the same scheme.

        Args:
            tags: the tags of all documents.
            scheme: their scheme.
            repair: what becomes of illegal tags, see `decoding.decode`; by default they are an error.
            numbers: the documents' numbers in the whole corpus; by default 0, 1, 2 and so on.

        Raises:
            InputError: for tags that cannot be read, and where the scheme cannot write the result.
        """

    @property
    def looks_at_corpus(self) -> str | None:
        """The parameter, if there is one, for which a part of a corpus gives something else than the whole."""
        return None


@dataclass(frozen=True, kw_only=True)
class SpanTransformation(Transformation):
    """A transformation of spans.

    Attributes:
        first: touch no more than the first so many, in the order of the text; None is no limit.
    """

    first: int | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.first is not None:
            _require_whole("first", self.first, 0)

    @property
    def looks_at_corpus(self) -> str | None:
        """See `Transformation`."""
        return None if self.first is None else "first"

    def __call__(self, spans: Spans, *, numbers: np.ndarray | None = None) -> Transformed:
        """Transform spans.

        Args:
            spans: contiguous spans; the documents' lengths must be known.
            numbers: the documents' numbers in the whole corpus; by default 0, 1, 2 and so on.

        Raises:
            InputError: for discontinuous spans, and where the lengths are not known.
        """
        if spans.fragments is not None:
            raise InputError("discontinuous spans cannot be transformed.", "Give contiguous ones.")
        lengths_of(spans)
        known = np.arange(spans.documents) if numbers is None else np.asarray(numbers)
        if known.shape != (spans.documents,):
            raise InputError(f"{known.size} numbers, {spans.documents} documents.", "Give one for each document.")
        return self.transform(spans, known)

    @abstractmethod
    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Transform spans that have been checked."""

    def on_tags(
        self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: np.ndarray | None = None
    ) -> TransformedTags:
        """See `Transformation`."""
        spans = Spans.from_tags(tags, scheme=scheme, repair=repair)
        found = self(spans, numbers=numbers)
        return TransformedTags(encode_like(tags, found.spans, scheme), found.per_document)


@dataclass(frozen=True, kw_only=True)
class ChosenSpans(SpanTransformation):
    """A transformation of some of the spans that there are.

    Attributes:
        shortest, longest: touch only spans of so many tokens; None is no limit.
        alone: touch only spans that are the only one of their document.
    """

    shortest: int = 1
    longest: int | None = None
    alone: bool = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_whole("shortest", self.shortest, 1)
        if self.longest is not None:
            _require_whole("longest", self.longest, self.shortest)
        _require_flag("alone", self.alone)

    def choose(self, spans: Spans, numbers: np.ndarray, possible: np.ndarray | None = None) -> np.ndarray:
        """Flags of the spans to touch: those that the fields and `possible` admit, drawn at `rate`."""
        size = spans.end - spans.start
        chosen = size >= self.shortest
        if self.longest is not None:
            chosen &= size <= self.longest
        if self.alone:
            chosen &= np.bincount(spans.document, minlength=spans.documents)[spans.document] == 1
        if possible is not None:
            chosen &= possible
        if self.rate < 1:
            chosen &= uniform(self.seed, numbers[spans.document], spans.start, spans.end) < self.rate
        if self.first is not None:
            chosen &= np.cumsum(chosen) <= self.first
        return chosen


@dataclass(frozen=True, kw_only=True)
class Split(ChosenSpans):
    """Cut spans of two and more tokens in half; the first half gets the odd token."""

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        size = spans.end - spans.start
        chosen = self.choose(spans, numbers, size >= 2)
        middle = spans.start + (size + 1) // 2
        document, start, end, label = (
            np.concatenate([column, added[chosen]])
            for column, added in (
                (spans.document, spans.document),
                (spans.start, middle),
                (np.where(chosen, middle, spans.end), spans.end),
                (spans.label, spans.label),
            )
        )
        return Transformed(_replaced(spans, document, start, end, label), _per_document(spans, chosen))


@dataclass(frozen=True, kw_only=True)
class _Move(ChosenSpans):
    """A transformation that moves bounds.

    Attributes:
        overlap: let spans run into others.
    """

    overlap: bool = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_flag("overlap", self.overlap)

    def moved(
        self, spans: Spans, numbers: np.ndarray, by_start: Any, by_end: Any, possible: np.ndarray | None = None
    ) -> Transformed:
        """Move the bounds of the spans for which that is possible and that are chosen."""
        first, last = _wide(spans)
        room = self.has_room(spans, first + by_start, last + by_end)
        chosen = self.choose(spans, numbers, room if possible is None else room & possible)
        start, end = (np.where(chosen, bound + by, bound) for bound, by in ((first, by_start), (last, by_end)))
        found = _replaced(spans, spans.document, start, end, spans.label)
        return Transformed(found, _per_document(spans, chosen))

    def has_room(self, spans: Spans, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether spans with these bounds stay in their documents and enter no token of another span.

        All spans move to one side, so two that enter free tokens only cannot meet there unless they overlap already.
        """
        within = (start >= 0) & (end <= lengths_of(spans)[spans.document])
        if self.overlap:
            return within
        before = _covered_before(spans)
        base = _bases(spans)[spans.document]

        def is_free(first: np.ndarray, last: np.ndarray) -> np.ndarray:
            # bounds beyond the documents are refused by `within`
            first, last = (np.clip(base + bound, 0, len(before) - 1) for bound in (first, last))
            return before[np.maximum(first, last)] == before[first]

        return within & is_free(start, spans.start) & is_free(spans.end, end)


@dataclass(frozen=True, kw_only=True)
class Shift(_Move):
    """Move spans towards the end of the document; at least one token stays in common.

    Attributes:
        tokens: by how many tokens; None leaves one token in common. Spans that would leave their place altogether are
            not touched.
    """

    tokens: int | None = 1

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.tokens is not None:
            _require_whole("tokens", self.tokens, 1)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        size = spans.end - spans.start
        by = size - 1 if self.tokens is None else self.tokens
        return self.moved(spans, numbers, by, by, (size > by) & (size > 1))


@dataclass(frozen=True, kw_only=True)
class Truncate(_Move):
    """Take tokens from spans that have more.

    Attributes:
        tokens: how many.
        side: at which end.
    """

    tokens: int = 1
    side: str = "end"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_whole("tokens", self.tokens, 1)
        require_choice("side", self.side, SIDES)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        by_start, by_end = (self.tokens, 0) if self.side == "start" else (0, -self.tokens)
        return self.moved(spans, numbers, by_start, by_end, spans.end - spans.start > self.tokens)


@dataclass(frozen=True, kw_only=True)
class Extend(_Move):
    """Add the neighbouring tokens to spans.

    Attributes:
        tokens: how many.
        side: at which end.
        room: touch only spans with room for so many tokens there, so that different `tokens` touch the same spans;
            None is `tokens`.
    """

    tokens: int = 1
    side: str = "end"
    room: int | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_whole("tokens", self.tokens, 1)
        require_choice("side", self.side, SIDES)
        if self.room is not None:
            _require_whole("room", self.room, self.tokens)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        room = self.tokens if self.room is None else self.room
        first, last = _wide(spans)
        if self.side == "start":
            return self.moved(spans, numbers, -self.tokens, 0, self.has_room(spans, first - room, last))
        return self.moved(spans, numbers, 0, self.tokens, self.has_room(spans, first, last + room))


@dataclass(frozen=True, kw_only=True)
class Relabel(ChosenSpans):
    """Give spans another label, each of the others being as likely.

    Attributes:
        labels: the labels to draw from; None is those of the corpus. With fewer than two nothing can be touched.
    """

    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self.labels)

    @property
    def looks_at_corpus(self) -> str | None:
        """See `Transformation`."""
        return super().looks_at_corpus or ("labels" if self.labels is None else None)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        spans, offered = _with_offered(spans, self.labels)
        is_offered = np.isin(spans.label, offered)
        others = len(offered) - is_offered
        chosen = self.choose(spans, numbers, others > 0)
        # by the label's name, as its code depends on what else the corpus, or the part of it, has
        names = np.array([zlib.crc32(label.encode()) for label in spans.labels], dtype=np.uint64)
        draw = uniform(self.seed, numbers[spans.document], spans.start, spans.end, names[spans.label])
        pick = (draw * others).astype(np.int64)
        # skip the span's own label
        pick += is_offered & (pick >= np.searchsorted(offered, spans.label))
        label = spans.label.copy()
        label[chosen] = offered[pick[chosen]]
        found = _replaced(spans, spans.document, spans.start, spans.end, label)
        return Transformed(found, _per_document(spans, chosen))


@dataclass(frozen=True, kw_only=True)
class Drop(ChosenSpans):
    """Leave spans out."""

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        chosen = self.choose(spans, numbers)
        columns = (column[~chosen] for column in (spans.document, spans.start, spans.end, spans.label))
        return Transformed(_replaced(spans, *columns), _per_document(spans, chosen))


@dataclass(frozen=True, kw_only=True)
class Invent(SpanTransformation):
    """Add spans where there are none, with at least one token between them and any other span.

    At each token outside all spans one begins with the probability `rate`, its length and label drawn from `lengths`
    and `labels`; it comes to nothing where it would pass the end of its document or come too near to a span or to one
    drawn before.

    Attributes:
        lengths: lengths to draw from, each entry as likely; None is the lengths of the corpus's spans.
        labels: labels to draw from; None is those of the corpus.
    """

    rate: float = 0.02
    lengths: tuple[int, ...] | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self.labels)
        if self.lengths is not None:
            if not isinstance(self.lengths, tuple) or not self.lengths:
                raise InputError(f"lengths={self.lengths!r} is not a tuple of lengths.", "Give lengths=(1, 2, 3).")
            for length in self.lengths:
                _require_whole("lengths", length, 1)

    @property
    def looks_at_corpus(self) -> str | None:
        """See `Transformation`."""
        missing = [name for name in ("lengths", "labels") if getattr(self, name) is None]
        return super().looks_at_corpus or next(iter(missing), None)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """See `SpanTransformation`."""
        spans, offered = _with_offered(spans, self.labels)
        lengths = np.sort(spans.end - spans.start) if self.lengths is None else np.array(self.lengths)
        if len(lengths) == 0 or len(offered) == 0:
            return Transformed(spans, np.zeros(spans.documents, dtype=np.int64))
        base = _bases(spans)
        document = np.repeat(np.arange(spans.documents), lengths_of(spans))
        position = np.arange(base[-1]) - base[document]
        token = np.flatnonzero(uniform(self.seed, numbers[document], position) < self.rate)
        document, position = document[token], position[token]
        by_length, by_label = (uniform(self.seed, numbers[document], position, np.int64(turn)) for turn in (1, 2))
        end = position + lengths[(by_length * len(lengths)).astype(np.int64)]
        kept = self._stands_apart(spans, document, position, end)
        if self.first is not None:
            kept &= np.cumsum(kept) <= self.first
        document, position, end = document[kept], position[kept], end[kept]
        label = offered[(by_label[kept] * len(offered)).astype(np.int64)]
        columns = ((spans.document, document), (spans.start, position), (spans.end, end), (spans.label, label))
        found = _replaced(spans, *(np.concatenate([column, added]) for column, added in columns))
        return Transformed(found, np.bincount(document, minlength=spans.documents))

    def _stands_apart(self, spans: Spans, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether invented spans stay in their documents, a token away from all others and those before them."""
        base, length = _bases(spans)[document], lengths_of(spans)[document]
        before = _covered_before(spans)
        first = base + np.maximum(start - 1, 0)
        last = base + np.minimum(end + 1, length)
        free = (end <= length) & (before[first] == before[last])
        reach = np.maximum.accumulate(np.where(free, base + end, -1))
        within = np.ones(len(start), dtype=bool)
        # the seam between documents needs no token in between
        within[1:] = (reach[:-1] < base[1:] + start[1:]) | (reach[:-1] <= base[1:])
        return free & within


@dataclass(frozen=True, kw_only=True)
class IllegalTags(Transformation):
    """Put tags where they cannot stand: each changed tag makes an illegal pair with a neighbour or an end.

    A candidate is each tag for which there is such a tag in the scheme, with one of the labels; of two neighbours that
    are drawn the second stays as it is.
    """

    rate: float = 0.05

    unit: ClassVar[str] = "tag"

    def on_tags(
        self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: np.ndarray | None = None
    ) -> TransformedTags:
        """See `Transformation`; `repair` has no say here, the tags may be illegal before.

        The labels to choose from are those of `tags.names`; without any, nothing is touched.
        """
        known = get_scheme(scheme)
        roles = [OUTSIDE, *(ROLES.index(role) for role in known.roles)]
        if known.legal()[np.ix_(roles, roles)].all():
            raise InputError(f"all tags are legal in {known.name}.", "Choose a scheme with illegal pairs.")
        check_names(tags, known)
        vocabulary = _Vocabulary.of(tags, known)
        codes = vocabulary.codes[tags.codes]
        document = np.repeat(np.arange(len(tags.lengths)), tags.lengths)
        number = document if numbers is None else np.asarray(numbers)[document]
        position = np.arange(len(codes)) - tags.offsets[document]
        drawn = uniform(self.seed, number, position) < self.rate
        drawn[1:] &= ~(drawn[:-1] & (position[1:] > 0))
        token = np.flatnonzero(drawn)
        # both ends are like the outside tag, which has the code 0
        previous = np.where(position[token] > 0, codes[token - 1], 0)
        last = position[token] == tags.lengths[document[token]] - 1
        following = np.where(last, 0, codes[np.minimum(token + 1, len(codes) - 1)])
        wrong = vocabulary.illegal[previous] | vocabulary.illegal[:, following].T
        wrong[np.arange(len(token)), codes[token]] = False
        candidate = np.arange(len(vocabulary.names))
        preference = uniform(self.seed, number[token][:, None], position[token][:, None], candidate[None, :])
        chosen = np.where(wrong, preference, -1.0).argmax(axis=1)
        possible = wrong.any(axis=1)
        new = codes.copy()
        new[token[possible]] = chosen[possible]
        touched = np.bincount(document[token[possible]], minlength=len(tags.lengths))
        return TransformedTags(Tags(new, vocabulary.names, tags.offsets), touched)


@dataclass(frozen=True, eq=False)
class _Vocabulary:
    """All tags of a scheme with some labels.

    Attributes:
        names: the tags, O first.
        codes: for each of the names of the tags that are read, its code here.
        illegal: whether a pair of tags is illegal, shape (tags, tags).
    """

    names: tuple[str, ...]
    codes: np.ndarray
    illegal: np.ndarray

    @classmethod
    def of(cls, tags: Tags, scheme: Scheme) -> _Vocabulary:
        split = [split_tag(name) for name in tags.names]
        suffixes = sorted({"" if label is None else f"-{label}" for prefix, label in split if prefix != "O"})
        names = ("O", *(prefix + suffix for prefix in scheme.prefixes for suffix in suffixes))
        number = {name: code for code, name in enumerate(names)}
        role = np.array([OUTSIDE, *(ROLES.index(kind) for kind in scheme.prefixes.values() for _ in suffixes)])
        # bare prefixes are of one label
        label = np.array([-1, *(code for _ in scheme.prefixes for code in range(len(suffixes)))])
        same = (label[:, None] == label[None, :]).astype(np.int64)
        illegal = ~scheme.legal()[role[:, None], role[None, :], same]
        return cls(names, np.array([number[name] for name in tags.names], dtype=np.int64), illegal)


def uniform(seed: int, *keys: Any) -> np.ndarray:
    """Numbers in [0, 1) that depend on the seed and the keys (whole numbers, arrays that broadcast) alone.

    Each key is mixed in by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
    """
    state: np.ndarray = _mixed(np.array([seed], dtype=np.uint64))
    for key in keys:
        state = _mixed(state ^ _mixed(np.asarray(key).astype(np.uint64)))
    return (state >> np.uint64(11)) * 2.0**-53


def _mixed(state: np.ndarray) -> np.ndarray:
    state = np.atleast_1d(state) + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def _wide(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends as integers that no parameter makes overflow."""
    return spans.start.astype(np.int64), spans.end.astype(np.int64)


def _bases(spans: Spans) -> np.ndarray:
    """Where documents begin with all laid end to end, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(lengths_of(spans), dtype=np.int64)))


def lengths_of(spans: Spans) -> np.ndarray:
    """The documents' lengths; an `InputError` where they are not known."""
    if spans.lengths is None:
        raise InputError("the documents' lengths are not known.", "Give them with lengths=...")
    return spans.lengths


def _covered_before(spans: Spans) -> np.ndarray:
    """For each token of all documents, and the end, how many tokens before it lie in spans."""
    base = _bases(spans)
    change = np.zeros(base[-1] + 1, dtype=np.int64)
    np.add.at(change, base[spans.document] + spans.start, 1)
    np.add.at(change, base[spans.document] + spans.end, -1)
    covered = np.cumsum(change[:-1]) > 0
    return np.concatenate(([0], np.cumsum(covered)))


def _replaced(spans: Spans, document: Any, start: Any, end: Any, label: Any) -> Spans:
    """The corpus with other spans, in order."""
    document, start, end = (np.asarray(column).astype(np.int32) for column in (document, start, end))
    label = np.asarray(label, dtype=spans.label.dtype)
    return in_order(replace(spans, document=document, start=start, end=end, label=label))


def _per_document(spans: Spans, chosen: np.ndarray) -> np.ndarray:
    return np.bincount(spans.document[chosen], minlength=spans.documents)


def _with_offered(spans: Spans, labels: tuple[str, ...] | None) -> tuple[Spans, np.ndarray]:
    """The spans with codes for their own and the offered labels, and the codes of the latter, ascending."""
    names = spans.labels if labels is None else labels
    spans = spans.with_labels(tuple(sorted({*spans.labels, *names})))
    codes = sorted(spans.labels.index(name) for name in set(names))
    return spans, np.array(codes, dtype=code_type(len(spans.labels)))


def _require_whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(
            f"{setting(name, value)} is not a whole number from {least} up.", f"Use {setting(name, least)} or more."
        )
    if value > np.iinfo(np.int32).max:
        raise InputError(
            f"{setting(name, value)} is out of range.", f"Use {setting(name, np.iinfo(np.int32).max)} or less."
        )


def _require_flag(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"invalid value for {mention(name)}: {value!r}.", "Use True or False.")


def _require_labels(labels: Any) -> None:
    if labels is not None and (not isinstance(labels, tuple) or not all(isinstance(label, str) for label in labels)):
        raise InputError(f"labels={labels!r} is not a tuple of labels.", "Give labels=('LOC', 'PER').")


TRANSFORMATIONS: dict[str, Transformation] = {
    "sequence_split": Split(),
    "maximum_overlap": Shift(tokens=1),
    "minimum_overlap": Shift(tokens=None),
    "long_truncation": Truncate(tokens=1, shortest=4),
    "short_truncation": Truncate(tokens=1, shortest=2, longest=2),
    "long_extension": Extend(tokens=1, shortest=4),
    "short_extension": Extend(tokens=1, shortest=2, longest=2),
    **{f"-{tokens}": Truncate(tokens=tokens, shortest=4) for tokens in (1, 2, 3)},
    **{f"+{tokens}": Extend(tokens=tokens, room=3) for tokens in (1, 2, 3)},
    "label_noise": Relabel(rate=0.1),
    "dropped_spans": Drop(rate=0.1),
    "invented_spans": Invent(),
    "illegal_tags": IllegalTags(),
}
"""Transformations by name. The first thirteen are those of the SL-ICM paper's Table 4, for any corpus: long is four
tokens and more, short is two; -1 to -3 touch the same spans, and so do +1 to +3."""

DESCRIPTIONS: dict[str, str] = {
    "sequence_split": "cut spans of 2 and more tokens in half",
    "maximum_overlap": "shift spans of 2 and more tokens by one token",
    "minimum_overlap": "shift them until one token is in common",
    "long_truncation": "take the last token from spans of 4 and more",
    "short_truncation": "take the last token from spans of 2",
    "long_extension": "add a token to spans of 4 and more",
    "short_extension": "add a token to spans of 2",
    "-1": "take the last token from spans of 4 and more",
    "-2": "take the last 2 tokens from the same spans",
    "-3": "take the last 3 tokens from the same spans",
    "+1": "add a token to spans with 3 free tokens behind",
    "+2": "add 2 tokens to the same spans",
    "+3": "add 3 tokens to the same spans",
    "label_noise": "give spans another label",
    "dropped_spans": "leave spans out",
    "invented_spans": "add spans; the rate is that of free tokens",
    "illegal_tags": "put tags where they cannot stand; must come last",
}
"""What the transformations do, in words."""


def get_transformation(name: str, **parameters: Any) -> Transformation:
    """The transformation of that name, with some of its parameters changed.

    Raises:
        InputError: for a name or a parameter that there is not.
    """
    require_choice("transformation", name, tuple(TRANSFORMATIONS))
    found = TRANSFORMATIONS[name]
    known = [field.name for field in fields(found)]
    for parameter in parameters:
        if parameter not in known:
            raise InputError(f"{name} has no parameter {parameter!r}.", f"Its parameters are {', '.join(known)}.")
    return replace(found, **parameters)
