"""One-to-one pairs of reference and predicted spans, with the kind of each error."""

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import arrow_array, as_lists, begins_run, offsets_by, strings
from .matching import lexicographic_matching
from .overlaps import Alignment, SideSpans, across_labels, line_base

KINDS = {
    "correct": "same tokens, same label",
    "wrong_label": "same tokens, another label",
    "wrong_boundary": "same label, other tokens",
    "wrong_label_and_boundary": "another label and other tokens",
    "missing": "a reference span without a partner (false negative)",
    "spurious": "a predicted span without a partner (false positive)",
}
"""The kinds of rows. The first four are kinds of pairs."""

CORRECT, WRONG_LABEL, WRONG_BOUNDARY, WRONG_LABEL_AND_BOUNDARY, MISSING, SPURIOUS = range(len(KINDS))

BOUNDARIES = {
    "same": "the two spans have the same tokens",
    "shorter": "the predicted span lies inside the reference span",
    "longer": "the reference span lies inside the predicted span",
    "shifted": "neither span lies inside the other span",
}
"""The kinds of differences between the boundaries of a pair."""

MARKS = {
    "split": "several predicted spans overlap one reference span",
    "merged": "one predicted span overlaps several reference spans",
    "nested": "the span lies inside another span of the same annotation",
}
"""Marks that rows of any kind can have."""


class MatchedSpans:
    """The best one-to-one pairs of overlapping reference and predicted spans, and the unmatched spans.

    Pairs are chosen for each document so as to have, in this order of importance: the most pairs with the same tokens
    and label, the most with the same tokens, the most with the same label, the most pairs, the most shared tokens, the
    smallest total distance of boundaries, and the first sorted list of pairs in text order. The order of the input does
    not matter. Swapping the sides only swaps `missing` and `spurious`.

    Every span is in one row. Rows are in no particular order; `to_arrow` puts them in text order.

    Attributes:
        alignment: both sides.
        reference, prediction: the two spans of each row, as indices into the alignment's sides; -1 for none.
        kind: the index of each row's kind in `KINDS`.
        boundary: the index of each row's difference in `BOUNDARIES`; -1 for unmatched spans.
        split: whether the reference span of the row overlaps several predicted spans. For a spurious span: whether it
            overlaps such a reference span. Spans of correct pairs are ignored.
        merged: the same with the sides swapped.

    Args:
        alignment: both sides, with their labels. It caches the result.
        min_overlap: a predicted span must cover at least this proportion of a reference span to be matched with it,
            from 0 to 1. Matched spans always share a token.

    Raises:
        InputError: if too many wrong spans overlap.
    """

    def __init__(self, alignment: Alignment, *, min_overlap: float = 0.0) -> None:
        if min_overlap not in alignment.matched:
            alignment.matched[min_overlap] = _match(alignment, min_overlap)
        self.alignment = alignment
        columns = alignment.matched[min_overlap]
        self.reference, self.prediction, self.kind, self.boundary, self.split, self.merged = columns

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.kind)

    def flags(self, name: str) -> np.ndarray:
        """Flag the rows with a kind, boundary or mark, or with two of them, such as `wrong_boundary_longer`."""
        kind, _, boundary = name.rpartition("_")
        if kind in KINDS and boundary in BOUNDARIES:
            return np.asarray(self.flags(kind) & self.flags(boundary))
        for column, names in (("kind", KINDS), ("boundary", BOUNDARIES)):
            if name in names:
                return np.asarray(getattr(self, column) == list(names).index(name))
        return np.asarray(getattr(self, name))

    @cached_property
    def nested(self) -> np.ndarray:
        """Whether each row's (reference) span lies inside another span of its side."""
        sides = self.alignment.references, self.alignment.predictions
        return self._of_either(*(_inside_another(side, self.alignment) for side in sides)).astype(bool)

    @cached_property
    def document(self) -> np.ndarray:
        """The document of each row."""
        return self._of_either(self.alignment.references.document, self.alignment.predictions.document)

    @cached_property
    def reference_label(self) -> np.ndarray:
        """The label index of each row's reference span; -1 for none."""
        return _at(self.alignment.references.label, self.reference)

    @cached_property
    def predicted_label(self) -> np.ndarray:
        """The label index of each row's predicted span; -1 for none."""
        return _at(self.alignment.predictions.label, self.prediction)

    def bounds(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the boundaries of each row's span on a side, in tokens of its document; -1 for none."""
        spans = self.alignment.sides[f"{side}s"]
        base = line_base(spans.label, spans.document, self.alignment.offsets)
        return _at(spans.start - base, getattr(self, side)), _at(spans.end - base, getattr(self, side))

    @cached_property
    def order(self) -> np.ndarray:
        """The rows ordered by document, boundaries and labels, references before predictions."""
        (start, end), (other_start, other_end) = self.bounds("reference"), self.bounds("prediction")
        has_ref = self.reference >= 0
        first, last = np.where(has_ref, start, other_start), np.where(has_ref, end, other_end)
        keys = (self.prediction, self.reference, self.predicted_label, self.reference_label, ~has_ref, last, first)
        return np.lexsort((*keys, self.document))

    def to_arrow(self) -> pa.Table:
        """Convert the rows to an Arrow table in text order.

        The columns are `document` (from 0); `reference_start`, `reference_end` (exclusive, in tokens),
        `reference_label`, and the same with `predicted_`, null for none; `reference_fragments` and
        `predicted_fragments` (lists of boundaries) if there are discontinuous spans; `kind`; `boundary`, null for
        unmatched spans; the flags `split`, `merged` and `nested`.
        """
        columns: dict[str, Any] = {"document": arrow_array(self.document[self.order].astype(np.int32))}
        for side, name, label in (
            ("reference", "reference", self.reference_label),
            ("prediction", "predicted", self.predicted_label),
        ):
            span = getattr(self, side)[self.order]
            for bound, values in zip(("start", "end"), self.bounds(side), strict=True):
                columns[f"{name}_{bound}"] = arrow_array(values[self.order].astype(np.int32), span < 0)
            columns[f"{name}_label"] = strings(label[self.order], self.alignment.labels)
            if not self.alignment.contiguous:
                columns[f"{name}_fragments"] = self._fragments(side, span)
        columns["kind"] = strings(self.kind[self.order], KINDS)
        columns["boundary"] = strings(self.boundary[self.order], BOUNDARIES)
        for flag in MARKS:
            columns[flag] = arrow_array(getattr(self, flag)[self.order])
        return pa.table(columns)

    def to_frame(self) -> Any:
        """Convert the rows to a pandas data frame; numbers stay integers, with `<NA>` for nulls."""
        import pandas

        return self.to_arrow().to_pandas(types_mapper={pa.int32(): pandas.Int32Dtype()}.get)

    def _of_either(self, of_reference: np.ndarray, of_prediction: np.ndarray) -> np.ndarray:
        """Return the value of each row's reference span or, if it has none, of its predicted span."""
        return np.where(self.reference >= 0, _at(of_reference, self.reference), _at(of_prediction, self.prediction))

    def _fragments(self, side: str, chosen: np.ndarray) -> pa.Array:
        """Return the fragments of spans of a side as pairs of boundaries; null for index -1."""
        spans = self.alignment.sides[f"{side}s"]
        pieces = spans.pieces_by_span
        base = line_base(spans.label, spans.document, self.alignment.offsets)[pieces.span]
        bounds = np.stack([pieces.start - base, pieces.end - base], axis=1).ravel()
        pairs = as_lists(np.arange(0, len(bounds) + 1, 2), arrow_array(bounds))
        return as_lists(offsets_by(pieces.span, len(spans)), pairs).take(arrow_array(chosen, chosen < 0))


def _match(alignment: Alignment, min_overlap: float) -> tuple[np.ndarray, ...]:
    """Compute the columns of `MatchedSpans`.

    They do not refer to the alignment, which caches them, to avoid a reference cycle.
    """
    equal, equal_prediction = map(np.flatnonzero, alignment.equal)
    wrong, of_reference, of_prediction = across_labels(alignment, wrong=True)
    pairs = OverlappingSpans(wrong, min_overlap)
    numbers = pairs.exact.astype(np.int64), pairs.typed.astype(np.int64), np.ones(len(pairs.shared), dtype=np.int64)
    levels, document = [*numbers, pairs.shared, -pairs.distance], wrong.references.document[pairs.reference]
    chosen = np.flatnonzero(lexicographic_matching(pairs.reference, pairs.prediction, levels, document))
    first, second = pairs.reference[chosen], pairs.prediction[chosen]
    sides, taken = (wrong.references, wrong.predictions), (first, second)
    alone, invented = (np.delete(np.arange(len(side)), spans) for side, spans in zip(sides, taken, strict=True))
    missing, spurious = (np.full(len(spans), -1) for spans in (alone, invented))
    split, meets_split = _several(pairs.reference, pairs.prediction, len(wrong.references), len(wrong.predictions))
    merged, meets_merged = _several(pairs.prediction, pairs.reference, len(wrong.predictions), len(wrong.references))
    exact, inside, around, typed = (flags[chosen] for flags in (pairs.exact, pairs.inside, pairs.around, pairs.typed))
    kind = np.where(exact, WRONG_LABEL, np.where(typed, WRONG_BOUNDARY, WRONG_LABEL_AND_BOUNDARY))
    boundary = np.where(exact, 0, np.where(inside, 1, np.where(around, 2, 3)))
    correct = np.zeros(len(equal), dtype=np.int8)
    flags = correct.astype(bool)
    return (
        np.concatenate([equal, of_reference[first], of_reference[alone], spurious]),
        np.concatenate([equal_prediction, of_prediction[second], missing, of_prediction[invented]]),
        np.concatenate([correct, kind, MISSING + 1 + missing, SPURIOUS + 1 + spurious]).astype(np.int8),
        np.concatenate([correct, boundary, missing, spurious]).astype(np.int8),
        np.concatenate([flags, split[first], split[alone], meets_split[invented]]),
        np.concatenate([flags, merged[second], meets_merged[alone], merged[invented]]),
    )


class OverlappingSpans:
    """The pairs of spans, with any labels, that overlap enough.

    Attributes:
        reference, prediction: the two spans of each pair, in text order.
        shared: the number of shared tokens.
        inside, around: whether the predicted span lies inside the reference span, or the reverse.
        exact: whether both spans have the same tokens.
        typed: whether the labels are equal.
        distance: the total distance of the boundaries.

    Args:
        alignment: an alignment without labels.
        min_overlap: the proportion of the reference span that the predicted span must cover.
    """

    def __init__(self, alignment: Alignment, min_overlap: float) -> None:
        references, predictions, pairs = alignment.references, alignment.predictions, alignment.pairs
        kept = pairs.shared / references.size[pairs.reference] >= min_overlap
        reference, prediction, shared = pairs.reference[kept], pairs.prediction[kept], pairs.shared[kept]
        self.reference, self.prediction, self.shared = reference, prediction, shared
        self.inside = shared == predictions.size[prediction]
        self.around = shared == references.size[reference]
        self.exact = self.inside & self.around
        self.typed = references.label[reference] == predictions.label[prediction]
        self.distance = np.abs(references.start[reference] - predictions.start[prediction])
        self.distance += np.abs(references.end[reference] - predictions.end[prediction])


def _several(span: np.ndarray, partner: np.ndarray, spans: int, partners: int) -> tuple[np.ndarray, np.ndarray]:
    """Flag spans that overlap several spans of the other side, and the other side's spans that overlap these."""
    several = np.bincount(span, minlength=spans) > 1
    meets = np.zeros(partners, dtype=bool)
    meets[partner[several[span]]] = True
    return several, meets


def _inside_another(side: SideSpans, alignment: Alignment) -> np.ndarray:
    """Flag the spans that lie inside another span of their side, unless the boundaries are the same."""
    base = side.label.astype(np.int64) * alignment.stride
    start, end = side.start - base, side.end - base
    order = np.lexsort((-end, start))
    start, end = start[order], end[order]
    fresh = begins_run(start, end)
    # the furthest end of the spans before the run of spans with the same boundaries
    reach = np.append(0, np.maximum.accumulate(end)[:-1])[np.flatnonzero(fresh)][np.cumsum(fresh) - 1]
    inside = np.empty(len(order), dtype=bool)
    inside[order] = end <= reach
    return inside


def _at(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Select values as int64; the index -1 gives -1."""
    return np.asarray(np.append(values.astype(np.int64), -1)[chosen])
