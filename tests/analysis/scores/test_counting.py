"""Counts block by block: those of the whole, in memory that does not grow with the corpus."""

import random
import tracemalloc
from itertools import chain

import numpy as np
import pytest

from counts_of_parts import require_same_counts
from entity_corpora import random_entity_documents
from random_corpora import as_spans, random_pair
from spanometer import InputError, Spans
from spanometer.analysis.scores.measure_result import blocks_of, count_measures
from spanometer.measures import MEASURES, ChanceKappaF1, Eter, SlIcm, SpanF, UnitizingAlpha
from spanometer.spans.entities import Entities


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("spanometer.analysis.scores.measure_result._BLOCK", 7)


def flat_pair(seed):
    """Spans that every measure takes: without overlaps."""
    generator = random.Random(seed)
    lengths = [generator.randrange(12) for _ in range(40)]
    sides = []
    for _ in range(2):
        tags = [[generator.choice(["O", "B-A", "I-A", "B-B", "I-B", "B-C"]) for _ in range(n)] for n in lengths]
        sides.append(Spans.from_tags(tags, scheme="IOB2"))
    return sides


def test_blocks_by_hand(small_blocks):
    # 3 + 1, 4 + 0, none, 9 + 9 and 1 + 0 spans: a block ends with the document that fills it
    rows = [(3, 1), (4, 0), (0, 0), (9, 9), (1, 0)]
    span = {"start": 0, "end": 1, "label": "A"}
    references, predictions = (
        Spans.from_dicts([[{**span, "start": n, "end": n + 1} for n in range(row[side])] for row in rows])
        for side in (0, 1)
    )
    assert blocks_of([references, predictions]) == [(0, 2), (2, 4), (4, 5)]
    assert blocks_of([Spans.from_dicts([])] * 2) == [(0, 0)]


@pytest.mark.parametrize("per_document", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_counts_of_every_measure(small_blocks, seed, per_document):
    references, predictions = flat_pair(seed)
    assert len(blocks_of([references, predictions])) > 3
    measures = [kind() for kind in MEASURES.values()]
    measures += [UnitizingAlpha(variant="1995"), SpanF(average="macro"), SpanF(match_labels=False)]
    expected = {str(number): measure.counts(references, predictions) for number, measure in enumerate(measures)}
    found = count_measures(references, predictions, measures, per_document=per_document)
    found = {str(number): counts for number, counts in enumerate(found)}
    require_same_counts(found, expected)
    for number, counts in found.items():
        assert counts.documents == (40 if per_document else 1)
        if per_document:
            scores = counts.measure.score_per_document(counts)
            for key, values in expected[number].measure.score_per_document(expected[number]).items():
                np.testing.assert_allclose(scores[key], values, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_spans_with_gaps_and_overlaps(small_blocks, seed):
    kind = ("discontinuous", "nested")[seed % 2]
    parts = [random_pair(seed + 4 * number, kind)[:2] for number in range(15)]
    references, predictions = (as_spans(list(chain.from_iterable(side))) for side in zip(*parts, strict=True))
    assert len(blocks_of([references, predictions])) > 3
    measures = [SpanF(), MEASURES["token_f"](), MEASURES["link_f"](), MEASURES["intersection_f"](cap=True)]
    found = count_measures(references, predictions, measures, per_document=False)
    expected = {measure.name: measure.counts(references, predictions) for measure in measures}
    require_same_counts(dict(zip(expected, found, strict=True)), expected)


@pytest.mark.parametrize("per_document", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_entity_trees(small_blocks, seed, per_document):
    parts = [random_entity_documents(random.Random(100 * seed + number)) for number in range(15)]
    references, predictions = (Entities.from_dicts(list(chain(*side))) for side in zip(*parts, strict=True))
    assert len(blocks_of([references, predictions])) > 3
    found = count_measures(references, predictions, [Eter()], per_document=per_document)
    require_same_counts({"eter": found[0]}, {"eter": Eter().counts(references, predictions)})
    rows = references.to_dicts()
    assert references.between(0, len(rows)).to_dicts() == rows
    assert references.between(7, 20).to_dicts() == rows[7:20]


def test_measures_of_a_whole_corpus(small_blocks):
    references, predictions = flat_pair(1)
    words = [["w"] * length for length in references.lengths.tolist()]
    measures = [SpanF(), ChanceKappaF1(n_simulations=5), SlIcm(tokens=words)]
    found = count_measures(references, predictions, measures, per_document=False)
    assert [counts.documents for counts in found] == [1, 40, 40]
    np.testing.assert_array_equal(found[1].simulated, measures[1].counts(references, predictions).simulated)
    assert found[2].score() == measures[2].counts(references, predictions).score()


def test_errors_number_documents_in_the_whole(small_blocks):
    references, predictions = flat_pair(2)
    rows = predictions.to_dicts()
    rows[37] = [{"start": 0, "end": 2, "label": "A"}, {"start": 1, "end": 2, "label": "A"}]
    lengths = np.maximum(references.lengths, 2)
    sides = [Spans.from_dicts(each, lengths=lengths) for each in (references.to_dicts(), rows)]
    with pytest.raises(InputError, match="predictions, document 37, token 1: a span labelled 'A' overlaps another"):
        count_measures(*sides, [ChanceKappaF1()], per_document=False)


def test_memory_does_not_grow_with_the_corpus(monkeypatch):
    monkeypatch.setattr("spanometer.analysis.scores.measure_result._BLOCK", 1 << 15)
    peaks = []
    for documents in (20_000, 80_000):
        spans = 5 * documents
        document = np.repeat(np.arange(documents, dtype=np.int32), 5)
        start = np.tile(np.arange(5, dtype=np.int32), documents)
        label = np.arange(spans, dtype=np.int16) % 3
        lengths = np.full(documents, 6)
        sides = [Spans(document, start, start + 1, label, tuple("ABC"), documents, lengths) for _ in range(2)]
        tracemalloc.start()
        # gamma keeps the units
        measures = [kind() for name, kind in MEASURES.items() if name != "gamma"]
        count_measures(*sides, measures, per_document=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
