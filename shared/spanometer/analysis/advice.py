"""Advise on a measure for a corpus: the statistics that decide, the formal properties that they ask for, and a measure.

The SL-ICM paper has a diagram (its Figure 2) that leads from the kind of a corpus to a metric. This is not that diagram
but a derivation from the paper's Table 1: what a corpus is like says which of the formal properties matter there, and
of the measures that have all of these in Table 1 the simplest is suggested (`SIMPLEST_FIRST`). From which value on a
statistic counts is a judgement of this package, not of the paper: see `Thresholds`.

    >>> from spanometer import Spans
    >>> advice = advise(Spans.from_tags([["B-PER", "O", "B-LOC", "I-LOC", "O", "B-LOC", "I-LOC"]]))
    >>> advice.measure, advice.properties
    ('token_f', ('noise',))

Where no span has three tokens, a part of one is one token, and no part is larger than another: the properties that
compare parts (`WITHOUT_LONGER_SPANS`) have no cases, so that the tag formats BIO and BIOE, which lack one of them, will
do. That is checked by the tests over random cases.

Advice also looks at chance: F1 of the reference against spans of the same numbers and lengths, placed at random
(`chance_kappa_f1`), over all and in each label. It falls towards 0 as documents grow (Proposition 4 of 'Estimating
Agreement by Chance for Sequence Annotation'); below `Thresholds.chance` it can be ignored.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', Table 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..alignment.overlaps import Alignment, Side, lay_out
from ..arrays import plain, ranges, read_rows
from ..errors import InputError, require_kind
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.information import TokenInformation
from ..options import check_options, option, options_of
from ..spans.spans import Spans
from ..tags.tags import Tags
from .advice_notes import above_chance, notes
from .properties import PROPERTIES
from .published_tables import published_properties

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

_SHORT = 2
_MOST_WORK = 3_000_000

_MEASURES: dict[str, tuple[str, dict[str, Any]]] = {
    "token_f_IO": ("token_f", {}),
    "token_f_BIO_BIOE": ("token_f", {"format": "BIO"}),
    "token_f_IO*": ("token_f", {"format": "IO*"}),
}
"""The measure and its options, if a metric of the table is not called as its measure is."""


WITHOUT_LONGER_SPANS = ("overlap", "length_vs_captured", "overlap_increasing")
"""The properties that have no cases if no span has more than two tokens."""


def _threshold(default: float, help: str, metavar: str) -> Any:
    return option(default, help=help, kind=float, low=0, metavar=metavar)


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """From which values on the statistics of a corpus ask for properties.

    Attributes:
        several_tokens: share of spans with more than one token: a span of one token is found or it is not.
        adjacent: share of spans that begin where another of their label ends.
        length_variation: standard deviation of the spans' lengths, divided by their mean.
        long_span: tokens of a long span.
        long_share: share of long spans.
        information_variation: words differ in what they tell: the standard deviation of -log2 P(w) over the tokens of
            spans, divided by its mean, with the relative frequencies of the corpus as P.
        label_evenness: entropy of the labels' frequencies, divided by that of equal ones; labels are uneven below it.
        chance: F1 by chance of the reference against itself. At 0.05 correction takes half a point from an F1 of 0.9.

    Raises:
        InputError: for a value that is not a number or below 0.
    """

    several_tokens: float = _threshold(0.05, "share of spans of several tokens from which near misses matter", "SHARE")
    adjacent: float = _threshold(0.01, "share of spans touching one of their label from which borders matter", "SHARE")
    length_variation: float = _threshold(0.5, "ratio of standard deviation to mean from which lengths vary", "RATIO")
    long_span: float = _threshold(5, "number of tokens from which a span is long", "TOKENS")
    long_share: float = _threshold(0.1, "share of spans from which long ones matter", "SHARE")
    information_variation: float = _threshold(
        0.3, "ratio of standard deviation to mean of their bits from which words differ", "RATIO"
    )
    label_evenness: float = _threshold(0.9, "ratio of entropy to its maximum below which labels are uneven", "RATIO")
    chance: float = _threshold(0.05, "F1 by chance from which it should be corrected for", "F1")

    def __post_init__(self) -> None:
        """Check the values."""
        check_options(self)


@dataclass(frozen=True)
class Statistics:
    """Statistics of a corpus.

    Attributes:
        documents, spans, labels: their numbers.
        tokens: number of tokens, or None if the documents' lengths are not known.
        mean_length, length_variance, longest: of the spans, in tokens.
        length_variation: the standard deviation of their lengths, divided by the mean.
        one_token_share: share of spans of one token.
        long_share: share of spans that are long, see `Thresholds.long_span`.
        adjacent: number of spans that begin where another of their label ends.
        overlapping: number of spans that share a token with another.
        overlapping_within_label: number of spans that share a token with another of their label.
        discontinuous: number of spans with gaps.
        label_evenness: entropy of the labels' frequencies, divided by its maximum; 1 for one label.
        rarest_label, rarest_label_share: the label with the fewest spans, and its share of them.
        mean_information, information_variation: of the tokens of spans, -log2 P(w) in bits, P the words' relative
            frequency in the corpus: the mean, and the standard deviation divided by it. None without words.
        once_share: share of the tokens of spans whose word occurs only once in the corpus. None without words.
        chance: F1 by chance of the reference against itself, at the token level; None if the documents' lengths are not
            known, and for spans with gaps.
        chance_per_label: the same of each label.
    """

    documents: int
    tokens: int | None
    spans: int
    labels: int
    mean_length: float
    length_variance: float
    length_variation: float
    longest: int
    one_token_share: float
    long_share: float
    adjacent: int
    overlapping: int
    overlapping_within_label: int
    discontinuous: int
    label_evenness: float
    rarest_label: str
    rarest_label_share: float
    mean_information: float | None
    information_variation: float | None
    once_share: float | None
    chance: float | None
    chance_per_label: Mapping[str, float]

    @property
    def adjacent_share(self) -> float:
        """Return the share of spans that begin where another of their label ends."""
        return self.adjacent / self.spans


@dataclass(frozen=True)
class Answer:
    """The answer of one statistic.

    Attributes:
        question: in words.
        found: the statistic with its value, in words.
        threshold: from which value on it counts, in words.
        matters: whether it does; None if the corpus cannot tell.
        properties: the formal properties that matter if it does.
    """

    question: str
    found: str
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
    """

    statistics: Statistics
    answers: tuple[Answer, ...]
    properties: tuple[str, ...]
    measure: str
    options: dict[str, Any]
    fitting: tuple[str, ...]
    notes: tuple[str, ...]
    thresholds: Thresholds = Thresholds()

    @property
    def call(self) -> str:
        """Write the measure with its options, as in Python."""
        return f"{self.measure}({', '.join(f'{name}={_written(value)}' for name, value in self.options.items())})"

    @property
    def why(self) -> str:
        """Say the reason for the measure, in plain words."""
        if not self.properties:
            return "Nothing in this corpus asks for more than counting whole spans, which is what everybody knows."
        grounds = ", ".join(answer.found for answer in self.answers if answer.matters and answer.properties)
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
        return {**plain(asdict(self)), "why": self.why}


def advise(
    references: Spans, words: Sequence[Sequence[str]] | None = None, *, thresholds: Thresholds | None = None
) -> Advice:
    """Advise on the measure that suits a corpus by its reference annotation.

    Args:
        references: the reference spans.
        words: the words of each document, to tell whether they differ in how much they say.
        thresholds: from which values on statistics count.

    Raises:
        InputError: if there are no spans, and if the words do not fit the documents.
    """
    known = Thresholds() if thresholds is None else thresholds
    require_kind(known, Thresholds, "an object of Thresholds", "Make one: Thresholds(long_span=8).")
    found = statistics_of(references, words, long_span=known.long_span)
    answers = tuple(_answers(found, known))
    if found.longest <= _SHORT:
        answers = tuple(map(_without_longer_spans, answers))
    needed = {name for answer in answers if answer.matters for name in answer.properties}
    table = published_properties()
    fitting = tuple(
        metric
        for metric in SIMPLEST_FIRST
        if all(table[metric][name] for name in needed) and not (found.overlapping and metric.startswith("token_f"))
    )
    measure, options = _MEASURES.get(fitting[0], (fitting[0], {}))
    if measure == "intersection_f" and found.overlapping_within_label:
        options = {**options, "cap": True}
    if "token_informativeness" in needed:
        options = {**options, "tokens": "words"}
    properties = tuple(name for name in PROPERTIES if name in needed)
    return Advice(
        found, answers, properties, measure, options, fitting, tuple(notes(measure, found, needed, known)), known
    )


def statistics_of(
    references: Spans, words: Sequence[Sequence[str]] | None = None, *, long_span: float = Thresholds.long_span
) -> Statistics:
    """Describe a corpus, see `Statistics`.

    Raises:
        InputError: if there are no spans, and if the words do not fit the documents.
    """
    require_kind(references, Spans, "an object of Spans", "Make one with Spans.from_tags or Spans.from_dicts.")
    if len(references) == 0:
        raise InputError("the reference has no spans.", "Advice needs annotation to look at.", side="references")
    extents = np.zeros(references.documents, dtype=np.int64)
    np.maximum.at(extents, references.document, references.end)
    # a token between documents, so that spans of two of them do not touch
    offsets = np.concatenate(([0], np.cumsum(extents + 1)))
    whole = lay_out(replace(references, label=np.zeros_like(references.label), labels=("",)), ("",), offsets)
    by_label = lay_out(references, references.labels, offsets)
    size = whole.size
    per_label = np.bincount(references.label, minlength=len(references.labels))
    used = np.flatnonzero(per_label)
    share = per_label[used] / len(references)
    rarest = int(np.argmin(share))
    return Statistics(
        references.documents,
        None if references.lengths is None else int(references.lengths.sum()),
        len(references),
        len(used),
        float(size.mean()),
        float(size.var()),
        float(size.std() / size.mean()),
        int(size.max()),
        float((size == 1).mean()),
        float((size >= long_span).mean()),
        int(np.isin(by_label.start, by_label.end).sum()),
        _overlapping(whole),
        _overlapping(by_label),
        int(whole.discontinuous.sum()),
        float(-(share * np.log(share)).sum() / np.log(len(used))) if len(used) > 1 else 1.0,
        references.labels[used[rarest]],
        float(share[rarest]),
        *_information(references, words, whole, offsets),
        *_chance(references, words),
    )


def _chance(references: Spans, words: Sequence[Sequence[str]] | None) -> tuple[float | None, dict[str, float]]:
    """Compute chance F1 of the reference against itself, over all and in each label, nested spans layer by layer.

    In documents for which the exact level would take long each span lies anywhere: in such long ones the difference is
    far below what is shown.
    """
    if references.lengths is None and words is not None:
        references = references.with_lengths(_lengths(words))
    if references.lengths is None or references.fragments is not None:
        return None, {}
    alignment = Alignment(references, references)
    for placement in options_of(ChanceKappaF1)["placement"].choices:
        measure = ChanceKappaF1(placement=placement)
        try:
            long = measure.work(alignment) > _MOST_WORK
        except InputError:
            # spans of a label nest, or cross
            continue
        counts = replace(measure, method="uniform" if long else "exact").count(alignment)
        by_label = measure.score_per_label(counts)
        return measure.score(counts)["chance_f1"], {label: by_label[label]["chance_f1"] for label in sorted(by_label)}
    return None, {}


def _overlapping(side: Side) -> int:
    """Count the spans that have a piece that shares a token with another one on the line."""
    start, end = side.piece_start, side.piece_end
    flags = np.zeros(len(start), dtype=bool)
    flags[1:] = start[1:] < np.maximum.accumulate(end)[:-1]
    flags[:-1] |= start[1:] < end[:-1]
    return len(np.unique(side.piece_span[flags]))


def _lengths(words: Sequence[Sequence[str]]) -> np.ndarray:
    return words.lengths if isinstance(words, Tags) else np.array([len(document) for document in words], dtype=np.int64)


def _information(
    references: Spans, words: Sequence[Sequence[str]] | None, side: Side, offsets: np.ndarray
) -> tuple[float | None, float | None, float | None]:
    """Compute mean and variation of the information of the tokens of spans, and the share of words that occur once."""
    if words is None:
        return None, None, None
    words = words if isinstance(words, Tags) else read_rows(words, 0, "Pass a list of words for each document.")
    of_words = _lengths(words)
    if len(of_words) != references.documents:
        problem = f"words for {len(of_words)} documents, annotation of {references.documents}."
        raise InputError(problem, "Pass the words of the annotated documents, a list for each.", side="words")
    lengths = references.lengths
    if lengths is None:
        lengths = of_words
        references.with_lengths(lengths)
    found = TokenInformation.of(lengths, exact=True, tokens=words, probabilities=None, log_base=2.0)
    information = np.zeros(0) if found.token is None else found.token
    moved = np.cumsum(lengths) - lengths - offsets[:-1]
    first = side.piece_start + moved[side.document[side.piece_span]]
    bits = information[ranges(first, side.piece_end - side.piece_start)]
    once = np.isclose(bits, math.log2(len(information)))
    mean = float(bits.mean())
    return mean, float(bits.std() / mean) if mean else 0.0, float(once.mean())


def _answers(found: Statistics, thresholds: Thresholds) -> list[Answer]:
    several = 1 - found.one_token_share
    variation = found.information_variation
    return [
        Answer(
            "Have spans several tokens, so that one can be found in part?",
            f"{several:.1%} of spans of several tokens",
            f"from {thresholds.several_tokens:.1%} on",
            several > 0 and several >= thresholds.several_tokens,
            ("overlap", "noise"),
        ),
        Answer(
            "Do spans of one label touch, so that joining and parting them is an error of its own?",
            f"{found.adjacent_share:.1%} of spans next to one of their label",
            f"from {thresholds.adjacent:.1%} on",
            found.adjacent > 0 and found.adjacent_share >= thresholds.adjacent,
            ("homogeneity", "completeness"),
        ),
        Answer(
            "Do lengths vary, so that a wrong token weighs less in one span than in another?",
            f"lengths of {found.mean_length:.2f} tokens on average that vary by {found.length_variation:.2f} of it",
            f"from {thresholds.length_variation:.2f} on",
            found.length_variation > 0 and found.length_variation >= thresholds.length_variation,
            ("length_vs_captured", "length_vs_noisy"),
        ),
        Answer(
            "Are there long spans, in which each further token tells less?",
            f"{found.long_share:.1%} of spans of {thresholds.long_span:g} tokens or more",
            f"from {thresholds.long_share:.1%} on",
            found.long_share > 0 and found.long_share >= thresholds.long_share,
            ("overlap_increasing", "noise_increasing"),
        ),
        Answer(
            "Do the words of spans differ in how much they tell, rare from frequent?",
            "no words to tell by"
            if variation is None
            else f"words of {found.mean_information:.1f} bits on average that vary by {variation:.2f} of it",
            f"from {thresholds.information_variation:.2f} on",
            None if variation is None else variation > 0 and variation >= thresholds.information_variation,
            ("token_informativeness",),
        ),
        Answer(
            "Do spans share tokens?",
            f"{found.overlapping:,} of {found.spans:,} spans that share tokens with another",
            "from the first on",
            found.overlapping > 0,
            (),
        ),
        Answer(
            "Are some labels rare?",
            f"an evenness of labels of {found.label_evenness:.2f}",
            f"below {thresholds.label_evenness:.2f}",
            found.label_evenness < thresholds.label_evenness,
            (),
        ),
        Answer(
            "Would spans of the same lengths agree, placed at random?",
            "documents whose lengths are not known"
            if found.chance is None
            else f"an F1 by chance of {found.chance:.2f}, up to {max(found.chance_per_label.values()):.2f} in a label",
            f"from {thresholds.chance:.2f} on",
            None if found.chance is None else bool(above_chance(found, thresholds)),
            (),
        ),
    ]


def _without_longer_spans(answer: Answer) -> Answer:
    """Return an answer without the properties that have no cases if no span has more than two tokens."""
    return replace(answer, properties=tuple(name for name in answer.properties if name not in WITHOUT_LONGER_SPANS))


def _written(value: Any) -> str:
    return value if value == "words" else repr(value)
