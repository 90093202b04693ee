"""The metric for torchmetrics, against `spanometer.score` on the same label numbers."""

import pickle

import numpy as np
import pytest

_WHY = "needs torch and torchmetrics: pip install spanometer[torch]"
torch = pytest.importorskip("torch", reason=_WHY)
torchmetrics = pytest.importorskip("torchmetrics", reason=_WHY)

import spanometer  # noqa: E402
from spanometer import InputError  # noqa: E402
from spanometer.integrations.torchmetrics import SpanMetric  # noqa: E402
from spanometer.measures import MEASURES, SlIcm, SpanF, UnitizingAlpha  # noqa: E402

LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-MISC", "I-MISC"]


def batches(seed, number=3):
    """Label numbers of both sides, without MISC and with positions to leave out."""
    generator = torch.Generator().manual_seed(seed)
    for length in range(4, 4 + number):
        target, preds = (torch.randint(0, 5, (6, length), generator=generator) for _ in range(2))
        target[torch.rand(6, length, generator=generator) < 0.2] = -100
        yield preds, target


def padded(seed):
    """The same as two arrays."""
    sides = zip(*batches(seed), strict=True)
    return [np.concatenate([np.pad(part, ((0, 0), (0, 9 - part.shape[1])), constant_values=-100) for part in side]) for
            side in sides][::-1]  # fmt: skip


def test_by_hand():
    metric = SpanMetric(LABELS)
    metric.update(torch.tensor([[1, 2, 0]]), torch.tensor([[1, 2, 3]]))
    metric.update(torch.tensor([[0, 5, 1]]), torch.tensor([[0, -100, 0]]))
    # one span right of two predicted and two in the reference
    found = metric.compute()
    assert {key: value.item() for key, value in found.items()} == {
        "span_f_precision": 0.5,
        "span_f_recall": 0.5,
        "span_f_f1": 0.5,
    }
    assert metric.both.tolist() == [0, 0, 1]
    assert {value.dtype for value in found.values()} == {torch.float64}


ADDITIVE = [name for name in MEASURES if name != "gamma"]


def test_gamma_is_refused():
    """Its counts keep a row for each unit, and states are sums."""
    with pytest.raises(InputError, match="`gamma` needs more than sums"):
        metric = SpanMetric(LABELS, "gamma")
        metric.update(*next(batches(1)))


@pytest.mark.parametrize("measure", [*ADDITIVE, SpanF(average="macro"), SlIcm(matching="optimal")])
def test_every_measure(measure):
    metric = SpanMetric(LABELS, measure)
    for preds, target in batches(1):
        metric.update(preds, target)
    references, predictions = padded(1)
    expected = spanometer.score(references, predictions, measures=measure, id2label=LABELS).flat()
    found = {key: value.item() for key, value in metric.compute().items()}
    assert found == pytest.approx(expected, abs=1e-12)


def test_logits_collections_and_the_rest():
    preds, target = next(batches(2))
    logits = torch.nn.functional.one_hot(preds, len(LABELS)).to(torch.bfloat16)
    collection = torchmetrics.MetricCollection({name: SpanMetric(LABELS, name) for name in ("span_f", "link_f")})
    found = collection(logits, target)
    report = spanometer.score(target.numpy(), preds.numpy(), measures=["span_f", "link_f"], id2label=LABELS)
    assert {key: value.item() for key, value in found.items()} == pytest.approx(report.flat())
    metric = collection["span_f"]
    assert metric.higher_is_better
    copied = pickle.loads(pickle.dumps(metric))
    assert copied.compute() == metric.compute()
    metric.reset()
    assert metric.both.tolist() == [0, 0, 0]


def test_options_of_decoding():
    preds, target = torch.tensor([[2, 2]]), torch.tensor([[1, 2]])
    for repair, expected in (("conlleval", 1), ("discard", 0)):
        metric = SpanMetric(LABELS, decoding={"repair": repair, "scheme": "IOB2"})
        assert metric(preds, target)["span_f_f1"] == expected
    metric = SpanMetric(["NOUN", "VERB"], decoding={"prefix": False})
    assert metric(torch.tensor([[0, 1]]), torch.tensor([[0, 0]]))["span_f_recall"] == 0


def test_wrong_calls():
    with pytest.raises(InputError, match="invalid value for `repair`"):
        SpanMetric(LABELS, decoding={"repair": "none"})
    with pytest.raises(InputError, match="`unitizing_alpha` needs more than sums"):
        SpanMetric(LABELS, UnitizingAlpha(variant="1995"))
    with pytest.raises(InputError, match="the measure 'eter' is not available"):
        SpanMetric(LABELS, "eter")
    metric = SpanMetric(LABELS)
    where = "predictions, document 0, token 0"
    with pytest.raises(InputError, match=f"{where}: `id2label` has no tag for the integer 9, only for 0 to 6"):
        metric.update(torch.tensor([[9]]), torch.tensor([[0]]))
    assert metric.predicted.tolist() == [0, 0, 0]
