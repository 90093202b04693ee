"""Files of spans with attributes: `read_attributes`, and what it returns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from ..spans.attributes import Attributes
from .annotated_file import AnnotatedFile
from .formats import read_as


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
    return read_as(AttributeFile, path, format="jsonl", name=name, progress=progress, options={})
