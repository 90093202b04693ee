"""Every published table, ours beside it."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from experiments import decoding, report
from experiments.inputs import Inputs, MissingCorpus
from experiments.report import Reproduction, known_differences, make, reason_for, reproduce
from experiments.tables import LISTED, Cell, PublishedTable
from spanometer import InputError
from spanometer.tables.table import Table

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "experiments" / "data"
QUICK = (
    *("sl_icm_table3", "chance_simulations", "chance_figure1", "chance_table10"),
    *("eter_examples", "eter_table3", "span_attribute", "mpp"),
)


@pytest.fixture(scope="module")
def quick():
    return {table.name: table for table in reproduce(QUICK).tables}


@pytest.fixture(scope="module")
def whole(data):
    return reproduce(folder=data)


@pytest.fixture(scope="module")
def tables(whole):
    return {table.name: table for table in whole.tables}


def cell_of(table, row, column):
    (found,) = (cell for cell in table.cells if (cell.row, cell.column) == (row, column))
    return found


# cells


@pytest.mark.parametrize(
    ("published", "ours", "digits", "mark", "difference"),
    [
        (0.25, 0.2549, 2, "=", 0.0049),
        (0.25, 0.2551, 2, "±1", 0.0051),
        (0.25, 0.26, 2, "±1", 0.01),
        (0.25, 0.2401, 2, "±1", -0.0099),
        (0.25, 0.2601, 2, "≠", 0.0101),
        (0.25, math.nan, 2, "≠", math.nan),
        (36, 36.5, 0, "=", 0.5),
        (7, 7, 0, "=", 0),
        (7, 8, 0, "±1", 1),
        (7, 9, 0, "≠", 2),
        (True, True, 0, "=", None),
        (True, False, 0, "≠", None),
        (False, False, 0, "=", None),
        ((0.2, 0.3), 0.2, 1, "=", 0),
        ((0.2, 0.3), 0.25, 1, "=", 0),
        ((0.2, 0.3), 0.31, 1, "±1", 0.01),
        ((0.2, 0.3), 0.05, 1, "≠", -0.15),
        (None, 0.4, 1, "", None),
    ],
)
def test_marks(published, ours, digits, mark, difference):
    cell = Cell("row", "column", published, ours, digits)
    assert cell.mark == mark
    assert cell.difference == (None if difference is None else pytest.approx(difference, nan_ok=True))
    assert cell.equal is (None if published is None else mark == "=")


@pytest.mark.parametrize(
    ("published", "ours", "digits", "texts"),
    [
        (0.5, 0.5, 3, ("0.500", "0.5000", "+0.0000")),
        (0.5, 0.49, 2, ("0.50", "0.490", "-0.010")),
        (36.4, 36.06, 1, ("36.4", "36.06", "-0.34")),
        (5760, 7744, 0, ("5,760", "7,744", "+1,984")),
        (True, False, 0, ("yes", "no", "")),
        ((0.1, 0.2), 0.15, 1, ("0.1 to 0.2", "0.15", "+0.00")),
        (None, 12, 0, ("not printed", "12", "")),
    ],
)
def test_texts(published, ours, digits, texts):
    assert Cell("row", "column", published, ours, digits).texts() == texts


def test_table():
    cells = (
        Cell("b", "x", True, True),
        Cell("a", "x", True, False, reason="so", counterexample="gold 1-2"),
        Cell("b", "y", 0.5, 0.7, 1),
        Cell("a", "z", None, 3),
    )
    table = PublishedTable("name", "Title", "Source", cells)
    assert table.counts == [3, 1, 0, 2]
    assert table.unexplained == [cells[2]]
    assert table.by_reason == {"so": [cells[1]], None: [cells[2]]}
    head = ["column", "published", "ours", "difference", ""]
    assert list(table.parts()) == [
        "3 values: 1 equal, 2 not equal.",
        "1 value differs. so",
        Table("row", head, [["a", "x", "yes", "no", "", cells[1].mark]], left=2),
        "1 value differs. No reason is on record.",
        Table("row", head, [["b", "y", "0.5", "0.70", "+0.20", cells[2].mark]], left=2),
    ]
    assert cells[1].record() == ["a", "x", "yes", "no", "", "not equal", "gold 1-2"]
    assert cells[3].record() == ["a", "z", "not printed", "3", "", "", ""]


# what comes with the package


def test_decoding_is_stored_and_says_so():
    table, ways, differing = reproduce(["decoding"]).tables
    assert table.notes[0].startswith("The values come from a stored run")
    assert table.missing.startswith("A run made now. No folder of corpora is given.")
    assert [cell.ours for cell in table.cells if isinstance(cell.ours, bool)] == [True, True, True]
    assert table.unexplained == []
    # the figures of docs/illegal_tags.md
    text = re.sub(r"\*|(?<= ) +", "", (ROOT / "docs" / "illegal_tags.md").read_text(encoding="utf-8"))
    scores = {row: [cell.texts()[1] for cell in ways.cells if cell.row == row] for row in {c.row for c in ways.cells}}
    assert all(f"| {' | '.join([row, *texts])} |" in text for row, texts in scores.items())
    assert all(f"| {row.row} | {row.ours:+.4f} |" in text for row in differing.cells if row.column == "difference")


def test_decoding_by_name_is_run(tmp_path, monkeypatch):
    for name in ("es_train.conll", "multiconer_es_dev.conll"):
        (tmp_path / name).write_text("x\tO\n", encoding="utf-8")
    asked = []

    def run(train, dev):
        asked.append((train.name, dev.name))
        return {**json.loads((PUBLISHED / "decoding.json").read_text(encoding="utf-8")), "illegal_pairs": 99}

    monkeypatch.setattr(decoding, "decode_in_every_way", run)
    table, *_ = reproduce(["decoding"], folder=tmp_path).tables
    assert asked == [("es_train.conll", "multiconer_es_dev.conll")]
    assert table.notes[0].startswith("Made now")
    assert table.missing is None
    assert cell_of(table, "illegal pairs", "number").equal
    # not by name: the stored one, whatever the folder has
    assert "stored" in make("decoding", Inputs(tmp_path)).notes[0]
    assert len(asked) == 1


def test_published_files_say_where_they_are_from():
    for file in PUBLISHED.glob("*.tsv"):
        assert file.read_text(encoding="utf-8").startswith("# "), file.name


# with corpora


def test_no_cell_differs_without_a_reason(whole):
    assert whole.unexplained == []
    assert whole.verdict == "Every difference is listed below."


def test_every_reason_is_used(tables):
    reasons = {reason for table in tables.values() for reason in table.by_reason}
    assert {reason for reason, _ in known_differences().values()} <= reasons
    names = {name for name, _, _ in known_differences()}
    assert names <= set(tables)


def test_the_page_and_its_data_are_what_it_gives(whole):
    assert (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8") == whole.to_markdown()
    assert (ROOT / "docs" / "data" / "reproduction.tsv").read_text(encoding="utf-8") == whole.to_tsv()


@pytest.mark.parametrize("line", ["LOC\t2\t3", "LOC\tx\t3\t2, 3", "LOC\t2\t4\t2, 4"])
def test_files_that_are_not_those_of_faireval(tmp_path, line):
    for side in ("target", "system"):
        (tmp_path / "faireval" / side).mkdir(parents=True)
        (tmp_path / "faireval" / side / "ner_spans.csv").write_text(f"LOC\t1\t1\t1\n\n{line}\n\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"ner_spans\.csv: line 3 is not a label"):
        reproduce(["faireval"], folder=tmp_path)


def test_without_the_files_of_faireval():
    found = reproduce(["faireval"])
    assert len(found.tables) == 8
    assert all(not table.cells and "FairEval's" in table.missing for table in found.tables)


# what is wrong is marked


def test_known_differences(monkeypatch):
    known = {
        ("t", "r", "c"): ("cell", "0.5"),
        ("t", "r", ""): ("row", "±1"),
        ("t", "", "c"): ("column", "yes"),
        ("t", "", ""): ("table", "7"),
    }
    monkeypatch.setattr(report, "known_differences", lambda: known)

    def reason(row, column, published, ours, digits=1, table="t"):
        return reason_for(table, Cell(row, column, published, ours, digits))

    assert reason("r", "c", 0.1, 0.52) == "cell"
    assert reason("r", "c", 0.1, 0.6) is None
    assert reason("r", "c", 0.1, 0.2) == "row"
    assert reason("r", "other", 0.1, 0.3) is None
    assert reason("other", "c", False, True, 0) == "column"
    assert reason("other", "c", True, False, 0) is None
    # one is no yes
    assert reason("other", "c", 5, 1, 0) is None
    assert reason("other", "other", 1, 7, 0) == "table"
    assert reason("r", "c", 0.5, 0.5) is None
    assert reason("r", "c", None, 0.5) is None
    assert reason("r", "c", 0.1, 0.5, table="u") is None


# what is missing


def test_without_corpora():
    names = ("sl_icm_table4", "chance_table10")
    found = reproduce(names)
    table4, lengths, conclusions, table10, _ = found.tables
    assert table4.cells == lengths.cells == conclusions.cells == ()
    assert table4.missing == (
        "No folder of corpora is given. Put multiconer_es_dev.conll (MultiCoNER version 1, Spanish development set) "
        "into a folder and name it with --data DIR or SPANOMETER_DATA."
    )
    assert "conll03_test_tags.tsv" in table10.missing
    assert len(table10.cells) == 38
    assert [row[1:3] for row in found.summary().rows] == [["3", "0"], ["2", "5"], ["5", "5"]]
    assert f"Missing. {table4.missing}" in found.to_markdown()


def test_a_folder_that_lacks_a_corpus(tmp_path):
    with pytest.raises(MissingCorpus, match=r"^The folder has no conll03_test_tags\.tsv\. Put"):
        _ = Inputs(tmp_path).conll03
    (tmp_path / "ES-Spanish").mkdir()
    path = tmp_path / "ES-Spanish" / "es_dev.conll"
    path.write_text("x O\n", encoding="utf-8")
    assert Inputs(tmp_path).path("multiconer_es_dev.conll") == path


def test_wrong_corpora(tmp_path):
    path = tmp_path / "multiconer_es_dev.conll"
    path.write_text("x\tB-A\n", encoding="utf-8")
    with pytest.raises(InputError, match="Spanish development set has 1,176 spans in 800 documents"):
        reproduce(["sl_icm_table4"], folder=tmp_path)
    (tmp_path / "conll03_test_tags.tsv").write_text("O\tO\nO\tX-A\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"conll03_test_tags\.tsv, line 2"):
        reproduce(["chance_table10"], folder=tmp_path)


# names, forms


def test_tables_come_in_their_order_and_once(quick):
    assert tuple(name for name in quick if name != "chance_table10_row_i") == QUICK
    found = reproduce(["eter_table3", "eter_examples", "eter_table3"])
    assert [table.name for table in found.tables] == ["eter_examples", "eter_table3"]


def test_many_cells_of_one_reason_are_counted(quick):
    cells = tuple(Cell(str(row), "c", 0.1, 0.5 + row, 1, "so") for row in range(LISTED + 1))
    found = Reproduction((replace(quick["eter_table3"], cells=cells),))
    assert f"{LISTED + 1} values differ. so" in found.to_markdown()
    assert "| 7 | c |" not in found.to_markdown()
    fewer = Reproduction((replace(quick["eter_table3"], cells=cells[1:]),))
    assert "| 7 | c |" in fewer.to_markdown()


def test_papers_are_named_once(quick):
    page = Reproduction(tuple(quick.values())).to_markdown()
    assert page.count("\n## Li et al. 2024") == page.count("| Li et al. 2024") == 1
    assert page.count("\n### ") == sum(bool(list(table.parts())) for table in quick.values())
    assert "Figure 1" not in page
