"""SL-ICM, the information contrast model for sequence labelling, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import sl_icm

_DESCRIPTION = """
SL-ICM weighs spans by the information that they carry: that of their label, the more the rarer it is in the reference,
and that of their tokens, the i-th of which counts 1/i. What matched spans have in common counts three times, from which
the information of all predicted and all reference spans is taken. The reference itself scores 1 in the normalised form,
an empty output 0, and one with more noise than information less than 0.
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
    tokens (list of lists of str): The words of each document. Their frequencies in these documents are their
        probabilities, unless token_probabilities is a mapping. Default None.
    token_probabilities (dict or float): The probability of each word, with tokens; or one number for every token.
        Default None: without tokens every token carries one unit of information (one bit with the base 2).
    prior (str): What a label's share of the reference is counted in: "spans" (default) or "tokens" of spans.
    log_base (float): Base of the logarithms, greater than 1. Default 2.
    matching (str): "mutual" (default): spans that are each other's most informative overlap; or "optimal": the
        one-to-one matching with the most token information.
    average (str): "micro" (default), "macro" (unweighted mean over labels) or "weighted" (by reference spans).
    zero_division (float): sl_icm_norm where the reference carries no information: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    seed (int): Of the draws. Default 0.
    details (bool): Add "per_label", "counts" and "signature" to the result. Default False.
    lengths (list of int): The documents' lengths in tokens, checked against spans and fragments. Default None.

Returns:
    sl_icm (float): The information contrast, in bits with the base 2, unbounded below; higher is better.
    sl_icm_norm (float): The same scaled so that the reference scores 1 and an empty output 0, not clipped: below 0
        where noise outweighs, above 1 only with unequal token probabilities; higher is better.

Examples:

    A span of two tokens, so of 1 + 1/2 bits, found whole; sl_icm is then the information of the reference:

    >>> import evaluate, spanometer
    >>> sl_icm = evaluate.load(spanometer.path("sl_icm"))
    >>> sl_icm.compute(predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'sl_icm': 1.5, 'sl_icm_norm': 1.0}

    There is no least score. Nothing predicted, and one token of noise besides the missed span:

    >>> sl_icm.compute(predictions=[["O", "O", "O"]], references=[["B-PER", "I-PER", "O"]])
    {'sl_icm': -1.5, 'sl_icm_norm': 0.0}
    >>> result = sl_icm.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])
    >>> result["sl_icm"], round(result["sl_icm_norm"], 4)
    (-2.5, -0.3333)

    One of two tokens, 3 * 1 - 1 - 1.5:

    >>> result = sl_icm.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "I-PER"]], details=True)
    >>> result["sl_icm"], round(result["sl_icm_norm"], 4)
    (0.5, 0.6667)
    >>> {name: result["counts"][name] for name in ("matched_information", "reference_information")}
    {'matched_information': 1.0, 'reference_information': 1.5}
    >>> result["signature"].partition("|token_probabilities:")[2].rpartition("|v:")[0]
    'unit|prior:spans|log_base:2|matching:mutual|average:micro|zero_division:0'
"""

_CITATION = """
@misc{amigo-etal-sl-icm,
    title = "Evaluating Sequence Labeling on the basis of Information Theory",
    author = "Amigó, Enrique and Álvarez-Mellado, Elena and Gonzalo, Julio and Carrillo-de-Albornoz, Jorge"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SlIcm(SpanModule):
    """The information contrast of two annotations and its normalised form."""

    measure = sl_icm.SlIcm
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        tokens: list[list[str]] | None = None,
        token_probabilities: dict[str, float] | float | None = None,
        prior: str = "spans",
        log_base: float = 2,
        matching: str = "mutual",
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score with what is known of the tokens' information."""
        measure = sl_icm.SlIcm(
            tokens=tokens,
            token_probabilities=token_probabilities,
            prior=prior,
            log_base=log_base,
            matching=matching,
            average=average,
            zero_division=zero_division,
        )
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)
