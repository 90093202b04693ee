"""F1 of SemEval-2013 task 9.1, as an `evaluate` module."""

from spanometer.integrations.span_module import Card, SpanModule
from spanometer.measures.semeval_f import SemevalF as Measure

_DESCRIPTION = """
SemEval F1 pairs predicted spans one to one with reference spans that share tokens, and judges each pair by a schema.
`strict` compares tokens and labels, `exact` compares tokens, and `ent_type` compares labels. `partial` ignores labels
and gives half a point if the tokens differ. These are the schemas of SemEval-2013 task 9.1, after MUC-5, as in
nervaluate and eval4ner. The details have the numbers of correct, incorrect, partial, missing and spurious spans.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> semeval_f = spanometer.load("semeval_f")
    >>> semeval_f.compute(predictions=[["B-PER", "I-PER"]], references=[["B-PER", "I-PER"]])  # maximal
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
    >>> semeval_f.compute(predictions=[["O", "O", "B-PER"]], references=[["B-PER", "I-PER", "O"]])  # minimal
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}
    >>> tags = {"predictions": [["B-PER", "O", "B-LOC"]], "references": [["B-PER", "I-PER", "B-ORG"]]}
    >>> result = semeval_f.compute(**tags, details=True)  # partial: one pair has other tokens; labels do not count
    >>> result["f1"], {key: number for key, number in result["counts"].items() if number}
    (0.75, {'correct': 1, 'partial': 1, 'possible': 2, 'actual': 2})
    >>> [semeval_f.compute(**tags, schema=schema)["f1"] for schema in ("strict", "exact", "ent_type")]
    [0.0, 0.5, 0.5]
"""

_CITATION = """
@inproceedings{segura-bedmar-etal-2013-semeval,
    title = "SemEval-2013 Task 9: Extraction of Drug-Drug Interactions from Biomedical Texts (DDIExtraction 2013)",
    author = "Segura-Bedmar, Isabel and Martínez, Paloma and Herrero-Zazo, María", year = "2013",
    booktitle = "Second Joint Conference on Lexical and Computational Semantics (*SEM), Volume 2 (SemEval 2013)"
}
@inproceedings{chinchor-sundheim-1993-muc,
    title = "MUC-5 Evaluation Metrics", author = "Chinchor, Nancy and Sundheim, Beth", year = "1993",
    booktitle = "Fifth Message Understanding Conference (MUC-5)"
}
"""


class SemevalF(SpanModule):
    """Precision, recall and F1 over pairs of spans, with partial credit."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
