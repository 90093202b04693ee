"""`spanometer errors`: examples, buckets and the report."""

import json
import re

import pytest

GOLD = (
    "w Ada B-PER\nw Lovelace I-PER\nw slept O\n\nx in O\nx Rome B-LOC\n\nx Rome B-LOC\n\nx Rome B-ORG\nx won O\n\n"
    "y in O\ny Rome B-LOC\n"
)
OLD = (
    "w Ada B-PER\nw Lovelace O\nw slept O\n\nx in O\nx Rome B-PER\n\nx Rome B-LOC\n\nx Rome B-LOC\nx won O\n\n"
    "y in O\ny Rome O\n"
)
TRAIN = "Rome B-LOC\nAda B-ORG\nLovelace I-ORG\n"


@pytest.fixture
def files(file):
    # the words are the second column
    return [
        file(f"{name}.conll", f"# columns: kind token ner\n{content}")
        for name, content in (("gold", GOLD), ("old", OLD))
    ]


@pytest.fixture
def output(run):
    """What a run that goes well writes."""

    def call(*arguments):
        status, written, complaint = run("errors", *arguments)
        assert (status, complaint) == (0, "")
        return written

    return call


def test_report(output, files, file, tmp_path):
    path = tmp_path / "report.html"
    assert "span_f f1" in output(*files, "--html", path, "--train", file("train.conll", TRAIN))
    html = path.read_text(encoding="utf-8")
    assert files[0] in html and "mentions in training" in html
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert data["passages"]["text"][0] == "Ada Lovelace slept"
    output(*files, "--html", path, "--force")
    assert "mentions in training" not in path.read_text(encoding="utf-8")
