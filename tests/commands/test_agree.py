"""`spanometer agree`: the agreement of annotators."""

import re

import pytest

import spanometer
from spanometer.measures import Gamma
from spanometer.readers import read, tag_lists

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada O\nLovelace B-PER\nslept O\n\nin O\nRome B-LOC\n"
ALL = "\n".join(
    f"{one} {two.split()[1]} {three.split()[1]}" if one else ""
    for one, two, three in zip(ANN.split("\n"), BEN.split("\n"), CAT.split("\n"), strict=True)
)


# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("ann", ANN), ("ben", BEN), ("cat", CAT))]


def expected(files, **options):
    return spanometer.agreement(
        [tag_lists(read(path).tags[0]) for path in files], names=["ann", "ben", "cat"], **options
    )


def test_columns_of_one_file(scores, file, files):
    path = file("all.conll", ALL)
    found = scores("agree", path, "--column", "2,3,4")
    assert found["annotators"] == ["column 2", "column 3", "column 4"]
    named = scores("agree", path, "--column", "2, 3, 4", "--names", "ann, ben, cat")
    of_files = scores("agree", *files)
    assert {**named, "files": None} == {**of_files, "files": None}


@old_matplotlib
def test_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "agreement.png"
    status, _, complaint = run("agree", *files, "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_gamma(run, files, scores):
    gamma = ("agree", *files, "--measures", "unitizing_alpha", "--measures")
    found = scores(*gamma, "gamma(samples=5,distances=PER/LOC=0.5)")
    assert scores(*gamma, 'gamma(samples=5,distances={"PER": {"LOC": 0.5}})') == found
    sides = {name: tag_lists(read(path).tags[0]) for name, path in zip(("ann", "ben", "cat"), files, strict=True)}
    expected = spanometer.agreement(sides, gamma=Gamma(samples=5, distances={"PER": {"LOC": 0.5}}))
    assert {key: found[key] for key in Gamma.keys} == {key: getattr(expected, key) for key in Gamma.keys}
    assert found["signatures"]["gamma"] == expected.signatures["gamma"]
    assert "|distances:LOC/PER=0.5|" in found["signatures"]["gamma"]
    _, output, _ = run(*gamma, "gamma(samples=5,distances=PER/LOC=0.5)")
    assert re.search(rf"^all jointly .* {expected.gamma:.4f} +{expected.gamma_cat:.4f}$", output, re.MULTILINE)
