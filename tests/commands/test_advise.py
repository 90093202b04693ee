"""`spanometer advise`, and the lists of spans that it reads."""

import io
import json
import shlex
import sys

import pytest

TAGS = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
SPANS = (
    '{"spans": [{"start": 0, "end": 2, "label": "A"}, {"start": 1, "end": 3, "label": "B"}], '
    '"tokens": ["a", "b", "c"]}\n'
    '\n{"tokens": ["d"], "spans": []}\n'
)


@pytest.fixture
def answer(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run("advise", *arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call


def test_advise(run, file):
    path = file("a.conll", TAGS)
    status, output, complaint = run("advise", path)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference   {path}"
    assert lines[1] == "size        2 sentences (no document boundaries found), 5 tokens, 2 spans, 2 labels"
    assert lines[2] == "lengths     1.50 on average, variance 0.25, longest 2; 50.0% of one token"
    assert any(line.startswith("50.0% of spans of several tokens") and " yes " in line for line in lines)
    assert "suggested   token_f()" in lines
    assert [line.split() for line in lines if line.startswith(("PER", "LOC"))] == [
        ["PER", "0.7500", "yes"],
        ["LOC", "0.5000", "yes"],
    ]
    assert lines[-1] == f"spanometer score {path} SYSTEM --measure token_f"


def test_as_json(answer, file):
    path = file("a.conll", TAGS)
    found = answer(path)
    assert found["file"] == path
    assert found["statistics"]["spans"] == 2
    assert found["properties"] == ["noise"]
    # PER: two tokens of three; LOC: one of two
    assert found["statistics"]["chance_per_label"] == {"LOC": 0.5, "PER": 0.75}
    assert (found["measure"], found["options"]) == ("token_f", {})
    assert len(found["answers"]) == 8


@pytest.mark.parametrize(
    ("tags", "suggested", "options"), [("BIBI", "token_f", {"format": "BIO"}), ("BBII", "sl_icm", {})]
)
def test_the_command_can_be_run(run, answer, file, tags, suggested, options):
    # spans that touch; a name that needs quotes, a column and a scheme of its own
    path = file("a b.tsv", "".join(f"x {tag}-X O\n" for tag in tags))
    found = answer(path, "--column", "2", "--scheme", "iob2")
    assert (found["measure"], found["options"]) == (suggested, options)
    program, *arguments = shlex.split(found["command"])
    assert program == "spanometer"
    status, output, _ = run(*(path if word == "SYSTEM" else word for word in arguments), "--json")
    assert status == 0
    assert list(json.loads(output)["measures"]) == [suggested]


def test_words_make_a_difference(answer, file):
    path = file("a.conll", "".join(f"{word} {tag}\n" for word, tag in zip("abaaaa", "BIOBIO", strict=True)))
    found = answer(path)
    assert found["options"] == {"tokens": "words"}
    assert found["command"].endswith("--measure sl_icm --corpus-probabilities")
    assert answer(path, "--information-variation", 2)["measure"] == "token_f"
    assert answer(file("b.conll", "B\nI\nO\n"))["statistics"]["mean_information"] is None
    # the words stand elsewhere
    path = file("c.conll", "".join(f"x {word} {tag}\n" for word, tag in zip("abaaaa", "BIOBIO", strict=True)))
    assert answer(path)["measure"] == "token_f"
    found = answer(path, "--words-column", 2)
    assert "--words-column 2 --measure sl_icm" in found["command"]


@pytest.mark.parametrize(
    ("option", "value", "measure"),
    [
        ("--several-tokens", 0.51, "span_f"),
        ("--several-tokens", 0.5, "token_f"),
        ("--length-variation", 0.3, "intersection_f"),
        ("--long-span", 2, "bcubed"),
    ],
)
def test_thresholds(answer, file, option, value, measure):
    assert answer(file("a.conll", TAGS), option, value)["measure"] == measure


def test_lists_of_spans(run, answer, file):
    path = file("a.jsonl", SPANS)
    found = answer(path, "--spans", "spans")
    assert found["statistics"]["overlapping"] == 2
    assert found["statistics"]["tokens"] == 4
    assert found["measure"] == "bcubed"
    assert found["command"] is None
    assert "spanometer score" not in run("advise", path, "--spans", "spans")[1]
    bare = file("b.jsonl", '[{"start": 0, "end": 2, "label": "A"}]\n')
    assert answer(bare, "--spans", "spans")["statistics"]["tokens"] is None


def test_standard_input(run, monkeypatch):
    for content, arguments in ((TAGS, []), (SPANS, ["--spans", "spans"])):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        status, output, _ = run("advise", "-", *arguments)
        assert status == 0
        assert output.startswith("reference   standard input\n")


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        ("a O\n", [], "the reference has no spans."),
        ("a B-X\nb Z-X\n", [], ", line 2: 'Z-X'"),
        ("a B-X\nb I-Y\n", ["--repair", "raise"], ", line 2: "),
        ("a B-X\n", ["--adjacent=-1"], "invalid value for --adjacent: -1.0."),
        ("a B-X\n", ["--column", "ner"], "ner"),
        ("", [], "the file is empty"),
        (SPANS, ["--spans", "entities"], ", line 1: the object has no 'entities'; its keys: 'spans', 'tokens'."),
        (SPANS, ["--spans", "spans", "--column", "2"], "--column is not for documents with spans."),
        (SPANS, ["--spans", "spans", "--scheme", "IOB2"], "--scheme is for tags"),
        ('{"spans": {}}\n', ["--spans", "spans"], ", line 1: 'spans' is a JSON object, not a list of spans."),
        (
            '{"spans": []}\n\n{"spans": [{"start": 2, "end": 1, "label": "A"}]}\n',
            ["--spans", "spans"],
            ", line 3, span 0: ",
        ),
        (
            '{"spans": [{"start": 0, "end": 9, "label": "A"}], "tokens": ["a"]}\n',
            ["--spans", "spans"],
            ", line 1: a span of 'A' ends at 9, but the document has 1 token.",
        ),
        ("not JSON\n", ["--spans", "spans"], ", line 1: this is not JSON"),
        ("\n", ["--spans", "spans"], "the file has no documents."),
        ('[{"start": 0, "label": "A"}]\n', ["--spans", "spans"], ", line 1: span 0 has no 'start', 'end' and 'label'."),
    ],
)
def test_wrong_input(complaint, file, content, arguments, said):
    path = file("a", content)
    assert said in complaint("advise", path, *arguments)


def test_no_such_file(complaint, tmp_path):
    for arguments in ([], ["--spans", "spans"]):
        assert "cannot be read: no such file or directory" in complaint("advise", tmp_path / "none", *arguments)


def test_real_corpora(answer, data):
    found = answer(data / "multiconer_es_dev.conll")
    assert (found["statistics"]["documents"], found["statistics"]["tokens"]) == (800, 13931)
    assert (found["statistics"]["spans"], found["statistics"]["adjacent"]) == (1176, 2)
    assert found["measure"] == "intersection_f"
    hipe = answer(
        data / "hipe2020_test_fr.tsv", "--column", "NE-COARSE-LIT", "--documents", "document_id", "--outside", "_"
    )
    assert (hipe["statistics"]["documents"], hipe["statistics"]["spans"]) == (43, 1600)
    assert (hipe["measure"], hipe["options"]) == ("sl_icm", {"tokens": "words"})
    assert answer(data / "conll03_test_tags.tsv", "--column", 1)["measure"] == "token_f"
