"""Python objects as documents: answers of language models, results of NER pipelines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, shown
from .reading import read_documents

_REMEDY = (
    "For each document, give an answer (a string, or the response of an API) or the result of a pipeline: a list of "
    "spans from Transformers, GLiNER or Presidio, a document from spaCy or Stanza, a sentence from Flair."
)


def beside_files(sides: Mapping[str, Any], *, answers: bool = False) -> dict[str, Any]:
    """If a side is a file or has objects with texts, read all other sides that are Python objects.

    Args:
        sides: the sides by name, the reference first.
        answers: whether the other sides are answers of language models.
    """
    if not any(isinstance(side, DocumentFile) or _has_texts(side) for side in sides.values()):
        return dict(sides)
    first = next(iter(sides))
    return {
        name: read_objects(side, name=name, answers=answers and name != first)
        if isinstance(side, (list, tuple))
        else side
        for name, side in sides.items()
    }


def _has_texts(side: Any) -> bool:
    """Check whether the first object of a list has a text."""
    value = side[0] if isinstance(side, (list, tuple)) and len(side) else None
    return (isinstance(value, Mapping) and isinstance(value.get("text"), str)) or (
        not isinstance(value, (str, list, tuple, Mapping)) and _spans_of(value) is not None
    )


def read_objects(values: Iterable[Any], *, name: str, answers: bool = False, **options: Any) -> DocumentFile:
    """Read Python objects that systems return, as `read_documents` reads them from JSON lines.

    Args:
        values: an object for each document: an answer of a language model, as text or as the response of an API; a
            list of spans from Transformers' pipeline, GLiNER or Presidio; a document from spaCy or Stanza; a sentence
            from Flair; or an object with `text` and `spans`.
        name: what errors call these objects.
        answers: whether all objects are answers of language models.
        **options: the options of `read_documents`.

    Raises:
        InputError: if an object has another type; see also `read_documents`.
    """
    rows = []
    for document, value in enumerate(values):
        try:
            rows.append(_plain(value))
        except (TypeError, RecursionError):
            problem = f"{shown(value)} is neither an answer nor the result of a known pipeline."
            raise InputError(problem, _REMEDY, document=document) from None
    if answers or any(row is None or isinstance(row, str) for row in rows):
        options.setdefault("format", "answers")
        rows = [row if isinstance(row, dict) and "answer" in row else {"answer": row} for row in rows]
    lines = BytesIO("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return read_documents(lines, name=name, **options)


def _plain(value: Any) -> Any:
    """Convert an object to JSON types."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return _plain(value.item())
    spans = _spans_of(value)
    if spans is not None:
        text = value.text if isinstance(getattr(value, "text", None), str) else value.to_original_text()
        return {"text": text, "spans": [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans]}
    for method in ("model_dump", "to_dict", "dict"):
        # models of pydantic, results of Presidio
        if callable(getattr(value, method, None)):
            return _plain(getattr(value, method)())
    raise TypeError


def _spans_of(document: Any) -> list[tuple[int, int, str]] | None:
    """Return the spans, in characters, of a spaCy or Stanza document or a Flair sentence; None for other objects."""
    if hasattr(document, "ents") and hasattr(document, "char_span"):
        return [(span.start_char, span.end_char, span.label_) for span in document.ents]
    if callable(getattr(document, "get_spans", None)):
        return [(span.start_position, span.end_position, span.tag) for span in document.get_spans()]
    if isinstance(getattr(document, "entities", None), list) and hasattr(document, "sentences"):
        return [(span.start_char, span.end_char, span.type) for span in document.entities]
    return None
