"""Options that would do nothing are refused, and a file has the form that its name says."""

import pytest

TAGS = "Ann B-PER\nLee I-PER\nwon O\n\nParis B-LOC\n"
DOCUMENT = {"text": "Ann won", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
ANSWER = {"answer": '[["PER", "Ann"]]'}


@pytest.fixture
def documents(lines):
    return lines("documents.jsonl", DOCUMENT)


@pytest.mark.parametrize(
    "option",
    [["--scheme", "IOB2"], ["--repair", "discard"], ["--no-prefix"], ["--outside", "o"], ["--documents", "blank"]],
    ids=" ".join,
)
def test_options_of_tags_where_there_are_none(complaint, run, documents, lines, option):
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


def test_tokens_that_nothing_is_carried_to(run, documents):
    for arguments in (["score", documents, documents], ["agree", documents, documents]):
        assert run(*arguments, "--to-tokens", "expand", "--tokenizer", "words")[0] == 0
