"""spaCy's documents as JSON: the output of `Doc.to_json`, and training data of versions 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from ...documents.document_file import DocumentFile, documents_of, runs_of, with_missing
from ...documents.record import Record
from ...exceptions import InputError, setting
from ...spans.spans import Spans
from ...spans.texts import words_in_text
from ...tags.decoding import Decoding, reading_of
from ..formats import Format, register
from ..source import Source
from ..spacy.doc_bin import SpacyReading, SpanChoice
from .records import is_object, rows, token_bounds
from .values import first_value

_MISSING = "-"
_AT_ONCE = 1000
"""The number of paragraphs that are decoded at a time."""

_REMEDY = (
    'For each document, write [text, {"entities": [[start, end, label]]}], the output of Doc.to_json, or paragraphs '
    "with sentences of tokens with 'orth' and 'ner' (version 2)."
)


@dataclass(frozen=True, kw_only=True)
class SpacyJsonReading(SpacyReading, Decoding):
    """Options for reading spaCy's JSON and decoding its tags."""


def read_spacy_json(source: Source, options: SpacyJsonReading) -> DocumentFile:
    """Read entities, or the spans of a group.

    If `span_group` is not set, no document has entities, and there is only one group, that group is read, and a note
    says so. Documents are pairs of a text and annotations, objects from `Doc.to_json`, or paragraphs of version 2, in
    which tokens have tags (BILUO).

    Raises:
        InputError: if a document is malformed, if the group is missing, or if there are several groups and no entities;
            the error names the line. See also `documents_of` and `Spans.from_tags`.
    """
    rest = rows(source, "documents")
    first = next(rest)
    each = chain([first], rest)
    if not is_object(first[2], "paragraphs"):
        choice = SpanChoice(source, options.span_group)
        return choice.alone_in(documents_of(source, (_record(source, *row, choice) for row in each)))
    if options.span_group is not None:
        remedy = f"Leave out {setting('span_group')}."
        raise source.refuse("spaCy's training data of version 2 has no span groups.", remedy)
    missing: list[tuple[int, int, int]] = []
    scheme = options.scheme or "BILOU"
    file = documents_of(source, _version_2(source, each, scheme, options.repair, missing), in_tokens=True)
    return replace(with_missing(file, missing), decoding=reading_of(scheme, options.repair, prefix=True))


def _version_2(
    source: Source, rows: Iterable[tuple[int, str, Any]], scheme: str, repair: str, missing: list[tuple[int, int, int]]
) -> Iterator[Record]:
    """Yield the paragraphs of version 2 with their spans; add unannotated parts to `missing`."""
    begun = 0
    paragraphs = (paragraph for row in rows for paragraph in _paragraphs(source, *row))
    names: set[str | None] = set()
    while some := list(islice(paragraphs, _AT_ONCE)):
        records = [record for record, _ in some]
        for number, (_, own) in enumerate(some, begun):
            missing += [(number, start, end) for start, end in runs_of(tag == _MISSING for tag in own)]
        begun += len(some)
        tags = [["O" if tag == _MISSING else tag for tag in row] for _, row in some]
        try:
            spans = Spans.from_tags(tags, scheme=scheme, repair=repair)
        except InputError as error:
            if error.document is None:
                raise error.in_file(source.name) from None
            record = records[error.document]
            raise error.placed(document=None, source=f"{source.name}, {record.place}", line=record.line) from None
        for record, row in zip(records, spans.to_dicts(), strict=True):
            record.spans = [(span["start"], span["end"], span["label"]) for span in row]
            if record.id in names:
                # each part of the data has its own numbers; if one document has no name, none has
                record.id = None
            names.add(record.id)
        yield from records


def _record(source: Source, line: int, place: str, row: Any, choice: SpanChoice) -> Record:
    where = place or f"line {line}"
    if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], dict):
        text, entities, groups = row[0], row[1].get("entities"), row[1].get("spans")
    elif _is_doc(row):
        text, entities, groups = row["text"], row.get("ents"), row.get("spans")
    else:
        raise source.refuse(f"{where} is not a document of spaCy.", _REMEDY, line)
    groups = groups if isinstance(groups, dict) else {}
    missing = [(0, len(text))] if entities is None else []
    spans = choice.spans([] if entities is None else entities, groups, len(text), missing)
    # `Doc.to_json` writes spans as objects
    spans = [_bounds(span) for span in spans] if isinstance(spans, list) else spans
    if not isinstance(spans, list) or not all(
        isinstance(span, (list, tuple)) and len(span) in (3, 4) for span in spans
    ):
        raise source.refuse(f"a span of {where} is not [start, end, label].", _REMEDY, line)
    return Record(
        text=text,
        # the fourth item is an identifier in a knowledge base
        spans=[(span[0], span[1], span[2]) for span in spans],
        tokens=token_bounds(source, row.get("tokens") if isinstance(row, dict) else None, line, _REMEDY),
        line=line,
        place=place,
    )


def _is_doc(row: Any) -> bool:
    """Check whether this is an object from `Doc.to_json`; if it has no annotation, it lacks `ents`."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    tokens = row.get("tokens")
    numbered = isinstance(tokens, list) and bool(tokens) and is_object(tokens[0], "id", "start", "end")
    return "ents" in row or isinstance(row.get("spans"), dict) or (numbered and "spans" not in row)


def _bounds(span: Any) -> Any:
    return (span["start"], span["end"], span["label"]) if is_object(span, "start", "end", "label") else span


def _paragraphs(source: Source, line: int, place: str, row: Any) -> Iterator[tuple[Record, Sequence[str]]]:
    """Yield the paragraphs of a document of version 2, with the tags of their tokens."""
    paragraphs = row["paragraphs"] if is_object(row, "paragraphs") else None
    if not isinstance(paragraphs, list):
        raise source.refuse(f"{place or f'line {line}'} has no list of paragraphs.", _REMEDY, line)
    for number, paragraph in enumerate(paragraphs):
        where = f"{place or f'line {line}'}, paragraph {number}"
        try:
            tokens = [token for sentence in paragraph["sentences"] for token in sentence["tokens"]]
            words = [token["orth"] for token in tokens]
            tags = [token.get("ner") or _MISSING for token in tokens]
            raw, name = paragraph.get("raw"), row.get("id")
        except (AttributeError, KeyError, TypeError):
            raise source.refuse(f"{where} has no sentences of tokens with 'orth'.", _REMEDY, line) from None
        if not all(isinstance(text, str) for text in (*words, *tags)) or not isinstance(raw, (str, type(None))):
            raise source.refuse(f"a word, a tag or the text of {where} is not a string.", _REMEDY, line)
        record = Record(words=words, text=raw, line=line, place=where)
        record.id = None if name is None else f"{name}-{number}" if len(paragraphs) > 1 else str(name)
        if raw is not None:
            try:
                record.tokens = words_in_text(words, raw, 0)
            except InputError as error:
                raise source.refuse(f"{where}: {error.problem}", _REMEDY, line) from None
        yield record, tags


def _shows(source: Source) -> bool:
    value = first_value(source)
    while isinstance(value, list) and value and not isinstance(value[0], str):
        value = value[0]
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[1], dict) and not {"entities", "spans"}.isdisjoint(value[1])
    if is_object(value, "paragraphs") and isinstance(value["paragraphs"], list):
        return True
    return _is_doc(value) and isinstance(value.get("ents", []), list)


register(Format("spacy_json", "spaCy's JSON", _shows, read_spacy_json))
