"""Characters of a text: the units that tools count them in, and offsets in one unit as offsets in code points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

UNITS: Mapping[str, str] = {
    "codepoint": "characters as Python counts them",
    "utf-16": "UTF-16 units, as JavaScript and Java count: an emoji has two",
    "byte": "bytes of UTF-8",
}
"""The units of offsets within a text."""

_LAST_BASIC = "\uffff"


def is_plain(text: str, unit: str) -> bool:
    """Return whether offsets in a unit are offsets in code points, whatever they are."""
    if unit == "codepoint" or text.isascii():
        return True
    return unit == "utf-16" and max(text) <= _LAST_BASIC


def borders(text: str, unit: str) -> np.ndarray:
    """Return the offset in a unit of each character of a text, and of its end (int64, ascending)."""
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    width = np.ones(len(code), dtype=np.int64)
    for most in (0xFFFF,) if unit == "utf-16" else (0x7F, 0x7FF, 0xFFFF) if unit == "byte" else ():
        width += code > most
    return np.concatenate(([0], np.cumsum(width)))


def code_points(text: str, offsets: np.ndarray, unit: str) -> np.ndarray:
    """Return offsets of a unit as offsets in code points; -1 for those inside a character or past the end.

    Args:
        text: what they are offsets in.
        offsets: int64, from 0.
        unit: one of `UNITS`.
    """
    if is_plain(text, unit):
        return np.where((offsets >= 0) & (offsets <= len(text)), offsets, -1)
    known = borders(text, unit)
    place = np.minimum(np.searchsorted(known, offsets), len(text))
    return np.where(known[place] == offsets, place, -1)


def of_characters(texts: Sequence[str], value: Callable[[str], int]) -> np.ndarray:
    """Return a value of every character of some texts, end to end; it is computed once for each distinct character."""
    code = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    distinct, place = np.unique(code, return_inverse=True)
    return np.array([value(chr(each)) for each in distinct.tolist()])[place.ravel()] if len(code) else np.zeros(0, int)
