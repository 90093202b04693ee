"""Attributes of spans as items (document, start, end, attribute, value): filtered, compared, and ranked by score."""

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..arrays import listed, listed_items, ordered_codes, ranges, recoded, run_bounds
from ..counts.counts import Counts
from ..exceptions import OTHER_PLACE, InputError, all_of, mention, setting, shown, with_type
from ..spans.attributes import Attributes, Value

UNMATCHED = ("unmatched_references", "unmatched_predictions")
"""Names of two counts by document: reference spans without an equal predicted span, and the reverse."""

_SIDES = ("references", "predictions")

ScoredAttributes = Mapping[str, frozenset[str] | None]
"""Maps each scored attribute to the labels of the spans on which it is scored; None means all labels."""

Defaults = Mapping[str, Value | None]
"""Maps attributes to their default values."""

_LISTED = 50
"""The maximum number of names that an error lists."""

_ATTRIBUTES_REMEDY = (
    "List the attributes to score, such as ['negated']. To score an attribute only on spans with certain labels, write "
    "{'negated': ['PER']}. To score all attributes, use None."
)

_BOUNDS = ("label", "start", "end")
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_COMPARISON = re.compile(
    r"""\s*(?P<name>[^\s=!<>"']+)\s*(?P<order>==|!=|<=|>=|<|>)\s*(?P<value>"[^"]*"|'[^']*'|[^\s=!<>"']+)\s*(?:\band\b|$)"""
)
_ORDER_REMEDY = "Compare numbers with numbers and text with text. For other values, use == or !=."
_FILTER_REMEDY = (
    "Use ==, !=, <, <=, > or >= to compare a label, start, end or attribute with a value. Join comparisons with "
    "'and', for example: carrier == 'FATHER' and negated == false. In Python, the filter can also be a function."
)


class AttributeItems:
    """The items of the reference, followed by the items of the prediction, both in document order.

    Items are not deduplicated: an item on both sides occurs at least twice.

    Attributes:
        attributes: the scored attributes.
        values: the distinct values of both sides.
        references: the number of reference items.
        document, start, end: the position of each item.
        attribute: the index of each item's attribute in `attributes`.
        value: the index of each item's value in `values`.
        score: the score of each item.
        code: an integer for each item. Equal items have equal integers; integers increase with the document.

    Args:
        sides: the annotated spans of the reference and of the prediction.
        scored: the scored attributes.
        defaults: the default value of each attribute. Default values are not items.
        include_falsy: whether False, 0, 0.0, "" and None are items.
    """

    def __init__(
        self, sides: Sequence[Attributes], scored: ScoredAttributes, defaults: Defaults, *, include_falsy: bool
    ) -> None:
        number: dict[tuple[type, Value | None], int] = {}
        parts = []
        for side in sides:
            span, attribute, value, score = _item_columns(side, scored, defaults, include_falsy=include_falsy)
            # None, whose index is -1, is the last
            codes = [number.setdefault((type(value), value), len(number)) for value in (*side.values, None)]
            value = np.array(codes, dtype=np.int64)[value]
            parts.append((side.document[span], side.start[span], side.end[span], attribute, value, score))
        self.attributes, self.values = tuple(scored), tuple(value for _, value in number)
        self.references = len(parts[0][0])
        columns = map(np.concatenate, zip(*parts, strict=True))
        self.document, self.start, self.end, self.attribute, self.value, self.score = columns
        self.code = ordered_codes(self.document, self.start, self.end, self.attribute, self.value)

    @property
    def reference(self) -> np.ndarray:
        """Whether each item is in the reference."""
        return np.isin(self.code, self.code[: self.references])

    @property
    def predicted(self) -> np.ndarray:
        """Whether each item is in the prediction."""
        return np.isin(self.code, self.code[self.references :])


def _item_columns(
    side: Attributes, scored: ScoredAttributes, defaults: Defaults, *, include_falsy: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the span, attribute, value (-1 for None) and score of each item, ordered by span and attribute."""
    number, width = {name: code for code, name in enumerate(scored)}, max(len(scored), 1)
    attribute_of = np.array([number.get(name, -1) for name in side.names], dtype=np.int64)
    # whether an attribute is scored for a label, and whether its value is an item
    of_labels = [[labels is None or label in labels for label in side.labels] for labels in scored.values()]
    of_values = [
        [(include_falsy or bool(own)) and (type(own) is not type(default) or own != default) for own in side.values]
        for default in map(defaults.get, scored)
    ]
    scored_of = np.array(of_labels, dtype=bool).reshape(len(scored), len(side.labels))
    is_item = np.array(of_values, dtype=bool).reshape(len(scored), len(side.values))
    rows = np.flatnonzero((side.value >= 0) & (attribute_of[side.name] >= 0))
    attribute, value, span = attribute_of[side.name[rows]], side.value[rows], side.span[rows]
    stated, chosen = span * width + attribute, is_item[attribute, value] & scored_of[attribute, side.label[span]]
    score = np.where(np.isnan(side.score[rows]), 1.0, side.score[rows])
    # with falsy values, an attribute without a value has the value None, unless that is its default
    may_lack = np.array([include_falsy and defaults.get(name, True) is not None for name in scored], dtype=bool)
    lacking = (scored_of & may_lack[:, None])[:, side.label].T.ravel()
    lacking[stated] = False
    empty = np.flatnonzero(lacking)
    place = np.concatenate([stated[chosen], empty])
    order = np.argsort(place, kind="stable")
    value, score = np.append(value[chosen], np.full(len(empty), -1)), np.append(score[chosen], np.ones(len(empty)))
    return (*np.divmod(place[order], width), value[order], score[order])


def distinct_items(code: np.ndarray, score: np.ndarray, *, highest: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the index and score of each distinct item: the highest score of its copies, or the last one."""
    order = np.argsort(code, kind="stable")
    first, end = run_bounds(code[order])
    score = np.maximum.reduceat(score[order], first) if highest and len(first) else score[order[end - 1]]
    in_order = np.argsort(order[first])
    return order[first][in_order], score[in_order]


def unmatched_spans(references: Attributes, predictions: Attributes) -> np.ndarray:
    """Return the distinct spans (document, start, end, label) on only one side, references first."""
    names = ("document", "start", "end", "label")
    if references.labels == predictions.labels and all(
        np.array_equal(getattr(references, name), getattr(predictions, name)) for name in names
    ):
        return np.zeros(0, dtype=np.int64)
    sides = references, predictions
    number = {label: code for code, label in enumerate(sorted({*references.labels, *predictions.labels}))}
    label = np.concatenate([recoded(side.label, side.labels, number) for side in sides])
    codes = ordered_codes(*(np.concatenate([getattr(side, name) for side in sides]) for name in names[:3]), label)
    apart = np.setxor1d(codes[: len(references)], codes[len(references) :])
    distinct, first = np.unique(codes, return_index=True)
    return np.asarray(first[np.searchsorted(distinct, apart)])


def seen_names(references: Attributes, predictions: Attributes) -> dict[str, frozenset[str]]:
    """Map each attribute that occurs on either side to the labels of its spans."""
    sides = references, predictions
    attributes = (side.names[code] for side in sides for code in np.flatnonzero(np.bincount(side.name)))
    labels = (side.labels[code] for side in sides for code in np.flatnonzero(np.bincount(side.label)))
    return {"attributes": frozenset(attributes), "labels": frozenset(labels)}


def read_scored(attributes: Any) -> dict[str, frozenset[str] | None] | None:
    """Read the option `attributes`. The result maps each attribute to its labels (None: all labels).

    None as input or result means all attributes.

    Raises:
        InputError: if the option is neither a list of names nor a mapping from names to True or to labels.
    """
    if attributes is None:
        return None
    if isinstance(attributes, Mapping):
        entries = listed_items(attributes, _ATTRIBUTES_REMEDY, option="attributes")
    elif isinstance(attributes, (list, tuple)):
        entries = [(name, True) for name in listed(attributes, _ATTRIBUTES_REMEDY, option="attributes")]
    else:
        raise InputError(f"invalid value for attributes: {shown(attributes)}.", _ATTRIBUTES_REMEDY)
    for name, labels in entries:
        listing = labels if isinstance(labels, (list, tuple, set, frozenset)) else ()
        several = bool(listing) and all(isinstance(label, str) and label for label in listing)
        if not isinstance(name, str) or not (labels is True or several):
            wrong = f"the labels for the attribute {shown(name)} must be a list such as ['PER'], not {shown(labels)}"
            problem = wrong if isinstance(name, str) else f"{with_type(name)} is not the name of an attribute"
            raise InputError(f"{mention('attributes')}: {problem}.", _ATTRIBUTES_REMEDY, option="attributes")
    return {name: None if labels is True else frozenset(labels) for name, labels in entries}


def require_seen(
    seen: Mapping[str, frozenset[str]], option: str, names: Iterable[str], kind: str = "attributes"
) -> None:
    """Raise an `InputError` if an option names an attribute or label that does not occur in the data.

    Args:
        seen: the names that occur, see `seen_names`. If there are no spans, nothing is checked.
        option: the name of the option.
        names: the names in the option.
        kind: `attributes` or `labels`.
    """
    unknown = sorted(set(names) - seen[kind]) if seen["labels"] else []
    if unknown:
        present = sorted(seen[kind])
        remedy = f"{all_of(kind[:-1], present[:_LISTED], 'The')}{', ...' if len(present) > _LISTED else ''}."
        remedy = remedy if present else f"The spans have no attributes. Leave out {mention(option)}."
        problem = f"no span has the {kind[:-1]} {shown(unknown[0])}, which you set in {mention(option)}."
        raise InputError(problem, remedy, option=option)


def unmatched_refusal(sides: Sequence[Attributes], unmatched: int, documents: np.ndarray | None) -> InputError:
    """Create an error about a span on only one side; `documents` are the document numbers."""
    side = int(unmatched >= len(sides[0]))
    at, span = unmatched - side * len(sides[0]), sides[side]
    return InputError(
        f"the span from {span.start[at]} to {span.end[at]} with the label {span.labels[span.label[at]]!r} is missing "
        f"in the {_SIDES[1 - side]}.",
        f"Give both sides the same spans. To count missing spans as errors, use {setting('on_mismatch', 'count')}.",
        **_place_of(sides, side, at, documents),
    )


def require_one_type(
    sides: Sequence[Attributes], scored: ScoredAttributes, defaults: Defaults, documents: np.ndarray | None
) -> None:
    """Raise an `InputError` if two values of an attribute differ only in type, such as True, 1, 1.0 and "1".

    Args:
        sides: the annotated spans of the reference and of the prediction.
        scored: the scored attributes.
        defaults: the default value of each attribute; it is compared too.
        documents: the document numbers; None means 0, 1, 2 ...
    """
    preset = [(name, value) for name, value in defaults.items() if name in scored]
    values = (*sides[0].values, *sides[1].values, *(value for _, value in preset))
    typed = {(type(value), _meaning(value)) for value in values}
    if len({meaning for _, meaning in typed}) == len(typed):
        return
    first: dict[Any, tuple[Value | None, InputError | None]] = {
        (name, _meaning(value)): (value, None) for name, value in preset
    }
    for number, side in enumerate(sides):
        is_scored = np.array([name in scored for name in side.names], dtype=bool)
        rows = np.flatnonzero((side.value >= 0) & is_scored[side.name])
        # the first row of each attribute and value
        for row in rows[np.sort(np.unique(ordered_codes(side.name[rows], side.value[rows]), return_index=True)[1])]:
            name, value = side.names[side.name[row]], side.values[side.value[row]]
            place = InputError("", **_place_of(sides, number, int(side.span[row]), documents))
            earlier, earlier_place = first.setdefault((name, _meaning(value)), (value, place))
            if type(earlier) is not type(value):
                where = mention("default_values") if earlier_place is None else OTHER_PLACE
                problem = f"the value of {shown(name)} is {with_type(value)} here, and {with_type(earlier)} in {where}."
                if earlier_place is not None and earlier_place.place == place.place:
                    problem = f"{shown(name)} has values of two types: {with_type(value)} and {with_type(earlier)}."
                remedy = "Use one type for all values of an attribute."
                raise place.placed(problem=problem, remedy=remedy, other=earlier_place)


def _meaning(value: Value | None) -> Any:
    """Convert a value so that values that differ only in type become equal: `"true"`, `"1"` and 1.0 become 1."""
    text = value.strip().lower() if isinstance(value, str) else ""
    return {"true": True, "false": False}.get(text, _number(text, value))


def _number(text: str, otherwise: Any) -> Any:
    """Parse a number; return another value if the text is not a number."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return otherwise


def _place_of(sides: Sequence[Attributes], side: int, span: int, documents: np.ndarray | None) -> dict[str, Any]:
    """Describe the position of a span for an `InputError`; `documents` are the document numbers."""
    document = int(sides[side].document[span])
    return {
        "side": _SIDES[side],
        "document": document if documents is None else int(documents[document]),
        "span": span - int(np.searchsorted(sides[side].document, document)),
    }


class DocumentFilter:
    """A document filter: it selects documents with at least one span that fulfils all comparisons.

    A comparison has a name, an operator and a value. The name is an attribute of the span, or `label`, `start` or
    `end`. The value is a number, `true`, `false`, `null` or text; quote text that contains spaces. A missing attribute
    is null. If an attribute has several values, `==` holds if one of them is equal, and `!=` holds if none is.

    Attributes:
        names: the names of the compared attributes.

    Raises:
        InputError: if the filter cannot be parsed.
    """

    def __init__(self, text: str) -> None:
        self._comparisons: list[tuple[str, str, Any]] = []
        place = 0
        while place < len(text) or not place:
            match = _COMPARISON.match(text, place)
            if match is None or (match.end() == len(text) and match[0].endswith("and")):
                raise InputError(f"invalid value for filter: {shown(text)}.", _FILTER_REMEDY, option="filter")
            self._comparisons.append((match["name"], match["order"], _value(match["value"])))
            place = match.end()
        self.names = frozenset(name for name, *_ in self._comparisons) - set(_BOUNDS)

    def __call__(self, spans: Sequence[Mapping[str, Any]]) -> bool:
        """Check whether a document with these spans passes the filter."""
        return any(all(_holds(span, *comparison) for comparison in self._comparisons) for span in spans)


def _value(text: str) -> Any:
    """Parse a value: a number, `true`, `false`, `null`, or text with or without quotes."""
    if text[0] in "\"'":
        return text[1:-1]
    return _CONSTANTS.get(text.lower(), _number(text, text))


def _holds(span: Mapping[str, Any], name: str, order: str, value: Any) -> bool:
    """Check whether a span fulfils a comparison."""
    content = span[name] if name in _BOUNDS else span["attributes"].get(name)
    values = (content or [None]) if isinstance(content, list) else [content]
    if order in ("==", "!="):
        # 1 equals 1.0, but not true
        return any(_kind(own) is _kind(value) and own == value for own in values) is (order == "==")
    for own in values:
        if own is not None and (_kind(own) is not _kind(value) or _kind(own) is bool):
            raise InputError(f"`filter` cannot compare {own!r} and {value!r} with <, <=, > or >=.", _ORDER_REMEDY)
    return any(_ORDERS[order](own, value) for own in values if own is not None)


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)


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


class Steps:
    """The steps of several rankings, one ranking for each group of items. A step adds one or more items.

    Attributes:
        group: the group of each step.
        score: the score of the items that the step adds.
        rank: the number of items in the group down to this step.
        hits: the number of right items in the group down to this step.
        gained: the number of right items that the step adds, if it counts in average precision.

    Args:
        counts: the counts of all documents.
        order: the predicted items of all groups, group after group, each by rank.
        group: the group of each of these items.
        rule: how items with equal scores are ranked, see `SpanAttribute.average_precision`.
    """

    def __init__(self, counts: AttributeCounts, order: np.ndarray, group: np.ndarray, rule: str) -> None:
        score, right = counts.rows["score"][order], counts.rows["right"][order].astype(np.int64)
        first, end = run_bounds(group)
        rank = np.arange(1, len(group) + 1) - np.repeat(first, end - first)
        hits = np.cumsum(right) - np.repeat((np.cumsum(right) - right)[first], end - first)
        gained = np.where(rank == 1, 0, right) if rule == "edsnlp-0.20" else right
        if rule == "ties":
            first, end = run_bounds(group, score)
            group, score, rank, hits = (column[end - 1] for column in (group, score, rank, hits))
            gained = np.add.reduceat(right, first)
        self.group, self.score, self.rank, self.hits, self.gained = group, score, rank, hits, gained

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
        return cls(counts, np.concatenate([order, order[by_label]]), group, rule)

    @classmethod
    def of_documents(cls, counts: AttributeCounts, rule: str) -> Self:
        """Rank the items of each document separately."""
        document = counts.rows["document"][counts.ranking]
        by_document = np.argsort(document, kind="stable")
        return cls(counts, counts.ranking[by_document], document[by_document], rule)

    def precisions(self, groups: int) -> np.ndarray:
        """Sum the precision at the rank of each right item that counts, for each group."""
        return np.bincount(self.group, weights=self.gained * (self.hits / self.rank), minlength=groups)


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
