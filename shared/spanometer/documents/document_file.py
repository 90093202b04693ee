"""Files of documents with spans of characters or tokens: what readers of such formats give, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa

from ..arrays import in_chunks
from ..exceptions import InputError
from ..spans.attributes import Attributes, attributes_arrays
from ..spans.documents import Documents
from ..spans.spans import Spans
from .attributed import AttributedSpans
from .building import RecordColumns
from .places_in_files import AnnotatedFile
from .record import Named, Record
from .stated import StatedTexts

Value = TypeVar("Value")

_WRITTEN: Mapping[object, str] = {None: "yes", False: "no"}
"""What a signature calls `prefix` of a side without prefixes, and of one that is like most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentFile(AnnotatedFile):
    """The documents of a file and their spans. A document that several annotators have annotated is there for each.

    Attributes:
        documents: names, texts and tokens.
        spans: of the documents.
        in_tokens: whether spans are in tokens; otherwise they are in characters (code points).
        annotators: of each document, whose spans they are; None if the file does not say.
        attributes: the spans of each document with their attributes, as `Attributes.from_dicts` takes them,
            discontinuous ones with their outermost bounds; None if no span has any.
        stated: of documents without a text, the contiguous spans and the text that the file says they cover; None if it
            never says so.
        places: of each document, what to call its place besides the line.
        left_out: what could not be read, one text each.
        notes: what else a user should know, one sentence each.
        tokenizer: what made the tokens, see `tokenizers.TOKENIZERS`; None if the file has them, or has none.
        answers: of each document what a language model wrote, which has no spans yet, see `pairing`; None for spans.
        decoding: how spans were decoded from tags, for the signature, see `decoding.reading_of`; empty if from none.
    """

    documents: Documents
    spans: Spans
    in_tokens: bool = False
    annotators: tuple[str, ...] | None = None
    attributes: AttributedSpans | None = None
    stated: StatedTexts | None = None
    places: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tokenizer: str | None = None
    answers: Sequence[Any] | None = None
    decoding: Mapping[str, object] = field(default_factory=dict)

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in the unit of the spans; None if they are not known."""
        return self.spans.lengths

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators, in the order of the file."""
        return tuple(dict.fromkeys(self.annotators or ()))

    def take(self, documents: np.ndarray) -> DocumentFile:
        """Return some of the documents, in the order asked for."""
        chosen = documents.tolist()

        def some(rows: Sequence[Any] | None) -> Any:
            return rows and tuple(rows[document] for document in chosen)

        return replace(
            self,
            documents=self.documents.take(documents),
            spans=self.spans.take(documents),
            annotators=some(self.annotators),
            attributes=None if self.attributes is None else self.attributes.of_documents(documents),
            stated=None if self.stated is None else self.stated.of_documents(documents),
            places=some(self.places),
            answers=some(self.answers),
            words=None if self.words is None else self.words.of_documents(documents),
            document_lines=self.document_lines[documents],
            parts=None if self.parts is None else self.parts.take(documents),
        )

    def of(self, annotator: str) -> DocumentFile:
        """Return what one annotator has annotated; an `InputError` that lists the annotators for an unknown one."""
        if annotator not in self.names:
            known = ", ".join(map(repr, self.names)) or "none"
            raise InputError(f"unknown annotator {annotator!r}.", f"The annotators are: {known}.", source=self.source)
        return self.take(np.flatnonzero([name == annotator for name in self.annotators or ()]))

    def require_spans(self) -> DocumentFile:
        """Return the file; an `InputError` if it has answers of a language model instead of spans."""
        if self.answers is not None:
            raise InputError(
                "these are answers of a language model, not spans.",
                "Make spans of them first, with spanometer ground, or spanometer.grounding.ground in Python.",
                source=self.source,
            )
        return self

    def attribute_columns(self) -> Attributes:
        """Read the attributes of all spans as columns; spans without any have none.

        Raises:
            InputError: names the file and the line, as `Attributes.from_dicts`.
        """
        rows = self.require_spans().attributes or AttributedSpans.without_any(self.spans)
        try:
            return Attributes.from_arrow(pa.chunked_array(in_chunks(rows, attributes_arrays)))
        except InputError as error:
            raise self.locate(error) from None

    def locate(self, error: InputError) -> InputError:
        """Return an error about a document of this file as one about the file and the place in it."""
        located = super().locate(error)
        if error.document is None or not self.places or not self.places[error.document]:
            return located
        return located.placed(source=f"{self.source_of(error.document)}, {self.places[error.document]}")


def decoding_of(files: Mapping[str, DocumentFile]) -> dict[str, object]:
    """Return how the tags of several sides were decoded, for the signature.

    What all sides that were tags share is said once, and what differs with the name of each side.
    """
    tagged = {side: file.decoding for side, file in files.items() if file.decoding}
    found: dict[str, object] = {}
    for name in dict.fromkeys(chain.from_iterable(tagged.values())):
        values = {side: decoding.get(name) for side, decoding in tagged.items()}
        same = len(set(values.values())) == 1
        listed = (f"{side}={_WRITTEN.get(value, value)}" for side, value in values.items())
        found[name] = next(iter(values.values())) if same else ",".join(listed)
    return found


inspection: ContextVar[Callable[[Iterable[Record], Sequence[str], bool], Iterable[Record]] | None] = ContextVar(
    "inspection", default=None
)
"""Looks at the records of a file before they are checked, and passes them on, see `validation`."""


def documents_of(
    source: Named,
    records: Iterable[Record],
    *,
    units: Sequence[str] = ("codepoint",),
    in_tokens: bool = False,
    left_out: list[str] | None = None,
) -> DocumentFile:
    """Make columns of records.

    If a format has several units, that one is taken, document by document, in which most stated texts are the text at
    their offsets; the first one if all units say the same.

    Args:
        source: the file.
        records: the documents, one by one.
        units: in which the format may count characters, see `spanometer.spans.characters.UNITS`.
        in_tokens: whether spans are in tokens.
        left_out: what the reader could not read, to which the spans are added that the records have lost.

    Raises:
        InputError: names the file and the place, for bounds that are no integers, before their document's beginning,
            past its end, inside a character or in the wrong order, for labels that are no strings; for offsets whose
            unit cannot be told; if most of the stated texts differ from the text; and if only some documents have a
            text or words.
    """
    inspect = inspection.get()
    if inspect is not None:
        records = inspect(records, units, in_tokens)
    left_out = [] if left_out is None else left_out
    columns = RecordColumns(source, _listed(records, left_out))
    dropped = [*left_out, *columns.drop_empty()]
    remarks: list[str] = []
    texts = complete(columns.texts)
    if not in_tokens:
        columns.to_code_points(units)
        remarks += columns.compare_stated()
    lengths: Sequence[int] | np.ndarray | None = None
    words = None if columns.words is None else columns.words.words()
    try:
        tokens = columns.tokens()
        if in_tokens and (tokens is not None or words is not None):
            lengths = tokens.lengths if tokens is not None else words.lengths if words is not None else None
        elif not in_tokens and texts is not None:
            lengths = list(map(len, texts))
        spans = Spans.from_arrow(columns.lists(), lengths=lengths)
    except InputError as error:
        raise columns.locate(error) from None
    twice = len(columns.start) - len(spans)
    if twice:
        remarks.append(f"Spans that the file has twice, and that count once: {twice:,}.")
    return DocumentFile(
        source=source.name,
        documents=Documents(size=columns.size, ids=complete(columns.ids), texts=texts, tokens=tokens),
        spans=spans,
        in_tokens=in_tokens,
        annotators=complete(columns.annotators),
        attributes=columns.attributed(),
        stated=columns.unchecked(spans),
        places=tuple(columns.places) if any(columns.places) else (),
        words=words,
        document_lines=columns.lines,
        left_out=tuple(dropped),
        notes=tuple(remarks),
    )


def _listed(records: Iterable[Record], left_out: list[str]) -> Iterator[Record]:
    for record in records:
        left_out += record.lost_spans()
        yield record


def complete(values: Sequence[Value | None]) -> tuple[Value, ...] | None:
    """Return the values of all documents; None if some have none."""
    return None if None in values else cast(tuple[Value, ...], tuple(values))
