"""The drop-in for the seqeval module of `evaluate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..counts.counts import Counts
from ..measures.seqeval import Seqeval
from .module import Card, Column, Configuration, MeasureModule, Options, Reading
from .span_module import TAGS

__all__ = ["Card", "SeqevalModule"]


class SeqevalModule(MeasureModule):
    """A metric module with the inputs, options and results of seqeval."""

    configurations: ClassVar[Mapping[str, Configuration]] = {"tags": TAGS}

    def _count(
        self, measure: Seqeval, references: Column, predictions: Column, options: Options
    ) -> tuple[Counts, Reading]:
        return measure.read(references, predictions)
