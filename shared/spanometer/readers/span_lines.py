"""JSON lines of spans: each line one document."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..spans.spans import Spans
from .formats import Format, register
from .json_lines import MARK, evidence, list_in, located, rows, words_in
from .source import Source
from .span_file import SpanFile


def read_span_lines(source: Source, *, key: str = "spans") -> SpanFile:
    """Read lists of spans, and words if every line has them; see `read_spans`."""
    documents: list[list[Any]] = []
    words: list[list[Any] | None] = []
    lines: list[int] = []
    for line, row in rows(source, "spans"):
        documents.append(list_in(source, row, (key,), line, "spans", "Name the key of the list of spans."))
        words.append(words_in(source, row, None, line))
        lines.append(line)
    known = [document for document in words if document is not None]
    has_words = len(known) == len(words)
    try:
        spans = Spans.from_dicts(documents, lengths=list(map(len, known)) if has_words else None)
    except InputError as error:
        raise located(error, source, lines) from None
    return SpanFile(
        source=source.name,
        spans=spans,
        words=known if has_words else None,
        document_lines=np.array(lines, dtype=np.int64),
    )


register(Format(name="jsonl", content=SpanFile, mark=MARK, evidence=evidence, read=read_span_lines))
