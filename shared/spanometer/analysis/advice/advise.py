"""Advise on a measure for a corpus: the statistics that decide, the formal properties that they ask for, and a measure.

The SL-ICM paper has a diagram (its Figure 2) that leads from the kind of a corpus to a metric. Our advice is derived
from the paper's Table 1 instead: what a corpus is like says which of the formal properties matter there, and of the
measures that have all of these in Table 1 the simplest is suggested (`SIMPLEST_FIRST`). From which value on a
statistic counts is a judgement of this package, not of the paper: see `Thresholds`.

    >>> from spanometer import Spans
    >>> advice = advise(Spans.from_tags([["B-PER", "O", "B-LOC", "I-LOC", "O", "B-LOC", "I-LOC"]]))
    >>> advice.measure, advice.properties
    ('token_f', ('overlap', 'noise'))

With `flow="paper"` the diagram is followed as well, and each difference says why (`flow`).

Advice also looks at chance: F1 of the reference against spans of the same numbers and lengths, placed at random
(`chance_kappa_f1`), over all and in each label. It falls towards 0 as documents grow (Proposition 4 of 'Estimating
Agreement by Chance for Sequence Annotation'); below `Thresholds.chance` it can be ignored.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', Table 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...arrays import plain
from ...exceptions import counted, require_choice, require_kind
from ...spans.spans import Spans
from .flow import Flow, follow, measure_of, written_call
from .statistics import Statistics, Thresholds, statistics_of

SIMPLEST_FIRST = (
    "span_f",
    "token_f_IO",
    "token_f_BIO_BIOE",
    "token_f_IO*",
    "bcubed",
    "link_f",
    "intersection_f",
    "sl_icm",
)
"""The metrics of the published table in the order in which they are preferred if several have what is needed."""

_LISTED = 5
"""At most so many labels are named."""


@dataclass(frozen=True)
class AdviceAnswer:
    """The answer of one statistic.

    Attributes:
        question: in words.
        statistic: the statistic with its value, in words.
        threshold: from which value on it counts, in words.
        matters: whether it does; None if the corpus cannot tell.
        properties: the formal properties that matter if it does.
    """

    question: str
    statistic: str
    threshold: str
    matters: bool | None
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """The measure that a corpus asks for, and why.

    Attributes:
        statistics: what the corpus is like.
        answers: what each statistic says.
        properties: all formal properties that matter.
        measure: the name of the suggested measure.
        options: the options that it should be given.
        fitting: all metrics of the published table that have these properties and can take the corpus, the simplest
            first.
        notes: what else to know, a sentence or two each.
        thresholds: from which values on statistics counted.
        flow: the selection flow of the paper for the corpus, if it was asked for.
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
    def call(self) -> str:
        """Write the measure with its options, as in Python."""
        return written_call(self.measure, self.options)

    @property
    def why(self) -> str:
        """Say the reason for the measure, in plain words."""
        if not self.properties:
            return "Nothing in this corpus asks for more than counting whole spans, which is what everybody knows."
        grounds = ", ".join(answer.statistic for answer in self.answers if answer.matters and answer.properties)
        needed = ", ".join(name.replace("_", " ") for name in self.properties)
        others = self.fitting[1:]
        choice = (
            f"It is the simplest that has them; {', '.join(others)} {'has' if len(others) == 1 else 'have'} them too."
            if others
            else "It alone has them."
        )
        return f"With {grounds}, these formal properties matter: {needed}. {choice}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {**plain(self), "why": self.why}


def advise(
    references: Spans,
    words: Sequence[Sequence[str]] | None = None,
    *,
    thresholds: Thresholds | None = None,
    flow: str | None = None,
) -> Advice:
    """Advise on the measure that suits a corpus by its reference annotation.

    Args:
        references: the reference spans.
        words: the words of each document, to tell whether they differ in how much they say.
        thresholds: from which values on statistics count.
        flow: `paper` to follow the selection flow of the SL-ICM paper as well.

    Raises:
        InputError: for an unknown flow, if there are no spans, and if the words do not fit the documents.
    """
    limits = Thresholds() if thresholds is None else thresholds
    require_kind(limits, Thresholds, "an object of Thresholds", "Make one: Thresholds(long_span=8).")
    corpus = statistics_of(references, words, thresholds=limits)
    answers = tuple(_answers(corpus, limits))
    needed = {name for answer in answers if answer.matters for name in answer.properties}
    table = published_properties()
    fitting = tuple(
        metric
        for metric in SIMPLEST_FIRST
        if all(table[metric][name] for name in needed) and not (corpus.overlapping and metric.startswith("token_f"))
    )
    measure, options = measure_of(fitting[0])
    if measure == "intersection_f" and corpus.overlapping_within_label:
        options = {**options, "cap": True}
    if "token_informativeness" in needed:
        options = {**options, "tokens": "words"}
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
    """Say why our own advice is not the outcome of the flow: what that lacks, or what it has more than is needed."""
    printed, lacks = published_properties()[flow.metric], False
    for answer in advice.answers if advice.properties else ():
        lacking = [name.replace("_", " ") for name in answer.properties if answer.matters and not printed[name]]
        if lacking:
            lacks = True
            yield f"{flow.call} lacks {' and '.join(lacking)} in Table 1, which {answer.statistic} ask for."
    if advice.statistics.overlapping and (flow.measure == "token_f" or advice.options.get("cap")):
        yield f"The flow does not ask whether spans share tokens. Here they do, which {flow.call} cannot see."
    elif not lacks:
        yield f"{flow.call} has the properties that matter here, but {advice.call} has them too and is simpler."


def _answers(corpus: Statistics, thresholds: Thresholds) -> list[AdviceAnswer]:
    several = 1 - corpus.one_token_share
    variation = corpus.information_variation
    highest = max(corpus.chance_per_label.values(), default=0.0)
    return [
        AdviceAnswer(
            "Have spans several tokens, so that one can be found in part?",
            f"{several:.1%} of spans of several tokens",
            f"from {thresholds.several_tokens:.1%} on",
            several > 0 and several >= thresholds.several_tokens,
            ("overlap", "noise"),
        ),
        AdviceAnswer(
            "Do spans of one label touch, so that joining and parting them is an error of its own?",
            f"{corpus.adjacent_share:.1%} of spans next to one of their label",
            f"from {thresholds.adjacent:.1%} on",
            corpus.adjacent > 0 and corpus.adjacent_share >= thresholds.adjacent,
            ("homogeneity", "completeness"),
        ),
        AdviceAnswer(
            "Do lengths vary, so that a wrong token weighs less in one span than in another?",
            f"lengths of {corpus.mean_length:.2f} tokens on average that vary by {corpus.length_variation:.2f} of it",
            f"from {thresholds.length_variation:.2f} on",
            corpus.length_variation > 0 and corpus.length_variation >= thresholds.length_variation,
            ("length_vs_captured", "length_vs_noisy"),
        ),
        AdviceAnswer(
            "Are there long spans, in which each further token tells less?",
            f"{corpus.long_share:.1%} of spans of {thresholds.long_span:g} tokens or more",
            f"from {thresholds.long_share:.1%} on",
            corpus.long_share > 0 and corpus.long_share >= thresholds.long_share,
            ("overlap_increasing", "noise_increasing"),
        ),
        AdviceAnswer(
            "Do the words of spans differ in how much they tell, rare from frequent?",
            "no words to tell by"
            if variation is None
            else f"words of {corpus.mean_information:.1f} bits on average that vary by {variation:.2f} of it",
            f"from {thresholds.information_variation:.2f} on",
            None if variation is None else variation > 0 and variation >= thresholds.information_variation,
            ("token_informativeness",),
        ),
        AdviceAnswer(
            "Do spans share tokens?",
            f"{corpus.overlapping:,} of {corpus.spans:,} spans that share tokens with another",
            "from the first on",
            corpus.overlapping > 0,
            (),
        ),
        AdviceAnswer(
            "Are some labels rare?",
            f"an evenness of labels of {corpus.label_evenness:.2f}",
            f"below {thresholds.label_evenness:.2f}",
            corpus.label_evenness < thresholds.label_evenness,
            (),
        ),
        AdviceAnswer(
            "Would spans of the same lengths agree, placed at random?",
            "documents whose lengths are not known"
            if corpus.chance is None
            else f"an F1 by chance of {corpus.chance:.2f}, up to {highest:.2f} in a label",
            f"from {thresholds.chance:.2f} on",
            None if corpus.chance is None else bool(above_chance(corpus, thresholds)),
            (),
        ),
    ]


def above_chance(corpus: Statistics, thresholds: Thresholds) -> list[str]:
    """List the labels whose chance level should be corrected for, the highest first."""
    above = [label for label, chance in corpus.chance_per_label.items() if chance >= thresholds.chance]
    return sorted(above, key=lambda label: -corpus.chance_per_label[label])


def notes(measure: str, corpus: Statistics, needed: set[str], thresholds: Thresholds) -> list[str]:
    """Say what else there is to know."""
    sentences = []
    if corpus.overlapping:
        sentences.append(
            "Spans share tokens, which tags cannot write: use the configuration 'spans' (or 'fragments'). token_f is "
            "left out, as it sees tokens and not which span they belong to."
        )
    if corpus.discontinuous:
        sentences.append(f"{corpus.discontinuous:,} spans have gaps: use the configuration 'fragments'.")
    if measure == "sl_icm" and corpus.overlapping_within_label:
        sentences.append("If spans of one label cross, see sl_icm's option matching='optimal'.")
    if corpus.label_evenness < thresholds.label_evenness:
        also = " sl_icm gives them more weight by itself, in its micro average too." if measure == "sl_icm" else ""
        sentences.append(
            f"Labels are uneven ({corpus.rarest_label} has {corpus.rarest_label_share:.1%} of the spans): report "
            f"average='macro' as well, in which rare labels count as much as frequent ones.{also}"
        )
    if "token_informativeness" in needed:
        sentences.append(
            "With words that tell more and less, SL-ICM no longer has every other property in every case: a part in "
            "which a rare word comes first can tell more than the whole (see experiments.properties)."
        )
    if corpus.chance is not None:
        sentences.append(_note_on_chance(corpus, thresholds))
    if corpus.one_token_share <= 1 - thresholds.several_tokens and corpus.one_token_share < 1:
        sentences.append(
            "If a span with nearly the right bounds should count as right, and one that is split in two as one, report "
            "matched_f beside it: spans matched one to one, from an intersection over union of 0.5 on."
        )
        sentences.append(
            "For the kinds of errors report fair_f, in which a wrong label or wrong bounds are one error and not two, "
            "or semeval_f, in which wrong bounds count half. Neither tells a near miss from a far one."
        )
    else:
        sentences.append(
            "Hardly a span has a part that could be found by itself: semeval_f and matched_f tell little more than "
            "span_f here. fair_f still counts a wrong label as one error and not as two."
        )
    if measure != "span_f":
        sentences.append("To compare with published scores, report span_f beside it.")
    return sentences


def _note_on_chance(corpus: Statistics, thresholds: Thresholds) -> str:
    """Say for which labels chance should be corrected for, and for which it can be ignored."""
    above = above_chance(corpus, thresholds)
    if not above:
        return (
            f"Chance can be ignored: spans of the same lengths would score {max(corpus.chance_per_label.values()):.2f} "
            "at most, as documents are long beside their spans."
        )
    listed = ", ".join(f"{label} ({corpus.chance_per_label[label]:.2f})" for label in above[:_LISTED])
    more = f" and {len(above) - _LISTED} more" if len(above) > _LISTED else ""
    below = len(corpus.chance_per_label) - len(above)
    rest = f" In {counted(below, 'other label')} it can be ignored." if below else ""
    return (
        f"Spans of the same lengths, placed at random, would score {corpus.chance:.2f}: report chance_kappa_f1 as "
        f"well, which corrects for it, above all for {listed}{more}.{rest}"
    )


PROPERTY_NAMES = (
    "correct_sequence",
    "wrong_sequence",
    "overlap",
    "noise",
    "homogeneity",
    "completeness",
    "length_vs_captured",
    "length_vs_noisy",
    "overlap_increasing",
    "noise_increasing",
    "token_informativeness",
)

_TICKS = {
    "span_f": "yynnyynnnnn",
    "token_f_IO": "yyyynnnnnnn",
    "token_f_BIO_BIOE": "yynyyynnnnn",
    "token_f_IO*": "yyyyyynnnnn",
    "link_f": "yyyyyynnnnn",
    "bcubed": "yyyyyynnnyn",
    "intersection_f": "yyyynnyynyn",
    "sl_icm": "yyyyyyyyyyy",
}


def published_properties() -> dict[str, dict[str, bool]]:
    """List for each metric of the table whether it has a tick at each formal property."""
    return {
        metric: {name: tick == "y" for name, tick in zip(PROPERTY_NAMES, ticks, strict=True)}
        for metric, ticks in _TICKS.items()
    }
