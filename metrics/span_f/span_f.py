"""Exact-match precision, recall and F1 over spans, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.span_f import SpanF as Measure

_DESCRIPTION = """
Span F1 scores whole spans: a predicted span is right if the reference has a span of the same label over the same
tokens. The CoNLL shared tasks and the tools conlleval and seqeval also compute span F1. A span that is one token off
counts as one spurious and one missing span.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> span_f = spanometer.load("span_f")
    >>> span_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> span_f.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "I-PER"]])  # minimal: one token short
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-PER", "O", "B-LOC", "B-LOC"]], "references": [["B-PER", "I-PER", "B-LOC", "O"]]}
    >>> result = span_f.compute(**tags, details=True)  # partial: three predicted, two in the reference, one in both
    >>> round(result["precision"], 4), result["recall"], round(result["f1"], 4), result["counts"]
    (0.3333, 0.5, 0.4, {'both': 1, 'predicted': 3, 'reference': 2})
    >>> result["signature"].rpartition("|v:")[0]
    'span_f|scheme:IOB2|repair:conlleval|match_labels:yes|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{tjong-kim-sang-de-meulder-2003-introduction,
    title = "Introduction to the {C}o{NLL}-2003 Shared Task: Language-Independent Named Entity Recognition",
    author = "Tjong Kim Sang, Erik F. and De Meulder, Fien",
    booktitle = "Proceedings of the Seventh Conference on Natural Language Learning at HLT-NAACL 2003",
    pages = "142--147",
    year = "2003"
}
"""


class SpanF(SpanModule):
    """Precision, recall and F1 over whole spans."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
