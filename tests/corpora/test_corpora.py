"""Loaders of corpora: what they give, from wherever it comes, and what is said where that cannot be."""

import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, DatasetDict, Features, IterableDataset, IterableDatasetDict, List, Value

from loopback_hub import COMMIT, hub
from spanometer import Spans
from spanometer.corpora import (
    CONLL03_HUB,
    MULTICONER_HUB,
    conll03,
    corpus_file,
    load_conll,
    load_conll03,
    load_hipe,
    load_multiconer,
    loading,
    multiconer,
)
from spanometer.errors import InputError
from spanometer.readers import source as reader_source

DEV = (
    "# id a-1\tdomain=dev\nlyonne _ _ O\nel _ _ O\nsega _ _ B-CW\ngame _ _ I-CW\n\n"
    "# id a-2\tdomain=dev\nabc _ _ B-CORP\n# _ _ O\n\n"
)
TRAIN = "# id b-1\tdomain=train\nroma _ _ B-LOC\n\n"
FINE = "# id c-1\tdomain=es\nroma _ _ B-HumanSettlement\nibuprofeno _ _ B-Medication/Vaccine\nok _ _ O\n\n"

# by hand: two documents, "U.N." beside "Ekeus"; "Ada" beside "Bob" of the same label
IOB1 = (
    "-DOCSTART- -X- O O\n\nU.N. NNP I-NP I-ORG\nofficial NN I-NP O\nEkeus NNP I-NP I-PER\nheads VBZ I-VP O\n. . O O\n\n"
    "-DOCSTART- -X- O O\n\nAda NNP I-NP I-PER\nBob NNP B-NP B-PER\nSmith NNP I-NP I-PER\n\nRome NNP I-NP I-LOC\n\n"
)
IOB2 = (
    "-DOCSTART- -X- -X- O\n\nU.N. NNP B-NP B-ORG\nofficial NN I-NP O\nEkeus NNP I-NP B-PER\nheads VBZ B-VP O\n. . O O\n"
    "\n-DOCSTART- -X- -X- O\n\nAda NNP B-NP B-PER\nBob NNP B-NP B-PER\nSmith NNP I-NP I-PER\n\nRome NNP B-NP B-LOC\n\n"
)


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


def packed(folder, kind, path):
    """An archive of a folder."""
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in folder.rglob("*"):
                archive.write(file, file.relative_to(folder))
    else:
        with tarfile.open(path, f"w:{kind}") as archive:
            archive.add(folder, ".")
    return path


def names_of(dataset, column="ner_tags"):
    """The tags of a dataset as strings."""
    names = dataset.features[column].feature.names
    return [[names[code] for code in row[column]] for row in dataset]


def refused(function, *arguments, **options):
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return caught.value


def exhaust(*arguments, **options):
    """Load with streaming, and iterate to the end."""
    loader, *rest = arguments
    return list(loader(*rest, streaming=True, **options))


# MultiCoNER


def test_multiconer_from_a_folder(release):
    loaded = load_multiconer(release)
    assert type(loaded) is DatasetDict
    assert list(loaded) == ["train", "validation"]
    validation = loaded["validation"]
    assert validation.features == Features(
        {
            "id": Value("string"),
            "tokens": List(Value("string")),
            "ner_tags": List(
                ClassLabel(
                    names=[
                        "O",
                        "B-CORP",
                        "I-CORP",
                        "B-CW",
                        "I-CW",
                        "B-GRP",
                        "I-GRP",
                        "B-LOC",
                        "I-LOC",
                        "B-PER",
                        "I-PER",
                        "B-PROD",
                        "I-PROD",
                    ],
                )
            ),
            "domain": Value("string"),
        }
    )
    assert list(validation) == [
        {"id": "a-1", "tokens": ["lyonne", "el", "sega", "game"], "ner_tags": [0, 0, 3, 4], "domain": "dev"},
        {"id": "a-2", "tokens": ["abc", "#"], "ner_tags": [1, 0], "domain": "dev"},
    ]
    assert str(validation.split) == "validation"
    assert loaded["train"]["id"][:] == ["b-1"]


@pytest.mark.parametrize("kind", ["zip", "", "gz", "bz2", "xz"])
def test_archives_give_what_their_folder_gives(release, tmp_path, kind):
    # told from the content, not from the name
    archive = packed(release, kind, tmp_path / "archive")
    assert {name: list(part) for name, part in load_multiconer(archive).items()} == {
        name: list(part) for name, part in load_multiconer(release).items()
    }
    assert [row["id"] for row in exhaust(load_multiconer, archive, "es", "train")] == ["b-1"]


@pytest.mark.parametrize("below", ["public", "public/ES-Spanish"])
def test_any_folder_of_the_release(release, below):
    assert load_multiconer(release / below, split="train")["id"][:] == ["b-1"]


@pytest.mark.parametrize("split", ["validation", "dev", "valid"])
def test_names_of_a_split(release, split):
    dataset = load_multiconer(release, split=split)
    assert type(dataset) is Dataset
    assert str(dataset.split) == "validation"
    assert dataset.num_rows == 2


def test_other_languages(release):
    assert load_multiconer(release, "mix")["validation"]["id"][:] == ["b-1"]


def test_version_2_has_finer_labels(file):
    dataset = load_multiconer(file("es_train.conll", FINE), split="train", version=2)
    assert names_of(dataset) == [["B-HumanSettlement", "B-Medication/Vaccine", "O"]]
    assert dataset.features["ner_tags"].feature.num_classes == 73
    assert dataset[0]["domain"] == "es"


def test_a_file_with_the_labels_of_the_other_version(file):
    path = file("es_train.conll", FINE)
    error = refused(load_multiconer, path)
    assert (error.source, error.line) == (path, 2)
    assert error.problem == "'B-HumanSettlement' is none of the ner_tags of this corpus."
    assert refused(load_multiconer, file("es_dev.conll", DEV), version=2).line == 4


def test_one_file_is_the_split_that_its_name_tells(file):
    assert list(load_multiconer(file("es_dev.conll", DEV))) == ["validation"]
    assert list(load_multiconer(file("my_test_set.txt", DEV))) == ["test"]
    assert list(load_multiconer(file("es_train.conll.gz", gzip.compress(TRAIN.encode())))) == ["train"]
    assert str(load_multiconer(file("mine.txt", DEV), split="test").split) == "test"


def test_real_file(data):
    dataset = load_multiconer(data / "multiconer_es_dev.conll", split="validation")
    assert (dataset.num_rows, sum(map(len, dataset["tokens"]))) == (800, 13_931)
    assert len(Spans.from_tags(names_of(dataset), scheme="IOB2", repair="raise")) == 1176
    assert dataset[0]["id"] == "fafa7a23-c774-466d-ae40-e145017f286f"
    assert set(dataset["domain"]) == {"dev"}
    assert len(set(dataset["id"])) == 800


def test_streamed_real_file_in_many_parts(data, monkeypatch):
    path = data / "multiconer_es_dev.conll"
    whole = list(load_multiconer(path, split="validation"))
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 1 << 12)
    assert exhaust(load_multiconer, path, "es", "validation") == whole


def test_real_training_file(data):
    dataset = load_multiconer(data / "multiconer_es_train.conll", split="train")
    assert dataset.num_rows == 15_300
    assert names_of(dataset.select([0]))[0][12:15] == ["B-CW", "I-CW", "I-CW"]


# CoNLL-2003


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
    path = file("eng.train", IOB2 * 40)
    whole = list(load_conll03(path, split="train"))
    assert whole[-1]["document"] == 79
    assert whole[-1]["id"] == "119"
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    assert exhaust(load_conll03, path, "train") == whole


def test_no_document_before_the_first_docstart(file):
    text = IOB2.partition("\n\n")[2]
    assert load_conll03(file("eng.train", text), split="train")["document"][:] == [None, 0, 0]


def test_tags_of_no_scheme(file):
    error = refused(load_conll03, file("eng.train", IOB2.replace("Ekeus NNP I-NP B-PER", "Ekeus NNP I-NP I-PER")))
    assert error.line == 5
    assert "IOB2" in error.problem
    error = refused(load_conll03, file("eng.testa", IOB1.replace("Rome NNP I-NP I-LOC", "Rome NNP I-NP B-LOC")))
    assert error.line == 15
    assert "IOB1" in error.problem


def test_scheme_may_not_change_within_a_file(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    error = refused(load_conll03, file("eng.train", IOB1 + IOB2))
    assert error.line == 19


def test_unknown_part_of_speech(file):
    error = refused(load_conll03, file("eng.train", IOB2.replace("heads VBZ", "heads VERB")))
    assert (error.line, error.problem) == (6, "'VERB' is none of the pos_tags of this corpus.")


# any columns


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
    loaded = load_conll(
        {"test": file("b", "x B-Z\n"), "train": file("a", "y I-Y\n")},
    )
    assert list(loaded) == ["train", "test"]
    assert loaded["train"].features == loaded["test"].features
    assert names_of(loaded["test"]) == [["B-Z"]]
    assert load_conll({"test": file("b", "x B-Z\n")}, "test").features["ner_tags"].feature.names == ["B-Z"]


def test_tags_alone(data):
    dataset = load_conll(data / "conll03_test_tags.tsv", column=1, split="test")
    assert dataset.column_names == ["id", "ner_tags"]
    assert dataset.num_rows == 3453
    assert len(Spans.from_tags(names_of(dataset))) == 5648


def test_given_tag_names(file):
    path = file("a", "x B-Z\ny _\n")
    dataset = load_conll(path, "train", tag_names=["I-Z", "B-Z", "O"], outside="_")
    assert dataset[0]["ner_tags"] == [1, 2]
    error = refused(load_conll, path, tag_names=["O"], outside="_")
    assert (error.line, error.problem) == (1, "'B-Z' is none of the ner_tags of this corpus.")
    assert refused(load_conll, path).line == 2
    for names in ("OB", [], ["O", "O"], ["O", 1], 5):
        assert "is not a list of tags" in refused(load_conll, path, tag_names=names).problem


# HIPE

HIPE = (
    "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNE-FINE-COMP\n# language = fr\n# newspaper = EXP\n# date = 1798-01-04\n"
    "# document_id = one\nle\tO\tO\tO\nDr\tB-pers\tB-pers.ind\tB-comp.title\nMain\tI-pers\tI-pers.ind\tO\n"
    "# hipe:language = de\n# date = 1800-01-01\n# document_id = two\nici\tO\tO\tO\n"
)


def test_hipe(file):
    path = file("HIPE-data-v1.3-test-fr.tsv", HIPE)
    loaded = load_hipe(path)
    assert list(loaded) == ["test"]
    component = {"start": 1, "end": 2, "label": "title"}
    assert list(loaded["test"]) == [
        {
            "id": "one",
            "tokens": ["le", "Dr", "Main"],
            "entities": [{"start": 1, "end": 3, "types": ["pers.ind"], "components": [component]}],
            "language": "fr",
            "newspaper": "EXP",
            "date": "1798-01-04",
        },
        {"id": "two", "tokens": ["ici"], "entities": [], "language": "de", "newspaper": None, "date": "1800-01-01"},
    ]
    assert exhaust(load_hipe, path, "fr", "test") == list(loaded["test"])
    assert load_hipe(path, split="test", level="coarse")[0]["entities"][0]["types"] == ["pers"]


def test_hipe_folders(tmp_path):
    for name in (
        "fr/HIPE-data-v1.3-dev-fr",
        "fr/HIPE-data-v1.3-test-masked-fr",
        "de/HIPE-data-v1.3-dev-de",
    ):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / f"{name}.tsv").write_text(HIPE)
    assert list(load_hipe(tmp_path / "data")) == ["validation"]
    assert load_hipe(packed(tmp_path / "data", "gz", tmp_path / "a"), "de", "dev").num_rows == 2
    assert "'it'" in refused(load_hipe, tmp_path / "data", "it").problem


def test_hidden_twins_of_files(tmp_path):
    # as macOS packs them
    for name in ("HIPE-data-v1.3-test-fr.tsv", "__MACOSX/._HIPE-data-v1.3-test-fr.tsv"):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_text(HIPE if "._" not in name else "no corpus")
    assert load_hipe(tmp_path / "data", split="test").num_rows == 2
    assert load_hipe(packed(tmp_path / "data", "gz", tmp_path / "a"), split="test").num_rows == 2


def test_real_hipe(data):
    dataset = load_hipe(data / "hipe2020_test_fr.tsv", split="test")
    assert dataset.num_rows == 43
    assert dataset[0]["id"] == "EXP-1798-01-04-a-i0005"
    assert (dataset[0]["newspaper"], dataset[0]["date"]) == ("EXP", "1798-01-04")
    assert set(dataset["language"]) == {"fr"}
    # the task's own counts of the columns; a metonymic span is a second type or an entity of its own
    literal, metonymic, nested = 1600, 112, 82
    entities = [entity for row in dataset["entities"] for entity in row]
    assert sum(len(entity["types"]) == 2 for entity in entities) + len(entities) == literal + metonymic + nested


def test_malformed_hipe(file):
    path = file("HIPE-data-v1.3-test-fr.tsv", HIPE + "x\tO\n")
    error = refused(load_hipe, path)
    assert (error.source, error.line) == (path, 13)
    error = refused(load_hipe, file("a-test-fr.tsv", "x O\n"))
    assert error.line == 1
    assert "TOKEN" in error.problem


# the cache


@pytest.fixture
def unreadable(monkeypatch):
    """Make the parser fail."""

    def switch():
        def fail(*_, **__):
            raise AssertionError("parsed again")

        for module in (multiconer, conll03, sys.modules[load_conll.__module__]):
            monkeypatch.setattr(module, "read_parts", fail)

    return switch


def test_second_load_does_not_parse(release, tmp_path, unreadable, cache):
    first = load_multiconer(release)
    written = {path.name: path.stat().st_mtime_ns for path in cache.iterdir()}
    unreadable()
    second = load_multiconer(release)
    assert {name: list(part) for name, part in second.items()} == {name: list(part) for name, part in first.items()}
    # by content: it does not matter where it stands
    assert list(load_multiconer(packed(release, "gz", tmp_path / "moved.tgz"), split="dev")) == list(
        first["validation"]
    )
    assert {path.name: path.stat().st_mtime_ns for path in cache.iterdir()} == written
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
    monkeypatch.setattr(loading, "READER_VERSION", loading.READER_VERSION + 1)
    with pytest.raises(AssertionError):
        load_multiconer(path)


def test_a_damaged_cache_is_made_again(file, cache):
    path = file("es_dev.conll", DEV)
    rows = list(load_multiconer(path, split="dev"))
    (arrow,) = cache.iterdir()
    arrow.unlink()
    arrow.write_bytes(b"\0\1\2")
    assert list(load_multiconer(path, split="dev")) == rows


def test_memory_mapped(file, tmp_path):
    dataset = load_multiconer(file("es_dev.conll", DEV), split="dev", cache_dir=tmp_path / "mine")
    (arrow,) = (tmp_path / "mine" / "spanometer").iterdir()
    assert [entry["filename"] for entry in dataset.cache_files] == [str(arrow)]
    before = pa.total_allocated_bytes()
    again = load_multiconer(file("es_dev.conll", DEV), split="dev", cache_dir=tmp_path / "mine")
    assert again.data.nbytes > 0
    assert pa.total_allocated_bytes() == before


def test_nothing_is_kept_of_a_file_that_cannot_be_read(file, cache):
    refused(load_multiconer, file("es_dev.conll", DEV + "x _ O\n"))
    assert list(cache.iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that may not be written")
def test_a_cache_that_may_not_be_written(file, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cache_dir" in refused(load_multiconer, file("es_dev.conll", DEV), cache_dir=tmp_path / "locked").remedy


def test_a_cache_that_is_no_folder(file):
    path = file("es_dev.conll", DEV)
    error = refused(load_multiconer, path, cache_dir=path)
    assert "cache_dir" in error.remedy
    assert error.source.startswith(path)


# streaming


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


def test_memory_of_streaming_does_not_grow(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 1 << 14)
    peaks = []
    for copies in (200, 2000):
        # other words all the time, so that remembered ones would be seen
        text = "".join(f"# id s{index}\tdomain=x\nword{index} _ _ B-LOC\n\n" * 3 for index in range(copies))
        path = file("es_dev.conll", text * 2)
        streamed = load_multiconer(path, split="dev", streaming=True)
        next(iter(streamed))
        tracemalloc.start()
        assert sum(1 for _ in streamed) == copies * 6
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_streamed_errors_come_with_their_line(file, monkeypatch):
    monkeypatch.setattr(reader_source, "BLOCK_SIZE", 64)
    rows = iter(load_multiconer(file("es_dev.conll", DEV * 10 + "x _ O\n"), split="dev", streaming=True))
    seen = []
    with pytest.raises(InputError) as caught:
        seen.extend(row["id"] for row in rows)
    assert caught.value.line == 101


# malformed files


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.rstrip("\n") + "\n",
        lambda text: "\n\n" + text + "\n\n\n",
        lambda text: text.replace("\n\n", "\n \t\n"),
        lambda text: text.replace(" _ _ ", "\t_\t_\t"),
    ],
)
@pytest.mark.parametrize("loader", [load_multiconer, exhaust])
def test_what_does_not_matter(file, change, loader):
    path = file("es_dev.conll", change(DEV))
    rows = list(
        load_multiconer(path, split="dev") if loader is load_multiconer else exhaust(load_multiconer, path, "es", "dev")
    )
    assert [row["tokens"] for row in rows] == [["lyonne", "el", "sega", "game"], ["abc", "#"]]
    assert [row["id"] for row in rows] == ["a-1", "a-2"]
    assert {row["domain"] for row in rows} == {"dev"}


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"", None, "the file is empty."),
        (b"\n\n", None, "the file has no rows of tags."),
        ("# id a\tdomain=dev\n\n", None, "the file has no rows of tags."),
        (DEV + "# id a\nx _ O\n", 12, "3 columns (separated by blanks), where line 2 has 4."),
        (DEV + "# id a\nx _ _ _ O\n", 12, "5 columns (separated by blanks), where line 2 has 4."),
        (DEV + "# id a\nO\n", 12, "1 column (separated by blanks), where line 2 has 4."),
        ("# id a\nx\t_\t_\tO\ny _ _ O\n", 3, "1 column (separated by tabs), where line 2 has 4."),
        ("# id a\nx O\n", 2, "the rows have 2 columns, those of MultiCoNER 4."),
        ("# id a\nx _ _ _ O\n", 2, "the rows have 5 columns, those of MultiCoNER 4."),
        (DEV + "x _ _ O\n", 11, "there is no comment with the id of the sentence that begins here."),
        ("x _ _ O\n\n" + DEV, 1, "there is no comment with the id of the sentence that begins here."),
        (DEV + "# id a\nx _ _ o\n", 12, "'o' is none of the ner_tags of this corpus."),
        (DEV + "# id a\nx _ _ B-cw\n", 12, "'B-cw' is none of the ner_tags of this corpus."),
        (DEV + "# id a\nx _ _ _\n", 12, "'_' is none of the ner_tags of this corpus."),
        (DEV.encode() + b"# id a\nx _ _ \0O\n", 12, "a NUL byte: this is not a text file."),
        (DEV.encode() + b"# id a\n\xe9 _ _ O\n", 12, "the byte 0xe9 is not UTF-8."),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, "the byte 0x89 is not UTF-8."),
        (DEV.encode("utf-16"), 1, "the text is UTF-16."),
        (gzip.compress(DEV.encode(), mtime=0)[:-9], None, "the gzip data is damaged"),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_malformed_files(file, content, line, problem, streaming):
    path = file("es_dev.conll", content)
    error = refused(exhaust if streaming else (lambda loader, *rest: loader(*rest)), load_multiconer, path, "es", "dev")
    assert (error.source, error.line) == (path, line)
    assert error.problem.startswith(problem)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (IOB2 + "x NN O\n", 17),
        (IOB2.replace("Rome NNP B-NP B-LOC", "Rome\tNNP\tB-NP"), 15),
        ("-DOCSTART- -X- O O\n\nx O\n", None),
        ("x NN B-NP B-LOC O\n", 1),
        ("", None),
        ("-DOCSTART- -X- O O\n\n", None),
    ],
)
def test_malformed_conll03(file, content, line):
    path = file("eng.train", content)
    error = refused(load_conll03, path)
    assert error.source == path
    assert error.line == line or (line is None and error.line == 3)


def test_loaders_work_after_an_error(file):
    refused(load_multiconer, file("es_dev.conll", "x O\n"))
    assert load_multiconer(file("es_dev.conll", DEV), split="dev").num_rows == 2


# wrong names


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        (
            {"split": "devel"},
            "there is no split 'devel'.",
            "Did you mean 'dev'? Use one of 'train', 'validation', 'test', ",
        ),
        ({"split": "trian"}, "there is no split 'trian'.", "Did you mean 'train'? "),
        ({"split": "train[:10%]"}, "there is no split 'train[:10%]'.", "Did you mean 'train'? "),
        (
            {"language": "sp"},
            "there is no language of MultiCoNER version 1, 'sp'.",
            "Did you mean 'es'? Use one of 'bn', ",
        ),
        ({"language": "ES"}, "there is no language of MultiCoNER version 1, 'ES'.", "Did you mean 'es'? "),
        ({"language": "fr"}, "there is no language of MultiCoNER version 1, 'fr'.", "Version 2 has it: version=2."),
        ({"language": None}, "there is no language of MultiCoNER version 1, None.", "Use one of 'bn', "),
        ({"language": ["es"]}, "there is no language of MultiCoNER version 1, ['es'].", "Use one of 'bn', "),
        ({"version": 3}, "invalid value for version: 3.", "Use one of 1, 2."),
        ({"repository": "a/b"}, "repository=... is for the Hub, and source=... is given.", "Leave out repository=..."),
        ({"revision": "main"}, "revision=... is for the Hub, and source=... is given.", "Leave out revision=..."),
    ],
)
def test_wrong_options(release, options, problem, remedy):
    error = refused(load_multiconer, release, **options)
    assert error.problem == problem
    assert remedy in error.remedy


def test_wrong_scheme(file):
    assert "'IOB2', 'IOB1'" in refused(load_conll03, file("eng.train", IOB1), scheme="IOBES").remedy


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


def test_no_such_path(tmp_path):
    error = refused(load_multiconer, tmp_path / "nowhere")
    assert error.source == str(tmp_path / "nowhere")
    assert "no such file" in error.problem
    assert "source=3" in refused(load_multiconer, 3).problem


def test_a_file_that_its_name_gives_to_another(file):
    assert "test split" in refused(load_multiconer, file("es_test.conll", DEV), split="train").problem
    assert "'de'" in refused(load_multiconer, file("de_dev.conll", DEV)).remedy
    assert "split=..." in refused(load_multiconer, file("mine.conll", DEV)).remedy


def test_several_files_of_one_split(release):
    (release / "copy").mkdir()
    (release / "copy" / "es_dev.conll").write_text(TRAIN)
    # the folder of the language is meant
    assert load_multiconer(release, split="dev").num_rows == 2
    (release / "es-other").mkdir()
    (release / "es-other" / "es_dev.conll").write_text(TRAIN)
    error = refused(load_multiconer, release)
    assert "es-other/es_dev.conll, public/ES-Spanish/es_dev.conll" in error.problem


def test_wrong_mappings(file):
    path = file("a", "x O\n")
    for source in ({}, {"train": path, None: path}, {"validation": path, "dev": path}):
        assert "does not name each split once" in refused(load_conll, source).problem
    assert "'trian'" in refused(load_conll, {"trian": path}).problem
    assert refused(load_conll, {"train": path}, "test").problem == "there is no test split."


def test_plain_columns_are_no_folder(release, tmp_path):
    for source in (release, packed(release, "zip", tmp_path / "r.zip")):
        assert "folder or an archive" in refused(load_conll, source).problem


# archives


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("name", ["../es_dev.conll", "/etc/es_dev.conll", "a/../../es_dev.conll", "C:\\es_dev.conll"])
def test_paths_that_lead_out(tmp_path, name):
    error = refused(load_multiconer, zipped(tmp_path / "a.zip", {name: DEV}))
    assert "leads out of it" in error.problem
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(DEV)
        archive.addfile(member, io.BytesIO(DEV.encode()))
    assert "leads out of it" in refused(load_multiconer, tmp_path / "a.tar").problem
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "a.zip"]


def test_links_are_not_followed(tmp_path, file):
    secret = file("secret", DEV)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo("ES-Spanish/es_dev.conll")
        member.type = tarfile.SYMTYPE
        member.linkname = secret
        archive.addfile(member)
    assert "no files" in refused(load_multiconer, tmp_path / "a.tar").problem


def test_limits_of_archives(tmp_path, monkeypatch):
    path = zipped(tmp_path / "a.zip", {"es_dev.conll": DEV, "es_train.conll": TRAIN})
    for limit, least in (("LARGEST_FILE", len(DEV)), ("LARGEST_ARCHIVE", len(DEV + TRAIN)), ("MOST_FILES", 2)):
        with monkeypatch.context() as patched:
            patched.setattr(corpus_file, limit, least)
            assert len(load_multiconer(path)) == 2
            patched.setattr(corpus_file, limit, least - 1)
            assert "more than" in refused(load_multiconer, path).problem


def test_a_size_that_is_a_lie(tmp_path, monkeypatch):
    path = zipped(tmp_path / "a.zip", {"es_dev.conll": DEV * 100})
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    assert "damaged" in refused(load_multiconer, path).problem


def test_damaged_archives(release, tmp_path):
    for kind in ("zip", "gz", "xz"):
        whole = packed(release, kind, tmp_path / f"whole.{kind}").read_bytes()
        changed = bytearray(whole)
        middle = whole.index(b"PK\x01\x02") if kind == "zip" else len(whole)
        for place in range(middle // 3, middle // 2):
            changed[place] ^= 0x55
        (tmp_path / "changed").write_bytes(changed)
        error = refused(load_multiconer, tmp_path / "changed")
        assert error.source.startswith(str(tmp_path / "changed"))


def test_encrypted_archive(tmp_path):
    path = zipped(tmp_path / "a.zip", {"es_dev.conll": DEV})
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    path.write_bytes(content)
    assert refused(load_multiconer, path).problem == "the archive is encrypted."


def test_packed_twice(tmp_path):
    path = zipped(tmp_path / "a.zip", {"es_dev.conll.gz": gzip.compress(DEV.encode())})
    error = refused(load_multiconer, path)
    assert error.problem == "this is packed once more within the archive."


def test_malformed_file_in_an_archive(tmp_path):
    path = zipped(tmp_path / "a.zip", {"ES-Spanish/es_dev.conll": DEV + "# id x\nx O\n"})
    error = refused(load_multiconer, path)
    assert (error.source, error.line) == (f"{path}/ES-Spanish/es_dev.conll", 12)


# the Hub


def parquet(columns, features):
    content = io.BytesIO()
    pq.write_table(pa.table(columns, schema=Features(features).arrow_schema), content)
    return content.getvalue()


def conll_parquet():
    """A file with other codes than ours, of which the names must be followed."""
    return parquet(
        {
            "id": ["0", "1"],
            "tokens": [["Ada", "Bob"], ["slept"]],
            "pos_tags": [[1, 1], [0]],
            "chunk_tags": [[1, 2], [0]],
            "ner_tags": [[2, 2], [0]],
        },
        {
            "id": Value("string"),
            "tokens": List(Value("string")),
            "pos_tags": List(ClassLabel(names=["VBD", "NNP"])),
            "chunk_tags": List(ClassLabel(names=["O", "B-NP", "I-NP"])),
            "ner_tags": List(ClassLabel(names=["O", "B-ORG", "B-PER"])),
        },
    )


def fine_parquet():
    return parquet(
        {"id": ["0"], "sample_id": ["c-1"], "tokens": [["roma"]], "ner_tags": [["B-HumanSettlement"]]},
        {
            "id": Value("string"),
            "sample_id": Value("string"),
            "tokens": List(Value("string")),
            "ner_tags": List(Value("string")),
        },
    )


def elsewhere(code, home, **environment):
    """Run code in a fresh process, where the Hub's settings are read anew; what it prints as JSON."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    script = (
        "import json\nfrom spanometer import InputError\nfrom spanometer.corpora import *\n"
        "def said(function, *arguments, **options):\n"
        "    try:\n        return function(*arguments, **options)\n"
        "    except InputError as error:\n        return [error.source, error.problem, error.remedy]\n"
        f"print(json.dumps({code}))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**inherited, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_where_the_corpora_are():
    assert str(CONLL03_HUB) == "eriktks/conll2003@refs/convert/parquet"
    assert {version: known.repository for version, known in MULTICONER_HUB.items()} == {
        1: "MultiCoNER/multiconer_v1",
        2: "MultiCoNER/multiconer_v2",
    }


def test_parquet_from_the_hub(tmp_path):
    files = {f"conll2003/{split}/0000.parquet": conll_parquet() for split in ("train", "validation", "test")}
    home = tmp_path / "home"
    with hub({**files, "README.md": b"#"}, "eriktks/conll2003", "refs/convert/parquet") as (address, requests):
        row, iob1, streamed = elsewhere(
            "[load_conll03(split='test')[0], load_conll03(split='test', scheme='IOB1')[0]['ner_tags'],"
            " [row['tokens'] for row in load_conll03(split='test', streaming=True)]]",
            home,
            HF_ENDPOINT=address,
        )
        assert row == {
            "id": "0",
            "tokens": ["Ada", "Bob"],
            "pos_tags": [22, 22],
            "chunk_tags": [11, 12],
            "ner_tags": [1, 1],
            "document": None,
        }
        assert iob1 == [2, 1]
        assert streamed == [["Ada", "Bob"], ["slept"]]
        # nothing but the split that was asked for
        wanted = f"/datasets/eriktks/conll2003/resolve/{COMMIT}/conll2003/test/0000.parquet"
        assert [request for request in requests if "/resolve/" in request] == [f"HEAD {wanted}", f"GET {wanted}"]
        missing, unknown = elsewhere(
            "[said(load_conll03, revision='gone'), said(load_conll03, repository='no/body')]", home, HF_ENDPOINT=address
        )
        assert missing[:2] == [
            "eriktks/conll2003@gone",
            f"the Hub ({address}) has no such revision, or does not show it to you.",
        ]
        assert unknown[:2] == [
            "no/body@refs/convert/parquet",
            f"the Hub ({address}) has no such data set, or does not show it to you.",
        ]
    # the Hub is gone, the file stays
    assert elsewhere("load_conll03(split='test').num_rows", home, HF_ENDPOINT=address) == 2
    rows, other, all_splits = elsewhere(
        "[load_conll03(split='test').num_rows, said(load_conll03, split='train'), said(load_conll03)]",
        home,
        HF_HUB_OFFLINE="1",
    )
    assert rows == 2
    # the newest huggingface_hub says that what it has is not all, older ones do not
    for error, problem in (
        (other, "there is no train split"),
        (all_splits, "there is no train and no validation split"),
    ):
        assert error[0] == "eriktks/conll2003@refs/convert/parquet"
        assert error[1].startswith((problem, "HF_HUB_OFFLINE is set, and the corpus is not in the Hub's cache."))


def test_all_splits_from_the_hub_are_three(tmp_path):
    with hub({"train-00000-of-00001.parquet": conll_parquet()}, "me/mine") as (address, _):
        one, error = elsewhere(
            "[load_conll03(split='train', **mine).num_rows, said(load_conll03, **mine)]".replace(
                "**mine", "repository='me/mine', revision='main'"
            ),
            tmp_path,
            HF_ENDPOINT=address,
        )
    assert one == 2
    assert error == [
        "me/mine@main",
        "there is no validation and no test split of this corpus, on the Hub or in its cache.",
        "Name the split that you need, split='train'.",
    ]


def test_files_of_the_release_from_the_hub(tmp_path):
    files = {
        "ES-Spanish/es_dev.conll": FINE.encode(),
        "ES-Spanish/es_train.conll": FINE.encode(),
        "ES-Spanish/es_test.conll": FINE.encode(),
        "DE-German/de_dev.conll": b"",
    }
    known = MULTICONER_HUB[2]
    with hub(files, known.repository, known.revision) as (address, requests):
        loaded = elsewhere(
            "{name: part['id'][:] for name, part in load_multiconer(version=2).items()}", tmp_path, HF_ENDPOINT=address
        )
        assert loaded == {"train": ["c-1"], "validation": ["c-1"], "test": ["c-1"]}
        assert not [request for request in requests if "DE-German" in request]


def test_parquet_of_multiconer(tmp_path):
    files = {"Spanish (ES)/validation/0000.parquet": fine_parquet(), "German (DE)/validation/0000.parquet": b""}
    with hub(files, "me/mine", "refs/convert/parquet") as (address, _):
        row = elsewhere(
            "load_multiconer(split='dev', version=2, repository='me/mine', revision='refs/convert/parquet')[0]",
            tmp_path,
            HF_ENDPOINT=address,
        )
    assert row == {"id": "c-1", "tokens": ["roma"], "ner_tags": [5], "domain": None}


def test_a_hub_that_refuses(tmp_path):
    with hub({"ES-Spanish/es_dev.conll": b"x"}, "MultiCoNER/multiconer_v1", gated=True) as (address, _):
        said = elsewhere("said(load_multiconer)", tmp_path, HF_ENDPOINT=address)
        assert said[:2] == [
            "MultiCoNER/multiconer_v1@main",
            "the data set MultiCoNER/multiconer_v1 asks its users to accept its terms first.",
        ]
        assert "HF_TOKEN" in said[2]
    unreachable = elsewhere("said(load_multiconer)", tmp_path / "a", HF_ENDPOINT=address)
    assert unreachable[1].startswith(f"the Hub ({address}) cannot be reached (")
    assert "source=..." in unreachable[2]
    assert "HF_ENDPOINT" in unreachable[2]
    offline = elsewhere("said(load_multiconer)", tmp_path / "b", HF_HUB_OFFLINE="1")
    assert offline[1] == "HF_HUB_OFFLINE is set, and the corpus is not in the Hub's cache."
    assert "unset HF_HUB_OFFLINE" in offline[2]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"PAR1 not at all", "this is no Parquet file of a data set"),
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
            "1 ner_tags, 2 tokens.",
        ),
        (conll_parquet()[:-40] + b"\0" * 40, "this is no Parquet file of a data set"),
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
