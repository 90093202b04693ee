"""F1 over links between tokens."""

import numpy as np

from ..alignment.overlaps import Alignment, Pieces, SideSpans, intersections, overlaps
from ..alignment.pieces import Incidence
from ..counts.counts import Column, join_columns
from .aligned import FMeasure, f_results


class LinkF(FMeasure):
    """Compute precision, recall and F1 over links, which are pairs of tokens inside one span (Vilain et al. 1995).

    A link is an unordered pair of tokens i <= j within one span; i = j is a link too. With the links L of the reference
    spans and L̂ of the predicted spans, P = |L̂ ∩ L| / |L̂| and R = |L̂ ∩ L| / |L|. Range [0, 1], higher is better.
    Links of different labels are different. `match_labels=False` is the formula as printed in the paper, in which
    labels do not matter.

    Let reach(i) be the furthest end of any contiguous span over token i. A side has Σ_i (reach(i) - i) links, and the
    sides have Σ_i (min(reach, reach') - i) links in common. The sums run over intervals of equal reach, so time grows
    with the number of spans, nested or not. Overlapping discontinuous spans are split into pieces, see
    `pieces.PIECE_PAIR_LIMIT`.

    Counts: `both`, `predicted`, `reference`, in links; `reference_spans`.

    Raises:
        InputError: if overlapping discontinuous spans have more pairs of pieces than the limit.
    """

    name = "link_f"
    leading = True
    results = f_results("share of predicted links that are right", "share of reference links that are found")
    place = 30

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count links by the fastest method for these spans."""
        return join_columns(list(map(_of_part, alignment.parts())))


def _of_part(part: Alignment) -> dict[str, Column]:
    """Count in the fastest way that the spans of the part allow."""
    return (_flat if part.flat else _by_reach if part.contiguous else _by_pieces)(part)


def _triangle(tokens: np.ndarray) -> np.ndarray:
    return np.asarray(tokens * (tokens + 1) // 2)


def _flat(alignment: Alignment) -> dict[str, Column]:
    """Count the links of spans that do not overlap: the links of two spans' common tokens are common links."""
    references, predictions, pairs = alignment.references, alignment.predictions, alignment.pairs
    return {
        "both": references.column(pairs.reference, _triangle(pairs.shared)),
        "predicted": predictions.column(value=_triangle(predictions.size)),
        "reference": references.column(value=_triangle(references.size)),
    }


def _by_reach(alignment: Alignment) -> dict[str, Column]:
    (reference, reach), (predicted, other_reach) = _reaches(alignment.references), _reaches(alignment.predictions)
    left, right = overlaps(reference, predicted)
    common = Pieces(left, *intersections(reference, predicted, left, right))

    def column(part: Pieces, reach: np.ndarray) -> Column:
        links = _triangle(reach - part.start) - _triangle(reach - part.end)
        return Column(*alignment.document_and_label(part.start), links)

    both = column(common, np.minimum(reach[left], other_reach[right]))
    return {"both": both, "predicted": column(predicted, other_reach), "reference": column(reference, reach)}


def _reaches(side: SideSpans) -> tuple[Pieces, np.ndarray]:
    """Compute disjoint intervals, and the furthest end of any span over their tokens."""
    reach = np.maximum.accumulate(side.end) if len(side) else side.end
    end = reach.copy()
    end[:-1] = np.minimum(reach[:-1], side.start[1:])
    nonempty = np.flatnonzero(end > side.start)
    return Pieces(nonempty, side.start[nonempty], end[nonempty]), reach[nonempty]


def _by_pieces(alignment: Alignment) -> dict[str, Column]:
    from scipy.sparse import csr_array, triu

    incidence = Incidence(alignment)
    size = incidence.size
    reference, predicted = (
        (incidence.linked(side) > 0).astype(np.int64) for side in (alignment.references, alignment.predictions)
    )

    def column(linked: csr_array) -> Column:
        across = triu(linked, k=1, format="csr") @ size * size
        return Column(*incidence.place, across + linked.diagonal() * _triangle(size))

    both = reference.multiply(predicted).tocsr()
    return {"both": column(both), "predicted": column(predicted), "reference": column(reference)}
