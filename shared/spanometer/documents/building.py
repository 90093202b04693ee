"""The columns that records of documents are collected in, checked."""

from __future__ import annotations

import contextlib
import gc
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, islice, pairwise, repeat, starmap
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import arrow_array, as_lists, is_utf8, offsets_of, ranges, runs, string_array, typed_array
from ..exceptions import InputError, counted, setting
from ..spans.arrow import FRAGMENTS_TYPE, SPAN_REMEDY, SPAN_TYPE, pair_array, span_problem
from ..spans.characters import UNITS, code_points_of, is_plain
from ..spans.documents import Tokens
from ..spans.spans import Spans
from .attributed import AttributedSpans, SharedValues
from .record import Named, Record
from .stated import StatedColumn, StatedTexts, alike, compared, stated_strings
from .words import AllOrNone, Codes, WordRows

_OTHER_FORM = "a span has another form."
_AT_ONCE = 1000
"""How many records are checked together."""

_SPANS = 50_000
"""How many spans are Python's objects at a time, unless their reader makes more."""

_CHARACTERS = 1_000_000
"""How many characters are counted together."""

_PARTS = attrgetter(
    *(
        "line",
        "place",
        "text",
        "id",
        "annotator",
        "words",
        "tokens",
        "spans",
        "stated",
        "attributes",
        "scores",
        "fragments",
    )
)


def _which(text: str, units: Collection[str]) -> str:
    """Say which characters of a text some units count differently."""
    others = not all(is_plain(text, unit.removesuffix("-lf")) for unit in units)
    line_ends = any(unit.endswith("-lf") for unit in units)
    return " and ".join(["such as emoji"] * others + ["a carriage return with a newline"] * line_ends)


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
    """What records have, end to end: their documents, their spans, and these spans' pieces.

    A piece is a fragment, or a span that has none.

    Attributes:
        texts, ids, annotators, words, places: of each document; see `Record`.
        lines: int64.
        start, end, label: of each span, int64, its label a code.
        offsets: where the spans of each document begin, and where the last one's end.
        stated: what each span is said to cover; None if the file never says so.
        pieces: where the pieces of each span begin, and where the last one's end.
        piece_start, piece_end: of each piece.
        fragmented: whether some span has fragments.
    """

    def __init__(self, source: Named, records: Iterable[Record]) -> None:
        self._source = source
        self.texts: list[str | None] = []
        self.ids: list[str | None] = []
        self.annotators: list[str | None] = []
        self.words: WordRows | None = WordRows()
        self._complete = AllOrNone()
        self._tokens: list[Tokens] | None = []
        self._odd_token: InputError | None = None
        self.places: list[str] = []
        self.stated: pa.ChunkedArray | None = None
        self.fragmented = False
        self._attributes: list[Mapping[str, Any]] = []
        self._scores: list[Any] = []
        self._values = SharedValues()
        self._names = Codes()
        self._line, self._counts = array("q"), array("q")
        self._start, self._end, self._label = array("q"), array("q"), array("i")
        self._bounds, self._sizes = array("q"), array("q")
        self._gather(records)
        self.lines = np.asarray(self._line)
        self.pieces = offsets_of(self._sizes) if self.fragmented else np.arange(len(self.start) + 1, dtype=np.int32)
        self.piece_start, self.piece_end = self.start, self.end
        if self.fragmented:
            self.piece_start, self.piece_end = np.array(self._bounds, dtype=np.int64).reshape(-1, 2).T

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.texts)

    @property
    def _with_texts(self) -> bool:
        return self.texts.count(None) < self.size

    def _gather(self, records: Iterable[Record]) -> None:
        """Take over what records have, one after the other."""
        each, stated = iter(records), StatedColumn()
        with _without_collection():
            while some := list(islice(each, _AT_ONCE)):
                self._add(some, stated)
        self.stated = stated.column() if len(stated) else None
        self.offsets = offsets_of(self._counts)
        self.start, self.end, self.label = map(np.asarray, (self._start, self._end, self._label))

    def _add(self, records: Sequence[Record], texts: StatedColumn) -> None:
        """Take over what some records have, checked."""
        first = len(self._start)
        line, place, text, name, annotator, words, tokens, spans, stated, attributes, scores, fragments = zip(
            *map(_PARTS, records), strict=True
        )
        self._line.extend(line)
        self.places.extend(place)
        try:
            each = chain.from_iterable(spans)
            while some := list(islice(each, _SPANS)):
                self._add_spans(some)
        except (TypeError, ValueError, OverflowError):
            raise self._malformed(records) from None
        self._counts.extend(map(len, spans))
        # both sides, and several systems, mostly have the same texts
        self.texts.extend(None if one is None else sys.intern(one) for one in text)
        self.ids.extend(name)
        self.annotators.extend(annotator)
        try:
            self._complete.add("a text", text)
            # beside a text, words are not needed
            self._complete.add("words", [row if one is None else "" for row, one in zip(words, text, strict=True)])
        except InputError as error:
            raise self.locate(error) from None
        self._add_words(words)
        self._add_tokens(tokens)
        columns: tuple[tuple[Any, Sequence[Any]], ...] = ((texts, stated), (self._scores, scores))
        for column, given in columns:
            if len(column) or any(map(any, given)):
                column.extend(repeat(None, first - len(column)))
                for values, some in zip(given, spans, strict=True):
                    column.extend(values or repeat(None, len(some)))
        if self._attributes or any(map(any, attributes)):
            self._attributes.extend(repeat({}, first - len(self._attributes)))
            for values, some in zip(attributes, spans, strict=True):
                self._attributes.extend(map(self._values.of, values) if values else repeat({}, len(some)))
        if not self.fragmented and any(fragments):
            # all spans before are contiguous
            self.fragmented = True
            self._sizes.extend(repeat(1, first))
            self._bounds.extend(chain.from_iterable(zip(self._start[:first], self._end[:first], strict=True)))
        if self.fragmented:
            for number, record in enumerate(records, self.size - len(records)):
                self._add_pieces(record, number)

    def _add_spans(self, spans: Sequence[Any]) -> None:
        """Take over bounds and labels; an error of Python if they have another form."""
        start, end, label = zip(*spans, strict=True)
        if not {*map(type, start), *map(type, end)} <= {int} or not {*map(type, label)} <= {str}:
            raise TypeError
        if not all(map(is_utf8, {*label} - self._names.keys())):
            raise ValueError
        self._start.extend(start)
        self._end.extend(end)
        self._label.extend(map(self._names.__getitem__, label))

    def _add_words(self, words: Sequence[Sequence[str] | None]) -> None:
        """Take over the words of documents, of all or of none."""
        for number, row in enumerate(words, self.size - len(words)):
            if self.words is None or row is None:
                self.words = None
                return
            try:
                self.words.append(row)
            except InputError as error:
                raise self.locate(error.placed(document=number)) from None

    def _add_tokens(self, tokens: Sequence[Sequence[tuple[int, int]] | np.ndarray | None]) -> None:
        """Take over the tokens of documents, of all or of none; what is wrong with them counts if all have some."""
        if self._tokens is None or any(row is None for row in tokens):
            self._tokens = None
            return
        rows: Any = tokens
        try:
            made = Tokens.from_arrays(rows) if isinstance(rows[0], np.ndarray) else Tokens.from_lists(rows)
            self._tokens.append(made)
        except InputError as error:
            number = None if error.document is None else self.size - len(tokens) + error.document
            self._odd_token = self._odd_token or error.placed(document=number)

    def _add_pieces(self, record: Record, number: int) -> None:
        for place in range(len(record.spans)):
            pairs = record.pieces(place)
            flat = list(chain.from_iterable(pairs))
            if typed_array(flat, pa.int64()) is None:
                raise self.locate(InputError("a bound of a fragment is not an integer.", SPAN_REMEDY, document=number))
            self._sizes.append(len(pairs))
            self._bounds.extend(flat)

    def tokens(self) -> Tokens | None:
        """Return the tokens of all documents; None if some have none."""
        if self._tokens is None:
            return None
        if self._odd_token is not None:
            raise self._odd_token
        return Tokens.end_to_end(self._tokens)

    def drop_empty(self) -> list[str]:
        """Leave out spans without a character; return a text for each."""
        empty = np.flatnonzero(self.end == self.start)
        if not len(empty):
            return []
        document = np.searchsorted(self.offsets, empty, side="right") - 1
        names = list(self._names)
        texts = [
            f"{self.place(number)}: an empty span of {names[label]!r} at {start}."
            for number, label, start in zip(
                document.tolist(), self.label[empty].tolist(), self.start[empty].tolist(), strict=True
            )
        ]
        kept = self.end != self.start
        of_piece = np.repeat(kept, np.diff(self.pieces))
        self.offsets = offsets_of(kept)[self.offsets]
        self.pieces = offsets_of(np.diff(self.pieces)[kept])
        self.piece_start, self.piece_end = self.piece_start[of_piece], self.piece_end[of_piece]
        self.start, self.end, self.label = self.start[kept], self.end[kept], self.label[kept]
        self.stated = None if self.stated is None else self.stated.filter(arrow_array(kept))
        self._attributes = list(compress(self._attributes, kept.tolist()))
        self._scores = list(compress(self._scores, kept.tolist()))
        return texts

    def to_code_points(self, units: Sequence[str]) -> None:
        """Count the characters of all bounds in code points."""
        original = self.piece_start, self.piece_end
        if not self._with_texts:
            self._require_inside(original)
            return
        self.piece_start, self.piece_end = (bound.copy() for bound in original)
        size = offsets_of([len(text or "") for text in self.texts])
        for first, last in zip(*runs(size[:-1] // _CHARACTERS), strict=True):
            texts = self.texts[first:last]
            if not all(is_plain("".join(filter(None, texts)), unit) for unit in units):
                others = [
                    place for place, text in enumerate(texts) if not all(is_plain(text or "", unit) for unit in units)
                ]
                self._convert(first + np.array(others), units)
        self._require_inside(original)
        self.start, self.end = self.piece_start[self.pieces[:-1]], self.piece_end[self.pieces[1:] - 1]

    def _convert(self, documents: np.ndarray, units: Sequence[str]) -> None:
        """Count the characters of some documents' bounds in code points."""
        texts = [str(self.texts[number]) for number in documents.tolist()]
        base = self.pieces[self.offsets]
        first, counts = base[documents], np.diff(base)[documents]
        here, owner = ranges(first, counts), np.repeat(np.arange(len(texts)), counts)
        given = np.stack([self.piece_start[here], self.piece_end[here]])
        found = np.stack([[code_points_of(texts, owner, bound, unit) for bound in given] for unit in units])
        chosen = found[0]
        begin = offsets_of(counts)
        for place in np.unique(owner[(found != found[0]).any(axis=(0, 1))]).tolist():
            part = slice(int(begin[place]), int(begin[place + 1]))
            of_units = dict(zip(units, found[:, :, part], strict=True))
            chosen[:, part] = of_units[self._unit(int(documents[place]), texts[place], of_units)]
        self.piece_start[here], self.piece_end[here] = chosen

    def _require_inside(self, original: tuple[np.ndarray, np.ndarray]) -> None:
        """Raise an `InputError` for the first piece that begins or ends inside a character or outside its text."""
        wrong = (self.piece_start < 0) | (self.piece_end < 0)
        document = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.pieces[self.offsets]))
        if self._with_texts:
            length = np.array([2**62 if text is None else len(text) for text in self.texts])
            wrong |= self.piece_end > length[document]
        if not wrong.any():
            return
        piece = int(np.argmax(wrong))
        number = int(document[piece])
        start, end = (int(bound[piece]) for bound in original)
        text = self.texts[number]
        size = "" if text is None else f" ({counted(len(text), 'character')})"
        raise self.locate(
            InputError(
                f"a span from {start} to {end} begins or ends inside a character, or outside the text{size}.",
                f"Check the offsets; {setting('offset_unit')} names their unit, one of {', '.join(map(repr, UNITS))}.",
                document=number,
            )
        )

    def _unit(self, number: int, text: str, bounds: Mapping[str, np.ndarray]) -> str:
        """Return the unit in which most stated texts of a document are the text at their offsets."""
        # of units that are the same here, the first
        distinct: dict[bytes, str] = {}
        for unit, of_unit in bounds.items():
            distinct.setdefault(of_unit.tobytes(), unit)
        bounds = {unit: bounds[unit] for unit in distinct.values()}
        first, last = self.offsets[number : number + 2].tolist()
        said = [] if self.stated is None else list(stated_strings(self.stated.slice(first, last - first)))
        base = int(self.pieces[self.offsets[number]])
        fitting = {
            unit: sum(alike(one, self._covered(text, start, end, span, base)) for span, one in enumerate(said, first))
            for unit, (start, end) in bounds.items()
        }
        best = max(fitting, key=fitting.__getitem__)
        if not fitting[best]:
            # an offset inside a character, or past the end, rules a unit out
            possible = [unit for unit, of_unit in bounds.items() if (of_unit >= 0).all()]
            if len(possible) == 1:
                return possible[0]
            named = ", ".join(f"{unit!r} ({UNITS[unit]})" for unit in possible or bounds)
            raise self.locate(
                InputError(
                    f"the text has characters that tools count differently ({_which(text, possible or bounds)}) before "
                    "a span, and nothing shows how they are counted here.",
                    f"Give the unit of the offsets with {setting('offset_unit')}: {named}.",
                    document=number,
                    option="offset_unit",
                )
            )
        return best

    def _covered(self, text: str, start: np.ndarray, end: np.ndarray, span: int, base: int) -> str:
        pieces = range(int(self.pieces[span]) - base, int(self.pieces[span + 1]) - base)
        return " ".join(text[start[piece] : end[piece]] for piece in pieces)

    def compare_stated(self) -> list[str]:
        """Return a sentence if stated texts differ from the text; an `InputError` if most do."""
        try:
            return compared(self._stated(), self.place)
        except InputError as error:
            raise error.in_file(self._source.name) from None

    def _stated(self) -> Iterator[tuple[int, str, str]]:
        """Yield the document, the stated text and the covered one of each span that has both."""
        if self.stated is None or not self._with_texts:
            return
        if not self.fragmented:
            yield from StatedTexts(self.offsets, self.start, self.end, self.stated).beside(self.texts)
            return
        each = stated_strings(self.stated)
        for number, (text, spans) in enumerate(
            zip(self.texts, starmap(range, pairwise(self.offsets.tolist())), strict=True)
        ):
            for span, said in zip(spans, each, strict=False):
                if text is not None and said is not None:
                    yield number, said, self._covered(text, self.piece_start, self.piece_end, span, 0)

    def attributed(self) -> AttributedSpans | None:
        """Return the spans of each document with their attributes; None if no span has any."""
        if not self._attributes:
            return None
        columns = (self.start, self.end, self.label, list(self._names), self._attributes, self._scores)
        return AttributedSpans(self.offsets, *columns)

    def unchecked(self, spans: Spans) -> StatedTexts | None:
        """Return the contiguous spans of documents without text and what they are said to cover; None without any.

        `spans` are those made of the columns; their bounds are shared if they have the same order.
        """
        if self.stated is None or None not in self.texts:
            return None
        start, end = spans.start, spans.end
        if not (np.array_equal(start, self.start) and np.array_equal(end, self.end)):
            start, end = self.start, self.end
        found = StatedTexts(self.offsets, start, end, self.stated)
        return found.known(self.texts, np.diff(self.pieces) == 1 if self.fragmented else True)

    def lists(self) -> pa.ListArray:
        """Return the spans as a column of lists, as `Spans.from_arrow` takes it."""
        label = pa.DictionaryArray.from_arrays(arrow_array(self.label), string_array(list(self._names)))
        if not self.fragmented:
            columns = [arrow_array(self.start), arrow_array(self.end), label]
            values = pa.StructArray.from_arrays(columns, names=[field.name for field in SPAN_TYPE])
        else:
            pairs = pair_array(self.piece_start, self.piece_end)
            columns = [label, as_lists(self.pieces, pairs)]
            values = pa.StructArray.from_arrays(columns, names=[field.name for field in FRAGMENTS_TYPE])
        return as_lists(self.offsets, values)

    def locate(self, error: InputError) -> InputError:
        """Return an error about a document as one about its place in the file."""
        if error.document is None:
            return error.in_file(self._source.name)
        place = self.places[error.document]
        name = f"{self._source.name}, {place}" if place else self._source.name
        return error.placed(document=None, position=None, source=name, line=self._line[error.document])

    def place(self, number: int) -> str:
        """Return what to call the place of a document in the file."""
        return self.places[number] or f"line {self._line[number]}"

    def _malformed(self, records: Sequence[Record]) -> InputError:
        """Return the error for the first span of some records, the last ones, that has another form."""
        for number, record in enumerate(records, len(self.places) - len(records)):
            for index, span in enumerate(record.spans):
                known = isinstance(span, (tuple, list)) and len(span) == 3
                found = dict(zip(("start", "end", "label"), span, strict=True)) if known else span
                problem = span_problem(found, ("start", "end", "label"))
                if problem or not known:
                    return self.locate(InputError(problem or _OTHER_FORM, document=number, span=index))
        return self.locate(InputError(_OTHER_FORM, SPAN_REMEDY))
