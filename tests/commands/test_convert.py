"""`spanometer convert`."""

import gzip
import json

import pytest

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


def test_outside(written, file):
    content = b"a\t_\nb\tB-A\n"
    assert written("convert", file("a", content), "--to", "IOBES", "--outside", "_") == b"a\t_\nb\tS-A\n"
    lines = file("a.jsonl", '{"tags": ["_", "B-A"], "id": "_"}\n')
    assert written("convert", lines, "--to", "IOBES", "--outside", "_") == b'{"tags": ["_", "S-A"], "id": "_"}\n'


def test_labels_are_not_written_as_tags(complaint, file):
    options = ("--to", "IOBES", "--outside", "nothing")
    assert "--outside nothing reads each whole tag as a label" in complaint("convert", file("a", b"a\tX\n"), *options)


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
    assert written("convert", lines, "--to", "IOB2", "--tokenizer", "words").decode() == TAGS
    assert written("convert", lines, "--to", "IOB2", "--tokenizer", "words", "-o", tmp_path / "b.gz")
    assert gzip.decompress((tmp_path / "b.gz").read_bytes()).decode() == TAGS
    back = written("convert", tmp_path / "b.gz", "--to", "jsonl", "--documents", "document_id").decode()
    assert [json.loads(line) for line in back.splitlines()] == [
        {"id": "x", "tokens": ["Ada", "L", ".", "woke"], "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"id": "y", "tokens": ["in", "💃", "Rome"], "spans": [{"start": 2, "end": 3, "label": "LOC"}]},
    ]


def test_what_is_lost(run, complaint, file, tmp_path):
    rows = [{**ROWS[0], "spans": [{"start": 1, "end": 6, "label": "PER"}, {"start": 7, "end": 11, "label": "ACT"}]}]
    lines, out = file("a.jsonl", json.dumps(rows[0]) + "\n"), tmp_path / "out"
    command = ["convert", lines, "--to", "IOB2", "--tokenizer", "words", "-o", out]
    assert complaint(*command) == (
        f"spanometer: {lines}: columns cannot hold everything: spans that begin or end within a token, left out "
        "(--to-tokens expand, 'contract' or 'overlap' moves them): 1 (document 'x': 1). Choose another format, or "
        "accept the losses with --lossy."
    )
    assert not out.exists()
    status, output, error = run(*command, "--lossy")
    assert (status, output) == (0, f"{out}: 1 document, 1 span (from {lines}, as IOB2).\n")
    assert error.startswith("lost: spans that begin or end within a token")
    status, _, error = run(*command, "--force", "--to-tokens", "expand")
    assert (status, error) == (0, "note: 1 span moved by 1 character to fit tokens (expand).\n")
    assert out.read_text().count("PER") == 3
    task = '{"text": "Ada", "_input_hash": 1, "spans": [], "answer": "ignore"}\n'
    tasks = file("b.jsonl", task + task.replace("ignore", "accept"))
    assert run("convert", tasks, "--to", "jsonl")[2] == "left out: line 1: a task with the answer 'ignore'.\n"
    tasks = file("c.jsonl", task)
    assert "there are no documents to write: line 1: a task with the answer" in complaint(
        "convert", tasks, "--to=jsonl"
    )


def test_illegal_tags_under_a_policy(written, file):
    found = written("convert", file("a.conll", ILLEGAL), "--to", "jsonl", "--repair", "discard").decode()
    assert [len(json.loads(line)["spans"]) for line in found.splitlines()] == [1, 0]
    assert written("convert", file("b.conll", ILLEGAL), "--to", "IOB2", "--repair", "discard").count(b"-") == 2
