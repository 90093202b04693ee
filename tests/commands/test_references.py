"""`spanometer score --references`: systems against several annotators."""

import json

import pytest

import spanometer
from spanometer.readers import read, tag_lists

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-PER\n"
NEW = "Ada B-PER\nLovelace I-PER\nslept O\n\nin B-LOC\nRome I-LOC\n"
TEXT = "Ada L. woke"


def row(spans, name="d0", **more):
    listed = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return json.dumps({"id": name, **more, "text": TEXT, "spans": listed}) + "\n"


@pytest.fixture
def tags(file):
    contents = {"ann": ANN, "ben": BEN, "cat": CAT, "new": NEW}
    return [file(f"{name}.conll", content) for name, content in contents.items()]


def test_tags(run, tags):
    status, output, errors = run("score", *tags, "--references", 3)
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"ann   {tags[0]}, column 2"
    assert lines[4] == "size  2 sentences (no document boundaries found), 5 tokens"
    rows = {line.split("  ")[0]: line.split() for line in lines}
    # one of two spans right against each; best in each document: both
    assert rows["new"][1:] == ["0.5000", "0.5000", "0.5000", "0.5000", "0.5000", "1.0000"]
    assert rows["ann"][1:] == ["·", "0.0000", "0.5000", "0.2500", "0.5000", "0.5000"]
    assert rows["annotators"][-3:] == ["0.1667", "0.3333", "0.3333"]
    assert rows["new minus annotators"][-3:-1] == ["+0.3333", "+0.1667"]
    assert lines[-1].startswith("span_f|scheme:IOB2|repair:conlleval|references:3|")


def test_json_with_intervals(run, tags):
    options = ("--measures", "span_f,link_f", "--confidence", "0.9", "--n-resamples", "50", "--json")
    status, output, _ = run("score", *tags, tags[0], "--references", 3, "--names", "new,old", *options)
    found = json.loads(output)
    assert status == 0
    lists = {name: tag_lists(read(path).tags[0]) for name, path in zip(("ann", "ben", "cat", "new"), tags, strict=True)}
    systems = {"new": lists.pop("new"), "old": lists["ann"]}
    expected = spanometer.score_against(
        lists, systems, measures=("span_f", "link_f"), confidence=0.9, n_resamples=50
    ).to_dict()
    assert {key: found[key] for key in expected} == expected
    assert len(found["files"]) == 5


def test_annotators_of_one_file(run, file):
    both = file("both.jsonl", row([(0, 6, "PER")], annotator="ann") + row([(0, 3, "PER")], annotator="ben"))
    system = file("system.jsonl", row([(0, 6, "PER")]))
    status, output, _ = run("score", both, system, "--references", 1, "--json")
    found = json.loads(output)
    assert (status, found["references"], found["systems"], found["tokens"]) == (0, ["ann", "ben"], ["system"], 11)
    against = found["measures"]["span_f"]["against"]["system"]
    assert [against[name]["scores"]["f1"] for name in ("ann", "ben")] == [1.0, 0.0]


def test_answers_of_a_language_model(run, file):
    """Only the system has answers; an item without a place counts as predicted, and a tagger stands beside it."""
    ann, ben = file("ann.jsonl", row([(0, 6, "PER")])), file("ben.jsonl", row([(0, 3, "PER")]))
    answer = {"id": "d0", "answer": '[["PER", "Ada L."], ["PER", "Zoe"]]'}
    model, tagger = file("model.jsonl", json.dumps(answer) + "\n"), file("tagger.jsonl", row([(0, 3, "PER")]))
    reading = ("--grounding", "strict", "--asked-labels", "PER", "--json")
    for systems in ((model, tagger), (tagger, model)):
        status, output, errors = run("score", ann, ben, *systems, "--references", 2, *reading)
        assert (status, errors) == (0, "")
        against = json.loads(output)["measures"]["span_f"]["against"]
        values = {
            name: [against[name][person]["scores"]["f1"] for person in ("ann", "ben")]
            for name in against
            if name in ("model", "tagger")
        }
        assert values == {"model": [2 / 3, 0.0], "tagger": [0.0, 1.0]}
    keyed = file("keyed.jsonl", json.dumps({"id": "d0", "a": answer["answer"], "b": "[]"}) + "\n")
    status, output, _ = run("score", ann, ben, keyed, "--references", 2, "--answer-key", "a,b", *reading)
    assert (status, json.loads(output)["systems"]) == (0, ["a", "b"])
