"""Scores of span attributes, as items (document, start, end, attribute, value)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any, ClassVar, Self, cast

import numpy as np

from ..arrays import listed_items
from ..counts.counts import Column, Counts
from ..counts.statistics import Resampling, divide, precision_recall_f1
from ..exceptions import InputError, counted, mention, require_sides, setting, shown
from ..options import escaped, option, unescaped
from ..spans.attributes import Attributes, Value, plain_value
from .attribute_items import (
    UNMATCHED,
    AttributeCounts,
    AttributeItems,
    DocumentFilter,
    PrecisionRecallCurve,
    ScoredAttributes,
    Steps,
    distinct_items,
    read_scored,
    require_one_type,
    require_seen,
    seen_names,
    unmatched_refusal,
    unmatched_spans,
)
from .base import Key, Measure, with_bounds, zero_division_option

Filter = str | Callable[[list[dict[str, Any]]], bool]

_SIGNS = ",=+"
"""The separators between attributes and labels in text."""


class SpanAttribute(Measure):
    """Compute precision, recall, F1 and average precision (AP) of span attributes.

    An item is (document, start, end, attribute, value). An attribute with several values gives several items. With the
    items I of the reference and Î of the prediction,

        p = |Î ∩ I| / |Î|,  r = |Î ∩ I| / |I|,  f = 2 |Î ∩ I| / (|Î| + |I|),

    `tp` = |Î ∩ I|, `support` = |I|, `positives` = |Î|. They are computed for each attribute, and for all attributes
    together under `micro_key`. Ratios are in [0, 1], higher is better. An attribute without items has the counts 0, and
    `zero_division` as p, r, f and ap.

    A default value is not an item, so a missing attribute counts as its default. Without `include_falsy`, None, False,
    0, 0.0 and "" are not items either. With `include_falsy`, a missing attribute has the value None; this is an item,
    as in EDS-NLP 0.23, unless None is the default.

    If two values of an attribute differ only in type (True, 1, 1.0 and "1"), an error is raised, because one of them is
    probably a mistake. Default values are compared too.

    `score` raises an error if an option names an attribute or label that no span in the whole corpus has. A single
    batch, shard or part may lack a name. If there are no spans, names are not checked.

    Both sides must have the same spans (start, end, label) in each document; duplicates count once. Labels only decide
    which attributes of a span are scored. If two spans differ only in their labels, equal values of an attribute are
    one item.

    If `attributes` is None, all attributes are scored, in alphabetical order.

    Average precision ranks the predicted items by score, highest first. An item without a score has 1.0. With the
    precision P_k and the recall R_k of the items down to step k,

        ap = Σ_k (R_k - R_{k-1}) P_k,  R_0 = 0.

    - `ties`: items with equal scores form one step, so their order does not matter, as in scikit-learn's
      `average_precision_score` over the predicted items. Recall also counts reference items that are never predicted,
      so ap is scikit-learn's value times tp / support.
    - `edsnlp`: each item is a step. Items with equal scores are ordered by document, span and `attributes`, as in
      EDS-NLP since 0.21.0.
    - `edsnlp-0.20`: the same without the step k = 1, as in EDS-NLP 0.17.2 to 0.20.0. (Those releases rank the value
      with the highest score if an attribute has another value; this is not reproduced.)

    A repeated item has its highest score with `ties`. Otherwise it has its last score, at its first position.

    Counts: numbers of items, spans on only one side, and a row for each predicted item, see `AttributeCounts`.

    Attributes:
        attributes: attributes to score: None (all), a list of names, or a dict. The dict {"negated": ["DRUG"],
            "date": True} scores "negated" only on DRUG spans, and "date" on all spans.
        default_values: default values of attributes. A value that equals the default is not scored.
        include_falsy: also count None, False, 0, 0.0, "" and missing attributes as values.
        micro_key: the scores over all attributes have this key in the result.
        average_precision: `ties`, `edsnlp` or `edsnlp-0.20`, see above.
        filter: the documents to score. None: all. Or a function that takes the reference spans of a document (a list of
            dicts, see `Attributes.to_dicts`) and returns a bool. Or comparisons of attributes with values, such as
            `"carrier == 'FATHER' and negated == false"`, see `DocumentFilter`.
        on_mismatch: how to handle spans on only one side. `error`: raise an error. `count`: their items are false
            negatives or false positives, and `unmatched_references` and `unmatched_predictions` count the spans. Items
            have no labels, so spans that differ only in labels are compared by their values.
        zero_division: value of undefined scores.
    """

    # results list each attribute, so nothing is averaged
    average: str = field(init=False, default="micro", repr=False)
    attributes: Sequence[str] | Mapping[str, bool | Sequence[str]] | None = option(
        None, type="list of str or dict", repeat=True, parse=lambda texts: _scored_in(texts), label="Attributes"
    )
    default_values: Mapping[str, Value] = option(
        default_factory=dict,
        type="dict",
        convert=lambda values: _plain_values(values),
        repeat=True,
        parse=lambda texts: _default_values_in(texts),
        label="Default values",
    )
    include_falsy: bool = option(False, label="Count missing, false, 0 and empty values")
    micro_key: str = option("micro", kind=str, label="Name of all together")
    average_precision: str = option(
        "ties",
        help="for average precision, how values with equal scores are ranked",
        choices={
            "ties": "values with equal scores share one step",
            "edsnlp": "each value is a step of its own, in document order",
            "edsnlp-0.20": "like edsnlp, but the first step adds 0 even if its value is right, as in EDS-NLP 0.20.0",
        },
        label="Average precision",
    )
    filter: Filter | None = option(
        None,
        help="keep only documents with a reference span that fulfils a condition, such as carrier == 'FATHER' and "
        "negated == false. In Python, you can also pass a function that takes a document's reference spans",
        type="function or str",
        parse=str,
    )
    on_mismatch: str = option(
        "error",
        help="how to handle spans that only the reference or only the prediction has",
        choices={"error": "raise an error", "count": "count their values as false negatives or false positives"},
        label="Spans on one side only",
    )

    zero_division: float = zero_division_option()

    name = "span_attribute"
    leading = True
    place = 100
    input = "attributes"
    results: ClassVar[Mapping[str, Key]] = {
        "f": Key("F1", "harmonic mean of precision and recall"),
        "p": Key("precision", "share of predicted attribute values that are right"),
        "r": Key("recall", "share of attribute values in the reference that are predicted"),
        "tp": Key("right", "number of predicted attribute values that are right", "[0, ∞)", kind=int, whole=True),
        "support": Key("in the reference", "number of values in the reference", "[0, ∞)", "", int, whole=True),
        "positives": Key("predicted", "number of predicted values", "[0, ∞)", "", int, whole=True),
        "ap": Key("average precision", "average precision of the predicted values, ranked by score"),
    }
    returns = "for each attribute, and for all together under micro_key, a dict of these"
    detail_keys = ("counts", "signature", "curves")
    headline = "f"
    counts_type = AttributeCounts
    support = "support"
    shared = UNMATCHED

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self._require_free_micro_key(read_scored(self.attributes) or {})
        if isinstance(self.filter, str):
            DocumentFilter(self.filter)
        elif self.filter is not None and not callable(self.filter):
            remedy = "Use None, a string of comparisons such as 'negated == false', or a function."
            raise InputError(f"invalid value for filter: {shown(self.filter)}.", remedy)

    def counts(self, references: Attributes, predictions: Attributes) -> AttributeCounts:
        """Compute the counts of both sides' items, and keep the predicted items with their scores.

        Raises:
            InputError: if the sides have different documents or, without `on_mismatch="count"`, different spans; if
                `filter` fails; if an attribute has the name in `micro_key`, or two of its values differ only in type.
        """
        sides, items, apart = self._both_sides(references, predictions)
        reference_code, code = np.split(items.code, [items.references])
        distinct, first = np.unique(reference_code, return_index=True)
        predicted, score = distinct_items(
            code, items.score[items.references :], highest=self.average_precision == "ties"
        )
        # faster than np.isin, which would sort all codes again
        right = np.append(distinct, -1)[np.searchsorted(distinct, code[predicted])] == code[predicted]
        predicted = items.references + predicted
        document, attribute = items.document[predicted], items.attribute[predicted]
        columns = {
            "tp": Column(document[right], attribute[right]),
            "support": Column(items.document[first], items.attribute[first]),
            "positives": Column(document, attribute),
        }
        rows = {
            "document": document.astype(np.int64),
            "label": attribute.astype(np.int64),
            "score": score,
            "right": right,
            "position": np.arange(len(document)),
        }
        of_spans, documents = np.concatenate([side.document for side in sides])[apart], sides[0].documents
        parts = of_spans[apart < len(sides[0])], of_spans[apart >= len(sides[0])]
        unmatched = {name: np.bincount(part, minlength=documents) for name, part in zip(UNMATCHED, parts, strict=True)}
        return AttributeCounts(columns, items.attributes, documents, unmatched, rows, self, seen_names(*sides))

    def items(self, references: Attributes, predictions: Attributes) -> AttributeItems:
        """Return the items that `counts` compares; documents are numbered after `filter` is applied.

        Raises:
            InputError: see `counts`.
        """
        return self._both_sides(references, predictions)[1]

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute the scores from numbers of items and from `precisions`, the sum in the numerator of ap."""
        tp, support, positives = numbers = tuple(quantities[name] for name in ("tp", "support", "positives"))
        precision, recall, f1 = precision_recall_f1(tp, positives, tp, support, self.zero_division).values()
        average_precision = divide(quantities["precisions"], support, self.zero_division)
        return dict(zip(self.keys, (f1, precision, recall, *numbers, average_precision), strict=True))

    def score(self, counts: Any) -> dict[str, Any]:
        """Compute the result: a dict with the values of `keys` for `micro_key` and for each attribute.

        Raises:
            InputError: if an attribute has the name in `micro_key`, or an option names an attribute or label that no
                span has.
        """
        self._require_free_micro_key(dict.fromkeys(counts.labels))
        scored = read_scored(self.attributes) or {}
        require_seen(counts.seen, "attributes", scored)
        require_seen(counts.seen, "default_values", self.default_values)
        require_seen(counts.seen, "attributes", chain.from_iterable(filter(None, scored.values())), "labels")
        values = self.scores_of_all(self.totals(counts))
        # the overall values come last
        names = enumerate((self.micro_key, *counts.labels), -1)
        return {name: {key: self.results[key].kind(values[key][code]) for key in self.keys} for code, name in names}

    def totals(self, counts: Any, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Sum counts by attribute, and add the numerator of average precision. Items are ranked in each corpus."""
        rule, groups = self.average_precision, 1 + len(counts.labels)
        corpora = [None] if weights is None else weights.astype(np.int64)
        sums = np.array([Steps.of_attributes(counts, rule, times).precisions(groups) for times in corpora])
        # the sum over all attributes, then the sums of each, see `Measure.pooled`
        of_all, of_each = np.split(sums[0] if weights is None else sums, [1], axis=-1)
        all_precisions = np.broadcast_to(of_all, of_each.shape)
        return {**super().totals(counts, weights), "precisions": of_each, "all_precisions": all_precisions}

    def with_intervals(self, result: Mapping[str, Any], counts: Counts, resampling: Resampling) -> dict[str, Any]:
        """Add `<key>_low` and `<key>_high` to each dict of a result."""
        intervals = self.label_intervals(counts, resampling, self.micro_key)
        return {name: with_bounds(values, intervals[name]) for name, values in result.items()}

    def score_per_document(self, counts: Any) -> dict[str, np.ndarray]:
        """Compute the values of each document under `micro_key`, shape (documents)."""
        steps = Steps.of_documents(counts, self.average_precision)
        sums = {name: np.bincount(each.document, minlength=counts.documents) for name, each in counts.columns.items()}
        return self.formula({**sums, "precisions": steps.precisions(counts.documents)})

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the counts of all attributes together, and the precision-recall curves."""
        names = ("threshold", "precision", "recall")
        curves = self.curves(cast(AttributeCounts, counts))
        points = {key: {name: getattr(curve, name).tolist() for name in names} for key, curve in curves.items()}
        return {"counts": counts.total(), "curves": points}

    def curves(self, counts: AttributeCounts) -> dict[str, PrecisionRecallCurve]:
        """Compute the precision-recall curves of all attributes together (`micro_key`) and of each attribute.

        With `ties` and `edsnlp`, ap = Σ_k (R_k - R_{k-1}) P_k over the points of the curve.
        """
        steps = Steps.of_attributes(counts, self.average_precision)
        by_name = {}
        for group, (name, result) in enumerate(self.score(counts).items()):
            of_group = np.flatnonzero(steps.group == group)
            hits = steps.hits[of_group]
            recall = divide(hits, np.full(len(hits), result["support"]), self.zero_division)
            precision = hits / steps.rank[of_group]
            by_name[name] = PrecisionRecallCurve(steps.score[of_group], precision, recall, result["ap"])
        return by_name

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Create the measure from its `options()`; raise an `InputError` if they name attributes."""
        return cls(**{**options, "default_values": options["default_values"] or {}})

    def options(self) -> dict[str, Any]:
        """Return the options that can change the scores, in the order of the signature."""
        own = {name: value for name, value in super().options().items() if name not in ("average", "micro_key")}
        scored = read_scored(self.attributes)
        if scored is not None:
            lists = {name: "" if labels is None else f"={_joined(labels)}" for name, labels in scored.items()}
            own["attributes"] = ",".join(f"{escaped(name, _SIGNS)}{labels}" for name, labels in lists.items())
        defaults = sorted(self.default_values.items())
        texts = (f"{escaped(name, _SIGNS)}={json.dumps(value)}" for name, value in defaults)
        own["default_values"] = ",".join(texts) or None
        if callable(self.filter):
            own["filter"] = "function"
        return own

    def require_parts(self) -> None:
        """Raise an `InputError`, because attributes cannot be streamed."""
        raise InputError(
            f"`{self.name}` cannot be computed on streams.",
            "Count parts with SpanAttribute(...).counts(references, predictions), and add the counts.",
        )

    def _require_free_micro_key(self, names: Mapping[str, Any]) -> None:
        if self.micro_key in names:
            raise InputError(
                f"{mention('micro_key')} is {self.micro_key!r}, but an attribute has the same name.",
                f"Choose another key for the scores over all attributes: {setting('micro_key')}",
            )

    def unmatched(self, counts: Counts) -> list[str]:
        """Say how many spans are on only one side."""
        of_sides = (int(counts.shared[name].sum()) for name in UNMATCHED)
        sides = zip(of_sides, ("reference", "predicted"), ("prediction", "reference"), strict=True)
        return [f"{counted(number, f'{side} span')} not in the {other}." for number, side, other in sides if number]

    def _both_sides(
        self, references: Attributes, predictions: Attributes
    ) -> tuple[tuple[Attributes, Attributes], AttributeItems, np.ndarray]:
        """Select the scored attributes and documents; list the items of both sides and the unmatched spans."""
        require_sides(Attributes, references, predictions)
        kept = self._kept(references, predictions)
        if kept is not None:
            references, predictions = references.take(kept), predictions.take(kept)
        sides = references, predictions
        apart = unmatched_spans(*sides)
        if self.on_mismatch == "error" and len(apart):
            raise unmatched_refusal(sides, int(apart[0]), kept)
        scored: ScoredAttributes | None = read_scored(self.attributes)
        if scored is None:
            scored = dict.fromkeys(sorted(seen_names(*sides)["attributes"]))
            self._require_free_micro_key(scored)
        require_one_type(sides, scored, self.default_values, kept)
        items = AttributeItems(sides, scored, self.default_values, include_falsy=self.include_falsy)
        return sides, items, apart

    def _kept(self, references: Attributes, predictions: Attributes) -> np.ndarray | None:
        """Select the documents to score; None means all."""
        if self.filter is None:
            return None
        chooses = DocumentFilter(self.filter) if isinstance(self.filter, str) else self.filter
        names = chooses.names if isinstance(chooses, DocumentFilter) else ()
        require_seen(seen_names(references, predictions), "filter", names)
        answers: list[Any] = []
        for document, spans in enumerate(references.to_dicts()):
            try:
                answers.append(chooses(spans))
                if not isinstance(answers[-1], (bool, np.bool_)):
                    problem = f"filter returned {shown(answers[-1])} instead of a bool."
                    raise InputError(problem, "Return True or False.")
            except InputError as error:
                raise error.placed(document=document) from None
        return np.flatnonzero(answers)


def _joined(labels: Iterable[str]) -> str:
    return "+".join(escaped(label, _SIGNS) for label in sorted(labels))


def _named_in(texts: Sequence[str], option: str) -> dict[str, str | None]:
    """Read texts such as `NAME=VALUE`; the value is None if there is no equals sign."""
    values: dict[str, str | None] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = unescaped(name.strip(), _SIGNS)
        if not name or name in values:
            problem = f"contains {shown(name)} twice" if name else f"has a part without a name: {text!r}"
            raise InputError(f"{mention(option)} {problem}.", "Write each name once, as NAME or NAME=VALUE.")
        values[name] = value if equals else None
    return values


def _scored_in(texts: Sequence[str]) -> dict[str, bool | list[str]]:
    """Read `attributes` from texts such as `negated` or `carrier=DISEASE+SYMPTOM`."""
    return {
        name: True if labels is None else [unescaped(label.strip(), _SIGNS) for label in labels.split("+")]
        for name, labels in _named_in(texts, "attributes").items()
    }


def _default_values_in(texts: Sequence[str]) -> dict[str, Any]:
    """Read `default_values` from texts such as `negated=false`; values are JSON."""
    values: dict[str, Any] = {}
    for name, written in _named_in(texts, "default_values").items():
        try:
            values[name] = plain_value(json.loads(written or ""), name)
        except (ValueError, RecursionError) as error:
            problem = error.problem if isinstance(error, InputError) else f"the value of {shown(name)} is not JSON."
            raise InputError(
                f"{mention('default_values')}: {problem}",
                "Write NAME=VALUE with true, false, a number, or text in double quotes, for example negated=false.",
            ) from None
    return values


def _plain_values(values: Any) -> dict[str, Value | None]:
    """Convert default values to Python types; raise an `InputError` unless they map attributes to values."""
    remedy = "Use a mapping such as {'negated': False}, with one bool, int, float or str for each attribute."
    if not isinstance(values, Mapping):
        raise InputError(f"invalid value for default_values: {shown(values)}.", remedy)
    plain = {}
    for name, value in listed_items(values, remedy, option="default_values"):
        if not isinstance(name, str):
            raise InputError(f"in default_values, the name of an attribute is {shown(name)}, not a string.", remedy)
        try:
            plain[name] = plain_value(value, name)
        except InputError as error:
            raise InputError(f"default_values: {error.problem}", remedy) from None
    return plain
