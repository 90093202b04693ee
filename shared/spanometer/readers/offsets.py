"""Offsets of characters in files: their unit, and the gaps between parts of a text."""

from __future__ import annotations

from dataclasses import dataclass

from ..options import check_options, option
from ..spans.characters import UNITS
from .source import Source

IN_BROWSERS = ("codepoint", "utf-16", "codepoint-lf", "utf-16-lf")
"""What tools that show texts in a browser may count, which has UTF-16 units, and no carriage returns."""

_LARGEST_GAP = 1_000_000
"""How many characters of a document a file may lack between two of its parts."""


@dataclass(frozen=True, kw_only=True)
class Offsets:
    """The options of reading a format of offsets.

    Raises:
        InputError: for a value that is not allowed.
    """

    offset_unit: str | None = option(
        None, help="what offsets count, if a file does not tell", choices=UNITS, optional=True, metavar="UNIT"
    )

    def __post_init__(self) -> None:
        """Check the values."""
        check_options(self)

    def units(self, *possible: str) -> tuple[str, ...]:
        """Return the unit that is asked for, or else the possible ones."""
        return possible if self.offset_unit is None else (self.offset_unit,)


def blanks_before(source: Source, start: int, reached: int, line: int) -> str:
    """Return blanks for what a file lacks of a text before a part of it.

    Raises:
        InputError: for a part that begins before the end of the one before it, or far behind it.
    """
    if not 0 <= start - reached <= _LARGEST_GAP:
        raise source.refuse(
            f"a part of the text begins at {start}, after one that ends at {reached}.",
            "Parts of a text follow one another; check their offsets.",
            line,
        )
    return " " * (start - reached)
