"""Parquet files of corpora."""

import pytest
from datasets import List, Value

from corpus_releases import conll_parquet, names_of, parquet, refused
from spanometer.corpora import load_conll03


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"PAR1 not at all", "this is not a Parquet file of a data set"),
        (parquet({"tokens": [["a"]]}, {"tokens": List(Value("string"))}), "there is no column 'ner_tags'"),
        (
            parquet(
                {"tokens": [["a"]], "ner_tags": [[1]]},
                {"tokens": List(Value("string")), "ner_tags": List(Value("int64"))},
            ),
            "the column 'ner_tags': ",
        ),
        (
            parquet(
                {"tokens": [["a", "b"]], "ner_tags": [["O"]]},
                {"tokens": List(Value("string")), "ner_tags": List(Value("string"))},
            ),
            "got 1 ner_tags for 2 tokens.",
        ),
        (conll_parquet()[:-40] + b"\0" * 40, "this is not a Parquet file of a data set"),
    ],
)
def test_malformed_parquet(tmp_path, content, problem):
    (tmp_path / "train-00000-of-00001.parquet").write_bytes(content)
    error = refused(load_conll03, tmp_path)
    assert error.source == str(tmp_path / "train-00000-of-00001.parquet")
    assert error.problem.startswith(problem)


def test_parquet_in_a_folder(tmp_path):
    (tmp_path / "clone" / "data").mkdir(parents=True)
    for shard in range(2):
        (tmp_path / "clone" / "data" / f"train-0000{shard}-of-00002.parquet").write_bytes(conll_parquet())
    loaded = load_conll03(tmp_path / "clone")
    assert list(loaded) == ["train"]
    assert names_of(loaded["train"]) == [["B-PER", "B-PER"], ["O"]] * 2
