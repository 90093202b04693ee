"""The words, names and lines of documents, for examples of errors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...arrays import arrow_array, string_array
from ...documents.document_file import DocumentFile
from ...documents.layers import LineRuns
from ...documents.sides import Sides
from ...exceptions import InputError, counted, plain_ends
from ...spans.spans import Spans
from ...spans.texts import Tokens, joined, words_and_signs
from ...spans.wording import Wording

AROUND = {" ": 10, "": 80}
"""The number of words (or characters) shown on both sides of an example, by the separator of units."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """The words, names and lines of documents.

    Attributes:
        wording: the words or characters of the documents; None if unknown.
        source: the name of the reference's file; empty without a file.
        names: the names of the documents; None if they have none.
        document_lines: the first line of each document; None without a file.
        line_runs: the lines of all tokens; None if the file does not have one token per line.
    """

    wording: Wording | None = None
    source: str = ""
    names: Sequence[str] | None = None
    document_lines: np.ndarray | None = None
    line_runs: LineRuns | None = None

    def lines(self, document: np.ndarray, start: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
        """Return the lines of tokens; None without a file."""
        if self.line_runs is not None:
            return self.line_runs.of(offsets[document] + start)
        return None if self.document_lines is None else self.document_lines[document]

    def surroundings(
        self,
        document: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        offsets: np.ndarray,
        first: np.ndarray | None = None,
    ) -> dict[str, pa.Array]:
        """Look up names, lines, texts and context of ranges of tokens, if known.

        Args:
            document: the document of each range.
            start, end: the bounds of each range, in tokens of its document.
            offsets: the position of each document's first token in the corpus.
            first: the token whose line is given; by default the first token of each range.

        Returns:
            The columns `name` (of the document), `line`, `before`, `text` and `after`.
        """
        columns: dict[str, pa.Array] = {}
        if self.names is not None:
            columns["name"] = string_array(self.names).take(arrow_array(document))
        lines = self.lines(document, start if first is None else first, offsets)
        if lines is not None:
            columns["line"] = arrow_array(lines)
        wording = self.wording
        if wording is not None:
            around, length = AROUND[wording.separator], wording.lengths[document]
            outer = wording.bounds(document, np.maximum(start - around, 0), np.minimum(end + around, length))
            inner = wording.bounds(document, start, end)
            for name, low, high in (("before", outer[0], inner[0]), ("text", *inner), ("after", inner[1], outer[1])):
                columns[name] = wording.shown.between(document, low, high)
        return columns

    def fitting(self, references: Spans) -> Context:
        """Return names, lines, texts and context of ranges of tokens, as far as known.

        Args:
            document: the document of each range.
            start, end: the boundaries of each range, in tokens of its document.
            offsets: the position of each document's first token in the corpus.
            first: the token whose line is shown; by default the first token of each range.

        Returns:
            The columns `name` (of the document), `line`, `before`, `text` and `after`.
        """
        if self.wording is None:
            return self
        lengths = self.wording.lengths
        remedy = "Give one list of words for each document, one word for each token."
        if len(lengths) != references.documents:
            problem = (
                f"got words for {counted(len(lengths), 'document')}, but annotations for "
                f"{counted(references.documents, 'document')}."
            )
            raise InputError(problem, remedy, option="words")
        if references.lengths is not None and (lengths != references.lengths).any():
            document = int(np.argmax(lengths != references.lengths))
            problem = (
                f"got {counted(int(lengths[document]), 'word')} for "
                f"{counted(int(references.lengths[document]), 'annotated token')}."
            )
            raise InputError(problem, remedy, document=document, option="words")
        return self


def context_of_sides(sides: Sides, words: Any) -> Context:
    """Create the context of sides, from their file or from lists of words."""
    if sides.file is not None:
        # this file has only scored documents, and the tokens made from texts
        return context_of_documents(sides.file, sides.reading, sides.mentions_behind())
    return Context() if words is None else Context(wording=Wording.of_words(words))


def context_of_documents(
    file: DocumentFile,
    choices: Mapping[str, Any] | None = None,
    behind: Sequence[Sequence[str]] = (),
    kept: np.ndarray | None = None,
) -> Context:
    """Create the context of a file of documents.

    Args:
        file: the file.
        choices: how its spans were converted to one unit, see `Paired`; by default they were not converted.
        behind: the mentions after the end of each document, see `Sides.mentions_behind`.
        kept: for a file of tags, whether each token is kept; None keeps all.
    """
    chosen = {"unit": "token" if file.in_tokens else "character", **(choices or {})}
    wording = _wording(file, str(chosen["unit"]), behind, plain=chosen.get("texts") == "line_ends")
    runs = None if any(behind) else _runs_of(file, str(chosen["unit"]))
    if kept is not None and not kept.all():
        wording = wording and replace(wording, units=wording.units.take(kept))
        runs = None if runs is None else runs.take(np.flatnonzero(kept))
    return Context(
        wording=wording,
        source=file.source,
        names=file.documents.ids,
        document_lines=file.document_lines,
        line_runs=runs,
    )


def _runs_of(file: DocumentFile, unit: str) -> LineRuns | None:
    """Return the lines of a file's tokens; None if spans are in characters, or in tokens that were made from texts."""
    runs, lengths = file.line_runs, file.lengths
    same = runs is not None and lengths is not None and int(lengths.sum()) == runs.size
    return runs if unit == "token" and same else None


def _wording(file: DocumentFile, unit: str, behind: Sequence[Sequence[str]], *, plain: bool) -> Wording | None:
    """Return the words or characters of the documents and of the mentions after their ends; None without words."""
    documents, texts = file.documents, file.documents.texts
    words: Sequence[Sequence[str]] | None = file.words
    if unit == "character":
        if texts is None and words is not None:
            texts, plain = tuple(joined(words)[0]), False
        if texts is None:
            return None
        rows = [plain_ends(text) for text in texts] if plain else texts
        return Wording.of_texts(
            [text + "".join(more) for text, more in zip(rows, behind, strict=True)] if any(behind) else rows
        )
    if words is None and texts is not None and documents.tokens is not None:
        return Wording.of_tokens(*_with_mentions(texts, documents.tokens, behind))
    if words is not None and any(behind):
        words = [[*row, *itertools.chain(*map(_words_of, more))] for row, more in zip(words, behind, strict=True)]
    return None if words is None else Wording.of_words(words)


def _with_mentions(
    texts: Sequence[str], tokens: Tokens, behind: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Tokens]:
    """Append mentions to texts, and their words to the tokens."""
    if not any(behind):
        return texts, tokens
    longer, bounds = list(texts), [tokens.bounds(document) for document in range(len(texts))]
    for document, mentions in enumerate(behind):
        for word in itertools.chain(*map(_words_of, mentions)):
            longer[document] += f" {word}"
            bounds[document].append((len(longer[document]) - len(word), len(longer[document])))
    return longer, Tokens.from_lists(bounds)


def _words_of(mention: str) -> list[str]:
    """Split a mention into words and punctuation; a mention without either is kept whole."""
    return [mention[first:last] for first, last in words_and_signs([mention]).bounds(0)] or [mention]
