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
