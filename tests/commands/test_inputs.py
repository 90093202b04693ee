"""What commands read: words that differ, files that can be read only once, documents and sentences."""

import contextlib
import io
import json
import os
import sys
import threading

import pytest

import spanometer
from spanometer import InputError

HIPE = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\n# document_id = one\n{}\tB-pers\tB-pers\n"
JSON = '{{"tokens": ["{}"], {}}}\n'
FILES = {
    "score": ["--measures=span_f"],
    "spread": [],
    "compare": ["{third}"],
    "agree": [],
}
KINDS = {
    "tags": JSON.format("{}", '"tags": ["B-X"]'),
    "spans with attributes": JSON.format(
        "{}", '"spans": [{{"start": 0, "end": 1, "label": "X", "attributes": {{"n": true}}}}]'
    ),
    "hipe": HIPE,
    "quaero": "{} <pers.ind> b </pers.ind>\n",
}


def differing(file, text):
    texts = [text.replace("{}", word).replace("{{", "{").replace("}}", "}") for word in "aba"]
    return [file(name, text) for name, text in zip(("one", "two", "three"), texts, strict=True)]


@pytest.mark.parametrize("command", FILES)
def test_words_are_compared(run, file, command):
    one, two, three = differing(file, "{} B-X\n")
    more = [three if option == "{third}" else option for option in FILES[command]]
    assert run(command, one, two, *more, "--ignore-words")[0] == 0
    assert run(command, one, three, *more)[0] == 0


@pytest.mark.parametrize("command", ["score", "compare", "agree"])
def test_words_of_documents_can_be_ignored(run, file, command):
    text = '{{"tokens": ["{}", "c"], "spans": [{{"start": 0, "end": 1, "label": "PER"}}]}}\n'
    sides = differing(lambda name, text: file(f"{name}.jsonl", text), text)
    sides = sides if command == "compare" else sides[:2]
    assert run(command, *sides, "--ignore-words")[0] == 0
    references, predictions = map(spanometer.read, sides[:2])
    assert spanometer.score(references, predictions, ignore_words=True).flat()["span_f_f1"] == 1.0
    with pytest.raises(InputError, match="To skip this check, set ignore_words=True"):
        spanometer.score(references, predictions)


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_all_kinds_of_files_are_compared(run, file, kind):
    one, two, three = differing(file, KINDS[kind])
    assert run("score", one, two, "--ignore-words")[0] == 0
    assert run("score", one, three)[0] == 0


def test_only_words_are_compared(run, file):
    words, tags = file("words", "1 a B-X\n2 b O\n"), file("tags", "B-X\nO\n")
    numbered = file("numbered", "a B-X\nb O\n")
    assert run("score", words, tags)[0] == 0
    # the columns of one file share its words
    assert run("score", words, "--reference-column=-1", "--prediction-column=2", "--repair=discard")[0] == 2
    assert run("score", words, numbered)[0] == 2
    with_words = ["--measures=sl_icm(token_probabilities=corpus)", "--words-column=2"]
    assert run("score", words, tags, *with_words)[0] == 2
    assert run("score", words, words, *with_words)[0] == 0


@pytest.fixture
def pipe():
    """Name a pipe that gives a text, as `<(cat FILE)` does."""
    opened = []

    def open_pipe(content):
        end, writing = os.pipe()
        opened.append(end)

        def write():
            # nobody may read
            with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb") as stream:
                stream.write(content.encode())

        threading.Thread(target=write, daemon=True).start()
        return f"/dev/fd/{end}"

    yield open_pipe
    for end in opened:
        os.close(end)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="pipes have names in /dev/fd")
@pytest.mark.parametrize("kind", KINDS)
def test_what_can_be_read_once(run, file, pipe, kind, monkeypatch):
    text = KINDS[kind].replace("{}", "a").replace("{{", "{").replace("}}", "}")
    path = file("gold", text)
    expected = json.loads(run("score", path, path, "--json")[1])["measures"]
    status, output, complaint = run("score", pipe(text), pipe(text), "--json")
    assert (status, complaint) == (0, "")
    assert json.loads(output)["measures"] == expected

    class Stdin:
        buffer = io.BytesIO(text.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert json.loads(run("score", path, "-", "--json")[1])["measures"] == expected


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="pipes have names in /dev/fd")
def test_what_can_be_read_once_is_named_once(run, complaint, file, pipe):
    text = "a B-X\nb O\n" * 100_000
    path = file("gold", text)
    assert run("compare", path, pipe(text), pipe(text), "--names", "one,two")[0] == 0
    one = pipe(text)
    assert "can be read only once" in complaint("score", one, one)
    assert "standard input" in complaint("score", "-", "-")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="pipes have names in /dev/fd")
def test_what_can_be_read_once_is_read_again(run, lines, file, pipe):
    text = "a B-X\nb O\n"
    assert run("errors", pipe(text), file("system", text), "--by", "1")[0] == 0
    gold = lines("gold.jsonl", {"text": "Ann won", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
    answers = json.dumps({"one": '[["PER", "Ann"]]', "two": "[]"}) + "\n"
    scored = json.loads(run("score", gold, pipe(answers), "--answer-key", "one,two", "--json")[1])
    assert [system["answers"] for system in scored["systems"].values()] == [1, 1]


def test_columns_from_the_right(run, file):
    path = file("all", "a B-X B-X O\nb O O O\n")
    status, output, _ = run("compare", path, "--column", "-3,-2,-1", "--json")
    assert status == 0 and [system["column"] for system in json.loads(output)["systems"].values()] == [
        "column 3",
        "column 4",
    ]
    assert run("score", path, "--reference-column", "-2", "--prediction-column", "-1")[0] == 0


def test_what_is_called_a_document(run, file):
    sentences = file("one", "a B-X\n\nb O\n")
    documents = file("several", "-DOCSTART- O\n\na B-X\n\nb O\n\n-DOCSTART- O\n\nc O\n")
    for command, more in (("score", ["{}"]), ("compare", ["{}", "{}"]), ("agree", ["{}"]), ("advise", [])):
        shown = [run(command, path, *[path for _ in more])[1] for path in (sentences, documents)]
        assert "2 sentences (no document boundaries found)" in shown[0]
        assert "3 sentences (2 -DOCSTART- lines: with --documents=-DOCSTART-, intervals resample documents" in shown[1]
        told = run(command, documents, *[documents for _ in more], "--documents", "-DOCSTART-")[1]
        assert "2 documents" in told and "sentences" not in told
    lines = file("lines.jsonl", '["B-X"]\n["O"]\n')
    assert "2 documents" in run("score", lines, lines)[1]
    marked = file("marked", "-X- O\n\na B-X\n\nb O\n")
    assert "(1 -X- line: with --documents=-DOCSTART-" in run("score", marked, marked, "--boundary=-X-")[1]
    assert "1 document," in run("score", marked, marked, "--boundary=-X-", "--documents=-DOCSTART-")[1]


def test_a_system_without_documents_has_those_of_the_reference(run, file):
    """Two documents of one and two tokens; the system's file has the tokens alone."""
    gold = file("gold.tsv", "TOKEN\tTAG\n# id = one\na\tB-X\n# id = two\nb\tB-X\nc\tI-X\n")
    system = file("system.tsv", "TOKEN\tTAG\na\tB-X\nb\tI-X\nc\tI-X\n")
    options = "--column", "TAG", "--documents", "id", "--measures", "span_f", "--per-document", "--json"
    shown = json.loads(run("score", gold, system, *options)[1])
    # I-X after the end of a document begins a span
    assert shown["measures"]["span_f"]["scores"]["f1"] == 1.0 and shown["documents"] == 2
