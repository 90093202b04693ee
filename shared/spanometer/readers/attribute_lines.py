"""JSON lines of spans with attributes, each line one document: `read_attributes`, and what it returns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ..errors import InputError
from ..spans.attributes import Attributes
from .annotated_file import AnnotatedFile
from .formats import Evidence, Format, register
from .json_lines import MARK, is_json_lines, list_in, located, rows
from .source import Source

_KEYS = ("spans", "entities")
_ATTRIBUTES = re.compile(rb'"attributes"\s*:')


@dataclass(frozen=True, eq=False, kw_only=True)
class AttributeFile(AnnotatedFile):
    """The spans of a file and their attributes.

    Attributes:
        attributes: the spans and their attributes as columns.
    """

    attributes: Attributes


def read_attributes(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> AttributeFile:
    """Read JSON lines of spans with attributes; plain or gzipped.

    Each line is a document: a list of spans as `Attributes.from_dicts` takes them, or an object with such a list under
    `spans` or `entities`. JSON has no keys but strings, so scores of other values are numbers or lists, not objects.

    Args:
        path: the file, or an open binary stream.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.

    Raises:
        InputError: names the file and, if it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for invalid JSON, and for what `Attributes.from_dicts` refuses.
    """
    with Source.open(path, name, progress) as source:
        return _read(source)


def _read(source: Source) -> AttributeFile:
    documents: list[list[Any]] = []
    lines: list[int] = []
    for line, row in rows(source, "spans"):
        documents.append(list_in(source, row, _KEYS, line, "spans"))
        lines.append(line)
    try:
        attributes = Attributes.from_dicts(documents)
    except InputError as error:
        raise located(error, source, lines) from None
    return AttributeFile(source=source.name, attributes=attributes, document_lines=np.array(lines, dtype=np.int64))


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


register(Format(name="jsonl", content=AttributeFile, mark=MARK, evidence=_evidence, read=_read))
