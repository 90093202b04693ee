"""Constrained Viterbi decoding, against exhaustive search."""

import itertools

import numpy as np
import pytest

from spanometer import InputError, Spans
from spanometer.tags.schemes import SCHEMES
from spanometer.tags.viterbi import PAD, Legality, Scores, decode, greedy_paths


def labels_of(scheme, types="AB"):
    return ["O", *(f"{prefix}-{label}" for label in types for prefix in SCHEMES[scheme].prefixes)]


def is_legal(path, labels, scheme):
    try:
        Spans.from_tags([[labels[index] for index in path]], scheme=scheme, repair="raise")
    except InputError:
        return False
    return True


def exhaustive(logits, labels, scheme, transitions):
    """The best legal path's score, and all paths that reach it."""
    best, paths = -np.inf, []
    for path in itertools.product(range(len(labels)), repeat=len(logits)):
        score = sum(logits[position, index] for position, index in enumerate(path))
        if transitions is not None:
            score += sum(transitions[pair] for pair in itertools.pairwise(path))
        if score < best - 1e-12 or score == -np.inf or not is_legal(path, labels, scheme):
            continue
        paths = [path] if score > best + 1e-12 else [*paths, path]
        best = max(best, score)
    return best, paths


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("with_transitions", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_exhaustive(scheme, with_transitions, kind):
    generator = np.random.default_rng(len(scheme))
    labels = labels_of(scheme, "AB" if len(SCHEMES[scheme].prefixes) < 4 else "A")
    transitions = generator.normal(size=(len(labels),) * 2) if with_transitions else None
    for length in (1, 2, 3, 4):
        for _ in range(6):
            logits = generator.normal(scale=2, size=(length, len(labels))).astype(kind)
            logits[generator.random(logits.shape) < 0.1] = -np.inf
            if np.isneginf(logits).all(axis=1).any():
                continue
            best, paths = exhaustive(logits.astype(np.float64), labels, scheme, transitions)
            if not paths:
                with pytest.raises(InputError, match="no legal path"):
                    decode([logits], labels, scheme=scheme, transitions=transitions)
                continue
            found = decode([logits], labels, scheme=scheme, transitions=transitions)
            assert tuple(found[0].tolist()) in paths, (best, found, paths)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_batch_is_one_by_one(scheme):
    generator = np.random.default_rng(3)
    labels = labels_of(scheme, "ABC")
    lengths = generator.integers(0, 30, 80)
    logits = [generator.normal(size=(length, len(labels))) for length in lengths]
    together = decode(logits, labels, scheme=scheme)
    assert [path.tolist() for path in together] == [decode([one], labels, scheme=scheme)[0].tolist() for one in logits]
    assert all(is_legal(path, labels, scheme) for path in together)

    padded = generator.normal(size=(len(lengths), 31, len(labels)))
    for row, one in zip(padded, logits, strict=True):
        row[: len(one)] = one
        row[len(one) :] = np.nan  # padding is never looked at
    by_length = decode(padded, labels, scheme=scheme, lengths=lengths)
    mask = np.arange(31) < lengths[:, None]
    by_mask = decode(padded, labels, scheme=scheme, mask=mask)
    assert np.array_equal(by_length, by_mask)
    assert (by_length[~mask] == PAD).all()
    assert [row[kept].tolist() for row, kept in zip(by_length, mask, strict=True)] == [p.tolist() for p in together]


def test_mask_with_gaps():
    generator = np.random.default_rng(4)
    labels = labels_of("IOB2")
    logits = generator.normal(size=(5, 9, len(labels))).astype(np.float32)
    mask = generator.random((5, 9)) < 0.5
    found = decode(logits, labels, mask=mask.astype(int))
    for row, kept, path in zip(logits, mask, found, strict=True):
        assert path[kept].tolist() == decode([row[kept]], labels)[0].tolist()
        assert (path[~kept] == PAD).all()


def test_without_lengths_all_tokens_count():
    labels = ["O", "B-A", "I-A"]
    logits = np.array([[[0.0, 0.0, 3.0], [0.0, 0.0, 3.0]]])
    assert decode(logits, labels).tolist() == [[1, 2]]
    assert decode(logits, labels, scheme="IOB1").tolist() == [[2, 2]]


def test_blocks(monkeypatch):
    generator = np.random.default_rng(5)
    labels = labels_of("IOBES")
    logits = [generator.normal(size=(length, len(labels))) for length in generator.integers(0, 20, 50)]
    expected = [path.tolist() for path in decode(logits, labels)]
    monkeypatch.setattr("spanometer.tags.viterbi._BLOCK", 7)
    assert [path.tolist() for path in decode(logits, labels)] == expected


def test_nothing_to_decode():
    assert decode([], ["O", "B-A"]) == []
    assert decode(np.zeros((0, 5, 2)), ["O", "B-A"]).shape == (0, 5)
    assert decode(np.zeros((2, 0, 2)), ["O", "B-A"]).shape == (2, 0)
    assert [path.tolist() for path in decode([np.zeros((0, 2)), np.zeros((1, 2))], ["O", "B-A"])] == [[], [0]]


def test_more_labels_than_a_byte_counts():
    labels = labels_of("IOB2", [f"T{number}" for number in range(200)])
    logits = np.random.default_rng(6).normal(size=(4, 7, len(labels)))
    assert all(is_legal(path, labels, "IOB2") for path in decode(logits, labels))


def one_by_one(logits, labels, scheme, transitions):
    """The best legal path, token after token in plain Python; of equal ones the first label before, from the end."""
    begins, ends, follows = (table.tolist() for table in tables_of(labels, scheme))
    every = range(len(labels))
    best = [[logits[0][label] if begins[label] else -np.inf for label in every]]
    before = []
    for row in logits[1:]:
        reached = [
            [best[-1][left] + transitions[left][right] if follows[left][right] else -np.inf for left in every]
            for right in every
        ]
        before.append([max(every, key=scores.__getitem__) for scores in reached])
        best.append([max(scores) + row[right] for right, scores in enumerate(reached)])
    path = [max(every, key=lambda label: best[-1][label] if ends[label] else -np.inf)]
    for pointers in reversed(before):
        path.append(pointers[path[-1]])
    return path[::-1]


def tables_of(labels, scheme):
    legality = Legality.of(labels, scheme)
    return legality.begins, legality.ends, legality.follows


@pytest.mark.parametrize("small", [0, 1 << 12, 1 << 40])
@pytest.mark.parametrize("with_transitions", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_ties_in_batches(scheme, with_transitions, small, monkeypatch):
    # whole numbers tie often; every size of batch and way to compare must choose the same of equal paths
    monkeypatch.setattr("spanometer.tags.viterbi._SMALL", small)
    monkeypatch.setattr("spanometer.tags.viterbi._AT_ONCE", 100)
    generator = np.random.default_rng(8)
    labels = generator.permutation(labels_of(scheme)).tolist()
    transitions = generator.integers(-1, 2, (len(labels),) * 2) if with_transitions else None
    scores = np.zeros((len(labels),) * 2) if transitions is None else transitions
    logits = [generator.integers(-1, 2, (length, len(labels))).astype(float) for length in generator.integers(1, 9, 60)]
    expected = [one_by_one(one.tolist(), labels, scheme, scores.tolist()) for one in logits]
    for size in (1, 2, 17, 60):
        found = []
        for first in range(0, len(logits), size):
            found += decode(logits[first : first + size], labels, scheme=scheme, transitions=transitions)
        assert [path.tolist() for path in found] == expected


def test_a_length_that_no_path_has():
    # without O every span has two tokens
    labels = ["B-A", "E-A"]
    assert decode([np.zeros((4, 2))], labels, scheme="IOBES")[0].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("small", [0, 1 << 12])
def test_a_label_that_nothing_precedes(small, monkeypatch):
    monkeypatch.setattr("spanometer.tags.viterbi._SMALL", small)
    logits = [np.array([[0.0, 9.0, 1.0], [0.0, 9.0, -1.0]])]
    for transitions in (None, np.zeros((3, 3))):
        found = decode(logits, ["O", "E-A", "S-A"], scheme="IOBES", transitions=transitions)
        assert found[0].tolist() == [2, 0]


def test_greedy():
    generator = np.random.default_rng(7)
    labels = labels_of("IOBES")
    legality = Legality.of(labels, "IOBES")
    logits = [generator.normal(size=(length, len(labels))) for length in generator.integers(0, 12, 60)]
    paths = np.split(greedy_paths(Scores(logits, len(labels)), legality), np.cumsum([len(one) for one in logits])[:-1])
    for values, path in zip(logits, paths, strict=True):
        allowed = legality.begins
        for row, index in zip(values, path, strict=True):
            assert index == np.where(allowed, row, -np.inf).argmax()
            allowed = legality.follows[index]


def greedy(logits, labels, scheme, **options):
    scores = Scores([np.array(one, dtype=float) for one in logits], len(labels))
    path = greedy_paths(scores, Legality.of(labels, scheme), **options)
    return [[labels[index] for index in part] for part in np.split(path, scores.offsets[1:-1])]


def test_greedy_from_guessed_starts_by_hand():
    labels = ["O", "B-A", "I-A", "E-A", "S-A"]
    # an I that nothing has opened: left to right it may become the second best, a B; from guessed starts an O
    stray = [[1, 3, 9, 0, 0], [0, 1, 2, 3, 0], [9, 0, 0, 0, 0]]
    assert greedy([stray], labels, "IOBES") == [["B-A", "E-A", "O"]]
    assert greedy([stray], labels, "IOBES", from_starts=True) == [["O", "O", "O"]]
    # a guessed start opens a span, and the span goes on to its end, over a guess of O and another start
    started = [[0, 9, 0, 0, 0], [9, 0, 2, 1, 0], [0, 0, 1, 2, 9], [0, 0, 0, 0, 9]]
    for from_starts in (False, True):
        assert greedy([started], labels, "IOBES", from_starts=from_starts) == [["B-A", "I-A", "E-A", "S-A"]]
    # the second best of a stray I may be the beginning of another label
    labels = ["O", "B-A", "I-A", "B-B", "I-B"]
    other = [[0, 9, 0, 0, 0], [1, 0, 0, 2, 9]]
    assert greedy([other], labels, "IOB2") == [["B-A", "B-B"]]
    assert greedy([other], labels, "IOB2", from_starts=True) == [["B-A", "O"]]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_greedy_from_guessed_starts(scheme):
    generator = np.random.default_rng(9)
    labels = labels_of(scheme)
    roles = {label: SCHEMES[scheme].prefixes.get(label[0], "O") for label in labels}
    logits = [generator.normal(size=(length, len(labels))) for length in generator.integers(1, 12, 60)]
    begins, _, follows = tables_of(labels, scheme)
    for values, path in zip(logits, greedy(logits, labels, scheme, from_starts=True), strict=True):
        allowed = begins
        for row, tag in zip(values.tolist(), path, strict=True):
            is_start = roles[labels[row.index(max(row))]] in ("B", "S")
            may = [index for index in range(len(labels)) if allowed[index]]
            may = [index for index in may if is_start or roles[labels[index]] not in ("B", "S")]
            assert tag == labels[max(may, key=row.__getitem__)]
            allowed = follows[labels.index(tag)]
