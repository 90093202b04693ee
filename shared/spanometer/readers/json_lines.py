"""JSON lines, each line one document: files of tags, and what JSON lines of all contents have in common."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import is_integer, is_number
from ..errors import InputError, setting, where_known
from .formats import Evidence, Format, register
from .json_values import DECODER, is_array, items
from .parquet_rows import parquet_rows
from .source import BYTE_ORDER_MARK, PARQUET, Source
from .tag_file import Column, TagFile
from .words import WordRows

MARK = "JSON lines"
JSON_ARRAY = "one JSON text"
TAGS_KEY = "tags"
WORDS_KEYS = ("tokens", "words")

_COLUMN = setting("column")
_KEY_REMEDY = "".join(
    [
        "Name the key of the list of tags",
        where_known("column", f" with {_COLUMN}"),
        where_known("spans", f", or that of lists of spans with {setting('spans')}"),
        ".",
    ]
)
_OF_SPANS = f" of spans (objects with start, end and label) with {setting('spans_key')}, or that of a list"
_SPANS_REMEDY = (
    f"Name the key of the list{where_known('spans_key', _OF_SPANS)} of tags{where_known('column', f' with {_COLUMN}')}."
)
_LONG_LINE = 100_000
_DAMAGED = re.compile(rb"""[{\[](\S|\s*["\d{}\[\]]|\s*$)|"[^\t]*$""")
_MARK = BYTE_ORDER_MARK.decode()
_BLANKS = " \t\r\v\f"
_KINDS = {dict: "JSON object", list: "list", str: "string", bool: "truth value", type(None): "null"}


def read_tag_lines(
    source: Source,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    outside: str | None = None,
    numbers: Column = None,
) -> TagFile:
    """Read lists of tags, or the named lists of objects; see `read`."""
    of_numbers = None if numbers is None else _key(source, numbers)
    keys = [*(_key(source, column) for column in columns), *([] if of_numbers is None else [of_numbers])]
    tags = {key: WordRows() for key in keys}
    words_key = None if isinstance(words, bool) else _key(source, words)
    of_all, with_words = WordRows(), None
    unlisted = next((key for key in keys if key != TAGS_KEY), None)
    lines = array("q")
    for line, row in rows(source, "tags"):
        lines.append(line)
        if isinstance(row, list) and unlisted is not None:
            raise source.refuse(f"this line is a list, so it has no {unlisted!r}.", "Leave the column out.", line)
        if unlisted is None and isinstance(row, dict) and "text" in row and TAGS_KEY not in row:
            problem = f"the object has a text, but neither spans that are known nor 'tags'; its keys: {_keys_of(row)}."
            raise source.refuse(problem, _SPANS_REMEDY, line)
        lists = {key: list_in(source, row, (key,), line, "tags", _KEY_REMEDY) for key in tags}
        if of_numbers is not None:
            lists[of_numbers] = [_cell(item) for item in lists[of_numbers]]
        for key, column in tags.items():
            add_row(column, _named(lists[key]), source, line)
        of_words = None if words is False else words_in(source, row, words_key, line)
        if of_words is None and not any(lists.values()):
            # an empty document has no words to give
            of_words = []
        elif (of_words is None) == with_words and words is not False:
            raise _some_words(source, line)
        elif with_words is None:
            with_words = of_words is not None
        if of_words is not None:
            add_row(of_all, of_words, source, line)
            lists[words_key or WORDS_KEYS[0]] = of_words
        first, *others = lists
        for other in others:
            if len(lists[other]) != len(lists[first]):
                raise source.refuse(
                    f"{first!r} has {len(lists[first])} items, {other!r} has {len(lists[other])}.",
                    "All lists of a line must be of one length.",
                    line,
                )
    file = TagFile(
        form=source.binary or (JSON_ARRAY if is_array(source) else ""),
        source=source.name,
        columns=tuple(keys),
        tags=tuple(tags[key].tags().with_outside(outside) for key in keys),
        words=of_all.words() if with_words else None,
        document_lines=np.array(lines, dtype=np.int64),
    )
    return file if of_numbers is None else file.with_numbers()


def _named(row: list[Any]) -> list[Any]:
    """Return label numbers as strings."""
    return [str(value) if is_integer(value) else value for value in row] if row and is_integer(row[0]) else row


def _cell(item: Any) -> Any:
    """Return a number, or null, as a column of a file writes it."""
    return "_" if item is None else repr(item) if is_number(item) else item


def is_json_lines(source: Source) -> bool:
    """Return whether a file has rows as JSON lines: the first line or the whole says so, or it is Parquet.

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


def evidence(source: Source) -> Evidence:
    """Return that JSON lines are possible, whatever they hold."""
    return Evidence.POSSIBLE if is_json_lines(source) else Evidence.NONE


def rows(source: Source, content: str) -> Iterator[tuple[int, list[Any] | dict[str, Any]]]:
    """Yield the list or object of each line that is not blank, with the number of the line.

    Those of a file that is one array, too, and the rows of Parquet.

    Raises:
        InputError: for a line that is not JSON, or of another kind, and if there is none.
    """
    empty = True
    if source.binary == PARQUET or is_array(source):
        for number, row in parquet_rows(source) if source.binary else items(source):
            empty = False
            yield number, _document(source, row, number, content)
    else:
        yield from _lines_of(source, content)
        return
    if empty:
        raise source.refuse("the file has no documents.", f"Write one JSON list of {content} a line.")


def _lines_of(source: Source, content: str) -> Iterator[tuple[int, list[Any] | dict[str, Any]]]:
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
                yield number, _parsed(source, text, number, content)
    if empty:
        raise source.refuse("the file has no documents.", f"Write one JSON list of {content} a line.")


def list_in(
    source: Source, row: list[Any] | dict[str, Any], keys: Sequence[str], line: int, content: str, remedy: str = ""
) -> list[Any]:
    """Return the list of a line: the line itself, or what an object has under the first of the keys that it knows."""
    if isinstance(row, list):
        return row
    wanted = " or ".join(map(repr, keys))
    key = next((key for key in keys if key in row), None)
    found = None if key is None else row[key]
    if isinstance(found, list):
        return found
    raise source.refuse(
        f"the object has no {wanted}; its keys: {_keys_of(row)}."
        if key is None
        else f"{key!r} is a {_kind(found)}, not a list of {content}.",
        remedy or f"Write a list of {content}, or an object with one under {wanted}, on each line.",
        line,
    )


def _keys_of(row: dict[str, Any]) -> str:
    return ", ".join(map(repr, row))[:300] or "none"


def words_in(source: Source, row: list[Any] | dict[str, Any], words_key: str | None, line: int) -> list[str] | None:
    """Return the words of a line; None if no key was named and the line has no list of strings under the usual ones."""
    for key in WORDS_KEYS if words_key is None else (words_key,):
        found = row.get(key) if isinstance(row, dict) else None
        if isinstance(found, list) and (words_key is not None or all(isinstance(word, str) for word in found)):
            return found
    if words_key is None:
        return None
    raise source.refuse(f"the line has no list of words {words_key!r}.", "Name the key of the list of words.", line)


def add_words(words: WordRows, row: Sequence[str] | None, source: Source, line: int, *, first: bool) -> None:
    """Add the words of a line, if it has any; an `InputError` if only some lines have."""
    if not first and (row is None) == bool(len(words)):
        raise _some_words(source, line)
    if row is not None:
        add_row(words, row, source, line)


def _some_words(source: Source, line: int) -> InputError:
    return source.refuse("some lines have words, others have none.", "Give 'tokens' on every line or on none.", line)


def add_row(rows: WordRows, row: Sequence[str], source: Source, line: int) -> None:
    """Add the words, or tags, of a line; an `InputError` that names it for what is no string."""
    try:
        rows.append(row)
    except InputError as error:
        raise error.in_file(source.name, line, error.position) from None


def located(error: InputError, source: Source, lines: Sequence[int]) -> InputError:
    """Return an error about a document as one about its line; one that has a place in the file as it is."""
    if error.source is not None:
        return error
    line = None if error.document is None else lines[error.document]
    return error.placed(document=None, position=None, source=source.name, line=line)


def _key(source: Source, column: Column) -> str:
    if column is None:
        return TAGS_KEY
    if isinstance(column, int) or column.lstrip("-").isdecimal():
        raise source.refuse(f"JSON lines have no column {column}.", "Name the key of the list of tags.")
    return column


def _parsed(source: Source, text: str, line: int, content: str) -> list[Any] | dict[str, Any]:
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
    return _document(source, row, line, content)


def _document(source: Source, row: Any, line: int, content: str) -> list[Any] | dict[str, Any]:
    if not isinstance(row, (list, dict)):
        raise source.refuse(
            f"a {_kind(row)} is not a document.",
            f"Write a list of {content}, or an object with one, on each line.",
            line,
        )
    return row


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "number")


register(Format(name="jsonl", content=TagFile, mark=MARK, evidence=evidence, read=read_tag_lines))
