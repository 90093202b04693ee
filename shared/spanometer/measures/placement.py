"""Random placement of spans in a document, keeping their number and lengths.

With `disjoint` placement, all arrangements of a side's spans without overlap are equally likely. An arrangement is a
random order of m = n - a + k items: the k spans (a tokens in all) and the n - a tokens outside them. A span of length
a_i starts at token s if the items before it have s tokens in all, so

    P(start_i = s) = (1 / m) * P(in a random order of the other items, the first items have exactly s tokens).

This is the sum over subsets in Proposition 2 of the paper; `start_probabilities` computes it.

`independent` places each span anywhere. `layers` places each nesting depth separately as `disjoint`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, overlaps
from ..arrays import begins_run, first_flagged, offsets_of, row_codes, run_bounds
from ..exceptions import InputError, counted, require_choice, setting, shown
from .aligned import require_contiguous, require_disjoint, require_lengths
from .start_probabilities import start_probabilities

_MOST_STARTS = 1 << 27
"""The maximum number of start probabilities for one side, label and document; they take 1 GiB."""

_KEYS = 1 << 22
"""The approximate maximum number of random keys in memory."""


_FEW = 6
"""Cases with at most this many spans are computed together; the cost doubles with each span."""

_SHORT = 1 << 11
"""The maximum length of documents that are computed together."""

_COVERED_AT_ONCE = 1 << 17
"""The maximum number of tokens in memory when coverage is computed."""


@dataclass(frozen=True, eq=False)
class Placement:
    """The probabilities of span positions when the spans of a label are placed at random in a document.

    Attributes:
        tokens: the document's length n.
        lengths: the distinct lengths of the spans, ascending.
        counts: the number of spans of each length.
        starts: for each distinct length, the probability of each start; shape (n - length + 1), sum 1.
    """

    tokens: int
    lengths: tuple[int, ...]
    counts: tuple[int, ...]
    starts: tuple[np.ndarray, ...]

    @cached_property
    def coverage(self) -> np.ndarray:
        """The expected number of spans over each token, shape (n)."""
        covered = np.zeros(self.tokens)
        for length, count, starts in zip(self.lengths, self.counts, self.starts, strict=True):
            begun = np.cumsum(starts)
            covered[: len(begun)] += count * begun
            covered[len(begun) :] += count
            covered[length:] -= count * begun[: self.tokens - length]
        return np.clip(covered, 0.0, None)

    def shared_tokens(self, other: Self) -> float:
        """Compute the expected number of tokens that two sides share: Σ_t p1(t) p2(t), with the coverages p1 and p2."""
        return float(self.coverage @ other.coverage)

    def same_spans(self, other: Self) -> float:
        """Compute the expected number of equal spans: Σ_s P1(s) P2(s), summed over pairs of spans of equal length."""
        return math.fsum(
            count * other_count * float(starts @ other_starts)
            for length, count, starts in zip(self.lengths, self.counts, self.starts, strict=True)
            for other_length, other_count, other_starts in zip(other.lengths, other.counts, other.starts, strict=True)
            if length == other_length
        )

    def __add__(self, other: Self) -> Self:
        """Add two independent placements, such as two layers of nested spans."""
        return type(self)(
            self.tokens, self.lengths + other.lengths, self.counts + other.counts, self.starts + other.starts
        )


def place(
    tokens: int,
    lengths: Sequence[int],
    *,
    placement: str = "disjoint",
    method: str = "exact",
    uniform_threshold: float = 0.99,
) -> Placement:
    """Compute the random placement of spans with these lengths in a document.

    Args:
        tokens: the document's length.
        lengths: the lengths of the spans, in any order.
        placement: `disjoint` (all arrangements without overlap are equally likely) or `independent` (each span
            anywhere). For `layers`, place each depth separately and add the results.
        method: `exact`; `uniform`, which gives every position the same probability (the approximation of the paper's
            appendix); or `auto`, uniform for spans with (n - a + k) / (n - a_i + 1) above `uniform_threshold`.
        uniform_threshold: the threshold of `auto`.

    Raises:
        InputError: if a length is below 1, if a span is longer than the document, or if there are too many
            probabilities.
    """
    require_choice("placement", placement, ("disjoint", "independent"))
    distinct, counts = np.unique(np.asarray(lengths, dtype=np.int64), return_counts=True)
    annotated, spans = int((distinct * counts).sum()), int(counts.sum())
    needed = annotated if placement == "disjoint" else int(distinct.max(initial=0))
    if (distinct < 1).any() or needed > tokens:
        raise InputError(
            f"the spans do not fit into {counted(tokens, 'token')}. Their lengths: {shown(list(lengths))[1:-1]}.",
            f"Check the lengths. If spans overlap, set {setting('placement', 'independent')} or 'layers'.",
        )
    if tokens * len(distinct) > _MOST_STARTS:
        size = f"{counted(tokens, 'token')} with spans of {counted(len(distinct), 'length')}"
        raise InputError(
            f"a document of {size}: random placement would need {tokens * len(distinct) / 2**27:,.1f} GiB of memory.",
            f"Check {setting('lengths')}, or split the document.",
        )
    positions = tokens - distinct + 1
    uniform = np.full(len(distinct), placement == "independent" or method == "uniform" or spans == 1)
    if method == "auto":
        uniform |= (tokens - annotated + spans) / positions > uniform_threshold
    exact = [] if uniform.all() else start_probabilities(tokens, distinct, counts)
    starts = [
        np.full(number, 1.0 / number) if flat else exact[place]
        for place, (number, flat) in enumerate(zip(positions.tolist(), uniform.tolist(), strict=True))
    ]
    return Placement(tokens, tuple(distinct.tolist()), tuple(counts.tolist()), tuple(starts))


def coverage_of_few(tokens: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Compute `Placement.coverage` with `disjoint` for many documents that have the same small number of spans.

    Let a document have k spans and o tokens outside them. If a subset of the other spans, c spans with L tokens, comes
    before a span that starts at s, then f = s - L outside tokens come before it too. P(start = s) is the sum over
    subsets of

        (f + 1) ... (f + c) (o - f + 1) ... (o - f + k - 1 - c) / ((o + 1) ... (o + k)).

    Args:
        tokens: the documents' lengths, shape (documents).
        lengths: the lengths of the spans, shape (documents, k). The spans of a document must fit into it.

    Returns:
        Shape (documents, tokens of the longest document); 0 after the end of a document.
    """
    spans, token = lengths.shape[1], np.arange(int(tokens.max()))
    outside = (tokens - lengths.sum(axis=1)).astype(float)[:, None]
    arrangements = np.prod(outside + np.arange(1, spans + 1), axis=1, keepdims=True)
    covered = np.zeros((len(tokens), len(token)))
    for span in range(spans):
        other_lengths = np.delete(lengths, span, axis=1)
        starts = np.zeros_like(covered)
        for subset in np.ndindex(*(2,) * (spans - 1)):
            free = token - (other_lengths @ np.array(subset, dtype=np.int64))[:, None]
            behind = outside - free
            ways = ((free >= 0) & (behind >= 0)).astype(float)
            for step in range(1, spans):
                ways *= free + step if step <= sum(subset) else behind + (step - sum(subset))
            starts += ways
        begun = np.cumsum(starts, axis=1)
        ended = token - lengths[:, span, None]
        covered += begun - np.where(ended >= 0, np.take_along_axis(begun, np.maximum(ended, 0), axis=1), 0.0)
    return np.asarray(np.clip(covered / arrangements, 0.0, None))


def sample(
    tokens: int, lengths: Sequence[int], draws: int, *, placement: str = "disjoint", generator: np.random.Generator
) -> np.ndarray:
    """Draw random arrangements; all are equally likely.

    Args:
        tokens: the document's length.
        lengths: the lengths of the spans.
        draws: the number of arrangements.
        placement: `disjoint` or `independent`.
        generator: the random generator, such as `numpy.random.default_rng(seed)`.

    Returns:
        The start of each span, int64, shape (draws, spans), in the order of `lengths`.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    if len(sizes) == 0:
        return np.zeros((draws, 0), dtype=np.int64)
    if placement == "independent":
        return np.asarray(generator.integers(0, tokens - sizes + 1, size=(draws, len(sizes))))
    items = tokens - int(sizes.sum()) + len(sizes)
    # choose which items of a random order are spans, and the order of the spans
    place_of = np.sort(_distinct_integers(items, len(sizes), draws, generator), axis=1)
    order = generator.permuted(np.broadcast_to(np.arange(len(sizes)), (draws, len(sizes))), axis=1)
    in_order = sizes[order]
    starts = place_of + np.cumsum(in_order - 1, axis=1) - (in_order - 1)
    result = np.empty((draws, len(sizes)), dtype=np.int64)
    np.put_along_axis(result, order, starts, axis=1)
    return result


def _distinct_integers(below: int, size: int, draws: int, generator: np.random.Generator) -> np.ndarray:
    """Draw sets of distinct integers below `below`; all sets are equally likely. Shape (draws, size)."""
    if size == below:
        return np.broadcast_to(np.arange(size), (draws, size))
    if size * size > below:
        step = _KEYS // below + 1
        keys = (generator.random((min(step, draws - first), below)) for first in range(0, draws, step))
        return np.concatenate([np.argpartition(part, size - 1, axis=1)[:, :size] for part in keys])
    drawn = generator.integers(0, below, size=(draws, size))
    while True:
        ordered = np.sort(drawn, axis=1)
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if len(again) == 0:
            return np.asarray(drawn)
        drawn[again] = generator.integers(0, below, size=(len(again), size))


class Cases:
    """The places (document and label) with spans on both sides, grouped into cases.

    A case has all that random placement depends on: the length of the document, and the lengths of one side's spans of
    one label by nesting depth.

    Attributes:
        document, label: the document and the label of each place.
        of_both: the cases of the two sides at each place, shape (places, 2).
        tokens: the document length of each case.
        first, last: the slice of each case's spans in `depth` and `size`.
        depth, size: the nesting depth and length of each span, ordered within a case.

    Args:
        alignment: both sides.
        placement: with `layers` nesting depths differ; otherwise all are 0.
    """

    def __init__(self, alignment: Alignment, placement: str) -> None:
        sides = (alignment.references, alignment.predictions)
        documents = max(alignment.documents, 1)
        places = documents * len(alignment.labels)
        # the references' places, then the predictions'
        place = np.concatenate([side.places(documents) for side in sides])
        place[len(sides[0]) :] += places
        size = np.concatenate([side.size for side in sides])
        depth = np.concatenate([_nesting_depth(side) if placement == "layers" else 0 * side.size for side in sides])
        order = np.lexsort((size, depth, place))
        place, self.depth, self.size = place[order], depth[order], size[order]
        first, last = run_bounds(place)
        shared = np.intersect1d(place[first], place[first] - places, assume_unique=True)
        kept = np.isin(place[first] % max(places, 1), shared)
        first, last = first[kept], last[kept]
        self.document, self.label = shared % documents, shared // documents
        # for each place, its row in the references, then in the predictions
        length = np.tile(np.diff(alignment.offsets)[self.document], 2)
        code = row_codes(length, first, last, self.depth * (int(size.max(initial=0)) + 1) + self.size)
        example = np.unique(code, return_index=True)[1]
        self.of_both = code.reshape(2, -1).T
        self.tokens, self.first, self.last = length[example], first[example], last[example]

    @property
    def few(self) -> np.ndarray:
        """Flag the cases that are computed together: few spans, all of one layer, in a short document."""
        ends = offsets_of(self.size)
        fits = (ends[self.last] - ends[self.first] <= self.tokens) & (self.tokens <= _SHORT)
        one_layer = self.depth[self.first] == self.depth[self.last - 1]
        return np.asarray(fits & one_layer & (self.last - self.first <= _FEW))

    def expected_of_few(self, pairs: np.ndarray) -> np.ndarray:
        """Compute the expected number of shared tokens for pairs of cases with few spans, many pairs at a time."""
        values, tokens = np.empty(len(pairs)), self.tokens[pairs[:, 0]]
        spans = (self.last - self.first)[pairs]
        order = np.lexsort((tokens, *spans.T))
        block = np.cumsum(tokens[order], dtype=np.int64) // _COVERED_AT_ONCE
        for first, last in zip(*run_bounds(*spans[order].T, block), strict=True):
            part = order[first:last]
            places = (self.first[pairs[part, side], None] + np.arange(spans[part[0], side]) for side in (0, 1))
            values[part] = np.einsum("ij,ij->i", *(coverage_of_few(tokens[part], self.size[place]) for place in places))
        return values

    def describe(self, case: int) -> tuple[int, list[list[int]]]:
        """Return the document's length and the span lengths of each layer."""
        part = slice(self.first[case], self.last[case])
        layers = [self.size[part][start:end].tolist() for start, end in zip(*run_bounds(self.depth[part]), strict=True)]
        return int(self.tokens[case]), layers


def _nesting_depth(side: SideSpans) -> np.ndarray:
    """Compute how many spans of the same label contain each span."""
    inner, outer = overlaps(side, side)
    holds = (side.start[outer] <= side.start[inner]) & (side.end[outer] >= side.end[inner]) & (inner != outer)
    return np.bincount(inner[holds], minlength=len(side))


def require_placeable(alignment: Alignment, name: str, side: SideSpans, placement: str) -> None:
    """Raise an `InputError` if spans do not fit the placement."""
    if len(side):
        require_lengths(alignment.lengths, "chance_kappa_f1")
    require_contiguous(alignment, name, side, "chance_kappa_f1 needs contiguous spans")
    if placement == "independent" or side.flat:
        return
    layers, independent = setting("placement", "layers"), setting("placement", "independent")
    if placement == "disjoint":
        reason = f". {setting('placement', 'disjoint')} does not allow such overlaps."
        remedy = f"Use {layers} for nested spans, or {independent} for any overlap."
        require_disjoint(alignment, name, side, reason, remedy)
    depth = _nesting_depth(side)
    order = np.lexsort((side.start, depth, side.label, side.document))
    same_layer = ~begins_run(depth[order], side.label[order], side.document[order])
    place = first_flagged(same_layer[1:] & (side.start[order][1:] < side.end[order][:-1]))
    if place is not None:
        problem = f"crosses another span of the same label, but {layers} needs nested spans."
        remedy = f"Use {independent}, which allows any overlap."
        raise alignment.refusal(name, side, int(order[place + 1]), problem, remedy)
