"""Corpus metrics for LightEval: parse or ground the answers of a model, and score all documents as one corpus.

metric = corpus_metric(json.loads, "span_f")  # for the metrics of a LightevalTaskConfig
metric = answer_metric("span_f", grounding="strict", asked_labels=["PER", "LOC"])
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.sample_preparator import GenerativePreparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.tasks.requests import SamplingMethod

from ..exceptions import InputError, counted
from .language_models import score_answers
from .scikit_learn import one_value, read_key


class CorpusScore(CorpusLevelComputation):  # type: ignore[misc]  # LightEval may not be installed
    """A LightEval computation that scores a whole corpus.

    Attributes:
        score: a function of the list of golds and the list of answers, with one text for each document.
    """

    def __init__(self, score: Callable[[list[str], list[str]], float]) -> None:
        self.score = score

    def compute_corpus(self, items: Sequence[Any]) -> float:
        """Score all documents; raise an `InputError` unless each document has one gold and one prediction."""
        sides = {"references": [item.golds for item in items], "predictions": [item.preds for item in items]}
        for side, texts in sides.items():
            for document, samples in enumerate(texts):
                if len(samples) != 1:
                    problem = f"got {counted(len(samples), 'text')} for one document."
                    raise InputError(problem, "Give one gold and one prediction each.", side=side, document=document)
        golds, written = ([samples[0] for samples in texts] for texts in sides.values())
        return self.score(golds, written)


def _parsed(golds: list[str], written: list[str], *, parse: Callable[[str], Any], **options: Any) -> float:
    return one_value(list(map(parse, golds)), list(map(parse, written)), **options)


def corpus_metric(
    parse: Callable[[str], Any], measure: Any = "span_f", *, key: str | None = None, name: str = "", **options: Any
) -> CorpusLevelMetric:
    """Create a metric for generative tasks of LightEval.

    Args:
        parse: converts the text of a gold or an answer to the tags or spans of a document. For unreadable text it can
            return an empty list (no spans), or raise an error that ends the evaluation.
        measure: a measure or its name.
        key: the key of the score in the result; by default the main score.
        name: the metric's name in LightEval; by default measure and key.
        options: the options of `scoring.score`.

    Raises:
        InputError: if the measure or key is unknown.
    """
    return _metric(partial(_parsed, parse=parse, measure=measure, **options), measure, key, name)


def answer_metric(
    measure: Any = "span_f", *, key: str | None = None, name: str = "", **options: Any
) -> CorpusLevelMetric:
    """Create a metric for generative tasks of LightEval that grounds answers in their texts.

    Args:
        measure, key, name: see `corpus_metric`.
        options: the options of `language_models.score_answers`. The gold of a document (its only choice) is the JSON of
            an object with `text` and `spans`.

    Raises:
        InputError: if the measure or key is unknown.
    """
    return _metric(partial(score_answers, measure=measure, **options), measure, key, name)


def _metric(score: Callable[..., float], measure: Any, key: str | None, name: str) -> CorpusLevelMetric:
    chosen, higher = read_key(measure, key)
    return CorpusLevelMetric(
        metric_name=name or f"{measure if isinstance(measure, str) else measure.name}_{chosen}",
        higher_is_better=higher,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=GenerativePreparator(),
        corpus_level_fn=CorpusScore(partial(score, key=chosen)),
    )
