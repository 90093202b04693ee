"""`spanometer score --by-chance` and `--per-document`, and `spanometer agree --per-document`."""

import pytest

# chance levels of the reference: 1/4, 1/2, none, 1
GOLD = "a B-A\nb O\nc O\nd O\n\na B-A\nb O\nc B-A\nd O\n\na O\nb O\n\na B-A\nb I-A\n"
SYSTEM = "a O\nb B-A\nc O\nd O\n\na B-A\nb O\nc O\nd B-A\n\na O\nb O\n\na B-A\nb I-A\n"
CHANCE = ("--measures", "chance_kappa_f1")


@pytest.fixture
def pair(file):
    return file("gold.conll", GOLD), file("system.conll", SYSTEM)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_picture(run, pair, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "difficulty.png"
    assert run("score", *pair, *CHANCE, "--by-chance", "0.3", "--plot", path)[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    path.unlink()
    status, _, complaint = run("score", *pair, "--plot", path)
    assert (status, "--plot draws the two groups" in complaint) == (2, True)
    status, _, complaint = run("score", *pair, "--measures", "span_f", "--by-chance", "0.3", "--plot", path)
    assert (status, "the plot needs chance_kappa_f1" in complaint) == (2, True)
