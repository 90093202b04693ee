"""JSON lines of entity trees."""

import json

from builders import entity
from entity_files import entities_of, trees


def test_json_lines():
    first = entity(0, 2, "loc+org", (0, 1, "name"))
    rows = [[first], {"entities": []}, {"id": "x", "entities": [{"start": 3, "end": 4, "types": ["pers"]}]}]
    file = entities_of("".join(json.dumps(row) + "\n" for row in rows))
    assert file.format == "jsonl"
    assert trees(file) == [[first], [], [entity(3, 4, "pers")]]
    assert (file.words, file.lengths, file.documents.ids) == (None, None, ("0", "1", "x"))
    file = entities_of(json.dumps({"tokens": ["a", "b"], "entities": [first]}))
    assert (file.words, file.lengths.tolist()) == ([["a", "b"]], [2])
    null = entities_of('[{"start": 3, "end": 4, "types": ["pers"], "components": null}]\n')
    assert trees(null) == [[entity(3, 4, "pers")]]
