"""Conversion of spans between characters and tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

import numpy as np

from ..arrays import begins_run, offsets_of, ranges
from ..exceptions import InputError, counted, require_choice, setting
from .spans import Spans, in_order
from .texts import Tokens, of_characters

POLICIES: Mapping[str, str] = {
    "strict": "raise an error if a span does not begin and end at token boundaries",
    "drop": "ignore spans whose start or end is not at a token boundary",
    "expand": "take all tokens that share a character with the span",
    "contract": "take all tokens inside the span",
    "overlap": "take all tokens with at least half of their characters in the span; if there are none, take the token "
    "with the most characters in the span",
}
"""The policies for converting spans of characters to tokens."""


@dataclass(frozen=True, eq=False)
class Carried:
    """Spans of characters after conversion to tokens.

    Attributes:
        spans: the spans in tokens; document lengths are numbers of tokens.
        moved: for each original span, by how many characters its boundaries moved in total, including the boundaries of
            fragments; -1 if the span has no tokens and was left out.
    """

    spans: Spans
    moved: np.ndarray

    @property
    def lost(self) -> np.ndarray:
        """The original spans without tokens, ascending."""
        return np.flatnonzero(self.moved < 0)

    @property
    def merged(self) -> int:
        """The number of spans that were merged with another span, because they have the same tokens and label."""
        return int((self.moved >= 0).sum()) - len(self.spans)


def to_tokens(spans: Spans, tokens: Tokens, *, policy: str = "strict") -> Carried:
    """Convert spans of characters to tokens.

    The policy decides which tokens with boundaries s and e belong to a span from character a to character b:

    - `strict` and `drop`: the tokens from s = a to e = b.
    - `expand`: all tokens with s < b and e > a.
    - `contract`: all tokens with s >= a and e <= b.
    - `overlap`: all tokens with 2 (min(e, b) - max(s, a)) >= e - s. If there are none, the token that shares the most
      characters with the span, and the first one if several do.

    Fragments are converted one by one; fragments that touch afterwards are merged.

    Args:
        spans: the spans in characters.
        tokens: the tokens of the same documents.
        policy: one of `POLICIES`.

    Raises:
        InputError: if the policy is unknown or the documents differ; with `strict` also if a span begins or ends inside
            a token or has no token.
    """
    require_choice("to_tokens", policy, POLICIES)
    _require_documents(spans, tokens)
    span, start, end = spans.pieces()
    first, last = _token_ranges(spans.document[span], start, end, tokens, policy)
    has_tokens = last > first
    if policy == "strict" and not has_tokens.all():
        _refuse_off_bounds(spans, span[~has_tokens], tokens)
    moved = np.full(len(spans), -1, dtype=np.int64)
    kept = span[has_tokens]
    moved[kept] = 0
    first, last = first[has_tokens], last[has_tokens]
    shift = np.abs(tokens.start[first] - start[has_tokens]) + np.abs(tokens.end[last - 1] - end[has_tokens])
    np.add.at(moved, kept, shift)
    # a lost fragment moves its span by all of its characters
    lost = span[~has_tokens]
    np.add.at(moved, lost, np.where(moved[lost] >= 0, (end - start)[~has_tokens], 0))
    base = tokens.offsets[spans.document[kept]]
    return Carried(spans.with_pieces(kept, first - base, last - base, tokens.lengths), moved)


def to_characters(spans: Spans, tokens: Tokens, lengths: np.ndarray | None = None) -> Spans:
    """Convert spans of tokens to characters: from the start of the first token to the end of the last.

    Args:
        spans: the spans in tokens.
        tokens: the tokens of the same documents.
        lengths: the documents' lengths in characters, if known.

    Raises:
        InputError: if the documents differ, or if a span is past the last token.
    """
    _require_documents(spans, tokens)
    of_tokens = spans.with_lengths(tokens.lengths)
    span, start, end = of_tokens.pieces()
    base = tokens.offsets[of_tokens.document[span]]
    return of_tokens.with_pieces(span, tokens.start[base + start], tokens.end[base + end - 1], lengths)


def trimmed(spans: Spans, texts: Sequence[str], *, punctuation: bool = False) -> tuple[Spans, np.ndarray]:
    """Remove whitespace at both ends of spans of characters.

    Spans of only whitespace are kept unchanged.

    Args:
        spans: the spans in characters.
        texts: the texts of the documents.
        punctuation: also remove punctuation (the Unicode categories P) at the ends.

    Returns:
        The spans, and the number of characters removed from each original span.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    spans = spans.with_lengths(lengths)
    inner = ~of_characters(texts, lambda sign: sign.isspace() or (punctuation and category(sign)[0] == "P"))
    number = np.arange(len(inner))
    # the next character that is kept, and the end of the previous one
    following = np.minimum.accumulate(np.where(inner, number, len(inner))[::-1])[::-1]
    preceding = np.concatenate(([0], np.maximum.accumulate(np.where(inner, number + 1, 0))))
    span, start, end = spans.pieces()
    base = offsets_of(lengths)[spans.document[span]]
    first, last = following[base + start] - base, preceding[base + end] - base
    blank = first >= end
    first, last = np.where(blank, start, first), np.where(blank, end, last)
    shortened = np.bincount(span, weights=(end - start) - (last - first), minlength=len(spans)).astype(np.int64)
    return spans.with_pieces(span, first, last, lengths), shortened


def split_at(spans: Spans, tokens: Tokens) -> Spans:
    """Split each span of characters into its tokens; a span without tokens becomes its last character.

    Tokens that are partly outside the span are cut at its boundaries.

    Args:
        spans: the spans in characters.
        tokens: the tokens of the same documents.
    """
    span, start, end = spans.pieces()
    first, last = _token_ranges(spans.document[span], start, end, tokens, "expand")
    sizes = np.maximum(last - first, 0)
    piece, token = np.repeat(np.arange(len(span)), sizes), ranges(first, sizes)
    without = np.flatnonzero(np.bincount(span[piece], minlength=len(spans)) == 0)
    owner = np.concatenate([span[piece], without])
    starts = np.concatenate([np.maximum(tokens.start[token], start[piece]), spans.end[without] - 1])
    ends = np.concatenate([np.minimum(tokens.end[token], end[piece]), spans.end[without]])
    parts = replace(spans.picked(owner), start=starts.astype(np.int32), end=ends.astype(np.int32), fragments=None)
    return in_order(parts)


def without_gaps(spans: Spans, texts: Sequence[str]) -> tuple[Spans, int]:
    """Merge fragments of a span that are separated only by whitespace, such as a line break.

    Args:
        spans: the spans in characters.
        texts: the texts of the documents.

    Returns:
        The spans, and the number of original spans with merged fragments.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    spans = spans.with_lengths(lengths)
    # the number of non-whitespace characters before each position
    before = offsets_of(~of_characters(texts, str.isspace))
    span, start, end = spans.pieces()
    base = offsets_of(lengths)[spans.document[span]]
    closed = np.zeros(len(span), dtype=bool)
    closed[:-1] = (span[1:] == span[:-1]) & (before[(base + end)[:-1]] == before[(base + start)[1:]])
    end = np.where(closed, np.append(start[1:], 0), end)
    return spans.with_pieces(span, start, end, lengths), len(np.unique(span[closed]))


def _require_documents(spans: Spans, tokens: Tokens) -> None:
    number = len(tokens.offsets) - 1
    if number != spans.documents:
        problem = f"got tokens of {counted(number, 'document')}, but spans of {counted(spans.documents, 'document')}."
        raise InputError(problem, "Give tokens and spans of the same documents.")


def without_overlaps(spans: Spans) -> Spans:
    """Merge overlapping spans of the same label; spans that only touch are kept apart.

    Raises:
        InputError: if a span is discontinuous.
    """
    if spans.fragments is not None:
        raise InputError("discontinuous spans cannot be merged.", f"Leave out {setting('merge_overlaps')}.")
    if not len(spans):
        return spans
    order = np.lexsort((spans.start, spans.document, spans.label))
    start, end = spans.start[order].astype(np.int64), spans.end[order].astype(np.int64)
    # labels and documents are concatenated, so that spans of different ones never overlap
    base = np.cumsum(begins_run(spans.label[order], spans.document[order])) * (end.max() + 1)
    reached = np.maximum.accumulate(end + base)
    first = np.flatnonzero(np.concatenate(([True], start[1:] + base[1:] >= reached[:-1])))
    ends = reached[np.append(first[1:], len(spans)) - 1] - base[first]
    return in_order(replace(spans.picked(order[first]), end=ends.astype(spans.end.dtype)))


def _token_ranges(
    document: np.ndarray, start: np.ndarray, end: np.ndarray, tokens: Tokens, policy: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last (exclusive) token of each piece, numbered over all documents; first >= last if none."""
    # documents are concatenated, so that all offsets ascend
    longest = np.zeros(len(tokens.offsets) - 1, dtype=np.int64)
    last_token = tokens.offsets[1:][tokens.lengths > 0] - 1
    longest[tokens.lengths > 0] = tokens.end[last_token]
    np.maximum.at(longest, document, end)
    base = offsets_of(longest + 1)[:-1]
    token_end = np.repeat(base, tokens.lengths)
    token_start = tokens.start + token_end
    token_end += tokens.end
    start, end = start + base[document], end + base[document]
    if policy in ("strict", "drop"):
        first, last = np.searchsorted(token_start, start), np.searchsorted(token_end, end)
        fits = (first < len(token_start)) & (last < len(token_end))
        fits[fits] &= (token_start[first[fits]] == start[fits]) & (token_end[last[fits]] == end[fits])
        return first, np.where(fits, last + 1, first)
    if policy == "contract":
        return np.searchsorted(token_start, start), np.searchsorted(token_end, end, side="right")
    first, last = np.searchsorted(token_end, start, side="right"), np.searchsorted(token_start, end)
    if policy == "expand":
        return first, last
    return _mostly_inside(first, last, np.stack([start, end]), np.stack([token_start, token_end]))


def _mostly_inside(
    first: np.ndarray, last: np.ndarray, piece: np.ndarray, token: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Drop the first and the last token of each piece if less than half of the token is inside.

    If no token is left, keep the one with the most characters inside.
    """
    some = np.flatnonzero(last > first)
    outer = np.stack([first[some], last[some] - 1])
    shared = np.minimum(token[1][outer], piece[1][some]) - np.maximum(token[0][outer], piece[0][some])
    short = 2 * shared < (token[1] - token[0])[outer]
    begin, end = outer[0] + short[0], outer[1] + 1 - short[1]
    most = np.where(shared[0] >= shared[1], outer[0], outer[1])
    none = begin >= end
    first, last = first.copy(), last.copy()
    first[some] = np.where(none, most, begin)
    last[some] = np.where(none, most + 1, end)
    return first, last


def _refuse_off_bounds(spans: Spans, off: np.ndarray, tokens: Tokens) -> None:
    span = int(off[0])
    document = int(spans.document[span])
    near = ranges(tokens.offsets[document : document + 1], tokens.lengths[document : document + 1])
    touched = near[(tokens.start[near] < spans.end[span]) & (tokens.end[near] > spans.start[span])]
    listed = ", ".join(f"{tokens.start[token]} to {tokens.end[token]}" for token in touched[:3].tolist())
    where = f"begins or ends within a token. The tokens that it touches are at characters {listed}"
    number = len(np.unique(off))
    more = f" {counted(number - 1, 'other span')} {'do' if number > 2 else 'does'} not fit the tokens either."
    named = f"a span labelled {spans.labels[spans.label[span]]!r} (characters {spans.start[span]} to {spans.end[span]})"
    problem = f"{named} {where if listed else 'covers no token'}.{more if number > 1 else ''}"
    move = f"Move spans to token boundaries, for example with {setting('to_tokens', 'expand')}."
    remedy = f"{move} Or score characters with {setting('unit', 'character')}."
    raise InputError(problem, remedy, document=document, option="to_tokens")
