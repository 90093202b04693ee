"""F1 over token links, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.link_f import LinkF as Measure

_DESCRIPTION = """
Link F1 compares pairs of tokens. Every two tokens inside one span form a link, and every token links to itself.
Precision, recall and F1 are computed over the links of each label. A span that is one token too short loses only some
of its links. A split span loses the links across the split, which token F1 ignores.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> link_f = spanometer.load("link_f")
    >>> link_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> link_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-LOC", "I-LOC", "O"]], "references": [["B-LOC", "I-LOC", "I-LOC"]]}
    >>> result = link_f.compute(**tags, details=True)  # partial: two of three tokens, so 3 of 6 links
    >>> result["precision"], result["recall"], round(result["f1"], 4)
    (1.0, 0.5, 0.6667)
    >>> result["counts"]
    {'both': 3, 'predicted': 3, 'reference': 6, 'reference_spans': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'link_f|scheme:IOB2|repair:conlleval|match_labels:yes|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{vilain-etal-1995-model,
    title = "A Model-Theoretic Coreference Scoring Scheme",
    author = "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette",
    booktitle = "Sixth Message Understanding Conference (MUC-6)",
    year = "1995"
}
"""


class LinkF(SpanModule):
    """Precision, recall and F1 over token links."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
