"""Small made-up files in every format, for the command lines whose output is kept."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

EXAMPLES = Path(__file__).parents[2] / "examples"
WORDS = ["Ada", "Lovelace", "wrote", "in", "Rome"]
TEXT = " ".join(WORDS)
SPANS = [(0, 12, "PER"), (22, 26, "LOC")]
TOKENS = [(0, 3), (4, 12), (13, 18), (19, 21), (22, 26)]
TAGS = ["B-PER", "I-PER", "O", "O", "B-LOC"]


def span(start, end, label, **more):
    return {"start": start, "end": end, "label": label, **more}


def region(start, end, label):
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
    return {"type": "labels", "from_name": "label", "value": value}


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def columns(rows, separator="\t"):
    return "".join(separator.join(row) + "\n" for row in rows)


HIPE_HEAD = "TOKEN NE-COARSE-LIT NE-COARSE-METO NE-FINE-LIT NE-FINE-METO NE-FINE-COMP NE-NESTED NEL-LIT NEL-METO MISC"


def hipe(*tags):
    rows = [(word, tag, "O", tag, "O", "O", "O", "_", "_", "_") for word, tag in zip(WORDS, tags, strict=True)]
    return columns([HIPE_HEAD.split()]) + "# document_id = d1\n" + columns(rows)


SYSTEM_TAGS = ["B-PER", "O", "O", "O", "I-LOC"]
TEXTS = {
    "gold.conll": columns(zip(WORDS, TAGS, strict=True)) + "\nNobody\tO\n\nBen\tB-PER\nCat\tB-PER\n",
    "system.conll": columns(zip(WORDS, SYSTEM_TAGS, strict=True)) + "\nNobody\tO\n\nBen\tB-PER\nCat\tI-PER\n",
    "other.conll": columns(zip(WORDS, [*TAGS[:4], "B-ORG"], strict=True)) + "\nNobody\tB-PER\n\nBen\tB-PER\nCat\tO\n",
    "both.conll": columns(zip(WORDS, TAGS, SYSTEM_TAGS, strict=True)),
    "iobes.conll": columns(zip(WORDS, ["B-PER", "E-PER", "O", "O", "S-LOC"], strict=True)),
    "illegal.conll": columns(zip(WORDS, ["I-PER", "E-PER", "O", "O", "E-LOC"], strict=True)),
    "numbers.conll": columns(zip(WORDS, "12003", strict=True)),
    "names.txt": "O\nB-PER\nI-PER\nB-LOC\n",
    "tags.jsonl": lines({"tokens": WORDS, "tags": TAGS}, {"tokens": ["Nobody"], "tags": ["O"]}),
    "spans.jsonl": lines({"id": "d1", "text": TEXT, "spans": [span(*one) for one in SPANS]}),
    "close.jsonl": lines({"id": "d1", "text": TEXT, "spans": [span(4, 12, "PER"), span(22, 26, "ORG")]}),
    "nested.jsonl": lines({"tokens": WORDS, "spans": [span(0, 2, "PER"), span(0, 5, "WORK"), span(4, 5, "LOC")]}),
    "attributes.jsonl": lines({"tokens": WORDS, "spans": [span(0, 2, "PER", attributes={"alive": False})]}),
    "alive.jsonl": lines({"tokens": WORDS, "spans": [span(0, 2, "PER", attributes={"alive": True})]}),
    "trees.jsonl": lines(
        {"tokens": WORDS, "entities": [{"start": 0, "end": 2, "types": ["pers"], "components": [span(0, 1, "name")]}]}
    ),
    "doccano.jsonl": lines({"id": 1, "text": TEXT, "label": SPANS, "Comments": []}),
    "studio.json": json.dumps(
        [
            {
                "id": 7,
                "data": {"text": TEXT},
                "annotations": [
                    {"completed_by": 1, "result": [region(*one) for one in SPANS]},
                    {"completed_by": 2, "result": [region(*SPANS[0])]},
                ],
            }
        ]
    ),
    "prodigy.jsonl": lines(
        {
            "text": TEXT,
            "_input_hash": 1,
            "answer": "accept",
            "tokens": [{"text": TEXT[a:b], "start": a, "end": b, "id": n} for n, (a, b) in enumerate(TOKENS)],
            "spans": [span(*one) for one in SPANS],
        }
    ),
    "gliner.json": json.dumps([span(*one, text=TEXT[one[0] : one[1]], score=0.9) for one in SPANS]) + "\n",
    "pipeline.json": json.dumps([{"entity_group": name, "score": 1, "start": a, "end": b} for a, b, name in SPANS]),
    "train.spacy.json": json.dumps([[TEXT, {"entities": SPANS}]]),
    "text.conllu": columns(
        (str(n), word, *"____", "0", "_", "_", f"name={tag}")
        for n, (word, tag) in enumerate(zip(WORDS, TAGS, strict=True), 1)
    ),
    "hipe.tsv": hipe("B-pers", "I-pers", "O", "O", "B-loc"),
    "hipe_system.tsv": hipe("B-pers", "O", "O", "O", "B-loc"),
    "text.pubtator": f"1|t|{TEXT[:12]}\n1|a|{TEXT[13:]}\n"
    + columns(("1", str(a), str(b), TEXT[a:b], name) for a, b, name in SPANS),
    "text.webanno.tsv": f"#FORMAT=WebAnno TSV 3.3\n#T_SP=a.NER|value\n\n\n#Text={TEXT}\n"
    + "".join(
        f"1-{n}\t{a}-{b}\t{TEXT[a:b]}\t{value}\t\n"
        for n, ((a, b), value) in enumerate(zip(TOKENS, ["PER[1]", "PER[1]", "_", "_", "LOC"], strict=True), 1)
    ),
    "markup.txt": "[Ada Lovelace](PER) wrote in [Rome](LOC)\n",
    "quaero.xml": "<pers.ind> <name.first> Ada </name.first> <name.last> Lovelace </name.last> </pers.ind> wrote in "
    "<loc.adm.town> <name> Rome </name> </loc.adm.town>\n",
    "quaero_system.xml": "<pers.ind> <name.first> Ada </name.first> </pers.ind> Lovelace wrote in "
    "<loc.adm.town> <name> Rome </name> </loc.adm.town>\n",
    "table.csv": "document,start,end,label\nd1,0,12,PER\nd1,22,26,LOC\n",
    "bioc.xml": "<?xml version='1.0' encoding='UTF-8'?><collection><source/><date/><key/><document><id>d1</id><passage>"
    f"<offset>0</offset><text>{TEXT}</text>"
    + "".join(
        f"<annotation id='{a}'><infon key='type'>{name}</infon><location offset='{a}' length='{b - a}'/>"
        f"<text>{TEXT[a:b]}</text></annotation>"
        for a, b, name in SPANS
    )
    + "</passage></document></collection>\n",
    "bioc.json": json.dumps(
        {
            "source": "",
            "date": "",
            "key": "",
            "documents": [
                {
                    "id": "d1",
                    "passages": [
                        {
                            "offset": 0,
                            "text": TEXT,
                            "annotations": [
                                {
                                    "id": str(a),
                                    "infons": {"type": name},
                                    "text": TEXT[a:b],
                                    "locations": [{"offset": a, "length": b - a}],
                                }
                                for a, b, name in SPANS
                            ],
                        }
                    ],
                }
            ],
        }
    ),
    "brat/d1.txt": TEXT,
    "brat/d1.ann": "".join(f"T{n}\t{name} {a} {b}\t{TEXT[a:b]}\n" for n, (a, b, name) in enumerate(SPANS, 1)),
    "answers.jsonl": lines(
        {"id": "d1", "text": TEXT, "answer": '[["PER", "Ada Lovelace"], ["LOC", "Paris"], ["LOC", "rome"]]'}
    ),
    "logits.jsonl": lines({"logits": [[0.1, 2, 0, 0], [0, 0.2, 3, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0.3, 2]]}),
    # what nobody should write
    "short.conll": columns(zip(WORDS[:4], TAGS[:4], strict=True)),
    "odd.conll": columns(zip(WORDS, ["PER-B", "O", "O", "O", "O"], strict=True)),
    "cut.jsonl": '{"text": "Ada", "spans": [{"start": 0\n',
    "far.jsonl": lines({"id": "d1", "text": TEXT, "spans": [span(0, 99, "PER")]}),
    "empty.conll": "",
}


def write_samples(folder: Path) -> None:
    """Write all samples, and the examples of the project beside them."""
    for name, text in TEXTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8", newline="")
    rows = [{"text": TEXT, "spans": [span(*one) for one in SPANS]}]
    pa.parquet.write_table(pa.Table.from_pylist(rows), folder / "spans.parquet")
    shutil.copytree(EXAMPLES, folder / "examples")
