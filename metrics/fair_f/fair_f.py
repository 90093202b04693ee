"""Ortmann's fair F1, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.fair_f import FairF as Measure

_DESCRIPTION = """
Fair F1 counts each mistake once. In the usual F1, a span with a wrong label or boundary is a false positive and a false
negative, so it costs twice as much as a missing span. Fair F1 counts one error: a label error, a boundary error or
both. By default, the error counts as half a false positive and half a false negative. You can set other weights.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> fair_f = spanometer.load("fair_f")
    >>> fair_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> fair_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-PER", "O", "B-LOC"]], "references": [["B-PER", "I-PER", "B-LOC"]]}
    >>> result = fair_f.compute(**tags, details=True)  # partial: one right, one too small
    >>> round(result["f1"], 4), result["counts"]["true_positives"], result["counts"]["boundary_errors_smaller"]
    (0.6667, 1, 1)
    >>> result = fair_f.compute(**tags, weights="weighted")  # half a true positive and half a false negative
    >>> round(result["precision"], 4), round(result["recall"], 4), round(result["f1"], 4)
    (1.0, 0.75, 0.8571)
"""

_CITATION = """
@inproceedings{ortmann-2022-fine,
    title = "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans",
    author = "Ortmann, Katrin",
    booktitle = "Proceedings of the Thirteenth Language Resources and Evaluation Conference (LREC 2022)",
    year = "2022", url = "https://aclanthology.org/2022.lrec-1.150"
}
"""


class FairF(SpanModule):
    """Precision, recall and F1 that count each mistake once."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
