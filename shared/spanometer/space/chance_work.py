"""How much chance a page computes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..alignment.overlaps import Alignment
from ..exceptions import InputError, counted, setting
from ..measures.chance_kappa_f1 import ChanceKappaF1

MAX_CHANCE_WORK = 30_000_000
"""How much exact chance a page computes, see `ChanceKappaF1.work`: some two seconds, and as long for a chart."""

_MAX_SIMULATED = 20_000_000
"""How many simulated tokens (tokens times simulations) a page draws."""


def require_little_work(measure: ChanceKappaF1, alignments: Iterable[Alignment]) -> None:
    """Raise an `InputError` if chance would take too long, for the pairs of sides together."""
    needed = 0.0
    for alignment in alignments:
        tokens = int(alignment.offsets[-1])
        needed += measure.work(alignment)
        if needed > MAX_CHANCE_WORK:
            longest = int(np.diff(alignment.offsets).max())
            raise InputError(
                f"exact chance would take {needed / MAX_CHANCE_WORK:,.1f} times the work that a page does; the longest "
                f"sentence has {counted(longest, 'token')}.",
                f"Put blank lines between sentences, set {setting('method', 'uniform')}, or score it on your own "
                "machine.",
            )
        if tokens * measure.n_simulations > _MAX_SIMULATED:
            raise InputError(
                f"{measure.n_simulations} simulated annotations of {tokens:,} tokens are too many for this page.",
                f"Set {setting('n_simulations', _MAX_SIMULATED // tokens)} or less.",
            )
