"""What each place where annotators differ costs the agreement."""

from __future__ import annotations

import numpy as np

from ...alignment.places import Places
from ...counts.statistics import divide
from .votes import stretches_of


def place_costs(places: Places, level: str) -> np.ndarray:
    """Compute what each place costs the mean F1 of pairs of annotators, float64, shape (places).

    F1 of two annotators is 2 both / (one + other), in spans or in tokens, so that 1 - F1 = apart / (one + other), where
    apart is what one of the two has and the other has not. That is a sum over places:

        cost(place) = mean over pairs of apart(place) / (one + other).

    It is the part of 1 - mean F1 that lies at the place, and so much the mean would rise if everything there had its
    counterpart and all annotators' sizes stayed as they are. The costs of all places sum to 1 - mean F1; each is in
    (0, 1] in spans, and 0 in tokens where all annotators have the same tokens of each label, as in a span that only
    some split. Computed in arrays, by sums over spans or over the stretches between their bounds.

    Args:
        places: the places.
        level: `span`: both counts equal spans (as `span_f`); `token`: tokens that both have in spans of one label, a
            token in several such spans of one annotator counted once.
    """
    if level == "span":
        held, place = places.held, places.place
        size = np.ones(len(held), dtype=np.int64)
    else:
        held, size, place = _stretches(places)
    sizes = (held * size[:, None]).sum(axis=0)
    weights = divide(1.0 - np.eye(len(sizes)), sizes[:, None] + sizes[None, :], 0.0)
    weights *= 2 / (len(sizes) * (len(sizes) - 1))
    disputed = place >= 0
    held, size = held[disputed], size[disputed]
    # each pair once: the one has it and the other has not
    cost = ((held @ weights) * ~held).sum(axis=1) * size
    return np.bincount(place[disputed], weights=cost, minlength=len(places))


def _stretches(places: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the stretches of tokens of a label between neighbouring bounds of spans: who has them, sizes and places.

    A stretch that all have, or nobody, has no place: -1.
    """
    spans, stride = places.spans, int(places.offsets[-1])
    span, start, end = spans.pieces()
    base = spans.label.astype(np.int64)[span] * stride + places.offsets[spans.document[span]]
    start, end = start + base, end + base
    bounds, held = stretches_of([(start[own], end[own]) for own in places.held[span].T])
    size = np.append(np.diff(bounds), 0)[: len(bounds)]
    differs = held.any(axis=1) & ~held.all(axis=1)
    place = np.full(len(bounds), -1)
    found = np.searchsorted(places.stretches.start, bounds[differs] % max(stride, 1), side="right") - 1
    place[differs] = places.stretches.span[found]
    return held, size, place
