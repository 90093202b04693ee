"""JSON as tools export it: one object a line, or one array or object over many lines."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from .json_lines import rows
from .json_values import begins_with as begins_with
from .json_values import first_value as first_value
from .json_values import items
from .source import Source

_BETWEEN = re.compile(r"[\s,\[\]]*")
"""What stands between the objects of JSON lines, or of an array."""


def is_object(value: Any, *keys: str) -> bool:
    """Return whether a value is an object that has all of some keys."""
    return isinstance(value, dict) and all(key in value for key in keys)


def number_or_text(name: str) -> int | str:
    """Return a name that is written as whole numbers are as such a number, as tools number what they have."""
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def first_object(source: Source) -> dict[str, Any]:
    """Return the first object of a file, or of the lists that it has; an empty one if there is none."""
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
    """Return the first object in the head of a file that has something under one of some keys.

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


def values(source: Source, content: str, *inside: str) -> Iterator[tuple[int, str, Any]]:
    """Yield each value of JSON lines, or of one array (one object counts as an array of one).

    With keys `inside`, the items of the lists that the objects of one JSON text have under them, see `items`.

    Yields:
        The line on which it begins, what else to call its place (`item 3`; empty in JSON lines), and the value.

    Raises:
        InputError: for what is not JSON; it names the line.
    """
    if _is_lines(source, cut=not inside):
        yield from ((line, "", row) for line, row in rows(source, content))
        return
    of_array = source.first_line().startswith(b"[")
    for number, (line, value) in enumerate(items(source, *inside)):
        yield line, f"item {number}" if of_array else "", value


def _is_lines(source: Source, *, cut: bool) -> bool:
    """Return whether the first line is an object or a list of its own; `cut` if it goes on after the head."""
    line = source.first_line()
    if not line.startswith((b"{", b"[")):
        return True
    try:
        whole = json.loads(line)
    except (ValueError, RecursionError):
        # cut at the end of the head, or one text over many lines
        return cut and b"\n" not in source.head.lstrip() and line.startswith(b"{")
    # an array alone is one export; a list on each line is a document
    alone = not source.head.lstrip().partition(b"\n")[2].strip()
    return not (isinstance(whole, list) and alone)
