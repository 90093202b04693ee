"""JSON as tools export it: one object a line, or one array or object over many lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..errors import InputError
from .json_lines import rows
from .json_values import DECODER
from .json_values import first_value as first_value
from .source import Source


def is_object(value: Any, *keys: str) -> bool:
    """Return whether a value is an object that has all of some keys."""
    return isinstance(value, dict) and all(key in value for key in keys)


def number_or_text(name: str) -> int | str:
    """Return a name that is written as whole numbers are as such a number, as tools number what they have."""
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def first_object(source: Source) -> dict[str, Any]:
    """Return the first object of a file, or of the array that it is; an empty one if there is none."""
    value = first_value(source)
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else {}


def values(source: Source, content: str) -> Iterator[tuple[int, str, Any]]:
    """Yield each value of JSON lines, or of one array (one object counts as an array of one).

    Yields:
        The line on which it begins, what else to call its place (`item 3`; empty in JSON lines), and the value.

    Raises:
        InputError: for what is not JSON; it names the line.
    """
    if _is_lines(source):
        yield from ((line, "", row) for line, row in rows(source, content))
        return
    text = b"".join(block for _, block in source.blocks(lines=False))
    try:
        whole = DECODER.decode(text.decode())
    except InputError as error:
        raise error.in_file(source.name) from None
    except json.JSONDecodeError as error:
        raise source.refuse(
            f"this is not JSON ({error.msg}, character {error.colno}).", "Export the file again.", error.lineno
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.refuse(f"this JSON cannot be read ({error}).") from None
    for place, value in enumerate(whole if isinstance(whole, list) else [whole]):
        yield 1, f"item {place}" if isinstance(whole, list) else "", value


def _is_lines(source: Source) -> bool:
    """Return whether the first line is an object or a list of its own."""
    line = source.first_line()
    if not line.startswith((b"{", b"[")):
        return True
    try:
        whole = json.loads(line)
    except (ValueError, RecursionError):
        # cut at the end of the head, or one text over many lines
        return b"\n" not in source.head.lstrip() and line.startswith(b"{")
    # an array alone is one export; a list on each line is a document
    alone = not source.head.lstrip().partition(b"\n")[2].strip()
    return not (isinstance(whole, list) and alone)
