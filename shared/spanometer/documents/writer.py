"""How documents with spans are written in a format."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How documents with spans are written in a format, and what of them it can hold.

    Attributes:
        write: makes the pieces of a file (bytes) of a `DocumentFile`; its keyword arguments are options.
        folder: whether it makes a folder instead: the paths in it and their contents.
        unit: what spans are counted in, `character` or `token`; None for both.
        needs_text: whether documents without a text cannot be written.
        overlapping: whether spans may overlap; or the option without which they may not.
        discontinuous, attributes, annotators: whether there may be discontinuous spans, attributes of spans, and spans
            of several annotators.
        problems: yields what else of some documents the format cannot hold, and the document, one by one; `write`
            writes it as the text says.
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
        """The options of writing and their defaults."""
        return keywords(self.write)


def keywords(function: Callable[..., object]) -> dict[str, Any]:
    """List the names and defaults of a function's keyword-only arguments."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}
