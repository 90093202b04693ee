"""Corpora from a Hub on the loopback interface.

The Hub's settings are read when `huggingface_hub` is imported, so the loaders run in fresh processes: one that reaches
the Hub, one after it is gone, and one that is told to stay offline.
"""

import json
import os
import subprocess
import sys

import pytest

from corpus_releases import FINE, conll_parquet, fine_parquet
from loopback_hub import COMMIT, DataSet, hub
from spanometer.corpora import CONLL03_HUB, MULTICONER_HUB

SPLITS = ("train", "validation", "test")
CONVERTED = "refs/convert/parquet"
RELEASE = {f"ES-Spanish/es_{split}.conll": FINE.encode() for split in ("train", "dev", "test")}
DATA_SETS = (
    DataSet("eriktks/conll2003", {f"conll2003/{split}/0000.parquet": conll_parquet() for split in SPLITS}, CONVERTED),
    DataSet("me/one", {"train-00000-of-00001.parquet": conll_parquet()}),
    DataSet(
        "me/fine",
        {"Spanish (ES)/validation/0000.parquet": fine_parquet(), "German (DE)/validation/0000.parquet": b""},
        CONVERTED,
    ),
    DataSet("MultiCoNER/multiconer_v1", {"ES-Spanish/es_dev.conll": b"x"}, gated=True),
    DataSet(MULTICONER_HUB[2].repository, {**RELEASE, "DE-German/de_dev.conll": b""}, MULTICONER_HUB[2].revision),
)

LOADED = """{
    "row": load_conll03(split="test")[0],
    "iob1": load_conll03(split="test", scheme="IOB1")[0]["ner_tags"],
    "streamed": [row["tokens"] for row in load_conll03(split="test", streaming=True)],
    "no revision": refused(load_conll03, revision="gone"),
    "no data set": refused(load_conll03, repository="no/body"),
    "one split": load_conll03(split="train", repository="me/one", revision="main").num_rows,
    "all splits": refused(load_conll03, repository="me/one", revision="main"),
    "release": {name: part["id"][:] for name, part in load_multiconer(version=2).items()},
    "fine": list(load_multiconer(split="dev", version=2, repository="me/fine", revision="refs/convert/parquet")),
    "gated": refused(load_multiconer),
}"""


def in_process(code, home, **environment):
    """Run an expression in a fresh process; its value comes as JSON."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    script = (
        "import json\nfrom spanometer import InputError\nfrom spanometer.corpora import *\n"
        "def refused(function, **options):\n"
        "    try:\n        function(**options)\n"
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


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder of the Hub's and the datasets' caches."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def loaded(home):
    """What a process loads from the Hub, the Hub's address, and all requests."""
    with hub(*DATA_SETS) as (address, requests):
        results = in_process(LOADED, home, HF_ENDPOINT=address)
    return results, address, requests


def test_where_the_corpora_are():
    assert str(CONLL03_HUB) == "eriktks/conll2003@refs/convert/parquet"
    assert {version: place.repository for version, place in MULTICONER_HUB.items()} == {
        1: "MultiCoNER/multiconer_v1",
        2: "MultiCoNER/multiconer_v2",
    }


def test_parquet(loaded):
    results, _, requests = loaded
    assert results["row"] == {
        "id": "0",
        "tokens": ["Ada", "Bob"],
        "pos_tags": [22, 22],
        "chunk_tags": [11, 12],
        "ner_tags": [1, 1],
        "document": None,
    }
    assert results["iob1"] == [2, 1]
    assert results["streamed"] == [["Ada", "Bob"], ["slept"]]
    # only the split that was asked for, and once
    wanted = f"/datasets/eriktks/conll2003/resolve/{COMMIT}/conll2003/test/0000.parquet"
    fetched = [request for request in requests if "conll2003/resolve/" in request]
    assert fetched == [f"HEAD {wanted}", f"GET {wanted}"]


def test_parquet_of_multiconer(loaded):
    assert loaded[0]["fine"] == [{"id": "c-1", "tokens": ["roma"], "ner_tags": [5], "domain": None}]


def test_files_of_the_release(loaded):
    results, _, requests = loaded
    assert results["release"] == {split: ["c-1"] for split in SPLITS}
    assert not [request for request in requests if "DE-German" in request]


def test_all_splits_are_three(loaded):
    results, *_ = loaded
    assert results["one split"] == 2
    assert results["all splits"] == [
        "me/one@main",
        "there is no validation and no test split of this corpus, on the Hub or in its cache.",
        "Name the split that you need, split='train'.",
    ]


def test_no_such_data_set(loaded):
    results, address, _ = loaded
    for case, source, reason in (
        ("no revision", "eriktks/conll2003@gone", "RevisionNotFoundError"),
        ("no data set", "no/body@refs/convert/parquet", "RepositoryNotFoundError"),
        ("gated", "MultiCoNER/multiconer_v1@main", "GatedRepoError"),
    ):
        assert results[case][0] == source
        assert results[case][1].startswith(f"this data set cannot be loaded from the Hub, {address} ({reason}: ")
        assert "HF_TOKEN" in results[case][2]


def test_a_hub_that_is_gone(loaded, home):
    _, address, _ = loaded
    rows, error = in_process(
        "[load_conll03(split='test').num_rows, refused(load_multiconer)]", home, HF_ENDPOINT=address
    )
    # the file stays
    assert rows == 2
    assert error[1].startswith(f"this data set cannot be loaded from the Hub, {address} (")
    assert "refused" in error[1]
    assert "source=..." in error[2]
    assert "HF_ENDPOINT" in error[2]


@pytest.mark.usefixtures("loaded")
def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "home").touch()
    _, problem, remedy = in_process(
        "refused(load_multiconer)", tmp_path / "home", HF_ENDPOINT="http://127.0.0.1:1", XET="0"
    )
    assert "this data set cannot be loaded from the Hub, " in problem
    assert "set a cache folder that can be written (cache_dir=..., HF_HOME)" in remedy


def test_offline(home):
    rows, other, all_splits, uncached = in_process(
        "[load_conll03(split='test').num_rows, refused(load_conll03, split='train'), refused(load_conll03),"
        " refused(load_multiconer, repository='no/body')]",
        home,
        HF_HUB_OFFLINE="1",
    )
    assert rows == 2
    assert "this data set cannot be loaded from the Hub, " in uncached[1]
    assert "unset HF_HUB_OFFLINE" in uncached[2]
    # the newest huggingface_hub says that what it has is not all, older ones do not
    for error, problem in (
        (other, "there is no train split"),
        (all_splits, "there is no train and no validation split"),
    ):
        assert error[0] == "eriktks/conll2003@refs/convert/parquet"
        assert error[1].startswith((problem, "this data set cannot be loaded from the Hub, "))
