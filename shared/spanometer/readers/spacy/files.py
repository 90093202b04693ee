"""spaCy's documents: DocBin (`.spacy`), the output of `Doc.to_json`, and training data of versions 2 and 3."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ...documents.document_file import DocumentFile, documents_of, runs_of, with_missing
from ...documents.fitting import Fitted
from ...documents.layers import Record, WordRows, Writer
from ...exceptions import InputError, setting
from ...options import CheckedOptions, text
from ...spans.texts import words_in_text
from ...tags.decoding import Decoding
from ..formats import register
from ..json.records import Row, is_object, rows
from ..json.values import first_value
from ..source import ZLIB, Source
from . import spacy_tokens

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin

_DOC_BIN_REMEDY = "Write the documents with spaCy's DocBin.to_disk."


class SpacyReading(CheckedOptions):
    """Options for reading spaCy's documents."""

    span_group: str | None = text(
        "NAME", "spaCy: read the spans in doc.spans[NAME], such as sc, instead of the entities in doc.ents"
    )


def read_doc_bin(source: Source, options: SpacyReading) -> DocumentFile:
    """Read the entities of documents, or the spans of a group.

    If it is unknown where a document has spaces, it has words instead of a text. In a reference, tokens whose
    entity annotation is missing, and documents without the group, are not scored. Attributes, relations and categories
    are not read.

    Raises:
        InputError: if spaCy is missing or cannot read the file, if no document has the group, or if only groups have
            spans.
    """
    stored = _stored(source)
    choice = SpanChoice(source, options.span_group)
    in_tokens = any(flags.get("has_unknown_spaces") for flags in stored.flags)
    records = _records(source, stored, choice, in_tokens=in_tokens)
    return choice.complete(documents_of(source, records, in_tokens=in_tokens))


def _stored(source: Source) -> DocBin:
    """Read the stored documents. They take three times the size of the unpacked file; `Doc` objects take much more."""
    if source.binary != ZLIB:
        raise source.refuse("this is not a DocBin of spaCy.", _DOC_BIN_REMEDY)
    tokens = spacy_tokens("this is a DocBin of spaCy, but spaCy is not installed.", source=source.name)
    packed = rest = source.data()
    with _damage(source):
        # spaCy does not limit the unpacked size
        unpacking, size = zlib.decompressobj(), 0
        while rest:
            size += len(unpacking.decompress(rest, 1 << 24))
            rest = unpacking.unconsumed_tail
            source.require_held(size, None, "the file")
        stored: DocBin = tokens.DocBin().from_bytes(packed)
        return stored


@contextlib.contextmanager
def _damage(source: Source) -> Iterator[None]:
    """Convert the many kinds of errors that spaCy raises for damaged data to an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise source.refuse(f"spaCy cannot read this DocBin ({reason}).", _DOC_BIN_REMEDY) from None


class SpanChoice:
    """The choice between entities and a span group, made while documents are read one by one.

    Attributes:
        missing: the unannotated parts: document, start and end.
    """

    def __init__(self, source: Source, group: str | None) -> None:
        self._source, self._group = source, group
        self.missing: list[tuple[int, int, int]] = []
        self._groups: dict[str, bool] = {}
        """Whether each group has spans."""
        self._documents = 0
        self._has_entities = False

    def spans(
        self, entities: Any, groups: Mapping[str, Any], length: int, missing: Iterable[Sequence[int]] = ()
    ) -> Any:
        """Select the spans of the next document.

        Args:
            entities: the entities of the document.
            groups: the span groups of the document, by name.
            length: the length of the document.
            missing: the boundaries of the parts of the document without entity annotation.
        """
        self._has_entities |= bool(entities)
        for name, spans in groups.items():
            self._groups[name] = self._groups.get(name, False) or bool(spans)
        if self._group is not None:
            entities, missing = groups.get(self._group, []), () if self._group in groups else [(0, length)]
        self.missing += [(self._documents, start, end) for start, end in missing]
        self._documents += 1
        return entities

    def complete(self, file: DocumentFile) -> DocumentFile:
        """Add the unannotated parts, and a note about groups that were not read.

        Raises:
            InputError: if no document has the group, or if only groups have spans.
        """
        listed = ", ".join(map(repr, self._groups)) or "none"
        filled = next((name for name, has_spans in self._groups.items() if has_spans), None)
        if self._group is not None:
            if self._group not in self._groups:
                problem = f"no document has a span group {self._group!r}; the groups are {listed}."
                raise self._source.refuse(problem, "Name another group.")
        elif filled is not None:
            if not self._has_entities:
                problem = f"no document has entities, but there are span groups: {listed}."
                raise self._source.refuse(problem, f"Choose a span group with {setting('span_group', filled)}.")
            file = replace(file, notes=(*file.notes, f"Entities were read; the span groups {listed} were not."))
        return with_missing(file, self.missing)


def _records(source: Source, stored: DocBin, choice: SpanChoice, *, in_tokens: bool) -> Iterator[Record]:
    """Yield the documents one by one."""
    from spacy.vocab import Vocab

    with _damage(source):
        for number, doc in enumerate(stored.get_docs(Vocab())):
            places = doc.to_array(["IDX", "LENGTH"]).astype(np.int64).reshape(-1, 2)
            tokens = np.stack([places[:, 0], places.sum(axis=1)], axis=1)
            ends = np.arange(1, len(doc) + 1)
            bounds = np.stack([ends - 1, ends], axis=1) if in_tokens else tokens
            length = len(doc) if in_tokens else len(doc.text)
            spans = choice.spans(doc.ents, doc.spans, length, _missing(doc, bounds, length))
            record = Record(place=f"document {number}")
            if in_tokens:
                record.spans = [(span.start, span.end, span.label_) for span in spans]
                record.words = [token.text for token in doc]
            else:
                record.spans = [(span.start_char, span.end_char, span.label_) for span in spans]
                record.text, record.tokens = doc.text, tokens
            yield record


def _missing(doc: Doc, bounds: np.ndarray, length: int) -> list[tuple[int, int]]:
    """Return the boundaries of the parts of a document without entity annotation."""
    runs = runs_of(doc.to_array("ENT_IOB") == 0)
    if runs == [[0, len(doc)]]:
        return [(0, length)]
    return [(int(bounds[first, 0]), int(bounds[after - 1, 1])) for first, after in runs]


def _written(documents: Fitted, *, span_group: str | None = None) -> Iterator[bytes]:
    """Write entities, or the spans of a group. Characters between tokens become tokens too, as in spaCy."""
    spacy = spacy_tokens()
    from spacy.vocab import Vocab

    vocab, docs = Vocab(), []
    for record in documents.records():
        words, spaces, place = _words(str(record.text), () if record.tokens is None else record.tokens)
        doc = spacy.Doc(vocab, words, spaces)
        spans = [spacy.Span(doc, place[start], place[end - 1] + 1, label) for start, end, label in record.spans]
        if span_group is None:
            doc.set_ents(spans)
        else:
            doc.spans[span_group] = spans
        docs.append(doc)
    yield spacy.DocBin(docs=docs).to_bytes()


def _words(text: str, tokens: Iterable[tuple[int, int]]) -> tuple[list[str], list[bool], list[int]]:
    """Split a text into words. Also flags words that are followed by a space, and lists the words that are tokens."""
    words: list[str] = []
    spaces: list[bool] = []
    place: list[int] = []
    reached = 0
    for start, end in (*tokens, (len(text), len(text))):
        between = text[reached:start]
        if words and between.startswith(" "):
            spaces[-1] = True
            between = between[1:]
        if end > start:
            place.append(len(words) + bool(between))
        new = list(filter(None, (between, text[start:end])))
        words += new
        spaces += [False] * len(new)
        reached = end
    return words, spaces, place


register(
    "spacy",
    "spaCy's DocBin",
    lambda source: source.binary == ZLIB,
    read_doc_bin,
    writer=Writer(write=_written, unit="token", overlapping="span_group"),
)


_MISSING = "-"

_JSON_REMEDY = (
    'Write all documents in one of these ways: (1) [text, {"entities": [[start, end, label]]}]; (2) the output of '
    "Doc.to_json; (3) the JSON of spaCy 2, where each token has 'orth' and 'ner'."
)


class SpacyJsonReading(SpacyReading, Decoding):
    """Options for reading spaCy's JSON and decoding its tags."""


def read_spacy_json(source: Source, options: SpacyJsonReading) -> DocumentFile:
    """Read entities, or the spans of a group.

    Documents are pairs of a text and annotations, objects from `Doc.to_json`, or paragraphs of version 2, in
    which tokens have tags (BILUO).

    Raises:
        InputError: if a document is malformed, if the group is missing, or if only groups have spans;
            the error names the line. See also `documents_of` and `Spans.from_tags`.
    """
    rest = rows(source, "documents")
    first = next(rest)
    each = chain([first], rest)
    if not is_object(first.value, "paragraphs"):
        choice = SpanChoice(source, options.span_group)
        return choice.complete(documents_of(source, (_record(row, choice) for row in each)))
    if options.span_group is not None:
        remedy = f"Leave out {setting('span_group')}."
        raise source.refuse("spaCy's training data of version 2 has no span groups.", remedy)
    missing: list[tuple[int, int, int]] = []
    tags, names = WordRows(), set[str | None]()

    def records() -> Iterator[Record]:
        for number, (record, own) in enumerate(chain.from_iterable(map(_paragraphs, each))):
            missing.extend((number, start, end) for start, end in runs_of(tag == _MISSING for tag in own))
            tags.append(["O" if tag == _MISSING else tag for tag in own])
            if record.id in names:
                # each part of the data numbers its documents anew; if one document has no name, all names are dropped
                record.id = None
            names.add(record.id)
            yield record

    file = documents_of(source, records(), in_tokens=True)
    file = replace(file, tags=(tags.tags(),)).decoded(scheme=options.scheme or "BILOU", repair=options.repair)
    return with_missing(file, missing)


def _record(row: Row, choice: SpanChoice) -> Record:
    value = row.value
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict):
        text, entities, groups = value[0], value[1].get("entities"), value[1].get("spans")
    elif _is_doc(value):
        text, entities, groups = value["text"], value.get("ents"), value.get("spans")
    else:
        raise row.refuse(f"{row.where} is not a document of spaCy.", _JSON_REMEDY)
    missing = [(0, len(text))] if entities is None else []
    groups = groups if isinstance(groups, dict) else {}
    spans = choice.spans([] if entities is None else entities, groups, len(text), missing)
    # `Doc.to_json` writes spans as objects
    spans = [_bounds(span) for span in spans] if isinstance(spans, list) else [None]
    if not all(isinstance(span, (list, tuple)) and len(span) in (3, 4) for span in spans):
        raise row.refuse(f"a span of {row.where} is not [start, end, label].", _JSON_REMEDY)
    # the fourth item is an identifier in a knowledge base
    return row.record(text=text, spans=[(*span[:3],) for span in spans], tokens=row.token_bounds(_JSON_REMEDY))


def _is_doc(row: Any) -> bool:
    """Check whether this is an object from `Doc.to_json`; if it has no annotation, it lacks `ents`."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    tokens = row.get("tokens")
    numbered = isinstance(tokens, list) and bool(tokens) and is_object(tokens[0], "id", "start", "end")
    return "ents" in row or isinstance(row.get("spans"), dict) or (numbered and "spans" not in row)


def _bounds(span: Any) -> Any:
    return (span["start"], span["end"], span["label"]) if is_object(span, "start", "end", "label") else span


def _paragraphs(row: Row) -> Iterator[tuple[Record, Sequence[str]]]:
    """Yield the paragraphs of a document of version 2, with the tags of their tokens."""
    paragraphs = row.get("paragraphs")
    if not isinstance(paragraphs, list):
        raise row.refuse(f"{row.where} has no list of paragraphs.", _JSON_REMEDY)
    for number, paragraph in enumerate(paragraphs):
        where = f"{row.where}, paragraph {number}"
        try:
            tokens = [token for sentence in paragraph["sentences"] for token in sentence["tokens"]]
            words = [token["orth"] for token in tokens]
            tags = [token.get("ner") or _MISSING for token in tokens]
            raw, name = paragraph.get("raw"), row.get("id")
        except (AttributeError, KeyError, TypeError):
            problem = f"{where} has no sentences, or a sentence has a token without 'orth'."
            raise row.refuse(problem, _JSON_REMEDY) from None
        if not all(isinstance(text, str) for text in (*words, *tags)) or not isinstance(raw, (str, type(None))):
            raise row.refuse(f"a word, a tag or the text of {where} is not a string.", _JSON_REMEDY)
        record = Record(words=words, text=raw, line=row.line, place=where)
        record.id = None if name is None else f"{name}-{number}" if len(paragraphs) > 1 else str(name)
        if raw is not None:
            try:
                record.tokens = words_in_text(words, raw, 0)
            except InputError as error:
                raise row.refuse(f"{where}: {error.problem}", _JSON_REMEDY) from None
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


register("spacy_json", "spaCy's JSON", _shows, read_spacy_json)
