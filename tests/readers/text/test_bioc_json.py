"""Collections of BioC in JSON are read document by document; the counts of real files are in test_exports."""

import json

import pytest

import spanometer
from spanometer.exceptions import InputError
from spanometer.readers.formats import detect


def document(name, text="Ada wrote."):
    annotation = {"infons": {"type": "PER"}, "text": "Ada", "locations": [{"offset": 0, "length": 3}]}
    return {"id": name, "passages": [{"offset": 0, "text": text, "annotations": [annotation]}]}


def collection(*names, **more):
    return {"source": "x", "infons": {}, "documents": [document(name) for name in names], **more}


OBJECTS = {
    "documents": collection,
    "more after them": lambda *names: collection(*names, relations=[{"documents": []}]),
    "PubTator3": lambda *names: {"PubTator3": collection(*names)["documents"]},
    "PubTator3, of collections": lambda *names: {"PubTator3": [collection(*names)]},
}
FORMS = {
    "one line": lambda made: json.dumps(made("a", "b", "c")),
    "many lines": lambda made: json.dumps(made("a", "b", "c"), indent=1),
    "an array": lambda made: json.dumps([made("a", "b"), made("c")]),
    "JSON lines": lambda made: f"{json.dumps(made('a', 'b'))}\n\n{json.dumps(made('c'))}\n",
}


@pytest.mark.parametrize("size", [64, 200, 1 << 20])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", OBJECTS)
def test_forms_in_blocks(file, monkeypatch, size, form, made):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", size)
    found = spanometer.read(file(FORMS[form](OBJECTS[made]), "a.json"), format="bioc")
    assert found.documents.ids == ("a", "b", "c")
    assert found.documents.texts == ("Ada wrote.",) * 3
    assert (found.spans.start.tolist(), found.spans.end.tolist()) == ([0, 0, 0], [3, 3, 3])


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "made", [*OBJECTS.values(), lambda *names: [document(name) for name in names], lambda *names: document(names[0])]
)
def test_large_collections_are_recognised(file, monkeypatch, made, indent):
    text = json.dumps(made(*map(str, range(50))), indent=indent)
    for size in (2000, 250):
        monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", size)
        path = file(text, "a.json")
        assert detect(path).name == "bioc"
        assert spanometer.read(path).documents.ids[0] == "0"


@pytest.mark.parametrize(
    "row", [{"documents": [{"text": "passages", "more": ["x"] * 100}]}, {"more": {"passages": ["x"] * 100}}, {"a": 1}]
)
def test_other_objects_are_not(file, monkeypatch, row):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 250)
    found = detect(file(json.dumps(row), "a.json"))
    assert found is None or found.name != "bioc"


@pytest.mark.parametrize("size", [64, 1 << 20])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"source": "x"', '"documents": []', "line 1: an object repeats the key 'documents'"),
        ('"id": "b"', '"id" "b"', r"line 29: this is not valid JSON \(Expecting ':' delimiter"),
        ('"id": "b",\n   "passages"', '"id": "b",\n   "parts"', "line 1: document b has no list of passages"),
        ("\n ]\n}", "\n ]\n}\n{}", "line 53: this is not valid JSON: '{}.* follows the last value"),
    ],
)
def test_errors_name_the_line(file, monkeypatch, size, old, new, problem):
    text = json.dumps(collection("a", "b"), indent=1)
    assert text.count(old) == 1
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", size)
    with pytest.raises(InputError, match=problem):
        spanometer.read(file(text.replace(old, new), "a.json"), format="bioc")
