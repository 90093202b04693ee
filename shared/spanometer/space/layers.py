"""Marked text whose spans may nest and cross."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Mark(NamedTuple):
    """A span to mark: its bounds in characters, its label, and its kind, see `macros.html`."""

    start: int
    end: int
    label: str
    kind: str


class Piece(NamedTuple):
    """A piece of marked text: text; or where a mark begins; or where it ends, `whole` if it is not continued."""

    text: str = ""
    begins: Mark | None = None
    ends: Mark | None = None
    whole: bool = True


def marked(text: str, marks: Iterable[Mark], most: int) -> list[Piece]:
    """Return the beginning of a text in pieces, with marks that are nested in each other whatever the spans are.

    A mark that crosses the end of another ends there and begins anew.

    Args:
        text: the text.
        marks: the spans, in any order.
        most: how many characters are shown.
    """
    size = min(len(text), most)
    waiting = sorted(
        (mark for mark in marks if mark.start < size), key=lambda mark: (mark.start, -mark.end, mark.label)
    )
    borders = sorted({min(border, size) for mark in waiting for border in (mark.start, mark.end)} | {0, size})
    pieces: list[Piece] = []
    opened: list[Mark] = []
    place = 0
    for border in borders:
        pieces.append(Piece(text[place:border]))
        place = border
        ending = [number for number, mark in enumerate(opened) if min(mark.end, size) <= border]
        if ending:
            inner = opened[ending[0] :]
            pieces += [Piece(ends=mark, whole=min(mark.end, size) <= border) for mark in reversed(inner)]
            again = [mark for mark in inner if min(mark.end, size) > border]
            pieces += [Piece(begins=mark) for mark in again]
            opened[ending[0] :] = again
        while waiting and waiting[0].start == border < size:
            opened.append(waiting.pop(0))
            pieces.append(Piece(begins=opened[-1]))
    return [piece for piece in pieces if piece != Piece()]
