"""The same spans in every format: every measure gives the same scores, to the last digit."""

import csv
import io
import json
import random
from itertools import product
from xml.sax.saxutils import escape

import pytest

import spanometer
from spanometer.measures.registry import ALL_MEASURES
from spanometer.readers.formats import formats_of
from spanometer.readers.reading import read_documents

MEASURES = [name for name, measure in ALL_MEASURES.items() if measure.input == "spans"]
SPECIAL = set("\\[]()|;*_<>&\"'#{}")


class Document:
    """Words and spans of tokens, and where they are in a text."""

    def __init__(self, name, words, spans):
        self.name, self.words, self.spans = name, words, spans
        self.text = " ".join(words)
        self.start = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
        self.end = [start + len(word) for start, word in zip(self.start, words, strict=True)]

    @property
    def tags(self):
        row = ["O"] * len(self.words)
        for start, end, label in self.spans:
            row[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        return row

    def characters(self, unit="utf-32-le", size=4):
        """Spans in a unit, and what they cover."""

        def place(offset):
            return len(self.text[:offset].encode(unit)) // size

        bounds = [(self.start[start], self.end[end - 1], label) for start, end, label in self.spans]
        return [(place(start), place(end), label, self.text[start:end]) for start, end, label in bounds]

    @property
    def utf_16(self):
        return self.characters("utf-16-le", 2)


def spans_of(tags):
    """A second reading of IOB2; an I- that continues nothing begins a span, as conlleval has it."""
    found = []
    before = "O"
    for place, tag in enumerate(tags):
        if tag.startswith("I-") and before[1:] == tag[1:]:
            found[-1][1] = place + 1
        elif tag != "O":
            found.append([place, place + 1, tag[2:]])
        before = tag
    return [tuple(span) for span in found]


def columns(documents):
    return "\n".join("".join(f"{w} {t}\n" for w, t in zip(d.words, d.tags, strict=True)) for d in documents)


def lines(make):
    return lambda documents: "".join(json.dumps(make(d), ensure_ascii=False) + "\n" for d in documents)


def array(make):
    return lambda documents: json.dumps([make(d) for d in documents], ensure_ascii=False)


def dicts(rows, *keys):
    return [dict(zip(keys, row, strict=False)) for row in rows]


BOUNDS = ("start", "end", "label", "text")


def label_studio(d):
    values = [{"start": s, "end": e, "text": t, "labels": [label]} for s, e, label, t in d.characters()]
    results = [{"type": "labels", "from_name": "label", "to_name": "text", "value": value} for value in values]
    annotations = [{"completed_by": 1, "was_cancelled": False, "result": results}]
    return {"id": d.name, "data": {"text": d.text}, "annotations": annotations}


def prodigy(d):
    tokens = dicts(zip(d.start, d.end, d.words, strict=True), "start", "end", "text")
    spans = dicts(d.characters(), *BOUNDS)
    return {"text": d.text, "_input_hash": d.name, "tokens": tokens, "spans": spans, "answer": "accept"}


def pubtator(documents):
    parts = []
    for d in documents:
        title, _, abstract = d.text.partition(" ")
        spans = "".join(f"{d.name}\t{s}\t{e}\t{text}\t{label}\n" for s, e, label, text in d.characters())
        parts.append(f"{d.name}|t|{title}\n{d.name}|a|{abstract}\n{spans}\n")
    return "".join(parts)


def bioc(documents):
    return json.dumps({"documents": [bioc_document(d) for d in documents]}, ensure_ascii=False)


def bioc_document(d):
    annotations = [
        {"infons": {"type": label}, "text": text, "locations": [{"offset": s, "length": e - s}]}
        for s, e, label, text in d.characters()
    ]
    return {"id": d.name, "passages": [{"offset": 0, "text": d.text, "annotations": annotations}]}


def bioc_xml(documents):
    parts = []
    for d in documents:
        annotations = "".join(
            f'<annotation id="{n}"><infon key="type">{label}</infon><location offset="{s}" length="{e - s}"/>'
            f"<text>{escape(text)}</text></annotation>"
            for n, (s, e, label, text) in enumerate(d.characters())
        )
        passage = f"<passage><offset>0</offset><text>{escape(d.text)}</text>{annotations}</passage>"
        parts.append(f"<document><id>{d.name}</id>{passage}</document>")
    return f"<collection><source/><date/><key/>{''.join(parts)}</collection>"


def conllu(documents):
    parts = []
    for d in documents:
        rows = [
            "\t".join([str(n), word, *["_"] * 4, "0", "root", "_", f"name={tag}"])
            for n, (word, tag) in enumerate(zip(d.words, d.tags, strict=True), 1)
        ]
        parts.append("\n".join([f"# newdoc id = {d.name}", *rows]) + "\n\n")
    return "".join(parts)


def markup(documents):
    texts = []
    for d in documents:
        text = d.text
        for start, end, label, covered in reversed(d.characters()):
            text = f"{text[:start]}[{covered}]({label}){text[end:]}"
        texts.append(text + "\n")
    return "".join(texts)


def span_table(documents):
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["document", "start", "end", "label"])
    for d in documents:
        table.writerows([d.name, *span[:3]] for span in d.characters() or [("", "", "")])
    return out.getvalue()


# what makes the text of a file, and the options of reading it
WRITERS = {
    "columns": (columns, {}),
    "jsonl": (lines(lambda d: {"tokens": d.words, "tags": d.tags}), {}),
    "jsonl of texts": (lines(lambda d: {"id": d.name, "text": d.text, "spans": dicts(d.characters(), *BOUNDS)}), {}),
    "jsonl of tokens": (
        lines(lambda d: {"id": d.name, "tokens": d.words, "unit": "token", "spans": dicts(d.spans, *BOUNDS[:3])}),
        {},
    ),
    "doccano": (
        lines(lambda d: {"id": d.name, "text": d.text, "label": [s[:3] for s in d.utf_16], "Comments": []}),
        {"offset_unit": "utf-16"},
    ),
    "doccano with relations": (
        lines(
            lambda d: {
                "id": d.name,
                "text": d.text,
                "entities": dicts([(*s[:3], 1) for s in d.utf_16], "start_offset", "end_offset", "label", "id"),
                "relations": [],
            }
        ),
        {"offset_unit": "utf-16"},
    ),
    "label_studio": (array(label_studio), {}),
    "prodigy": (lines(prodigy), {}),
    "system": (array(lambda d: dicts([(*s, 0.5) for s in d.characters()], *BOUNDS, "score")), {"format": "system"}),
    "conllu": (conllu, {}),
    "pubtator": (pubtator, {}),
    "bioc": (bioc, {}),
    "bioc in XML": (bioc_xml, {}),
    "markup": (markup, {"format": "markup"}),
    "gliner": (lines(lambda d: {"tokenized_text": d.words, "ner": [[s, e - 1, la] for s, e, la in d.spans]}), {}),
    "spacy_json": (array(lambda d: [d.text, {"entities": [s[:3] for s in d.characters()]}]), {"format": "spacy_json"}),
    "span_table": (span_table, {}),
}
# a file has one document, or a folder is read, or there are no spans yet
OTHERS = {"brat", "webanno", "inception", "spacy", "answers", "texts"}
WITHOUT_TEXT = {"system", "span_table"}


def webanno(d):
    numbered = {start: (number, span) for number, span in enumerate(d.spans, 1) for start in range(*span[:2])}
    rows = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=a.Span|value", "", "", f"#Text={d.text}"]
    units = [len(d.text[:place].encode("utf-16-le")) // 2 for place in range(len(d.text) + 1)]
    for place, word in enumerate(d.words):
        number, span = numbered.get(place, (0, None))
        cell = "_" if span is None else f"{span[2]}[{number}]"
        rows.append(f"1-{place + 1}\t{units[d.start[place]]}-{units[d.end[place]]}\t{word}\t{cell}\t")
    return "\n".join(rows) + "\n"


def corpus(rows, chance, size):
    """Documents of both sides, without signs that a format has a meaning for; some words become emoji."""
    sides = ([], [])
    for number, (words, *tags) in enumerate(rows):
        if len(sides[0]) == size:
            break
        if any(SPECIAL & set(word) for word in words):
            continue
        words = [chance.choice("💃👩🏽é") + word if chance.random() < 0.1 else word for word in words]
        for side, of_side in zip(sides, tags, strict=True):
            side.append(Document(str(number), words, spans_of(of_side)))
    return sides


def blocks(path):
    text = path.read_text(encoding="utf-8")
    found = [
        [line.split() for line in block.split("\n") if line and not line.startswith("# ")]
        for block in text.split("\n\n")
    ]
    return [rows for rows in found if rows]


@pytest.fixture(scope="module")
def corpora(data):
    """Words and both sides' tags of each document; the tags of CoNLL-2003 get made-up words."""
    chance = random.Random(0)

    def words(number):
        return ["".join(chance.choices("abcdefgh", k=chance.randrange(1, 9))) for _ in range(number)]

    conll = [
        (words(len(rows)), [row[0] for row in rows], [row[1] for row in rows])
        for rows in blocks(data / "conll03_test_tags.tsv")
    ]
    gold = blocks(data / "multiconer_es_dev.conll")
    system = [[row[0] for row in rows] for rows in blocks(data / "multiconer_es_dev_system.conll")]
    multiconer = [([r[0] for r in rows], [r[-1] for r in rows], tags) for rows, tags in zip(gold, system, strict=True)]
    return {"conll": conll, "multiconer": multiconer}


def scored(references, predictions, **more):
    report = spanometer.score(references, predictions, measures=MEASURES, **more)
    return {name: result.scores for name, result in report.measures.items()}


def read(path, given):
    return read_documents(path, **given)


@pytest.mark.parametrize("name", ["conll", "multiconer"])
def test_every_format_scores_as_columns_do(file, corpora, name):
    sides = corpus(corpora[name], random.Random(name), 60)
    files = {
        format: [read(file(write(side), f"{place} {format}"), given) for place, side in enumerate(sides)]
        for format, (write, given) in WRITERS.items()
    }
    expected = scored(*files["columns"])
    assert 0.3 < expected["span_f"]["f1"] < 1
    for format, (references, predictions) in files.items():
        assert len(references.spans) == len(files["columns"][0].spans), format
        # the columns have words alone, which a text must be made of or found in
        gold = files["doccano" if format in WITHOUT_TEXT else "columns"][0]
        more = {"tokenizer": "blanks"} if format in WITHOUT_TEXT else {}
        assert scored(gold, predictions, **more) == expected, format
        if format not in WITHOUT_TEXT:
            more = {} if references.in_tokens or references.documents.tokens is not None else {"tokenizer": "blanks"}
            assert scored(references, predictions, unit="token", **more) == expected, format
            assert scored(references, files["columns"][1], unit="token", **more) == expected, format


def test_folders_of_brat(tmp_path, file, corpora):
    sides = corpus(corpora["multiconer"], random.Random(1), 25)
    for place, side in enumerate(sides):
        folder = tmp_path / f"side {place}"
        folder.mkdir()
        for d in side:
            (folder / f"{d.name.zfill(4)}.txt").write_text(d.text, encoding="utf-8", newline="")
            rows = [f"T{n}\t{la} {s} {e}\t{t}\n" for n, (s, e, la, t) in enumerate(d.characters(), 1)]
            (folder / f"{d.name.zfill(4)}.ann").write_text("".join(rows), encoding="utf-8")
    references, predictions = (read_documents(tmp_path / f"side {place}") for place in (0, 1))
    expected = scored(*(read_documents(file(columns(side))) for side in sides))
    assert scored(references, predictions, tokenizer="blanks") == expected


def test_documents_of_webanno(file, corpora):
    chosen = corpus(corpora["multiconer"], random.Random(2), 12)
    for references, predictions in zip(*chosen, strict=True):
        files = [read_documents(file(webanno(side), f"{n}.tsv")) for n, side in enumerate((references, predictions))]
        expected = scored(*(read_documents(file(columns([side]))) for side in (references, predictions)))
        assert scored(*files, unit="token") == expected


def test_doc_bins(file, corpora):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (the extra spacy)")
    from spacy.tokens import Doc, DocBin, Span

    sides = corpus(corpora["multiconer"], random.Random(3), 40)
    paths = []
    for side in sides:
        vocabulary, docs = spacy.blank("es").vocab, []
        for d in side:
            spaces = [True] * (len(d.words) - 1) + [False]
            doc = Doc(vocabulary, words=d.words, spaces=spaces)
            doc.ents = [Span(doc, start, end, label=label) for start, end, label in d.spans]
            docs.append(doc)
        paths.append(file(DocBin(docs=docs, store_user_data=True).to_bytes(), f"{len(paths)}.spacy"))
    expected = scored(*(read_documents(file(columns(side))) for side in sides))
    assert scored(*map(read_documents, paths), unit="token") == expected


def test_two_tokenisations_of_one_text(file):
    """Tokens of whole words, and of letters and signs apart: the same spans of characters, and so the same scores."""
    chance = random.Random(4)
    found = []
    for tokenisation in ("words", "pieces"):
        rows = ([], [])
        chance.seed(4)
        for number in range(30):
            words = [
                chance.choice(["Ada", "Lovelace-Byron", "wrote", "it.", "naïve💃", "e\u0301t\u0301"]) for _ in range(9)
            ]
            text = " ".join(words)
            ends = [len(" ".join(words[: place + 1])) for place in range(9)]
            tokens = [[end - len(word), end] for end, word in zip(ends, words, strict=True)]
            bounds = [[tokens[p][0], tokens[min(p + chance.randrange(3), 8)][1]] for p in range(0, 9, 3)]
            others = [pair if chance.random() < 0.6 else [pair[0], tokens[8][1]] for pair in bounds]
            if tokenisation == "pieces":
                tokens = [[place, place + 1] for place in range(len(text)) if text[place] != " "]
            for side, spans in zip(rows, (bounds, others), strict=True):
                spans = [{"start": s, "end": e, "label": "A"} for s, e in spans]
                side.append(json.dumps({"id": str(number), "text": text, "tokens": tokens, "spans": spans}))
        found.append([read_documents(file("\n".join(side) + "\n")) for side in rows])
    for (one, other), more in product(
        ([found[0][0], found[1][1]], [found[1][0], found[0][1]]), ({}, {"average": "macro"})
    ):
        expected = spanometer.score(*found[0], unit="character", **more).measures["span_f"].scores
        assert 0 < expected["f1"] < 1
        assert spanometer.score(one, other, unit="character", **more).measures["span_f"].scores == expected
        # spans that begin and end where tokens of both do are the same spans of either's tokens
        assert spanometer.score(one, other, unit="token", **more).measures["span_f"].scores == expected


def test_every_format_is_here():
    here = {given.get("format", name.split()[0]) for name, (_, given) in WRITERS.items()}
    assert here | OTHERS == set(formats_of("spans")) | {"columns", "jsonl"}
