"""F1 corrected for chance, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1 as Measure

_DESCRIPTION = """
Chance-corrected F1 compares F1 with the chance level: the expected F1 of the same spans at random positions in the
document. The chance level is computed exactly. The corrected F1 is 1 for perfect agreement, 0 at the chance level, and
negative below the chance level.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> chance_kappa_f1 = spanometer.load("chance_kappa_f1")
    >>> reference = [["B-PER", "I-PER", "O", "O", "O", "O"]]
    >>> result = chance_kappa_f1.compute(predictions=reference, references=reference)  # maximal
    >>> {key: round(value, 4) for key, value in result.items()}
    {'f1': 1.0, 'chance_f1': 0.36, 'kappa_f1': 1.0}
    >>> apart, moved = [["O", "O", "O", "O", "B-PER", "I-PER"]], [["O", "B-PER", "I-PER", "O", "O", "O"]]
    >>> result = chance_kappa_f1.compute(predictions=apart, references=reference)  # nothing in common: below chance
    >>> {key: round(value, 4) for key, value in result.items()}
    {'f1': 0.0, 'chance_f1': 0.36, 'kappa_f1': -0.5625}
    >>> result = chance_kappa_f1.compute(predictions=moved, references=reference, n_simulations=999, details=True)
    >>> {key: round(result[key], 3) for key in ("f1", "chance_f1", "kappa_f1")}  # partial: one token of two
    {'f1': 0.5, 'chance_f1': 0.36, 'kappa_f1': 0.219}
    >>> 0.4 < result["p_value"] < 0.6  # about half of the random pairs reach this F1
    True
    >>> {name: round(value, 4) for name, value in result["counts"].items()}
    {'both': 1, 'expected': 0.72, 'predicted': 2, 'reference': 2, 'reference_spans': 1}
    >>> result["signature"].partition("|level:")[2].rpartition("|v:")[0]
    'token|placement:disjoint|method:exact|n_simulations:999|seed:0|match_labels:yes|average:micro|zero_division:0'
"""

_CITATION = """
@inproceedings{li-etal-2024-estimating, booktitle = "ACL 2024", year = "2024", url = "https://arxiv.org/abs/2407.11371",
    title = "Estimating Agreement by Chance for Sequence Annotation",
    author = "Li, Diya and Rosé, Carolyn and Yuan, Ao and Zhou, Chunxiao" }
"""


class ChanceKappaF1(SpanModule):
    """F1, the F1 of random placement, and F1 corrected for it."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
