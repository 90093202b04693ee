"""Attribute items ranked by score: average precision and precision-recall curves."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..arrays import ranges, run_bounds
from ..counts.counts import Counts


@dataclass(frozen=True, eq=False)
class AttributeCounts(Counts):
    """The counts of `span_attribute`: numbers of items, and a row for each predicted item.

    The labels of these counts are the attributes. `tp` counts items on both sides, `support` reference items and
    `positives` predicted items. `shared` counts the spans of each document that are on only one side.

    Average precision ranks the predicted items of the whole corpus, so it cannot be computed from counts of parts.
    Therefore each predicted item has a row: its `score`, whether it is `right` (also in the reference), and its
    `position` in its document.
    """

    @cached_property
    def ranking(self) -> np.ndarray:
        """The indices of the predicted items by descending score; ties in document order."""
        rows = self.rows
        return np.lexsort((rows["position"], rows["document"], -rows["score"]))

    def condensed(self) -> Self:
        """Merge all documents into one, see `Counts.condensed`; items keep their order."""
        position = np.empty(len(self.rows["position"]), dtype=np.int64)
        position[np.lexsort((self.rows["position"], self.rows["document"]))] = np.arange(len(position))
        whole = super().condensed()
        return replace(whole, rows={**whole.rows, "position": position})


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """The precision-recall curve of ranked predicted items.

    Attributes:
        threshold: the scores in descending order. With `ties` each distinct score occurs once, otherwise each item's
            score.
        precision: the precision of the items ranked down to each threshold.
        recall: the recall of these items. It ends below 1 if some reference items are not predicted at all.
        average_precision: the average precision, as `ap` in the result.
    """

    threshold: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    average_precision: float


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of several rankings, one ranking for each group of items. A step adds one or more items.

    Attributes:
        group: the group of each step.
        score: the score of the items that the step adds.
        rank: the number of items in the group down to this step.
        hits: the number of right items in the group down to this step.
        gained: the number of right items that the step adds.
    """

    group: np.ndarray
    score: np.ndarray
    rank: np.ndarray
    hits: np.ndarray
    gained: np.ndarray

    @classmethod
    def of_attributes(cls, counts: AttributeCounts, rule: str, times: np.ndarray | None = None) -> Self:
        """Rank all items together (group 0), then the items of each attribute (groups 1, 2 ...).

        Args:
            counts: the counts of all documents.
            rule: how items with equal scores are ranked, see `SpanAttribute.average_precision`.
            times: the number of copies of each document; None means one each. Copies are adjacent.
        """
        order = counts.ranking if times is None else _repeated(counts, rule, times)
        label = counts.rows["label"][order]
        by_label = np.argsort(label, kind="stable")
        group = np.concatenate([np.zeros(len(order), dtype=np.int64), label[by_label] + 1])
        return cls._of(counts, np.concatenate([order, order[by_label]]), group, rule)

    @classmethod
    def of_documents(cls, counts: AttributeCounts, rule: str) -> Self:
        """Rank the items of each document separately."""
        document = counts.rows["document"][counts.ranking]
        by_document = np.argsort(document, kind="stable")
        return cls._of(counts, counts.ranking[by_document], document[by_document], rule)

    @classmethod
    def _of(cls, counts: AttributeCounts, order: np.ndarray, group: np.ndarray, rule: str) -> Self:
        score, right = counts.rows["score"][order], counts.rows["right"][order].astype(np.int64)
        first, end = run_bounds(group)
        rank = np.arange(1, len(group) + 1) - np.repeat(first, end - first)
        hits = np.cumsum(right) - np.repeat((np.cumsum(right) - right)[first], end - first)
        if rule != "ties":
            return cls(group, score, rank, hits, right)
        first, end = run_bounds(group, score)
        last = end - 1
        return cls(group[last], score[last], rank[last], hits[last], np.add.reduceat(right, first))

    def precisions(self, groups: int, rule: str) -> np.ndarray:
        """Sum the precision at the rank of each right item, for each group."""
        gained = np.where(self.rank == 1, 0, self.gained) if rule == "edsnlp-0.20" else self.gained
        return np.bincount(self.group, weights=gained * (self.hits / self.rank), minlength=groups)


def _repeated(counts: AttributeCounts, rule: str, times: np.ndarray) -> np.ndarray:
    """Rank the items of a resampled corpus, in which documents can be repeated."""
    rows, order = counts.rows, counts.ranking
    repeats = times[rows["document"][order]]
    repeated = np.repeat(order, repeats)
    if rule == "ties":
        # the order of items with equal scores does not matter
        return repeated
    copy = ranges(np.zeros_like(repeats), repeats)
    keys = (rows["position"][repeated], copy, rows["document"][repeated], -rows["score"][repeated])
    return repeated[np.lexsort(keys)]
