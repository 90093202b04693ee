"""JSON lines with entity trees, one document on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...documents.document_file import DocumentFile
from ...documents.layers import WordRows
from ...exceptions import InputError
from ...spans.entities import Entity
from ..entities import entities_of, is_text
from ..formats import Format, register
from ..source import Source
from .records import MARK, add_row, first_filled, is_json_lines, is_object, list_in, located, rows, some_words


def read_entity_lines(source: Source) -> DocumentFile:
    """Read lists of entities, or objects with the lists `entities` and `tokens`, see `read_entities`."""
    names: list[str] = []
    words = WordRows()
    lines: list[int] = []

    def documents() -> Iterator[list[Any]]:
        for line, _, row in rows(source, "entities"):
            tokens, name = (row.get("tokens"), row.get("id")) if isinstance(row, dict) else (None, None)
            if tokens is not None and (not isinstance(tokens, list) or not all(map(is_text, tokens))):
                raise source.refuse("'tokens' is not a list of strings.", "Write words as JSON strings.", line)
            if lines and (tokens is None) == bool(len(words)):
                raise some_words(source, line)
            if tokens is not None:
                add_row(words, tokens, source, line)
            names.append(str(len(names) if name is None else name))
            lines.append(line)
            yield list_in(source, row, ("entities",), line, "entities")

    try:
        entities = entities_of(documents(), lambda: words.words() if len(words) else None)
    except InputError as error:
        raise located(error, source, lines) from None
    return DocumentFile.in_words(
        source=source.name,
        format="jsonl",
        ids=names,
        document_lines=np.array(lines, dtype=np.int64),
        words=words.words() if len(words) else None,
        entities=entities,
    )


def entity_lines_text(
    entities: Sequence[Sequence[Entity]], words: Sequence[Sequence[str]] | None, documents: Sequence[str]
) -> str:
    """Write documents as JSON lines, see `write_entities`."""
    lines = []
    for index, of_document in enumerate(entities):
        tokens = {} if words is None else {"tokens": list(words[index])}
        row = {"id": documents[index], **tokens, "entities": list(of_document)}
        lines.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _shows(source: Source) -> bool:
    row = first_filled(source, "entities")
    entities = row.get("entities", [row])
    return isinstance(entities, list) and bool(entities) and is_object(entities[0], "start", "end", "types")


register(
    Format(
        "jsonl",
        MARK,
        _shows,
        read_entity_lines,
        allows=is_json_lines,
        content="entities",
        write=entity_lines_text,
        needs_words=False,
    )
)
