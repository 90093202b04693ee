"""UIMA CAS: the samples, layers, features, and what is refused."""

import json
from collections import Counter

import spanometer

STRUCTURES = [
    {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "👻 Ada met Bob"},
    {"%ID": 2, "%TYPE": "x.Token", "@sofa": 1, "begin": 0, "end": 2},
    {"%ID": 3, "%TYPE": "x.Token", "@sofa": 1, "begin": 3, "end": 6},
    {"%ID": 4, "%TYPE": "x.ner.NamedEntity", "@sofa": 1, "begin": 3, "end": 6, "value": "PER", "identifier": "q"},
    {"%ID": 5, "%TYPE": "x.ner.NamedEntity", "@sofa": 1, "begin": 11, "end": 14},
    {"%ID": 6, "%TYPE": "x.ner.NamedEntity", "@sofa": 1, "begin": 0, "end": 2, "value": "deleted"},
]


def written(file, structures=STRUCTURES, members=(2, 3, 4, 5, 7)):
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}}
    return file(json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": structures, "%VIEWS": views}), "cas.json")


def spans_of(file):
    return [[(span["start"], span["end"], span["label"]) for span in document] for document in file.spans.to_dicts()]


def test_one_layer_in_code_points(file):
    found = spanometer.read(written(file))
    # 6 is in no view
    assert spans_of(found) == [[(2, 5, "PER"), (10, 13, "NamedEntity")]]
    assert found.documents.tokens.bounds(0) == [(0, 1), (2, 5)]
    assert spans_of(spanometer.read(written(file), feature="identifier")) == [[(2, 5, "q"), (10, 13, "NamedEntity")]]


def test_samples(data):
    folder = data / "exports" / "uima_cas"
    emoji = folder / "casWithEmojiUnicodeTextAndAnnotations"
    of_json, of_xmi = (spanometer.read(emoji / name) for name in ("data.json", "debug.xmi"))
    assert of_json.documents.texts == of_xmi.documents.texts
    assert spans_of(of_json) == spans_of(of_xmi)
    assert len(of_json.spans) == 9 and of_json.documents.lengths.tolist() == [32]
    tokens = spanometer.read(folder / "small_cas.xmi", layer="Token", feature="pos")
    assert Counter(label for *_, label in spans_of(tokens)[0])["NN"] == 2
    stacked = spanometer.read(folder / "webanno-testMultiTokenStackedSpanWithFeatureValue.xmi")
    assert spans_of(stacked) == [[(0, 16, "LOCATION"), (0, 16, "PERSON")]]
