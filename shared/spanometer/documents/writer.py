"""The declaration of how a format is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How a format is written, and what it can represent.

    Attributes:
        write: converts a `DocumentFile` to the bytes of a file, in parts. Its keyword arguments are options.
        folder: True if `write` instead yields the paths of files in a folder and their contents.
        unit: the unit of spans, `character` or `token`; None if both are possible.
        needs_text: whether documents need a text.
        overlapping: whether spans may overlap, or the name of the option that allows it.
        discontinuous, attributes, annotators: whether the format can represent discontinuous spans, attributes of
            spans, and several annotators.
        problems: yields descriptions of other losses with their documents; they say how `write` writes such items.
    """

    write: Callable[..., Iterator[Any]]
    folder: bool = False
    unit: str | None = "character"
    needs_text: bool = True
    overlapping: bool | str = True
    discontinuous: bool = False
    attributes: bool = False
    annotators: bool = False
    problems: Callable[[Any], Iterator[tuple[str, int]]] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of the writer with their defaults."""
        return keywords(self.write)


def keywords(function: Callable[..., object]) -> dict[str, Any]:
    """Return the names and defaults of a function's keyword-only arguments."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}
