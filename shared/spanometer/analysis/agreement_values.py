"""The values of agreement: those of pairs, their means, and those of all annotators jointly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import plain
from ..measures.gamma import Gamma
from ..measures.unitizing_alpha import UnitizingAlpha
from .agreement_chance import Simulated

KEYS = ("f1", "chance_f1", "kappa_f1")
"""The values of pairs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementValues:
    """Agreement over the whole corpus, or in one label.

    Pairs of annotators have matrices of shape (annotators, annotators), symmetric. In one label they are NaN if
    neither of the two has any span of it.

    Attributes:
        f1: observed F1; 1 on the diagonal.
        chance_f1: F1 expected of random placement; on the diagonal that of two annotators who both have this one's
            numbers and lengths of spans.
        kappa_f1: F1 corrected for chance; 1 on the diagonal.
        team_kappa_f1: the kappa of the team: `mean_f1` corrected for `mean_chance_f1`, see `agreement`.
        alpha: unitizing alpha of all annotators jointly; NaN if it was left out.
        observed_disagreement, expected_disagreement: the two parts of alpha.
        spans: how many spans each annotator has, shape (annotators).
        gamma, gamma_cat: of all annotators jointly, see `measures.Gamma`; in one label gamma_cat is gamma-k; NaN unless
            asked for.
        observed_disorder, expected_disorder: the two parts of gamma.
        intervals: the lower and the upper bounds of confidence intervals, by the names of the values: of the means, of
            alpha and of gamma shape (2), of pairs (2, annotators, annotators), NaN on the diagonal; empty unless asked
            for.
        simulated: values of annotations by chance beside the observed ones, with p-values: `f1` of pairs, `mean_f1`,
            `mean_kappa_f1`, `alpha` and `gamma`; empty unless asked for.
    """

    f1: np.ndarray
    chance_f1: np.ndarray
    kappa_f1: np.ndarray
    team_kappa_f1: float
    alpha: float
    observed_disagreement: float
    expected_disagreement: float
    spans: np.ndarray
    gamma: float = math.nan
    gamma_cat: float = math.nan
    observed_disorder: float = math.nan
    expected_disorder: float = math.nan
    intervals: Mapping[str, np.ndarray] = field(default_factory=dict)
    simulated: Mapping[str, Simulated] = field(default_factory=dict)

    @property
    def mean_f1(self) -> float:
        """The unweighted mean of observed F1 over the pairs of annotators; pairs without a value (NaN) left out."""
        return mean_of_pairs(self.f1)

    @property
    def mean_chance_f1(self) -> float:
        """The same mean of the chance level."""
        return mean_of_pairs(self.chance_f1)

    @property
    def mean_kappa_f1(self) -> float:
        """The same mean of F1 corrected for chance."""
        return mean_of_pairs(self.kappa_f1)

    @property
    def has_gamma(self) -> bool:
        """Return whether gamma was computed."""
        return not math.isnan(self.expected_disorder)

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        joint = (*UnitizingAlpha.keys, *(Gamma.keys if self.has_gamma else ()))
        names = (*(f"mean_{key}" for key in KEYS), "team_kappa_f1", *joint, *KEYS, "spans")
        values = {name: plain(getattr(self, name)) for name in names}
        simulated = {key: plain(one.to_dict()) for key, one in self.simulated.items()}
        more = {"intervals": plain(dict(self.intervals)), "simulated": simulated}
        return {**values, **{key: found for key, found in more.items() if found}}

    def interval(self, key: str, *pair: int) -> tuple[float, float] | None:
        """Return the bounds of a value, of a pair of annotators if it is one of pairs; None if there are none."""
        if key not in self.intervals:
            return None
        low, high = (float(bound[pair]) for bound in self.intervals[key])
        return None if math.isnan(low) else (low, high)


def mean_of_pairs(matrix: np.ndarray) -> float:
    """Return the mean of a symmetric matrix without its diagonal, without NaN; NaN if that is all."""
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    known = pairs[~np.isnan(pairs)]
    return float(known.mean()) if len(known) else math.nan
