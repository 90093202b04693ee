"""The decoding experiment: a tagger's logits, decoded in every way."""

import json
import sys

import numpy as np
import pytest

from experiments.decoding import MEASURES, TaggerSettings, decode_in_every_way
from spanometer import InputError
from spanometer.data import EXAMPLE
from spanometer.measures import SpanF
from spanometer.readers import read, tag_lists

pytest.importorskip("sklearn", reason="the experiment needs scikit-learn")

QUICK = TaggerSettings(epochs=3, ngrams=3, buckets=1 << 12)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The example corpus in two parts."""
    corpus = read(EXAMPLE, columns=["reference"], words=True)
    sentences = zip(tag_lists(corpus.words), tag_lists(corpus.tags[0]), strict=True)
    lines = ["\n".join(map(" ".join, zip(*sentence, strict=True))) for sentence in sentences]
    folder = tmp_path_factory.mktemp("example")
    for name, part in (("train", lines[:150]), ("dev", lines[150:])):
        (folder / f"{name}.conll").write_text("\n\n".join(part) + "\n", encoding="utf-8")
    return folder / "train.conll", folder / "dev.conll"


@pytest.fixture(scope="module")
def run(files):
    return decode_in_every_way(*files, QUICK, resamples=50)


def test_table_is_complete(run):
    assert [row["way"] for row in run["rows"]] == [
        *(f"argmax, {policy}" for policy in ("conlleval", "discard", "bes", "convert")),
        *(f"argmax, {which} of 7,744 repair policies" for which in ("best", "worst", "mean")),
        *("greedy, left to right", "greedy, from predicted starts", "by score", "Viterbi"),
    ]
    names = {measure.name for measure in MEASURES}
    for row in run["rows"]:
        assert row["scores"].keys() == names and np.isfinite(list(row["scores"].values())).all()
        assert (row["signature"] is None) == ("mean" in row["way"])
    assert run["differences"].keys() == names
    assert run["illegal_pairs"] > run["affected_sentences"] > 0
    assert run["corpus"] == "dev.conll" and run["trained_on"].startswith("train.conll (150 sentences")
    assert json.loads(json.dumps(run, allow_nan=False)) == run


def test_differences_are_those_of_the_rows(run):
    rows = {row["way"]: row["scores"] for row in run["rows"]}
    for name, found in run["differences"].items():
        expected = rows["Viterbi"][name] - rows["argmax, conlleval"][name]
        assert found["difference"] == pytest.approx(expected, abs=1e-12)
        assert found["from"] < found["to"]


def test_same_seed_same_result(files, run):
    again = decode_in_every_way(*files, QUICK, [SpanF()], resamples=50)
    assert again["differences"]["span_f"] == run["differences"]["span_f"]
    assert [row["scores"]["span_f"] for row in again["rows"]] == [row["scores"]["span_f"] for row in run["rows"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B-A\n\nO\n", "the file has no words."),
        ("a O\nb O\n\nc O\n", "all tokens to train on have the same tag."),
        ("a B-A\nb X-A\n\nc O\n", "'X-A' has no known prefix"),
    ],
)
def test_bad_files(files, tmp_path, text, message):
    file = tmp_path / "file.conll"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        decode_in_every_way(file, files[1], QUICK)


def test_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction", None)
    with pytest.raises(InputError) as raised:
        decode_in_every_way(*files, QUICK)
    assert "pip install 'spanometer[experiments]'" in raised.value.remedy
