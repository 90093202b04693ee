"""The documents and labels whose agreement by chance is computed, and what random placement there depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alignment.overlaps import Alignment, Side, overlaps
from ..arrays import begins_run, offsets_of, row_codes, runs
from ..exceptions import setting
from .aligned import require_contiguous, require_disjoint, require_lengths
from .placement import coverage_of_few

_FEW = 6
"""Sides of so many spans or fewer are placed many at a time, at a cost that doubles with each span."""

_SHORT = 1 << 11
"""The longest documents of which many are placed at a time."""

_COVERED_AT_ONCE = 1 << 17
"""Of so many tokens the coverage is held at a time."""


@dataclass(frozen=True, eq=False)
class Cases:
    """The places (document and label) that have spans on both sides, and which of them are alike.

    A case is a document's length with the lengths of one side's spans of one label, depth by depth: all that random
    placement depends on.

    Attributes:
        document, label: the places.
        of_both: the cases of both sides at each place, shape (places, 2).
        tokens: of each case the document's length.
        first, last: of each case the place of its spans in `depth` and `size`.
        depth, size: nesting depths and lengths of spans, those of a case in order.
    """

    document: np.ndarray
    label: np.ndarray
    of_both: np.ndarray
    tokens: np.ndarray
    first: np.ndarray
    last: np.ndarray
    depth: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, alignment: Alignment, placement: str) -> Cases:
        """Find the cases of a corpus."""
        sides = (alignment.references, alignment.predictions)
        documents = max(alignment.documents, 1)
        places = documents * len(alignment.labels)
        # the references' places, then those of the predictions
        place = np.concatenate([side.places(documents) for side in sides])
        place[len(sides[0]) :] += places
        size = np.concatenate([side.size for side in sides])
        depth = np.concatenate([_nesting_depth(side) if placement == "layers" else 0 * side.size for side in sides])
        order = np.lexsort((size, depth, place))
        place, depth, size = place[order], depth[order], size[order]
        first, last = runs(place)
        shared = np.intersect1d(place[first], place[first] - places, assume_unique=True)
        kept = np.isin(place[first] % max(places, 1), shared)
        first, last = first[kept], last[kept]
        document = shared % documents
        # the places' rows of the references, then those of the predictions
        length = np.tile(np.diff(alignment.offsets)[document], 2)
        code = row_codes(length, first, last, depth * (int(size.max(initial=0)) + 1) + size)
        example = np.unique(code, return_index=True)[1]
        of_both = code.reshape(2, -1).T
        return cls(document, shared // documents, of_both, length[example], first[example], last[example], depth, size)

    @property
    def few(self) -> np.ndarray:
        """Find the cases that are placed many at a time: few spans of one layer, which fit into a short document."""
        ends = offsets_of(self.size)
        fits = (ends[self.last] - ends[self.first] <= self.tokens) & (self.tokens <= _SHORT)
        one_layer = self.depth[self.first] == self.depth[self.last - 1]
        return np.asarray(fits & one_layer & (self.last - self.first <= _FEW))

    def expected_of_few(self, pairs: np.ndarray) -> np.ndarray:
        """Compute the expected shared tokens of pairs of these cases, many pairs at a time."""
        values, tokens = np.empty(len(pairs)), self.tokens[pairs[:, 0]]
        spans = (self.last - self.first)[pairs]
        order = np.lexsort((tokens, *spans.T))
        block = np.cumsum(tokens[order], dtype=np.int64) // _COVERED_AT_ONCE
        for first, last in zip(*runs(*spans[order].T, block), strict=True):
            some = order[first:last]
            places = (self.first[pairs[some, side], None] + np.arange(spans[some[0], side]) for side in (0, 1))
            values[some] = np.einsum("ij,ij->i", *(coverage_of_few(tokens[some], self.size[place]) for place in places))
        return values

    def describe(self, case: int) -> tuple[int, list[list[int]]]:
        """Return the document's length and the spans' lengths, layer by layer."""
        part = slice(self.first[case], self.last[case])
        layers = [self.size[part][start:end].tolist() for start, end in zip(*runs(self.depth[part]), strict=True)]
        return int(self.tokens[case]), layers


def _nesting_depth(side: Side) -> np.ndarray:
    """Count for each span the spans of its label that hold it."""
    inner, outer = overlaps(side.start, side.end, side.start, side.end)
    holds = (side.start[outer] <= side.start[inner]) & (side.end[outer] >= side.end[inner]) & (inner != outer)
    return np.bincount(inner[holds], minlength=len(side))


def require_placeable(alignment: Alignment, name: str, side: Side, placement: str) -> None:
    """Raise an `InputError` if spans cannot be placed at random as asked."""
    if len(side):
        require_lengths(alignment.lengths, "chance")
    require_contiguous(alignment, name, side, "random placement is of contiguous spans")
    if placement == "independent" or side.flat:
        return
    layers, independent = setting("placement", "layers"), setting("placement", "independent")
    if placement == "disjoint":
        reason = f"; under {setting('placement', 'disjoint')} spans do not."
        require_disjoint(alignment, name, side, reason, f"Set {layers} for nested spans, {independent} for any.")
    depth = _nesting_depth(side)
    order = np.lexsort((side.start, depth, side.label, side.document))
    same = ~begins_run(depth[order], side.label[order], side.document[order])
    crossing = same[1:] & (side.start[order][1:] < side.end[order][:-1])
    if crossing.any():
        problem = f"crosses another of its label; {layers} is for nested spans."
        remedy = f"Set {independent}, which allows any overlap."
        raise alignment.refusal(name, side, int(order[int(np.argmax(crossing)) + 1]), problem, remedy)
