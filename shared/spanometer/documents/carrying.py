"""The documents of a file on their way into another unit: spans trimmed, and carried to tokens or characters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..exceptions import InputError, counted
from ..spans.documents import Tokens
from ..spans.tokenisation import Carried, to_characters, to_tokens, trimmed
from .document_file import DocumentFile


@dataclass(eq=False)
class Carrying:
    """The documents of a file while their spans are brought into another unit.

    Attributes:
        file: the documents as they are now.
        notes: what was cut, moved and merged, one sentence each.
    """

    file: DocumentFile
    notes: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The texts of the documents, if they are known."""
        return self.file.documents.texts

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the documents, if they are known."""
        return self.file.documents.tokens

    def put(self, **layers: Any) -> None:
        """Put other layers in the file; `texts` and `tokens` are of its documents."""
        of_documents = {name: layers.pop(name) for name in ("texts", "tokens") if name in layers}
        self.file = replace(self.file, documents=replace(self.file.documents, **of_documents), **layers)

    def trim(self, what: str) -> None:
        """Cut blanks, or blanks and punctuation, off the ends of spans of characters; see `Pairing.trim`."""
        if what == "nothing" or self.file.in_tokens or self.texts is None:
            return
        spans, cut = trimmed(self.file.spans, self.texts, punctuation=what == "punctuation")
        if number := int((cut > 0).sum()):
            self.notes.append(f"{counted(number, 'span')} cut by {counted(int(cut.sum()), 'character')}.")
        self.put(spans=spans)

    def to_characters(self, **remedy: Any) -> None:
        """Count spans of tokens in characters; an `InputError`, with its remedy, if nothing tells which these are."""
        if not self.file.in_tokens:
            return
        if self.tokens is None:
            raise InputError("the spans are in tokens, and nothing tells which characters these are.", **remedy)
        spans = to_characters(self.file.spans, self.tokens, self.file.documents.lengths)
        self.put(spans=spans, in_tokens=False)

    def to_tokens(self, tokens: Tokens, policy: str, how: str = "") -> Carried:
        """Carry spans of characters to tokens, see `tokenisation.to_tokens`; notes say `how`."""
        carried = to_tokens(self.file.spans, tokens, policy=policy)
        moved = carried.moved[carried.moved > 0]
        if len(moved):
            distance = counted(int(moved.sum()), "character")
            self.notes.append(f"{counted(len(moved), 'span')} moved by {distance} to fit tokens{how}.")
        if carried.merged:
            self.notes.append(f"{counted(carried.merged, 'span')} became one with another.")
        self.put(spans=carried.spans, in_tokens=True)
        return carried
