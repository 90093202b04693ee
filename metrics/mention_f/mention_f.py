"""F1 over mention strings, as an `evaluate` module."""

from spanometer.integrations.mention_module import Card, MentionModule
from spanometer.measures.mention_f import MentionF as Measure

_DESCRIPTION = """
Mention F1 scores labels and strings without positions, as language models write them. A predicted mention is right if
the reference of the document has a mention with the same label and text. Options set which texts are equal and how
copies count.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> mention_f = spanometer.load("mention_f")
    >>> reference = [["PER", "Ada Lovelace"], ["PER", "Ada Lovelace"], ["LOC", "London"]]
    >>> mention_f.compute(predictions=[reference], references=[reference])["f1"]  # maximal
    1.0
    >>> mention_f.compute(predictions=[[["PER", "London"]]], references=[reference])["f1"]  # minimal
    0.0
    >>> found = [["PER", "Ada Lovelace"], ["PER", "ada lovelace"], ["ORG", "London"]]  # partial: one of three
    >>> result = mention_f.compute(predictions=[found], references=[reference], details=True)
    >>> result["f1"], result["counts"]
    (0.3333333333333333, {'both': 1, 'predicted': 3, 'reference': 3})
    >>> result["signature"].partition("|average")[0]
    'mention_f|fold:exact|copies:multiset|match_labels:yes'
    >>> mention_f.compute(predictions=[found], references=[reference], fold="case")["f1"]
    0.6666666666666666
"""

_CITATION = """
@inproceedings{zhou-etal-2024-universalner,
    title = "{UniversalNER}: Targeted Distillation from Large Language Models for Open Named Entity Recognition",
    author = "Zhou, Wenxuan and Zhang, Sheng and Gu, Yu and Chen, Muhao and Poon, Hoifung", year = "2024",
    booktitle = "The Twelfth International Conference on Learning Representations (ICLR)"
}
"""


class MentionF(MentionModule):
    """Precision, recall and F1 over mention strings."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
