"""Calls of modules with objects of a kind that nobody expects: an InputError that names the place, and nothing else."""

import pytest

import spanometer
from spanometer import InputError

TAGS = [["B-A", "I-A", "O"]]


def test_options_that_can_be_read_once():
    module = spanometer.load("sl_icm")
    data = {"predictions": TAGS, "references": TAGS, "log_base": 3}
    expected = module.compute(**data, tokens=[["a", "b", "a"]])
    assert module.compute(**data, tokens=(words for words in [["a", "b", "a"]])) == expected
    assert module.compute(**data, tokens=[iter(["a", "b", "a"])]) == expected
    spans = spanometer.load("token_f", "spans")
    assert spans.compute(predictions=[[]], references=[[]], lengths=iter([3]))["f1"] == 0.0


SETTINGS = [
    ({"cache_dir": 3}, "3 .of type int. is not a path"),
    ({"num_process": "a"}, "num_process='a'"),
    ({"num_process": 2, "process_id": 2}, "process_id=2 is not valid with num_process=2"),
    ({"num_process": 2, "process_id": -1}, "process_id=-1"),
    ({"num_process": 2, "process_id": True}, "process_id=True"),
]


@pytest.mark.parametrize(("settings", "problem"), SETTINGS, ids=str)
def test_settings_of_the_framework(settings, problem):
    with pytest.raises(InputError, match=problem):
        type(spanometer.load("span_f"))(**settings)
