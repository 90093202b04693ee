"""Files with QUAERO's inline markup."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ...documents.document_file import DocumentFile
from ...documents.layers import WordRows
from ...exceptions import InputError, require_choice, setting
from ...spans.entities import ENTITY_TYPES, Entity
from ..entities import entities_of
from ..formats import Format, register
from ..json.records import is_json_lines
from ..source import Source
from .markup import from_markup, to_markup

DOCUMENTS = ("lines", "blank", "file")
"""What can be a document in a file with markup."""

_CLOSING_TAG = re.compile(rb"</[A-Za-z][^\s<>]*>")
_ENTITY_END = re.compile(rb"</(?:" + "|".join(ENTITY_TYPES).encode() + rb")(?:[.+][\w.+-]*)?>")
# the tags of a leaf and the words between them on one line
_LEAF = re.compile(rb"<([A-Za-z][\w.+-]*)>[ \t]*[^\s<>][^<>\n]*</\1>")
# the end of a row with a tag in the last column
_TAG = re.compile(rb"(?:^|[ \t])(?:O|[BIESLUM]-\S+)\s*$")


def read_quaero(
    source: Source, *, documents: str = "lines", entity_types: Collection[str] = ENTITY_TYPES
) -> DocumentFile:
    """Read the entities and words of all documents, see `read_entities`."""
    require_choice("documents", documents, DOCUMENTS)
    words = WordRows()
    first_lines: list[int] = []

    def annotated() -> Iterator[list[Entity]]:
        for line, text in _texts(source, documents):
            try:
                annotation = from_markup(text, entity_types=entity_types, first_line=line)
            except InputError as error:
                if documents == "lines" and error.problem.endswith("is not closed."):
                    error.remedy += (
                        f" Each line is a document; to use blank lines, set {setting('documents', 'blank')}."
                    )
                raise error.placed(source=source.name) from None
            words.append(annotation.words)
            first_lines.append(line)
            yield annotation.entities

    entities = entities_of(annotated(), words.words)
    if not words:
        raise source.refuse("the file has no documents.", "Write text with markup, one sentence or turn a line.")
    return DocumentFile.in_words(
        source=source.name,
        format="quaero",
        document_lines=np.array(first_lines, dtype=np.int64),
        words=words.words(),
        entities=entities,
    )


def quaero_text(
    entities: Sequence[Sequence[Entity]],
    words: Sequence[Sequence[str]],
    documents: Sequence[str],
    *,
    entity_types: Collection[str] = ENTITY_TYPES,
) -> str:
    """Write documents with markup, one on each line, without their names; see `write_entities`."""
    lines = []
    for document, (of_words, of_entities) in enumerate(zip(words, entities, strict=True)):
        try:
            lines.append(to_markup(of_words, of_entities, entity_types=entity_types))
        except InputError as error:
            raise error.placed(document=document) from None
    text = "".join(f"{line}\n" for line in lines)
    # a reader removes the first byte order mark
    return f"\ufeff{text}" if text.startswith("\ufeff") else text


def _texts(source: Source, documents: str) -> Iterator[tuple[int, str]]:
    """Yield the text of each document with the number of its first line."""
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
                # kept, so that the next lines keep their numbers
                if pending:
                    pending.append(line)
                continue
            if pending:
                yield begun, "\n".join(pending)
                pending = []
    if pending:
        yield begun, "\n".join(pending)


def _allows(source: Source) -> bool:
    """Check whether there is a closing tag."""
    return not is_json_lines(source) and _CLOSING_TAG.search(source.head) is not None


def _shows(source: Source) -> bool:
    """Check whether there are entity tags, ignoring the word `</pers>` in a row that has a tag of a scheme."""
    leaves = (line for line in source.head.split(b"\n") if _LEAF.search(line))
    ended = _allows(source) and _ENTITY_END.search(source.head) is not None
    return ended and any(not _TAG.search(line) for line in leaves)


register(Format("quaero", "markup", _shows, read_quaero, allows=_allows, content="entities", write=quaero_text))
