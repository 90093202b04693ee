"""CoNLL-2003: its rows by hand in both schemes, and malformed files."""

import pytest

from corpus_releases import IOB1, IOB2, exhaust, names_of, packed, refused
from spanometer.corpora import load_conll03
from spanometer.readers import source as reader_source


def test_conll03(file):
    loaded = load_conll03(file("eng.testa", IOB2))
    assert list(loaded) == ["validation"]
    rows = list(loaded["validation"])
    assert [row["id"] for row in rows] == ["0", "1", "2"]
    assert [row["document"] for row in rows] == [0, 1, 1]
    assert rows[1]["tokens"] == ["Ada", "Bob", "Smith"]
    # the codes of the data set on the Hub: O, B-PER, I-PER, B-ORG, ...
    assert rows[0]["ner_tags"] == [3, 0, 1, 0, 0]
    assert names_of(loaded["validation"], "pos_tags")[0] == ["NNP", "NN", "NNP", "VBZ", "."]
    assert loaded["validation"].features["pos_tags"].feature.num_classes == 47
    assert loaded["validation"].features["chunk_tags"].feature.num_classes == 23


@pytest.mark.parametrize("text", [IOB1, IOB2])
@pytest.mark.parametrize(
    ("scheme", "tags", "chunks"),
    [
        ("IOB1", ["I-PER", "B-PER", "I-PER"], ["I-NP", "B-NP", "I-NP"]),
        ("IOB2", ["B-PER", "B-PER", "I-PER"], ["B-NP", "B-NP", "I-NP"]),
    ],
)
def test_both_schemes_from_both(file, text, scheme, tags, chunks):
    dataset = load_conll03(file("eng.train", text), split="train", scheme=scheme)
    assert names_of(dataset)[1] == tags
    assert names_of(dataset, "chunk_tags")[1] == chunks
    assert names_of(dataset)[2] == [f"{(scheme[3:] == '1' and 'I') or 'B'}-LOC"]


@pytest.mark.parametrize(
    "names",
    [("eng.train", "eng.testa", "eng.testb"), ("train.txt", "valid.txt", "test.txt"), ("eng.train", "eng.testb")],
)
def test_conll03_folders(tmp_path, names):
    for name in names:
        (tmp_path / "corpus" / "ner").mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / "ner" / name).write_text(IOB1)
    loaded = load_conll03(tmp_path / "corpus")
    assert len(loaded) == len(names)
    assert {dataset.num_rows for dataset in loaded.values()} == {3}
    assert load_conll03(packed(tmp_path / "corpus", "gz", tmp_path / "c.tgz"), split="testb").num_rows == 3


def test_documents_are_counted_over_parts(file, monkeypatch):
    path = file("eng.train", IOB2 * 15)
    whole = list(load_conll03(path, split="train"))
    assert whole[-1]["document"] == 29
    assert whole[-1]["id"] == "44"
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    assert exhaust(load_conll03, path, "train") == whole


def test_no_document_before_the_first_docstart(file):
    text = IOB2.partition("\n\n")[2]
    assert load_conll03(file("eng.train", text), split="train")["document"][:] == [None, 0, 0]


def test_scheme_may_not_change_within_a_file(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    error = refused(load_conll03, file("eng.train", IOB1 + IOB2))
    assert error.line == 19
