"""spaCy's DocBin, its binary format of documents (`.spacy`); needs spaCy (the extra `spacy`)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...documents.document_file import DocumentFile, documents_of, runs_of, with_missing
from ...documents.fitting import Fitted
from ...documents.record import Record, Writer
from ...exceptions import InputError, setting
from ...options import CheckedOptions, text
from ..formats import Format, register
from ..source import ZLIB, Source

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin

_REMEDY = "Write the documents with spaCy's DocBin.to_disk."


@dataclass(frozen=True, kw_only=True)
class SpacyReading(CheckedOptions):
    """Options for reading spaCy's documents."""

    span_group: str | None = text("NAME", "spaCy: read a span group, such as sc, instead of the entities")


def read_doc_bin(source: Source, options: SpacyReading) -> DocumentFile:
    """Read the entities of documents, or the spans of a group.

    If `span_group` is not set, no document has entities, and there is only one group, that group is read, and a note
    says so. If it is unknown where a document has spaces, it has words instead of a text. In a reference, tokens whose
    entity annotation is missing, and documents without the group, are not scored. Attributes, relations and categories
    are not read.

    Raises:
        InputError: if spaCy is missing or cannot read the file, or if no document has the group.
    """
    stored = _stored(source)
    choice = SpanChoice(source, options.span_group)
    in_tokens = any(flags.get("has_unknown_spaces") for flags in stored.flags)
    records = _records(source, stored, choice, in_tokens=in_tokens)
    return choice.alone_in(documents_of(source, records, in_tokens=in_tokens))


def _stored(source: Source) -> DocBin:
    """Read the stored documents. They take three times the size of the unpacked file; `Doc` objects take much more."""
    if source.binary != ZLIB:
        raise source.refuse("this is not a DocBin of spaCy.", _REMEDY)
    try:
        from spacy.tokens import DocBin
    except ImportError:
        remedy = 'Install it with: pip install "spanometer[spacy]"'
        raise source.refuse("this is a DocBin of spaCy, but spaCy is not installed.", remedy) from None
    packed = source.data()
    try:
        # spaCy does not limit the unpacked size
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
    """Create the error about data that spaCy cannot read, because damaged data raises many kinds of errors."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return source.refuse(f"spaCy cannot read this DocBin ({reason}).", _REMEDY)


class SpanChoice:
    """The choice between entities and span groups, made while documents are read one by one.

    If no group is named, entities are read. If it turns out that no document has entities, the only group is read
    instead. Therefore spans of the group are collected until the first document with entities.

    Attributes:
        named: the named group; None for entities.
        missing: the unannotated parts (document, start and end) for entities and for the group.
    """

    def __init__(self, source: Source, named: str | None = None) -> None:
        self._source = source
        self.named = named
        self.missing: dict[bool, list[tuple[int, int, int]]] = {False: [], True: []}
        self._groups: dict[str, None] = {}
        self._documents = 0
        self._without: int | None = None
        """The number of documents before the first one with entities."""

    @property
    def group(self) -> str | None:
        """The group to read; None for entities."""
        if self.named is not None:
            return self.named
        return next(iter(self._groups)) if self._without is None and len(self._groups) == 1 else None

    def spans(
        self, entities: Any, groups: Mapping[str, Any], length: int, missing: Iterable[Sequence[int]] = ()
    ) -> Any:
        """Select the spans of the next document.

        Args:
            entities: its entities.
            groups: its span groups.
            length: its length.
            missing: the boundaries of its parts without entity annotation.
        """
        self._groups.update(dict.fromkeys(groups))
        if entities and self._without is None:
            self._without = self._documents
        self.missing[False] += [(self._documents, start, end) for start, end in missing]
        wanted = self.named or next(iter(self._groups), None)
        if wanted not in groups:
            self.missing[True].append((self._documents, 0, length))
        self._documents += 1
        return entities if self.group is None else groups.get(self.group, [])

    def alone_in(self, file: DocumentFile) -> DocumentFile:
        """Keep only entities, or only spans of the group, and add a note about the others.

        Raises:
            InputError: if no document has the group, or if there are several groups and no entities.
        """
        listed = ", ".join(map(repr, self._groups)) or "none"
        if self.named is not None and self.named not in self._groups:
            problem = f"no document has a span group {self.named!r}; the groups are {listed}."
            raise self._source.refuse(problem, "Name another group.")
        if self._without is None and self.group is None and len(self._groups) > 1:
            raise self._source.refuse(
                f"no document has entities, but there are several span groups: {listed}.",
                f"Choose one with {setting('span_group', next(iter(self._groups)))}.",
            )
        file = with_missing(file, self.missing[self.group is not None])
        if self.named is not None or not self._groups:
            return file
        note = f"No document has entities; the span group {listed} was read."
        if self._without is not None:
            note = f"Entities were read; the span groups {listed} were not."
        first = np.searchsorted(file.spans.document, self._without or 0)
        return replace(file, spans=file.spans.picked(np.arange(first, len(file.spans))), notes=(*file.notes, note))


def _records(source: Source, stored: DocBin, choice: SpanChoice, *, in_tokens: bool) -> Iterator[Record]:
    """Yield the documents one by one."""
    for number, doc in enumerate(_docs(source, stored)):
        place = f"document {number}"
        places = doc.to_array(["IDX", "LENGTH"]).astype(np.int64).reshape(-1, 2)
        tokens = np.stack([places[:, 0], places.sum(axis=1)], axis=1)
        bounds = np.stack([np.arange(len(doc)), np.arange(1, len(doc) + 1)], axis=1) if in_tokens else tokens
        length = len(doc) if in_tokens else len(doc.text)
        spans = choice.spans(doc.ents, doc.spans, length, _missing(doc, bounds, length))
        if in_tokens:
            listed = [(span.start, span.end, span.label_) for span in spans]
            yield Record(spans=listed, words=[token.text for token in doc], place=place)
        else:
            listed = [(span.start_char, span.end_char, span.label_) for span in spans]
            yield Record(spans=listed, text=doc.text, tokens=tokens, place=place)


def _missing(doc: Doc, bounds: np.ndarray, length: int) -> list[tuple[int, int]]:
    """Return the boundaries of the parts of a document without entity annotation."""
    runs = runs_of(doc.to_array("ENT_IOB") == 0)
    if runs == [[0, len(doc)]]:
        return [(0, length)]
    return [(int(bounds[first, 0]), int(bounds[after - 1, 1])) for first, after in runs]


def _written(documents: Fitted, *, span_group: str | None = None) -> Iterator[bytes]:
    """Write entities, or the spans of a group. Characters between tokens become tokens too, as in spaCy."""
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
        if between:
            words.append(between)
            spaces.append(False)
        if end > start:
            place.append(len(words))
            words.append(text[start:end])
            spaces.append(False)
        reached = end
    return words, spaces, place


register(
    Format(
        "spacy",
        "spaCy's DocBin",
        lambda source: source.binary == ZLIB,
        read_doc_bin,
        writer=Writer(write=_written, unit="token", overlapping="span_group"),
    )
)
