"""A file of annotated documents: where they stand in it, whatever annotates them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import offsets_of, ranges
from ..errors import InputError, counted, only_difference, require_kind, setting, shown
from .words import Words

_LISTED = 3
_BLOCK = 1 << 20
"""How many words are compared at a time."""


@dataclass(frozen=True, eq=False)
class LineRuns:
    """The lines of tokens, as runs of tokens on consecutive lines: a few numbers a sentence.

    Attributes:
        tokens: int64, the first token of each run, counted over all documents.
        lines: int64, its line.
        size: the number of tokens.
    """

    tokens: np.ndarray
    lines: np.ndarray
    size: int

    def line(self, token: int) -> int:
        """Return the line of a token."""
        return int(self.of(np.array(token)))

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """Return the lines of some tokens."""
        run = np.searchsorted(self.tokens, tokens, side="right") - 1
        return np.asarray(self.lines[run] + tokens - self.tokens[run])

    def take(self, kept: np.ndarray) -> LineRuns:
        """Return the lines of the flagged tokens alone."""
        lines = self.of(np.flatnonzero(kept))
        return LineRuns(np.arange(len(lines)), lines, len(lines))

    def expanded(self) -> np.ndarray:
        """Return the line of every token, int64."""
        return ranges(self.lines, np.diff(np.append(self.tokens, self.size)))


@dataclass(frozen=True, eq=False)
class Parts:
    """The files that documents are of, if they are several.

    Attributes:
        names: what tells the files apart; both sides' files are paired by it.
        sources: what errors call each.
        file: int64, the file of each document.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    file: np.ndarray

    def take(self, documents: np.ndarray) -> Parts:
        """Return the files of some documents, in the order asked for."""
        return Parts(self.names, self.sources, self.file[documents])


@dataclass(frozen=True, eq=False, kw_only=True)
class AnnotatedFile:
    """A file of annotated documents.

    Attributes:
        source: what errors call the file.
        document_lines: int64, the number of the line, from 1, on which each document begins.
        line_runs: where the tokens stand; None if a document is not one token a line.
        words: the words of each document; None if the file has none, or only some documents have any, or they were not
            read.
        parts: the files that the documents are of, if these are a folder's, or those that a pattern fits.
    """

    source: str
    document_lines: np.ndarray
    line_runs: LineRuns | None = None
    words: Words | None = None
    parts: Parts | None = None

    def __post_init__(self) -> None:
        """Encode words that are given as lists."""
        if self.words is not None and not isinstance(self.words, Words):
            object.__setattr__(self, "words", Words.of(self.words))

    def source_of(self, document: int) -> str:
        """Return what errors call the file of a document."""
        return self.source if self.parts is None else self.parts.sources[self.parts.file[document]]

    @property
    def token_lines(self) -> np.ndarray | None:
        """The line of every token, int64; None if a document is not one token a line."""
        return None if self.line_runs is None else self.line_runs.expanded()

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in tokens; None if the file does not say."""
        return None if self.words is None else self.words.lengths

    def line(self, document: int, position: int | None = None) -> int:
        """Return the line of a document, or of a token of it."""
        lengths = self.lengths
        if self.line_runs is None or position is None or lengths is None:
            return int(self.document_lines[document])
        return self.line_runs.line(int(lengths[:document].sum()) + position)

    def locate(self, error: InputError) -> InputError:
        """Return an error about a document and token of this file as one about the file and line."""
        if error.document is None:
            return error.in_file(self.source)
        line, source = self.line(error.document, error.position), self.source_of(error.document)
        if self.line_runs is not None:
            return error.in_file(source, line)
        return error.placed(side=None, document=None, source=source, line=line)


def located(error: InputError, files: Mapping[str, AnnotatedFile]) -> InputError:
    """Return an error about documents as one about the lines of their files.

    Args:
        error: the error; its other place is a line too then.
        files: by what errors call their sides; an empty string for errors about a document of no side.
    """
    file = files.get(error.side or "")
    if file is None or (error.side is None and error.document is None):
        return error
    found = file.locate(error)
    return found if found.other is None else found.placed(other=located(found.other, files))


def require_same_tokens(references: AnnotatedFile, predictions: AnnotatedFile, *, ignore_words: bool = False) -> None:
    """Raise an `InputError` that names both files and lines unless both have the same documents, lengths and words.

    Lengths and words are compared if both files have them; words not with `ignore_words`.
    """
    for side, file in (("references", references), ("predictions", predictions)):
        require_kind(file, AnnotatedFile, "a file that was read", "Give what a reader returns.", side=side)
    require_same_files(references, predictions)
    sizes = [len(file.document_lines) for file in (references, predictions)]
    common = min(sizes)
    first, second = references.lengths, predictions.lengths
    if first is not None and second is not None and (first[:common] != second[:common]).any():
        document = int(np.argmax(first[:common] != second[:common]))
        moved = first.sum() == second.sum()
        question = "do the documents end at the same places?" if moved else "was the text tokenised twice?"
        raise InputError(
            f"the reference document that begins here has {counted(int(first[document]), 'token')}, the predicted one "
            f"({predictions.source_of(document)}, line {predictions.line(document)}) has "
            f"{counted(int(second[document]), 'token')}.",
            f"Both sides must annotate the same tokens; {question}",
            source=references.source_of(document),
            line=references.line(document),
        )
    if sizes[0] != sizes[1]:
        shorter, longer = sorted((references, predictions), key=lambda file: len(file.document_lines))
        raise InputError(
            f"{counted(sizes[1], 'predicted document')}, {counted(sizes[0], 'reference document')}: "
            f"{shorter.source} ends before the document that begins here.",
            "Both sides must annotate the same documents, in the same order.",
            source=longer.source_of(common),
            line=longer.line(common),
        )
    if not ignore_words:
        require_same_words(references, predictions)


def require_same_files(references: AnnotatedFile, predictions: AnnotatedFile) -> None:
    """Raise an `InputError` if both sides are several files that have other names, or not as many documents each."""
    one, other = references.parts, predictions.parts
    if one is None or other is None:
        return
    for here, there in ((references, predictions), (predictions, references)):
        known = set(there.parts.names if there.parts is not None else ())
        lacking = [name for name in (here.parts.names if here.parts is not None else ()) if name not in known]
        if lacking:
            more = f" and {len(lacking) - _LISTED:,} more" if len(lacking) > _LISTED else ""
            listed = ", ".join(map(repr, lacking[:_LISTED]))
            raise InputError(
                f"{there.source} has no {listed}{more}.", "Files are paired by their names.", source=here.source
            )
    sizes = [np.bincount(side.file, minlength=len(side.names)) for side in (one, other)]
    if (sizes[0] != sizes[1]).any():
        file = int(np.argmax(sizes[0] != sizes[1]))
        raise InputError(
            f"{counted(int(sizes[0][file]), 'document')} here, {counted(int(sizes[1][file]), 'document')} in "
            f"{other.sources[file]}.",
            "Both sides must annotate the same documents.",
            source=one.sources[file],
        )


def require_same_words(references: AnnotatedFile, predictions: AnnotatedFile) -> None:
    """Raise an `InputError` that names files, lines and words unless the words are the same, as far as both have any.

    Files of other documents or lengths are not compared.
    """
    require_same_files(references, predictions)
    one, other = references.lengths, predictions.lengths
    if one is None or other is None or references.words is None or predictions.words is None:
        return
    if not np.array_equal(one, other):
        return
    pair = _first_difference(references.words, predictions.words)
    if pair is None:
        return
    token, word, found = pair
    offsets = offsets_of(one)
    document = int(np.searchsorted(offsets, token, side="right")) - 1
    position = token - int(offsets[document])
    line = predictions.line(document, position)
    error = InputError(
        f"the word is {shown(word)} here and {shown(found)} in {predictions.source_of(document)}, line {line}."
        f"{only_difference(word, found)}",
        "Both sides must annotate the same words, in the same order; "
        f"{setting('ignore_words', True)} compares no words.",
        document=document,
        position=position,
        option="ignore_words",
    )
    raise references.locate(error)


def _first_difference(one: Words, other: Words) -> tuple[int, str, str] | None:
    """Return the first token whose words differ, counted over all documents, and both words; None if all are equal."""
    # codes are compared, not strings: the other side's in terms of this side's, -1 for words that this side lacks
    known = {name: code for code, name in enumerate(one.names)}
    lookup = np.array([known.get(name, -1) for name in other.names], dtype=np.int32)
    for start in range(0, len(one.codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        differing = lookup[other.codes[block]] != one.codes[block]
        if differing.any():
            token = start + int(np.argmax(differing))
            return token, one.names[one.codes[token]], other.names[other.codes[token]]
    return None
