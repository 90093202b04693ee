"""Check which formal properties a measure has: the eleven of the SL-ICM paper, as random cases without end.

A property says which of two outputs a measure must prefer: each case is a gold annotation with a better and a worse
output. A measure has the property if it scores the better output above the worse in every case.

    >>> from spanometer.measures import TokenF
    >>> checks = check_properties(TokenF(), cases=200)
    >>> [name for name, check in checks.items() if check.holds]
    ['correct_sequence', 'wrong_sequence', 'overlap', 'noise']
    >>> print(checks["homogeneity"].counterexample)
    gold B-A B-A; better B-A B-A; worse B-A I-A: 1.0000 against 1.0000

The definitions are read off the paper's examples (its Table 2) and off the marks of its Table 1; for token
informativeness, which has no example, from its name. A function draws the cases of each, and says it in words.

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

from .property_cases import BITS, Block, Case, Generator, Span, lay_out, probabilities

TOLERANCE = 1e-9
"""A score is above another if it is so by more than this: sums of floats differ in their last bits."""

_SEARCHED = 1000
"""How many cases hypothesis tries to find a small counterexample where one is known."""


@dataclass(frozen=True)
class Property:
    """A formal property.

    Attributes:
        blocks: draws the parts of a case that the property speaks of.
    """

    blocks: Callable[[Generator], list[Block]]

    @property
    def name(self) -> str:
        """Return its name, as in the published table."""
        return self.blocks.__name__.removeprefix("_")

    @property
    def needs_positive(self) -> bool:
        """Whether the worse output is the better one with more noise: its score must be above 0 to be able to fall."""
        return self.name in ("wrong_sequence", "noise")

    def cases(self, *, seed: int = 0, positive: bool = True) -> Iterator[Case]:
        """Draw random cases, without end.

        Args:
            seed: same seed, same cases.
            positive: if the property needs it, both outputs have a span that is right, so that no F score starts from
                0. False: they need not have one.
        """
        generator = Generator(random.Random(f"{self.name} {seed}"))
        while True:
            case = self.case(generator, positive)
            if case.gold:
                yield case

    def case(self, generator: Generator, positive: bool) -> Case:
        """Draw a case, whose gold annotation may be empty."""
        blocks = self.blocks(generator)
        if positive and self.needs_positive:
            span = (generator.span(),)
            blocks.append(Block(span[0].size, span, span, span))
        return lay_out(generator, blocks)


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
    """The outcome for one property of a measure.

    Attributes:
        name: of the property.
        cases: how many were tried.
        failed: in how many it did not.
    """

    name: str
    cases: int
    failed: int
    _examiner: _Examiner = field(repr=False, compare=False)
    _failing: Case | None = field(repr=False, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the better output scored higher in all cases."""
        return not self.failed

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """A small counterexample, None if the property holds; hypothesis searches it when it is first asked for."""
        return None if self._failing is None else self._examiner.counterexample(self._examiner.simplest(self._failing))


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


# The cases of each property; the docstring says which output is the better one.


def _correct_sequence(generator: Generator) -> list[Block]:
    """An output with one more span that is right, in extent and label, is better."""
    span = (generator.span(),)
    return [Block(span[0].size, span, span, ())]


def _wrong_sequence(generator: Generator) -> list[Block]:
    """An output with one more span that shares no token with the gold annotation is worse."""
    span = (generator.span(),)
    return [Block(span[0].size, (), (), span)]


def _overlap(generator: Generator) -> list[Block]:
    """Of two parts of a gold span, one within the other, the larger part is the better output."""
    whole, larger, smaller = _nested(generator)
    return [Block(whole.size, (whole,), (larger,), (smaller,))]


def _noise(generator: Generator) -> list[Block]:
    """Of two spans around a gold span, one within the other, the smaller is the better output.

    They touch no other gold span.
    """
    whole, larger, smaller = _nested(generator)
    return [Block(whole.size, (smaller,), (larger,), (whole,))]


def _nested(generator: Generator) -> tuple[Span, Span, Span]:
    """Draw a span, a part of it, and a part of that."""
    whole = generator.span(3)
    larger = generator.part(whole, generator.randrange(2, whole.size))
    return whole, larger, generator.part(larger, generator.randrange(1, larger.size))


def _homogeneity(generator: Generator) -> list[Block]:
    """Adjacent gold spans of one label, found one by one, are a better output than one span over all of them."""
    whole = generator.span(2)
    tiles = generator.tiles(whole)
    return [Block(whole.size, tiles, tiles, (whole,))]


def _completeness(generator: Generator) -> list[Block]:
    """A gold span found whole is a better output than the same tokens as several spans."""
    whole = generator.span(2)
    return [Block(whole.size, (whole,), (whole,), generator.tiles(whole))]


def _length_vs_captured(generator: Generator) -> list[Block]:
    """It is better to lack some tokens of the longer of two gold spans than as many of the shorter.

    The other span is found whole.
    """
    label = generator.label()
    short = Span(0, generator.size(2), label)
    long = Span(0, short.size + generator.size(), label)
    lost = generator.randrange(1, short.size)
    cut_long, cut_short = (generator.part(whole, whole.size - lost) for whole in (long, short))
    return [Block(long.size, (long,), (cut_long,), (long,)), Block(short.size, (short,), (short,), (cut_short,))]


def _length_vs_noisy(generator: Generator) -> list[Block]:
    """It is better to have some wrong tokens at the longer of two gold spans than as many at the shorter.

    The other span is found as it is.
    """
    label, noise = generator.label(), generator.choice((1, 1, 2, 3, 5))
    size = generator.size()
    noisy_long, noisy_short = (Span(0, length + noise, label) for length in (size + generator.size(), size))
    long, short = (generator.part(noisy, noisy.size - noise) for noisy in (noisy_long, noisy_short))
    return [
        Block(noisy_long.size, (long,), (noisy_long,), (long,)),
        Block(noisy_short.size, (short,), (short,), (noisy_short,)),
    ]


def _overlap_increasing(generator: Generator) -> list[Block]:
    """Of two gold spans of one length, with as many tokens found in all, more equal parts are better.

    The more of a span is found already, the less another token adds.
    """
    whole = generator.span(3)
    little, much = _uneven(generator, whole.size)
    moved = generator.randrange(1, much - little)
    more, most = (generator.part(whole, size) for size in (little + moved, much))
    return [
        Block(whole.size, (whole,), (more,), (generator.part(more, little),)),
        Block(whole.size, (whole,), (generator.part(most, much - moved),), (most,)),
    ]


def _noise_increasing(generator: Generator) -> list[Block]:
    """Around two gold spans of one length, with as many wrong tokens in all, less equal parts are better.

    The more noise there is already, the less another token harms.
    """
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


def _token_informativeness(generator: Generator) -> list[Block]:
    """It is better to lack the more frequent of two words than the rarer; the other span is found whole.

    The two gold spans share all words except these, which stand first or last.
    """
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


_DRAWN = (
    *(_correct_sequence, _wrong_sequence, _overlap, _noise, _homogeneity, _completeness),
    *(_length_vs_captured, _length_vs_noisy, _overlap_increasing, _noise_increasing, _token_informativeness),
)

PROPERTIES: dict[str, Property] = {each.name: each for each in map(Property, _DRAWN)}
"""The properties by name, in the order of the published table."""


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
    tested: Property
    positive: bool
    words: bool

    def check(self, batch: _Batch) -> PropertyCheck:
        """Check the property in many cases."""
        cases = [batch.cases[number] for number in np.flatnonzero(self.fails(batch))]
        shortest = min(cases, key=lambda case: len(case.words), default=None)
        return PropertyCheck(self.tested.name, len(batch.cases), len(cases), self, shortest)

    def simplest(self, case: Case) -> Case:
        """Search a counterexample and make it small; return the case itself if none is drawn."""
        try:
            from hypothesis import HealthCheck, Phase, find, settings, strategies
            from hypothesis.errors import NoSuchExample
        except ModuleNotFoundError:
            problem = "counterexamples need hypothesis, which is not installed."
            raise InputError(problem, "pip install hypothesis") from None

        drawn = strategies.randoms(use_true_random=False).map(
            lambda numbers: self.tested.case(Generator(numbers), self.positive)
        )
        phases = Phase.generate, Phase.shrink
        checks = list(HealthCheck)
        options = settings(max_examples=_SEARCHED, phases=phases, database=None, suppress_health_check=checks)
        try:
            smallest: Case = find(
                drawn,
                lambda other: bool(other.gold and self.fails(_Batch([other]))[0]),
                settings=options,
                random=random.Random(0),
            )
        except NoSuchExample:
            return case
        return smallest

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
        words = [list(case.words) for case in batch.cases]
        sides = batch.better, batch.worse
        measure = self.measure
        if isinstance(measure, AlignedMeasure):
            aligned = replace(measure, **_given(words)) if self.words else measure
            counts = [aligned.counts(batch.gold, side) for side in sides]
            if isinstance(counts[0], Counts):
                return np.stack([aligned.score_per_document(side)[aligned.headline] for side in counts])
            measure = _by_document(aligned)
        places = np.arange(len(batch.cases))[:, None]
        options = [_given([document]) if self.words else {} for document in words]
        return np.array(
            [
                [
                    measure(batch.gold.take(place), side.take(place), **option)
                    for place, option in zip(places, options, strict=True)
                ]
                for side in sides
            ],
            dtype=float,
        )


def _by_document(measure: AlignedMeasure) -> Callable[..., float]:
    """Make a function of a measure whose counts do not add up over documents."""
    return lambda references, predictions: measure.score(measure.counts(references, predictions))[measure.headline]


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
