"""The one-to-one matching, against all matchings that there are."""

import itertools
import random

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from spanometer.alignment import matching as assignment
from spanometer.alignment.matching import best_matching


def every_matching(pairs):
    for size in range(len(pairs) + 1):
        for chosen in itertools.combinations(range(len(pairs)), size):
            rows, columns = ([pairs[index][side] for index in chosen] for side in (0, 1))
            if len(set(rows)) == len(rows) and len(set(columns)) == len(columns):
                yield chosen


def ranked(chosen, pairs, weights, *ties):
    """What is to be smallest: less weight, fewer pairs, more ties, later columns."""
    column = dict(pairs[index] for index in chosen)
    order = [column.get(row, len(pairs) + 100) for row in sorted({row for row, _ in pairs})]
    sums = (sum(tie[index] for index in chosen) for tie in ties)
    return [-round(sum(weights[index] for index in chosen), 9), -len(chosen), *sums, order]


@pytest.mark.parametrize("enumerated", [assignment._ENUMERATED, 1])
@pytest.mark.parametrize("largest", [assignment.LARGEST_GROUP, 0])
def test_every_tie_is_broken(monkeypatch, largest, enumerated):
    monkeypatch.setattr(assignment, "_ENUMERATED", enumerated)
    monkeypatch.setattr(assignment, "LARGEST_GROUP", largest)
    for seed in range(300):
        generator = random.Random(seed)
        rows, columns = generator.randint(1, 4), generator.randint(1, 4)
        every = list(itertools.product(range(rows), range(columns)))
        pairs = sorted(generator.sample(every, generator.randint(1, min(len(every), 9))))
        weights = [generator.choice((0.0, 0.3, 1.0, 1.5, 2.0)) for _ in pairs]
        ties = [[generator.randint(0, 1) for _ in pairs] for _ in range(generator.randint(0, 2))]
        best = min(every_matching(pairs), key=lambda chosen: ranked(chosen, pairs, weights, *ties))
        # the order in which pairs are listed, and their numbers, do not matter
        listed = generator.sample(range(len(pairs)), len(pairs))
        row, column = np.array([pairs[index] for index in listed]).T
        chosen = best_matching(row * 7, column * 3, np.array(weights)[listed], [np.array(tie)[listed] for tie in ties])
        found = tuple(sorted(listed[index] for index in np.flatnonzero(chosen)))
        assert found in set(every_matching(pairs))
        if largest:
            assert [pairs[index] for index in found] == [pairs[index] for index in best]
        else:  # the order of columns is no tie of very large groups
            assert ranked(found, pairs, weights, *ties)[:-1] == ranked(best, pairs, weights, *ties)[:-1]


def test_many_groups_are_each_solved(monkeypatch):
    monkeypatch.setattr(assignment, "_BLOCK", 1)
    generator = random.Random(4)
    groups = [
        sorted({(generator.randrange(3), generator.randrange(3)) for _ in range(generator.randint(1, 6))})
        for _ in range(200)
    ]
    rows, columns, weights, expected = [], [], [], 0.0
    for number, pairs in enumerate(groups):
        weight = [generator.choice((0.5, 1.0, 2.0)) for _ in pairs]
        expected += max(sum(weight[index] for index in chosen) for chosen in every_matching(pairs))
        rows += [10 * number + row for row, _ in pairs]
        columns += [10 * number + column for _, column in pairs]
        weights += weight
    chosen = best_matching(np.array(rows), np.array(columns), np.array(weights))
    assert np.array(weights)[chosen].sum() == pytest.approx(expected, abs=1e-9)


def test_nothing_to_match():
    nothing = np.zeros(0, dtype=np.int32)
    assert len(best_matching(nothing, nothing, np.zeros(0))) == 0


@pytest.mark.parametrize("pairs", [1, 10, 300])
@pytest.mark.parametrize("seed", range(20))
def test_connected_groups_are_those_of_scipy(seed, pairs):
    generator = np.random.default_rng(seed)
    nodes = 2 * pairs
    first, second = generator.integers(nodes, size=(2, pairs))
    graph = coo_array((np.ones(pairs), (first.astype(np.int32), second.astype(np.int32))), shape=(nodes, nodes))
    _, expected = np.unique(connected_components(graph, directed=False)[1][first], return_inverse=True)
    assert assignment.connected(first, second, nodes).tolist() == expected.tolist()


def test_a_long_chain_is_one_connected_group():
    number = np.random.default_rng(0).permutation(100_001)
    assert not assignment.connected(number[:-1], number[1:], len(number)).any()
