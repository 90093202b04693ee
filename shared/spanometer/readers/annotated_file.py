"""A file of annotated documents: where they stand in it, whatever annotates them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, counted


@dataclass(frozen=True, eq=False, kw_only=True)
class AnnotatedFile:
    """A file of annotated documents.

    Attributes:
        source: what errors call the file.
        document_lines: int64, the number of the line, from 1, on which each document begins.
        token_lines: int64, the line of every token; None if a document is not one token a line.
    """

    source: str
    document_lines: np.ndarray
    token_lines: np.ndarray | None = None

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in tokens; None if the file does not say."""
        return None

    def line(self, document: int, position: int | None = None) -> int:
        """Return the line of a document, or of a token of it."""
        lengths = self.lengths
        if self.token_lines is None or position is None or lengths is None:
            return int(self.document_lines[document])
        return int(self.token_lines[int(lengths[:document].sum()) + position])

    def locate(self, error: InputError) -> InputError:
        """Return an error about a document and token of this file as one about the file and line."""
        if error.document is None:
            return error.in_file(self.source)
        line = self.line(error.document, error.position)
        if self.token_lines is not None:
            return error.in_file(self.source, line)
        return error.placed(side=None, document=None, source=self.source, line=line)


def require_same_tokens(references: AnnotatedFile, predictions: AnnotatedFile) -> None:
    """Raise an `InputError` that names both files and lines unless both have the same documents and lengths.

    Lengths are compared if both files have them.
    """
    sizes = [len(file.document_lines) for file in (references, predictions)]
    common = min(sizes)
    first, second = references.lengths, predictions.lengths
    if first is not None and second is not None and (first[:common] != second[:common]).any():
        document = int(np.argmax(first[:common] != second[:common]))
        moved = first.sum() == second.sum()
        question = "do the documents end at the same places?" if moved else "was the text tokenised twice?"
        raise InputError(
            f"the reference document that begins here has {counted(int(first[document]), 'token')}, the predicted one "
            f"({predictions.source}, line {predictions.line(document)}) has {counted(int(second[document]), 'token')}.",
            f"Both sides must annotate the same tokens; {question}",
            source=references.source,
            line=references.line(document),
        )
    if sizes[0] != sizes[1]:
        shorter, longer = sorted((references, predictions), key=lambda file: len(file.document_lines))
        raise InputError(
            f"{counted(sizes[1], 'predicted document')}, {counted(sizes[0], 'reference document')}: "
            f"{shorter.source} ends before the document that begins here.",
            "Both sides must annotate the same documents, in the same order.",
            source=longer.source,
            line=longer.line(common),
        )
