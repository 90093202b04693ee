"""What grounding holds: columns of what is predicted, not the items, tokens and normal forms of all documents."""

import json
import tracemalloc

import numpy as np
import pytest

from spanometer.grounding import ground, ground_strings
from spanometer.grounding.grounded import outcomes_by_answer

WORDS = [f"w{number}" for number in range(30)]
MENTIONS = 10


def made(documents):
    texts = [" ".join([f"d{document}", *WORDS]) for document in range(documents)]
    answers = [json.dumps([["A", word] for word in WORDS[:MENTIONS]]) for _ in range(documents)]
    return texts, answers


def all_outcomes(texts, answers):
    for _ in outcomes_by_answer(ground(texts, answers)):
        pass


@pytest.mark.parametrize(("take", "most"), [(ground, 90), (all_outcomes, 90), (ground_strings, 160)])
def test_an_item_takes_few_bytes(monkeypatch, take, most):
    monkeypatch.setattr("spanometer.grounding.grounded._CHARACTERS", 5_000)
    peaks = []
    # what is imported and remembered on the way is no part of it
    for documents in (10, 200, 700):
        given = made(documents)
        tracemalloc.start()
        take(*given)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[2] - peaks[1]) / (500 * MENTIONS) < most


def test_blocks_change_nothing(monkeypatch):
    texts, answers = made(20)
    answers[3], answers[7], texts[9] = json.dumps([["B", "nowhere"], ["A", "w1"]]), None, ""
    whole = ground(texts, answers)
    for size in (1, 100, 250):
        monkeypatch.setattr("spanometer.grounding.grounded._CHARACTERS", size)
        parts = ground(texts, answers)
        assert parts.spans.to_dicts() == whole.spans.to_dicts()
        assert (parts.spans.labels, parts.wrong_label) == (whole.spans.labels, whole.wrong_label)
        assert parts.wrong_mention == whole.wrong_mention
        np.testing.assert_array_equal(parts.wrong_document, whole.wrong_document)
        np.testing.assert_array_equal(parts.counts, whole.counts)
