"""`spanometer compare`."""

import pytest

import spanometer
from spanometer.readers import read, tag_lists

GOLD = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis B-LOC\n"
OLD = "Ada B-PER\nLovelace O\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis O\n"
NEW = GOLD.replace("in O\nRome", "in B-LOC\nRome")

# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("gold", GOLD), ("old", OLD), ("new", NEW))]


def expected(files, **options):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    return spanometer.compare(gold, {"old": old, "new": new}, **options)


def test_options_reach_the_comparison(scores, files):
    options = ["--confidence", "0.9", "--n-resamples", "50", "--n-permutations", "3", "--seed", "7"]
    options += ["--interval-method", "percentile", "--repair", "discard", "--average", "macro"]
    found = scores("compare", *files, *options, "--measures", "token_f(format=BIO)")
    measure = spanometer.measures.TokenF(format="BIO", average="macro")
    draws = {"confidence": 0.9, "n_resamples": 50, "n_permutations": 3, "seed": 7, "interval_method": "percentile"}
    values = expected(files, measures=measure, repair="discard", **draws)
    assert found["measures"] == values.to_dict()["measures"]
    assert found["seed"] == 7


@old_matplotlib
def test_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "scores.png"
    status, _, complaint = run("compare", *files, "--measures", "span_f,sl_icm", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
