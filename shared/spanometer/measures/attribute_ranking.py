"""Attribute items ranked by score: average precision and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..arrays import begins_run
from ..counts.counts import Counts


@dataclass(frozen=True, eq=False)
class AttributeCounts(Counts):
    """The counts of `span_attribute`: numbers of items, and the predicted items with their scores.

    Its labels are the attributes. The columns `tp`, `support` and `positives` count the items on both sides, in the
    reference and in the prediction; `shared` counts each document's spans that only one side has. Average precision
    ranks the predicted items of the whole corpus and cannot be computed from ranks within parts, so each predicted item
    keeps a row with its `score`, whether it is `right` (in the reference), and its `position` in its document.
    """

    @cached_property
    def ranking(self) -> np.ndarray:
        """The indices of the predicted items by descending score; ties in document order."""
        rows = self.rows
        return np.lexsort((rows["position"], rows["document"], -rows["score"]))

    def condensed(self) -> Self:
        """Sum the counts as if all documents were one, see `Counts.condensed`; items keep their order."""
        position = np.empty(len(self.rows["position"]), dtype=np.int64)
        position[np.lexsort((self.rows["position"], self.rows["document"]))] = np.arange(len(position))
        whole = super().condensed()
        return replace(whole, rows={**whole.rows, "position": position})


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall of the predicted items with at least a score.

    Attributes:
        threshold: the scores in descending order: with `ties` the distinct scores, otherwise the score of each item.
        precision: the precision of the items down to each threshold.
        recall: the recall of these items; it ends below 1 if some reference items were never predicted.
        average_precision: `ap` of the result.
    """

    threshold: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    average_precision: float


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps down the rankings of groups of items, group after group.

    Attributes:
        group: the group of each step.
        score: the score of the step's items.
        rank, hits: the number of items, and of right items, of the group down to the step.
        gained: the number of right items in the step.
    """

    group: np.ndarray
    score: np.ndarray
    rank: np.ndarray
    hits: np.ndarray
    gained: np.ndarray

    @classmethod
    def of_attributes(cls, counts: AttributeCounts, rule: str, times: np.ndarray | None = None) -> Self:
        """Rank all items together (group 0) and the items of each attribute (groups 1, 2 ...).

        Args:
            counts: of all documents.
            rule: how equal scores are ranked, see `SpanAttribute.average_precision`.
            times: how often each document occurs; None for once. Copies of a document follow each other.
        """
        order = counts.ranking if times is None else _repeated(counts, rule, times)
        label = counts.rows["label"][order]
        by_label = np.argsort(label, kind="stable")
        group = np.concatenate([np.zeros(len(order), dtype=np.int64), label[by_label] + 1])
        return cls._of(counts, np.concatenate([order, order[by_label]]), group, rule)

    @classmethod
    def of_documents(cls, counts: AttributeCounts, rule: str) -> Self:
        """Rank the items of each document."""
        document = counts.rows["document"][counts.ranking]
        by_document = np.argsort(document, kind="stable")
        return cls._of(counts, counts.ranking[by_document], document[by_document], rule)

    @classmethod
    def _of(cls, counts: AttributeCounts, order: np.ndarray, group: np.ndarray, rule: str) -> Self:
        score, right = counts.rows["score"][order], counts.rows["right"][order].astype(np.int64)
        first = np.flatnonzero(begins_run(group))
        size = np.diff(np.append(first, len(group)))
        rank = np.arange(1, len(group) + 1) - np.repeat(first, size)
        hits = np.cumsum(right) - np.repeat((np.cumsum(right) - right)[first], size)
        if rule != "ties":
            return cls(group, score, rank, hits, right)
        begins = np.flatnonzero(begins_run(group, score))
        last = np.append(begins[1:], len(group))[: len(begins)] - 1
        return cls(group[last], score[last], rank[last], hits[last], np.add.reduceat(right, begins))

    def precisions(self, groups: int, rule: str) -> np.ndarray:
        """Sum the precision at each right item, by group."""
        gained = np.where(self.rank == 1, 0, self.gained) if rule == "edsnlp-0.20" else self.gained
        return np.bincount(self.group, weights=gained * (self.hits / self.rank), minlength=groups)


def _repeated(counts: AttributeCounts, rule: str, times: np.ndarray) -> np.ndarray:
    """Rank the items of a corpus with repeated documents."""
    rows, order = counts.rows, counts.ranking
    repeats = times[rows["document"][order]]
    repeated = np.repeat(order, repeats)
    if rule == "ties":
        # the order of items with equal scores does not matter
        return repeated
    copy = np.arange(len(repeated)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    keys = (rows["position"][repeated], copy, rows["document"][repeated], -rows["score"][repeated])
    return repeated[np.lexsort(keys)]
