"""Reading and writing of annotation files, plain or gzipped. Each format is one module with the same interface.

Formats of tags: CoNLL columns, tag-only files, JSON lines. Formats of entity trees: HIPE's columns, QUAERO's markup,
JSON lines. For documents with spans see `reading`, for spaCy's documents `spacy`, for logits `logits`.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "DocumentFile": "documents.document_file",
    "require_same_tokens": "documents.joining",
    **dict.fromkeys(("read", "read_entities", "read_parts"), "readers.reading"),
    **dict.fromkeys(("Format", "detect", "formats_of"), "readers.formats"),
    "Rewriter": "readers.columns.rewriter",
    **dict.fromkeys(("Source", "open_file"), "readers.source"),
    **dict.fromkeys(("Column", "tag_lists"), "documents.layers"),
    "read_word_probabilities": "readers.option_files",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _HOMES:
        return getattr(import_module(f"spanometer.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
