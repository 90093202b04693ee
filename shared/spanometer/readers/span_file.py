"""Files of spans: `read_spans`, and what it returns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..spans.spans import Spans
from .annotated_file import AnnotatedFile
from .formats import read_as


@dataclass(frozen=True, eq=False, kw_only=True)
class SpanFile(AnnotatedFile):
    """The spans of a file.

    Attributes:
        spans: its spans; their documents' lengths are known if the file has words.
        words: the words of each document, or None unless every document has them.
    """

    spans: Spans
    words: list[list[str]] | None

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in tokens; None if the file has no words."""
        return self.spans.lengths


def read_spans(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    key: str = "spans",
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> SpanFile:
    """Read JSON lines of spans, which may overlap and have gaps.

    Each line is a document: a list of spans as `Spans.from_dicts` takes them, or an object that has one under `key` and
    may have the document's words under `tokens` or `words`.

    Args:
        path: the file, plain or gzipped, or an open binary stream.
        key: of the list of spans.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.

    Raises:
        InputError: names the file and the line, as `read` does; also for a span past the end of its document.
    """
    return read_as(SpanFile, path, format="jsonl", name=name, progress=progress, options={"key": key})
