"""Load files of documents with spans as `datasets`: exports of tools, outputs of systems, tables, JSON lines."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from datasets import Dataset, DatasetDict

from ..arrays import as_lists, strings
from ..documents.document_file import DocumentFile
from ..exceptions import InputError
from ..readers.reading import read_documents

_TOKEN = pa.struct([("text", pa.string()), ("start", pa.int64()), ("end", pa.int64())])


def load_spans(
    source: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]], **options: Any
) -> Dataset | DatasetDict:
    """Load any file that `spanometer.read` reads.

    Columns: `id` (the document's name), `annotator` (if the file has annotators), `text`, `tokens` (`text`, and `start`
    and `end` in characters), `unit` of the spans (`character` or `token`) and `spans` (`start`, `end` and `label`, or
    `label` and `fragments` with discontinuous spans). Missing columns are None. Attributes of spans are not loaded. A
    warning lists the items that could not be read.

    The data are in memory. `spanometer.read` reads the output of `to_json` and `to_parquet`.

    Args:
        source: a file or folder, or a mapping of splits to files or folders, `{"train": ..., "test": ...}`.
        **options: options of `spanometer.read`, such as `format`, `annotator`, `tokenizer` or `encoding`.

    Returns:
        A `datasets.Dataset`, or a `DatasetDict` for a mapping.

    Raises:
        InputError: as for `spanometer.read`.
    """
    if not isinstance(source, Mapping):
        return _dataset(read_documents(source, **options))
    if not source or not all(isinstance(name, str) for name in source):
        raise InputError(f"source={source!r} names no splits.", "Give {'train': 'train.jsonl', ...}.")
    return DatasetDict({name: _dataset(read_documents(path, **options)) for name, path in source.items()})


def _dataset(file: DocumentFile) -> Dataset:
    for remark in (*file.notes, *file.left_out):
        warnings.warn(f"{file.source}: {remark}", stacklevel=3)
    documents, size = file.documents, file.documents.size
    columns: dict[str, pa.Array] = {"id": pa.array(documents.ids or [None] * size, pa.string())}
    if file.annotators is not None:
        columns["annotator"] = pa.array(file.annotators, pa.string())
    columns["text"] = pa.array(documents.texts or [None] * size, pa.string())
    columns["tokens"] = _tokens(file)
    columns["unit"] = pa.array(["token" if file.in_tokens else "character"] * size, pa.string())
    columns["spans"] = file.spans.to_arrow()
    return Dataset(pa.table(columns))


def _tokens(file: DocumentFile) -> pa.Array:
    """List the tokens with their texts, boundaries or both; None if neither is known."""
    tokens, texts, words = file.documents.tokens, file.documents.texts, file.words
    columns = words if tokens is None else tokens
    if columns is None:
        return pa.nulls(file.documents.size, pa.list_(_TOKEN))
    offsets = columns.offsets
    start = end = pa.nulls(int(offsets[-1]), pa.int64())
    forms = pa.nulls(int(offsets[-1]), pa.string()) if words is None else strings(words.codes, words.names)
    if tokens is not None:
        start, end = pa.array(tokens.start), pa.array(tokens.end)
        if texts is not None:
            bounds = zip(tokens.document.tolist(), tokens.start.tolist(), tokens.end.tolist(), strict=True)
            forms = pa.array([texts[document][first:last] for document, first, last in bounds], pa.string())
    return as_lists(offsets, pa.StructArray.from_arrays([forms, start, end], fields=list(_TOKEN)))
