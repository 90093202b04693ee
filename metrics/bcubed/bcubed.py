"""B-cubed over tokens, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import bcubed

_DESCRIPTION = """
B-cubed asks of every token of a span how many of the tokens in its span belong there. For a token of a predicted span
that is the share of the span's tokens which the token's reference span has too; precision is the mean over all tokens
of predicted spans, and recall the same with the sides swapped. Spans that are too long, cut in two or joined lose in
proportion to what does not belong together.
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
    precision (float): The mean over the tokens of predicted spans, in [0, 1], higher is better.
    recall (float): The mean over the tokens of reference spans, in [0, 1], higher is better.
    f1 (float): Their harmonic mean, in [0, 1], higher is better.

Examples:

    A span found whole, every score is maximal:

    >>> import evaluate, spanometer
    >>> bcubed = evaluate.load(spanometer.path("bcubed"))
    >>> bcubed.compute(predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}

    No token in common, every score is minimal:

    >>> bcubed.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}

    A span of four tokens cut in two: each of its tokens finds two of four, and none that does not belong there:

    >>> result = bcubed.compute(
    ...     predictions=[["B-LOC", "I-LOC", "B-LOC", "I-LOC"]],
    ...     references=[["B-LOC", "I-LOC", "I-LOC", "I-LOC"]],
    ...     details=True,
    ... )
    >>> result["precision"], result["recall"], round(result["f1"], 4)
    (1.0, 0.5, 0.6667)
    >>> result["counts"]
    {'right': 4.0, 'predicted': 4, 'found': 2.0, 'reference': 4, 'reference_spans': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'bcubed|scheme:IOB2|repair:conlleval|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{bagga-baldwin-1998-algorithms,
    title = "Algorithms for Scoring Coreference Chains",
    author = "Bagga, Amit and Baldwin, Breck",
    booktitle = "The First International Conference on Language Resources and Evaluation, Workshop on Linguistic
        Coreference",
    year = "1998"
}
@article{amigo-etal-2009-comparison,
    title = "A comparison of extrinsic clustering evaluation metrics based on formal constraints",
    author = "Amigó, Enrique and Gonzalo, Julio and Artiles, Javier and Verdejo, Felisa",
    journal = "Information Retrieval",
    volume = "12",
    number = "4",
    year = "2009"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Bcubed(SpanModule):
    """B-cubed precision, recall and F1 over the tokens of spans."""

    measure = bcubed.Bcubed
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)
