"""Where spans start at random: sums, quadrature and full enumeration give the same probabilities."""

import numpy as np
import pytest

import spanometer
from slow.placement import start_probabilities as enumerated
from spanometer import InputError
from spanometer.measures import start_probabilities as starts
from spanometer.measures.placement import place


def distinct(lengths):
    return np.unique(np.asarray(lengths), return_counts=True)


@pytest.mark.parametrize(
    ("tokens", "lengths"),
    [
        (1, [1]),
        (5, [1, 1]),
        (6, [3, 3]),
        (7, [1, 2, 3]),
        (8, [2, 2, 2]),
        (9, [1, 1, 4]),
        (9, [2, 5, 2]),
        (10, [3, 2, 2]),
    ],
)
def test_both_ways_give_what_all_arrangements_give(tokens, lengths):
    expected = dict(zip(lengths, enumerated(tokens, lengths), strict=True))
    values, counts = distinct(lengths)
    for way in (starts.by_sums, starts.by_integral):
        for length, found in zip(values.tolist(), way(tokens, values, counts), strict=True):
            assert found == pytest.approx([float(share) for share in expected[length]], abs=1e-14)


@pytest.mark.parametrize(
    ("tokens", "lengths"),
    [(600, [10] * 60), (600, list(range(1, 34))), (2000, [3] * 40), (1500, [1] * 500 + [2] * 500), (900, [899])],
)
def test_both_ways_agree_on_dense_documents(tokens, lengths):
    values, counts = distinct(lengths)
    for first, second in zip(
        starts.by_sums(tokens, values, counts), starts.by_integral(tokens, values, counts), strict=True
    ):
        assert np.abs(first - second).max() < 1e-14
        assert np.abs(first - second).max() < 1e-9 * first.max()


@pytest.mark.parametrize(
    ("tokens", "lengths"), [(5_000, [10] * 500), (50_000, [1 + number % 9 for number in range(5_000)])]
)
def test_large_documents(tokens, lengths):
    found = place(tokens, lengths)
    for probabilities in found.starts:
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        assert probabilities == pytest.approx(probabilities[::-1], abs=1e-15)
    assert found.coverage.sum() == pytest.approx(sum(lengths), rel=1e-12)
    assert found.coverage.max() <= 1 + 1e-12


def test_ends_of_a_full_document():
    # nothing lies outside the spans: a span of 10 starts at multiples of 10 only, each with probability 1 / 400
    (found,) = place(4000, [10] * 400).starts
    assert found[::10] == pytest.approx(np.full(400, 1 / 400), abs=1e-15)
    assert np.delete(found, np.arange(0, 3991, 10)).max() < 1e-15


def test_too_large_a_document_is_refused_before_memory_is_taken(monkeypatch):
    with pytest.raises(InputError, match=r"2 spans of 2 lengths in 50,000,000 tokens needs 100,000,000") as caught:
        place(50_000_000, [1, 2])
    assert "method='uniform' or method='auto'" in str(caught.value)
    monkeypatch.setattr(starts, "WORK_LIMIT", 1_000_000)
    with pytest.raises(InputError, match=r"10,000 spans of 9 lengths in 200,000 tokens needs about .* steps"):
        place(200_000, [1 + number % 9 for number in range(10_000)])


def test_kept_probabilities(monkeypatch):
    """Of annotators that are paired with each other, the spans of each are placed once."""
    spans = [[[{"start": start, "end": start + size, "label": "X"} for start in range(0, 60, 5)]] for size in (1, 2, 3)]
    expected = spanometer.agreement(spans, lengths=[90]).to_dict()
    computed, by_sums = [], starts.by_sums
    monkeypatch.setattr(starts, "by_sums", lambda *case: computed.append(case) or by_sums(*case))
    assert spanometer.agreement(spans, lengths=[90]).to_dict() == expected
    assert len(computed) == 3
