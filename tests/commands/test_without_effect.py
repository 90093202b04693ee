"""Options that would do nothing are refused, and a file has the form that its name says."""

import json

import pytest

TAGS = "Ann B-PER\nLee I-PER\nwon O\n\nParis B-LOC\n"
DOCUMENT = {"text": "Ann won", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
ANSWER = {"answer": '[["PER", "Ann"]]'}


@pytest.fixture
def tags(file):
    return file("tags.conll", TAGS)


@pytest.fixture
def documents(lines):
    return lines("documents.jsonl", DOCUMENT)


@pytest.mark.parametrize(
    "option",
    [["--scheme", "IOB2"], ["--repair", "discard"], ["--no-prefix"], ["--outside", "o"], ["--documents", "blank"]],
    ids=" ".join,
)
def test_options_of_tags_where_there_are_none(complaint, run, tags, documents, lines, option):
    answers = lines("answers.jsonl", ANSWER)
    for arguments in (
        ["score", documents, documents],
        ["compare", documents, documents, documents],
        ["agree", documents, documents],
        ["errors", documents, answers],
        ["score", documents, answers, "--grounding", "gollie"],
    ):
        if option[0] not in ("--outside", "--documents") or arguments[0] == "score":
            said = complaint(*arguments, *option)
            assert f"{option[0]} has no effect for " in said and said.endswith("Leave it out.")
    words = lines("words.jsonl", {"tokens": ["Ann", "won"], "spans": [{"start": 0, "end": 1, "label": "PER"}]})
    beside = lines("tags.jsonl", {"tokens": ["Ann", "won"], "tags": ["B-PER", "O"]})
    if option[0] in ("--scheme", "--repair"):
        assert run("score", words, beside, "--measures", "span_f", *option)[0] == 0


def test_tokens_that_nothing_is_carried_to(complaint, run, documents):
    for arguments in (["score", documents, documents], ["agree", documents, documents]):
        message = complaint(*arguments, "--to-tokens", "expand")
        assert "--to-tokens expand converts spans to tokens, but the unit is the character." in message
        assert run(*arguments, "--to-tokens", "expand", "--tokenizer", "words")[0] == 0


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        (".csv", "measure,precision"),
        (".md", "| measure |"),
        (".tex", "% "),
        (".html", "<!DOCTYPE html>"),
        (".json", "{"),
        (".txt", "reference"),
        ("", "reference"),
    ],
)
def test_files_have_the_form_of_their_name(run, tags, tmp_path, ending, begins):
    path = tmp_path / f"scores{ending}"
    assert run("score", tags, tags, "-o", path) == (0, "", "")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(begins)
    if ending == ".json":
        assert json.loads(text)["measures"]["span_f"]["scores"]["f1"] == 1.0


def test_what_is_asked_for_goes_before_the_name(run, tags, tmp_path):
    path = tmp_path / "scores.csv"
    assert run("score", tags, tags, "--table", "markdown", "-o", path)[0] == 0
    assert path.read_text(encoding="utf-8").startswith("| measure")
    assert run("score", tags, tags, "--score-only", "--measures", "span_f", "-o", path, "--force")[0] == 0
    assert path.read_text(encoding="utf-8") == "1.0000\n"
    errors = tmp_path / "errors.jsonl"
    assert run("errors", tags, tags, "--examples", "jsonl", "-o", errors)[0] == 0
