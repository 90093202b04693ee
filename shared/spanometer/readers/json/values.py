"""Values of a file that is one JSON text (an array of documents, or an object), and rows of Parquet."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

from ...exceptions import InputError, shown
from ..source import PARQUET, Source

_LONG_ROW = "a row is longer than {}", "Write one document in each row"
_LONG_ITEM = "a JSON item is longer than {}", "Split it"

_ROWS = 1000
"""The number of rows that are read at a time."""

_CHARACTERS = 1 << 19
"""The size of the items that are read at a time."""


def parquet_rows(source: Source, rows: int = _ROWS) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the rows in lists of this size, each with the number of its first row, from 1.

    If the file has names for integer labels, as in `datasets`, they replace these.

    Raises:
        InputError: if the file is damaged or exceeds the limits, or if two columns have the same name.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number, held = 1, 0
    try:
        file = pq.ParquetFile(pa.BufferReader(source.data()))
        columns = file.schema_arrow.names
        # an object would only keep the last one
        require_distinct(source, columns)
        names = _class_names(file.schema_arrow.metadata or {})
        for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
            # a value takes a byte or more; counting values needs no unpacking
            most = max((group.column(place).num_values for place in range(group.num_columns)), default=0)
            source.require_short(most // max(group.num_rows, 1), *_LONG_ROW, number)
        for batch in file.iter_batches(rows):
            # equal values take hardly any space in the file
            held += batch.nbytes
            source.require_held(held, None, "the unpacked file")
            source.require_short(batch.nbytes // max(batch.num_rows, 1), *_LONG_ROW, number)
            values = batch.to_pylist()
            for key in names.keys() & set(columns):
                for row in values:
                    row[key] = _named(row[key], names[key])
            yield number, values
            number += len(values)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).partition("\n")[0]
        raise source.refuse(f"this Parquet file is damaged ({reason}).", "Write or download the file again.") from None


def require_distinct(source: Source, columns: Sequence[str], line: int | None = None) -> None:
    """Raise an `InputError` if two columns have the same name."""
    twice = next((name for place, name in enumerate(columns) if name and name in columns[:place]), None)
    if twice is not None:
        raise source.refuse(f"two columns have the name {twice!r}.", "Give all columns different names.", line)


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

_BEGIN = re.compile(rb"[ \t\r\n]*(\[?)[ \t\r\n]*")
_BETWEEN = re.compile(rb"[ \t\r\n,\]]*")
_FOLLOWING = {True: re.compile(r"[ \t\r\n]*([],])[ \t\r\n]*"), False: re.compile(r"[ \t\r\n]*()")}
"""What can follow an item of an array, and a value that is not in an array."""

_ESCAPED_COLON = re.compile(rb"\\u003[aA]")

_DECODE, _ENCODE = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
_ARRAY, _VALUE = msgspec.json.Decoder(list[msgspec.Raw]).decode, msgspec.json.Decoder(msgspec.Raw).decode
_UNDECODED = (msgspec.MsgspecError, ValueError, RecursionError)

_OF_SPANS = ("start", "fragments")


def first_value(source: Source) -> Any:
    """Return the first value of a file, or of its array; None if the beginning has no value.

    The part of the file that is read grows until it contains the whole value.
    """
    if source.binary == PARQUET:
        with suppress(InputError):
            return next((rows[0] for _, rows in parquet_rows(source, rows=1)), None)
        return None
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
    text, cut = head.decode(errors="replace").strip(), False
    decoder = json.JSONDecoder()
    for depth in range(_AHEAD if text.startswith(("[", "{")) else 0):
        try:
            # one line without an end is an array that continues; parsing the head in vain takes long
            if depth > 0 or "\n" in text or text.endswith(("]", "}")) or text.startswith("{"):
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
        # a line without an end is not parsed in vain
        value = json.loads(line if line.rstrip().endswith((b"]", b"}")) else b"")
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


def items(source: Source, *, limited: bool = True) -> Iterator[tuple[list[int], list[Any]]]:
    """Yield the items of a JSON array, or a single other value, some at a time: their first lines, and their values.

    Only the text and these items are in memory at a time.

    Args:
        source: the file.
        limited: limit the size of an item.

    Raises:
        InputError: if JSON is invalid; the error names the line.
    """
    data = b"".join(part for _, part in source.parts(lines=False))
    begin = next(_BEGIN.finditer(data))
    texts: list[Any] = []
    try:
        texts = _ARRAY(data) if begin[1] else [_VALUE(data)]
        plain = not (limited and source.is_long(max(map(len, texts), default=0)))
    except _UNDECODED:
        plain = False
    place, line, number = begin.end(), 1 + data.count(b"\n", 0, begin.end()), 0
    while plain and number < len(texts):
        lines, first, first_number = list[int](), place, number
        while number < len(texts) and place < first + _CHARACTERS:
            lines.append(line)
            end = next(_BETWEEN.finditer(data, place + len(texts[number]))).end()
            line, place, number = line + data.count(b"\n", place, end), end, number + 1
        values = decoded(texts[first_number:number], data[first:place])
        if values is None:
            plain, place = False, first
        else:
            yield lines, values
    if not plain:
        yield from _one_by_one(source, data, place, limited=limited)


def decoded(texts: Sequence[Any], data: bytes) -> list[Any] | None:
    """Decode JSON texts; None if one is invalid, has an unusual number or escape, or may repeat a key.

    Every key has a colon behind it, so values without a repeated key have as many colons as their texts. This is faster
    than comparing the keys of each object.

    Args:
        texts: the texts.
        data: all texts, with nothing else that has a colon.
    """
    try:
        values = list(map(_DECODE, texts))
        colons = _colons(data) + (len(_ESCAPED_COLON.findall(data)) if b"\\" in data else 0)
        return values if _colons(_ENCODE(values)) == colons else None
    except _UNDECODED:
        return None


def _colons(text: bytes) -> int:
    """Count the colons, faster than `text.count` if there are many."""
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord(":")))


def _one_by_one(source: Source, data: bytes, place: int, *, limited: bool) -> Iterator[tuple[list[int], list[Any]]]:
    """Yield the items from a place on, slower than with `decoded`, but with an error that says what is invalid."""
    text, line = source.text_of(data, 1), 1 + data.count(b"\n", 0, place)
    place, following = len(data[:place].decode()), _FOLLOWING[text.lstrip().startswith("[")]
    after = following.match(text, place) if text.startswith("]", place) else None
    lines, values = list[int](), list[Any]()
    while after is None or after[1] == ",":
        try:
            value, end = DECODER.raw_decode(text, place)
            if limited:
                source.require_short(end - place, *_LONG_ITEM, line)
        except (ValueError, RecursionError) as error:
            yield lines, values
            if limited and isinstance(error, json.JSONDecodeError) and _is_cut(error):
                source.require_short(len(text) - place, *_LONG_ITEM, line)
            raise not_json(source, error, line, "Export the file again.") from None
        lines.append(line)
        values.append(value)
        after = following.match(text, end)
        if after is None:
            break
        line, place = line + text.count("\n", place, after.end()), after.end()
        if len(lines) == _ROWS:
            yield lines, values
            lines, values = [], []
    yield lines, values
    rest = text[end if after is None else after.end() :].lstrip()
    if after is None or rest:
        line += text.count("\n", place, len(text) - len(rest))
        named = shown(rest[:20]) if rest else "the end"
        problem = f"',' or ']' is missing before {named}" if after is None else f"{named} follows the last value"
        raise source.refuse(f"this is not valid JSON: {problem}.", "Export the file again.", line)


def not_json(source: Source, error: Exception, line: int, remedy: str) -> InputError:
    """Create the error about text from which a decoder cannot make a value."""
    if isinstance(error, InputError):
        return error.in_file(source.name, line)
    if isinstance(error, json.JSONDecodeError):
        problem = f"this is not valid JSON ({error.msg}, character {error.colno})."
        return source.refuse(problem, remedy, max(line, error.lineno))
    return source.refuse(f"this JSON cannot be read ({error}).", "Check the value.", line)


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
        raise InputError(f"an object repeats the key {shown(key)}.", "Write each key of an object only once.")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
"""A JSON decoder that raises an error for repeated keys."""
