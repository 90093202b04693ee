"""Entities: from dicts and Arrow and back, in order, without duplicates; wrong ones are refused."""

import random

import numpy as np
import pyarrow as pa
import pytest

from entity_corpora import random_entity_documents
from spanometer.spans.entities import ENTITY_TYPE, Entities

GOOD = {"start": 0, "end": 3, "types": ["loc"], "components": []}


def component(start, end, label):
    return {"start": start, "end": end, "label": label}


def normal(document):
    """The entities of a document in order, without duplicates; of types the first stays first."""
    found = {}
    for item in document:
        types = list(dict.fromkeys(item["types"]))
        parts = sorted({(part["start"], part["end"], part["label"]) for part in item["components"]})
        found.setdefault((item["start"], item["end"], tuple(sorted(types)), tuple(parts)), types)
    return [
        {"start": start, "end": end, "types": types, "components": [component(*part) for part in parts]}
        for (start, end, _, parts), types in sorted(found.items())
    ]


@pytest.mark.parametrize("seed", range(100))
def test_there_and_back(seed):
    for documents in random_entity_documents(random.Random(seed)):
        entities = Entities.from_dicts(documents)
        assert entities.to_dicts() == [normal(document) for document in documents]
        column = entities.to_arrow()
        assert column.type == pa.list_(ENTITY_TYPE)
        assert Entities.from_arrow(column).to_dicts() == entities.to_dicts()
        halves = pa.chunked_array([column[:1], column[1:]])
        assert Entities.from_arrow(halves).to_dicts() == entities.to_dicts()
        large = column.cast(pa.large_list(ENTITY_TYPE))
        assert Entities.from_arrow(large).to_dicts() == entities.to_dicts()


def test_sizes():
    parts = [component(0, 1, "name"), component(0, 1, "name")]
    entities = Entities.from_dicts([[], [{**GOOD, "components": parts}, GOOD, {**GOOD}]], lengths=[0, 4])
    assert repr(entities) == "Entities(2 entities, 1 component, 2 documents, types loc)"
    assert entities.lengths.tolist() == [0, 4]
    assert len(Entities.from_dicts([])) == 0
    assert Entities.from_dicts([[{"start": 0, "end": 1, "types": ("a",)}]]).to_dicts()[0][0]["components"] == []


def test_components_that_are_none():
    parts = [component(0, 1, "name")]
    documents = [[{**GOOD, "components": None}], [{**GOOD, "components": parts}, {**GOOD, "start": 1}]]
    expected = [[GOOD], [{**GOOD, "components": parts}, {**GOOD, "start": 1}]]
    assert Entities.from_dicts(documents).to_dicts() == expected
    column = pa.array(documents, pa.list_(ENTITY_TYPE))
    assert Entities.from_arrow(column).to_dicts() == expected
    assert Entities.from_arrow(column[:1]).to_dicts() == [[GOOD]]
    # Arrow's type where no entity has any, and where the lists are empty
    for column in (pa.array([[{**GOOD, "components": None}]]), pa.array([[GOOD]])):
        assert Entities.from_arrow(column).to_dicts() == [[GOOD]]
    # Arrow may keep values behind None
    lists = pa.array([parts, parts], ENTITY_TYPE.field("components").type)
    lists = pa.ListArray.from_arrays(lists.offsets, lists.values, mask=pa.array([True, False]))
    bounds = [pa.array(values, pa.int64()) for values in ([0, 1], [3, 3])]
    values = pa.StructArray.from_arrays([*bounds, pa.array([["loc"], ["loc"]]), lists], fields=list(ENTITY_TYPE))
    assert Entities.from_arrow(pa.ListArray.from_arrays([0, 1], values)).to_dicts() == [[GOOD]]


def test_numpy_arrays_for_lists():
    parts = [component(0, 1, "name"), component(1, 3, "kind")]
    expected = Entities.from_dicts([[{**GOOD, "components": parts}, {**GOOD, "types": ["loc", "org"]}]]).to_dicts()
    for make in (np.array, lambda values: np.array(values, dtype=object)):
        document = [
            {**GOOD, "types": make(["loc"]), "components": np.array(parts)},
            {**GOOD, "types": make(["loc", "org"]), "components": make([])},
        ]
        assert Entities.from_dicts([document]).to_dicts() == expected
        assert Entities.from_dicts([np.array(document)]).to_dicts() == expected
