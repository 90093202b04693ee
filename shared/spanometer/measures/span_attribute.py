"""Attributes of given spans: items of (document, start, end, attribute, value)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from ..arrays import begins_run, code_type, ordered_codes
from ..counts.counts import Column, Counts
from ..counts.ratios import divide, precision_recall_f1
from ..errors import InputError, require_same_documents, setting
from ..options import option
from ..spans.attributes import Attributes, Value, plain_value
from .base import Key, Measure, zero_division_option

Filter = Sequence[bool] | Callable[[list[dict[str, Any]]], bool]

_ATTRIBUTES_REMEDY = "Use None, a list of names, or a mapping of names to True or to lists of labels."


@dataclass(frozen=True, eq=False)
class AttributeCounts(Counts):
    """What `span_attribute` keeps of a corpus: numbers of items, and the predicted items with their scores.

    Its labels are the attributes. At (document, attribute) stand `tp`, `support` and `positives`: the items on both
    sides, in the reference and in the prediction. Average precision ranks the predicted items of the whole corpus, and
    ranks of parts do not give those of the whole: so there is a row for each predicted item, with its `score`, whether
    it is `right`, that is in the reference, and its `position` among those of its document.
    """

    @cached_property
    def ranking(self) -> np.ndarray:
        """Indices of the predicted items, highest score first, those of equal score in the order of the documents."""
        rows = self.rows
        return np.lexsort((rows["position"], rows["document"], -rows["score"]))

    def condensed(self) -> Self:
        """`Counts.condensed`; items keep the order that they have."""
        position = np.empty(len(self.rows["position"]), dtype=np.int64)
        position[np.lexsort((self.rows["position"], self.rows["document"]))] = np.arange(len(position))
        whole = super().condensed()
        return replace(whole, rows={**whole.rows, "position": position})


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
class PrecisionRecallCurve:
    """Precision and recall of the predicted items down to each score.

    Attributes:
        threshold: scores, highest first: with `ties` each one once, otherwise that of each item.
        precision: shape (thresholds): the share of right ones among the items down to there.
        recall: shape (thresholds): the share of the reference items that are among them. It ends below 1 where
            reference items were never predicted.
        average_precision: the number that the result has under `ap`.
    """

    threshold: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    average_precision: float


@dataclass(frozen=True, kw_only=True)
class SpanAttribute(Measure):
    """Attributes of spans that both sides have: precision, recall, F1 and average precision over items.

    An item is a (document, start, end, attribute, value), so an attribute with several values has several. With the
    items of both sides as sets, I of the reference and Î of the prediction,

        p = |Î ∩ I| / |Î|,  r = |Î ∩ I| / |I|,  f = 2 |Î ∩ I| / (|Î| + |I|),

    `tp` = |Î ∩ I|, `support` = |I|, `positives` = |Î|; for each attribute, and for all together under `micro_key`. All
    but these three are in [0, 1], higher is better. An attribute without items on either side has zeros (p, r, f and ap
    as `zero_division` says).

    Values of different types are different: True, 1, 1.0 and "1" are four. No items are: None; the attribute's default
    value; without `include_falsy`, also False, 0, 0.0 and "". So a missing attribute counts as its default, or as
    absent, which is the same.

    Both sides must have the same spans (start, end, label) in each document; the same one twice counts once. The label
    only selects the attributes that are asked of a span: of two spans with the same bounds and different labels, equal
    values of an attribute are one item, different ones are several.

    Average precision ranks the predicted items by score, highest first. An item without a score has 1.0. With P_k and
    R_k the precision and the recall of the items down to step k,

        ap = Σ_k (R_k - R_{k-1}) P_k,  R_0 = 0.

    `ties`: items of equal score form one step, so their order does not matter, as in scikit-learn's
    `average_precision_score` over the predicted items. Reference items that were never predicted count in the recall's
    denominator: it never reaches 1, and ap is lower than scikit-learn's by the factor tp / support. `edsnlp`: each item
    is a step, items of equal score in the order of the documents, spans and `attributes`, as in EDS-NLP from 0.21.0 on.
    `edsnlp-0.20`: the same without the step k = 1, as in its releases 0.17.2 to 0.20.0; but these rank the value with
    the highest score in place of the one that the attribute has, where they differ. An item that occurs several times
    has its highest score with `ties`, otherwise its last one at its first place.

    Its counts are numbers of items, which add up, and a row for each predicted item, see `AttributeCounts`.

    Attributes:
        attributes: the attributes asked: None for all that occur on either side, in alphabetical order; a list of
            names; or a mapping of names to True (of all spans) or to lists of labels (of spans with these).
        default_values: the default value of some attributes. False leaves out False, not 0.
        include_falsy: whether False, 0, 0.0 and "" are items.
        micro_key: where the result has all attributes together.
        average_precision: `ties`, `edsnlp` or `edsnlp-0.20`.
        filter: which documents are scored: None for all; a flag for each document; or a function that is called with
            the reference spans of each document (a list of dicts, see `Attributes.to_dicts`) and returns a bool. The
            others are as if they had not been given.
        on_mismatch: `error`, or `count`: the items of spans that only one side has are misses and false alarms. Items
            have no labels, so spans that differ in them only are compared by their values.
        zero_division: p without predicted items, r and ap without reference items, f without both.
    """

    # the result has each attribute, and there is nothing to average
    average: str = field(init=False, default="micro", repr=False)
    attributes: Sequence[str] | Mapping[str, bool | Sequence[str]] | None = option(
        None,
        help="the attributes to score: None for all, a list of names, or a dict of names to True (of all spans) or to "
        "lists of labels (of spans with these)",
        type="list of str or dict",
        flag="attribute",
        metavar="NAME[=LABEL,...]",
        repeat=True,
        label="Attributes",
    )
    default_values: Mapping[str, Value] = option(
        default_factory=dict,
        help="for an attribute the value that is no item, as if it were missing",
        type="dict",
        flag="default",
        metavar="NAME=VALUE",
        repeat=True,
        label="Default values",
    )
    include_falsy: bool = option(
        False, help='count False, 0, 0.0 and "" as items too', kind=bool, label="Count false, 0 and empty text"
    )
    micro_key: str = option(
        "micro", help="the key of all attributes together", kind=str, metavar="NAME", label="Name of all together"
    )
    average_precision: str = option(
        "ties",
        help="how average precision ranks equal scores",
        choices={
            "ties": "one step for all of them",
            "edsnlp": "one step each, in the order of the documents",
            "edsnlp-0.20": "the same without the first step",
        },
        label="Average precision",
    )
    filter: Filter | None = option(
        None,
        help="the documents that are scored: None for all, a flag for each, or a function of a document's reference "
        "spans that returns a bool",
        type="list of bool or function",
        flag="",
    )
    on_mismatch: str = option(
        "error",
        help="how to handle a span that only one side has",
        choices={"error": "refuse it", "count": "its items are misses or false alarms"},
        label="Spans on one side only",
    )

    zero_division: float = zero_division_option(
        "value of p without predicted items, of r and ap without reference items, of f without both"
    )

    name: ClassVar[str] = "span_attribute"
    place: ClassVar[int] = 100
    input: ClassVar[str] = "attributes"
    results: ClassVar[Mapping[str, Key]] = {
        "f": Key("F1", "harmonic mean of precision and recall"),
        "p": Key("precision", "share of the predicted items that are right"),
        "r": Key("recall", "share of the reference's items that are predicted"),
        "tp": Key("right", "items on both sides", "[0, ∞)", kind=int, whole=True),
        "support": Key("in the reference", "items of the reference", "[0, ∞)", "", int, whole=True),
        "positives": Key("predicted", "predicted items", "[0, ∞)", "", int, whole=True),
        "ap": Key("average precision", "average precision over the ranking of the predicted items by score"),
    }
    returns: ClassVar[str] = "for each attribute, and for all together under micro_key, a dict of these"
    detail_keys: ClassVar[tuple[str, ...]] = ("counts", "signature", "curves")
    headline: ClassVar[str] = "f"
    counts_type: ClassVar[type[Counts]] = AttributeCounts
    support: ClassVar[str] = "support"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        asked = _asked(self.attributes)
        _require_default_values(self.default_values)
        self._require_free_micro_key(asked or {})
        if self.filter is not None and not callable(self.filter):
            _flags(self.filter)

    def counts(self, references: Attributes, predictions: Attributes) -> AttributeCounts:
        """Numbers of items, and the predicted ones with their scores.

        Raises:
            InputError: where the two sides do not have the same documents or, without `on_mismatch="count"`, the same
                spans; where `filter` does not fit; where an attribute is called as `micro_key`.
        """
        names, documents, reference, predicted = self._both_sides(references, predictions)
        reference_code, code = _item_codes(reference, predicted)
        distinct, first = np.unique(reference_code, return_index=True)
        items, score = self._ranked_items(predicted, code)
        code = code[items]
        document, attribute = predicted.document[items], predicted.attribute[items]
        found = np.searchsorted(distinct, code)
        right = np.append(distinct, -1)[found] == code
        columns = {
            "tp": Column(document[right], attribute[right]),
            "support": Column(reference.document[first], reference.attribute[first]),
            "positives": Column(document, attribute),
        }
        rows = {
            "document": document.astype(np.int64),
            "label": attribute.astype(np.int64),
            "score": score,
            "right": right,
            "position": np.arange(len(document)),
        }
        return AttributeCounts(columns, names, documents, rows=rows, measure=self)

    def items(self, references: Attributes, predictions: Attributes) -> AttributeItems:
        """The items that `counts` counts, one by one: which values are right, missed and false alarms.

        Documents have the numbers that they have behind `filter`.

        Raises:
            InputError: as `counts`.
        """
        names, _, reference, predicted = self._both_sides(references, predictions)
        codes = _item_codes(reference, predicted)
        distinct, first = np.unique(np.concatenate(codes), return_index=True)
        document, start, end, attribute = (
            np.concatenate([getattr(side, name) for side in (reference, predicted)])[first]
            for name in ("document", "start", "end", "attribute")
        )
        return AttributeItems(
            document=document,
            start=start,
            end=end,
            attribute=attribute,
            attributes=names,
            value=np.concatenate([reference.value, predicted.value + len(reference.values)])[first],
            values=(*reference.values, *predicted.values),
            reference=np.isin(distinct, codes[0]),
            predicted=np.isin(distinct, codes[1]),
        )

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The result of numbers of items and of `precisions`, the sum of the precisions that ap has a share of."""
        tp, support, positives = (quantities[name] for name in ("tp", "support", "positives"))
        shares = precision_recall_f1(tp, positives, tp, support, self.zero_division)
        return {
            "f": shares["f1"],
            "p": shares["precision"],
            "r": shares["recall"],
            "tp": tp,
            "support": support,
            "positives": positives,
            "ap": divide(quantities["precisions"], support, self.zero_division),
        }

    def score(self, counts: Any) -> dict[str, Any]:
        """The result: for `micro_key` and each attribute a dict of `keys`, from `AttributeCounts`.

        Raises:
            InputError: where an attribute of the counts, which may be a sum of others, is called as `micro_key`.
        """
        self._require_free_micro_key(dict.fromkeys(counts.labels))
        values = self._values(counts, counts.per_label(), None)
        names = (self.micro_key, *counts.labels)
        return {name: {key: values[key][..., code].item() for key in self.keys} for code, name in enumerate(names)}

    def headline_values(self, counts: Any) -> dict[Any, float]:
        """The values of the result by attribute and key."""
        return {(name, key): value for name, values in self.score(counts).items() for key, value in values.items()}

    def score_weighted(self, counts: Any, weights: np.ndarray) -> dict[Any, np.ndarray]:
        """`Measure.score_weighted`; the values by attribute and key. Each corpus is ranked by itself."""
        totals = counts.weighted(weights)
        each = [
            self._values(counts, {name: sums[row] for name, sums in totals.items()}, weights[row].astype(np.int64))
            for row in range(len(weights))
        ]
        return {
            (name, key): np.array([values[key][code] for values in each], dtype=float)
            for code, name in enumerate((self.micro_key, *counts.labels))
            for key in self.keys
        }

    def with_intervals(self, result: Mapping[str, Any], intervals: Mapping[Any, tuple[float, float]]) -> dict[str, Any]:
        """A result whose dicts have `<key>_low` and `<key>_high` too."""
        whole = {name: dict(values) for name, values in result.items()}
        for (name, key), (low, high) in intervals.items():
            whole[name].update({f"{key}_low": low, f"{key}_high": high})
        return whole

    def score_per_label(self, counts: Any) -> dict[str, dict[str, float | int]]:
        """The result without `micro_key`."""
        result = self.score(counts)
        return {name: result[name] for name in counts.labels}

    def score_per_document(self, counts: Any) -> dict[str, np.ndarray]:
        """The values under `micro_key` of each document as if it were the corpus, shape (documents)."""
        parts = [{name: sums.sum(axis=-1) for name, sums in part.items()} for part in counts.per_document()]
        empty = np.zeros(0, dtype=np.int64)
        numbers = {
            name: np.concatenate([empty, *(part[name] for part in parts)]) for name in ("tp", "support", "positives")
        }
        grouping = counts.rows["document"], counts.documents
        return self.formula({**numbers, "precisions": self._precisions(counts, grouping, None)})

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the counts of all attributes together, and the precision-recall curves."""
        names = ("threshold", "precision", "recall")
        curves = self.curves(cast(AttributeCounts, counts))
        found = {key: {name: getattr(curve, name).tolist() for name in names} for key, curve in curves.items()}
        return {"counts": counts.total(), "curves": found}

    def curves(self, counts: AttributeCounts) -> dict[str, PrecisionRecallCurve]:
        """The precision-recall curve under `micro_key` and of each attribute.

        With `ties` and `edsnlp`, ap = Σ_k (R_k - R_{k-1}) P_k over the points of the curve.
        """
        result = self.score(counts)
        apart, joint = (self._steps(counts, groups) for groups in self._groupings(counts))
        found = {self.micro_key: self._curve(joint, slice(None), result[self.micro_key])}
        for code, name in enumerate(counts.labels):
            found[name] = self._curve(apart, apart.group == code, result[name])
        return found

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> SpanAttribute:
        """`Measure.from_options`, where nothing is asked for by name."""
        return cls(**{**options, "default_values": options["default_values"] or {}})

    def options(self) -> dict[str, Any]:
        """The options that can change the number, in the order in which the signature gives them."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("average", "micro_key")}
        asked = _asked(self.attributes)
        if asked is not None:
            own["attributes"] = ",".join(
                name if labels is None else f"{name}={'+'.join(sorted(labels))}" for name, labels in asked.items()
            )
        own["default_values"] = (
            ",".join(f"{name}={value!r}" for name, value in sorted(self.default_values.items())) or None
        )
        if self.filter is not None:
            own["filter"] = (
                "function" if callable(self.filter) else f"{_flags(self.filter).sum()} of {len(self.filter)}"
            )
        zero_division = own.pop("zero_division")
        return {**own, "zero_division": zero_division}

    def require_parts(self) -> None:
        """Raise an `InputError`: streams have no form for spans with dicts of their own."""
        raise InputError(
            f"{self.name} is not counted in streams: its spans have dicts of their own.",
            "Count parts with SpanAttribute(...).counts(references, predictions), and add these up.",
        )

    def _require_free_micro_key(self, names: Mapping[str, Any]) -> None:
        if self.micro_key in names:
            raise InputError(
                f"{self.micro_key!r} is an attribute, and the key of all attributes together.",
                f"Name another key with {setting('micro_key')}.",
            )

    def _both_sides(
        self, references: Attributes, predictions: Attributes
    ) -> tuple[tuple[str, ...], int, _Items, _Items]:
        """The attributes asked, the number of documents that are scored, and the items of both sides, checked."""
        require_same_documents(references.documents, predictions.documents)
        kept = self._kept(references)
        if kept is not None:
            references, predictions = references.take(kept), predictions.take(kept)
        if self.on_mismatch == "error":
            _require_same_spans(references, predictions, kept)
        asked = _asked(self.attributes)
        if asked is None:
            occurring = {side.names[code] for side in (references, predictions) for code in np.unique(side.name)}
            asked = dict.fromkeys(sorted(occurring))
            self._require_free_micro_key(asked)
        names = tuple(asked)
        reference, predicted = (self._items(side, asked) for side in (references, predictions))
        return names, references.documents, reference, predicted

    def _kept(self, references: Attributes) -> np.ndarray | None:
        """The documents that are scored; None for all."""
        if self.filter is None:
            return None
        if callable(self.filter):
            answers = []
            for document, spans in enumerate(references.to_dicts()):
                answer = self.filter(spans)
                if not isinstance(answer, (bool, np.bool_)):
                    raise InputError(
                        f"filter returned {answer!r}, which is not a bool.", "Return True or False.", document=document
                    )
                answers.append(bool(answer))
            flags = np.array(answers, dtype=bool)
        else:
            flags = _flags(self.filter)
            if len(flags) != references.documents:
                raise InputError(
                    f"{len(flags)} flags in filter, {references.documents} documents.",
                    "Give one flag for each document.",
                )
        return np.flatnonzero(flags)

    def _items(self, side: Attributes, asked: Mapping[str, frozenset[str] | None]) -> _Items:
        """The items of one side, with those that occur several times."""
        number = {name: code for code, name in enumerate(asked)}
        attribute_of = np.array([number.get(name, -1) for name in side.names], dtype=code_type(len(asked)))
        # by attribute and label: whether it is asked; by attribute and value: whether that is an item
        asked_of = np.array(
            [[labels is None or label in labels for label in side.labels] for labels in asked.values()], dtype=bool
        ).reshape(len(asked), len(side.labels))
        falsy = np.array([not self.include_falsy and not value for value in side.values], dtype=bool)
        default_of = np.full(len(asked), -2, dtype=np.int64)
        for code, name in enumerate(asked):
            default = plain_value(self.default_values.get(name), name)
            same = [other for other, value in enumerate(side.values) if _same(value, default)]
            default_of[code] = same[0] if same else -2
        rows = np.flatnonzero((side.value >= 0) & (attribute_of[side.name] >= 0))
        attribute, value, span = attribute_of[side.name[rows]], side.value[rows], side.span[rows]
        chosen = ~falsy[value] & (value != default_of[attribute]) & asked_of[attribute, side.label[span]]
        rows, attribute, value, span = rows[chosen], attribute[chosen], value[chosen], span[chosen]
        # the order of the asked attributes within a span
        place = span.astype(np.int64) * len(asked) + attribute
        order = slice(None) if (place[1:] >= place[:-1]).all() else np.argsort(place, kind="stable")
        rows, attribute, value, span = rows[order], attribute[order], value[order], span[order]
        score = np.where(np.isnan(side.score[rows]), 1.0, side.score[rows])
        return _Items(side.document[span], side.start[span], side.end[span], attribute, value, side.values, score)

    def _ranked_items(self, items: _Items, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first of each distinct item, in the order given, and their scores."""
        order = np.argsort(code, kind="stable")
        begins = np.flatnonzero(begins_run(code[order]))
        first = order[begins]
        if len(first) == len(code):
            return np.arange(len(code)), items.score
        if self.average_precision == "ties":
            score = np.maximum.reduceat(items.score[order], begins)
        else:
            score = items.score[order[np.append(begins[1:], len(order)) - 1]]
        in_order = np.argsort(first)
        return first[in_order], score[in_order]

    def _values(
        self, counts: AttributeCounts, totals: Mapping[str, np.ndarray], times: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """The values of `micro_key` and of each attribute, of a corpus in which documents occur so many times."""
        apart, joint = (self._precisions(counts, groups, times) for groups in self._groupings(counts))
        whole = {name: np.append(values.sum(), values) for name, values in totals.items()}
        return self.formula({**whole, "precisions": np.append(joint, apart)})

    @staticmethod
    def _groupings(counts: AttributeCounts) -> tuple[_Grouping, _Grouping]:
        """The groups that are ranked apart: the attributes, and all items together."""
        attribute = counts.rows["label"]
        return (attribute, len(counts.labels)), (np.zeros_like(attribute), 1)

    def _steps(self, counts: AttributeCounts, grouping: _Grouping, times: np.ndarray | None = None) -> _Steps:
        """The predicted items of each group in the order of their scores, as steps.

        Args:
            counts: of all documents.
            grouping: the groups that are ranked apart.
            times: how often each document occurs; None for once. Documents that occur several times stand one behind
                the other.
        """
        group, groups = grouping
        order = counts.ranking
        if times is not None:
            order = self._repeated(counts, order, times)
        if groups > 1:
            order = order[np.argsort(group[order], kind="stable")]
        group, score, right = group[order], counts.rows["score"][order], counts.rows["right"][order]
        first = np.flatnonzero(begins_run(group))
        size = np.diff(np.append(first, len(group)))
        before = np.cumsum(right) - right
        rank = np.arange(1, len(group) + 1) - np.repeat(first, size)
        hits = np.cumsum(right) - np.repeat(before[first], size)
        if self.average_precision != "ties":
            return _Steps(group, score, rank, hits, right.astype(np.int64))
        begins = np.flatnonzero(begins_run(group, score))
        last = np.append(begins[1:], len(group))[: len(begins)] - 1
        gained = np.add.reduceat(right.astype(np.int64), begins) if len(begins) else begins
        return _Steps(group[last], score[last], rank[last], hits[last], gained)

    def _repeated(self, counts: AttributeCounts, order: np.ndarray, times: np.ndarray) -> np.ndarray:
        """The ranking of a corpus in which documents occur several times."""
        repeats = times[counts.rows["document"][order]]
        repeated = np.repeat(order, repeats)
        if self.average_precision == "ties":
            # among items of equal score the order does not matter
            return repeated
        copy = np.arange(len(repeated)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        rows = counts.rows
        keys = (rows["position"][repeated], copy, rows["document"][repeated], -rows["score"][repeated])
        return repeated[np.lexsort(keys)]

    def _precisions(self, counts: AttributeCounts, grouping: _Grouping, times: np.ndarray | None) -> np.ndarray:
        """For each group the sum, over its right items, of the precision down to their step."""
        steps = self._steps(counts, grouping, times)
        gained = steps.gained
        if self.average_precision == "edsnlp-0.20":
            gained = np.where(steps.rank == 1, 0, gained)
        return np.bincount(steps.group, weights=gained * (steps.hits / steps.rank), minlength=grouping[1])

    def _curve(self, steps: _Steps, chosen: Any, result: Mapping[str, Any]) -> PrecisionRecallCurve:
        hits, rank = steps.hits[chosen], steps.rank[chosen]
        recall = divide(hits, np.full(len(hits), result["support"]), self.zero_division)
        return PrecisionRecallCurve(steps.score[chosen], hits / rank, recall, result["ap"])


_Grouping = tuple[np.ndarray, int]
"""The group of each predicted item, and how many groups there are."""


@dataclass(frozen=True, eq=False)
class _Items:
    """Columns of items; `value` indexes `values`."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    attribute: np.ndarray
    value: np.ndarray
    values: tuple[Value, ...]
    score: np.ndarray


@dataclass(frozen=True, eq=False)
class _Steps:
    """Steps down the ranking of each group, the groups one after the other.

    `rank` and `hits`: how many items of the group, and how many right ones, there are down to the step; `gained`: how
    many right ones the step itself has.
    """

    group: np.ndarray
    score: np.ndarray
    rank: np.ndarray
    hits: np.ndarray
    gained: np.ndarray


def _asked(attributes: Any) -> dict[str, frozenset[str] | None] | None:
    """The labels of each attribute that is asked, None for all labels; None where all attributes are."""
    if attributes is None:
        return None
    if isinstance(attributes, Mapping):
        given = dict(attributes)
    elif isinstance(attributes, (list, tuple)):
        if not all(isinstance(name, str) for name in attributes):
            raise InputError(f"{setting('attributes', attributes)} is not a list of names.", _ATTRIBUTES_REMEDY)
        given = dict.fromkeys(attributes, True)
    else:
        raise InputError(f"invalid value for attributes: {attributes!r}.", _ATTRIBUTES_REMEDY)
    asked: dict[str, frozenset[str] | None] = {}
    for name, labels in given.items():
        if not isinstance(name, str):
            raise InputError(f"the attribute {name!r} in attributes is not a string.", _ATTRIBUTES_REMEDY)
        if labels is True:
            asked[name] = None
        elif isinstance(labels, (list, tuple, set, frozenset)) and all(isinstance(label, str) for label in labels):
            asked[name] = frozenset(labels)
        else:
            raise InputError(
                f"{labels!r} in attributes does not say of which spans {name!r} is asked.", _ATTRIBUTES_REMEDY
            )
    return asked


def _require_default_values(values: Any) -> None:
    remedy = "Use a mapping such as {'negated': False}: one bool, int, float or str for an attribute."
    if not isinstance(values, Mapping):
        raise InputError(f"invalid value for default_values: {values!r}.", remedy)
    for name, value in values.items():
        if not isinstance(name, str):
            raise InputError(f"the attribute {name!r} in default_values is not a string.", remedy)
        try:
            plain_value(value, name)
        except InputError as error:
            raise InputError(f"default_values: {error.problem}", remedy) from None


def _flags(given: Any) -> np.ndarray:
    """A list of bools as an array."""
    listed = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim == 1)
    if not listed or not all(isinstance(flag, (bool, np.bool_)) for flag in given):
        raise InputError(
            f"invalid value for filter: {given!r}.",
            "Use None, a list of bools, one for each document, or a function of a document's reference spans.",
        )
    return np.array(given, dtype=bool)


def _same(value: Value, other: Value | None) -> bool:
    return type(value) is type(other) and value == other


def _item_codes(references: _Items, predictions: _Items) -> tuple[np.ndarray, np.ndarray]:
    """A code for each item of both sides, the same for the same items."""
    number: dict[tuple[type, Value], int] = {}
    values = []
    for side in (references, predictions):
        codes = [number.setdefault((type(value), value), len(number)) for value in side.values]
        values.append(np.array(codes, dtype=np.int64)[side.value])
    columns = [
        np.concatenate([getattr(side, name) for side in (references, predictions)])
        for name in ("document", "start", "end", "attribute")
    ]
    code = ordered_codes(*columns, np.concatenate(values))
    return code[: len(references.value)], code[len(references.value) :]


def _require_same_spans(references: Attributes, predictions: Attributes, documents: np.ndarray | None) -> None:
    """Raise an `InputError` that names the first span that only one side has; `documents` are their numbers."""
    names = ("document", "start", "end", "label")
    if references.labels == predictions.labels and all(
        np.array_equal(getattr(references, name), getattr(predictions, name)) for name in names
    ):
        return
    labels = sorted({*references.labels, *predictions.labels})
    sides = {"references": references, "predictions": predictions}
    columns = []
    for side in sides.values():
        rank = np.array([labels.index(label) for label in side.labels], dtype=np.int64)
        columns.append((side.document, side.start, side.end, rank[side.label]))
    codes = ordered_codes(*(np.concatenate(pair) for pair in zip(*columns, strict=True)))
    of_side = dict(zip(sides, np.split(codes, [len(references)]), strict=True))
    if np.array_equal(np.sort(of_side["references"]), np.sort(of_side["predictions"])):
        return
    apart = np.setxor1d(of_side["references"], of_side["predictions"])
    if len(apart) == 0:
        return
    for name, side in sides.items():
        at = np.flatnonzero(of_side[name] == apart[0])
        if len(at):
            span, document = int(at[0]), int(side.document[at[0]])
            raise InputError(
                f"the span from {side.start[span]} to {side.end[span]} with the label "
                f"{side.labels[side.label[span]]!r} is not among the {_OTHER[name]}.",
                f"Give both sides the same spans, or score the difference with {setting('on_mismatch', 'count')}.",
                side=name,
                document=document if documents is None else int(documents[document]),
                span=span - int(np.searchsorted(side.document, document)),
            )


_OTHER = {"references": "predictions", "predictions": "references"}
