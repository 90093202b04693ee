"""The corpus metric in LightEval's own classes."""

import json
from pathlib import Path

import pytest

pytest.importorskip("lighteval", reason="LightEval is not installed")

import xxhash
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc

from spanometer import InputError
from spanometer.integrations.lighteval import answer_metric, corpus_metric
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
    with pytest.raises(InputError, match="invalid value for `key`"):
        corpus_metric(json.loads, key="f")
    with pytest.raises(InputError, match="predictions, document 1: 2 texts for one document"):
        computed(corpus_metric(json.loads), GOLDS[:2], [[WRITTEN[0]], WRITTEN[1:]])


def test_grounded_answers():
    """An item that has no place is wrong."""
    texts = ["Ann met Bob", "Oslo"]
    gold = [[{"start": 0, "end": 3, "label": "PER"}], [{"start": 0, "end": 4, "label": "LOC"}]]
    golds = [{"text": text, "spans": spans} for text, spans in zip(texts, gold, strict=True)]
    answers = [[["PER", "Ann"], ["PER", "Cid"]], [["LOC", "Oslo"]]]
    assert computed(answer_metric(), golds, [[answer] for answer in answers]) == 0.8
    dropping = answer_metric("span_f", key="precision", grounding="uie", asked_labels=["PER", "LOC"])
    assert (dropping.metric_name, computed(dropping, golds, [[answer] for answer in answers])) == (
        "span_f_precision",
        1,
    )
    with pytest.raises(InputError, match=r"document 0: .* is not a gold with a text and spans"):
        computed(answer_metric(), [[PERSON]], [[[]]])


# as in test_lm_eval: 3 of 7 are right, 3 of 7 are found
ANSWERS = {
    "Ann met": '[["PER", "Ann"], ["LOC", "Rome"], ["PER", "Ann"], ["PER", "Ann"], ["PER", "Cid"]]',
    "Paris Hilton": '[["PER", "Hilton"], ["LOC", "Paris"]]',
    "Nothing": "[]",
}


class Model(DummyModel):
    """Says what is known of the text in the prompt."""

    def greedy_until(self, docs):
        texts = [doc.query.rpartition("Text: ")[2] for doc in docs]
        said = [next(answer for begin, answer in ANSWERS.items() if text.startswith(begin)) for text in texts]
        return [ModelResponse(text=[answer]) for answer in said]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(int(xxhash.VERSION.split(".")[0]) > 3, reason="LightEval 0.13 hashes texts, which xxhash 4 refuses")
def test_the_example(tmp_path, monkeypatch):
    # the library's own tasks fetch files when they are loaded
    for name in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, name, lambda *_: {})
    pipeline = Pipeline(
        "spanometer_entities|0",
        PipelineParameters(
            launcher_type=ParallelismManager.NONE,
            custom_tasks_directory=str(Path(__file__).parents[2] / "examples" / "lighteval" / "entities.py"),
            bootstrap_iters=0,
        ),
        EvaluationTracker(output_dir=str(tmp_path)),
        model=Model(DummyModelConfig()),
    )
    pipeline.evaluate()
    (values,) = (found for name, found in pipeline.get_results()["results"].items() if name != "all")
    assert values["span_f_f1"] == 3 / 7
    assert values["fair_f_f1"] > 3 / 7
