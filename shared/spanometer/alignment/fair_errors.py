"""The errors of Ortmann's fair evaluation, which counts each mistake once."""

import numpy as np

from ..arrays import items_by_turn, numbers_in_runs, offsets_by, offsets_of, ranges, run_bounds, take_segments
from .matching import connected, occurrences
from .overlaps import Alignment, across_labels, require_few, token_codes
from .pieces import Incidence

KINDS = ("FN", "FP", "LE", "BES", "BEL", "BEO", "LBE")
"""The kinds of errors.

They are: missing span; spurious span; different label; same label, but smaller than the reference span, larger, or
crossing it; different label and different boundaries.
"""

_Columns = tuple[np.ndarray, ...]

_FN, _FP, _LE, _BES, _BEL, _BEO, _LBE = range(len(KINDS))

_STRETCH_LIMIT = 10_000_000
"""The maximum number of intervals into which spans are cut."""


class FairErrors:
    """The errors of a corpus as columns, one row for each error, see `measures.FairF`.

    Attributes:
        kind: the index of each error's kind in `KINDS`.
        document: the document of each error.
        reference, prediction: the label indices on both sides; -1 if there is no span.

    Raises:
        InputError: if too many wrong spans overlap, see `overlaps.PAIR_LIMIT`.
    """

    def __init__(self, alignment: Alignment) -> None:
        wrong, _, _ = across_labels(alignment, wrong=True)
        left, right = _identical(wrong)
        parts = [_errors(wrong, np.full(len(left), _LE), left, right)]
        wrong = _without(wrong, left, right)
        # a pair that overlaps nothing else is an event; other pairs compete
        pairs = wrong.pairs
        alone = (occurrences(pairs.reference) == 1) & (occurrences(pairs.prediction) == 1)
        parts.append(_events(wrong, np.flatnonzero(alone)))
        wrong = _without(wrong, pairs.reference[alone], pairs.prediction[alone])
        chosen, pairs = _Turns(wrong).events(), wrong.pairs
        parts.append(_events(wrong, chosen))
        wrong = _without(wrong, pairs.reference[chosen], pairs.prediction[chosen])
        missing, spurious = np.arange(len(wrong.references)), np.arange(len(wrong.predictions))
        parts.append(_errors(wrong, np.full(len(missing), _FN), missing, None))
        parts.append(_errors(wrong, np.full(len(spurious), _FP), None, spurious))
        self.kind, self.document, self.reference, self.prediction = map(np.concatenate, zip(*parts, strict=True))


def _identical(alignment: Alignment) -> tuple[np.ndarray, np.ndarray]:
    """Pair spans with the same tokens one to one, in order."""
    codes = token_codes(alignment.references, alignment.predictions)
    parts = np.split(codes.astype(np.int64), [len(alignment.references)])
    first, second = (part * len(codes) + numbers_in_runs(part) for part in parts)
    _, left, right = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return left, right


def _without(alignment: Alignment, left: np.ndarray, right: np.ndarray) -> Alignment:
    """Remove spans of both sides from an alignment."""
    sides = ((alignment.references, left), (alignment.predictions, right))
    return alignment.of_sides(*(side.take(np.delete(np.arange(len(side)), spans)) for side, spans in sides))


def _errors(alignment: Alignment, kind: np.ndarray, left: np.ndarray | None, right: np.ndarray | None) -> _Columns:
    """Return the columns of `FairErrors` for pairs of spans, or for spans of one side."""
    sides = [(alignment.references, left), (alignment.predictions, right)]
    labels = [np.full(len(kind), -1) if spans is None else side.label[spans] for side, spans in sides]
    document = next(side.document[spans] for side, spans in sides if spans is not None)
    return kind, document, *labels


def _events(alignment: Alignment, chosen: np.ndarray) -> _Columns:
    """Return the columns of the errors in chosen pairs of overlapping, different spans."""
    pairs, references, predictions = alignment.pairs, alignment.references, alignment.predictions
    left, right, shared = pairs.reference[chosen], pairs.prediction[chosen], pairs.shared[chosen]
    kind = np.where(shared == predictions.size[right], _BES, np.where(shared == references.size[left], _BEL, _BEO))
    kind = np.where(references.label[left] == predictions.label[right], kind, _LBE)
    return _errors(alignment, kind, left, right)


class _Turns:
    """Spans that compete for partners, with the tokens that are not yet matched.

    The spans of a side are processed one after another, shortest first, then in text order. Connected groups of
    overlapping spans are independent, so each step processes one span in every group.
    """

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        pairs, sides = alignment.pairs, (alignment.references, alignment.predictions)
        spans = len(sides[0]) + len(sides[1])
        self._ends = (pairs.reference, pairs.prediction)
        self._alike = sides[0].label[pairs.reference] == sides[1].label[pairs.prediction]
        self._group = connected(pairs.reference, pairs.prediction + len(sides[0]), spans)
        self._size = [side.size for side in sides]
        # shortest first, then in the order of the text
        self._place = [np.argsort(np.argsort(size, kind="stable")) for size in self._size]
        self._free = [np.ones(len(side), dtype=bool) for side in sides]
        # the number of the event that a span is in first
        self._used = [np.zeros(len(side), dtype=np.int64) for side in sides]
        self._lay_out()

    def _lay_out(self) -> None:
        """Cut all spans at all boundaries, so that all tokens of a stretch are in the same spans."""
        stretches = Incidence(self._alignment)
        # cumulative number of a span's remaining tokens before each of its stretches
        self._offsets, self._base, self._before = [], [], []
        for side in (self._alignment.references, self._alignment.predictions):
            first = np.searchsorted(stretches.start, side.start)
            offsets = offsets_of(np.searchsorted(stretches.start, side.end) - first + 1)
            require_few(offsets[-1], _STRETCH_LIMIT, f"wrong spans overlap in {offsets[-1]} stretches")
            base = offsets[:-1] - first
            begin, size = stretches.covered(side)
            remaining = np.zeros(offsets[-1], dtype=np.int64)
            slots = 1 + ranges(base[side.intervals.span] + begin, size)
            remaining[slots] = stretches.size[ranges(begin, size)]
            self._offsets.append(offsets)
            self._base.append(base)
            self._before.append(np.cumsum(remaining))
        self._left = [size.copy() for size in self._size]
        common = self._alignment.intersections
        self._pieces = offsets_by(common.span, len(self._group))
        self._first = np.searchsorted(stretches.start, common.start)
        self._count = np.searchsorted(stretches.start, common.end) - self._first

    def events(self) -> np.ndarray:
        """Return the pairs that are events, in order."""
        parts = [np.zeros(0, dtype=np.intp)]
        for first, alike in ((0, True), (3, False)):
            pairs = np.flatnonzero(self._alike == alike)
            for number, (hand, fresh) in enumerate(((0, True), (0, False), (1, False)), first):
                parts += self._pass(pairs, hand, fresh, number)
        return np.concatenate(parts)

    def _pass(self, pairs: np.ndarray, hand: int, fresh: bool, number: int) -> list[np.ndarray]:
        """Pair each free span of a side, in order, with the best span of the other side.

        If `fresh` is True, the other span must not be in an event yet; otherwise it must be.
        """
        own_ends, partner_ends = self._ends[hand], self._ends[1 - hand]
        pairs = pairs[self._free[hand][own_ends[pairs]] & (self._free[1 - hand][partner_ends[pairs]] == fresh)]
        parts = []
        for turn in items_by_turn(self._group[pairs], self._place[hand][own_ends[pairs]]):
            best = self._best(pairs[turn], hand, fresh)
            time = number * len(self._group) + self._place[hand][own_ends[best]]
            for index, ends in ((hand, own_ends[best]), (1 - hand, partner_ends[best])):
                first = self._free[index][ends]
                self._used[index][ends[first]] = time[first]
                self._free[index][ends] = False
            self._take(best)
            parts.append(best)
        return parts

    def _best(self, pairs: np.ndarray, hand: int, fresh: bool) -> np.ndarray:
        """Return the best remaining pair of each span, without tokens that are matched already."""
        spans, partners = self._ends[hand], self._ends[1 - hand]
        if fresh:
            pairs = pairs[self._free[1 - hand][partners[pairs]]]
            shared = self._alignment.pairs.shared[pairs]
        else:
            shared = self._shared(pairs, 1 - hand)
            pairs, shared = pairs[shared > 0], shared[shared > 0]
        partner = partners[pairs]
        extra = self._left[1 - hand][partner] - shared
        # stable, so that the first in the text wins a tie
        keys = (self._used[1 - hand][partner], self._size[1 - hand][partner], extra, -shared, spans[pairs])
        order = np.lexsort(keys)
        return np.asarray(pairs[order[run_bounds(spans[pairs[order]])[0]]])

    def _shared(self, pairs: np.ndarray, index: int) -> np.ndarray:
        """Count for each pair the shared tokens that are not yet matched in the span of one side."""
        pieces, piece = take_segments(self._pieces, pairs)
        owner = np.repeat(np.arange(len(pairs)), pieces)
        place = self._base[index][self._ends[index][pairs]][owner] + self._first[piece]
        before = self._before[index]
        shared = before[place + self._count[piece]] - before[place]
        return np.bincount(owner, weights=shared, minlength=len(pairs)).astype(np.int64)

    def _take(self, pairs: np.ndarray) -> None:
        """Mark the tokens that both spans of each pair still share as matched."""
        pieces, piece = take_segments(self._pieces, pairs)
        owner = np.repeat(np.repeat(np.arange(len(pairs)), pieces), self._count[piece])
        stretch = ranges(self._first[piece], self._count[piece])
        ends = [ends[pairs] for ends in self._ends]
        places = [base[spans][owner] + stretch for base, spans in zip(self._base, ends, strict=True)]
        remaining = (before[place + 1] - before[place] for before, place in zip(self._before, places, strict=True))
        common = np.minimum(*remaining)
        removed = np.bincount(owner, weights=common, minlength=len(pairs)).astype(np.int64)
        for index, spans in enumerate(ends):
            sizes, slots = take_segments(self._offsets[index], spans)
            moved = offsets_of(sizes)[:-1] - self._offsets[index][spans]
            gone = np.zeros(len(slots), dtype=np.int64)
            gone[places[index] + moved[owner] + 1] = common
            # only differences within a span matter
            self._before[index][slots] -= np.cumsum(gone)
            self._left[index][spans] -= removed
