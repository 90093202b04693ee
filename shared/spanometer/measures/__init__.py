"""The measures, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import stored
from .base import AlignedMeasure, FMeasure, Measure
from .bcubed import Bcubed
from .chance_kappa_f1 import ChanceKappaF1
from .eter import Eter
from .intersection_f import IntersectionF
from .link_f import LinkF
from .sl_icm import SlIcm
from .span_attribute import SpanAttribute
from .span_f import SpanF
from .token_f import TokenF
from .unitizing_alpha import UnitizingAlpha

if TYPE_CHECKING:
    import pyarrow as pa

    from ..counts.counts import Counts

MEASURES: dict[str, type[AlignedMeasure]] = {
    measure.name: measure
    for measure in (SpanF, TokenF, LinkF, Bcubed, IntersectionF, SlIcm, ChanceKappaF1, UnitizingAlpha)
}
"""The measures of spans by name."""

ALL_MEASURES: dict[str, type[Measure]] = {**MEASURES, Eter.name: Eter, SpanAttribute.name: SpanAttribute}
"""All measures by name, also those of entity trees and of attributes."""


def read_counts(counts: pa.Table | bytes, *, measure: Measure | None = None) -> Counts:
    """Counts from what `counts.to_arrow()` or `counts.to_bytes()` made, with their measure.

    Args:
        counts: the table or the bytes.
        measure: the measure that was counted; None makes it from the options that are stored.

    Raises:
        InputError: where these are no counts, or of another measure, and where a measure cannot be made from its
            options: words' probabilities, and what `SpanAttribute` is asked for, are not stored.
    """
    return stored.read_counts(counts, ALL_MEASURES, measure)


__all__ = [
    "ALL_MEASURES",
    "MEASURES",
    "AlignedMeasure",
    "Bcubed",
    "ChanceKappaF1",
    "Eter",
    "FMeasure",
    "IntersectionF",
    "LinkF",
    "Measure",
    "SlIcm",
    "SpanAttribute",
    "SpanF",
    "TokenF",
    "UnitizingAlpha",
    "read_counts",
]
