"""Spans and entity trees as lists of dictionaries: every function takes them, with the results of the columns."""

import pyarrow as pa
import pytest

import spanometer
from spanometer import Spans
from spanometer.grounding import ground
from spanometer.spans.entities import Entities

ANN = [[{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}], []]
BEN = [[{"start": 0, "end": 1, "label": "PER"}], [{"start": 1, "end": 2, "label": "LOC"}]]
CAT = [[{"label": "PER", "fragments": [[0, 1], [3, 4]]}], []]
LENGTHS = [5, 3]
QUICK = {"n_resamples": 10, "interval_method": "percentile"}

FUNCTIONS = {
    "score": lambda one, two, three, **options: spanometer.score(one, two, **options),
    "errors": lambda one, two, three, **options: spanometer.errors(one, {"two": two, "three": three}, **options),
    "compare": lambda one, two, three, **options: spanometer.compare(
        one, {"two": two, "three": three}, n_permutations=10, **QUICK, **options
    ),
    # chance is of contiguous spans
    "agreement": lambda one, two, three, **options: spanometer.agreement([one, two], **options),
    "consensus": lambda *sides, **options: spanometer.consensus(sides, **options),
    "disagreements": lambda *sides, **options: spanometer.disagreements(sides, **options),
    "score_against": lambda one, two, three, **options: spanometer.score_against([one, two], three, **options),
}


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_lists_are_read_as_columns_are(call):
    expected = call(*map(Spans.from_dicts, (ANN, BEN, CAT)), lengths=LENGTHS).to_dict()
    assert call(ANN, BEN, CAT, lengths=LENGTHS).to_dict() == expected
    arrow = pa.array(BEN)
    assert call(Spans.from_dicts(ANN), arrow, CAT, lengths=LENGTHS).to_dict() == expected


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "score"])
def test_lists_beside_tags(name):
    tags = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "O", "O"]]
    call = FUNCTIONS[name]
    expected = call(tags, *map(Spans.from_dicts, (BEN, CAT))).to_dict()
    assert call(tags, BEN, CAT).to_dict() == expected


def test_lists_beside_answers():
    texts = ["Ann saw Bob in Rome.", "Oslo"]
    gold = [[{"start": 0, "end": 3, "label": "PER"}], []]
    answers = ground(texts, [[["PER", "Ann"]], [["LOC", "Oslo"]]])
    expected = spanometer.compare(Spans.from_dicts(gold), {"a": answers, "b": Spans.from_dicts(gold)}, **QUICK)
    assert spanometer.compare(gold, {"a": answers, "b": gold}, **QUICK).to_dict() == expected.to_dict()


def test_trees_as_lists():
    one = [[{"start": 0, "end": 2, "types": ["PER"], "components": []}]]
    two = [[{"start": 0, "end": 1, "types": ["PER"], "components": []}]]
    expected = spanometer.compare(
        Entities.from_dicts(one), {"a": Entities.from_dicts(one), "b": Entities.from_dicts(two)}, measures="eter"
    )
    assert spanometer.compare(one, {"a": one, "b": two}, measures="eter").to_dict() == expected.to_dict()
