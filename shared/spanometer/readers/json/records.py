"""Rows of JSON lines, of a JSON array or of Parquet, and fields that JSON formats have in common."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, repeat
from typing import Any

from ...arrays import is_utf8
from ...documents.layers import Record, RecordBatch
from ...exceptions import InputError, all_of
from ..source import BYTE_ORDER_MARK, PARQUET, Source, numbered_lines
from .values import DECODER, decoded, first_value, is_array, items, not_json, parquet_rows

TAGS_KEY = "tags"
WORDS_KEYS = ("tokens", "words")

_LONG_LINE = 100_000
_DAMAGED = re.compile(rb"""[{\[](\S|\s*["\d{}\[\]]|\s*$)|"[^\t]*$""")
_MARK = BYTE_ORDER_MARK.decode()
_BLANKS = " \t\r\v\f"
_KINDS = {dict: "JSON object", list: "list", str: "string", bool: "truth value", type(None): "null"}

_BETWEEN = re.compile(r"[\s,\[\]]*")
"""The characters between the objects of JSON lines or of an array."""


def is_json_lines(source: Source) -> bool:
    """Check whether a file has JSON rows: its first line or the whole text is JSON, or it is a Parquet file.

    If the file is named `.jsonl` or `.ndjson`, the first line may also be invalid JSON.
    """
    if source.binary == PARQUET or is_array(source):
        return True
    line = source.first_line()
    begins = line.startswith((b"[", b"{"))
    if source.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        if not line or _DAMAGED.match(line):
            return True
    elif not begins:
        return False
    if begins and len(line) >= _LONG_LINE:
        # the line is longer than the head; rows of columns are never this long
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(slots=True)
class Row:
    """The JSON value of a document.

    Attributes:
        source: the file.
        line: the first line.
        place: another name for the place, such as `item 3`; empty in JSON lines.
        value: a list or an object.
    """

    source: Source
    line: int
    place: str
    value: Any

    @property
    def where(self) -> str:
        """The place, or the line."""
        return self.place or f"line {self.line}"

    def get(self, *keys: str) -> Any:
        """Return the first value under these keys that is not null; None if there is none, or for a list."""
        if isinstance(self.value, dict):
            for key in keys:
                if (value := self.value.get(key)) is not None:
                    return value
        return None

    def text(self, *keys: str) -> str | None:
        """Return the first string under these keys; None if there is none."""
        return next((value for value in map(self.get, keys) if isinstance(value, str)), None)

    def record(self, **layers: Any) -> Record:
        """Create a record at this place."""
        return Record(line=self.line, place=self.place, **layers)

    def refuse(self, problem: str, remedy: str) -> InputError:
        """Create an error about this row."""
        return self.source.refuse(problem, remedy, self.line)

    def list_under(self, keys: Sequence[str], content: str, remedy: str = "") -> list[Any]:
        """Return the list of a document: the row itself, or its value under the first of these keys."""
        if isinstance(self.value, list):
            return self.value
        wanted = " or ".join(map(repr, keys))
        remedy = remedy or f"On each line, write a list of {content}, or an object with the list under {wanted}."
        key = next((key for key in keys if key in self.value), None)
        if key is None:
            raise self.refuse(f"{self.place or 'the object'} has no {wanted}; {self.key_names}.", remedy)
        values = self.value[key]
        if isinstance(values, list):
            return values
        place = f"{self.place}: " if self.place else ""
        raise self.refuse(f"{place}{key!r} is a {_kind(values)}, not a list of {content}.", remedy)

    @property
    def key_names(self) -> str:
        """The keys of an object, for messages."""
        return all_of("key", self.value)[:300]

    def spans(self, spans: Any, remedy: str, keys: Sequence[str] = ("start", "end", "label")) -> list[tuple[Any, ...]]:
        """Return the boundaries and labels of spans; raise an `InputError` unless they are objects with these keys."""
        if not isinstance(spans, list) or not all(is_object(span, *keys) for span in spans):
            start, end, label = map(repr, keys)
            raise self.refuse(f"a span lacks {start}, {end} or {label}.", remedy)
        return [tuple(span[key] for key in keys) for span in spans]

    def token_bounds(self, remedy: str) -> list[tuple[int, int]] | None:
        """Return the boundaries of the `tokens`, which must be objects; None if there are none."""
        tokens = self.get("tokens")
        if tokens is None:
            return None
        if not isinstance(tokens, list) or not all(
            is_object(token, "start", "end") and type(token["start"]) is type(token["end"]) is int for token in tokens
        ):
            raise self.refuse("a token lacks 'start' or 'end'.", remedy)
        # blanks between sentences may be empty tokens
        return [(token["start"], token["end"]) for token in tokens if token["end"] > token["start"]]


def values_of(some: Sequence[Row], key: str) -> list[Any]:
    """Return the value of each row under a key, see `Row.get`."""
    return [row.value.get(key) if isinstance(row.value, dict) else None for row in some]


def batch_of(some: Sequence[Row], lists: Sequence[Sequence[Any]], spans: Sequence[Any], **layers: Any) -> RecordBatch:
    """Create records with these spans, which come from one list for each row."""
    lines, places = [row.line for row in some], [row.place for row in some]
    return RecordBatch(lines, places, list(map(len, lists)), spans, id=values_of(some, "id"), **layers)


def rows(source: Source, content: str, *, collections: bool = False) -> Iterator[Row]:
    """Yield the rows one by one, see `row_batches`."""
    return chain.from_iterable(row_batches(source, content, collections=collections))


def row_batches(source: Source, content: str, *, collections: bool = False) -> Iterator[list[Row]]:
    """Yield the lists or objects of the lines, of the items of an array, or of the rows of Parquet, some at a time.

    If `collections` is True, an object can have many documents, so the size of one JSON text is not limited.

    Raises:
        InputError: if JSON is invalid, if a value is no list or object, or if there is no document. The error names the
            line.
    """
    empty = True
    for some in _row_batches(source, collections):
        if {type(row.value) for row in some} - {list, dict}:
            odd = next(number for number, row in enumerate(some) if not isinstance(row.value, (list, dict)))
            if odd:
                yield some[:odd]
            problem = f"this is a {_kind(some[odd].value)}, not a document."
            raise some[odd].refuse(problem, f"On each line, write a list of {content}, or an object with such a list.")
        if some:
            yield some
            empty = False
    if empty:
        raise source.refuse("the file has no documents.", f"Write one JSON list of {content} on each line.")


def _row_batches(source: Source, collections: bool) -> Iterator[list[Row]]:
    if source.binary == PARQUET:
        for first, objects in parquet_rows(source):
            yield list(map(Row, repeat(source), count(first), repeat(""), objects))
    elif is_array(source, cut=collections):
        place = "item {}" if source.first_line().startswith(b"[") else ""
        numbers = count()
        for lines, values in items(source, limited=not collections):
            yield list(map(Row, repeat(source), lines, map(place.format, numbers), values))
    else:
        for first, block in source.parts():
            decoded_lines = decoded(block.split(b"\n")[:-1], block)
            if decoded_lines is not None:
                yield list(map(Row, repeat(source), count(first), repeat(""), decoded_lines))
                continue
            some = list[Row]()
            try:
                for line, text in numbered_lines(first, source.text_of(block, first)):
                    if text := text.rstrip(_BLANKS):
                        some.append(Row(source, line, "", _parsed(source, text, line)))
            finally:
                # an error is raised after the rows before it
                yield some


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        end = 0
        if text[0] in "{[":
            row, end = DECODER.raw_decode(text)
        if end < len(text):
            # blanks before the value, or text after it; joined files have byte order marks inside
            row = DECODER.decode(text.removeprefix(_MARK))
    except (ValueError, RecursionError) as error:
        remedy = "Write each document as a JSON list, or an object, on a line of its own."
        raise not_json(source, error, line, remedy) from None
    return row


def are_words(tokens: Any) -> bool:
    """Check whether a value is a list of strings."""
    return isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)


def is_text(value: Any) -> bool:
    """Check whether a value is a string that can be stored as UTF-8."""
    return isinstance(value, str) and is_utf8(value)


def are_bounds(tokens: Any) -> bool:
    """Check whether a value is a list of pairs of integers."""
    return isinstance(tokens, list) and all(
        isinstance(token, list) and len(token) == 2 and all(type(bound) is int for bound in token) for token in tokens
    )


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "number")


def is_object(value: Any, *keys: str) -> bool:
    """Check whether a value is an object with all of these keys."""
    return isinstance(value, dict) and all(map(value.__contains__, keys))


def is_span(value: Any) -> bool:
    """Check whether a value is a list of a start, an end and a label."""
    return isinstance(value, list) and len(value) == 3


def value_in(part: Any, key: str) -> Any:
    """Return the value of a key; None if the key is missing or `part` is not an object."""
    return part.get(key) if isinstance(part, dict) else None


def json_line(row: Mapping[str, Any]) -> str:
    """Write an object as a line."""
    return f"{json.dumps(row, ensure_ascii=False)}\n"


def number_or_text(name: str) -> int | str:
    """Convert a name to a number if it is one, because tools number their documents."""
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def first_object(source: Source, *keys: str) -> dict[str, Any]:
    """Return the first object of a file, or of nested lists; an empty object if there is none.

    If the first object has the value [] under one of these keys, and no other value under any of them, return the first
    object at the beginning of the file that has such a value, if there is one.
    """
    value = first_value(source)
    while isinstance(value, list) and value:
        value = value[0]
    first = value if isinstance(value, dict) else {}
    empty = any(first.get(key) == [] for key in keys) and not any(first.get(key) for key in keys)
    if value != [] and not empty:
        return first
    # after [], the answer of a system without spans in the first texts, comes the first object
    text, place, decoder = source.head.decode(errors="replace"), 0, json.JSONDecoder()
    # the end of the head may cut an object
    with contextlib.suppress(ValueError, RecursionError):
        while True:
            row, place = decoder.raw_decode(text, next(_BETWEEN.finditer(text, place)).end())
            first = first or (row if isinstance(row, dict) else {})
            if isinstance(row, dict) and (not keys or any(map(row.get, keys))):
                return row
    return first
