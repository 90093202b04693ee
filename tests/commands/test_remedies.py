"""Errors of the command line name the option or the step that helps."""

import json
import zlib
from importlib.util import find_spec

import pytest

import spanometer
from spanometer.analysis.spread import policy_spread
from spanometer.errors import InputError

ARRAY = json.dumps([["B-PER", "O"], ["O"]])


@pytest.mark.parametrize(
    ("tag", "python", "command"),
    [
        ("NOUN", "prefix=False", "--no-prefix"),
        ("o", "Write 'O'", "--outside o"),
        ("_", "Write 'O'", "--outside _"),
        ("-", "Write 'O'", "--outside -"),
        ("[PAD]", "special tokens", "special tokens"),
        ("LABEL_0", "id2label", "id2label"),
        ("b-PER", "'B-PER'", "'B-PER'"),
        ("B_PER", "'B-PER'", "'B-PER'"),
    ],
)
def test_tags_that_are_none(complaint, file, tag, python, command):
    path = file("tags.conll", f"x B-PER\ny {tag}\n")
    with pytest.raises(InputError) as error:
        spanometer.Spans.from_tags([["B-PER", tag]])
    assert python in error.value.remedy or python in str(error.value)
    assert "--" not in str(error.value)
    for arguments in (["score", path, path], ["convert", path, "--to", "IOB2"]):
        message = complaint(*arguments)
        assert command in message
        assert "=..." not in message
        assert "convert the tags" not in message


def test_functions_without_an_option_do_not_name_it():
    with pytest.raises(InputError, match="'NOUN' has no prefix of IOBES") as error:
        policy_spread([["NOUN"]], [["NOUN"]], scheme="IOBES")
    assert error.value.remedy == "Write every tag as O or as prefix-label, for example 'B-PER'."


def test_an_empty_tag():
    with pytest.raises(InputError, match="Write 'O'"):
        spanometer.Spans.from_tags([["B-PER", ""]])


@pytest.mark.parametrize("command", ["score", "compare", "agree", "advise"])
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", f"{ARRAY}x", "stands after an item"),
        ("a.txt", "sentence,of,speech\n1,Ada,B-PER\n", "--format csv"),
        ("a.spacy", zlib.compress(b"docs" * 20), "spaCy's" if find_spec("spacy") else "this is a DocBin"),
        ("a.parquet", b"PAR1" + bytes(20), "this Parquet file is damaged"),
    ],
)
def test_other_files(complaint, tmp_path, command, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    message = complaint(command, *[str(path)] * (1 if command == "advise" else 3 if command == "compare" else 2))
    assert expected in message


def test_a_comparison_takes_two(complaint, file):
    path = file("gold.conll", "Ada B-PER\n")
    assert "--columns" in complaint("compare", path, path)
    assert "spanometer score" in complaint("compare", path, path, path, "--measure", "span_attribute")


def test_keys_of_json_lines(complaint, file):
    path = file("gold.jsonl", '{"entities": []}\n')
    assert complaint("score", path, path, "--format", "jsonl", "--scheme", "IOB2").endswith("tags with --column.")
    assert "--spans" in complaint("advise", path)


def test_names_of_schemes(run, complaint, file):
    path = file("gold.conll", "Ada B-PER\n")
    for name, known in (("BIO", "IOB2"), ("bio", "IOB2"), ("iob2", "IOB2"), ("BIOES", "IOBES"), ("biluo", "BILOU")):
        assert f"span_f|scheme:{known}|" in run("score", path, path, "--measure", "span_f", "--scheme", name)[1]
    assert run("convert", path, "--to", "bioes")[1] == "Ada S-PER\n"
    assert "'bioo'" in complaint("score", path, path, "--scheme", "bioo")


def test_tags_without_prefixes(run, complaint, file):
    path = file("pos.conll", "Ada PROPN\nLovelace PROPN\nwrites VERB\n. O\n")
    for arguments in (
        ["score", path, path, "--measure", "span_f"],
        ["compare", path, path, path],
        ["agree", path, path],
    ):
        status, output, _ = run(*arguments, "--no-prefix", "--scheme", "io")
        assert status == 0
        assert "|scheme:IO|repair:conlleval|prefix:no|" in output
    assert "SYSTEM --no-prefix --measure" in run("advise", path, "--no-prefix")[1]
    converted = run("convert", path, "--no-prefix", "--to", "bio")[1]
    assert converted == "Ada B-PROPN\nLovelace I-PROPN\nwrites B-VERB\n. O\n"
    tagged = file("gold.conll", "Ada B-PER\n")
    assert "Leave out --no-prefix" in complaint("score", tagged, tagged, "--no-prefix")
    assert "tags without prefixes are IO" in complaint("score", path, path, "--no-prefix", "--scheme", "bio")


@pytest.mark.parametrize(
    ("flag", "remedy"),
    [
        ("--mode", "What mode='strict' does in seqeval is --repair discard here, with the scheme named"),
        ("--repair-method", "Use --repair conlleval or --repair discard; for none"),
        ("--paired-bs", "Use spanometer compare: it has both tests"),
        ("--confidence-n", "Use --resamples"),
        ("--scenario", "Use the measure semeval_f with --semeval-schema strict, exact, partial or ent_type"),
    ],
)
def test_options_of_other_tools(complaint, flag, remedy):
    line = complaint("score", "gold", "system", flag, "x")
    assert line.startswith(f"spanometer score: unrecognized arguments: {flag} x. {remedy}")
    assert line.endswith(" (see spanometer score --help)")
