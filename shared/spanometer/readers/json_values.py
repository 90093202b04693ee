"""JSON values of a file that is one JSON text: an array of documents, or an object, over one line or many."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..errors import InputError, shown
from .parquet_rows import first_row
from .source import PARQUET, Source

_AHEAD = 8
_BLANKS = re.compile(r"[ \t\r\n]*")
_OF_SPANS = ("start", "fragments")


def first_value(source: Source) -> Any:
    """Return the first object of a file, which may be an item of an array; None if the head of the file has none."""
    return first_row(source) if source.binary == PARQUET else _first_value(source.head)


# each format of JSON looks at the same head
@lru_cache(maxsize=1)
def _first_value(head: bytes) -> Any:
    text = head.decode(errors="replace").lstrip()
    decoder = json.JSONDecoder()
    for _ in range(_AHEAD):
        try:
            return decoder.raw_decode(text)[0]
        except (ValueError, RecursionError):
            # an array that goes on after the head: its first item
            if not text.startswith("["):
                return None
            text = text[1:].lstrip()
    return None


def is_array(source: Source) -> bool:
    """Return whether a file is one JSON text, an array of documents or an object over many lines, and not JSON lines.

    An array on one line is an array of documents if these are lists or objects that are no spans.
    """
    line, ended, rest = source.head.lstrip().partition(b"\n")
    if not line.startswith((b"[", b"{")):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if ended:
            return isinstance(first_value(source), (list, dict))
        # the line goes on after the head
        return line.startswith(b"[") and _is_document(first_value(source))
    return isinstance(value, list) and not rest.strip() and bool(value) and _is_document(value[0])


def _is_document(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and not any(key in value for key in _OF_SPANS))


def items(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the items of the array that a file is, or the one object, each with the line on which it begins.

    Raises:
        InputError: for what is not JSON; it names the line.
    """
    text = b"".join(block for _, block in source.blocks(lines=False)).decode()
    place, line, counted = _after_blanks(text, 0), 1, 0
    of_array, ended = text[place] == "[", False
    if of_array:
        place = _after_blanks(text, place + 1)
        ended = text[place : place + 1] == "]"
        place += ended
    while not ended:
        place = _after_blanks(text, place)
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, place = DECODER.raw_decode(text, place)
        except InputError as error:
            raise error.in_file(source.name, line) from None
        except json.JSONDecodeError as error:
            problem = f"this is not JSON ({error.msg}, character {error.colno})."
            raise source.refuse(problem, "Export the file again.", error.lineno) from None
        except (ValueError, RecursionError) as error:
            raise source.refuse(f"this JSON cannot be read ({error}).", "", line) from None
        yield line, value
        place = _after_blanks(text, place)
        if of_array and text[place : place + 1] not in (",", "]"):
            raise _refused(source, text, place)
        ended = not of_array or text[place] == "]"
        place += of_array
    place = _after_blanks(text, place)
    if place < len(text):
        raise _refused(source, text, place)


def _after_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return place if found is None else found.end()


def _refused(source: Source, text: str, place: int) -> InputError:
    line = text.count("\n", 0, place) + 1
    there = shown(text[place : place + 20]) if text[place:].strip() else "the end"
    return source.refuse(f"this is not JSON: {there} stands after an item.", "Export the file again.", line)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; an `InputError` if it has a key more than once: `json` takes the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(f"an object has the key {shown(key)} more than once.", "Give every key of an object once.")
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
"""Reads JSON; refuses an object that has a key twice."""
