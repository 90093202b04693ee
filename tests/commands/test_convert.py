"""`spanometer convert`."""

import gzip
import json

import pytest

IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


def test_round_trip_of_a_corpus(written, file, data):
    with open(data / "conll03_test_tags.tsv", "rb") as stream:
        content = stream.read()
    both = ["--column", "1,2"]
    for scheme in ("IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES"):
        there = file("there", written("convert", file("here", content), *both, "--to", scheme, "--scheme", "IOB2"))
        assert written("convert", there, *both, "--to", "IOB2", "--scheme", scheme) == content


ROWS = [
    {"id": "x", "text": "Ada L. woke", "spans": [{"start": 0, "end": 6, "label": "PER"}]},
    {"id": "y", "text": "in 💃 Rome", "spans": [{"start": 5, "end": 9, "label": "LOC"}]},
]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
TAGS = "# document_id = x\nAda\tB-PER\nL\tI-PER\n.\tI-PER\nwoke\tO\n\n# document_id = y\nin\tO\n💃\tO\nRome\tB-LOC\n\n"
TARGETS = ["jsonl", "brat", "doccano", "label_studio", "spacy", "IOBES"]


@pytest.mark.parametrize(("source", "target"), list(zip(TARGETS, [*TARGETS[1:], *TARGETS[:1]], strict=True)))
def test_every_format_to_another(run, file, tmp_path, source, target):
    """From JSON lines to one format, to another and back: the same texts and spans."""
    if "spacy" in (source, target):
        pytest.importorskip("spacy")
    paths = [file("a.jsonl", LINES), tmp_path / "b", tmp_path / "c", tmp_path / "d"]
    for place, name in enumerate((source, target, "jsonl")):
        of_tokens = name in ("IOBES", "spacy")
        named = place and (source, target)[place - 1] == "IOBES" and (place == 1 or source != "spacy")
        more = ["--documents", "document_id"] if named else []
        more += ["--offset-unit", "utf-16"] if place and (source, target)[place - 1] == "doccano" else []
        has_tokens = place and {"IOBES", "spacy"} & {source, target if place > 1 else source}
        more += ["--tokenizer", "words"] if of_tokens and not has_tokens else []
        of_tags = place and (source, target)[place - 1] == "IOBES"
        more += [] if of_tags and name == "IOBES" else ["--lossy"]
        status, _, error = run("convert", paths[place], "--to", name, "-o", paths[place + 1], *more)
        assert status == 0
        assert error == "" or "lost: documents without a text, written as words with blanks" in error
    found = [json.loads(line) for line in paths[3].read_text().splitlines()]
    for row, known in zip(found, ROWS, strict=True):
        words = row.get("text") or " ".join(row["tokens"])
        assert words.split() in (known["text"].split(), known["text"].replace(".", " .").split())
        (span,) = row["spans"]
        assert span["label"] == known["spans"][0]["label"]
        if row.get("text") == known["text"]:
            assert span == known["spans"][0]


def test_documents_to_tags_and_back(written, file, tmp_path):
    lines = file("a.jsonl", LINES)
    for target in ("IOB2", "columns"):
        assert written("convert", lines, "--to", target, "--tokenizer", "words").decode() == TAGS
    table = file("a.csv", "sentence_id,word,tag\n1,Ada,B-PER\n1,Eve,E-PER\n")
    tags = b"# document_id = 1\nAda\tB-PER\nEve\tI-PER\n\n"
    assert written("convert", table, "--scheme", "IOBES", "--to", "columns") == tags
    assert written("convert", lines, "--to", "IOB2", "--tokenizer", "words", "-o", tmp_path / "b.gz")
    assert gzip.decompress((tmp_path / "b.gz").read_bytes()).decode() == TAGS
    back = written("convert", tmp_path / "b.gz", "--to", "jsonl", "--documents", "document_id").decode()
    assert [json.loads(line) for line in back.splitlines()] == [
        {"id": "x", "tokens": ["Ada", "L", ".", "woke"], "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"id": "y", "tokens": ["in", "💃", "Rome"], "spans": [{"start": 2, "end": 3, "label": "LOC"}]},
    ]


def test_adjacent_spans_in_io(run, lines):
    places = (0, 3, "B-x"), (4, 7, "B-x"), (8, 11, "PER")
    spans = [{"start": start, "end": end, "label": label} for start, end, label in places]
    path = lines("a.jsonl", {"id": "x", "text": "Ada Eve Bob", "spans": spans})
    lost = "adjacent spans with the same label become one span (1 case in document 'x')"
    status, _, complaint = run("convert", path, "--to", "IO", "--tokenizer", "words")
    assert status == 2 and f"a.jsonl: in the format 'columns', {lost}" in complaint
    found = run("convert", path, "--to", "IO", "--tokenizer", "words", "--lossy")
    assert found == (0, "# document_id = x\nAda\tI-B-x\nEve\tI-B-x\nBob\tI-PER\n\n", f"lost: {lost}\n")
