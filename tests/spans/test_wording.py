"""The strings that spans cover."""

import random

import numpy as np
import pytest

from spanometer import Spans
from spanometer.spans.wording import Wording, coded_strings

WORDS = [["in", "New", "York"], [], ["a\u00a0b", "c d", "e"]]
TEXTS = ["añb 😀c", "", "x\ud800yz"]


def test_words_by_hand():
    spans = Spans.from_dicts(
        [
            [{"start": 0, "end": 3, "label": "A"}, {"start": 1, "end": 3, "label": "A"}],
            [],
            [{"start": 0, "end": 2, "label": "B"}],
        ]
    )
    wording = Wording.of_words(WORDS)
    assert wording.of(spans).to_pylist() == ["in New York", "New York", "a\u00a0b c d"]
    assert wording.lengths.tolist() == [3, 0, 3]
    assert (wording.text(0, 1, 3), wording.listed(2, 0, 2)) == ("New York", ["a\u00a0b", "c d"])


def test_characters_by_hand():
    spans = Spans.from_dicts(
        [
            [{"start": 0, "end": 2, "label": "A"}, {"start": 4, "end": 6, "label": "A"}],
            [],
            [{"start": 0, "end": 3, "label": "B"}],
        ]
    )
    # Arrow stores no half of a character
    assert Wording.of_texts(TEXTS).of(spans).to_pylist() == ["añ", "😀c", "x\N{REPLACEMENT CHARACTER}y"]


@pytest.mark.parametrize("wording, expected", [(Wording.of_words(WORDS), "in York"), (Wording.of_texts(TEXTS), "a b")])
def test_fragments_have_a_blank_between(wording, expected):
    spans = Spans.from_dicts([[{"label": "A", "fragments": [[0, 1], [2, 3]]}], [], []])
    assert wording.of(spans).to_pylist() == [expected]


def test_random_spans_against_slices():
    generator = random.Random(0)
    words = [["".join(generator.choices("aé中😀", k=generator.randrange(1, 4))) for _ in range(9)] for _ in range(50)]
    texts = ["".join(row) for row in words]
    for documents, wording, joined in (
        (words, Wording.of_words(words), " ".join),
        (texts, Wording.of_texts(texts), "".join),
    ):
        given = []
        for document in documents:
            bounds = [sorted(generator.sample(range(len(document) + 1), 2)) for _ in range(4)]
            given.append([{"start": start, "end": end, "label": "A"} for start, end in bounds])
        spans = Spans.from_dicts(given)
        expected = [
            joined(documents[document][start:end])
            for document, start, end in zip(
                spans.document.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True
            )
        ]
        assert wording.of(spans).to_pylist() == expected


def test_codes_of_strings_mean_the_same_on_both_sides():
    spans = Spans.from_dicts([[{"start": 0, "end": 1, "label": "A"}, {"start": 1, "end": 2, "label": "A"}]])
    one, other = (Wording.of_words([words]).of(spans) for words in (["a", "b"], ["b", "c"]))
    codes, names = coded_strings(one, other)
    assert [[names[code] for code in side] for side in codes] == [["a", "b"], ["b", "c"]]
    assert codes[0][1] == codes[1][0]


def test_texts_in_blocks(monkeypatch):
    """Characters of blocks that end within texts, between them, and at their ends; most are one byte each."""
    texts = ["añ 😀c", "", "x\ud800y", "z" * 30, "", "ab"]
    whole = Wording.of_texts(texts)
    for size in (1, 3, 7, 30):
        monkeypatch.setattr("spanometer.spans.wording._AT_ONCE", size)
        found = Wording.of_texts(texts)
        sizes = found.lengths.tolist()
        assert sizes == [5, 0, 3, 30, 0, 2]
        assert [found.listed(*row) for row in zip(range(6), [0] * 6, sizes, strict=True)] == [
            whole.listed(*row) for row in zip(range(6), [0] * 6, sizes, strict=True)
        ]
    assert whole.units.codes.dtype == np.uint8
    assert "".join(whole.listed(0, 0, 5)) == texts[0]
