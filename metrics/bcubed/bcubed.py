"""B-cubed over tokens, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.bcubed import Bcubed as Measure

_DESCRIPTION = """
For each token, B-cubed compares the predicted span with the reference span. Precision is the share of the predicted
span that the reference span covers. Recall is the share of the reference span that the predicted span covers. The
scores are means over all tokens in spans.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> bcubed = spanometer.load("bcubed")
    >>> bcubed.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> bcubed.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> cut = {"predictions": [["B-X", "I-X", "B-X", "I-X"]], "references": [["B-X", "I-X", "I-X", "I-X"]]}
    >>> result = bcubed.compute(**cut, details=True)  # partial: one span in two halves: each token finds two of four
    >>> result["precision"], result["recall"], round(result["f1"], 4)
    (1.0, 0.5, 0.6667)
    >>> result["counts"]
    {'right': 4.0, 'predicted': 4, 'found': 2.0, 'reference': 4, 'reference_spans': 1}
"""

_CITATION = """
@inproceedings{bagga-baldwin-1998-algorithms,
    title = "Algorithms for Scoring Coreference Chains", author = "Bagga, Amit and Baldwin, Breck", year = "1998",
    booktitle = "The First International Conference on Language Resources and Evaluation, Workshop on Linguistic
        Coreference"
}
@article{amigo-etal-2009-comparison,
    title = "A comparison of extrinsic clustering evaluation metrics based on formal constraints",
    author = "Amigó, Enrique and Gonzalo, Julio and Artiles, Javier and Verdejo, Felisa",
    journal = "Information Retrieval", volume = "12", number = "4", year = "2009"
}
"""


class Bcubed(SpanModule):
    """B-cubed precision, recall and F1 over the tokens of spans."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
