"""Files of any format that has spans, as documents and spans: `read_documents`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from ..errors import InputError, setting
from ..spans.documents import Documents, places_of
from ..spans.spans import Spans
from .annotated_file import AnnotatedFile
from .document_file import DocumentFile
from .formats import AUTO, detect, formats_of, read_as
from .tag_file import TagFile, read, tag_lists


def read_documents(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = AUTO,
    annotator: str | None = None,
    column: int | str | None = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    prefix: bool = True,
    offset_unit: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    limits: Mapping[str, float] | None = None,
    **options: Any,
) -> DocumentFile:
    """Read the documents and spans of a file: exports of annotation tools, outputs of systems, JSON lines, or tags.

    Args:
        path: the file, or an open binary stream; or a folder of brat's files.
        format: its name; `auto` tells it from the content.
        annotator: whose spans to read, if the file has those of several; all of them by default.
        column: of tags, see `read`.
        scheme, repair, prefix: of tags, see `Spans.from_tags`.
        offset_unit: in which offsets are counted, see `spanometer.spans.characters.UNITS`, if the format leaves it
            open and the file does not tell.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: those of `Limits`.
        **options: those of a format, as `text_key` of Label Studio's.

    Raises:
        InputError: names the file and the place, for what cannot be read; and for an unknown annotator.
    """
    known = formats_of(DocumentFile)
    if format == AUTO:
        found = detect(path)
        format = found.name if found is not None and found.content is DocumentFile else AUTO
    if format in known and isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        read_folder = known[format].read_folder
        if read_folder is None:
            raise InputError(f"{format} is no format of folders.", "Name a file.", source=os.fspath(path))
        folder = read_folder(path, offset_unit=offset_unit, **(limits or {}))
        return folder if annotator is None else folder.of(annotator)
    if format not in known:
        given = {"columns": [column], "words": True, "format": format, **options, **(limits or {})}
        tags = read(path, name=name, progress=progress, **given)
        return documents_of_tags(tags, tags.spans(scheme=scheme, repair=repair, prefix=prefix))
    defaults = {key: value for each in known.values() for key, value in each.options.items()}
    given = {**defaults, **options, "offset_unit": offset_unit, "scheme": scheme, "repair": repair}
    file = read_as(DocumentFile, path, format=format, name=name, progress=progress, limits=limits, options=given)
    return file if annotator is None else file.of(annotator)


def documents_of_tags(file: TagFile, spans: Spans) -> DocumentFile:
    """Return a file of tags as documents with spans of tokens."""
    base = {name: getattr(file, name) for name in AnnotatedFile.__dataclass_fields__ if name != "words"}
    return DocumentFile(
        **base,
        documents=Documents(size=len(file.document_lines)),
        spans=spans,
        words=None if file.words is None else tag_lists(file.words),
        in_tokens=True,
    )


def require_one_annotator(file: DocumentFile) -> DocumentFile:
    """Return a file; an `InputError` if several annotators have annotated its documents."""
    if len(file.names) > 1:
        listed = ", ".join(map(repr, file.names))
        raise InputError(
            f"the file has spans of {len(file.names)} annotators: {listed}.",
            f"Choose one with {setting('annotator', file.names[0])}.",
            source=file.source,
        )
    return file


def by_annotator(file: DocumentFile) -> dict[str, DocumentFile]:
    """Return what each annotator has annotated, the documents that all of them have, in one order."""
    sides = {name: file.of(name) for name in file.names}
    known = [side.documents.ids for side in sides.values() if side.documents.ids is not None]
    if len(known) < len(sides):
        return sides
    for side in sides.values():
        side.documents.require_unique()
    of_all = set(known[0]).intersection(*known)
    shared = [name for name in known[0] if name in of_all]
    return {name: side.take(places_of(ids, shared)) for (name, side), ids in zip(sides.items(), known, strict=True)}
