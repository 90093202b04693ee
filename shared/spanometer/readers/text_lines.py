"""JSON lines of texts without spans, which answers of language models are about."""

from __future__ import annotations

from .answer_lines import AnswerLines, record_of
from .document_file import DocumentFile, documents_of
from .formats import Evidence, Format, register
from .json_text import first_object, values
from .source import Source


def read_text_lines(source: Source, options: AnswerLines) -> DocumentFile:
    """Read objects with `text`, or another key, and `id` and `tokens` where they are known; there are no spans.

    Raises:
        InputError: names the line, for an object without a text.
    """
    rows = values(source, "texts")
    return documents_of(source, (record_of(source, *row, options.text_key or "text") for row in rows))


def _evidence(source: Source) -> Evidence:
    # a reference without spans is mostly one whose spans are not found
    return Evidence.POSSIBLE if isinstance(first_object(source).get("text"), str) else Evidence.NONE


register(
    Format(
        name="texts",
        content=DocumentFile,
        mark="JSON lines of texts",
        evidence=_evidence,
        read=read_text_lines,
        reading=AnswerLines,
    )
)
