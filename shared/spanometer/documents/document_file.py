"""Files of documents with spans of characters or tokens: the result of reading a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar, cast

import numpy as np

from ..arrays import begins_run, offsets_of, run_bounds, take_segments
from ..exceptions import InputError, all_of, counted, printable, shown
from ..spans.annotations import distinct_spans
from ..spans.attributes import Attributes
from ..spans.entities import Entities
from ..spans.spans import Spans, decode_together, in_order
from ..spans.texts import Documents
from ..spans.tokenisation import without_overlaps
from ..tags.decoding import BARE_LABEL, LabelDecoding
from ..tags.tags import Tags
from .building import RecordColumns
from .layers import FileParts, Layout, LineRuns, Named, Record, RecordBatch, Words
from .stated import StatedSpans

Value = TypeVar("Value")

_NO_NUMBER = ("_", "O")
"""Cells that mean "no number" in columns of numbers."""

_WITHOUT_SPANS = (
    ("tags", "tags", "Decode them first, with DocumentFile.decoded, or read them with spanometer.read."),
    ("entities", "entity trees", "Score them with spanometer.score, as DocumentFile.entities."),
    (
        "answers",
        "answers of a language model",
        "First turn the answers into spans with spanometer ground, or spanometer.grounding.ground in Python.",
    ),
)
"""What a file can have instead of spans: the field, its name in errors, and the remedy."""

UNSTATED = {"prefix": "yes", "outside": "O", "boundary": "-DOCSTART-"}
"""The defaults of reading options that signatures omit, except if values differ between sides."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentFile:
    """The documents of a file with their annotation. A document with several annotators occurs once for each annotator.

    Attributes:
        source: the name of the file in errors.
        format: the format, if the file cannot be rewritten with other tags.
        document_lines: the first line of each document, counted from 1, int64.
        line_runs: the lines of the tokens; None unless each token has its own line.
        places: another description of each document's place, besides the line.
        parts: the file of each document, if several files were read.
        documents: names, texts and tokens.
        words: the words of each document; None if they were not read, or if a document has none.
        tags: the tags of the chosen columns.
        columns: the names of these columns, such as `column 3`.
        read_tags: the tags from which the spans were decoded; None if they were not decoded from tags.
        numbers: the chosen column of numbers, float64, for all documents concatenated.
        layout: the layout of columns; None for other files.
        comment_lines, comment_text: the lines and the texts of comments in columns, see `comments`.
        docstart_lines: the numbers of `-DOCSTART-` lines.
        sentences: whether the documents are sentences, as in columns where only blank lines (and `-DOCSTART-` lines)
            separate documents.
        spans: the spans; empty if the file has tags, entity trees or answers, see `require_spans`.
        in_tokens: whether spans are in tokens; otherwise they are in characters (code points).
        annotators: the annotator of each document; None if the file does not say.
        stated: the spans in the order of the file, with their attributes. If documents have no texts, also with the
            texts of contiguous spans. None if there are neither attributes nor such texts.
        entities: the entity trees of the documents; None if the file has none.
        answers: the answer of a language model for each document; they become spans when files are paired, see
            `pairing`. None if the file has no answers.
        missing: the unannotated parts of documents, as spans in the same unit; None if there are none.
        left_out: a description of each item that could not be read.
        notes: notes for the user, one sentence each.
        tokenizer: the tokenizer that made the tokens, see `tokenizers.TOKENIZERS`; None if they come from the file.
        decoding: how tags were decoded, for the signature, see `LabelDecoding.reading`; empty if there were no tags.
    """

    source: str
    documents: Documents
    document_lines: np.ndarray
    spans: Spans
    format: str = ""
    line_runs: LineRuns | None = None
    places: tuple[str, ...] = ()
    parts: FileParts | None = None
    words: Words | None = None
    tags: tuple[Tags, ...] = ()
    columns: tuple[str, ...] = ()
    read_tags: Tags | None = None
    numbers: np.ndarray | None = None
    layout: Layout | None = None
    comment_lines: Sequence[int] = ()
    comment_text: bytes | bytearray = b""
    docstart_lines: tuple[int, ...] = ()
    sentences: bool = False
    in_tokens: bool = False
    annotators: tuple[str, ...] | None = None
    stated: StatedSpans | None = None
    entities: Entities | None = None
    answers: Sequence[Any] | None = None
    missing: Spans | None = None
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tokenizer: str | None = None
    decoding: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def in_words(
        cls,
        *,
        document_lines: np.ndarray,
        ids: Sequence[str] | None = None,
        tags: tuple[Tags, ...] = (),
        words: Words | None = None,
        **layers: Any,
    ) -> DocumentFile:
        """Create a file with tags or entity trees instead of spans; the unit is tokens.

        Args:
            ids: the names of the documents, if they have names.
            document_lines, tags, words, layers: the other fields.
        """
        size = len(document_lines)
        of_tokens = tags[0] if tags else words
        return cls(
            documents=Documents(size=size, ids=None if ids is None else tuple(ids)),
            document_lines=document_lines,
            spans=Spans.none(size, None if of_tokens is None else of_tokens.lengths),
            in_tokens=True,
            tags=tags,
            words=words,
            **layers,
        )

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in the unit of the spans; None if unknown."""
        return self.spans.lengths

    @property
    def units(self) -> Sequence[Sequence[str]] | None:
        """The words of each document, or its characters if spans are in characters; None if both are unknown."""
        texts, tokens = self.documents.texts, self.documents.tokens
        if not self.in_tokens:
            return None if texts is None else list(map(list, texts))
        if self.words is None and texts is not None and tokens is not None:
            return list(map(self.words_of, range(self.documents.size)))
        return self.words

    def words_of(self, document: int) -> list[str]:
        """Return the words of a document, if necessary from its text and tokens; empty if they are unknown."""
        texts, tokens = self.documents.texts, self.documents.tokens
        if self.words is not None:
            return self.words[document]
        if texts is None or tokens is None:
            return []
        return [texts[document][start:end] for start, end in tokens.bounds(document)]

    @property
    def trees(self) -> Entities:
        """The entity trees; raises an `InputError` if the file has none."""
        if self.entities is None:
            problem, remedy = "the file has no entity trees.", "Read it with spanometer.readers.read_entities."
            raise InputError(problem, remedy, source=self.source)
        return self.entities

    @property
    def comments(self) -> tuple[tuple[int, str], ...]:
        """The line and text of each comment."""
        return tuple(zip(self.comment_lines, self.comment_text.decode().split("\n"), strict=False))

    @property
    def token_lines(self) -> np.ndarray | None:
        """The line of each token, int64; None unless each token has its own line."""
        return None if self.line_runs is None else self.line_runs.expanded()

    def source_of(self, document: int) -> str:
        """Return the name of the file that has a document, for errors."""
        return self.source if self.parts is None else self.parts.sources[self.parts.file[document]]

    def line(self, document: int, position: int | None = None) -> int:
        """Return the line of a document, or of one of its tokens."""
        lengths = self.lengths
        if self.line_runs is None or position is None or lengths is None:
            return int(self.document_lines[document])
        return self.line_runs.line(int(lengths[:document].sum()) + position)

    def locate(self, error: InputError) -> InputError:
        """Replace the document and token in an error by file and line."""
        if error.document is None:
            return error.in_file(self.source)
        line, source = self.line(error.document, error.position), self.source_of(error.document)
        if self.line_runs is not None:
            return error.in_file(source, line)
        if self.places and self.places[error.document]:
            source = f"{source}, {self.places[error.document]}"
        return error.placed(side=None, document=None, source=source, line=line)

    def noting(self, *notes: str) -> DocumentFile:
        """Add notes for the user."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators, in the order of the file."""
        return tuple(dict.fromkeys(self.annotators or ()))

    def take(self, documents: np.ndarray) -> DocumentFile:
        """Select documents in the given order."""
        chosen = documents.tolist()
        tokens = np.zeros(0, dtype=np.int64)
        if self.lengths is not None and (self.line_runs is not None or self.numbers is not None):
            tokens = take_segments(offsets_of(self.lengths), documents)[1]
        layers: dict[str, Any] = {}
        for name in ("documents", "spans", "missing", "stated", "entities", "parts"):
            if (column := getattr(self, name)) is not None:
                layers[name] = column.take(documents)
        for name in ("annotators", "places", "answers"):
            if row := getattr(self, name):
                layers[name] = tuple(map(row.__getitem__, chosen))
        return replace(
            self,
            **layers,
            tags=tuple(tags.of_documents(documents) for tags in self.tags),
            read_tags=self.read_tags and self.read_tags.of_documents(documents),
            numbers=None if self.numbers is None else self.numbers[tokens],
            words=None if self.words is None else self.words.of_documents(documents),
            document_lines=self.document_lines[documents],
            line_runs=None if self.line_runs is None else self.line_runs.take(tokens),
        )

    def in_documents_of(self, other: DocumentFile) -> DocumentFile:
        """Split the tokens of a file of tags into the documents of another file that has the same number of tokens.

        The documents before are then sentences, if the other file has sentences.
        """
        offsets = other.tags[0].offsets
        lines = self.document_lines if self.line_runs is None else self.line_runs.of(offsets[:-1])
        numbers = np.arange(len(self.document_lines))
        sentence = None if other.tags[0].sentence is None else np.repeat(numbers, self.tags[0].lengths)
        return replace(
            self,
            documents=replace(self.documents, size=len(lines), ids=other.documents.ids),
            document_lines=lines,
            spans=Spans.none(len(lines), np.diff(offsets)),
            tags=tuple(replace(tags, offsets=offsets, sentence=sentence) for tags in self.tags),
            words=None if self.words is None else replace(self.words, offsets=offsets),
            sentences=other.sentences,
        )

    def select(self, column: int) -> DocumentFile:
        """Select one tag column."""
        return self._with_columns(slice(column, column + 1))

    def _with_columns(self, place: slice) -> DocumentFile:
        layout = self.layout and replace(self.layout, columns=self.layout.columns[place])
        return replace(self, columns=self.columns[place], tags=self.tags[place], layout=layout)

    def with_numbers(self) -> DocumentFile:
        """Convert the last tag column to numbers; `_` and `O` become NaN.

        Raises:
            InputError: if a cell is not a number; the error names its line.
        """
        column = self.tags[-1]
        values = np.array([self._number(name, column, code) for code, name in enumerate(column.names)], dtype=float)
        return replace(self._with_columns(slice(-1)), numbers=values[column.codes])

    def _number(self, cell: str, column: Tags, code: int) -> float:
        with suppress(ValueError):
            return math.nan if cell in _NO_NUMBER else float(cell)
        problem = f"{printable(self.columns[-1])}: {shown(cell)} is not a number."
        raise self.locate(column.refusal(code, problem, "Choose a column of numbers."))

    def decoded(self, *, prefix: bool = True, **decoding: Any) -> DocumentFile:
        """Decode the first tag column to spans, see `Spans.from_tags`.

        Raises:
            InputError: if a tag is illegal; the error names file and line.
        """
        options = LabelDecoding(prefix=prefix, **decoding)
        try:
            spans, scheme = decode_together({"": self.tags[0]}, options)
        except InputError as error:
            raise self.locate(error.placed(side=None)) from None
        reading = {**options.reading(scheme), **self.tags[0].reading}
        return replace(self.with_spans(spans[""]), decoding=reading, read_tags=self.tags[0])

    def with_spans(self, spans: Spans) -> DocumentFile:
        """Replace the tags by spans of tokens."""
        # documents before the first name have no name
        ids = self.documents.ids if all(self.documents.ids or ()) else None
        return replace(self, documents=replace(self.documents, ids=ids), tags=(), read_tags=None, spans=spans)

    def of(self, annotator: str) -> DocumentFile:
        """Select the documents of an annotator.

        Raise an `InputError` that lists all annotators if the name is unknown.
        """
        if annotator not in self.names:
            remedy = f"{all_of('annotator', self.names, 'The')}."
            raise InputError(f"unknown annotator {annotator!r}.", remedy, source=self.source)
        return self.take(np.flatnonzero([name == annotator for name in self.annotators or ()]))

    def require_spans(self) -> DocumentFile:
        """Return the file; raise an `InputError` if it has tags, entity trees or answers instead of spans."""
        for layer, what, remedy in _WITHOUT_SPANS:
            if getattr(self, layer) not in (None, ()):
                raise InputError(f"these are {what}, not spans.", remedy, source=self.source)
        return self

    @property
    def has_attributes(self) -> bool:
        """Whether any span has attributes."""
        return self.stated is not None and self.stated.has_attributes

    def attribute_columns(self) -> Attributes:
        """Return the spans with their attributes.

        Raises:
            InputError: see `Attributes.from_dicts`; the error names file and line.
        """
        try:
            return (self.require_spans().stated or StatedSpans.of(self.spans)).columns()
        except InputError as error:
            raise self.locate(error) from None


def decoding_of(files: Mapping[str, DocumentFile]) -> dict[str, object]:
    """Describe for the signature how the tags of several sides were decoded.

    If a value differs between sides, it is listed for each side.
    """
    tagged = {side: file.decoding for side, file in files.items() if file.decoding}
    decodings: dict[str, object] = {}
    for name in dict.fromkeys(chain.from_iterable(tagged.values())):
        values = {side: decoding.get(name, UNSTATED.get(name)) for side, decoding in tagged.items()}
        same = len(set(values.values())) == 1
        listed = (f"{side}={'no' if value is False else value}" for side, value in values.items())
        decodings[name] = next(iter(values.values())) if same else ",".join(listed)
    return decodings


inspection: ContextVar[Callable[[RecordColumns, Sequence[str], bool], None] | None] = ContextVar(
    "inspection", default=None
)
"""A function that inspects and removes the spans of a file before they are checked, see `checks`."""


def documents_of(
    source: Named,
    records: Iterable[Record | RecordBatch | str],
    *,
    units: Sequence[str] = ("codepoint",),
    in_tokens: bool = False,
    by_name: bool = False,
) -> DocumentFile:
    """Build a file from its documents.

    If offsets can be in several units, the unit of each document is the one in which most span texts of the file match
    the text. If several units match equally well, it is the first one.

    Args:
        source: the file.
        records: the documents one by one, and descriptions of documents that could not be read.
        units: the possible units of offsets, see `spanometer.spans.texts.UNITS`.
        in_tokens: whether spans are in tokens.
        by_name: whether records with the same name belong to one document.

    Raises:
        InputError: if boundaries are not integers, are outside the document, inside a character or in the wrong order;
            if labels are not strings; if the unit of offsets is unclear; if most span texts differ from the text; or if
            only some documents have a text or words. The error names the file and the place.
    """
    inspect, left_out = inspection.get(), list[str]()
    columns = RecordColumns(source, _documents(records, left_out, lost=inspect is None), by_name=by_name)
    if inspect is not None:
        inspect(columns, units, in_tokens)
    left_out += columns.drop_empty()
    remarks: list[str] = []
    if not in_tokens:
        original = columns.stated.spans
        columns.to_code_points(units)
        columns.require_inside(original, units)
        remarks += columns.compare_stated()
    tokens, lengths = columns.tokens(), columns.lengths(in_tokens=in_tokens)
    try:
        stated = columns.checked()
        spans = in_order(stated.spans)
        spans = spans if lengths is None else spans.with_lengths(lengths)
    except InputError as error:
        raise columns.locate(error) from None
    twice = len(stated.spans) - len(spans)
    if twice:
        remarks.append(f"Repeated spans in the file (measures usually count them once): {twice:,}.")
    return DocumentFile(
        source=source.name,
        documents=Documents(
            size=len(columns.lines), ids=complete(columns.ids), texts=complete(columns.texts), tokens=tokens
        ),
        spans=spans,
        in_tokens=in_tokens,
        annotators=complete(columns.annotators),
        stated=stated if stated.has_attributes or stated.texts is not None else None,
        places=tuple(columns.places) if any(columns.places) else (),
        words=None if columns.words is None else columns.words.words(),
        document_lines=np.asarray(columns.lines),
        left_out=tuple(left_out),
        notes=tuple(remarks),
    )


def _documents(
    records: Iterable[Record | RecordBatch | str], left_out: list[str], *, lost: bool
) -> Iterator[Record | RecordBatch]:
    """Yield the documents.

    Add descriptions of unreadable documents and, if `lost` is True, of lost spans to `left_out`.
    """
    for record in records:
        if isinstance(record, str):
            left_out.append(record)
        else:
            if lost and isinstance(record, Record) and record.lost:
                left_out += record.lost_spans()
            yield record


def complete(values: Sequence[Value | None]) -> tuple[Value, ...] | None:
    """Return the values of all documents; None if a document has no value."""
    return None if None in values else cast(tuple[Value, ...], tuple(values))


def with_missing(file: DocumentFile, places: Iterable[tuple[int, int, int]]) -> DocumentFile:
    """Add unannotated parts (document, start and end, in order), and a note with their number."""
    document, start, end = np.array(list(places), dtype=np.int32).reshape(-1, 3).T
    if not len(document):
        return file
    label = np.zeros(len(document), dtype=np.uint8)
    missing = Spans(document, start, end, label, (BARE_LABEL,), file.documents.size, file.lengths)
    whole = len(unannotated(missing))
    sizes = {"document": whole, "place": len(missing) - whole}
    listed = ", ".join(counted(size, noun) for noun, size in sizes.items() if size)
    note = f"Not annotated, and not scored unless this file is a prediction: {listed}."
    return replace(file, missing=missing).noting(note)


def runs_of(flags: Iterable[object]) -> list[list[int]]:
    """Return the boundaries of each run of true flags, with exclusive ends."""
    values = np.fromiter(map(bool, flags), dtype=bool)
    runs: list[list[int]] = np.stack(run_bounds(values), axis=1)[values[begins_run(values)]].tolist()
    return runs


def without_missing(files: Sequence[DocumentFile]) -> Sequence[DocumentFile]:
    """Remove the spans that overlap an unannotated part of any file; all files must have the same unit."""
    parts = [file.missing for file in files if file.missing is not None]
    if not parts:
        return files
    missing = without_overlaps(distinct_spans(parts)[0])
    return [replace(file, spans=_outside(file.spans, missing), missing=missing) for file in files]


def _outside(spans: Spans, missing: Spans) -> Spans:
    """Remove the spans that overlap unannotated parts."""
    span, start, end = spans.pieces()
    # documents are concatenated, so that parts ascend
    base, own = missing.document.astype(np.int64) << 32, spans.document[span].astype(np.int64) << 32
    first = np.searchsorted(base + missing.end, own + start, side="right")
    behind = np.searchsorted(base + missing.start, own + end, side="left")
    return spans.picked(np.setdiff1d(np.arange(len(spans)), span[first < behind]))


def unannotated(missing: Spans | None) -> np.ndarray:
    """List the documents without annotation, given the unannotated parts."""
    if missing is None or missing.lengths is None:
        return np.zeros(0, dtype=np.int32)
    return np.asarray(missing.document[(missing.start == 0) & (missing.end == missing.lengths[missing.document])])
