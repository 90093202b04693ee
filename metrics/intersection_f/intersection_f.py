"""F1 over the covered shares of spans, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.intersection_f import IntersectionF as Measure

_DESCRIPTION = """
Intersection F1 rewards partly correct spans. Precision is the share of a predicted span's tokens that are right, as a
mean over predicted spans. Recall is the share of a reference span's tokens that are found, as a mean over reference
spans. Short and long spans have the same weight. Split and merged spans cost nothing.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> intersection_f = spanometer.load("intersection_f")
    >>> intersection_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> intersection_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-X", "B-Y", "I-Y", "O", "O"]], "references": [["B-X", "B-Y", "I-Y", "I-Y", "I-Y"]]}
    >>> result = intersection_f.compute(**tags, details=True)  # partial: one span, and half of another: 1.5 of 2
    >>> result["precision"], result["recall"], round(result["f1"], 4), result["counts"]
    (1.0, 0.75, 0.8571, {'right': 2.0, 'predicted': 2, 'found': 1.5, 'reference': 2})
"""

_CITATION = """
@inproceedings{amigo-etal-2025-evaluating, year = "2025", url = "https://aclanthology.org/2025.acl-long.1351",
    title = "Evaluating Sequence Labeling on the basis of Information Theory", booktitle = "ACL 2025, Long Papers",
    author = "Amigó, Enrique and Álvarez-Mellado, Elena and Gonzalo, Julio and Carrillo-de-Albornoz, Jorge"
}
@inproceedings{da-san-martino-etal-2019-fine,
    title = "Fine-Grained Analysis of Propaganda in News Article", pages = "5636--5646", year = "2019",
    author = "Da San Martino, Giovanni and Yu, Seunghak and Barrón-Cedeño, Alberto and Petrov, Rostislav and
        Nakov, Preslav",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th
        International Joint Conference on Natural Language Processing (EMNLP-IJCNLP)"
}
"""


class IntersectionF(SpanModule):
    """Precision, recall and F1 over the covered shares of spans."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
