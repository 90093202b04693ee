"""Counts of parts of a corpus: added in any way they are those of the whole; they travel as tables and bytes."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

from counted_corpora import ALL, ORDERED, corpus, counted
from spanometer import Spans
from spanometer.counts.counts import Column, Counts
from spanometer.measures import SlIcm, SpanF, read_counts

every_measure = pytest.mark.parametrize("name", ALL)


def require_same(first, second):
    assert first.keys() == second.keys()
    for key, value in first.items():
        if isinstance(value, dict):
            require_same(value, second[key])
        else:
            assert second[key] == pytest.approx(value, abs=1e-9, nan_ok=True)


def require_same_counts(first, second):
    """The same integers exactly, and other numbers to the last digits."""
    one, other = first.total(), second.total()
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, int):
            assert other[name] == value
        else:
            assert other[name] == pytest.approx(value, abs=1e-9)


@every_measure
@pytest.mark.parametrize("seed", range(8))
def test_any_way_of_cutting_a_corpus(name, seed):
    generator = random.Random(seed)
    references, predictions, lengths = corpus(name, seed)
    number = len(references)
    whole = counted(name, references, predictions, lengths, range(number))
    order = list(range(number)) if name in ORDERED else generator.sample(range(number), number)
    cuts = sorted(generator.choices(range(number + 1), k=3))
    parts = [order[first:last] for first, last in zip([0, *cuts], [*cuts, number], strict=True)]
    each = [counted(name, references, predictions, lengths, part) for part in parts]
    # some as they are, some summed up, some from bytes, as streams and clusters do it
    each[1] = read_counts(each[1].to_bytes())
    each[2] = each[2].condensed()
    total = each[0] + each[1]
    total = total + (each[2] + read_counts(each[3].to_arrow()))
    require_same_counts(whole, total)
    require_same(whole.score(), total.score())
    require_same(ALL[name].score(whole), total.condensed().score())
    assert total.measure == ALL[name]
    by_label, expected = ALL[name].score_per_label(total), ALL[name].score_per_label(whole)
    for label, values in expected.items():
        require_same(values, by_label[label])


@every_measure
@pytest.mark.parametrize("seed", range(8))
def test_tables_and_bytes_hold_everything(name, seed):
    references, predictions, lengths = corpus(name, seed)
    counts = counted(name, references, predictions, lengths, range(len(references)))
    for back in (
        read_counts(counts.to_bytes()),
        read_counts(counts.to_arrow(), measure=ALL[name]),
        read_counts(pa.Table.from_batches(counts.to_arrow().to_batches(max_chunksize=2), counts.to_arrow().schema)),
        ALL[name].counts_type.from_bytes(counts.to_bytes(), ALL[name]),
    ):
        assert (back.labels, back.documents, back.measure) == (counts.labels, counts.documents, counts.measure)
        require_same_counts(counts, back)
        require_same(back.score(), counts.score())
        assert back.to_arrow().equals(counts.to_arrow(), check_metadata=True)
        for one, other in zip(counts.per_document(), back.per_document(), strict=True):
            for column, values in one.items():
                np.testing.assert_array_equal(values, other[column])


@every_measure
@pytest.mark.parametrize("seed", range(8))
def test_weights_are_documents_taken_so_many_times(name, seed):
    generator = random.Random(seed)
    references, predictions, lengths = corpus(name, seed)
    counts = counted(name, references, predictions, lengths, range(len(references)))
    weights = np.array([[generator.randrange(3) for _ in references] for _ in range(4)])
    found = ALL[name].score_totals(ALL[name].totals(counts, weights))
    for row, times in enumerate(weights.tolist()):
        documents = [number for number, count in enumerate(times) for _ in range(count)]
        expected = ALL[name].headline_values(counted(name, references, predictions, lengths, documents))
        # attributes that do not occur in the drawn documents have no values there
        drawn = {key: values[row] for key, values in found.items() if key in expected}
        if name == "gamma":
            # chance stays that of the corpus that is drawn from
            drawn, expected = ({"disorder": values["observed_disorder"]} for values in (drawn, expected))
        require_same(expected, drawn)


def some_counts(measure=None):
    spans = Spans.from_tags([["B-A", "O"], ["B-B", "I-B"]])
    return (measure or SpanF()).counts(spans, spans)


def test_a_table_by_hand():
    references = Spans.from_tags([["B-A", "B-A", "O"], ["O"], ["B-B"]])
    predictions = Spans.from_tags([["B-A", "O", "B-B"], ["O"], ["B-B"]])
    table = SpanF().counts(references, predictions).to_arrow()
    assert table.to_pylist() == [
        {"document": 0, "label": "A", "both": 1, "predicted": 1, "reference": 2},
        {"document": 0, "label": "B", "both": None, "predicted": 1, "reference": None},
        {"document": 2, "label": "B", "both": 1, "predicted": 1, "reference": 1},
    ]


def test_counts_estimated_from_the_corpus_do_not_add_up():
    spans = Spans.from_tags([["B-A", "O"]])
    fixed = SlIcm(tokens=[["a", "b"]], token_probabilities={"a": 0.5, "b": 0.5})
    assert (fixed.counts(spans, spans) + fixed.counts(spans, spans)).score()["sl_icm"] == 2.0


def test_counts_without_a_measure():
    bare = Counts({"both": Column(np.zeros(1, dtype=int), np.zeros(1, dtype=int))}, ("A",), 1)
    assert Counts.from_bytes(bare.to_bytes()).both == 1


def test_sum_adds_counts():
    assert sum([some_counts(), some_counts()]).documents == 2 * some_counts().documents
    for other in (1, None, False, "counts"):
        with pytest.raises(TypeError, match="unsupported operand"):
            some_counts() + other
        with pytest.raises(TypeError):
            other + some_counts()


def test_counts_of_another_measure():
    words = SlIcm(tokens=[["a", "b"], ["c", "d"]], token_probabilities={"a": 0.5, "b": 0.5, "c": 0.1, "d": 0.1})
    stored = some_counts(words).to_bytes()
    assert read_counts(stored, measure=words).score() == some_counts(words).score()


def test_nothing_at_all():
    nothing = SpanF().counts(Spans.from_tags([]), Spans.from_tags([]))
    assert read_counts(nothing.to_bytes()).documents == 0
    assert (nothing + some_counts()).score() == some_counts().score()
    assert (some_counts() + nothing).condensed().score() == some_counts().score()
