"""Values of a file that is one JSON text (an array of documents, or an object), and rows of Parquet."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from ...exceptions import InputError, shown
from ..source import PARQUET, Source

_LONG, _REMEDY = "a row is longer than {}", "Write one document a row"

_ROWS = 1000
"""The number of rows that are read at a time."""


def parquet_rows(source: Source, rows: int = _ROWS) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows with their numbers, from 1.

    If the file has names for integer labels, as in `datasets`, they replace these.

    Raises:
        InputError: if the file is damaged or exceeds the limits, or if two columns have the same name.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = held = 0
    try:
        file = pq.ParquetFile(pa.BufferReader(source.data()))
        columns = file.schema_arrow.names
        # an object would only keep the last one
        require_distinct(source, columns)
        names = _class_names(file.schema_arrow.metadata or {})
        for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
            # a value takes a byte or more; counting values needs no unpacking
            values = max((group.column(place).num_values for place in range(group.num_columns)), default=0)
            source.require_short(values // max(group.num_rows, 1), _LONG, _REMEDY, number + 1)
        for batch in file.iter_batches(rows):
            # equal values take hardly any space in the file
            held += batch.nbytes
            source.require_held(held, None, "the unpacked file")
            size = batch.nbytes // max(batch.num_rows, 1)
            source.require_short(size, _LONG, _REMEDY, number + 1)
            for row in batch.to_pylist():
                number += 1
                yield number, {key: _named(value, names[key]) if key in names else value for key, value in row.items()}
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).partition("\n")[0]
        raise source.refuse(f"this Parquet file is damaged ({reason}).", "Write or download it again.") from None


def require_distinct(source: Source, columns: Sequence[str], line: int | None = None) -> None:
    """Raise an `InputError` if two columns have the same name."""
    twice = next((name for place, name in enumerate(columns) if name and name in columns[:place]), None)
    if twice is not None:
        raise source.refuse(f"two columns have the name {twice!r}.", "Give all columns different names.", line)


def first_row(source: Source) -> dict[str, Any] | None:
    """Return the first row of a Parquet file; None if there is none, or if the file is damaged."""
    with suppress(InputError):
        return next((row for _, row in parquet_rows(source, rows=1)), None)
    return None


def _class_names(metadata: Mapping[bytes, bytes]) -> dict[str, Sequence[str]]:
    """Return the names of integer labels by column, from the metadata that `datasets` writes."""
    try:
        features = json.loads(metadata.get(b"huggingface", b"{}"))["info"]["features"].items()
        names = {key: (kind.get("feature") or kind).get("names") for key, kind in features if isinstance(kind, dict)}
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}
    return {key: names for key, names in names.items() if isinstance(names, list)}


def _named(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_named(part, names) for part in value]
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else value


_AHEAD = 8
_LITERAL = 16
"""Slightly more than the length of JSON's longest literal or escape."""

_BLANKS = re.compile(r"[ \t\r\n]*")
_OF_SPANS = ("start", "fragments")


def first_value(source: Source) -> Any:
    """Return the first value of a file, or of its array; None if the beginning has no value.

    The part of the file that is read grows until it contains the whole value.
    """
    if source.binary == PARQUET:
        return first_row(source)
    if source not in _first_values:
        value, cut = _first_value(source.head)
        while cut and source.read_on():
            value, cut = _first_value(source.head)
        _first_values[source] = value
    return _first_values[source]


# all JSON formats ask for the value
_first_values: WeakKeyDictionary[Source, Any] = WeakKeyDictionary()


def _first_value(head: bytes) -> tuple[Any, bool]:
    """Return the first value at the beginning of a file (or the first item of an array), and whether it is cut off."""
    text, cut = head.decode(errors="replace").lstrip(), False
    decoder = json.JSONDecoder()
    for depth in range(_AHEAD if text.startswith(("[", "{")) else 0):
        try:
            return decoder.raw_decode(text)[0], cut
        except json.JSONDecodeError as error:
            # an array may continue after the head, but not its first item
            cut |= _is_cut(error) and (depth > 0 or text.startswith("{"))
        except (ValueError, RecursionError):
            pass
        if not text.startswith("["):
            break
        text = text[1:].lstrip()
    return None, cut


def is_array(source: Source, *, cut: bool = False) -> bool:
    """Check whether a file is one JSON text (an array of documents, or an object on several lines) and not JSON lines.

    If the first line is a complete array, it must be the only line, and its first item must be a list, or an object
    that is not a span. If `cut` is True, every value that does not end on the first line, or not within the head of the
    file, is one JSON text.
    """
    if not source.head.lstrip().startswith((b"[", b"{")):
        return False
    # the head may grow for it
    first = first_value(source)
    line, ended, rest = source.head.lstrip().partition(b"\n")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if cut:
            return True
        if ended:
            return isinstance(first, (list, dict))
        # the line continues after the head
        return line.startswith(b"[") and _is_document(first)
    return isinstance(value, list) and not rest.strip() and bool(value) and _is_document(value[0])


def _is_document(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and not any(key in value for key in _OF_SPANS))


def items(source: Source, *inside: str) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON array, or a single object, each with its first line.

    Only the text and one item are in memory at a time.

    Args:
        source: the file.
        inside: keys of lists in objects: if these lists are not empty, their items are yielded instead of the object.
            In this case a long object on one line can be followed by others, as in JSON lines.

    Raises:
        InputError: if JSON is invalid; the error names the line.
    """
    text = _Text(source)
    of_lines = bool(inside) and b"\n" not in source.head.strip()
    if text.skips("["):
        for _ in text.members("]"):
            yield from _within(text, inside)
    else:
        yield from _within(text, inside)
        while of_lines and text.next():
            yield from _within(text, inside)
    if text.next():
        raise text.refused()


def _within(text: _Text, inside: Collection[str]) -> Iterator[tuple[int, Any]]:
    """Yield the next value, or the items of its lists under some keys, each with its line."""
    if not inside or text.next() != "{":
        yield text.value()
        return
    line, empty = text.line(), True
    others: list[tuple[str, Any]] = []
    text.skips("{")
    for key in text.keys_of_object():
        if key in inside and text.skips("["):
            others.append((key, []))
            for _ in text.members("]"):
                empty = False
                yield text.value()
        else:
            others.append((key, text.value()[1]))
    try:
        row = _distinct(others)
    except InputError as error:
        raise text.placed(error, line) from None
    if empty:
        yield line, row


class _Text:
    """A file that is one JSON text, with the current position."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = "".join(block.decode() for _, block in source.blocks(lines=False))
        self._place = 0
        # the line of a place, so that each line is counted once
        self._line, self._counted = 1, 0

    def next(self) -> str:
        """Skip whitespace and return the next character; an empty string at the end."""
        blanks = _BLANKS.match(self._text, self._place)
        self._place = self._place if blanks is None else blanks.end()
        return self._text[self._place : self._place + 1]

    def skips(self, character: str) -> bool:
        """Skip the next character if it is this one; otherwise return False."""
        equal = self.next() == character
        self._place += equal
        return equal

    def members(self, closing: str) -> Iterator[None]:
        """Yield before each member of an array or object; the caller must read the member before it continues."""
        ended = self.skips(closing)
        while not ended:
            yield
            ended = self.skips(closing)
            if not ended and not self.skips(","):
                raise self.refused()

    def keys_of_object(self) -> Iterator[str]:
        """Yield each key of an object; the caller must read the value before it continues."""
        for _ in self.members("}"):
            if self.next() != '"':
                raise self.refused("instead of a key")
            _, key = self.value()
            if not self.skips(":"):
                raise self.refused("after a key")
            yield key

    def value(self) -> tuple[int, Any]:
        """Read the next value and return it with its line."""
        self.next()
        line = self.line()
        try:
            value, end = DECODER.raw_decode(self._text, self._place)
        except json.JSONDecodeError as error:
            if _is_cut(error):
                self._require_short(len(self._text), line)
            problem = f"this is not JSON ({error.msg}, character {error.colno})."
            raise self._source.refuse(problem, "Export the file again.", error.lineno) from None
        except InputError as error:
            raise self.placed(error, line) from None
        except (ValueError, RecursionError) as error:
            raise self._source.refuse(f"this JSON cannot be read ({error}).", "Check the value.", line) from None
        self._require_short(end, line)
        self._place = end
        return line, value

    def _require_short(self, end: int, line: int) -> None:
        self._source.require_short(end - self._place, "a JSON item is longer than {}", "Split it", line)

    def placed(self, error: InputError, line: int) -> InputError:
        """Set the file and line of an error."""
        return error.in_file(self._source.name, line)

    def refused(self, where: str = "after an item") -> InputError:
        """Create an error about the next character."""
        there = shown(self._text[self._place : self._place + 20]) if self.next() else "the end"
        problem = f"this is not JSON: {there} {where}."
        return self._source.refuse(problem, "Export the file again.", self.line())

    def line(self) -> int:
        """Return the line of the current position."""
        self._line += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._line


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Check whether the text could continue to valid JSON."""
    return error.msg.startswith("Unterminated string") or error.pos + _LITERAL > len(error.doc)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Convert pairs to an object.

    Raise an `InputError` for a repeated key, because `json` would take the last value.
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(f"an object repeats the key {shown(key)}.", "Give every key of an object once.")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
"""A JSON decoder that raises an error for repeated keys."""
