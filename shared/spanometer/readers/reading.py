"""Reading of files in any format (tags, spans or entity trees) and of Python objects."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from ..documents.document_file import DocumentFile
from ..documents.layers import Column
from ..documents.units import require_tokenizer, with_tokens
from ..exceptions import InputError, mention, require_kind, shown
from ..options import options_of, require_known, same
from .formats import AUTO, ColumnReading, read_as, reading_options
from .source import FileLike, Limits, Progress, Source, require_name


def read_entities(
    path: FileLike, *, format: str = AUTO, name: str | None = None, progress: Progress = None, **options: Any
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

    **quaero**: words with inline markup, see `text.markup`. By default each line that is not blank is a document (a
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
    return read_as("entities", path, format=format, name=name, progress=progress, options=options)


def read(
    path: FileLike, *, format: str = AUTO, name: str | None = None, progress: Progress = None, **options: Any
) -> DocumentFile:
    """Read one or more tag columns of a file, and its words, in one pass.

    Files are UTF-8, with or without byte order mark, plain or gzipped; lines end in LF or CRLF.

    In **columns** files each line is a token, and a blank line ends a document. If the first row has a tab, single tabs
    separate the cells, otherwise runs of spaces do. Quotes have no special meaning. The tags may be the only column.
    `-DOCSTART-` lines are skipped and end a document. A line that begins with `#` is a comment, unless it has as many
    cells as the other rows and a tag in each tag column; then `#` is a token. A comment before the first row may name
    the columns: `# columns: token reference system`, or `#` and as many names as columns. So may the first row, if it
    contains a wanted name, or if it has the name TOKEN, WORD or FORM and no tag. If it also names a column such as
    `document` or `sentence_id`, a document ends only where the value of this column changes.

    In **jsonl** files each line is a document: a list of tags, or an object that has such a list under the column's
    name.

    Args:
        path: the file, or an open binary stream; or a folder or a pattern with wildcards, whose files are read in
            order.
        columns: the tag columns, by number or name. Numbers count from 1, or backwards from -1, the last column; a
            string of digits is a number. None is the last column; in JSON lines, `tags`.
        words: whether to read the words too. True finds the column: the one named token, word or form, otherwise the
            first column if it is not a tag column; in JSON lines, `tokens` or `words`. You can also pass the number or
            name of the column. If the file has no words, the result has None.
        format: `columns`, `jsonl`, or `auto`: JSON lines if the first line is JSON, otherwise columns.
        documents: the line that begins a document in a columns file, instead of a blank line: the key of a comment
            (`document_id` for `# document_id = ...`), or `-DOCSTART-`.
        outside: a tag to read as `O`, such as `_`. `o` also allows lower-case prefixes. `nothing` reads every tag as a
            label, including `O`.
        boundary: the first word of lines that end a document in a columns file, like blank lines; by default
            `-DOCSTART-`. If you set another word, `-DOCSTART-` lines are tokens.
        numbers: a column of numbers to read too, such as the probabilities of tokens; `_` means no number.
        name: what errors call the file; by default its path.
        progress: a function called with the number of bytes read since the last call.
        options: the options named above; `max_line` (16) and `max_size` (2000), the maximum length of a line and size
            of the unpacked file, in megabytes; and `encoding` (utf-8).

    Raises:
        InputError: if the file cannot be opened, is empty, is binary or is not UTF-8, if rows have different lengths,
            if columns are missing, if cells are empty, or if JSON is invalid. The error names the file and, if
            possible, the line.
    """
    return read_as("tags", path, format=format, name=name, progress=progress, options=options)


def read_parts(
    path: FileLike,
    *,
    columns: Sequence[Column] = (None,),
    words: bool | int | str = False,
    outside: str | None = None,
    name: str | None = None,
    progress: Progress = None,
    **limits: Any,
) -> Iterator[DocumentFile]:
    """Read a file of columns in parts, in constant memory.

    Each part has whole documents, in total about a megabyte; a blank line ends a document. All parts together have the
    same documents as the result of `read`. Lines are numbered within the file. An error in a later part is raised when
    that part is read. See `read` for arguments and errors, but here `max_size` limits a document instead of the file.
    """
    from .columns.columns import read_column_parts

    reading = ColumnReading(columns=columns, words=words, outside=outside)
    with Source.open(path, name, progress, **limits) as source:
        yield from read_column_parts(source, reading)


_OF_TAGS = ("documents", "outside", "boundary")
"""The options for reading tags, without the options for decoding them."""


def read_documents(
    path: FileLike,
    *,
    format: str = AUTO,
    annotator: str | None = None,
    column: int | str | None = None,
    prefix: bool = True,
    tokenizer: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
    progress: Progress = None,
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
    require_known(options, {**reading_options("spans"), **dict.fromkeys(_OF_TAGS)}, "spanometer.read")
    require_tokenizer(tokenizer)
    require_name(name)
    if annotator is not None:
        require_kind(annotator, str, "the name of an annotator", "Give a string.", option="annotator")
    if limits is not None:
        require_kind(limits, Mapping, "a mapping of limits", "Give a dict such as {'max_size': 2000}.", option="limits")
        require_known(limits, options_of(Limits), mention("limits"))
    options |= {**(limits or {}), **({} if encoding is None else {"encoding": encoding})}
    # only our JSON lines have a key of spans; with an unusual key they cannot be detected
    of_lines = isinstance(format, str) and format in (AUTO, "jsonl")
    own_key = of_lines and not same(options.get("spans_key", "spans"), "spans")
    tags = None if own_key else {"column": column, "prefix": prefix}
    format = "jsonl" if own_key else format
    file = read_as("spans", path, format=format, name=name, progress=progress, options=options, tags=tags)
    if annotator is not None and (not file.columns or file.parts is not None):
        file = file.of(annotator)
    return file if tokenizer is None else with_tokens(file, tokenizer)


_REMEDY = (
    "For each document, give an answer (a string, or the response of an API) or the result of a pipeline: a list of "
    "spans from Transformers, GLiNER or Presidio, a document from spaCy or Stanza, a sentence from Flair."
)


def beside_files(sides: Mapping[str, Any], *, answers: bool = False) -> dict[str, Any]:
    """If a side is a file or has objects with texts, read all other sides that are Python objects.

    Args:
        sides: the sides by name, the reference first.
        answers: whether the other sides are answers of language models.
    """
    files = dict(sides)
    if any(isinstance(side, DocumentFile) or _has_texts(side) for side in sides.values()):
        for number, (name, side) in enumerate(sides.items()):
            if isinstance(side, (list, tuple)):
                files[name] = read_objects(side, name=name, answers=answers and number > 0)
    return files


def _has_texts(side: Any) -> bool:
    """Check whether the first object of a list has a text."""
    value = side[0] if isinstance(side, (list, tuple)) and len(side) else None
    if isinstance(value, Mapping):
        return isinstance(value.get("text"), str)
    return _spans_of(value) is not None


def read_objects(values: Iterable[Any], *, name: str, answers: bool = False, **options: Any) -> DocumentFile:
    """Read Python objects that systems return, as `read_documents` reads them from JSON lines.

    Args:
        values: an object for each document: an answer of a language model, as text or as the response of an API; a
            list of spans from Transformers' pipeline, GLiNER or Presidio; a document from spaCy or Stanza; a sentence
            from Flair; or an object with `text` and `spans`.
        name: what errors call these objects.
        answers: whether all objects are answers of language models.
        **options: the options of `read_documents`.

    Raises:
        InputError: if an object has another type; see also `read_documents`.
    """
    rows = []
    for document, value in enumerate(values):
        try:
            rows.append(_plain(value))
        except (TypeError, RecursionError):
            problem = f"{shown(value)} is neither an answer nor the result of a known pipeline."
            raise InputError(problem, _REMEDY, document=document) from None
    if answers or any(row is None or isinstance(row, str) for row in rows):
        options.setdefault("format", "answers")
        rows = [row if isinstance(row, dict) and "answer" in row else {"answer": row} for row in rows]
    lines = BytesIO("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return read_documents(lines, name=name, **options)


def _plain(value: Any) -> Any:
    """Convert an object to JSON types."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return _plain(value.item())
    spans = _spans_of(value)
    if spans is not None:
        text = value.text if isinstance(getattr(value, "text", None), str) else value.to_original_text()
        return {"text": text, "spans": [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans]}
    for method in ("model_dump", "to_dict", "dict"):
        # pydantic models, results of Presidio
        if callable(getattr(value, method, None)):
            return _plain(getattr(value, method)())
    raise TypeError


def _spans_of(document: Any) -> list[tuple[int, int, str]] | None:
    """Return the spans, in characters, of a spaCy or Stanza document or a Flair sentence; None for other objects."""
    if hasattr(document, "ents") and hasattr(document, "char_span"):
        return [(span.start_char, span.end_char, span.label_) for span in document.ents]
    if callable(getattr(document, "get_spans", None)):
        return [(span.start_position, span.end_position, span.tag) for span in document.get_spans()]
    if isinstance(getattr(document, "entities", None), list) and hasattr(document, "sentences"):
        return [(span.start_char, span.end_char, span.type) for span in document.entities]
    return None
