"""Rows of JSON lines, of a JSON array or of Parquet, and fields that JSON formats have in common."""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import is_utf8
from ..source import BYTE_ORDER_MARK, PARQUET, Source
from .values import DECODER, first_value, is_array, items, not_json, parquet_rows

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
    called = source.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    if called and (not line or _DAMAGED.match(line)):
        return True
    if not called and not line.startswith((b"[", b"{")):
        return False
    if line.startswith((b"[", b"{")) and len(line) >= _LONG_LINE:
        # the line is longer than the head; rows of columns are never this long
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


Row = tuple[int, str, Any]
"""The first line of a document, another name for its place (`item 3`; empty in JSON lines), and its value."""


def rows(source: Source, content: str, *, collections: bool = False) -> Iterator[Row]:
    """Yield the list or object of each line, of each item of an array, or of each row of Parquet.

    If `collections` is True, an object can have many documents, so the size of one JSON text is not limited.

    Raises:
        InputError: if JSON is invalid, if a value is no list or object, or if there is no document. The error names the
            line.
    """
    empty = True
    for line, place, row in _values(source, collections):
        empty = False
        if not isinstance(row, (list, dict)):
            raise source.refuse(
                f"this is a {_kind(row)}, not a document.",
                f"Write a list of {content}, or an object with such a list, on each line.",
                line,
            )
        yield line, place, row
    if empty:
        raise source.refuse("the file has no documents.", f"Write one JSON list of {content} on each line.")


def _values(source: Source, collections: bool) -> Iterator[tuple[int, str, Any]]:
    if source.binary == PARQUET:
        yield from ((number, "", row) for number, row in parquet_rows(source))
    elif is_array(source, cut=collections):
        of_array = source.first_line().startswith(b"[")
        for number, (line, value) in enumerate(items(source, limited=not collections)):
            yield line, f"item {number}" if of_array else "", value
    else:
        yield from _lines_of(source)


def _lines_of(source: Source) -> Iterator[tuple[int, str, Any]]:
    empty, size = True, 0
    for first, block in source.blocks():
        size += len(block)
        if empty:
            source.require_begun(size - len(block), first)
        if block.isspace():
            continue
        for number, line in enumerate(block.decode().split("\n"), first):
            if text := line.rstrip(_BLANKS):
                empty = False
                yield number, "", _parsed(source, text, number)


def list_in(
    source: Source,
    row: list[Any] | dict[str, Any],
    keys: Sequence[str],
    line: int,
    content: str,
    remedy: str = "",
    *,
    place: str = "",
) -> list[Any]:
    """Return the list of a document: the row itself, or its value under the first of these keys."""
    if isinstance(row, list):
        return row
    key = next((key for key in keys if key in row), None)
    value = None if key is None else row[key]
    if isinstance(value, list):
        return value
    wanted = " or ".join(map(repr, keys))
    raise source.refuse(
        f"{place or 'the object'} has no {wanted}; its keys are {keys_of(row)}."
        if key is None
        else f"{place and place + ': '}{key!r} is a {_kind(value)}, not a list of {content}.",
        remedy or f"Write a list of {content}, or an object with the list under {wanted}, on each line.",
        line,
    )


def keys_of(row: dict[str, Any]) -> str:
    """List the keys of an object, for messages."""
    return ", ".join(map(repr, row))[:300] or "none"


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


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "number")


def is_object(value: Any, *keys: str) -> bool:
    """Check whether a value is an object with all of these keys."""
    return isinstance(value, dict) and all(key in value for key in keys)


def value_in(part: Any, key: str) -> Any:
    """Return the value of a key; None if the key is missing or `part` is not an object."""
    return part.get(key) if isinstance(part, dict) else None


def spans_in(
    source: Source, spans: Any, line: int, remedy: str, keys: Sequence[str] = ("start", "end", "label")
) -> list[tuple[Any, ...]]:
    """Return the boundaries and labels of spans, which must be objects with these keys.

    Raise an `InputError` for others.
    """
    if not isinstance(spans, list) or not all(is_object(span, *keys) for span in spans):
        start, end, label = map(repr, keys)
        raise source.refuse(f"a span lacks {start}, {end} or {label}.", remedy, line)
    return [tuple(span[key] for key in keys) for span in spans]


def token_bounds(source: Source, tokens: Any, line: int, remedy: str) -> list[tuple[int, int]] | None:
    """Return the boundaries of tokens that are objects; raise an `InputError` for other tokens."""
    if tokens is None:
        return None
    if not isinstance(tokens, list) or not all(
        is_object(token, "start", "end") and type(token["start"]) is type(token["end"]) is int for token in tokens
    ):
        raise source.refuse("a token lacks 'start' or 'end'.", remedy, line)
    # blanks between sentences may be empty tokens
    return [(token["start"], token["end"]) for token in tokens if token["end"] > token["start"]]


def number_or_text(name: str) -> int | str:
    """Convert a name to a number if it is one, because tools number their documents."""
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def first_object(source: Source) -> dict[str, Any]:
    """Return the first object of a file, or of nested lists; an empty object if there is none."""
    value = first_value(source)
    while isinstance(value, list) and value:
        value = value[0]
    if value == []:
        # a system without spans in the first texts
        text = source.head.decode(errors="replace")
        with contextlib.suppress(ValueError, RecursionError):
            value = json.JSONDecoder().raw_decode(text, _end_of_brackets(text, 0))[0]
    return value if isinstance(value, dict) else {}


def first_filled(source: Source, *keys: str) -> dict[str, Any]:
    """Return the first object at the beginning of a file that has a value other than [] under one of these keys.

    If there is none, return the first object.
    """
    first = first_object(source)
    if any(first.get(key) for key in keys) or not any(first.get(key) == [] for key in keys):
        return first
    text, place = source.head.decode(errors="replace"), 0
    decoder = json.JSONDecoder()
    # the end of the head may cut an object
    with contextlib.suppress(ValueError, RecursionError):
        while True:
            row, place = decoder.raw_decode(text, _end_of_brackets(text, place))
            if isinstance(row, dict) and any(row.get(key) for key in keys):
                return row
    return first


def _end_of_brackets(text: str, place: int) -> int:
    between = _BETWEEN.match(text, place)
    return place if between is None else between.end()
