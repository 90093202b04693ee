"""spaCy's binary files of documents, DocBin (`.spacy`); needs spaCy (the extra `spacy`)."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...documents.document_file import DocumentFile, documents_of
from ...documents.fitting import Fitted
from ...documents.record import Record
from ...documents.writer import Writer
from ...exceptions import InputError, setting
from ...options import check_options, option
from ..formats import Evidence, Format, register
from ..source import ZLIB, Source
from . import spans_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin

_REMEDY = "Write the documents with spaCy's DocBin.to_disk."


@dataclass(frozen=True, kw_only=True)
class SpacyReading:
    """The options of reading spaCy's documents.

    Raises:
        InputError: for a value that is not allowed.
    """

    span_group: str | None = option(
        None,
        help="the group of spans of spaCy's documents (as sc) that is read instead of their entities",
        kind=str,
        optional=True,
        metavar="NAME",
    )

    def __post_init__(self) -> None:
        """Check the values."""
        check_options(self)


def read_doc_bin(source: Source, options: SpacyReading) -> DocumentFile:
    """Read the entities of documents, or the spans of a group.

    Without `span_group`, if no document has entities and one group has spans, that group is read, and a note says so.
    Tokens are those of the documents; documents whose blanks are not known have words instead of a text. Attributes,
    relations and categories are not read.

    Raises:
        InputError: if spaCy is missing or cannot read the file, and for a group that a document lacks; it names the
            document.
    """
    stored = _stored(source)
    # only a single byte says that a document has no groups
    grouped = options.span_group is None and any(len(groups) > 1 for groups in stored.span_groups)
    group, notes = _group(source, stored) if grouped else (options.span_group, [])
    in_tokens = any(flags.get("has_unknown_spaces") for flags in stored.flags)
    missing = array("q")
    records = _records(source, stored, group, missing, in_tokens=in_tokens)
    found = documents_of(source, records, in_tokens=in_tokens)
    if any(missing):
        notes.append(f"Tokens without an annotation of entities, which count as outside: {sum(missing):,}.")
    return replace(found, notes=(*found.notes, *notes))


def _stored(source: Source) -> DocBin:
    """Return the documents as they are stored, which takes three times the unpacked file; a `Doc` takes much more."""
    if source.binary != ZLIB:
        raise source.refuse("this is no DocBin of spaCy.", _REMEDY)
    try:
        from spacy.tokens import DocBin
    except ImportError:
        remedy = 'Install it with: pip install "spanometer[spacy]"'
        raise source.refuse("this is a DocBin, and spaCy is not installed.", remedy) from None
    packed = source.data()
    try:
        # spaCy unpacks whatever there is
        unpacking = zlib.decompressobj()
        size = 0
        while packed_left := (packed if not size else unpacking.unconsumed_tail):
            size += len(unpacking.decompress(packed_left, 1 << 24))
            source.require_held(size, None, "the file")
        return DocBin().from_bytes(packed)
    except InputError:
        raise
    except Exception as error:
        raise _damaged(source, error) from None


def _docs(source: Source, stored: DocBin) -> Iterator[Doc]:
    """Yield the documents one by one."""
    from spacy.vocab import Vocab

    try:
        yield from stored.get_docs(Vocab())
    except Exception as error:
        raise _damaged(source, error) from None


def _damaged(source: Source, error: Exception) -> InputError:
    """Return the error about data that spaCy cannot read; damaged ones fail in spaCy in many ways."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return source.refuse(f"spaCy cannot read this DocBin ({reason}).", _REMEDY)


def _group(source: Source, stored: DocBin) -> tuple[str | None, list[str]]:
    """Return the group whose spans are read, None for entities, and what a user should know about that."""
    groups: dict[str, None] = {}
    entities = False
    for doc in _docs(source, stored):
        groups.update(dict.fromkeys(doc.spans))
        entities = entities or bool(doc.ents)
    return chosen_group(source, groups, entities=entities)


def chosen_group(source: Source, groups: Collection[str], *, entities: bool) -> tuple[str | None, list[str]]:
    """Return the group whose spans are read if none is asked for, and what a user should know about that.

    Entities are read, of which the group is None, unless no document has any and there is one group.

    Raises:
        InputError: if no document has entities, and there are several groups.
    """
    listed = ", ".join(map(repr, groups))
    if entities or not groups:
        return None, [f"Entities are read; the groups of spans {listed} are not."] if groups else []
    if len(groups) > 1:
        raise source.refuse(
            f"no document has entities, and there are the groups of spans {listed}.",
            f"Choose one with {setting('span_group', next(iter(groups)))}.",
        )
    (name,) = groups
    return name, [f"No document has entities; the spans are those of the group {name!r}."]


def _records(
    source: Source, stored: DocBin, group: str | None, missing: array[int], *, in_tokens: bool
) -> Iterator[Record]:
    """Yield the documents one by one; of entities, `missing` is told how many tokens of each lack an annotation."""
    for number, doc in enumerate(_docs(source, stored)):
        place = f"document {number}"
        if group is None:
            missing.append(int((doc.to_array("ENT_IOB") == 0).sum()))
        try:
            spans: list[Any] = spans_of(doc, group)
        except InputError as error:
            raise error.placed(source=f"{source.name}, {place}") from None
        if in_tokens:
            bounds = [(span.start, span.end, span.label_) for span in spans]
            yield Record(spans=bounds, words=[token.text for token in doc], place=place)
            continue
        places = doc.to_array(["IDX", "LENGTH"]).astype(np.int64).reshape(-1, 2)
        tokens = np.stack([places[:, 0], places.sum(axis=1)], axis=1)
        bounds = [(span.start_char, span.end_char, span.label_) for span in spans]
        yield Record(spans=bounds, text=doc.text, tokens=tokens, place=place)


def _written(documents: Fitted, *, span_group: str | None = None) -> Iterator[bytes]:
    """Write entities, or the spans of a group. What stands between tokens are tokens too, as spaCy has blanks."""
    try:
        from spacy.tokens import Doc, DocBin, Span
        from spacy.vocab import Vocab
    except ImportError:
        raise InputError("spaCy is not installed.", 'Install it with: pip install "spanometer[spacy]"') from None
    vocab, docs = Vocab(), []
    for record in documents.records():
        words, spaces, place = _words(str(record.text), () if record.tokens is None else record.tokens)
        doc = Doc(vocab, words, spaces)
        spans = [Span(doc, place[start], place[end - 1] + 1, label) for start, end, label in record.spans]
        if span_group is None:
            doc.set_ents(spans)
        else:
            doc.spans[span_group] = spans
        docs.append(doc)
    yield DocBin(docs=docs).to_bytes()


def _words(text: str, tokens: Iterable[tuple[int, int]]) -> tuple[list[str], list[bool], list[int]]:
    """Return the words that make up a text, whether a blank follows each, and which of them the tokens are."""
    words: list[str] = []
    spaces: list[bool] = []
    place: list[int] = []
    reached = 0
    for start, end in (*tokens, (len(text), len(text))):
        between = text[reached:start]
        if words and between.startswith(" "):
            spaces[-1] = True
            between = between[1:]
        if between:
            words.append(between)
            spaces.append(False)
        if end > start:
            place.append(len(words))
            words.append(text[start:end])
            spaces.append(False)
        reached = end
    return words, spaces, place


def _evidence(source: Source) -> Evidence:
    return Evidence.CERTAIN if source.binary == ZLIB else Evidence.NONE


register(
    Format(
        name="spacy",
        content=DocumentFile,
        mark="spaCy's DocBin",
        evidence=_evidence,
        read=read_doc_bin,
        reading=SpacyReading,
        writer=Writer(write=_written, unit="token", overlapping="span_group"),
    )
)
