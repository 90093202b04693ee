"""Which predicted span stands for which reference span, against all matchings that there are."""

import random

import numpy as np
import pytest

from builders import span_dicts
from random_corpora import as_spans, random_pair
from slow.matched_spans import all_matchings, rows_of
from spanometer import InputError, Spans
from spanometer.alignment import matching
from spanometer.alignment.matched_spans import MatchedSpans
from spanometer.alignment.matching import lexicographic_matching
from spanometer.alignment.overlaps import Alignment


def matched(references, predictions, **options):
    return MatchedSpans(Alignment(Spans.from_dicts(references), Spans.from_dicts(predictions)), **options)


def kinds(reference, prediction, **options):
    """The rows of one document in words, in the order of the text."""
    rows = matched([span_dicts(reference)], [span_dicts(prediction)], **options).to_arrow().to_pylist()
    return [
        " ".join(
            [
                row["kind"],
                *([row["boundary"]] if row["boundary"] not in ("same", None) else []),
                *(flag for flag in ("split", "merged", "nested") if row[flag]),
            ]
        )
        for row in rows
    ]


@pytest.mark.parametrize(
    "reference, prediction, expected",
    [
        ("", "", []),
        ("0-2:A", "0-2:A", ["correct"]),
        ("0-2:A", "0-2:B", ["wrong_label"]),
        ("0-3:A", "0-2:A", ["wrong_boundary shorter"]),
        ("0-2:A", "0-3:A", ["wrong_boundary longer"]),
        ("0-2:A", "1-3:A", ["wrong_boundary shifted"]),
        ("0-2:A", "1-3:B", ["wrong_label_and_boundary shifted"]),
        ("0-2:A", "2-3:A", ["missing", "spurious"]),
        ("0-4:A", "0-1:A 2-4:A", ["spurious split", "wrong_boundary shorter split"]),
        ("0-1:A 1-4:A", "0-4:A", ["missing merged", "wrong_boundary longer merged"]),
        # typed pairs first: nervaluate 1.2.1 gives the label to the first
        ("0-3:B", "0-1:A 1-3:B", ["spurious split", "wrong_boundary shorter split"]),
        # nervaluate 1.2.1 finds nothing right in this order
        ("0-2:A 2-4:A", "0-2:A 1-4:A", ["correct", "wrong_boundary longer"]),
        # correct spans do not split others
        ("0-5:A 1-2:B", "0-4:A 1-2:B", ["wrong_boundary shorter", "correct nested"]),
        ("0-150:A", "0-1:A", ["wrong_boundary shorter"]),
        ("1-3:A", "0-2:A 2-4:C", ["wrong_boundary shifted split", "spurious split"]),
    ],
)
def test_by_hand(reference, prediction, expected):
    assert kinds(reference, prediction) == expected


def test_the_least_overlap():
    assert kinds("0-10:A", "7-12:A", min_overlap=0.3) == ["wrong_boundary shifted"]
    assert kinds("0-10:A", "7-12:A", min_overlap=0.31) == ["missing", "spurious"]
    # 7 / 100 is the number that is written 0.07; 0.07 * 100 is more than 7
    assert kinds("0-100:A", "93-120:A", min_overlap=0.07) == ["wrong_boundary shifted"]
    assert kinds("0-2:A", "0-2:B", min_overlap=1.0) == ["wrong_label"]


def test_the_table():
    rows = matched([[], span_dicts("0-2:A 4-5:B")], [span_dicts("1-2:B"), span_dicts("0-3:B 4-5:B")])
    assert len(rows) == 3
    table = rows.to_arrow()
    keys = ["document", "reference_start", "reference_end", "reference_label"]
    keys += ["predicted_start", "predicted_end", "predicted_label", "kind", "boundary", "split", "merged", "nested"]
    assert table.column_names == keys
    assert [tuple(row.values())[:9] for row in table.to_pylist()] == [
        (0, None, None, None, 1, 2, "B", "spurious", None),
        (1, 0, 2, "A", 0, 3, "B", "wrong_label_and_boundary", "longer"),
        (1, 4, 5, "B", 4, 5, "B", "correct", "same"),
    ]
    assert [str(start) for start in rows.to_frame()["reference_start"]] == ["<NA>", "0", "4"]
    assert rows.to_frame()["kind"].tolist() == ["spurious", "wrong_label_and_boundary", "correct"]


def as_rows(found):
    """The rows of each document as the slow implementation has them."""
    documents = [[] for _ in range(found.alignment.documents)]
    for row in found.to_arrow().to_pylist():
        ends = []
        for side in ("reference", "predicted"):
            pieces = row.get(f"{side}_fragments") or [[row[f"{side}_start"], row[f"{side}_end"]]]
            if row[f"{side}_label"] is None:
                assert row[f"{side}_start"] is None and row[f"{side}_end"] is None
                ends.append(None)
                continue
            assert (pieces[0][0], pieces[-1][1]) == (row[f"{side}_start"], row[f"{side}_end"])
            tokens = frozenset(token for start, end in pieces for token in range(start, end))
            ends.append((row[f"{side}_label"], tokens))
        flags = (row["split"], row["merged"], row["nested"])
        documents[row["document"]].append((*ends, row["kind"], row["boundary"], *flags))
    return [sorted(document, key=readable) for document in documents]


def readable(row):
    return repr([(value[0], sorted(value[1])) if isinstance(value, tuple) else value for value in row])


def unlabelled_flat(documents):
    """Spans none of which share a token, whatever their labels."""
    kept = []
    for document in documents:
        taken, spans_ = set(), set()
        for label, tokens in sorted(document, key=lambda span: (sorted(span[1]), span[0])):
            if not tokens & taken:
                spans_.add((label, tokens))
                taken |= tokens
        kept.append(spans_)
    return kept


@pytest.mark.parametrize("kind", ["flat", "really flat", "nested", "discontinuous", "flat discontinuous"])
@pytest.mark.parametrize("min_overlap, corpora", [(0.0, 400), (0.5, 60)])
def test_against_all_matchings(kind, min_overlap, corpora):
    for seed in range(corpora):
        references, predictions, lengths = random_pair(seed, kind.removeprefix("really "))
        if kind == "really flat":
            references, predictions = unlabelled_flat(references), unlabelled_flat(predictions)
        alignment = Alignment(as_spans(references, lengths), as_spans(predictions, lengths))
        found = MatchedSpans(alignment, min_overlap=min_overlap)
        expected = [rows_of(*pair, min_overlap) for pair in zip(references, predictions, strict=True)]
        assert as_rows(found) == [sorted(document, key=readable) for document in expected]


@pytest.mark.parametrize("enumerated", [matching._ENUMERATED, 1])
@pytest.mark.parametrize("scale", [1, 2**40])
def test_levels_one_after_the_other(monkeypatch, enumerated, scale):
    monkeypatch.setattr(matching, "_ENUMERATED", enumerated)
    for seed in range(400):
        generator = random.Random(seed)
        if seed % 2:
            pairs = staircase(generator, generator.randint(1, 9))
        else:
            pairs = sorted({(generator.randrange(4), generator.randrange(4)) for _ in range(generator.randint(1, 10))})
        levels = [[generator.randint(0, 2) for _ in pairs], [1 for _ in pairs]]
        # large numbers, and those below 0, as distances have
        levels.append([generator.choice((-2, 0, 1, 5)) * scale + generator.randint(0, 1) for _ in pairs])

        def quality(chosen, pairs=pairs, levels=levels):
            return [-sum(level[pairs.index(pair)] for pair in chosen) for level in levels], sorted(chosen)

        best = min(all_matchings(pairs), key=quality)
        row, column = np.array(pairs).T
        # the order in which pairs are listed does not matter
        listed = np.array(generator.sample(range(len(pairs)), len(pairs)))
        flags = lexicographic_matching(row[listed], column[listed], [np.array(level)[listed] for level in levels])
        assert sorted(pairs[index] for index in listed[flags]) == sorted(best)


def staircase(generator, steps):
    pairs = [(0, 0)]
    for _ in range(steps):
        row, column = pairs[-1]
        pairs.append(generator.choice(((row + 1, column), (row, column + 1))))
    return pairs


def best_on_stairs(pairs, levels):
    """The best choice by a loop from the last pair to the first, over whether the line to the next pair is taken."""

    def keeps_line(at):
        return (pairs[at - 1][0] == pairs[at][0]) == (pairs[at][0] == pairs[at + 1][0]) if at else False

    best = {(len(pairs), state): ([0] * len(levels), []) for state in (0, 1)}
    for at in reversed(range(len(pairs))):
        last = at + 1 == len(pairs)
        for state in (0, 1):
            found = [best[at + 1, state if not last and keeps_line(at) else 0]]
            if state == 0:
                sums, rest = best[at + 1, 1]
                taken = [level[at] + number for level, number in zip(levels, sums, strict=True)]
                found.append((taken, [pairs[at], *rest]))
            # of equal sums the choice with this pair
            best[at, state] = max(found, key=lambda one: (one[0], len(one[1]) and one[1][0] == pairs[at]))
    return best[0, 0][1]


@pytest.mark.parametrize("scale", [1, 2**40])
def test_long_stairs_beside_a_plain_loop(scale):
    generator = random.Random(1)
    rows, columns, of_pairs, expected = [], [], [[], [], []], []
    for number in range(40):
        pairs = [(row + 1000 * number, column + 1000 * number) for row, column in staircase(generator, 9 * number)]
        levels = [[generator.randint(0, 1) for _ in pairs], [1] * len(pairs)]
        levels.append([-generator.randint(0, 3) * scale for _ in pairs])
        rows += [row for row, _ in pairs]
        columns += [column for _, column in pairs]
        for all_pairs, level in zip(of_pairs, levels, strict=True):
            all_pairs.extend(level)
        expected += best_on_stairs(pairs, levels)
    flags = lexicographic_matching(np.array(rows), np.array(columns), list(map(np.array, of_pairs)))
    assert [(rows[at], columns[at]) for at in np.flatnonzero(flags).tolist()] == sorted(expected)


def test_long_stairs_hold_in_python_integers():
    # every reference span is followed by a predicted one that begins in its last token; sums pass 64 bits
    steps = np.arange(50_001)
    row, column = steps // 2, (steps + 1) // 2
    levels = [np.ones(len(steps), dtype=np.int64), np.full(len(steps), 2**40), -np.full(len(steps), 2**40)]
    chosen = lexicographic_matching(row, column, levels)
    assert chosen[::2].all() and not chosen[1::2].any()


def test_a_large_group_is_solved_level_by_level():
    # a nest of 30 against another one, whose bounds differ by one
    reference = " ".join(f"{start}-{100 - start}:{'AB'[start % 2]}" for start in range(30))
    prediction = " ".join(f"{start}-{101 - start}:{'BA'[start % 2]}" for start in range(30))
    found = matched([span_dicts(reference)], [span_dicts(prediction)]).to_arrow()
    assert found["kind"].to_pylist().count("wrong_boundary") == 30
    pairs = set(zip(found["reference_start"].to_pylist(), found["predicted_start"].to_pylist(), strict=True))
    # of equal sums of distances the list of pairs is the smallest
    assert len(pairs) == 30 and all((first - second) % 2 == 1 for first, second in pairs)


def test_too_large_a_group_is_refused(monkeypatch):
    monkeypatch.setattr(matching, "LARGEST_GROUP", 20)
    reference = [span_dicts(" ".join(f"{start}-{100 - start}:A" for start in range(30)))]
    prediction = [span_dicts(" ".join(f"{start}-{101 - start}:A" for start in range(30)))]
    with pytest.raises(InputError, match="60 wrong spans form one chain of overlaps") as raised:
        matched([[], *reference], [[], *prediction])
    assert raised.value.document == 1


def test_deep_nests_that_are_right_cost_no_pairs():
    nest = [[{"start": start, "end": 40_000 - start, "label": "A"} for start in range(20_000)]]
    assert (matched(nest, nest).kind == 0).all()
