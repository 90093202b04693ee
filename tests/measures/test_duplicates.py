"""Spans that a side has several times: by hand, and against counters of spans."""

import json
import random
from collections import Counter

import numpy as np
import pytest

import spanometer
from builders import spans
from random_corpora import as_spans
from slow.forms import form_counts
from spanometer import Spans
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.exceptions import InputError
from spanometer.measures.registry import read_counts
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


def random_sides(draw, tokens, documents, most):
    """Draw the labels and tokens of fewer than `most` spans for each document of two sides."""
    sizes = [[draw.randrange(most) for _ in range(documents)] for _ in range(2)]
    return [[[(draw.choice("AB"), draw.choice(tokens)) for _ in range(size)] for size in side] for side in sizes]


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
    sides = random_sides(draw, tokens, 300, 6)
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


def test_forms_by_hand():
    """Of LOC Rome (twice), PER Rome and LOC New York a system has LOC Rome once in place, PER York and LOC New York."""
    words = [["Rome", "and", "Rome"], ["Rome", "in", "New", "York"]]
    gold = spans("0-1:LOC 2-3:LOC", "0-1:PER 2-4:LOC")
    output = spans("2-3:LOC 0-1:PLACE", "0-1:LOC 2-4:LOC 3-4:PER")
    measure = SpanF(duplicates="forms", tokens=words)
    counts = measure.counts(gold, output)
    assert ("tokens" in measure.options(), counts.total()) == (False, {"both": 2, "predicted": 4, "reference": 3})
    assert counts.by_label()["LOC"] == {"both": 2, "predicted": 2, "reference": 2}
    # each document has LOC Rome
    assert measure.document_scores(counts)["precision"].tolist() == [1 / 2, 1 / 3]
    means = SpanF(duplicates="forms", tokens=words, average="documents_by_label")
    assert means.score_per_label(means.counts(gold, output))["LOC"]["precision"] == 3 / 4
    assert measure.totals(read_counts(counts.to_bytes()), np.array([[2, 0]]))["predicted"].tolist() == [[1, 0, 1]]
    unlabelled = SpanF(duplicates="forms", tokens=words, match_labels=False).counts(gold, output).total()
    assert unlabelled == {"both": 2, "predicted": 3, "reference": 2}


@pytest.mark.parametrize("match_labels", [True, False])
@pytest.mark.parametrize("fragmented", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_forms_against_sets(match_labels, fragmented, known):
    draw = random.Random(f"{match_labels} {fragmented} {known}")
    tokens = [frozenset({0, 1}), frozenset({1}), frozenset({1, 2}), frozenset({3})]
    tokens += [frozenset({0, 2}), frozenset({0, 3})] if fragmented else []
    for documents in (1, 3, 20):
        words = [draw.choices("ab", k=4) for _ in range(documents)]
        sides = random_sides(draw, tokens, documents, 4)
        measure = SpanF(duplicates="forms", tokens=words, match_labels=match_labels)
        counts = measure.counts(*(as_spans(side, [4] * documents if known else None) for side in sides))
        assert counts.total() == form_counts(*sides, words, match_labels=match_labels)
        drawn = draw.choices(range(documents), k=documents)
        resampled = ([side[place] for place in drawn] for side in (*sides, words))
        found = measure.totals(counts, np.bincount(drawn, minlength=documents)[None])
        assert {name: found[name].sum() for name in found} == form_counts(*resampled, match_labels=match_labels)


def test_forms_of_files(tmp_path):
    """Files have the words: tokens of documents, characters of texts, words that a tokenizer makes."""
    paths = [tmp_path / "gold.jsonl", tmp_path / "system.jsonl"]
    for path, starts in zip(paths, ((0, 9), (0, 5)), strict=True):
        listed = [{"start": start, "end": start + (3 if start == 5 else 4), "label": "X"} for start in starts]
        path.write_text(json.dumps({"text": "Rome and Rome", "spans": listed}) + "\n", encoding="utf-8")
    files = [spanometer.read(path) for path in paths]
    for options in ({}, {"tokenizer": "words"}):
        report = spanometer.score(*files, measures="span_f(duplicates=forms)", **options)
        assert report.results[0].counts == {"both": 1, "predicted": 2, "reference": 1}
    assert spanometer.errors(*files, measure="sl_icm(token_probabilities=corpus)").only.costs.score < 1
    systems = {"a": files[1], "b": files[0]}
    result = spanometer.compare(files[0], systems, measures="span_f(duplicates=forms)", n_resamples=10)
    assert [system.scores["f1"] for system in result.measures["span_f"].systems.values()] == pytest.approx([2 / 3, 1])


def test_forms_without_words():
    measure = SpanF(duplicates="forms")
    with pytest.raises(InputError, match="counts each string once"):
        policy_spread([["B-A"]], [["I-A"]], measures=measure)
    with pytest.raises(InputError, match="with span_f: its counts cannot be summed"):
        _ = spanometer.errors([["B-A"]], [["O"]], measure=measure, words=[["Ann"]]).only.costs
    # whichever outputs are swapped, one system finds Ann and the other does not
    systems, found = {"a": [["O"], ["B-A"]], "b": [["O"], ["O"]]}, SpanF(duplicates="forms", tokens=[["Ann"]] * 2)
    assert spanometer.compare([["B-A"]] * 2, systems, measures=found).measures["span_f"].pairs[0].p_randomisation == 1
