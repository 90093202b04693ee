"""ETER over the weight of the components, from types and bounds alone to components alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import ordered
from ..errors import InputError, require_kind
from ..measures.eter import Eter
from ..spans.entities import Entities

ALPHAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The weights of Figure 6 of the paper."""


@dataclass(frozen=True, eq=False)
class AlphaSweep:
    """The rates of each system at each weight.

    Attributes:
        alphas: the weights, float64.
        rates: for each system its ETER at each of them, float64; in [0, ∞), lower is better.
    """

    alphas: np.ndarray
    rates: Mapping[str, np.ndarray]


def alpha_sweep(
    references: Entities, systems: Mapping[str, Entities], *, alphas: Sequence[float] = ALPHAS, **options: Any
) -> AlphaSweep:
    """Compute ETER of one or more systems at each weight alpha of the components (Figure 6 of Ben Jannet et al.).

    The entities are aligned anew for each weight, for it decides which alignment is cheapest. ETER is therefore no
    straight line over alpha, but concave: the least of the straight lines that the alignments have. (That holds for
    `average="micro"`; the other averages are means over labels of what one alignment gives each.)

    Args:
        references: the reference.
        systems: each system's output, by name.
        alphas: the weights, in [0, 1].
        **options: the other options of `Eter`.

    Raises:
        InputError: for weights and costs out of range, for no weights or no systems, and if a system does not have
            the documents of the reference.
    """
    alphas = ordered(alphas, "a list of weights", "Give numbers, alphas=[0.0, 0.5, 1.0].")
    require_kind(systems, Mapping, "a mapping of systems", "Give each output by the name of its system.")
    if len(alphas) == 0 or not systems:
        missing = "weights" if systems else "systems"
        raise InputError(f"there are no {missing}.", "Give at least one.")
    measure = Eter(**options)
    measures = [replace(measure, alpha=alpha) for alpha in alphas]
    rates = {}
    for name, system in systems.items():
        counted = zip(measures, measure.counts_at(alphas, references, system), strict=True)
        rates[name] = np.array([at_alpha.score(counts)["eter"] for at_alpha, counts in counted])
    return AlphaSweep(np.array(alphas, dtype=float), rates)
