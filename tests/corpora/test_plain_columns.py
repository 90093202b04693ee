"""Files of columns with any tags."""

from corpus_releases import exhaust, names_of, packed, refused
from spanometer import Spans
from spanometer.corpora import load_conll


def test_plain_columns(file):
    path = file("some.tsv", "TOKEN\tGOLD\tOTHER\nin\tO\tx\nRome\tS-LOC\tx\n\nAda\tS-PER\tx\n")
    dataset = load_conll(path, column="GOLD")["train"]
    assert dataset.features["ner_tags"].feature.names == ["O", "S-LOC", "S-PER"]
    assert list(dataset) == [
        {"id": "0", "tokens": ["in", "Rome"], "ner_tags": [0, 1]},
        {"id": "1", "tokens": ["Ada"], "ner_tags": [2]},
    ]
    assert exhaust(load_conll, path, "train", column=2) == list(dataset)


def test_plain_columns_of_several_splits_share_their_names(file):
    loaded = load_conll({"test": file("b", "x B-Z\n"), "train": file("a", "y I-Y\n")})
    assert list(loaded) == ["train", "test"]
    assert loaded["train"].features == loaded["test"].features
    assert names_of(loaded["test"]) == [["B-Z"]]
    assert load_conll({"test": file("b", "x B-Z\n")}, "test").features["ner_tags"].feature.names == ["B-Z"]


def test_tags_alone(data):
    dataset = load_conll(data / "conll03_test_tags.tsv", column=1, split="test")
    assert dataset.column_names == ["id", "ner_tags"]
    assert dataset.num_rows == 3453
    assert len(Spans.from_tags(names_of(dataset))) == 5648


def test_another_tag_for_outside(file):
    path = file("a", "x B-Z\ny _\n")
    assert load_conll(path, "train", outside="_")[0]["ner_tags"] == [1, 0]
    assert refused(load_conll, path).line == 2


def test_plain_columns_are_no_folder(release, tmp_path):
    for source in (release, packed(release, "zip", tmp_path / "r.zip")):
        assert "folder or an archive" in refused(load_conll, source).problem
