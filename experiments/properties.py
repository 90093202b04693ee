"""Check which formal properties a measure has: the eleven of the SL-ICM paper, as random cases without end.

A property says which of two outputs a measure must prefer: each case is a gold annotation with a better and a worse
output. A measure has the property if it scores the better output above the worse in every case.

    >>> from spanometer.measures import TokenF
    >>> found = check_properties(TokenF(), cases=200)
    >>> [name for name, check in found.items() if check.holds]
    ['correct_sequence', 'wrong_sequence', 'overlap', 'noise']
    >>> print(found["homogeneity"].counterexample)
    gold B-A B-A; better B-A B-A; worse B-A I-A: 1.0000 against 1.0000

The definitions are read off the paper's examples (its Table 2) and off the marks of its Table 1; for token
informativeness, which has no example, from its name. `PROPERTIES` says each in words, and its function draws the cases.

All cases have in common: there is a gold span, and neither the gold annotation nor an output has two spans over one
token, so that tags can write them; whatever the property does not speak of is the same in both outputs, and random:
spans that are found, missed, invented, cut, extended, relabelled, taken apart. If the worse output is the better one
with more noise, both have a span that is right: a score that is 0 cannot fall (see `Property.cases`).

SL-ICM has all eleven; those about noise only if its weight alpha1 is above 0, see `measures.SlIcm`.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', sections 3 and 4, Table 1.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np

from spanometer.arrays import is_integer, is_number
from spanometer.counts.counts import Counts
from spanometer.exceptions import InputError, require_choice, shown
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.information import TokenProbabilities
from spanometer.measures.sl_icm import SlIcm
from spanometer.spans.spans import Spans

from .property_cases import BITS, Block, Blocks, Case, Generator, Span, draw_cases, lay_out, probabilities, right_block

TOLERANCE = 1e-9
"""A score is above another if it is so by more than this: sums of floats differ in their last bits."""

_SEARCHED = 1000
"""How many cases hypothesis tries to find a small counterexample where one is known."""


@dataclass(frozen=True)
class Property:
    """A formal property.

    Attributes:
        name: as in the published table.
        says: which output is the better one, in words.
        needs_positive: whether the worse output is the better one with more noise, so that its score must start above 0
            to be able to fall.
        draw: draws the parts of a case that the property speaks of.
    """

    name: str
    says: str
    needs_positive: bool
    draw: Blocks

    def cases(self, *, seed: int = 0, positive: bool = True) -> Iterator[Case]:
        """Draw random cases, without end.

        Args:
            seed: same seed, same cases.
            positive: if the property needs it, both outputs have a span that is right, so that no F score starts from
                0. False: they need not have one.
        """
        return draw_cases(self.blocks(positive), f"{self.name} {seed}")

    def blocks(self, positive: bool) -> Blocks:
        """Make the function that draws the blocks of a case: its own and, if needed, a span that is right."""
        if not (positive and self.needs_positive):
            return self.draw
        return lambda generator: [*self.draw(generator), right_block(generator)]


@dataclass(frozen=True)
class Counterexample:
    """A case in which a measure does not prefer the better output: tags in IOB2 and both scores.

    Attributes:
        gold, better, worse: a tag for each token.
        better_score, worse_score: what the measure gives.
        words: the words, if the measure was given them; `w3` has the probability 2^-3 and carries 3 bits.
    """

    gold: tuple[str, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    better_score: float
    worse_score: float
    words: tuple[str, ...] | None = None

    def __str__(self) -> str:
        """Write all of it on one line."""
        words = "" if self.words is None else f"words {' '.join(self.words)}; "
        sides = f"gold {' '.join(self.gold)}; better {' '.join(self.better)}; worse {' '.join(self.worse)}"
        return f"{words}{sides}: {self.better_score:.4f} against {self.worse_score:.4f}"


@dataclass(frozen=True)
class PropertyCheck:
    """What was found about one property of a measure.

    Attributes:
        name: of the property.
        cases: how many were tried.
        failed: in how many it did not.
    """

    name: str
    cases: int
    failed: int
    _examiner: _Examiner = field(repr=False, compare=False)
    _known: Case | None = field(repr=False, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the better output scored higher in all cases."""
        return not self.failed

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """A small counterexample, None if the property holds; hypothesis searches it when it is first asked for."""
        return None if self._known is None else self._examiner.counterexample(self._examiner.simplest(self._known))


Scorer = Callable[..., float] | AlignedMeasure


def check_properties(
    measure: Scorer,
    *,
    cases: int = 1000,
    seed: int = 0,
    properties: Iterable[str] | None = None,
    positive: bool = True,
    words: bool = False,
) -> dict[str, PropertyCheck]:
    """Check which formal properties a measure has, by random cases.

    Args:
        measure: a function of `references` and `predictions`, both `Spans` of one document, higher being better; or a
            measure of spans, which is judged by its headline and by `higher_is_better`. In the property
            `token_informativeness` a function that has the parameters `tokens` and `token_probabilities` is also given
            these, as `measures.SlIcm` takes them; so is an `SlIcm` without a probability of its own.
        cases: how many to try for each property.
        seed: of the cases; same seed, same result.
        properties: names from `PROPERTIES`; all by default.
        positive: see `Property.cases`.
        words: give words and their probabilities in every property, to a measure that takes them.

    Returns:
        A check for each property, by name. That a property holds in all cases that were tried is no proof; that it does
        not hold is one; its counterexample is small, and needs hypothesis.

    Raises:
        InputError: for an unknown property, for a number of cases below 1, and for a measure that is of other things
            than spans, has words of its own, or is told to take words and does not.
    """
    names = tuple(PROPERTIES) if properties is None else tuple(properties)
    for name in names:
        require_choice("properties", name, tuple(PROPERTIES))
    if not is_integer(cases) or cases < 1:
        raise InputError(f"cases={shown(cases)} is not a number of cases.", "Try 1 or more of each property.")
    takes_words = _takes_words(measure)
    if words and not takes_words:
        raise InputError(
            "words=True, and the measure takes no words.",
            "Pass SlIcm() or a function with the parameters tokens and token_probabilities.",
        )
    return {
        name: _Examiner(
            measure, PROPERTIES[name], positive, words or (takes_words and name == "token_informativeness")
        ).check(_batch(name, int(cases), seed, positive))
        for name in names
    }


# What each property says, and its cases.

PROPERTIES: dict[str, Property] = {}
"""The properties by name, in the order of the published table."""


def _property(says: str, *, needs_positive: bool = False) -> Callable[[Blocks], Blocks]:
    """Enter a function that draws the blocks of a property's cases under its name."""

    def enter(draw: Blocks) -> Blocks:
        name = draw.__name__.removeprefix("_")
        PROPERTIES[name] = Property(name, says, needs_positive, draw)
        return draw

    return enter


@_property("An output with one more span that is right, in extent and label, is better.")
def _correct_sequence(generator: Generator) -> list[Block]:
    span = (generator.span(),)
    return [Block(span[0].size, span, span, ())]


@_property("An output with one more span that shares no token with the gold annotation is worse.", needs_positive=True)
def _wrong_sequence(generator: Generator) -> list[Block]:
    span = (generator.span(),)
    return [Block(span[0].size, (), (), span)]


@_property("Of two parts of a gold span, one within the other, the larger part is the better output.")
def _overlap(generator: Generator) -> list[Block]:
    whole, larger, smaller = _nested(generator)
    return [Block(whole.size, (whole,), (larger,), (smaller,))]


@_property(
    "Of two spans around a gold span, one within the other, the smaller is the better output; they touch no other gold "
    "span.",
    needs_positive=True,
)
def _noise(generator: Generator) -> list[Block]:
    whole, larger, smaller = _nested(generator)
    return [Block(whole.size, (smaller,), (larger,), (whole,))]


def _nested(generator: Generator) -> tuple[Span, Span, Span]:
    """Draw a span, a part of it, and a part of that."""
    whole = generator.span(3)
    larger = generator.part(whole, generator.randrange(2, whole.size))
    return whole, larger, generator.part(larger, generator.randrange(1, larger.size))


@_property("Adjacent gold spans of one label, found one by one, are a better output than one span over all of them.")
def _homogeneity(generator: Generator) -> list[Block]:
    whole = generator.span(2)
    tiles = generator.tiles(whole)
    return [Block(whole.size, tiles, tiles, (whole,))]


@_property("A gold span found whole is a better output than the same tokens as several spans.")
def _completeness(generator: Generator) -> list[Block]:
    whole = generator.span(2)
    return [Block(whole.size, (whole,), (whole,), generator.tiles(whole))]


@_property(
    "Of two gold spans of different length, it is better to lack some tokens of the longer than as many of the "
    "shorter; the other is found whole."
)
def _length_vs_captured(generator: Generator) -> list[Block]:
    label = generator.label()
    short = Span(0, generator.size(2), label)
    long = Span(0, short.size + generator.size(), label)
    lost = generator.randrange(1, short.size)
    cut_long, cut_short = (generator.part(whole, whole.size - lost) for whole in (long, short))
    return [Block(long.size, (long,), (cut_long,), (long,)), Block(short.size, (short,), (short,), (cut_short,))]


@_property(
    "Of two gold spans of different length, it is better to have some wrong tokens at the longer than as many at the "
    "shorter; the other is found as it is."
)
def _length_vs_noisy(generator: Generator) -> list[Block]:
    label, noise = generator.label(), generator.choice((1, 1, 2, 3, 5))
    size = generator.size()
    noisy_long, noisy_short = (Span(0, length + noise, label) for length in (size + generator.size(), size))
    long, short = (generator.part(noisy, noisy.size - noise) for noisy in (noisy_long, noisy_short))
    return [
        Block(noisy_long.size, (long,), (noisy_long,), (long,)),
        Block(noisy_short.size, (short,), (short,), (noisy_short,)),
    ]


@_property(
    "Of two gold spans of one length, with as many tokens found in all, the better output has found them in more equal "
    "parts: the more of a span is found already, the less another token adds."
)
def _overlap_increasing(generator: Generator) -> list[Block]:
    whole = generator.span(3)
    little, much = _uneven(generator, whole.size)
    moved = generator.randrange(1, much - little)
    more, most = (generator.part(whole, size) for size in (little + moved, much))
    return [
        Block(whole.size, (whole,), (more,), (generator.part(more, little),)),
        Block(whole.size, (whole,), (generator.part(most, much - moved),), (most,)),
    ]


@_property(
    "Around two gold spans of one length, with as many wrong tokens in all, the better output has them in less equal "
    "parts: the more noise there is already, the less another token harms."
)
def _noise_increasing(generator: Generator) -> list[Block]:
    label, size = generator.label(), generator.size()
    little, much = _uneven(generator, 3 + generator.choice((0, 0, 1, 2, 4)))
    moved = generator.randrange(1, much - little)
    blocks = []
    # the better output has little noise at one span and much at the other, the worse has it in more equal parts
    for in_better, in_worse in ((little, little + moved), (much, much - moved)):
        outer = Span(0, size + max(in_better, in_worse), label)
        inner = generator.part(outer, size + min(in_better, in_worse))
        gold = generator.part(inner, size)
        better, worse = (inner, outer) if in_better < in_worse else (outer, inner)
        blocks.append(Block(outer.size, (gold,), (better,), (worse,)))
    return blocks


def _uneven(generator: Generator, most: int) -> tuple[int, int]:
    """Draw two numbers from 1 up that are at least 2 apart, so that there are two more equal ones of the same sum."""
    little = generator.randrange(1, most - 1)
    return little, generator.randrange(little + 2, most + 1)


@_property(
    "Of two gold spans with the same words but for the first or the last one, it is better to lack the more frequent "
    "of these two words than the rarer; the other span is found whole."
)
def _token_informativeness(generator: Generator) -> list[Block]:
    whole = generator.span(2)
    at_end = generator.choice((True, False))
    cut = whole._replace(end=whole.end - 1) if at_end else whole._replace(start=1)
    frequent, rare = (f"w{bits}" for bits in sorted(generator.sample(BITS, 2)))
    shared = tuple(generator.word() for _ in range(whole.size - 1))
    words = [(*shared, word) if at_end else (word, *shared) for word in (frequent, rare)]
    return [
        Block(whole.size, (whole,), (cut,), (whole,), words[0]),
        Block(whole.size, (whole,), (whole,), (cut,), words[1]),
    ]


# How a measure is examined.


class _Batch:
    """Cases as documents of three annotations."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = tuple(cases)
        lengths = [len(case.words) for case in self.cases]
        self.gold, self.better, self.worse = (
            Spans.from_dicts([[span._asdict() for span in getattr(case, side)] for case in self.cases], lengths=lengths)
            for side in ("gold", "better", "worse")
        )


@lru_cache(maxsize=1)
def _batch(name: str, cases: int, seed: int, positive: bool) -> _Batch:
    """Draw the cases of a property, once for measures that are checked for it one after the other."""
    return _Batch(islice(PROPERTIES[name].cases(seed=seed, positive=positive), cases))


@dataclass(frozen=True)
class _Examiner:
    """A measure that is asked about a property, with or without the words of the cases."""

    measure: Scorer
    wanted: Property
    positive: bool
    words: bool

    def check(self, batch: _Batch) -> PropertyCheck:
        """Check the property in many cases."""
        failed = np.flatnonzero(self.fails(batch))
        cases = [batch.cases[number] for number in failed]
        known = min(cases, key=lambda case: len(case.words), default=None)
        return PropertyCheck(self.wanted.name, len(batch.cases), len(failed), self, known)

    def simplest(self, known: Case) -> Case:
        """Search a counterexample and make it small; the known one if there is none among the cases that are tried."""
        try:
            from hypothesis import HealthCheck, Phase, find, settings, strategies
            from hypothesis.errors import NoSuchExample
        except ModuleNotFoundError:
            problem = "counterexamples need hypothesis, which is not installed."
            raise InputError(problem, "pip install hypothesis") from None

        numbers = strategies.randoms(use_true_random=False)
        drawn = numbers.map(lambda drawing: lay_out(Generator(drawing), self.wanted.blocks(self.positive)))
        options = settings(
            max_examples=_SEARCHED,
            phases=(Phase.generate, Phase.shrink),
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        try:
            case: Case = find(
                drawn,
                lambda case: bool(case.gold) and bool(self.fails(_Batch([case]))[0]),
                settings=options,
                random=random.Random(0),
            )
        except NoSuchExample:
            return known
        return case

    def fails(self, batch: _Batch) -> np.ndarray:
        """Tell for each case whether the better output is not above the worse."""
        better, worse = self.scores(batch)
        sign = -1 if isinstance(self.measure, AlignedMeasure) and not self.measure.higher_is_better else 1
        return np.asarray(~(sign * better > sign * worse + TOLERANCE))

    def counterexample(self, case: Case) -> Counterexample:
        """Write a case with its scores."""
        batch = _Batch([case])
        gold, better, worse = (tuple(side.to_tags("IOB2")[0]) for side in (batch.gold, batch.better, batch.worse))
        better_score, worse_score = self.scores(batch)[:, 0].tolist()
        words = case.words if self.words else None
        return Counterexample(gold, better, worse, better_score, worse_score, words)

    def scores(self, batch: _Batch) -> np.ndarray:
        """Score the better and the worse outputs, shape (2, cases), each document as a corpus of its own."""
        tokens = [list(case.words) for case in batch.cases]
        if isinstance(self.measure, AlignedMeasure):
            measure = replace(self.measure, **_given(tokens)) if self.words else self.measure
            counts = [measure.counts(batch.gold, side) for side in (batch.better, batch.worse)]
            if isinstance(counts[0], Counts):
                return np.stack([measure.score_per_document(side)[measure.headline] for side in counts])
        places = np.arange(len(batch.cases))[:, None]
        scores = [
            [
                self.score(batch.gold.take(place), side.take(place), words)
                for place, words in zip(places, tokens, strict=True)
            ]
            for side in (batch.better, batch.worse)
        ]
        return np.array(scores)

    def score(self, references: Spans, predictions: Spans, tokens: list[str]) -> float:
        """Score one document."""
        if isinstance(self.measure, AlignedMeasure):
            return self.measure.score(self.measure.counts(references, predictions))[self.measure.headline]
        return float(self.measure(references, predictions, **(_given([tokens]) if self.words else {})))


def _given(tokens: list[list[str]]) -> dict[str, Any]:
    """Make the options that give a measure the words."""
    return {"tokens": tokens, "token_probabilities": probabilities()}


def _takes_words(measure: Scorer) -> bool:
    """Check the measure, and return whether it takes the words of a case."""
    if isinstance(measure, SlIcm):
        if measure.tokens is not None or isinstance(measure.token_probabilities, TokenProbabilities):
            raise InputError("the measure has tokens of its own.", "Leave them out: each case has its own words.")
        return not is_number(measure.token_probabilities)
    if isinstance(measure, AlignedMeasure):
        return False
    if not callable(measure) or isinstance(measure, type):
        raise InputError(
            f"{shown(measure)} is not a measure of spans.",
            "Pass a function of references and predictions, or a measure of spans such as LinkF().",
        )
    try:
        return {"tokens", "token_probabilities"} <= set(inspect.signature(measure).parameters)
    except (TypeError, ValueError):
        return False
