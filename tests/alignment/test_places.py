"""Places where annotators differ, counted by hand and against sets."""

import numpy as np
import pytest

from random_corpora import as_dicts, random_team
from slow.disagreements import places_of, readings_of
from spanometer import Spans
from spanometer.alignment.places import Places


def places(*documents, length=20):
    """The places of one document, given as lists of spans of each annotator."""
    rows = [[[{"start": a, "end": b, "label": label} for a, b, label in spans]] for spans in documents]
    return Places([Spans.from_dicts(row, lengths=[length]) for row in rows])


def bounds(found):
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def readings(found):
    """(place, annotators, spans) of each reading."""
    said, spans = found.readings, found.spans
    return [
        (
            int(said.place[number]),
            np.flatnonzero(said.annotators[number]).tolist(),
            [
                (int(spans.start[span]), int(spans.end[span]), spans.labels[spans.label[span]])
                for span in said.span[said.offsets[number] : said.offsets[number + 1]]
            ],
        )
        for number in range(len(said))
    ]


def test_by_hand():
    # 0-2 all have; 3-5 and 4-6 share a token, 8-9 has another label, 12-14 is split, 14-15 only touches it
    found = places(
        [(0, 2, "X"), (3, 5, "X"), (8, 9, "X"), (12, 14, "X"), (14, 15, "Y")],
        [(0, 2, "X"), (4, 6, "X"), (8, 9, "Y"), (12, 13, "X"), (13, 14, "X")],
        [(0, 2, "X"), (3, 5, "X"), (8, 9, "X"), (12, 14, "X")],
    )
    assert bounds(found) == [(3, 6), (8, 9), (12, 14), (14, 15)]
    assert found.place.tolist() == [-1, 0, 0, 1, 1, 2, 2, 2, 3]
    assert readings(found) == [
        (0, [0, 2], [(3, 5, "X")]),
        (0, [1], [(4, 6, "X")]),
        (1, [0, 2], [(8, 9, "X")]),
        (1, [1], [(8, 9, "Y")]),
        (2, [0, 2], [(12, 14, "X")]),
        (2, [1], [(12, 13, "X"), (13, 14, "X")]),
        (3, [1, 2], []),
        (3, [0], [(14, 15, "Y")]),
    ]


def test_what_all_have_links_nothing():
    # the same with an outer span of all, then with one that the second lacks
    inner = [(1, 2, "X"), (5, 6, "X")]
    assert bounds(places([(0, 9, "X"), *inner], [(0, 9, "X")])) == [(1, 2), (5, 6)]
    assert bounds(places([(0, 9, "X"), *inner], [])) == [(0, 9)]


def test_fragments_are_linked_by_their_span():
    one = [[{"label": "X", "fragments": [[0, 1], [5, 6]]}, {"label": "X", "fragments": [[2, 3]]}]]
    other = [[{"label": "X", "fragments": [[0, 1]]}, {"label": "X", "fragments": [[5, 7]]}]]
    found = Places([Spans.from_dicts(side, lengths=[9]) for side in (one, other)])
    # the first place lies on both sides of the second
    assert bounds(found) == [(0, 7), (2, 3)]
    stretches = found.stretches
    assert list(
        zip(*(column.tolist() for column in (stretches.span, stretches.start, stretches.end)), strict=True)
    ) == [(0, 0, 1), (1, 2, 3), (0, 5, 7)]


@pytest.mark.parametrize("same", [[], [(1, 2, "X")]])
def test_without_differences_there_is_no_place(same):
    found = places(same, same, same)
    assert (len(found), len(found.readings), len(found.stretches.start)) == (0, 0, 0)


def test_lengths_need_not_be_known():
    sides = [
        Spans.from_dicts([[{"start": 3, "end": 5, "label": "X"}], row])
        for row in ([], [{"start": 0, "end": 1, "label": "X"}])
    ]
    found = Places(sides)
    assert (found.document.tolist(), bounds(found)) == ([1], [(0, 1)])


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_random_teams(kind, annotators):
    for seed in range(30):
        corpora, lengths = random_team(seed, kind, annotators)
        sides = [
            Spans.from_dicts(as_dicts(corpus, fragmented=kind == "discontinuous"), lengths=lengths)
            for corpus in corpora
        ]
        found = Places(sides)
        expected = [
            (document, *reading)
            for document in range(len(lengths))
            for place in places_of([corpus[document] for corpus in corpora])
            for reading in readings_of(place, [corpus[document] for corpus in corpora])
        ]
        assert said(found) == expected


def said(found):
    """(document, spans, annotators) of each reading, spans as sets of tokens."""
    spans, all_ = found.spans, found.readings
    owner, start, end = spans.pieces()
    tokens = [frozenset() for _ in range(len(spans))]
    for span, first, last in zip(owner.tolist(), start.tolist(), end.tolist(), strict=True):
        tokens[span] |= set(range(first, last))
    return [
        (
            int(found.document[all_.place[number]]),
            frozenset((spans.labels[spans.label[span]], tokens[span]) for span in all_.span[first:last]),
            np.flatnonzero(all_.annotators[number]).tolist(),
        )
        for number, (first, last) in enumerate(zip(all_.offsets[:-1].tolist(), all_.offsets[1:].tolist(), strict=True))
    ]
