"""What is said about wrong input stays as it is, until somebody changes it on purpose."""

import pytest

from snapshots import refusals

CASES = [(table, row) for table in refusals.TABLES for row in refusals.rows(table)]


def title(case):
    table, row = case
    return " ".join(row["arguments"]) if table == "command lines" else row["call"]


@pytest.mark.parametrize("case", CASES, ids=title)
def test_refused(case, tmp_path, monkeypatch):
    table, row = case
    if library := refusals.missing_library(row):
        pytest.skip(f"{library} is not installed")
    monkeypatch.chdir(tmp_path)
    assert refusals.MESSAGES[table](row) == row["error"]
