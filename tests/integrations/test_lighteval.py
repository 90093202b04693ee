"""The corpus metric in LightEval's own classes."""

import json

import pytest

pytest.importorskip("lighteval", reason="LightEval is not installed")

from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

from spanometer import InputError
from spanometer.integrations.lighteval import corpus_metric
from spanometer.measures import SpanF

PERSON, PLACE = {"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}
GOLDS = [[PERSON, PLACE], [], [PERSON]]
WRITTEN = [[PERSON], [PLACE], [PERSON]]


def computed(metric, golds, written):
    """What LightEval does: each sample is prepared, then all are aggregated."""
    items = []
    for gold, texts in zip(golds, written, strict=True):
        doc = Doc(query="Find the names.", choices=[json.dumps(gold)], gold_index=0)
        sample = metric.compute_sample(doc=doc, model_response=ModelResponse(text=[json.dumps(text) for text in texts]))
        items.append(sample[metric.metric_name])
    return metric.get_corpus_aggregations()[metric.metric_name](items)


def test_by_hand():
    # two of three right, two of three found; each label by itself: PER 1, LOC 0
    metric = corpus_metric(json.loads)
    assert (metric.metric_name, metric.higher_is_better) == ("span_f_f1", True)
    assert computed(metric, GOLDS, [[text] for text in WRITTEN]) == 2 / 3
    macro = corpus_metric(json.loads, SpanF(average="macro"), key="recall", name="macro")
    assert (macro.metric_name, computed(macro, GOLDS, [[text] for text in WRITTEN])) == ("macro", 0.5)


def test_tags_and_options():
    metric = corpus_metric(json.loads, "span_f", repair="discard", scheme="IOB2")
    assert computed(metric, [["B-X", "O"]], [[["I-X", "O"]]]) == 0


def test_errors_are_lower_where_better():
    assert not corpus_metric(json.loads, "eter").higher_is_better


def test_wrong_calls():
    with pytest.raises(InputError, match="invalid value for key"):
        corpus_metric(json.loads, key="f")
    with pytest.raises(InputError, match="predictions, document 1: 2 texts for one document"):
        computed(corpus_metric(json.loads), GOLDS[:2], [[WRITTEN[0]], WRITTEN[1:]])
