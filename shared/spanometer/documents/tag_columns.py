"""The layout of tag columns, and tags as lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import offsets_of
from ..tags.tags import Tags
from .words import Codes

Column = int | str | None
"""A column, by number (from 1, or negative from the right) or by name; None is the default column."""


@dataclass(frozen=True)
class Layout:
    """The layout of the rows of a file.

    Attributes:
        tabs: whether single tabs separate the cells; otherwise runs of spaces and tabs do.
        width: the number of cells in a row.
        model: the line from which the layout was taken.
        header: the line with the names of the columns, or 0.
        names: the names of the columns, if known.
        columns: the indices of the tag columns.
        words: the index of the column with the words, or None.
        words_named: whether the user named this column.
        documents: the index of the column that identifies the document of a row, or None.
    """

    tabs: bool
    width: int
    model: int
    header: int
    names: tuple[str, ...] | None
    columns: tuple[int, ...]
    words: int | None
    words_named: bool
    documents: int | None = None

    def called(self, index: int) -> str:
        """Return what errors call a column."""
        return self.names[index] if self.names else f"column {index + 1}"


def joined_tags(parts: Sequence[Tags]) -> Tags:
    """Concatenate the tags of several files."""
    names = Codes()
    codes = [np.array([names[name] for name in part.names], dtype=np.int32)[part.codes] for part in parts]
    offsets = offsets_of(np.concatenate([part.lengths for part in parts]))
    reading = {name: value for part in parts for name, value in part.reading.items()}
    return Tags(np.concatenate(codes), tuple(names), offsets, reading)


def tag_lists(tags: Tags) -> list[list[str]]:
    """Convert encoded tags (or words) to a list for each document."""
    names = np.array([*tags.names, ""], dtype=object)
    flat = names[tags.codes].tolist()
    return [flat[start:end] for start, end in pairwise(tags.offsets.tolist())]
