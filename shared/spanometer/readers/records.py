"""Records of documents, one for each annotator, as readers yield them, and the columns that they are collected in."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice, pairwise, repeat
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..arrays import as_lists, is_utf8, offsets_of, ranges, runs, strings
from ..errors import InputError, counted, setting, shown
from ..spans.arrow import FRAGMENTS_TYPE, SPAN_REMEDY, SPAN_TYPE, span_problem, typed_array
from ..spans.characters import UNITS, code_points_of, is_plain
from ..spans.documents import Tokens
from .attributed import AttributedSpans, SharedValues
from .words import AllOrNone, Codes, WordRows

_DOUBTFUL = 0.5
"""The share of stated texts that may differ from the text before a file is refused."""

_BLANKS = re.compile(r"(?:\s|\\n)+")
_OTHER_FORM = "a span has another form."
_AT_ONCE = 1000
"""How many records are checked together."""

_SPANS = 50_000
"""How many spans are Python's objects at a time, unless their reader makes more."""

_CHARACTERS = 1_000_000
"""How many characters are counted together."""


@dataclass(slots=True, kw_only=True)
class Record:
    """One annotator's spans of a document, as a file has them.

    Attributes:
        spans: start, end (exclusive) and label of each; for a discontinuous span the outermost bounds.
        fragments: bounds of the fragments of discontinuous spans, by their place in `spans`.
        stated: the text that the file says each span covers, None where it says nothing; empty if it never does.
        text: of the document, if the file has it.
        words: of the document, if the file has them.
        tokens: bounds of the tokens in characters, if the file has them, as a list or (for all documents) an array.
        id: the document's name, if it has one.
        annotator: whose spans they are, if the file says so.
        attributes: values by name of each span, if the file has any.
        scores: of the attributes of each span, None for none; empty if no span has any.
        line: on which the document begins.
        place: what else to call the place, as `task 12`.
    """

    spans: Sequence[tuple[int, int, str]]
    fragments: Mapping[int, Sequence[tuple[int, int]]] | None = None
    stated: Sequence[str | None] = ()
    text: str | None = None
    words: Sequence[str] | None = None
    tokens: Sequence[tuple[int, int]] | np.ndarray | None = None
    id: str | None = None
    annotator: str | None = None
    attributes: Sequence[Mapping[str, Any]] | None = None
    scores: Sequence[Any] = ()
    line: int = 1
    place: str = ""


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


class Named(Protocol):
    """A file, or a folder, that records are read from."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Return an error about it."""


def _alike(said: str | None, covered: str) -> bool:
    """Return whether a text is stated, but for blanks: some tools write one for many, or the sign of a newline."""
    return said == covered or (isinstance(said, str) and _BLANKS.sub(" ", said) == _BLANKS.sub(" ", covered))


def _which(text: str, units: Collection[str]) -> str:
    """Say which characters of a text some units count differently."""
    others = not all(is_plain(text, unit.removesuffix("-lf")) for unit in units)
    line_ends = any(unit.endswith("-lf") for unit in units)
    return " and ".join(["such as emoji"] * others + ["a carriage return with a newline"] * line_ends)


def compared(stated: Iterable[tuple[int, str, str]], place: Callable[[int], str]) -> list[str]:
    """Compare texts that spans are said to cover with those that they do cover.

    Args:
        stated: the document, the stated text and the covered one of each span.
        place: returns what to call the place of a document.

    Returns:
        A sentence if some differ.

    Raises:
        InputError: if most differ.
    """
    known = differing = 0
    first = ""
    for document, said, covered in stated:
        known += 1
        if not _alike(said, covered):
            differing += 1
            first = first or f"{place(document)}: {shown(said)} is stated, {shown(covered)} is there"
    if not differing:
        return []
    how_many = f"{differing:,} of {known:,} stated texts of spans differ from the text at their offsets ({first})."
    if differing > known * _DOUBTFUL:
        raise InputError(how_many, "Check that text and offsets belong together, and the unit of the offsets.")
    return [how_many]


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
        stated: what each span is said to cover; empty if the file never says so.
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
        self._alike = AllOrNone()
        self._tokens: list[Tokens] | None = []
        self._odd_token: InputError | None = None
        self.places: list[str] = []
        self.stated: list[str | None] = []
        self.fragmented = False
        self._attributes: list[Mapping[str, Any]] = []
        self._scores: list[Any] = []
        self._values = SharedValues()
        self._names = Codes()
        self._line, self._counts = array("q"), array("q")
        self._start, self._end, self._label = array("q"), array("q"), array("i")
        self._bounds, self._sizes = array("q"), array("q")
        each = iter(records)
        with _without_collection():
            while some := list(islice(each, _AT_ONCE)):
                self._add(some)
        self.lines = np.array(self._line, dtype=np.int64)
        self.offsets = offsets_of(self._counts)
        self.start, self.end = (np.array(bound, dtype=np.int64) for bound in (self._start, self._end))
        self.label = np.array(self._label, dtype=np.int32)
        self.pieces = offsets_of(self._sizes) if self.fragmented else np.arange(len(self.start) + 1)
        self.piece_start, self.piece_end = self.start, self.end
        if self.fragmented:
            self.piece_start, self.piece_end = np.array(self._bounds, dtype=np.int64).reshape(-1, 2).T

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.texts)

    def _add(self, records: Sequence[Record]) -> None:
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
            self._alike.add("a text", text)
            # beside a text, words are not needed
            self._alike.add("words", [row if one is None else "" for row, one in zip(words, text, strict=True)])
        except InputError as error:
            raise self.locate(error) from None
        self._add_words(words)
        self._add_tokens(tokens)
        for column, given in ((self.stated, stated), (self._scores, scores)):
            if column or any(given):
                column.extend(repeat(None, first - len(column)))
                for values, some in zip(given, spans, strict=True):
                    column.extend(values or repeat(None, len(some)))
        if self._attributes or any(map(any, filter(None, attributes))):
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
        fragments = record.fragments or {}
        for place, (start, end, _) in enumerate(record.spans):
            pairs = fragments.get(place, ((start, end),))
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
        self.stated = list(compress(self.stated, kept.tolist()))
        self._attributes = list(compress(self._attributes, kept.tolist()))
        self._scores = list(compress(self._scores, kept.tolist()))
        return texts

    def to_code_points(self, units: Sequence[str]) -> None:
        """Count the characters of all bounds in code points."""
        original = self.piece_start, self.piece_end
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
        length = np.array([2**62 if text is None else len(text) for text in self.texts] or [0])
        document = np.repeat(np.arange(self.size), np.diff(self.pieces[self.offsets]))
        wrong = (self.piece_start < 0) | (self.piece_end < 0) | (self.piece_end > length[document])
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
        spans = range(int(self.offsets[number]), int(self.offsets[number + 1])) if self.stated else ()
        base = int(self.pieces[self.offsets[number]])
        fitting = {
            unit: sum(_alike(self.stated[span], self._covered(text, start, end, span, base)) for span in spans)
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
        if not self.stated:
            return
        if self.fragmented:
            for number, (text, (first, last)) in enumerate(
                zip(self.texts, pairwise(self.offsets.tolist()), strict=True)
            ):
                for span in range(first, last) if text is not None else ():
                    if (said := self.stated[span]) is not None:
                        yield number, said, self._covered(str(text), self.piece_start, self.piece_end, span, 0)
            return
        document = np.repeat(np.arange(self.size), np.diff(self.offsets)).tolist()
        for number, start, end, said in zip(document, self.start.tolist(), self.end.tolist(), self.stated, strict=True):
            if said is not None and (text := self.texts[number]) is not None:
                yield number, said, text[start:end]

    def attributed(self) -> AttributedSpans | None:
        """Return the spans of each document with their attributes; None if no span has any."""
        if not self._attributes:
            return None
        columns = (self.start, self.end, self.label, list(self._names), self._attributes, self._scores)
        return AttributedSpans(self.offsets, *columns)

    def unchecked(self) -> tuple[Sequence[tuple[int, int, str]], ...]:
        """Return the bounds of contiguous spans and what they are said to cover, of documents without text."""
        if not self.stated or None not in self.texts:
            return ()
        contiguous = np.diff(self.pieces) == 1
        found: list[list[tuple[int, int, str]]] = [[] for _ in self.texts]
        for number, (text, (first, last)) in enumerate(zip(self.texts, pairwise(self.offsets.tolist()), strict=True)):
            for span in range(first, last) if text is None else ():
                said = self.stated[span]
                if said is not None and contiguous[span]:
                    found[number].append((int(self.start[span]), int(self.end[span]), said))
        return tuple(found)

    def lists(self) -> pa.ListArray:
        """Return the spans as a column of lists, as `Spans.from_arrow` takes it."""
        label = strings(self.label, list(self._names))
        if not self.fragmented:
            columns = [pa.array(self.start), pa.array(self.end), label]
            values = pa.StructArray.from_arrays(columns, fields=list(SPAN_TYPE))
        else:
            bounds = np.stack([self.piece_start, self.piece_end], axis=1).ravel()
            pairs = as_lists(np.arange(0, len(bounds) + 1, 2), pa.array(bounds))
            values = pa.StructArray.from_arrays([label, as_lists(self.pieces, pairs)], fields=list(FRAGMENTS_TYPE))
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
