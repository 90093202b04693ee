"""Gamma, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.gamma import Gamma as Measure

_DESCRIPTION = """
Gamma is the agreement of two annotators on the positions and labels of units (spans), corrected for chance. It divides
the disorder of the best alignment of their units by the disorder of random annotations, and subtracts the ratio from 1.
1 is perfect agreement, 0 is chance. Units may nest and cross. gamma-cat compares only the labels of aligned units.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> gamma = spanometer.load("gamma")
    >>> reference = [["B-PER", "I-PER", "O", "O", "B-LOC", "O", "O", "O", "B-PER", "O", "O", "O"]]
    >>> result = gamma.compute(predictions=reference, references=reference)  # maximal
    >>> result["gamma"], result["gamma_cat"], result["observed_disorder"]
    (1.0, 1.0, 0.0)
    >>> apart = [["O", "O", "B-LOC", "O", "O", "O", "B-PER", "I-PER", "O", "O", "B-PER", "O"]]
    >>> gamma.compute(predictions=apart, references=reference)["gamma"] < 0  # minimal: every unit stands alone
    True
    >>> moved = [["O", "B-PER", "O", "O", "B-LOC", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    >>> result = gamma.compute(predictions=moved, references=reference, distances={"PER": {"LOC": 0.5}})
    >>> round(result["observed_disorder"], 4)  # partial: (3 * (1 / 3)² + 0 + 0.5) / 3
    0.2778
"""

_CITATION = """
@article{mathet-etal-2015-unified,
    title = "The Unified and Holistic Method Gamma for Inter-Annotator Agreement Measure and Alignment",
    author = "Mathet, Yann and Widlöcher, Antoine and Métivier, Jean-Philippe",
    journal = "Computational Linguistics", volume = "41", number = "3", year = "2015"
}
@article{mathet-2017-agreement,
    title = "The Agreement Measure Gamma-Cat: a Complement to Gamma Focused on Categorization of a Continuum",
    author = "Mathet, Yann", journal = "Computational Linguistics", volume = "43", number = "3", year = "2017"
}
"""


class Gamma(SpanModule):
    """Gamma and gamma-cat of two annotators, with observed and expected disorder."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
