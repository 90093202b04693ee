"""Collection of documents in columns with vectorised checks."""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby, islice, pairwise, repeat
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import arrow_array, is_utf8, offsets_by, offsets_of, run_bounds, sorted_codes, take_segments, typed_array
from ..exceptions import InputError, counted, setting
from ..spans.arrow import SPAN_REMEDY, SPAN_TYPE, SPANS, item_problem
from ..spans.spans import Fragments, Spans, checked_spans
from ..spans.texts import UNITS, Tokens, code_points_of, is_plain, texts_not_plain
from .layers import Codes, Named, Record, RecordBatch, WordRows
from .stated import NO_ATTRIBUTES, TEXT_TYPE, StatedSpans, alike, compared, stated_arrays, strings_of

_AT_ONCE = 1000
"""The number of documents that are checked at a time."""

_SPANS = 50_000
"""The number of spans that are checked at a time."""

_CHARACTERS = 250_000
"""The approximate number of characters whose offsets are converted at a time."""

_DISTINCT = 10_000
"""The maximum number of distinct attributes that are cached. Files with more rarely repeat any."""

_FARTHEST = 1 << 62
_NO_TOKENS = np.zeros((0, 2), dtype=np.int64)


def _batches(records: Iterable[Record | RecordBatch]) -> Iterator[RecordBatch]:
    """Yield all records in batches."""
    for kind, some in groupby(records, type):
        while kind is Record and (part := list(islice(some, _AT_ONCE))):
            yield RecordBatch.of(cast(list[Record], part))
        yield from cast(Iterator[RecordBatch], some)


class RecordColumns:
    """Documents of a file as columns, with all documents concatenated.

    Attributes:
        texts, ids, annotators, places, lines: one value for each document, see `Record`.
        words: the words of all documents; None if a document has none.
        lost: the document, the line and the problem of each span that could not be read.
        with_tokens: whether each document has tokens.
        stated: the spans as they are in the file; their boundaries have not been checked.
        undecided: a list to which documents with an unclear unit are added. None raises an `InputError` for them.
    """

    undecided: list[int] | None = None

    def __init__(self, source: Named, records: Iterable[Record | RecordBatch], *, by_name: bool = False) -> None:
        self._source = source
        self.texts: list[str | None] = []
        self.ids: list[str | None] = []
        self.annotators: list[str | None] = []
        self.places: list[str] = []
        self.lines = array("q")
        self.words: WordRows | None = WordRows()
        self.lost: list[tuple[int, int, str]] = []
        # for each document: 0 without text and words, 2 with words but no text, 1 otherwise
        self._words = bytearray()
        self.with_tokens = bytearray()
        self._tokens: list[Tokens] = []
        self._odd_token: InputError | None = None
        spans = _SpanColumns()
        # garbage collection takes longer than reading, and readers create no reference cycles
        collecting = gc.isenabled()
        gc.disable()
        try:
            for batch in _batches(records):
                self._add(batch, spans)
        finally:
            if collecting:
                gc.enable()
        self._require_all_or_none()
        self.stated = spans.stated()
        if by_name:
            self._join_by_name()

    def _add(self, batch: RecordBatch, spans: _SpanColumns) -> None:
        """Check and add several documents."""
        first, none = len(self.lines), [None] * len(batch.line)
        self.lines.extend(batch.line)
        self.places.extend(batch.place)
        try:
            spans.add(batch)
        except InputError as error:
            raise self.locate(error.placed(document=first + (error.document or 0))) from None
        except (TypeError, ValueError, OverflowError):
            raise self._malformed(batch, first) from None
        texts, words = batch.text or none, batch.words or none
        # both sides and several systems usually have the same texts
        self.texts += [text and sys.intern(text) for text in texts]
        self.ids += [name if name is None else str(name) for name in batch.id or none]
        self.annotators += [name if name is None else str(name) for name in batch.annotator or none]
        self.lost += [(number, *each) for number, some in enumerate(batch.lost, first) for each in some]
        # documents with a text do not need words
        lacking = zip(texts, words, strict=True)
        self._words += bytes([1 if each is not None else 0 if row is None else 1 + bool(row) for each, row in lacking])
        self._add_words(words, first)
        self._add_tokens(batch.tokens or none, first)

    def _add_words(self, words: Sequence[Sequence[str] | None], first: int) -> None:
        """Add the words of documents; if one has none, drop all words."""
        for number, row in enumerate(words, first):
            if self.words is None or row is None:
                self.words = None
                return
            try:
                self.words.append(row)
            except InputError as error:
                raise self.locate(error.placed(document=number)) from None

    def _add_tokens(self, tokens: Sequence[Any], first: int) -> None:
        """Add the tokens of documents. Errors in them are raised only when the tokens are used."""
        self.with_tokens += bytes([row is not None for row in tokens])
        if not any(self.with_tokens[first:]):
            self._tokens.append(Tokens(np.zeros(len(tokens) + 1, dtype=np.int64), *_NO_TOKENS.T))
            return
        rows = [_NO_TOKENS if row is None else row for row in tokens]
        in_arrays = all(isinstance(row, np.ndarray) for row in rows)
        try:
            self._tokens.append(Tokens.from_arrays(rows).checked() if in_arrays else Tokens.from_lists(rows))
        except InputError as error:
            placed = error if error.document is None else error.placed(document=first + error.document)
            self._odd_token = self._odd_token or self.locate(placed)

    def _require_all_or_none(self) -> None:
        """Raise an `InputError` if some documents have a text (or words) and others have none."""
        lacking = {
            "text": self.texts.index(None) if None in self.texts and any(self.texts) else -1,
            "words": self._words.find(0) if max(self._words, default=0) > 1 else -1,
        }
        for layer, document in lacking.items():
            if document >= 0:
                problem = f"this document has no {layer}, but other documents have {layer}."
                raise self.locate(InputError(problem, f"Give {layer} to all documents, or to none.", document=document))

    def _join_by_name(self) -> None:
        """Merge documents with the same name."""
        numbers = Codes()
        owner = np.array([numbers[str(name)] for name in self.ids], dtype=np.int64)
        first = np.unique(owner, return_index=True)[1].tolist()
        for column in (self.texts, self.ids, self.annotators, self.places):
            column[:] = [column[row] for row in first]
        self.lines = array("q", [self.lines[row] for row in first])
        spans = self.stated.spans
        document = owner[spans.document]
        spans = replace(spans, document=document, documents=len(first))
        self.stated = replace(self.stated, spans=spans).picked(np.argsort(document, kind="stable"))

    def known_tokens(self) -> Tokens:
        """Return the tokens of the documents that have tokens; raise an `InputError` if tokens are malformed."""
        if self._odd_token is not None:
            raise self._odd_token
        return Tokens.end_to_end(self._tokens)

    def tokens(self) -> Tokens | None:
        """Return the tokens of all documents; None if a document has no tokens."""
        return self.known_tokens() if all(self.with_tokens) else None

    def lengths(self, *, in_tokens: bool) -> np.ndarray | None:
        """Return the documents' lengths in tokens or in characters; None if unknown."""
        if not in_tokens:
            return None if None in self.texts else np.array([len(text or "") for text in self.texts], dtype=np.int64)
        tokens = self.tokens()
        if tokens is not None:
            return tokens.lengths
        return None if self.words is None else self.words.lengths

    def drop_empty(self) -> list[str]:
        """Remove empty spans, and return a description of each."""
        spans = self.stated.spans
        empty = spans.picked(np.flatnonzero(spans.start == spans.end))
        if len(empty):
            self.stated = self.stated.picked(np.flatnonzero(spans.start != spans.end))
        return [
            f"{self.place(document)}: an empty span labelled {label!r} at {start}."
            for document, start, _, label in empty.rows()
        ]

    def to_code_points(self, units: Sequence[str]) -> None:
        """Convert all boundaries to code points; -1 for boundaries inside a character or outside the text.

        `units` are the possible units. For each document the unit is chosen in which most span texts of the file match.
        """
        # in all other texts the units agree
        if set(units) == {"codepoint"}:
            return
        spans = self.stated.spans
        span, *pieces = spans.pieces()
        bounds = [piece.copy() for piece in pieces]
        counts = np.bincount(spans.document[span], minlength=spans.documents)
        texts = [text or "" for text in self.texts]
        size = offsets_of(list(map(len, texts)))
        for first, last in zip(*run_bounds(size[:-1] // _CHARACTERS), strict=True):
            odd = first + texts_not_plain(texts[first:last], units)
            if len(odd):
                self._convert(odd, units, counts, bounds)
        self.stated = replace(self.stated, spans=_with_bounds(spans, *bounds))

    def _convert(
        self, documents: np.ndarray, units: Sequence[str], counts: np.ndarray, bounds: list[np.ndarray]
    ) -> None:
        """Convert the boundaries of some documents to code points; each document has this number of boundaries."""
        texts = [str(self.texts[number]) for number in documents.tolist()]
        counts, here = take_segments(offsets_of(counts), documents)
        owner = np.repeat(np.arange(len(texts)), counts)
        converted = np.array(
            [[code_points_of(texts, owner, bound[here], unit) for bound in bounds] for unit in units], dtype=np.int64
        )
        chosen = converted[0]
        begin = offsets_of(counts)
        for place in np.unique(owner[(converted != converted[0]).any(axis=(0, 1))]).tolist():
            part = slice(*begin[place : place + 2].tolist())
            of_units = dict(zip(units, converted[:, :, part], strict=True))
            chosen[:, part] = of_units[self._unit(int(documents[place]), of_units)]
        for bound, values in zip(bounds, chosen, strict=True):
            bound[here] = values

    def _unit(self, number: int, bounds: Mapping[str, np.ndarray]) -> str:
        """Return the unit in which most span texts of a document match the text at their offsets."""
        # among units that agree here, the first one
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
        if self.undecided is None:
            named = possible or list(fitting)
            raise self.locate(
                InputError(
                    f"the text before a span has {_which(text, named)}. Tools count these characters differently, and "
                    "the file does not name the unit of its offsets.",
                    f"Set {setting('offset_unit')} to {' or '.join(f'{unit!r} ({UNITS[unit]})' for unit in named)}.",
                    document=number,
                    option="offset_unit",
                )
            )
        self.undecided.append(number)
        return (possible or list(bounds))[0]

    def require_inside(self, original: Spans, units: Sequence[str]) -> None:
        """Raise an `InputError` for the first piece outside its text or inside a character.

        It shows the `original` boundaries. `units` are the possible units.
        """
        span, start, end = self.stated.spans.pieces()
        document = self.stated.spans.document[span]
        sizes = np.array([_FARTHEST if text is None else len(text) for text in self.texts], dtype=np.int64)
        wrong = (start < 0) | (end < 0) | (end > sizes[document])
        if not wrong.any():
            return
        piece = int(np.argmax(wrong))
        number = int(document[piece])
        _, first, last = original.pieces()
        text = self.texts[number]
        size = "" if text is None else f" ({counted(len(text), 'character')})"
        raise self.locate(
            InputError(
                f"the span from {first[piece]} to {last[piece]} does not fit the text{size}: a boundary is outside the "
                f"text{'' if [*units] == ['codepoint'] else ' or inside a character'}.",
                f"Check the offsets: they must count {UNITS[units[0]]}."
                if len(units) == 1
                else f"Check the offsets, or set {setting('offset_unit')} to their unit: {', '.join(UNITS)}.",
                document=number,
            )
        )

    def compare_stated(self) -> list[str]:
        """Compare the span texts of the file with the documents' texts, and describe differences.

        Raises an `InputError` if most differ.
        """
        if None in self.texts:
            return []
        try:
            return compared(self.stated.beside([text or "" for text in self.texts]), self.place)
        except InputError as error:
            raise error.in_file(self._source.name) from None

    def checked(self) -> StatedSpans:
        """Check the spans and return them in the order of the file.

        Span texts are dropped for discontinuous spans and for documents with a text.
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
        """Replace the document in an error by its place in the file."""
        if error.document is None:
            return error.in_file(self._source.name)
        place = self.places[error.document]
        name = f"{self._source.name}, {place}" if place else self._source.name
        return error.placed(document=None, position=None, source=name, line=self.lines[error.document])

    def place(self, number: int) -> str:
        """Describe where a document is in the file."""
        return self.places[number] or f"line {self.lines[number]}"

    def _malformed(self, batch: RecordBatch, first: int) -> InputError:
        """Create the error for the first malformed span of documents, the first of which has this number."""
        for index, span in enumerate(batch.spans):
            is_span = isinstance(span, (tuple, list)) and len(span) == 3
            named = dict(zip(SPANS.keys, span, strict=True)) if is_span else span
            problem = item_problem(named, SPAN_TYPE, "a span")
            if problem:
                document, place = batch.place_of(index)
                remedy = "Write offsets as integers, and labels as strings."
                return self.locate(InputError(problem, remedy, document=first + document, span=place))
        return self.locate(InputError("a span is malformed.", SPAN_REMEDY))


class _SpanColumns:
    """Spans of documents as columns."""

    def __init__(self) -> None:
        self._counts = array("i")
        self._size = 0
        # start, end and label of some spans at a time
        self._bounds = [(np.zeros(0, dtype=np.int32),) * 3]
        self._attributes = [np.zeros(0, dtype=np.int32)]
        self._labels = Codes()
        self._texts: list[pa.Array] = []
        self._values: list[Mapping[str, Any]] = [NO_ATTRIBUTES]
        self._codes: dict[str, int] = {}
        # for each fragment of a discontinuous span: the span, the start and the end
        self._fragments = array("q")

    def add(self, batch: RecordBatch) -> None:
        """Add the spans of some documents; malformed spans raise any Python error."""
        first, size = self._size, len(batch.spans)
        for begin in range(0, size, _SPANS):
            self._add_bounds(batch.spans[begin : begin + _SPANS])
        self._counts.extend(batch.counts)
        stated = batch.stated
        if any(stated):
            # a document with only empty stated texts states none
            rows = (stated[begin:end] for begin, end in pairwise(accumulate(batch.counts, initial=0)))
            stated = [text for row in rows for text in (row if any(row) else repeat(None, len(row)))]
        self._texts += stated_arrays(stated) if any(stated) else [pa.nulls(size)]
        codes = np.zeros(size, dtype=np.int32)
        if any(batch.attributes):
            codes[:] = list(map(self._code, batch.attributes, batch.scores or repeat(None)))
        self._attributes.append(codes)
        for place, pairs in sorted(batch.fragments.items()):
            if typed_array(list(chain.from_iterable(pairs)), pa.int64()) is None:
                document, _ = batch.place_of(place)
                raise InputError("a boundary of a fragment is not an integer.", SPAN_REMEDY, document=document)
            for start, end in pairs:
                self._fragments.extend((first + place, start, end))

    def _add_bounds(self, spans: Sequence[Any]) -> None:
        """Add boundaries and labels; malformed spans raise any Python error."""
        if set(map(len, spans)) - {len(SPANS.keys)}:
            raise ValueError
        flat = list(chain.from_iterable(spans))
        start, end, label = flat[::3], flat[1::3], flat[2::3]
        if not {*map(type, start), *map(type, end)} <= {int} or not {*map(type, label)} <= {str}:
            raise TypeError
        if not all(map(is_utf8, {*label} - self._labels.keys())):
            raise ValueError
        codes = np.fromiter(map(self._labels.__getitem__, label), np.int32, len(label))
        self._bounds.append((_narrow(start), _narrow(end), codes))
        self._size += len(label)

    def _code(self, attributes: Mapping[str, Any] | None, scores: Any) -> int:
        """Return an index for these attributes; equal attributes usually get the same index."""
        if not attributes:
            return 0
        value = {"attributes": attributes} if scores is None else {"attributes": attributes, "scores": scores}
        # True and 1 are equal, but different values
        key = repr(value)
        if key not in self._codes:
            self._values.append(value)
            if len(self._codes) >= _DISTINCT:
                return len(self._values) - 1
            self._codes[key] = len(self._values) - 1
        return self._codes[key]

    def stated(self) -> StatedSpans:
        """Return all spans in the order of the file."""
        start, end, label = map(np.concatenate, zip(*self._bounds, strict=True))
        documents = len(self._counts)
        document = np.repeat(np.arange(documents, dtype=np.int32), self._counts)
        fragments = None
        if self._fragments:
            pieces = np.reshape(self._fragments, (-1, 3)).T
            whole = np.setdiff1d(np.arange(len(start)), pieces[0])
            pieces = np.concatenate([np.stack([whole, start[whole], end[whole]]), pieces], axis=1)
            span, *bounds = pieces[:, np.argsort(pieces[0], kind="stable")]
            fragments = Fragments(offsets_by(span, len(start)), *bounds)
        texts = None
        if not all(pa.types.is_null(chunk.type) for chunk in self._texts):
            texts = pa.chunked_array([chunk.cast(TEXT_TYPE) for chunk in self._texts])
        spans = Spans(document, start, end, label, tuple(self._labels), documents, None, fragments)
        return StatedSpans(spans, np.concatenate(self._attributes), self._values, texts)


def _narrow(bounds: Sequence[int]) -> np.ndarray:
    """Convert boundaries to an array, with 32 bits if they fit."""
    wide = np.fromiter(bounds, np.int64, len(bounds))
    narrow = wide.astype(np.int32)
    return narrow if np.array_equal(narrow, wide) else wide


def _with_bounds(spans: Spans, start: np.ndarray, end: np.ndarray) -> Spans:
    """Replace the boundaries of the spans' pieces."""
    if spans.fragments is None:
        return replace(spans, start=start, end=end)
    fragments = replace(spans.fragments, start=start, end=end)
    first, last = fragments.outer_bounds()
    return replace(spans, start=first, end=last, fragments=fragments)


def _which(text: str, units: Collection[str]) -> str:
    """Describe the characters of a text that different units count differently."""
    others = not all(is_plain(text, unit.removesuffix("-lf")) for unit in units)
    line_ends = any(unit.endswith("-lf") for unit in units)
    return " and ".join(["emoji or similar characters"] * others + ["a carriage return with a newline"] * line_ends)
