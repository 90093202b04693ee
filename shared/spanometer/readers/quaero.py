"""Files with QUAERO's inline markup."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ..errors import InputError, require_choice
from ..spans.markup import Entity, from_markup, to_markup
from .entity_file import EntityFile
from .source import Source

DOCUMENTS = ("lines", "blank", "file")
"""What makes a document of a file with markup."""


def read_quaero(source: Source, documents: str, entity_types: Collection[str]) -> EntityFile:
    """Read the entities and words of all documents; see `read_entities`."""
    require_choice("documents", documents, DOCUMENTS)
    words: list[list[str]] = []
    entities: list[list[Entity]] = []
    first_lines = array("q")
    for line, text in _texts(source, documents):
        try:
            annotation = from_markup(text, entity_types=entity_types, first_line=line)
        except InputError as error:
            raise _located(error, source, documents) from None
        words.append(annotation.words)
        entities.append(annotation.entities)
        first_lines.append(line)
    if not words:
        raise source.refuse("the file has no documents.", "Write text with markup, one sentence or turn a line.")
    return EntityFile(
        source.name,
        "quaero",
        tuple(map(str, range(len(words)))),
        entities,
        words,
        np.frombuffer(first_lines, dtype=np.int64),
    )


def quaero_text(words: Sequence[Sequence[str]], entities: Sequence[Sequence[Entity]], types: Collection[str]) -> str:
    """Documents with markup, one a line; see `write_entities`."""
    lines = []
    for document, (of_words, of_entities) in enumerate(zip(words, entities, strict=True)):
        if not of_words:
            raise InputError(
                "the document has no words.", "A line of markup needs one; leave it out.", document=document
            )
        try:
            lines.append(to_markup(of_words, of_entities, entity_types=types))
        except InputError as error:
            raise InputError(error.problem, error.remedy, document=document, position=error.position) from None
    text = "".join(f"{line}\n" for line in lines)
    # a reader takes the first one for a byte order mark
    return f"\ufeff{text}" if text.startswith("\ufeff") else text


def _texts(source: Source, documents: str) -> Iterator[tuple[int, str]]:
    """The text of each document with the number of its first line."""
    pending: list[str] = []
    begun = 1
    for first, block in source.blocks():
        for number, line in enumerate(block.decode().removesuffix("\n").split("\n"), first):
            if line.strip(" \t\r"):
                if not pending:
                    begun = number
                pending.append(line)
                if documents != "lines":
                    continue
            elif documents == "file":
                # kept, or the lines behind it would be misnumbered
                if pending:
                    pending.append(line)
                continue
            if pending:
                yield begun, "\n".join(pending)
                pending = []
    if pending:
        yield begun, "\n".join(pending)


def _located(error: InputError, source: Source, documents: str) -> InputError:
    """The error said of the file."""
    if error.line is None:
        return error.in_file(source.name)
    located = error.in_file(source.name, error.line, column=error.column)
    if documents == "lines" and error.problem.endswith("is not closed."):
        remedy = f"{error.remedy} Each line is a document; documents='blank' has blank lines between them."
        return InputError(error.problem, remedy, source=source.name, line=error.line, column=error.column)
    return located
