"""seqeval's scores, as the `evaluate` module of that name gives them."""

from spanometer.integrations.span_module import Card, SeqevalModule
from spanometer.measures.seqeval import Seqeval as Measure

_DESCRIPTION = """
seqeval scores whole spans, read from tags: precision, recall and F1 of each label and of all labels, and the accuracy
of the tags. Input, options, result and numbers are the same as with `evaluate.load("seqeval")`. They differ only where
seqeval contradicts itself. The card lists these cases.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> seqeval = spanometer.load("seqeval")
    >>> seqeval.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])["overall_f1"]  # maximal
    1.0
    >>> wrong = seqeval.compute(predictions=[["B-LOC"]], references=[["B-PER"]], zero_division=0)  # minimal: the label
    >>> wrong["LOC"], wrong["overall_accuracy"]
    ({'precision': 0.0, 'recall': 0.0, 'f1': 0.0, 'number': 0}, 0.0)
    >>> tags = {"predictions": [["B-PER", "I-PER", "I-LOC"]], "references": [["B-PER", "I-PER", "B-LOC"]]}  # partial
    >>> strict = {"mode": "strict", "scheme": "IOB2", "zero_division": 0}
    >>> seqeval.compute(**tags)["overall_f1"], seqeval.compute(**tags, **strict)["overall_recall"]
    (1.0, 0.5)
    >>> seqeval.compute(**tags, details=True)["signature"].rpartition("|v:")[0]
    'seqeval|scheme:IOB2|repair:conlleval|suffix:no|mode:None|zero_division:warn'
"""

_CITATION = """
@misc{seqeval,
    title = "{seqeval}: A Python framework for sequence labeling evaluation", author = "Nakayama, Hiroki",
    year = "2018", url = "https://github.com/chakki-works/seqeval"
}
"""


class Seqeval(SeqevalModule):
    """Precision, recall and F1 over whole spans by label and over all, and the accuracy of the tags."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
