"""`spanometer score` on files of label numbers."""

import json
import re

import pytest

NAMES = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
FORMS = {
    "lines": "\n".join(NAMES) + "\n",
    "windows": "\r\n".join(NAMES),
    "list": json.dumps(NAMES),
    "object": json.dumps(dict(enumerate(NAMES)), indent=1),
    "config": json.dumps({"model_type": "bert", "id2label": dict(enumerate(NAMES))}),
}
# PER is right, ORG is cut short; one token is left out
GOLD, SYSTEM = "Ada 1\nLee 2\nfell -100\n\nAcme 3\nInc 4\n", "Ada 1\nLee 2\nfell 2\n\nAcme 3\nInc 0\n"
LISTS = "[1, 2, -100]\n[3, 4]\n", "[1, 2, 2]\n[3, 0]\n"


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_names(run, file, form):
    names = file("names.txt", form)
    for suffix, (gold, system) in (("conll", (GOLD, SYSTEM)), ("jsonl", LISTS)):
        paths = file(f"gold.{suffix}", gold), file(f"system.{suffix}", system)
        status, output, _ = run("score", *paths, "--id2label", names, "--measures", "span_f", "--json")
        found = json.loads(output)
        assert (status, found["tokens"]) == (0, 4)
        assert found["measures"]["span_f"]["counts"] == {"both": 1, "predicted": 2, "reference": 2}
        assert "|ignore_index:-100|" in found["measures"]["span_f"]["signature"]


def test_two_columns_and_another_number_to_leave_out(run, file):
    both = file("both.conll", "Ada 1 1\nLee 2 0\nfell 9 2\n")
    options = "--reference-column", "2", "--prediction-column", "3", "--ignore-index", "9", "--measures", "span_f"
    _, output, _ = run("score", both, "--id2label", file("names.txt", FORMS["lines"]), *options, "--json")
    assert json.loads(output)["measures"]["span_f"]["counts"] == {"both": 0, "predicted": 1, "reference": 1}


def test_words_of_tokens_that_are_left_out(run, file):
    # probabilities of words: Ada, Lee, Acme and Inc are one in four each
    names, paths = file("names.txt", FORMS["lines"]), (file("gold.conll", GOLD), file("system.conll", SYSTEM))
    options = "--measures", "sl_icm(token_probabilities=corpus)", "--json"
    status, output, _ = run("score", *paths, "--id2label", names, *options)
    tags = file("gold.txt", "Ada B-PER\nLee I-PER\n\nAcme B-ORG\nInc I-ORG\n")
    others = file("system.txt", "Ada B-PER\nLee I-PER\n\nAcme B-ORG\nInc O\n")
    _, expected, _ = run("score", tags, others, *options)
    scores = [json.loads(text)["measures"]["sl_icm"]["scores"] for text in (output, expected)]
    assert (status, scores[0]) == (0, scores[1])


def test_compare_and_agree(run, file):
    names, (gold, system) = file("names.txt", FORMS["lines"]), (file("gold.conll", GOLD), file("system.conll", SYSTEM))
    tags = file("gold.txt", "Ada B-PER\nLee I-PER\n\nAcme B-ORG\nInc I-ORG\n")
    others = file("system.txt", "Ada B-PER\nLee I-PER\n\nAcme B-ORG\nInc O\n")
    for command, more in (
        ("compare", ["--measures", "span_f", "--n-resamples", "9", "--names", "a,b"]),
        ("agree", []),
    ):
        found = []
        for paths, options in (((gold, gold, system), ["--id2label", names]), ((tags, tags, others), [])):
            status, output, _ = run(
                command, *paths, *options, *more, *(["--names", "x,y,z"] if not more else []), "--json"
            )
            assert status == 0
            found.append(re.sub(r"ignore_index:-100\|", "", re.sub(r'"file": "[^"]*"', "", output)))
        assert found[0] == found[1]
