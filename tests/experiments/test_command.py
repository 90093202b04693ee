"""`python -m experiments`."""

import re

import pytest

from experiments import command
from experiments.report import TABLES
from spanometer.measures import SpanF


@pytest.fixture(autouse=True)
def no_corpora(monkeypatch):
    monkeypatch.delenv(command.DATA_VARIABLE, raising=False)


def test_summary_and_differences(run):
    status, output, complaint = run("eter_examples", "eter_table3")
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "# Every published table"
    assert "| all | 2 | 18 | 16 | 0 | 2 |" in lines
    assert "9 values: 7 equal, 2 not equal." in lines
    assert "Every difference is listed below." in lines
    assert any(line.startswith("2 values differ. The published rate does not follow") for line in lines)
    assert "| NER-4, both | SER in % | 36.4 | 36.06 | -0.34 | ≠ |" in lines
    assert "NER-8" not in output


def test_cells(run):
    status, output, _ = run("eter_table3", "--cells")
    assert status == 0
    assert "eter_table3\tNER-8, types\tSER in %\t37\t37.1\t+0.1\tequal\t" in output.splitlines()
    assert "from the published numbers of deleted" in output


def test_a_difference_without_a_reason(run, monkeypatch):
    right = SpanF.formula
    monkeypatch.setattr(
        SpanF, "formula", lambda self, quantities: {k: v / 2 for k, v in right(self, quantities).items()}
    )
    for form in ((), ("--cells",)):
        status, output, complaint = run("sl_icm_table3", *form)
        assert (status, complaint) == (1, "")
    # three of the twenty printed values are 0
    status, output, _ = run("sl_icm_table3")
    assert "17 values without a reason." in output
    assert "17 values differ. No reason is on record." in output


def test_data(run, data, monkeypatch):
    status, output, _ = run("sl_icm_table4", "--data", data)
    assert status == 0
    assert "98 values: 84 equal, 13 off by at most 1 in the last digit, 1 not equal." in output
    assert "75 values differ. In the paper's code, each span is one token too long. This table" in output
    monkeypatch.setenv(command.DATA_VARIABLE, str(data))
    assert run("sl_icm_table4")[1] == output


def test_wrong_input(complaint, tmp_path, monkeypatch):
    assert "unknown table 'eter_tabel3'. The tables are " in complaint("eter_tabel3")
    assert "is not a folder" in complaint("eter_table3", "--data", tmp_path / "none")
    monkeypatch.setenv(command.DATA_VARIABLE, str(tmp_path / "none"))
    assert "is not a folder" in complaint("eter_table3")
    monkeypatch.delenv(command.DATA_VARIABLE)
    (tmp_path / "multiconer_es_dev.conll").write_bytes(b"\x00\xff\xfe")
    assert "multiconer_es_dev.conll" in complaint("sl_icm_table4", "--data", tmp_path)


def test_plots(run, complaint, tmp_path):
    pytest.importorskip("matplotlib")
    status, _, _ = run("chance_figure1", "--plots", tmp_path / "figures")
    assert status == 0
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["chance_figure1.png"]
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    assert "file" in complaint("chance_figure1", "--plots", file)


def test_help_names_every_table_and_the_exit_status(run):
    status, output, _ = run("--help")
    assert status == 0
    listed = re.search(r"Tables: (.*?)\.\n", output, re.DOTALL).group(1)
    assert [name.strip() for name in listed.split(",")] == list(TABLES)
    assert "1  a value differs without a reason" in output
