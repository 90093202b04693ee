"""The overlap join, against brute force."""

import itertools

import pytest

from random_corpora import as_spans, random_pair
from spanometer import InputError, Spans
from spanometer.alignment.overlaps import Alignment
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF


def test_pairs_of_spans():
    for seed in range(120):
        for kind in ("nested", "discontinuous"):
            references, predictions, lengths = random_pair(seed, kind)
            joined = Alignment(as_spans(references, lengths), as_spans(predictions, lengths))
            found = {}
            for first, second, shared in zip(
                joined.pairs.reference, joined.pairs.prediction, joined.pairs.shared, strict=True
            ):
                one, other = joined.references, joined.predictions
                assert one.label[first] == other.label[second]
                assert one.document[first] == other.document[second]
                key = int(one.document[first]), joined.labels[one.label[first]]
                found.setdefault(key, []).append((int(one.size[first]), int(other.size[second]), int(shared)))
            expected = {}
            for number, (reference, predicted) in enumerate(zip(references, predictions, strict=True)):
                for (label, tokens), (other, others) in itertools.product(reference, predicted):
                    if label == other and tokens & others:
                        sizes = len(tokens), len(others), len(tokens & others)
                        expected.setdefault((number, label), []).append(sizes)
            assert {key: sorted(value) for key, value in found.items()} == {
                key: sorted(value) for key, value in expected.items()
            }


def nest(count, label="A"):
    return [{"start": start, "end": 2 * count - start, "label": label} for start in range(count)]


def test_deep_nests_cost_no_pairs():
    spans = Spans.from_dicts([nest(20_000)])
    for measure in (SpanF(), TokenF(), LinkF(), IntersectionF(cap=True)):
        assert measure.score(measure.counts(spans, spans))["f1"] == 1.0


@pytest.mark.parametrize("measure", [Bcubed(), SlIcm()])
def test_too_many_pairs_are_refused_before_they_are_listed(measure):
    spans = Spans.from_dicts([nest(20_000)])
    with pytest.raises(InputError, match="the limit is"):
        measure.counts(spans, spans)


def test_discontinuous_spans_do_not_weigh_on_other_documents():
    contiguous = [nest(40) for _ in range(100)]
    parted = [{"label": "B", "fragments": [[0, 1], [3, 4]]}, {"label": "B", "fragments": [[0, 2], [3, 4]]}]
    for measure in (LinkF(), Bcubed()):
        expected = measure.counts(*[Spans.from_dicts(contiguous)] * 2).total()
        fragmented = [
            [{"label": span["label"], "fragments": [[span["start"], span["end"]]]} for span in document]
            for document in contiguous
        ]
        found = measure.counts(*[Spans.from_dicts([*fragmented, parted])] * 2)
        alone = measure.counts(*[Spans.from_dicts([parted])] * 2).total()
        for column, value in found.total().items():
            assert value == pytest.approx(expected[column] + alone[column], rel=1e-12)


def test_what_overflows_is_refused():
    labels = [[{"start": 2**31 - 2, "end": 2**31 - 1, "label": f"L{number}"}] for number in range(30_000)]
    spans = Spans.from_dicts(labels)
    with pytest.raises(InputError, match=r"30000 labels on .* tokens are too many"):
        SpanF().counts(spans, spans)
    long = Spans.from_dicts([[{"start": 0, "end": 2**31 - 1, "label": "A"}]] * 8)
    assert SlIcm().score(SlIcm().counts(long, long))["sl_icm_norm"] == 1.0
