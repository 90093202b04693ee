"""The signature: a line beside the score that says how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..counts.resampling import Resampling
from ..version import __version__
from .base import Measure


def signature(measure: Measure, reading: Mapping[str, Any], resampling: Resampling | None = None) -> str:
    """Every option that can change the number, defaults too, in fixed order, the version last.

    For example `link_f|scheme:IOB2|repair:conlleval|average:micro|zero_division:0|v:0.1.0`.

    Args:
        measure: the measure with its options.
        reading: how the input was read: `scheme` and `repair` for tags, `input` for spans and fragments.
        resampling: how intervals were made, where there are any.
    """
    intervals = {} if resampling is None else resampling.options()
    options = {**reading, **measure.options(), **intervals, "v": __version__}
    return "|".join([measure.name, *(f"{name}:{_written(value)}" for name, value in options.items())])


def _written(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    # repr gives the shortest digits that are the number; to add 0 takes the sign from -0.0
    return repr(float(value) + 0.0).removesuffix(".0") if isinstance(value, (int, float, np.number)) else str(value)
