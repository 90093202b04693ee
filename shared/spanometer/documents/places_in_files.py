"""The lines and files of documents and their tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import ranges


@dataclass(frozen=True, eq=False)
class LineRuns:
    """The lines of tokens, stored as runs of tokens on consecutive lines.

    Attributes:
        tokens: int64, the first token of each run, counted over all documents.
        lines: int64, the line of this token.
        size: the number of tokens.
    """

    tokens: np.ndarray
    lines: np.ndarray
    size: int

    def line(self, token: int) -> int:
        """Find the line of a token."""
        return int(self.of(np.array(token)))

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """Find the lines of some tokens."""
        run = np.searchsorted(self.tokens, tokens, side="right") - 1
        return np.asarray(self.lines[run] + tokens - self.tokens[run])

    def take(self, tokens: np.ndarray) -> LineRuns:
        """Select the lines of some tokens."""
        lines = self.of(tokens)
        return LineRuns(np.arange(len(lines)), lines, len(lines))

    def expanded(self) -> np.ndarray:
        """List the line of every token, int64."""
        return ranges(self.lines, np.diff(np.append(self.tokens, self.size)))


@dataclass(frozen=True, eq=False)
class FileParts:
    """The files of documents, if there are several.

    Attributes:
        names: the names of the files; the files of both sides are paired by name.
        sources: their names in errors.
        file: int64, the file of each document.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    file: np.ndarray

    def take(self, documents: np.ndarray) -> FileParts:
        """Select the files of documents, in this order."""
        return FileParts(self.names, self.sources, self.file[documents])
