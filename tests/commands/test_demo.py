"""`spanometer demo`."""

import contextlib
import io
import json
import re

import pytest

from spanometer.commands import demo
from spanometer.commands.main import main
from spanometer.data import EXAMPLE
from spanometer.measures import MEASURES


@pytest.fixture(scope="module")
def output():
    """What the demo prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["demo"]) == 0
    return printed.getvalue()


def test_demo_and_score_agree(run, output):
    for system in demo.SYSTEMS:
        columns = ["--reference-column", "reference", "--prediction-column", system]
        measures = ",".join((*demo.COMPARED, *demo.BEYOND_CHANCE))
        found = json.loads(run("score", EXAMPLE, *columns, "--measures", measures, "--json")[1])
        comparison = output.partition("All systems")[2]
        rows = [line.split()[1:] for line in comparison.splitlines() if re.match(rf"{system} +\d", line)]
        values = {name: result["scores"] for name, result in found["measures"].items()}
        assert rows[0] == [f"{values[name][MEASURES[name].headline]:.4f}" for name in demo.COMPARED]
        assert rows[1] == [f"{value:.4f}" for value in values["chance_kappa_f1"].values()]
