"""Simple tokenizers that use only the kinds of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from unicodedata import category

import numpy as np

from ..arrays import batches, offsets_of
from .characters import of_characters
from .documents import Tokens

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
    return _in_batches(texts, _words_and_signs)


def between_blanks(texts: Sequence[str]) -> Tokens:
    """Split texts into tokens at whitespace."""
    return _in_batches(texts, _between_blanks)


def _in_batches(texts: Sequence[str], make: Callable[[Sequence[str]], Tokens]) -> Tokens:
    """Tokenize the texts in batches, to save memory."""
    return Tokens.end_to_end([make(some) for _, some in batches(texts)])


def _words_and_signs(texts: Sequence[str]) -> Tokens:
    lengths = _lengths(texts)
    kind = of_characters(texts, _kind).astype(np.int8)
    begins_text = _first_characters(lengths, len(kind))
    shown = np.minimum(kind, _Kind.SIGN)
    sign = shown == _Kind.SIGN
    joined = np.zeros(len(kind), dtype=bool)
    mark = kind >= _Kind.MARK
    if mark.any():
        mark &= ~begins_text
        # a mark is of the kind of what it belongs to; what no character bears is a sign
        shown = shown[np.maximum.accumulate(np.where(mark, 0, np.arange(len(kind))))]
        shown[mark & (shown == _Kind.BLANK)] = _Kind.SIGN
        sign = (shown == _Kind.SIGN) & ~mark
        joined[1:] = kind[:-1] == _Kind.JOINER
        joined &= ~begins_text
    differs = np.ones(len(kind), dtype=bool)
    differs[1:] = shown[1:] != shown[:-1]
    inside = shown != _Kind.BLANK
    return _tokens(inside & (begins_text | ((differs | sign) & ~joined)), inside, lengths)


def _between_blanks(texts: Sequence[str]) -> Tokens:
    lengths = _lengths(texts)
    visible = of_characters(texts, lambda character: not character.isspace()).astype(bool)
    begins = visible & (
        _first_characters(lengths, len(visible)) | ~np.concatenate(([False], visible[:-1]))[: len(visible)]
    )
    return _tokens(begins, visible, lengths)


def _kind(character: str) -> _Kind:
    if character == _JOINER:
        return _Kind.JOINER
    if character.isspace():
        return _Kind.BLANK
    if category(character) in ("Mn", "Mc", "Me", "Cf") or ord(character) in _SKIN_TONES:
        return _Kind.MARK
    return _Kind.WORD if character.isalnum() or character == "_" else _Kind.SIGN


def _lengths(texts: Sequence[str]) -> np.ndarray:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _first_characters(lengths: np.ndarray, size: int) -> np.ndarray:
    """Flag the first character of each text."""
    flags = np.zeros(size + 1, dtype=bool)
    flags[offsets_of(lengths)[:-1]] = True
    return flags[:size]


def _tokens(begins: np.ndarray, inside: np.ndarray, lengths: np.ndarray) -> Tokens:
    """Make tokens from flags of the characters that begin tokens, and of all characters inside tokens."""
    start = np.flatnonzero(begins)
    base = offsets_of(lengths)
    # a token ends with its text, where another begins and before what is in none
    ends = inside.copy()
    ends[:-1] &= begins[1:] | ~inside[1:] | _first_characters(lengths, len(inside))[1:]
    offsets = np.searchsorted(start, base)
    before = np.repeat(base[:-1], np.diff(offsets))
    return Tokens(offsets, start - before, np.flatnonzero(ends) + 1 - before)
