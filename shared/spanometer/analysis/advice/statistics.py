"""The statistics of a corpus on which advice is based."""

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...alignment.overlaps import Alignment, SideSpans, lay_out, least_lengths
from ...arrays import offsets_of, ranges, read_rows
from ...exceptions import InputError, require_kind
from ...measures.aligned import require_words
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.sl_icm import SlIcm
from ...options import CheckedOptions, option, options_of
from ...spans.spans import Spans
from ...tags.tags import Tags

_MOST_WORK = 3_000_000


def _threshold(default: float, metavar: str = "SHARE") -> Any:
    return option(default, kind=float, low=0, metavar=metavar)


class Thresholds(CheckedOptions):
    """Thresholds for the statistics of a corpus. "Share" is the proportion of all spans.

    The information of a word w is -log2 P(w); P is the relative frequency of the word in the corpus. The F1 by chance
    compares the reference with itself. At 0.05, correction lowers an F1 of 0.9 by half a point.

    Attributes:
        short_share: with --flow: require exact agreement if at least this share of the spans has 1 or 2 tokens.
        touching_share: with --flow: adjacent spans matter if at least this share of all spans begins where another
            span ends.
        very_long_span: with --flow: minimum number of tokens of a very long span.
        very_long_share: with --flow: very long spans matter if they are at least this share of all spans.
        several_tokens: near misses matter if at least this share of the spans has several tokens.
        adjacent: adjacent spans of one label matter if at least this share of all spans begins where another span of
            the same label ends.
        length_variation: span lengths matter if their standard deviation, divided by their mean, is at least this
            number.
        long_span: minimum number of tokens of a long span.
        long_share: long spans matter if they are at least this share of all spans.
        information_variation: word probabilities matter if the standard deviation of the words' information, divided by
            its mean, is at least this number.
        chance: advise a correction for chance if the F1 by chance is at least this number.

    Raises:
        InputError: if a value is not a number or is below 0.
    """

    short_share: float = _threshold(0.9)
    touching_share: float = _threshold(0.1)
    very_long_span: float = _threshold(15, "TOKENS")
    very_long_share: float = _threshold(0.1)
    several_tokens: float = _threshold(0.05)
    adjacent: float = _threshold(0.01)
    length_variation: float = _threshold(0.5, "RATIO")
    long_span: float = _threshold(5, "TOKENS")
    long_share: float = _threshold(0.1)
    information_variation: float = _threshold(0.3, "RATIO")
    chance: float = _threshold(0.05, "F1")


class Statistics(SimpleNamespace):
    """Statistics of a corpus. "Share" is the proportion of all spans.

    Attributes:
        documents, spans, labels: the numbers of documents, spans and labels.
        tokens: the number of tokens; None if document lengths are unknown.
        mean_length, length_variance, longest: mean, variance and maximum of span lengths in tokens.
        length_variation: the standard deviation of span lengths, divided by their mean.
        one_token_share: the share of spans with one token.
        short_share: the share of spans with at most two tokens.
        long_share, very_long_share: the shares of long spans, see `Thresholds.long_span` and `very_long_span`.
        adjacent: the number of spans that begin where another span of the same label ends.
        touching_share: the share of spans that begin where another span of any label ends.
        overlapping: the number of spans that share a token with another span.
        overlapping_within_label: the number of spans that share a token with another span of the same label.
        discontinuous: the number of discontinuous spans.
        mean_information, information_variation: the mean of -log2 P(w) over the tokens in spans, in bits, and its
            standard deviation divided by the mean. P is the word's relative frequency in the corpus. None without
            words.
        once_share: the proportion of tokens in spans whose word occurs only once in the corpus; None without words.
        chance: chance F1 of the reference against itself, in tokens; None if document lengths are unknown or spans are
            discontinuous.
        chance_per_label: chance F1 of each label.

    Args:
        references: the spans of the corpus.
        words: the words of each document.
        thresholds: define long and very long spans.

    Raises:
        InputError: if there are no spans, and if the words do not fit the documents.
    """

    def __init__(
        self, references: Spans, words: Sequence[Sequence[str]] | None = None, *, thresholds: Thresholds = Thresholds()
    ) -> None:
        require_kind(references, Spans, "a Spans object", "Create Spans with Spans.from_tags or Spans.from_dicts.")
        if len(references) == 0:
            raise InputError("the reference has no spans.", "Give an annotated corpus.")
        sized = references
        if words is not None:
            words = words if isinstance(words, Tags) else read_rows(words, 0, "Pass a list of words for each document.")
            lengths = words.lengths if isinstance(words, Tags) else np.array(list(map(len, words)), dtype=np.int64)
            require_words(lengths, references)
            sized = references.with_lengths(lengths)
        # one token between documents keeps their spans apart
        offsets = offsets_of(least_lengths(references) + 1)
        whole = lay_out(replace(references, label=np.zeros_like(references.label), labels=("",)), ("",), offsets)
        by_label = lay_out(references, references.labels, offsets)
        size = whole.size
        self.documents = references.documents
        self.tokens = None if references.lengths is None else int(references.lengths.sum())
        self.spans = len(references)
        self.labels = len(np.unique(references.label))
        self.mean_length = float(size.mean())
        self.length_variance = float(size.var())
        self.length_variation = float(size.std() / size.mean())
        self.longest = int(size.max())
        self.one_token_share = float((size == 1).mean())
        self.short_share = float((size <= 2).mean())
        self.long_share = float((size >= thresholds.long_span).mean())
        self.very_long_share = float((size >= thresholds.very_long_span).mean())
        self.adjacent = int(np.isin(by_label.start, by_label.end).sum())
        self.touching_share = float(np.isin(whole.start, whole.end).mean())
        self.overlapping = _overlapping(whole)
        self.overlapping_within_label = _overlapping(by_label)
        self.discontinuous = int(whole.discontinuous.sum())
        information = _information(sized, words, whole, offsets)
        self.mean_information, self.information_variation, self.once_share = information
        self.chance, self.chance_per_label = _chance(sized)

    @property
    def adjacent_share(self) -> float:
        """The proportion of spans that begin where another span of the same label ends."""
        return self.adjacent / self.spans


def _chance(references: Spans) -> tuple[float | None, dict[str, float]]:
    """Compute chance F1 of the reference against itself, over all labels and for each label; nested spans by layer.

    If the exact computation would take long, spans are placed independently: in such long documents the difference is
    far smaller than the digits that are shown.
    """
    if references.lengths is None or references.fragments is not None:
        return None, {}
    alignment = Alignment(references, references)
    for placement in options_of(ChanceKappaF1)["placement"].choices:
        measure = ChanceKappaF1(placement=placement)
        try:
            long = measure.work(alignment) > _MOST_WORK
        except InputError:
            # spans of a label nest or cross
            continue
        counts = replace(measure, method="uniform" if long else "exact").count(alignment)
        by_label = measure.score_per_label(counts)
        return measure.score(counts)["chance_f1"], {label: by_label[label]["chance_f1"] for label in sorted(by_label)}
    return None, {}


def _overlapping(side: SideSpans) -> int:
    """Count the spans that share a token with another span."""
    start, end = side.intervals.start, side.intervals.end
    flags = np.zeros(len(start), dtype=bool)
    flags[1:] = start[1:] < np.maximum.accumulate(end)[:-1]
    flags[:-1] |= start[1:] < end[:-1]
    return len(np.unique(side.intervals.span[flags]))


def _information(
    references: Spans, words: Sequence[Sequence[str]] | None, side: SideSpans, offsets: np.ndarray
) -> tuple[float | None, float | None, float | None]:
    """Compute mean and variation of the information of tokens in spans, and the proportion of words that occur once."""
    lengths = references.lengths
    if words is None or lengths is None:
        return None, None, None
    informed = SlIcm(tokens=words).information(lengths, exact=True)
    information = np.zeros(0) if informed.token is None else informed.token
    moved = np.cumsum(lengths) - lengths - offsets[:-1]
    first = side.intervals.start + moved[side.document[side.intervals.span]]
    bits = information[ranges(first, side.intervals.end - side.intervals.start)]
    once = np.isclose(bits, math.log2(len(information)))
    mean = float(bits.mean())
    return mean, float(bits.std() / mean) if mean else 0.0, float(once.mean())
