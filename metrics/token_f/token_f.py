"""F1 over tagged tokens, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import token_f

_DESCRIPTION = """
Token F1 scores the tokens of spans one by one: a token is right where it has the same label on both sides and, if the
format has tags for them, the same place in its span. Tokens outside all spans do not count. In the format IO a span cut
in two or joined with its neighbour is not noticed; BIO, BIOE and BIOES compare first and last tokens too, and IO* the
gaps between the tokens of a span.
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
    format (str): What is compared: "IO" (default), "BIO", "BIOE", "BIOES" or "IO*" (tokens, and the gaps between the
        tokens of a span).
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
    precision (float): The share of predicted tagged tokens that are right, in [0, 1], higher is better.
    recall (float): The share of the reference's tagged tokens that are found, in [0, 1], higher is better.
    f1 (float): Their harmonic mean, in [0, 1], higher is better.

Examples:

    Every token right, every score is maximal:

    >>> import evaluate, spanometer
    >>> token_f = evaluate.load(spanometer.path("token_f"))
    >>> token_f.compute(predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}

    No token in common, every score is minimal:

    >>> token_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}

    A span of three tokens without its last one: two of three tokens, none wrong. With tags for first and last tokens
    only the B is right, of B I E:

    >>> tags = {"predictions": [["B-LOC", "I-LOC", "O"]], "references": [["B-LOC", "I-LOC", "I-LOC"]]}
    >>> result = token_f.compute(**tags, details=True)
    >>> result["precision"], round(result["recall"], 4), round(result["f1"], 4)
    (1.0, 0.6667, 0.8)
    >>> token_f.compute(**tags, format="BIOE", details=True)["counts"]
    {'both': 1, 'predicted': 2, 'reference': 3, 'reference_spans': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'token_f|scheme:IOB2|repair:conlleval|format:IO|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{esuli-sebastiani-2010-evaluating,
    title = "Evaluating Information Extraction",
    author = "Esuli, Andrea and Sebastiani, Fabrizio",
    booktitle = "Multilingual and Multimodal Information Access Evaluation (CLEF 2010)",
    year = "2010"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class TokenF(SpanModule):
    """Precision, recall and F1 over tagged tokens."""

    measure = token_f.TokenF
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        format: str = "IO",
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score in one of the formats."""
        measure = token_f.TokenF(format=format, average=average, zero_division=zero_division)
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)
