"""Tokens of texts, made from the kinds of their characters alone."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from unicodedata import category

import numpy as np

from ..arrays import offsets_of
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
    """Belongs to the characters on both sides."""


def words_and_signs(texts: Sequence[str]) -> Tokens:
    """Return runs of letters, digits and underscores as tokens, and every other sign but white space as one of its own.

    Combining marks, variation selectors and skin tones belong to the character before them, so do format characters;
    what a zero-width joiner joins is one token: no token begins inside what people see as one character.
    """
    lengths = _lengths(texts)
    kind = of_characters(texts, _kind)
    begins_text = _first_characters(lengths, len(kind))
    mark = (kind >= _Kind.MARK) & ~begins_text
    # a mark is of the kind of what it belongs to; what no character bears is a sign
    number = np.arange(len(kind))
    bearer = np.maximum.accumulate(np.where(mark, 0, number))
    shown = np.minimum(kind, _Kind.SIGN)[bearer]
    shown[mark & (shown == _Kind.BLANK)] = _Kind.SIGN
    before = np.concatenate(([_Kind.BLANK], shown[:-1]))[: len(kind)]
    joined = np.concatenate(([False], kind[:-1] == _Kind.JOINER))[: len(kind)] & ~begins_text
    sign = (shown == _Kind.SIGN) & ~mark
    begins = (shown != _Kind.BLANK) & (begins_text | (((shown != before) | sign) & ~joined))
    return _tokens(begins, shown != _Kind.BLANK, lengths)


def between_blanks(texts: Sequence[str]) -> Tokens:
    """Return what stands between white space as tokens."""
    lengths = _lengths(texts)
    visible = of_characters(texts, lambda one: not one.isspace()).astype(bool)
    begins = visible & (
        _first_characters(lengths, len(visible)) | ~np.concatenate(([False], visible[:-1]))[: len(visible)]
    )
    return _tokens(begins, visible, lengths)


def _kind(one: str) -> _Kind:
    if one == _JOINER:
        return _Kind.JOINER
    if one.isspace():
        return _Kind.BLANK
    if category(one) in ("Mn", "Mc", "Me", "Cf") or ord(one) in _SKIN_TONES:
        return _Kind.MARK
    return _Kind.WORD if one.isalnum() or one == "_" else _Kind.SIGN


def _lengths(texts: Sequence[str]) -> np.ndarray:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _first_characters(lengths: np.ndarray, size: int) -> np.ndarray:
    """Flag the characters that begin texts."""
    flags = np.zeros(size + 1, dtype=bool)
    flags[offsets_of(lengths)[:-1]] = True
    return flags[:size]


def _tokens(begins: np.ndarray, inside: np.ndarray, lengths: np.ndarray) -> Tokens:
    """Return tokens from flags of the characters that begin them and those that are in them."""
    start = np.flatnonzero(begins)
    ends = inside & np.append(begins[1:] | ~inside[1:], [True])[: len(inside)]
    base = offsets_of(lengths)
    # a token ends with its text
    ends |= inside & np.append(_first_characters(lengths, len(inside))[1:], [True])[: len(inside)]
    end = np.flatnonzero(ends) + 1
    document = np.searchsorted(base, start, side="right") - 1
    counts = np.bincount(document, minlength=len(lengths))
    return Tokens(offsets_of(counts), start - base[document], end - base[document])
