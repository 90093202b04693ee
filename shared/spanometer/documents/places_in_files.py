"""Where documents and their tokens stand in files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import ranges


@dataclass(frozen=True, eq=False)
class LineRuns:
    """The lines of tokens, as runs of tokens on consecutive lines: a few numbers a sentence.

    Attributes:
        tokens: int64, the first token of each run, counted over all documents.
        lines: int64, its line.
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
        """Take the lines of some tokens."""
        lines = self.of(tokens)
        return LineRuns(np.arange(len(lines)), lines, len(lines))

    def expanded(self) -> np.ndarray:
        """List the line of every token, int64."""
        return ranges(self.lines, np.diff(np.append(self.tokens, self.size)))


@dataclass(frozen=True, eq=False)
class FileParts:
    """The files that documents are of, if they are several.

    Attributes:
        names: what tells the files apart; both sides' files are paired by it.
        sources: what errors call each.
        file: int64, the file of each document.
    """

    names: tuple[str, ...]
    sources: tuple[str, ...]
    file: np.ndarray

    def take(self, documents: np.ndarray) -> FileParts:
        """Select the files of documents, in the order of the selection."""
        return FileParts(self.names, self.sources, self.file[documents])
