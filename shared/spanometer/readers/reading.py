"""Files of any format that has spans, as documents and spans: `read_documents`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from ..documents.document_file import DocumentFile
from ..documents.joining import read_together
from ..documents.tokenizers import require_tokenizer, with_tokens
from ..exceptions import InputError, require_choice, require_kind, setting
from ..options import Option, options_of, require_known
from ..tags.decoding import Decoding
from .columns.reading import read
from .folders import files_of
from .formats import AUTO, detect, formats_of, read_as, reading_options
from .source import Limits, require_name, require_stream, spooled

_OF_TAGS = ("documents", "outside", "boundary")
"""The options of reading tags, beside those of decoding them."""


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
        path: the file, or an open binary stream; or a folder, or a pattern with wildcards, whose files are read one
            after the other and are named by their paths.
        format: its name; `auto` tells it from the content.
        annotator: whose spans to read, if the file has those of several; all of them by default.
        column: of tags, see `readers.read`.
        prefix: whether tags have prefixes, see `Spans.from_tags`.
        tokenizer: what makes tokens of the texts, see `tokenizers.TOKENIZERS`; the spans stay in characters.
        encoding: of the text, utf-8 by default.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: those of `Limits`.
        **options: those of formats: of tags `scheme` and `repair` (see `Spans.from_tags`), `documents` and `outside`
            (see `readers.read`); of others what their readers declare, such as `offset_unit` (in which offsets are
            counted, if the format leaves it open and the file does not tell) or Label Studio's `text_key`.

    Raises:
        InputError: names the file and the place, for what cannot be read; for an option that no format has, or another
            format than this; and for an unknown annotator.
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
    # keys of spans are named in our JSON lines alone, which show no format without the usual one
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
        together = read_together(path, files, lambda file: read_documents(file, **each, limits=limits))
        file = together if annotator is None else together.of(annotator)
        return file if tokenizer is None else with_tokens(file, tokenizer)
    if named not in formats:
        of_tags = {key: options.pop(key) for key in _OF_TAGS if key in options}
        decoding = {key: options.pop(key) for key in options_of(Decoding) if key in options}
        _refuse(
            name,
            {key: value for key, value in options.items() if not _is_default(value, declared[key])},
            "not for tags",
        )
        arguments = {"columns": [column], "words": True, "format": format, **of_tags, **limits}
        tags = read(path, name=name, progress=progress, **arguments)
        file = tags.decoded(prefix=prefix, **decoding)
        return file if tokenizer is None else with_tokens(file, tokenizer)
    arguments = {**{key: option.default for key, option in declared.items()}, **options}
    _refuse(name, {key: value for key in _OF_TAGS if (value := arguments.pop(key, None)) is not None}, "for tags alone")
    file = read_as("spans", path, format=named, name=name, progress=progress, limits=limits, options=arguments)
    chosen = file if annotator is None else file.of(annotator)
    return chosen if tokenizer is None else with_tokens(chosen, tokenizer)


def _is_default(value: Any, declared: Option) -> bool:
    # anybody's object may have an equality of its own
    return isinstance(value, type(declared.default)) and bool(value == declared.default)


def _refuse(name: str | None, options: Mapping[str, Any], whose: str) -> None:
    for option in options:
        raise InputError(f"{setting(option)} is {whose}.", f"Leave out {setting(option)}.", source=name)
