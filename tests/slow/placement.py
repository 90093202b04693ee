"""Random placement by listing every arrangement, and by the paper's sum over subsets; agreement figures by hand."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, factorial


def arrangements(tokens, lengths):
    """Every tuple of starts such that no two spans share a token."""
    for starts in product(*(range(tokens - length + 1) for length in lengths)):
        taken = sorted(zip(starts, lengths, strict=True))
        if all(start + length <= following for (start, length), (following, _) in pairwise(taken)):
            yield starts


def start_probabilities(tokens, lengths):
    """For each span the exact probabilities of its start, as fractions."""
    every = list(arrangements(tokens, lengths))
    return [
        [Fraction(sum(starts[span] == start for starts in every), len(every)) for start in range(tokens - length + 1)]
        for span, length in enumerate(lengths)
    ]


def proposition_2(tokens, lengths, span, start):
    """The probability of a span's start as the paper writes it: a sum over the subsets of spans to its left."""
    others = [length for number, length in enumerate(lengths) if number != span]

    def ways(room, chosen):
        free = room - sum(chosen)
        return factorial(len(chosen)) * comb(free + len(chosen), len(chosen)) if free >= 0 else 0

    total = ways(tokens, lengths)
    right_room = tokens - start - lengths[span]
    count = 0
    for size in range(len(others) + 1):
        for left in combinations(range(len(others)), size):
            chosen = [others[index] for index in left]
            rest = [others[index] for index in range(len(others)) if index not in left]
            count += ways(start, chosen) * ways(right_room, rest)
    return Fraction(count, total)


def expected_agreement(tokens, first, second, agreement):
    """The mean, over all pairs of arrangements, of the summed agreement of all pairs of spans."""
    total, number = Fraction(0), 0
    others = list(arrangements(tokens, second))
    for starts in arrangements(tokens, first):
        for other_starts in others:
            number += 1
            total += sum(
                agreement(start, length, other, other_length)
                for start, length in zip(starts, first, strict=True)
                for other, other_length in zip(other_starts, second, strict=True)
            )
    return total / number


def shared(start, length, other, other_length):
    """Tokens that two spans share."""
    return len(set(range(start, start + length)) & set(range(other, other + other_length)))


def equal(start, length, other, other_length):
    """Whether two spans are the same."""
    return int((start, length) == (other, other_length))


def units_and_gaps(spans, tokens):
    """(start, length, is a unit) of one annotator's units and of the gaps between them, along the whole text."""
    parts, position = [], 0
    for start, end in sorted(spans):
        if start > position:
            parts.append((position, start - position, False))
        parts.append((start, end - start, True))
        position = end
    if position < tokens:
        parts.append((position, tokens - position, False))
    return parts


def disagreement_1995(annotators, tokens):
    """Observed and expected disagreement of Krippendorff 1995, section by section."""
    parts = [units_and_gaps(spans, tokens) for spans in annotators]
    observed = 0
    for first, second in product(range(len(parts)), repeat=2):
        if first == second:
            continue
        for start, length, unit in parts[first]:
            for other, other_length, other_unit in parts[second]:
                meet = start < other + other_length and other < start + length
                if unit and other_unit and meet:
                    observed += (start - other) ** 2 + (start + length - other - other_length) ** 2
                elif unit and not other_unit and other <= start and start + length <= other + other_length:
                    observed += length**2
                elif other_unit and not unit and start <= other and other + other_length <= start + length:
                    observed += other_length**2
    annotators_number = len(parts)
    observed = Fraction(observed, annotators_number * (annotators_number - 1) * tokens**2)
    units = [length for side in parts for _, length, unit in side if unit]
    gaps = [length for side in parts for _, length, unit in side if not unit]
    total = Fraction(0)
    for length in units:
        total += Fraction(len(units) - 1, 3) * (2 * length**3 - 3 * length**2 + length)
        total += length**2 * sum(gap - length + 1 for gap in gaps if gap >= length)
    size = annotators_number * tokens
    below = size * (size - 1) - sum(length * (length - 1) for length in units)
    return observed, (Fraction(2, tokens) * total / below if units else Fraction(0))


def disagreement_2016(annotators, tokens):
    """Observed and expected disagreement over token coincidences."""
    covered = [{token for start, end in spans for token in range(start, end)} for spans in annotators]
    pairs = list(combinations(covered, 2))
    observed = Fraction(sum(len(first ^ second) for first, second in pairs), len(pairs) * tokens)
    inside = sum(map(len, covered))
    size = len(annotators) * tokens
    below = size**2 - sum((end - start) ** 2 for spans in annotators for start, end in spans) - (size - inside)
    return observed, Fraction(2 * inside * (size - inside), below) if below else Fraction(0)
