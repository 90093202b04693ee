"""Files of documents with spans of characters or tokens: what readers of such formats give, and what is made of it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, repeat
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..arrays import as_lists, is_utf8, offsets_of, strings
from ..errors import InputError, counted, setting, shown
from ..spans.arrow import FRAGMENTS_TYPE, SPAN_REMEDY, SPAN_TYPE, span_problem, typed_array
from ..spans.characters import UNITS, code_points, is_plain
from ..spans.documents import Documents, Tokens
from ..spans.spans import Spans
from .annotated_file import AnnotatedFile
from .tag_file import Codes

_DOUBTFUL = 0.5
"""The share of stated texts that may differ from the text before a file is refused."""


@dataclass(slots=True, kw_only=True)
class Record:
    """One annotator's spans of a document, as a file has them.

    Attributes:
        spans: start, end (exclusive) and label of each; for a discontinuous span the outermost bounds.
        fragments: bounds of the fragments of discontinuous spans, by their place in `spans`.
        stated: the text that the file says each span covers, None where it says nothing; empty if it never does.
        text: of the document, if the file has it.
        words: of the document, if the file has them.
        tokens: bounds of the tokens in characters, if the file has them.
        id: the document's name, if it has one.
        annotator: whose spans they are, if the file says so.
        attributes: values by name of each span, if the file has any.
        line: on which the document begins.
        place: what else to call the place, as `task 12`.
    """

    spans: Sequence[tuple[int, int, str]]
    fragments: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    stated: Sequence[str | None] = ()
    text: str | None = None
    words: Sequence[str] | None = None
    tokens: Sequence[tuple[int, int]] | None = None
    id: str | None = None
    annotator: str | None = None
    attributes: Sequence[Mapping[str, Any]] | None = None
    line: int = 1
    place: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentFile(AnnotatedFile):
    """The documents of a file and their spans. A document that several annotators have annotated is there for each.

    Attributes:
        documents: names, texts and tokens.
        spans: of the documents.
        words: of each document; None unless all have some.
        in_tokens: whether spans are in tokens; otherwise they are in characters (code points).
        annotators: of each document, whose spans they are; None if the file does not say.
        attributes: the spans of each document with their attributes, as `Attributes.from_dicts` takes them,
            discontinuous ones with their outermost bounds; None if no span has any.
        stated: of each document without a text, the bounds of spans and the text that the file says they cover.
        places: of each document, what to call its place besides the line.
        left_out: what could not be read, one text each.
        notes: what else a user should know, one sentence each.
        tokenizer: what made the tokens, see `tokenizers.TOKENIZERS`; None if the file has them, or has none.
    """

    documents: Documents
    spans: Spans
    words: list[list[str]] | None = None
    in_tokens: bool = False
    annotators: tuple[str, ...] | None = None
    attributes: tuple[list[dict[str, Any]], ...] | None = None
    stated: tuple[Sequence[tuple[int, int, str]], ...] = ()
    places: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tokenizer: str | None = None

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in the unit of the spans; None if they are not known."""
        return self.spans.lengths

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators, in the order of the file."""
        return tuple(dict.fromkeys(self.annotators or ()))

    def take(self, documents: np.ndarray) -> DocumentFile:
        """Return some of the documents, in the order asked for."""
        chosen = documents.tolist()

        def some(rows: Sequence[Any] | None) -> Any:
            return rows and tuple(rows[document] for document in chosen)

        return replace(
            self,
            documents=self.documents.take(documents),
            spans=self.spans.take(documents),
            annotators=some(self.annotators),
            attributes=some(self.attributes),
            stated=some(self.stated),
            places=some(self.places),
            words=None if self.words is None else [list(self.words[document]) for document in chosen],
            document_lines=self.document_lines[documents],
        )

    def of(self, annotator: str) -> DocumentFile:
        """Return what one annotator has annotated; an `InputError` that lists the annotators for an unknown one."""
        if annotator not in self.names:
            known = ", ".join(map(repr, self.names)) or "none"
            raise InputError(f"unknown annotator {annotator!r}.", f"The annotators are: {known}.", source=self.source)
        return self.take(np.flatnonzero([name == annotator for name in self.annotators or ()]))

    def locate(self, error: InputError) -> InputError:
        """Return an error about a document of this file as one about the file and the place in it."""
        located = super().locate(error)
        if error.document is None or not self.places or not self.places[error.document]:
            return located
        return located.placed(source=f"{self.source}, {self.places[error.document]}")


class Named(Protocol):
    """A file, or a folder, that records are read from."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Return an error about it."""


def documents_of(
    source: Named,
    records: Iterable[Record],
    *,
    units: Sequence[str] = ("codepoint",),
    in_tokens: bool = False,
    left_out: Sequence[str] = (),
) -> DocumentFile:
    """Make columns of records.

    If a format has several units, that one is taken, document by document, in which most stated texts are the text at
    their offsets; the first one if all units say the same.

    Args:
        source: the file.
        records: the documents.
        units: in which the format may count characters, see `spanometer.spans.characters.UNITS`.
        in_tokens: whether spans are in tokens.
        left_out: what the reader could not read.

    Raises:
        InputError: names the file and the place, for bounds that are no integers, before their document's beginning,
            past its end, inside a character or in the wrong order, for labels that are no strings; for offsets whose
            unit cannot be told; and if most of the stated texts differ from the text.
    """
    columns = _Columns(source, records)
    rows = columns.rows
    dropped = [*left_out, *columns.drop_empty()]
    remarks: list[str] = []
    texts = None if any(row.text is None for row in rows) else tuple(str(row.text) for row in rows)
    if not in_tokens:
        columns.to_code_points(units)
        remarks += columns.compare_stated()
    tokens = lengths = None
    words = None if any(row.words is None for row in rows) else [list(row.words or ()) for row in rows]
    try:
        if all(row.tokens is not None for row in rows):
            tokens = Tokens.from_lists([row.tokens or () for row in rows])
        if in_tokens and (tokens is not None or words is not None):
            lengths = tokens.lengths if tokens is not None else list(map(len, words or ()))
        elif not in_tokens and texts is not None:
            lengths = list(map(len, texts))
        spans = Spans.from_arrow(columns.lists(), lengths=lengths)
    except InputError as error:
        raise columns.locate(error) from None
    twice = len(columns.start) - len(spans)
    if twice:
        remarks.append(f"Spans that the file has twice, and that count once: {twice:,}.")
    return DocumentFile(
        source=source.name,
        documents=Documents(
            size=len(rows),
            ids=None if any(row.id is None for row in rows) else tuple(str(row.id) for row in rows),
            texts=texts,
            tokens=tokens,
        ),
        spans=spans,
        in_tokens=in_tokens,
        annotators=None if any(row.annotator is None for row in rows) else tuple(str(row.annotator) for row in rows),
        attributes=columns.attributed(),
        stated=columns.unchecked(),
        places=tuple(row.place for row in rows) if any(row.place for row in rows) else (),
        words=words,
        document_lines=np.fromiter((row.line for row in rows), np.int64, len(rows)),
        left_out=tuple(dropped),
        notes=tuple(remarks),
    )


def compared(stated: Iterable[tuple[str, str, str]]) -> list[str]:
    """Compare texts that spans are said to cover with those that they do cover.

    Args:
        stated: the place, the stated text and the covered one of each span.

    Returns:
        A sentence if some differ.

    Raises:
        InputError: if most differ.
    """
    known = differing = 0
    first = ""
    for place, said, covered in stated:
        known += 1
        if covered != said:
            differing += 1
            first = first or f"{place}: {shown(said)} is stated, {shown(covered)} is there"
    if not differing:
        return []
    how_many = f"{differing:,} of {known:,} stated texts of spans differ from the text at their offsets ({first})."
    if differing > known * _DOUBTFUL:
        raise InputError(how_many, "Check that text and offsets belong together, and the unit of the offsets.")
    return [how_many]


class _Columns:
    """The spans of all records, end to end, with their pieces: fragments, or the span itself."""

    def __init__(self, source: Named, records: Iterable[Record]) -> None:
        self._source = source
        self.rows: list[Record] = []
        self.stated: list[str | None] = []
        self._attributes: list[Mapping[str, Any]] = []
        self._names = Codes()
        start, end, label, ends = array("q"), array("q"), array("i"), array("q", [0])
        bounds, sizes = array("q"), array("q")
        self.fragmented = False
        for record in records:
            self.rows.append(record)
            columns = self._checked(record)
            first = len(start)
            try:
                start.extend(columns[0])
                end.extend(columns[1])
            except OverflowError:
                raise self._malformed(record) from None
            label.extend(map(self._names.__getitem__, columns[2]))
            ends.append(len(start))
            self.stated.extend(record.stated or repeat(None, len(columns[0])))
            if self._attributes or any(record.attributes or ()):
                self._attributes.extend(repeat({}, first - len(self._attributes)))
                self._attributes.extend(record.attributes or repeat({}, len(columns[0])))
            if record.fragments and not self.fragmented:
                # all spans before are contiguous
                self.fragmented = True
                sizes.extend(repeat(1, first))
                bounds.extend(chain.from_iterable(zip(start[:first], end[:first], strict=True)))
            if self.fragmented:
                self._add_pieces(record, columns, bounds, sizes)
            # the columns have them now
            record.spans = ()
        self.offsets = np.array(ends, dtype=np.int64)
        self.start, self.end = (np.array(bound, dtype=np.int64) for bound in (start, end))
        self.label = np.array(label, dtype=np.int32)
        self.pieces = offsets_of(sizes) if self.fragmented else np.arange(len(self.start) + 1)
        self.piece_start, self.piece_end = self.start, self.end
        if self.fragmented:
            self.piece_start, self.piece_end = np.array(bounds, dtype=np.int64).reshape(-1, 2).T

    def _checked(self, record: Record) -> tuple[Sequence[int], Sequence[int], Sequence[str]]:
        """Return the starts, ends and labels of a record's spans."""
        try:
            start, end, label = zip(*record.spans, strict=True) if record.spans else ((), (), ())
            plain = {*map(type, start), *map(type, end)} <= {int} and {*map(type, label)} <= {str}
        except (TypeError, ValueError):
            plain = False
        if not plain or not all(map(is_utf8, {*label} - self._names.keys())):
            raise self._malformed(record)
        return start, end, label

    def _add_pieces(
        self, record: Record, columns: tuple[Sequence[int], Sequence[int], Sequence[str]], bounds: Any, sizes: Any
    ) -> None:
        for place, pair in enumerate(zip(*columns[:2], strict=True)):
            pairs = record.fragments.get(place, (pair,))
            flat = list(chain.from_iterable(pairs))
            if typed_array(flat, pa.int64()) is None:
                raise self.locate(
                    InputError("a bound of a fragment is not an integer.", SPAN_REMEDY, document=len(self.rows) - 1)
                )
            sizes.append(len(pairs))
            bounds.extend(flat)

    def drop_empty(self) -> list[str]:
        """Leave out spans without a character; return a text for each."""
        empty = np.flatnonzero(self.end == self.start)
        if not len(empty):
            return []
        document = np.searchsorted(self.offsets, empty, side="right") - 1
        texts = [
            f"{self._place(int(number))}: an empty span of {self._name(span)!r} at {self.start[span]}."
            for number, span in zip(document, empty.tolist(), strict=True)
        ]
        kept = self.end != self.start
        of_piece = np.repeat(kept, np.diff(self.pieces))
        self.offsets = offsets_of(kept)[self.offsets]
        self.pieces = offsets_of(np.diff(self.pieces)[kept])
        self.piece_start, self.piece_end = self.piece_start[of_piece], self.piece_end[of_piece]
        self.start, self.end, self.label = self.start[kept], self.end[kept], self.label[kept]
        self.stated = [text for text, stays in zip(self.stated, kept.tolist(), strict=True) if stays]
        if self._attributes:
            self._attributes = [values for values, stays in zip(self._attributes, kept.tolist(), strict=True) if stays]
        return texts

    def to_code_points(self, units: Sequence[str]) -> None:
        """Count the characters of all bounds in code points."""
        original = self.piece_start, self.piece_end
        start, end = (bound.copy() for bound in original)
        for number, row in enumerate(self.rows):
            text = row.text
            if text is None or all(is_plain(text, unit) for unit in units):
                continue
            first, last = (int(self.pieces[self.offsets[number + step]]) for step in (0, 1))
            here = slice(first, last)
            bounds = {
                unit: (code_points(text, start[here], unit), code_points(text, end[here], unit)) for unit in units
            }
            start[here], end[here] = bounds[self._unit(number, text, bounds)]
        self.piece_start, self.piece_end = start, end
        self._require_inside(original, units)
        self.start, self.end = start[self.pieces[:-1]], end[self.pieces[1:] - 1]

    def _require_inside(self, original: tuple[np.ndarray, np.ndarray], units: Sequence[str]) -> None:
        """Raise an `InputError` for the first piece that begins or ends inside a character or outside its text."""
        length = np.array([2**62 if row.text is None else len(row.text) for row in self.rows] or [0])
        document = np.repeat(np.arange(len(self.rows)), np.diff(self.pieces[self.offsets]))
        wrong = (self.piece_start < 0) | (self.piece_end < 0) | (self.piece_end > length[document])
        if not wrong.any():
            return
        piece = int(np.argmax(wrong))
        number = int(document[piece])
        start, end = (int(bound[piece]) for bound in original)
        text = self.rows[number].text
        size = "" if text is None else f" ({counted(len(text), 'character')})"
        raise self.locate(
            InputError(
                f"a span from {start} to {end} begins or ends inside a character, or outside the text{size}.",
                f"Check the offsets; {setting('offset_unit')} names their unit, one of {', '.join(map(repr, UNITS))}.",
                document=number,
            )
        )

    def _unit(self, number: int, text: str, bounds: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> str:
        """Return the unit in which most stated texts of a document are the text at their offsets."""
        units = list(bounds)
        alike = all(
            np.array_equal(one, other)
            for unit in units[1:]
            for one, other in zip(bounds[units[0]], bounds[unit], strict=True)
        )
        if alike:
            return units[0]
        spans = range(int(self.offsets[number]), int(self.offsets[number + 1]))
        base = int(self.pieces[self.offsets[number]])
        fitting = {
            unit: sum(self._covered(text, start, end, span, base) == self.stated[span] for span in spans)
            for unit, (start, end) in bounds.items()
        }
        best = max(fitting, key=fitting.__getitem__)
        if not fitting[best] and not all((start >= 0).all() and (end >= 0).all() for start, end in bounds.values()):
            # an offset inside a character, or past the end, rules a unit out
            possible = [unit for unit, (start, end) in bounds.items() if (start >= 0).all() and (end >= 0).all()]
            if len(possible) == 1:
                return possible[0]
        if not fitting[best]:
            named = ", ".join(f"{unit!r} ({UNITS[unit]})" for unit in units)
            raise self.locate(
                InputError(
                    "the text has characters that tools count differently (such as emoji) before a span, and nothing "
                    "shows how they are counted here.",
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
            return compared(self._stated())
        except InputError as error:
            raise error.in_file(self._source.name) from None

    def attributed(self) -> tuple[list[dict[str, Any]], ...] | None:
        """Return the spans of each document with their attributes; None if no span has any."""
        if not self._attributes:
            return None
        names = list(self._names)
        labels = (names[code] for code in self.label.tolist())
        rows = zip(self.start.tolist(), self.end.tolist(), labels, self._attributes, strict=True)
        spans = [dict(zip(("start", "end", "label", "attributes"), row, strict=True)) for row in rows]
        return tuple(spans[first:last] for first, last in pairwise(self.offsets.tolist()))

    def unchecked(self) -> tuple[Sequence[tuple[int, int, str]], ...]:
        """Return the bounds of contiguous spans and what they are said to cover, of documents without text."""
        if not any(row.text is None and row.stated for row in self.rows):
            return ()
        ends = np.diff(self.pieces) == 1
        found: list[list[tuple[int, int, str]]] = [[] for _ in self.rows]
        for number, row in enumerate(self.rows):
            for span in range(int(self.offsets[number]), int(self.offsets[number + 1])) if row.text is None else ():
                said = self.stated[span]
                if said is not None and ends[span]:
                    found[number].append((int(self.start[span]), int(self.end[span]), said))
        return tuple(found)

    def _stated(self) -> Iterator[tuple[str, str, str]]:
        for number, row in enumerate(self.rows):
            if row.text is None or not row.stated:
                continue
            for span in range(int(self.offsets[number]), int(self.offsets[number + 1])):
                said = self.stated[span]
                if said is not None:
                    yield self._place(number), said, self._covered(row.text, self.piece_start, self.piece_end, span, 0)

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
        row = self.rows[error.document]
        name = f"{self._source.name}, {row.place}" if row.place else self._source.name
        return error.placed(document=None, position=None, source=name, line=row.line)

    def _place(self, number: int) -> str:
        return self.rows[number].place or f"line {self.rows[number].line}"

    def _name(self, span: int) -> str:
        return str(list(self._names)[self.label[span]])

    def _malformed(self, record: Record) -> InputError:
        """Return the error for the first span of a record that has another form."""
        for index, span in enumerate(record.spans):
            known = isinstance(span, (tuple, list)) and len(span) == 3
            found = dict(zip(("start", "end", "label"), span, strict=True)) if known else span
            if problem := span_problem(found, ("start", "end", "label")):
                return self.locate(InputError(problem, document=len(self.rows) - 1, span=index))
        return self.locate(InputError("a span has another form.", SPAN_REMEDY, document=len(self.rows) - 1))
