"""The documents of an annotation: their names, texts and tokens, as far as they are known."""

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
    """The tokens of documents, as offsets in characters. Document d has the tokens `offsets[d]` to `offsets[d + 1]`.

    Attributes:
        offsets: the index of each document's first token, and the number of all tokens, int64.
        start, end: the boundaries of each token in characters of its document, int64; `end` is exclusive. Tokens are in
            text order, do not overlap and are not empty.
    """

    offsets: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @classmethod
    def from_lists(cls, documents: Sequence[Iterable[tuple[int, int]]]) -> Tokens:
        """Read the boundaries of each document's tokens.

        Raises:
            InputError: if a token is not a pair of integers, is empty, or overlaps the token before it.
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
        """Wrap the boundaries of each document's tokens, given as integer arrays of shape (tokens, 2).

        See `from_lists` for errors.
        """
        bounds = np.concatenate([np.zeros((0, 2), np.int64), *documents])
        return cls(offsets_of([len(row) for row in documents]), bounds[:, 0], bounds[:, 1]).checked()

    @classmethod
    def end_to_end(cls, parts: Sequence[Tokens]) -> Tokens:
        """Concatenate the tokens of several collections of documents."""
        lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in parts)])
        bounds = [
            np.concatenate([np.zeros(0, np.int64), *(getattr(p, name) for p in parts)]) for name in ("start", "end")
        ]
        return cls(offsets_of(lengths), *bounds)

    def checked(self) -> Tokens:
        """Return the tokens; raise an `InputError` if a token is empty or overlaps the token before it."""
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
        """List the boundaries of a document's tokens."""
        here = slice(*self.offsets[document : document + 2].tolist())
        return list(zip(self.start[here].tolist(), self.end[here].tolist(), strict=True))

    def take(self, documents: np.ndarray) -> Tokens:
        """Select documents in the given order."""
        counts, taken = take_segments(self.offsets, documents)
        return Tokens(offsets_of(counts), self.start[taken], self.end[taken])


def _odd_token(rows: Sequence[Sequence[Any]]) -> InputError:
    """Create the error about the first token that is not a pair of offsets."""
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
    """Return the index of each wanted name in `names`, which are distinct (int64)."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in wanted], dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Documents:
    """The names, texts and tokens of documents.

    Attributes:
        size: the number of documents.
        ids: the names; None if there are none.
        texts: the texts; None if unknown.
        tokens: the tokens; None if unknown.
    """

    size: int
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    tokens: Tokens | None = None

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in characters, int64; None if the texts are unknown."""
        return None if self.texts is None else np.fromiter(map(len, self.texts), np.int64, self.size)

    def name(self, document: int) -> str:
        """Return the name of a document, or its number if it has no name."""
        return f"document {document}" if self.ids is None else f"document {self.ids[document]!r}"

    def take(self, documents: np.ndarray) -> Documents:
        """Select documents in the given order."""
        chosen = documents.tolist()
        return replace(
            self,
            size=len(chosen),
            ids=None if self.ids is None else tuple(self.ids[document] for document in chosen),
            texts=None if self.texts is None else tuple(self.texts[document] for document in chosen),
            tokens=None if self.tokens is None else self.tokens.take(documents),
        )

    def require_unique(self) -> None:
        """Raise an `InputError` if two documents have the same name."""
        if self.ids is not None and not surely_distinct(self.ids):
            places: dict[str, int] = {}
            for document, name in enumerate(self.ids):
                if places.setdefault(name, document) != document:
                    raise InputError(
                        f"{counted(2, 'document')} are called {name!r}: {places[name]} and {document}.",
                        "Give every document a name of its own.",
                        document=document,
                    )
