"""Krippendorff's alpha for unitizing, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import unitizing_alpha

_DESCRIPTION = """
Krippendorff's alpha for unitizing is the agreement of two annotators who cut spans (units) out of a text, beyond what
chance gives: 1 less the observed disagreement over the expected one. It is 1 for perfect agreement, 0 for agreement at
chance level, and negative for systematic disagreement. Two variants are here: that of 1995, by squared differences of
the units' bounds, and that of 2016, by coincidences of tokens.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list of lists of str): The tags of one annotator for each document. Loaded with "spans": lists of
        {"start": int, "end": int, "label": str}, token offsets, ends exclusive; with "fragments": lists of
        {"label": str, "fragments": [[start, end], ...]}, where every span must be contiguous.
    references (list of lists of str): Those of the other annotator, in the same form.
    scheme (str): "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU" or "BMES". Default None: told from the prefixes
        of both sides.
    repair (str): What becomes of illegal tags: "conlleval" (default), "discard", "bes", "convert" or "raise".
    variant (str): "2016" (default), coincidences of tokens, or "1995", squared differences of bounds.
    average (str): "micro" (default: 1 less the ratio of disagreements summed over labels), "macro" (unweighted mean
        over labels) or "weighted" (by reference spans).
    zero_division (float): alpha where no disagreement is expected: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    seed (int): Of the draws. Default 0.
    details (bool): Add "per_label", "counts" and "signature" to the result. Default False.
    lengths (list of int): The documents' lengths in tokens, needed for spans and fragments: alpha depends on them.
        Default None.

Returns:
    alpha (float): Agreement beyond chance, at most 1, higher is better.
    observed_disagreement (float): What the annotators disagree in, from 0 up, lower is better; with several labels the
        sum over them.
    expected_disagreement (float): What annotators would disagree in by chance, from 0 up.

Examples:

    Perfect agreement:

    >>> import evaluate, spanometer
    >>> unitizing_alpha = evaluate.load(spanometer.path("unitizing_alpha"))
    >>> reference = [["B-PER", "I-PER", "O", "O", "O", "O"]]
    >>> unitizing_alpha.compute(predictions=reference, references=reference)
    {'alpha': 1.0, 'observed_disagreement': 0.0, 'expected_disagreement': 0.5}

    Nothing in common is worse than chance; four of six tokens are annotated by one of the two only:

    >>> result = unitizing_alpha.compute(predictions=[["O", "O", "O", "O", "B-PER", "I-PER"]], references=reference)
    >>> {key: round(value, 4) for key, value in result.items()}
    {'alpha': -0.3333, 'observed_disagreement': 0.6667, 'expected_disagreement': 0.5}

    A unit that is moved by one token, in both variants:

    >>> moved = [["O", "B-PER", "I-PER", "O", "O", "O"]]
    >>> result = unitizing_alpha.compute(predictions=moved, references=reference, details=True)
    >>> round(result["alpha"], 4)
    0.3333
    >>> result["signature"].partition("|variant:")[2].rpartition("|v:")[0]
    '2016|average:micro|zero_division:0'
    >>> round(unitizing_alpha.compute(predictions=moved, references=reference, variant="1995")["alpha"], 4)
    0.5152
"""

_CITATION = """
@article{krippendorff-1995-unitizing,
    title = "On the reliability of unitizing continuous data",
    author = "Krippendorff, Klaus",
    journal = "Sociological Methodology",
    volume = "25",
    year = "1995"
}

@article{krippendorff-etal-2016-unitizing,
    title = "On the reliability of unitizing textual continua: Further developments",
    author = "Krippendorff, Klaus and Mathet, Yann and Bouvry, Stéphane and Widlöcher, Antoine",
    journal = "Quality \\& Quantity",
    volume = "50",
    year = "2016"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class UnitizingAlpha(SpanModule):
    """Alpha of two annotators, with the disagreements that it is made of."""

    measure = unitizing_alpha.UnitizingAlpha
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        variant: str = "2016",
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score in the variant that was asked for."""
        measure = unitizing_alpha.UnitizingAlpha(variant=variant, average=average, zero_division=zero_division)
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)
