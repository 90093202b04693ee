"""F1 corrected for chance, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, SpanModule
from spanometer.measures import chance_kappa_f1

_DESCRIPTION = """
Chance-corrected F1 takes out of F1 what random placement would give too. Each annotator's spans of a label keep their
number and their lengths and are placed at random in the document; the F1 expected then is the chance level, computed
exactly. The corrected F1 is 0 for agreement at that level, 1 for perfect agreement, and negative below chance.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list of lists of str): The predicted tags of each document, or those of one annotator. Loaded with
        "spans": lists of {"start": int, "end": int, "label": str}, token offsets, ends exclusive; with "fragments":
        lists of {"label": str, "fragments": [[start, end], ...]}, where every span must be contiguous.
    references (list of lists of str): The reference, or the other annotator, in the same form.
    scheme (str): "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU" or "BMES". Default None: told from the prefixes
        of both sides.
    repair (str): What becomes of illegal tags: "conlleval" (default), "discard", "bes", "convert" or "raise".
    level (str): What agreement is counted in: "token" (default) or whole, equal "span".
    placement (str): "disjoint" (default): all arrangements of a label's spans without overlap are equally likely;
        "independent": each span lies anywhere; "layers": nested spans, each nesting depth placed by itself.
    method (str): "exact" (default); "uniform", the approximation that each span lies anywhere; or "auto", which uses
        it where it is close.
    uniform_threshold (float): For "auto": how close, from 0 to 1. Default 0.99.
    n_simulations (int): How many random pairs of annotations of the whole corpus to draw. Default 0.
    seed (int): Of the simulations and of the draws of intervals. Default 0.
    average (str): "micro" (default), "macro" (unweighted mean over labels) or "weighted" (by reference spans).
    zero_division (float): f1 where there are no spans, and kappa_f1 where chance_f1 is 1: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    details (bool): Add "per_label", "counts" and "signature" to the result. Default False.
    lengths (list of int): The documents' lengths in tokens, needed for spans and fragments: chance depends on them.
        Default None.

Returns:
    f1 (float): The observed F1, in [0, 1], higher is better.
    chance_f1 (float): The F1 expected of random placement, in [0, 1].
    kappa_f1 (float): F1 corrected for chance, (f1 - chance_f1) / (1 - chance_f1), at most 1, higher is better.

    With n_simulations also "chance_f1_std", the standard deviation of F1 between the drawn pairs, and "p_value", the
    share of pairs that reach the observed F1, (1 + reaching) / (1 + n_simulations).

Examples:

    Two tokens of six, found. A span of two tokens has five places, and shares 0.72 tokens with another on average:

    >>> import evaluate, spanometer
    >>> chance_kappa_f1 = evaluate.load(spanometer.path("chance_kappa_f1"))
    >>> reference = [["B-PER", "I-PER", "O", "O", "O", "O"]]
    >>> result = chance_kappa_f1.compute(predictions=reference, references=reference)
    >>> {key: round(value, 4) for key, value in result.items()}
    {'f1': 1.0, 'chance_f1': 0.36, 'kappa_f1': 1.0}

    Nothing in common is worse than chance:

    >>> apart = [["O", "O", "O", "O", "B-PER", "I-PER"]]
    >>> result = chance_kappa_f1.compute(predictions=apart, references=reference)
    >>> {key: round(value, 4) for key, value in result.items()}
    {'f1': 0.0, 'chance_f1': 0.36, 'kappa_f1': -0.5625}

    One token of two in common; random pairs reach as much about half the time:

    >>> result = chance_kappa_f1.compute(
    ...     predictions=[["O", "B-PER", "I-PER", "O", "O", "O"]], references=reference, n_simulations=999, details=True
    ... )
    >>> {key: round(result[key], 3) for key in ("f1", "chance_f1", "kappa_f1")}
    {'f1': 0.5, 'chance_f1': 0.36, 'kappa_f1': 0.219}
    >>> 0.4 < result["p_value"] < 0.6
    True
    >>> {name: round(value, 4) for name, value in result["counts"].items()}
    {'both': 1, 'expected': 0.72, 'predicted': 2, 'reference': 2, 'reference_spans': 1}
    >>> result["signature"].partition("|level:")[2].rpartition("|v:")[0]
    'token|placement:disjoint|method:exact|n_simulations:999|seed:0|average:micro|zero_division:0'
"""

_CITATION = """
@misc{chance-agreement-sequence-annotation,
    title = "Estimating Agreement by Chance for Sequence Annotation"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class ChanceKappaF1(SpanModule):
    """F1, the F1 of random placement, and F1 corrected for it."""

    measure = chance_kappa_f1.ChanceKappaF1
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        level: str = "token",
        placement: str = "disjoint",
        method: str = "exact",
        uniform_threshold: float = 0.99,
        n_simulations: int = 0,
        seed: int = 0,
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score against the random placement that was asked for."""
        measure = chance_kappa_f1.ChanceKappaF1(
            level=level,
            placement=placement,
            method=method,
            uniform_threshold=uniform_threshold,
            n_simulations=n_simulations,
            seed=seed,
            average=average,
            zero_division=zero_division,
        )
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)
