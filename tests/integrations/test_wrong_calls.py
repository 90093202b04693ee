"""Calls of modules with objects of a kind that nobody expects: an InputError that names the place, and nothing else."""

import numpy as np
import pytest

import spanometer
from spanometer import InputError

GOOD = {
    "tags": [["B-A", "I-A", "O"]],
    "spans": [[{"start": 0, "end": 2, "label": "A"}]],
    "fragments": [[{"label": "A", "fragments": [[0, 2]]}]],
    "text": [{"text": "ab c", "spans": [{"start": 0, "end": 2, "label": "A"}]}],
    "entities": [[{"start": 0, "end": 2, "types": ["a"], "components": []}]],
    "markup": ["<pers> Ada </pers> sings"],
    "attributes": [[{"start": 0, "end": 2, "label": "A", "attributes": {"n": True}}]],
    "mentions": [[["PER", "Ada"]]],
}
MODULES = [
    *(("span_f", form, form) for form in ("tags", "spans", "fragments", "text")),
    *(("eter", form, form) for form in ("entities", "markup")),
    ("span_attribute", "spans", "attributes"),
    ("mention_f", "mentions", "mentions"),
]


def refused(module, good, **given):
    with pytest.raises(InputError) as caught:
        module.compute(**{"predictions": good, "references": good, **given})
    result = module.compute(predictions=good, references=good)
    assert 1.0 in (result.get("f1"), result.get("micro", {}).get("f"), 1 - result.get("eter", 1))
    return caught.value


@pytest.mark.parametrize(("name", "config", "good"), MODULES)
@pytest.mark.parametrize("side", ["predictions", "references"])
@pytest.mark.parametrize("number", [3, None, "B-A", 1j])
def test_arrays_without_dimensions(name, config, good, side, number):
    error = refused(spanometer.load(name, config), GOOD[good], **{side: np.array(number)})
    assert error.side == side
    assert "not a list of documents" in error.problem


@pytest.mark.parametrize("value", [np.array(0.5), np.array(1j), np.ma.masked])
def test_arrays_without_dimensions_as_values_of_attributes(value):
    module = spanometer.load("span_attribute")
    error = refused(
        module, GOOD["attributes"], predictions=[[{**GOOD["attributes"][0][0], "attributes": {"n": value}}]]
    )
    assert error.place == "predictions, document 0, span 0"


@pytest.mark.parametrize("name", [[], {}, set(), None, np.array("span_f"), 3])
def test_names_of_modules(name):
    with pytest.raises(InputError, match="unknown module"):
        spanometer.load(name)


def test_options_that_can_be_read_once():
    module = spanometer.load("sl_icm")
    data = {"predictions": GOOD["tags"], "references": GOOD["tags"], "log_base": 3}
    expected = module.compute(**data, tokens=[["a", "b", "a"]])
    assert module.compute(**data, tokens=(words for words in [["a", "b", "a"]])) == expected
    assert module.compute(**data, tokens=[iter(["a", "b", "a"])]) == expected
    spans = spanometer.load("token_f", "spans")
    assert spans.compute(predictions=GOOD["spans"], references=GOOD["spans"], lengths=iter([3]))["f1"] == 1.0


SETTINGS = [
    ({"cache_dir": 3}, "3 .of type int. is not a folder"),
    ({"num_process": "a"}, "num_process='a'"),
    ({"num_process": 2, "process_id": 2}, "process_id=2 is not the number of one of num_process=2 processes"),
    ({"num_process": 2, "process_id": -1}, "process_id=-1"),
    ({"num_process": 2, "process_id": True}, "process_id=True"),
]


@pytest.mark.parametrize(("settings", "problem"), SETTINGS, ids=str)
def test_settings_of_the_framework(settings, problem):
    with pytest.raises(InputError, match=problem):
        spanometer.load("span_f", **settings)
    with pytest.raises(InputError, match=problem):
        type(spanometer.load("span_f"))(**settings)
