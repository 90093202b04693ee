"""Damaged files of documents: an `InputError` that names the file, or documents, never another exception."""

import copy
import json
import random
import zlib

import pytest

from spanometer.exceptions import InputError
from spanometer.readers.formats import formats_of, read_as

REGION = {
    "type": "labels",
    "from_name": "label",
    "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]},
}
JSON = {
    "answers": {
        "id": "a",
        "text": "Ada 💃 wrote",
        "tokens": [[0, 3], [4, 5]],
        "choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": '[["PER", "Ada"]]'}]}}],
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": '[["PER", "Ada"]]'}],
    },
    "texts": {"id": "a", "text": "Ada 💃 wrote", "tokens": [[0, 3], [4, 5]]},
    "doccano": {"id": 1, "text": "Ada 💃 wrote", "label": [[0, 3, "PER"]], "Comments": []},
    "label_studio": {
        "id": 1,
        "data": {"text": "Ada 💃 wrote"},
        "annotations": [{"completed_by": {"id": 3}, "result": [REGION], "was_cancelled": False}],
    },
    "prodigy": {
        "text": "Ada 💃 wrote",
        "_input_hash": 3,
        "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}],
        "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER", "text": "Ada"}],
        "answer": "accept",
    },
    "jsonl": {
        "id": "a",
        "text": "Ada 💃 wrote",
        "tokens": [[0, 3], [4, 5]],
        "annotator": "x",
        "spans": [{"start": 0, "end": 3, "label": "PER", "text": "Ada"}, {"fragments": [[0, 1], [2, 4]], "label": "X"}],
    },
    "system": [
        {"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ada", "start": 0, "end": 3},
        {"start": 0, "end": 3, "text": "Ada", "label": "PER", "score": 0.9},
    ],
    "spacy_json": {
        "text": "Ada 💃",
        "ents": [{"start": 0, "end": 3, "label": "PER"}],
        "tokens": [{"start": 0, "end": 3}],
        "spans": {"sc": [{"start": 0, "end": 3, "label": "X"}]},
    },
    "spacy_json pair": ["Ada 💃", {"entities": [[0, 3, "PER"]], "spans": {"sc": [[4, 5, "X"]]}}],
    "spacy_json paragraphs": {
        "id": 0,
        "paragraphs": [
            {"raw": "Ada 💃", "sentences": [{"tokens": [{"orth": "Ada", "ner": "U-PER"}, {"orth": "💃", "ner": "O"}]}]}
        ],
    },
    "gliner": {"tokenized_text": ["Ada", "💃", "wrote"], "ner": [[0, 0, "PER"], [0, 2, "X"]]},
    "bioc": {
        "documents": [
            {
                "id": "1",
                "passages": [
                    {
                        "offset": 0,
                        "text": "Ada 💃 wrote",
                        "annotations": [
                            {
                                "infons": {"type": "PER"},
                                "text": "Ada",
                                "locations": [{"offset": 0, "length": 1}, {"offset": 2, "length": 1}],
                            }
                        ],
                    }
                ],
            }
        ]
    },
}
LINES = {
    "bioc xml": (
        '<?xml version="1.0" encoding="latin-1"?>\n<collection><document><id>1</id><passage><offset>0</offset>'
        '<text>Ada 💃 wrote</text><annotation id="1"><infon key="type">PER</infon><location offset="0" length="3"/>'
        "<text>Ada</text></annotation></passage></document></collection>\n"
    ),
    "brat": "T1\tDrug 0 7\tAspirin\nT2\tSite 19 23;38 42\tback pain\nA1\tnegated T1\nR1\ttreats Arg1:T1 Arg2:T2\n",
    "markup": "Un [fièvreux [hier](DATE)](SYMPTOM neg=true conf=0.5 note='a b') [sic].\nRien.\n",
    "span_table": 'doc_id,start,end,label,text\na,0,3,PER,Ada\n"b, c",,,,\na,4,5,X,"a ""b"""\n',
    "webanno": (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Span|value\n\n\n#Text=Ada 💃 wrote\n1-1\t0-3\tAda\tPER[1]|X\t\n"
        "1-2\t4-6\t💃\tPER[1]\t\n1-3\t7-12\twrote\t_\t\n"
    ),
    "pubtator": "7|t|Ada 💃 wrote.\n7|a|It is seen.\n7\t0\t3\tAda\tPER\tD1\n7\t14\t16\tIt\tX\n\n8|t|No\n8|a|thing\n",
    "conllu": (
        "# newdoc id = x\n# global.Entity = GRP-etype\n1\tAda\t_\t_\t_\t_\t0\troot\t_\tNE=B-PER|Entity=(1-person\n"
        "2\twrote\t_\t_\t_\t_\t0\troot\t_\tNE=I-PER|Entity=1)\n\n1\tit\t_\t_\t_\t_\t0\troot\t_\t_\n"
    ),
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
