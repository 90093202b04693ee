"""The base class of measures that compute precision, recall and F1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import ClassVar

import numpy as np

from ..arrays import code_type
from ..counts.counts import Column, Counts, join_columns
from ..counts.statistics import (
    ALL_AVERAGES,
    DOCUMENTS,
    DOCUMENTS_BY_LABEL,
    f_of,
    mean_over_documents,
    precision_recall_f1,
)
from ..exceptions import InputError, mention, setting
from ..options import option, replaced_option
from .base import Key, Kind, Measure


def f_results(precision: str, recall: str) -> dict[str, Key]:
    """Describe the keys `precision`, `recall` and `f1`."""
    return {
        "precision": Key("precision", precision),
        "recall": Key("recall", recall),
        "f1": Key("F1", "harmonic mean of precision and recall"),
    }


@dataclass(frozen=True, kw_only=True)
class PrecisionRecallF1(Measure):
    """A measure that computes precision, recall and F1.

    Precision is `right` / `predicted`, and recall is `found` / `reference`. If `right` and `found` are always equal,
    one count `both` replaces them. All scores are in [0, 1], higher is better.

    Attributes:
        average: two further values. `documents`: compute precision, recall and F1 of each document over all labels,
            then take the mean over documents (Toxic Spans, Mu-SHROOM). If both sides of a document are empty, its
            scores are `zero_division`; NaN leaves the document out. The scores of a label still come from its summed
            counts. `documents_by_label`: the scores of a label are means over documents too (HIPE's macro_doc).
        f_beta: recall weighs beta times as much as precision; the key `f1` is then F-beta.
        combination: how `f1` combines precision and recall. `harmonic`: their harmonic mean. `jaccard`: F1 / (2 - F1),
            the Jaccard index of sets (Mu-SHROOM). `lower`: the lower of the two (Label Studio). `perfect`: 1 if both
            are 1, otherwise 0; its mean over documents is the proportion of documents without errors
            (sklearn-crfsuite).
        f1_average: how F1 is averaged over labels or documents. `mean`: the mean of F1. `of_means`: F1 of mean
            precision and mean recall. `defined`: the mean of F1 where both sides have spans; `zero_division` must be
            NaN.
    """

    average: str = replaced_option(
        Measure,
        "average",
        choices={
            **ALL_AVERAGES,
            DOCUMENTS_BY_LABEL: "like documents; scores of single labels are also means over documents",
        },
    )
    f_beta: float = option(1.0, help="beta of F-beta: recall weighs beta times as much as precision", low=0)
    combination: str = option(
        "harmonic",
        help="how precision and recall are combined into f1",
        choices={
            "harmonic": "harmonic mean",
            "jaccard": "Jaccard index, F1 / (2 - F1)",
            "lower": "the smaller one",
            "perfect": "1 if precision and recall are 1, otherwise 0",
        },
    )
    f1_average: str = option(
        "mean",
        help="how f1 is averaged over labels",
        choices={
            "mean": "mean of F1",
            "of_means": "F1 of the averaged precision and recall",
            "defined": "mean of F1, without labels whose precision or recall is undefined",
        },
    )

    unusual: ClassVar[tuple[str, ...]] = ("f_beta", "combination", "f1_average")
    results: ClassVar[Mapping[str, Key]] = f_results(
        "share of the prediction that is right", "share of the reference that is found"
    )
    headline: ClassVar[str] = "f1"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.f1_average == "defined" and not isnan(self.zero_division):
            raise InputError(
                f"{setting('f1_average', 'defined')} needs {mention('zero_division')} to be NaN, and it is "
                f"{self.zero_division:g}.",
                f"Set {setting('zero_division', nan)}.",
                option="f1_average",
            )

    def with_document_scores(self, counts: Kind) -> Kind:
        """Add the counts for means over documents, see `Measure.with_document_scores`.

        `documents_by_label` also adds for each label and key the sum over documents (`f1_label_sum`) and the number of
        documents (`f1_label_documents`).
        """
        counts = super().with_document_scores(counts)
        if self.average != DOCUMENTS_BY_LABEL:
            return counts
        scored, first = replace(self, average="micro", zero_division=nan), 0
        parts: list[dict[str, Column]] = []
        for totals in counts.per_document():
            parts.append({})
            for key, values in scored.label_scores(totals).items():
                document, label = np.nonzero(~np.isnan(values))
                place = (document + first).astype(np.int32), label.astype(code_type(len(counts.labels)))
                parts[-1][f"{key}_label_sum"] = Column(*place, values[document, label])
                parts[-1][f"{key}_label_documents"] = Column(*place)
            first += len(values)
        return replace(counts, columns={**counts.columns, **join_columns(parts)})

    @property
    def _document_sums(self) -> set[str]:
        of_labels = {f"{key}_label_{part}" for key in self.keys for part in ("sum", "documents")}
        return super()._document_sums | (of_labels if self.average == DOCUMENTS_BY_LABEL else set())

    def label_scores(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores of each label, from summed counts or as means over documents."""
        if self.average != DOCUMENTS_BY_LABEL:
            return super().label_scores(totals)
        means = {}
        for key in self.keys:
            sums = totals[f"{key}_label_sum"], totals[f"{key}_label_documents"]
            means[key] = mean_over_documents(*sums, totals[DOCUMENTS], self.zero_division)
        return self._with_f1_of_means(means)

    def score_totals(self, totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute scores from totals by label, see `Measure.score_totals`."""
        scores = super().score_totals(totals)
        return scores if self.average == "micro" else self._with_f1_of_means(scores)

    def _with_f1_of_means(self, means: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """With `f1_average="of_means"`, replace the mean F1 by the F1 of mean precision and recall."""
        if self.f1_average != "of_means":
            return dict(means)
        return self._combined({**means, "f1": f_of(means["precision"], means["recall"], self.f_beta)})

    def _combined(self, scores: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Replace F1 by another `combination` of precision and recall."""
        if self.combination == "jaccard":
            scores["f1"] = scores["f1"] / (2 - scores["f1"])
        elif self.combination == "lower":
            # if one side is empty, only one of them is defined
            scores["f1"] = np.fmin(scores["precision"], scores["recall"])
        elif self.combination == "perfect":
            lower = np.fmin(scores["precision"], scores["recall"])
            scores["f1"] = np.where(np.isnan(lower), nan, lower == 1.0)
        return scores

    def notes(self, counts: Counts) -> list[str]:
        """List a warning about documents without spans, unless they score 1 as in shared tasks."""
        if not self.over_documents or isnan(self.zero_division) or self.zero_division == 1:
            return []
        documents, scored = (int(counts.shared[name].sum()) for name in (DOCUMENTS, f"{self.headline}_documents"))
        if scored == documents:
            return []
        return [
            f"documents with no span on either side ({documents - scored:,} of {documents:,}) score "
            f"{self.zero_division:g}, the value of zero_division; Toxic Spans and Mu-SHROOM give them 1."
        ]

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1, see `ratios`."""
        right, found = (quantities["both"] if "both" in quantities else quantities[name] for name in ("right", "found"))
        return self.ratios(right, quantities["predicted"], found, quantities["reference"])

    def ratios(
        self, right: np.ndarray, predicted: np.ndarray, found: np.ndarray, reference: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1 from summed counts, see `statistics.precision_recall_f1`."""
        scores = self._combined(
            precision_recall_f1(right, predicted, found, reference, self.zero_division, self.f_beta)
        )
        if self.f1_average == "defined":
            defined = ~np.isnan(scores["precision"]) & ~np.isnan(scores["recall"])
            scores["f1"] = np.where(defined, scores["f1"], nan)
        return scores
