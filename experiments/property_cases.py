"""Random cases of a formal property: a document with its gold annotation, a better and a worse output.

A case is laid out from blocks of text that no span crosses: those that a property speaks of, and others around them,
in random order.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

LABELS = ("A", "B")

BITS = tuple(range(1, 11))
"""The information of the words of random cases: word `w3` has the probability 2^-3, so it carries 3 bits."""


class Span(NamedTuple):
    """A span of a case: token offsets, `end` exclusive."""

    start: int
    end: int
    label: str

    @property
    def size(self) -> int:
        """Number of tokens."""
        return self.end - self.start


class Block(NamedTuple):
    """A stretch of text with the spans that the three sides have there; offsets count from its beginning."""

    length: int
    gold: tuple[Span, ...] = ()
    better: tuple[Span, ...] = ()
    worse: tuple[Span, ...] = ()
    words: tuple[str, ...] | None = None


class Case(NamedTuple):
    """One document with its gold annotation and two outputs, of which the first is the better one.

    Attributes:
        words: the document's words; `w3` has the probability 2^-3.
        gold, better, worse: their spans, in the order of the text.
    """

    words: tuple[str, ...]
    gold: tuple[Span, ...]
    better: tuple[Span, ...]
    worse: tuple[Span, ...]


def probabilities() -> dict[str, float]:
    """List the probabilities of the words of cases."""
    return {f"w{bits}": 2.0**-bits for bits in BITS}


class Generator:
    """Random choices and parts of cases, of the numbers that a `random.Random` draws."""

    def __init__(self, numbers: random.Random) -> None:
        self.choice, self.randrange = numbers.choice, numbers.randrange
        self.sample, self.shuffle = numbers.sample, numbers.shuffle

    def word(self) -> str:
        """Draw a word."""
        return f"w{self.choice(BITS)}"

    def size(self, least: int = 1) -> int:
        """Draw the length of a span: mostly short, at times long."""
        return least + self.choice((0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 12))

    def label(self) -> str:
        """Draw a label, the first one more often."""
        return self.choice((*LABELS, LABELS[0]))

    def span(self, least: int = 1) -> Span:
        """Draw a span of at least so many tokens."""
        return Span(0, self.size(least), self.label())

    def part(self, whole: Span, size: int) -> Span:
        """Draw a part of a span, of a given size."""
        start = self.randrange(whole.start, whole.end - size + 1)
        return Span(start, start + size, whole.label)

    def tiles(self, whole: Span) -> tuple[Span, ...]:
        """Take a span apart in two or three."""
        cuts = sorted(self.sample(range(whole.start + 1, whole.end), min(self.choice((1, 1, 2)), whole.size - 1)))
        return tuple(Span(start, end, whole.label) for start, end in pairwise((whole.start, *cuts, whole.end)))


def lay_out(generator: Generator, blocks: Iterable[Block]) -> Case:
    """Lay out the blocks of a property and those around them one behind the other, in random order."""
    parts = [*blocks, *(_bystander(generator) for _ in range(generator.choice((0, 0, 0, 1, 1, 2, 3))))]
    generator.shuffle(parts)
    words: list[str | None] = [None] * generator.choice((0, 0, 1, 2))
    sides: dict[str, list[Span]] = {"gold": [], "better": [], "worse": []}
    for part in parts:
        for name, side in sides.items():
            side += [Span(start + len(words), end + len(words), label) for start, end, label in getattr(part, name)]
        words += part.words or [None] * part.length
        words += [None] * generator.choice((0, 0, 1, 1, 3))
    written = tuple(word or generator.word() for word in words)
    gold, better, worse = (tuple(sorted(side)) for side in sides.values())
    return Case(written, gold, better, worse)


def _bystander(generator: Generator) -> Block:
    """Draw something that the property does not speak of: gold and output alike in the better and the worse."""
    kind = generator.choice(("right", "missed", "invented", "cut", "extended", "relabelled", "apart"))
    whole = generator.span(1 if kind in ("missed", "invented", "relabelled", "right") else 2)
    first = generator.randrange(1, whole.size) if whole.size > 1 else 0
    gold, output = {
        "right": ((whole,), (whole,)),
        "missed": ((whole,), ()),
        "invented": ((), (whole,)),
        "cut": ((whole,), (whole._replace(start=first),)),
        "extended": ((whole._replace(start=first),), (whole,)),
        "relabelled": ((whole,), (whole._replace(label=LABELS[whole.label == LABELS[0]]),)),
        "apart": ((whole,), (whole._replace(end=first), whole._replace(start=first))),
    }[kind]
    return Block(whole.size, gold, output, output)
