"""Scores and comparisons of answers as strings."""

import pytest

from spanometer.analysis.comparison.compare import compare_strings, score_strings
from spanometer.grounding import ground_strings

TEXTS = ["Ann saw Bob.", "Oslo", "Ann left."] * 4
GOLD = [[("PER", "Ann"), ("PER", "Bob")], [("LOC", "Oslo")], [("PER", "Ann")]] * 4
GOOD = ['[["PER", "ann"], ["PER", "Bob"]]', '[["LOC", "Oslo"]]', '[["PER", "Cid"]]'] * 4
BAD = ["[]", '[["PER", "Oslo"]]', '[["PER", "Ann"]]'] * 4


def grounded(answers, policy="gollie"):
    return ground_strings(TEXTS, answers, policy=policy, asked_labels=["PER", "LOC"])


def test_score_with_intervals_and_signature():
    report = score_strings(GOLD, grounded(GOOD), confidence=0.95, n_resamples=50)
    result = report.measures["mention_f"]
    # Cid is dropped
    assert result.scores == {"precision": 1.0, "recall": 0.75, "f1": pytest.approx(6 / 7)}
    assert result.intervals["f1"][0] < 6 / 7 < result.intervals["f1"][1]
    assert result.signature.startswith("mention_f|grounding:gollie|asked_labels:LOC,PER|fold:case|copies:multiset|")
    assert "16 reference mentions, 12 predicted mentions" in str(report)
    assert score_strings(GOLD, grounded(GOOD, "strict-strings")).measures["mention_f"].scores["precision"] == 0.5
    assert score_strings(GOLD, grounded(GOOD), match_labels=False).measures["mention_f"].scores["recall"] == 0.75


def test_compare():
    found = compare_strings(
        GOLD, {"good": grounded(GOOD), "bad": grounded(BAD)}, n_resamples=50, n_permutations=50, per_label=True
    )
    (measure,) = found.measures.values()
    scores = {name: system.scores["f1"] for name, system in measure.systems.items()}
    assert scores == {"good": pytest.approx(6 / 7), "bad": pytest.approx(1 / 3)}
    assert set(measure.per_label) == {"LOC", "PER"}
