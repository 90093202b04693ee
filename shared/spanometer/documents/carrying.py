"""Conversion of a file's documents to another unit: trimming of spans, conversion to tokens or characters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..exceptions import InputError, counted, mention
from ..spans.documents import Tokens
from ..spans.tokenisation import Carried, split_at, to_characters, to_tokens, trimmed
from .document_file import DocumentFile
from .tokenizers import tokens_of


@dataclass(eq=False)
class Carrying:
    """The documents of a file while they are converted to another unit.

    Attributes:
        file: the current documents.
        notes: a sentence about each kind of change so far.
    """

    file: DocumentFile
    notes: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The texts of the documents, if known."""
        return self.file.documents.texts

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the documents, if known."""
        return self.file.documents.tokens

    def put(self, **layers: Any) -> None:
        """Replace fields of the file, or `texts` and `tokens` of its documents."""
        of_documents = {name: layers.pop(name) for name in ("texts", "tokens") if name in layers}
        self.file = replace(self.file, documents=replace(self.file.documents, **of_documents), **layers)

    def trim(self, what: str) -> None:
        """Remove whitespace, or whitespace and punctuation, from both ends of spans of characters.

        See `Pairing.trim`.
        """
        if what == "nothing" or self.file.in_tokens or self.texts is None:
            return
        spans, cut = trimmed(self.file.spans, self.texts, punctuation=what == "punctuation")
        if number := int((cut > 0).sum()):
            self.notes.append(f"{counted(number, 'span')} cut by {counted(int(cut.sum()), 'character')}.")
        self.put(spans=spans)

    def split_spans(self, tokenizer: str) -> None:
        """Replace each span of characters by one span for each token within it."""
        if self.file.in_tokens or self.texts is None:
            problem = "only spans of characters of a text are split into tokens."
            raise InputError(problem, f"Leave out {mention('split_spans')}.", source=self.file.source)
        self.put(spans=split_at(self.file.spans, tokens_of(self.texts, tokenizer)))

    def to_characters(self, **remedy: Any) -> None:
        """Convert spans of tokens to characters; raise an `InputError` with this remedy if tokens have no offsets."""
        if not self.file.in_tokens:
            return
        if self.tokens is None:
            raise InputError("the spans are in tokens, and the tokens have no character offsets.", **remedy)
        spans = to_characters(self.file.spans, self.tokens, self.file.documents.lengths)
        self.put(spans=spans, in_tokens=False)

    def to_tokens(self, tokens: Tokens, policy: str, how: str = "") -> Carried:
        """Convert spans of characters to tokens, see `tokenisation.to_tokens`; `how` is appended to the note."""
        carried = to_tokens(self.file.spans, tokens, policy=policy)
        moved = carried.moved[carried.moved > 0]
        if len(moved):
            distance = counted(int(moved.sum()), "character")
            self.notes.append(f"{counted(len(moved), 'span')} moved by {distance} to fit tokens{how}.")
        if carried.merged:
            self.notes.append(f"{counted(carried.merged, 'span')} merged with an equal one.")
        self.put(spans=carried.spans, in_tokens=True)
        return carried
