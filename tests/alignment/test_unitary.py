"""Best alignments of units: by hand, and against all alignments tried."""

import csv
import random

import numpy as np
import pytest

from slow import gamma as slow
from spanometer.alignment.unitary import Dissimilarity, Units, best_alignment


def units_of(*groups):
    """The units of groups of annotators, each a list of (start, end, label)."""
    rows = [
        (annotator, group, *unit)
        for group, annotators in enumerate(groups)
        for annotator, units in enumerate(annotators)
        for unit in units
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Units(len(groups[0]), *columns)


def random_units(rng, annotators, most):
    """Units of some annotators, nested and crossing, the same ones now and then."""
    pool = []
    for _ in range(5):
        start = rng.randrange(16)
        pool.append((start, start + rng.randint(1, 6), rng.randrange(3)))
    return [
        [(start + rng.randint(0, 2), end + rng.randint(2, 3), label) for start, end, label in rng.choices(pool, k=n)]
        for n in (rng.randint(0, most) for _ in range(annotators))
    ]


def test_by_hand():
    # the first two are one, half of it missing: (4 / 12)² * 3; the third stands alone
    members, disorder = best_alignment(units_of([[(0, 8, 0), (20, 22, 0)], [(0, 4, 0)]]), Dissimilarity())
    assert members.tolist() == [[0, 2], [1, -1]]
    assert disorder == pytest.approx([1 / 3, 1], abs=1e-12)


def test_as_costly_as_its_parts_is_parted():
    # 3 ((1 + 1) / 3)² is 4 / 3; with another label 7 / 3, more than the 2 that both cost alone
    near, far = (0, 1, 0), (1, 3, 0)
    assert len(best_alignment(units_of([[near], [far]]), Dissimilarity(alpha=2.0))[0]) == 2
    equal = Dissimilarity(alpha=2.0, beta=0.0)
    assert 2 * ((1 + 2) / 3) ** 2 == 2
    assert len(best_alignment(units_of([[near], [far]]), equal)[0]) == 2


@pytest.mark.parametrize(("annotators", "most", "cases"), [(2, 5, 300), (3, 4, 300), (4, 3, 100), (5, 2, 100)])
def test_against_all_alignments(annotators, most, cases):
    rng = random.Random(annotators)
    for number in range(cases):
        alpha, beta = rng.choice([(3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 1.0), (2.5, 0.0)])
        groups = [random_units(rng, annotators, most) for _ in range(3)]
        distance = None
        if rng.random() < 0.3:
            distance = np.array([[0.0, 0.25, 1.0], [0.25, 0.0, 0.5], [1.0, 0.5, 0.0]])
        units = units_of(*groups)
        members, disorder = best_alignment(units, Dissimilarity(alpha, beta, distance))
        of_group = units.group[members.max(axis=1)]
        for group, lists in enumerate(groups):
            own = of_group == group
            # what it says it costs, and what it costs
            aligned = [
                [None if one < 0 else (units.start[one], units.end[one], units.label[one]) for one in row]
                for row in members[own]
            ]
            options = {"alpha": alpha, "beta": beta, "distance": distance}
            cost = sum(slow.disorder_of_one(row, **options) for row in aligned)
            assert disorder[own].sum() == pytest.approx(cost, abs=1e-9), number
            assert cost == pytest.approx(slow.best(lists, **options)[0], abs=1e-9), number
        # every unit just once
        there = np.sort(members[members >= 0])
        assert there.tolist() == list(range(len(units.start))), number
        assert (units.annotator[members] == np.arange(annotators))[members >= 0].all()


PUBLISHED = {"AlexPaulSuzan": (0.960625, 7), "3by100": (0.343512, 127), "2by1000": (0.884425, 1085)}
"""The disorder of the best alignment (see also pygamma-agreement, tests/test_gammas.py), and its unitary alignments."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published(data, name):
    with (data / "gamma" / f"{name}.csv").open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    names, labels = (sorted({row[column] for row in rows}) for column in (0, 1))
    columns = [
        (names.index(name), 0, int(float(start)), int(float(end)), labels.index(label))
        for name, label, start, end in rows
    ]
    members, found = best_alignment(Units(len(names), *np.array(columns).T), Dissimilarity())
    disorder, number = PUBLISHED[name]
    assert found.sum() / (len(rows) / len(names)) == pytest.approx(disorder, abs=5e-7)
    assert len(members) == number
