"""Stored counts: bytes with a checksum, and checks of stored tables."""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..exceptions import InputError, counted

METADATA = b"spanometer"
"""The key of the metadata in a table of counts."""

UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, pa.ArrowException)
"""The exceptions that an invalid table or invalid metadata can raise."""

_CHECKSUM_SIZE = 4


def write_stream(table: pa.Table) -> bytes:
    """Write a table as an Arrow stream, followed by its CRC-32, which Arrow ignores."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = bytes(sink.getvalue())
    return stream + zlib.crc32(stream).to_bytes(_CHECKSUM_SIZE, "little")


def read_stream(data: bytes | bytearray | memoryview) -> pa.Table:
    """Read bytes that `write_stream` wrote; raise an `InputError` for other bytes."""
    try:
        view = memoryview(data).cast("B")
        stream, checksum = view[:-_CHECKSUM_SIZE], int.from_bytes(view[-_CHECKSUM_SIZE:], "little")
        if len(view) > _CHECKSUM_SIZE and zlib.crc32(stream) == checksum:
            with pa.ipc.open_stream(pa.py_buffer(stream)) as reader:
                return reader.read_all()
    except (TypeError, ValueError, OSError, pa.ArrowException):
        pass
    raise InputError("these bytes are not counts, or are damaged.", "Pass the unchanged result of counts.to_bytes().")


def read_description(table: pa.Table) -> dict[str, Any]:
    """Read the metadata of a table of counts; empty if they are missing or cannot be read."""
    try:
        described = json.loads((table.schema.metadata or {})[METADATA])
    except (KeyError, ValueError, RecursionError):
        return {}
    return described if isinstance(described, dict) else {}


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Convert options to JSON types, with NaN as a string."""
    texts = {name: "nan" if isinstance(value, float) and value != value else value for name, value in options.items()}
    return dict(json.loads(json.dumps(texts, default=repr)))


def described_counts(table: pa.Table) -> dict[str, Any]:
    """Read the metadata of a table of counts, and check that the table is whole.

    Raises:
        InputError: if rows were selected or added.
        ValueError: if the table or its metadata are invalid; or another error in `UNFIT`.
    """
    table.validate(full=True)
    described = read_description(table)
    labels, documents = described["labels"], described["documents"]
    if type(documents) is not int or not 0 <= documents <= np.iinfo(np.int32).max:
        raise ValueError
    if not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
        raise ValueError
    if table.num_rows != described["rows"]:
        problem = f"the table has {counted(table.num_rows, 'row')}, but had {described['rows']} when it was stored."
        raise InputError(problem, "Pass each table exactly as it was stored.")
    return described


def read_parts(
    table: pa.Table, described: Mapping[str, Any]
) -> tuple[dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Read the documents, labels and values of each column, the numbers by document, and `rows`.

    Raises:
        ValueError: if the table does not have this description; or another error in `UNFIT`.
    """
    documents, labels = described["documents"], pa.array(described["labels"], pa.string())
    of_label = table.filter(pa.compute.is_valid(table["label"]))
    of_document = table.filter(pa.compute.is_null(table["label"]))
    document = _places(of_label["document"], documents)
    label = _places(pa.compute.index_in(of_label["label"], labels), len(labels))
    columns = {}
    for name in described["columns"]:
        values = _values(of_label[name].fill_null(0))
        counted_places = np.flatnonzero(values)
        columns[name] = document[counted_places], label[counted_places], values[counted_places]
    shared = _shared(of_document, described["shared"], documents)
    return columns, shared, _rows(of_label, document, label) if "rows" in table.column_names else {}


def _places(column: pa.ChunkedArray, number: int) -> np.ndarray:
    """Read indices of documents or labels; raise a ValueError if one is missing or out of range."""
    if not pa.types.is_integer(column.type) or column.null_count:
        raise ValueError
    places = np.asarray(column.cast(pa.int32()).to_numpy())
    if len(places) and (places.min() < 0 or places.max() >= number):
        raise ValueError
    return places


def _values(column: pa.ChunkedArray) -> np.ndarray:
    """Read numbers; raise a ValueError if one is missing or is no number."""
    values = np.asarray(column.to_numpy())
    if column.null_count or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise ValueError
    return values


def _shared(table: pa.Table, names: Sequence[str], documents: int) -> dict[str, np.ndarray]:
    """Read the numbers by document; raise a ValueError if a document has none."""
    document = _places(table["document"], documents)
    if names and (len(document) != documents or not np.array_equal(np.sort(document), np.arange(documents))):
        raise ValueError
    order = np.argsort(document, kind="stable")
    return {name: _values(table[name])[order] for name in names}


def _rows(table: pa.Table, document: np.ndarray, label: np.ndarray) -> dict[str, np.ndarray]:
    """Read `rows` from lists of structs; raise a ValueError if a value is neither a number nor a text."""
    row = pa.compute.list_parent_indices(table["rows"]).to_numpy()
    values = pa.compute.list_flatten(table["rows"])
    fields = {item.name: np.asarray(pa.compute.struct_field(values, item.name)) for item in values.type}
    if any(column.dtype.kind not in "biufO" for column in fields.values()):
        raise ValueError
    return {"document": document[row], "label": label[row], **fields}
