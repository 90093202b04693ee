"""`span_attribute` under the real `evaluate`: dicts whose keys differ, every type of value, and bad input."""

import math

import evaluate
import pytest

from module_cases import CASES, PREDICTED_ATTRIBUTES, REFERENCE_ATTRIBUTES, ROOT, attributed, load
from spanometer import InputError
from spanometer.measures import SpanAttribute
from spanometer.spans.attributes import ATTRIBUTED, Attributes

SIDES = {"predictions": PREDICTED_ATTRIBUTES, "references": REFERENCE_ATTRIBUTES}

VALUES = {
    "truth": True,
    "falsehood": False,
    "one": 1,
    "zero": 0,
    "large": 2**63 - 1,
    "small": -(2**63),
    "past floats": 2**53 + 1,
    "number": 1.0,
    "fraction": 0.1 + 0.2,
    "tiny": 5e-324,
    "infinite": math.inf,
    "text": "1",
    "empty": "",
    "blanks": " x ",
    "accents": "fièvre 熱 😀",
    "looks like JSON": '{"a": null}',
    "nothing": None,
    "é name with blanks": "True",
}


def documents_of_all_kinds():
    """Keys that differ from span to span, one of all types, lists, None and scores in every form."""
    one_each = [attributed(at, at + 1, "A", {name: value}) for at, (name, value) in enumerate(VALUES.items())]
    any_type = [attributed(at, at + 1, "A", {"any": value}) for at, value in enumerate(VALUES.values())]
    lists = [
        attributed(0, 3, "A", {"several": [True, 1, 1.0, "1"], "b": ("x",)}, several=[0.4, 0.3, None, 0.1], b=[0.5]),
        attributed(0, 3, "B", {"several": ["x", None, 2.5], "none": [], "b": None}, several={"x": 0.25}),
        attributed(5, 9, "B", {"b": True}, b=1),
        attributed(6, 9, "B", {"b": 3}, b={3: 0.75, 4: 0.1}),
        attributed(7, 9, "B", {"b": "c"}, b=None),
        attributed(8, 9, "B", {}),
    ]
    return [one_each, any_type, [], lists, [attributed(0, 1, "A", {})]]


# what is read again: lists of one value and of none as the only value and as None, scores by value as lists
AS_READ = Attributes.from_dicts(documents_of_all_kinds()).to_dicts()


def stored(module):
    """The reference documents as the module got them back from the framework."""
    found = []

    def keep(spans):
        found.append(spans)
        return True

    # of "any" and "several", whose values differ in type alone, only to read them is allowed
    module.compute(filter=keep, attributes=["b"])
    return found


def same(one, other):
    """Equal, and of equal types all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("options", [{}, {"keep_in_memory": True}], ids=["on disk", "in memory"])
def test_nothing_is_lost(options):
    documents = documents_of_all_kinds()
    module = load("span_attribute", **options)
    module.add(prediction=documents[0], reference=documents[0])
    module.add_batch(predictions=documents[1:4], references=documents[1:4])
    module.add(prediction=documents[4], reference=documents[4])
    assert same(stored(module), AS_READ)


def test_more_than_a_thousand_documents():
    many = {side: documents * 700 for side, documents in SIDES.items()}
    assert len(ATTRIBUTED.arrays(many["references"])) == 3
    once, result = CASES["span_attribute"].compute(), load("span_attribute").compute(**many)
    for name, values in once.items():
        for key in ("tp", "support", "positives"):
            assert result[name][key] == 700 * values[key]
        for key in ("p", "r", "f", "ap"):
            assert result[name][key] == pytest.approx(values[key], abs=1e-15)


def test_the_module_scores_as_the_measure():
    options = {
        "attributes": {"negated": ["DIS"], "carrier": True},
        "default_values": {"carrier": "FATHER"},
        "include_falsy": True,
        "micro_key": "all",
        "average_precision": "edsnlp",
        "filter": lambda spans: len(spans) != 1,
        "zero_division": 1.0,
    }
    measure = SpanAttribute(**options)
    counts = measure.counts(*map(Attributes.from_dicts, (REFERENCE_ATTRIBUTES, PREDICTED_ATTRIBUTES)))
    result = load("span_attribute").compute(**SIDES, **options, details=True)
    assert {name: result[name] for name in ("all", "negated", "carrier")} == measure.score(counts)
    assert result["counts"] == counts.total()
    assert set(result["curves"]) == {"all", "negated", "carrier"}
    for name, curve in measure.curves(counts).items():
        assert result["curves"][name]["threshold"] == curve.threshold.tolist()
        assert result["curves"][name]["precision"] == curve.precision.tolist()
        assert result["curves"][name]["recall"] == curve.recall.tolist()
    assert '|attributes:negated=DIS,carrier|default_values:carrier="FATHER"|include_falsy:yes|' in result["signature"]


def test_values_that_differ_in_type_alone():
    module = load("span_attribute")
    batches = [[[attributed(0, 1, "A", {"x": value})]] for value in (True, "b", 1)]
    for batch in batches[:2]:
        module.add_batch(predictions=batch, references=batch)
    problem = r"the value of 'x' is 1 \(of type int\) here, and True \(of type bool\) in "
    with pytest.raises(InputError, match=problem) as caught:
        module.compute(predictions=batches[2], references=batches[1])
    assert (caught.value.place, caught.value.other.place) == (
        "predictions, document 2, span 0",
        "references, document 0, span 0",
    )
    assert module.compute(**SIDES) == CASES["span_attribute"].compute()


# errors


BAD_WITH_DATA = {
    "answers": ({"filter": lambda spans: len(spans)}, "document 0: filter returned 2 instead of a bool"),
    "micro_key": ({"micro_key": "negated"}, "`micro_key` is 'negated', but an attribute has the same name"),
}


@pytest.mark.parametrize("wrong", BAD_WITH_DATA)
def test_options_that_do_not_fit_the_data(wrong):
    options, message = BAD_WITH_DATA[wrong]
    module = load("span_attribute")
    with pytest.raises(InputError, match=message):
        module.compute(**SIDES, **options)
    assert len(module) == 0
    assert module.compute(**SIDES) == CASES["span_attribute"].compute()


def test_an_attribute_called_as_a_detail():
    spans = [[attributed(0, 1, "A", {"counts": 3})]]
    module = load("span_attribute")
    assert module.compute(predictions=spans, references=spans)["counts"]["tp"] == 1
    spans[0].append(attributed(0, 1, "A", {"other": False}))
    result = module.compute(predictions=spans, references=spans, attributes=["other"], details=True)
    assert set(result["counts"].values()) == {0}


def test_a_filter_that_fails_leaves_nothing_behind():
    def fail(spans):
        raise RuntimeError("of the caller")

    module = load("span_attribute")
    with pytest.raises(RuntimeError, match="of the caller"):
        module.compute(**SIDES, filter=fail)
    assert len(module) == 0
    assert module.compute(**SIDES) == CASES["span_attribute"].compute()


def test_defaults_stay_as_they_are():
    """The default of default_values is one dict for all calls."""
    module = evaluate.load(str(ROOT / "metrics" / "span_attribute"))
    module.compute(**SIDES, default_values={"negated": True})
    assert module.compute(**SIDES) == CASES["span_attribute"].compute()
