"""Documents with spans, written in every format, and read again."""

import io
import json
import pathlib
import random
import warnings

import numpy as np
import pytest

import spanometer
from builders import span_dicts
from spanometer.exceptions import InputError
from spanometer.readers.formats import detect, writers
from spanometer.readers.reading import read_documents

# a dancer of one code point and two UTF-16 units, a family of seven code points, an e with a combining accent
PIECES = ["Ada", "woke", "💃", "👨‍👩‍👧‍👦", "cafe\u0301", " ", " ", "\n", "  ", "\u3000", "ß", "東京", ".", "-", "\r\n"]
# files that nothing else need be told of
SAMPLES = {
    "brat/dkpro/document1.ann": {},
    "brat/bconv/elliptic-coordination.ann": {},
    "brat/bratiaa-agree-2/ann1": {},
    "label_studio/ner_saude-bruno.json": {},
    "label_studio/issue-1347-utf16.json": {},
    "doccano/facebook-es.jsonl": {"offset_unit": "utf-16"},
    "doccano/annotations-with-users.jsonl": {"offset_unit": "utf-16"},
    "prodigy/fashion_brands_eval-emoji.jsonl": {},
    "webanno_tsv/suite/testSentenceWithEmoji.tsv": {},
    "presidio_research/synth_dataset_v2-0-60.json": {},
    "presidio_analyzer/single.json": {},
    "pubtator/elliptic-coordination.txt": {},
    "bioc_json/elliptic-coordination.json": {},
    "conllu/et_ewt-ud-dev.conllu": {},
    "spacy/ner_tweets.spacy": {},
}
UNIT = {"doccano": {"offset_unit": "utf-16"}}


def random_text(generator):
    return "".join(generator.choice(PIECES) for _ in range(generator.randrange(1, 30)))


def random_lines(seed, *, nested=True, discontinuous=True, attributes=True, over_lines=True):
    """Return our JSON lines of 40 random documents."""
    generator = random.Random(seed)
    rows = []
    for number in range(40):
        text = random_text(generator)
        spans, used, known = [], set(), set()
        for _ in range(generator.randrange(5)):
            bounds = sorted(generator.sample(range(len(text) + 1), 2)) if len(text) else []
            inside = set(range(*bounds))
            if not bounds or (not over_lines and set(text[slice(*bounds)]) & set("\r\n")):
                continue
            if (not nested and used & inside) or tuple(bounds) in known:
                continue
            known.add(tuple(bounds))
            used |= inside
            span = {"start": bounds[0], "end": bounds[1], "label": generator.choice("AB")}
            if discontinuous and len(inside) > 3 and generator.random() < 0.5:
                span = {"fragments": [[bounds[0], bounds[0] + 1], [bounds[1] - 1, bounds[1]]], "label": "C"}
            if attributes and generator.random() < 0.5:
                span["attributes"] = generator.choice([{"negated": True}, {"unit": "mg a day", "certain": True}])
            spans += [span] * (1 + (nested and generator.random() < 0.2))
        rows.append(json.dumps({"id": f"d{number}", "text": text, "spans": spans}))
    return "\n".join(rows) + "\n"


def content(file):
    """Return what documents have, whatever order their spans are in."""
    documents = file.documents
    rows = file.attribute_columns().to_dicts()
    attributes = [sorted(json.dumps(span, sort_keys=True) for span in row if span["attributes"]) for row in rows]
    repeated = file.spans.picked(np.arange(len(file.spans)).repeat(file.spans.times))
    spans = [sorted(json.dumps(span, sort_keys=True) for span in row) for row in repeated.to_dicts()]
    tokens = documents.tokens and [documents.tokens.bounds(number) for number in range(documents.size)]
    words = file.words if documents.texts is None else None
    return spans, attributes, documents.texts, documents.ids, file.annotators, words, tokens, file.in_tokens


def by_name(file):
    """Return the spans and texts of documents by their names or numbers, for brat's come in another order."""
    names = file.documents.ids or map(str, range(file.documents.size))
    users = file.annotators if len(file.names) > 1 else [""] * file.documents.size
    keys = [(name.lstrip("0"), user) for name, user in zip(names, users, strict=True)]
    spans, _, texts, *_ = content(file)
    return dict(zip(keys, zip(spans, texts, strict=True), strict=True))


def again(file, tmp_path, format, **options):
    """Write documents in a format and read them."""
    path = tmp_path / f"again.{format}"
    lost = spanometer.write(file, path, format=format, **options)
    assert detect(path) is None or detect(path).name == format
    return lost, spanometer.read(path, **UNIT.get(format, {}))


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spanometer.read(path, **options)


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples(data, tmp_path, sample):
    """JSON lines have all of every format; what another format can hold is the same after it."""
    if sample.endswith(".spacy"):
        pytest.importorskip("spacy")
    file = read(data / "exports" / sample, **SAMPLES[sample])
    lost, lines = again(file, tmp_path, "jsonl")
    assert (lost, content(lines)) == ((), content(file))
    if file.documents.texts is None:
        return
    for format in ("brat", "doccano", "label_studio"):
        if format == "brat" and len(lines.names) > 1:
            continue
        try:
            lost, found = again(lines, tmp_path, format)
        except InputError as error:
            assert error.option == "lossy"
            continue
        assert lost == ()
        assert by_name(lines) == by_name(found)


@pytest.mark.parametrize("seed", range(3))
def test_json_lines(file, tmp_path, seed):
    known = spanometer.read(file(random_lines(seed), "random.jsonl"))
    assert known.spans.fragments is not None and known.has_attributes
    lost, found = again(known, tmp_path, "jsonl")
    assert (lost, content(found)) == ((), content(known))
    path = tmp_path / "packed.jsonl.gz"
    spanometer.write(known, path, format="jsonl")
    assert content(spanometer.read(path)) == content(known)


@pytest.mark.parametrize("seed", range(3))
def test_brat(file, tmp_path, seed):
    lines = random_lines(seed, over_lines=False)
    known = spanometer.read(file(lines, "random.jsonl"))
    lost, found = again(known, tmp_path, "brat")
    # documents come in the order of their names
    order = sorted(range(40), key=lambda number: known.documents.ids[number])
    assert lost == ()
    assert [column and [column[place] for place in order] for column in content(known)[:4]] == list(
        map(list, content(found)[:4])
    )
    for row in map(json.loads, lines.splitlines()):
        text = (tmp_path / "again.brat" / f"{row['id']}.txt").read_bytes().decode()
        assert text == row["text"]
        annotation = (tmp_path / "again.brat" / f"{row['id']}.ann").read_text(encoding="utf-8")
        spans = []
        for line in annotation.splitlines():
            if line[0] == "T":
                name, kind, covered = line.split("\t")
                label, offsets = kind.split(" ", 1)
                bounds = [tuple(map(int, pair.split())) for pair in offsets.split(";")]
                assert " ".join(text[start:end] for start, end in bounds) == covered
                spans.append((label, bounds))
            else:
                name, rest = line.split("\t")
                assert name[0] == "A" and rest.split(" ")[1][0] == "T"
        expected = [
            (span["label"], list(map(tuple, span.get("fragments") or [(span["start"], span["end"])])))
            for span in row["spans"]
        ]
        assert {repr(span) for span in spans} == {repr(span) for span in expected}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("group", [None, "sc"])
def test_spacy(file, tmp_path, seed, group):
    """What spaCy reads has the same texts, and spans at the same characters."""
    tokens = pytest.importorskip("spacy.tokens")
    vocab = pytest.importorskip("spacy.vocab").Vocab()
    lines = random_lines(seed, nested=group is not None, discontinuous=False, attributes=False)
    known = spanometer.read(file(lines, "random.jsonl"), tokenizer="regex:(?s).")
    path = tmp_path / "random.spacy"
    assert spanometer.write(known, path, format="spacy", span_group=group) == ()
    docs = list(tokens.DocBin().from_disk(path).get_docs(vocab))
    for row, doc in zip(map(json.loads, lines.splitlines()), docs, strict=True):
        assert doc.text == row["text"]
        spans = doc.ents if group is None else doc.spans[group]
        found = {(span.start_char, span.end_char, span.label_) for span in spans}
        assert found == {(span["start"], span["end"], span["label"]) for span in row["spans"]}
    found = spanometer.read(path, span_group=group)
    assert (content(found)[0], content(found)[2]) == (content(known)[0], content(known)[2])


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "BMES"])
def test_columns(file, tmp_path, scheme):
    known = spanometer.read(file(random_lines(5, nested=False, attributes=False), "random.jsonl"), tokenizer="words")
    path = tmp_path / "random.conll"
    lost = spanometer.write(known, path, format="columns", scheme=scheme, to_tokens="expand", lossy=True)
    found = spanometer.read(path, scheme=scheme, documents="document_id")
    # what was lost is lost in JSON lines of the tokens too
    stream = io.BytesIO()
    spanometer.write(found, stream, format="jsonl")
    rows = [json.loads(line) for line in stream.getvalue().decode().splitlines()]
    texts = dict(zip(known.documents.ids, known.documents.texts, strict=True))
    assert [row["id"] for row in rows] == [name for name, text in texts.items() if text.strip()]
    assert all("".join(row["tokens"]) == "".join(texts[row["id"]].split()) for row in rows)
    assert any("discontinuous spans" in one for one in lost)


def test_tags(file, tmp_path):
    """By hand: a text carried to the tokens of a pattern, in two schemes."""
    row = {"id": "x", "text": "Ada Lovelace woke", "spans": [{"start": 0, "end": 12, "label": "PER"}]}
    known = spanometer.read(file(json.dumps(row) + "\n", "a.jsonl"), tokenizer="blanks")
    for scheme, tags in {"IOB2": "BIO", "IOBES": "BEO", "IO": "IIO"}.items():
        stream = io.BytesIO()
        assert spanometer.write(known, stream, format="columns", scheme=scheme) == ()
        labels = ["O" if tag == "O" else f"{tag}-PER" for tag in tags]
        expected = "# document_id = x\n" + "".join(
            f"{word}\t{label}\n" for word, label in zip(row["text"].split(), labels, strict=True)
        )
        assert stream.getvalue().decode() == expected + "\n"


OVERLAP = "spans that overlap another span are left out (2 cases in document 'x')"
VALUE = "blanks in attribute names become _, and attribute values become one-line strings"
APART = {"fragments": [[0, 3], [9, 14]], "label": "A"}
ADA = {"start": 0, "end": 3, "label": "A"}


@pytest.mark.parametrize(
    ("spans", "format", "said", "left"),
    [
        (span_dicts("0-3:A 0-8:B 4-8:C"), "columns", OVERLAP, [(0, 2, "B")]),
        (span_dicts("0-3:A 0-3:A 0-3:A"), "columns", "repeated spans are written once (2 cases in", [(0, 1, "A")]),
        ([APART], "doccano", "discontinuous spans become contiguous spans", [(0, 14, "A")]),
        (span_dicts("0-5:A"), "columns", "spans that begin or end within a token", []),
        (span_dicts("3-4:A"), "columns", "spans that begin or end within a token", []),
        ([{**ADA, "attributes": {"x": True}}], "doccano", "spans lose their attributes", [(0, 3, "A")]),
        ([{**ADA, "attributes": {"x": 3}}], "brat", VALUE, [(0, 3, "A")]),
        ([{**ADA, "label": "A b"}], "brat", "blanks in labels become _", [(0, 3, "A_b")]),
        ([], "columns", "documents without tokens are left out", []),
    ],
)
def test_what_cannot_be_held(file, tmp_path, spans, format, said, left):
    row = {"id": "x", "text": "Ada woke early" if spans else "\n", "unit": "character", "spans": spans}
    other = {"id": "y", "text": "Yes", "spans": [], "unit": "character"}
    known = spanometer.read(file(f"{json.dumps(row)}\n{json.dumps(other)}\n", "a.jsonl"), tokenizer="words")
    path = tmp_path / "out"
    with pytest.raises(InputError) as caught:
        spanometer.write(known, path, format=format)
    assert f"in the format {format!r}, {said}" in str(caught.value)
    assert not path.exists()
    (lost,) = spanometer.write(known, path, format=format, lossy=True)
    assert lost.startswith(said)
    written = spanometer.read(path).spans.to_dicts()
    assert [tuple(span.values()) for row in written for span in row] == left


def test_over_lines(file, tmp_path):
    """brat has a fragment for each line, as it writes itself."""
    row = {"id": "x", "text": "a b\nc d", "spans": [{"start": 2, "end": 5, "label": "A"}]}
    known = spanometer.read(file(json.dumps(row) + "\n", "a.jsonl"))
    assert spanometer.write(known, tmp_path / "out", format="brat", lossy=True) == (
        "spans across line endings are split into a fragment for each line (1 case in document 'x')",
    )
    assert (tmp_path / "out" / "x.ann").read_text() == "T1\tA 2 3;4 5\tb c\n"


def test_annotators(file, tmp_path):
    rows = [{"id": "x", "text": "Ada", "annotator": name, "spans": []} for name in ("ann", "ben")]
    path = file("".join(json.dumps(row) + "\n" for row in rows), "a.jsonl")
    both = spanometer.read(path)
    lost, found = again(both, tmp_path, "label_studio")
    assert (lost, found.annotators, found.documents.ids) == ((), ("ann", "ben"), ("x", "x"))
    assert len(json.loads((tmp_path / "again.label_studio").read_text())) == 1
    with pytest.raises(InputError, match="documents of 2 annotators lose the names of the annotators"):
        spanometer.write(both, io.BytesIO(), format="doccano")
    with pytest.raises(InputError, match=r"two documents would be written to the file 'x\.txt'"):
        spanometer.write(both, tmp_path / "out", format="brat", lossy=True)
    assert not (tmp_path / "out").exists()
    assert spanometer.write(spanometer.read(path, annotator="ben"), tmp_path / "out", format="brat") == ()


def test_words_without_a_text(file, tmp_path):
    words = spanometer.read(file("Ada\tB-PER\nL.\tI-PER\n\nwoke\tO\n", "a.conll"))
    spanometer.write(words, tmp_path / "a", format="doccano", lossy=True)
    found = spanometer.read(tmp_path / "a")
    assert found.documents.texts == ("Ada L.", "woke")
    assert found.spans.to_dicts() == [[{"start": 0, "end": 6, "label": "PER"}], []]


@pytest.mark.parametrize("name", ["../x", "/x", "a//b", "", "x\0"])
def test_names_that_are_no_files(file, tmp_path, name):
    rows = [{"id": name, "text": "Ada", "spans": []}, {"id": "0", "text": "Bo", "spans": []}]
    known = spanometer.read(file("".join(json.dumps(row) + "\n" for row in rows), "a.jsonl"))
    with pytest.raises(InputError, match=r"is not a valid file name|two documents would be"):
        spanometer.write(known, tmp_path / "out", format="brat")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_files_that_exist(file, tmp_path):
    known = spanometer.read(file('{"text": "Ada", "spans": []}\n', "a.jsonl"))
    path = file("precious", "out.jsonl")
    with pytest.raises(InputError, match="the file exists already"):
        spanometer.write(known, path, format="jsonl")
    assert path.read_text() == "precious"
    spanometer.write(known, path, format="jsonl", replace=True)
    assert len(spanometer.read(path).documents.texts) == 1
    half = spanometer.read(file('{"text": "Ada \\ud83d", "spans": []}\n', "half.jsonl"))
    for format in ("jsonl", "brat"):
        with pytest.raises(InputError, match="half of a surrogate pair"):
            spanometer.write(half, tmp_path / "new", format=format)
        assert not (tmp_path / "new").exists()


def test_every_writer_is_tested():
    assert set(writers()) == {"brat", "columns", "doccano", "jsonl", "label_studio", "spacy"}
    assert read_documents is spanometer.read


def test_the_table_of_what_formats_hold():
    """What docs/formats.md says of each is what it declares."""
    text = (pathlib.Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = text.partition("| `--to` |")[2].partition("\n\n")[0].splitlines()[2:]
    table = {cells[1].split("`")[1]: cells[2:] for cells in (list(map(str.strip, row.split("|"))) for row in rows)}
    assert set(table) == set(writers())
    for name, (spans, overlapping, discontinuous, attributes, annotators, words, *_) in table.items():
        writer = writers()[name]
        assert spans.split(",")[0] == {"character": "characters", "token": "tokens", None: "both"}[writer.unit]
        assert overlapping.split()[0] == {True: "yes", False: "no"}.get(writer.overlapping, "with")
        assert (discontinuous, annotators) == tuple(
            "yes" if one else "no" for one in (writer.discontinuous, writer.annotators)
        )
        assert (attributes != "no") == writer.attributes and (words == "needed") == writer.needs_text
    written = {row.split("`")[1] for row in text.splitlines() if row.startswith("| `") and row.endswith("| yes |")}
    assert written == set(writers())
