"""Read tag files: columns in the manner of CoNLL, tag-only files, JSON lines; plain or gzipped."""

from .reading import FORMATS, read
from .tag_file import Column, TagFile, require_same_tokens, tag_lists

__all__ = ["FORMATS", "Column", "TagFile", "read", "require_same_tokens", "tag_lists"]
