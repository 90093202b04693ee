"""The passages that reports show: parts of documents around errors and disagreements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.errors.contexts import Context
from ..arrays import ordered_codes
from ..exceptions import printable

_WHOLE = {" ": 80, "": 500}
"""The greatest length of documents that are shown whole, in words or characters, by the separator of units."""

_AROUND = {" ": 30, "": 200}
"""How many words, or characters, of a longer document are shown on both sides."""


def separator_of(context: Context) -> str:
    """Choose the separator of two units of a text."""
    return " " if context.wording is None else context.wording.separator


@dataclass(frozen=True, eq=False)
class Passages:
    """Parts of documents, in the order of the text: a document, and the first and last (exclusive) of its units."""

    document: np.ndarray
    first: np.ndarray
    last: np.ndarray
    length: np.ndarray

    @classmethod
    def around(
        cls, document: np.ndarray, start: np.ndarray, end: np.ndarray, lengths: np.ndarray, context: Context
    ) -> tuple[Passages, np.ndarray]:
        """Cut the passages around parts of documents, short documents whole; find the passage of each part.

        Args:
            document, start, end: of each part.
            lengths: of all documents.
            context: the words of the documents.
        """
        separator = separator_of(context)
        whole, around = _WHOLE[separator], _AROUND[separator]
        length = lengths[document]
        long = length > whole
        first = np.where(long, np.maximum(start - around, 0), 0)
        # not even a span of a thousand words is shown whole
        last = np.where(long, np.minimum(np.minimum(end, start + whole) + around, length), length)
        _, example, passage = np.unique(ordered_codes(document, first, last), return_index=True, return_inverse=True)
        return cls(document[example], first[example], last[example], length[example]), passage.ravel()

    def described(self, context: Context, offsets: np.ndarray) -> Iterator[dict[str, Any]]:
        """Yield the place and the text of each passage, as built-in types.

        Args:
            context: the words of the documents.
            offsets: where documents begin if their tokens are concatenated.
        """
        lines = context.lines(self.document, self.first, offsets)
        columns = (self.document, self.first, self.last, self.length)
        places = zip(*(column.tolist() for column in columns), strict=True)
        for place, (document, first, last, length) in enumerate(places):
            yield {
                "document": document,
                "name": None if context.names is None else printable(context.names[document]),
                "line": None if lines is None else int(lines[place]),
                "cut": [first > 0, last < length],
                "units": _units(context, document, first, last),
            }


def _units(context: Context, document: int, first: int, last: int) -> list[str] | str:
    """List the words of a passage, or its characters as one string, or the numbers of tokens without words."""
    wording = context.wording
    if wording is None:
        return [str(number) for number in range(first + 1, last + 1)]
    if wording.separator:
        return wording.listed(document, first, last)
    return wording.text(document, first, last)
