"""The cache of loaded corpora, and streaming."""

import gc
import os
import pickle
import tracemalloc

import pyarrow as pa
import pytest
from datasets import IterableDataset, IterableDatasetDict

from corpus_releases import DEV, IOB1, TRAIN, exhaust, names_of, packed, refused
from spanometer.corpora import corpus, load_conll, load_conll03, load_multiconer
from spanometer.corpora import files as sentences
from spanometer.exceptions import InputError
from spanometer.readers import source as reader_source


@pytest.fixture
def unreadable(monkeypatch):
    """Make the parser fail."""

    def switch():
        def fail(*_, **__):
            raise AssertionError("parsed again")

        monkeypatch.setattr(sentences, "read_parts", fail)

    return switch


def test_second_load_does_not_parse(release, tmp_path, unreadable, cache):
    first = load_multiconer(release)
    written = {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.arrow")}
    unreadable()
    second = load_multiconer(release)
    assert {name: list(part) for name, part in second.items()} == {name: list(part) for name, part in first.items()}
    # by content: it does not matter where it stands
    assert list(load_multiconer(packed(release, "gz", tmp_path / "moved.tgz"), split="dev")) == list(
        first["validation"]
    )
    assert {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.arrow")} == written
    with pytest.raises(AssertionError, match="parsed again"):
        load_multiconer(release, version=2)


def test_plain_columns_are_cached_too(file, unreadable):
    path = file("mine_test.conll", DEV)
    first = load_conll(path)
    unreadable()
    assert list(load_conll(path)["test"]) == list(first["test"])
    with pytest.raises(AssertionError):
        load_conll(path, words=False)


def test_other_content_is_parsed(file):
    assert load_multiconer(file("es_dev.conll", DEV), split="dev").num_rows == 2
    assert load_multiconer(file("es_dev.conll", TRAIN), split="dev").num_rows == 1


def test_options_that_change_the_rows_are_told_apart(file):
    path = file("eng.train", IOB1)
    assert names_of(load_conll03(path, "train")) != names_of(load_conll03(path, "train", scheme="IOB1"))


def test_a_newer_reader_reads_again(file, monkeypatch, unreadable):
    path = file("es_dev.conll", DEV)
    load_multiconer(path)
    unreadable()
    load_multiconer(path)
    monkeypatch.setattr(corpus, "READER_VERSION", corpus.READER_VERSION + 1)
    with pytest.raises(AssertionError):
        load_multiconer(path)


def test_a_damaged_cache(file, cache):
    path = file("es_dev.conll", DEV)
    load_multiconer(path)
    (arrow,) = cache.rglob("*.arrow")
    arrow.unlink()
    arrow.write_bytes(b"not Arrow")
    error = refused(load_multiconer, path)
    assert error.problem.startswith("the cache cannot be used: ")
    assert "cache_dir" in error.remedy


def test_memory_mapped(file, tmp_path):
    dataset = load_multiconer(file("es_dev.conll", DEV), split="dev", cache_dir=tmp_path / "mine")
    (arrow,) = (tmp_path / "mine" / "spanometer").rglob("*.arrow")
    assert [entry["filename"] for entry in dataset.cache_files] == [str(arrow)]
    before = pa.total_allocated_bytes()
    again = load_multiconer(file("es_dev.conll", DEV), split="dev", cache_dir=tmp_path / "mine")
    assert again.data.nbytes > 0
    assert pa.total_allocated_bytes() == before


def test_nothing_is_kept_of_a_file_that_cannot_be_read(file, cache):
    refused(load_multiconer, file("es_dev.conll", DEV + "x _ O\n"))
    assert list(cache.rglob("*.arrow")) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that may not be written")
def test_a_cache_that_may_not_be_written(file, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cache_dir" in refused(load_multiconer, file("es_dev.conll", DEV), cache_dir=tmp_path / "locked").remedy


def test_a_cache_that_is_no_folder(file):
    path = file("es_dev.conll", DEV)
    error = refused(load_multiconer, path, cache_dir=path)
    assert "cache_dir" in error.remedy
    assert error.source.startswith(path)


def test_loaders_work_after_an_error(file):
    refused(load_multiconer, file("es_dev.conll", "x O\n"))
    assert load_multiconer(file("es_dev.conll", DEV), split="dev").num_rows == 2


def test_streaming(release):
    loaded = load_multiconer(release, streaming=True)
    assert type(loaded) is IterableDatasetDict
    assert type(loaded["train"]) is IterableDataset
    assert loaded["validation"].features == load_multiconer(release)["validation"].features
    assert list(loaded["validation"]) == list(load_multiconer(release)["validation"])
    # again from the beginning
    assert len(list(loaded["validation"])) == 2


def test_streaming_writes_nothing(release, cache):
    assert len(exhaust(load_multiconer, release, "es", "dev")) == 2
    assert not cache.exists()


def test_streamed_datasets_can_be_sent_to_workers(file):
    streamed = load_multiconer(file("es_dev.conll", DEV), split="dev", streaming=True)
    assert list(pickle.loads(pickle.dumps(streamed))) == list(streamed)


def most_held(streamed):
    """The most bytes that are held while a dataset is read, without the garbage that is not collected yet."""
    gc.collect()
    tracemalloc.start()
    held = []
    for row, _ in enumerate(streamed):
        if row % 25 == 0:
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return max(held)


def test_memory_of_streaming_does_not_grow(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 1 << 11)
    # other words all the time, so that remembered ones would be seen
    texts = ("".join(f"# id s{row}\tdomain=x\nword{row} _ _ B-LOC\n\n" for row in range(size)) for size in (150, 600))
    short, long = (
        load_multiconer(file(f"{number}.conll", text), split="dev", streaming=True) for number, text in enumerate(texts)
    )
    most_held(short)
    assert most_held(long) < 1.3 * most_held(short)


def test_streamed_errors_come_with_their_line(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    rows = iter(load_multiconer(file("es_dev.conll", DEV * 10 + "x _ O\n"), split="dev", streaming=True))
    seen = []
    with pytest.raises(InputError) as caught:
        seen.extend(row["id"] for row in rows)
    assert caught.value.line == 101
