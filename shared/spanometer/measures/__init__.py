"""The measures, one file each."""

from .base import FMeasure, Measure
from .bcubed import Bcubed
from .intersection_f import IntersectionF
from .link_f import LinkF
from .sl_icm import SlIcm
from .span_f import SpanF
from .token_f import TokenF

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure for measure in (SpanF, TokenF, LinkF, Bcubed, IntersectionF, SlIcm)
}
"""The measures by name."""

__all__ = ["MEASURES", "Bcubed", "FMeasure", "IntersectionF", "LinkF", "Measure", "SlIcm", "SpanF", "TokenF"]
