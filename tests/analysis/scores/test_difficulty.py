"""Documents apart by their chance level."""

import math
import random

import numpy as np
import pytest

from random_corpora import as_spans, disturbed, random_document
from slow.placement import start_probabilities
from spanometer import Spans, compare
from spanometer.analysis.scores.score import by_chance, chance_levels, read_bounds
from spanometer.measures import ChanceKappaF1, SlIcm, SpanF
from spanometer.readers import read
from spanometer.spans.spans import pair_from_tags

# one span of one token in 4 tokens: 1/4; two of one in 4: 1/2; none; all three tokens: 1
GOLD = Spans.from_tags([["B-A", "O", "O", "O"], ["B-A", "O", "B-A", "O"], ["O", "O"], ["B-A", "I-A", "I-A"]])
SYSTEM = Spans.from_tags([["O", "B-A", "O", "O"], ["B-A", "O", "O", "B-A"], ["B-A", "O"], ["B-A", "I-A", "I-A"]])


def test_levels_by_hand():
    levels = chance_levels(GOLD)
    assert levels[[0, 1, 3]] == pytest.approx([1 / 4, 1 / 2, 1])
    assert math.isnan(levels[2])
    # equal spans instead of shared tokens: the long one has one place
    assert chance_levels(GOLD, ChanceKappaF1(level="span", n_simulations=5))[3] == pytest.approx(1)


def test_parts_by_hand():
    parts = by_chance(GOLD, SYSTEM, (0.25, 0.6), [ChanceKappaF1(), SpanF()], {"scheme": "IOB2"})
    assert list(parts) == ["chance below 0.25", "chance from 0.25 to below 0.6", "chance 0.6 or more"]
    assert [part.documents for part in parts.values()] == [0, 2, 1]
    chance, strict = parts["chance from 0.25 to below 0.6"].results
    # of 3 and 3 tokens one is shared; by chance 1/4 and 2 * 2 / 4 are
    assert chance.scores == pytest.approx({"f1": 1 / 3, "chance_f1": 1.25 / 3, "kappa_f1": (1 - 1.25) / (3 - 1.25)})
    assert strict.counts["both"] == 1
    assert "|chance:0.25-0.6|" in chance.signature
    assert strict.signature.startswith("span_f|scheme:IOB2|chance:0.25-0.6|")
    assert parts["chance 0.6 or more"].results[1].scores["f1"] == 1


def test_ranks_before_and_after_correction():
    """By hand: the second system has fewer, longer spans, so it finds more by chance."""
    wide = Spans.from_tags(
        [["B-A", "I-A", "I-A", "O"], ["B-A", "I-A", "I-A", "I-A"], ["O", "O"], ["B-A", "I-A", "I-A"]]
    )
    rows = compare(GOLD, {"narrow": SYSTEM, "wide": wide}, by_chance=(0.6,)).chance_ranks
    parts = [("all", 4), ("chance below 0.6", 2), ("chance 0.6 or more", 1)]
    assert [row[:3] for row in rows] == [(*part, system) for part in parts for system in ("narrow", "wide")]
    # shared 1 of 3 + 3 tokens, and 3 of 3 + 7; by chance 1/4 + 1, and 3/4 + 2
    for row, f1, chance, rank in zip(rows[2:4], (2 / 6, 6 / 10), (2.5 / 6, 5.5 / 10), (2, 1), strict=True):
        assert (row.f1, row.kappa_f1) == pytest.approx((f1, (f1 - chance) / (1 - chance)))
        assert (row.rank, row.kappa_rank) == (rank, rank)
    parts = by_chance(GOLD, wide, (0.6,), [ChanceKappaF1()]).values()
    assert [row.kappa_f1 for row in rows[3::2]] == [part.results[0].scores["kappa_f1"] for part in parts]


def test_counts_of_parts_add_up():
    generator = random.Random(4)
    lengths = [generator.randrange(1, 20) for _ in range(60)]
    documents = [random_document(generator, length, "flat") for length in lengths]
    outputs = [disturbed(generator, *pair, "flat") for pair in zip(documents, lengths, strict=True)]
    sides = [as_spans(side, lengths) for side in (documents, outputs)]
    halves = SlIcm(token_probabilities=[[0.5] * length for length in lengths])
    words = SlIcm(token_probabilities={"the": 0.5}, tokens=[["the"] * length for length in lengths])
    parts = by_chance(*sides, (0.3, 0.5, 0.7), {"span_f": SpanF(), "halves": halves, "words": words})
    assert all(part.results[1].scores == part.results[2].scores for part in parts.values())
    known = np.flatnonzero([len(document) > 0 for document in documents])
    assert [part.documents > 0 for part in parts.values()] == [True] * 4
    assert sum(part.documents for part in parts.values()) == len(known)
    whole = SpanF().counts(*(side.take(known) for side in sides)).total()
    assert {name: sum(part.results[0].counts[name] for part in parts.values()) for name in whole} == whole


def test_levels_against_all_arrangements():
    spans = [[(0, 2), (3, 4)], [(1, 2), (2, 3), (4, 6)], [(0, 3)]]
    lengths = [5, 7, 6]
    corpus = Spans.from_dicts(
        [[{"start": a, "end": b, "label": "A"} for a, b in document] for document in spans], lengths=lengths
    )
    expected = []
    for document, tokens in zip(spans, lengths, strict=True):
        sizes = [b - a for a, b in document]
        cover = np.zeros(tokens)
        for size, starts in zip(sizes, start_probabilities(tokens, sizes), strict=True):
            for start, probability in enumerate(starts):
                cover[start : start + size] += float(probability)
        expected.append((cover**2).sum() / sum(sizes))
    assert chance_levels(corpus) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("given", "bounds"), [("0.175", (0.175,)), ("0.1, 0.5", (0.1, 0.5)), ([0.2], (0.2,))])
def test_bounds(given, bounds):
    assert read_bounds(given) == bounds


def test_the_halves_of_table10(data):
    sides = pair_from_tags(*read(data / "conll03_test_tags.tsv", columns=["1", "2"]).tags)[:2]
    parts = by_chance(*sides, (0.175,), [ChanceKappaF1()])
    assert [part.documents for part in parts.values()] == [1384, 1372]
    assert [round(part.results[0].scores["chance_f1"], 3) for part in parts.values()] == [0.094, 0.357]
