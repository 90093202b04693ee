"""Metric modules for measures of attributes of spans."""

from collections.abc import Mapping
from typing import ClassVar

import pyarrow as pa

from ..spans.attributes import ATTRIBUTED, ATTRIBUTED_SPAN_TYPE, Attributes
from .module import Card, Configuration, MeasureModule, Options

__all__ = ["AttributeModule", "Card"]


class AttributeModule(MeasureModule):
    """A metric module for a measure of span attributes; results are grouped by attribute."""

    configurations: ClassVar[Mapping[str, Configuration]] = {
        "spans": Configuration(
            'a list of `{"start": int, "end": int, "label": str, "attributes": {name: value}}`, with offsets in tokens '
            "and exclusive ends. Predictions and references have the same spans. A value is bool, int, float, str, "
            'None or a list of these. Optionally, `"scores": {name: number}` says how certain the values are',
            pa.list_(ATTRIBUTED_SPAN_TYPE),
            ATTRIBUTED.arrays,
            read=Attributes.from_arrow,
        )
    }

    def _require_options(self, options: Options) -> None:
        super()._require_options(options)
        if options.get("details", False):
            self._require_free_keys([options.get("micro_key"), *(options.get("attributes") or ())])
