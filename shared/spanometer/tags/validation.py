"""Illegal pairs of tags, and the spans that each repair policy decodes from them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..exceptions import without_option
from .decoding import DecodedSpans, decode, illegal_pairs, scheme_of
from .repairs import REPAIRS
from .schemes import Scheme
from .tags import Tags


@dataclass(frozen=True)
class IllegalPair:
    """Two neighbouring tags that the scheme does not allow.

    Attributes:
        document: the document.
        position: the token of the second tag; at the end of a document, the last token.
        previous: the first tag; None at the beginning of a document.
        tag: the second tag; None at the end of a document.
        policies: for each repair policy, the spans (label, start, exclusive end) that contain one of the two tokens.
    """

    document: int
    position: int
    previous: str | None
    tag: str | None
    policies: dict[str, list[tuple[str, int, int]]]

    def __str__(self) -> str:
        """Describe the pair: `I-PER after O`, `I-PER at the beginning` or `B-PER at the end`."""
        if self.tag is None:
            return f"{self.previous} at the end"
        return f"{self.tag} at the beginning" if self.previous is None else f"{self.tag} after {self.previous}"


class Validation:
    """The illegal pairs in the tags of a corpus.

    Args:
        tags: the tags of all documents.
        scheme: the name of the scheme; None infers it from the prefixes.

    Attributes:
        scheme: the scheme.
        spans: the number of spans under each repair policy that works with the scheme.
        affected: the documents with illegal pairs, ascending.

    Raises:
        InputError: if tags cannot be read.
    """

    @without_option("prefix", "id2label")
    def __init__(self, tags: Tags, *, scheme: str | None = None) -> None:
        self.scheme = scheme_of(scheme, tags)
        self._tags = tags
        self._pairs = illegal_pairs(tags, self.scheme)
        self._documents = np.searchsorted(tags.offsets, self._pairs[:, 0], side="right") - 1
        self.affected = np.unique(self._documents)
        decoded = {policy: decode(tags, scheme=self.scheme.name, repair=policy) for policy in policies_of(self.scheme)}
        self.spans = {policy: len(columns.start) for policy, columns in decoded.items()}
        self._near = {policy: self._find(columns) for policy, columns in decoded.items()} if len(self) else {}

    def __len__(self) -> int:
        """Count the illegal pairs."""
        return len(self._pairs)

    def __iter__(self) -> Iterator[IllegalPair]:
        """Yield the illegal pairs in text order."""
        tags = self._tags
        pairs = zip(self._pairs.tolist(), self._documents.tolist(), strict=True)
        for number, ((token, at_end), document) in enumerate(pairs):
            name = tags.names[tags.codes[token]]
            position = token - int(tags.offsets[document])
            before = tags.names[tags.codes[token - 1]] if position else None
            policies = {policy: spans[number] for policy, spans in self._near.items()}
            previous, tag = (name, None) if at_end else (before, name)
            yield IllegalPair(document, position, previous, tag, policies)

    def _find(self, columns: DecodedSpans) -> list[list[tuple[str, int, int]]]:
        """Return the spans that contain a token of each pair."""
        last, at_end = self._pairs.T
        first = last - ((at_end == 0) & (last > self._tags.offsets[self._documents]))
        base = self._tags.offsets[columns.document]
        # spans of one policy do not overlap, so that starts and ends ascend together
        low = np.searchsorted(base + columns.end, first, side="right")
        high = np.searchsorted(base + columns.start, last, side="right")
        near = []
        for here in map(slice, low.tolist(), high.tolist()):
            labels = [columns.labels[code] for code in columns.label[here].tolist()]
            near.append(list(zip(labels, columns.start[here].tolist(), columns.end[here].tolist(), strict=True)))
        return near


def policies_of(scheme: Scheme) -> tuple[str, ...]:
    """List the repair policies that work with a scheme, except `raise`."""
    return tuple(name for name, repair in REPAIRS.items() if not repair.refuse and scheme.roles >= {*repair.needs})
