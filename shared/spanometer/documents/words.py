"""The words of documents, encoded as integers; each distinct word is stored once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import eq
from typing import overload

import numpy as np

from ..tags.tags import Tags, list_arrays


class Codes(dict[str, int]):
    """Maps names to integers, in the order of their first occurrence."""

    def __missing__(self, name: str) -> int:
        """Add a name with the next integer."""
        code = self[name] = len(self)
        return code


class Words(Tags, Sequence[list[str]]):
    """The words of documents: encoded like tags, but used like lists of strings."""

    @classmethod
    def of(cls, words: Tags | Iterable[Sequence[str]]) -> Words:
        """Wrap encoded words, or encode lists of words."""
        column = words if isinstance(words, Tags) else Tags.from_lists(words)
        return cls(column.codes, column.names, column.offsets)

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, document: int) -> list[str]: ...
    @overload
    def __getitem__(self, document: slice) -> list[list[str]]: ...
    def __getitem__(self, document: int | slice) -> list[str] | list[list[str]]:
        """Return the words of one document or of several."""
        chosen = range(len(self))[document]
        if isinstance(chosen, range):
            return [self[number] for number in chosen]
        start, end = self.offsets[chosen : chosen + 2]
        return list(map(self.names.__getitem__, self.codes[start:end].tolist()))

    def __eq__(self, other: object) -> bool:
        """Compare the words of all documents; `other` can also be a list."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))


class WordRows:
    """Rows of words or other strings, encoded while they are added."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._names = Codes()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._ends) - 1

    @property
    def lengths(self) -> np.ndarray:
        """The number of words in each row, int64."""
        return np.diff(np.asarray(self._ends))

    def append(self, row: Sequence[str]) -> None:
        """Add a row.

        Raise an `InputError` with the position of a value that is no string or cannot be stored as UTF-8.
        """
        size = len(self._names)
        try:
            self._codes.extend(map(self._names.__getitem__, row))
            # values other than strings are never known names
            for name in islice(reversed(self._names), len(self._names) - size):
                name.encode()
        except (TypeError, AttributeError, UnicodeEncodeError):
            list_arrays([row])
            raise
        self._ends.append(len(self._codes))

    def tags(self) -> Tags:
        """Return all rows as `Tags`."""
        return Tags(np.asarray(self._codes, np.int32), tuple(self._names), np.asarray(self._ends, np.int64))

    def words(self) -> Words:
        """Return all rows as `Words`."""
        return Words.of(self.tags())
