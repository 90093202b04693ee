"""Attributes of given spans, such as negation, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import AttributeModule, Card
from spanometer.measures import span_attribute

_DESCRIPTION = """
span_attribute scores what a system says of given spans: negated, hypothetical, carrier, count. Both sides have the same
spans, each with a dict of attributes. An item is a document, a span's start and end, an attribute and its value;
precision, recall, F1 and average precision are those of the predicted items against the reference's, for each attribute
and for all together. 1 is the best score, 0 the worst.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list of lists of dict): The predicted spans of each document, {"start": int, "end": int, "label": str,
        "attributes": {name: value}}, token offsets, ends exclusive. Values are bool, int, float, str or None, and lists
        of them (several items). "scores", {name: number}, may say how sure the value is.
    references (list of lists of dict): The reference, in the same form, with the same spans.
    attributes (list of str, or dict): The attributes asked: None (default) for all that occur, a list of names, or a
        dict of names to True or to the list of labels of which spans the attribute is asked.
    default_values (dict): For an attribute the value that is no item, as if it were missing. Default {}.
    include_falsy (bool): Whether False, 0, 0.0 and "" are items. Default False.
    micro_key (str): The key of all attributes together. Default "micro".
    average_precision (str): What ranks equal scores: "ties" (default, one step for all of them), "edsnlp" (one step
        each, in the order of the documents) or "edsnlp-0.20" (without the first step).
    filter (list of bool, or function): The documents that are scored: None (default) for all, a flag for each, or a
        function of a document's reference spans that returns a bool.
    on_mismatch (str): "error" (default) where a span is on one side only, or "count": its items are misses or false
        alarms.
    zero_division (float): p, r, f and ap where there is nothing to divide by: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    seed (int): Of the draws. Default 0.
    details (bool): Add "counts", "signature" and "curves" to the result. Default False.

Returns:
    For each attribute, and for all together under micro_key, a dict of these:

    f (float): F1, from 0 to 1; higher is better.
    p (float): Precision: the share of the predicted items that are right, from 0 to 1; higher is better.
    r (float): Recall: the share of the reference's items that are predicted, from 0 to 1; higher is better.
    tp (int): The items on both sides; higher is better.
    support (int): The reference's items.
    positives (int): The predicted items.
    ap (float): Average precision over the ranking of the predicted items by score, from 0 to 1; higher is better.

Examples:

    The best score is 1, and the worst 0:

    >>> import evaluate, spanometer
    >>> span_attribute = evaluate.load(spanometer.path("span_attribute"))
    >>> fever = {"start": 4, "end": 5, "label": "SYMP", "attributes": {"negated": True}}
    >>> cough = {"start": 6, "end": 7, "label": "SYMP", "attributes": {"negated": False, "days": 3}}
    >>> result = span_attribute.compute(predictions=[[fever, cough]], references=[[fever, cough]])
    >>> result["micro"]
    {'f': 1.0, 'p': 1.0, 'r': 1.0, 'tp': 2, 'support': 2, 'positives': 2, 'ap': 1.0}
    >>> nothing = [{**fever, "attributes": {}}, {**cough, "attributes": {}}]
    >>> span_attribute.compute(predictions=[nothing], references=[[fever, cough]])["micro"]
    {'f': 0.0, 'p': 0.0, 'r': 0.0, 'tp': 0, 'support': 2, 'positives': 0, 'ap': 0.0}

    Half of the predicted negations are right. False is no item unless it is asked for, and 3 is another value than "3":

    >>> wrong = {**cough, "attributes": {"negated": True, "days": "3"}}
    >>> result = span_attribute.compute(predictions=[[fever, wrong]], references=[[fever, cough]], details=True)
    >>> {name: (result[name]["p"], result[name]["r"], result[name]["ap"]) for name in ("negated", "days")}
    {'negated': (0.5, 1.0, 0.5), 'days': (0.0, 0.0, 0.0)}
    >>> result["counts"]
    {'tp': 1, 'support': 2, 'positives': 3}
    >>> result["signature"].partition("|include_falsy")[0]
    'span_attribute|attributes:None|default_values:None'
    >>> options = {"attributes": ["negated"], "include_falsy": True}
    >>> span_attribute.compute(predictions=[[fever, wrong]], references=[[fever, cough]], **options)["negated"]["r"]
    0.5
"""

_CITATION = """
@misc{edsnlp,
    author = "Wajsburt, Perceval and Petit-Jean, Thomas and Dura, Basile and Cohen, Ariel and Jean, Charline and
        Bey, Romain",
    title = "{EDS-NLP}: efficient information extraction from French clinical notes",
    doi = "10.5281/zenodo.6424993"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SpanAttribute(AttributeModule):
    """Precision, recall, F1 and average precision of the attributes of given spans."""

    measure = span_attribute.SpanAttribute
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        attributes: list[str] | dict | None = None,
        default_values: dict = {},  # noqa: B006 (read only)
        include_falsy: bool = False,
        micro_key: str = "micro",
        average_precision: str = "ties",
        filter=None,
        on_mismatch: str = "error",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
    ) -> dict:
        """Score the attributes that were asked for."""
        measure = span_attribute.SpanAttribute(
            attributes=attributes,
            default_values=default_values,
            include_falsy=include_falsy,
            micro_key=micro_key,
            average_precision=average_precision,
            filter=filter,
            on_mismatch=on_mismatch,
            zero_division=zero_division,
        )
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, details, resampling)
