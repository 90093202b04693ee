"""Read tag files: columns in the manner of CoNLL, tag-only files, JSON lines; plain or gzipped. Write them again."""

from .reading import FORMATS, read, read_spans
from .rewriting import Rewriting
from .source import Source, open_file
from .tag_file import Column, SpanFile, TagFile, require_same_tokens, tag_lists

__all__ = [
    "FORMATS",
    "Column",
    "Rewriting",
    "Source",
    "SpanFile",
    "TagFile",
    "open_file",
    "read",
    "read_spans",
    "require_same_tokens",
    "tag_lists",
]
