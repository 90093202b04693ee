"""The lines and files of documents and tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import ranges


@dataclass(frozen=True, eq=False)
class LineRuns:
    """The lines of tokens, stored as runs of tokens on consecutive lines.

    Attributes:
        tokens: the first token of each run, counted over all documents, int64.
        lines: the line of this token, int64.
        size: the number of tokens.
    """

    tokens: np.ndarray
    lines: np.ndarray
    size: int

    def line(self, token: int) -> int:
        """Find the line of a token."""
        return int(self.of(np.array(token)))

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """Return the lines of these tokens."""
        run = np.searchsorted(self.tokens, tokens, side="right") - 1
        return np.asarray(self.lines[run] + tokens - self.tokens[run])

    def take(self, tokens: np.ndarray) -> LineRuns:
        """Select the lines of these tokens."""
        lines = self.of(tokens)
        return LineRuns(np.arange(len(lines)), lines, len(lines))

    def expanded(self) -> np.ndarray:
        """List the line of every token, int64."""
        return ranges(self.lines, np.diff(np.append(self.tokens, self.size)))


@dataclass(frozen=True, eq=False)
class FileParts:
    """The file of each document, if there are several files.

    Attributes:
        names: the names of the files; the files of both sides are paired by name.
        sources: what errors call the files.
        file: the index of each document's file, int64.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    file: np.ndarray

    def take(self, documents: np.ndarray) -> FileParts:
        """Select documents in the given order."""
        return FileParts(self.names, self.sources, self.file[documents])
