"""F1 over tokens in spans."""

import numpy as np

from ..alignment.overlaps import Alignment, Pieces, SideSpans, intersections, overlaps, union
from ..counts.counts import Column
from ..options import option
from .aligned import FMeasure, f_results


class TokenF(FMeasure):
    """Compute precision, recall and F1 over the tokens inside spans.

    P = |Û ∩ U| / |Û| and R = |Û ∩ U| / |U|. U are the units of the reference spans and Û the units of the predicted
    spans. A unit is a token with a label and a prefix that depends on `format`:

    - `IO`: no prefix.
    - `BIO`: B for the first token of a span, I for its other tokens.
    - `BIOE`: also E for the last token; a span of one token has B.
    - `BIOES`: also S for a span of one token.
    - `IO*` (Esuli and Sebastiani 2010): tokens and the gaps between adjacent tokens of a span, without prefixes.

    A discontinuous span has one first and one last token. If spans overlap, a token can have several prefixes. U and Û
    are sets; with `duplicates="each"` a unit counts once for each span that contains it. Range [0, 1], higher is
    better.

    Counts: `both`, `predicted`, `reference`, in units; `reference_spans`.

    Attributes:
        format: what to compare.
        duplicates: how to count a token that is in several spans of one label.
        weight_by: weight of each label, for average=weighted.
    """

    format: str = option(
        "IO",
        choices={
            "IO": "labels of tokens",
            "BIO": "labels and prefixes of tokens: B for the first token of a span, I for its other tokens",
            "BIOE": "like BIO, but E for the last of several tokens",
            "BIOES": "like BIOE, but S for a span of one token",
            "IO*": "like IO, and gaps between tokens count, too; a span of three tokens counts as 3 tokens and 2 gaps",
        },
        label="Format",
    )
    duplicates: str = option(
        "once", choices={"once": "the token counts once", "each": "the token counts once for each span"}
    )
    weight_by: str = option(
        "spans", choices={"spans": "its number of reference spans", "tokens": "its number of reference tokens"}
    )

    name = "token_f"
    results = f_results("share of predicted tokens that are right", "share of reference tokens that are found")
    place = 20
    unusual = ("duplicates", "weight_by", *FMeasure.unusual)

    @property
    def weight(self) -> str:
        """The count that weights labels with `average="weighted"`."""
        return "reference" if self.weight_by == "tokens" else self.support

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count common units as overlaps of intervals of tokens with the same tag."""
        references, predictions = alignment.references, alignment.predictions
        # each kind of unit gets its own copy of the line, so that one join handles all
        line = alignment.stride * len(alignment.labels)
        reference, predicted = (self._units(side, line) for side in (references, predictions))
        if self.duplicates == "each":
            both = _common(alignment, reference, predicted, line)
        else:
            left, right = overlaps(reference, predicted)
            start, end = intersections(reference, predicted, left, right)
            both = references.column(reference.span[left], end - start)
        return {
            "both": both,
            "predicted": predictions.column(predicted.span, predicted.end - predicted.start),
            "reference": references.column(reference.span, reference.end - reference.start),
        }

    def _units(self, side: SideSpans, line: int) -> Pieces:
        """List one side's units as intervals and their spans; each kind of unit has its own range of positions.

        Intervals are disjoint unless units count once for each span.
        """
        kinds = []
        for number, kind in enumerate(self._kinds(side)):
            if self.duplicates == "once":
                start, end, first = union(kind.start, kind.end)
            else:
                first = np.repeat(np.arange(len(kind.span)), side.times[kind.span])
                start, end = kind.start[first], kind.end[first]
            kinds.append((kind.span[first], start + number * line, end + number * line))
        return Pieces(*(np.concatenate(columns) for columns in zip(*kinds, strict=True)))

    def _kinds(self, side: SideSpans) -> list[Pieces]:
        """List the intervals of each kind of unit, ordered by start."""
        pieces = side.intervals
        span, start, end = pieces.span, pieces.start, pieces.end
        if self.format == "IO":
            return [pieces]
        if self.format == "IO*":
            return [pieces, _ordered(span, start, end - 1)]
        single = side.size == 1
        several = np.flatnonzero(~single)
        marks_end = self.format in ("BIOE", "BIOES")
        begins = several if self.format == "BIOES" else np.arange(len(side))
        inner_end = end - (marks_end & (end == side.end[span]))
        inner = _ordered(span, start + (start == side.start[span]), inner_end)
        kinds = [_ordered(begins, side.start[begins], side.start[begins] + 1), inner]
        if marks_end:
            kinds.append(_ordered(several, side.end[several] - 1, side.end[several]))
        if self.format == "BIOES":
            kinds.append(_ordered(np.flatnonzero(single), side.start[single], side.end[single]))
        return kinds


def _common(alignment: Alignment, reference: Pieces, predicted: Pieces, line: int) -> Column:
    """Count the units that both sides have in common, with multiplicity."""
    sides = reference, predicted
    bounds = np.unique(np.concatenate([bound for side in sides for bound in (side.start, side.end)]))
    depths = [
        np.searchsorted(np.sort(side.start), bounds, side="right") - np.searchsorted(np.sort(side.end), bounds, "right")
        for side in sides
    ]
    common = np.minimum(*depths)[:-1] * np.diff(bounds)
    kept = np.flatnonzero(common)
    return Column(*alignment.document_and_label(bounds[kept] % max(line, 1)), common[kept])


def _ordered(span: np.ndarray, start: np.ndarray, end: np.ndarray) -> Pieces:
    """Order the nonempty intervals by start."""
    nonempty = np.flatnonzero(end > start)
    if not (start[nonempty][1:] >= start[nonempty][:-1]).all():
        nonempty = nonempty[np.argsort(start[nonempty], kind="stable")]
    return Pieces(span[nonempty], start[nonempty], end[nonempty])
