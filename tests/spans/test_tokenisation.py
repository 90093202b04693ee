"""Spans of characters as spans of tokens, and back."""

import random

import numpy as np
import pytest

from random_corpora import tokens_of
from slow.tokenisation import carried, split
from spanometer.exceptions import InputError
from spanometer.spans.spans import Spans
from spanometer.spans.texts import Documents, Tokens
from spanometer.spans.tokenisation import split_at, to_characters, to_tokens, trimmed, without_gaps, without_overlaps

# "Ada Lovelace-Byron wrote." as Ada, Lovelace, -, Byron, wrote, .
TOKENS = Tokens.from_lists([[(0, 3), (4, 12), (12, 13), (13, 18), (19, 24), (24, 25)]])


def one(start, end):
    return Spans.from_dicts([[{"start": start, "end": end, "label": "PER"}]])


def bounds(carried):
    return list(zip(carried.spans.start.tolist(), carried.spans.end.tolist(), strict=True))


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        (0, 12, {"strict": (0, 2), "expand": (0, 2), "contract": (0, 2), "overlap": (0, 2), "drop": (0, 2)}),
        (0, 16, {"expand": (0, 4), "contract": (0, 3), "overlap": (0, 4), "drop": None}),
        (1, 7, {"expand": (0, 2), "contract": None, "overlap": (0, 1)}),
        (6, 9, {"expand": (1, 2), "contract": None, "overlap": (1, 2)}),
        (10, 15, {"expand": (1, 4), "contract": (2, 3), "overlap": (2, 3)}),
        (17, 20, {"expand": (3, 5), "contract": None, "overlap": (3, 4)}),
        (3, 4, {"expand": None, "contract": None, "overlap": None}),
        (0, 4, {"expand": (0, 1), "contract": (0, 1), "overlap": (0, 1)}),
    ],
)
def test_a_span_counted_by_hand(start, end, found):
    for policy, tokens in found.items():
        result = to_tokens(one(start, end), TOKENS, policy=policy)
        assert bounds(result) == ([] if tokens is None else [tokens])
        assert result.lost.tolist() == ([0] if tokens is None else [])
        assert result.spans.lengths.tolist() == [6]


def test_how_far_spans_move():
    spans = Spans.from_dicts([[{"start": 0, "end": 16, "label": "A"}, {"start": 4, "end": 12, "label": "A"}]])
    assert to_tokens(spans, TOKENS, policy="expand").moved.tolist() == [2, 0]
    # from 16 to 13
    assert to_tokens(spans, TOKENS, policy="contract").moved.tolist() == [3, 0]
    # the second fragment has no token, and 1 character
    spans = Spans.from_dicts([[{"fragments": [[0, 3], [18, 19]], "label": "A"}]])
    result = to_tokens(spans, TOKENS, policy="expand")
    assert (bounds(result), result.moved.tolist(), result.merged) == ([(0, 1)], [1], 0)


def test_spans_that_become_one():
    spans = Spans.from_dicts([[{"start": 4, "end": 9, "label": "A"}, {"start": 5, "end": 12, "label": "A"}]])
    result = to_tokens(spans, TOKENS, policy="expand")
    assert (bounds(result), result.merged, result.lost.tolist()) == ([(1, 2)], 1, [])


def random_corpus(chance):
    tokens, spans = [], []
    for _ in range(chance.randrange(4)):
        row, place = [], 0
        for _ in range(chance.randrange(7)):
            place += chance.choice([0, 0, 1, 2])
            row.append((place, place := place + chance.randrange(1, 5)))
        tokens.append(row)
        length = place + 3
        items = []
        for _ in range(chance.randrange(5)):
            pieces = []
            for _ in range(chance.choice([1, 1, 1, 2, 3])):
                start = chance.randrange(length)
                pieces.append([start, chance.randrange(start + 1, length + 1)])
            items.append({"fragments": pieces, "label": chance.choice("AB")})
        spans.append(items)
    return tokens, spans


def token_sets(spans):
    rows = enumerate(spans.to_dicts())
    return {(document, tokens_of(span), span["label"]) for document, row in rows for span in row}


def test_against_one_character_at_a_time():
    chance = random.Random(7)
    off = 0
    for _ in range(700):
        rows, items = random_corpus(chance)
        spans, tokens = Spans.from_dicts(items), Tokens.from_lists(rows)
        merged = [
            [{"fragments": span["fragments"], "label": span["label"]} for span in row] for row in _as_fragments(spans)
        ]
        for policy in ("expand", "contract", "overlap"):
            result = to_tokens(spans, tokens, policy=policy)
            assert token_sets(result.spans) == carried(rows, merged, policy)
            assert len(result.spans) + len(result.lost) + result.merged == len(spans)
        expected = carried(rows, merged, "strict")
        try:
            assert token_sets(to_tokens(spans, tokens).spans) == expected
        except InputError:
            off += 1
        # the tokens' own bounds fit
        back = to_characters(to_tokens(spans, tokens, policy="expand").spans, tokens)
        again = to_tokens(back, tokens)
        assert again.moved.tolist() == [0] * len(back)
    assert 0 < off < 700


def _as_fragments(spans):
    return [
        [{"label": span["label"], "fragments": span.get("fragments") or [[span["start"], span["end"]]]} for span in row]
        for row in spans.to_dicts()
    ]


def test_tokens_are_checked():
    assert Tokens.from_lists([]).lengths.tolist() == []
    assert Tokens.from_lists([[], [(3, 4)], []]).lengths.tolist() == [0, 1, 0]


def test_blanks_and_punctuation_at_the_ends():
    text = " Ada, 𝒜 “x”. "
    spans = Spans.from_dicts([[{"start": 0, "end": 6, "label": "A"}, {"start": 8, "end": 13, "label": "B"}]])
    result, shortened = trimmed(spans, [text])
    assert [(span["start"], span["end"]) for span in result.to_dicts()[0]] == [(1, 5), (8, 12)]
    assert shortened.tolist() == [2, 1]
    result, shortened = trimmed(spans, [text], punctuation=True)
    assert [(span["start"], span["end"]) for span in result.to_dicts()[0]] == [(1, 4), (9, 10)]
    assert shortened.tolist() == [3, 4]
    # nothing but blanks stays
    assert trimmed(one(0, 1), [text])[1].tolist() == [0]


def test_documents():
    documents = Documents(size=2, ids=("a", "b"), texts=("One", "Two, three"), tokens=Tokens.from_lists([[(0, 3)], []]))
    assert documents.lengths.tolist() == [3, 10]
    taken = documents.take(np.array([1, 0]))
    assert (taken.ids, taken.texts, taken.tokens.lengths.tolist()) == (("b", "a"), ("Two, three", "One"), [0, 1])


def test_fragments_over_white_space_by_hand():
    texts = ["back\n  pain and  it", "no span", "x y z"]
    fragments = [[[0, 4], [7, 11]], [[0, 4], [7, 11], [17, 19]], [[12, 15], [17, 19]]]
    spans = Spans.from_dicts(
        [
            [{"fragments": each, "label": label} for each, label in zip(fragments, "ABC", strict=True)],
            [],
            [{"fragments": [[0, 1]], "label": "D"}, {"fragments": [[0, 1], [4, 5]], "label": "E"}],
        ]
    )
    found, number = without_gaps(spans, texts)
    assert number == 3
    assert {(s["label"], *map(tuple, s["fragments"])) for row in found.to_dicts() for s in row} == {
        ("A", (0, 11)),
        ("B", (0, 11), (17, 19)),
        ("C", (12, 19)),
        ("D", (0, 1)),
        ("E", (0, 1), (4, 5)),
    }


def test_fragments_over_white_space_at_random():
    chance = random.Random(5)
    for _ in range(200):
        texts = ["".join(chance.choice("a  \n") for _ in range(chance.randrange(2, 20))) for _ in range(3)]
        rows, expected = [], []
        for text in texts:
            cuts = sorted(chance.sample(range(len(text) + 1), 2 * chance.randrange(1, len(text) // 4 + 2)))
            pieces = list(zip(cuts[::2], cuts[1::2], strict=True))
            rows.append([{"fragments": list(map(list, pieces)), "label": "A"}])
            joined = [pieces[0]]
            for start, end in pieces[1:]:
                if text[joined[-1][1] : start].strip():
                    joined.append((start, end))
                else:
                    joined[-1] = (joined[-1][0], end)
            expected.append(joined)
        found, number = without_gaps(Spans.from_dicts(rows), texts)
        span, start, end = found.pieces()
        pieces = list(zip(found.document[span].tolist(), start.tolist(), end.tolist(), strict=True))
        assert pieces == [(n, *pair) for n, row in enumerate(expected) for pair in row]
        fewer = [len(row) < len(given[0]["fragments"]) for row, given in zip(expected, rows, strict=True)]
        assert number == sum(fewer)


@pytest.mark.parametrize(
    ("spans", "merged"),
    [
        ([(0, 3, "A"), (2, 5, "A"), (4, 9, "A"), (9, 10, "A")], [(0, 9, "A"), (9, 10, "A")]),
        ([(0, 9, "A"), (1, 2, "A"), (3, 12, "B"), (8, 10, "A")], [(0, 10, "A"), (3, 12, "B")]),
        ([], []),
    ],
)
def test_overlapping_spans_of_a_label_become_one(spans, merged):
    rows = [[dict(zip(("start", "end", "label"), span, strict=True)) for span in row] for row in (spans, merged)]
    # what a document has ends with it
    ours = without_overlaps(Spans.from_dicts([rows[0], rows[0]]))
    assert ours.to_dicts() == [rows[1], rows[1]]


def test_spans_split_by_hand():
    """Of `Dr. Ada-Lee` the letters; a token is cut at a span's end, and a full stop stays a full stop."""
    tokens = Tokens.from_lists([[(0, 2), (4, 7), (8, 11)]])
    listed = [(0, 11, "A"), (5, 8, "B"), (2, 3, "A")]
    spans = Spans.from_dicts([[{"start": start, "end": end, "label": label} for start, end, label in listed]])
    parts = split_at(spans, tokens)
    bounds_by_label = [(span["start"], span["end"], span["label"]) for span in parts.to_dicts()[0]]
    assert bounds_by_label == [(0, 2, "A"), (2, 3, "A"), (4, 7, "A"), (5, 7, "B"), (8, 11, "A")]


def test_spans_split_at_random():
    chance = random.Random(11)
    for _ in range(400):
        rows, items = random_corpus(chance)
        spans = Spans.from_dicts(items)
        parts = split_at(spans, Tokens.from_lists(rows))
        columns = (parts.document, parts.start, parts.end)
        keys = zip(*(column.tolist() for column in columns), (parts.labels[code] for code in parts.label), strict=True)
        listed = [key for key, times in zip(keys, parts.times.tolist(), strict=True) for _ in range(times)]
        copies = iter(spans.times.tolist())
        repeated = [[span for span in row for _ in range(next(copies))] for row in _as_fragments(spans)]
        assert sorted(listed) == sorted(split(rows, repeated))
