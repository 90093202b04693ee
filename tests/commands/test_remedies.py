"""Errors of the command line name the option or the step that helps."""

import json
import zlib
from importlib.util import find_spec

import pytest

import spanometer
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.exceptions import InputError

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


@pytest.mark.parametrize("content", ["Ada B-PER\nx 3\n", "Ada 0\nx 3\n"])
def test_label_numbers(complaint, file, content):
    """Only commands that have the option name it."""
    path, gold = file("numbers.conll", content), file("gold.conll", "Ada B-PER\nx O\n")
    for command in ("score", "compare", "agree", "errors", "consensus"):
        assert "the tags that they stand for, or name these with --label-names" in complaint(command, gold, path, path)
    others = ["spread", gold, path], ["convert", path, "--to", "IOB2"], ["validate", path], ["advise", path]
    for arguments in (*others, ["transform", path, "--apply", "label_noise"], ["repair", path, "--policy", "discard"]):
        message = complaint(*arguments)
        assert "write the tags that they stand for" in message
        assert "id2label" not in message and "--label-names" not in message
    with pytest.raises(InputError, match="write the tags that they stand for") as error:
        policy_spread([["0"]], [["3"]])
    assert "id2label" not in str(error.value)
    with pytest.raises(InputError, match="or name these with id2label"):
        spanometer.score([["0"]], [["3"]])


def test_one_file_is_read_before_its_columns_are_asked_for(complaint, tmp_path):
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"text": "Ada", "of": []}\n')
    for command in ("score", "compare", "agree", "errors", "consensus"):
        assert complaint(command, "nowhere").endswith("cannot be read: no such file or directory.")
        assert "--spans-key" in complaint(command, str(lines))


def test_remedies_do_not_lead_in_a_circle(complaint, tmp_path):
    array, spans = tmp_path / "a.json", tmp_path / "spans.jsonl"
    array.write_text(json.dumps([["B-PER", "O"], ["O"]], indent=1))
    assert "jq -c" in complaint("convert", str(array), "--to", "IOB2")
    spans.write_text('{"text": "Ada", "spans": []}\n')
    # it has no option for spans
    message = complaint("repair", str(spans), "--policy", "discard")
    assert message.endswith("Name the key of the list of tags with --column.")
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"tags": ["B-PER", ""]}\n')
    # no value of the option means an empty tag
    assert complaint("score", str(empty), str(empty)).endswith("Write 'O' for a token outside all spans.")


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
