"""Spans that a side has several times: by hand, and against counters of spans."""

import random
from collections import Counter

import pytest

from builders import spans
from random_corpora import as_spans
from spanometer import Spans
from spanometer.measures.span_f import SpanF
from spanometer.measures.token_f import TokenF


def slow_counts(references, predictions, duplicates, *, match_labels):
    """Count right, predicted and reference spans, document by document, in counters of spans."""
    sums = Counter()
    for sides in zip(references, predictions, strict=True):
        gold, output = (Counter((label if match_labels else "", span) for label, span in side) for side in sides)
        if duplicates == "once":
            gold, output = Counter(set(gold)), Counter(set(output))
        if duplicates == "wrong":
            gold, output = (
                Counter({span: 1 if span in other else times for span, times in side.items()})
                for side, other in ((gold, output), (output, gold))
            )
        sums += Counter(both=(gold & output).total(), predicted=output.total(), reference=gold.total())
    return {name: sums[name] for name in ("both", "predicted", "reference")}


@pytest.mark.parametrize(("duplicates", "counts"), [("once", (1, 2, 2)), ("each", (1, 4, 2)), ("wrong", (1, 3, 2))])
def test_by_hand(duplicates, counts):
    # the script of n2c2-2018 has a precision of 1/3 here, a set 1/2 and a multiset 1/4
    gold, output = spans("0-2:Drug 6-8:Drug"), spans("0-2:Drug 0-2:Drug 3-5:Drug 3-5:Drug")
    measure = SpanF(duplicates=duplicates)
    assert tuple(measure.counts(gold, output).total().values()) == counts
    assert ("duplicates" in measure.options()) == (duplicates != "once")


@pytest.mark.parametrize("match_labels", [True, False])
@pytest.mark.parametrize("duplicates", ["once", "each", "wrong"])
@pytest.mark.parametrize("fragmented", [False, True])
def test_against_counters(duplicates, match_labels, fragmented):
    draw = random.Random(f"{duplicates} {match_labels} {fragmented}")
    tokens = [frozenset({0, 1}), frozenset({1}), frozenset({0, 1, 2}), frozenset({3})]
    tokens += [frozenset({0, 2}), frozenset({0, 3})] if fragmented else []
    sides = [
        [[(draw.choice("AB"), draw.choice(tokens)) for _ in range(draw.randrange(6))] for _ in range(300)]
        for _ in range(2)
    ]
    measure = SpanF(duplicates=duplicates, match_labels=match_labels)
    expected = slow_counts(*sides, duplicates, match_labels=match_labels)
    assert measure.counts(*map(as_spans, sides)).total() == expected


@pytest.mark.parametrize("match_labels", [True, False])
@pytest.mark.parametrize("format", ["IO", "BIO", "BIOES"])
def test_tokens_of_several_spans(format, match_labels):
    draw = random.Random(f"{format} {match_labels}")
    sides = [
        [
            [
                ((draw.choice("AB") if match_labels else "A"), frozenset(range(at, at + draw.randrange(1, 4))))
                for at in (draw.randrange(5) for _ in range(draw.randrange(5)))
            ]
            for _ in range(200)
        ]
        for _ in range(2)
    ]
    both = Counter()
    for documents in zip(*sides, strict=True):
        gold, output = (Counter(unit for span in side for unit in units(span, format)) for side in documents)
        both += Counter(both=(gold & output).total(), predicted=output.total(), reference=gold.total())
    measure = TokenF(format=format, duplicates="each", match_labels=match_labels)
    counts = measure.counts(*map(as_spans, sides)).total()
    assert {name: counts[name] for name in both} == both


def units(span, format):
    """List the units of a contiguous span: label, token and tag."""
    label, tokens = span
    first, last = min(tokens), max(tokens)
    for token in sorted(tokens):
        tag = "I"
        if format != "IO" and token == first:
            tag = "B"
        if format == "BIOES" and token == last:
            tag = "S" if first == last else "E"
        yield label, token, tag


def test_copies_go_with_their_spans():
    both = Spans.from_dicts(
        [[{"start": n, "end": n + 1, "label": label} for n, label in ((4, "B"), (0, "A"), (0, "A"))]]
    )
    assert both.copies.tolist() == [2, 1]
    assert both.relabelled({"A": "B", "B": "B"}).copies.tolist() == [2, 1]
    assert both.relabelled({"A": None, "B": "B"}).copies.tolist() == [1]
    assert spans("0-1:A 0-1:B").unlabelled().copies.tolist() == [2]
    assert both.take(both.document[[0, 0]]).copies.tolist() == [2, 1, 2, 1]
    assert spans("0-1:A").copies is None
