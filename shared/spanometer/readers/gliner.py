"""GLiNER's training data: words, and spans of them."""

from __future__ import annotations

from typing import Any

from .document_file import DocumentFile, documents_of
from .formats import Evidence, Format, register
from .json_text import first_object, is_object, values
from .records import Record
from .source import Source

_REMEDY = 'Write an object for each document: {"tokenized_text": [...], "ner": [[first, last, label], ...]}.'


def read_gliner(source: Source) -> DocumentFile:
    """Read objects with `tokenized_text` and `ner`, whose spans name their first and their last token.

    Raises:
        InputError: names the line, for an object of another form, and as `documents_of`.
    """
    records = (_record(source, *row) for row in values(source, "documents"))
    return documents_of(source, records, in_tokens=True)


def _record(source: Source, line: int, place: str, row: Any) -> Record:
    where = place or f"line {line}"
    words, spans = (row.get(key) if isinstance(row, dict) else None for key in ("tokenized_text", "ner"))
    if not isinstance(words, list) or not isinstance(spans, list) or not all(isinstance(word, str) for word in words):
        raise source.refuse(f"{where} has no list of words 'tokenized_text', or no list 'ner'.", _REMEDY, line)
    if not all(isinstance(span, list) and len(span) == 3 and type(span[1]) is int for span in spans):
        raise source.refuse(f"a span of {where} is not [first, last, label].", _REMEDY, line)
    return Record(spans=[(first, last + 1, label) for first, last, label in spans], words=words, line=line, place=place)


def _evidence(source: Source) -> Evidence:
    found = is_object(first_object(source), "tokenized_text", "ner")
    return Evidence.CERTAIN if found else Evidence.NONE


register(
    Format(name="gliner", content=DocumentFile, mark="GLiNER's training data", evidence=_evidence, read=read_gliner)
)
