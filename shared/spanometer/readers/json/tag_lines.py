"""JSON lines with a list of tags on each line."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from ...arrays import is_integer, is_number
from ...documents.document_file import DocumentFile
from ...documents.layers import Column, WordRows
from ...exceptions import counted
from ..formats import Format, TagReading, register
from ..source import Source
from .records import (
    JSON_ARRAY,
    KEY_REMEDY,
    MARK,
    SPANS_REMEDY,
    TAGS_KEY,
    WORDS_KEYS,
    add_row,
    is_json_lines,
    keys_of,
    list_in,
    rows,
    some_words,
    words_in,
)
from .values import is_array


def read_tag_lines(source: Source, options: TagReading) -> DocumentFile:
    """Read lists of tags, or objects with the named lists, see `read`."""
    words, of_numbers = options.words, None if options.numbers is None else _key(source, options.numbers)
    keys = [_key(source, column) for column in options.all_columns]
    tags = {key: WordRows() for key in keys}
    words_key = None if isinstance(words, bool) else _key(source, words)
    of_all, with_words = WordRows(), None
    unlisted = next((key for key in keys if key != TAGS_KEY), None)
    lines = array("q")
    for line, _, row in rows(source, "tags"):
        lines.append(line)
        if isinstance(row, list) and unlisted is not None:
            problem = f"this line is a list, so it has no key {unlisted!r}."
            raise source.refuse(problem, "Leave the column out.", line)
        if unlisted is None and isinstance(row, dict) and "text" in row and TAGS_KEY not in row:
            problem = f"the object has a text, but no known spans and no 'tags'; its keys: {keys_of(row)}."
            raise source.refuse(problem, SPANS_REMEDY, line)
        lists = {key: list_in(source, row, (key,), line, "tags", KEY_REMEDY) for key in tags}
        if of_numbers is not None:
            lists[of_numbers] = [_cell(item) for item in lists[of_numbers]]
        for key, column in tags.items():
            add_row(column, _named(lists[key]), source, line)
        of_words = None if words is False else words_in(source, row, words_key, line)
        if of_words is None and not any(lists.values()):
            # an empty document has no words
            of_words = []
        elif (of_words is None) == with_words and words is not False:
            raise some_words(source, line)
        elif with_words is None:
            with_words = of_words is not None
        if of_words is not None:
            add_row(of_all, of_words, source, line)
            lists[words_key or WORDS_KEYS[0]] = of_words
        first, *others = lists
        for other in others:
            if len(lists[other]) != len(lists[first]):
                raise source.refuse(
                    f"{first!r} has {counted(len(lists[first]), 'item')}, but {other!r} has {len(lists[other])}.",
                    "Give all lists of a line the same length.",
                    line,
                )
    file = DocumentFile.in_words(
        format=source.binary or (JSON_ARRAY if is_array(source) else ""),
        source=source.name,
        columns=tuple(keys),
        tags=tuple(tags[key].tags().with_outside(options.outside) for key in keys),
        words=of_all.words() if with_words else None,
        document_lines=np.array(lines, dtype=np.int64),
    )
    return file if of_numbers is None else file.with_numbers()


def _named(row: list[Any]) -> list[Any]:
    """Convert integer labels to strings."""
    return [str(value) if is_integer(value) else value for value in row] if row and is_integer(row[0]) else row


def _cell(item: Any) -> Any:
    """Convert a number or null to the cell of a column."""
    return "_" if item is None else repr(item) if is_number(item) else item


def _key(source: Source, column: Column) -> str:
    if column is None:
        return TAGS_KEY
    if isinstance(column, int) or column.lstrip("-").isdecimal():
        raise source.refuse(f"JSON lines have keys, not numbered columns ({column}).", "Name the key of the tags.")
    return column


register(Format("jsonl", MARK, None, read_tag_lines, allows=is_json_lines, content="tags"))
