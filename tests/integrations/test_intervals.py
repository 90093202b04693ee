"""Confidence intervals in the modules."""

import evaluate
import pytest

import spanometer
from spanometer import InputError, Spans
from spanometer.counts.statistics import Resampling
from spanometer.measures import MEASURES, SpanF

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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 2}, "invalid value for confidence: 2"),
        ({"confidence": 0.9, "n_resamples": 0}, "invalid value for n_resamples: 0"),
        ({"n_resamples": "many"}, "invalid value for n_resamples: 'many'"),
        ({"interval_method": "basic"}, "invalid value for interval_method: 'basic'"),
        ({"seed": -1}, "invalid value for seed: -1"),
    ],
)
def test_modules_refuse_wrong_options_before_any_data(options, message):
    module = evaluate.load(spanometer.path("span_f"))
    module.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    with pytest.raises(InputError, match=message):
        module.compute(**options)
    assert (
        module.compute()["f1"]
        == SpanF().score(SpanF().counts(Spans.from_tags(REFERENCES), Spans.from_tags(PREDICTIONS)))["f1"]
    )
