"""Reference and prediction as marked text, one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..alignment.overlaps import Alignment, Side
from .html import escape, shortened

CORRECT, PARTIAL, ALONE = 0, 1, 2
"""How a span meets the other side: a span of its label has the same tokens, shares some of them, or neither."""

SHOWN_DOCUMENTS = 30
SHOWN_TOKENS = 3_000
"""How much of a text is shown; all of it is scored."""


@dataclass(frozen=True)
class _Kind:
    """How the spans of a kind are told apart: the name of their style (its underline), a symbol and a word."""

    style: str
    symbol: str
    word: str
    line: str


_CORRECT = _Kind("sm-correct", "✓", "correct", "solid line")
_PARTIAL = _Kind("sm-partial", "≈", "partial", "dashed line")
_MISSED = _Kind("sm-missed", "✗", "missed", "double line")
_SPURIOUS = _Kind("sm-spurious", "+", "spurious", "wavy line")
_KINDS = {"reference": (_CORRECT, _PARTIAL, _MISSED), "prediction": (_CORRECT, _PARTIAL, _SPURIOUS)}

_EXPLAINED = {
    _CORRECT: "same label, same tokens",
    _PARTIAL: "same label, some of the tokens",
    _MISSED: "only in the reference",
    _SPURIOUS: "only in the prediction",
}


@dataclass(frozen=True)
class Mark:
    """A span of a document: its bounds in tokens, its label, and how it meets the other side."""

    start: int
    end: int
    label: str
    meets: int


def meetings(alignment: Alignment) -> tuple[np.ndarray, np.ndarray]:
    """How each span of the reference and of the prediction meets the other side: `CORRECT`, `PARTIAL` or `ALONE`.

    Spans of other labels do not count, as in the measures.
    """
    pairs = alignment.pairs
    sides = alignment.references, alignment.predictions
    same = (pairs.shared == sides[0].size[pairs.reference]) & (pairs.shared == sides[1].size[pairs.prediction])
    found = []
    for side, partners in zip(sides, (pairs.reference, pairs.prediction), strict=True):
        meets = np.full(len(side), ALONE)
        meets[partners] = PARTIAL
        meets[partners[same]] = CORRECT
        found.append(meets)
    return found[0], found[1]


def highlighted(alignment: Alignment, words: Sequence[Sequence[str]], *, only_differing: bool = False) -> str:
    """The legend, and the first sentences with both sides' spans.

    Args:
        alignment: of both sides, with contiguous spans.
        words: of each document.
        only_differing: whether sentences in which both sides agree are left out.
    """
    meets = meetings(alignment)
    differing = np.zeros(alignment.documents, dtype=bool)
    for side, kinds in zip((alignment.references, alignment.predictions), meets, strict=True):
        differing[side.document[kinds != CORRECT]] = True
    wanted = np.flatnonzero(differing) if only_differing else np.arange(alignment.documents)
    shown = _first(wanted, words)
    marks = [
        _marks(alignment, side, kinds, shown)
        for side, kinds in zip((alignment.references, alignment.predictions), meets, strict=True)
    ]
    pairs = "".join(
        _pair(words[document], marks[0][index], marks[1][index], document, bool(differing[document]))
        for index, document in enumerate(shown)
    )
    return f"{_legend(meets)}{_note(len(shown), len(wanted), only_differing)}{pairs}"


def _first(documents: np.ndarray, words: Sequence[Sequence[str]]) -> list[int]:
    """The first documents that fit on the page; one at least."""
    shown: list[int] = []
    tokens = 0
    for document in documents[:SHOWN_DOCUMENTS].tolist():
        tokens += len(words[document])
        if shown and tokens > SHOWN_TOKENS:
            break
        shown.append(document)
    return shown


def _note(shown: int, wanted: int, only_differing: bool) -> str:
    what = "sentences that differ" if only_differing else "sentences"
    if wanted == 0:
        return f'<p class="sm-note">There are no {what}.</p>'
    if shown == wanted:
        return ""
    return f'<p class="sm-note">Shown: the first {shown:,} of {wanted:,} {what}. All of the text is scored.</p>'


def _legend(meets: tuple[np.ndarray, np.ndarray]) -> str:
    counts = {
        _CORRECT: int((meets[0] == CORRECT).sum()),
        _PARTIAL: int((meets[0] == PARTIAL).sum()),
        _MISSED: int((meets[0] == ALONE).sum()),
        _SPURIOUS: int((meets[1] == ALONE).sum()),
    }
    partial = f"{counts[_PARTIAL]:,} in the reference, {int((meets[1] == PARTIAL).sum()):,} in the prediction"
    items = []
    for kind, count in counts.items():
        number = partial if kind is _PARTIAL else f"{count:,}"
        items.append(
            f'<li><mark class="{kind.style}">{kind.word}<span class="sm-tag" aria-hidden="true">{kind.symbol}</span>'
            f'</mark> {number} <span class="sm-muted">({_EXPLAINED[kind]}; {kind.line})</span></li>'
        )
    return f'<ul class="sm-legend" aria-label="Legend">{"".join(items)}</ul>'


def _marks(alignment: Alignment, side: Side, meets: np.ndarray, documents: Sequence[int]) -> list[list[Mark]]:
    """The spans of some documents in the order of the text."""
    start = alignment.token(side.start) - alignment.offsets[side.document]
    order = np.lexsort((side.end, start, side.document))
    document = side.document[order]
    found = []
    for wanted in documents:
        first, last = np.searchsorted(document, [wanted, wanted + 1])
        spans = order[first:last]
        found.append(
            [
                Mark(begin, begin + size, alignment.labels[label], kind)
                for begin, size, label, kind in zip(
                    start[spans].tolist(),
                    (side.end - side.start)[spans].tolist(),
                    side.label[spans].tolist(),
                    meets[spans].tolist(),
                    strict=True,
                )
            ]
        )
    return found


def _pair(
    words: Sequence[str], references: Sequence[Mark], predictions: Sequence[Mark], document: int, differs: bool
) -> str:
    lines = "".join(
        f'<div class="sm-line"><span class="sm-side">{side}</span><span dir="auto">{marked_text(words, marks, side)}'
        "</span></div>"
        for side, marks in (("reference", references), ("prediction", predictions))
    )
    kind = "" if differs else " sm-same"
    return f'<div class="sm-pair{kind}" role="group" aria-label="Sentence {document + 1}">{lines}</div>'


def marked_text(words: Sequence[str], marks: Sequence[Mark], side: str) -> str:
    """A line of words with the spans of one side, which do not overlap, as HTML.

    Args:
        words: of the document; what is behind the first `SHOWN_TOKENS` is cut off.
        marks: in the order of the text.
        side: `reference` or `prediction`.
    """
    parts = []
    done = 0
    for mark in marks:
        if mark.start >= SHOWN_TOKENS:
            break
        parts += [escape(shortened(word)) for word in words[done : mark.start]]
        kind = _KINDS[side][mark.meets]
        text = escape(" ".join(map(shortened, words[mark.start : min(mark.end, SHOWN_TOKENS)])))
        label = escape(shortened(mark.label))
        parts.append(
            f'<mark class="{kind.style}" title="{label}: {kind.word}">{text} <span class="sm-tag">'
            f'<span aria-hidden="true">{kind.symbol} </span>{label}'
            f'<span class="sm-hidden"> {kind.word}</span></span></mark>'
        )
        done = mark.end
    parts += [escape(shortened(word)) for word in words[done:SHOWN_TOKENS]]
    cut = ' <span class="sm-muted">… (cut off here)</span>' if len(words) > SHOWN_TOKENS else ""
    return " ".join(parts) + cut
