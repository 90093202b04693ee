"""`python -m experiments`."""

import json
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
    assert lines[0] == "Published tables, ours beside them"
    assert lines[2].split() == ["table", "published", "equal", "within", "one", "unit", "not", "equal"]
    assert any(re.fullmatch(r"eter_table3 +Table 3: .+ 9 +7 +0 +2", line) for line in lines)
    assert "Nothing differs that is not on record." in lines
    assert any(line.startswith("2 cells not equal. The printed total does not follow") for line in lines)
    assert any(line.split() == ["NER-4,", "both:", "SER", "in", "%", "36.4", "36.06", "-0.34", "≠"] for line in lines)
    assert not any("NER-8" in line for line in lines)
    assert re.fullmatch(r"Made in \d+\.\d seconds\.", lines[-1])


def test_all_cells(run):
    status, output, _ = run("eter_table3", "--all-cells")
    assert status == 0
    assert any(line.split("  ")[0] == "NER-8, types" and line.endswith("37.1 / 37") for line in output.splitlines())
    assert "Computed from the printed numbers of deleted" in output


def test_a_difference_without_a_reason(run, monkeypatch):
    right = SpanF.formula
    monkeypatch.setattr(
        SpanF, "formula", lambda self, quantities: {k: v / 2 for k, v in right(self, quantities).items()}
    )
    for form in ("text", "markdown", "json"):
        status, output, complaint = run("sl_icm_table3", "--format", form)
        assert (status, complaint) == (1, "")
    # three of the twenty printed values are 0
    assert len(json.loads(output)["unexplained"]) == 17
    status, output, _ = run("sl_icm_table3")
    assert "17 cells differ without a reason on record." in output
    assert "17 cells not equal. No reason is on record." in output


def test_what_is_missing_is_said(run):
    status, output, _ = run("sl_icm_table4")
    assert status == 0
    assert "Table 4, counted as in the paper (missing)" in output
    assert "Missing. No folder of corpora is given." in output
    assert "--data DIR" in output


def test_data(run, data, monkeypatch):
    status, output, _ = run("sl_icm_table4", "--data", data)
    assert status == 0
    assert re.search(r"^sl_icm_table4 .* 98 +84 +13 +1$", output, re.MULTILINE)
    assert "75 cells not equal. Spans have their own lengths here" in output
    monkeypatch.setenv(command.DATA_VARIABLE, str(data))
    again = run("sl_icm_table4")[1]
    assert again.splitlines()[:-1] == output.splitlines()[:-1]


def test_wrong_input(complaint, tmp_path, monkeypatch):
    assert complaint("eter_tabel3") == (
        f"spanometer: unknown table 'eter_tabel3'. Did you mean 'eter_table3'? The tables are {', '.join(TABLES)}."
    )
    assert "is not a folder" in complaint("eter_table3", "--data", tmp_path / "none")
    monkeypatch.setenv(command.DATA_VARIABLE, str(tmp_path / "none"))
    assert "is not a folder" in complaint("eter_table3")
    monkeypatch.delenv(command.DATA_VARIABLE)
    (tmp_path / "multiconer_es_dev.conll").write_bytes(b"\x00\xff\xfe")
    assert "multiconer_es_dev.conll" in complaint("sl_icm_table4", "--data", tmp_path)
    assert "--format" in complaint("--format", "html")


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
    assert "1  if a cell differs without one" in output
