"""SL-ICM, the information contrast of two annotations, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.sl_icm import SlIcm as Measure

_DESCRIPTION = """
SL-ICM weighs spans by their information. Rare labels carry more information than frequent labels. The i-th token of a
span has the weight 1/i. The score is three times the information that matched spans share, minus the information of all
predicted spans and all reference spans. In the normalised form, a perfect output scores 1 and an empty output scores 0.
An output with many spurious spans scores less than 0.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> sl_icm = spanometer.load("sl_icm")
    >>> reference = [["B-PER", "I-PER", "O"]]  # a span of two tokens carries 1 + 1/2 bits
    >>> sl_icm.compute(predictions=reference, references=reference)  # maximal
    {'sl_icm': 1.5, 'sl_icm_norm': 1.0}
    >>> sl_icm.compute(predictions=[["O", "O", "O"]], references=reference)  # nothing predicted
    {'sl_icm': -1.5, 'sl_icm_norm': 0.0}
    >>> result = sl_icm.compute(predictions=[["O", "O", "B-PER"]], references=reference)  # noise: there is no minimum
    >>> result["sl_icm"], round(result["sl_icm_norm"], 4)
    (-2.5, -0.3333)
    >>> result = sl_icm.compute(predictions=[["B-PER", "O", "O"]], references=reference, details=True)
    >>> result["sl_icm"], round(result["sl_icm_norm"], 4)  # partial: one of two tokens, 3 * 1 - 1 - 1.5
    (0.5, 0.6667)
    >>> {name: result["counts"][name] for name in ("matched_information", "reference_information")}
    {'matched_information': 1.0, 'reference_information': 1.5}
    >>> result["signature"].partition("|token_probabilities:")[2].rpartition("|average:")[0]
    'unit|prior:spans|log_base:2|matching:mutual|alpha1:1|alpha2:1|beta:2|match_labels:yes'
"""

_CITATION = """
@inproceedings{amigo-etal-2025-evaluating, year = "2025", url = "https://aclanthology.org/2025.acl-long.1351",
    title = "Evaluating Sequence Labeling on the basis of Information Theory", booktitle = "ACL 2025, Long Papers",
    author = "Amigó, Enrique and Álvarez-Mellado, Elena and Gonzalo, Julio and Carrillo-de-Albornoz, Jorge"
}
"""


class SlIcm(SpanModule):
    """The information contrast of two annotations and its normalised form."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
