"""The declaration of how a format writes documents with spans."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How a format writes documents with spans, and the layers that it can hold.

    Attributes:
        write: makes the bytes of a file, in pieces, from a `DocumentFile`; its keyword arguments are options.
        folder: whether it makes a folder instead: the paths of files and their contents.
        unit: the unit of spans, `character` or `token`; None for both.
        needs_text: whether documents need a text.
        overlapping: whether spans may overlap; or the option that allows it.
        discontinuous, attributes, annotators: whether the format holds discontinuous spans, attributes of spans, and
            several annotators.
        problems: yields other losses and their documents; the text of a loss says how `write` writes it.
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
