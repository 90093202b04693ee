"""The random annotation model, against full enumeration and the paper's formula."""

import numpy as np

from slow import placement as slow
from spanometer.measures.placement import Placement, coverage_of_few, place, sample


def random_lengths(generator, tokens, most):
    lengths = []
    while len(lengths) < most:
        length = int(generator.integers(1, 6))
        if sum(lengths) + length > tokens:
            break
        lengths.append(length)
    return lengths


def starts_of(placement, length):
    return placement.starts[placement.lengths.index(length)]


def test_full_enumeration():
    generator = np.random.default_rng(1)
    for _ in range(300):
        tokens = int(generator.integers(1, 13))
        lengths = random_lengths(generator, tokens, 4)
        placed = place(tokens, lengths)
        for length, probabilities in zip(lengths, slow.start_probabilities(tokens, lengths), strict=True):
            np.testing.assert_allclose(starts_of(placed, length), [float(p) for p in probabilities], rtol=0, atol=1e-12)


def test_many_documents_of_few_spans():
    generator = np.random.default_rng(3)
    for spans in range(1, 7):
        rows = [generator.integers(1, 6, spans) for _ in range(40)]
        tokens = np.array([int(row.sum()) + int(generator.integers(0, 30)) for row in rows])
        for covered, size, row in zip(coverage_of_few(tokens, np.array(rows)), tokens, rows, strict=True):
            expected_coverage = np.zeros(len(covered))
            expected_coverage[:size] = place(int(size), row.tolist()).coverage
            np.testing.assert_allclose(covered, expected_coverage, rtol=0, atol=1e-13)


def test_proposition_2():
    generator = np.random.default_rng(2)
    for spans in range(1, 9):
        for tokens in (20, 37, 80):
            lengths = random_lengths(generator, tokens, spans)
            placed = place(tokens, lengths)
            for span, length in enumerate(lengths):
                expected_starts = [
                    float(slow.proposition_2(tokens, lengths, span, start)) for start in range(tokens - length + 1)
                ]
                np.testing.assert_allclose(starts_of(placed, length), expected_starts, rtol=1e-12, atol=1e-15)


def test_figure_1():
    lengths = [1, 5, 10, 15]
    placed = place(100, lengths)
    annotated, spans = sum(lengths), len(lengths)
    for length in lengths:
        starts = starts_of(placed, length)
        assert len(starts) == 100 - length + 1
        assert abs(starts.sum() - 1) < 1e-12
        np.testing.assert_array_equal(starts, starts[::-1])
        # flat from token a - a_i - k + 2 to n - a + k, counted from 1
        first, last = annotated - length - spans + 2, 100 - annotated + spans
        assert np.ptp(starts[first - 1 : last]) == 0
        if first > 1:
            assert abs(starts[first - 2] - starts[first - 1]) > 1e-10
        exact = float(slow.proposition_2(100, lengths, lengths.index(length), first - 1))
        assert abs(starts[first - 1] - exact) < 1e-15
    assert starts_of(placed, 1)[0] > starts_of(placed, 1)[50]


def test_sampling_is_uniform():
    generator = np.random.default_rng(5)
    tokens, lengths = 8, [1, 2, 2]
    every = dict.fromkeys(slow.arrangements(tokens, lengths), 0)
    draws = 40_000
    for starts in sample(tokens, lengths, draws, generator=generator).tolist():
        every[tuple(starts)] += 1
    counts = np.array(list(every.values()))
    mean = draws / len(every)
    chi_squared = ((counts - mean) ** 2 / mean).sum()
    freedom = len(every) - 1
    assert abs(chi_squared - freedom) < 5 * np.sqrt(2 * freedom)
    again = sample(tokens, lengths, 5, generator=np.random.default_rng(9))
    np.testing.assert_array_equal(again, sample(tokens, lengths, 5, generator=np.random.default_rng(9)))
    independent = sample(tokens, lengths, draws, placement="independent", generator=generator)
    for span, length in enumerate(lengths):
        share = np.bincount(independent[:, span], minlength=tokens - length + 1) / draws
        np.testing.assert_allclose(share, 1 / (tokens - length + 1), atol=0.01)
    assert sample(5, [], 3, generator=generator).shape == (3, 0)
    assert sample(3, [1, 1, 1], 4, generator=generator).shape == (4, 3)


def test_expected_agreement():
    generator = np.random.default_rng(6)
    for _ in range(60):
        tokens = int(generator.integers(1, 9))
        first, second = (random_lengths(generator, tokens, 2) for _ in range(2))
        sides = [place(tokens, lengths) for lengths in (first, second)]
        for fast, obvious in ((Placement.shared_tokens, slow.shared), (Placement.same_spans, slow.equal)):
            exact = float(slow.expected_agreement(tokens, first, second, obvious))
            assert abs(fast(*sides) - exact) < 1e-12


def test_independent_and_uniform():
    placed = place(10, [2, 2, 3], placement="independent")
    np.testing.assert_allclose(starts_of(placed, 2), 1 / 9)
    np.testing.assert_allclose(starts_of(placed, 3), 1 / 8)
    assert abs(placed.coverage.sum() - 7) < 1e-12
    assert place(3, [2, 2, 3], placement="independent").coverage.tolist() == [2.0, 3.0, 2.0]
    uniform = place(10, [2, 2, 3], method="uniform")
    np.testing.assert_allclose(starts_of(uniform, 3), 1 / 8)
    # n - a + k over n - a_i + 1: 6 / 9 and 6 / 8
    mixed = place(10, [2, 2, 3], method="auto", uniform_threshold=0.7)
    np.testing.assert_array_equal(starts_of(mixed, 2), starts_of(place(10, [2, 2, 3]), 2))
    np.testing.assert_allclose(starts_of(mixed, 3), 1 / 8)
