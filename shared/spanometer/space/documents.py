"""Uploaded files of documents with spans, of any format, up to a limit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..errors import counted, printable
from ..readers.bioc import read_bioc  # noqa: F401 (a format that pages read)
from ..readers.columns import read_columns  # noqa: F401 (another)
from ..readers.conllu import read_conllu  # noqa: F401 (another)
from ..readers.doccano import read_doccano  # noqa: F401 (another)
from ..readers.document_file import DocumentFile
from ..readers.document_lines import read_document_lines  # noqa: F401 (another)
from ..readers.gliner import read_gliner  # noqa: F401 (another)
from ..readers.json_lines import read_tag_lines  # noqa: F401 (another)
from ..readers.label_studio import read_label_studio  # noqa: F401 (another)
from ..readers.prodigy import read_prodigy  # noqa: F401 (another)
from ..readers.pubtator import read_pubtator  # noqa: F401 (another)
from ..readers.reading import read_documents
from ..readers.spacy_json import read_spacy_json  # noqa: F401 (another)
from ..readers.system_output import read_system_output  # noqa: F401 (another)
from ..readers.webanno import read_webanno  # noqa: F401 (another)
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes, too_much

FORMATS = "CoNLL columns with the tag in the last one, JSON lines, exports of annotation tools, outputs of systems"
"""What can be read, in words."""


def read_file(path: str, *, scored: bool = True, **options: Any) -> DocumentFile:
    """Read an uploaded file.

    Args:
        path: of the file.
        scored: whether it is scored: that has limits of its own.
        **options: of reading, see `reading.read_documents`.

    Raises:
        InputError: for a file that cannot be read, or is too large.
    """
    name = printable(os.path.basename(path))
    if os.path.getsize(path) > MAX_BYTES:
        raise too_much(name, f"more than {megabytes(MAX_BYTES)}")
    # packed files are larger than they look
    file = read_documents(path, name=name, limits={"max_size": MAX_BYTES / 1e6}, **options)
    documents, lengths = file.documents.size, file.lengths
    if scored and documents > MAX_DOCUMENTS:
        raise too_much(name, f"{counted(documents, 'document')}, more than {MAX_DOCUMENTS:,}")
    if scored and file.in_tokens and lengths is not None and lengths.sum() > MAX_TOKENS:
        raise too_much(name, f"{counted(int(lengths.sum()), 'token')}, more than {MAX_TOKENS:,}")
    return file


def named(paths: Sequence[str]) -> dict[str, str]:
    """Return paths by names that differ."""
    by_name: dict[str, str] = {}
    for path in paths:
        bare = printable(os.path.splitext(os.path.basename(path))[0])
        taken = sum(name == bare or name.startswith(f"{bare} (") for name in by_name)
        by_name[f"{bare} ({taken + 1})" if taken else bare] = path
    return by_name
