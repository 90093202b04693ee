"""Read tag files: columns in the manner of CoNLL, tag-only files, JSON lines; plain or gzipped. Write them again.

Entity trees: HIPE's columns, QUAERO's markup, JSON lines. Spans with attributes: JSON lines; from spaCy see `spacy`.
"""

from .attribute_lines import AttributeFile, holds_attributes, read_attributes
from .entity_file import EntityFile, LeftOut
from .entity_reading import ENTITY_FORMATS, read_entities, write_entities
from .reading import FORMATS, read, read_parts, read_spans
from .rewriter import Rewriter
from .source import Source, open_file
from .tag_file import Column, SpanFile, TagFile, require_same_tokens, tag_lists
from .telling import clear_entity_format

__all__ = [
    "ENTITY_FORMATS",
    "FORMATS",
    "AttributeFile",
    "Column",
    "EntityFile",
    "LeftOut",
    "Rewriter",
    "Source",
    "SpanFile",
    "TagFile",
    "clear_entity_format",
    "holds_attributes",
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
