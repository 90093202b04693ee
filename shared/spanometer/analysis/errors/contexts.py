"""Where documents stand and what they say, for examples of errors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ...arrays import arrow_array, string_array
from ...documents.document_file import DocumentFile
from ...documents.places_in_files import LineRuns
from ...documents.sides import Sides
from ...exceptions import InputError, counted, plain_ends
from ...spans.documents import Tokens
from ...spans.spans import Spans
from ...spans.texts import joined
from ...spans.wording import Wording
from ...spans.words import words_and_signs

AROUND = {" ": 10, "": 80}
"""How many words, or characters, are shown on both sides of an example, by what stands between two."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """What documents say, and where they stand.

    Attributes:
        wording: their words or characters; None if these are not known.
        source: what the file of the reference is called; empty if there is none.
        names: the documents' names; None if they have none.
        document_lines: the line on which each document begins; None if there is no file.
        line_runs: where the tokens of all documents stand; None if a document is not one token a line.
    """

    wording: Wording | None = None
    source: str = ""
    names: Sequence[str] | None = None
    document_lines: np.ndarray | None = None
    line_runs: LineRuns | None = None

    def lines(self, document: np.ndarray, start: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
        """Look up the line of tokens of documents; None if there is no file."""
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
        """Find where parts of documents stand and what is around them, as far as it is known.

        Args:
            document: of each part.
            start, end: its bounds in tokens of its document.
            offsets: where the documents begin if their tokens are laid end to end.
            first: the token whose line is named; by default the first one of each part.

        Returns:
            Columns: `name` of the document, `line`, `before`, `text` and `after`.
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
        """Make the context; an `InputError` if it has other documents or lengths than the spans."""
        if self.wording is None:
            return self
        lengths = self.wording.lengths
        remedy = "Give one list of words for each document, one word for each token."
        if len(lengths) != references.documents:
            problem = f"words of {counted(len(lengths), 'document')}, {counted(references.documents, 'document')}."
            raise InputError(problem, remedy, option="words")
        if references.lengths is not None and (lengths != references.lengths).any():
            document = int(np.argmax(lengths != references.lengths))
            problem = (
                f"{counted(int(lengths[document]), 'word')}, {counted(int(references.lengths[document]), 'token')}."
            )
            raise InputError(problem, remedy, document=document, option="words")
        return self


def context_of_sides(sides: Sides, words: Any) -> Context:
    """Make the context of sides from their file as it was paired, or from the words of lists."""
    if sides.file is not None:
        # without documents that are not scored, with the tokens that were made
        return context_of_documents(sides.file, sides.reading, sides.mentions_behind())
    return Context() if words is None else Context(wording=Wording.of_words(words))


def context_of_tags(file: DocumentFile, kept: np.ndarray | None = None) -> Context:
    """Make the context of a file of tags whose words were read; of the flagged tokens alone, if some are left out."""
    lines, words = file.line_runs, file.words
    if kept is not None and not kept.all():
        lines, words = (
            (None if lines is None else lines.take(np.flatnonzero(kept))),
            (None if words is None else words.take(kept)),
        )
    return Context(
        wording=None if words is None else Wording.of_words(words),
        source=file.source,
        names=file.documents.ids,
        document_lines=file.document_lines,
        line_runs=lines,
    )


def context_of_documents(
    file: DocumentFile, choices: Mapping[str, Any] | None = None, behind: Sequence[Sequence[str]] = ()
) -> Context:
    """Make the context of a file of documents.

    Args:
        file: the file.
        choices: how its spans were brought into one unit, see `Paired`; by default they are as the file has them.
        behind: of each document what stands behind its end, see `Sides.mentions_behind`.
    """
    chosen = {"unit": "token" if file.in_tokens else "character", **(choices or {})}
    return Context(
        wording=_wording(file, str(chosen["unit"]), behind, plain=chosen.get("texts") == "line_ends"),
        source=file.source,
        names=file.documents.ids,
        document_lines=file.document_lines,
        line_runs=None if any(behind) else _runs_of(file, str(chosen["unit"])),
    )


def _runs_of(file: DocumentFile, unit: str) -> LineRuns | None:
    """Look up where the tokens of a file stand; None if its spans are in characters, or in tokens made of its texts."""
    runs, lengths = file.line_runs, file.lengths
    same = runs is not None and lengths is not None and int(lengths.sum()) == runs.size
    return runs if unit == "token" and same else None


def _wording(file: DocumentFile, unit: str, behind: Sequence[Sequence[str]], *, plain: bool) -> Wording | None:
    """Collect the words or characters of the documents, if the file has them, and of the mentions behind them."""
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
    """Add mentions behind texts, and their words behind the tokens."""
    if not any(behind):
        return texts, tokens
    longer, bounds = list(texts), [tokens.bounds(document) for document in range(len(texts))]
    for document, mentions in enumerate(behind):
        for word in itertools.chain(*map(_words_of, mentions)):
            longer[document] += f" {word}"
            bounds[document].append((len(longer[document]) - len(word), len(longer[document])))
    return longer, Tokens.from_lists(bounds)


def _words_of(mention: str) -> list[str]:
    """Split a mention that has no place into words and signs; a mention without any stays whole."""
    return [mention[first:last] for first, last in words_and_signs([mention]).bounds(0)] or [mention]
