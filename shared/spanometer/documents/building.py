"""The columns that records of documents are collected in, checked."""

from __future__ import annotations

import contextlib
import gc
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import (
    arrow_array,
    is_utf8,
    offsets_by,
    offsets_of,
    ranges,
    run_bounds,
    sorted_codes,
    surely_distinct,
    typed_array,
)
from ..exceptions import InputError, counted, setting
from ..spans.arrow import SPAN_KEYS, SPAN_REMEDY, span_problem
from ..spans.characters import UNITS, code_points_of, is_plain
from ..spans.documents import Tokens
from ..spans.spans import Fragments, Spans, checked_spans
from .record import Named, Record
from .stated import NO_ATTRIBUTES, TEXT_TYPE, StatedSpans, alike, compared, stated_arrays, strings_of
from .words import Codes, WordRows

_OTHER_FORM = "a span has another form."
_AT_ONCE = 1000
"""How many records are checked together."""

_SPANS = 50_000
"""How many spans are checked together."""

_CHARACTERS = 1_000_000
"""How many characters are counted together."""

_DISTINCT = 10_000
"""How many different attributes are known at a time; a file with more has mostly values of their own."""

_FARTHEST = 1 << 62
_NO_TOKENS = np.zeros((0, 2), dtype=np.int64)
_PARTS = attrgetter("line", "place", "text", "id", "annotator", "words", "tokens", "spans", "stated")


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Look for no garbage: what readers make has none, and looking at it takes longer than making it."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class RecordColumns:
    """What records have, end to end.

    Attributes:
        texts, ids, annotators, places, lines: of each document; see `Record`.
        words: of all documents; None if some have none.
        lost: the document, the line and the problem of each span that could not be read.
        stated: the spans as the file has them; their bounds are not checked.
    """

    def __init__(self, source: Named, records: Iterable[Record], *, by_name: bool = False) -> None:
        self._source = source
        self.texts: list[str | None] = []
        self.ids: list[str | None] = []
        self.annotators: list[str | None] = []
        self.places: list[str] = []
        self.lines = array("q")
        self.words: WordRows | None = WordRows()
        self.lost: list[tuple[int, int, str]] = []
        # of each document, whether it lacks a text and words (0), has such words (2), or none that show anything
        self._words = bytearray()
        self._with_tokens = bytearray()
        self._tokens: list[Tokens] = []
        self._odd_token: InputError | None = None
        spans = _SpanColumns()
        each = iter(records)
        with _without_collection():
            while some := list(islice(each, _AT_ONCE)):
                self._add(some, spans)
        self._require_all_or_none()
        self.stated = spans.stated()
        if by_name and not surely_distinct(self.ids):
            self._join_by_name()

    def _add(self, records: Sequence[Record], columns: _SpanColumns) -> None:
        """Take over what some records have, checked."""
        first = len(self.lines)
        line, place, text, name, annotator, words, tokens, spans, stated = zip(*map(_PARTS, records), strict=True)
        self.lines.extend(line)
        self.places.extend(place)
        try:
            columns.add(records, spans, stated)
        except (TypeError, ValueError, OverflowError):
            raise self._malformed(records, first) from None
        except InputError as error:
            raise self.locate(error.placed(document=first + (error.document or 0))) from None
        # both sides, and several systems, mostly have the same texts
        self.texts.extend(None if each is None else sys.intern(each) for each in text)
        self.ids.extend(name)
        self.annotators.extend(annotator)
        self.lost += [(first + number, *lost) for number, record in enumerate(records) for lost in record.lost]
        # beside a text, words are not needed
        lacking = zip(text, words, strict=True)
        self._words += bytes(1 if each is not None else 0 if row is None else 1 + bool(row) for each, row in lacking)
        self._add_words(words, first)
        self._add_tokens(tokens, first)

    def _add_words(self, words: Sequence[Sequence[str] | None], first: int) -> None:
        """Take over the words of documents, of all or of none."""
        for number, row in enumerate(words, first):
            if self.words is None or row is None:
                self.words = None
                return
            try:
                self.words.append(row)
            except InputError as error:
                raise self.locate(error.placed(document=number)) from None

    def _add_tokens(self, tokens: Sequence[Any], first: int) -> None:
        """Take over the tokens of documents; what is wrong with them counts if all have some."""
        self._with_tokens += bytes(row is not None for row in tokens)
        rows = [_NO_TOKENS if row is None else row for row in tokens]
        in_arrays = all(isinstance(row, np.ndarray) for row in rows)
        try:
            self._tokens.append(Tokens.from_arrays(rows) if in_arrays else Tokens.from_lists(rows))
        except InputError as error:
            placed = error if error.document is None else error.placed(document=first + error.document)
            self._odd_token = self._odd_token or self.locate(placed)

    def _require_all_or_none(self) -> None:
        """Raise an `InputError` for the first document that lacks what others have."""
        lacking = {
            "a text": self.texts.index(None) if None in self.texts and any(self.texts) else -1,
            "words": self._words.find(0) if max(self._words, default=0) > 1 else -1,
        }
        for what, document in lacking.items():
            if document >= 0:
                problem = f"this document does not have {what}, and others do."
                remedy = "Give it in all documents, or in none."
                raise self.locate(InputError(problem, remedy, document=document))

    def _join_by_name(self) -> None:
        """Join documents of one name."""
        numbers = Codes()
        owner = np.array([numbers[str(name)] for name in self.ids])
        first = np.unique(owner, return_index=True)[1].tolist()
        for column in (self.texts, self.ids, self.annotators, self.places):
            column[:] = [column[row] for row in first]
        self.lines = array("q", [self.lines[row] for row in first])
        spans = self.stated.spans
        document = owner[spans.document]
        spans = replace(spans, document=document, documents=len(first))
        self.stated = replace(self.stated, spans=spans).picked(np.argsort(document, kind="stable"))

    @property
    def with_tokens(self) -> np.ndarray:
        """Flags of the documents that have tokens."""
        return np.array(self._with_tokens, dtype=bool)

    def known_tokens(self) -> Tokens:
        """Read the tokens of the documents that have tokens; an `InputError` for malformed tokens."""
        if self._odd_token is not None:
            raise self._odd_token
        return Tokens.end_to_end(self._tokens)

    def tokens(self) -> Tokens | None:
        """Collect the tokens of all documents; None if some have none."""
        return self.known_tokens() if all(self._with_tokens) else None

    def lengths(self, *, in_tokens: bool) -> np.ndarray | None:
        """Return the documents' lengths in tokens, or in characters; None if they are not known."""
        if not in_tokens:
            return None if None in self.texts else np.array([len(text or "") for text in self.texts], dtype=np.int64)
        tokens = self.tokens()
        if tokens is not None:
            return tokens.lengths
        return None if self.words is None else self.words.lengths

    def drop_empty(self) -> list[str]:
        """Leave out spans without a character; return a text for each."""
        spans = self.stated.spans
        empty = spans.picked(np.flatnonzero(spans.start == spans.end))
        if not len(empty):
            return []
        self.stated = self.stated.picked(np.flatnonzero(spans.start != spans.end))
        return [
            f"{self.place(document)}: an empty span of {empty.labels[label]!r} at {start}."
            for document, label, start in zip(
                empty.document.tolist(), empty.label.tolist(), empty.start.tolist(), strict=True
            )
        ]

    def drop_spans(self) -> None:
        """Leave out all spans."""
        self.stated = self.stated.picked(np.zeros(0, dtype=np.int64))

    def to_code_points(self, units: Sequence[str], undecided: list[int] | None = None) -> None:
        """Count the characters of all bounds in code points: -1 for those inside a character or outside the text.

        Args:
            units: in which they may be counted; the one that most stated texts of a document fit is taken.
            undecided: gets the documents whose unit nothing tells; without it there is an `InputError`.
        """
        # offsets in any unit are those in code points in all other texts
        if set(units) == {"codepoint"}:
            return
        odd = [
            number for number, text in enumerate(self.texts) if text and not all(is_plain(text, unit) for unit in units)
        ]
        if not odd:
            return
        spans = self.stated.spans
        span, *pieces = spans.pieces()
        bounds = [piece.copy() for piece in pieces]
        base = offsets_by(spans.document[span], spans.documents)
        size = offsets_of([len(str(self.texts[number])) for number in odd])
        for first, last in zip(*run_bounds(size[:-1] // _CHARACTERS), strict=True):
            self._convert(np.array(odd[first:last]), units, base, bounds, undecided)
        self.stated = replace(self.stated, spans=_with_bounds(spans, *bounds))

    def _convert(
        self,
        documents: np.ndarray,
        units: Sequence[str],
        base: np.ndarray,
        bounds: list[np.ndarray],
        undecided: list[int] | None,
    ) -> None:
        """Count the characters of some documents' bounds in code points; those of document d begin at `base[d]`."""
        texts = [str(self.texts[number]) for number in documents.tolist()]
        counts = np.diff(base)[documents]
        here, owner = ranges(base[documents], counts), np.repeat(np.arange(len(texts)), counts)
        converted = np.array(
            [[code_points_of(texts, owner, bound[here], unit) for bound in bounds] for unit in units], dtype=np.int64
        )
        chosen = converted[0]
        begin = offsets_of(counts)
        for place in np.unique(owner[(converted != converted[0]).any(axis=(0, 1))]).tolist():
            part = slice(*begin[place : place + 2].tolist())
            of_units = dict(zip(units, converted[:, :, part], strict=True))
            chosen[:, part] = of_units[self._unit(int(documents[place]), of_units, undecided)]
        for bound, values in zip(bounds, chosen, strict=True):
            bound[here] = values

    def _unit(self, number: int, bounds: Mapping[str, np.ndarray], undecided: list[int] | None) -> str:
        """Find the unit in which most stated texts of a document are the text at their offsets."""
        # of units that are the same here, the first
        distinct: dict[bytes, str] = {}
        for unit, of_unit in bounds.items():
            distinct.setdefault(of_unit.tobytes(), unit)
        text, spans = str(self.texts[number]), self.stated.spans
        here = spans.items(number, number + 1)
        stated = [] if self.stated.texts is None else list(strings_of(self.stated.texts[here]))
        spans = spans.between(number, number + 1)
        fitting = {
            unit: sum(map(alike, stated, _with_bounds(spans, *bounds[unit]).covered([text])))
            for unit in distinct.values()
        }
        best = max(fitting, key=fitting.__getitem__)
        # an offset inside a character, or past the end, rules a unit out
        possible = [unit for unit in fitting if (bounds[unit] >= 0).all()]
        if fitting[best] or len(possible) == 1:
            return best if fitting[best] else possible[0]
        if undecided is None:
            named = possible or list(fitting)
            raise self.locate(
                InputError(
                    f"the text has characters that tools count differently ({_which(text, named)}) before a span, and "
                    "nothing shows how they are counted here.",
                    f"Give the unit of the offsets with {setting('offset_unit')}: "
                    f"{', '.join(f'{unit!r} ({UNITS[unit]})' for unit in named)}.",
                    document=number,
                    option="offset_unit",
                )
            )
        undecided.append(number)
        return (possible or list(bounds))[0]

    def require_inside(self, original: Spans) -> None:
        """Raise an `InputError` for the first piece off its text's characters, with its `original` bounds."""
        spans = self.stated.spans
        document, pieces = spans.document, spans if spans.fragments is None else spans.fragments
        if spans.fragments is not None:
            document = np.repeat(document, np.diff(spans.fragments.offsets))
        wrong = (pieces.start < 0) | (pieces.end < 0)
        if any(self.texts) or "" in self.texts:
            wrong |= pieces.end > np.array([_FARTHEST if text is None else len(text) for text in self.texts])[document]
        if not wrong.any():
            return
        piece = int(np.argmax(wrong))
        number = int(document[piece])
        _, first, last = original.pieces()
        text = self.texts[number]
        size = "" if text is None else f" ({counted(len(text), 'character')})"
        raise self.locate(
            InputError(
                f"a span from {first[piece]} to {last[piece]} begins or ends inside a character, or outside the "
                f"text{size}.",
                f"Check the offsets; {setting('offset_unit')} names their unit, one of {', '.join(map(repr, UNITS))}.",
                document=number,
            )
        )

    def compare_stated(self) -> list[str]:
        """Write a sentence if stated texts differ from the text; an `InputError` if most differ."""
        if None in self.texts:
            return []
        try:
            return compared(self.stated.beside([text or "" for text in self.texts]), self.place)
        except InputError as error:
            raise error.in_file(self._source.name) from None

    def checked(self) -> StatedSpans:
        """Make and check the spans, in the order of the file.

        Of documents with a text, and of discontinuous spans, stated texts are left out: what they cover is known.
        """
        spans = self.stated.spans
        label, labels = sorted_codes(spans.label, spans.labels)
        spans = checked_spans(replace(spans, label=label, labels=labels))
        texts = self.stated.texts if None in self.texts else None
        if texts is not None and spans.fragments is not None:
            contiguous = np.diff(spans.fragments.offsets) == 1
            texts = pc.if_else(arrow_array(contiguous), texts, pa.scalar(None, TEXT_TYPE))
        return replace(self.stated, spans=spans, texts=texts)

    def locate(self, error: InputError) -> InputError:
        """Turn an error about a document into an error about its place in the file."""
        if error.document is None:
            return error.in_file(self._source.name)
        place = self.places[error.document]
        name = f"{self._source.name}, {place}" if place else self._source.name
        return error.placed(document=None, position=None, source=name, line=self.lines[error.document])

    def place(self, number: int) -> str:
        """Name the place of a document in the file."""
        return self.places[number] or f"line {self.lines[number]}"

    def _malformed(self, records: Sequence[Record], first: int) -> InputError:
        """Make the error for the first span of records that has another form."""
        for number, record in enumerate(records, first):
            for index, span in enumerate(record.spans):
                is_span = isinstance(span, (tuple, list)) and len(span) == 3
                problem = span_problem(dict(zip(SPAN_KEYS, span, strict=True)) if is_span else span)
                if problem:
                    return self.locate(InputError(problem, document=number, span=index))
        return self.locate(InputError(_OTHER_FORM, SPAN_REMEDY))


class _SpanColumns:
    """The spans of records, end to end."""

    def __init__(self) -> None:
        self._counts = array("i")
        self._size = 0
        self._start, self._end, self._label, self._attributes = ([np.zeros(0, dtype=np.int32)] for _ in range(4))
        self._labels = Codes()
        self._texts: list[pa.Array] = []
        self._values: list[Mapping[str, Any]] = [NO_ATTRIBUTES]
        self._codes: dict[str, int] = {}
        # the discontinuous spans, how many fragments each has, and their bounds
        self._broken, self._sizes, self._bounds = array("q"), array("q"), array("q")

    def add(self, records: Sequence[Record], spans: Sequence[Any], stated: Sequence[Sequence[str | None]]) -> None:
        """Take over the spans of some records, and the texts that these state; an error of Python for another form."""
        first = self._size
        each = chain.from_iterable(spans)
        while some := list(islice(each, _SPANS)):
            self._add_bounds(some)
        self._counts.extend(map(len, spans))
        if any(map(any, stated)):
            # a document that states nothing but empty texts states none
            filled = (
                texts if any(texts) else repeat(None, len(some)) for texts, some in zip(stated, spans, strict=True)
            )
            self._texts += stated_arrays(chain.from_iterable(filled))
        else:
            self._texts.append(pa.nulls(self._size - first))
        if not any(any(record.attributes) or record.fragments for record in records):
            self._attributes.append(np.zeros(self._size - first, dtype=np.int32))
            return
        codes = array("i")
        for number, record in enumerate(records):
            if any(record.attributes):
                codes.extend(map(self._code, record.attributes, record.scores or repeat(None)))
            else:
                codes.extend(repeat(0, len(record.spans)))
            self._add_fragments(record.fragments, first, number)
            first += len(record.spans)
        self._attributes.append(np.asarray(codes))

    def _add_bounds(self, spans: Sequence[Any]) -> None:
        """Take over bounds and labels; an error of Python if they have another form."""
        start, end, label = zip(*spans, strict=True)
        if not {*map(type, start), *map(type, end)} <= {int} or not {*map(type, label)} <= {str}:
            raise TypeError
        if not all(map(is_utf8, {*label} - self._labels.keys())):
            raise ValueError
        codes = np.fromiter(map(self._labels.__getitem__, label), np.int32, len(label))
        self._start.append(_narrow(start))
        self._end.append(_narrow(end))
        self._label.append(codes)
        self._size += len(label)

    def _code(self, attributes: Mapping[str, Any], scores: Any) -> int:
        """Encode attributes; equal ones mostly have one code."""
        if not attributes:
            return 0
        value = {"attributes": attributes} if scores is None else {"attributes": attributes, "scores": scores}
        # true and 1 are equal, and not the same
        key = repr(value)
        if key not in self._codes:
            self._values.append(value)
            if len(self._codes) >= _DISTINCT:
                return len(self._values) - 1
            self._codes[key] = len(self._values) - 1
        return self._codes[key]

    def _add_fragments(self, fragments: Mapping[int, Sequence[tuple[int, int]]], first: int, document: int) -> None:
        """Take over the fragments of a document's spans, given the number of the first."""
        for place, pairs in sorted(fragments.items()):
            bounds = list(chain.from_iterable(pairs))
            if typed_array(bounds, pa.int64()) is None:
                raise InputError("a bound of a fragment is not an integer.", SPAN_REMEDY, document=document)
            self._broken.append(first + place)
            self._sizes.append(len(pairs))
            self._bounds.extend(bounds)

    def stated(self) -> StatedSpans:
        """Make all spans, in the order of the file."""
        start, end, label = map(_joined, (self._start, self._end, self._label))
        # memory that is never written is never taken
        attributes = _joined(self._attributes) if len(self._values) > 1 else np.zeros(len(start), dtype=np.int32)
        documents = len(self._counts)
        document = np.repeat(np.arange(documents, dtype=np.int32), self._counts)
        fragments = None
        if self._broken:
            broken, sizes = np.asarray(self._broken), np.ones(len(start), dtype=np.int64)
            sizes[broken] = self._sizes
            fragments = Fragments(
                offsets_of(sizes), *(np.repeat(bound.astype(np.int64), sizes) for bound in (start, end))
            )
            here = ranges(fragments.offsets[broken], sizes[broken])
            fragments.start[here], fragments.end[here] = np.reshape(self._bounds, (-1, 2)).T
        texts = None
        if not all(pa.types.is_null(chunk.type) for chunk in self._texts):
            texts = pa.chunked_array([chunk.cast(TEXT_TYPE) for chunk in self._texts])
        spans = Spans(document, start, end, label, tuple(self._labels), documents, None, fragments)
        return StatedSpans(spans, attributes, self._values, texts)


def _joined(chunks: list[np.ndarray]) -> np.ndarray:
    """Join chunks of a column, and give them up."""
    column = np.concatenate(chunks)
    chunks.clear()
    return column


def _narrow(bounds: Sequence[int]) -> np.ndarray:
    """Make an array of bounds, of 32 bits if they fit."""
    wide = np.array(bounds, dtype=np.int64)
    narrow = wide.astype(np.int32)
    return narrow if np.array_equal(narrow, wide) else wide


def _with_bounds(spans: Spans, start: np.ndarray, end: np.ndarray) -> Spans:
    """Give spans other bounds of their pieces."""
    if spans.fragments is None:
        return replace(spans, start=start, end=end)
    fragments = replace(spans.fragments, start=start, end=end)
    first, last = fragments.outer_bounds()
    return replace(spans, start=first, end=last, fragments=fragments)


def _which(text: str, units: Collection[str]) -> str:
    """Say which characters of a text some units count differently."""
    others = not all(is_plain(text, unit.removesuffix("-lf")) for unit in units)
    line_ends = any(unit.endswith("-lf") for unit in units)
    return " and ".join(["such as emoji"] * others + ["a carriage return with a newline"] * line_ends)
