"""Counts from where they were stored: an Arrow table or bytes."""

from __future__ import annotations

import ast
import json
from typing import Any

import pyarrow as pa

from ..counts.counts import METADATA, Counts, read_stream
from ..errors import InputError
from .base import Measure


def read_counts(stored: pa.Table | bytes, measures: dict[str, type[Measure]], measure: Measure | None = None) -> Counts:
    """Counts from what `counts.to_arrow()` or `counts.to_bytes()` made.

    Args:
        stored: the table or the bytes.
        measures: the measures by name.
        measure: the measure that was counted; None makes it from the options that are stored.

    Raises:
        InputError: where these are no counts, or of another measure, and where a measure cannot be made from its
            options: words' probabilities, and what `SpanAttribute` is asked for, are not stored.
    """
    table = read_stream(stored) if isinstance(stored, (bytes, bytearray, memoryview)) else stored
    if not isinstance(table, pa.Table):
        raise InputError(f"a {type(stored).__name__} holds no counts.", "Give an Arrow table, or bytes.")
    known = measure or _measure_of(table, measures)
    return known.counts_type.from_arrow(table, known)


def _measure_of(table: pa.Table, measures: dict[str, type[Measure]]) -> Measure:
    """The measure that the table's metadata describe."""
    try:
        described: dict[str, Any] = json.loads((table.schema.metadata or {})[METADATA])
        name, options = described["measure"], described["options"]
        kind = measures[name]
    except (KeyError, TypeError, ValueError):
        raise InputError("the table does not say what measure it is of.", "Name it with measure=...") from None
    try:
        values = {option: ast.literal_eval(text) for option, text in options.items()}
        found = kind.from_options(values)
        if {option: repr(value) for option, value in found.options().items()} == options:
            return found
    except (InputError, ValueError, SyntaxError, TypeError):
        pass
    raise InputError(f"{name} cannot be made from its stored options.", "Give the measure with measure=...")
