"""Which file is which split."""

import gzip

import pytest
from datasets import Dataset

from corpus_releases import DEV, TRAIN, packed, refused
from spanometer.corpora import load_conll03, load_multiconer


@pytest.mark.parametrize("split", ["validation", "dev", "valid"])
def test_names_of_a_split(release, split):
    dataset = load_multiconer(release, split=split)
    assert type(dataset) is Dataset
    assert str(dataset.split) == "validation"
    assert dataset.num_rows == 2


def test_one_file_is_the_split_that_its_name_tells(file):
    assert list(load_multiconer(file("es_dev.conll", DEV))) == ["validation"]
    assert list(load_multiconer(file("my_test_set.txt", DEV))) == ["test"]
    assert list(load_multiconer(file("es_train.conll.gz", gzip.compress(TRAIN.encode())))) == ["train"]
    assert str(load_multiconer(file("mine.txt", DEV), split="test").split) == "test"


def test_no_such_files(release, tmp_path):
    error = refused(load_multiconer, release, "de")
    assert error.source == str(release)
    assert "de_dev.conll" in error.problem
    assert "public/ES-Spanish/es_dev.conll" in error.problem
    assert "es_test.conll" in refused(load_multiconer, release, split="test").problem
    assert (
        "no files" in refused(load_conll03, tmp_path / "cache").problem if (tmp_path / "cache").mkdir() is None else 0
    )
    assert "eng.train" in refused(load_conll03, release).problem
    error = refused(load_conll03, packed(release, "zip", tmp_path / "r.zip"))
    assert error.source == str(tmp_path / "r.zip")


def test_several_files_of_one_split(release):
    (release / "copy").mkdir()
    (release / "copy" / "es_dev.conll").write_text(TRAIN)
    # the folder of the language is meant
    assert load_multiconer(release, split="dev").num_rows == 2
    (release / "es-other").mkdir()
    (release / "es-other" / "es_dev.conll").write_text(TRAIN)
    error = refused(load_multiconer, release)
    assert "es-other/es_dev.conll, public/ES-Spanish/es_dev.conll" in error.problem
