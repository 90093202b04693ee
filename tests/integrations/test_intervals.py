"""Confidence intervals in the modules."""

import evaluate
import pytest

import spanometer
from spanometer import Spans
from spanometer.counts.statistics import Resampling
from spanometer.measures import MEASURES

REFERENCES = [["B-A", "I-A", "O"], ["B-B", "O", "B-A"], ["O", "B-A", "I-A"], ["B-A", "O", "O"]]
PREDICTIONS = [["B-A", "I-A", "O"], ["B-B", "O", "O"], ["B-A", "I-A", "O"], ["B-A", "O", "B-B"]]
TREES = [
    [{"start": 0, "end": 2, "types": ["loc"], "components": [{"start": 0, "end": 1, "label": "name"}]}],
    [{"start": 1, "end": 2, "types": ["pers"], "components": []}],
    [],
]


def expected(measure, **options):
    counts = measure.counts(Spans.from_tags(REFERENCES), Spans.from_tags(PREDICTIONS))
    return measure.intervals(counts, Resampling(**options))


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_every_module(name, method):
    module = evaluate.load(spanometer.path(name))
    # what a measure draws itself has the same seed
    own = {"seed": 3} if name == "gamma" else {}
    plain = module.compute(references=REFERENCES, predictions=PREDICTIONS, **own)
    options = {"confidence": 0.9, "interval_method": method, "n_resamples": 50, "seed": 3}
    found = module.compute(references=REFERENCES, predictions=PREDICTIONS, **options)
    assert all(type(value) is float for value in found.values())
    bounds = expected(MEASURES[name](**own), confidence=0.9, interval_method=method, n_resamples=50, seed=3)
    for key, value in plain.items():
        assert found.pop(key) == value
        low, high = found.pop(f"{key}_low"), found.pop(f"{key}_high")
        assert (low, high) == pytest.approx(bounds[key], abs=1e-12, nan_ok=True)
        assert low <= high
    assert found == {}
    detailed = module.compute(references=REFERENCES, predictions=PREDICTIONS, details=True, **options)
    seed = "" if own else "|seed:3"
    assert f"|confidence:0.9|interval_method:{method}|n_resamples:50{seed}|v:" in detailed["signature"]
    assert detailed["signature"].count("|seed:3|") == 1


def test_eter_module():
    module = evaluate.load(spanometer.path("eter"))
    found = module.compute(references=TREES, predictions=[TREES[0], [], []], confidence=0.95)
    assert found["eter_low"] <= found["eter"] == 0.5 <= found["eter_high"]
    assert {key.removesuffix("_low") for key in found if key.endswith("_low")} == {
        key
        for key in found
        if not key.endswith(("_low", "_high")) and key not in ("insertions", "deletions", "references")
    }
