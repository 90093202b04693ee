"""Damaged files of documents: an `InputError` that names the file, or documents, never another exception."""

import copy
import json
import random
import zlib

import pytest

from document_formats import WRITERS, Document, webanno
from spanometer.exceptions import InputError
from spanometer.readers.formats import formats_of, read_as

SAMPLE = Document("7", ["Ada", "💃", "wrote"], [(0, 1, "PER"), (1, 2, "X")])


def written(name):
    return WRITERS[name][0]([SAMPLE])


def first(value):
    return value[0] if isinstance(value, list) else value


WORDS = {"id": "a", "text": "Ada 💃 wrote", "tokens": [[0, 3], [4, 5]]}
JSON = {
    **{name: first(json.loads(written(name))) for name in ("label_studio", "prodigy", "system", "gliner")},
    "bioc": json.loads(written("bioc")),
    "uima_cas": {
        "%FEATURE_STRUCTURES": [
            {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Ada 💃 wrote"},
            {"%ID": 2, "%TYPE": "x.Token", "@sofa": 1, "begin": 0, "end": 3},
            {"%ID": 3, "%TYPE": "x.Entity", "@sofa": 1, "begin": 0, "end": 3, "value": "PER"},
        ],
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3]}},
    },
    "doccano": {"id": 1, "text": "Ada 💃 wrote", "label": [[0, 3, "PER"]], "Comments": []},
    "spacy_json pair": json.loads(written("spacy_json"))[0],
    "answers": {
        **WORDS,
        "choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": '[["PER", "Ada"]]'}]}}],
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": '[["PER", "Ada"]]'}],
    },
    "texts": WORDS,
    "jsonl": {
        **WORDS,
        "annotator": "x",
        "spans": [{"start": 0, "end": 3, "label": "PER", "text": "Ada"}, {"fragments": [[0, 1], [2, 4]], "label": "X"}],
    },
    "spacy_json": {
        "text": "Ada 💃",
        "ents": [{"start": 0, "end": 3, "label": "PER"}],
        "tokens": [{"start": 0, "end": 3}],
        "spans": {"sc": [{"start": 0, "end": 3, "label": "X"}]},
    },
    "mushroom": {"id": "a", "model_output_text": "Ada 💃 wrote", "hard_labels": [[0, 3]]},
    "mushroom soft": {"id": "a", "soft_labels": [{"start": 0, "end": 3, "prob": 0.9}]},
    "spacy_json paragraphs": {
        "id": 0,
        "paragraphs": [
            {"raw": "Ada 💃", "sentences": [{"tokens": [{"orth": "Ada", "ner": "U-PER"}, {"orth": "💃", "ner": "O"}]}]}
        ],
    },
}
LINES = {
    **{name: written(name) for name in ("bioc in XML", "span_table", "pubtator")},
    "webanno": webanno(SAMPLE),
    "conllu": (
        "# newdoc id = x\n# global.Entity = GRP-etype\n1\tAda\t_\t_\t_\t_\t0\troot\t_\tNE=B-PER|Entity=(1-person\n"
        "2\twrote\t_\t_\t_\t_\t0\troot\t_\tNE=I-PER|Entity=1)\n\n1\tit\t_\t_\t_\t_\t0\troot\t_\t_\n"
    ),
    "span_rows": "70001\t3\t8\n70001\tDoubt\t3\t8\nd1\t3\t3\tNIL1\t1.0\tPER\n0\t[7, 3]\na||B||C||7||9||12||15\n",
    "conll2012": "#begin document (a/b); part 000\na/b 0 0 The DT (0|(1\na/b 0 1 cat NN 0)|1)\n\n#end document\n",
    "i2b2": "<?xml version='1.0'?>\n<a>\n<TEXT><![CDATA[Ada & Bo]]></TEXT>\n<TAGS>\n"
    '<NAME start="0" end="3" text="Ada" TYPE="X" /><DOC spans="4~5,6~8" />\n</TAGS>\n</a>\n',
    "gate": '<GateDocument>\n<TextWithNodes><Node id="0"/>Ada<Node id="3"/> met</TextWithNodes>\n'
    '<AnnotationSet Name="A">\n<Annotation Id="1" Type="X" StartNode="0" EndNode="3">\n</Annotation>'
    "</AnnotationSet></GateDocument>\n",
    "uima_cas in XML": '<xmi:XMI xmlns:cas="http:///uima/cas.ecore" xmlns:n="http:///x/ner.ecore" '
    'xmlns:xmi="http://www.omg.org/XMI">\n<n:Entity xmi:id="2" sofa="1" begin="0" end="3" value="X"/>\n'
    '<cas:Sofa xmi:id="1" sofaString="Ada met"/><cas:View sofa="1" members="2"/></xmi:XMI>\n',
    "brat": "T1\tDrug 0 7\tAspirin\nT2\tSite 19 23;38 42\tback pain\nA1\tnegated T1\nR1\ttreats Arg1:T1 Arg2:T2\n",
    "markup": "Un [fièvreux [hier](DATE)](SYMPTOM neg=true conf=0.5 note='a b') [sic].\nRien.\n",
}
# a format may have several forms: its name is the first word
ODD = [None, True, -1, 0, 2**31, 2**63, 1e300, float("nan"), "", "x", "\ud800", "\0", [], [[]], {}, {"start": "x"}]


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def changed(value, chance):
    """Put something odd in the place of a part, or leave it out, or double it."""
    path = chance.choice([path for path in places(value) if path])
    *outer, key = path
    for step in outer:
        value = value[step]
    how = chance.randrange(4)
    if how == 0:
        del value[key]
    elif how == 1 and isinstance(value, list):
        value.insert(key, copy.deepcopy(value[key]))
    else:
        value[key] = chance.choice(ODD)


def damaged(data, chance):
    """Cut, double, swap or replace some bytes."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        place = chance.randrange(len(data) + 1)
        how = chance.randrange(4)
        if how == 0:
            del data[place:]
        elif how == 1:
            del data[place : place + chance.randrange(1, 9)]
        elif how == 2:
            data[place:place] = data[place : place + chance.randrange(1, 30)]
        else:
            data[place : place + 1] = bytes([chance.choice(b'\t\n\r "[]{}|,:-0179a\x00\xc3\xff\xf0')])
    return bytes(data)


def read(path, name, **options):
    name = name.split()[0]
    known = {key: value for format in formats_of("spans").values() for key, value in format.options.items()}
    return read_as("spans", path, format=name, options={**known, **options})


def outcome(path, name):
    try:
        found = read(path, name)
    except InputError as error:
        assert error.source is not None and str(error)
        return "refused"
    assert (found.spans.end > found.spans.start).all()
    assert len(found.document_lines) == found.documents.size == found.spans.documents
    return "read"


def test_every_format_is_here():
    assert {name.split()[0] for name in (*JSON, *LINES, "spacy", "inception")} == set(formats_of("spans"))


def test_damaged_doc_bin(tmp_path):
    """Bytes of the packed file, and what is in it, packed again."""
    pytest.importorskip("spacy", reason="needs spaCy: pip install spanometer[spacy]")
    from doc_bins import doc_bin

    chance = random.Random(7)
    path = tmp_path / "file.spacy"
    whole = doc_bin(("Ada 💃 wrote", [(0, 3, "PER")]), ("It  is", []))
    path.write_bytes(whole)
    assert outcome(path, "spacy") == "read"
    found = set()
    for number in range(80):
        inside = number % 2
        data = damaged(zlib.decompress(whole) if inside else whole, chance)
        path.write_bytes(zlib.compress(data) if inside else data)
        found.add(outcome(path, "spacy"))
    assert "refused" in found


@pytest.mark.parametrize("name", [*JSON, *LINES])
def test_damaged_bytes(tmp_path, name):
    chance = random.Random(name)
    text = LINES[name] if name in LINES else json.dumps(JSON[name], ensure_ascii=False) + "\n"
    path = tmp_path / "file"
    path.write_text(text * (2 if name in JSON and name != "prodigy" else 1), encoding="utf-8")
    assert outcome(path, name) == "read"
    found = set()
    for _ in range(60):
        path.write_bytes(damaged(text.encode(), chance))
        found.add(outcome(path, name))
    assert "refused" in found


@pytest.mark.parametrize("name", JSON)
def test_odd_values(tmp_path, name):
    chance = random.Random(name)
    path = tmp_path / "file"
    found = set()
    for _ in range(100):
        copied = [copy.deepcopy(JSON[name]), JSON[name]]
        changed(copied[0], chance)
        path.write_text("".join(json.dumps(each) + "\n" for each in copied))
        found.add(outcome(path, name))
    assert "refused" in found
