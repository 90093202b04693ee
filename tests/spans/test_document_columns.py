"""Spans, entities, attributes and mentions take documents and cut between documents alike."""

import numpy as np
import pytest

from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities
from spanometer.spans.mentions import Mentions
from spanometer.spans.spans import Spans

BOUNDS = [[(0, 2), (3, 4)], [], [(1, 5)]]


def documents(**more):
    return [[{"start": start, "end": end, "label": "A", **more} for start, end in row] for row in BOUNDS]


PART = {"start": 3, "end": 4, "label": "part"}
ENTITIES = [
    [{"start": 0, "end": 4, "types": ["b", "a"], "components": [PART]}, {"start": 5, "end": 6, "types": ["a"]}],
    [],
    [{"start": 2, "end": 7, "types": ["c"], "components": [PART, {**PART, "label": "other"}]}],
]
FRAGMENTS = [[{"label": "A", "fragments": [[0, 1], [3, 4]]}], [], [{"label": "B", "fragments": [[2, 3]]}]]
SIDES = {
    "spans": Spans.from_dicts(documents(), lengths=[4, 3, 5]),
    "fragments": Spans.from_dicts(FRAGMENTS),
    "entities": Entities.from_dicts(ENTITIES, lengths=[6, 0, 7]),
    "attributes": Attributes.from_dicts(documents(attributes={"negated": True, "role": ["x", "y"]})),
    "mentions": Mentions.from_pairs([[("A", "x"), ("A", "x")], [], [("B", "y")]]),
}

each_side = pytest.mark.parametrize("name", SIDES)


@each_side
def test_take(name):
    side = SIDES[name]
    whole = side.to_dicts()
    taken = side.take(np.array([2, 0, 2, 1]))
    assert taken.to_dicts() == [whole[2], whole[0], whole[2], whole[1]]
    if getattr(side, "lengths", None) is not None:
        assert taken.lengths.tolist() == side.lengths[[2, 0, 2, 1]].tolist()


@each_side
@pytest.mark.parametrize(("first", "last"), [(0, 3), (1, 3), (0, 1), (1, 1), (3, 3)])
def test_between(name, first, last):
    side = SIDES[name]
    part = side.between(first, last)
    assert part.to_dicts() == side.to_dicts()[first:last]
    assert part.documents == last - first


def test_between_shares_memory():
    assert np.shares_memory(SIDES["spans"].between(0, 2).start, SIDES["spans"].start)


@each_side
def test_columns_are_frozen(name):
    with pytest.raises(ValueError, match="read-only"):
        SIDES[name].document[:] = 0
