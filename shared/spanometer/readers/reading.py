"""Reading of files in any format as documents with spans: `read_documents`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from ..documents.document_file import DocumentFile
from ..documents.joining import read_together
from ..documents.units import require_tokenizer, with_tokens
from ..exceptions import InputError, require_choice, require_kind, setting
from ..options import Option, options_of, require_known
from ..tags.decoding import Decoding
from .columns.reading import read
from .folders import files_of
from .formats import AUTO, detect, formats_of, read_as, reading_options
from .source import Limits, require_name, require_stream, spooled

_OF_TAGS = ("documents", "outside", "boundary")
"""The options for reading tags, without the options for decoding them."""


def read_documents(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = AUTO,
    annotator: str | None = None,
    column: int | str | None = None,
    prefix: bool = True,
    tokenizer: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    limits: Mapping[str, Any] | None = None,
    **options: Any,
) -> DocumentFile:
    """Read the documents and spans of a file: exports of annotation tools, outputs of systems, JSON lines, or tags.

    Args:
        path: the file, or an open binary stream; or a folder or a pattern with wildcards, whose files are read in
            order. Documents are then named after the paths of their files.
        format: the name of the format; `auto` detects it.
        annotator: read only this annotator's spans; by default all annotators are read.
        column: the tag column, see `readers.read`.
        prefix: whether tags have prefixes, see `Spans.from_tags`.
        tokenizer: a tokenizer for the texts, see `tokenizers.TOKENIZERS`; spans stay in characters.
        encoding: the encoding of the text, utf-8 by default.
        name: what errors call the file; by default its path.
        progress: a function called with the number of bytes read since the last call.
        limits: the options of `Limits`.
        **options: the options of the format. For tags: `scheme` and `repair` (see `Spans.from_tags`), `documents` and
            `outside` (see `readers.read`). For other formats: the options that their readers declare, such as
            `offset_unit` (the unit of the offsets, if the file does not show it) or Label Studio's `text_key`.

    Raises:
        InputError: if the file cannot be read, if an option is unknown or belongs to another format, or if there is no
            such annotator. The error names the file and the place.
    """
    formats, declared = formats_of("spans"), reading_options("spans")
    require_known(options, {**declared, **dict.fromkeys(_OF_TAGS)}, "spanometer.read")
    require_stream(path)
    require_name(name)
    require_tokenizer(tokenizer)
    if annotator is not None:
        require_kind(annotator, str, "the name of an annotator", "Give a string.", option="annotator")
    limits = {} if limits is None else limits
    require_kind(limits, Mapping, "a mapping of limits", "Give limits={'max_size': 2000}.", option="limits")
    require_known(limits, options_of(Limits), "limits")
    limits = {**limits, **({} if encoding is None else {"encoding": encoding})}
    require_choice("format", format, (AUTO, *dict.fromkeys([*formats, *formats_of("tags")])))
    named = None if format == AUTO else format
    # only our JSON lines have `spans_key`; without the usual key they cannot be detected
    own_key = not _is_default(options.get("spans_key", declared["spans_key"].default), declared["spans_key"])
    if own_key and named in (None, "jsonl"):
        named = "jsonl"
    elif named is None or named in formats_of("tags"):
        # JSON lines of tags and of documents have one name
        encoding = Limits(**limits).encoding
        if isinstance(path, (str, os.PathLike)):
            detected = detect(path, "spans", named, encoding=encoding)
        else:
            name = name or str(getattr(path, "name", "input"))
            path = path if getattr(path, "seekable", bool)() else spooled(path)
            begin = path.tell()
            detected = detect(path, "spans", named, encoding=encoding)
            path.seek(begin)
        named = None if detected is None else detected.name
    of_folders = named in formats and formats[named].read_folder is not None and os.path.isdir(str(path))
    files = None if of_folders else files_of(path)
    if files is not None:
        each: dict[str, Any] = {"format": format, "column": column, "prefix": prefix, "progress": progress, **options}
        file = read_together(path, files, lambda file: read_documents(file, **each, limits=limits))
    elif named in formats:
        arguments = {**{key: option.default for key, option in declared.items()}, **options}
        _require_unset(name, {key: arguments.pop(key, None) for key in _OF_TAGS}, {}, "only for tags")
        file = read_as("spans", path, format=named, name=name, progress=progress, limits=limits, options=arguments)
    else:
        of_tags = {key: options.pop(key) for key in _OF_TAGS if key in options}
        decoding = {key: options.pop(key) for key in options_of(Decoding) if key in options}
        _require_unset(name, options, declared, "not for tags")
        arguments = {"columns": [column], "words": True, "format": format, **of_tags, **limits}
        file = read(path, name=name, progress=progress, **arguments).decoded(prefix=prefix, **decoding)
    if annotator is not None and (files is not None or named in formats):
        file = file.of(annotator)
    return file if tokenizer is None else with_tokens(file, tokenizer)


def _is_default(value: Any, declared: Option | None) -> bool:
    default = None if declared is None else declared.default
    # a user's object may define its own equality
    return isinstance(value, type(default)) and bool(value == default)


def _require_unset(name: str | None, options: Mapping[str, Any], declared: Mapping[str, Option], problem: str) -> None:
    """Raise an `InputError` for the first option that does not have its default value."""
    for option, value in options.items():
        if not _is_default(value, declared.get(option)):
            raise InputError(f"{setting(option)} is {problem}.", f"Leave out {setting(option)}.", source=name)
