"""Records, which readers yield, and the parts of documents in tokens: words, tags, columns, lines and files."""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate, chain, islice, pairwise, repeat
from operator import attrgetter, eq
from typing import Any, overload

import numpy as np

from ..arrays import offsets_of, place_of, ranges
from ..exceptions import InputError
from ..tags.tags import Tags, list_arrays

_NO_VALUES: Mapping[str, Any] = {}


@dataclass(slots=True)
class Record:
    """One annotator's spans of a document, as they are in the file.

    Attributes:
        line: the first line of the document.
        place: another description of the place, such as `task 12`.
        id: the name of the document, if it has one.
        annotator: the annotator, if the file names one.
        text: the text of the document, if the file has it.
        words: the words of the document, if the file has them.
        tokens: the boundaries of tokens in characters, if the file has them, as a list or (in all documents) an array.
        spans: the start, end (exclusive) and label of each span; discontinuous spans have their outer boundaries.
        stated: the text that the file gives for each span, or None; empty if the file gives no span texts.
        fragments: maps the index of each discontinuous span to the boundaries of its fragments.
        attributes: the attribute values of each span by name; empty if no span has any.
        scores: the scores of each span's attributes, or None; empty if no span has any.
        lost: the line and the problem of each span that could not be read.
    """

    line: int = 1
    place: str = ""
    id: str | None = None
    annotator: str | None = None
    text: str | None = None
    words: Sequence[str] | None = None
    tokens: Sequence[tuple[int, int]] | np.ndarray | None = None
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    stated: list[str | None] = field(default_factory=list)
    fragments: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    attributes: list[Mapping[str, Any]] = field(default_factory=list)
    scores: Sequence[Any] = ()
    lost: list[tuple[int, str]] = field(default_factory=list)

    def add(
        self,
        start: int,
        end: int,
        label: str,
        *,
        stated: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        pieces: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Add a span; if it is discontinuous, `pieces` are the boundaries of its fragments."""
        if len(pieces) > 1:
            self.fragments[len(self.spans)] = pieces
        self.spans.append((start, end, label))
        self.stated.append(stated)
        self.attributes.append(_NO_VALUES if attributes is None else attributes)

    def pieces(self, place: int) -> Sequence[tuple[int, int]]:
        """Return the boundaries of a span's fragments; a contiguous span has one."""
        start, end, _ = self.spans[place]
        return self.fragments.get(place, [(start, end)])

    def lost_spans(self) -> Iterator[str]:
        """Describe the place and the problem of each span that could not be read."""
        for line, problem in self.lost:
            where = [self.place] if self.place else []
            if not where or line != self.line:
                where.append(f"line {line}")
            yield f"{', '.join(where)}: {problem}"


@dataclass(slots=True)
class RecordBatch:
    """Several records as columns, with one value for each document or for each span; see `Record`.

    Attributes:
        line, place, id, annotator, text, words, tokens, lost: of each document; empty if no document has any.
        counts: the number of spans of each document.
        spans: the spans of all documents concatenated.
        stated, attributes, scores: of each span; empty if no span has any.
        fragments: of discontinuous spans, by their index in `spans`.
    """

    line: Sequence[int]
    place: Sequence[str]
    counts: Sequence[int]
    spans: Sequence[Any]
    id: Sequence[Any] = ()
    annotator: Sequence[Any] = ()
    text: Sequence[str | None] = ()
    words: Sequence[Sequence[str] | None] = ()
    tokens: Sequence[Any] = ()
    stated: Sequence[str | None] = ()
    fragments: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    attributes: Sequence[Mapping[str, Any] | None] = ()
    scores: Sequence[Any] = ()
    lost: Sequence[Sequence[tuple[int, str]]] = ()

    @classmethod
    def of(cls, records: Sequence[Record]) -> RecordBatch:
        """Convert records to columns."""
        columns: dict[str, Any] = dict(zip(_LAYERS, zip(*map(_VALUES, records), strict=True), strict=True))
        counts = list(map(len, columns["spans"]))
        for name in ("stated", "attributes", "scores"):
            rows = zip(columns[name], counts, strict=True) if any(columns[name]) else ()
            columns[name] = [value for row, size in rows for value in row or repeat(None, size)]
        columns["spans"] = list(chain.from_iterable(columns["spans"]))
        of_documents = zip(accumulate(counts, initial=0), columns["fragments"], strict=False)
        columns["fragments"] = {first + place: row[place] for first, row in of_documents for place in row}
        return cls(**columns, counts=counts)

    def place_of(self, span: int) -> tuple[int, int]:
        """Return the document of a span, and the index of the span in this document."""
        return place_of(offsets_of(self.counts), span)


_LAYERS = tuple(each.name for each in fields(Record))
_VALUES = attrgetter(*_LAYERS)


@dataclass(eq=False)
class Named:
    """A file or folder that is read.

    Attributes:
        name: what errors call it.
    """

    name: str

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Create an error about this file or folder."""
        return InputError(problem, remedy, source=self.name, line=line)


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How a format is written, and what it can represent.

    Attributes:
        write: converts a `DocumentFile` to the bytes of a file, in parts. Its keyword arguments are options.
        folder: True if `write` instead yields the paths of files in a folder and their contents.
        unit: the unit of spans, `character` or `token`; None if both are possible.
        needs_text: whether documents need a text.
        overlapping: whether spans may overlap, or the name of the option that allows it.
        discontinuous, attributes, annotators: whether the format can represent discontinuous spans, attributes of
            spans, and several annotators.
        problems: yields descriptions of other losses with their documents; they say how `write` writes such items. It
            has the options of `write`.
    """

    write: Callable[..., Iterator[Any]]
    folder: bool = False
    unit: str | None = "character"
    needs_text: bool = True
    overlapping: bool | str = True
    discontinuous: bool = False
    attributes: bool = False
    annotators: bool = False
    problems: Callable[..., Iterator[tuple[str, int]]] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of the writer with their defaults."""
        return keywords(self.write)


def keywords(function: Callable[..., object]) -> dict[str, Any]:
    """Return the names and defaults of a function's keyword-only arguments."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}


class Codes(dict[str, int]):
    """Maps names to integers, in the order of their first occurrence."""

    def __missing__(self, name: str) -> int:
        """Add a name with the next integer."""
        code = self[name] = len(self)
        return code


class Words(Tags, Sequence[list[str]]):
    """The words of documents: encoded like tags, but used like lists of strings."""

    @classmethod
    def of(cls, words: Tags | Iterable[Sequence[str]]) -> Words:
        """Wrap encoded words, or encode lists of words."""
        column = words if isinstance(words, Tags) else Tags.from_lists(words)
        return cls(column.codes, column.names, column.offsets)

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, document: int) -> list[str]: ...
    @overload
    def __getitem__(self, document: slice) -> list[list[str]]: ...
    def __getitem__(self, document: int | slice) -> list[str] | list[list[str]]:
        """Return the words of one document or of several."""
        chosen = range(len(self))[document]
        if isinstance(chosen, range):
            return [self[number] for number in chosen]
        start, end = self.offsets[chosen : chosen + 2]
        return list(map(self.names.__getitem__, self.codes[start:end].tolist()))

    def __eq__(self, other: object) -> bool:
        """Compare the words of all documents; `other` can also be a list."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))


class WordRows:
    """Rows of words or other strings, encoded while they are added."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._names = Codes()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._ends) - 1

    @property
    def lengths(self) -> np.ndarray:
        """The number of words in each row, int64."""
        return np.diff(np.asarray(self._ends))

    def append(self, row: Sequence[str]) -> None:
        """Add a row.

        Raise an `InputError` with the position of a value that is no string or cannot be stored as UTF-8.
        """
        size = len(self._names)
        try:
            self._codes.extend(map(self._names.__getitem__, row))
            # values other than strings are never known names
            for name in islice(reversed(self._names), len(self._names) - size):
                name.encode()
        except (TypeError, AttributeError, UnicodeEncodeError):
            list_arrays([row])
            raise
        self._ends.append(len(self._codes))

    def tags(self) -> Tags:
        """Return all rows as `Tags`."""
        return Tags(np.asarray(self._codes, np.int32), tuple(self._names), np.asarray(self._ends, np.int64))

    def words(self) -> Words:
        """Return all rows as `Words`."""
        return Words.of(self.tags())


Column = int | str | None
"""A column, by number (from 1, or negative from the right) or by name; None is the default column."""


@dataclass(frozen=True)
class Layout:
    """The layout of the rows of a file.

    Attributes:
        tabs: whether single tabs separate the cells; otherwise runs of spaces and tabs do.
        width: the number of cells in a row.
        model: the line from which the layout was taken.
        header: the line with the names of the columns, or 0.
        names: the names of the columns, if known.
        columns: the indices of the tag columns.
        words: the index of the column with the words, or None.
        words_named: whether the user named this column.
        documents: the index of the column that identifies the document of a row, or None.
    """

    tabs: bool
    width: int
    model: int
    header: int
    names: tuple[str, ...] | None
    columns: tuple[int, ...]
    words: int | None
    words_named: bool
    documents: int | None = None

    def called(self, index: int) -> str:
        """Return the name of a column in errors."""
        return self.names[index] if self.names else f"column {index + 1}"


def joined_tags(parts: Sequence[Tags]) -> Tags:
    """Concatenate the tags of several files."""
    names = Codes()
    codes = [np.array([names[name] for name in part.names], dtype=np.int32)[part.codes] for part in parts]
    offsets = offsets_of(np.concatenate([part.lengths for part in parts]))
    reading = {name: value for part in parts for name, value in part.reading.items()}
    sentences = [np.zeros(len(part.codes), np.int64) if part.sentence is None else part.sentence for part in parts]
    sentence = None if all(part.sentence is None for part in parts) else np.concatenate(sentences)
    return Tags(np.concatenate(codes), tuple(names), offsets, reading, sentence)


def tag_lists(tags: Tags) -> list[list[str]]:
    """Convert encoded tags (or words) to a list for each document."""
    flat = np.array([*tags.names, ""], dtype=object)[tags.codes].tolist()
    return [flat[start:end] for start, end in pairwise(tags.offsets.tolist())]


@dataclass(frozen=True, eq=False)
class LineRuns:
    """The lines of tokens, stored as runs of tokens on consecutive lines.

    Attributes:
        tokens: the first token of each run, counted over all documents, int64.
        lines: the line of this token, int64.
        size: the number of tokens.
    """

    tokens: np.ndarray
    lines: np.ndarray
    size: int

    @classmethod
    def end_to_end(cls, parts: Sequence[LineRuns]) -> LineRuns:
        """Concatenate the lines of several files."""
        base = offsets_of([part.size for part in parts])
        tokens = [part.tokens + first for part, first in zip(parts, base, strict=False)]
        return cls(np.concatenate(tokens), np.concatenate([part.lines for part in parts]), int(base[-1]))

    def line(self, token: int) -> int:
        """Find the line of a token."""
        return int(self.of(np.array(token)))

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """Return the lines of these tokens."""
        run = np.searchsorted(self.tokens, tokens, side="right") - 1
        return np.asarray(self.lines[run] + tokens - self.tokens[run])

    def take(self, tokens: np.ndarray) -> LineRuns:
        """Select the lines of these tokens."""
        lines = self.of(tokens)
        return LineRuns(np.arange(len(lines)), lines, len(lines))

    def expanded(self) -> np.ndarray:
        """List the line of every token, int64."""
        return ranges(self.lines, np.diff(np.append(self.tokens, self.size)))


@dataclass(frozen=True, eq=False)
class FileParts:
    """The file of each document, if there are several files.

    Attributes:
        names: the names of the files; the files of both sides are paired by name.
        sources: what errors call the files.
        file: the index of each document's file, int64.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    file: np.ndarray

    def take(self, documents: np.ndarray) -> FileParts:
        """Select documents in the given order."""
        return FileParts(self.names, self.sources, self.file[documents])
