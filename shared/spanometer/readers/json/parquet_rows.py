"""Rows of a Parquet file, read like JSON lines: each row is an object with the columns as keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...exceptions import InputError
from ..source import Source

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
