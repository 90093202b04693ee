"""spaCy's documents in files: DocBin and JSON."""

import itertools
import json
import sys
import zlib

import pytest

import spanometer
from doc_bins import doc_bin
from spanometer.exceptions import InputError

TEXT = "Ada  Lovelace 💃 wrote"
ENTITIES = [(0, 13, "PER")]


@pytest.fixture
def spacy():
    return pytest.importorskip("spacy", reason="needs spaCy: pip install spanometer[spacy]")


@pytest.fixture
def binary(file, spacy):
    def write(*documents, name="docs.spacy", **more):
        return file(doc_bin(*documents, **more), name)

    return write


def bounds(found):
    spans = found.spans
    labels = [spans.labels[code] for code in spans.label]
    return list(zip(spans.document.tolist(), spans.start.tolist(), spans.end.tolist(), labels, strict=True))


def test_entities(binary):
    found = spanometer.read(binary((TEXT, ENTITIES), ("It is", [])))
    assert bounds(found) == [(0, 0, 13, "PER")]
    assert found.documents.texts == (TEXT, "It is")
    # a blank of its own is a token in spaCy
    assert found.documents.tokens.start.tolist() == [0, 4, 5, 14, 16, 0, 3]
    assert (found.notes, found.left_out) == ((), ())


def test_groups_of_spans(binary):
    groups = [{"sc": [(5, 13, "LAST"), (0, 13, "PER")], "other": []}]
    path = binary((TEXT, ENTITIES), groups=groups)
    assert bounds(spanometer.read(path, span_group="sc")) == [(0, 0, 13, "PER"), (0, 5, 13, "LAST")]
    found = spanometer.read(path)
    assert bounds(found) == [(0, 0, 13, "PER")]
    assert found.notes == ("Entities were read; the span groups 'sc', 'other' were not.",)


def test_documents_without_the_group(binary):
    """Of a reference they are not scored; in a prediction they are empty."""
    groups = [{"sc": [(0, 13, "PER")]}, {"other": []}, {"sc": []}]
    gold, system = (
        spanometer.read(binary(*[(TEXT, [])] * 3, groups=each, name=name), span_group="sc")
        for each, name in ((groups, "gold.spacy"), ([groups[1], groups[0], groups[0]], "system.spacy"))
    )
    assert gold.notes == ("Not annotated, and not scored unless this file is a prediction: 1 document.",)
    counts = spanometer.score(gold, system, measures="span_f").results[0].counts
    assert (counts["both"], counts["predicted"], counts["reference"]) == (0, 1, 1)


def test_groups_without_entities(binary):
    path = binary((TEXT, []), groups=[{"sc": [(0, 13, "PER")]}])
    with pytest.raises(InputError, match="no document has entities, but there are span groups: 'sc'"):
        spanometer.read(path)
    # a system that predicts nothing
    assert bounds(spanometer.read(binary((TEXT, []), groups=[{"sc": []}]))) == []


def test_missing_annotation_is_not_scored(file, spacy):
    from spacy.tokens import Doc, DocBin

    def doc(tags):
        return Doc(spacy.blank("en").vocab, ["a", "b", "c", "d"], ents=tags)

    missing = doc(["B-X", "O", "O", "O"])
    missing.set_ents([missing.ents[0]], missing=[missing[2:4]])
    gold = [missing, doc(["O"] * 4), doc(None)]
    predicted = [doc(["B-X", "O", "B-X", "I-X"]), doc(["B-X", "B-X", "O", "O"]), doc(["B-X", "O", "O", "O"])]
    sides = [
        spanometer.read(file(DocBin(docs=docs).to_bytes(), name))
        for docs, name in ((gold, "gold.spacy"), (predicted, "system.spacy"))
    ]
    assert sides[0].notes == ("Not annotated, and not scored unless this file is a prediction: 1 document, 1 place.",)
    result = spanometer.score(*sides, measures="span_f")
    assert (result.documents, "|missing:left_out|" in result.results[0].signature) == (2, True)
    counts = result.results[0].counts
    assert (counts["both"], counts["predicted"], counts["reference"]) == (1, 3, 1)


def test_words_whose_blanks_are_not_known(file, spacy):
    from spacy.tokens import Doc, DocBin

    doc = Doc(spacy.blank("en").vocab, words=["Ada", "Lovelace"], ents=["B-PER", "I-PER"])
    found = spanometer.read(file(DocBin(docs=[doc]).to_bytes(), "docs.spacy"))
    assert (found.in_tokens, found.words, bounds(found)) == (True, [["Ada", "Lovelace"]], [(0, 0, 2, "PER")])


def test_other_files(file, monkeypatch):
    path = file(zlib.compress(b"something else"), "docs.spacy")
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(InputError, match="spaCy is not installed") as caught:
        spanometer.read(path)
    assert caught.value.source == str(path) and "spanometer[spacy]" in caught.value.remedy


PAIR = [TEXT, {"entities": [[0, 13, "PER"]], "spans": {"sc": [[5, 13, "LAST", "Q7259"]]}}]
DOC = {
    "text": TEXT,
    "ents": [{"start": 0, "end": 13, "label": "PER"}],
    "tokens": [{"id": 0, "start": 0, "end": 3}, {"id": 1, "start": 5, "end": 13}],
    "spans": {"sc": [{"start": 5, "end": 13, "label": "LAST", "kb_id": ""}]},
}


@pytest.mark.parametrize("row", [PAIR, DOC], ids=["pair", "Doc.to_json"])
@pytest.mark.parametrize("form", ["lines", "array", "indented"])
def test_json(file, row, form):
    rows = [row, row]
    array = json.dumps(rows, indent=2 if form == "indented" else None)
    path = file(("\n".join(map(json.dumps, rows)) if form == "lines" else array) + "\n", "train.json")
    assert bounds(spanometer.read(path)) == [(0, 0, 13, "PER"), (1, 0, 13, "PER")]
    found = spanometer.read(path, span_group="sc")
    assert bounds(found) == [(0, 5, 13, "LAST"), (1, 5, 13, "LAST")]
    assert found.documents.texts == (TEXT, TEXT)


def as_pair(entities, **groups):
    return [TEXT, {"entities": entities, "spans": groups}]


def as_doc(entities, **groups):
    def objects(spans):
        return [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans]

    groups = {name: objects(spans) for name, spans in groups.items()}
    # spaCy writes no entities of a document that has none
    return {"text": TEXT, **({"ents": objects(entities)} if entities else {}), "spans": groups}


@pytest.mark.parametrize("make", [as_pair, as_doc])
def test_groups_of_json_without_entities(file, make):
    with_group, none = make([], sc=[[5, 13, "LAST"]]), make([])
    path = file(json.dumps([with_group, none, with_group]), "docs.json")
    found = spanometer.read(path, span_group="sc")
    assert bounds(found) == [(0, 5, 13, "LAST"), (2, 5, 13, "LAST")]
    assert found.notes == ("Not annotated, and not scored unless this file is a prediction: 1 document.",)
    with pytest.raises(InputError, match="no document has entities, but there are span groups: 'sc'"):
        spanometer.read(path)
    # a document with entities behind them: entities are read, of all documents
    found = spanometer.read(file(json.dumps([with_group, none, make([[0, 3, "PER"]]), with_group]), "docs.json"))
    assert bounds(found) == [(2, 0, 3, "PER")]
    assert found.documents.size == 4
    assert "Entities were read; the span groups 'sc' were not." in found.notes
    several = [with_group, make([], other=[[0, 3, "FIRST"]])]
    found = spanometer.read(file(json.dumps([*several, make([[0, 3, "PER"]])]), "docs.json"))
    assert bounds(found) == [(2, 0, 3, "PER")]


def test_json_that_spacy_writes(file, spacy):
    doc = spacy.blank("en")(TEXT)
    doc.set_ents([doc.char_span(0, 13, label="PER")])
    found = spanometer.read(file(json.dumps(doc.to_json()) + "\n", "doc.json"))
    assert bounds(found) == [(0, 0, 13, "PER")]
    assert found.documents.tokens.end.tolist() == [3, 5, 13, 15, 21]


def old(*tags, raw=None, **more):
    words = ["Ada", "Lovelace", "wrote"]
    tokens = [{"orth": word, "ner": tag} for word, tag in zip(words, tags, strict=False)]
    paragraph = {"raw": raw, "sentences": [{"tokens": tokens[:2]}, {"tokens": tokens[2:]}], **more}
    return {"id": 3, "paragraphs": [paragraph]}


def test_version_2(file):
    found = spanometer.read(file(json.dumps([old("B-PER", "L-PER", "-")]), "train.json"))
    assert (found.in_tokens, found.words, bounds(found)) == (True, [["Ada", "Lovelace", "wrote"]], [(0, 0, 2, "PER")])
    assert found.documents.ids == ("3",)
    assert found.notes == ("Not annotated, and not scored unless this file is a prediction: 1 place.",)
    # a text tells where the tokens are
    found = spanometer.read(file(json.dumps([old("B-PER", "L-PER", "O", raw="Ada  Lovelace wrote")]), "train.json"))
    assert found.documents.tokens.start.tolist() == [0, 5, 14]


def test_missing_annotation_counts_in_every_unit_and_for_every_annotator(file, tmp_path):
    text = "Ada Lovelace wrote"
    spans = [{"start": start, "end": end, "label": "PER"} for start, end in ((0, 3), (4, 12), (13, 18))]
    contents = [old("U-PER", "-", "-", raw=text)], [old(*["U-PER"] * 3, raw=text)], {"text": text, "spans": spans}
    sides = [spanometer.read(file(json.dumps(each), f"{place}.jsonl")) for place, each in enumerate(contents)]
    for system in sides[1:]:
        assert spanometer.score(sides[0], system, measures="span_f").results[0].scores["precision"] == 1
    for people in itertools.permutations(sides):
        agreement = spanometer.agreement(people)
        assert agreement.spans.sum() == 3 and "|missing:left_out|" in next(iter(agreement.signatures.values()))
        assert len(spanometer.consensus(people, rule="union").spans) == 1
        against = spanometer.score_against(people[:2], {"new": people[2]}).measures["span_f"].together["new"]
        assert against["mean"].scores["f1"] == (0.5 if people[2] is sides[0] else 1)
    with pytest.raises(InputError, match=r"unannotated parts become parts without spans \(1 case"):
        spanometer.write(sides[0], tmp_path / "gold.conll", format="columns")


def test_several_documents_of_version_2(file):
    rows = [{**old("B-PER", "L-PER", "-"), "id": number} for number in range(5)]
    found = spanometer.read(file(json.dumps(rows), "train.json"))
    assert bounds(found) == [(number, 0, 2, "PER") for number in range(5)]
    assert found.documents.ids == ("0", "1", "2", "3", "4")
    assert found.notes == ("Not annotated, and not scored unless this file is a prediction: 5 places.",)
    assert found.missing.document.tolist() == [0, 1, 2, 3, 4]
    # names that are there twice are no names
    rows[4]["id"] = 0
    again = spanometer.read(file(json.dumps(rows), "train.json"))
    assert (again.documents.ids, bounds(again)) == (None, bounds(found))


def test_gliner_training(file):
    row = {"tokenized_text": ["Ada", "Lovelace", "wrote"], "ner": [[0, 1, "person"], [0, 0, "first name"]]}
    found = spanometer.read(file(json.dumps([row]), "train.json"))
    assert (found.in_tokens, found.words) == (True, [row["tokenized_text"]])
    assert bounds(found) == [(0, 0, 1, "first name"), (0, 0, 2, "person")]


@pytest.mark.parametrize("given", [{}, {"span_group": "sc"}])
def test_documents_are_made_one_by_one(binary, monkeypatch, given):
    from spacy.tokens import DocBin

    from spanometer.readers import spacy as reader

    made, seen = [], []
    get_docs, record = DocBin.get_docs, reader.Record

    def counted(self, vocab):
        for doc in get_docs(self, vocab):
            made.append(doc.text)
            yield doc

    def watched(**parts):
        seen.append(len(made))
        return record(**parts)

    monkeypatch.setattr(DocBin, "get_docs", counted)
    monkeypatch.setattr(reader, "Record", watched)
    groups = [{"sc": [(0, 3, "PER")]}] * 3 if given else None
    assert len(spanometer.read(binary(*[("Ada", [(0, 3, "PER")])] * 3, groups=groups), **given).spans) == 3
    assert seen == [1, 2, 3]
