"""Paired tests, Holm's correction and ranks again, slowly: one swap, one p-value, one system at a time."""

import itertools


def f1(counts):
    """F1 of a list of (right, predicted, reference)."""
    right, predicted, reference = (sum(column) for column in zip(*counts, strict=True))
    return 2 * right / (predicted + reference) if predicted + reference else 0.0


def p_of_all_swaps(one, other, statistic=f1):
    """The share of all ways to swap documents in which the difference is at least as large."""
    observed = abs(statistic(one) - statistic(other))
    reached = number = 0
    for swaps in itertools.product((False, True), repeat=len(one)):
        pairs = [
            (second, first) if swap else (first, second) for swap, first, second in zip(swaps, one, other, strict=True)
        ]
        difference = abs(statistic([first for first, _ in pairs]) - statistic([second for _, second in pairs]))
        reached += difference >= observed - 1e-12
        number += 1
    return reached / number


def holm(p_values):
    """Each p-value, corrected by the definition: the largest of what it and the smaller ones are multiplied to."""
    ordered = sorted(p_values)
    corrected = []
    for p_value in p_values:
        products = [(len(ordered) - place) * smaller for place, smaller in enumerate(ordered) if smaller <= p_value]
        corrected.append(min(1.0, max(products)))
    return corrected


def ranks(values, higher_is_better):
    """The rank of each value: one more than there are better ones."""
    return [
        1 + sum(other - value > 1e-12 if higher_is_better else value - other > 1e-12 for other in values)
        for value in values
    ]
