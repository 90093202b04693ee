"""ETER over the weight of the components."""

import random

import pytest

from entity_corpora import random_entity_documents
from spanometer.measures import Eter
from spanometer.measures.eter import ALPHAS, alpha_sweep
from spanometer.spans.entities import Entities


def scores_of(references, predictions, **options):
    measure = Eter(**options)
    counts = measure.counts(references, predictions)
    return {**measure.score(counts), "muc_error": measure.muc_error(counts)}


def test_alpha_sweep():
    references, predictions = map(Entities.from_dicts, random_entity_documents(random.Random(5)))
    costs = {"type_cost": 0.4, "subtype_cost": 0.3, "span_cost": 0.2, "average": "macro", "zero_division": 1.0}
    found = alpha_sweep(references, {"A": predictions, "B": references}, alphas=[0, 0.35, 1], **costs)
    assert found.alphas.tolist() == [0.0, 0.35, 1.0]
    expected = [scores_of(references, predictions, alpha=alpha, **costs)["eter"] for alpha in found.alphas]
    assert found.rates["A"].tolist() == expected
    assert found.rates["B"].tolist() == [0.0, 0.0, 0.0]


def test_each_weight_has_its_own_alignment():
    # one output has the right types and bounds, the other the right component
    entity = {"start": 0, "end": 2, "types": ["a"], "components": [{"start": 0, "end": 1, "label": "x"}]}
    outputs = [{**entity, "components": []}, {**entity, "types": ["b"]}]
    found = alpha_sweep(Entities.from_dicts([[entity]]), {"A": Entities.from_dicts([outputs])})
    # besides the insertion: a missing component costs alpha, another type half of the rest
    expected = [1 + min(alpha, (1 - alpha) / 2) for alpha in ALPHAS]
    assert found.rates["A"] == pytest.approx(expected, rel=1e-12)
