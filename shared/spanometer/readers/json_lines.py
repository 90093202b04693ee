"""JSON lines: each line one document."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..spans.spans import Spans
from ..tags.tags import Tags, list_arrays
from .source import Source
from .tag_file import Codes, Column, SpanFile, TagFile

TAGS_KEY = "tags"
SPANS_KEY = "spans"
WORDS_KEYS = ("tokens", "words")


def read_json_lines(source: Source, columns: Sequence[Column], words: bool | int | str) -> TagFile:
    """Read lists of tags, or the named lists of objects; see `read`."""
    keys = [_key(source, column) for column in columns]
    wanted = [_Sequences(key) for key in keys]
    words_key = None if words is True or words is False else _key(source, words)
    of_words = None if words is False else _Sequences(words_key or WORDS_KEYS[0])
    lines = array("q")
    for first, block in source.blocks():
        for number, text in enumerate(block.split(b"\n"), first):
            if not text.strip():
                continue
            row = parse_line(source, text, number)
            lines.append(number)
            for key, sequences in zip(keys, wanted, strict=True):
                sequences.append(_tags_of(source, row, key, number), source, number)
            if of_words is not None:
                found = _words_of(source, row, words_key, number)
                if found is None:
                    of_words = None
                    continue
                of_words.append(found, source, number)
            _require_one_length(source, [*wanted, *([of_words] if of_words else [])], number)
    if not lines:
        raise source.refuse("the file has no documents.", "Write one JSON list of tags a line.")
    return TagFile(
        source.name,
        tuple(keys),
        tuple(sequences.encoded() for sequences in wanted),
        None if of_words is None else of_words.encoded(),
        None,
        np.frombuffer(lines, dtype=np.int64),
        None,
    )


def read_span_lines(source: Source, key: str) -> SpanFile:
    """Read lists of spans, and words where every line has them; see `read_spans`."""
    documents: list[list[Any]] = []
    words: list[list[Any]] | None = []
    lines = array("q")
    for first, block in source.blocks():
        for number, text in enumerate(block.split(b"\n"), first):
            if not text.strip():
                continue
            row = parse_line(source, text, number)
            documents.append(_spans_of(source, row, key, number))
            lines.append(number)
            found = _words_of(source, row, None, number)
            if found is None:
                words = None
            elif words is not None:
                words.append(found)
    if not lines:
        raise source.refuse("the file has no documents.", "Write one JSON object with a list of spans a line.")
    try:
        spans = Spans.from_dicts(documents, lengths=None if words is None else [len(document) for document in words])
    except InputError as error:
        if error.document is None:
            raise error.in_file(source.name) from None
        place = "" if error.span is None else f"span {error.span}: "
        raise source.refuse(f"{place}{error.problem}", error.remedy, lines[error.document]) from None
    return SpanFile(source.name, spans, words, np.frombuffer(lines, dtype=np.int64))


def _spans_of(source: Source, row: list[Any] | dict[str, Any], key: str, line: int) -> list[Any]:
    if isinstance(row, list):
        return row
    if key not in row:
        keys = ", ".join(map(repr, row)) or "none"
        raise source.refuse(f"the object has no {key!r}; its keys: {keys}.", "Name the key of the list of spans.", line)
    if not isinstance(row[key], list):
        raise source.refuse(f"{key!r} is a {_kind(row[key])}, not a list of spans.", "", line)
    return row[key]


class _Sequences:
    """Lists of strings, encoded as they come."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.codes = array("i")
        self.names = Codes()
        self.ends = array("q", [0])

    def append(self, row: list[Any], source: Source, line: int) -> None:
        """Encode one document, checked."""
        known = len(self.names)
        if not set(map(type, row)) <= {str}:
            raise _not_strings(row, source, line)
        self.codes.extend(map(self.names.__getitem__, row))
        if len(self.names) > known and not all(map(_is_text, list(self.names)[known:])):
            raise _not_strings(row, source, line)
        self.ends.append(len(self.codes))

    def last_length(self) -> int:
        """The length of the last document."""
        return self.ends[-1] - self.ends[-2]

    def encoded(self) -> Tags:
        """All documents as dictionary-encoded columns."""
        return Tags(
            np.frombuffer(self.codes, dtype=np.int32) if self.codes else np.zeros(0, dtype=np.int32),
            tuple(self.names),
            np.frombuffer(self.ends, dtype=np.int64),
        )


def _key(source: Source, column: Column) -> str:
    if column is None:
        return TAGS_KEY
    if isinstance(column, int) or column.lstrip("-").isdecimal():
        raise source.refuse(f"JSON lines have no column {column}.", "Name the key of the list of tags.")
    return column


def parse_line(source: Source, text: bytes, line: int, content: str = "tags") -> list[Any] | dict[str, Any]:
    """The list or object on a line; an `InputError` where there is none."""
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        raise source.refuse(
            f"this is not JSON ({error.msg}, character {error.colno}).",
            "Write each document as a JSON list, or an object, on a line of its own.",
            line,
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.refuse(f"this JSON cannot be read ({error}).", "", line) from None
    if not isinstance(row, (list, dict)):
        raise source.refuse(
            f"a {_kind(row)} is not a document.",
            f"Write a list of {content}, or an object with one, on each line.",
            line,
        )
    return row


def _tags_of(source: Source, row: list[Any] | dict[str, Any], key: str, line: int) -> list[Any]:
    if isinstance(row, list):
        if key != TAGS_KEY:
            raise source.refuse(f"this line is a list, so it has no {key!r}.", "Leave the column out.", line)
        return row
    if key not in row:
        keys = ", ".join(map(repr, row)) or "none"
        raise source.refuse(f"the object has no {key!r}; its keys: {keys}.", "Name the key of the list of tags.", line)
    if not isinstance(row[key], list):
        raise source.refuse(f"{key!r} is a {_kind(row[key])}, not a list of tags.", "", line)
    return row[key]


def _words_of(source: Source, row: list[Any] | dict[str, Any], words_key: str | None, line: int) -> list[Any] | None:
    """The words of a line; None where no key was named and the line has none."""
    if isinstance(row, dict):
        for key in WORDS_KEYS if words_key is None else (words_key,):
            if isinstance(row.get(key), list):
                return row[key]
    if words_key is None:
        return None
    raise source.refuse(f"there is no list of words {words_key!r}.", "Name the key of the list of words.", line)


def _require_one_length(source: Source, sequences: Sequence[_Sequences], line: int) -> None:
    first = sequences[0]
    for other in sequences[1:]:
        if other.last_length() != first.last_length():
            raise source.refuse(
                f"{first.key!r} has {first.last_length()} items, {other.key!r} has {other.last_length()}.",
                "All lists of a line must be of one length.",
                line,
            )


def _not_strings(row: list[Any], source: Source, line: int) -> InputError:
    """The core's error about the first item that is not a tag, said of the line."""
    try:
        list_arrays([row])
    except InputError as error:
        return source.refuse(f"token {error.position}: {error.problem}", error.remedy, line)
    return source.refuse("this line does not hold strings.", "", line)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: object) -> str:
    names = {dict: "JSON object", list: "list", str: "string", bool: "truth value", type(None): "null"}
    return names.get(type(value), "number")
