"""Fixtures of the tests of corpora."""

import pytest

from corpus_releases import DEV, TRAIN


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(folder))
    return folder / "spanometer"


@pytest.fixture
def release(tmp_path):
    """A folder in the layout of version 1."""
    for path, text in {
        "public/ES-Spanish/es_dev.conll": DEV,
        "public/ES-Spanish/es_train.conll": TRAIN,
        "public/ES-Spanish/es_test.conll.0A1B": "not a file of the release's own name",
        "public/MIX_Code_mixed/mix_dev.conll": TRAIN,
        "public/README.md": "read me",
    }.items():
        target = tmp_path / "release" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return tmp_path / "release"
