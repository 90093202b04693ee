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
DOCUMENTS = (
    '{"id": "a", "text": "Ada Lovelace slept", "label": [[0, 12, "PER"]]}\n'
    '{"id": "b", "text": "in Rome", "label": [[3, 7, "LOC"]]}\n'
)


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


def test_examples_are_chosen(output, files):
    rows = output(*files, "--examples", "jsonl", "--reference-label", "LOC", "--predicted-label", "PER").splitlines()
    assert [json.loads(row)["line"] for row in rows] == [7]
    first = json.loads(output(*files, "--examples", "jsonl", "--limit", "1"))
    assert (first["system"], first["kind"], first["reference"]["text"]) == ("old", "wrong_label", "Rome")
    sample = [output(*files, "--examples", "jsonl", "--sample", "1", "--sample-seed", str(seed)) for seed in range(12)]
    assert len(set(sample)) > 1
    assert sample[0] == output(*files, "--examples", "jsonl", "--sample", "1")


def test_buckets(output, files, file):
    train = file("train.conll", TRAIN)
    found = json.loads(output(*files, "--train", train, "--by", "kind", "--json"))
    by = {(row["by"], row["bucket"]): (row["reference"], row["right"]) for row in found["buckets"]["old"]}
    assert by["mentions in training", "seen"] == (3, 1)
    assert by["mentions in training", "seen with another label"] == (2, 0)
    assert by["kind", "x"] == (3, 1)
    assert by["labels of the same string", "mostly another label"] == (1, 0)
    (first, *_) = json.loads(output(*files, "--suspicious", "--train", train, "--json"))["suspicious"]
    assert [first[key] for key in ("text", "label", "line", "other_label", "other_times", "train_other_times")] == [
        *("Rome", "ORG", 11, "LOC", 3, 1)
    ]
    text = output(*files, "--buckets", "--suspicious")
    assert "labels of the same string" in text and "line 11" in text
    table = output(*files, "--buckets", "--table", "csv", "--table-kind", "buckets")
    assert table.startswith("system,by,bucket,precision")


def test_mapped_labels_are_mapped_in_the_training_set(output, files, file):
    train = file("train.conll", TRAIN)
    found = json.loads(output(*files, "--train", train, "--label-map", "ORG=PER", "--json"))
    by = {(row["by"], row["bucket"]): row["reference"] for row in found["buckets"]["old"]}
    assert by["mentions in training", "seen"] == 4


def test_report(output, files, file, tmp_path):
    path = tmp_path / "report.html"
    assert "span_f f1" in output(*files, "--html", path, "--train", file("train.conll", TRAIN))
    html = path.read_text(encoding="utf-8")
    assert files[0] in html and "mentions in training" in html
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert data["passages"]["text"][0] == "Ada Lovelace slept"
    output(*files, "--html", path, "--force")
    assert "mentions in training" not in path.read_text(encoding="utf-8")


def test_documents_of_characters(output, file, tmp_path):
    gold = file("gold.jsonl", DOCUMENTS)
    system = file("system.jsonl", DOCUMENTS.replace("0, 12", "0, 3").replace("LOC", "ORG"))
    path = tmp_path / "report.html"
    rows = [json.loads(row) for row in output(gold, system, "--examples", "jsonl", "--html", path).splitlines()]
    assert [(row["name"], row["line"], row["text"]) for row in rows] == [("a", 1, "Ada Lovelace"), ("b", 2, "Rome")]
    assert rows[0]["after"] == " slept"
    found = json.loads(output(gold, system, "--train", gold, "--json"))
    by = {(row["by"], row["bucket"]): (row["reference"], row["right"]) for row in found["buckets"]["system"]}
    assert by["mentions in training", "seen"] == (2, 0)
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])
    assert data["passages"]["text"] == ["Ada Lovelace slept", "in Rome"]


def test_without_words_there_are_no_strings(output, file):
    both = file("both.tsv", "B-PER\tB-LOC\nO\tB-PER\n\nB-LOC\tB-LOC\n")
    first = output(both, "--column", "1,2", "--examples", "jsonl").splitlines()[0]
    assert "text" not in json.loads(first)
    assert "labels of the same string" not in output(both, "--column", "1,2", "--buckets")


@pytest.mark.filterwarnings("ignore:the reference. 1 document")
def test_examples_of_documents_as_they_were_paired(run, file):
    """Documents that the reference alone has are left out, and tokens are made."""

    def export(name, **entities):
        texts = {"one": "Ada saw Rome", "two": "Bob left"}
        lines = [
            {"id": key, "text": texts[key], "label": [list(one) for one in rows]} for key, rows in entities.items()
        ]
        return file(f"{name}.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))

    paths = [export("gold", two=[(0, 3, "PER")], one=[(8, 12, "LOC")]), export("output", one=[(8, 12, "PER")])]
    status, output, _ = run(
        "errors", *paths, "--scored-documents", "shared", "--tokenizer", "words", "--examples", "jsonl"
    )
    row = json.loads(output)
    assert (status, row["name"], row["reference"]["text"], row["before"]) == (0, "one", "Rome", "Ada saw ")


def test_buckets_of_several_systems_stand_side_by_side(output, file):
    gold = file("gold.conll", "# id 1 domain=news\nRome B-LOC\nwon O\n\n# id 2 domain=dev\nACME B-ORG\n\nno B-ORG\n")
    old, new = (
        file(f"{name}.conll", f"Rome B-LOC\nwon O\n\nACME {tag}\n\nno O\n")
        for name, tag in (("old", "O"), ("new", "B-ORG"))
    )
    text = output(gold, old, new, "--buckets", "--by", "domain", "--n-resamples", 20)
    rows = [re.sub(r"\[.*?\]", "", line).split() for line in text.splitlines()]
    assert ["domain,", "f1", "old", "new", "reference"] in rows
    assert ["dev", "0.0000", "1.0000", "1"] in rows and ["none", "0.0000", "0.0000", "1"] in rows
    assert ["all", "capitals", "0.0000", "1.0000", "1"] in rows and ["lower", "case", "0.0000", "0.0000", "1"] in rows
