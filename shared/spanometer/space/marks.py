"""Marked text: the sentences of both sides, one above the other, and how each span meets the other side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..alignment.overlaps import Alignment, Side
from ..web.templates import shortened
from .layers import Mark, Piece, marked

CORRECT, PARTIAL, ALONE = 0, 1, 2
"""How a span meets the other side: a span of its label has the same tokens, shares some of them, or neither."""

SHOWN_DOCUMENTS = 30
SHOWN_TOKENS = 3_000
"""How much of a text is shown; all of it is scored."""

_KINDS = {"reference": ("correct", "partial", "missed"), "prediction": ("correct", "partial", "spurious")}


def meetings(alignment: Alignment) -> tuple[np.ndarray, np.ndarray]:
    """Return how each span of the reference and of the prediction meets the other side.

    Spans of other labels do not count, as in the measures.

    Returns:
        For each side an array of `CORRECT`, `PARTIAL` or `ALONE`, one for each span.
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


def marked_text(
    alignment: Alignment, words: Sequence[Sequence[str]], *, only_differing: bool = False
) -> dict[str, Any]:
    """Return what the template `marks.html` shows: the legend's numbers and the first sentences.

    Args:
        alignment: of both sides, with contiguous spans.
        words: of each document.
        only_differing: whether to leave out sentences in which both sides agree.
    """
    sides = alignment.references, alignment.predictions
    meets = meetings(alignment)
    differing = np.zeros(alignment.documents, dtype=bool)
    for side, kinds in zip(sides, meets, strict=True):
        differing[side.document[kinds != CORRECT]] = True
    wanted = np.flatnonzero(differing) if only_differing else np.arange(alignment.documents)
    shown = _first(wanted, words)
    sentences = [
        {
            "number": document + 1,
            "differs": differing[document],
            "cut": len(words[document]) > SHOWN_TOKENS,
            "sides": {
                name: _pieces(alignment, side, kinds, document, words[document], _KINDS[name])
                for name, side, kinds in zip(_KINDS, sides, meets, strict=True)
            },
        }
        for document in shown
    ]
    numbers = [np.bincount(kinds, minlength=3).tolist() for kinds in meets]
    counts = {
        "correct": f"{numbers[0][CORRECT]:,}",
        "partial": f"{numbers[0][PARTIAL]:,} in the reference, {numbers[1][PARTIAL]:,} in the prediction",
        "missed": f"{numbers[0][ALONE]:,}",
        "spurious": f"{numbers[1][ALONE]:,}",
    }
    return {"counts": counts, "note": _note(len(shown), len(wanted), only_differing), "sentences": sentences}


def _first(documents: np.ndarray, words: Sequence[Sequence[str]]) -> list[int]:
    """Return the first documents that fit on the page, at least one."""
    candidates: list[int] = documents[:SHOWN_DOCUMENTS].tolist()
    tokens = np.cumsum([len(words[document]) for document in candidates])
    return candidates[: max(1, int(np.searchsorted(tokens, SHOWN_TOKENS, side="right")))]


def _note(shown: int, wanted: int, only_differing: bool) -> str:
    noun = "sentences that differ" if only_differing else "sentences"
    if wanted == 0:
        return f"There are no {noun}."
    return "" if shown == wanted else f"Shown: the first {shown:,} of {wanted:,} {noun}. All of the text is scored."


def _pieces(
    alignment: Alignment, side: Side, meets: np.ndarray, document: int, words: Sequence[str], kinds: Sequence[str]
) -> list[Piece]:
    """Mark the spans of one side in the beginning of a document."""
    listed = [shortened(word) for word in words[:SHOWN_TOKENS]]
    # where each word begins in the text
    begins = np.cumsum([0, *(len(word) + 1 for word in listed)]).tolist()
    chosen = np.flatnonzero(side.document == document)
    starts = alignment.token(side.start[chosen]) - alignment.offsets[document]
    ends = np.minimum(starts + (side.end - side.start)[chosen], len(listed))
    columns = (column.tolist() for column in (starts, ends, side.label[chosen], meets[chosen]))
    marks = [
        Mark(begins[start], begins[end] - 1, alignment.labels[label], kinds[kind])
        for start, end, label, kind in zip(*columns, strict=True)
        if start < len(listed)
    ]
    text = " ".join(listed)
    return marked(text, marks, len(text))
