"""JSON lines of documents with spans, of entity trees, and of tags."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from ...arrays import is_integer, is_number
from ...documents.document_file import DocumentFile, documents_of
from ...documents.fitting import Fitted
from ...documents.layers import Column, Record, RecordBatch, WordRows, Writer
from ...exceptions import InputError, clause_for, counted, setting
from ...options import CheckedOptions, option
from ...spans.entities import entities_of
from ...spans.spans import Spans
from ..formats import TagReading, register
from ..source import ZLIB, Source
from .records import (
    TAGS_KEY,
    WORDS_KEYS,
    Row,
    are_bounds,
    are_words,
    batch_of,
    first_object,
    is_json_lines,
    is_object,
    is_text,
    json_line,
    row_batches,
    rows,
    values_of,
)
from .values import first_value, is_array

_COLUMN = f" ({setting('column')})"
_OR_SPANS = clause_for("column", f", or the key of the spans ({setting('spans_key')})")
_KEY_REMEDY = f"Give the key of the tags{clause_for('column', _COLUMN)}{_OR_SPANS}."
_OF_SPANS = f" spans ({setting('spans_key')}), or the key of the"
_SPANS_REMEDY = f"Give the key of the{clause_for('spans_key', _OF_SPANS)} tags{clause_for('column', _COLUMN)}."
_TREES_REMEDY = "Use spanometer score or compare, or spanometer.readers.read_entities in Python."
_REMEDY = (
    'Write each document as {"id": ..., "text": ..., "spans": [{"start": ..., "end": ..., "label": ...}]}. '
    'For a discontinuous span, write "fragments": [[start, end], ...].'
)
_KEYS = ("spans", "entities")
_BOUNDS = ("start", "end", "label")
_IN_ORDER = itemgetter(*_BOUNDS)
_SOME_WORDS = "some lines have words, but other lines have no words.", "Give words on all lines, or on none."
_AT_ONCE = 1000
"""The number of documents that are written at a time."""


class DocumentLines(CheckedOptions):
    """Options for reading JSON lines of documents.

    Attributes:
        spans_key: key of the spans in JSON lines.
    """

    spans_key: str = option("spans", kind=str, metavar="KEY", flag="spans-key")


def read_document_lines(source: Source, options: DocumentLines) -> DocumentFile:
    """Read lists of spans, or objects with `spans` (or another key) and optional `id`, `text` and `tokens`.

    Spans are in characters if the objects have a text, otherwise in tokens; `unit` (`"token"` or `"character"`)
    overrides this. `tokens` are words, pairs of character offsets, or objects with `text` or `start` and `end`.
    `annotator` names the annotator. A span can have its `text`, and `attributes`, an object.

    Raises:
        InputError: if an object is malformed; the error names the line. See also `documents_of`.
    """
    _refuse_groups(source, options.spans_key)
    rest = row_batches(source, "spans")
    first = next(rest)
    (in_tokens,) = _in_tokens(first[:1])

    def batches() -> Iterator[RecordBatch]:
        for some in chain([first], rest):
            try:
                yield _batch(some, options.spans_key, in_tokens=in_tokens)
            except InputError:
                # row by row, to name the line
                for row in some:
                    yield _batch([row], options.spans_key, in_tokens=in_tokens)

    return documents_of(source, batches(), in_tokens=in_tokens)


def _refuse_groups(source: Source, key: str) -> None:
    """Raise an `InputError` for spaCy's documents, whose `spans` are an object of groups."""
    if source.binary == ZLIB or (key != "spans" and isinstance(first_object(source).get("spans"), dict)):
        remedy = f"To choose a group of spans, use {setting('span_group', key)}."
        raise source.refuse("the file has documents of spaCy, and their spans are in groups.", remedy)


def _in_tokens(some: Sequence[Row]) -> list[bool]:
    """Check for each row whether its spans are in tokens."""
    units = zip(values_of(some, "unit"), values_of(some, "text"), strict=True)
    return [unit == "token" or (unit != "character" and not isinstance(text, str)) for unit, text in units]


def _batch(some: Sequence[Row], key: str, *, in_tokens: bool) -> RecordBatch:
    """Check and convert rows; an error has the line of the first row."""
    if set(_in_tokens(some)) != {in_tokens}:
        problem = "some documents have character offsets, but other documents have token offsets."
        raise some[0].refuse(problem, "Set the same 'unit' in all documents: 'character' or 'token'.")
    keys = _KEYS if key == _KEYS[0] else (key,)
    named = f"Give every document a list of spans under {key!r}, or name another key with {setting('spans_key')}."
    lists = [row.list_under(keys, "spans", _REMEDY if key == _KEYS[0] else named) for row in some]
    listed = list(chain.from_iterable(lists))
    if set(map(type, listed)) - {dict}:
        raise _refused(some[0], listed)
    names = set().union(*listed)
    fragments: dict[int, Sequence[tuple[int, int]]] = {}
    if "fragments" in names:
        fragments = {n: span["fragments"] for n, span in enumerate(listed) if is_object(span, "fragments", "label")}
    attributes = [span.get("attributes") or {} for span in listed] if "attributes" in names else []
    if set(map(type, attributes)) - {dict} or not all(map(_are_pairs, fragments.values())):
        raise _refused(some[0], listed)
    try:
        spans = list(map(_outer_bounds if fragments else _IN_ORDER, listed))
    except KeyError:
        raise _refused(some[0], listed) from None
    rows_of_tokens = [_tokens(some[0], tokens) for tokens in values_of(some, "tokens")]
    return batch_of(
        some,
        lists,
        spans,
        fragments=fragments,
        stated=[span.get("text") for span in listed] if "text" in names else [],
        text=[text if isinstance(text, str) else None for text in values_of(some, "text")],
        words=[words for words, _ in rows_of_tokens],
        tokens=[tokens for _, tokens in rows_of_tokens],
        annotator=values_of(some, "annotator"),
        attributes=attributes,
        # without attributes, scores mean something else
        scores=[span.get("scores") if values else None for span, values in zip(listed, attributes, strict=False)],
    )


def _outer_bounds(span: dict[str, Any]) -> tuple[int, int, str]:
    if is_object(span, "fragments", "label"):
        return span["fragments"][0][0], span["fragments"][-1][1], span["label"]
    return span["start"], span["end"], span["label"]


def _are_pairs(fragments: Any) -> bool:
    filled = isinstance(fragments, list) and bool(fragments)
    return filled and all(isinstance(pair, list) and len(pair) == 2 for pair in fragments)


def _refused(row: Row, spans: Sequence[Any]) -> InputError:
    """Create the error about the first malformed span of a row."""
    for number, span in enumerate(spans):
        if not is_object(span, "fragments", "label") and not is_object(span, *_BOUNDS):
            return row.refuse(f"span {number} lacks 'start', 'end' or 'label'.", _REMEDY)
        if "fragments" in span and not _are_pairs(span["fragments"]):
            return row.refuse(f"the fragments of span {number} are not pairs.", _REMEDY)
        if not isinstance(span.get("attributes") or {}, dict):
            return row.refuse(f"the attributes of span {number} are not an object.", _REMEDY)
    return row.refuse("a span is malformed.", _REMEDY)


def _tokens(row: Row, tokens: Any) -> tuple[list[str] | None, list[tuple[int, int]] | None]:
    """Return the words, or the boundaries of the tokens."""
    if tokens is None:
        return None, None
    if tokens == []:
        return [], []
    if isinstance(tokens, list) and all(isinstance(token, dict) for token in tokens):
        bounds = [[token.get("start"), token.get("end")] for token in tokens]
        tokens = bounds if are_bounds(bounds) else [token.get("text") for token in tokens]
    if are_words(tokens):
        return tokens, None
    if are_bounds(tokens):
        return None, tokens
    raise row.refuse("'tokens' are neither words nor offsets.", "Give words as strings, or offsets as [start, end].")


def _written(documents: Fitted) -> Iterator[bytes]:
    in_tokens = documents.file.in_tokens
    for record in documents.records():
        tokens = record.words if record.text is None or record.tokens is None else record.tokens
        unit = None if in_tokens == (record.text is None) else "token" if in_tokens else "character"
        row = {"id": record.id, "annotator": record.annotator, "text": record.text, "unit": unit, "tokens": tokens}
        row = {key: value for key, value in row.items() if value is not None}
        yield json_line({**row, "spans": [_span(record, place) for place in range(len(record.spans))]}).encode()


def span_lines(spans: Spans) -> Iterator[bytes]:
    """Write spans as JSON lines: for each document an object with `spans`, without words."""
    column = spans.to_arrow()
    for first in range(0, len(column), _AT_ONCE):
        yield "".join(json_line({"spans": row}) for row in column.slice(first, _AT_ONCE).to_pylist()).encode()


def _span(record: Record, place: int) -> dict[str, Any]:
    start, end, label = record.spans[place]
    fragments = record.fragments.get(place)
    bounds = {"start": start, "end": end} if fragments is None else {"fragments": fragments}
    attributes = record.attributes[place]
    return {**bounds, "label": label, **({"attributes": attributes} if attributes else {})}


def _problems(documents: Fitted) -> Iterator[tuple[str, int]]:
    file = documents.file
    if file.in_tokens and file.words is None and file.documents.tokens is None:
        yield from (("documents without words lose their length", number) for number in range(file.documents.size))


def _has_attributes(source: Source) -> bool:
    """Check whether the first span has `attributes`."""
    row = first_object(source, *_KEYS)
    spans = next((row[key] for key in _KEYS if key in row), [row])
    return isinstance(spans, list) and any(is_object(span, "label", "attributes") for span in spans[:1])


def _allows(source: Source) -> bool:
    row = first_object(source)
    # the first document has no span, or lines are lists of spans
    lists = isinstance(first_value(source), list) and (not row or is_object(row, "start", "end", "label"))
    return row.get("spans") == [] or lists


def _shows_documents(source: Source) -> bool:
    row = first_object(source)
    if _has_attributes(source):
        return True
    spans = row.get("spans")
    if not isinstance(spans, list) or "_input_hash" in row or "_task_hash" in row:
        return False
    if not spans:
        return TAGS_KEY not in row or "text" in row
    return all(is_object(span, "label") and ("fragments" in span or "start" in span) for span in spans)


register("jsonl", "JSON lines of spans with attributes", _has_attributes, read_document_lines, content="attributes")
register(
    "jsonl",
    "JSON lines of documents",
    _shows_documents,
    read_document_lines,
    allows=_allows,
    writer=Writer(
        write=_written,
        unit=None,
        needs_text=False,
        discontinuous=True,
        attributes=True,
        annotators=True,
        problems=_problems,
    ),
)


def read_entity_lines(source: Source) -> DocumentFile:
    """Read lists of entities, or objects with the lists `entities` and `tokens`, see `read_entities`."""
    names: list[str] = []
    words = WordRows()
    lines: list[int] = []

    def documents() -> Iterator[list[Any]]:
        for row in rows(source, "entities"):
            tokens, name = row.get("tokens"), row.get("id")
            if tokens is not None and (not isinstance(tokens, list) or not all(map(is_text, tokens))):
                raise row.refuse("'tokens' is not a list of strings.", "Write words as JSON strings.")
            if lines and (tokens is None) == bool(len(words)):
                raise row.refuse(*_SOME_WORDS)
            if tokens is not None:
                words.append(tokens)
            names.append(str(len(names) if name is None else name))
            lines.append(row.line)
            yield row.list_under(("entities",), "entities")

    try:
        entities = entities_of(documents())
        entities = entities.with_lengths(words.lengths) if len(words) else entities
    except InputError as error:
        if error.source is not None:
            raise
        line = None if error.document is None else lines[error.document]
        raise error.placed(document=None, position=None, source=source.name, line=line) from None
    return DocumentFile.in_words(
        source=source.name,
        format="jsonl",
        ids=names,
        document_lines=np.array(lines, dtype=np.int64),
        words=words.words() if len(words) else None,
        entities=entities,
    )


def _shows_entities(source: Source) -> bool:
    row = first_object(source, "entities")
    entities = row.get("entities", [row])
    return isinstance(entities, list) and any(is_object(entity, "start", "end", "types") for entity in entities[:1])


register("jsonl", "JSON lines", _shows_entities, read_entity_lines, allows=is_json_lines, content="entities")


def read_tag_lines(source: Source, options: TagReading) -> DocumentFile:
    """Read lists of tags, or objects with the named lists, see `read`."""
    words, of_numbers = options.words, None if options.numbers is None else _key(source, options.numbers)
    keys = [_key(source, column) for column in options.all_columns]
    tags = {key: WordRows() for key in keys}
    words_key = None if isinstance(words, bool) else _key(source, words)
    of_all, with_words = WordRows(), None
    unlisted = next((key for key in tags if key != TAGS_KEY), None)
    lines = array("q")
    if unlisted is None and TAGS_KEY not in first_object(source) and _shows_entities(source):
        raise source.refuse("this is a file of entity trees, not of tags or spans.", _TREES_REMEDY)
    for row in rows(source, "tags"):
        lines.append(row.line)
        if isinstance(row.value, list) and unlisted is not None:
            remedy = f"Write an object with the key {unlisted!r} on each line, or leave out the column {unlisted!r}."
            raise row.refuse(f"this line is a list, so it has no key {unlisted!r}.", remedy)
        if unlisted is None and is_object(row.value, "text") and TAGS_KEY not in row.value:
            problem = f"the object has a text, but no list of spans and no 'tags'; {row.key_names}."
            raise row.refuse(problem, _SPANS_REMEDY)
        lists = {key: row.list_under((key,), "tags", _KEY_REMEDY) for key in tags}
        if of_numbers is not None:
            lists[of_numbers] = [_cell(item) for item in lists[of_numbers]]
        for key, column in tags.items():
            _add(column, _named(lists[key]), row)
        of_words = None if words is False else _words_in(row, words_key)
        if of_words is None and not any(lists.values()):
            # an empty document has no words
            of_words = []
        elif (of_words is None) == with_words and words is not False:
            raise row.refuse(*_SOME_WORDS)
        elif with_words is None:
            with_words = of_words is not None
        if of_words is not None:
            _add(of_all, of_words, row)
            lists[words_key or WORDS_KEYS[0]] = of_words
        (first, items), *others = lists.items()
        for other, values in others:
            if len(values) != len(items):
                problem = f"{first!r} has {counted(len(items), 'item')}, but {other!r} has {len(values)}."
                raise row.refuse(problem, "All lists of a line must have the same length.")
    file = DocumentFile.in_words(
        format=source.binary or ("a single JSON value" if is_array(source) else ""),
        source=source.name,
        columns=tuple(keys),
        tags=tuple(tags[key].tags().with_outside(options.outside) for key in keys),
        words=of_all.words() if with_words else None,
        document_lines=np.array(lines, dtype=np.int64),
    )
    return file if of_numbers is None else file.with_numbers()


def _named(row: list[Any]) -> list[Any]:
    """Convert integer labels to strings."""
    return [str(value) if is_integer(value) else value for value in row] if row and is_integer(row[0]) else row


def _cell(item: Any) -> Any:
    """Convert a number or null to the cell of a column."""
    return "_" if item is None else repr(item) if is_number(item) else item


def _key(source: Source, column: Column) -> str:
    if column is None:
        return TAGS_KEY
    if isinstance(column, int) or column.lstrip("-").isdecimal():
        problem = f"there is no column {column}: JSON lines have keys, not columns."
        raise source.refuse(problem, "Give a key instead of a number.")
    return column


register("jsonl", "JSON lines", None, read_tag_lines, allows=is_json_lines, content="tags")


def _words_in(row: Row, words_key: str | None) -> list[str] | None:
    """Return the words of a line; None if the line has no words and no key is set."""
    if words_key is None:
        return next((words for key in WORDS_KEYS if are_words(words := row.get(key))), None)
    words = row.get(words_key)
    if not isinstance(words, list):
        raise row.refuse(f"the line has no list of words under the key {words_key!r}.", "Give the key of the words.")
    return words


def _add(column: WordRows, items: Sequence[str], row: Row) -> None:
    """Add the words or tags of a line; raise an `InputError` that names the line if one is not a string."""
    try:
        column.append(items)
    except InputError as error:
        raise error.in_file(row.source.name, row.line, error.position) from None
