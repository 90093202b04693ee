"""Difficulty by chance: documents grouped by the score that randomly placed spans would get.

    parts = by_chance(references, predictions, (0.175,), [ChanceKappaF1()])
    parts["chance below 0.175"].results[0].scores["kappa_f1"]

Random spans match many names in a short sentence full of names, and hardly any in a long sentence with one name.
Table 10 of 'Estimating Agreement by Chance for Sequence Annotation' groups a corpus in this way.
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
        references: the reference; document lengths must be known.
        measure: the measure whose level, placement and method are used; by default `token`, `disjoint` and `exact`.

    Returns:
        float64 of shape (documents), in [0, 1] with the placement `disjoint`; NaN for documents without spans.

    Raises:
        InputError: see `ChanceKappaF1`.
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
    """Group documents by their chance level (see `chance_levels`), and score each group.

    A document without reference spans has no chance level and is in no group. If `measures` has a `ChanceKappaF1`, its
    options say how the chance level is computed.

    Args:
        references, predictions: both sides.
        bounds: the chance levels between the groups, ascending, each between 0 and 1.
        measures: the measures.
        reading: how the input was read, for the signatures. The signatures also name the group.
        resampling: how confidence intervals are computed; None computes no intervals.

    Returns:
        A report for each group, by its name in words, lowest chance first.

    Raises:
        InputError: if bounds are not ascending numbers between 0 and 1, or if a measure is undefined.
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
    """Return the `ChanceKappaF1` among the measures, or one with default options."""
    return next((each for each in measures.values() if isinstance(each, ChanceKappaF1)), ChanceKappaF1())


def parts_by_chance(
    references: Spans, bounds: Sequence[float], measure: ChanceKappaF1
) -> dict[tuple[float, float], tuple[str, np.ndarray]]:
    """Group documents by their chance level; returns the name and the documents of each group, by its bounds."""
    levels = chance_levels(references, measure)
    parts = {}
    for low, high in pairwise((0.0, *read_bounds(bounds), math.inf)):
        name = f"chance {low:g} or more" if high == math.inf else f"chance from {low:g} to below {high:g}"
        documents = np.flatnonzero((levels >= low) & (levels < high))
        parts[low, high] = (f"chance below {high:g}" if low == 0 else name), documents
    return parts


def read_bounds(value: Any) -> tuple[float, ...]:
    """Read bounds of chance levels from numbers, or from text with numbers separated by commas.

    Raises:
        InputError: unless they are ascending numbers between 0 and 1.
    """
    try:
        bounds = tuple(float(bound) for bound in (value.split(",") if isinstance(value, str) else value))
    except Exception:
        # any object may come here, and raise any error
        bounds = ()
    if not bounds or not all(low < high for low, high in pairwise((0.0, *bounds, 1.0))):
        raise InputError(
            f"invalid value for {mention('by_chance')}: {shown(value)}.",
            "Use a number between 0 and 1, such as 0.175, or several in ascending order.",
            option="by_chance",
        )
    return bounds
