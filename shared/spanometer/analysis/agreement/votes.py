"""The votes of annotators for spans, and for labels of tokens, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...alignment.overlaps import Alignment
from ...arrays import code_type
from ...exceptions import InputError, setting
from ...spans.annotations import distinct_spans
from ...spans.spans import Spans


@dataclass(frozen=True, eq=False)
class Voted:
    """Spans and their voters.

    Attributes:
        spans: the spans.
        voters: whether each annotator has each span, bool, shape (spans, annotators).
    """

    spans: Spans
    voters: np.ndarray

    @classmethod
    def of(cls, annotators: Sequence[Spans]) -> Voted:
        """Collect all different spans of some annotators."""
        return cls(*distinct_spans(annotators))

    def __len__(self) -> int:
        """Count the spans."""
        return len(self.spans)

    @property
    def votes(self) -> np.ndarray:
        """The number of votes of each span, shape (spans), int64."""
        return np.asarray(self.voters.sum(axis=1))

    def take(self, kept: np.ndarray) -> Voted:
        """Select the flagged spans."""
        return Voted(self.spans.picked(np.flatnonzero(kept)), self.voters[kept])


class LabelledTokens:
    """The votes for the labels of tokens, stored as intervals of tokens with the same voters.

    Args:
        annotators: the spans of each annotator: contiguous, and spans of the same label do not overlap.
        names: the names of the annotators in errors.

    Raises:
        InputError: if spans are discontinuous, or if spans of the same label overlap; the error names the annotator.
    """

    def __init__(self, annotators: Sequence[Spans], names: Sequence[str]) -> None:
        self._labels = tuple(sorted({label for spans in annotators for label in spans.labels}))
        self._like = replace(annotators[0], fragments=None, copies=None)
        # one more token for each document separates it from the next one
        ends = np.zeros(self._like.documents, dtype=np.int64)
        for spans in annotators:
            np.maximum.at(ends, spans.document, spans.end)
        self._offsets = np.concatenate(([0], np.cumsum(ends + 1)))
        sides = [self._on_line(spans, name) for spans, name in zip(annotators, names, strict=True)]
        self._bounds, self._has = stretches_of(sides)
        self._begins = np.stack([np.isin(self._bounds, start) for start, _ in sides], axis=1)

    def runs(self, least: int, most: int) -> Voted:
        """Return the runs of tokens with `least` to `most` votes for a label, as spans of this label.

        A run is divided before a token if, among the annotators who have the label on both sides of it, more than half
        begin a span there. The voters of a run are the annotators who have the label on all of its tokens.
        """
        votes = self._has.sum(axis=1)
        won = (votes >= least) & (votes <= most) & (votes > 0)
        both = self._has[1:] & self._has[:-1]
        parted = np.zeros(len(won), dtype=bool)
        parted[1:] = 2 * (both & self._begins[1:]).sum(axis=1) > both.sum(axis=1)
        first = np.flatnonzero(won & (parted | ~np.append(False, won[:-1])[: len(won)]))
        ends = np.append(~won[1:] | parted[1:], True)[: len(won)]
        last = np.flatnonzero(won & ends)
        unbroken = np.cumsum(~self._has, axis=0)
        lacking = unbroken[last] - unbroken[first] + ~self._has[first]
        # the last boundary ends the last span, and no span begins there
        start, end = self._bounds[first], self._bounds[np.minimum(last + 1, max(len(won) - 1, 0))]
        label, place = np.divmod(start, self._offsets[-1])
        document = np.searchsorted(self._offsets, place, side="right") - 1
        base = label * self._offsets[-1] + self._offsets[document]
        order = np.lexsort((label, end - base, start - base, document))
        spans = replace(
            self._like,
            document=document[order].astype(np.int32),
            start=(start - base)[order].astype(np.int32),
            end=(end - base)[order].astype(np.int32),
            label=label[order].astype(code_type(len(self._labels))),
            labels=self._labels,
        )
        return Voted(spans, lacking[order] == 0)

    def _on_line(self, spans: Spans, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Concatenate labels and documents on one axis, and return the sorted boundaries of the spans on it."""
        if spans.fragments is not None:
            raise InputError(
                "votes by token are undefined for discontinuous spans.",
                f"Set {setting('vote', 'span')} to vote on whole spans.",
                side=name,
            )
        coded = spans.with_labels(self._labels)
        base = coded.label.astype(np.int64) * self._offsets[-1] + self._offsets[coded.document]
        start, end = base + coded.start, base + coded.end
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
        overlapping = start[1:] < end[:-1]
        if overlapping.any():
            span = int(order[int(np.argmax(overlapping)) + 1])
            raise InputError(
                f"two spans of {coded.labels[coded.label[span]]!r} overlap, so votes by token are undefined.",
                f"Set {setting('vote', 'span')} to vote on whole spans.",
                side=name,
                document=int(coded.document[span]),
                position=int(coded.start[span]),
            )
        return start, end


def stretches_of(sides: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Divide an axis at the boundaries of spans, given the starts and ends of each annotator's spans.

    Returns:
        The boundaries, at which intervals begin, and whether each annotator has each interval in a span, bool, shape
        (boundaries, annotators).
    """
    bounds = np.unique(np.concatenate([bound for side in sides for bound in side]))
    held = np.zeros((len(bounds), len(sides)), dtype=bool)
    for annotator, side in enumerate(sides):
        begun, ended = (np.bincount(np.searchsorted(bounds, bound), minlength=len(bounds)) for bound in side)
        held[:, annotator] = np.cumsum(begun - ended) > 0
    return bounds, held


def overlapping_pairs(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of spans, with any labels, that share a token, the earlier span first."""
    bare = replace(spans, label=np.zeros_like(spans.label), labels=("_",))
    pairs = Alignment(bare, bare).pairs
    once = pairs.reference < pairs.prediction
    return pairs.reference[once], pairs.prediction[once]


def without_losers(first: np.ndarray, second: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Keep at most one span of each pair: go through the spans by rank, and keep a span unless a rival has been kept.

    Args:
        first, second: the pairs.
        rank: the rank of each span, all different; the lowest goes first.

    Returns:
        Whether each span is kept.
    """
    kept = np.ones(len(rank), dtype=bool)
    while len(first):
        ahead = np.full(len(rank), len(rank))
        np.minimum.at(ahead, first, rank[second])
        np.minimum.at(ahead, second, rank[first])
        wins = rank < ahead
        beaten = np.concatenate([second[wins[first]], first[wins[second]]])
        kept[beaten] = False
        open_pairs = kept[first] & kept[second]
        first, second = first[open_pairs], second[open_pairs]
    return kept
