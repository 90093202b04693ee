"""The same spans in every format: every measure gives the same scores, to the last digit."""

import json
import random
from itertools import product

import pytest

import spanometer
from document_formats import WRITERS, Document, brat, columns, webanno
from spanometer.measures.registry import ALL_MEASURES
from spanometer.readers.formats import formats_of
from spanometer.readers.reading import read_documents

MEASURES = [name for name, measure in ALL_MEASURES.items() if measure.input == "spans"]
SPECIAL = set("\\[]()|;*_<>&\"'#{}")


# a file has one document, or a folder is read, or there are no spans yet
OTHERS = {
    "brat",
    "webanno",
    "inception",
    "spacy",
    "answers",
    "texts",
    "span_rows",
    "conll2012",
    "i2b2",
    "mushroom",
    "gate",
    "uima_cas",
}
WITHOUT_TEXT = {"system", "span_table"}


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
        brat(tmp_path / f"side {place}", side)
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
