"""Reading of several files as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ..arrays import offsets_of
from ..exceptions import InputError, setting
from ..spans.annotations import end_to_end
from ..spans.documents import Documents, Tokens
from ..spans.entities import Entities
from ..spans.spans import Spans
from .document_file import DocumentFile
from .layers import FileParts, LineRuns, Words, joined_tags
from .stated import StatedSpans

Value = TypeVar("Value")

_KINDS: tuple[tuple[str, Callable[[DocumentFile], Any]], ...] = (
    ("tags", lambda file: bool(file.tags)),
    ("spans of tokens", lambda file: file.in_tokens),
    ("spans of annotators", lambda file: bool(file.annotators)),
    ("answers of a language model", lambda file: file.answers is not None),
    ("texts", lambda file: file.documents.texts is not None),
    ("words", lambda file: file.words is not None),
)
"""Fields that either all files must have, or none."""


def read_together(path: Any, files: Mapping[str, str], read: Callable[[str], DocumentFile]) -> DocumentFile:
    """Read files one by one, and join them.

    Raises:
        InputError: if a file cannot be read, or if files have different kinds of annotation.
    """
    parts = {name: read(file) for name, file in files.items()}
    _require_one_form(list(parts.values()))
    return joined_files(os.fspath(path), parts)


def _require_one_form(files: Sequence[DocumentFile]) -> None:
    """Raise an `InputError` if a file has other fields, other columns or another format than the first file."""
    first, *others = files
    for other in others:
        if other.columns != first.columns:
            here, there = (" and ".join(file.columns) for file in (other, first))
            problem = f"the tags are in {here}, but in {first.source} they are in {there}."
            raise InputError(problem, f"Name the columns with {setting('column')}.", source=other.source)
        if first.entities is not None and other.format != first.format:
            problem = f"this is {other.format}, but {first.source} is {first.format}."
            raise InputError(problem, "Give files with the same format.", source=other.source)
        for kind, has in _KINDS:
            if has(other) != has(first):
                having, lacking = (first, other) if has(first) else (other, first)
                problem = f"this file has no {kind}, but {having.source} has."
                raise InputError(problem, "Give files with the same layers.", source=lacking.source)


def joined_files(source: str, files: Mapping[str, DocumentFile]) -> DocumentFile:
    """Join the documents of several files with the same kinds of annotation.

    Args:
        source: what errors call all files together.
        files: the files by name; names of documents are created from these names.
    """
    first, *_ = parts = list(files.values())
    documents = [part.documents for part in parts]
    sizes = [each.size for each in documents]
    texts, tokens = if_all(each.texts for each in documents), if_all(each.tokens for each in documents)
    words, entities = if_all(part.words for part in parts), if_all(part.entities for part in parts)
    numbers = if_all(part.numbers for part in parts)
    stated = [part.stated or StatedSpans.of(part.spans) for part in parts]
    return DocumentFile(
        source=source,
        format=first.format if entities else "several files",
        documents=Documents(
            size=sum(sizes),
            ids=_names_of(files, first, documents),
            texts=None if texts is None else tuple(chain.from_iterable(texts)),
            tokens=None if tokens is None else Tokens.end_to_end(tokens),
        ),
        document_lines=np.concatenate([part.document_lines for part in parts]),
        line_runs=_joined_runs([part.line_runs for part in parts]),
        places=tuple(chain.from_iterable(part.places or [""] * part.documents.size for part in parts)),
        parts=FileParts(tuple(files), tuple(part.source for part in parts), np.repeat(np.arange(len(parts)), sizes)),
        words=None if words is None else Words.of(joined_tags(words)),
        tags=tuple(map(joined_tags, zip(*(part.tags for part in parts), strict=True))),
        columns=first.columns,
        numbers=None if numbers is None else np.concatenate(numbers),
        layout=first.layout,
        sentences=any(part.sentences for part in parts),
        spans=end_to_end([part.spans for part in parts]),
        missing=_joined_missing(parts),
        in_tokens=first.in_tokens,
        annotators=tuple(chain.from_iterable(part.annotators or () for part in parts)) or None,
        stated=StatedSpans.end_to_end(stated) if any(part.stated is not None for part in parts) else None,
        entities=None if entities is None else _joined_entities(entities),
        answers=None if first.answers is None else [answer for part in parts for answer in part.answers or ()],
        decoding=_decoding([part.decoding for part in parts if part.decoding]),
        left_out=tuple(f"{name}: {text}" for name, part in files.items() for text in part.left_out),
        notes=tuple(f"{name}: {text}" for name, part in files.items() for text in part.notes),
    )


def with_empty(file: DocumentFile, others: DocumentFile) -> DocumentFile:
    """Append documents of another file, without their annotation."""
    size = others.documents.size
    documents, words = others.documents, others.words
    # the file's other documents have words, so these need words too; tokens only matter where there are spans
    if words is None and file.words is not None and file.documents.size:
        words = Words.of([text.split() for text in documents.texts or [""] * size])
    if documents.tokens is None and file.documents.tokens is not None and file.documents.size:
        documents = replace(documents, tokens=Tokens.from_lists([[]] * size))
    lengths = documents.lengths
    if file.in_tokens:
        of_tokens = documents.tokens or words
        lengths = None if of_tokens is None else of_tokens.lengths
    empty = replace(
        others,
        documents=documents,
        words=words,
        columns=file.columns,
        in_tokens=file.in_tokens,
        spans=Spans.none(size, lengths),
        stated=None,
        tags=(),
        annotators=None if not file.annotators else (file.annotators[0],) * size,
        answers=None if file.answers is None else (None,) * size,
        decoding={},
    )
    ids = if_all(part.documents.ids for part in (file, others))
    joined = joined_files(file.source, {"": file, "others": empty})
    names = None if ids is None else tuple(chain.from_iterable(ids))
    kept = {name: getattr(file, name) for name in ("format", "left_out", "notes", "tokenizer")}
    return replace(joined, documents=replace(joined.documents, ids=names), parts=None, **kept)


def _joined_missing(parts: Sequence[DocumentFile]) -> Spans | None:
    missing = [part.missing or Spans.none(part.documents.size) for part in parts]
    return end_to_end(missing) if any(map(len, missing)) else None


def _joined_runs(parts: Sequence[LineRuns | None]) -> LineRuns | None:
    runs = if_all(parts)
    if runs is None:
        return None
    base = offsets_of([run.size for run in runs])
    tokens = [run.tokens + first for run, first in zip(runs, base.tolist(), strict=False)]
    return LineRuns(np.concatenate(tokens), np.concatenate([run.lines for run in runs]), int(base[-1]))


def _joined_entities(parts: Sequence[Entities]) -> Entities:
    lengths = if_all(part.lengths for part in parts)
    column = pa.chunked_array([part.to_arrow() for part in parts])
    return Entities.from_arrow(column, lengths=None if lengths is None else np.concatenate(lengths))


def _names_of(files: Iterable[str], first: DocumentFile, documents: Sequence[Documents]) -> tuple[str, ...] | None:
    """Name the documents of all files: by file if each file has one document, otherwise by file and document."""
    if first.tags or (first.entities is not None and first.comment_text):
        # names in comments come from the corpus, and are compared
        own = if_all(each.ids for each in documents)
        return None if own is None else tuple(chain.from_iterable(own))
    if all(each.size == 1 for each in documents):
        return tuple(files)
    each_ids = [each.ids or range(each.size) for each in documents]
    return tuple(f"{file}/{name}" for file, names in zip(files, each_ids, strict=True) for name in names)


def _decoding(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Join the decodings of all files: they have the same options, but can have different schemes."""
    schemes = dict.fromkeys(str(decoding["scheme"]) for decoding in parts)
    shared = {name: value for decoding in parts for name, value in decoding.items()}
    return {**shared, "scheme": "+".join(schemes)} if parts else {}


def if_all(values: Iterable[Value | None]) -> list[Value] | None:
    """Return the values of all files; None if a file has no value."""
    items = list(values)
    present = [value for value in items if value is not None]
    return present if len(present) == len(items) else None
