"""Exact-match precision, recall and F1 over spans, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import span_f

_DESCRIPTION = """
Span F1 scores whole spans: a predicted span is right where the reference has a span of the same label over the same
tokens, and wrong otherwise. This is the F1 of the CoNLL shared tasks, of their script conlleval and of seqeval. A span
that is one token off counts like any other error, on both sides: as a wrong span and as a missed one.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list of lists of str): The predicted tags of each document. Loaded with "spans": lists of
        {"start": int, "end": int, "label": str}, token offsets, ends exclusive; with "fragments": lists of
        {"label": str, "fragments": [[start, end], ...]}.
    references (list of lists of str): The reference, in the same form.
    scheme (str): "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU" or "BMES". Default None: told from the prefixes
        of both sides.
    repair (str): What becomes of illegal tags: "conlleval" (default), "discard", "bes", "convert" or "raise".
    average (str): "micro" (default), "macro" (unweighted mean over labels) or "weighted" (by reference spans).
    zero_division (float): Value of a ratio with the denominator 0: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    seed (int): Of the draws. Default 0.
    details (bool): Add "per_label", "counts" and "signature" to the result. Default False.
    lengths (list of int): The documents' lengths in tokens, checked against spans and fragments. Default None.

Returns:
    precision (float): The share of predicted spans that are right, in [0, 1], higher is better.
    recall (float): The share of reference spans that are found, in [0, 1], higher is better.
    f1 (float): Their harmonic mean, in [0, 1], higher is better.

Examples:

    Both spans found, every score is maximal:

    >>> import evaluate, spanometer
    >>> span_f = evaluate.load(spanometer.path("span_f"))
    >>> span_f.compute(predictions=[["B-PER", "I-PER", "B-LOC"]], references=[["B-PER", "I-PER", "B-LOC"]])
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}

    One token short, every score is minimal:

    >>> span_f.compute(predictions=[["B-PER", "O", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}

    Three spans predicted, two in the reference, one in both:

    >>> result = span_f.compute(
    ...     predictions=[["B-PER", "O", "B-LOC", "B-LOC"]], references=[["B-PER", "I-PER", "B-LOC", "O"]], details=True
    ... )
    >>> round(result["precision"], 4), result["recall"], round(result["f1"], 4)
    (0.3333, 0.5, 0.4)
    >>> result["counts"]
    {'both': 1, 'predicted': 3, 'reference': 2}
    >>> result["signature"].rpartition("|v:")[0]
    'span_f|scheme:IOB2|repair:conlleval|average:micro|zero_division:0'
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


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SpanF(SpanModule):
    """Precision, recall and F1 over whole spans."""

    measure = span_f.SpanF
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)
