"""Advice on a measure for a corpus, from its statistics and the formal properties that matter.

The statistics of a corpus show which formal properties matter. We suggest the simplest measure (`SIMPLEST_FIRST`) that
has all of them in Table 1 of the SL-ICM paper. The thresholds of the statistics (`Thresholds`) are our own choice.

    >>> from spanometer import Spans
    >>> advice = advise(Spans.from_tags([["B-PER", "O", "B-LOC", "I-LOC", "O", "B-LOC", "I-LOC"]]))
    >>> advice.measure, advice.properties
    ('token_f', ('overlap', 'noise'))

The paper itself recommends a metric by a flow chart (its Figure 2), which asks for the kind of the corpus. With
`flow="paper"` the result also contains the recommendation of this flow chart, and explains how it differs (`flow`).

The advice also considers chance: the F1 of the reference against spans of the same numbers and lengths at random
positions (`chance_kappa_f1`), over all labels and for each label. This F1 falls towards 0 as documents grow
(Proposition 4 of 'Estimating Agreement by Chance for Sequence Annotation'). If it is below `Thresholds.chance`, you
can ignore chance.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', Table 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...arrays import plain
from ...exceptions import counted, first_of, require_choice, require_kind
from ...spans.spans import Spans
from .statistics import Statistics, Thresholds

QUESTIONS = {
    "short_share": ("Is exact agreement the main requirement?", "{:.1%} have at most 2 tokens", "span_f"),
    "touching_share": ("Do spans touch each other?", "{:.1%} are next to another", "token_f_BIO_BIOE"),
    "length_variation": ("Do lengths vary much?", "standard deviation / mean {:.2f}", "intersection_f"),
    "very_long_share": ("Are there very long spans?", "{:.1%} very long", "sl_icm"),
    "information_variation": (
        "Do tokens differ much in specificity?",
        "bits standard deviation / mean {:.2f}",
        "sl_icm",
    ),
}
"""For the name of each statistic and its threshold: the question, the text for the value, and the outcome of a yes."""


def measure_of(metric: str) -> tuple[str, dict[str, Any]]:
    """Convert a metric of the paper's Table 1 to a measure and its options; BIO stands for BIO and BIOE."""
    measure, _, tags = metric.partition("_f_")
    options = {} if tags in ("", "IO") else {"format": tags.removesuffix("_BIOE")}
    return f"{measure}_f" if tags else metric, options


def written_call(measure: str, options: Mapping[str, Any]) -> str:
    """Write a measure with its options as Python code."""
    values = {name: value if value == "words" else repr(value) for name, value in options.items()}
    return f"{measure}({', '.join(f'{name}={value}' for name, value in values.items())})"


@dataclass(frozen=True)
class FlowStep:
    """A question of the flow chart, with the answer for a corpus.

    Attributes:
        question: the question in words.
        value: the statistic that decides the answer, in words.
        threshold: the lowest value for a yes.
        answer: yes or no; None if unknown for this corpus.
        outcome: the measure after this question, as Python code.
    """

    question: str
    value: str
    threshold: float
    answer: bool | None
    outcome: str


class _Recommended:
    """A measure with options."""

    measure: str
    options: dict[str, Any]

    @property
    def call(self) -> str:
        """The measure with its options, as Python code."""
        return written_call(self.measure, self.options)


@dataclass(frozen=True)
class Flow(_Recommended):
    """The paper's flow chart for a corpus.

    Attributes:
        steps: its questions, up to the one that ends the flow.
        measure, options: its outcome.
        metric: the row of the outcome in the paper's Table 1.
        differences: the reasons why the advice differs; empty if it is the same.
    """

    steps: tuple[FlowStep, ...]
    measure: str
    options: dict[str, Any]
    metric: str
    differences: tuple[str, ...] = ()


def follow(corpus: Statistics, thresholds: Thresholds) -> Flow:
    """Follow the flow chart for a corpus (section 5 and Figure 2 of the paper).

    A later yes overrides an earlier yes; a yes to the first question ends the flow. The paper describes when the answer
    is yes, but gives only one number (spans of one or two tokens). The other thresholds are ours, see `Thresholds`.
    """
    steps, last = [], "token_f_IO"
    measure, options = measure_of(last)
    for name, (question, text, metric) in QUESTIONS.items():
        value, limit = getattr(corpus, name), getattr(thresholds, name)
        answer = _reached(value, limit, "g")[1]
        if answer:
            last, (measure, options) = metric, measure_of(metric)
            options |= {"tokens": "words"} if name == "information_variation" else {}
        described = "no words" if value is None else text.format(value)
        steps.append(FlowStep(question, described, limit, answer, written_call(measure, options)))
        if last == "span_f":
            break
    return Flow(tuple(steps), measure, options, last)


_LISTED = 5
"""The maximum number of labels that a note names."""


@dataclass(frozen=True)
class AdviceAnswer:
    """Whether a statistic reaches its threshold, and what follows.

    Attributes:
        question: the question in words.
        statistic: the statistic and its value, in words.
        threshold: the threshold, in words.
        matters: whether the threshold is reached; None if unknown for this corpus.
        properties: the formal properties that matter if it is reached.
    """

    question: str
    statistic: str
    threshold: str
    matters: bool | None
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Advice(_Recommended):
    """The suggested measure for a corpus, and the reasons.

    Attributes:
        statistics: the statistics of the corpus.
        answers: the answer for each statistic.
        properties: all formal properties that matter.
        measure: the name of the suggested measure.
        options: its suggested options.
        fitting: all metrics of the published table that have these properties and can score the corpus, the simplest
            first.
        notes: further advice, a sentence or two each.
        thresholds: the thresholds of the statistics.
        flow: the outcome of the paper's flow chart, if requested.
    """

    statistics: Statistics
    answers: tuple[AdviceAnswer, ...]
    properties: tuple[str, ...]
    measure: str
    options: dict[str, Any]
    fitting: tuple[str, ...]
    notes: tuple[str, ...]
    thresholds: Thresholds = Thresholds()
    flow: Flow | None = None

    @property
    def why(self) -> str:
        """The reason for the measure, in plain words."""
        if not self.properties:
            return "For this corpus it is enough to count whole spans. This is the best known measure."
        grounds = "; ".join(answer.statistic for answer in self.answers if answer.matters and answer.properties)
        needed = ", ".join(name.replace("_", " ") for name in self.properties)
        others = self.fitting[1:]
        choice = "It is the only measure with all these properties."
        if others:
            have = f"{', '.join(others)} {'has' if len(others) == 1 else 'have'} them, too"
            choice = f"It is the simplest measure with all these properties; {have}."
        return f"In this corpus, {grounds}. So these formal properties matter: {needed}. {choice}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {**plain(self), "statistics": plain(vars(self.statistics)), "why": self.why}


def advise(
    references: Spans,
    words: Sequence[Sequence[str]] | None = None,
    *,
    thresholds: Thresholds | None = None,
    flow: str | None = None,
) -> Advice:
    """Suggest a measure for a corpus, based on its reference annotation.

    Args:
        references: the reference spans.
        words: the words of each document, to measure how much their information varies.
        thresholds: the thresholds of the statistics.
        flow: `paper` to follow the flow chart of the SL-ICM paper as well.

    Raises:
        InputError: for an unknown flow, if there are no spans, and if the words do not fit the documents.
    """
    limits = Thresholds() if thresholds is None else thresholds
    require_kind(limits, Thresholds, "a Thresholds object", "Pass an object such as Thresholds(long_span=8).")
    corpus = Statistics(references, words, thresholds=limits)
    answers = tuple(_answers(corpus, limits))
    needed = {name for answer in answers if answer.matters for name in answer.properties}
    table = published_properties()
    suited = [metric for metric in SIMPLEST_FIRST if all(table[metric][name] for name in needed)]
    fitting = tuple(metric for metric in suited if not (corpus.overlapping and metric.startswith("token_f")))
    measure, options = measure_of(fitting[0])
    options |= {"cap": True} if measure == "intersection_f" and corpus.overlapping_within_label else {}
    options |= {"tokens": "words"} if "token_informativeness" in needed else {}
    properties = tuple(name for name in PROPERTY_NAMES if name in needed)
    remarks = tuple(notes(measure, corpus, needed, limits))
    advice = Advice(corpus, answers, properties, measure, options, fitting, remarks, limits)
    if flow is None:
        return advice
    require_choice("flow", flow, ("paper",))
    paper = follow(corpus, limits)
    differences = () if paper.call == advice.call else tuple(_differences(paper, advice))
    return replace(advice, flow=replace(paper, differences=differences))


def _differences(flow: Flow, advice: Advice) -> Iterator[str]:
    """Explain why the advice differs from the outcome of the flow chart."""
    printed, lacks = published_properties()[flow.metric], False
    for answer in advice.answers if advice.properties else ():
        lacking = [name.replace("_", " ") for name in answer.properties if answer.matters and not printed[name]]
        if lacking:
            lacks = True
            yield f"{flow.call} lacks {' and '.join(lacking)} in Table 1. This matters here: {answer.statistic}."
    if advice.statistics.overlapping and (flow.measure == "token_f" or advice.options.get("cap")):
        unasked = "The flow chart does not ask whether spans share tokens."
        yield f"{unasked} In this corpus they do, and {flow.call} cannot see it."
    elif not lacks:
        yield f"{flow.call} has the properties that matter here, but {advice.call} has them, too, and is simpler."


def _reached(value: float | None, threshold: float, form: str) -> tuple[str, bool | None]:
    """Write a threshold, and decide whether a statistic is above 0 and reaches it; None if the statistic is unknown."""
    return f"at least {threshold:{form}}", None if value is None else value > 0 and value >= threshold


def _answers(corpus: Statistics, limits: Thresholds) -> Iterator[AdviceAnswer]:
    question = "Do spans have several tokens, so that a prediction can be partly right?"
    several = 1 - corpus.one_token_share
    statistic = f"{several:.1%} of spans have several tokens"
    yield AdviceAnswer(question, statistic, *_reached(several, limits.several_tokens, ".1%"), _PARTS)
    question = "Do spans of the same label touch, so that merging and splitting them are separate errors?"
    statistic = f"{corpus.adjacent_share:.1%} of spans are next to a span of the same label"
    yield AdviceAnswer(question, statistic, *_reached(corpus.adjacent_share, limits.adjacent, ".1%"), _BORDERS)
    question = "Do lengths vary, so that a wrong token should weigh less in a longer span?"
    mean, variation = f"a mean of {corpus.mean_length:.2f} tokens", corpus.length_variation
    statistic = f"lengths have {mean}; standard deviation / mean is {variation:.2f}"
    yield AdviceAnswer(question, statistic, *_reached(variation, limits.length_variation, ".2f"), _LENGTHS)
    question = "Are there long spans, so that each further token should weigh less?"
    statistic = f"{corpus.long_share:.1%} of spans have {limits.long_span:g} tokens or more"
    yield AdviceAnswer(question, statistic, *_reached(corpus.long_share, limits.long_share, ".1%"), _INCREASING)
    question = "Are some words of spans rare and others frequent, so that they differ in information?"
    statistic, spread = "the words are unknown", corpus.information_variation
    if spread is not None:
        mean = f"a mean of {corpus.mean_information:.1f} bits"
        statistic = f"words have {mean}; standard deviation / mean is {spread:.2f}"
    yield AdviceAnswer(question, statistic, *_reached(spread, limits.information_variation, ".2f"), _INFORMATION)
    statistic = f"{corpus.overlapping:,} of {corpus.spans:,} share tokens with another"
    yield AdviceAnswer("Do spans share tokens?", statistic, *_reached(corpus.overlapping, 1, "g"), ())
    question = "Would randomly placed spans of the same lengths agree?"
    statistic = "the lengths of documents are unknown"
    highest = None if corpus.chance is None else max(corpus.chance_per_label.values(), default=0.0)
    if highest is not None:
        statistic = f"chance F1 is {corpus.chance:.2f}, and up to {highest:.2f} in a label"
    yield AdviceAnswer(question, statistic, *_reached(highest, limits.chance, ".2f"), ())


def notes(measure: str, corpus: Statistics, needed: set[str], thresholds: Thresholds) -> Iterator[str]:
    """Yield further advice."""
    if corpus.overlapping:
        yield (
            "Spans share tokens, and tags cannot represent this: use the configuration 'spans' (or 'fragments'). "
            "token_f is left out, because it ignores which span a token belongs to."
        )
    if corpus.discontinuous:
        yield f"{counted(corpus.discontinuous, 'discontinuous span')}: use the configuration 'fragments'."
    if measure == "sl_icm" and corpus.overlapping_within_label:
        yield "If spans of the same label cross, see sl_icm's option matching='optimal'."
    if "token_informativeness" in needed:
        yield (
            "If words differ in information, SL-ICM can violate its other properties: a part that begins with a rare "
            "word can have more information than the whole span (see experiments.properties)."
        )
    if corpus.chance is not None:
        yield _note_on_chance(corpus, thresholds)
    if corpus.one_token_share <= 1 - thresholds.several_tokens and corpus.one_token_share < 1:
        yield (
            "If almost right boundaries should count as right, report matched_f as well: it matches spans one to one "
            "if their intersection over union is at least 0.5."
        )
        yield (
            "For kinds of errors report fair_f, which counts a wrong label or wrong boundary as one error instead of "
            "two, or semeval_f, which gives wrong boundaries half credit. Neither measures the distance of a near miss."
        )
    else:
        yield (
            "Almost all spans have one token and cannot be partly right, so semeval_f and matched_f add little to "
            "span_f here. fair_f still counts a wrong label as one error instead of two."
        )
    if measure != "span_f":
        yield "To compare with published scores, report span_f as well."


def _note_on_chance(corpus: Statistics, thresholds: Thresholds) -> str:
    """Name the labels for which chance should be corrected for, and say where it can be ignored."""
    above = [label for label, chance in corpus.chance_per_label.items() if chance >= thresholds.chance]
    above.sort(key=lambda label: -corpus.chance_per_label[label])
    if not above:
        highest = max(corpus.chance_per_label.values())
        return f"You can ignore chance: randomly placed spans of the same lengths would score at most {highest:.2f}."
    listed = first_of([f"{label} ({corpus.chance_per_label[label]:.2f})" for label in above], _LISTED)
    below = len(corpus.chance_per_label) - len(above)
    rest = f" You can ignore it in {counted(below, 'other label')}." if below else ""
    return (
        f"Randomly placed spans of the same lengths would score {corpus.chance:.2f}: report chance_kappa_f1 as well, "
        f"which corrects for chance, especially for {listed}.{rest}"
    )


_PARTS, _BORDERS = ("overlap", "noise"), ("homogeneity", "completeness")
_LENGTHS, _INCREASING = ("length_vs_captured", "length_vs_noisy"), ("overlap_increasing", "noise_increasing")
_INFORMATION = ("token_informativeness",)
PROPERTY_NAMES = ("correct_sequence", "wrong_sequence", *_PARTS, *_BORDERS, *_LENGTHS, *_INCREASING, *_INFORMATION)
"""The formal properties, in the order of the published table."""

_TICKS = {
    "span_f": "yynnyynnnnn",
    "token_f_IO": "yyyynnnnnnn",
    "token_f_BIO_BIOE": "yynyyynnnnn",
    "token_f_IO*": "yyyyyynnnnn",
    "bcubed": "yyyyyynnnyn",
    "link_f": "yyyyyynnnnn",
    "intersection_f": "yyyynnyynyn",
    "sl_icm": "yyyyyyyyyyy",
}
SIMPLEST_FIRST = tuple(_TICKS)
"""The metrics of the published table, in order of preference."""


def published_properties() -> dict[str, dict[str, bool]]:
    """Return for each metric of the table whether it has each formal property."""
    return {name: dict(zip(PROPERTY_NAMES, [tick == "y" for tick in row], strict=True)) for name, row in _TICKS.items()}
