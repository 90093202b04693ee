"""Attributes of spans as columns: what is taken, what is refused, and nothing lost on the way through Arrow."""

import random

import numpy as np
import pyarrow as pa
import pytest

from spanometer import InputError
from spanometer.spans.attributes import ATTRIBUTED, Attributes


def span(attributes=None, start=0, end=1, label="DIS", **more):
    return {"start": start, "end": end, "label": label, "attributes": attributes or {}, **more}


def kept(attributes, **more):
    """What comes back of one span."""
    read = Attributes.from_dicts([[], [span(attributes, **more)]])
    first = read.to_dicts()[1][0]
    assert Attributes.from_arrow(read.to_arrow()).to_dicts() == read.to_dicts()
    return first["attributes"], first.get("scores")


def typed(value):
    return [typed(one) for one in value] if isinstance(value, list) else (type(value), value)


@pytest.mark.parametrize(
    "value",
    [
        True, False, 0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, 0.0, 1.0, 0.1, 1e308, 5e-324, float("inf"), "", " ", "1",
        "True", "é", "\x00", "\U0001f600", None, [True, 1, 1.0, "1"], ["a", "a"], [1, None, 2],
    ],
)  # fmt: skip
def test_values_keep_their_types(value):
    found = kept({"x": value})[0]["x"]
    expected = [one for one in value if one is not None] if isinstance(value, list) else value
    assert typed(found) == typed(expected)


def test_numpy_values_become_pythons():
    given = {"a": np.bool_(True), "b": np.int32(3), "c": np.float32(0.5), "d": np.str_("x"), "e": np.array([1, 2])}
    found, _ = kept(given)
    assert typed(list(found.values())) == typed([True, 3, 0.5, "x", [1, 2]])
    assert typed(kept({"a": np.uint64(7)})[0]["a"]) == (int, 7)


def test_one_value_and_a_list_of_it_are_the_same():
    assert kept({"a": ["x"], "b": [], "c": (1,), "d": [None]})[0] == {"a": "x", "b": None, "c": 1, "d": None}


def test_scores():
    assert kept({"a": True}, scores={"a": 0.25}) == ({"a": True}, {"a": 0.25})
    assert kept({"a": "x"}, scores={"a": {"x": 0.25, "y": 0.75}})[1] == {"a": 0.25}
    assert kept({"a": True}, scores={"a": {True: 1, False: 0}})[1] == {"a": 1.0}
    assert kept({"a": ["x", "y"]}, scores={"a": [0.5, None]})[1] == {"a": [0.5, None]}
    assert kept({"a": ["x", "y"]}, scores={"a": {"y": 2}})[1] == {"a": [None, 2.0]}
    assert kept({"a": ["x", None, "y"]}, scores={"a": [1, 2, 3]})[1] == {"a": [1.0, 3.0]}
    assert kept({"a": ["x"]}, scores={"a": 0.5})[1] == {"a": 0.5}
    assert kept({"a": 1}, scores={"a": np.float32(0.5)})[1] == {"a": 0.5}
    assert kept({"a": 1}, scores={"a": float("-inf")})[1] == {"a": float("-inf")}
    # no score at all
    for scores in (None, {}, {"a": None}, {"a": {}}, {"a": {"y": 0.5}}, {"a": {"x": None}}):
        assert kept({"a": "x"}, scores=scores)[1] is None
    # no value that could have it
    assert kept({"a": None}, scores={"a": 0.5}) == ({"a": None}, None)
    assert kept({"a": []}, scores={"a": 0.5}) == ({"a": None}, None)


VALUES = (True, False, 0, 1, 2, 0.0, 1.0, 0.5, "", "1", "a", "é", None)


def random_side(generator, documents=None):
    """Random spans, in the form that `to_dicts` gives."""
    side = []
    for _ in range(generator.randrange(6) if documents is None else documents):
        document = []
        for _ in range(generator.randrange(5)):
            attributes, scores = {}, {}
            for name in generator.sample("abc", generator.randrange(4)):
                several = generator.random() < 0.3
                some = [value for value in generator.sample(VALUES, 3) if value is not None]
                attributes[name] = some if several else generator.choice(VALUES)
                if generator.random() < 0.5 and attributes[name] is not None:
                    scores[name] = [generator.random() for _ in some] if several else generator.random()
            start = generator.randrange(5)
            bounds = {"start": start, "end": start + generator.randrange(1, 4), "label": generator.choice("XYZ")}
            document.append({**bounds, "attributes": attributes, **({"scores": scores} if scores else {})})
        side.append(document)
    return side


def shown(side):
    """With the types written, as 1 == True."""
    return repr(side)


def test_nothing_is_lost():
    for seed in range(120):
        side = random_side(random.Random(seed))
        read = Attributes.from_dicts(side)
        assert shown(read.to_dicts()) == shown(side)
        column = pa.chunked_array([read.to_arrow(), read.to_arrow()])
        assert shown(Attributes.from_arrow(column).to_dicts()) == shown(side + side)
        assert shown(Attributes.from_arrow(column.combine_chunks()[1:]).to_dicts()) == shown((side + side)[1:])
        documents = np.array([number for number in (2, 0, 0) if number < len(side)], dtype=np.int64)
        assert shown(read.take(documents).to_dicts()) == shown([side[number] for number in documents])


def test_many_documents():
    side = [[span({"a": str(number)})] for number in range(2500)]
    read = Attributes.from_dicts(side)
    assert read.to_dicts() == side
    assert repr(read) == "Attributes(2,500 spans, 2,500 documents, attributes a)"
    assert [len(array) for array in ATTRIBUTED.arrays(side)] == [1000, 1000, 500]
    with pytest.raises(InputError, match="document 2400, span 0"):
        Attributes.from_dicts([*side[:2400], [span({"a": b""})]])


def test_columns_in_arrow_are_no_spans():
    """The stored form has JSON in place of attributes, and must not be taken for what a user gives."""
    stored = Attributes.from_dicts([[span({"x": 1})]]).to_arrow()
    for read in (Attributes.from_dicts, ATTRIBUTED.arrays):
        with pytest.raises(InputError, match="'attributes' is"):
            read(stored)
