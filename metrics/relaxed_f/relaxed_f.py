"""F1 over spans that overlap, not one to one, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.relaxed_f import RelaxedF as Measure

_DESCRIPTION = """
Relaxed F1 is the lenient or relaxed score of clinical shared tasks. A predicted span is right if it overlaps a
reference span with the same label. A reference span is found if a predicted span with the same label overlaps it. A
span can match several spans. You can require a minimum overlap (intersection over union, Dice or coverage), or match
spans one to one in text order.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> relaxed_f = spanometer.load("relaxed_f")
    >>> relaxed_f.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> relaxed_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-X", "B-X", "O", "B-X"]], "references": [["B-X", "I-X", "O", "O"]]}
    >>> relaxed_f.compute(**tags, details=True)["counts"]  # partial: both halves of X are right
    {'right': 2, 'predicted': 3, 'found': 1, 'reference': 1}
    >>> [round(relaxed_f.compute(**tags, matching=matching)["f1"], 4) for matching in ("many", "first", "fresh")]
    [0.8, 0.5, 0.6667]
"""

_CITATION = """
@article{henry-etal-2020-n2c2, title = "2018 n2c2 shared task on adverse drug events and medication extraction in
        electronic health records", journal = "JAMIA", volume = "27", number = "1", pages = "3--12", year = "2020",
    author = "Henry, Sam and Buchan, Kevin and Filannino, Michele and Stubbs, Amber and Uzuner, Ozlem"
}
"""


class RelaxedF(SpanModule):
    """Precision, recall and F1 over spans that overlap, not one to one."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
