"""Answers of language models as strings, under policies for these, on the command line."""

import re

import pytest

TEXT = "Ann saw Bob in Rome. Ann left."
SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
MENTIONS = [{"label": "PER", "text": "Ann"}, {"label": "LOC", "text": "Rome"}]
GOOD = '[["PER", "ann"], ["PER", "Cid"], ["LOC", "Rome"]]'
BAD = '[["PER", "Bob"], ["PLACE", "Rome"]'


@pytest.fixture
def gold(lines):
    return lines("gold.jsonl", {"id": 1, "text": TEXT, "spans": SPANS}, {"id": 2, "text": "Oslo", "spans": []})


@pytest.fixture
def good(lines):
    return lines("good.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": GOOD})


@pytest.fixture
def bad(lines):
    return lines("bad.jsonl", {"id": 2, "answer": "[]"}, {"id": 1, "answer": BAD})


def test_score(run, scores, gold, good):
    # two mentions, of three items: ann counts in lower case, Cid is dropped
    found = scores("score", gold, good, "--grounding", "gollie", "--labels", "PER,LOC")
    (mention_f,) = found["measures"].values()
    assert mention_f["scores"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert mention_f["signature"].startswith("mention_f|grounding:gollie|answer_labels:LOC,PER|fold:case|")
    assert (found["prediction"]["items"], found["prediction"]["absent"], found["reference_mentions"]) == (3, 1, 2)
    strict = scores("score", gold, good, "--grounding", "strict-strings")["measures"]["mention_f"]["scores"]
    assert strict == {"precision": 1 / 3, "recall": 0.5, "f1": 0.4}
    # the measure alone asks for the default, and --labels ignore is its option
    options = ("--measure", "mention_f", "--average", "macro", "--types-only")
    assert scores("score", gold, good, *options)["measures"]["mention_f"]["scores"]["f1"] == 0.4
    status, output, _ = run("score", gold, good, "--grounding", "gollie", "--per-label", "--per-document")
    assert status == 0
    assert "2 answers with 3 items: 2 placed, 1 absent" in output
    assert "2 documents, 2 reference mentions, 2 predicted mentions" in output
    assert run("score", gold, good, "--grounding", "gollie", "--score-only")[1] == "1.0000\n"


def test_a_policy_by_its_actions(scores, gold, bad):
    policy = "salvage,drop,exact,set,drop,drop"
    options = ("--grounding", policy, "--aliases", "PLACE=LOC", "--answer-labels", "PER,LOC", "--confidence", "0.9")
    found = scores("score", gold, bad, *options)["measures"]["mention_f"]
    assert found["scores"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert f"|grounding:{policy}|" in found["signature"]
    assert "|confidence:0.9|" in found["signature"]


def test_several_systems(scores, gold, good, bad):
    found = scores("score", gold, good, bad, "--grounding", "gollie")["systems"]
    assert {name: one["measures"]["mention_f"]["scores"]["f1"] for name, one in found.items()} == {"good": 1, "bad": 0}
    options = ("--grounding", "gollie", "--names", "a,b", "--per-label", "--permutations", "50", "--resamples", "50")
    compared = scores("compare", gold, good, bad, *options)
    measure = compared["measures"]["mention_f"]
    assert {name: system["scores"]["f1"] for name, system in measure["systems"].items()} == {"a": 1, "b": 0}
    assert set(measure["per_label"]) == {"LOC", "PER"}
    assert "|grounding:gollie|" in measure["signature"]
    assert compared["systems"]["b"]["broken"] == 1


def test_mentions_without_offsets(scores, complaint, lines):
    rows = [{"id": 1, "text": TEXT, "gold": MENTIONS, "by": {"a": GOOD, "b": BAD}}]
    path = lines("all.jsonl", *rows)
    options = ("--mentions-key", "gold", "--answer-key", "by.a,by.b", "--grounding", "lm-eval")
    found = scores("score", path, *options)
    assert found["reference"] == {"file": path, "mentions": 2, "notes": [], "left_out": []}
    assert found["systems"]["a"]["measures"]["mention_f"]["scores"]["f1"] == 0.8
    # of other documents, only shared ones count
    more = lines("more.jsonl", {"id": 9, "answer": "[]"}, {"id": 1, "answer": GOOD})
    options = ("--mentions-key", "gold", "--grounding", "lm-eval")
    assert "1 document here, 2 documents in" in complaint("score", path, more, *options)
    odd = lines("odd.jsonl", {"id": 1, "text": "x", "gold": []}, {"id": 2, "text": TEXT, "gold": [{"label": "PER"}]})
    assert "odd.jsonl, line 2, span 0: {'label': 'PER'} is not a label and a text" in complaint(
        "score", odd, lines("two.jsonl", {"id": 1, "answer": "[]"}, {"id": 2, "answer": "[]"}), *options
    )
    assert "the line has nothing under 'gold'" in complaint("score", more, more, *options)


def test_fragments_are_joined_by_blanks(scores, lines, good):
    spans = [{"fragments": [[0, 3], [8, 11]], "label": "PER"}, {"start": 7, "end": 8, "label": "PER"}]
    gold = lines("g.jsonl", {"text": TEXT, "spans": spans})
    answers = lines("a.jsonl", {"answer": '[["PER", "Ann Bob"]]'})
    # the blank alone is no mention
    found = scores("score", gold, answers, "--grounding", "strict-strings")["measures"]["mention_f"]["scores"]
    assert found == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--grounding", "gollie", "--measure", "span_f"), "span_f scores spans, not answers as strings. A policy for"),
        (("--grounding", "gollie", "--measure", "mention_f,link_f"), "link_f scores spans"),
        (("--grounding", "strict", "--measure", "mention_f"), "'strict' is no policy for strings"),
        (("--grounding", "a,b,c,d,e,f"), "invalid value for .*broken.*: 'a'"),
        (("--grounding", "gollie", "--offsets", "trust"), "--offsets is for documents with spans, not for answers as"),
        (("--grounding", "gollie", "--to-tokens", "overlap"), "--to-tokens is .* answers as strings"),
        (("--mentions-key", "gold"), "--mentions-key is for answers as strings"),
        (("--grounding", "gollie", "--cap"), "intersection_f, which is not computed"),
    ],
)
def test_what_strings_do_not_have(complaint, gold, good, bad, options, said):
    for command in (("score", gold, good), ("compare", gold, good, bad)):
        assert re.search(said, complaint(*command, *options))


def test_complaints(complaint, gold, good, bad):
    assert "these are spans, not answers" in complaint("score", gold, gold, "--grounding", "gollie")
    assert "these are answers of a language model, not spans" in complaint("score", good, bad, "--grounding", "gollie")
    assert "there is no file with answers" in complaint("score", gold, "--grounding", "gollie")
    assert "1 system: a comparison takes two" in complaint("compare", gold, good, "--grounding", "gollie")
    options = ("--grounding", "gollie", "--rank-correlation")
    assert "strings have one measure" in complaint("compare", gold, good, bad, *options)
    # other commands look for places, and say where strings are scored
    assert "'gollie' is no policy for spans. Use spanometer score or compare" in complaint(
        "errors", gold, good, "--grounding", "gollie"
    )


# published between .713 and .734
@pytest.mark.parametrize(("policy", "f1"), [("gollie", 0.734), ("universalner", 0.718), ("knowcoder", 0.713)])
def test_museum_records(data, scores, policy, f1):
    path = str(data / "generated" / "museo_egizio_gpt4omini.jsonl")
    reading = ("--spans-key", "gold", "--answer-key", "answers.gpt-4o-mini")
    labels = ("--labels", "PERSON,LOCATION", "--aliases", "PLACE=LOCATION")
    found = scores("score", path, *reading, *labels, "--grounding", policy)
    assert round(found["measures"]["mention_f"]["scores"]["f1"], 3) == f1


def test_doping_sentences(data, scores):
    """With the relations of the answers, which are items of labels that nobody asked for."""
    path = str(data / "generated" / "nerre_doping_gpt3.jsonl")
    reading = ("--mentions-key", "gold", "--answer-key", "answers.gpt3 json", "--labels", "basemats,dopants")
    found = scores("score", path, *reading, "--grounding", "gollie")
    assert round(found["measures"]["mention_f"]["scores"]["f1"], 3) == 0.777
    assert found["reference"]["mentions"] == 136
