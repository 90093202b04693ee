"""Annotators: their names, the counts of pairs, and matrices of values of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import ordered
from ...counts.counts import Counts
from ...counts.statistics import divide
from ...exceptions import InputError, counted, require_kind
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...spans.annotations import named_sides
from ...spans.spans import Spans
from ..scores.measure_result import count_measures

ANNOTATOR = "annotator "
"""The prefix of annotators' names in errors."""


def named_annotators(annotations: Sequence[Any] | Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """Return annotations by the names that errors use for their annotators.

    Args:
        annotations: the annotations of each annotator; a mapping also gives their names.
        names: the annotators' names, by default `1`, `2`, `3` ...

    Raises:
        InputError: if there are fewer than two annotators, or if names are not strings, not distinct or too many or
            few.
    """
    if isinstance(annotations, Mapping):
        if names is not None:
            raise InputError("the annotators have names already.", "Leave out names=..., or pass a list.")
        names, annotations = list(annotations), list(annotations.values())
    remedy = "Pass a list with the annotations of each annotator."
    annotations = ordered(annotations, "a list of annotations", remedy)
    if names is None:
        names = [str(number) for number in range(1, len(annotations) + 1)]
    names = ordered(names, "a list of names", "Give each annotator one name.", option="names")
    if len(names) != len(annotations):
        raise InputError(
            f"got {counted(len(names), 'name')} for {counted(len(annotations), 'annotator')}.",
            "Give each annotator one name.",
        )
    if len(annotations) < 2:
        raise InputError(f"agreement needs at least two annotators, got {len(annotations)}.", remedy)
    for name in names:
        require_kind(name, str, "a name", "Give each annotator a name, as a string.", option="names")
    named = {f"{ANNOTATOR}{name}": annotation for name, annotation in zip(names, annotations, strict=True)}
    if len(named) < len(annotations):
        raise InputError("two annotators have the same name.", "Give each annotator a different name.")
    return named


def count_pair(
    annotated: Mapping[str, Spans], pair: tuple[int, int], measure: ChanceKappaF1, *, per_document: bool
) -> Counts:
    """Compute the counts of two annotators, given by their positions; errors name them."""
    first, second = (list(annotated)[place] for place in pair)
    with named_sides({"references": first, "predictions": second}):
        (counts,) = count_measures(annotated[first], annotated[second], [measure], per_document=per_document)
    return counts


def mean_over_pairs(values: np.ndarray, defined: np.ndarray) -> np.ndarray:
    """Compute the mean of the flagged values over the last axis (the pairs); NaN if none is flagged."""
    return divide(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1), np.nan)


def matrices_of(values: np.ndarray, annotators: int, diagonal: float) -> np.ndarray:
    """Arrange values of pairs, shape (..., pairs), in symmetric matrices, shape (..., annotators, annotators)."""
    matrices = np.full((*values.shape[:-1], annotators, annotators), diagonal)
    upper = np.triu_indices(annotators, 1)
    matrices[..., *upper] = matrices[..., *upper[::-1]] = values
    return matrices
