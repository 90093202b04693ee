"""The lines of a block of text and their cells, found by comparing bytes all at once."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from ..arrays import integers, offsets_of, ranges
from .words import Codes

DOCSTART = "-DOCSTART-"

# not str.split: a no-break space is data
_BLANKS = re.compile(r"[ \t\r]+")
_TAB, _NEWLINE, HASH, _HYPHEN = b"\t\n#-"
_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[list(b" \t\r\n")] = True


class Lines:
    """The lines of a block and their cells.

    Attributes:
        first: the number of the first line within the file.
        block: the bytes, ending in a newline.
        start: where each line begins in the block.
        mark: the first byte of each line.
        blank: whether a line is empty or holds nothing but blanks.
        docstart: whether it is a `-DOCSTART-` line.
        cells: number of cells of each line.
    """

    def __init__(self, first: int, block: bytes, tabs: bool) -> None:
        self.first = first
        self.block = block
        self._bytes = np.frombuffer(block, dtype=np.uint8)
        end = np.flatnonzero(self._bytes == _NEWLINE)
        self.start = np.concatenate(([0], end[:-1] + 1))
        self.mark = self._bytes[self.start]
        ink = ~_IS_BLANK[self._bytes]
        if tabs:
            self._cell_end = np.flatnonzero((self._bytes == _TAB) | (self._bytes == _NEWLINE))
            self._cell_start = np.concatenate(([0], self._cell_end[:-1] + 1))
            self.blank = ~np.logical_or.reduceat(ink, self.start)
        else:
            # a block begins and ends outside of cells
            edges = np.flatnonzero(ink[1:] != ink[:-1]) + 1
            edges = np.concatenate(([0], edges)) if ink[0] else edges
            self._cell_start, self._cell_end = edges[::2], edges[1::2]
        self._first_cell = np.searchsorted(self._cell_start, self.start)
        self.cells = np.diff(np.append(self._first_cell, len(self._cell_start)))
        if not tabs:
            self.blank = self.cells == 0
        self.docstart = np.zeros(len(self.start), dtype=bool)
        if DOCSTART.encode() in block:
            for line in np.flatnonzero(self.mark == _HYPHEN).tolist():
                self.docstart[line] = split(self.text(line), tabs=False)[0] == DOCSTART

    def text(self, line: int) -> str:
        """Return a line of the block, without its end."""
        end = self.block.index(b"\n", self.start[line])
        return self.block[self.start[line] : end].decode().rstrip("\r")

    def bounds(self, lines: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return where the cells of some lines in a column begin and end; blanks beside a tab are within."""
        cell = self._first_cell[lines] + column
        return self._cell_start[cell], self._cell_end[cell]

    def encode(self, lines: np.ndarray, column: int, names: Codes) -> np.ndarray:
        """Return codes of the cells of some lines in a column, int32; new names are added."""
        start, end = self.bounds(lines, column)
        length = end - start
        buffers = pa.py_buffer(offsets_of(length)), pa.py_buffer(self._bytes[ranges(start, length)])
        cells = pa.LargeStringArray.from_buffers(len(lines), *buffers).dictionary_encode()
        codes = np.array([names[name.strip(" \r")] for name in cells.dictionary.to_pylist()], dtype=np.int32)
        return np.asarray(codes[integers(cells.indices)])


def is_blank(text: bytes) -> bool:
    """Return whether a text is empty or holds nothing but blanks and line ends."""
    return not text.strip(b" \t\r\n")


def split(line: str, tabs: bool) -> list[str]:
    """Return the cells of a line."""
    if tabs:
        return [cell.strip(" \r") for cell in line.split("\t")]
    return _BLANKS.split(line.strip(" \t\r"))
