"""The mean over documents: what each document scores by itself, and what empty ones score."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_pair
from slow import measures as slow
from spanometer import Spans
from spanometer.analysis.scores.streams import score_stream
from spanometer.measures import Bcubed, IntersectionF, LinkF, SpanF, TokenF, UnitizingAlpha

KEYS = ("precision", "recall", "f1")
REFERENCES = [["B-A", "I-A", "O"], ["O"], ["O"], ["B-B"]]
PREDICTIONS = [["B-A", "O", "O"], ["O"], ["B-A"], ["B-B"]]

MEASURES = {
    "span_f": (SpanF(), slow.span_f, {}),
    "token_f": (TokenF(), slow.token_f, {}),
    "token_f BIO": (TokenF(format="BIO"), slow.token_f, {"format": "BIO"}),
    "link_f": (LinkF(), slow.link_f, {}),
    "bcubed": (Bcubed(), slow.bcubed, {}),
    "intersection_f": (IntersectionF(cap=True), slow.intersection_f, {"cap": True}),
}


def scored(measure, references, predictions):
    return measure.score(measure.counts(Spans.from_tags(references), Spans.from_tags(predictions)))


@pytest.mark.parametrize(
    ("zero_division", "expected"),
    [
        # the documents' values: 1, -, 0, 1; 1/2, -, -, 1; 2/3, -, 0, 1
        (0.0, (2 / 4, 1.5 / 4, (2 / 3 + 1) / 4)),
        (1.0, (3 / 4, 3.5 / 4, (2 / 3 + 2) / 4)),
        (math.nan, (2 / 3, 1.5 / 2, (2 / 3 + 1) / 3)),
    ],
)
def test_by_hand(zero_division, expected):
    found = scored(TokenF(average="documents", zero_division=zero_division), REFERENCES, PREDICTIONS)
    assert [found[key] for key in KEYS] == pytest.approx(expected, abs=1e-15)


def toxic_spans_f1(reference, predicted):
    """The score of one text in SemEval-2021 task 5: sets of characters."""
    if not reference:
        return float(not predicted)
    both = len(reference & predicted)
    return 2 * both / (len(reference) + len(predicted))


def overlap_over_union(reference, predicted):
    """The same in Mu-SHROOM (SemEval-2025 task 3)."""
    union = reference | predicted
    return len(reference & predicted) / len(union) if union else 1.0


def test_shared_tasks_over_characters():
    generator = random.Random(5)
    for _ in range(60):
        sides = [
            [{token for token in range(12) if generator.random() < share} for share in (0.0, 0.2, 0.5, 0.9)]
            for _ in range(2)
        ]
        reference, predicted = (as_spans([[("X", frozenset(part))] if part else [] for part in side]) for side in sides)
        report = spanometer.score(
            reference, predicted, measures="token_f", match_labels=False, average="documents", zero_division=1.0
        )
        result = report.measures["token_f"]
        pairs = list(zip(*sides, strict=True))
        assert result.scores["f1"] == pytest.approx(np.mean([toxic_spans_f1(*pair) for pair in pairs]), abs=1e-12)
        f1 = np.nan_to_num(result.per_document["f1"], nan=1.0)
        expected = np.mean([overlap_over_union(*pair) for pair in pairs])
        assert (f1 / (2 - f1)).mean() == pytest.approx(expected, abs=1e-12)


def mean_of(values, zero_division):
    known = [zero_division if math.isnan(value) else value for value in values]
    known = [value for value in known if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else zero_division


def same(ours, theirs):
    return all(
        math.isclose(ours[key], theirs[key], abs_tol=1e-12) or (math.isnan(ours[key]) and math.isnan(theirs[key]))
        for key in KEYS
    )


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("name", MEASURES)
def test_against_the_mean_of_single_documents(name, kind):
    measure, second, options = MEASURES[name]
    for seed in range(36):
        references, predictions, lengths = random_pair(seed, kind)
        zero_division = (0.0, 1.0, math.nan)[seed % 3]
        asked = replace(measure, average="documents", zero_division=zero_division)
        counts = asked.counts(as_spans(references, lengths), as_spans(predictions, lengths))
        pairs = zip(references, predictions, strict=True)
        values = [second([one], [other], average="micro", zero_division=math.nan, **options) for one, other in pairs]
        expected = {key: mean_of([value[key] for value in values], zero_division) for key in KEYS}
        assert same(asked.score(counts), expected), seed
        # drawn corpora, sums and stored counts
        weights = np.random.default_rng(seed).integers(0, 3, (2, len(lengths)))
        drawn = asked.score_totals(asked.totals(counts, weights))
        for row, times in enumerate(weights.tolist()):
            chosen = [value for value, number in zip(values, times, strict=True) for _ in range(number)]
            if chosen:
                expected = {key: mean_of([value[key] for value in chosen], zero_division) for key in KEYS}
                assert same({key: drawn[key][row] for key in KEYS}, expected), seed
        for other in (counts.condensed(), type(counts).from_bytes(counts.to_bytes(), asked), counts + counts):
            assert same(asked.score(other), asked.score(counts)), seed


def test_everywhere_the_same():
    options = {"average": "documents", "zero_division": 1.0}
    expected = scored(SpanF(**options), REFERENCES, PREDICTIONS)
    report = spanometer.score(REFERENCES, PREDICTIONS, **options)
    result = report.measures["span_f"]
    assert dict(result.scores) == expected
    assert list(result.averages) == ["micro", "macro", "weighted", "documents"]
    assert result.averages["micro"].scores == spanometer.score(REFERENCES, PREDICTIONS).measures["span_f"].scores
    assert "|average:documents|zero_division:1|" in result.signature
    assert result.per_label["A"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1}
    batches = [(REFERENCES[:1], PREDICTIONS[:1]), (REFERENCES[1:], PREDICTIONS[1:])]
    streamed = score_stream(batches, measures=SpanF(**options), scheme="IOB2")["span_f"]
    assert streamed == pytest.approx(expected, abs=1e-15)
    compared = spanometer.compare(
        REFERENCES, {"one": PREDICTIONS, "other": REFERENCES}, measures=SpanF(**options), n_resamples=10
    ).measures["span_f"]
    assert compared.systems["one"].scores == pytest.approx(expected, abs=1e-15)
    # f1 is 0, 1, 0, 1 against four times 1; of the 4 different swaps of two documents half reach it
    assert compared.pairs[0].difference == pytest.approx(expected["f1"] - 1)
    assert compared.pairs[0].p_randomisation == 0.5


def test_what_an_empty_document_scores_is_said():
    measure = SpanF(average="documents")
    counts = measure.counts(Spans.from_tags(REFERENCES), Spans.from_tags(PREDICTIONS))
    assert measure.notes(counts) == [
        "documents with no span on either side (1 of 4) score 0, the value of zero_division; Toxic Spans and "
        "Mu-SHROOM give them 1."
    ]
    assert replace(measure, zero_division=1.0).notes(counts) == []
    assert replace(measure, zero_division=math.nan).notes(counts) == []
    assert SpanF().notes(counts) == []
    full = measure.counts(Spans.from_tags(REFERENCES[:1]), Spans.from_tags(PREDICTIONS[:1]))
    assert measure.notes(full) == []


def test_without_any_spans_and_without_documents():
    for zero_division in (0.0, 1.0, math.nan):
        measure = SpanF(average="documents", zero_division=zero_division)
        for documents in (0, 3):
            empty = Spans.from_tags([["O"]] * documents)
            counts = measure.counts(empty, empty)
            assert same(dict.fromkeys(KEYS, zero_division), measure.score(counts))
            assert measure.score_totals(measure.totals(counts, np.ones((2, documents))))["f1"].shape == (2,)


@pytest.mark.parametrize("variant", ["1995", "2016"])
def test_alpha_of_documents(variant):
    """The mean of each document's alpha; the second document has no units, and so no alpha."""
    span = {"start": 0, "end": 2, "label": "A"}
    references, predictions = [[span], [], [span]], [[span], [], [{**span, "start": 1}]]
    alpha = UnitizingAlpha(variant=variant, zero_division=math.nan)
    sides = [Spans.from_dicts(side, lengths=[5, 5, 5]) for side in (references, predictions)]
    alone = [alpha.score(alpha.counts(*(side.take(np.array([number])) for side in sides))) for number in (0, 2)]
    assert alone[0]["alpha"] == 1 and alone[1]["alpha"] < 1
    documents = replace(alpha, average="documents")
    counts = documents.counts(*sides)
    scores = documents.score(counts)
    assert scores["alpha"] == pytest.approx((1 + alone[1]["alpha"]) / 2)
    assert documents.score(counts + counts)["alpha"] == pytest.approx(scores["alpha"])
    assert alpha.score_per_document(counts)["alpha"][2] == pytest.approx(alone[1]["alpha"])
