"""`spanometer score --references`: systems against several annotators."""

import json

import pytest

import spanometer
from spanometer.readers import read, tag_lists

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-PER\n"
NEW = "Ada B-PER\nLovelace I-PER\nslept O\n\nin B-LOC\nRome I-LOC\n"


@pytest.fixture
def tags(file):
    contents = {"ann": ANN, "ben": BEN, "cat": CAT, "new": NEW}
    return [file(f"{name}.conll", content) for name, content in contents.items()]


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
