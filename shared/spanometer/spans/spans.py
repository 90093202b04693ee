"""Spans of a corpus as frozen columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import (
    arrow_array,
    as_column,
    as_lists,
    ascends,
    begins_run,
    code_type,
    first_flagged,
    integers,
    null_flags,
    offsets_by,
    offsets_of,
    read_rows,
    recoded,
    row_ranks,
    strings,
)
from ..exceptions import InputError, counted, on_both_sides, on_side, require_kind, setting
from ..tags.decoding import BARE_LABEL, LabelDecoding, decode, get_repair, read_prefix, scheme_of
from ..tags.schemes import Scheme, encode, get_scheme
from ..tags.tags import LABELS_REMEDY, Tags, check_names, is_tags, readable, split_tag
from .arrow import (
    FRAGMENTS,
    FRAGMENTS_REMEDY,
    FRAGMENTS_TYPE,
    LENGTHS_REMEDY,
    SPAN_REMEDY,
    SPAN_TYPE,
    SPANS,
    Intervals,
    ListItems,
    SpanColumns,
    bounds_arrays,
    is_list_of,
    require_same_lengths,
    string_codes,
    structs,
)

_MOST_TAGS = 1 << 28
"""The maximum number of tags that are written at a time."""


class Fragments(Intervals):
    """The fragments of discontinuous spans. Span i has the fragments `offsets[i]` to `offsets[i + 1]`.

    The fragments of a span are in text order and neither overlap nor touch.
    """

    @classmethod
    def merged(cls, span: np.ndarray, start: np.ndarray, end: np.ndarray, spans: int) -> Fragments:
        """Sort fragments, and merge fragments of the same span that overlap or touch.

        Args:
            span: the span of each fragment.
            start, end: the boundaries of the fragments.
            spans: the number of spans.
        """
        order = np.lexsort((start, span))
        span, start, end = (column[order].astype(np.int64) for column in (span, start, end))
        # far enough apart that a running maximum of one span never reaches the next
        stride = int(end.max(initial=0)) + 1
        reach = np.maximum.accumulate(end + span * stride) - span * stride
        fresh = begins_run(span)
        fresh[1:] |= start[1:] > reach[:-1]
        first = np.flatnonzero(fresh)
        last = np.append(first[1:], len(span))[: len(first)] - 1
        return cls(offsets_by(span[first], spans), start[first], reach[last])

    @property
    def ranks(self) -> np.ndarray:
        """The rank of each span's list of fragments; at the first difference in ends, the larger end is first."""
        bounds = np.stack([self.start, -self.end], axis=1).ravel()
        return row_ranks(2 * self.offsets[:-1], 2 * self.offsets[1:], bounds)

    def outer_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the start of the first and the end of the last fragment of each span."""
        return self.start[self.offsets[:-1]], self.end[self.offsets[1:] - 1]


@dataclass(frozen=True, eq=False)
class Spans(SpanColumns):
    """One side's spans, ordered by document, start, end and label, without duplicates.

    Create objects with `from_tags`, `from_dicts` or `from_arrow`; the constructor does not check the columns.

    Attributes:
        document: the document of each span, int32.
        start, end: the outer boundaries of each span in tokens of the document, int32; `end` is exclusive.
        label: the index of each span's label in `labels`, in the smallest signed type of at least 16 bits.
        labels: the sorted label names.
        documents: the number of documents, with or without spans.
        lengths: the documents' lengths in tokens, int64; None if unknown.
        fragments: the fragments of all spans; None if every span is contiguous.
        copies: the number of copies of each span before duplicates were merged, int64; None without duplicates.
    """

    lengths: np.ndarray | None = None
    fragments: Fragments | None = None
    copies: np.ndarray | None = None

    def __repr__(self) -> str:
        """Show sizes instead of columns."""
        size = f"{counted(len(self), 'span')}, {counted(self.documents, 'document')}"
        return f"Spans({size}, labels {', '.join(self.labels) or 'none'})"

    @classmethod
    def none(cls, documents: int, lengths: np.ndarray | None = None) -> Spans:
        """Create an annotation without spans."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(empty, empty, empty, empty.astype(np.int16), (), documents, lengths)

    @classmethod
    def from_tags(
        cls,
        tags: Tags | Iterable[Sequence[str]] | pa.Array | pa.ChunkedArray,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        prefix: bool = True,
        id2label: Any = None,
        ignore_index: int | None = -100,
    ) -> Spans:
        """Decode lists of tags to spans, see `decoding.decode`.

        The scheme is inferred only from these tags; `pair_from_tags` infers it from both sides. With `prefix=False`
        every tag except `O` is a label, as for parts of speech, and adjacent tokens with the same label form one span.

        With `id2label` (see `tags.read_id2label`) tags may be integers; positions with the integer `ignore_index` are
        removed. `pair_from_tags` removes the same positions from both sides.
        """
        encoded = as_tags(tags, prefix=prefix, id2label=id2label, ignore_index=ignore_index)
        columns = decode(encoded, scheme=read_prefix(scheme, prefix=prefix), repair=repair)
        return cls(**vars(columns), documents=len(encoded.lengths), lengths=encoded.lengths)

    @classmethod
    def from_dicts(cls, documents: Iterable[Iterable[Mapping[str, Any]]], *, lengths: Any = None) -> Spans:
        """Read spans from dictionaries.

        Args:
            documents: the spans of each document: either all `{"start": int, "end": int, "label": str}`, or, with
                discontinuous spans, all `{"label": str, "fragments": [[start, end], ...]}`.
            lengths: the documents' lengths in tokens; spans must not exceed them.

        Raises:
            InputError: if a span has another form, is empty, or is past the end of its document.
        """
        rows = read_rows(documents, 0, f"{SPAN_REMEDY} Give each document as a list of spans.")
        first: Any = next(chain.from_iterable(rows), None)
        kind = FRAGMENTS if isinstance(first, Mapping) and "fragments" in first else SPANS
        return cls.from_arrow(pa.chunked_array(kind.arrays(rows)), lengths=lengths)

    @classmethod
    def from_arrow(
        cls,
        column: pa.Array | pa.ChunkedArray,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        lengths: Any = None,
    ) -> Spans:
        """Read an Arrow column of lists of tags, spans (`SPAN_TYPE`) or fragmented spans (`FRAGMENTS_TYPE`).

        `scheme` and `repair` apply to tags, `lengths` to spans.
        """
        require_kind(column, (pa.Array, pa.ChunkedArray), "an Arrow column", SPAN_REMEDY)
        if is_tags(column.type):
            return cls.from_tags(column, scheme=scheme, repair=repair)
        fragmented = is_list_of(column.type, FRAGMENTS.keys)
        items = (FRAGMENTS if fragmented else SPANS).items(column)
        fragments = _read_fragments(items) if fragmented else None
        start, end = items.bounds() if fragments is None else fragments.outer_bounds()
        names = string_codes(items.values.field("label"))
        spans = in_order(checked_spans(cls(items.parent, start, end, *names, len(column), None, fragments)))
        return spans if lengths is None else spans.with_lengths(lengths)

    def picked(self, items: np.ndarray | slice) -> Spans:
        """Select spans in the given order; the documents stay the same."""
        fragments = None if self.fragments is None else self.fragments.take(items)
        copies = None if self.copies is None else self.copies[items]
        return replace(super().picked(items), fragments=fragments, copies=copies)

    def with_labels(self, labels: tuple[str, ...]) -> Spans:
        """Replace the list of labels by one that includes all of them."""
        if labels == self.labels:
            return self
        codes = recoded(self.label, self.labels, {name: code for code, name in enumerate(labels)})
        return replace(self, label=codes.astype(code_type(len(labels))), labels=labels)

    def relabelled(self, names: Mapping[str, str | None]) -> Spans:
        """Rename labels; None or an empty name removes the spans of a label. Spans that become equal are merged."""
        labels = tuple(sorted({name for name in map(names.get, self.labels) if name}))
        code: dict[str | None, int] = {name: number for number, name in enumerate(labels)}
        codes = np.array([code.get(names[label], -1) for label in self.labels], dtype=code_type(len(labels)))
        renamed = replace(self, label=codes[self.label], labels=labels)
        return in_order(renamed.picked(np.flatnonzero(renamed.label >= 0)))

    def unlabelled(self) -> Spans:
        """Give all spans the label `_`; spans with the same tokens are merged."""
        return self.relabelled(dict.fromkeys(self.labels, BARE_LABEL))

    @property
    def times(self) -> np.ndarray:
        """The number of copies of each span, int64."""
        return np.ones(len(self), dtype=np.int64) if self.copies is None else self.copies

    @property
    def sizes(self) -> np.ndarray:
        """The number of tokens in each span, without its gaps, int64."""
        span, start, end = self.pieces()
        return np.bincount(span, weights=end - start, minlength=len(self)).astype(np.int64)

    def pieces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return span, start and end of each fragment (int64); a contiguous span has one fragment."""
        if self.fragments is None:
            span, start, end = np.arange(len(self)), self.start, self.end
            return span, start.astype(np.int64, copy=False), end.astype(np.int64, copy=False)
        return self.fragments.owner, self.fragments.start.astype(np.int64), self.fragments.end.astype(np.int64)

    def rows(self) -> Iterator[tuple[int, int, int, str]]:
        """Yield the document, start, end and label of each span."""
        columns = (self.document, self.start, self.end, self.label)
        for document, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            yield document, start, end, self.labels[label]

    def places(self) -> Iterator[tuple[int, bytes]]:
        """Yield the document of each span, and the boundaries of its fragments as bytes."""
        span, *bounds = self.pieces()
        of_spans = np.split(np.stack(bounds, axis=1), np.flatnonzero(np.diff(span)) + 1)
        return zip(self.document.tolist(), map(np.ndarray.tobytes, of_spans), strict=False)

    def covered(self, texts: Sequence[str]) -> Iterator[str]:
        """Yield the text that each span of characters covers; fragments are joined by a space."""
        span, start, end = self.pieces()
        columns = self.document[span].tolist(), start.tolist(), end.tolist()
        pieces = (texts[document][first:last] for document, first, last in zip(*columns, strict=True))
        if self.fragments is None:
            return pieces
        return (" ".join(islice(pieces, size)) for size in self.fragments.lengths.tolist())

    def with_pieces(self, span: np.ndarray, start: np.ndarray, end: np.ndarray, lengths: np.ndarray | None) -> Spans:
        """Replace the fragments of the spans; spans without fragments are removed.

        Args:
            span: the span of each fragment.
            start, end: the boundaries of the fragments. Fragments of the same span that overlap or touch are merged.
            lengths: the documents' lengths.
        """
        kept, owner = np.unique(span, return_inverse=True)
        merged = Fragments.merged(owner.ravel(), start, end, len(kept))
        first, last = (bound.astype(np.int32) for bound in merged.outer_bounds())
        fragments = merged if len(merged.start) > len(kept) else None
        spans = replace(self, fragments=None).picked(kept)
        return in_order(replace(spans, start=first, end=last, lengths=lengths, fragments=fragments))

    def _structs(self) -> pa.StructArray:
        label = strings(self.label, self.labels)
        if self.fragments is None:
            return structs(SPAN_TYPE, *bounds_arrays(self.start, self.end), label)
        bounds = np.stack([self.fragments.start, self.fragments.end], axis=1).ravel()
        pairs = as_lists(np.arange(0, len(bounds) + 1, 2), arrow_array(bounds.astype(np.int64)))
        return structs(FRAGMENTS_TYPE, label, as_lists(self.fragments.offsets, pairs))

    def to_tags(self, scheme: str) -> list[list[str]]:
        """Encode the spans as lists of tags, see `encode`."""
        tags = self.encode(scheme)
        flat = np.array(tags.names, dtype=object)[tags.codes]
        return [part.tolist() for part in np.split(flat, tags.offsets[1:-1])] if self.documents else []

    def encode(self, scheme: str, cuts: np.ndarray | Sequence[int] = ()) -> Tags:
        """Encode the spans as tags of a scheme; document lengths must be known.

        A span that begins at one of the tokens `cuts` does not continue the span before.

        Raises:
            InputError: if lengths are unknown, if spans overlap or are discontinuous, or if the scheme cannot separate
                them (IO: adjacent spans of one label).
        """
        target = get_scheme(scheme)
        if self.lengths is None:
            raise InputError("the documents' lengths are not known.", LENGTHS_REMEDY)
        if self.fragments is not None:
            remedy = "To score such spans, use spanometer.load('span_f', 'fragments')."
            raise InputError("tags cannot represent discontinuous spans.", remedy)
        offsets = offsets_of(self.lengths)
        if offsets[-1] > _MOST_TAGS:
            problem = f"{counted(int(offsets[-1]), 'token')} are too many tags at once."
            raise InputError(problem, f"Check {setting('lengths')}, or write fewer documents at once.")
        start, end = offsets[self.document] + self.start, offsets[self.document] + self.end
        adjacent = np.zeros(len(self) + 1, dtype=bool)
        adjacent[1:-1] = (end[:-1] == start[1:]) & ~begins_run(self.label, self.document)[1:]
        adjacent[1:-1] &= ~np.isin(start[1:], cuts)
        problem = "overlaps the previous span, and tags cannot represent overlaps."
        self._refuse(start[1:] < end[:-1], problem, "Write spans instead of tags, for example as JSON lines.")
        problem = f"would merge with the previous span, because {target.name} tags cannot separate adjacent spans."
        remedy = "Choose another scheme, or write spans instead of tags, for example as JSON lines."
        self._refuse(adjacent[1:-1] & (target.name == "IO"), problem, remedy)
        codes, prefixes = encode(target, start, end, adjacent, int(offsets[-1]))
        written = [f"{prefix}-{label}" for prefix in prefixes[1:] for label in self.labels]
        inside = codes > 0
        tag = np.zeros(len(codes), dtype=np.min_scalar_type(len(written)))
        tag[inside] = (codes[inside].astype(np.int64) - 1) * len(self.labels) + np.repeat(self.label, end - start) + 1
        return Tags(tag, ("O", *written), offsets)

    def _name(self, item: int) -> str:
        return f"a span labelled {self.labels[self.label[item]]!r}"

    def _refuse(self, bad: np.ndarray, problem: str, remedy: str) -> None:
        """Raise an `InputError` for the first flagged span; the first flag belongs to the second span."""
        if (before := first_flagged(bad)) is not None:
            document, position = int(self.document[before + 1]), int(self.start[before + 1])
            raise InputError(f"{self._name(before + 1)} {problem}", remedy, document=document, position=position)


def pair_from_tags(references: Any, predictions: Any, **decoding: Any) -> tuple[Spans, Spans, str]:
    """Decode the tags of both sides with the same scheme; `decoding` are the options of `LabelDecoding`.

    If `scheme` is None, it is inferred from both sides. With `id2label` (see `tags.read_id2label`) either side may have
    integer tags. Positions where the reference has the integer `ignore_index` are then removed on both sides, and the
    scheme is inferred from all labels.

    Returns:
        The spans of both sides and the name of the scheme.

    Raises:
        InputError: if the documents or their lengths differ; see also `decoding.decode`.
    """
    true, predicted = on_both_sides(encoded_tags, references, predictions)
    require_same_lengths(true.lengths, predicted.lengths)
    spans, name = decode_together({"references": true, "predictions": predicted}, LabelDecoding(**decoding))
    # one array for both
    return spans["references"], replace(spans["predictions"], lengths=spans["references"].lengths), name


def decode_together(sides: Mapping[str, Tags], decoding: LabelDecoding) -> tuple[dict[str, Spans], str]:
    """Decode the tags of all sides with one scheme, by default inferred; return the spans and the scheme's name."""
    with named_tags(sides, decoding) as named:
        scheme = read_prefix(decoding.scheme, prefix=decoding.prefix)
        name = common_scheme(scheme, named, decoding.id2label or (), decoding.repair).name
        reading = {"scheme": name, "repair": decoding.repair}
        return {side: on_side(side, Spans.from_tags, tags, **reading) for side, tags in named.items()}, name


@contextmanager
def named_tags(sides: Mapping[Any, Tags], decoding: LabelDecoding) -> Iterator[dict[Any, Tags]]:
    """Replace integer tags by their names, and remove ignored positions on all sides; see `pair_from_tags`.

    Tags without prefixes become IO tags. Errors raised inside the block get the original positions of tokens.
    """
    first = next(iter(sides.values()))
    left_out = first.has_number(None if decoding.id2label is None else decoding.ignore_index)
    named = {}
    try:
        for side, tags in sides.items():
            if left_out.any():
                on_side(side, require_same_lengths, first.lengths, tags.lengths)
                tags = tags.take(~left_out)
            named[side] = on_side(side, _named, tags, decoding)
        yield named
    except InputError as error:
        if error.document is None or error.position is None or not left_out.any():
            raise
        of_document = left_out[first.offsets[error.document] : first.offsets[error.document + 1]]
        raise error.placed(position=int(np.flatnonzero(~of_document)[error.position])) from None


def common_scheme(name: str | None, sides: Mapping[str, Tags], labels: Sequence[str] = (), repair: str = "") -> Scheme:
    """Return a scheme by name; None infers it from the tags of all sides and from `labels`.

    Raises:
        InputError: if no scheme has all prefixes, or if `repair` reads a side otherwise than with the scheme inferred
            from this side alone, unless that is IO.
    """
    if name is not None:
        return get_scheme(name)
    for side, tags in sides.items():
        on_side(side, check_names, tags, None)
    inside = {side: [name for name in tags.names if name != "O"] for side, tags in sides.items()}
    bare = [side for side, names in inside.items() if any(split_tag(name)[1] is None for name in names)]
    if bare and len(bare) < sum(map(bool, inside.values())):
        named, rest = map(" and the ".join, (sorted(bare), sorted({side for side in inside if inside[side]} - {*bare})))
        raise InputError(f"tags of the {named} have no labels, but tags of the {rest} have labels.", LABELS_REMEDY)
    scheme = scheme_of(None, *sides.values(), *readable(labels))
    for side, tags in sides.items() if repair not in ("", "conlleval") and not labels else ():
        # actions are for one kind of scheme; they read legal tags as conlleval does
        own, alone = scheme_of(None, tags).name, "conlleval" if get_repair(repair).actions else repair
        ways = ((own, alone), (scheme.name, repair)) if own not in ("IO", scheme.name) else ()
        ends = {tuple(on_side(side, decode, tags, scheme=name, repair=way).end.tolist()) for name, way in ways}
        if len(ends) == 2:
            problem = f"these {own} tags would be read as {scheme.name}, like the other tags, which changes spans."
            remedy = f"Use spanometer convert --to {scheme.name}, or set {setting('scheme', scheme.name)} to accept it."
            raise InputError(problem, remedy, side=side)
    return scheme


def encoded_tags(tags: Any) -> Tags:
    """Encode tags from lists of lists or an Arrow column; `Tags` are returned unchanged."""
    if isinstance(tags, Tags):
        return tags
    column = as_column(tags)
    return Tags.from_lists(tags) if column is None else Tags.from_arrow(column)


def as_tags(tags: Any, *, prefix: bool = True, id2label: Any = None, ignore_index: int | None = None) -> Tags:
    """Encode tags, name integer tags, and remove ignored positions; tags without prefixes become IO tags."""
    decoding = LabelDecoding(prefix=prefix, id2label=id2label, ignore_index=ignore_index)
    with named_tags({None: encoded_tags(tags)}, decoding) as named:
        return named[None]


def _named(tags: Tags, decoding: LabelDecoding) -> Tags:
    named = tags.renamed(decoding.id2label, decoding.ignore_index)
    return named if decoding.prefix else named.labels_as_tags()


def checked_spans(spans: Spans) -> Spans:
    """Check labels and boundaries of unsorted spans, shrink the columns' types, and merge touching fragments."""
    remedy = SPAN_REMEDY if spans.fragments is None else FRAGMENTS_REMEDY
    items = ListItems(None, spans.document, "a span", remedy)
    items.refuse_names(spans.label, spans.labels)
    start, end, fragments = spans.start, spans.end, spans.fragments
    if fragments is None:
        items.refuse_bounds(start, end)
    else:
        pieces = spans.pieces()
        ListItems(None, pieces[0], "a fragment", remedy, items).refuse_bounds(*pieces[1:])
        fragments = Fragments.merged(*pieces, len(spans))
        start, end = fragments.outer_bounds()
        fragments = fragments if len(fragments.start) > len(spans) else None
    document, start, end = (column.astype(np.int32, copy=False) for column in (spans.document, start, end))
    label = spans.label.astype(code_type(len(spans.labels)), copy=False)
    return replace(spans, document=document, start=start, end=end, label=label, fragments=fragments)


def _read_fragments(spans: ListItems) -> Fragments:
    """Read the fragments of spans, in any order."""
    fragments = spans.children(spans.values.field("fragments"), "a fragment")
    pairs, number = fragments.values, len(spans.values)
    spans.refuse(np.bincount(fragments.parent, minlength=number) == 0, "the span has no fragments.")
    malformed = (np.diff(integers(pairs.offsets)) != 2) | null_flags(pairs)
    fragments.refuse(malformed, "a fragment is not a pair [start, end].")
    bounds = pairs.flatten()
    fragments.refuse(np.logical_or(*null_flags(bounds).reshape(-1, 2).T), "a boundary of a fragment is None.")
    start, end = integers(bounds.cast(pa.int64())).reshape(-1, 2).T
    return Fragments(offsets_by(fragments.parent, number), start, end)


def in_order(spans: Spans) -> Spans:
    """Sort spans, and merge duplicates into one span with several copies."""
    keys = [spans.label, spans.end, spans.start, spans.document]
    if spans.fragments is None and ascends(*reversed(keys)):
        return spans
    if spans.fragments is not None:
        keys.insert(0, spans.fragments.ranks)
    order = np.lexsort(keys)
    first = np.flatnonzero(begins_run(*(key[order] for key in keys)))
    if len(first) == len(order):
        return spans.picked(order)
    return replace(spans.picked(order[first]), copies=np.add.reduceat(spans.times[order], first))
