"""Normal forms of texts and mentions, with their positions in the original text."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, combining, normalize

import numpy as np

from ..spans.characters import of_characters

FORMS = {
    "exact": "as they are",
    "case": "lower case",
    "loose": "NFKC in lower case, one form of quotes and hyphens, no white space or invisible characters",
}
"""The normal forms with positions in the text."""

STRING_FORMS = {
    **FORMS,
    "squad": "lower case, no ASCII punctuation, no a, an or the, single blanks",
}
"""The normal forms of mentions that are compared as strings."""

_QUOTES = frozenset("\"'`´‘’‚‛“”„‟‹›«»′″‵‶＂＇「」『』〝〞〟")
_HYPHENS = frozenset("−⁃﹣－")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MOST_MARKS = 30
_SHORT = 200
_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


def squad(mention: str) -> str:
    """Normalise a mention like SQuAD: lower case, without ASCII punctuation and articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", mention.lower().translate(_PUNCTUATION)).split())


@dataclass(frozen=True, eq=False)
class NormalForm:
    """The normal form of a text.

    Attributes:
        text: the normal form.
        start, end: the boundaries of each character's source in the text, int64; None if positions are unchanged.
    """

    text: str
    start: np.ndarray | None = None
    end: np.ndarray | None = None

    def bounds(self, first: int, last: int) -> tuple[int, int]:
        """Find the boundaries in the text of characters `first` to `last` (exclusive) of the form."""
        if self.start is None or self.end is None:
            return first, last
        return int(self.start[first]), int(self.end[last - 1])


def form_of(text: str, fold: str) -> NormalForm:
    """Compute the normal form of a text; `squad` has no positions and is only for mentions."""
    if fold == "exact":
        return NormalForm(text)
    if fold == "squad":
        return NormalForm(squad(text))
    if fold == "case":
        if text.isascii():
            return NormalForm(text.lower())
        return _changed(text, np.arange(len(text) + 1), _lower)
    joins = of_characters([text], _joins).astype(bool)
    if joins.any():
        return _changed(text, _clusters(joins), _loose)
    return _changed(text, np.arange(len(text) + 1), _loose)


def form_text(text: str, fold: str) -> str:
    """Compute the normal form of a text as a string, cached for short texts."""
    return _short_form(text, fold) if len(text) <= _SHORT else form_of(text, fold).text


@lru_cache(1 << 14)
def _short_form(text: str, fold: str) -> str:
    return form_of(text, fold).text


def _changed(text: str, borders: np.ndarray, change: Callable[[str], str]) -> NormalForm:
    """Compute a normal form for each part of the text between borders."""
    if len(borders) == len(text) + 1:
        parts = list(map(change, text))
    else:
        places = borders.tolist()
        parts = [change(text[start:end]) for start, end in pairwise(places)]
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    return NormalForm("".join(parts), np.repeat(borders[:-1], sizes), np.repeat(borders[1:], sizes))


def _clusters(joins: np.ndarray) -> np.ndarray:
    """Find the borders of characters with their combining marks; very long runs of marks are cut."""
    place = np.arange(len(joins))
    begins = ~joins
    begins[:1] = True
    since = place - np.maximum.accumulate(np.where(begins, place, 0))
    begins |= since % _MOST_MARKS == 0
    return np.append(np.flatnonzero(begins), len(joins))


@lru_cache(1 << 16)
def _lower(character: str) -> str:
    return character.lower()


@lru_cache(1 << 16)
def _loose(cluster: str) -> str:
    """Compute the loose form of a character with its marks."""
    if cluster in _QUOTES:
        return "'"
    kept = []
    for character in normalize("NFKC", cluster):
        if character in _QUOTES:
            kept.append("'")
        elif character in _HYPHENS or category(character) == "Pd":
            kept.append("-")
        elif not character.isspace() and category(character) != "Cf":
            kept.append(character.lower())
    return "".join(kept)


def _joins(character: str) -> bool:
    """Check whether a character can combine with the previous one."""
    return combining(character) != 0 or bool(_JAMO.match(character)) or character in "\uff9e\uff9f"
