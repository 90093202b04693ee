"""The part of the report of errors about answers of language models: the text and the answer side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..analysis.errors.answers import AnswerErrors
from ..exceptions import counted
from ..grounding.grounded import AnswerOutcomes

MOST_ANSWERS = 100
"""How many answers are shown at most."""

_LONGEST = 20_000
"""How many characters of a text or an answer are shown at most."""


@dataclass(frozen=True)
class Piece:
    """A piece of an answer.

    Attributes:
        text: of the piece, up to a limit.
        cut: whether the text is longer.
        kinds: of its errors; none if it is right.
        label: of the item.
    """

    text: str
    cut: bool = False
    kinds: Sequence[str] = ()
    label: str = ""


def wrong_answers(errors: AnswerErrors, names: Sequence[str] | None) -> dict[str, Any]:
    """List the answers that have errors, for the macro `answers` of sections.html.

    Args:
        errors: the errors.
        names: of the documents, if they have some.
    """
    answers = errors.answers()
    pairs = [
        _pair(errors, answer, f"document {answer.document}" if names is None else names[answer.document])
        for answer in islice(answers, MOST_ANSWERS)
    ]
    more = sum(1 for _ in answers)
    return {"pairs": pairs, "more": counted(more, "answer") if more else ""}


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
    """Yield an answer in pieces, each mention by itself; search each mention behind the mention before it."""
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
