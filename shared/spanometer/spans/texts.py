"""Texts of documents: units of characters, tokens, and positions of one text in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from functools import partial
from itertools import chain
from operator import itemgetter
from unicodedata import category

import numpy as np
import pyarrow as pa

from ..arrays import batches, begins_run, first_flagged, offsets_of, ordered, place_of, surely_distinct
from ..exceptions import BYTE_ORDER_MARK, InputError, shown
from ..tags.decoding import first_tokens
from .arrow import LONGEST, Intervals, item_problem
from .spans import Spans

UNITS: Mapping[str, str] = {
    "codepoint": "characters as in Python",
    "utf-16": "UTF-16 units as in JavaScript and Java, where an emoji counts as two",
    "byte": "bytes of UTF-8",
    "codepoint-lf": "code points, but \\r\\n counts as one",
    "utf-16-lf": "UTF-16 units, but \\r\\n counts as one",
}
"""The units of offsets in a text."""

_LINE_END = "\r\n"

_FEW = 10_000
"""With fewer characters than this, sorting is faster than a lookup table."""


def is_plain(text: str, unit: str) -> bool:
    """Check whether offsets in this unit equal offsets in code points for all positions of the text."""
    if unit.endswith("-lf") and _LINE_END in text:
        return False
    if unit.startswith("codepoint") or text.isascii():
        return True
    return unit.startswith("utf-16") and len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)


def texts_not_plain(texts: Sequence[str], units: Iterable[str]) -> np.ndarray:
    """Return the indices of the texts with characters that one of these units counts differently than code points."""
    whole = "".join(texts)
    odd = [np.flatnonzero(_widths(whole, unit) != 1) for unit in units if not is_plain(whole, unit)]
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return np.unique(np.searchsorted(ends, np.concatenate([np.zeros(0, int), *odd]), side="right"))


def borders(text: str, unit: str) -> np.ndarray:
    """Compute the offset of each character, and of the end of the text, in a unit (int64, ascending)."""
    return offsets_of(_widths(text, unit))


def _widths(text: str, unit: str) -> np.ndarray:
    """Compute the length of each character in a unit (int8)."""
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    width = np.ones(len(code), dtype=np.int8)
    for most in (0xFFFF,) if unit.startswith("utf-16") else (0x7F, 0x7FF, 0xFFFF) if unit == "byte" else ():
        width += code > most
    if unit.endswith("-lf"):
        width[:-1] -= (code[:-1] == ord("\r")) & (code[1:] == ord("\n"))
    return width


def code_points(text: str, offsets: np.ndarray, unit: str) -> np.ndarray:
    """Convert offsets in a unit to code points, see `code_points_of`."""
    return code_points_of([text], np.zeros(len(offsets), dtype=np.int64), offsets, unit)


def code_points_of(texts: Sequence[str], document: np.ndarray, offsets: np.ndarray, unit: str) -> np.ndarray:
    """Convert offsets in a unit to code points; -1 for offsets inside a character or outside the text.

    Args:
        texts: the texts.
        document: the index of the text of each offset.
        offsets: the offsets, int64.
        unit: one of `UNITS`.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    # with a separator, so that the end of one text and the beginning of the next do not form a line end
    whole = "\0".join(texts)
    if is_plain(whole, unit):
        return np.where((offsets >= 0) & (offsets <= lengths[document]), offsets, -1)
    border = borders(whole, unit)
    base = offsets_of(lengths + 1)[:-1][document]
    last = base + lengths[document]
    begin = border[base]
    place = np.minimum(np.searchsorted(border, begin + offsets), last)
    fits = (border[place] == begin + offsets) & (offsets >= 0)
    return np.where(fits, place - base, -1)


def of_characters(texts: Sequence[str], value: Callable[[str], int]) -> np.ndarray:
    """Compute a value for each character of the concatenated texts, with one call for each distinct character."""
    code = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    there: np.ndarray
    if len(code) < _FEW:
        there, place = np.unique(code, return_inverse=True)
        place = place.ravel()
    else:
        number = np.bincount(code)
        there = np.flatnonzero(number)
        number[there] = np.arange(len(there))
        place = number[code]
    return np.array([value(chr(each)) for each in there.tolist()])[place] if len(code) else np.zeros(0, int)


_PAIR = pa.list_(pa.int64(), 2)
_TOKENS = "Give tokens in text order, without overlaps, as pairs [start, end] of character offsets. Ends are exclusive."


class Tokens(Intervals):
    """The tokens of documents, as offsets in characters. Document d has the tokens `offsets[d]` to `offsets[d + 1]`.

    Attributes:
        offsets: the index of each document's first token, and the number of all tokens, int64.
        start, end: the boundaries of each token in characters of its document, int64; `end` is exclusive. Tokens are in
            text order, do not overlap and are not empty.
    """

    @classmethod
    def from_lists(cls, documents: Sequence[Iterable[tuple[int, int]]]) -> Tokens:
        """Read the boundaries of each document's tokens.

        Raises:
            InputError: if a token is not a pair of integers, is empty, or overlaps the token before it.
        """
        rows = ordered(documents, "a list", _TOKENS)
        rows = [ordered(row, "a list of tokens", _TOKENS, document=number) for number, row in enumerate(rows)]
        offsets = offsets_of(list(map(len, rows)))
        try:
            bounds = np.array(list(chain.from_iterable(rows)) or np.zeros((0, 2), np.int64))
        except Exception:
            # objects of any class can be in place of a pair
            bounds = np.array(None)
        if bounds.dtype.kind not in "iu" or bounds.shape != (offsets[-1], 2):
            pairs = ((number, pair) for number, row in enumerate(rows) for pair in row)
            problems = ((number, item_problem(pair, _PAIR, "a token")) for number, pair in pairs)
            document, problem = next(filter(itemgetter(1), problems), (None, "the tokens are not pairs of offsets."))
            raise InputError(problem, _TOKENS, document=document)
        tokens = cls(offsets, *bounds.astype(np.int64).T)
        far = first_flagged(np.any((bounds > LONGEST) | (bounds < -LONGEST), axis=1))
        if far is not None:
            document = int(tokens.document[far])
            raise InputError("an offset of a token is out of range.", "Check the tokens' offsets.", document=document)
        return tokens.checked()

    @classmethod
    def from_arrays(cls, documents: Sequence[np.ndarray]) -> Tokens:
        """Wrap the boundaries of each document's tokens, as integer arrays of shape (tokens, 2), without checks."""
        bounds = np.concatenate([np.zeros((0, 2), np.int64), *documents])
        return cls(offsets_of([len(row) for row in documents]), bounds[:, 0], bounds[:, 1])

    @classmethod
    def end_to_end(cls, parts: Sequence[Tokens]) -> Tokens:
        """Concatenate the tokens of several collections of documents."""
        rows = [(np.zeros(0, np.int64),) * 3, *((part.lengths, part.start, part.end) for part in parts)]
        lengths, start, end = map(np.concatenate, zip(*rows, strict=True))
        return cls(offsets_of(lengths), start, end)

    def checked(self) -> Tokens:
        """Return the tokens; raise an `InputError` if a token is empty or overlaps the token before it."""
        before = np.concatenate(([0], self.end[:-1]))[: len(self.start)]
        before[begins_run(self.document)] = 0
        bad = first_flagged((self.start < before) | (self.end <= self.start))
        if bad is not None:
            document, position = place_of(self.offsets, bad)
            offsets = f"a token goes from {self.start[bad]} to {self.end[bad]}"
            earlier = f"{'the previous token ends' if before[bad] else 'the text begins'} at {before[bad]}"
            problem = f"{offsets}, but {earlier if self.start[bad] < before[bad] else 'must end after its start'}."
            raise InputError(problem, _TOKENS, document=document, position=position)
        return self

    @property
    def document(self) -> np.ndarray:
        """The document of each token, int64."""
        return self.owner

    def same(self, other: Tokens | None) -> bool:
        """Check whether other tokens have the same boundaries."""
        columns = ("offsets", "start", "end")
        return other is not None and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in columns)

    def bounds(self, document: int) -> list[tuple[int, int]]:
        """List the boundaries of a document's tokens."""
        here = slice(*self.offsets[document : document + 2].tolist())
        return list(zip(self.start[here].tolist(), self.end[here].tolist(), strict=True))


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
        columns = {"ids": self.ids, "texts": self.texts}
        taken = {name: each and tuple(map(each.__getitem__, chosen)) for name, each in columns.items()}
        return Documents(size=len(chosen), tokens=self.tokens and self.tokens.take(documents), **taken)

    def require_unique(self) -> None:
        """Raise an `InputError` if two documents have the same name."""
        if self.ids is not None and not surely_distinct(self.ids):
            places: dict[str, int] = {}
            for document, name in enumerate(self.ids):
                if places.setdefault(name, document) != document:
                    problem = f"the name {name!r} occurs twice, first in document {places[name]}."
                    raise InputError(problem, "Give each document a different name.", document=document)


_WORD = re.compile(r"\S+")
_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)


class _Kind(IntEnum):
    BLANK = 0
    WORD = 1
    SIGN = 2
    MARK = 3
    """Belongs to the character before it."""
    JOINER = 4
    """Belongs to the characters before and after it."""


def words_and_signs(texts: Sequence[str]) -> Tokens:
    """Make a token of each run of letters, digits and underscores, and of each other character except whitespace.

    Combining marks, variation selectors, skin tones and format characters belong to the character before them. A
    zero-width joiner joins the characters on both sides. So no token begins inside a character as people see it.
    """
    # in batches, to save memory
    return Tokens.end_to_end([_words_and_signs(some) for _, some in batches(texts)])


def between_blanks(texts: Sequence[str]) -> Tokens:
    """Split texts into tokens at whitespace."""
    spans = ([word.span() for word in _WORD.finditer(text)] for text in texts)
    return Tokens.from_arrays([np.array(row, dtype=np.int64).reshape(-1, 2) for row in spans])


def _words_and_signs(texts: Sequence[str]) -> Tokens:
    base = offsets_of(list(map(len, texts)))
    kind = of_characters(texts, _kind).astype(np.int8)
    begins_text = first_tokens(base, len(kind))
    shown = np.minimum(kind, _Kind.SIGN)
    sign = shown == _Kind.SIGN
    joined = np.zeros(len(kind), dtype=bool)
    mark = kind >= _Kind.MARK
    if mark.any():
        mark &= ~begins_text
        # a combining mark has the kind of its base character; without a base character it is punctuation
        shown = shown[np.maximum.accumulate(np.where(mark, 0, np.arange(len(kind))))]
        shown[mark & (shown == _Kind.BLANK)] = _Kind.SIGN
        sign = (shown == _Kind.SIGN) & ~mark
        joined[1:] = kind[:-1] == _Kind.JOINER
        joined &= ~begins_text
    differs = np.ones(len(kind), dtype=bool)
    differs[1:] = shown[1:] != shown[:-1]
    inside = shown != _Kind.BLANK
    begins = inside & (begins_text | ((differs | sign) & ~joined))
    # a token ends at the end of its text, where another begins, and before characters outside tokens
    ends = inside.copy()
    ends[:-1] &= begins[1:] | ~inside[1:] | begins_text[1:]
    start = np.flatnonzero(begins)
    offsets = np.searchsorted(start, base)
    before = np.repeat(base[:-1], np.diff(offsets))
    return Tokens(offsets, start - before, np.flatnonzero(ends) + 1 - before)


def _kind(character: str) -> _Kind:
    if character == _JOINER:
        return _Kind.JOINER
    if character.isspace():
        return _Kind.BLANK
    if category(character) in ("Mn", "Mc", "Me", "Cf") or ord(character) in _SKIN_TONES:
        return _Kind.MARK
    return _Kind.WORD if character.isalnum() or character == "_" else _Kind.SIGN


_AROUND = 20


def line_end_places(text: str) -> np.ndarray:
    """Map each character of a text, and its end, to its position in `plain_ends(text)` (int64, ascending)."""
    return np.asarray(np.maximum(borders(text, "codepoint-lf") - text.startswith(BYTE_ORDER_MARK), 0))


def aligned_places(text: str, other: str) -> np.ndarray:
    """Map each character of a text, and its end, to a position in another text (int64, ascending).

    The longest common parts are aligned first (difflib). In replaced parts, characters are aligned one after another. A
    character that the other text lacks is mapped to the position where it would be inserted.
    """
    places = np.zeros(len(text) + 1, dtype=np.int64)
    for _, start, end, begin, stop in SequenceMatcher(None, text, other, autojunk=False).get_opcodes():
        places[start:end] = np.minimum(begin + np.arange(end - start), stop)
    places[-1] = len(other)
    return places


def moved_to(spans: Spans, places: Sequence[np.ndarray], lengths: np.ndarray) -> tuple[Spans, np.ndarray]:
    """Move spans of characters to another version of their texts.

    Args:
        spans: the spans in characters of the original texts.
        places: the map of each document, see `aligned_places`.
        lengths: the lengths of the other texts.

    Returns:
        The moved spans, and the indices of the original spans that are missing in the other text, ascending.
    """
    flat = np.concatenate([np.zeros(0, np.int64), *places])
    span, start, end = spans.pieces()
    first = offsets_of([len(place) for place in places])[spans.document[span]]
    begin = flat[first + start]
    # the end of a span is the end of its last character, before any insertion after it
    stop = np.minimum(flat[first + end - 1] + 1, flat[first + end])
    stays = stop > begin
    moved = spans.with_pieces(span[stays], begin[stays], stop[stays], lengths)
    return moved, np.setdiff1d(np.arange(len(spans)), span[stays])


def words_in_text(words: Sequence[str], text: str, document: int) -> list[tuple[int, int]]:
    """Find the boundaries of words in a text that has these words in this order, separated only by whitespace.

    Raises:
        InputError: for the first word that is not found; it has document and position.
    """
    refusal = partial(InputError, remedy="Give the words of this text, in the order of the text.", document=document)
    bounds, place = [], 0
    for position, word in enumerate(words):
        start = text.find(word, place)
        if start < 0 or text[place:start].strip():
            rest = text[place:].lstrip()[:_AROUND]
            there = f"has {shown(rest)} here" if rest else "has ended"
            raise refusal(f"the word is {shown(word)}, but the text {there}.", position=position)
        place = start + len(word)
        bounds.append((start, place))
    if text[place:].strip():
        raise refusal(f"the text continues with {shown(text[place:].strip()[:_AROUND])} after the last word.")
    return bounds


def joined(words: Sequence[Sequence[str]], between: str = "") -> tuple[list[str], Tokens]:
    """Join the words of each document with a separator; returns the texts and the positions of the words in them."""
    ends = [offsets_of([len(word) + len(between) for word in row]) for row in words]
    bounds = [np.stack([end[:-1], end[1:] - len(between)], axis=1) for end in ends]
    return [between.join(row) for row in words], Tokens.from_arrays(bounds)
