"""Files of entity trees: `read_entities` and `write_entities`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ..arrays import is_ordered, is_utf8, listed
from ..documents.document_file import DocumentFile
from ..documents.words import Words
from ..documents.writer import keywords
from ..exceptions import InputError, counted, mention, require_choice, setting, shown
from ..options import options_of
from ..spans.entities import ENTITY_TYPES, Entities, Entity, entities_arrays
from .formats import formats_of, read_as
from .source import Limits, require_stream
from .writing import packing, writing

_DOCUMENTS, _ENTITIES = 1000, 10_000
"""Columns are made of so many documents, or entities, at a time."""


def entities_of(documents: Iterable[Sequence[Mapping[str, Any]]], words: Callable[[], Words | None]) -> Entities:
    """Read the entities of documents as columns.

    Args:
        documents: the entities of each document, which are given up when columns are made of them.
        words: called behind the last document, for the documents' lengths.
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

    Files are UTF-8, with or without byte order mark, plain or gzipped (told from the content); lines end in LF or CRLF.

    **hipe**: tab-separated columns named in the first line, one token a line; `# document_id = ...` begins a document
    and `_` reads as `O`. Spans of `NE-FINE-LIT` are entities. A span of `NE-FINE-METO` with the same bounds gives its
    entity a second type, one with other bounds is an entity of its own. A span of `NE-NESTED` is an entity of its own,
    and with its type a component of the literal entity around it, also of one with the same bounds. A span of
    `NE-FINE-COMP` is a component (without `comp.` in its label) of the literal entity around it; if there is none,
    it is left out and listed in `DocumentFile.left_out`, as is a metonymic type that repeats the literal one. Only
    `TOKEN` and `NE-FINE-LIT` must be there. `level="coarse"` reads `NE-COARSE-LIT` and `NE-COARSE-METO`, and neither
    components nor nested entities, for these belong to the fine types.

    **quaero**: words with inline markup, see `spans.markup`. By default each line that is not blank is a document,
    a sentence or a speech turn: entities do not reach over its end.

    **jsonl**: each line is a document: a list of entities as `Entities.from_dicts` takes them, or an object with such
    a list `entities` and, if wanted, `tokens` and `id`.

    Args:
        path: the file, or an open binary stream; or a folder, or a pattern with wildcards, whose files are read one
            after the other.
        format: `hipe`, `quaero`, `jsonl`, or `auto`: jsonl if the first line is JSON,
            hipe if the first line that is no comment names the column of literal entities, quaero if there is a
            closing tag near the beginning.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        options: `max_line` (16) and `max_size` (2000), the longest line and the largest file in megabytes, unpacked;
            and those of the format. For hipe `level` (`fine`, the default, or `coarse`), `scheme` of the tags (`IOB2`;
            None: told from each column by itself) and `repair` (how to handle illegal tags, see `decoding.decode`;
            `conlleval`). For quaero `documents` (what is a document: `lines`, the default; `blank`: what stands
            between blank lines; `file`) and `entity_types` (the first dotted parts of the tags that are entities, all
            others being components; those of QUAERO).

    Raises:
        InputError: names the file and, if they are known, line and column: for a file that cannot be opened, is
            empty, binary or not UTF-8, for missing columns, unreadable tags, malformed markup and invalid JSON.
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
    """Write entity trees so that `read_entities` reads the same ones; all of them or, with an error, none.

    Args:
        path: the file, gzipped if its name ends in `.gz`, or an open binary stream.
        entities: for each document its entities, as in `Entities.from_dicts` takes them; duplicates collapse.
        format: `hipe` (fine and coarse columns, the coarse types being the first parts of the fine ones; of overlapping
            entities with one type and no components the first goes into the literal column), `quaero` (one document a
            line) or `jsonl`.
        words: for each document its words; jsonl can do without.
        documents: the documents' names, for hipe and jsonl; their numbers by default.
        entity_types: the first dotted parts of the tags that are entities, for quaero.
        overwrite: whether an existing file is replaced.

    Raises:
        InputError: for entities, words and names that the format cannot hold or that are of other types, and for a file
            that exists already.
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
            raise InputError("the document has no words.", f"The format {format} needs some.", document=document)
    names = list(map(str, range(columns.documents))) if documents is None else list(documents)
    options = {"entity_types": entity_types} if "entity_types" in keywords(writers[format]) else {}
    _write(path, writers[format](columns.to_dicts(), words, names, **options).encode(), overwrite)


def _require_texts(option: str, value: Any, documents: int) -> None:
    """Refuse words that are not lists of lists of strings, and names that are not a list of strings."""
    if value is None:
        return
    remedy = "Give a list with one item for each document."
    if not isinstance(value, Collection) or not is_ordered(value):
        raise InputError(f"{setting(option, value)} is not a list.", remedy)
    if len(value) != documents:
        raise InputError(
            f"{counted(len(value), 'item')} in {mention(option)}, {counted(documents, 'document')}.", remedy
        )
    for document, item in enumerate(listed(value, remedy, option=option)):
        is_row = option == "words" and is_ordered(item)
        texts = listed(item, remedy, document=document, option=option) if is_row else [item]
        if is_row != (option == "words") or not all(map(is_text, texts)):
            raise InputError(
                f"{shown(item)} in {mention(option)} is not text that can be stored as UTF-8.",
                "Give the words of each document, [['Ada', 'sings'], ...], and names as strings.",
                document=document,
                option=option,
            )


def is_text(value: Any) -> bool:
    """Check whether a value is a string that can be stored as UTF-8."""
    return isinstance(value, str) and is_utf8(value)


def _write(path: str | os.PathLike[str] | BinaryIO, data: bytes, overwrite: bool) -> None:
    if not isinstance(path, (str, os.PathLike)):
        path.write(data)
        return
    target = os.fspath(path)
    if os.path.isfile(target) and not overwrite:
        raise InputError("the file exists already.", "Choose another name, or set overwrite=True.", source=target)
    with writing(target, replace=overwrite) as stream, packing(stream, packed=target.lower().endswith(".gz")) as packed:
        packed.write(data)
