"""Whatever `convert` writes, every command reads: empty, long, one-sided and span-free corpora in every format."""

import pytest

import spanometer
from spanometer.readers.formats import writers

LONG = [*["word" * 30_000] * 10, "end"]
"""The words of a text that is longer than what is read of a file at once."""

CORPORA = {
    "the first document has no span": [(["one", "two"], []), (["three", "four"], [1])],
    "the first document has no token": [([], []), (["three", "four"], [1])],
    "no document has a span": [(["one", "two"], []), (["three"], [])],
    "the first document is long": [(LONG, [10]), (["three", "four"], [1])],
    "the first document is long and has no span": [(LONG, []), (["three", "four"], [1])],
    "the only document is long": [(LONG, [0, 10])],
}
FORMATS = [*(set(writers()) - {"columns"}), "IOB2"]
COMMANDS = [
    "score {} {}",
    "compare {} {} {}",
    "agree {} {}",
    "errors {} {}",
    "consensus {} {} {} -o consensus.jsonl --force",
    "validate {}",
    "convert {} --to jsonl -o again.jsonl --force",
]


def row(name, words, places, *, in_tokens):
    """Return a document with a span of one word at each of some places."""
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    bounds = [
        (place, place + 1) if in_tokens else (starts[place], starts[place] + len(words[place])) for place in places
    ]
    content = {"tokens": words} if in_tokens else {"text": " ".join(words)}
    return {"id": name, **content, "spans": [{"start": start, "end": end, "label": "X"} for start, end in bounds]}


@pytest.fixture
def converted(run, lines, tmp_path):
    """Write a corpus in a format, once with its spans and once without any."""

    def write(corpus, format, *, in_tokens):
        tokenizer = [] if in_tokens or format not in ("IOB2", "spacy") else ["--tokenizer", "words"]
        for side in ("gold", "none"):
            documents = [
                row(f"d{number}", words, places if side == "gold" else [], in_tokens=in_tokens)
                for number, (words, places) in enumerate(corpus)
            ]
            source = lines(f"{side}-source.jsonl", *documents)
            target = tmp_path / f"{side}.{format}"
            status, _, complaint = run("convert", source, "--to", format, "-o", target, "--lossy", *tokenizer)
            assert status == 0, complaint
            yield str(target)

    return write


@pytest.mark.parametrize(("format", "in_tokens"), [*((each, False) for each in sorted(FORMATS)), ("jsonl", True)])
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_command_reads_what_convert_writes(run, converted, corpus, format, in_tokens, monkeypatch, tmp_path):
    if format == "spacy":
        pytest.importorskip("spacy")
    monkeypatch.chdir(tmp_path)
    gold, none = converted(CORPORA[corpus], format, in_tokens=in_tokens)
    spans = sum(len(places) for _, places in CORPORA[corpus])
    assert [len(spanometer.read(file).spans) for file in (gold, none)] == [spans, 0]
    # one command reads long documents as all do
    for command in COMMANDS[:1] if "long" in corpus else COMMANDS:
        for files in [(gold, none, gold), (none, gold, none)]:
            status, _, complaint = run(
                *command.format(*files).split(), *["--measures", "span_f"] * ("score" in command)
            )
            assert status == 0, f"{command}: {complaint}"


@pytest.mark.parametrize("in_tokens", [True, False], ids=["tokens", "texts"])
def test_the_format_may_be_named(run, converted, in_tokens):
    gold, none = converted(CORPORA["the first document has no span"], "jsonl", in_tokens=in_tokens)
    for files in [(gold, none), (none, gold), (none, none)]:
        status, _, complaint = run("score", *files, "--format", "jsonl")
        assert status == 0, complaint


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_pipe_is_recognised_as_a_file_is(run, converted, standard_input, corpus):
    gold, none = converted(CORPORA[corpus], "jsonl", in_tokens=False)
    with open(gold, "rb") as file:
        standard_input(file.read())
    assert run("score", "-", none)[::2] == (0, "")


@pytest.mark.parametrize("format", sorted(FORMATS))
@pytest.mark.parametrize("content", ["no document", "no token"])
def test_a_file_that_could_not_be_read_is_not_written(run, lines, tmp_path, format, content):
    if format == "spacy":
        pytest.importorskip("spacy")
    task = {"data": {"text": "a"}, "annotations": []}
    source = lines("source.json", task if content == "no document" else {"tokens": [], "spans": []})
    target = tmp_path / f"target.{format}"
    status, _, complaint = run("convert", source, "--to", format, "-o", target, "--lossy")
    if content == "no token" and format != "IOB2":
        assert status == 0
        assert spanometer.read(target).documents.size == 1
        return
    assert status == 2
    assert "no Label Studio task has an annotation" in complaint or "no document has a token" in complaint
    assert not target.exists()
