"""F1 over spans that are matched one to one, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.matched_f import MatchedF as Measure

_DESCRIPTION = """
Matched F1 pairs reference and predicted spans one to one in the best way. By default, a pair counts if its intersection
over union reaches 0.5, as in object detection. The option `credit` has four other choices. If a system splits a span in
two, only one of the two pieces can match.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> matched_f = spanometer.load("matched_f")
    >>> matched_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> matched_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-X", "B-Y", "I-Y", "B-Z"]], "references": [["B-X", "B-Y", "I-Y", "I-Y"]]}
    >>> matched_f.compute(**tags, details=True)["counts"]  # partial: X, and Y with two of its three tokens
    {'both': 2, 'predicted': 3, 'reference': 2}
    >>> [round(matched_f.compute(**tags, credit=credit)["f1"], 4) for credit in ("iou_50_95", "iou", "overlap", "mpp")]
    [0.56, 0.6667, 0.8, 0.7407]
"""

_CITATION = """
@misc{perrella-etal-2026-span,
    title = "Span-Level Machine Translation Meta-Evaluation", eprint = "2603.19921", archivePrefix = "arXiv",
    author = "Perrella, Stefano and Morales Agostinho, Eric and Zaragoza, Hugo", year = "2026"
}
"""


class MatchedF(SpanModule):
    """Precision, recall and F1 over spans that are matched one to one."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
