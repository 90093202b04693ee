"""Read files of annotation, plain or gzipped, and write them again: one module a format, over one interface.

Tags: columns in the manner of CoNLL, tag-only files, JSON lines. Entity trees: HIPE's columns, QUAERO's markup, JSON
lines. Spans, with attributes or without: JSON lines; from spaCy's documents see `spacy`. Logits: see `logits`.
"""

from .annotated_file import AnnotatedFile, require_same_tokens
from .attribute_file import AttributeFile, read_attributes
from .entity_file import EntityFile, LeftOut, read_entities, write_entities
from .formats import Format, detect, formats
from .rewriter import Rewriter
from .source import Source, open_file
from .span_file import SpanFile, read_spans
from .tag_file import Column, TagFile, read, read_parts, tag_lists

__all__ = [
    "AnnotatedFile",
    "AttributeFile",
    "Column",
    "EntityFile",
    "Format",
    "LeftOut",
    "Rewriter",
    "Source",
    "SpanFile",
    "TagFile",
    "detect",
    "formats",
    "open_file",
    "read",
    "read_attributes",
    "read_entities",
    "read_parts",
    "read_spans",
    "require_same_tokens",
    "tag_lists",
    "write_entities",
]
