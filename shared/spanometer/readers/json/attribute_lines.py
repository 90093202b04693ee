"""JSON lines of spans with attributes, each line one document: `read_attributes`, and what it returns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ...arrays import in_chunks
from ...documents.joining import TOGETHER, if_all, parts_together
from ...documents.places_in_files import AnnotatedFile
from ...documents.words import WordRows
from ...exceptions import InputError, require_choice, require_same_text
from ...spans.attributes import Attributes, attributes_arrays
from ..formats import Evidence, Format, read_as, register
from ..source import Source
from .records import MARK, add_words, is_json_lines, list_in, located, rows, words_in

_KEYS = ("spans", "entities")
_ATTRIBUTES = re.compile(rb'"attributes"\s*:')


@dataclass(frozen=True, eq=False, kw_only=True)
class AttributeFile(AnnotatedFile):
    """The spans of a file and their attributes.

    Attributes:
        attributes: the spans and their attributes as columns.
        format: what they were read as.
        texts: the text of each document; None if the file has none.
    """

    attributes: Attributes
    format: str = "jsonl"
    texts: Sequence[str] | None = None


def require_same_texts(references: AttributeFile, predictions: AttributeFile) -> None:
    """Raise an `InputError` that names file and line unless the texts are the same, as far as both sides have any.

    Files of other numbers of documents are not compared.
    """
    one, other = references.texts, predictions.texts
    for file, texts, beside in ((references, one, predictions), (predictions, other, references)):
        if texts is not None and file.words is None and beside.texts is None and beside.words is not None:
            raise InputError(
                f"the documents have a text, whose characters spans count, and those of {beside.source} have words.",
                "Count the spans of both sides in the same.",
                source=file.source,
            )
    if one is None or other is None:
        return
    for document, (text, found) in enumerate(zip(one, other, strict=False)):
        try:
            require_same_text(text, found, document, "Both sides must annotate the same text.")
        except InputError as error:
            raise references.locate(error) from None


def read_attributes(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    words: bool = True,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> AttributeFile:
    """Read JSON lines of spans with attributes; plain or gzipped.

    Each line is a document: a list of spans as `Attributes.from_dicts` takes them, or an object with such a list under
    `spans` or `entities`, and the document's words under `tokens` or `words` if it is to have any. JSON has no keys but
    strings, so scores of other values are numbers or lists, not objects.

    Args:
        path: the file, or an open binary stream; or a folder, or a pattern with wildcards, whose files are read one
            after the other.
        words: whether to read the words too.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: `max_line` (16) and `max_size` (2000), the longest line and the largest file in megabytes, unpacked; and
            `encoding` (utf-8).

    Raises:
        InputError: names the file and, if it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for invalid JSON, and for what `Attributes.from_dicts` refuses.
    """
    require_choice("words", words, (True, False))
    options = {"words": words}
    return read_as(AttributeFile, path, format="jsonl", name=name, progress=progress, limits=limits, options=options)


def _read(source: Source, *, words: bool = True) -> AttributeFile:
    found = WordRows()
    lines: list[int] = []
    texts: list[str] = []

    def documents() -> Iterator[list[Any]]:
        for line, _, row in rows(source, "spans"):
            of_line = words_in(source, row, None, line) if words else None
            add_words(found, of_line, source, line, first=not lines)
            if isinstance(row, dict) and isinstance(row.get("text"), str):
                texts.append(row["text"])
            lines.append(line)
            if len(texts) not in (0, len(lines)):
                raise source.refuse("some lines have a text, others have none.", "Give all lines one, or none.", line)
            yield list_in(source, row, _KEYS, line, "spans")

    try:
        attributes = Attributes.from_arrow(pa.chunked_array(in_chunks(documents(), attributes_arrays)))
    except InputError as error:
        raise located(error, source, lines) from None
    return AttributeFile(
        source=source.name,
        attributes=attributes,
        words=found.words() if len(found) else None,
        texts=texts or None,
        document_lines=np.array(lines, dtype=np.int64),
    )


def _evidence(source: Source) -> Evidence:
    """Look for `attributes` in the first document that has spans."""
    if not is_json_lines(source):
        return Evidence.NONE
    lines = [line for line in source.head.split(b"\n") if line.strip()]
    for number, text in enumerate(lines, 1):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            # the last one may go on after the head
            cut = number == len(lines) and _ATTRIBUTES.search(text)
            return Evidence.CERTAIN if cut else Evidence.POSSIBLE
        if isinstance(row, dict):
            row = next((row[key] for key in _KEYS if key in row), None)
        if not isinstance(row, list):
            return Evidence.POSSIBLE
        if row:
            found = any(isinstance(span, dict) and "attributes" in span for span in row)
            return Evidence.CERTAIN if found else Evidence.POSSIBLE
    return Evidence.POSSIBLE


def _together(source: str, files: Mapping[str, AttributeFile]) -> AttributeFile:
    joined = pa.chunked_array([part.attributes.to_arrow() for part in files.values()])
    texts = if_all(part.texts for part in files.values())
    return AttributeFile(
        **parts_together(source, files),
        attributes=Attributes.from_arrow(joined),
        texts=None if texts is None else list(chain.from_iterable(texts)),
    )


TOGETHER[AttributeFile] = _together
register(Format(name="jsonl", content=AttributeFile, mark=MARK, evidence=_evidence, read=_read))
