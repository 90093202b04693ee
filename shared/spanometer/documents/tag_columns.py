"""Columns of tags: how a file has them, and as lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import offsets_of
from ..tags.tags import Tags
from .words import Codes

Column = int | str | None
"""A column by number (from 1, or negative from the right) or by name; None is the default one."""


@dataclass(frozen=True)
class Layout:
    """The layout of the rows of a file.

    Attributes:
        tabs: whether single tabs separate the cells, or runs of blanks.
        width: number of cells of a row.
        model: the number of the line that says so.
        header: the number of the line that holds the columns' names and is no data, or 0.
        names: the columns' names, if they are given.
        columns: indices of the tag columns.
        words: index of the words' column, or None.
        words_named: whether it was named, and not found.
        documents: index of the column whose values tell documents apart, or None.
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
        """Name a column, for errors."""
        return self.names[index] if self.names else f"column {index + 1}"


def joined_tags(parts: Sequence[Tags]) -> Tags:
    """Concatenate the tags of several files."""
    names = Codes()
    codes = [np.array([names[name] for name in part.names], dtype=np.int32)[part.codes] for part in parts]
    offsets = offsets_of(np.concatenate([part.lengths for part in parts]))
    return Tags(np.concatenate(codes), tuple(names), offsets)


def tag_lists(tags: Tags) -> list[list[str]]:
    """List tags (or words) by document, as the `evaluate` modules take them."""
    names = np.array([*tags.names, ""], dtype=object)
    flat = names[tags.codes].tolist()
    return [flat[start:end] for start, end in pairwise(tags.offsets.tolist())]
