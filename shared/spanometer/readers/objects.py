"""What systems return in Python, as documents: answers of language models, and results of NER pipelines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, shown
from .reading import read_documents

_REMEDY = (
    "Give for each document an answer (a string, or what the interface returns), or what a pipeline returns: lists of "
    "spans of Transformers, GLiNER or Presidio, documents of spaCy or Stanza, sentences of Flair."
)


def beside_files(sides: Mapping[str, Any], *, answers: bool = False) -> dict[str, Any]:
    """Read the sides that are Python objects of systems, if any side has texts: a file, or objects with texts.

    Args:
        sides: by their names, the reference first.
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
    """Check for a list of objects that have a text, by its first one."""
    value = side[0] if isinstance(side, (list, tuple)) and len(side) else None
    return (isinstance(value, Mapping) and isinstance(value.get("text"), str)) or (
        not isinstance(value, (str, list, tuple, Mapping)) and _spans_of(value) is not None
    )


def read_objects(values: Iterable[Any], *, name: str, answers: bool = False, **options: Any) -> DocumentFile:
    """Read what systems return in Python, as `read_documents` reads it from a file of JSON lines.

    Args:
        values: an object for each document: an answer of a language model, as text or in the envelope of an interface;
            a list of spans of Transformers' pipeline, GLiNER or Presidio; a document of spaCy or Stanza; a sentence of
            Flair; or an object with `text` and `spans`.
        name: what errors call them.
        answers: whether all are answers of language models.
        **options: as `read_documents` has them.

    Raises:
        InputError: for objects of another type, and as `read_documents`.
    """
    rows = []
    for document, value in enumerate(values):
        try:
            rows.append(_plain(value))
        except (TypeError, RecursionError):
            problem = f"{shown(value)} is neither an answer nor what a pipeline returns."
            raise InputError(problem, _REMEDY, document=document) from None
    if answers or any(row is None or isinstance(row, str) for row in rows):
        options.setdefault("format", "answers")
        rows = [row if isinstance(row, dict) and "answer" in row else {"answer": row} for row in rows]
    lines = BytesIO("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return read_documents(lines, name=name, **options)


def _plain(value: Any) -> Any:
    """Convert an object to what JSON has."""
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
    """List the spans of a document of spaCy or Stanza, or of a sentence of Flair, in characters."""
    if hasattr(document, "ents") and hasattr(document, "char_span"):
        return [(span.start_char, span.end_char, span.label_) for span in document.ents]
    if callable(getattr(document, "get_spans", None)):
        return [(span.start_position, span.end_position, span.tag) for span in document.get_spans()]
    if hasattr(document, "entities") and hasattr(document, "sentences"):
        return [(span.start_char, span.end_char, span.type) for span in document.entities]
    return None
