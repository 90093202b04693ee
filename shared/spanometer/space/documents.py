"""Uploaded files of documents with spans, in any format, up to a maximum size."""

import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, printable
from ..readers.reading import read_documents
from .limits import MAX_BYTES, MAX_DOCUMENTS, require_at_most, require_size, upload_name


def read_file(path: str, *, scored: bool = True, **options: Any) -> DocumentFile:
    """Read an uploaded file.

    Args:
        path: the path of the file.
        scored: whether it is scored; scored files have their own limits.
        **options: options for reading, see `reading.read_documents`.

    Raises:
        InputError: if the file cannot be read or is too large.
    """
    name = upload_name(path)
    # packed files are larger than they look
    options["limits"] = {"max_size": MAX_BYTES / 1e6}
    if zipfile.is_zipfile(path):
        with tempfile.TemporaryDirectory() as folder:
            file = _read_archive(path, name, f"{folder}{os.sep}", options)
    else:
        file = read_documents(path, name=name, **options)
    if scored:
        require_size(file, name)
    return file


def _read_archive(path: str, name: str, folder: str, options: Mapping[str, Any]) -> DocumentFile:
    """Unpack an archive into a folder and read its files."""
    unpacked = os.path.join(folder, "archive")
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                file for file in archive.infolist() if not (file.is_dir() or file.filename.startswith("__MACOSX/"))
            ]
            require_at_most(MAX_DOCUMENTS, len(members), "files", name)
            require_at_most(MAX_BYTES, sum(member.file_size for member in members), "bytes when unpacked", name)
            archive.extractall(unpacked, members)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError):
        raise InputError(
            "the archive cannot be unpacked.", "Pack the files again, as zip, without a password.", source=name
        ) from None
    if not members:
        raise InputError("the archive is empty.", "Pack the files again.", source=name)
    try:
        file = read_documents(unpacked, **options)
    except InputError as error:
        raise error.placed(source=(error.source or "").replace(unpacked, name)) from None
    parts = file.parts
    if parts is not None:
        parts = replace(parts, sources=tuple(source.replace(unpacked, name) for source in parts.sources))
    return replace(file, source=name, parts=parts)


def named(paths: Sequence[str]) -> dict[str, str]:
    """Return paths by their file names; a repeated name gets a number."""
    by_name: dict[str, str] = {}
    for path in paths:
        bare = printable(os.path.splitext(os.path.basename(path))[0])
        taken = sum(name == bare or name.startswith(f"{bare} (") for name in by_name)
        by_name[f"{bare} ({taken + 1})" if taken else bare] = path
    return by_name
