"""A list of all problems with the spans of a file, instead of an error about the first one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ..arrays import offsets_by, row_codes
from ..exceptions import shown
from ..spans.spans import Spans
from ..spans.texts import Tokens
from ..tags.schemes import name_problem
from .building import RecordColumns
from .document_file import DocumentFile, inspection
from .stated import strings_of
from .units import tokens_of

KINDS = {
    "lost": "spans without a place or a label, left out",
    "empty": "empty spans",
    "reversed": "spans that end before they begin",
    "outside": "spans outside their text",
    "inside character": "spans that begin or end inside a character",
    "twice": "repeated spans",
    "padded": "spans padded with white space",
    "stated text": "spans with a stated text that differs from the text",
    "off tokens": "spans that begin or end within a token",
    "label name": "spans with a label that is empty, begins or ends with white space, or has control characters",
    "document": "documents with the name of another document",
    "unit": "documents with an unknown unit of offsets",
}
"""The kinds of problems, described in the plural."""

_OUTSIDE = {
    "empty": "is empty",
    "reversed": "ends before it begins",
    "inside character": "begins or ends inside a character",
    "outside": "is not inside the text",
}
"""The kinds of problems in which a span has no position in its text."""

_ORDER = ("document", "lost", "unit", "twice", "label name", *_OUTSIDE, "padded", "stated text", "off tokens")
"""The order in which problems of the same document or span are listed."""

_UNDECIDED = "the file does not state the unit of its offsets."
_FARTHEST = 1 << 62


class Problem(NamedTuple):
    """A problem with a span or a document.

    Attributes:
        kind: one of `KINDS`.
        line: the line of the document, or of a span that could not be read.
        document: the index of the document.
        name: the name of the document, if it has one.
        place: another description of the place, if there is one.
        start, end, label: the span in the file; None if the problem is with the document.
        text: the problem in a sentence.
    """

    kind: str
    line: int
    document: int
    name: str | None
    place: str | None
    start: int | None
    end: int | None
    label: str | None
    text: str


@dataclass
class SpanValidation:
    """The problems with the spans of a file.

    Attributes:
        tokenizer: the tokenizer whose token boundaries spans should match, see `tokenizers.TOKENIZERS`; None uses the
            tokens of the file.
        problems: the problems in the order of the file.
        documents, spans: the numbers of documents and spans that were checked.
        file: the documents without their spans.
    """

    tokenizer: str | None = None
    problems: list[Problem] = field(default_factory=list)
    documents: int = 0
    spans: int = 0
    file: DocumentFile | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of problems of each kind; kinds without problems are omitted."""
        counts = Counter(problem.kind for problem in self.problems)
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    @property
    def affected(self) -> int:
        """The number of documents with at least one problem."""
        return len({problem.document for problem in self.problems})

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {
            "documents": self.documents,
            "spans": self.spans,
            "affected_documents": self.affected,
            "counts": self.counts,
            "problems": [problem._asdict() for problem in self.problems],
            "left_out": [] if self.file is None else list(self.file.left_out),
        }

    def read(self, reading: Callable[[], DocumentFile]) -> SpanValidation:
        """Check the spans of a file while it is read; other errors of reading are raised."""
        token = inspection.set(self._inspect)
        try:
            self.file = reading()
        finally:
            inspection.reset(token)
        return self

    def _inspect(self, columns: RecordColumns, units: Sequence[str], in_tokens: bool) -> None:
        """List the problems with the spans of a file, and remove the spans."""
        original, undecided = columns.stated.spans, list[int]()
        self.documents += len(columns.lines)
        self.spans += len(original) + len(columns.lost)
        if not in_tokens:
            columns.undecided = undecided
            columns.to_code_points(units)
        problems = [
            *((number, -1, "document", None, text) for number, text in _same_names(columns)),
            *((number, -1, "lost", line, text) for number, line, text in columns.lost),
            *((number, -1, "unit", None, _UNDECIDED) for number in undecided),
        ]
        for span, kind, text in self._of_spans(columns, original, in_tokens=in_tokens):
            problems.append((int(original.document[span]), span, kind, None, text))
        # in the order of the file: the problems of a document, then of each of its spans
        problems.sort(key=lambda problem: (*problem[:2], _ORDER.index(problem[2])))
        for number, span, kind, line, text in problems:
            bounds: tuple[Any, Any, Any] = None, None, None
            if span >= 0:
                label = original.labels[original.label[span]]
                bounds = int(original.start[span]), int(original.end[span]), label
                text = f"the span labelled {shown(label)} from {bounds[0]} to {bounds[1]} {text}."
            line, place = columns.lines[number] if line is None else line, columns.places[number] or None
            self.problems.append(Problem(kind, line, number, columns.ids[number], place, *bounds, text))
        columns.stated = columns.stated.picked(np.zeros(0, dtype=np.int64))

    def _of_spans(self, columns: RecordColumns, original: Spans, *, in_tokens: bool) -> Iterator[tuple[int, str, str]]:
        """Yield the span, kind and text of each problem; `original` has the boundaries in the file."""
        spans = columns.stated.spans
        for span in np.flatnonzero(_twice(spans)).tolist():
            yield span, "twice", "is repeated"
        for code, name in enumerate(spans.labels):
            problem = name_problem(name, "label").removesuffix(".")
            for span in np.flatnonzero(spans.label == code).tolist() if problem else ():
                yield span, "label name", f"cannot be scored: {problem}"
        lengths = columns.lengths(in_tokens=in_tokens)
        kind = _outside(spans, original, lengths)
        for span in np.flatnonzero(kind).tolist():
            name = list(_OUTSIDE)[kind[span] - 1]
            size = "" if lengths is None else f" (0 to {lengths[original.document[span]]:,})"
            yield span, name, f"{_OUTSIDE[name]}{size if name == 'outside' else ''}"
        if not in_tokens and None not in columns.texts:
            yield from self._in_texts(columns, np.flatnonzero(kind == 0))

    def _in_texts(self, columns: RecordColumns, inside: np.ndarray) -> Iterator[tuple[int, str, str]]:
        """Yield the problems that the texts and tokens show, for spans inside their texts."""
        some, texts = columns.stated.picked(inside), [text or "" for text in columns.texts]
        stated = repeat(None) if some.texts is None else strings_of(some.texts)
        for span, covered, text in zip(inside.tolist(), some.spans.covered(texts), stated, strict=False):
            if covered != covered.strip():
                yield span, "padded", f"is padded with white space: {shown(covered)}"
            if text is not None and text != covered:
                yield span, "stated text", f"has the stated text {shown(text)}, but the text there is {shown(covered)}"
        if self.tokenizer is not None:
            off = _off_tokens(some.spans, tokens_of(tuple(texts), self.tokenizer))
        else:
            with_tokens = np.array(columns.with_tokens, dtype=bool)
            off = _off_tokens(some.spans, columns.known_tokens()) & with_tokens[some.spans.document]
        for span in inside[off].tolist():
            yield span, "off tokens", "begins or ends within a token"


def _same_names(columns: RecordColumns) -> Iterator[tuple[int, str]]:
    """Yield documents that have the same name as another document of the same annotator."""
    names: set[tuple[str | None, str | None]] = set()
    for number, name in enumerate(zip(columns.ids, columns.annotators, strict=True)):
        if name[0] is not None and name in names:
            yield number, f"another document has the same name, {shown(name[0])}."
        names.add(name)


def _twice(spans: Spans) -> np.ndarray:
    """Flag spans that repeat an earlier span."""
    span, start, end = spans.pieces()
    offsets = 2 * offsets_by(span, len(spans))
    kind = spans.document.astype(np.int64) * len(spans.labels) + spans.label
    codes = row_codes(kind, offsets[:-1], offsets[1:], np.stack([start, end], axis=1).ravel())
    twice = np.ones(len(spans), dtype=bool)
    twice[np.unique(codes, return_index=True)[1]] = False
    return twice


def _outside(spans: Spans, original: Spans, lengths: np.ndarray | None) -> np.ndarray:
    """Number each span without a position in its text by its kind in `_OUTSIDE`, from 1; other spans have 0."""
    span, start, end = spans.pieces()
    first = offsets_by(span, len(spans))[:-1]
    low = np.minimum.reduceat(np.minimum(start, end), first) if len(first) else start
    high = np.maximum.reduceat(np.maximum(start, end), first) if len(first) else end
    size = np.full(len(spans), _FARTHEST) if lengths is None else lengths[spans.document]
    between = (original.start >= 0) & (original.end <= size) & (lengths is not None)
    empty, backwards = original.start == original.end, original.end < original.start
    return np.select([empty, backwards, between & (low < 0), (low < 0) | (high > size)], [1, 2, 3, 4], 0)


def _off_tokens(spans: Spans, tokens: Tokens) -> np.ndarray:
    """Flag spans of characters with a piece that begins or ends inside a token or between tokens."""
    span, start, end = spans.pieces()
    stride = 1 + max(int(end.max(initial=0)), int(tokens.end.max(initial=0)))
    base, base_of_tokens = spans.document[span].astype(np.int64) * stride, tokens.document * stride
    fits = np.isin(base + start, base_of_tokens + tokens.start) & np.isin(base + end, base_of_tokens + tokens.end)
    return np.bincount(span[~fits], minlength=len(spans)) > 0
