"""Difficulty by chance: documents apart by what random placement of their spans would score.

    parts = by_chance(references, predictions, (0.175,), [ChanceKappaF1()])
    parts["chance below 0.175"].results[0].scores["kappa_f1"]

In a short sentence full of names much is found by chance, in a long one with a single name hardly anything. Table 10 of
'Estimating Agreement by Chance for Sequence Annotation' parts a corpus so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...counts.statistics import Resampling
from ...exceptions import InputError, mention, require_sides, shown
from ...measures.aligned import AlignedMeasure
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.registry import MEASURES, read_measures
from ...spans.spans import Spans
from .report import Report


def chance_levels(references: Spans, measure: ChanceKappaF1 | None = None) -> np.ndarray:
    """Compute the chance level of each document: F1 by chance of the reference against itself.

    Args:
        references: the reference; the documents' lengths must be known.
        measure: the level, placement and method; by default tokens, disjoint and exact.

    Returns:
        float64 of shape (documents), in [0, 1] under the placement `disjoint`; NaN for documents without spans.

    Raises:
        InputError: as `ChanceKappaF1` does.
    """
    chance = replace(measure or ChanceKappaF1(), n_simulations=0)
    return chance.document_scores(chance.counts(references, references))["chance_f1"]


def by_chance(
    references: Spans,
    predictions: Spans,
    bounds: Sequence[float],
    measures: Sequence[AlignedMeasure],
    reading: Mapping[str, Any] | None = None,
    resampling: Resampling | None = None,
) -> dict[str, Report]:
    """Score the documents below, between and above bounds of their chance level, see `chance_levels`.

    Documents whose reference has no spans have no chance level and are in no part. Of several measures
    `ChanceKappaF1` says by its options how chance is computed.

    Args:
        references, predictions: both sides.
        bounds: where parts begin, ascending, each between 0 and 1.
        measures: what the parts are scored by.
        reading: how the input was read, for the signatures, which name the part too.
        resampling: how to make confidence intervals; None makes none.

    Returns:
        A report for each part, by its name in words, lowest chance first.

    Raises:
        InputError: for bounds that are not ascending numbers between 0 and 1, and as the measures do.
    """
    require_sides(Spans, references, predictions)
    named = read_measures(measures, MEASURES)
    parts = {}
    for (low, high), (name, documents) in parts_by_chance(references, bounds, chance_measure(named)).items():
        how = {**(reading or {}), "chance": f"{low:g}-{high:g}"}
        sides = references.take(documents), predictions.take(documents)
        parts[name] = Report.of(*sides, named, how, resampling=resampling)
    return parts


def chance_measure(measures: Mapping[str, Any]) -> ChanceKappaF1:
    """Choose the measure that says how chance is computed: one of these, or the measure with its defaults."""
    return next((each for each in measures.values() if isinstance(each, ChanceKappaF1)), ChanceKappaF1())


def parts_by_chance(
    references: Spans, bounds: Sequence[float], measure: ChanceKappaF1
) -> dict[tuple[float, float], tuple[str, np.ndarray]]:
    """Find the name in words and the documents of each part, by the bounds of its chance level."""
    levels = chance_levels(references, measure)
    parts = {}
    for low, high in pairwise((0.0, *read_bounds(bounds), math.inf)):
        name = f"chance {low:g} or more" if high == math.inf else f"chance from {low:g} to below {high:g}"
        documents = np.flatnonzero((levels >= low) & (levels < high))
        parts[low, high] = (f"chance below {high:g}" if low == 0 else name), documents
    return parts


def read_bounds(value: Any) -> tuple[float, ...]:
    """Read bounds of chance levels from numbers, or from a text with commas between.

    Raises:
        InputError: unless they are ascending numbers between 0 and 1.
    """
    try:
        bounds = tuple(float(bound) for bound in (value.split(",") if isinstance(value, str) else value))
    except Exception:
        # anybody's object fails in its own way
        bounds = ()
    if not bounds or not all(low < high for low, high in pairwise((0.0, *bounds, 1.0))):
        raise InputError(
            f"invalid value for {mention('by_chance')}: {shown(value)}.",
            "Use a number between 0 and 1, such as 0.175, or several, ascending.",
            option="by_chance",
        )
    return bounds
