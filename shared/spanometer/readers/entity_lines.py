"""JSON lines of entity trees: each line one document."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..spans.entities import Entities
from ..spans.markup import Entity
from .entity_file import EntityFile
from .json_lines import parse_line
from .source import Source

_REMEDY = "Write a list of entities, or an object with one under 'entities', on each line."


def read_entity_lines(source: Source) -> EntityFile:
    """Read lists of entities, or the lists `entities` and `tokens` of objects; see `read_entities`."""
    names: list[str] = []
    entities: list[list[Any]] = []
    words: list[list[str]] = []
    lines = array("q")
    for first, block in source.blocks():
        for number, text in enumerate(block.split(b"\n"), first):
            if not text.strip():
                continue
            row = parse_line(source, text, number, "entities")
            tokens = row.get("tokens") if isinstance(row, dict) else None
            if (tokens is None) != (not words) and lines:
                raise source.refuse(
                    "some lines have tokens, others have none.", "Give 'tokens' on every line or on none.", number
                )
            if tokens is not None:
                words.append(_tokens(source, tokens, number))
            entities.append(_list(source, row, number))
            name = row.get("id") if isinstance(row, dict) else None
            names.append(str(len(names) if name is None else name))
            lines.append(number)
    if not lines:
        raise source.refuse("the file has no documents.", "Write one JSON list of entities a line.")
    return EntityFile(
        source.name,
        "jsonl",
        tuple(names),
        _checked(source, entities, words, lines),
        words or None,
        np.frombuffer(lines, dtype=np.int64),
    )


def entity_lines_text(
    words: Sequence[Sequence[str]] | None, entities: Sequence[Sequence[Entity]], documents: Sequence[str]
) -> str:
    """Documents as JSON lines; see `write_entities`."""
    lines = []
    for index, of_document in enumerate(entities):
        tokens = {} if words is None else {"tokens": list(words[index])}
        row = {"id": documents[index], **tokens, "entities": list(of_document)}
        lines.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _checked(
    source: Source, entities: list[list[Any]], words: list[list[str]], lines: Sequence[int]
) -> list[list[Entity]]:
    """The entities in order and without duplicates; errors are said of the line."""
    lengths = list(map(len, words)) if words else None
    try:
        rows = Entities.from_dicts(entities, lengths=lengths).to_dicts()
    except InputError as error:
        line = None if error.document is None else lines[error.document]
        raise InputError(error.problem, error.remedy, span=error.span, source=source.name, line=line) from None
    for row in rows:
        row.sort(key=lambda entity: (entity["start"], -entity["end"]))
    return rows


def _list(source: Source, row: list[Any] | dict[str, Any], line: int) -> list[Any]:
    if isinstance(row, list):
        return row
    found = row.get("entities")
    if isinstance(found, list):
        return found
    keys = ", ".join(map(repr, row)) or "none"
    raise source.refuse(f"the object has no list 'entities'; its keys: {keys[:300]}.", _REMEDY, line)


def _tokens(source: Source, tokens: Any, line: int) -> list[str]:
    if not isinstance(tokens, list) or not all(is_text(token) for token in tokens):
        raise source.refuse("'tokens' is not a list of strings.", "Write the words as JSON strings.", line)
    return tokens


def is_text(value: Any) -> bool:
    """Whether a value is a string that can be stored as UTF-8."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
