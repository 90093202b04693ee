"""Krippendorff's alpha for unitizing, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.unitizing_alpha import UnitizingAlpha as Measure

_DESCRIPTION = """
Krippendorff's alpha for unitizing is the agreement of two annotators who mark spans (units) in a text. Alpha is 1 minus
observed disagreement / expected disagreement. Alpha is 1 for perfect agreement, 0 at chance level and negative below.
The variant of 1995 squares differences of boundaries. The variant of 2016 compares tokens.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> unitizing_alpha = spanometer.load("unitizing_alpha")
    >>> reference = [["B-PER", "I-PER", "O", "O", "O", "O"]]
    >>> unitizing_alpha.compute(predictions=reference, references=reference)  # maximal
    {'alpha': 1.0, 'observed_disagreement': 0.0, 'expected_disagreement': 0.5}
    >>> apart = unitizing_alpha.compute(predictions=[["O", "O", "O", "O", "B-PER", "I-PER"]], references=reference)
    >>> round(apart["alpha"], 4), round(apart["observed_disagreement"], 4)  # nothing in common: below chance
    (-0.3333, 0.6667)
    >>> moved = {"predictions": [["O", "B-PER", "I-PER", "O", "O", "O"]], "references": reference}
    >>> [round(unitizing_alpha.compute(**moved, variant=year)["alpha"], 4) for year in ("1995", "2016")]  # partial
    [0.5152, 0.3333]
    >>> unitizing_alpha.compute(**moved, details=True)["signature"].partition("|variant:")[2].rpartition("|v:")[0]
    '2016|match_labels:yes|average:micro|zero_division:0'
"""

_CITATION = """
@article{krippendorff-1995-unitizing,
    title = "On the reliability of unitizing continuous data",
    author = "Krippendorff, Klaus", journal = "Sociological Methodology", volume = "25", year = "1995"
}
@article{krippendorff-etal-2016-unitizing,
    title = "On the reliability of unitizing textual continua: Further developments",
    author = "Krippendorff, Klaus and Mathet, Yann and Bouvry, Stéphane and Widlöcher, Antoine",
    journal = "Quality \\& Quantity", volume = "50", year = "2016"
}
"""


class UnitizingAlpha(SpanModule):
    """Alpha of two annotators, with the observed and expected disagreement."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
