"""Chance-corrected F1 on CoNLL-2003: a system's output against the reference, in the shape of the paper's Table 10."""

import numpy as np
import pytest

from spanometer.counts.statistics import joined_values
from spanometer.measures import ChanceKappaF1
from spanometer.readers import read
from spanometer.spans.spans import pair_from_tags

MEASURE = ChanceKappaF1()


@pytest.fixture(scope="module")
def sides(data):
    file = read(data / "conll03_test_tags.tsv", columns=["1", "2"])
    return pair_from_tags(*file.tags)[:2]


@pytest.fixture(scope="module")
def chance(sides):
    """The chance level of each sentence, reference against itself; NaN without spans."""
    counts = MEASURE.counts(sides[0], sides[0])
    sums = joined_values(counts.per_document())
    expected, size = (sums[name].sum(axis=1) for name in ("expected", "reference"))
    return np.divide(expected, size, out=np.full(len(size), np.nan), where=size > 0)


def test_all_sentences(sides):
    found = MEASURE.score(MEASURE.counts(*sides))
    assert found["f1"] == pytest.approx(2 * 7_651 / (8_225 + 8_112), abs=1e-15)
    # the eleven systems' rows imply 0.20 to 0.23
    assert 0.20 < found["chance_f1"] < 0.24
    assert found["kappa_f1"] == pytest.approx((found["f1"] - found["chance_f1"]) / (1 - found["chance_f1"]), abs=1e-15)
    assert {key: round(value, 4) for key, value in found.items()} == {
        "f1": 0.9366,
        "chance_f1": 0.2296,
        "kappa_f1": 0.9178,
    }


def test_halves_by_chance_level(sides, chance):
    # printed as 'greater than 0.825', of which the rows can only mean 1 - chance
    assert (chance > 0.825).sum() == 47
    low, high = np.flatnonzero(chance < 0.175), np.flatnonzero(chance >= 0.175)
    assert (len(low), len(high)) == (1_384, 1_372)
    found = [MEASURE.score(MEASURE.counts(*(side.take(half) for side in sides))) for half in (low, high)]
    assert [round(half["chance_f1"], 3) for half in found] == [0.094, 0.357]
    # as in all rows of the table: the half with more chance agreement has the higher F1 and loses more of it
    assert found[0]["f1"] < found[1]["f1"]
    assert found[0]["f1"] - found[0]["kappa_f1"] < found[1]["f1"] - found[1]["kappa_f1"]
