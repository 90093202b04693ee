"""ETER, the entity tree error rate, as an `evaluate` module."""

import evaluate

from spanometer.integrations.evaluate_module import Card, EntityModule
from spanometer.measures import eter

_DESCRIPTION = """
ETER scores entities that are trees: an entity with its types and the components inside it. Reference and predicted
entities that share a token are aligned one to one so that the errors cost least; the error rate is what insertions,
deletions and errors within the pairs cost, over the number of reference entities. SER, the slot error rate of the same
trees laid flat, stands beside it. Lower is better: the reference itself scores 0, an empty output 1, and a noisy one
more than 1.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list of lists of dict): The predicted entities of each document, {"start": int, "end": int,
        "types": [str, ...], "components": [{"start": int, "end": int, "label": str}, ...]}, token offsets, ends
        exclusive; components may be left out or None. Loaded with "markup": one string a document, QUAERO's inline
        markup.
    references (list of lists of dict): The reference, in the same form; with "markup" over the same words.
    entity_types (list of str): With "markup": the first dotted parts of the tags that are entities, all others being
        components. Default None: QUAERO's, pers, func, loc, prod, org, time, amount and event.
    alpha (float): The weight of the components, from 0 to 1: 0 ignores components, 1 ignores types and bounds. Default
        0.5.
    type_cost (float): What another type costs, and another label of a component. Default 0.5.
    subtype_cost (float): What a type costs that agrees in its first dotted part. Default 0.25.
    span_cost (float): What other bounds cost. Default 0.25.
    average (str): "micro" (default), "macro" (unweighted mean over types) or "weighted" (by reference entities).
    zero_division (float): The rates where the reference is empty: 0.0 (default), 1.0 or nan.
    confidence (float): A level such as 0.95: adds "<key>_low" and "<key>_high" to each key, the bounds of a bootstrap
        interval over documents. Default None.
    interval_method (str): "bca" (default, bias-corrected and accelerated) or "percentile".
    n_resamples (int): How many corpora are drawn for the interval. Default 1000.
    seed (int): Of the draws. Default 0.
    details (bool): Add "per_label", "counts", "signature", "counts_per_label" and "muc_err" to the result. Default
        False.
    lengths (list of int): The documents' lengths in tokens, checked against entities. Default None.

Returns:
    eter (float): (insertions + deletions + substitution_cost) / references, from 0 without an upper bound; lower is
        better.
    insertions (float): Predicted entities without a partner; lower is better.
    deletions (float): Reference entities without a partner; lower is better.
    substitution_cost (float): The sum over pairs of (1 - alpha) times the root error plus alpha times the error in the
        components; lower is better.
    references (float): The number of reference entities.
    root_error (float): The sum over pairs of the errors in types and bounds; lower is better.
    component_error (float): The sum over pairs of the errors in components; lower is better.
    ser (float): The slot error rate over entities and components, from 0 without an upper bound; lower is better.
    ser_types (float): The slot error rate of the entities alone; lower is better.
    ser_components (float): The slot error rate of the components alone; lower is better.

Examples:

    The best score is 0, that of an empty output 1:

    >>> import evaluate, spanometer
    >>> eter = evaluate.load(spanometer.path("eter"))
    >>> ada = {
    ...     "start": 0,
    ...     "end": 2,
    ...     "types": ["pers.ind"],
    ...     "components": [{"start": 0, "end": 1, "label": "name.first"}, {"start": 1, "end": 2, "label": "name.last"}],
    ... }
    >>> eter.compute(predictions=[[ada]], references=[[ada]])["eter"]
    0.0
    >>> result = eter.compute(predictions=[[]], references=[[ada]])
    >>> result["eter"], result["deletions"], result["ser"]
    (1.0, 1.0, 1.0)

    Another subtype costs 0.25, a missing component one of two; alpha = 0.5 takes half of each:

    >>> group = {**ada, "types": ["pers.coll"], "components": ada["components"][:1]}
    >>> result = eter.compute(predictions=[[group]], references=[[ada]], details=True)
    >>> result["eter"], result["root_error"], result["component_error"]
    (0.375, 0.25, 0.5)
    >>> {name: result["counts"][name] for name in ("matched", "subtype_substitutions", "component_deletions")}
    {'matched': 1, 'subtype_substitutions': 1, 'component_deletions': 1}
    >>> result["signature"].rpartition("|v:")[0]
    'eter|input:entities|alpha:0.5|type_cost:0.5|subtype_cost:0.25|span_cost:0.25|average:micro|zero_division:0'

    The same from markup:

    >>> eter = evaluate.load(spanometer.path("eter"), "markup")
    >>> reference = "<pers.ind> <name.first> Ada </name.first> <name.last> Lovelace </name.last> </pers.ind> writes"
    >>> prediction = "<pers.coll> <name.first> Ada </name.first> Lovelace </pers.coll> writes"
    >>> eter.compute(predictions=[prediction], references=[reference])["eter"]
    0.375
"""

_CITATION = """
@inproceedings{ben-jannet-etal-2014-eter,
    title = "{ETER}: a new metric for the evaluation of hierarchical named entity recognition",
    author = "Ben Jannet, Mohamed and Adda-Decker, Martine and Galibert, Olivier and Kahn, Juliette and Rosset, Sophie",
    booktitle = "Proceedings of the Ninth International Conference on Language Resources and Evaluation (LREC'14)",
    year = "2014"
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Eter(EntityModule):
    """The entity tree error rate and the slot error rate."""

    measure = eter.Eter
    card = Card(description=_DESCRIPTION, citation=_CITATION, inputs=_KWARGS_DESCRIPTION)

    def _compute(
        self,
        predictions,
        references,
        *,
        entity_types: list[str] | None = None,
        alpha: float = 0.5,
        type_cost: float = 0.5,
        subtype_cost: float = 0.25,
        span_cost: float = 0.25,
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: list[int] | None = None,
    ) -> dict:
        """Score with the costs that were asked for."""
        measure = eter.Eter(
            alpha=alpha,
            type_cost=type_cost,
            subtype_cost=subtype_cost,
            span_cost=span_cost,
            average=average,
            zero_division=zero_division,
        )
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, entity_types, details, lengths, resampling)

    def _details(self, measure, counts) -> dict:
        """All counts by type, and MUC's error rate."""
        sums = counts.per_label()
        by_type = {
            label: {name: values[code].item() for name, values in sums.items()}
            for code, label in enumerate(counts.labels)
        }
        return {"counts_per_label": by_type, "muc_err": measure.muc_error(counts)}
