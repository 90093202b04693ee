"""A corpus metric for LightEval: what a model writes is parsed, and all documents are scored at once.

metric = corpus_metric(json.loads, "span_f")  # for the metrics of a LightevalTaskConfig
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.sample_preparator import GenerativePreparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.tasks.requests import SamplingMethod

from ..errors import InputError, counted
from .scikit_learn import one_value, read_key


class CorpusScore(CorpusLevelComputation):  # type: ignore[misc]  # LightEval may not be installed
    """The score of a corpus of texts.

    Attributes:
        parse: makes the tags or spans of a document of a text, see `corpus_metric`.
        options: those of `scikit_learn.one_value`.
    """

    def __init__(self, parse: Callable[[str], Any], **options: Any) -> None:
        self.parse = parse
        self.options = options

    def compute_corpus(self, items: Sequence[Any]) -> float:
        """Score the golds and predictions of all documents; an `InputError` unless each has one of both."""
        sides = {"references": [item.golds for item in items], "predictions": [item.preds for item in items]}
        parsed = []
        for side, texts in sides.items():
            for document, found in enumerate(texts):
                if len(found) != 1:
                    problem = f"{counted(len(found), 'text')} for one document."
                    raise InputError(problem, "Give one gold, and sample one text.", side=side, document=document)
            parsed.append([self.parse(found[0]) for found in texts])
        return one_value(*parsed, **self.options)


def corpus_metric(
    parse: Callable[[str], Any], measure: Any = "span_f", *, key: str | None = None, name: str = "", **options: Any
) -> CorpusLevelMetric:
    """Make a metric for generative tasks of LightEval.

    Args:
        parse: makes of a text, a gold or what the model wrote, the tags or spans of a document. What cannot be read is
            for it to decide: an empty list counts as nothing found, an error ends the evaluation.
        measure: the name of a measure, or one with options of its own.
        key: the key of its result that is the score; by default its headline.
        name: what LightEval calls the metric; by default measure and key.
        options: those of `scoring.score`.

    Raises:
        InputError: for an unknown measure or key.
    """
    chosen, higher = read_key(measure, key)
    return CorpusLevelMetric(
        metric_name=name or f"{measure if isinstance(measure, str) else measure.name}_{chosen}",
        higher_is_better=higher,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=GenerativePreparator(),
        corpus_level_fn=CorpusScore(parse, measure=measure, key=chosen, **options),
    )
