"""Records of documents, one for each annotator, as readers yield them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..exceptions import InputError

_NO_VALUES: Mapping[str, Any] = {}


@dataclass(slots=True, kw_only=True)
class Record:
    """One annotator's spans of a document, as a file has them.

    Attributes:
        spans: start, end (exclusive) and label of each; for a discontinuous span the outermost bounds.
        fragments: bounds of the fragments of discontinuous spans, by their place in `spans`.
        stated: the text that the file says each span covers, None where it says nothing; empty if it never does.
        text: of the document, if the file has it.
        words: of the document, if the file has them.
        tokens: bounds of the tokens in characters, if the file has them, as a list or (for all documents) an array.
        id: the document's name, if it has one.
        annotator: whose spans they are, if the file says so.
        attributes: values by name of each span; empty if no span has any.
        scores: of the attributes of each span, None for none; empty if no span has any.
        line: on which the document begins.
        place: what else to call the place, as `task 12`.
        lost: the line of each span that could not be read, and what is wrong with the span.
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
        """Take numbers that are names as texts."""
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
        """Add a span; of a discontinuous one `pieces` are the bounds of the fragments."""
        if len(pieces) > 1:
            self.fragments[len(self.spans)] = pieces
        self.spans.append((start, end, label))
        self.stated.append(stated)
        self.attributes.append(_NO_VALUES if attributes is None else attributes)

    def pieces(self, place: int) -> Sequence[tuple[int, int]]:
        """List the bounds of the fragments of a span, or its own."""
        start, end, _ = self.spans[place]
        return self.fragments.get(place, [(start, end)])

    def lost_spans(self) -> Iterator[str]:
        """Yield what could not be read and where, a text for each span."""
        for line, problem in self.lost:
            where = [self.place] if self.place else []
            if not where or line != self.line:
                where.append(f"line {line}")
            yield f"{', '.join(where)}: {problem}"


class Named(Protocol):
    """A file, or a folder, that records are read from."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Make an error about it."""
