"""Attributes of spans as columns: what is taken, what is refused, and nothing lost on the way through Arrow."""

import random

import numpy as np
import pyarrow as pa
import pytest

from spanometer import InputError
from spanometer.spans.attributes import ATTRIBUTED_SPAN_TYPE, Attributes, attributes_arrays


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


REFUSED = [
    ({"a": float("nan")}, {}, "the value of 'a' is NaN"),
    ({"a": np.float64("nan")}, {}, "the value of 'a' is NaN"),
    ({"a": ["x", float("nan")]}, {}, "the value of 'a' is NaN"),
    ({"a": 2**63}, {}, "the value 9223372036854775808 of 'a' is out of range"),
    ({"a": -(2**63) - 1}, {}, "out of range"),
    ({"a": np.uint64(2**63)}, {}, "out of range"),
    ({"a": {"b": 1}}, {}, r"\{'b': 1\} \(of type dict\) cannot be a value"),
    ({"a": {1}}, {}, "of type set"),
    ({"a": b"x"}, {}, "of type bytes"),
    ({"a": 1j}, {}, "of type complex"),
    ({"a": [["x"]]}, {}, "of type list"),
    ({"a": np.zeros((2, 2))}, {}, "of type ndarray"),
    ({"a": "\ud800"}, {}, "cannot be stored as UTF-8"),
    ({"\ud800": 1}, {}, "cannot be stored as UTF-8"),
    ({1: True}, {}, "the attribute 1 .of type int. is not a string"),
    ({None: True}, {}, "the attribute None"),
    ({"": True}, {}, "the name is empty"),
    ({" a": True}, {}, "' a' has outer blanks"),
    ({"a": 1}, {"a": float("nan")}, "the score nan .of type float. of 'a' is not a number"),
    ({"a": 1}, {"a": "0.5"}, "the score '0.5'"),
    ({"a": 1}, {"a": True}, "the score True"),
    ({"a": 1}, {"a": 10**400}, "of 'a' is not a number"),
    ({"a": 1}, {"a": {1: "x"}}, "the score 'x'"),
    ({"a": 1}, {"a": {1: 0.5, 2: float("nan")}}, "the score nan"),
    ({"a": 1}, {"a": {(1,): 0.5}}, "of type tuple"),
    ({"a": 1}, {"b": 0.5}, "there are scores of 'b', but no such attribute"),
    ({"a": 1}, {"a": [0.5]}, "'a' has a list of 1 score, but one value, not a list"),
    ({"a": [1, 2]}, {"a": [0.5]}, "'a' has a list of 1 score, but 2 values"),
    ({"a": [1, 2]}, {"a": 0.5}, "'a' has 2 values, but one score"),
    ({"a": 1}, [0.5], "the scores .0.5. are not a dict"),
    ({"a": True}, {"a": {"True": 0.5}}, "'a' has the value True, but a score of the value 'True' .str, not bool"),
    ({"a": True}, {"a": {"true": 0.5}}, "but a score of the value 'true'"),
    ({"a": "Yes"}, {"a": {"yes": 0.5}}, "'a' has the value 'Yes', but a score of the value 'yes'[.]"),
    ({"a": True}, {"a": {1: 0.5}}, "but a score of the value 1 .int, not bool"),
    ({"a": 1.0}, {"a": {1: 0.5}}, "but a score of the value 1 "),
    ({"a": "1"}, {"a": {1: 0.5}}, "but a score of the value 1 "),
]


@pytest.mark.parametrize(("attributes", "scores", "problem"), REFUSED)
def test_refused_values_and_scores(attributes, scores, problem):
    documents = [[], [span({"a": 1}), span(attributes, scores=scores)]]
    with pytest.raises(InputError, match=problem) as caught:
        Attributes.from_dicts(documents)
    assert (caught.value.document, caught.value.span) == (1, 1)
    assert caught.value.remedy
    with pytest.raises(InputError, match="document 11, span 1"):
        attributes_arrays(documents, 10)


def column(**changes):
    """One document of one span of one row as an Arrow column, with some fields changed."""
    row = {"name": "a", "boolean": None, "integer": 1, "number": None, "text": None, "score": None}
    bounds = {"start": 0, "end": 1, "label": "X"}
    of_row = {key: value for key, value in changes.items() if key in row}
    of_span = {key: value for key, value in changes.items() if key not in row}
    return pa.array([[], [{**bounds, "attributes": [{**row, **of_row}], **of_span}]], pa.list_(ATTRIBUTED_SPAN_TYPE))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"text": "1"}, "values of two types"),
        ({"integer": None, "number": float("nan")}, "the value of an attribute is NaN"),
        ({"score": float("nan")}, "a score is NaN"),
        ({"name": None}, "'name' is None"),
        ({"name": ""}, "the name is empty"),
        ({"attributes": None}, "'attributes' is None"),
        ({"attributes": [None]}, "None is not an attribute"),
        ({"label": None}, "'label' is None"),
        ({"start": None}, "'start' is None"),
        ({"end": 0}, "is not after"),
    ],
)
def test_refused_columns(changes, problem):
    assert Attributes.from_arrow(column()).to_dicts()[1][0]["attributes"] == {"a": 1}
    with pytest.raises(InputError, match=problem) as caught:
        Attributes.from_arrow(column(**changes))
    assert (caught.value.document, caught.value.span) == (1, 0)


def test_other_columns():
    with pytest.raises(InputError, match="None is not a list of spans") as caught:
        Attributes.from_arrow(pa.array([[], None], pa.list_(ATTRIBUTED_SPAN_TYPE)))
    assert caught.value.document == 1
    with pytest.raises(InputError, match="None is not a span"):
        Attributes.from_arrow(pa.array([[None]], pa.list_(ATTRIBUTED_SPAN_TYPE)))
    for other in (pa.array([["B-X"]]), pa.array([1]), pa.array([[{"start": 0, "end": 1, "label": "X"}]])):
        with pytest.raises(InputError, match="does not hold lists of spans with attributes"):
            Attributes.from_arrow(other)


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
    assert [len(array) for array in attributes_arrays(side)] == [1000, 1000, 500]
    with pytest.raises(InputError, match="document 2400, span 0"):
        Attributes.from_dicts([*side[:2400], [span({"a": b""})]])
