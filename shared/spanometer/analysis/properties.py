"""Which formal properties has a measure? The eleven of the SL-ICM paper, as random cases without end.

A property says which of two outputs a measure must prefer: each case is a gold annotation with a better and a worse
output. A measure has the property where it scores the better output above the worse in every case.

    >>> from spanometer.measures import TokenF
    >>> found = check_properties(TokenF(), cases=200)
    >>> [name for name, check in found.items() if check.holds]
    ['correct_sequence', 'wrong_sequence', 'overlap', 'noise']
    >>> print(found["homogeneity"].counterexample)
    gold B-A B-A; better B-A B-A; worse B-A I-A: 1.0000 against 1.0000

The definitions are read off the paper's examples (its Table 2) and off the marks of its Table 1; for token
informativeness, which has no example, from its name. `PROPERTIES` says each in words, and `Property.admits` in code.

What all cases have in common: there is a gold span, and neither the gold annotation nor an output has two spans over
one token, so that tags can write them; whatever the property does not speak of is the same in both outputs, and random
there: spans that are found, missed, invented, cut, extended, relabelled, taken apart. Where the worse output is the
better one with more noise, both have a span that is right: a score that is 0 cannot fall (see `Property.cases`).

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', sections 3 and 4, Table 1.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from ..counts.counts import Counts
from ..errors import InputError, require_choice
from ..measures import AlignedMeasure, Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from ..spans.spans import Spans
from .published_tables import published_rows

TOLERANCE = 1e-9
"""A score is above another where it is so by more than this: sums of floats differ in their last bits."""

LABELS = ("A", "B")

BITS = tuple(range(1, 11))
"""The information of the words of random cases: word `w3` has the probability 2^-3, so it carries 3 bits."""

_STARTS = 6
"""How many counterexamples are shrunk, to keep the smallest result."""


class Span(NamedTuple):
    """A span of a case: token offsets, `end` exclusive."""

    start: int
    end: int
    label: str

    @property
    def size(self) -> int:
        """Number of tokens."""
        return self.end - self.start

    def meets(self, other: Span) -> bool:
        """Whether the two share a token."""
        return self.start < other.end and other.start < self.end

    def within(self, other: Span) -> bool:
        """Whether this is a part of the other, of its label, and smaller."""
        inside = other.start <= self.start and self.end <= other.end
        return inside and self.size < other.size and self.label == other.label


@dataclass(frozen=True)
class Case:
    """One document with its gold annotation and two outputs, of which the first is the better one.

    Attributes:
        words: the document's words; `w3` has the probability 2^-3.
        gold, better, worse: their spans, in the order of the text.
    """

    words: tuple[str, ...]
    gold: tuple[Span, ...]
    better: tuple[Span, ...]
    worse: tuple[Span, ...]

    @property
    def size(self) -> tuple[int, ...]:
        """What is smaller in a smaller case: tokens, then spans, then labels, then the words' bits."""
        sides = (self.gold, self.better, self.worse)
        labels = {span.label for side in sides for span in side}
        bits = sum(map(bits_of, self.words))
        return len(self.words), sum(map(len, sides)), len(labels), "B" in labels, bits

    @property
    def common(self) -> tuple[Span, ...]:
        """The spans that are in both outputs."""
        return tuple(span for span in self.better if span in self.worse)

    @property
    def differing(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The spans of the better output alone, and those of the worse alone."""
        return (
            tuple(span for span in self.better if span not in self.worse),
            tuple(span for span in self.worse if span not in self.better),
        )

    def met_by(self, span: Span) -> tuple[Span, ...]:
        """The gold spans that a span shares tokens with."""
        return tuple(gold for gold in self.gold if gold.meets(span))

    def untouched(self, *gold: Span) -> bool:
        """Whether no span that is in both outputs shares a token with these gold spans."""
        return not any(span.meets(one) for span in self.common for one in gold)

    @property
    def positive(self) -> bool:
        """Whether both outputs have a span that is right."""
        return any(span in self.gold for span in self.common)

    @property
    def writable(self) -> bool:
        """Whether there is a gold span, and tags can write all three: no two spans of a side share a token."""
        sides = (self.gold, self.better, self.worse)
        return len(self.gold) > 0 and all(
            all(first.end <= second.start for first, second in pairwise(side))
            and all(0 <= span.start < span.end <= len(self.words) for span in side)
            for side in sides
        )


def bits_of(word: str) -> int:
    """The information of a word of a case: -log2 of its probability."""
    return int(word[1:])


def probabilities_of(words: Iterable[str]) -> dict[str, float]:
    """The probabilities of words of cases."""
    return {word: 2.0 ** -bits_of(word) for word in sorted(set(words), key=bits_of)}


@dataclass(frozen=True)
class Property:
    """A formal property.

    Attributes:
        name: as in the published table.
        says: which output is the better one, in words.
        admits: whether a case whose sides tags can write is one of this property: its side conditions, all of them but
            that of positive scores.
        needs_positive: whether the worse output is the better one with more noise, so that its score must start above 0
            to be able to fall.
        blocks: draws the parts of a case that the property speaks of.
    """

    name: str
    says: str
    admits: Callable[[Case], bool]
    needs_positive: bool
    blocks: Callable[[random.Random], list[Block]]

    def accepts(self, case: Case, *, positive: bool = True) -> bool:
        """Whether a triple is a case of this property, with all its side conditions; see `cases`."""
        starts = case.positive or not (positive and self.needs_positive)
        return starts and case.writable and self.admits(case)

    def cases(self, *, seed: int = 0, positive: bool = True) -> Iterator[Case]:
        """Random cases, without end.

        Args:
            seed: same seed, same cases.
            positive: where the property needs it, both outputs have a span that is right, so that no F score starts
                from 0. False: they need not have one.
        """
        generator = random.Random(f"{self.name} {seed}")
        while True:
            case = _case(generator, self, positive)
            if case.gold:
                yield case


@dataclass(frozen=True)
class Counterexample:
    """A case in which a measure does not prefer the better output: tags in IOB2 and both scores.

    Attributes:
        gold, better, worse: a tag for each token.
        better_score, worse_score: what the measure gives.
        words: the words, where the measure was given them; `w3` has the probability 2^-3 and carries 3 bits.
    """

    gold: tuple[str, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    better_score: float
    worse_score: float
    words: tuple[str, ...] | None = None

    def __str__(self) -> str:
        """All of it on one line."""
        words = "" if self.words is None else f"words {' '.join(self.words)}; "
        sides = f"gold {' '.join(self.gold)}; better {' '.join(self.better)}; worse {' '.join(self.worse)}"
        return f"{words}{sides}: {self.better_score:.4f} against {self.worse_score:.4f}"


@dataclass(frozen=True)
class PropertyCheck:
    """What was found about one property of a measure.

    Attributes:
        name: of the property.
        holds: whether the better output scored higher in all cases.
        cases: how many were tried.
        failed: in how many it did not.
        counterexample: the smallest that was found, or None.
    """

    name: str
    holds: bool
    cases: int
    failed: int
    counterexample: Counterexample | None

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        return _plain(asdict(self))


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
    """Which formal properties a measure has, by random cases.

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
        not hold is one, and the counterexample is as small as leaving out tokens and spans makes it.

    Raises:
        InputError: for a property that there is not, for a number of cases below 1, and for a measure that is of other
            things than spans, has words of its own, or is told to take words and does not.
    """
    names = tuple(PROPERTIES) if properties is None else tuple(properties)
    for name in names:
        require_choice("properties", name, tuple(PROPERTIES))
    if isinstance(cases, bool) or not isinstance(cases, (int, np.integer)) or cases < 1:
        raise InputError(f"cases={cases!r} is not a number of cases.", "Try 1 or more of each property.")
    scorer = _Scorer(measure, words)
    return {
        name: _check(
            scorer,
            PROPERTIES[name],
            _Batch(islice(PROPERTIES[name].cases(seed=seed, positive=positive), cases)),
            positive,
        )
        for name in names
    }


# How cases are drawn: blocks of text that nothing crosses, laid one behind the other in random order.


class Block(NamedTuple):
    """A stretch of text with what the three sides have there; offsets count from its beginning."""

    length: int
    gold: tuple[Span, ...] = ()
    better: tuple[Span, ...] = ()
    worse: tuple[Span, ...] = ()
    words: tuple[str, ...] | None = None


def _case(generator: random.Random, wanted: Property, positive: bool) -> Case:
    blocks = wanted.blocks(generator)
    if positive and wanted.needs_positive:
        blocks.append(_right(generator))
    blocks += [_bystander(generator) for _ in range(generator.choice((0, 0, 0, 1, 1, 2, 3)))]
    generator.shuffle(blocks)
    length = generator.choice((0, 0, 1, 2))
    words: list[str] = [_word(generator) for _ in range(length)]
    sides: tuple[list[Span], list[Span], list[Span]] = ([], [], [])
    for block in blocks:
        for side, spans in zip(sides, (block.gold, block.better, block.worse), strict=True):
            side += [Span(start + length, end + length, label) for start, end, label in spans]
        gap = generator.choice((0, 0, 1, 1, 3))
        words += block.words or [_word(generator) for _ in range(block.length)]
        words += [_word(generator) for _ in range(gap)]
        length += block.length + gap
    return Case(tuple(words), *(tuple(sorted(side)) for side in sides))


def _word(generator: random.Random) -> str:
    return f"w{generator.choice(BITS)}"


def _size(generator: random.Random, least: int = 1) -> int:
    """A length of spans: mostly short, at times long."""
    return least + generator.choice((0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 12))


def _label(generator: random.Random) -> str:
    return generator.choice((*LABELS, LABELS[0]))


def _right(generator: random.Random) -> Block:
    span = (Span(0, _size(generator), _label(generator)),)
    return Block(span[0].size, span, span, span)


def _bystander(generator: random.Random) -> Block:
    """Something that the property does not speak of: gold and output alike in the better and the worse."""
    kind = generator.choice(("right", "missed", "invented", "cut", "extended", "relabelled", "apart"))
    size, label = _size(generator, 1 if kind in ("missed", "invented", "relabelled", "right") else 2), _label(generator)
    whole = Span(0, size, label)
    first = generator.randrange(1, size) if size > 1 else 0
    gold, output = {
        "right": ((whole,), (whole,)),
        "missed": ((whole,), ()),
        "invented": ((), (whole,)),
        "cut": ((whole,), (Span(first, size, label),)),
        "extended": ((Span(first, size, label),), (whole,)),
        "relabelled": ((whole,), (whole._replace(label=LABELS[label == LABELS[0]]),)),
        "apart": ((whole,), (Span(0, first, label), Span(first, size, label))),
    }[kind]
    return Block(size, gold, output, output)


def _part(generator: random.Random, whole: Span, size: int) -> Span:
    """A random part of a span, of a given size."""
    start = generator.randrange(whole.start, whole.end - size + 1)
    return Span(start, start + size, whole.label)


def _tiles(generator: random.Random, whole: Span) -> tuple[Span, ...]:
    """A span taken apart in two or three."""
    cuts = sorted(generator.sample(range(whole.start + 1, whole.end), min(generator.choice((1, 1, 2)), whole.size - 1)))
    return tuple(Span(start, end, whole.label) for start, end in pairwise((whole.start, *cuts, whole.end)))


def _correct_sequence(generator: random.Random) -> list[Block]:
    span = (Span(0, _size(generator), _label(generator)),)
    return [Block(span[0].size, span, span, ())]


def _wrong_sequence(generator: random.Random) -> list[Block]:
    span = (Span(0, _size(generator), _label(generator)),)
    return [Block(span[0].size, (), (), span)]


def _overlap(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 3), _label(generator))
    better = _part(generator, whole, generator.randrange(2, whole.size))
    worse = _part(generator, better, generator.randrange(1, better.size))
    return [Block(whole.size, (whole,), (better,), (worse,))]


def _noise(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 3), _label(generator))
    better = _part(generator, whole, generator.randrange(2, whole.size))
    gold = _part(generator, better, generator.randrange(1, better.size))
    return [Block(whole.size, (gold,), (better,), (whole,))]


def _homogeneity(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 2), _label(generator))
    tiles = _tiles(generator, whole)
    return [Block(whole.size, tiles, tiles, (whole,))]


def _completeness(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 2), _label(generator))
    return [Block(whole.size, (whole,), (whole,), _tiles(generator, whole))]


def _length_vs_captured(generator: random.Random) -> list[Block]:
    label = _label(generator)
    short = Span(0, _size(generator, 2), label)
    long = Span(0, short.size + _size(generator), label)
    lost = generator.randrange(1, short.size)
    cut_long, cut_short = (_part(generator, whole, whole.size - lost) for whole in (long, short))
    return [Block(long.size, (long,), (cut_long,), (long,)), Block(short.size, (short,), (short,), (cut_short,))]


def _length_vs_noisy(generator: random.Random) -> list[Block]:
    label, noise = _label(generator), generator.choice((1, 1, 2, 3, 5))
    short = _size(generator)
    wholes = [Span(0, size + noise, label) for size in (short + _size(generator), short)]
    long, short_one = (_part(generator, whole, whole.size - noise) for whole in wholes)
    return [
        Block(wholes[0].size, (long,), (wholes[0],), (long,)),
        Block(wholes[1].size, (short_one,), (short_one,), (wholes[1],)),
    ]


def _overlap_increasing(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 3), _label(generator))
    little, much = _uneven(generator, 1, whole.size)
    moved = generator.randrange(1, much - little)
    more = _part(generator, whole, little + moved)
    most = _part(generator, whole, much)
    return [
        Block(whole.size, (whole,), (more,), (_part(generator, more, little),)),
        Block(whole.size, (whole,), (_part(generator, most, much - moved),), (most,)),
    ]


def _noise_increasing(generator: random.Random) -> list[Block]:
    label, size = _label(generator), _size(generator)
    little, much = _uneven(generator, 1, 3 + generator.choice((0, 0, 1, 2, 4)))
    moved = generator.randrange(1, much - little)
    blocks = []
    # the better output has little noise at one span and much at the other, the worse has it in more equal parts
    for in_better, in_worse in ((little, little + moved), (much, much - moved)):
        outer, inner = (Span(0, size + noise, label) for noise in sorted((in_better, in_worse), reverse=True))
        inner = _part(generator, outer, inner.size)
        gold = _part(generator, inner, size)
        better, worse = (inner, outer) if in_better < in_worse else (outer, inner)
        blocks.append(Block(outer.size, (gold,), (better,), (worse,)))
    return blocks


def _uneven(generator: random.Random, least: int, most: int) -> tuple[int, int]:
    """Two numbers that are at least 2 apart, so that there are two more equal ones of the same sum."""
    little = generator.randrange(least, most - 1)
    return little, generator.randrange(little + 2, most + 1)


def _token_informativeness(generator: random.Random) -> list[Block]:
    whole = Span(0, _size(generator, 2), _label(generator))
    at_end = generator.random() < 0.5
    cut = Span(0, whole.size - 1, whole.label) if at_end else Span(1, whole.size, whole.label)
    frequent, rare = (f"w{bits}" for bits in sorted(generator.sample(BITS, 2)))
    shared = tuple(_word(generator) for _ in range(whole.size - 1))
    words = [(*shared, word) if at_end else (word, *shared) for word in (frequent, rare)]
    return [
        Block(whole.size, (whole,), (cut,), (whole,), words[0]),
        Block(whole.size, (whole,), (whole,), (cut,), words[1]),
    ]


# What a case of each property is.


def _is_correct_sequence(case: Case) -> bool:
    better, worse = case.differing
    return len(better) == 1 and not worse and better[0] in case.gold


def _is_wrong_sequence(case: Case) -> bool:
    better, worse = case.differing
    return not better and len(worse) == 1 and not case.met_by(worse[0])


def _is_overlap(case: Case) -> bool:
    match case.differing:
        case ((better,), (worse,)):
            met = case.met_by(better)
            return len(met) == 1 and worse.within(better) and better.within(met[0]) and case.untouched(*met)
    return False


def _is_noise(case: Case) -> bool:
    match case.differing:
        case ((better,), (worse,)):
            met = case.met_by(worse)
            return len(met) == 1 and met[0].within(better) and better.within(worse)
    return False


def _is_homogeneity(case: Case) -> bool:
    better, worse = case.differing
    return len(worse) == 1 and set(better) <= set(case.gold) and _tile(better, worse[0])


def _is_completeness(case: Case) -> bool:
    better, worse = case.differing
    return len(better) == 1 and better[0] in case.gold and _tile(worse, better[0])


def _tile(parts: Sequence[Span], whole: Span) -> bool:
    """Whether two or more spans of its label fill the span without gaps."""
    if len(parts) < 2 or any(part.label != whole.label for part in parts):
        return False
    touching = all(first.end == second.start for first, second in pairwise(parts))
    return touching and parts[0].start == whole.start and parts[-1].end == whole.end


def _is_length_vs_captured(case: Case) -> bool:
    for (cut_long, short), (long, cut_short) in _two_by_two(case):
        if (
            {short, long} <= set(case.gold)
            and short.label == long.label
            and short.size < long.size
            and cut_long.within(long)
            and cut_short.within(short)
            and long.size - cut_long.size == short.size - cut_short.size
        ):
            return True
    return False


def _is_length_vs_noisy(case: Case) -> bool:
    for (noisy_long, short), (long, noisy_short) in _two_by_two(case):
        if (
            {short, long} <= set(case.gold)
            and short.label == long.label
            and short.size < long.size
            and long.within(noisy_long)
            and short.within(noisy_short)
            and noisy_long.size - long.size == noisy_short.size - short.size
            and case.met_by(noisy_long) == (long,)
            and case.met_by(noisy_short) == (short,)
        ):
            return True
    return False


def _is_overlap_increasing(case: Case) -> bool:
    for (more, less), (least, most) in _two_by_two(case):
        met = [*case.met_by(more), *case.met_by(most)]
        if (
            len(met) == 2
            and met[0] != met[1]
            and met[0].size == met[1].size
            and met[0].label == met[1].label
            and least.within(more)
            and more.within(met[0])
            and less.within(most)
            and (most == met[1] or most.within(met[1]))
            and more.size + less.size == least.size + most.size
            and max(more.size, less.size) < most.size
            and case.untouched(*met)
        ):
            return True
    return False


def _is_noise_increasing(case: Case) -> bool:
    for (least, most), (more, less) in _two_by_two(case):
        met = [*case.met_by(more), *case.met_by(most)]
        if (
            len(met) == 2
            and met[0] != met[1]
            and met[0].size == met[1].size
            and met[0].label == met[1].label
            and met[0].within(least)
            and least.within(more)
            and met[1].within(less)
            and less.within(most)
            and more.size + less.size == least.size + most.size
            and max(more.size, less.size) < most.size
        ):
            return True
    return False


def _is_token_informativeness(case: Case) -> bool:
    for (cut_frequent, rare), (frequent, cut_rare) in _two_by_two(case):
        if not ({rare, frequent} <= set(case.gold) and rare.label == frequent.label and rare.size == frequent.size):
            continue
        if not (cut_frequent.within(frequent) and cut_rare.within(rare)):
            continue
        same_end = cut_frequent.start - frequent.start == cut_rare.start - rare.start
        if not (same_end and cut_frequent.size == cut_rare.size == rare.size - 1):
            continue
        kept = [case.words[cut.start : cut.end] for cut in (cut_frequent, cut_rare)]
        lost = [
            case.words[whole.end - 1 if cut.start == whole.start else whole.start]
            for cut, whole in ((cut_frequent, frequent), (cut_rare, rare))
        ]
        if kept[0] == kept[1] and bits_of(lost[0]) < bits_of(lost[1]):
            return True
    return False


def _two_by_two(case: Case) -> Iterator[tuple[tuple[Span, Span], tuple[Span, Span]]]:
    """The two spans of the better output alone and the two of the worse that take their places, in both orders."""
    better, worse = case.differing
    if len(better) == len(worse) == 2:
        (first, second), (third, fourth) = better, worse
        if first.meets(third) and second.meets(fourth):
            yield (first, second), (third, fourth)
            yield (second, first), (fourth, third)


PROPERTIES: Mapping[str, Property] = {
    name: Property(name, says, admits, name in ("wrong_sequence", "noise"), blocks)
    for name, says, admits, blocks in (
        (
            "correct_sequence",
            "An output with one more span that is right, in extent and label, is better.",
            _is_correct_sequence,
            _correct_sequence,
        ),
        (
            "wrong_sequence",
            "An output with one more span that shares no token with the gold annotation is worse.",
            _is_wrong_sequence,
            _wrong_sequence,
        ),
        (
            "overlap",
            "Of two parts of a gold span, one within the other, the larger part is the better output.",
            _is_overlap,
            _overlap,
        ),
        (
            "noise",
            "Of two spans around a gold span, one within the other, the smaller is the better output; they touch no "
            "other gold span.",
            _is_noise,
            _noise,
        ),
        (
            "homogeneity",
            "Adjacent gold spans of one label, found one by one, are a better output than one span over all of them.",
            _is_homogeneity,
            _homogeneity,
        ),
        (
            "completeness",
            "A gold span found whole is a better output than the same tokens as several spans.",
            _is_completeness,
            _completeness,
        ),
        (
            "length_vs_captured",
            "Of two gold spans of different length, it is better to lack some tokens of the longer than as many of "
            "the shorter; the other is found whole.",
            _is_length_vs_captured,
            _length_vs_captured,
        ),
        (
            "length_vs_noisy",
            "Of two gold spans of different length, it is better to have some wrong tokens at the longer than as many "
            "at the shorter; the other is found as it is.",
            _is_length_vs_noisy,
            _length_vs_noisy,
        ),
        (
            "overlap_increasing",
            "Of two gold spans of one length, with as many tokens found in all, the better output has found them "
            "in more equal parts: the more of a span is found already, the less another token adds.",
            _is_overlap_increasing,
            _overlap_increasing,
        ),
        (
            "noise_increasing",
            "Around two gold spans of one length, with as many wrong tokens in all, the better output has them in less "
            "equal parts: the more noise there is already, the less another token harms.",
            _is_noise_increasing,
            _noise_increasing,
        ),
        (
            "token_informativeness",
            "Of two gold spans with the same words but for the first or the last one, it is better to lack the more "
            "frequent of these two words than the rarer; the other span is found whole.",
            _is_token_informativeness,
            _token_informativeness,
        ),
    )
}
"""The properties by name, in the order of the published table."""


# How a measure is asked.


class _Batch:
    """Cases as documents of three annotations."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = tuple(cases)
        lengths = [len(case.words) for case in self.cases]
        self.gold, self.better, self.worse = (
            Spans.from_dicts([[span._asdict() for span in getattr(case, side)] for case in self.cases], lengths=lengths)
            for side in ("gold", "better", "worse")
        )

    def words(self) -> dict[str, Any]:
        """The options that tell a measure of words."""
        tokens = [list(case.words) for case in self.cases]
        return {"tokens": tokens, "token_probabilities": probabilities_of(f"w{bits}" for bits in BITS)}


class _Scorer:
    """A measure, asked for many documents at once where it can be."""

    def __init__(self, measure: Scorer, everywhere: bool) -> None:
        if isinstance(measure, SlIcm):
            if measure.tokens is not None:
                raise InputError("the measure has tokens of its own.", "Leave them out: each case has its own words.")
            self.takes_words = not isinstance(measure.token_probabilities, (int, float, np.number))
        elif isinstance(measure, AlignedMeasure):
            self.takes_words = False
        elif callable(measure) and not isinstance(measure, type):
            self.takes_words = _takes_words(measure)
        else:
            raise InputError(
                f"{measure!r} is not a measure of spans.",
                "Pass a function of references and predictions, or a measure of spans such as LinkF().",
            )
        if everywhere and not self.takes_words:
            raise InputError(
                "words=True, and the measure takes no words.",
                "Pass SlIcm() or a function with the parameters tokens and token_probabilities.",
            )
        self.measure = measure
        self.everywhere = everywhere

    def given_words(self, name: str) -> bool:
        """Whether the measure is given words in a property."""
        return self.takes_words and (self.everywhere or name == "token_informativeness")

    def scores(self, batch: _Batch, *, words: bool) -> np.ndarray:
        """Scores of the better and the worse outputs, shape (2, cases), higher is better."""
        if isinstance(self.measure, AlignedMeasure):
            measure = replace(self.measure, **batch.words()) if words else self.measure
            return np.stack([_by_document(measure, batch.gold, side) for side in (batch.better, batch.worse)])
        found = np.empty((2, len(batch.cases)))
        given = batch.words() if words else {}
        for number in range(len(batch.cases)):
            one = np.array([number])
            options = {**given, "tokens": [given["tokens"][number]]} if given else {}
            for row, side in enumerate((batch.better, batch.worse)):
                found[row, number] = float(self.measure(batch.gold.take(one), side.take(one), **options))
        return found


def _takes_words(function: Callable[..., float]) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return {"tokens", "token_probabilities"} <= set(parameters)


def _by_document(measure: AlignedMeasure, references: Spans, predictions: Spans) -> np.ndarray:
    """The headline of each document, as a corpus of its own."""
    counts = measure.counts(references, predictions)
    if isinstance(counts, Counts):
        values = measure.score_per_document(counts)[measure.headline]
    else:
        documents = (np.array([number]) for number in range(references.documents))
        values = np.array(
            [
                measure.score(measure.counts(references.take(one), predictions.take(one)))[measure.headline]
                for one in documents
            ]
        )
    return values if measure.higher_is_better else -values


def _fails(scores: np.ndarray) -> np.ndarray:
    """Whether the better output is not above the worse."""
    return ~(scores[0] > scores[1] + TOLERANCE)


def _check(scorer: _Scorer, wanted: Property, batch: _Batch, positive: bool) -> PropertyCheck:
    words = scorer.given_words(wanted.name)
    failed = np.flatnonzero(_fails(scorer.scores(batch, words=words)))
    found = None
    if len(failed):
        smallest = sorted((batch.cases[number] for number in failed), key=lambda case: case.size)[:_STARTS]
        shrunk = {_shrunk(scorer, wanted, case, positive, words) for case in smallest}
        found = _counterexample(scorer, min(shrunk, key=_rank), words)
    return PropertyCheck(wanted.name, len(failed) == 0, len(batch.cases), len(failed), found)


def _counterexample(scorer: _Scorer, case: Case, words: bool) -> Counterexample:
    batch = _Batch([case])
    better, worse = (scorer.scores(batch, words=words)[:, 0]).tolist()
    if isinstance(scorer.measure, AlignedMeasure) and not scorer.measure.higher_is_better:
        better, worse = -better, -worse
    gold, better_tags, worse_tags = (tuple(side.to_tags("IOB2")[0]) for side in (batch.gold, batch.better, batch.worse))
    return Counterexample(gold, better_tags, worse_tags, better, worse, case.words if words else None)


def _rank(case: Case) -> tuple[Any, ...]:
    """Smaller cases first; no two cases are level, so that sets of them have one order."""
    return case.size, case.words, case.gold, case.better, case.worse


def _shrunk(scorer: _Scorer, wanted: Property, case: Case, positive: bool, words: bool) -> Case:
    """A counterexample none of whose smaller neighbours is one."""
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        neighbours = {other for other in _smaller(case, words) if other.size < case.size}
        admitted = [other for other in neighbours if wanted.accepts(other, positive=positive)]
        admitted.sort(key=_rank)
        smaller = _first_failing(scorer, admitted, words)
    return case


def _first_failing(scorer: _Scorer, cases: Sequence[Case], words: bool) -> Case | None:
    """The first case in which the better output is not above the worse."""
    # in blocks of growing size, as most often one of the first few is found, and a function is asked case by case
    start, size = 0, 4
    while start < len(cases):
        block = cases[start : start + size]
        failed = np.flatnonzero(_fails(scorer.scores(_Batch(block), words=words)))
        if len(failed):
            return block[failed[0]]
        start, size = start + size, 4 * size
    return None


def _smaller(case: Case, words: bool) -> Iterator[Case]:
    """The case without a token or two, without a span, with one label, with more frequent words."""
    length = len(case.words)
    for first in range(length):
        less = _without_token(case, first)
        yield less
        yield from (_without_token(less, second) for second in range(first, length - 1))
    for span in {*case.gold, *case.better, *case.worse}:
        for sides in (("gold", "better", "worse"), ("better", "worse"), ("gold",)):
            yield replace(case, **{side: tuple(one for one in getattr(case, side) if one != span) for side in sides})
    for label in LABELS:
        yield replace(
            case,
            **{
                side: tuple(span._replace(label=label) for span in getattr(case, side))
                for side in ("gold", "better", "worse")
            },
        )
    if words:
        for word in sorted(set(case.words), key=bits_of):
            for bits in range(1, bits_of(word)):
                yield replace(case, words=tuple(f"w{bits}" if other == word else other for other in case.words))
        for position, word in enumerate(case.words):
            for bits in range(1, bits_of(word)):
                yield replace(case, words=(*case.words[:position], f"w{bits}", *case.words[position + 1 :]))


def _without_token(case: Case, token: int) -> Case:
    """The case without one of its tokens; a span of that token alone goes with it."""

    def left(side: tuple[Span, ...]) -> tuple[Span, ...]:
        moved = (Span(start - (start > token), end - (end > token), label) for start, end, label in side)
        return tuple(span for span in moved if span.size)

    words = case.words[:token] + case.words[token + 1 :]
    return Case(words, left(case.gold), left(case.better), left(case.worse))


# The published table.


TABLE = "sl_icm_table1"

ROWS: Mapping[str, tuple[str, AlignedMeasure, bool]] = {
    "span_f": ("span_f", SpanF(), False),
    "token_f_IO": ("token_f_IO", TokenF(), False),
    "token_f_BIO": ("token_f_BIO_BIOE", TokenF(format="BIO"), False),
    "token_f_BIOE": ("token_f_BIO_BIOE", TokenF(format="BIOE"), False),
    "token_f_IO*": ("token_f_IO*", TokenF(format="IO*"), False),
    "link_f": ("link_f", LinkF(), False),
    "bcubed": ("bcubed", Bcubed(), False),
    "intersection_f": ("intersection_f", IntersectionF(), False),
    "sl_icm": ("sl_icm", SlIcm(), False),
    "sl_icm_words": ("sl_icm", SlIcm(), True),
}
"""Our rows: the printed row that each is compared with, the measure, and whether it is given words in every property.

Printed is one row for BIO and BIOE, and one for SL-ICM, which has token informativeness only if it is given words.
"""


def published_table1() -> dict[str, dict[str, bool]]:
    """Table 1 of the paper: for each metric and property, whether it has a tick there."""
    return {row["metric"]: {name: row[name] == "y" for name in PROPERTIES} for row in published_rows(TABLE)}


@dataclass(frozen=True)
class Cell:
    """One cell of Table 1, ours beside the printed one.

    Attributes:
        metric: our row, see `ROWS`.
        name: the property.
        printed: whether the paper says that the metric has the property.
        ours: whether it scored the better output higher in all cases.
        positive: whether scores started above 0 where the property needs it, see `Property.cases`.
        check: the cases and, where it did not, the smallest counterexample.
        reason: why ours is not as printed, where it is not and that is known.
    """

    metric: str
    name: str
    printed: bool
    ours: bool
    positive: bool
    check: PropertyCheck
    reason: str | None

    @property
    def equal(self) -> bool:
        """Whether ours is as printed."""
        return self.ours == self.printed

    @property
    def mark(self) -> str:
        """`=` where ours is as printed, else `≠`."""
        return "=" if self.equal else "≠"

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        counterexample = self.check.to_dict()["counterexample"]
        return {
            "metric": self.metric,
            "property": self.name,
            "ours": self.ours,
            "printed": self.printed,
            "mark": self.mark,
            "positive": self.positive,
            "cases": self.check.cases,
            "failed": self.check.failed,
            "counterexample": counterexample,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Table1:
    """Table 1 of the paper, cell by cell.

    Attributes:
        cells: all cells, row after row. Behind them, for the properties that need positive scores, the ticks that
            hold once more, without that condition.
        seed: of the cases.
    """

    cells: tuple[Cell, ...]
    seed: int

    @property
    def findings(self) -> tuple[Cell, ...]:
        """The cells that are not as printed."""
        return tuple(cell for cell in self.cells if not cell.equal)

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        return {"seed": self.seed, "cells": [cell.to_dict() for cell in self.cells]}

    def to_markdown(self) -> str:
        """The table, `≠` where a cell is not as printed, and under it these cells with what is known."""
        main = {(cell.metric, cell.name): cell for cell in self.cells if cell.positive}
        lines = [f"| metric | {' | '.join(name.replace('_', ' ') for name in PROPERTIES)} |"]
        lines.append(f"|---|{':-:|' * len(PROPERTIES)}")
        for metric in ROWS:
            cells = (main[metric, name] for name in PROPERTIES)
            shown = (f"{'y' if cell.ours else 'n'}{'' if cell.equal else ' ≠'}" for cell in cells)
            lines.append(f"| {metric.replace('*', chr(92) + '*')} | {' | '.join(shown)} |")
        lines.append("")
        for cell in self.findings:
            start = "" if cell.positive else ", from any score"
            lines.append(
                f"- {cell.metric}, {cell.name.replace('_', ' ')}{start}: printed {'yn'[not cell.printed]}, "
                f"ours {'yn'[not cell.ours]}. {cell.reason or 'No reason is known.'}"
                + ("" if cell.check.counterexample is None else f" `{cell.check.counterexample}`")
            )
        return "\n".join(lines)


_FROM_ZERO = "An F score that is 0 cannot fall. The tick holds where scores start above 0."

_REASONS = {
    ("token_f_BIO", "overlap"): (
        "Printed is one row for BIO and BIOE. A part of a span has as many right BIO tags as tokens, or one less where "
        "it begins later, so a smaller part within it never has a higher share; only BIOE lacks the property, whose "
        "tag E ends every part of two tokens or more."
    ),
    **{
        ("sl_icm_words", name): (
            "A token's information is divided by its rank, in the order of the text, within the span or intersection: "
            "a part in which a rare word moves up can carry more than the whole. The tick holds for tokens of equal "
            "information."
        )
        for name in ("overlap", "noise", "homogeneity", "completeness")
    },
    **{
        ("sl_icm_words", name): (
            "The property counts tokens, SL-ICM weighs them: what is lacking of the longer span, or lies around it, "
            "may be the rarer word. The tick holds for tokens of equal information."
        )
        for name in ("length_vs_captured", "length_vs_noisy", "overlap_increasing", "noise_increasing")
    },
}


def table1(*, cases: int = 1000, seed: int = 0) -> Table1:
    """Table 1 of the paper from our measures, by `cases` random cases of each property."""
    printed = published_table1()
    cells: list[Cell] = []
    again: list[Cell] = []
    holding: dict[tuple[str, str], bool] = {}
    for name, wanted in PROPERTIES.items():
        for positive in (True, False) if wanted.needs_positive else (True,):
            batch = _Batch(islice(wanted.cases(seed=seed, positive=positive), cases))
            for metric, (row, measure, words) in ROWS.items():
                tick = printed[row][name]
                if not positive and not (tick and holding[metric, name]):
                    continue
                check = _check(_Scorer(measure, words), wanted, batch, positive)
                holding.setdefault((metric, name), check.holds)
                reason = _REASONS.get((metric, name)) if positive else _FROM_ZERO
                (cells if positive else again).append(
                    Cell(metric, name, tick, check.holds, positive, check, reason if check.holds != tick else None)
                )
    order = {metric: number for number, metric in enumerate(ROWS)}
    return Table1((*sorted(cells, key=lambda cell: order[cell.metric]), *again), seed)


def _plain(value: Any) -> Any:
    """Tuples as lists, for JSON; NaN, which JSON lacks, as None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and value != value else value
