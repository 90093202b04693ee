"""How many errors of each kind a system makes, at which labels, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...alignment.matched_spans import KINDS, MatchedSpans
from ...counts.statistics import Resampling
from ...exceptions import require_choice
from ...measures.aligned import AlignedMeasure
from .confusion import EXTENT_CHOICES, Confusion
from .costs import Costs, costs


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErrorKinds:
    """The kinds of errors of one system, as numbers.

    Attributes:
        name: of the system; empty if there is only one.
        matched: which predicted span stands for which reference span, and what each is; a row for each pair and for
            each span that is alone, also as Arrow table and data frame.
        measure: what errors cost is told in its headline.
        resampling: how intervals of costs are made; None makes none.
    """

    name: str
    matched: MatchedSpans
    measure: AlignedMeasure
    resampling: Resampling | None = None

    @property
    def about(self) -> dict[str, str]:
        """The columns that name the system in tables."""
        return {"system": self.name} if self.name else {}

    @cached_property
    def costs(self) -> Costs:
        """The score, and what it would be without each kind of error; computed when it is asked for."""
        return costs(self.measure, self.matched, self.resampling)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of spans of each kind, or of pairs for kinds of pairs, see `KINDS`."""
        return dict(zip(KINDS, np.bincount(self.matched.kind, minlength=len(KINDS)).tolist(), strict=True))

    @cached_property
    def per_label(self) -> dict[str, dict[str, int]]:
        """The same by label, with the numbers of spans of both sides, `reference` and `predicted`.

        Spurious spans count at the predicted label, all others at that of the reference. So `reference` is the sum of
        all kinds but `spurious`.
        """
        labels, found = self.matched.alignment.labels, self.matched
        there = found.reference_label >= 0
        label = np.where(there, found.reference_label, found.predicted_label)
        kinds = np.bincount(label * len(KINDS) + found.kind, minlength=len(labels) * len(KINDS))
        rows = kinds.reshape(-1, len(KINDS)).tolist()
        reference, predicted = (
            np.bincount(column[column >= 0], minlength=len(labels)).tolist()
            for column in (found.reference_label, found.predicted_label)
        )
        return {
            name: {"reference": reference[code], "predicted": predicted[code], **dict(zip(KINDS, row, strict=True))}
            for code, (name, row) in enumerate(zip(labels, rows, strict=True))
            if sum(row)
        }

    @property
    def errors(self) -> int:
        """The number of errors: pairs that are not right, missing and spurious spans."""
        return sum(self.counts.values()) - self.counts["correct"]

    def confusion(self, extents: str = "overlap") -> Confusion:
        """Return the confusion matrix of labels.

        Args:
            extents: `overlap` for all pairs of spans, `exact` for those of the same extent; the spans of other pairs
                are then missing and spurious.
        """
        require_choice("extents", extents, EXTENT_CHOICES)
        return Confusion.of(self.matched, extents, self.about)
