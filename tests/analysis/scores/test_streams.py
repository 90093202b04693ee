"""Corpora that come in parts: the scores of the whole, and no more memory for longer ones."""

import random
import tracemalloc

import datasets
import numpy as np
import pyarrow as pa
import pytest

from counts_of_parts import arrow, require_same_counts, tagged, whole
from entity_corpora import random_entity_documents
from random_corpora import random_pair
from spanometer import InputError, Spans
from spanometer.analysis.scores.streams import COUNTS_SCHEMA, partial_counts, score_stream, stream_counts, sum_counts
from spanometer.measures import MEASURES, Eter, SlIcm, SpanF, UnitizingAlpha, read_counts
from spanometer.spans.entities import Entities

ALPHA_1995 = {"alpha": UnitizingAlpha(variant="1995")}


def cut(generator, *columns):
    """Columns in parts of random sizes, some of them empty."""
    first = 0
    while first < len(columns[0]):
        size = generator.randrange(8)
        yield tuple(column[first : first + size] for column in columns)
        first += size


def test_by_hand():
    batches = [([["B-A", "O"]], [["B-A", "B-A"]]), ([["B-A"], ["O"]], [["O"], ["O"]])]
    # one span is right of two predicted and two reference spans
    assert score_stream(batches, scheme="IOB2") == {"span_f": {"precision": 0.5, "recall": 0.5, "f1": 0.5}}
    counts = stream_counts(iter(batches), measures="span_f", scheme="IOB2")["span_f"]
    assert counts.total() == {"both": 1, "predicted": 2, "reference": 2}
    assert counts.measure == SpanF()


@pytest.mark.parametrize("seed", range(8))
def test_every_measure_of_spans_over_tags(seed):
    generator = random.Random(seed)
    references, predictions = tagged(seed)
    measures = {name: measure() for name, measure in MEASURES.items()} | ALPHA_1995
    measures["macro"] = SlIcm(average="macro", token_probabilities=0.1)
    forms = (
        lambda pair: pair,
        lambda pair: dict(zip(("references", "predictions"), pair, strict=True)),
        lambda pair: pa.table(list(map(pa.array, pair, [pa.list_(pa.string())] * 2)), ["references", "predictions"]),
    )
    batches = [generator.choice(forms)(pair) for pair in cut(generator, references, predictions)]
    if seed % 4 == 0:
        batches = [
            [Spans.from_tags(side, scheme="IOB2") for side in pair] for pair in cut(generator, references, predictions)
        ]
    expected = whole(measures, references, predictions)
    require_same_counts(stream_counts(batches, measures=measures, scheme="IOB2"), expected)


@pytest.mark.parametrize("seed", range(10))
def test_spans_with_lengths(seed):
    generator = random.Random(seed)
    references, predictions, lengths = random_pair(seed, "flat")
    sides = [
        [
            [{"start": min(tokens), "end": max(tokens) + 1, "label": label} for label, tokens in document]
            for document in side
        ]
        for side in (references, predictions)
    ]
    measures = {name: measure() for name, measure in MEASURES.items()}
    names = ("gold", "system", "tokens")
    batches = [dict(zip(names, part, strict=True)) for part in cut(generator, *sides, lengths)]
    batches = [pa.table(batch) if generator.random() < 0.5 and batch["gold"] else batch for batch in batches]
    pair = [Spans.from_dicts(side, lengths=lengths) for side in sides]
    found = stream_counts(batches, measures=measures, references="gold", predictions="system", lengths="tokens")
    require_same_counts(found, {name: measure.counts(*pair) for name, measure in measures.items()})


@pytest.mark.parametrize("seed", range(10))
def test_entities(seed):
    references, predictions = random_entity_documents(random.Random(seed))
    batches = list(cut(random.Random(seed), references, predictions))
    expected = {"eter": Eter().counts(Entities.from_dicts(references), Entities.from_dicts(predictions))}
    require_same_counts(stream_counts(batches, measures=Eter()), expected)


def test_label_numbers():
    labels = ["O", "B-A", "I-A"]
    batches = [([[1, 2, -100]], [[1, 2, 2]]), {"references": [[1], []], "predictions": [[0], []]}]
    # the scheme is that of the labels; one of two spans is found
    assert score_stream(batches, id2label=labels)["span_f"]["recall"] == 0.5
    numbers = datasets.List(datasets.ClassLabel(names=labels))
    columns = {"references": [[1, 2], [1]], "predictions": [[1, 2], [0]]}
    dataset = datasets.Dataset.from_dict(columns, datasets.Features(references=numbers, predictions=numbers))
    for source in (dataset, dataset.to_iterable_dataset(), dataset.with_format("numpy"), dataset.select([1, 0])):
        assert score_stream(source, scheme="IOB2", batch_size=1)["span_f"]["recall"] == 0.5


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_datasets(size):
    references, predictions = tagged(0)
    dataset = datasets.Dataset.from_dict({"gold": references, "system": predictions, "n": [0] * len(references)})
    expected = {"span_f": whole({"s": SpanF()}, references, predictions)["s"].score()}
    options = {"scheme": "IOB2", "references": "gold", "predictions": "system", "batch_size": size}
    assert score_stream(dataset, **options) == expected
    assert score_stream(dataset.to_iterable_dataset(num_shards=3), **options) == expected
    assert score_stream(dataset.with_format("numpy"), **options) == expected

    def rows():
        for reference, prediction in zip(references, predictions, strict=True):
            yield {"gold": reference, "system": prediction}

    streamed = datasets.IterableDataset.from_generator(rows)
    assert streamed.column_names is None
    assert score_stream(streamed, **options) == expected
    assert score_stream([(dataset["gold"], dataset["system"])], scheme="IOB2") == expected


def held(batches, measures):
    """The most bytes that were held while so many batches were counted, and the counts."""
    references, predictions = tagged(1, 25)
    tracemalloc.start()
    counts = stream_counts(((references, predictions) for _ in range(batches)), measures=measures, scheme="IOB2")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, counts


def test_memory_does_not_grow_with_the_stream():
    measures = [name for name in MEASURES if name not in ("unitizing_alpha", "gamma")]
    # what is imported and cached on the way is no part of it
    held(2, measures)
    short, counts = held(8, measures)
    long, more = held(80, measures)
    # a sum of n parts holds log n of them; if the batches stayed, ten times as many would be held
    assert long < 3.5 * short
    assert len(more["span_f"].to_bytes()) == len(counts["span_f"].to_bytes())
    for name in measures:
        assert more[name].documents == 1
        assert {len(values.label) for values in more[name].columns.values()} == {2}
    assert more["span_f"].both == 10 * counts["span_f"].both


def test_one_measure_keeps_rows():
    assert [len(held(batches, ALPHA_1995)[1]["alpha"].rows["start"]) for batches in (1, 10)] == [
        units := len(held(1, ALPHA_1995)[1]["alpha"].rows["start"]),
        10 * units,
    ]


GOOD = ([["B-A", "O"], ["O"]], [["B-A", "B-A"], ["O"]])


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (
            [pa.table({"predictions": [["O"]]})],
            "^batch 0: there is no column 'references'. The only column is 'predictions'",
        ),
        (
            [pa.table({"references": [[1]], "predictions": [["O"]]})],
            "^references, document 0, token 0: the tag is the integer 1",
        ),
        (
            pa.table({"references": [["O"]], "predictions": [["O"]]}),
            "^an object of type Table is not a stream of batches",
        ),
        (datasets.Dataset.from_dict({"references": [["O"]], "p": [["O"]]}), "^there is no column 'predictions'"),
        (datasets.DatasetDict(), "^an object of type DatasetDict is not a stream of batches"),
    ],
)
def test_wrong_streams(batches, message):
    with pytest.raises(InputError, match=message):
        score_stream(batches, scheme="IOB2")


def test_wrong_sizes_of_batches():
    for size in (0, -1, 2.5, True, None):
        with pytest.raises(InputError, match=r"^batch_size="):
            score_stream(
                datasets.Dataset.from_dict({"references": [], "predictions": []}), scheme="IO", batch_size=size
            )


# Arrow in, Arrow out


def test_a_table_of_counts_by_hand():
    found = partial_counts(arrow(*GOOD), measures=("span_f", "token_f"), scheme="IOB2")
    assert found.schema == COUNTS_SCHEMA
    assert found["measure"].to_pylist() == ["span_f", "token_f"]
    assert found["documents"].to_pylist() == [2, 2]
    counts = read_counts(found["counts"][0].as_py())
    assert (counts.total(), counts.documents) == ({"both": 1, "predicted": 2, "reference": 1}, 1)
    kept = partial_counts(arrow(*GOOD), scheme="IOB2", per_document=True)
    assert read_counts(kept["counts"][0].as_py()).documents == 2


@pytest.mark.parametrize("per_document", [False, True])
def test_sums_of_tables(per_document):
    references, predictions = tagged(3)
    measures = {name: measure() for name, measure in MEASURES.items()} | ALPHA_1995
    options = {"measures": measures, "scheme": "IOB2", "per_document": per_document}
    batches = arrow(references, predictions).to_batches(max_chunksize=7)
    tables = [partial_counts(batch, **options) for batch in batches]
    expected = whole(measures, references, predictions)
    for given in (tables, iter(tables), pa.concat_tables(tables), pa.concat_tables(tables).to_batches()):
        found = sum_counts(given, per_document=per_document)
        require_same_counts(found, expected)
        assert found["span_f"].documents == (len(references) if per_document else 1)
    if per_document:
        for key, values in SpanF().score_per_document(expected["span_f"]).items():
            np.testing.assert_array_equal(SpanF().score_per_document(found["span_f"])[key], values)


class OwnMeasure(SpanF):
    """A measure that the package does not know."""

    name = "own"


def test_measures_of_ones_own_are_given_again():
    table = partial_counts(arrow(*GOOD), measures=OwnMeasure(), scheme="IOB2")
    found = sum_counts([table, table], measures={"own": OwnMeasure()})["own"]
    assert (found.both, found.measure) == (2, OwnMeasure())


@pytest.mark.parametrize("processes", [None, 2])
def test_maps_of_datasets(processes):
    references, predictions = tagged(4)
    dataset = datasets.Dataset.from_dict({"references": references, "predictions": predictions, "id": references})
    mapped = dataset.with_format("arrow").map(
        partial_counts,
        fn_kwargs={"measures": ["span_f", "token_f"], "scheme": "IOB2"},
        batched=True,
        batch_size=6,
        num_proc=processes,
        remove_columns=dataset.column_names,
    )
    found = sum_counts(mapped.data.table)
    require_same_counts(
        found, whole({name: MEASURES[name]() for name in ("span_f", "token_f")}, references, predictions)
    )
    assert sum(mapped.with_format(None)["documents"]) == 2 * len(references)
