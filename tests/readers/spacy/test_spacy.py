"""Attributes from spaCy's documents: with spaCy itself, and with EDS-NLP's converter of marked up texts."""

import builtins

import pytest

from spanometer import InputError
from spanometer.measures import SpanAttribute
from spanometer.readers.spacy import from_spacy
from spanometer.spans.attributes import Attributes

WORDS = ["Pas", "de", "toux", "ni", "de", "fièvre", "."]


def score(sides, **options):
    measure = SpanAttribute(**options)
    counts = measure.counts(*(Attributes.from_dicts(sides[side]) for side in ("references", "predictions")))
    return measure.score(counts)


def test_spacy_is_missing(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *arguments):
        if name.startswith("spacy"):
            raise ImportError(name)
        return imported(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(
        InputError, match=r'spaCy is not installed.\nInstall it with: pip install "spanometer\[spacy\]"'
    ):
        from_spacy([], [], attributes=["negated"])


@pytest.fixture
def spacy():
    """spaCy with a few extensions of spans."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (the extra spacy)")
    from spacy.tokens import Span

    Span.set_extension("negated", default=None)
    Span.set_extension("experiencer", default=None)
    Span.set_extension("sure", default=None)
    Span.set_extension("length", getter=len)
    yield spacy
    for name in ("negated", "experiencer", "sure", "length"):
        Span.remove_extension(name)


@pytest.fixture
def make(spacy):
    """A document with spans (start, end, label, attributes), each document with a vocabulary of its own."""
    from spacy.tokens import Doc, Span
    from spacy.vocab import Vocab

    def document(*spans, group=None, words=WORDS):
        doc = Doc(Vocab(), words=words)
        made = []
        for start, end, label, attributes in spans:
            span = Span(doc, start, end, label=label)
            for name, value in attributes.items():
                span._.set(name, value)
            made.append(span)
        if group is None:
            doc.ents = made
        else:
            doc.spans[group] = made
        return doc

    return document


def pair(make, **options):
    gold = make((2, 3, "SYMP", {"negated": True}), (4, 6, "SYMP", {"negated": True, "experiencer": "X"}), **options)
    system = make((2, 3, "SYMP", {"negated": True}), (4, 6, "SYMP", {"negated": False}), **options)
    return gold, system


def row(start, end, label="SYMP", **attributes):
    return {"start": start, "end": end, "label": label, "attributes": attributes}


def test_entities(make):
    gold, system = pair(make)
    sides = from_spacy([gold, make()], [system, make()], attributes=["negated", "experiencer"])
    assert sides == {
        "references": [[row(2, 3, negated=True, experiencer=None), row(4, 6, negated=True, experiencer="X")], []],
        "predictions": [[row(2, 3, negated=True, experiencer=None), row(4, 6, negated=False, experiencer=None)], []],
    }
    result = score(sides)
    assert (result["negated"]["p"], result["negated"]["r"], result["experiencer"]["support"]) == (1.0, 0.5, 1)


def test_documents_are_chosen_by_the_reference(make):
    gold, system = pair(make)
    sides = [gold, make(), gold], [system, system, system]
    expected = from_spacy([gold, gold], [system, system], attributes=["negated"])
    assert from_spacy(*sides, attributes=["negated"], filter=lambda doc: len(doc.ents) > 0) == expected


def test_examples(spacy, make):
    from spacy.training import Example

    gold, system = pair(make)
    expected = from_spacy([gold], [system], attributes=["negated"])
    example = Example(system, gold)
    assert from_spacy([example.reference], [example.predicted], attributes=["negated"]) == expected


def test_groups_of_documents(make):
    sides = [[doc] for doc in pair(make, group="found")]
    expected = from_spacy(*([doc] for doc in pair(make)), attributes=["negated"])
    for spans in ("found", {"found": True}):
        assert from_spacy(*sides, attributes=["negated"], spans=spans) == expected
    assert from_spacy(*sides, attributes=["negated"]) == {"references": [[]], "predictions": [[]]}


def test_groups_and_labels(make):
    docs = []
    for _ in range(2):
        doc = make((2, 3, "SYMP", {"negated": True}), (4, 6, "DIS", {"negated": False}))
        doc.spans["found"] = [doc.ents[1], doc.char_span(0, 3, label="DRUG"), doc.char_span(4, 6, label="DIS")]
        docs.append([doc])

    def asked(spans):
        (rows,) = from_spacy(*docs, attributes=["negated"], spans=spans)["references"]
        return [(one["start"], one["end"], one["label"]) for one in rows]

    symptom, disease, drug, other = (2, 3, "SYMP"), (4, 6, "DIS"), (0, 1, "DRUG"), (1, 2, "DIS")
    assert asked({"ents": True}) == [symptom, disease]
    assert asked({"ents": ["SYMP"]}) == [symptom]
    assert asked({"ents": "DIS"}) == [disease]
    assert asked({"found": ["DIS"]}) == [disease, other]
    assert asked({"found": ("DIS", "DRUG"), "ents": True}) == [disease, drug, other, symptom]


def test_where_attributes_are_read(make):
    gold, system = pair(make)
    attributes = {"neg": "negated", "length": "length", "text": lambda span: span.text, "both": lambda span: ["a", 1]}
    found = from_spacy([gold], [system], attributes=attributes)["references"][0]
    assert found[1]["attributes"] == {"neg": True, "length": 2, "text": "de fièvre", "both": ["a", 1]}


def test_labels(make):
    doc = make((2, 3, "", {"negated": True}), group="found")
    with pytest.raises(InputError, match="references, document 0, span 0: the label of the span from 2 to 3 is ''"):
        from_spacy([doc], [doc], attributes=["negated"], spans="found")


def test_scores(make):
    gold, system = pair(make)
    by_value = {"negated": {True: 0.25, False: 0.75}, "other": {}}
    system.ents[0]._.sure = by_value
    for doc in (gold, system):
        doc.ents[1]._.sure = {"other": 1}
    for scores in ("sure", lambda span: span._.sure):
        sides = from_spacy([gold], [system], attributes=["negated"], scores=scores)
        assert [span.get("scores") for span in sides["predictions"][0]] == [{"negated": by_value["negated"]}, None]
        assert not any("scores" in span for span in sides["references"][0])
    assert Attributes.from_dicts(sides["predictions"]).score[0] == 0.25
    system.ents[0]._.sure = 0.5
    with pytest.raises(InputError, match=r"predictions, document 0, span 0: the scores 0.5 are not a dict"):
        from_spacy([gold], [system], attributes=["negated"], scores="sure")


@pytest.mark.parametrize("value", [{"x": 1}, {1}, object(), [["x"]], float("nan"), 2**70, b"x"])
@pytest.mark.parametrize("side", ["references", "predictions"])
def test_values_of_other_types(make, side, value):
    good = make((2, 3, "SYMP", {}), (4, 6, "SYMP", {}))
    bad = make((2, 3, "SYMP", {}), (4, 6, "SYMP", {"negated": value}))
    sides = {"references": [good, good], "predictions": [good, good], side: [good, bad]}
    with pytest.raises(InputError, match="'negated'") as raised:
        from_spacy(**sides, attributes=["negated"])
    assert (raised.value.side, raised.value.document, raised.value.span) == (side, 1, 1)


def test_other_tokens(make):
    gold = make()
    for words, position, message in (
        (["Pas", "de", "rhume", *WORDS[3:]], 2, "the token is 'rhume' in the prediction and 'toux' in the reference"),
        (["Pas", "d'", *WORDS[2:], "."], 1, "the token is"),
        ([*WORDS, "!"], None, "got 8 predicted tokens, but 7 reference tokens"),
        (WORDS[:-1], None, "got 6 predicted tokens, but 7 reference tokens"),
    ):
        with pytest.raises(InputError, match=message) as raised:
            from_spacy([gold, gold], [gold, make(words=words)], attributes=["negated"])
        assert (raised.value.document, raised.value.position) == (1, position)
        assert "same tokens" in raised.value.remedy


BAD_OPTIONS = {
    "one name": ({"attributes": "negated"}, "invalid value for `attributes`: 'negated'"),
    "no names": ({"attributes": []}, "invalid value for `attributes`: .."),
    "a number": ({"attributes": {3: "negated"}}, "invalid value for `attributes`: {3: 'negated'}"),
    "unknown": ({"attributes": ["hypothesis"]}, "spaCy's spans have no extension 'hypothesis'"),
    "no getter": ({"attributes": {"neg": 3}}, "3 in attributes is neither an extension's name nor a function"),
    "no scores": ({"scores": "probability"}, "spaCy's spans have no extension 'probability'"),
    "scores": ({"scores": 3}, "3 in scores is neither"),
    "spans": ({"spans": 3}, "invalid value for `spans`: 3"),
    "no groups": ({"spans": {}}, "invalid value for `spans`: {}"),
    "labels": ({"spans": {"ents": [3]}}, "invalid value for `spans`: {'ents': .3.}"),
    "an unknown group": ({"spans": {"found": True}}, "the document has no span group 'found'"),
    "no spans": ({"spans": []}, "invalid value for `spans`: .."),
    "a group": (
        {"spans": "entities"},
        "references, document 0: the document has no span group 'entities'; its groups are none",
    ),
    "filter": ({"filter": "doc"}, "invalid value for `filter`: 'doc'"),
}


@pytest.mark.parametrize("wrong", BAD_OPTIONS)
def test_bad_options(make, wrong):
    options, message = BAD_OPTIONS[wrong]
    sides = [[doc] for doc in pair(make)]
    with pytest.raises(InputError, match=message) as raised:
        from_spacy(*sides, **{"attributes": ["negated"], **options})
    assert raised.value.remedy


def test_bad_documents(make):
    doc = make()
    for given, message in (
        ([doc, doc], "2 predicted documents, but 1 reference document[.]"),
        (doc, "predictions: .* is not a list of documents"),
        (None, "predictions: None is not a list of documents"),
        (["Pas de toux"], "predictions, document 0: 'Pas de toux' .of type str. is not a spaCy document"),
        ([None], "predictions, document 0: None"),
    ):
        with pytest.raises(InputError, match=message):
            from_spacy([doc], given, attributes=["negated"])


# EDS-NLP's converter
