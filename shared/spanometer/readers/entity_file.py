"""Files of entity trees: `read_entities`, what it returns, and `write_entities`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from ..arrays import in_chunks, is_ordered, is_utf8, listed
from ..errors import InputError, counted, mention, require_choice, setting, shown
from ..options import options_of
from ..spans.annotations import end_to_end
from ..spans.entities import ENTITY_TYPE, Entities, entities_arrays
from ..spans.markup import ENTITY_TYPES, Entity
from ..spans.spans import Spans
from .annotated_file import AnnotatedFile
from .formats import formats_of, keywords, read_as
from .output import packing, writing
from .several_files import TOGETHER, document_names, parts_together
from .source import Limits, require_stream

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class LeftOut:
    """Something in a file that has no place in an entity tree: the line on which it begins, and what it is."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}"


@dataclass(frozen=True, eq=False, kw_only=True)
class EntityFile(AnnotatedFile):
    """The entities of a file.

    Attributes:
        format: what it was read as, `hipe`, `quaero` or `jsonl`.
        documents: the documents' names: those in the file, or their numbers from 0.
        column: the entities of each document, an Arrow column of lists of `ENTITY_TYPE`.
        entities: the same in Python, made when it is asked for: for each document a list of `{"start": int, "end": int,
            "types": [str, ...], "components": [{"start": int, "end": int, "label": str}, ...]}`; offsets in tokens of
            the document, `end` exclusive. Entities that nest are both in the list, the longer one first; components
            are ordered by start, end and label.
        left_out: what was read and is in no entity, in the order of the file. A system's output may have components
            that no entity encloses; they are here, so that they are never dropped silently.
        columns: for hipe the spans of each column by its name, as they were decoded, with what is left out.
        comments: for hipe the comments, each with the number of its line.
    """

    format: str
    documents: tuple[str, ...]
    column: pa.Array | pa.ChunkedArray
    left_out: tuple[LeftOut, ...] = ()
    columns: Mapping[str, Spans] = field(default_factory=dict)
    comments: tuple[tuple[int, str], ...] = ()

    @cached_property
    def entities(self) -> list[list[Entity]]:
        """For each document a list of its entities."""
        trees: list[list[Entity]] = self.column.to_pylist()
        for tree in trees:
            # stable: HIPE's literal entity before others with its bounds
            tree.sort(key=lambda entity: (entity["start"], -entity["end"]))
        return trees

    def to_entities(self) -> Entities:
        """Return the entities as columns, with the documents' lengths if the file has words; duplicates collapse."""
        try:
            return Entities.from_arrow(self.column, lengths=self.lengths)
        except InputError as error:
            raise self.locate(error) from None

    def to_dataset(self) -> Dataset:
        """Return a `datasets.Dataset` with a row for each document.

        Its columns are `id` (string), `tokens` (list of strings; if the file has words) and `entities` (list of
        structs as in `entities`).
        """
        from datasets import Dataset, Features

        words = None if self.words is None else list(self.words)
        columns = {"id": list(self.documents), "tokens": words, "entities": self.entities}
        types = {"id": pa.string(), "tokens": pa.list_(pa.string()), "entities": pa.list_(ENTITY_TYPE)}
        if words is None:
            del columns["tokens"], types["tokens"]
        return Dataset.from_dict(columns, features=Features.from_arrow_schema(pa.schema(types)))


def entity_column(documents: Iterable[Sequence[Mapping[str, Any]]]) -> pa.Array:
    """Return lists of entities as an Arrow column, see `EntityFile.column`."""
    # in one piece, which is read without a copy
    return pa.concat_arrays(in_chunks(documents, entities_arrays))


def read_entities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = "auto",
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> EntityFile:
    """Read entity trees: entities with several types and with components, which may be entities themselves.

    Files are UTF-8, with or without byte order mark, plain or gzipped (told from the content); lines end in LF or CRLF.

    **hipe**: tab-separated columns named in the first line, one token a line; `# document_id = ...` begins a document
    and `_` reads as `O`. Spans of `NE-FINE-LIT` are entities. A span of `NE-FINE-METO` with the same bounds gives its
    entity a second type, one with other bounds is an entity of its own. A span of `NE-NESTED` is an entity of its own,
    and with its type a component of the literal entity around it, also of one with the same bounds. A span of
    `NE-FINE-COMP` is a component (without `comp.` in its label) of the literal entity around it; if there is none,
    it is left out and listed in `EntityFile.left_out`, as is a metonymic type that repeats the literal one. Only
    `TOKEN` and `NE-FINE-LIT` must be there. `level="coarse"` reads `NE-COARSE-LIT` and `NE-COARSE-METO`, and neither
    components nor nested entities, for these belong to the fine types.

    **quaero**: words with inline markup, see `spans.markup`. By default each line that is not blank is a document,
    a sentence or a speech turn: entities do not reach over its end.

    **jsonl**: each line is a document: a list of entities as in `EntityFile.entities`, or an object with such a list
    `entities` and, if wanted, `tokens` and `id`.

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
    return read_as(EntityFile, path, format=format, name=name, progress=progress, limits=limits, options=options)


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
        entities: for each document its entities, as in `EntityFile.entities`; duplicates collapse.
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
    writers = {name: known.write for name, known in formats_of(EntityFile).items() if known.write is not None}
    require_choice("format", format, tuple(writers))
    columns = Entities.from_dicts(entities)
    _require_texts("words", words, columns.documents)
    _require_texts("documents", documents, columns.documents)
    lengths = None if words is None else np.fromiter(map(len, words), np.int64, len(words))
    if lengths is not None:
        columns = columns.with_lengths(lengths)
    if formats_of(EntityFile)[format].needs_words:
        if lengths is None:
            raise InputError(f"the format {format} needs words.", f"Give them with {setting('words')}.")
        if (lengths == 0).any():
            document = int(np.argmax(lengths == 0))
            raise InputError("the document has no words.", f"The format {format} needs some.", document=document)
    names = list(map(str, range(columns.documents))) if documents is None else list(documents)
    options = {"entity_types": entity_types} if "entity_types" in keywords(writers[format]) else {}
    _write(path, writers[format](columns.to_dicts(), words, names, **options).encode(), overwrite)


def _require_texts(option: str, given: Any, documents: int) -> None:
    """Refuse words that are not lists of lists of strings, and names that are not a list of strings."""
    if given is None:
        return
    remedy = "Give a list with one item for each document."
    if not isinstance(given, Collection) or not is_ordered(given):
        raise InputError(f"{setting(option, given)} is not a list.", remedy)
    if len(given) != documents:
        raise InputError(
            f"{counted(len(given), 'item')} in {mention(option)}, {counted(documents, 'document')}.", remedy
        )
    for document, item in enumerate(listed(given, remedy, option=option)):
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
    """Return whether a value is a string that can be stored as UTF-8."""
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


def _together(source: str, files: Mapping[str, EntityFile]) -> EntityFile:
    first, *others = parts = list(files.values())
    for other in others:
        if other.format != first.format:
            problem = f"{first.source} is {first.format}, and this is {other.format}."
            raise InputError(problem, "Give files of one format.", source=other.source)
    # HIPE's names are those of the corpus, and are compared
    of_corpus = tuple(chain.from_iterable(part.documents for part in parts))
    columns = [column for column in first.columns if all(column in part.columns for part in parts)]
    chunks = (part.column.chunks if isinstance(part.column, pa.ChunkedArray) else [part.column] for part in parts)
    return EntityFile(
        **parts_together(source, files),
        format=first.format,
        documents=of_corpus if first.format == "hipe" else document_names(files, [part.documents for part in parts]),
        column=pa.chunked_array(list(chain.from_iterable(chunks))),
        left_out=tuple(
            replace(one, problem=f"{one.problem.rstrip('.')} (in {part.source})")
            for part in parts
            for one in part.left_out
        ),
        columns={column: end_to_end([part.columns[column] for part in parts]) for column in columns},
        comments=tuple(chain.from_iterable(part.comments for part in parts)),
    )


TOGETHER[EntityFile] = _together
