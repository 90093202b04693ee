"""What JSON of all contents has in common: the rows of its lines, its array or its table, and what is read of them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...documents.words import WordRows
from ...exceptions import InputError, clause_for, setting
from ..source import BYTE_ORDER_MARK, PARQUET, Source
from .parquet_rows import parquet_rows
from .values import DECODER, first_value, is_array, items

MARK = "JSON lines"
JSON_ARRAY = "one JSON text"
TAGS_KEY = "tags"
WORDS_KEYS = ("tokens", "words")

_COLUMN = setting("column")
KEY_REMEDY = "".join(
    [
        "Name the key of the list of tags",
        clause_for("column", f" with {_COLUMN}, or that of lists of spans with {setting('spans_key')}"),
        ".",
    ]
)
_OF_SPANS = f" of spans (objects with start, end and label) with {setting('spans_key')}, or that of a list"
SPANS_REMEDY = (
    f"Name the key of the list{clause_for('spans_key', _OF_SPANS)} of tags{clause_for('column', f' with {_COLUMN}')}."
)
_LONG_LINE = 100_000
_DAMAGED = re.compile(rb"""[{\[](\S|\s*["\d{}\[\]]|\s*$)|"[^\t]*$""")
_MARK = BYTE_ORDER_MARK.decode()
_BLANKS = " \t\r\v\f"
_KINDS = {dict: "JSON object", list: "list", str: "string", bool: "truth value", type(None): "null"}

_BETWEEN = re.compile(r"[\s,\[\]]*")
"""What stands between the objects of JSON lines, or of an array."""


def is_json_lines(source: Source) -> bool:
    """Check whether a file has rows as JSON lines: its first line or all of it is JSON, or it is Parquet.

    Of a file that is called so, damaged lines are JSON too.
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
        # it may go on after the head; no row of columns is that long
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


Row = tuple[int, str, Any]
"""The line on which a document begins, what else to call its place (`item 3`; empty in JSON lines), and its value."""


def rows(source: Source, content: str, *inside: str) -> Iterator[Row]:
    """Yield the list or object of each line that is not blank, of each item of one array, or of each row of Parquet.

    With keys `inside`, the items of the lists that the objects of one JSON text have under them, see `items`.

    Raises:
        InputError: for what is not JSON, or of another kind, and if there is no document; it names the line.
    """
    empty = True
    for line, place, row in _values(source, inside):
        empty = False
        if not isinstance(row, (list, dict)):
            raise source.refuse(
                f"a {_kind(row)} is not a document.",
                f"Write a list of {content}, or an object with one, on each line.",
                line,
            )
        yield line, place, row
    if empty:
        raise source.refuse("the file has no documents.", f"Write one JSON list of {content} a line.")


def _values(source: Source, inside: Sequence[str]) -> Iterator[tuple[int, str, Any]]:
    if source.binary == PARQUET:
        yield from ((number, "", row) for number, row in parquet_rows(source))
    elif is_array(source, cut=bool(inside)):
        of_array = source.first_line().startswith(b"[")
        for number, (line, value) in enumerate(items(source, *inside)):
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
    """Take the list of a document: the row itself, or an object's value under the first of these keys that it has."""
    if isinstance(row, list):
        return row
    key = next((key for key in keys if key in row), None)
    value = None if key is None else row[key]
    if isinstance(value, list):
        return value
    wanted = " or ".join(map(repr, keys))
    raise source.refuse(
        f"{place or 'the object'} has no {wanted}; its keys: {keys_of(row)}."
        if key is None
        else f"{place and place + ': '}{key!r} is a {_kind(value)}, not a list of {content}.",
        remedy or f"Write a list of {content}, or an object with one under {wanted}, on each line.",
        line,
    )


def keys_of(row: dict[str, Any]) -> str:
    """List the keys of an object for a message."""
    return ", ".join(map(repr, row))[:300] or "none"


def are_words(tokens: Any) -> bool:
    """Tell a list of strings."""
    return isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)


def are_bounds(tokens: Any) -> bool:
    """Tell a list of pairs of integers."""
    return isinstance(tokens, list) and all(
        isinstance(token, list) and len(token) == 2 and all(type(bound) is int for bound in token) for token in tokens
    )


def words_in(source: Source, row: list[Any] | dict[str, Any], words_key: str | None, line: int) -> list[str] | None:
    """Read the words of a line; None if no key was named and the line has no list of strings under the usual ones."""
    for key in WORDS_KEYS if words_key is None else (words_key,):
        words = row.get(key) if isinstance(row, dict) else None
        if are_words(words) or (words_key is not None and isinstance(words, list)):
            return words
    if words_key is None:
        return None
    raise source.refuse(f"the line has no list of words {words_key!r}.", "Name the key of the list of words.", line)


def add_words(words: WordRows, row: Sequence[str] | None, source: Source, line: int, *, first: bool) -> None:
    """Add the words of a line, if it has any; an `InputError` if only some lines have."""
    if not first and (row is None) == bool(len(words)):
        raise some_words(source, line)
    if row is not None:
        add_row(words, row, source, line)


def some_words(source: Source, line: int) -> InputError:
    """Make the error about lines where only some have words."""
    return source.refuse("some lines have words, others have none.", "Give 'tokens' on every line or on none.", line)


def add_row(rows: WordRows, row: Sequence[str], source: Source, line: int) -> None:
    """Add the words, or tags, of a line; an `InputError` that names it for what is no string."""
    try:
        rows.append(row)
    except InputError as error:
        raise error.in_file(source.name, line, error.position) from None


def located(error: InputError, source: Source, lines: Sequence[int]) -> InputError:
    """Place an error about a document at its line; leave one that has a place in the file."""
    if error.source is not None:
        return error
    line = None if error.document is None else lines[error.document]
    return error.placed(document=None, position=None, source=source.name, line=line)


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        end = 0
        if text[0] in "{[":
            row, end = DECODER.raw_decode(text)
        if end < len(text):
            # blanks before it, or more after it; files that were joined have marks within
            row = DECODER.decode(text.removeprefix(_MARK))
    except InputError as error:
        raise error.in_file(source.name, line) from None
    except json.JSONDecodeError as error:
        raise source.refuse(
            f"this is not JSON ({error.msg}, character {error.colno}).",
            "Write each document as a JSON list, or an object, on a line of its own.",
            line,
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.refuse(f"this JSON cannot be read ({error}).", "", line) from None
    return row


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "number")


def is_object(value: Any, *keys: str) -> bool:
    """Check whether a value is an object with all of these keys."""
    return isinstance(value, dict) and all(key in value for key in keys)


def spans_in(
    source: Source, spans: Any, line: int, remedy: str, keys: Sequence[str] = ("start", "end", "label")
) -> list[tuple[Any, ...]]:
    """Read the bounds and the labels of spans that are objects with these keys; an `InputError` for other spans."""
    if not isinstance(spans, list) or not all(is_object(span, *keys) for span in spans):
        start, end, label = map(repr, keys)
        raise source.refuse(f"a span has no {start}, {end} and {label}.", remedy, line)
    return [tuple(span[key] for key in keys) for span in spans]


def token_bounds(source: Source, tokens: Any, line: int, remedy: str) -> list[tuple[int, int]] | None:
    """Read the bounds of tokens that are objects, if there are any; an `InputError` for other tokens."""
    if tokens is None:
        return None
    if not isinstance(tokens, list) or not all(
        is_object(token, "start", "end") and type(token["start"]) is type(token["end"]) is int for token in tokens
    ):
        raise source.refuse("a token has no 'start' and 'end'.", remedy, line)
    # blanks between sentences may be tokens without a character
    return [(token["start"], token["end"]) for token in tokens if token["end"] > token["start"]]


def number_or_text(name: str) -> int | str:
    """Make a number of a name that is written as one, as tools number their documents."""
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def first_object(source: Source) -> dict[str, Any]:
    """Find the first object of a file, or of the lists that it has; an empty one if there is none."""
    value = first_value(source)
    while isinstance(value, list) and value:
        value = value[0]
    if value == []:
        # a system that found nothing in the first texts
        text = source.head.decode(errors="replace")
        with contextlib.suppress(ValueError, RecursionError):
            value = json.JSONDecoder().raw_decode(text, _end_of_brackets(text, 0))[0]
    return value if isinstance(value, dict) else {}


def first_filled(source: Source, *keys: str) -> dict[str, Any]:
    """Find the first object in the head of a file that has something under one of some keys.

    The first object, if none has, or if that one has none of the keys as an empty list.
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
