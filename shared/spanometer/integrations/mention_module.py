"""Metric modules for measures of mentions: labels and strings without positions."""

from collections.abc import Mapping
from typing import ClassVar

import pyarrow as pa

from ..spans.mentions import MENTION_TYPE, MENTIONS, Mentions
from .module import Card, Configuration, MeasureModule

__all__ = ["Card", "MentionModule"]


class MentionModule(MeasureModule):
    """A metric module for a measure of mentions. Inputs are pairs or dicts."""

    configurations: ClassVar[Mapping[str, Configuration]] = {
        "mentions": Configuration(
            'a list with one entry for each occurrence of a mention: `[label, text]` or `{"label": str, "text": str}`. '
            "Other keys are ignored",
            pa.list_(MENTION_TYPE),
            MENTIONS.arrays,
            read=Mentions.from_arrow,
        )
    }
