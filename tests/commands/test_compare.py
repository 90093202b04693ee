"""`spanometer compare`."""

import json
import re

import pytest

import spanometer
from spanometer.readers import read, tag_lists

GOLD = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis B-LOC\n"
OLD = "Ada B-PER\nLovelace O\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis O\n"
NEW = GOLD.replace("in O\nRome", "in B-LOC\nRome")
ALL = "\n".join(
    f"{one} {two.split()[1]} {three.split()[1]}" if one else ""
    for one, two, three in zip(GOLD.split("\n"), OLD.split("\n"), NEW.split("\n"), strict=True)
)
HEAD = (
    "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tNE-FINE-METO\tNE-FINE-COMP\tNE-NESTED\tNEL-LIT\tNEL-METO\tMISC"
)

# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("gold", GOLD), ("old", OLD), ("new", NEW))]


def expected(files, **options):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    return spanometer.compare(gold, {"old": old, "new": new}, **options)


def test_marks_and_small_p_values(run, file):
    gold, lost = "a B-X\n\n" * 40, "a O\n\n" * 20 + "a B-X\n\n" * 20
    paths = [file("gold", gold), file("right", gold), file("lost", lost)]
    _, output, _ = run("compare", *paths, "--n-permutations", "200000")
    assert re.search(r"^right - lost .* <0\.0001 +<0\.0001 +\*\*\*$", output, re.MULTILINE)


def test_options_reach_the_comparison(scores, files):
    options = ["--confidence", "0.9", "--n-resamples", "50", "--n-permutations", "3", "--seed", "7"]
    options += ["--interval-method", "percentile", "--repair", "discard", "--average", "macro"]
    found = scores("compare", *files, *options, "--measures", "token_f(format=BIO)")
    measure = spanometer.measures.TokenF(format="BIO", average="macro")
    draws = {"confidence": 0.9, "n_resamples": 50, "n_permutations": 3, "seed": 7, "interval_method": "percentile"}
    values = expected(files, measures=measure, repair="discard", **draws)
    assert found["measures"] == values.to_dict()["measures"]
    assert found["seed"] == 7


def test_columns_of_one_file(scores, file, files):
    path = file("all.conll", ALL)
    found = scores("compare", path, "--column", "2,3,4", "--names", "old, new")
    assert found["measures"] == scores("compare", *files)["measures"]
    assert list(scores("compare", path, "--column", "2,3,4")["systems"]) == ["column 3", "column 4"]


@old_matplotlib
def test_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "scores.png"
    status, _, complaint = run("compare", *files, "--measures", "span_f,sl_icm", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_per_label(run, files):
    """The values in each label are those of the label; each interval holds its value."""
    status, output, _ = run("compare", *files, "--per-label", "--json", "--n-resamples", "50")
    assert status == 0
    found = json.loads(output)["measures"]["span_f"]
    assert run("compare", *files, "--average", "none", "--json", "--n-resamples", "50")[1] == output
    for name, path in zip(found["systems"], files[1:], strict=True):
        alone = json.loads(run("score", files[0], path, "--measures", "span_f", "--per-label", "--json")[1])
        expected = alone["measures"]["span_f"]["per_label"]
        for label, compared in found["per_label"].items():
            of_system = compared["systems"][name]["scores"]
            assert of_system == {key: expected[label][key] for key in ("precision", "recall", "f1")}
            low, high = compared["systems"][name]["intervals"]["f1"]
            assert low <= of_system["f1"] <= high
    text = run("compare", *files, "--per-label", "--n-resamples", "50")[1]
    for label in found["per_label"]:
        assert len([line for line in text.splitlines() if line.startswith(f"{label} ")]) == 2


def test_a_worse_system_fails(run, file):
    gold = file("gold.conll", "Ada B-PER\nslept O\n\n" * 40)
    worse = file("worse.conll", "Ada B-PER\nslept O\n\n" * 20 + "Ada O\nslept O\n\n" * 20)
    status, output, complaint = run("compare", gold, gold, worse, "--fail-if-worse")
    assert status == 1 and "span_f" in output
    assert "worse is significantly worse in span_f f1: -0.3333 against gold, p <0.0001" in complaint.replace(
        "p = 0.0001", "p <0.0001"
    )
    assert run("compare", gold, worse, gold, "--fail-if-worse")[0] == 0
    assert run("compare", gold, gold, gold, "--fail-if-worse", "--names", "a,b")[::2] == (0, "")
    assert run("compare", gold, gold, worse, gold, "--names", "a,b,c", "--fail-if-worse")[0] == 2
