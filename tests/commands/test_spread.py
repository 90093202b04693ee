"""`spanometer spread`."""

import json
import sys

import numpy as np
import pytest

IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"
GOLD = "B-A\nE-A\nO\n\nS-B\nO\nB-A\nE-A\n"
SYSTEM = "B-A\nI-A\nO\n\nS-B\nO\nB-A\nE-B\n"


@pytest.fixture
def sides(file):
    return file("gold.conll", GOLD), file("system.conll", SYSTEM)


@pytest.fixture
def logits(tmp_path):
    """Logits whose highest labels are those of SYSTEM."""
    labels = ["O", *(f"{prefix}-{label}" for label in "AB" for prefix in "BIES")]
    generator = np.random.default_rng(0)
    arrays = []
    for document in SYSTEM.split("\n\n"):
        tags = document.split()
        array = generator.normal(size=(len(tags), len(labels)))
        array[np.arange(len(tags)), [labels.index(tag) for tag in tags]] += 6
        arrays.append(array)
    path = tmp_path / "logits.npz"
    np.savez(path, *arrays, labels=np.array(labels))
    return path


@pytest.fixture
def matplotlib():
    """Skip where there is no matplotlib; an old one may warn."""
    return pytest.importorskip("matplotlib")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_plot(run, sides, logits, tmp_path, matplotlib):
    path = tmp_path / "spread.png"
    status, _, complaint = run("spread", *sides, "--logits", logits, "--measures", "span_f,sl_icm", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_without_matplotlib(complaint, sides, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert complaint("spread", *sides, "--plot", tmp_path / "a.png") == (
        "spanometer: pictures need matplotlib, which is not installed. "
        "Install it: pip install 'matplotlib>=3.8' (the extra plots)."
    )
    assert not (tmp_path / "a.png").exists()


TEXT = "Ann saw Bob. Ann left Rome."
SPANS = [{"start": start, "end": start + 3, "label": "PER"} for start in (0, 8, 13)]
SMALL = '[["PER", "Ann"], ["PER", "Cid"]]'
LARGE = '[["PER", "Ann"], ["PER", "Bob"], ["CITY", "Rome"]]'


@pytest.fixture
def answered(file):
    """A reference, and the answers of two systems in another order."""
    gold = [{"id": 1, "text": TEXT, "spans": SPANS}, {"id": 2, "text": "Oslo", "spans": []}]
    files = {"gold": gold}
    for name, said in (("small", SMALL), ("large", LARGE)):
        files[name] = [{"id": 2, "answer": "[]"}, {"id": 1, "answer": said}]
    return [file(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows)) for name, rows in files.items()]


def test_answers_in_a_picture(run, answered, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plots)")
    status, _, _ = run("spread", *answered, "--plot", str(tmp_path / "spread.svg"))
    assert status == 0
    assert (tmp_path / "spread.svg").read_bytes().startswith(b"<?xml")


def test_only_one_system_can_be_named(sides, file, complaint):
    only_one = "you can compare repair policies for only one system, but there are 2."
    assert only_one in complaint("spread", *sides, sides[1])
    columns = file("columns.conll", "Ada B-PER B-PER B-LOC\nslept O O O\n")
    assert only_one in complaint("spread", columns, "--column", "2,3,4")
