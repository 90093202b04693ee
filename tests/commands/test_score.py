"""`spanometer score`: tables, JSON, options and complaints."""

import gzip
import re
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spanometer.measures import SlIcm
from spanometer.spans.spans import Spans

REFERENCE = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
PREDICTION = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"


@pytest.fixture
def pair(file):
    return file("gold.conll", REFERENCE), file("system.conll", PREDICTION)


def columns(*rows):
    """A file's text from rows such as `word tag tag`, None between documents."""
    return "".join("\n" if row is None else row + "\n" for row in rows)


def test_nothing_is_cut_where_there_is_no_terminal(run, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    label = "urn:label:[bold]" + "x" * 300
    path = file("a.conll", f"a B-{label}\n")
    measures = "span_f,bcubed,sl_icm,chance_kappa_f1,unitizing_alpha"
    _, output, _ = run("score", path, path, "--measures", measures, "--per-label")
    rows = [line.split() for line in output.splitlines() if line.startswith(label)]
    assert [row[:4] for row in rows[:2]] == [[label, "1.0000", "1.0000", "1.0000"]] * 2
    assert all(set(map(float, row[4:])) == {1} for row in rows[:2])
    # all of the text is one span: there is no other way to annotate it
    assert rows[2:] == [
        [label, "1.0000", "1.0000", "1"],
        [label, "1.0000", "1.0000", "0.0000", "1"],
        [label, "0.0000", "0.0000", "0.0000", "1"],
    ]
    assert "…" not in output
    assert "\x1b" not in output


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_forms_of_files_can_be_mixed(scores, file, pack):
    gold = file("gold", pack(REFERENCE.encode()))
    tags_only = file("tags", pack(re.sub(r"(?m)^\S+ ", "", PREDICTION).encode()))
    lines = file("lines", pack(b'["B-PER", "O", "O"]\n{"tags": ["B-LOC", "I-LOC"]}\n'))
    expected = scores("score", gold, file("system", PREDICTION))["measures"]
    assert scores("score", gold, tags_only)["measures"] == expected
    assert scores("score", gold, lines)["measures"] == expected


def test_corpus_probabilities(scores, file):
    text = columns("Ada X B-PER", "Ada Y I-PER", "slept Z O", None, "Rome X B-LOC")
    path = file("g", text)
    spans = Spans.from_tags([["B-PER", "I-PER", "O"], ["B-LOC"]])
    for arguments, words in (
        ([], [["Ada", "Ada", "slept"], ["Rome"]]),
        (["--words-column", "2"], [["X", "Y", "Z"], ["X"]]),
    ):
        measure = SlIcm(tokens=words)
        found = scores("score", path, path, "--measures", "sl_icm(token_probabilities=corpus)", *arguments)["measures"][
            "sl_icm"
        ]
        assert found["scores"] == measure.score(measure.counts(spans, spans))


def test_files_that_cannot_be_opened(complaint, pair, tmp_path):
    (tmp_path / "empty").mkdir()
    assert f"{tmp_path / 'empty'}: this folder has no files" in complaint("score", pair[0], tmp_path / "empty")


def test_permission_errors_are_told(complaint, pair, monkeypatch):
    def refuse(path, mode):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("builtins.open", refuse)
    assert f"{pair[0]}: the file cannot be read: permission denied." in complaint("score", *pair)


def test_a_cluster_needs_dask(complaint, monkeypatch, tmp_path):
    # None in place of a module is one that cannot be imported
    monkeypatch.setitem(sys.modules, "distributed", None)
    pq.write_table(pa.table({"references": [["B-A"]], "predictions": [["B-A"]]}), tmp_path / "a.parquet")
    line = complaint("score", tmp_path, "--cluster", "local", "--scheme", "IOB2")
    assert line == 'spanometer: Dask is not installed. Install it: pip install "spanometer[dask]".'
