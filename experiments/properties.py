"""Check which formal properties a measure has: the eleven properties of the SL-ICM paper, by their definitions.

A definition is a formula that says which of two outputs a measure must score higher. Its cases form a grid:
gold spans of 1 to 4 tokens, in both orders, and errors of every size up to 4 tokens. A measure has the property if it
scores the better output above the worse one in every case.

    >>> from spanometer.measures import TokenF
    >>> checks = check_properties(TokenF())
    >>> [name for name, check in checks.items() if check.holds]
    ['correct_sequence', 'wrong_sequence', 'overlap', 'noise']
    >>> print(checks["homogeneity"].counterexample)
    gold 6-6 7-7 13-13; better 6-6 7-7 13-13; worse 6-7 13-13: scores 1.0000 and 1.0000

Spans are written as in the paper, by their first and last token. `y_i ± e` is any last token that both outputs have. In
`overlap` the worse output keeps a token of the gold span or is empty; in `noise` the better output keeps a token. The
paper states all other conditions except these two, which `as_printed=True` leaves out:

- Both outputs have one more span, which is right. Otherwise the F score of the better output would be 0 in some cases
  of `wrong_sequence` and `noise`, and the worse output could not score lower.
- In `token_informativeness` both gold spans have the same length. SL-ICM divides the information of a token by its rank
  in the span, so the last token of a long span can have less information than the last token of a short span, even if
  it is rarer.

Source: Amigó et al. 2025, 'Evaluating Sequence Labeling on the basis of Information Theory', sections 2 to 4.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from spanometer.counts.counts import Counts
from spanometer.exceptions import InputError, require_choice, shown
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.information import TokenProbabilities
from spanometer.measures.sl_icm import SlIcm
from spanometer.spans.spans import Spans

TOLERANCE = 1e-9
"""A score is above another if the difference is larger than this, because sums of floats differ in their last bits."""

LONGEST = 4
"""The maximum length of gold spans, and of errors, in tokens."""

BITS = (1, 2, 4, 8)
"""The information of the words in a case: a word with 4 bits has the probability 2^-4."""

DRAWS = 10
"""The number of texts of random words for each case, if a measure gets words for every property."""

_ROOM = LONGEST + 1

Span = tuple[int, int]
Side = tuple[Span, ...]


class Case(NamedTuple):
    """One document: the spans of the gold annotation, of the better and of the worse output, and the bits of words.

    A span is given by its first and last token; if the last token is before the first, the span is empty and is left
    out.
    """

    gold: Side
    better: Side
    worse: Side
    bits: tuple[tuple[int, int], ...] = ()

    @property
    def tokens(self) -> int:
        """The length of the document."""
        return 1 + max(last for side in self[:3] for _, last in side)

    def with_right_span(self, size: int) -> "Case":
        """Add a correct span of this size to all three sides, and remove empty spans; with size 0 only remove these."""
        first = self.tokens + _ROOM
        sides = ([*side, (first, first + size - 1)] for side in self[:3])
        gold, better, worse = (tuple(span for span in side if span[0] <= span[1]) for side in sides)
        return Case(gold, better, worse, self.bits)

    @property
    def is_even(self) -> bool:
        """Whether all gold spans have the same length."""
        return len({last - first for first, last in self.gold}) == 1

    def probabilities(self, generator: random.Random | None = None) -> list[float]:
        """Return the probability of each token, as the case sets it.

        For other tokens it is random, or 1 bit if there is no generator.
        """
        drawn = [1 if generator is None else generator.choice(BITS) for _ in range(self.tokens)]
        return [2.0**-bits for bits in (dict(enumerate(drawn)) | dict(self.bits)).values()]


@dataclass(frozen=True)
class Counterexample:
    """A case in which a measure does not prefer the better output, with both scores.

    Attributes:
        case: the case.
        better_score, worse_score: the scores of both outputs.
        probabilities: P(w) of each token if the measure has words.
    """

    case: Case
    better_score: float
    worse_score: float
    probabilities: list[float] | None = None

    def __str__(self) -> str:
        """Write everything on one line, with the bits of each token."""
        sides = (
            " ".join([name, *(f"{first + 1}-{last + 1}" for first, last in side)])
            for name, side in zip(Case._fields, self.case[:3], strict=False)
        )
        bits = "" if self.probabilities is None else " ".join(f"{-np.log2(each):.0f}" for each in self.probabilities)
        words = f"; bits {bits}" if bits else ""
        return f"{'; '.join(sides)}{words}: scores {self.better_score:.4f} and {self.worse_score:.4f}"


@dataclass(frozen=True)
class PropertyCheck:
    """The result for one property of a measure.

    Attributes:
        name: the name of the property.
        cases: the number of cases.
        failed: the number of cases in which the better output does not score higher.
        counterexample: the shortest of these cases; None if the property holds.
    """

    name: str
    cases: int
    failed: int
    counterexample: Counterexample | None

    @property
    def holds(self) -> bool:
        """Whether the better output scores higher in all cases."""
        return not self.failed


Scorer = Callable[[Spans, Spans], float] | AlignedMeasure


def check_properties(
    measure: Scorer, *, properties: Iterable[str] | None = None, words: bool = False, as_printed: bool = False
) -> dict[str, PropertyCheck]:
    """Check which formal properties a measure has.

    Args:
        measure: a function of `references` and `predictions`, both `Spans` of one document, higher being better; or a
            measure of spans, whose main score is compared in the direction of `higher_is_better`. An `SlIcm` without
            probabilities gets probabilities of words in `token_informativeness`.
        properties: names from `PROPERTIES`; all by default.
        words: whether an `SlIcm` gets random words for every property.
        as_printed: whether to leave out the two conditions that the paper does not state.

    Returns:
        A check for each property, by name.

    Raises:
        InputError: if a property is unknown, if the object is not a measure of spans, if an `SlIcm` has words already,
            or if `words` is True for a measure that does not use words.
    """
    names = tuple(PROPERTIES) if properties is None else tuple(properties)
    for name in names:
        require_choice("properties", name, tuple(PROPERTIES))
    takes_words = _takes_words(measure)
    if words and not takes_words:
        raise InputError("words=True, and the measure takes no words.", "Pass SlIcm().")
    informed = {name: takes_words and (words or name == "token_informativeness") for name in names}
    return {name: _check(measure, name, _grid(name, words, as_printed), informed[name]) for name in names}


# The definitions: (x_i, y_i) is the gold span i. Each yields the gold spans, the better and the worse output.


def _spans(*sizes: int) -> Iterator[Span]:
    """Yield spans of these sizes one after another, with space for errors between them."""
    first = _ROOM
    for size in sizes:
        yield first, first + size - 1
        first += size + 2 * _ROOM


def _singles() -> Iterator[Span]:
    for size in range(1, LONGEST + 1):
        yield from _spans(size)


def _pairs() -> Iterator[tuple[int, int, int, int]]:
    """Yield x_i, y_i, x_j, y_j for all pairs of sizes, with i before j and with i after j."""
    for sizes in product(range(1, LONGEST + 1), repeat=2):
        (first, last), (further, end) = _spans(*sizes)
        yield first, last, further, end
        yield further, end, first, last


def _correct_sequence() -> Iterator[Case]:
    """(x_1, y_1) ... (x_j, y_j) > (x_1, y_1) ... (x_j-1, y_j-1)."""
    for xi, yi, xj, yj in _pairs():
        yield Case(((xi, yi), (xj, yj)), ((xi, yi), (xj, yj)), ((xi, yi),))


def _wrong_sequence() -> Iterator[Case]:
    """The output > the output and (k, l), y_i < k < l < x_i+1."""
    for xi, yi, xj, yj in _pairs():
        for k, size in product(range(yi + 1, yi + 4), range(2, LONGEST + 1)):
            if k + size - 1 < xj:
                for output in ((), ((xj, yj),)):
                    yield Case(((xi, yi), (xj, yj)), output, (*output, (k, k + size - 1)))


def _overlap() -> Iterator[Case]:
    """(x_i + e, y_i ± e) > (x_i + e', y_i ± e), 0 <= e <= y_i - x_i, e' > e."""
    for x, y in _singles():
        for e, end in product(range(y - x + 1), range(x, y + LONGEST)):
            last = end - x + 1 if end <= y else y - x
            for more in range(e + 1, last + 1):
                yield Case(((x, y),), ((x + e, end),), ((x + more, end),))


def _noise() -> Iterator[Case]:
    """(x_i - e, y_i ± e) > (x_i - e', y_i ± e), e' > e."""
    for x, y in _singles():
        for e, end in product(range(LONGEST), range(x, y + LONGEST)):
            for more in range(e + 1, LONGEST + 1):
                yield Case(((x, y),), ((x - e, end),), ((x - more, end),))


def _homogeneity() -> Iterator[Case]:
    """(x_i, y_i), (x_j, y_j) > (x_i, y_j), x_j = y_i + 1."""
    for x, y in _singles():
        for end in range(y + 1, y + LONGEST + 1):
            yield Case(((x, y), (y + 1, end)), ((x, y), (y + 1, end)), ((x, end),))


def _completeness() -> Iterator[Case]:
    """(x_i, y_i) > (x_i, k), (k + 1, y_i), x_i < k < y_i."""
    for x, y in _singles():
        for k in range(x + 1, y):
            yield Case(((x, y),), ((x, y),), ((x, k), (k + 1, y)))


def _length_vs_captured() -> Iterator[Case]:
    """(x_i + 1, y_i), (x_j, y_j) > (x_i, y_i), (x_j + 1, y_j), span i longer than span j."""
    for xi, yi, xj, yj in _pairs():
        if yi - xi > yj - xj:
            yield Case(((xi, yi), (xj, yj)), ((xi + 1, yi), (xj, yj)), ((xi, yi), (xj + 1, yj)))


def _length_vs_noisy() -> Iterator[Case]:
    """(x_i - 1, y_i), (x_j, y_j) > (x_i, y_i), (x_j - 1, y_j), span i longer than span j."""
    for xi, yi, xj, yj in _pairs():
        if yi - xi > yj - xj:
            yield Case(((xi, yi), (xj, yj)), ((xi - 1, yi), (xj, yj)), ((xi, yi), (xj - 1, yj)))


def _overlap_increasing() -> Iterator[Case]:
    """(x_i, y_i - n), (x_j, y_j - n) > (x_i, y_i - n - 1), (x_j, y_j - n + 1), i and j of one length."""
    for xi, yi, xj, yj in _pairs():
        for n in range(1, yi - xi) if yi - xi == yj - xj else ():
            yield Case(((xi, yi), (xj, yj)), ((xi, yi - n), (xj, yj - n)), ((xi, yi - n - 1), (xj, yj - n + 1)))


def _noise_increasing() -> Iterator[Case]:
    """(x_i, y_i + n), (x_j, y_j + n + 2) > (x_i, y_i + n + 1), (x_j, y_j + n + 1), i and j of one length."""
    for xi, yi, xj, yj in _pairs():
        for n in range(LONGEST - 1) if yi - xi == yj - xj else ():
            yield Case(((xi, yi), (xj, yj)), ((xi, yi + n), (xj, yj + n + 2)), ((xi, yi + n + 1), (xj, yj + n + 1)))


def _token_informativeness() -> Iterator[Case]:
    """(x_i, y_i), (x_j, y_j - 1) > (x_i, y_i - 1), (x_j, y_j), P(y_i) < P(y_j)."""
    for xi, yi, xj, yj in _pairs():
        for rare, frequent in product(BITS, repeat=2):
            if rare > frequent:
                bits = (yi, rare), (yj, frequent)
                yield Case(((xi, yi), (xj, yj)), ((xi, yi), (xj, yj - 1)), ((xi, yi - 1), (xj, yj)), bits)


PROPERTIES: dict[str, Callable[[], Iterator[Case]]] = {
    definition.__name__.removeprefix("_"): definition
    for definition in (
        *(_correct_sequence, _wrong_sequence, _overlap, _noise, _homogeneity, _completeness, _length_vs_captured),
        *(_length_vs_noisy, _overlap_increasing, _noise_increasing, _token_informativeness),
    )
}
"""The definitions by name, in the order of the published table."""


class _Grid:
    """The cases of a property as documents of three annotations, and the probability of each token.

    Attributes:
        cases: the cases; each occurs once for each size of the additional correct span and each text of random words.
    """

    def __init__(self, name: str, words: bool, as_printed: bool) -> None:
        sizes = (0,) if as_printed else (1, 2, 3)
        cases = [case for case in PROPERTIES[name]() if as_printed or name != "token_informativeness" or case.is_even]
        draws, generator = (DRAWS, random.Random(0)) if words else (1, None)
        self.cases = [case.with_right_span(size) for case in cases for size in sizes for _ in range(draws)]
        self.probabilities = [case.probabilities(generator) for case in self.cases]
        lengths = [case.tokens for case in self.cases]
        self.gold, self.better, self.worse = (
            Spans.from_dicts(
                [
                    [{"start": first, "end": last + 1, "label": "X"} for first, last in case[side]]
                    for case in self.cases
                ],
                lengths=lengths,
            )
            for side in range(3)
        )


_grid = cache(_Grid)


def _check(measure: Scorer, name: str, grid: _Grid, informed: bool) -> PropertyCheck:
    """Check a measure in all cases, with or without the words of each case."""
    if isinstance(measure, SlIcm) and informed:
        measure = replace(measure, token_probabilities=grid.probabilities)
    better, worse = (_scores(measure, grid.gold, side) for side in (grid.better, grid.worse))
    sign = -1 if isinstance(measure, AlignedMeasure) and not measure.higher_is_better else 1
    failed = np.flatnonzero(~(sign * better > sign * worse + TOLERANCE)).tolist()
    if not failed:
        return PropertyCheck(name, len(grid.cases), 0, None)
    shortest = min(failed, key=lambda number: grid.cases[number].tokens)
    scores = float(better[shortest]), float(worse[shortest])
    example = Counterexample(grid.cases[shortest], *scores, grid.probabilities[shortest] if informed else None)
    return PropertyCheck(name, len(grid.cases), len(failed), example)


def _scores(measure: Scorer, gold: Spans, output: Spans) -> np.ndarray:
    """Score each document as a separate corpus."""
    if isinstance(measure, AlignedMeasure):
        counts = measure.counts(gold, output)
        if isinstance(counts, Counts):
            return measure.score_per_document(counts)[measure.headline]
    scores = []
    for place in np.arange(gold.documents)[:, None]:
        sides = gold.take(place), output.take(place)
        if isinstance(measure, AlignedMeasure):
            scores.append(measure.score(measure.counts(*sides))[measure.headline])
        else:
            scores.append(measure(*sides))
    return np.array(scores, dtype=float)


def _takes_words(measure: Scorer) -> bool:
    """Check the measure, and return whether it uses the probabilities of words."""
    if isinstance(measure, SlIcm):
        if measure.tokens is not None or isinstance(measure.token_probabilities, TokenProbabilities):
            raise InputError("the measure has tokens of its own.", "Leave them out: each case has its own words.")
        return measure.token_probabilities is None
    if not isinstance(measure, AlignedMeasure) and (not callable(measure) or isinstance(measure, type)):
        raise InputError(
            f"{shown(measure)} is not a measure of spans.",
            "Pass a function of references and predictions, or a measure of spans such as LinkF().",
        )
    return False
