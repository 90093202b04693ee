"""JSON lines of entity trees."""

import json

import pytest

from entity_files import LINES, PRESIDENT, entities_of, entity, refused, written


def test_json_lines():
    first = entity(0, 2, "loc+org", (0, 1, "name"))
    rows = [[first], {"entities": []}, {"id": "x", "entities": [{"start": 3, "end": 4, "types": ["pers"]}]}]
    file = entities_of("".join(json.dumps(row) + "\n" for row in rows))
    assert file.format == "jsonl"
    assert file.entities == [[first], [], [entity(3, 4, "pers")]]
    assert (file.words, file.lengths, file.documents) == (None, None, ("0", "1", "x"))
    file = entities_of(json.dumps({"tokens": ["a", "b"], "entities": [first]}))
    assert (file.words, file.lengths.tolist()) == ([["a", "b"]], [2])
    null = entities_of('[{"start": 3, "end": 4, "types": ["pers"], "components": null}]\n')
    assert null.entities == [[entity(3, 4, "pers")]]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("[", "this is not JSON"),
        ("3", "a number is not a document."),
        ('{"entity": []}', "the object has no 'entities'; its keys: 'entity'."),
        ('{"entities": {}}', "'entities' is a JSON object, not a list of entities."),
        ('{"entities": [], "tokens": ["a"]}', "some lines have words, others have none."),
        ("[3]", "3 is not an entity."),
        ('[{"start": 0, "end": 1}]', "{'start': 0, 'end': 1} has no 'types'."),
        ('[{"start": 0, "end": 1, "types": []}]', "an entity has no type."),
        ('[{"start": 1, "end": 1, "types": ["a"]}]', "the end 1 is not after the start 1."),
        ('[{"start": 0, "end": true, "types": ["a"]}]', "the end True"),
        ('[{"start": 0, "end": 1, "types": ["a"], "components": [{}]}]', "component 0:"),
        (
            '[{"start": 0, "end": 1, "types": ["a"], "components": [{"start": 0, "end": 2, "label": "b"}]}]',
            "a component",
        ),
        ('[{"start": 0, "end": 1, "types": ["\\ud800"]}]', "the types"),
    ],
)
def test_malformed_json_lines(row, problem):
    error = refused(f"[]\n\n{row}\n")
    assert error.line == 3
    assert error.problem.startswith(problem)


def test_tokens_are_checked():
    assert refused('{"entities": [], "tokens": [1]}').line == 1
    assert refused('{"entities": [], "tokens": ["a"]}\n[]\n').problem.startswith("some lines have words")
    error = refused('{"entities": [], "tokens": []}\n{"entities": [{"start":0,"end":1,"types":["a"]}], "tokens": []}\n')
    assert error.line == 2
    assert "the document has 0 tokens" in error.problem
    # no option of the command line gives lengths
    assert error.remedy == "Ends are exclusive token offsets; check them and the documents' lengths."


def test_written_lines():
    rows = [json.loads(line) for line in written(entities_of(PRESIDENT), "jsonl").splitlines()]
    assert [sorted(row) for row in rows] == [["entities", "id", "tokens"]]
    assert written(entities_of(LINES), "jsonl").startswith(b'{"id": "0", "entities": [{"start": 0')
