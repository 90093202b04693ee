"""What is wrong with the spans of a file of documents, before any of it is refused: `problems_in`."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any

import numpy as np

from ..exceptions import shown
from ..spans.arrow import LONGEST, name_problem
from ..spans.characters import code_points
from .document_file import DocumentFile, inspection
from .record import Record
from .tokenizers import tokens_of
from .words import Codes

KINDS = {
    "lost": "spans without a place or a label, left out",
    "empty": "empty spans",
    "reversed": "spans that end before they begin",
    "outside": "spans past the end of their text",
    "inside character": "spans that begin or end inside a character",
    "twice": "spans that are there twice",
    "padded": "spans padded with white space",
    "stated text": "spans whose stated text differs from the text",
    "off tokens": "spans that begin or end within a token",
    "label": "spans with an unknown label",
    "label name": "spans whose label is empty, or has outer blanks or control characters",
    "document": "documents with the name of another",
    "unit": "documents whose offsets may be code points or something else",
}
"""The kinds of problems, with what there are several of."""

_AT_ONCE = 1 << 12
"""How many spans of a document are looked at together: in Python's objects those of a long one take much memory."""

_FARTHEST = 1 << 62


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a span, or with a document.

    Attributes:
        kind: one of `KINDS`.
        document: the number of the document, from 0.
        name: what the document is called, if it has a name.
        line: of the document, or of the span if that could not be read.
        place: what else to call the place; may be empty.
        span: its start, end and label as the file has them; None for a document.
        text: what is wrong, as a sentence.
    """

    kind: str
    document: int
    name: str | None
    line: int
    place: str
    span: tuple[int, int, str] | None
    text: str


@dataclass
class Validation:
    """What is wrong with the spans of a file.

    Attributes:
        labels: the labels that are known; None if all are.
        tokenizer: what makes the tokens that spans should fit, see `tokenizers.TOKENIZERS`; None for those of the file.
        problems: in the order of the file.
        documents, spans: how many were looked at.
        file: the documents, without their spans.
    """

    labels: Collection[str] | None = None
    tokenizer: str | None = None
    problems: list[Problem] = field(default_factory=list)
    documents: int = 0
    spans: int = 0
    file: DocumentFile | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of problems of each kind that there is."""
        found = Counter(problem.kind for problem in self.problems)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    @property
    def affected(self) -> int:
        """The number of documents that have a problem."""
        return len({problem.document for problem in self.problems})

    def read(self, reading: Callable[[], DocumentFile]) -> Validation:
        """Look at the spans of a file while it is read; errors are those of reading a file of another form."""
        with _inspected(self._inspect):
            self.file = reading()
        return self

    def _inspect(self, records: Iterable[Record], units: Sequence[str], in_tokens: bool) -> Iterator[Record]:
        names: set[tuple[str | None, str | None]] = set()
        for record in records:
            check = _Check(record, self, self.documents)
            if record.id is not None and (record.id, record.annotator) in names:
                check.add("document", None, f"another document is called {shown(record.id)} too.")
            names.add((record.id, record.annotator))
            yield check.look(units, in_tokens=in_tokens)
            self.documents += 1


class _Check:
    """The spans of a document while they are looked at."""

    def __init__(self, record: Record, found: Validation, number: int) -> None:
        self._record, self._found, self._number = record, found, number
        self._labels = Codes()

    def add(self, kind: str, span: tuple[int, int, str] | None, problem: str, line: int | None = None) -> None:
        """Add a problem, of the document's line or another one."""
        record = self._record
        place = (self._number, record.id, record.line if line is None else line, record.place)
        text = problem if span is None else f"the span of {shown(span[2])} from {span[0]} to {span[1]} {problem}."
        self._found.problems.append(Problem(kind, *place, span, text))

    def look(self, units: Sequence[str], *, in_tokens: bool) -> Record:
        """List what is wrong, and return the record without its spans; with them if they have another form."""
        record = self._record
        self._found.spans += len(record.spans) + len(record.lost)
        for line, problem in record.lost:
            self.add("lost", None, problem, line)
        given = chain.from_iterable(record.fragments.values())
        if not all(map(_is_span, record.spans)) or not all(map(_are_bounds, given)):
            return record
        in_text = not in_tokens and record.text is not None
        parts = (record.tokens if record.words is None else record.words) if in_tokens else record.text
        converted = self._in_characters(units) if in_text else None
        fits = None if converted is None else self._fits_tokens(converted)
        seen: set[Any] = set()
        reached = 0
        for first in range(0, len(record.spans), _AT_ONCE):
            spans = record.spans[first : first + _AT_ONCE]
            pieces = self._given(first, spans)
            here = slice(reached, reached + sum(map(len, pieces)))
            reached = here.stop
            if converted is not None:
                pairs = iter(converted[here].tolist())
                pieces = [[tuple(next(pairs)) for _ in bounds] for bounds in pieces]
            whole = repeat(True) if fits is None else iter(fits[here].tolist())
            for place, (span, bounds) in enumerate(zip(spans, pieces, strict=True), first):
                fit = sum(next(whole) for _ in bounds) == len(bounds)
                if (key := self._key(bounds, span[2])) in seen:
                    self.add("twice", span, "is there twice")
                seen.add(key)
                if problem := name_problem(span[2], "label"):
                    self.add("label name", span, f"cannot be scored: {problem.removesuffix('.')}")
                if self._found.labels is not None and span[2] not in self._found.labels:
                    self.add("label", span, "has an unknown label")
                if not self._is_inside(span, bounds, None if parts is None else len(parts)):
                    continue
                if in_text:
                    self._check_text(span, bounds, record.stated[place] if record.stated else None)
                if not fit:
                    self.add("off tokens", span, "begins or ends within a token")
        return replace(record, spans=[], fragments={}, stated=[], attributes=[], lost=[])

    def _given(self, first: int, spans: Iterable[tuple[int, int, str]]) -> list[list[tuple[int, int]]]:
        """Return the bounds of the pieces of spans, of which the first has this number."""
        fragments = self._record.fragments
        return [list(fragments.get(place, ())) or [(start, end)] for place, (start, end, _) in enumerate(spans, first)]

    def _key(self, bounds: Sequence[tuple[int, int]], label: str) -> object:
        """Return what tells spans apart: of most a number, as they may be many."""
        (start, end), *others = bounds
        if others or not 0 <= start <= LONGEST or not 0 <= end <= LONGEST:
            return tuple(bounds), label
        return (self._labels[label] * (LONGEST + 1) + start) * (LONGEST + 1) + end

    def _in_characters(self, units: Sequence[str]) -> np.ndarray:
        """Return the bounds of all pieces in code points, -1 for those inside a character or outside the text."""
        text, spans = str(self._record.text), self._record.spans
        pieces = chain.from_iterable(
            self._given(first, spans[first : first + _AT_ONCE]) for first in range(0, len(spans), _AT_ONCE)
        )
        sizes, flat = array("q"), array("q")
        for bounds in pieces:
            sizes.append(len(bounds))
            for pair in bounds:
                flat.extend(pair)
        return self._converted(text, np.asarray(flat), sizes, units).reshape(-1, 2)

    def _is_inside(self, span: tuple[int, int, str], bounds: Sequence[tuple[int, int]], length: int | None) -> bool:
        """Return whether a span has a place in the text; list why not."""
        start, end, _ = span
        low, high = min(map(min, bounds)), max(map(max, bounds))
        if start == end:
            self.add("empty", span, "is empty")
        elif end < start:
            self.add("reversed", span, "ends before it begins")
        elif length is not None and start >= 0 and end <= length and low < 0:
            self.add("inside character", span, "begins or ends inside a character")
        elif low < 0 or (length is not None and high > length):
            self.add("outside", span, "is not inside the text" + ("" if length is None else f" (0 to {length:,})"))
        else:
            return True
        return False

    def _check_text(self, span: tuple[int, int, str], bounds: Sequence[tuple[int, int]], said: str | None) -> None:
        covered = " ".join(str(self._record.text)[start:end] for start, end in bounds)
        if covered != covered.strip():
            self.add("padded", span, f"is padded with white space: {shown(covered)}")
        if said is not None and said != covered:
            self.add("stated text", span, f"is said to be {shown(said)}, and the text is {shown(covered)} there")

    def _fits_tokens(self, bounds: np.ndarray) -> np.ndarray | None:
        """Flag the pieces that begin where some token begins, and end where one ends; None if there are no tokens."""
        record = self._record
        tokens: Any = record.tokens
        if self._found.tokenizer is not None and record.text is not None:
            tokens = tokens_of((record.text,), self._found.tokenizer).bounds(0)
        if tokens is None:
            return None
        try:
            known = np.asarray(tokens, dtype=np.int64).reshape(-1, 2)
        except (TypeError, ValueError, OverflowError):
            # whoever makes columns of them says what is wrong
            return None
        return np.isin(bounds[:, 0], known[:, 0]) & np.isin(bounds[:, 1], known[:, 1])

    def _converted(self, text: str, flat: np.ndarray, sizes: Sequence[int], units: Sequence[str]) -> np.ndarray:
        """Return bounds in code points, from the unit in which most stated texts are the text at their offsets."""
        of_units = {unit: code_points(text, flat, unit) for unit in units}
        if all(np.array_equal(of_units[units[0]], other) for other in of_units.values()):
            return of_units[units[0]]
        fitting = dict.fromkeys(units, 0)
        for unit, converted in of_units.items():
            pairs = iter(converted.tolist())
            for said, size in zip(self._record.stated, sizes, strict=False):
                covered = " ".join(text[next(pairs) : next(pairs)] for _ in range(size))
                fitting[unit] += said == covered
        best = max(fitting, key=fitting.__getitem__)
        possible = [unit for unit, converted in of_units.items() if (converted >= 0).all()]
        if not fitting[best] and len(possible) != 1:
            self.add("unit", None, "nothing tells in which unit its offsets are counted.")
        return of_units[best if fitting[best] else (possible or list(units))[0]]


def _is_span(span: Any) -> bool:
    known = isinstance(span, (tuple, list)) and len(span) == 3
    return known and _are_bounds(span[:2]) and isinstance(span[2], str)


def _are_bounds(pair: Sequence[Any]) -> bool:
    return all(type(bound) is int and abs(bound) <= _FARTHEST for bound in pair)


@contextmanager
def _inspected(inspect: Callable[..., Iterable[Record]]) -> Iterator[None]:
    token = inspection.set(inspect)
    try:
        yield
    finally:
        inspection.reset(token)
