"""Intersection-based F1, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import intersection_f

_DESCRIPTION = """
Intersection F1 gives every span partial credit: the share of its tokens that spans of the same label on the other side
cover. Precision is the mean share over predicted spans, recall the mean over reference spans. A short span weighs as
much as a long one. A span that is covered by several pieces counts as covered: cuts and joins are not noticed.
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
    cap (bool): Count a span's summed coverage as 1 at the most; needed where spans of one label overlap within one
        side. Default False.
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
    precision (float): The mean share of a predicted span that is right, in [0, 1], higher is better.
    recall (float): The mean share of a reference span that is found, in [0, 1], higher is better.
    f1 (float): Their harmonic mean, in [0, 1], higher is better.

Examples:

    A span found whole, every score is maximal:

    >>> import evaluate, spanometer
    >>> intersection_f = evaluate.load(spanometer.path("intersection_f"))
    >>> intersection_f.compute(predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}

    No token in common, every score is minimal:

    >>> intersection_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}

    A span of one token found, and half of one of four tokens, so 1 + 1/2 of two:

    >>> result = intersection_f.compute(
    ...     predictions=[["B-LOC", "B-PER", "I-PER", "O", "O"]],
    ...     references=[["B-LOC", "B-PER", "I-PER", "I-PER", "I-PER"]],
    ...     details=True,
    ... )
    >>> result["precision"], result["recall"], round(result["f1"], 4)
    (1.0, 0.75, 0.8571)
    >>> result["counts"]
    {'right': 2.0, 'predicted': 2, 'found': 1.5, 'reference': 2}
    >>> result["signature"].rpartition("|v:")[0]
    'intersection_f|scheme:IOB2|repair:conlleval|cap:no|average:micro|zero_division:0'
"""

_CITATION = """
@misc{amigo-etal-sl-icm,
    title = "Evaluating Sequence Labeling on the basis of Information Theory",
    author = "Amigó, Enrique and Álvarez-Mellado, Elena and Gonzalo, Julio and Carrillo-de-Albornoz, Jorge"
}
@inproceedings{da-san-martino-etal-2019-fine,
    title = "Fine-Grained Analysis of Propaganda in News Article",
    author = "Da San Martino, Giovanni and Yu, Seunghak and Barrón-Cedeño, Alberto and Petrov, Rostislav and
        Nakov, Preslav",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th
        International Joint Conference on Natural Language Processing (EMNLP-IJCNLP)",
    pages = "5636--5646",
    year = "2019"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class IntersectionF(SpanModule):
    """Precision, recall and F1 over the shares of spans that are covered."""

    measure = intersection_f.IntersectionF
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        cap: bool = False,
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score with or without the cap."""
        measure = intersection_f.IntersectionF(cap=cap, average=average, zero_division=zero_division)
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)
