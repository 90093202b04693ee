"""The part of the report of errors about answers of language models: the text and the answer side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from typing import Any

from ..analysis.answer_errors import ANSWER_KINDS, AnswerErrors
from ..errors import counted, printable
from ..grounding.grounded import AnswerOutcomes
from ..tables.table import Precision
from .frame import section, shown

MOST_ANSWERS = 100
"""How many answers are shown at most."""

_LONGEST = 20_000
"""How many characters of a text or an answer are shown at most."""

_MARKS = {
    "hallucinated": "spurious",
    "copied too often": "wrong_extent",
    "outside the labels": "wrong_label",
    "format broken": "missing",
}
"""The class of each kind's mark, see marks.css."""


def answer_sections(errors: AnswerErrors, names: Sequence[str] | None, precision: Precision) -> Iterator[str]:
    """Yield the numbers of what is wrong with a system's answers, and the answers beside their texts.

    Args:
        errors: the errors.
        names: of the documents, if they have some.
        precision: how numbers are written.
    """
    note = " ".join(f"{kind}: {text}." for kind, text in ANSWER_KINDS.items())
    yield section("What the answers get wrong", [errors.table()], note, precision)
    if not errors.found:
        return
    answers = errors.answers()
    pairs = [
        _pair(errors, answer, f"document {answer.document}" if names is None else names[answer.document])
        for answer in islice(answers, MOST_ANSWERS)
    ]
    more = sum(1 for _ in answers)
    left_out = f'<p class="sm-note">Left out: {counted(more, "answer")} more.</p>' if more else ""
    yield f"<section><h2>Answers beside their texts</h2>{''.join(pairs)}{left_out}</section>"


def _pair(errors: AnswerErrors, answer: AnswerOutcomes, name: str) -> str:
    """Return a text and its answer side by side, with what is wrong with the latter."""
    said = _written(answer.written)
    items = [(outcome.item, errors.kinds_of(outcome)) for outcome in answer.outcomes]
    lines = [f"<li>{_mark(item.mention, kinds)} <b>{shown(item.label)}</b></li>" for item, kinds in items if kinds]
    if answer.read.broken:
        lines.append(f"<li>{_mark('the answer', ['format broken'])}</li>")
    wanted = [(item.mention, kinds) for item, kinds in items]
    return (
        f'<article class="sm-pair" aria-label="{shown(name)}"><p class="er-place"><b>{shown(name)}</b></p>'
        '<div class="er-beside">'
        f'<div><h3>text</h3><p dir="auto">{_cut(answer.text)}</p></div>'
        f'<div><h3>answer</h3><p dir="auto">{_marked(said, wanted)}</p></div></div>'
        f'<ul class="er-items">{"".join(lines)}</ul></article>'
    )


def _written(said: Any) -> str:
    """Return an answer as text."""
    if said is None:
        return ""
    if isinstance(said, (bytes, bytearray)):
        return bytes(said).decode("utf-8", "replace")
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)


def _marked(said: str, wanted: list[tuple[str, list[str]]]) -> str:
    """Return an answer as HTML, with marks on what is wrong; a mention is looked for behind the one before it."""
    pieces, place = [], 0
    for mention, kinds in wanted:
        start = said.find(mention, place, _LONGEST)
        if start >= 0:
            pieces += [_shown(said[place:start]), _mark(mention, kinds) if kinds else _shown(mention)]
            place = start + len(mention)
    return "".join(pieces) + _cut(said, place)


def _mark(text: str, kinds: list[str]) -> str:
    tag = f'<span class="sm-tag">{", ".join(kinds)}</span>'
    return f'<mark class="sm-{_MARKS[kinds[0]]}">{_cut(text)}{tag}</mark>'


def _cut(text: str, first: int = 0) -> str:
    """Return the beginning of a text as HTML."""
    return _shown(text[first:_LONGEST]) + (" …" if len(text) > _LONGEST else "")


def _shown(text: str) -> str:
    """Return a text with its lines as HTML."""
    return "<br>".join(escape(printable(line)) for line in text.split("\n"))
