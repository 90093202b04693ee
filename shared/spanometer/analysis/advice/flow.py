"""The selection flow of the SL-ICM paper: its questions in the order of the text, each with a measure as its outcome.

A later yes overrides an earlier answer, and a yes to the first question ends the flow. The paper says what is typical
of each yes and gives one number, spans of one or two tokens; the other thresholds are ours, see `Thresholds`.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', section 5 and Figure 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...options import check_options, option
from .statistics import SHORT, Statistics, Thresholds


@dataclass(frozen=True, kw_only=True)
class FlowOptions:
    """The way to a measure.

    Attributes:
        flow: `properties` derives a measure from the formal properties that a corpus needs; `paper` shows the outcome
            of the paper's selection flow before it.
    """

    flow: str = option(
        "properties",
        help="way to the measure",
        choices={
            "properties": "from the formal properties that the corpus needs",
            "paper": "the questions of the SL-ICM paper, with the first way beside them",
        },
    )

    def __post_init__(self) -> None:
        """Check the choice."""
        check_options(self)


def written_call(measure: str, options: Mapping[str, Any]) -> str:
    """Write a measure with its options, as in Python."""
    values = {name: value if value == "words" else repr(value) for name, value in options.items()}
    return f"{measure}({', '.join(f'{name}={value}' for name, value in values.items())})"


@dataclass(frozen=True)
class FlowStep:
    """A question of the flow, with the answer of a corpus.

    Attributes:
        question: in words.
        value: the statistic that answers it, in words.
        threshold: from which value on the answer is yes, in words.
        answer: yes or no; None if the corpus cannot tell.
        outcome: the measure after this question, as in Python.
    """

    question: str
    value: str
    threshold: str
    answer: bool | None
    outcome: str


@dataclass(frozen=True)
class Flow:
    """The flow of the paper for a corpus.

    Attributes:
        steps: its questions, up to the one that ends it.
        measure, options: its outcome.
        metric: the row of the paper's Table 1 that the outcome is.
        differences: why our own advice is another measure; empty if it is the same.
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
    """Follow the flow for a corpus."""
    steps: list[FlowStep] = []
    measure, options, metric = "token_f", dict[str, Any](), "token_f_IO"
    for question, value, threshold, answer, yes in _questions(corpus, thresholds):
        if answer:
            measure, options, metric = yes
        steps.append(FlowStep(question, value, threshold, answer, written_call(measure, options)))
        if measure == "span_f":
            break
    return Flow(tuple(steps), measure, options, metric)


def _questions(
    corpus: Statistics, thresholds: Thresholds
) -> Iterator[tuple[str, str, str, bool | None, tuple[str, dict[str, Any], str]]]:
    """Yield each question with its statistic, threshold and answer, and the outcome of a yes."""
    variation = corpus.information_variation
    yield (
        "Is exact agreement the main requirement?",
        f"{corpus.short_share:.1%} of at most {SHORT} tokens",
        f"from {thresholds.short_share:.1%} on",
        corpus.short_share >= thresholds.short_share,
        ("span_f", {}, "span_f"),
    )
    yield (
        "Do spans touch each other?",
        f"{corpus.touching_share:.1%} next to another",
        f"from {thresholds.touching:.1%} on",
        corpus.touching > 0 and corpus.touching_share >= thresholds.touching,
        ("token_f", {"format": "BIO"}, "token_f_BIO_BIOE"),
    )
    yield (
        "Do lengths vary much?",
        f"by {corpus.length_variation:.2f} of their mean",
        f"from {thresholds.length_variation:.2f} on",
        corpus.length_variation > 0 and corpus.length_variation >= thresholds.length_variation,
        ("intersection_f", {}, "intersection_f"),
    )
    yield (
        "Are there very long spans?",
        f"{corpus.very_long_share:.1%} of {thresholds.very_long_span:g} tokens or more",
        f"from {thresholds.very_long_share:.1%} on",
        corpus.very_long_share > 0 and corpus.very_long_share >= thresholds.very_long_share,
        ("sl_icm", {}, "sl_icm"),
    )
    yield (
        "Do tokens differ much in specificity?",
        "no words to tell by" if variation is None else f"bits by {variation:.2f} of their mean",
        f"from {thresholds.information_variation:.2f} on",
        None if variation is None else variation > 0 and variation >= thresholds.information_variation,
        ("sl_icm", {"tokens": "words"}, "sl_icm"),
    )
