"""What command lines print and functions compute stays as it is, until somebody changes it on purpose."""

import pytest

from snapshots import kept_outputs, public_functions


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("line", kept_outputs.command_lines())
def test_output_of_command_line(line):
    assert kept_outputs.output_of(line) == (kept_outputs.KEPT / kept_outputs.name_of(line)).read_bytes().decode()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("row", kept_outputs.rows(), ids=lambda row: row["shows"])
def test_output_of_row(row):
    assert kept_outputs.output_of_row(row) == row["printed"]


def kept_results():
    """The calls whose results are kept; a new module has none before the next recording."""
    return sorted(path.stem.removeprefix("python ") for path in kept_outputs.KEPT.glob("python *.json"))


@pytest.mark.parametrize("name", kept_results())
def test_result_of_public_function(name):
    assert public_functions.result_of(name) == (kept_outputs.KEPT / f"python {name}.json").read_text(encoding="utf8")
