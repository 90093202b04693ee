"""F1 over tagged tokens, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.token_f import TokenF as Measure

_DESCRIPTION = """
Token F1 scores the tokens in spans. A token is right if the prediction and the reference give it the same label and the
same tag in the chosen format. Tokens outside spans do not count. The format IO ignores split and merged spans. BIO,
BIOE and BIOES also compare first or last tokens. IO* also compares the gaps between the tokens of a span.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> token_f = spanometer.load("token_f")
    >>> token_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> token_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-LOC", "I-LOC", "O"]], "references": [["B-LOC", "I-LOC", "I-LOC"]]}
    >>> result = token_f.compute(**tags, details=True)  # partial: two of three tokens, none wrong
    >>> result["precision"], round(result["recall"], 4), round(result["f1"], 4)
    (1.0, 0.6667, 0.8)
    >>> token_f.compute(**tags, format="BIOE", details=True)["counts"]  # of B I E only B is right
    {'both': 1, 'predicted': 2, 'reference': 3, 'reference_spans': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'token_f|scheme:IOB2|repair:conlleval|format:IO|match_labels:yes|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{esuli-sebastiani-2010-evaluating,
    title = "Evaluating Information Extraction",
    author = "Esuli, Andrea and Sebastiani, Fabrizio",
    booktitle = "Multilingual and Multimodal Information Access Evaluation (CLEF 2010)",
    year = "2010"
}
"""


class TokenF(SpanModule):
    """Precision, recall and F1 over tagged tokens."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
