"""Spans: from and to dictionaries, Arrow and tags."""

import random
from collections import UserDict
from types import MappingProxyType

import datasets
import numpy as np
import pandas
import pyarrow as pa
import pytest

from random_corpora import as_sets, as_spans, random_pair
from spanometer import InputError, Spans
from spanometer.spans.annotations import union
from spanometer.tags.tags import Tags


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_round_trip(kind):
    for seed in range(120):
        documents, _, lengths = random_pair(seed, kind)
        for spans in (as_spans(documents), as_spans(documents, lengths)):
            assert as_sets(spans) == documents
            assert as_sets(Spans.from_dicts(spans.to_dicts())) == documents
            again = Spans.from_arrow(spans.to_arrow())
            assert again.to_arrow().equals(spans.to_arrow())
            assert again.documents == len(documents)


def test_order_and_duplicates():
    spans = [
        {"start": 1, "end": 3, "label": "B"},
        {"start": 1, "end": 3, "label": "A"},
        {"start": 0, "end": 9, "label": "C"},
        {"start": 1, "end": 2, "label": "C"},
        {"start": 1, "end": 3, "label": "B"},
    ]
    generator = random.Random(1)
    for _ in range(20):
        generator.shuffle(spans)
        found = Spans.from_dicts([[], spans])
        assert found.document.tolist() == [1, 1, 1, 1]
        assert found.start.tolist() == [0, 1, 1, 1]
        assert found.end.tolist() == [9, 2, 3, 3]
        assert [found.labels[code] for code in found.label] == ["C", "C", "A", "B"]


def test_fragments_are_melted():
    spans = Spans.from_dicts(
        [[{"label": "A", "fragments": [[4, 6], [0, 2], [2, 3], [1, 2]]}, {"label": "A", "fragments": [[0, 3], [4, 6]]}]]
    )
    assert spans.to_dicts() == [[{"label": "A", "fragments": [[0, 3], [4, 6]]}]]
    contiguous = Spans.from_dicts([[{"label": "A", "fragments": [[0, 2], [2, 3]]}]])
    assert contiguous.fragments is None
    assert contiguous.to_dicts() == [[{"start": 0, "end": 3, "label": "A"}]]


def test_empty():
    for documents in ([], [[]], [[], []]):
        spans = Spans.from_dicts(documents)
        assert (len(spans), spans.documents, spans.labels) == (0, len(documents), ())
        assert spans.to_dicts() == documents
        tags = Spans.from_tags(documents)
        assert (len(tags), tags.documents) == (0, len(documents))
        assert tags.to_tags("IOB2") == documents


def test_arrow_columns_of_tags():
    rows = [["B-A", "I-A"], [], ["O"], ["B-B", "O"]]
    expected = Spans.from_tags(rows).to_dicts()
    plain = pa.array(rows)
    for column in (
        plain,
        pa.chunked_array([plain.slice(0, 1), plain.slice(1, 2), plain.slice(3)]),
        pa.chunked_array([pa.array([["X-X"]]), plain]).slice(1),
        plain.cast(pa.large_list(pa.large_string())),
        pa.array(rows, pa.list_(pa.dictionary(pa.int32(), pa.string()))),
    ):
        assert Spans.from_arrow(column).to_dicts() == expected
    dataset = datasets.Dataset.from_dict({"tags": rows})
    assert Spans.from_arrow(dataset.data.column("tags")).to_dicts() == expected
    nothing = pa.chunked_array([], pa.list_(pa.string()))
    assert Spans.from_arrow(nothing).documents == 0
    # tags of a dictionary that do not occur are nobody's business
    values = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.int32()), pa.array(["nonsense", "B-A"]))
    column = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), values)
    assert Spans.from_arrow(column).labels == ("A",)


def test_codes_of_dictionaries_are_those_of_strings():
    rows = [["B-A", "O", "B-B"], [], ["I-B", "B-A"], ["O"]]
    expected = Tags.from_lists(rows)
    names = pa.array(["unused", "I-B", "B-B", "O", "B-A", "O"])
    indices = [4, 5, 2, 1, 4, 3]
    for kind in (pa.int8(), pa.uint16(), pa.int64()):
        values = pa.DictionaryArray.from_arrays(pa.array([0, *indices], kind), names).slice(1)
        column = pa.ListArray.from_arrays(pa.array([0, 3, 3, 5, 6], pa.int32()), values)
        for tags in (Tags.from_arrow(column), Tags.from_arrow(pa.chunked_array([column[:1], column[1:]]))):
            # a tag that the dictionary has twice is one tag; names come in the order of the text
            assert tags.names == expected.names
            assert tags.codes.tolist() == expected.codes.tolist()
            assert tags.offsets.tolist() == expected.offsets.tolist()


def test_arrow_columns_of_spans():
    rows = [[{"start": 0, "end": 2, "label": "B"}], [], [{"start": 1, "end": 2, "label": "A"}]]
    expected = Spans.from_dicts(rows).to_dicts()
    plain = pa.array(rows)
    for column in (plain, pa.chunked_array([plain.slice(0, 1), plain.slice(1)]), plain.cast(plain.type)):
        assert Spans.from_arrow(column).to_dicts() == expected
    assert Spans.from_arrow(pa.chunked_array([], plain.type)).documents == 0


@pytest.mark.parametrize(
    "documents",
    [
        {("O",), ("B-A",)},
        frozenset({("O",)}),
        MappingProxyType({0: ["O"]}),
        UserDict({0: ["O"]}),
        {0: ["O"]}.keys(),
        [{"O"}],
        [frozenset({"O"})],
        [MappingProxyType({"O": 1})],
        [UserDict({"O": 1})],
        np.array("O"),
        [np.array("O")],
        pandas.DataFrame({"tags": ["O"]}),
        [pandas.DataFrame({"tags": ["O"]})],
    ],
    ids=lambda given: type(given[0] if isinstance(given, list) else given).__name__,
)
def test_containers_without_order_are_refused(documents):
    with pytest.raises(InputError, match=r"is not (a|one) |a document cannot be "):
        Spans.from_tags(documents)
    with pytest.raises(InputError, match=r"is not (a|one) |a document cannot be "):
        Spans.from_dicts(documents)


def test_ordered_containers_are_taken():
    for documents in (pandas.Series([["O"], ["B-A"]]), np.array([["O"], ["B-A"]]), iter([("O",), ("B-A",)])):
        assert len(Spans.from_tags(documents)) == 1


@pytest.mark.parametrize("lengths", [frozenset({5}), UserDict({0: 5})])
def test_lengths_that_are_no_list_of_lengths(lengths):
    with pytest.raises(InputError) as caught:
        Spans.from_dicts([[]], lengths=lengths)
    assert caught.value.option == "lengths"


def test_marks_of_direction_are_taken():
    assert Spans.from_tags([["B-\u202eX"]]).labels == ("\u202eX",)


def test_labels_as_a_dictionary():
    """One that has labels which do not occur, and one label twice."""
    label = pa.DictionaryArray.from_arrays(pa.array([3, 1, 0]), pa.array(["B", "A", "C", "B"]))
    values = pa.StructArray.from_arrays([pa.array([0, 2, 4]), pa.array([1, 3, 5]), label], ["start", "end", "label"])
    spans = Spans.from_arrow(pa.ListArray.from_arrays(pa.array([0, 2, 3]), values))
    assert spans.labels == ("A", "B")
    assert spans.to_dicts() == [
        [{"start": 0, "end": 1, "label": "B"}, {"start": 2, "end": 3, "label": "A"}],
        [{"start": 4, "end": 5, "label": "B"}],
    ]


def test_union_by_hand():
    layers = [Spans.from_tags([["B-A", "I-A"], ["O"]]), Spans.from_tags([["B-A", "O"], ["B-C"]])]
    layers.append(Spans.from_tags([["B-A", "I-A"], ["O"]]))
    found = union(layers)
    assert [[tuple(span.values()) for span in document] for document in found.to_dicts()] == [
        [(0, 1, "A"), (0, 2, "A")],
        [(0, 1, "C")],
    ]
    assert found.lengths.tolist() == [2, 1]
