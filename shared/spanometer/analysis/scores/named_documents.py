"""The names of documents in tables, and the lines on which they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from ...arrays import plain
from ...documents.document_file import DocumentFile
from ...tables.table import TableColumn, amounts


@dataclass(frozen=True, eq=False)
class NamedDocuments:
    """The names and first lines of a corpus's documents, in order.

    Attributes:
        names: the names of the documents; None if they have none.
        lines: the first line of each document in the file; empty without a file.
    """

    names: Sequence[str] | None = None
    lines: Sequence[int] | np.ndarray = ()

    @classmethod
    def of(cls, file: DocumentFile | None) -> NamedDocuments:
        """Take the names and lines of a file, if there is one."""
        return cls() if file is None else cls(file.documents.ids, file.document_lines)

    def with_names(
        self, columns: Sequence[TableColumn], values: Sequence[Any]
    ) -> tuple[list[TableColumn], list[tuple[Any, ...]]]:
        """Add names and lines to the columns and values of a table of documents."""
        # if each document has its own file, all begin on line 1
        lines = self.lines if self.names is None or any(line != 1 for line in self.lines) else ()
        line = [lines] if len(lines) and values else []
        rows = zip(*line, *values, strict=True)
        names = map(str, count(1)) if self.names is None else self.names
        named = [(name, *row) for name, row in zip(names, rows, strict=False)]
        return [*amounts(*(["line"] if line else [])), *columns], named

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        lines = {"document_lines": plain(self.lines)} if len(self.lines) else {}
        return {**({} if self.names is None else {"document_names": list(self.names)}), **lines}
