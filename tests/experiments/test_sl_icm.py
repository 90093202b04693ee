"""Table 1 of the SL-ICM paper: every cell as printed, or a finding with a reason."""

from experiments.inputs import Inputs
from experiments.properties import PROPERTIES
from experiments.report import make
from experiments.sl_icm import CASES, TABLE1, property_checks
from spanometer.analysis.advice.properties import published_properties

FOUND = {
    ("token_f_BIO", "overlap"): True,
    **{
        ("sl_icm_words", name): False
        for name in PROPERTIES
        if name not in ("correct_sequence", "wrong_sequence", "token_informativeness")
    },
}


def test_the_published_table():
    printed = published_properties()
    assert len(printed) == 8
    assert all(tuple(row) == tuple(PROPERTIES) for row in printed.values())
    assert {row for row, _, _ in TABLE1.values()} == set(printed)
    assert all(printed["sl_icm"].values())
    assert not printed["span_f"]["overlap"]
    assert printed["bcubed"]["noise_increasing"]


def test_every_cell_is_as_printed_or_a_finding():
    table = make("sl_icm_table1", Inputs())
    printed, checks = published_properties(), property_checks()
    cells = iter(table.cells)
    for metric, (row, _, _) in TABLE1.items():
        for name in PROPERTIES:
            cell, check = next(cells), checks[metric, name, True]
            assert (cell.row, cell.column) == (metric, name.replace("_", " "))
            assert cell.published == printed[row][name]
            assert cell.ours == check.holds == FOUND.get((metric, name), cell.published)
            assert (check.name, check.cases) == (name, CASES)
            assert check.holds == (check.counterexample is None) == (check.failed == 0)
            assert (cell.reason is None) == cell.equal
            noted = any(note.startswith(f"Counterexample: {metric}, {cell.column}: ") for note in table.notes)
            assert noted == (not cell.equal and not check.holds)
    assert not list(cells)


def test_scores_that_are_zero_cannot_fall():
    from_any = {(metric, name): check for (metric, name, positive), check in property_checks().items() if not positive}
    f_measures = {metric for metric in TABLE1 if not metric.startswith("sl_icm")}
    assert {metric for metric, name in from_any if name == "wrong_sequence"} == set(TABLE1)
    assert all(from_any[metric, "wrong_sequence"].holds == (metric not in f_measures) for metric in TABLE1)
    failing = {metric for (metric, name), check in from_any.items() if name == "noise" and not check.holds}
    assert failing == {"token_f_BIO", "token_f_BIOE"}
    for check in from_any.values():
        if not check.holds:
            assert check.counterexample.better_score == check.counterexample.worse_score == 0
    table = make("sl_icm_table1_any_score", Inputs())
    assert len(table.cells) == len(from_any)
    assert all(cell.reason is None if cell.equal else "cannot fall" in cell.reason for cell in table.cells)
