"""Records, which readers yield one for each document and annotator; and how a format writes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..exceptions import InputError

_NO_VALUES: Mapping[str, Any] = {}


@dataclass(slots=True, kw_only=True)
class Record:
    """One annotator's spans of a document, as they are in the file.

    Attributes:
        spans: the start, end (exclusive) and label of each span; discontinuous spans have their outer boundaries.
        fragments: maps the index of each discontinuous span to the boundaries of its fragments.
        stated: the text that the file gives for each span, or None; empty if the file gives no span texts.
        text: the text of the document, if the file has it.
        words: the words of the document, if the file has them.
        tokens: the boundaries of tokens in characters, if the file has them, as a list or (in all documents) an array.
        id: the name of the document, if it has one.
        annotator: the annotator, if the file names one.
        attributes: the attribute values of each span by name; empty if no span has any.
        scores: the scores of each span's attributes, or None; empty if no span has any.
        line: the first line of the document.
        place: another description of the place, such as `task 12`.
        lost: the line and the problem of each span that could not be read.
    """

    spans: list[tuple[int, int, str]] = field(default_factory=list)
    fragments: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    stated: list[str | None] = field(default_factory=list)
    text: str | None = None
    words: Sequence[str] | None = None
    tokens: Sequence[tuple[int, int]] | np.ndarray | None = None
    id: str | None = None
    annotator: str | None = None
    attributes: list[Mapping[str, Any]] = field(default_factory=list)
    scores: Sequence[Any] = ()
    line: int = 1
    place: str = ""
    lost: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Convert names that are numbers to strings."""
        self.id = None if self.id is None else str(self.id)
        self.annotator = None if self.annotator is None else str(self.annotator)

    def add(
        self,
        start: int,
        end: int,
        label: str,
        *,
        stated: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        pieces: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Add a span; if it is discontinuous, `pieces` are the boundaries of its fragments."""
        if len(pieces) > 1:
            self.fragments[len(self.spans)] = pieces
        self.spans.append((start, end, label))
        self.stated.append(stated)
        self.attributes.append(_NO_VALUES if attributes is None else attributes)

    def pieces(self, place: int) -> Sequence[tuple[int, int]]:
        """Return the boundaries of a span's fragments; a contiguous span has one."""
        start, end, _ = self.spans[place]
        return self.fragments.get(place, [(start, end)])

    def lost_spans(self) -> Iterator[str]:
        """Describe the place and the problem of each span that could not be read."""
        for line, problem in self.lost:
            where = [self.place] if self.place else []
            if not where or line != self.line:
                where.append(f"line {line}")
            yield f"{', '.join(where)}: {problem}"


@dataclass(eq=False)
class Named:
    """A file or folder that is read.

    Attributes:
        name: what errors call it.
    """

    name: str

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Create an error about this file or folder."""
        return InputError(problem, remedy, source=self.name, line=line)


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
