"""Items of attributes: (document, start, end, attribute, value)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import begins_run, code_type, ordered_codes
from ..errors import InputError, setting
from ..spans.attributes import Attributes, Value, plain_value

Asked = Mapping[str, frozenset[str] | None]
"""The attributes that are scored, each with the labels of its spans; None for all labels."""


@dataclass(frozen=True, eq=False)
class AttributeItems:
    """The items of both sides, each once, in the order of the documents.

    Attributes:
        document, start, end: of each item.
        attribute: of each item, codes that index `attributes`.
        attributes: the attributes that were asked, or that occur.
        value: of each item, codes that index `values`.
        values: the values of the reference, then those of the prediction; a value of both stands there twice.
        reference, predicted: of each item, bool: whether it is in the reference, and in the prediction.
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    attribute: np.ndarray
    attributes: tuple[str, ...]
    value: np.ndarray
    values: tuple[Value, ...]
    reference: np.ndarray
    predicted: np.ndarray


@dataclass(frozen=True, eq=False)
class Items:
    """The items of one side, with those that occur several times; `value` indexes `values`."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    attribute: np.ndarray
    value: np.ndarray
    values: tuple[Value, ...]
    score: np.ndarray

    @classmethod
    def of(cls, side: Attributes, asked: Asked, defaults: Mapping[str, Value], *, include_falsy: bool) -> Items:
        """Choose the values that are items, in the order of the documents, spans and asked attributes.

        Args:
            side: spans with attributes.
            asked: the attributes that are scored.
            defaults: the default value of some attributes, which is no item.
            include_falsy: whether False, 0, 0.0 and "" are items.
        """
        number = {name: code for code, name in enumerate(asked)}
        attribute_of = np.array([number.get(name, -1) for name in side.names], dtype=code_type(len(asked)))
        # by attribute and label: whether it is asked; by attribute and value: whether that is an item
        asked_of = np.array(
            [[labels is None or label in labels for label in side.labels] for labels in asked.values()], dtype=bool
        ).reshape(len(asked), len(side.labels))
        falsy = np.array([not include_falsy and not value for value in side.values], dtype=bool)
        default_of = np.full(len(asked), -2, dtype=np.int64)
        for code, name in enumerate(asked):
            default = plain_value(defaults.get(name), name)
            for other, known in enumerate(side.values):
                if type(known) is type(default) and known == default:
                    default_of[code] = other
        rows = np.flatnonzero((side.value >= 0) & (attribute_of[side.name] >= 0))
        attribute, value, span = attribute_of[side.name[rows]], side.value[rows], side.span[rows]
        chosen = ~falsy[value] & (value != default_of[attribute]) & asked_of[attribute, side.label[span]]
        place = span.astype(np.int64) * len(asked) + attribute
        order = np.flatnonzero(chosen)
        if not (place[order][1:] >= place[order][:-1]).all():
            order = order[np.argsort(place[order], kind="stable")]
        rows, attribute, value, span = rows[order], attribute[order], value[order], span[order]
        score = np.where(np.isnan(side.score[rows]), 1.0, side.score[rows])
        return cls(side.document[span], side.start[span], side.end[span], attribute, value, side.values, score)

    def distinct(self, code: np.ndarray, *, highest: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the first of each distinct item, in the order given, and their highest (else their last) scores."""
        order = np.argsort(code, kind="stable")
        begins = np.flatnonzero(begins_run(code[order]))
        if len(begins) == len(code):
            return np.arange(len(code)), self.score
        score = self.score[order]
        score = np.maximum.reduceat(score, begins) if highest else score[np.append(begins[1:], len(order)) - 1]
        in_order = np.argsort(order[begins])
        return order[begins][in_order], score[in_order]


def joined(references: Items, predictions: Items, name: str) -> np.ndarray:
    """Return a column of the reference items and, behind them, of the predicted ones."""
    return np.concatenate([getattr(references, name), getattr(predictions, name)])


def item_codes(references: Items, predictions: Items) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each item of both sides, the same for the same items, ordered by document."""
    number: dict[tuple[type, Value], int] = {}
    values = []
    for side in (references, predictions):
        codes = [number.setdefault((type(value), value), len(number)) for value in side.values]
        values.append(np.array(codes, dtype=np.int64)[side.value])
    columns = (joined(references, predictions, name) for name in ("document", "start", "end", "attribute"))
    code = ordered_codes(*columns, np.concatenate(values))
    return code[: len(references.value)], code[len(references.value) :]


def require_same_spans(references: Attributes, predictions: Attributes, documents: np.ndarray | None) -> None:
    """Raise an `InputError` that names the first span that only one side has; `documents` are their numbers."""
    names = ("document", "start", "end", "label")
    if references.labels == predictions.labels and all(
        np.array_equal(getattr(references, name), getattr(predictions, name)) for name in names
    ):
        return
    number = {label: code for code, label in enumerate(sorted({*references.labels, *predictions.labels}))}
    label = [
        np.array([number[label] for label in side.labels], dtype=np.int64)[side.label]
        for side in (references, predictions)
    ]
    bounds = (np.concatenate([getattr(references, name), getattr(predictions, name)]) for name in names[:3])
    codes = ordered_codes(*bounds, np.concatenate(label))
    apart = np.setxor1d(codes[: len(references)], codes[len(references) :])
    if len(apart) == 0:
        return
    at = int(np.flatnonzero(codes == apart[0])[0])
    if at < len(references):
        side, span, name, other = references, at, "references", "predictions"
    else:
        side, span, name, other = predictions, at - len(references), "predictions", "references"
    document = int(side.document[span])
    raise InputError(
        f"the span from {side.start[span]} to {side.end[span]} with the label {side.labels[side.label[span]]!r} is not "
        f"among the {other}.",
        f"Give both sides the same spans, or score the difference with {setting('on_mismatch', 'count')}.",
        side=name,
        document=document if documents is None else int(documents[document]),
        span=span - int(np.searchsorted(side.document, document)),
    )
