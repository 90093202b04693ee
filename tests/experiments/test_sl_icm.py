"""Table 1 of the SL-ICM paper: every cell as printed, or a difference with a reason and a counterexample."""

import pytest

from experiments.inputs import Inputs
from experiments.properties import PROPERTIES
from experiments.report import make
from experiments.sl_icm import TABLE1
from spanometer.analysis.advice.advise import published_properties

LOST_WITH_WORDS = set(PROPERTIES) - {"correct_sequence", "wrong_sequence", "token_informativeness"}

DIFFERENT = {
    "sl_icm_table1": {("sl_icm_words", name) for name in LOST_WITH_WORDS},
    "sl_icm_table1_as_printed": {
        *((row, "wrong_sequence") for row in TABLE1 if not row.startswith("sl_icm")),
        *((row, "noise") for row in ("token_f_BIO", "token_f_BIOE")),
        ("sl_icm", "token_informativeness"),
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


@pytest.mark.parametrize(("name", "cells"), [("sl_icm_table1", 110), ("sl_icm_table1_as_printed", 27)])
def test_every_cell_is_as_printed_or_has_a_reason(name, cells):
    table = make(name, Inputs())
    assert len(table.cells) == cells
    different = {(cell.row, cell.column.replace(" ", "_")) for cell in table.cells if not cell.equal}
    assert different == DIFFERENT[name]
    for cell in table.cells:
        assert (cell.reason is None) == cell.equal
        assert (cell.counterexample is None) == cell.equal
