"""ETER, the entity tree error rate, as an `evaluate` module."""

from spanometer.integrations.entity_module import Card, EntityModule
from spanometer.measures.eter import Eter as Measure

_DESCRIPTION = """
ETER scores entities that are trees of types and components. Predicted and reference entities that share a token are
aligned one to one at minimum cost. ETER is the cost of insertions, deletions and errors in pairs, divided by the number
of reference entities. SER (slot error rate) scores a flat list of entities and components. Lower is better.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> eter = spanometer.load("eter")
    >>> names = [{"start": 0, "end": 1, "label": "name.first"}, {"start": 1, "end": 2, "label": "name.last"}]
    >>> ada = {"start": 0, "end": 2, "types": ["pers.ind"], "components": names}
    >>> result = eter.compute(predictions=[[]], references=[[ada]])  # maximal: an empty output; minimal: the reference
    >>> result["eter"], result["ser"], eter.compute(predictions=[[ada]], references=[[ada]])["eter"]
    (1.0, 1.0, 0.0)
    >>> group = {**ada, "types": ["pers.coll"], "components": names[:1]}  # partial: a subtype and a component are wrong
    >>> result = eter.compute(predictions=[[group]], references=[[ada]], details=True)
    >>> result["eter"], result["root_error"], result["component_error"], result["counts"]["subtype_substitutions"]
    (0.375, 0.25, 0.5, 1)
    >>> result["signature"].partition("|ser_type_cost")[0]
    'eter|input:entities|alpha:0.5|type_cost:0.5|subtype_cost:0.25|span_cost:0.25|insertion_cost:1|deletion_cost:1'
    >>> markup = spanometer.load("eter", "markup")
    >>> reference = "<pers.ind> <name.first> Ada </name.first> <name.last> Lovelace </name.last> </pers.ind> writes"
    >>> markup.compute(predictions=["<pers.ind> Ada Lovelace </pers.ind> writes"], references=[reference])["eter"]
    0.5
"""

_CITATION = """
@inproceedings{ben-jannet-etal-2014-eter,
    title = "{ETER}: a new metric for the evaluation of hierarchical named entity recognition", year = "2014",
    author = "Ben Jannet, Mohamed and Adda-Decker, Martine and Galibert, Olivier and Kahn, Juliette and Rosset, Sophie",
    booktitle = "Proceedings of the Ninth International Conference on Language Resources and Evaluation (LREC'14)"
}
"""


class Eter(EntityModule):
    """The entity tree error rate and the slot error rate."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)
