"""Scores and comparisons of answers as strings."""

import pytest

from spanometer.analysis.comparison.compare import compare_strings
from spanometer.grounding import ground_strings

TEXTS = ["Ann saw Bob.", "Oslo", "Ann left."] * 4
GOLD = [[("PER", "Ann"), ("PER", "Bob")], [("LOC", "Oslo")], [("PER", "Ann")]] * 4
GOOD = ['[["PER", "ann"], ["PER", "Bob"]]', '[["LOC", "Oslo"]]', '[["PER", "Cid"]]'] * 4
BAD = ["[]", '[["PER", "Oslo"]]', '[["PER", "Ann"]]'] * 4


def grounded(answers, policy="gollie"):
    return ground_strings(TEXTS, answers, policy=policy, asked_labels=["PER", "LOC"])


def test_compare():
    found = compare_strings(
        GOLD, {"good": grounded(GOOD), "bad": grounded(BAD)}, n_resamples=50, n_permutations=50, per_label=True
    )
    (measure,) = found.measures.values()
    scores = {name: system.scores["f1"] for name, system in measure.systems.items()}
    assert scores == {"good": pytest.approx(6 / 7), "bad": pytest.approx(1 / 3)}
    assert set(measure.per_label) == {"LOC", "PER"}
