"""Words or characters of documents as columns, and the strings that spans cover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..arrays import as_lists, offsets_of, ranges, run_bounds, string_array, strings
from ..tags.tags import Tags
from .spans import Spans
from .texts import Tokens, of_characters

_AT_ONCE = 1 << 20
"""The number of characters that are processed at a time."""

_BLANK = re.compile(r"\s")

_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"
"""A replacement for lone surrogates, which Arrow cannot store."""


@dataclass(frozen=True, eq=False)
class Wording:
    """The content of documents in units: words or characters, whichever unit spans are counted in.

    Attributes:
        units: the words or characters, encoded.
        separator: the string between two units: a space between words, nothing between characters.
        characters: if units are words, the characters of the texts, if known; otherwise None.
        bounds_in_text: the start and end of each word in characters of its document, shape (2, words).
    """

    units: Tags
    separator: str
    characters: Wording | None = None
    bounds_in_text: np.ndarray = field(default_factory=lambda: np.zeros((2, 0), dtype=np.int64))

    @classmethod
    def of_words(cls, words: Tags | Iterable[Sequence[str]]) -> Wording:
        """Create it from lists of words."""
        return cls(words if isinstance(words, Tags) else Tags.from_lists(words), " ")

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Wording:
        """Create it from texts, if spans are in characters."""
        offsets, numbers = offsets_of(list(map(len, texts))), dict[str, int]()
        codes = [np.zeros(0, dtype=np.uint8)]
        for first, last in zip(*run_bounds(offsets[:-1] // _AT_ONCE), strict=True):
            some = "".join(texts[first:last])
            for start in range(0, len(some), _AT_ONCE):
                part = some[start : start + _AT_ONCE]
                part_codes = of_characters([part], lambda character: numbers.setdefault(character, len(numbers)))
                codes.append(part_codes.astype(np.min_scalar_type(len(numbers))))
        names = tuple(_NO_CHARACTER if "\ud800" <= character < "\ue000" else character for character in numbers)
        return cls(Tags(np.concatenate(codes), names, offsets), "")

    @classmethod
    def of_tokens(cls, texts: Sequence[str], tokens: Tokens) -> Wording:
        """Create it from texts with tokens; line ends and other whitespace become spaces."""
        characters = cls.of_texts([_BLANK.sub(" ", text) for text in texts])
        words = as_lists(tokens.offsets, characters.between(tokens.document, tokens.start, tokens.end))
        return cls(Tags.from_arrow(words), " ", characters, np.stack([tokens.start, tokens.end]))

    @property
    def shown(self) -> Wording:
        """The text, if it is known, otherwise the words. Strings to show are taken from here."""
        return self if self.characters is None else self.characters

    @property
    def lengths(self) -> np.ndarray:
        """The documents' lengths in units, int64."""
        return self.units.lengths

    def of(self, spans: Spans) -> pa.StringArray:
        """Return the string that each span covers; fragments of a discontinuous span are joined by a space."""
        span, start, end = spans.pieces()
        pieces = self.between(spans.document[span], start, end)
        if spans.fragments is None:
            return pieces
        return _joined(spans.fragments.offsets, pieces, " ")

    def between(self, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> pa.StringArray:
        """Return the strings from unit `start` to unit `end` (exclusive) of each document."""
        if self.characters is not None:
            return self.characters.between(document, *self.bounds(document, start, end))
        size = end - start
        taken = ranges(self.units.offsets[document] + start, size)
        return _joined(offsets_of(size), strings(self.units.codes[taken], self.units.names), self.separator)

    def bounds(self, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Convert boundaries in units to boundaries in `shown`; parts without words get 0."""
        if self.characters is None:
            return start, end
        filled, base = end > start, self.units.offsets[document]
        bounds = np.zeros((2, len(start)), dtype=np.int64)
        bounds[0, filled] = self.bounds_in_text[0, (base + start)[filled]]
        bounds[1, filled] = self.bounds_in_text[1, (base + end)[filled] - 1]
        return bounds[0], bounds[1]

    def without_text(self) -> Wording:
        """Keep only the words, for comparison with other words."""
        return replace(self, characters=None)

    def text(self, document: int, start: int, end: int) -> str:
        """Return the string from unit `start` to unit `end` (exclusive) of a document."""
        if self.characters is not None:
            place, first, last = (np.array([bound]) for bound in (document, start, end))
            low, high = self.bounds(place, first, last)
            return self.characters.text(document, int(low[0]), int(high[0]))
        return self.separator.join(self.listed(document, start, end))

    def listed(self, document: int, start: int, end: int) -> list[str]:
        """Return the units from `start` to `end` (exclusive) of a document."""
        first = int(self.units.offsets[document])
        return [self.units.names[code] for code in self.units.codes[first + start : first + end].tolist()]


def _joined(offsets: np.ndarray, values: pa.StringArray, separator: str) -> pa.StringArray:
    """Join the strings of each list, without importing pandas."""
    return pa.compute.binary_join(as_lists(offsets, values), string_array([separator])[0])


def coded_strings(*sides: pa.StringArray) -> tuple[list[np.ndarray], list[str]]:
    """Encode the strings of several sides as int64 indices into a common list of distinct strings; returns both."""
    encoded = pa.concat_arrays(sides).dictionary_encode()
    codes = np.asarray(encoded.indices, dtype=np.int64)
    return np.split(codes, offsets_of(list(map(len, sides)))[1:-1]), encoded.dictionary.to_pylist()
