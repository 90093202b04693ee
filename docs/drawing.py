"""An SVG picture over the words of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

WORDS = ("The", "University", "of", "Oslo", "hired", "Ada", "Lovelace", ".")

LEFT, CELL, BOX = 104, 74, 26
RIGHT, WRONG, PART, PLAIN = "#2a9d5c", "#d64545", "#c58a12", "#5b7bd5"

_WIDE = 5
"""The number of cells from which a picture fills the page."""

_PHONE, _LETTERS = 358, 9.3
"""The width of a picture on a phone, and how high its letters are there at least, in pixels."""


class Drawing:
    """An SVG picture over the words of the sentence, filled from top to bottom."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.height = 8

    def text(self, x: float, y: float, text: str, *, anchor: str = "middle", color: str = "currentColor") -> None:
        """Write a text at a point."""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{color}">{escape(text)}</text>')

    def row(self, name: str, height: int = BOX + 12) -> int:
        """Begin a row, and return its top."""
        top = self.height
        self.text(0, top + 18, name, anchor="start")
        self.height += height
        return top

    def words(self, words: Sequence[str] = WORDS) -> None:
        """Write the words in a row, each in its cell."""
        top = self.row("", 28)
        for place, word in enumerate(words):
            self.text(place_of(place + 0.5), top + 16, word)

    def spans(self, name: str, spans: Any, color: Callable[[Any], str] = lambda span: PLAIN) -> int:
        """Draw spans as boxes with their labels."""
        top = self.row(name)
        for span in spans:
            self.box(top, span[0], span[1], color(span), span[2])
        return top

    def box(self, top: float, start: float, end: float, color: str, text: str = "", opacity: float = 0.22) -> None:
        """Draw a box over cells, with a text inside."""
        x, width = place_of(start) + 3, CELL * (end - start) - 6
        self.parts.append(
            f'<rect x="{x:g}" y="{top:g}" width="{width:g}" height="{BOX}" rx="5" fill="{color}" '
            f'fill-opacity="{opacity}" stroke="{color}" stroke-width="1.5"/>'
        )
        self.text(x + width / 2, top + 18, text)

    def line(self, x: float, top: float, other: float, bottom: float, color: str) -> None:
        """Draw a line between two points."""
        self.parts.append(f'<path d="M{x:g} {top:g}L{other:g} {bottom:g}" stroke="{color}" stroke-width="2"/>')

    def rule(self, x: float, top: float, other: float, bottom: float) -> None:
        """Draw a pale line of a grid."""
        self.parts.append(f'<path d="M{x:g} {top:g}L{other:g} {bottom:g}" stroke="currentColor" stroke-opacity="0.2"/>')

    def arc(self, bottom: float, start: int, end: int, color: str, dashes: str = "none") -> None:
        """Draw an arc between two cells, or a dot for a single cell."""
        first, last = place_of(start + 0.5), place_of(end + 0.5)
        if start == end:
            self.parts.append(f'<circle cx="{first:g}" cy="{bottom:g}" r="4" fill="{color}"/>')
            return
        height = 22 * (end - start)
        self.parts.append(
            f'<path d="M{first:g} {bottom:g}C{first:g} {bottom - height:g} {last:g} {bottom - height:g} '
            f'{last:g} {bottom:g}" '
            f'fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )

    def figure(self, caption: str, cells: float = len(WORDS)) -> str:
        """Write the picture with its caption; a picture of few cells stays narrow."""
        kind, font = ("counted narrow", 14.0) if cells < _WIDE else ("counted", 17.0)
        font = max(font, _LETTERS * width_of(cells) / _PHONE)
        # a wide screen shows the letters no larger than the text
        size = f'style="max-width: {17 * width_of(cells) / font:.0f}px"'
        svg = self.svg(caption, cells, f'font-size="{font:.4g}" font-family="inherit" {size}')
        return f'<figure class="{kind}">{svg}<figcaption>{escape(caption)}</figcaption></figure>'

    def svg(
        self,
        title: str,
        cells: float,
        font: str,
        back: str = "none",
    ) -> str:
        """Write the picture as SVG."""
        size = f"{width_of(cells):g} {self.height + 4:g}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 {size}" role="img" data-search-exclude="" {font}>'
            f'<title>{escape(title)}</title><rect x="-8" width="100%" height="100%" fill="{back}"/>'
            f"{''.join(self.parts)}</svg>"
        )


def width_of(cells: float) -> float:
    """Compute the width of a picture of as many cells."""
    return LEFT + CELL * cells + 16


def place_of(place: float) -> float:
    """Compute where a cell begins."""
    return LEFT + CELL * place
