"""F1 over spans that overlap: by hand, and against loops over sets of tokens with fractions."""

import random
from fractions import Fraction

import pytest

from builders import spans
from random_corpora import as_spans
from spanometer import Spans
from spanometer.measures.relaxed_f import RelaxedF

KINDS = [("any", None), ("iou", Fraction(1, 2)), ("dice", Fraction(2, 3)), ("coverage", Fraction(1, 2))]

# predicted 0-2 and 2-4 are halves of a reference span, 8-9 is a third of one of three tokens and a half of one of two
GOLD, OUTPUT = spans("0-4:A 6-9:A 8-10:A"), spans("0-2:A 2-4:A 8-9:A 12-13:A")


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({}, (3, 4, 3, 3)),
        ({"overlap": "iou"}, (3, 4, 2, 3)),
        ({"overlap": "iou", "threshold": 0.6}, (0, 4, 0, 3)),
        ({"overlap": "dice"}, (3, 4, 3, 3)),
        ({"overlap": "dice", "threshold": 0.6}, (3, 4, 2, 3)),
        ({"overlap": "coverage", "threshold": 0.6}, (3, 4, 0, 3)),
        ({"overlap": "iou", "threshold": 0.0, "credit": "best"}, (1.5, 4, 1 / 2 + 1 / 3 + 1 / 2, 3)),
        ({"matching": "first"}, (2, 4, 2, 3)),
        # 2-4 reaches what 0-2 reached
        ({"matching": "fresh"}, (2, 3, 2, 3)),
    ],
)
def test_by_hand(options, counts):
    measure = RelaxedF(**options)
    assert tuple(measure.counts(GOLD, OUTPUT).total().values()) == pytest.approx(counts)


def test_recall_of_right_predictions():
    # 2 right predictions and 2 missed spans: 2/4, where 1 of 3 is found
    gold, output = spans("0-4:A 5-6:A 7-8:A"), spans("0-1:A 2-3:A")
    assert RelaxedF(recall="right").counts(gold, output).score()["recall"] == 1 / 2
    assert RelaxedF().counts(gold, output).score()["recall"] == 1 / 3


def overlap_of(span, other, kind):
    both = len(span & other)
    sizes = {"iou": len(span | other), "dice": Fraction(len(span) + len(other), 2), "coverage": len(span)}
    return Fraction(both) / sizes[kind] if kind in sizes else Fraction(both > 0)


def slow_counts(gold, output, kind, threshold, credit, matching):
    """Count right, predicted, found and reference spans of one label in a document, span by span."""

    def reaches(span, other):
        return span & other and (kind == "any" or overlap_of(span, other, kind) >= threshold)

    def value(span, others):
        reached = [overlap_of(span, other, kind) for other in others if reaches(span, other)]
        return max(reached, default=Fraction(0)) if credit == "best" else Fraction(bool(reached))

    if matching == "many":
        return (
            sum(value(span, gold) for span in output),
            len(output),
            sum(value(span, output) for span in gold),
            len(gold),
        )
    meets = [[bool(reaches(span, other) and reaches(other, span)) for other in gold] for span in output]
    if matching == "first":
        free = set(range(len(output)))
        for column in range(len(gold)):
            free -= set([row for row in sorted(free) if meets[row][column]][:1])
        return len(output) - len(free), len(output), len(output) - len(free), len(gold)
    met, right, kept = set(), 0, 0
    for row in meets:
        columns = {column for column, flag in enumerate(row) if flag}
        kept += not columns & met
        right += bool(columns and not columns & met)
        met |= columns
    return right, kept, right, len(gold)


@pytest.mark.parametrize("duplicates", ["once", "each"])
@pytest.mark.parametrize(
    ("kind", "threshold", "credit", "matching"),
    [
        *((kind, threshold, "one", matching) for kind, threshold in KINDS for matching in ("many", "first", "fresh")),
        ("iou", Fraction(0), "best", "many"),
        ("coverage", Fraction(1, 2), "best", "many"),
    ],
)
def test_against_loops(kind, threshold, credit, matching, duplicates):
    draw = random.Random(f"{kind} {credit} {matching} {duplicates}")
    documents, sums = ([], []), [Fraction(0)] * 4
    for _ in range(250):
        gold, output = (
            [
                (label, frozenset(range(start, start + draw.randrange(1, 5))) - {draw.randrange(40)})
                for label in "AB"
                for start in (draw.randrange(8) for _ in range(draw.randrange(4)))
            ]
            for _ in range(2)
        )
        gold, output = ([(label, span) for label, span in side if span] for side in (gold, output))
        documents[0].append(gold)
        documents[1].append(output)
        for label in "AB":
            # the order of the text, as `Spans` has it
            sides = [sorted((span for own, span in side if own == label), key=order) for side in (gold, output)]
            if duplicates == "once":
                sides = [list(dict.fromkeys(side)) for side in sides]
            counts = slow_counts(*sides, kind, threshold, credit, matching)
            sums = [total + count for total, count in zip(sums, counts, strict=True)]
    options = {} if threshold is None else {"threshold": float(threshold)}
    measure = RelaxedF(overlap=kind, credit=credit, matching=matching, duplicates=duplicates, **options)
    counted = measure.counts(*map(as_spans, documents)).total()
    assert tuple(counted.values()) == pytest.approx(tuple(map(float, sums)))


def order(span):
    """Sort by start and end, then as lists of tokens."""
    return min(span), max(span), sorted(span)


def test_the_lower_of_both():
    """Of 1 and 2 spans one is shared: 1 and 1/2; a side without spans gives 0, two such sides 1."""
    span, other = ({"start": start, "end": start + 2, "label": "A"} for start in (0, 4))
    gold, system = Spans.from_dicts([[span], [span], []]), Spans.from_dicts([[span, other], [], []])
    measure = RelaxedF(overlap="iou", combination="lower", average="documents", zero_division=1)
    assert measure.score(measure.counts(gold, system))["f1"] == (0.5 + 0 + 1) / 3
