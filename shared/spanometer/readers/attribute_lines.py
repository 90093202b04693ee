"""JSON lines of spans with attributes: each line one document."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ..errors import InputError
from ..spans.attributes import Attributes
from .json_lines import parse_line
from .reading import is_json_lines
from .source import Source

_KEYS = ("spans", "entities")
_REMEDY = "Write a list of spans, or an object with one under 'spans' or 'entities', on each line."


@dataclass(frozen=True, eq=False)
class AttributeFile:
    """The spans of a file and their attributes.

    Attributes:
        source: what errors call the file.
        attributes: the spans and their attributes as columns.
        document_lines: int64, the number of the line, from 1, of each document.
    """

    source: str
    attributes: Attributes
    document_lines: np.ndarray

    @property
    def lengths(self) -> None:
        """The documents' lengths, which such files do not have."""
        return None

    def line(self, document: int, position: int | None = None) -> int:
        """The line of a document, on which all its tokens are."""
        return int(self.document_lines[document])

    def locate(self, error: InputError) -> InputError:
        """An error about a document of this file, said of the file and line."""
        line = None if error.document is None else self.line(error.document)
        return InputError(error.problem, error.remedy, span=error.span, source=self.source, line=line)


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
        InputError: names the file and, where it is known, the line: for a file that cannot be opened, is empty, binary
            or not UTF-8, for invalid JSON, and for what `Attributes.from_dicts` refuses.
    """
    lines = array("q")
    documents: list[list[Any]] = []
    with Source.open(path, name, progress) as source:
        for first, block in source.blocks():
            for number, text in enumerate(block.split(b"\n"), first):
                if text.strip():
                    documents.append(_list(source, parse_line(source, text, number, "spans"), number))
                    lines.append(number)
        if not lines:
            raise source.refuse("the file has no documents.", "Write one JSON list of spans a line.")
        try:
            attributes = Attributes.from_dicts(documents)
        except InputError as error:
            line = None if error.document is None else lines[error.document]
            raise InputError(error.problem, error.remedy, span=error.span, source=source.name, line=line) from None
        return AttributeFile(source.name, attributes, np.frombuffer(lines, dtype=np.int64))


def holds_attributes(path: str | os.PathLike[str]) -> bool:
    """Whether a file is JSON lines and a span of its first document that has some has `attributes`."""
    try:
        with Source.open(path, None, None) as source:
            if not is_json_lines(source):
                return False
            for _, block in source.blocks():
                for text in block.split(b"\n"):
                    spans = _spans_of(json.loads(text)) if text.strip() else None
                    if spans:
                        return any(isinstance(span, dict) and "attributes" in span for span in spans)
    except (InputError, ValueError, RecursionError):
        # whoever reads the file says what is wrong with it
        return False
    return False


def _list(source: Source, row: list[Any] | dict[str, Any], line: int) -> list[Any]:
    spans = _spans_of(row)
    if spans is not None:
        return spans
    keys = ", ".join(map(repr, row)) or "none"
    raise source.refuse(f"the object has no list 'spans' or 'entities'; its keys: {keys[:300]}.", _REMEDY, line)


def _spans_of(row: Any) -> list[Any] | None:
    """The list of a line, wherever it is."""
    if isinstance(row, dict):
        row = next((row[key] for key in _KEYS if key in row), None)
    return row if isinstance(row, list) else None
