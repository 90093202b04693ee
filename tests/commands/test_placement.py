"""`spanometer placement`."""

import re

import numpy as np
import pytest


def test_as_numbers(scores):
    found = scores("placement", "--tokens", "100", "--lengths", "15,1,10,5")
    assert [span["length"] for span in found["spans"]] == [1, 5, 10, 15]
    for span in found["spans"]:
        starts = np.array(span["starts"])
        assert starts.sum() == pytest.approx(1.0, abs=1e-12)
        assert starts == pytest.approx(starts[::-1], abs=1e-15)
        # flat from token a - a_i - k + 2 to n - a + k, counted from 1
        flat = starts[31 - span["length"] - 4 + 1 : 100 - 31 + 4]
        assert flat == pytest.approx(flat[0], abs=1e-15)
    assert sum(found["coverage"]) == pytest.approx(31)


def test_as_a_table(run):
    status, output, _ = run("placement", "--tokens", "100", "--lengths", "1,5,10,15,5")
    assert status == 0
    assert output.startswith("5 spans of 36 tokens in a document of 100\n")
    status, output, _ = run("placement", "--tokens", "100", "--lengths", "1,5,10,15")
    rows = [line.split() for line in output.splitlines() if re.match(r"\d+ +\d+ +\d+ +0\.", line)]
    bounds = [["28", "73"], ["24", "73"], ["19", "73"], ["14", "73"]]
    assert [[row[0], *row[-2:]] for row in rows] == [
        [length, *bound] for length, bound in zip(("1", "5", "10", "15"), bounds, strict=True)
    ]
