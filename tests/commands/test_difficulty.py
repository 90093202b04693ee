"""`spanometer score --by-chance` and `--per-document`, and `spanometer agree --per-document`."""

import json
import re

import pytest

# chance levels of the reference: 1/4, 1/2, none, 1
GOLD = "a B-A\nb O\nc O\nd O\n\na B-A\nb O\nc B-A\nd O\n\na O\nb O\n\na B-A\nb I-A\n"
SYSTEM = "a O\nb B-A\nc O\nd O\n\na B-A\nb O\nc O\nd B-A\n\na O\nb O\n\na B-A\nb I-A\n"
CHANCE = ("--measures", "chance_kappa_f1")


@pytest.fixture
def pair(file):
    return file("gold.conll", GOLD), file("system.conll", SYSTEM)


def test_documents(run, pair):
    status, output, complaint = run("score", *pair, *CHANCE, "--per-document")
    assert (status, complaint) == (0, "")
    rows = re.findall(r"^(\d) +(\d+) +([-\dna.]+) +([-\dna.]+) +([-\dna.]+)$", output, re.MULTILINE)
    assert rows == [
        ("1", "1", "0.0000", "0.2500", "-0.3333"),
        ("2", "6", "0.5000", "0.5000", "0.0000"),
        ("3", "11", "nan", "nan", "nan"),
        ("4", "14", "1.0000", "1.0000", "0.0000"),
    ]


def test_parts(run, pair):
    status, output, complaint = run("score", *pair, *CHANCE, "--by-chance", "0.3,0.6")
    assert (status, complaint) == (0, "")
    heads = [line for line in output.splitlines() if line.startswith("chance ")]
    assert [line.split("  ")[0] for line in heads] == [
        "chance below 0.3",
        "chance from 0.3 to below 0.6",
        "chance 0.6 or more",
    ]
    assert "1 sentence, 4 tokens, 1 reference span, 1 predicted span" in heads[0]
    assert output.endswith("Documents without reference spans, in no group: 1.\n")
    parts = json.loads(run("score", *pair, *CHANCE, "--by-chance", "0.3,0.6", "--json")[1])["subsets"]
    assert [part["measures"]["chance_kappa_f1"]["scores"]["f1"] for part in parts.values()] == [0, 0.5, 1]
    assert [part["documents"] for part in parts.values()] == [1, 1, 1]


def test_ranks_before_and_after_correction(run, pair):
    command = ("compare", *pair, pair[0], "--names", "one,two", "--by-chance", "0.3", "--n-resamples", "20")
    status, output, complaint = run(*command)
    assert (status, complaint) == (0, "")
    assert re.findall(r"^chance below 0\.3 +1 +(\w+) +([\d.]+) +(\d) +([-\d.]+) +(\d)$", output, re.MULTILINE) == [
        ("one", "0.0000", "2", "-0.3333", "2"),
        ("two", "1.0000", "1", "1.0000", "1"),
    ]
    row = json.loads(run(*command, "--json")[1])["chance_ranks"][0]
    assert (row["part"], row["documents"], row["system"]) == ("all", 4, "one")
    assert "chance_ranks" not in json.loads(run(*command[:6], "--n-resamples", "20", "--json")[1])


def test_a_part_without_documents_has_no_scores(run, pair):
    _, output, _ = run("score", *pair, *CHANCE, "--by-chance", "0.1")
    assert (
        "chance below 0.1  0 sentences, 0 tokens, 0 reference spans, 0 predicted spans\n\nchance 0.1 or more" in output
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_picture(run, pair, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "difficulty.png"
    assert run("score", *pair, *CHANCE, "--by-chance", "0.3", "--plot", path)[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    path.unlink()
    status, _, complaint = run("score", *pair, "--plot", path)
    assert (status, "--plot needs --by-chance here" in complaint) == (2, True)
    status, _, complaint = run("score", *pair, "--measures", "span_f", "--by-chance", "0.3", "--plot", path)
    assert (status, "the plot needs chance_kappa_f1" in complaint) == (2, True)


def test_not_for_trees(run, file):
    path = file("a.tsv", "TOKEN\tNE-FINE-LIT\n# document_id = one\nAda\tB-pers\n")
    status, _, complaint = run("score", path, path, "--by-chance", "0.1")
    assert (status, "no effect for entity trees" in complaint) == (2, True)
    status, output, complaint = run("score", path, path, "--per-document")
    assert (status, complaint) == (0, "")
    assert re.search(r"^eter: document +line +eter", output, re.MULTILINE)


def test_agreement(run, pair):
    status, output, complaint = run("agree", *pair, pair[0], "--per-document")
    assert (status, complaint) == (0, "")
    # pairs gold-system, gold-gold, system-gold: f1 0, 1, 0 and chance 1/4 each
    assert re.search(r"^1 +1 +0\.3333 +0\.2500 +0\.1111$", output, re.MULTILINE)
    assert re.search(r"^3 +11 +nan +nan +nan$", output, re.MULTILINE)
    found = json.loads(run("agree", *pair, pair[0], "--per-document", "--json")[1])
    assert found["per_document"]["f1"] == [[0, 0.5, None, 1], [1, 1, None, 1], [0, 0.5, None, 1]]
    assert found["per_document"]["mean_chance_f1"] == pytest.approx([0.25, 0.5, None, 1])
    assert found["document_lines"] == [1, 6, 11, 14]
    assert "per_document" not in json.loads(run("agree", *pair, "--json")[1])
