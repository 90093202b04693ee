"""JSON lines of spans, each line one document: `read_spans`, and what it returns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ...documents.places_in_files import AnnotatedFile
from ...documents.words import WordRows
from ...exceptions import InputError, require_kind
from ...spans.spans import Spans
from ..formats import Format, register
from ..source import Source
from .records import MARK, add_row, evidence, list_in, located, rows, words_in

_ROWS = 1000
"""How many documents are written together."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SpanFile(AnnotatedFile):
    """The spans of a file.

    Attributes:
        spans: its spans; their documents' lengths are known if the file has words.
    """

    spans: Spans

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
    **limits: Any,
) -> SpanFile:
    """Read JSON lines of spans, which may overlap and have gaps.

    Each line is a document: a list of spans as `Spans.from_dicts` takes them, or an object that has one under `key` and
    may have the document's words under `tokens` or `words`.

    Args:
        path: the file, plain or gzipped, or an open binary stream.
        key: of the list of spans.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: `max_line` (16) and `max_size` (2000), the longest line and the largest file in megabytes, unpacked; and
            `encoding` (utf-8).

    Raises:
        InputError: names the file and the line, as `read` does; also for a span past the end of its document.
    """
    require_kind(key, str, "the key of a list", "Give it as a string.")
    with Source.open(path, name, progress, **limits) as source:
        return _read(source, key=key)


def _read(source: Source, *, key: str = "spans") -> SpanFile:
    """Read lists of spans, and words if every line has them."""
    documents: list[list[Any]] = []
    words = WordRows()
    lines: list[int] = []
    for line, row in rows(source, "spans"):
        documents.append(list_in(source, row, (key,), line, "spans", "Name the key of the list of spans."))
        of_line = words_in(source, row, None, line)
        if of_line is not None:
            add_row(words, of_line, source, line)
        elif isinstance(row, dict) and isinstance(row.get("text"), str):
            raise source.refuse(
                "the line has a text and no words: its spans are of characters, and spans of tokens are read here.",
                "Give the words as a list of strings under 'tokens'.",
                line,
            )
        lines.append(line)
    # if only some lines have words, none of them are used
    known = words.words() if len(words) == len(lines) else None
    try:
        spans = Spans.from_dicts(documents, lengths=None if known is None else known.lengths)
    except InputError as error:
        raise located(error, source, lines) from None
    return SpanFile(
        source=source.name,
        spans=spans,
        words=known,
        document_lines=np.array(lines, dtype=np.int64),
    )


def span_lines(spans: Spans) -> Iterator[bytes]:
    """Yield spans as JSON lines that `read_spans` reads: an object with `spans` for each document, without words."""
    column = spans.to_arrow()
    for first in range(0, len(column), _ROWS):
        rows = column.slice(first, _ROWS).to_pylist()
        yield "".join(f"{json.dumps({'spans': row}, ensure_ascii=False)}\n" for row in rows).encode()


register(Format(name="jsonl", content=SpanFile, mark=MARK, evidence=evidence, read=_read))
