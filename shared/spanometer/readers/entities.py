"""Reading and writing of entity trees: `read_entities` and `write_entities`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ..arrays import is_ordered, is_utf8, listed
from ..documents.document_file import DocumentFile
from ..documents.layers import Words
from ..documents.record import keywords
from ..exceptions import InputError, counted, mention, require_choice, setting, shown
from ..options import options_of
from ..spans.entities import ENTITY_TYPES, Entities, Entity, entities_arrays
from .formats import formats_of, read_as
from .source import Limits, require_stream
from .writing import output_to

_DOCUMENTS, _ENTITIES = 1000, 10_000
"""The maximum number of documents, and the approximate number of entities, that are converted to columns at a time."""


def entities_of(documents: Iterable[Sequence[Mapping[str, Any]]], words: Callable[[], Words | None]) -> Entities:
    """Convert the entities of documents to columns.

    Args:
        documents: the entities of each document; only a few documents are in memory at a time.
        words: a function that returns the words, from which document lengths are taken. It is called after the last
            document.
    """
    chunks: list[pa.Array] = []
    waiting: list[Sequence[Mapping[str, Any]]] = []
    first = entities = 0
    for document in documents:
        waiting.append(document)
        entities += len(document)
        if entities >= _ENTITIES or len(waiting) == _DOCUMENTS:
            chunks += entities_arrays(waiting, first)
            first, entities, waiting = first + len(waiting), 0, []
    if waiting or not chunks:
        chunks += entities_arrays(waiting, first)
    all_words = words()
    return Entities.from_arrow(pa.chunked_array(chunks), lengths=None if all_words is None else all_words.lengths)


def read_entities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = "auto",
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> DocumentFile:
    """Read entity trees: entities with several types and with components, which may be entities themselves.

    Files are UTF-8, with or without byte order mark, plain or gzipped; lines end in LF or CRLF.

    **hipe**: one token on each line, in tab-separated columns that the first line names. `# document_id = ...` begins a
    document, and `_` is read as `O`. The columns:

    - `NE-FINE-LIT`: each span is an entity.
    - `NE-FINE-METO`: a span adds a second type to the entity with the same boundaries; if there is none, it is a
      separate entity.
    - `NE-NESTED`: each span is a separate entity, and also a component of the literal entity around it.
    - `NE-FINE-COMP`: each span is a component of the literal entity around it; `comp.` is removed from its label.

    Components outside all entities, and metonymic types that repeat the literal type, are listed in
    `DocumentFile.left_out`. Only `TOKEN` and `NE-FINE-LIT` are required. With `level="coarse"`, only `NE-COARSE-LIT`
    and `NE-COARSE-METO` are read; components and nested entities belong to the fine level.

    **quaero**: words with inline markup, see `spans.markup`. By default each line that is not blank is a document (a
    sentence or a speech turn), and entities cannot continue on the next line.

    **jsonl**: each line is a document: a list of entities as in `Entities.from_dicts`, or an object with the list
    `entities` and optional `tokens` and `id`.

    Args:
        path: the file, or an open binary stream; or a folder or a pattern with wildcards, whose files are read in
            order.
        format: `hipe`, `quaero`, `jsonl`, or `auto`. `auto` chooses jsonl if the first line is JSON, hipe if the first
            line after comments names the column of literal entities, and quaero if there is a closing tag near the
            beginning.
        name: what errors call the file; by default its path.
        progress: a function called with the number of bytes read since the last call.
        options: `max_line` (16) and `max_size` (2000), the maximum length of a line and size of the unpacked file, in
            megabytes; and the options of the format. For hipe: `level` (`fine`, the default, or `coarse`), `scheme`,
            the tag scheme (default `IOB2`; None infers it in each column) and `repair` (how to handle illegal tags, see
            `decoding.decode`; default `conlleval`). For quaero: `documents` (a document is one of the `lines`, the
            default, the lines between `blank` ones, or the `file`) and `entity_types` (tags whose first dotted part is
            listed here are entities, all other tags are components; by default QUAERO's types).

    Raises:
        InputError: if the file cannot be opened, is empty, is binary or is not UTF-8, if columns are missing, if tags
            cannot be read, or if markup or JSON is malformed. The error names the file and, if possible, line and
            column.
    """
    limits = {limit: options.pop(limit) for limit in options_of(Limits) if limit in options}
    return read_as("entities", path, format=format, name=name, progress=progress, limits=limits, options=options)


def write_entities(
    path: str | os.PathLike[str] | BinaryIO,
    entities: Sequence[Sequence[Entity]],
    *,
    format: str,
    words: Sequence[Sequence[str]] | None = None,
    documents: Sequence[str] | None = None,
    entity_types: Collection[str] = ENTITY_TYPES,
    overwrite: bool = False,
) -> None:
    """Write entity trees so that `read_entities` reads the same trees. If an error is raised, nothing is written.

    Args:
        path: the file, gzipped if its name ends in `.gz`, or an open binary stream.
        entities: the entities of each document, as in `Entities.from_dicts`; duplicates are merged.
        format: `hipe`, `quaero` (one document on each line) or `jsonl`. `hipe` writes fine and coarse columns; coarse
            types are the first dotted parts of fine types. If entities with one type and no components overlap, the
            first goes into the literal column.
        words: the words of each document; optional for jsonl.
        documents: the names of the documents, for hipe and jsonl; by default their numbers.
        entity_types: for quaero, the first dotted parts of tags that are entities.
        overwrite: whether to replace an existing file.

    Raises:
        InputError: if entities, words or names have a wrong type or cannot be represented in the format, or if the file
            exists already.
    """
    require_stream(path, "write")
    require_choice("overwrite", overwrite, (True, False))
    writers = {name: each.write for name, each in formats_of("entities").items() if each.write is not None}
    require_choice("format", format, tuple(writers))
    columns = Entities.from_dicts(entities)
    _require_texts("words", words, columns.documents)
    _require_texts("documents", documents, columns.documents)
    lengths = None if words is None else np.fromiter(map(len, words), np.int64, len(words))
    if lengths is not None:
        columns = columns.with_lengths(lengths)
    if formats_of("entities")[format].needs_words:
        if lengths is None:
            raise InputError(f"the format {format} needs words.", f"Give them with {setting('words')}.")
        if (lengths == 0).any():
            document = int(np.argmax(lengths == 0))
            remedy = f"Leave the document out: the format {format} needs words."
            raise InputError("the document has no words.", remedy, document=document)
    names = list(map(str, range(columns.documents))) if documents is None else list(documents)
    options = {"entity_types": entity_types} if "entity_types" in keywords(writers[format]) else {}
    data = writers[format](columns.to_dicts(), words, names, **options).encode()
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path) and not overwrite:
        remedy = "Choose another name, or set overwrite=True."
        raise InputError("the file exists already.", remedy, source=os.fspath(path))
    with output_to(path, replace=overwrite) as output:
        output.write(data)


def _require_texts(option: str, value: Any, documents: int) -> None:
    """Raise an `InputError` unless words are lists of lists of strings, and names are a list of strings."""
    if value is None:
        return
    remedy = "Give a list with one item for each document."
    if not isinstance(value, Collection) or not is_ordered(value):
        raise InputError(f"{setting(option, value)} is not a list.", remedy)
    if len(value) != documents:
        raise InputError(
            f"{mention(option)} has {counted(len(value), 'item')} for {counted(documents, 'document')}.", remedy
        )
    for document, item in enumerate(listed(value, remedy, option=option)):
        is_row = option == "words" and is_ordered(item)
        texts = listed(item, remedy, document=document, option=option) if is_row else [item]
        if is_row != (option == "words") or not all(map(is_text, texts)):
            raise InputError(
                f"{shown(item)} in {mention(option)} is not text that can be stored as UTF-8.",
                "Give a list of words for each document, [['Ada', 'sings'], ...], and names as strings.",
                document=document,
                option=option,
            )


def is_text(value: Any) -> bool:
    """Check whether a value is a string that can be stored as UTF-8."""
    return isinstance(value, str) and is_utf8(value)
