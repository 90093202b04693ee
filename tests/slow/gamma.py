"""Gamma the slow and obvious way: all alignments of a few units are tried."""

from functools import cache
from itertools import combinations, product


def dissimilarity(one, other, alpha=3.0, beta=1.0, delta_empty=1.0, distance=None):
    """Of two units (start, end, label), either of them None."""
    if one is None or other is None:
        return delta_empty
    apart = abs(one[0] - other[0]) + abs(one[1] - other[1])
    position = (apart / (one[1] - one[0] + other[1] - other[0])) ** 2 * delta_empty
    label = float(one[2] != other[2]) if distance is None else distance[one[2]][other[2]]
    return alpha * position + beta * label * delta_empty


def disorder_of_one(aligned, **options):
    """Of a unitary alignment: a unit or None of each annotator."""
    pairs = list(combinations(aligned, 2))
    return sum(dissimilarity(*pair, **options) for pair in pairs) / len(pairs)


def best(annotators, **options):
    """The least sum of disorders, and an alignment that has it: each annotator is a list of units."""

    @cache
    def rest(left):
        if not any(left):
            return 0.0, ()
        # the first unit that is left has to be in one of them
        first = next(number for number, units in enumerate(left) if units)
        choices = [
            [None] if number < first else [units[0]] if number == first else [None, *units]
            for number, units in enumerate(left)
        ]
        found = None
        for aligned in product(*choices):
            after = tuple(
                tuple(unit for place, unit in enumerate(units) if place != (units.index(one) if one else None))
                for units, one in zip(left, aligned, strict=True)
            )
            more, others = rest(after)
            cost = disorder_of_one(aligned, **options) + more
            if found is None or cost < found[0] - 1e-12:
                found = cost, (aligned, *others)
        return found

    return rest(tuple(map(tuple, annotators)))


def disorder(annotators, **options):
    """Of the best alignment."""
    mean = sum(map(len, annotators)) / len(annotators)
    return best(annotators, **options)[0] / mean


def every_best(annotators, **options):
    """All alignments with the least sum of disorders, as tuples of unitary alignments."""

    @cache
    def rest(left):
        if not any(left):
            return 0.0, ((),)
        first = next(number for number, units in enumerate(left) if units)
        choices = [
            [None] if number < first else [units[0]] if number == first else [None, *units]
            for number, units in enumerate(left)
        ]
        least, ways = None, []
        for aligned in product(*choices):
            after = tuple(
                tuple(unit for unit in units if unit is not one) for units, one in zip(left, aligned, strict=True)
            )
            more, others = rest(after)
            cost = disorder_of_one(aligned, **options) + more
            if least is None or cost < least - 1e-9:
                least, ways = cost, []
            if cost < least + 1e-9:
                ways += [(aligned, *each) for each in others]
        return least, tuple(ways)

    return rest(tuple(map(tuple, annotators)))[1]


def categorical(alignment, label=None, delta_empty=1.0, distance=None):
    """The weighted mean distance of labels over aligned pairs (gamma-cat, or gamma-k of a label), None of none."""
    total = apart = 0.0
    for aligned in alignment:
        units = [unit for unit in aligned if unit is not None]
        for one, other in combinations(units, 2):
            if label is not None and label not in (one[2], other[2]):
                continue
            position = dissimilarity(one, other, alpha=1.0, beta=0.0, delta_empty=delta_empty)
            weight = max(0.0, 1 - position) / (len(units) - 1)
            total += weight
            apart += weight * dissimilarity((0, 1, one[2]), (0, 1, other[2]), 0.0, 1.0, 1.0, distance)
    return apart / total if total else None
