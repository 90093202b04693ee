"""MultiCoNER: its rows by hand, real files, and malformed ones."""

import gzip

import pytest
from datasets import ClassLabel, DatasetDict, Features, List, Value

from corpus_releases import DEV, FINE, exhaust, names_of, refused
from spanometer import Spans
from spanometer.corpora import load_multiconer
from spanometer.readers import source as reader_source

LABELS = ("CORP", "CW", "GRP", "LOC", "PER", "PROD")


def test_multiconer_from_a_folder(release):
    loaded = load_multiconer(release)
    assert type(loaded) is DatasetDict
    assert list(loaded) == ["train", "validation"]
    validation = loaded["validation"]
    assert validation.features == Features(
        {
            "id": Value("string"),
            "tokens": List(Value("string")),
            "ner_tags": List(ClassLabel(names=["O", *(f"{begin}-{label}" for label in LABELS for begin in "BI")])),
            "domain": Value("string"),
        }
    )
    assert list(validation) == [
        {"id": "a-1", "tokens": ["lyonne", "el", "sega", "game"], "ner_tags": [0, 0, 3, 4], "domain": "dev"},
        {"id": "a-2", "tokens": ["abc", "#"], "ner_tags": [1, 0], "domain": "dev"},
    ]
    assert str(validation.split) == "validation"
    assert loaded["train"]["id"][:] == ["b-1"]


@pytest.mark.parametrize("below", ["public", "public/ES-Spanish"])
def test_any_folder_of_the_release(release, below):
    assert load_multiconer(release / below, split="train")["id"][:] == ["b-1"]


def test_other_languages(release):
    assert load_multiconer(release, "mix")["validation"]["id"][:] == ["b-1"]


def test_version_2_has_finer_labels(file):
    dataset = load_multiconer(file("es_train.conll", FINE), split="train", version=2)
    assert names_of(dataset) == [["B-HumanSettlement", "B-Medication/Vaccine", "O"]]
    assert dataset.features["ner_tags"].feature.num_classes == 73
    assert dataset[0]["domain"] == "es"


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
        (DEV + "# id a\nx _ O\n", 12, "this line has 3 columns (separated by blanks), but line 2 has 4."),
        (DEV + "# id a\nx _ _ _ O\n", 12, "this line has 5 columns (separated by blanks), but line 2 has 4."),
        (DEV + "# id a\nO\n", 12, "this line has 1 column (separated by blanks), but line 2 has 4."),
        ("# id a\nx\t_\t_\tO\ny _ _ O\n", 3, "this line has 1 column (separated by tabs), but line 2 has 4."),
        ("# id a\nx O\n", 2, "the rows have 2 columns, but this loader needs 4."),
        ("# id a\nx _ _ _ O\n", 2, "the rows have 5 columns, but this loader needs 4."),
        (DEV + "x _ _ O\n", 11, "there is no comment with the id of the sentence that begins here."),
        ("x _ _ O\n\n" + DEV, 1, "there is no comment with the id of the sentence that begins here."),
        (DEV + "# id a\nx _ _ o\n", 12, "'o' is not one of the ner_tags of this corpus."),
        (DEV + "# id a\nx _ _ B-cw\n", 12, "'B-cw' is not one of the ner_tags of this corpus."),
        (DEV + "# id a\nx _ _ _\n", 12, "'_' is not one of the ner_tags of this corpus."),
        (DEV.encode() + b"# id a\nx _ _ \0O\n", 12, "this is not a text file: it has a NUL byte."),
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
    ("option", "value", "remedy"),
    [
        ("split", "devel", "Use one of 'train', 'validation', 'test', 'dev', "),
        ("split", "train[:10%]", "Use one of 'train', "),
        ("split", 3, "Use one of 'train', "),
        ("language", "sp", "Use one of 'bn', "),
        ("language", "fr", "Use one of 'bn', "),
        ("language", None, "Use one of 'bn', "),
        ("language", ["es"], "Use one of 'bn', "),
        ("version", 3, "Use 1 or 2."),
        ("repository", "a/b", "Leave out repository=..."),
        ("revision", "main", "Leave out revision=..."),
    ],
)
def test_wrong_options(release, option, value, remedy):
    error = refused(load_multiconer, release, **{option: value})
    problem = f"invalid value for `{option}`: {value!r}."
    if option in ("repository", "revision"):
        problem = f"{option}=... applies only to the Hub, but source=... names files."
    assert str(error).startswith(f"{problem}\n")
    assert remedy in error.remedy
