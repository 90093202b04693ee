"""Outputs of systems."""

import json

import pytest

import spanometer
from builders import pair
from spanometer.readers.formats import detect, read_as

TEXT = "Ada Lovelace met Bob"


def pieces(*found):
    return [
        {"entity": tag, "score": 0.9, "index": index, "word": "x", "start": start, "end": end}
        for index, tag, start, end in found
    ]


AGGREGATED = [{"entity_group": "PER", "score": 0.9, "word": "ada", "start": 0, "end": 12}]
GLINER = [{"start": 0, "end": 12, "text": "Ada Lovelace", "label": "PER", "score": 0.9}]
PRESIDIO = [{"entity_type": "PER", "start": 0, "end": 12, "score": 0.9, "analysis_explanation": None}]
GLINER2 = {"entities": {"PER": [{"text": "Ada Lovelace", "confidence": 0.9, "start": 0, "end": 12}], "LOC": []}}
RESEARCH = {
    "full_text": TEXT,
    "spans": [{"entity_type": "PER", "entity_value": "Ada Lovelace", "start_position": 0, "end_position": 12}],
}
LANGEXTRACT = {
    "document_id": "a",
    "text": TEXT,
    "extractions": [
        {"extraction_class": "PER", "extraction_text": "Ada Lovelace", "char_interval": {"start_pos": 0, "end_pos": 12}}
    ],
}
# the tag of the piece within "Lovelace" begins anew, as models do; the third piece of the text is O
PIECES = pieces((1, "B-PER", 0, 3), (2, "I-PER", 4, 8), (3, "I-PER", 8, 12))

OUTPUTS = [AGGREGATED, GLINER, PRESIDIO, GLINER2, RESEARCH, LANGEXTRACT, PIECES]


def read(file, text):
    path = file(text)
    assert detect(path).name == "system"
    return read_as("spans", path, options={"offset_unit": None})


@pytest.mark.parametrize("output", OUTPUTS)
def test_one_text(file, output):
    for indent in (None, 2):
        assert read(file, json.dumps(output, indent=indent)).spans.to_dicts() == [
            [{"start": 0, "end": 12, "label": "PER"}]
        ]


@pytest.mark.parametrize("output", OUTPUTS)
def test_several_texts(file, output):
    found = read(file, f"{json.dumps(output)}\n{json.dumps(output)}\n")
    assert found.spans.document.tolist() == [0, 1]
    if isinstance(output, list):
        assert read(file, json.dumps([output, output, []])).documents.size == 3


def test_pieces_are_decoded_as_tags_are(file):
    # index 3 is left out, so it is O; I-PER after it begins a span, as does another label
    found = read(file, json.dumps(pieces((2, "I-PER", 0, 3), (4, "I-PER", 4, 8), (5, "I-LOC", 8, 12))))
    assert [tuple(span.values()) for span in found.spans.to_dicts()[0]] == [
        (0, 3, "PER"),
        (4, 8, "PER"),
        (8, 12, "LOC"),
    ]


def test_mentions_without_offsets_are_listed(file):
    rows = [
        {**LANGEXTRACT, "extractions": [{**LANGEXTRACT["extractions"][0], "char_interval": None}]},
        pieces((1, "B-PER", None, None)),
    ]
    files = [read(file, json.dumps(row)) for row in rows]
    assert [len(each.spans) for each in files] == [0, 0]
    assert [each.left_out for each in files] == [
        ("line 1: 'Ada Lovelace' of 'PER', which has no offsets.",),
        ("line 1: 'x' of 'B-PER', which has no offsets.",),
    ]


def test_offsets_that_do_not_fit_the_other_text(file):
    gold = read_as("spans", file(json.dumps({"text": TEXT, "spans": []}), "gold.jsonl"), options={"offset_unit": None})
    wrong = [{**GLINER[0], "start": 1}]
    found = pair(gold, read(file, json.dumps([*wrong, GLINER[0]])))
    assert found.notes[0].startswith("1 of 2 span texts differ from the text at their offsets")


@pytest.mark.parametrize("spans", [{"entities": AGGREGATED}, {"entities": GLINER}, {"entities": PRESIDIO}, GLINER2])
def test_texts_and_names_of_objects(file, spans):
    whole = {"id": 7, "text": TEXT, **spans}
    found = read(file, json.dumps(whole))
    assert found.documents.ids == ("7",)
    assert found.documents.texts == (TEXT,)
    assert found.lengths.tolist() == [20]
    # an offset past the end of the text, which nobody saw as long as the text was not read


BARE = {"start": 0, "end": 12, "label": "PER"}


@pytest.mark.parametrize("span", [BARE, [0, 12, "PER"], {**BARE, "text": "Ada Lovelace"}])
@pytest.mark.parametrize("layout", ["lines", "array", "indented"])
def test_entities_beside_a_text(file, span, layout):
    whole = [{"text": "It rained.", "entities": []}, {"text": TEXT, "entities": [span]}]
    text = "".join(json.dumps(row) + "\n" for row in whole)
    if layout != "lines":
        text = json.dumps(whole, indent=2 if layout == "indented" else None)
    found = read(file, text)
    assert found.documents.texts == ("It rained.", TEXT)
    assert found.spans.to_dicts() == [[], [BARE]]


def test_no_entities_at_all(file):
    assert read(file, json.dumps({"text": TEXT, "entities": []})).spans.to_dicts() == [[]]


@pytest.mark.parametrize("found", [[BARE], [[0, 12, "PER"]], []])
@pytest.mark.parametrize("beside", [{}, {"text": TEXT}])
def test_entities_beside_tokens_may_be_of_tokens(file, found, beside):
    assert detect(file(json.dumps({"tokens": ["Ada"], "tags": ["O"], "entities": found, **beside}))) is None
    assert getattr(detect(file(json.dumps({"tokens": ["Ada"], "entities": found, **beside}))), "name", "") != "system"


def test_empty_lists_before_those_of_doccano(file):
    span = {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 12}
    rows = [{"id": 0, "text": "a", "entities": [], "relations": []}, {"id": 1, "text": TEXT, "entities": [span]}]
    assert detect(file("".join(json.dumps(row) + "\n" for row in rows))).name == "doccano"


@pytest.mark.parametrize("content", ["[]\n[{}]\n", "[[], [{}]]", "[[],\n [],\n [{}]]\n"])
def test_nothing_in_the_first_text(file, content):
    span = '{"entity_group": "PER", "start": 0, "end": 3, "score": 0.9, "word": "ada"}'
    found = spanometer.read(file(content.replace("{}", span), "system.jsonl"))
    assert [len(spans) for spans in found.spans.to_dicts()][-2:] == [0, 1]
