"""The measures, one file each."""

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

MEASURES: dict[str, type[AlignedMeasure]] = {
    measure.name: measure
    for measure in (SpanF, TokenF, LinkF, Bcubed, IntersectionF, SlIcm, ChanceKappaF1, UnitizingAlpha)
}
"""The measures of spans by name."""

__all__ = [
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
]
