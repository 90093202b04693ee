"""Differences between the texts of two sides, and positions of words in texts."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from ..arrays import offsets_of
from ..exceptions import BYTE_ORDER_MARK, InputError, shown
from .documents import Tokens
from .spans import Spans

_AROUND = 20


def line_end_places(text: str) -> np.ndarray:
    """Map each character of a text, and its end, to its position in `plain_ends(text)` (int64, ascending)."""
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    gone = np.zeros(len(code), dtype=bool)
    gone[:-1] = (code[:-1] == ord("\r")) & (code[1:] == ord("\n"))
    gone[:1] |= text.startswith(BYTE_ORDER_MARK)
    return offsets_of(~gone)


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
    base = offsets_of([len(place) for place in places])
    flat = np.concatenate([np.zeros(0, np.int64), *places])
    span, start, end = spans.pieces()
    first = base[spans.document[span]]
    begin = flat[first + start]
    # the end of a span is where its last character ends, not where what is inserted after it does
    stop = np.minimum(flat[first + end - 1] + 1, flat[first + end])
    stays = stop > begin
    moved = spans.with_pieces(span[stays], begin[stays], stop[stays], lengths)
    return moved, np.setdiff1d(np.arange(len(spans)), span[stays])


def words_in_text(words: Sequence[str], text: str, document: int) -> list[tuple[int, int]]:
    """Find the boundaries of words in a text that has these words in this order, separated only by whitespace.

    Raises:
        InputError: for the first word that is not found; it has document and position.
    """
    bounds, place = [], 0
    for position, word in enumerate(words):
        while place < len(text) and text[place].isspace() and not text.startswith(word, place):
            place += 1
        if not text.startswith(word, place):
            raise InputError(
                f"the texts differ: one has the word {shown(word)} where the other has "
                f"{shown(text[place : place + _AROUND])}.",
                "Both sides must annotate the same text.",
                document=document,
                position=position,
            )
        bounds.append((place, place := place + len(word)))
    if text[place:].strip():
        raise InputError(
            f"the words end before {shown(text[place:].strip()[:_AROUND])} in the other side's text.",
            "Both sides must annotate the same text.",
            document=document,
        )
    return bounds


def joined(words: Sequence[Sequence[str]], between: str = "") -> tuple[list[str], Tokens]:
    """Join the words of each document with a separator; returns the texts and the positions of the words in them."""
    ends = [offsets_of([len(word) + len(between) for word in row]) for row in words]
    bounds = [np.stack([end[:-1], end[1:] - len(between)], axis=1) for end in ends]
    flat = np.concatenate([np.zeros((0, 2), np.int64), *bounds])
    return [between.join(row) for row in words], Tokens(offsets_of(list(map(len, words))), flat[:, 0], flat[:, 1])
