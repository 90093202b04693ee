"""Units in which tools count characters (such as UTF-16), and conversion of offsets to code points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..arrays import offsets_of

UNITS: Mapping[str, str] = {
    "codepoint": "characters as in Python",
    "utf-16": "UTF-16 units as in JavaScript and Java, where an emoji has two",
    "byte": "bytes of UTF-8",
    "codepoint-lf": "code points, with \\r\\n counted once",
    "utf-16-lf": "UTF-16 units, with \\r\\n counted once",
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


def borders(text: str, unit: str) -> np.ndarray:
    """Compute the offset of each character, and of the end of the text, in a unit (int64, ascending)."""
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    width = np.ones(len(code), dtype=np.int64)
    for most in (0xFFFF,) if unit.startswith("utf-16") else (0x7F, 0x7FF, 0xFFFF) if unit == "byte" else ():
        width += code > most
    if unit.endswith("-lf"):
        width[:-1] -= (code[:-1] == ord("\r")) & (code[1:] == ord("\n"))
    return np.concatenate(([0], np.cumsum(width)))


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
    # with a character between them, so that a line's end is not made of the end of one and the beginning of the next
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
