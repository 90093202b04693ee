"""The passages that reports show: parts of documents around errors and disagreements, and answers with errors."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..alignment.overlaps import Pieces, overlaps
from ..analysis.errors.errors import SystemErrors
from ..analysis.errors.examples import Context
from ..analysis.errors.kinds import AnswerErrors
from ..arrays import ordered_codes
from ..exceptions import counted, printable
from ..grounding.grounded import AnswerOutcomes
from ..spans.spans import Spans
from ..spans.wording import Wording

_WHOLE = {" ": 80, "": 500}
"""The maximum length of documents that are shown completely, in words or characters, by the separator of units."""

_AROUND = {" ": 30, "": 200}
"""The number of words or characters that are shown on both sides in longer documents."""

_TILE = {" ": 40, "": 300}
"""Longer documents are divided into parts of this length. Spans that begin in the same part are shown together."""


class Passages:
    """The passages around parts of documents, in text order; short documents become one passage.

    In longer documents, parts that begin near each other are in the same passage. If the original texts are known, they
    are shown.

    Args:
        document, start, end: the document and boundaries of each part.
        lengths: the lengths of all documents.
        context: the words of the documents.

    Attributes:
        document, first, last: the document of each passage, and its first and last (exclusive) unit.
        of_part: the passage of each part.
    """

    def __init__(
        self, document: np.ndarray, start: np.ndarray, end: np.ndarray, lengths: np.ndarray, context: Context
    ) -> None:
        separator = context.separator
        whole, around = _WHOLE[separator], _AROUND[separator]
        length = lengths[document]
        long = length > whole
        tile = np.where(long, start // _TILE[separator], 0)
        _, example, passage = np.unique(ordered_codes(document, tile), return_index=True, return_inverse=True)
        self.of_part = passage.ravel()
        self.document, self.lengths, self.context = document[example], lengths, context
        self.first, self.last = length[example], np.zeros(len(example), dtype=np.int64)
        np.minimum.at(self.first, self.of_part, np.where(long, np.maximum(start - around, 0), 0))
        # even a single span of a thousand words is cut
        after = np.minimum(np.minimum(end, start + whole) + around, length)
        np.maximum.at(self.last, self.of_part, np.where(long, after, length))

    def pieces(self, spans: Spans, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the pieces of spans in each passage, in order: span, start and end in the passage, and passage.

        Starts and ends are in words, or in characters if the original text is shown.
        """
        span, start, end = spans.pieces()
        base = offsets[spans.document[span]]
        order = np.lexsort((-end, start + base))
        first, last = offsets[self.document] + self.first, offsets[self.document] + self.last
        pieces = Pieces(span[order], (start + base)[order], (end + base)[order])
        passage, piece = overlaps(Pieces(self.document, first, last), pieces, noun="spans")
        piece = order[piece]
        begin = np.maximum((start + base)[piece] - first[passage], 0)
        stop = np.minimum((end + base)[piece] - first[passage], (self.last - self.first)[passage])
        wording = self.context.wording
        if wording is not None:
            document, first = self.document[passage], self.first[passage]
            origin, _ = wording.bounds(document, first, self.last[passage])
            begin, stop = (bound - origin for bound in wording.bounds(document, first + begin, first + stop))
        return span[piece], begin, stop, passage

    def columns(self, offsets: np.ndarray, costs: tuple[np.ndarray, np.ndarray] | None) -> dict[str, Any]:
        """Return the positions and texts of the passages as columns of built-in types.

        Args:
            offsets: where documents begin if their tokens are concatenated.
            costs: positions in the concatenated tokens and the cost at each; None if there are none.
        """
        names, lines = self.context.names, self.context.lines(self.document, self.first, offsets)
        places = zip(self.document.tolist(), self.first.tolist(), self.last.tolist(), strict=True)
        return {
            "document": (self.document + 1).tolist(),
            "name": names and [printable(names[document]) for document in self.document.tolist()],
            "line": None if lines is None else lines.tolist(),
            "cut": ((self.first > 0) + 2 * (self.last < self.lengths[self.document])).tolist(),
            "cost": None if costs is None else self._sums(offsets, *costs).round(6).tolist(),
            "text": [_units(self.context.wording, *place) for place in places],
        }

    def _sums(self, offsets: np.ndarray, place: np.ndarray, cost: np.ndarray) -> np.ndarray:
        """Sum the costs at the positions in each passage."""
        order = np.argsort(place, kind="stable")
        sums = np.concatenate([[0.0], np.cumsum(cost[order])])
        first, last = (np.searchsorted(place[order], offsets[self.document] + at) for at in (self.first, self.last))
        return np.asarray(sums[last] - sums[first])


def _units(wording: Wording | None, document: int, first: int, last: int) -> list[str] | str:
    """Return the text of a passage; a list if words contain spaces; numbers if the words are unknown."""
    if wording is None:
        return " ".join(str(number) for number in range(first + 1, last + 1))
    if wording.characters is not None:
        return wording.text(document, first, last)
    words = wording.listed(document, first, last)
    text = wording.separator.join(words)
    return words if wording.separator and text.count(" ") != len(words) - 1 else text


MOST_ANSWERS = 100
"""The maximum number of answers that are shown."""

_LONGEST = 20_000
"""The maximum number of characters of a text or an answer that are shown."""


@dataclass(frozen=True)
class Piece:
    """A piece of an answer.

    Attributes:
        text: the text of the piece, up to a maximum length.
        cut: whether the text is longer.
        kinds: the kinds of its errors; empty if it is right.
        label: the label of the item.
    """

    text: str
    cut: bool = False
    kinds: Sequence[str] = ()
    label: str = ""


def wrong_answers(system: SystemErrors) -> dict[str, Any] | None:
    """Return the answers with errors, for the macro `answers` of sections.html; None if there are none."""
    errors, names = system.answers, system.context.names
    if errors is None:
        return None
    answers = errors.answers()
    pairs = [
        _pair(errors, answer, f"document {answer.document + 1}" if names is None else names[answer.document])
        for answer in islice(answers, MOST_ANSWERS)
    ]
    more = sum(1 for _ in answers)
    return {"pairs": pairs, "more": counted(more, "answer") if more else ""} if pairs else None


def _pair(errors: AnswerErrors, answer: AnswerOutcomes, name: str) -> dict[str, Any]:
    items = [(outcome.item, errors.kinds_of(outcome)) for outcome in answer.outcomes]
    wrong = [Piece(*_cut(item.mention), kinds, item.label) for item, kinds in items if kinds]
    broken = [Piece("the answer", kinds=["broken"])] if answer.read.broken else []
    mentions = [(item.mention, kinds) for item, kinds in items]
    return {
        "name": name,
        "text": _cut(answer.text),
        "answer": list(_pieces(_written(answer.written), mentions)),
        "wrong": wrong + broken,
    }


def _written(answer: Any) -> str:
    """Write an answer as text."""
    if answer is None:
        return ""
    if isinstance(answer, (bytes, bytearray)):
        return bytes(answer).decode("utf-8", "replace")
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)


def _pieces(answer: str, mentions: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Piece]:
    """Split an answer into pieces, one for each mention. Each mention is searched after the previous one."""
    place = 0
    for mention, kinds in mentions:
        start = answer.find(mention, place, _LONGEST)
        if start >= 0:
            yield Piece(answer[place:start])
            yield Piece(mention, kinds=kinds)
            place = start + len(mention)
    yield Piece(answer[place:_LONGEST], len(answer) > _LONGEST)


def _cut(text: str) -> tuple[str, bool]:
    return text[:_LONGEST], len(text) > _LONGEST
