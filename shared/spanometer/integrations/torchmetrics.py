"""A metric for `torchmetrics` (extra `torch`). Its states are counts, summed over batches and processes.

metric = SpanMetric(model.config.id2label, SpanF(average="macro"))
metric.update(logits, labels)
metric.compute()["span_f_f1"]
"""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from ..analysis.scores.measure_result import result_key
from ..counts.counts import Column, Counts
from ..exceptions import InputError
from ..measures.registry import MEASURES, read_measures
from ..spans.spans import pair_from_tags
from ..tags.decoding import LabelDecoding, labels_of


class SpanMetric(Metric):  # type: ignore[misc]  # torchmetrics may not be installed
    """Score integer tags with a measure of spans; each row of a batch is a document.

    Args:
        id2label: maps integers to tags, see `tags.read_id2label`.
        measure: a measure of spans or its name.
        decoding: options of `decoding.LabelDecoding` (`scheme`, `repair`, `ignore_index` ...).
        settings: the settings of `torchmetrics.Metric`.

    Raises:
        InputError: if an option is invalid, or if counts of batches cannot be added for this measure.
    """

    full_state_update = False
    is_differentiable = False
    higher_is_better = True

    def __init__(self, id2label: Any, measure: Any = "span_f", *, decoding: Any = None, **settings: Any) -> None:
        super().__init__(**settings)
        ((self.name, self.measure),) = read_measures(measure, MEASURES).items()
        self.measure.require_parts()
        self.decoding = LabelDecoding(**{**(decoding or {}), "id2label": id2label})
        tags = self.decoding.id2label
        self._labels = labels_of(tags) if self.decoding.prefix else tuple(sorted({*tags} - {"O"}))
        self._empty = self._counts(np.zeros((0, 0), dtype=int), np.zeros((0, 0), dtype=int))
        if self._empty.rows:
            problem = f"`{self.name}` needs more than sums, but a torchmetrics metric keeps only sums."
            raise InputError(problem, "Use spanometer.score.")
        for name, sums in _sums(self._empty).items():
            self.add_state(name, torch.from_numpy(sums), dist_reduce_fx="sum")

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Add a batch: integer tags of shape (documents, positions), or logits of shape (documents, positions, labels).

        For logits, the tag is the argmax over labels.
        """
        numbers = preds.argmax(dim=-1) if preds.ndim > target.ndim else preds
        for name, sums in _sums(self._counts(target.cpu().numpy(), numbers.cpu().numpy())).items():
            getattr(self, name).add_(torch.from_numpy(sums).to(self.device))

    def compute(self) -> dict[str, torch.Tensor]:
        """Score all batches of all processes. Keys are such as `span_f_f1`, see `Report.flat`."""
        first, code = np.zeros(1, dtype=np.int32), np.arange(len(self._empty.labels), dtype=np.int32)
        columns = {name: Column(first.repeat(len(code)), code, self._state(name)) for name in self._empty.columns}
        shared = {name: self._state(name) for name in self._empty.shared}
        counts = replace(self._empty, columns=columns, shared=shared, documents=1)
        return {
            result_key(self.name, self.measure, key): torch.tensor(value, dtype=torch.float64, device=self.device)
            for key, value in self.measure.score(counts).items()
        }

    def _state(self, name: str) -> np.ndarray:
        return np.asarray(getattr(self, name).cpu().numpy())

    def _counts(self, references: np.ndarray, predictions: np.ndarray) -> Counts:
        sides = pair_from_tags(references, predictions, **vars(self.decoding))[:2]
        return self.measure.counts(*(side.with_labels(self._labels) for side in sides))


def _sums(counts: Counts) -> dict[str, np.ndarray]:
    """Sum each count by label, and sum the counts by document."""
    sums = {name: column.per_label(len(counts.labels)) for name, column in counts.columns.items()}
    return {**sums, **{name: values.sum(keepdims=True) for name, values in counts.shared.items()}}
