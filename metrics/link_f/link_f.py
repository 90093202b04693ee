"""F1 over token links, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import link_f

_DESCRIPTION = """
Link F1 scores spans by the pairs of tokens that they hold together. Every two tokens inside one span are a link, and so
is a token with itself; precision, recall and F1 are computed over the links of each label. A span that is one token too
short loses some of its links, not all; a span cut in two loses the links across the cut, which token F1 does not see.
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
    precision (float): The share of predicted links that are right, in [0, 1], higher is better.
    recall (float): The share of reference links that are found, in [0, 1], higher is better.
    f1 (float): Their harmonic mean, in [0, 1], higher is better.

Examples:

    A span found whole, every score is maximal:

    >>> import evaluate, spanometer
    >>> link_f = evaluate.load(spanometer.path("link_f"))
    >>> link_f.compute(predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}

    Nothing in common, every score is minimal:

    >>> link_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}

    Two of three tokens, hence 3 of 6 links, and no wrong one:

    >>> result = link_f.compute(
    ...     predictions=[["B-LOC", "I-LOC", "O"]], references=[["B-LOC", "I-LOC", "I-LOC"]], details=True
    ... )
    >>> result["precision"], result["recall"], round(result["f1"], 4)
    (1.0, 0.5, 0.6667)
    >>> result["counts"]
    {'both': 3, 'predicted': 3, 'reference': 6, 'reference_spans': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'link_f|scheme:IOB2|repair:conlleval|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{vilain-etal-1995-model,
    title = "A Model-Theoretic Coreference Scoring Scheme",
    author = "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette",
    booktitle = "Sixth Message Understanding Conference (MUC-6)",
    year = "1995"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class LinkF(SpanModule):
    """Precision, recall and F1 over token links."""

    measure = link_f.LinkF
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)
