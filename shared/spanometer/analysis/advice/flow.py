"""The flow chart of the SL-ICM paper: its questions in the order of the text, each with a measure as its outcome.

A later yes overrides an earlier one, and a yes to the first question ends the flow. The paper describes when the answer
is yes, but gives only one number (spans of one or two tokens). The other thresholds are ours, see `Thresholds`.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', section 5 and Figure 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .statistics import Statistics, Thresholds

QUESTIONS = {
    "short_share": ("Is exact agreement the main requirement?", "{:.1%} have at most 2 tokens", "span_f"),
    "touching_share": ("Do spans touch each other?", "{:.1%} are next to another", "token_f_BIO_BIOE"),
    "length_variation": ("Do lengths vary much?", "by {:.2f} of their mean", "intersection_f"),
    "very_long_share": ("Are there very long spans?", "{:.1%} very long", "sl_icm"),
    "information_variation": ("Do tokens differ much in specificity?", "bits by {:.2f} of their mean", "sl_icm"),
}
"""Question, text of the value, and outcome of a yes, by the name of the statistic and of its threshold."""


def measure_of(metric: str) -> tuple[str, dict[str, Any]]:
    """Convert a metric of the paper's Table 1 to a measure and its options; BIO stands for BIO and BIOE."""
    measure, _, tags = metric.partition("_f_")
    options = {} if tags in ("", "IO") else {"format": tags.removesuffix("_BIOE")}
    return f"{measure}_f" if tags else metric, options


def written_call(measure: str, options: Mapping[str, Any]) -> str:
    """Write a measure with its options, as in Python."""
    values = {name: value if value == "words" else repr(value) for name, value in options.items()}
    return f"{measure}({', '.join(f'{name}={value}' for name, value in values.items())})"


@dataclass(frozen=True)
class FlowStep:
    """A question of the flow chart, with the answer for a corpus.

    Attributes:
        question: the question in words.
        value: the statistic that answers it, in words.
        threshold: the lowest value for a yes.
        answer: yes or no; None if unknown for this corpus.
        outcome: the measure after this question, as in Python.
    """

    question: str
    value: str
    threshold: float
    answer: bool | None
    outcome: str


@dataclass(frozen=True)
class Flow:
    """The paper's flow chart for a corpus.

    Attributes:
        steps: its questions, up to the one that ends the flow.
        measure, options: its outcome.
        metric: the outcome's row in the paper's Table 1.
        differences: the reasons why our advice differs; empty if it is the same.
    """

    steps: tuple[FlowStep, ...]
    measure: str
    options: dict[str, Any]
    metric: str
    differences: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """Write the outcome with its options, as in Python."""
        return written_call(self.measure, self.options)


def follow(corpus: Statistics, thresholds: Thresholds) -> Flow:
    """Follow the flow chart for a corpus."""
    flow = Flow((), *measure_of("token_f_IO"), "token_f_IO")
    for name, (question, text, metric) in QUESTIONS.items():
        value, limit = getattr(corpus, name), getattr(thresholds, name)
        answer = None if value is None else value > 0 and value >= limit
        if answer:
            measure, options = measure_of(metric)
            if name == "information_variation":
                options = {**options, "tokens": "words"}
            flow = Flow(flow.steps, measure, options, metric)
        step = FlowStep(question, "no words" if value is None else text.format(value), limit, answer, flow.call)
        flow = Flow((*flow.steps, step), flow.measure, flow.options, flow.metric)
        if flow.metric == "span_f":
            break
    return flow
