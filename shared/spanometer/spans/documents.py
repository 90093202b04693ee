"""Documents that spans are of: their names, their texts and their tokens, where these are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ..arrays import begins_run, offsets_of, take_segments
from ..errors import InputError, counted
from .arrow import LONGEST


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
            InputError: for a token that is empty, or begins before the end of the one before it.
        """
        rows = [list(row) for row in documents]
        offsets = offsets_of([len(row) for row in rows])
        flat = list(chain.from_iterable(chain.from_iterable(rows)))
        if any(not -LONGEST <= bound <= LONGEST for bound in flat):
            document = next(
                number for number, row in enumerate(rows) if any(abs(bound) > LONGEST for pair in row for bound in pair)
            )
            raise InputError("a bound of a token is out of range.", "Check the tokens' offsets.", document=document)
        bounds = np.array(flat, dtype=np.int64).reshape(-1, 2)
        return cls(offsets, bounds[:, 0], bounds[:, 1]).checked()

    @classmethod
    def end_to_end(cls, parts: Sequence[Tokens]) -> Tokens:
        """Return the tokens of several series of documents as those of one."""
        lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in parts)])
        bounds = [
            np.concatenate([np.zeros(0, np.int64), *(getattr(p, name) for p in parts)]) for name in ("start", "end")
        ]
        return cls(offsets_of(lengths), *bounds)

    def checked(self) -> Tokens:
        """Return the tokens; an `InputError` for the first that is empty, or overlaps the one before it."""
        before = np.concatenate(([0], self.end[:-1]))[: len(self.start)]
        before[begins_run(self.document)] = 0
        bad = (self.start < before) | (self.end <= self.start)
        if bad.any():
            token = int(np.argmax(bad))
            bounds = f"a token has the bounds {self.start[token]} and {self.end[token]}"
            document = int(self.document[token])
            raise InputError(
                f"{bounds}, after one that ends at {before[token]}.",
                "Tokens are pairs of characters' offsets in the order of the text, the end exclusive.",
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
        """Return the bounds of a document's tokens."""
        here = slice(*self.offsets[document : document + 2].tolist())
        return list(zip(self.start[here].tolist(), self.end[here].tolist(), strict=True))

    def take(self, documents: np.ndarray) -> Tokens:
        """Return the tokens of some documents, in the order asked for."""
        counts, taken = take_segments(self.offsets, documents)
        return Tokens(offsets_of(counts), self.start[taken], self.end[taken])


def places_of(names: Sequence[str], wanted: Iterable[str]) -> np.ndarray:
    """Return where each of some names stands among names that occur once (int64)."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in wanted], dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Documents:
    """The documents that spans are of.

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
        """Return what to call a document: its name, or its number."""
        return f"document {document}" if self.ids is None else f"document {self.ids[document]!r}"

    def take(self, documents: np.ndarray) -> Documents:
        """Return some of the documents, in the order asked for."""
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
        if self.ids is not None and len(set(self.ids)) < self.size:
            known: dict[str, int] = {}
            for document, name in enumerate(self.ids):
                if known.setdefault(name, document) != document:
                    raise InputError(
                        f"{counted(2, 'document')} are called {name!r}: {known[name]} and {document}.",
                        "Give every document a name of its own.",
                        document=document,
                    )
