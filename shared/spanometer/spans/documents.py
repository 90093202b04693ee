"""Documents that spans are of: their names, their texts and their tokens, where these are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import begins_run, is_integer, is_list, offsets_of, ordered, surely_distinct, take_segments
from ..exceptions import InputError, counted, shown
from .arrow import LONGEST

_TOKENS = "Tokens are pairs of characters' offsets in the order of the text, the end exclusive."


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of documents: those of document d are `offsets[d]` to `offsets[d + 1]`, in the order of the text.

    Attributes:
        offsets: int64, where the tokens of each document begin, and where the last one's end.
        start, end: int64, in characters of the document, `end` exclusive. No two tokens overlap, none is empty.
    """

    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @classmethod
    def from_lists(cls, documents: Sequence[Iterable[tuple[int, int]]]) -> Tokens:
        """Read the bounds of each document's tokens.

        Raises:
            InputError: for what is no pair of numbers, a token that is empty, or one that begins before the end of
                the one before it.
        """
        rows = [
            ordered(row, "a list of tokens", _TOKENS, document=number)
            for number, row in enumerate(ordered(documents, "a list", _TOKENS))
        ]
        offsets = offsets_of([len(row) for row in rows])
        try:
            bounds = np.array([pair for row in rows for pair in row] or np.zeros((0, 2), np.int64))
        except Exception:
            # anybody's objects may be where a pair should be
            bounds = np.array(None)
        whole = bounds.dtype.kind in "iu" and bounds.shape == (offsets[-1], 2)
        if not whole or ((bounds > LONGEST) | (bounds < -LONGEST)).any():
            raise _odd_token(rows)
        bounds = bounds.astype(np.int64)
        return cls(offsets, bounds[:, 0], bounds[:, 1]).checked()

    @classmethod
    def from_arrays(cls, documents: Sequence[np.ndarray]) -> Tokens:
        """Take over the bounds of each document's tokens, whole numbers, a row for each; errors as `from_lists`."""
        bounds = np.concatenate([np.zeros((0, 2), np.int64), *documents])
        return cls(offsets_of([len(row) for row in documents]), bounds[:, 0], bounds[:, 1]).checked()

    @classmethod
    def end_to_end(cls, parts: Sequence[Tokens]) -> Tokens:
        """Concatenate the tokens of several series of documents."""
        lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in parts)])
        bounds = [
            np.concatenate([np.zeros(0, np.int64), *(getattr(p, name) for p in parts)]) for name in ("start", "end")
        ]
        return cls(offsets_of(lengths), *bounds)

    def checked(self) -> Tokens:
        """Check the tokens; an `InputError` for the first that is empty or overlaps the token before it."""
        before = np.concatenate(([0], self.end[:-1]))[: len(self.start)]
        before[begins_run(self.document)] = 0
        bad = (self.start < before) | (self.end <= self.start)
        if bad.any():
            token = int(np.argmax(bad))
            offsets = f"a token goes from {self.start[token]} to {self.end[token]}"
            document = int(self.document[token])
            raise InputError(
                f"{offsets}, but must begin at {before[token]} or later and end after its start.",
                _TOKENS,
                document=document,
                position=token - int(self.offsets[document]),
            )
        return self

    @property
    def lengths(self) -> np.ndarray:
        """The number of tokens of each document, int64."""
        return np.diff(self.offsets)

    @property
    def document(self) -> np.ndarray:
        """The document of each token, int64."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def bounds(self, document: int) -> list[tuple[int, int]]:
        """List the bounds of a document's tokens."""
        here = slice(*self.offsets[document : document + 2].tolist())
        return list(zip(self.start[here].tolist(), self.end[here].tolist(), strict=True))

    def take(self, documents: np.ndarray) -> Tokens:
        """Select the tokens of documents, in the order of the selection."""
        counts, taken = take_segments(self.offsets, documents)
        return Tokens(offsets_of(counts), self.start[taken], self.end[taken])


def _odd_token(rows: Sequence[Sequence[Any]]) -> InputError:
    """Make the error about the first token that is no pair of offsets."""
    for document, row in enumerate(rows):
        for token in row:
            if not (is_list(token) and len(token) == 2 and all(map(is_integer, token))):
                return InputError(f"a token is {shown(token)}, not a pair of offsets.", _TOKENS, document=document)
            if any(abs(bound) > LONGEST for bound in token):
                return InputError(
                    "an offset of a token is out of range.", "Check the tokens' offsets.", document=document
                )
    return InputError("the tokens are not pairs of offsets.", _TOKENS)


def places_of(names: Sequence[str], wanted: Iterable[str]) -> np.ndarray:
    """Find the places of some names among names that occur once (int64)."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in wanted], dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Documents:
    """Documents: their names, texts and tokens.

    Attributes:
        size: how many there are.
        ids: their names; None if they have none.
        texts: their texts; None if they are not known.
        tokens: their tokens; None if they are not known.
    """

    size: int
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    tokens: Tokens | None = None

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in characters, int64; None if the texts are not known."""
        return None if self.texts is None else np.fromiter(map(len, self.texts), np.int64, self.size)

    def name(self, document: int) -> str:
        """Call a document by its name, or by its number."""
        return f"document {document}" if self.ids is None else f"document {self.ids[document]!r}"

    def take(self, documents: np.ndarray) -> Documents:
        """Select documents, in the order of the selection."""
        chosen = documents.tolist()
        return replace(
            self,
            size=len(chosen),
            ids=None if self.ids is None else tuple(self.ids[document] for document in chosen),
            texts=None if self.texts is None else tuple(self.texts[document] for document in chosen),
            tokens=None if self.tokens is None else self.tokens.take(documents),
        )

    def require_unique(self) -> None:
        """Raise an `InputError` if two documents have one name."""
        if self.ids is not None and not surely_distinct(self.ids):
            places: dict[str, int] = {}
            for document, name in enumerate(self.ids):
                if places.setdefault(name, document) != document:
                    raise InputError(
                        f"{counted(2, 'document')} are called {name!r}: {places[name]} and {document}.",
                        "Give every document a name of its own.",
                        document=document,
                    )
