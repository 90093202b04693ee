"""`spanometer demo`."""

import contextlib
import io
import json
import re

import pytest

from spanometer.commands import demo
from spanometer.commands.main import main
from spanometer.measures import MEASURES


@pytest.fixture(scope="module")
def output():
    """What the demo prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["demo"]) == 0
    return printed.getvalue()


def test_demo(output):
    for system in demo.SYSTEMS:
        assert re.search(rf"^{system}( +\d\.\d{{4}}){{5}}$", output, re.MULTILINE)
        assert re.search(rf"^{system}( +\d\.\d{{4}}){{3}}$", output, re.MULTILINE)
    for repair in ("conlleval", "discard"):
        assert re.search(rf"^{repair}( +\d\.\d{{4}}){{5}}$", output, re.MULTILINE)
    signatures = output.partition("Each signature ends in |scheme:IOB2|repair:conlleval|")[2].partition("\n\n")[0]
    assert all(
        re.search(rf"^(.*, )?{name}\b", signatures, re.MULTILINE) for name in (*demo.COMPARED, *demo.BEYOND_CHANCE)
    )
    assert "spanometer score REFERENCE PREDICTION" in output
    assert max(len(line) for line in output.splitlines() if re.match("─", line)) <= 80


def test_demo_and_score_agree(run, output):
    with demo.resources.as_file(demo.resources.files("spanometer") / "data" / "example.conll") as path:
        for system in demo.SYSTEMS:
            columns = ["--reference-column", "reference", "--prediction-column", system]
            measures = ",".join((*demo.COMPARED, *demo.BEYOND_CHANCE))
            found = json.loads(run("score", path, *columns, "--measures", measures, "--json")[1])
            comparison = output.partition("All systems")[2]
            rows = [line.split()[1:] for line in comparison.splitlines() if re.match(rf"{system} +\d", line)]
            values = {name: result["scores"] for name, result in found["measures"].items()}
            assert rows[0] == [f"{values[name][MEASURES[name].headline]:.4f}" for name in demo.COMPARED]
            assert rows[1] == [f"{value:.4f}" for value in values["chance_kappa_f1"].values()]


def test_what_the_f1_hides(output):
    """Two of four tokens are right: no span is, half of the predicted tokens are, 3 of 10 links and all of 3."""
    system, hidden = output.partition("All systems")[0].split("What the F1 hides")
    assert re.search(r"^greedy +0\.6394 +0\.5894 +0\.6134$", system, re.MULTILINE)
    assert "[PLACE Hallow Reach] is cancelled" in hidden
    assert re.search(r"^greedy +0\.0000 +0\.6667 +0\.4615 ", hidden, re.MULTILINE)
