"""Read files of annotation, plain or gzipped, and write them again: one module a format, over one interface.

Tags: columns in the manner of CoNLL, tag-only files, JSON lines. Entity trees: HIPE's columns, QUAERO's markup, JSON
lines. Spans, with attributes or without: JSON lines; from spaCy's documents see `spacy`. Logits: see `logits`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    **dict.fromkeys(("AnnotatedFile", "require_same_tokens"), "annotated_file"),
    **dict.fromkeys(("AttributeFile", "read_attributes"), "attribute_lines"),
    **dict.fromkeys(("EntityFile", "LeftOut", "read_entities", "write_entities"), "entity_file"),
    **dict.fromkeys(("Format", "detect", "formats_of"), "formats"),
    "Rewriter": "rewriter",
    **dict.fromkeys(("Source", "open_file"), "source"),
    **dict.fromkeys(("SpanFile", "read_spans"), "span_lines"),
    **dict.fromkeys(("Column", "TagFile", "read", "read_parts", "tag_lists"), "tag_file"),
    "read_word_probabilities": "word_list",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
