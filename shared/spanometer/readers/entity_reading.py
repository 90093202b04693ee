"""The way into the readers of entity trees, `read_entities`, and the way out, `write_entities`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence, Sized
from types import NoneType
from typing import BinaryIO

import numpy as np

from ..errors import InputError, counted, require_choice
from ..spans.entities import Entities
from ..spans.markup import ENTITY_TYPES, Entity
from .entity_file import EntityFile
from .entity_lines import entity_lines_text, is_text, read_entity_lines
from .hipe import hipe_text, is_hipe, read_hipe
from .output import creating, packing, replacing
from .quaero import quaero_text, read_quaero
from .reading import is_json_lines
from .source import Source

ENTITY_FORMATS = ("hipe", "quaero", "jsonl")

_CLOSING_TAG = re.compile(rb"</[A-Za-z][^\s<>]*>")


def read_entities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = "auto",
    level: str = "fine",
    scheme: str | None = "IOB2",
    repair: str = "conlleval",
    documents: str = "lines",
    entity_types: Collection[str] = ENTITY_TYPES,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> EntityFile:
    """Read entity trees: entities with several types and with components, which may be entities themselves.

    Files are UTF-8, with or without byte order mark, plain or gzipped (told from the content); lines end in LF or CRLF.

    **hipe**: tab-separated columns named in the first line, one token a line; `# document_id = ...` begins a document
    and `_` reads as `O`. Spans of `NE-FINE-LIT` are entities. A span of `NE-FINE-METO` with the same bounds gives its
    entity a second type, one with other bounds is an entity of its own. A span of `NE-NESTED` is an entity of its own,
    and with its type a component of the literal entity around it, also of one with the same bounds. A span of
    `NE-FINE-COMP` is a component (without `comp.` in its label) of the literal entity around it; where there is none,
    it is left out and listed in `EntityFile.left_out`, as is a metonymic type that repeats the literal one. Only
    `TOKEN` and `NE-FINE-LIT` must be there. `level="coarse"` reads `NE-COARSE-LIT` and `NE-COARSE-METO`, and neither
    components nor nested entities, for these belong to the fine types.

    **quaero**: words with inline markup, see `spans.markup`. By default each line that is not blank is a document,
    a sentence or a speech turn: entities do not reach over its end.

    **jsonl**: each line is a document: a list of entities as in `EntityFile.entities`, or an object with such a list
    `entities` and, if wanted, `tokens` and `id`.

    Args:
        path: the file, or an open binary stream.
        format: `hipe`, `quaero`, `jsonl`, or `auto`: hipe where the first line that is no comment names the column of
            literal entities, jsonl where the name ends in `.jsonl` or the first line is JSON, quaero where there is a
            closing tag near the beginning.
        level: `fine` or `coarse`, for hipe.
        scheme: of the tags, for hipe; None: told from each column by itself.
        repair: what becomes of illegal tags, for hipe; see `decoding.decode`.
        documents: what is a document, for quaero: `lines`; `blank`: what stands between blank lines; `file`.
        entity_types: the first dotted parts of the tags that are entities, for quaero; all others are components.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.

    Raises:
        InputError: names the file and, where they are known, line and column: for a file that cannot be opened, is
            empty, binary or not UTF-8, for missing columns, unreadable tags, malformed markup and invalid JSON.
    """
    require_choice("format", format, ("auto", *ENTITY_FORMATS))
    with Source.open(path, name, progress) as source:
        told = _told(source) if format == "auto" else format
        _refuse_other_options(
            source,
            told,
            {
                "level": ("hipe", level != "fine"),
                "scheme": ("hipe", scheme != "IOB2"),
                "repair": ("hipe", repair != "conlleval"),
                "documents": ("quaero", documents != "lines"),
                "entity_types": ("quaero", entity_types is not ENTITY_TYPES),
            },
        )
        if told == "hipe":
            return read_hipe(source, level, scheme, repair)
        return read_quaero(source, documents, entity_types) if told == "quaero" else read_entity_lines(source)


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
        path: the file, gzipped where its name ends in `.gz`, or an open binary stream.
        entities: for each document its entities, as in `EntityFile.entities`; duplicates collapse.
        format: `hipe` (fine and coarse columns, the coarse types being the first parts of the fine ones; of overlapping
            entities with one type and no components the first goes into the literal column), `quaero` (one document a
            line) or `jsonl`.
        words: for each document its words; jsonl can do without.
        documents: the documents' names, for hipe and jsonl; their numbers by default.
        entity_types: the first dotted parts of the tags that are entities, for quaero.
        overwrite: whether an existing file is replaced.

    Raises:
        InputError: for entities, words and names that the format cannot say or that are of other types, and for a file
            that exists already.
    """
    require_choice("format", format, ENTITY_FORMATS)
    _require_texts(words, documents)
    columns = Entities.from_dicts(entities)
    names = [str(index) for index in range(columns.documents)] if documents is None else list(documents)
    for what, plural, given in (("list of words", "lists of words", words), ("name", "names", names)):
        if given is not None and len(given) != columns.documents:
            raise InputError(
                f"{counted(len(given), what, plural)}, {counted(columns.documents, 'document')}.",
                "Give one for each document.",
            )
    if words is None and format != "jsonl":
        raise InputError(f"the format {format} is made of words, and there are none.", "Give them with words=...")
    if words is not None:
        columns = columns.with_lengths(np.fromiter(map(len, words), np.int64, len(words)))
    rows = columns.to_dicts()
    if format == "jsonl":
        text = entity_lines_text(words, rows, names)
    elif format == "hipe":
        text = hipe_text(words or (), rows, names)
    else:
        text = quaero_text(words or (), rows, entity_types)
    _write(path, text.encode(), overwrite)


def _require_texts(words: Sequence[Sequence[str]] | None, documents: Sequence[str] | None) -> None:
    """Refuse what is no list of lists of strings, and no list of strings."""
    for option, given in (("words", words), ("documents", documents)):
        if isinstance(given, str) or not isinstance(given, (Sized, NoneType)):
            raise InputError(f"{option}={given!r} is not a list.", "Give one item for each document.")
    for document, of_words in enumerate(() if words is None else words):
        if isinstance(of_words, str) or not isinstance(of_words, Iterable) or not all(map(is_text, of_words)):
            raise InputError(
                "the words are not a list of strings that can be stored as UTF-8.",
                "Give the words of each document, words=[['Ada', 'sings'], ...].",
                document=document,
            )
    for document, name in enumerate(() if documents is None else documents):
        if not is_text(name):
            raise InputError(
                f"the document's name {name!r} is not a string that can be stored as UTF-8.",
                "Give strings, documents=['a', 'b', ...].",
                document=document,
            )


def _write(path: str | os.PathLike[str] | BinaryIO, data: bytes, overwrite: bool) -> None:
    if not isinstance(path, (str, os.PathLike)):
        path.write(data)
        return
    target = os.fspath(path)
    if os.path.isfile(target) and not overwrite:
        raise InputError("the file exists already.", "Choose another name, or set overwrite=True.", source=target)
    opening = replacing(target) if os.path.isfile(target) else creating(target)
    with opening as stream, packing(stream, packed=target.lower().endswith(".gz")) as packed:
        packed.write(data)


def _told(source: Source) -> str:
    """The format that the content shows."""
    if is_json_lines(source):
        return "jsonl"
    if is_hipe(source):
        return "hipe"
    if _CLOSING_TAG.search(source.first_block()):
        return "quaero"
    raise source.refuse(
        "neither a header with NE-FINE-LIT or NE-COARSE-LIT, nor JSON lines, nor markup.",
        "Name the format with format='hipe', 'quaero' or 'jsonl'.",
        1,
    )


def _refuse_other_options(source: Source, told: str, options: dict[str, tuple[str, bool]]) -> None:
    for option, (format, given) in options.items():
        if given and format != told:
            raise InputError(
                f"{option}=... is for the format {format}; this is {told}.",
                f"Leave out {option}=...",
                source=source.name,
            )
