"""Annotators: their names, and the counts and differences of their pairs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...alignment.matched_spans import CORRECT, MatchedSpans
from ...alignment.overlaps import Alignment, order_of_line
from ...alignment.places import Places
from ...arrays import ordered
from ...counts.counts import Counts
from ...counts.statistics import divide
from ...documents.sides import ANNOTATOR
from ...exceptions import InputError, counted, require_kind
from ...spans.annotations import named_sides
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts
from ..errors.kinds import confused_pairs, matrix_table
from ..scores.measure_result import count_measures


def named_annotators(annotations: Sequence[Any] | Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """Return annotations by the names that errors use for their annotators.

    Args:
        annotations: the annotations of each annotator; a mapping also gives their names.
        names: the annotators' names, by default `1`, `2`, `3` ...

    Raises:
        InputError: if there are fewer than two annotators, or if names are not strings, not distinct or too many or
            few.
    """
    one_each, remedy = "Give each annotator one name.", "Pass a list with the annotations of each annotator."
    if isinstance(annotations, Mapping):
        if names is not None:
            problem = "the annotators already have names: the keys of the mapping."
            raise InputError(problem, "Leave out names=..., or pass the annotations as a list.")
        names, annotations = list(annotations), list(annotations.values())
    annotations = ordered(annotations, "a list of annotations", remedy)
    numbers = map(str, range(1, len(annotations) + 1))
    names = list(numbers) if names is None else ordered(names, "a list of names", one_each, option="names")
    if len(names) != len(annotations):
        raise InputError(f"got {counted(len(names), 'name')} for {counted(len(annotations), 'annotator')}.", one_each)
    if len(annotations) < 2:
        raise InputError(f"agreement needs at least two annotators, got {len(annotations)}.", remedy)
    for name in names:
        require_kind(name, str, "a name", "Give each annotator a name, as a string.", option="names")
    named = {f"{ANNOTATOR}{name}": annotation for name, annotation in zip(names, annotations, strict=True)}
    if len(named) < len(annotations):
        raise InputError("two annotators have the same name.", "Give each annotator a different name.")
    return named


def count_pair(
    sides: Mapping[str, Spans], pair: tuple[int, int], measures: Sequence[Any], *, per_document: bool
) -> list[Counts]:
    """Compute the counts of two sides, given by their positions, for each measure; errors name them."""
    (first, references), (second, predictions) = (list(sides.items())[place] for place in pair)
    with named_sides({"references": first, "predictions": second}):
        return count_measures(references, predictions, measures, per_document=per_document)


def mean_over_pairs(values: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
    """Compute the mean of the chosen values (by default all but NaN) over the last axis, the pairs; NaN if none is."""
    chosen = ~np.isnan(values) if chosen is None else chosen
    return divide(np.where(chosen, values, 0.0).sum(axis=-1), chosen.sum(axis=-1), np.nan)


def matrices_of(values: np.ndarray, annotators: int, diagonal: float) -> np.ndarray:
    """Arrange values of pairs, shape (..., pairs), in symmetric matrices, shape (..., annotators, annotators)."""
    matrices = np.full((*values.shape[:-1], annotators, annotators), diagonal)
    upper = np.triu_indices(annotators, 1)
    matrices[..., *upper] = matrices[..., *upper[::-1]] = values
    return matrices


DIFFERENCES = {
    "other label": "their overlapping spans have different labels",
    "other boundary": "their overlapping spans have different boundaries",
    "split": "one annotator has several spans where the other has one: split or merged",
    "only one": "one annotator has a span there, and the other has none",
}
"""The kinds of differences between two annotators, with explanations."""

_MISSING = "nothing"
"""The name of the last row and column of a matrix of labels, for spans without a partner."""


class LabelConfusion(Result, kw_only=False):
    """The labels that pairs of annotators confuse; no annotator is the reference.

    Attributes:
        labels: the labels of all annotators.
        counts: int64, shape (labels + 1, labels + 1), symmetric. Each cell is the number of matched pairs of spans with
            the row's label and the column's label, over all pairs of annotators. The last row and column count spans
            without a partner.
    """

    labels: tuple[str, ...]
    counts: np.ndarray

    def confused(self) -> list[tuple[str, str, int, float]]:
        """List confused labels, the most frequent first: both labels, the number of pairs of spans, and a proportion.

        The proportion is the number of pairs with both labels, divided by the number of all pairs with only these
        labels.
        """
        rows, columns, times = confused_pairs(np.triu(self.counts))
        same = self.counts.diagonal()
        shares = times / (times + same[rows] + same[columns])
        pairs = zip(*(each.tolist() for each in (rows, columns, times, shares)), strict=True)
        return [(self.labels[row], self.labels[column], number, share) for row, column, number, share in pairs]

    def parts(self) -> Iterator[Part]:
        """Yield the table of confused labels."""
        yield self.table()

    def tables(self) -> list[Table]:
        """Return the table of confused labels, and the matrix."""
        return [self.table(), self.matrix()]

    def table(self, most: int | None = None) -> Table:
        """Return a table of confused labels, the most frequent first."""
        rows = [((label, "cyan"), *values) for label, *values in self.confused()[:most]]
        columns = [*amounts(other_label="other label", times="times"), TableColumn("share", kind="share")]
        return Table.of("label", columns, rows, left=2, kind="confused")

    def matrix(self) -> Table:
        """Return a table of the counts, with a row and a column for each label."""
        # a label may have the name of another column
        names = [*(repr(name) if name in ("label", _MISSING) else name for name in self.labels), _MISSING]
        return matrix_table("label", names, names, self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {"labels": list(self.labels), "counts": self.counts.tolist(), "confused": self.table().records()}


def pair_differences(places: Places, sides: Sequence[Spans]) -> tuple[np.ndarray, LabelConfusion]:
    """Match the spans of each pair of annotators, and count their differences.

    A difference is a pair of unequal overlapping spans, or a span without a partner, as matched by `MatchedSpans`. It
    can be both of the kind `label` and of `boundary` or `split`.

    Args:
        places: the places where they differ.
        sides: the spans of each annotator, with common labels.

    Returns:
        The number of differences of each kind at each place, over all pairs of annotators, int64, shape (places,
        kinds), see `DIFFERENCES`; and the confused labels.

    Raises:
        InputError: see `MatchedSpans`.
    """
    labels = sides[0].labels
    size = len(labels) + 1
    kinds = np.zeros((len(places), len(DIFFERENCES)), dtype=np.int64)
    counts = np.zeros((size, size), dtype=np.int64)
    # a span without a partner has the index -1 on the other side
    held = zip(places.held.T, sides, strict=True)
    numbers = [np.append(np.flatnonzero(of_side)[order_of_line(side)], -1) for of_side, side in held]
    for first, second in combinations(range(len(sides)), 2):
        matched = MatchedSpans(Alignment(sides[first], sides[second]))
        np.add.at(counts, (matched.reference_label % size, matched.predicted_label % size), 1)
        wrong = np.flatnonzero(matched.kind != CORRECT)
        reference, prediction = matched.reference[wrong], matched.prediction[wrong]
        span = np.where(reference >= 0, numbers[first][reference], numbers[second][prediction])
        for code, flags in enumerate(_kinds(matched, wrong)):
            kinds[:, code] += np.bincount(places.place[span][flags], minlength=len(places))
    both = counts + counts.T
    np.fill_diagonal(both, np.diag(counts))
    return kinds, LabelConfusion(labels, both)


def _kinds(matched: MatchedSpans, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Flag incorrect rows by kind, in the order of `DIFFERENCES`.

    The kind `split` is given to spans that `MatchedSpans` marks as split or merged. Exceptions are pairs with the same
    boundaries, and spans without a partner inside another span of the same annotator.
    """
    alone = (matched.reference[rows] < 0) | (matched.prediction[rows] < 0)
    same = matched.boundary[rows] == 0
    split = (matched.split | matched.merged)[rows] & np.where(alone, ~matched.nested[rows], ~same)
    label = ~alone & (matched.reference_label != matched.predicted_label)[rows]
    return label, ~alone & ~same & ~split, split, alone & ~split


def place_costs(places: Places, level: str) -> np.ndarray:
    """Compute the cost of each place in mean F1 of pairs of annotators, float64, shape (places).

    F1 of two annotators with a and b spans (or tokens) is 2 both / (a + b). So 1 - F1 = apart / (a + b), where `apart`
    counts the spans (or tokens) that only one of the two has. This is a sum over places:

        cost(place) = mean over pairs of apart(place) / (a + b).

    If everything at the place had a partner and all sizes stayed the same, the mean F1 would rise by the cost. The
    costs of all places add up to 1 - mean F1. A cost in spans is in (0, 1]. A cost in tokens is 0 if all annotators
    have the same tokens of each label, for example if only some split a span.

    Args:
        places: the places.
        level: `span` counts equal spans, as `span_f` does. `token` counts tokens that both have in spans of the same
            label; a token in several such spans of an annotator counts once.
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
    # each pair counts once: one annotator has it and the other does not
    cost = ((held @ weights) * ~held).sum(axis=1) * size
    return np.bincount(place[disputed], weights=cost, minlength=len(places))


def _stretches(places: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Divide the tokens of each label at the boundaries of all spans; returns voters, size and place of each interval.

    An interval that all annotators have, or no annotator has, gets the place -1.
    """
    spans, stride = places.spans, int(places.offsets[-1])
    span, start, end = spans.pieces()
    base = spans.label.astype(np.int64)[span] * stride + places.offsets[spans.document[span]]
    bounds, place_of = np.unique(np.concatenate([start + base, end + base]), return_inverse=True)
    depth = np.zeros((len(bounds), places.annotators), dtype=np.int64)
    begun = places.held[span].astype(np.int64)
    np.add.at(depth, place_of.ravel(), np.concatenate([begun, -begun]))
    held = np.cumsum(depth, axis=0) > 0
    size = np.append(np.diff(bounds), 0)[: len(bounds)]
    differs = held.any(axis=1) & ~held.all(axis=1)
    place = np.full(len(bounds), -1)
    stretch = np.searchsorted(places.stretches.start, bounds[differs] % max(stride, 1), side="right") - 1
    place[differs] = places.stretches.span[stretch]
    return held, size, place
